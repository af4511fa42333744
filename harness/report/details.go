package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// Bounds of what a renderer shows of one cell. The report itself holds everything.
const (
	detailsShown  = 20   // blocks, unless all were asked for
	textShown     = 480  // columns of one text from a server
	commandShown  = 4000 // columns of one line of a command: cut off, it can no longer be pasted
	logsShown     = 8    // the last lines of a server's log
	evidenceShown = 3    // exchanges
	alsoShown     = 6    // further checks with the same error
)

// detail is what is known of one cell.
type detail struct {
	entry  entry
	check  Check
	where  string   // the target, or the pair, with its labels
	also   []string // further checks without a verdict, for the same reason
	fields []field
}

// field is a line of a detail. Texts are clean when they are in it.
type field struct {
	name string
	text string
	// raw are lines that keep their breaks: a command, or the log of a server.
	raw    []string
	server bool // the text came from a server
}

// details are the cells that are not as expected, or, when all are asked for, whatever is no plain pass.
func (r *Report) details(all bool) []detail {
	var out []detail
	at := map[string]int{} // by column and reason
	add := func(d detail, reason string) {
		key := d.where + "\x00" + d.entry.String() + "\x00" + reason
		if i, ok := at[key]; ok && reason != "" {
			out[i].also = append(out[i].also, line(d.check.ID))
			return
		}
		at[key] = len(out)
		out = append(out, d)
	}
	cells, tried := r.byCheck(), r.tried()
	block := map[[2]string]int{} // by target and check: the block that is about it alone
	for _, b := range r.Behaviours {
		for _, c := range b.Checks {
			for _, cell := range cells[c.ID].cells {
				if wanted(cell.Judgement, all) {
					d := detail{entry: judgementEntry(cell.Judgement), check: c, where: r.label(cell.Target)}
					d.fields = slices.Concat(cell.describe(c), tried[cell.Target][c.ID], cell.proof())
					add(d, cell.foldReason())
					if last := len(out) - 1; out[last].check.ID == c.ID {
						block[[2]string{cell.Target, c.ID}] = last
					}
				}
			}
			for _, cell := range cells[c.ID].pairs {
				d := detail{entry: pairEntry(cell.PairCell), check: c, where: r.swap(cell.pair)}
				if !cell.judged() {
					d.entry.sign = "→"
				}
				harmless := cell.Effect == string(contract.Same) || cell.Effect == string(contract.Compatible)
				about, told := block[[2]string{cell.pair.Candidate, c.ID}]
				switch {
				case !cell.judged() && told: // what it does to the swap is said there
					if !harmless && cell.Effect != string(contract.Unknown) {
						out[about].swap(cell)
					}
				case cell.judged() && wanted(cell.Judgement, all):
					d.fields = slices.Concat(cell.describe(c), tried[cell.pair.Candidate][c.ID], cell.effect())
					add(d, cell.foldReason())
				case !cell.judged() && (all || cell.Expected.Status != "" && !cell.Expected.OK) && !harmless:
					d.fields = slices.Concat(tried[cell.pair.Candidate][c.ID], cell.effect())
					add(d, unlessHarm(cell.PairCell))
				}
			}
		}
	}
	return out
}

// swap adds to the block of a candidate's cell what it changes for those who were served by the reference.
func (d *detail) swap(c pairCellOf) {
	effect := c.effect()
	for i, f := range effect {
		if f.name == "change" {
			effect[i].text = words(f.text, effectWord(c.Effect))
			if c.Silent {
				effect[i].text = words(effect[i].text, silentWord)
			}
		}
	}
	effect = slices.DeleteFunc(effect, func(f field) bool { return f.name == "reproduce" }) // the block has one
	at := slices.IndexFunc(d.fields, func(f field) bool {
		return slices.Contains([]string{"breaks", "remedy", "verified", "failed", "untried", "log", "request", "reproduce"}, f.name)
	})
	if at < 0 {
		at = len(d.fields)
	}
	d.fields = slices.Insert(d.fields, at, effect...)
}

// wanted decides whether a cell gets a detail.
func wanted(j Judgement, all bool) bool {
	return !j.Expected.OK || all && j.Outcome != string(contract.Pass)
}

// foldReason is why there is no verdict; a target that did not start says the same of each check, once is enough.
func (j Judgement) foldReason() string {
	switch contract.Outcome(j.Outcome) {
	case contract.Error, contract.NotApplicable, contract.Skipped:
		return j.Reason
	}
	return ""
}

// unlessHarm is the reason of an effect that is not known; an effect that is known is told check by check.
func unlessHarm(c PairCell) string {
	if c.Effect == string(contract.Unknown) {
		return c.Why
	}
	return ""
}

// checkCells are all cells of one check.
type checkCells struct {
	cells []Cell
	pairs []pairCellOf
}

type pairCellOf struct {
	PairCell
	pair Pair
}

// byCheck sorts the cells by check; in each, targets and pairs keep the order of the columns.
func (r *Report) byCheck() map[string]checkCells {
	by := map[string]checkCells{}
	for _, c := range r.Cells {
		cc := by[c.Check]
		cc.cells = append(cc.cells, c)
		by[c.Check] = cc
	}
	rank := func(c Cell) int {
		return slices.IndexFunc(r.Targets, func(t Target) bool { return t.Name == c.Target })
	}
	for _, cc := range by {
		slices.SortStableFunc(cc.cells, func(a, b Cell) int { return rank(a) - rank(b) })
	}
	for _, p := range r.Pairs {
		for _, c := range p.Cells {
			cc := by[c.Check]
			cc.pairs = append(cc.pairs, pairCellOf{c, p})
			by[c.Check] = cc
		}
	}
	return by
}

// describe says what was promised, what was seen, who breaks and what to do.
func (j Judgement) describe(c Check) []field {
	var numbers []string
	for _, n := range j.Numbers {
		numbers = append(numbers, line(contract.Number(n).String()))
	}
	promise := line(c.Promise)
	if c.Level != "" {
		promise += " (" + line(c.Level) + ")"
	}
	if c.Provisional {
		promise += ", " + provisionalWord + ": the contract revision does not list it, so it is not counted"
	}
	return filled(
		field{name: "promise", text: promise},
		field{name: "why", text: line(c.Why)},
		field{name: "answers", text: c.answers()},
		field{name: "expected", text: j.Expected.words()},
		field{name: "observed", text: fit(line(j.Observed), textShown), server: true},
		field{name: "no verdict", text: fit(line(j.Reason), textShown), server: true},
		field{name: "means", text: line(j.Meaning)},
		field{name: "numbers", text: strings.Join(numbers, ", ")},
		field{name: "breaks", text: line(j.Breaks)},
		field{name: "remedy", text: line(j.Remedy)},
	)
}

// answers is the closed list of variants with their outcomes.
func (c Check) answers() string {
	var all []string
	for _, v := range c.Variants {
		all = append(all, words(sign(v.Outcome), line(v.Name), effectWord(v.Effect)))
	}
	return strings.Join(all, ", ")
}

// words say how a cell stands to the expectations.
func (e Expected) words() string {
	listed := "listed as " + line(e.Variant)
	if e.Why != "" {
		listed += ": " + line(e.Why)
	}
	if e.Upstream != "" {
		listed += " (" + line(e.Upstream) + ")"
	}
	if e.Overdue {
		listed += "; its review was due on " + line(e.Review)
	}
	switch {
	case e.Status == "new":
		return "worse than in the report that this one is held to"
	case e.Variant == "" && (e.OK || e.Status == "no-verdict"):
		return ""
	case e.Variant == "":
		return "no deviation is listed here"
	case e.Status == "expired":
		return "answered as listed, and nobody has looked again for long, so the entry is in force no longer: " + listed
	case e.Status == "stale":
		return "answered as promised, so the entry must go: " + listed
	case e.OK, e.Status == "no-verdict":
		return listed
	}
	return "something else: it is " + listed
}

// proof is what the target received and said.
func (c Cell) proof() []field {
	var out []field
	if n := len(c.Logs); n > 0 {
		f := field{name: "log", server: true}
		for _, l := range c.Logs[max(0, n-logsShown):] {
			f.raw = append(f.raw, fit(line(l), textShown))
		}
		out = append(out, f)
	}
	for i, e := range c.Evidence {
		if i == evidenceShown {
			out = append(out, field{name: "more", text: fmt.Sprintf("%d further exchanges are in the report", len(c.Evidence)-evidenceShown)})
			break
		}
		out = append(out, filled(
			field{name: "request", raw: command(e.Curl)},
			field{name: "answer", text: fit(line(e.Answer), textShown), server: true},
		)...)
	}
	return append(out, filled(field{name: "reproduce", raw: command(c.Reproduce)})...)
}

// effect says what the swap changes.
func (c PairCell) effect() []field {
	change := ""
	if c.From != "" || c.To != "" {
		change = line(c.From) + " → " + line(c.To)
	}
	return filled(
		field{name: "change", text: change},
		field{name: "because", text: fit(line(c.Why), textShown), server: true},
		field{name: "reproduce", raw: command(c.Reproduce)},
	)
}

// command keeps the lines of a command, so that it can be pasted.
func command(s string) []string {
	all := lines(s)
	for i, l := range all {
		all[i] = fit(l, commandShown)
	}
	return all
}

// filled leaves out the fields without content.
func filled(fields ...field) []field {
	return slices.DeleteFunc(fields, func(f field) bool { return f.text == "" && len(f.raw) == 0 })
}

// head says which cell it is.
func (d detail) head() string {
	id := line(d.check.ID)
	if d.check.Provisional {
		id += " (" + provisionalWord + ")"
	}
	return words(d.entry.sign, id, "on", d.where+":", words(d.entry.text, d.entry.effect, d.entry.flags()[0]))
}

// others names the further checks of a detail.
func (d detail) others() string {
	shown := d.also[:min(len(d.also), alsoShown)]
	s := strings.Join(shown, ", ")
	if rest := len(d.also) - len(shown); rest > 0 {
		s += fmt.Sprintf(" and %d more", rest)
	}
	return s
}
