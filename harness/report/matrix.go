package report

import (
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// Signs and words that are read without colour.
const (
	alarm      = "◄" // stands at every cell that is not as expected
	silentWord = "SILENT"
	missing    = "missing"
	// apart stands before a check that is provisional.
	apart           = "◇"
	provisionalWord = "provisional"
)

// sign is the symbol of an outcome.
func sign(outcome string) string {
	switch contract.Outcome(outcome) {
	case contract.Pass:
		return "✓"
	case contract.Differs:
		return "~"
	case contract.Fail:
		return "✗"
	case contract.Unsupported:
		return "○"
	case contract.NotApplicable, contract.Skipped:
		return "–"
	case contract.Error:
		return "!"
	case contract.Flaky:
		return "±"
	}
	return "?"
}

// effectWord is an effect as it is shown; those that hurt are in capitals.
func effectWord(effect string) string {
	switch contract.Effect(effect) {
	case contract.NotCompared:
		return sign(string(contract.NotApplicable))
	case contract.ClientChange, contract.IndexBreak:
		return strings.ToUpper(effect)
	}
	return line(effect)
}

// answer is the variant, or in its place the reason why there is none in one word.
func (j Judgement) answer() string {
	switch contract.Outcome(j.Outcome) {
	case contract.NotApplicable:
		return "n/a"
	case contract.Skipped, contract.Error, contract.Flaky:
		return j.Outcome
	}
	if j.Variant == "" {
		return line(j.Outcome)
	}
	return line(j.Variant)
}

// judged tells the cell of a pair check from the mere effect of a swap on a target check.
func (c PairCell) judged() bool { return c.Outcome != "" }

// entry is a cell of the matrix as it is shown.
type entry struct {
	sign, text string // of a judgement
	effect     string // of a pair
	status     string // how it stands to the expectations, if not as expected
	outcome    string
	harm       bool // the effect hurts somebody
}

func judgementEntry(j Judgement) entry {
	e := entry{sign: sign(j.Outcome), text: j.answer(), outcome: j.Outcome}
	if !j.Expected.OK {
		if e.status = line(j.Expected.Status); e.status == "" {
			e.status = "unexpected"
		}
	}
	return e
}

func pairEntry(c PairCell) entry {
	var e entry
	if c.judged() {
		e = judgementEntry(c.Judgement)
	} else if c.Expected.Status != "" && !c.Expected.OK {
		e.status = line(c.Expected.Status)
	}
	e.effect = effectWord(c.Effect)
	e.harm = c.Silent || c.Effect == string(contract.ClientChange) || c.Effect == string(contract.IndexBreak)
	if c.Silent {
		e.effect = words(e.effect, silentWord)
	}
	return e
}

// flags are the long and the short way to say that a cell is not as expected.
func (e entry) flags() []string {
	if e.status == "" {
		return []string{""}
	}
	return []string{alarm + " " + e.status, alarm}
}

// String is the cell in full.
func (e entry) String() string { return words(e.sign, e.text, e.effect, e.flags()[0]) }

// fit shortens a cell: first the flag, then the variant. The sign, the effect and the flag itself always stay.
func (e entry) fit(columns int) string {
	var s string
	for _, f := range e.flags() {
		if s = words(e.sign, e.text, e.effect, f); width(s) <= columns {
			return s
		}
	}
	short := e.flags()[len(e.flags())-1]
	room := columns - width(words(e.sign, "x", e.effect, short)) + 1
	return fit(words(e.sign, fit(e.text, room), e.effect, short), columns)
}

// least is the smallest width at which the cell still says what it must.
func (e entry) least() int {
	const stub = 8 // of a variant; enough to tell most of them apart
	return width(words(e.sign, fit(e.text, stub), e.effect, e.flags()[len(e.flags())-1]))
}

// column is a target or a pair.
type column struct {
	title, under string // the two lines of its head
	name         string // in running text
	pair         bool
	cells        map[string]entry // by check
}

// at is the cell of a check. One that is missing says so, for an empty cell would read as fine; only of a check
// that is about one server alone a pair has none.
func (c column) at(check Check) entry {
	e, ok := c.cells[check.ID]
	switch {
	case ok || check.Pair && !c.pair:
		return e
	case c.pair && check.Lone:
		return entry{sign: sign(string(contract.NotApplicable))}
	}
	return entry{sign: "?", text: missing, status: missing}
}

func (t Target) column() column {
	kind := "(" + line(t.Kind) + ")"
	name := line(t.Name)
	return column{title: name, under: kind, name: name + " " + kind, cells: map[string]entry{}}
}

// columns are the targets, then the pairs.
func (r *Report) columns() []column {
	var all []column
	at := map[string]int{}
	for _, t := range r.Targets {
		at[t.Name] = len(all)
		all = append(all, t.column())
	}
	for _, c := range r.Cells {
		if i, ok := at[c.Target]; ok {
			all[i].cells[c.Check] = judgementEntry(c.Judgement)
		}
	}
	for _, p := range r.Pairs {
		c := column{title: line(p.Reference) + " →", under: line(p.Candidate), name: r.swap(p), pair: true, cells: map[string]entry{}}
		for _, cell := range p.Cells {
			c.cells[cell.Check] = pairEntry(cell)
		}
		all = append(all, c)
	}
	return all
}

// checks are the rows in their order.
func (r *Report) checks() []Check {
	var all []Check
	for _, b := range r.Behaviours {
		all = append(all, b.Checks...)
	}
	return all
}

// rows is how many the matrix has with a row for each check.
func (r *Report) rows() int { return len(r.Behaviours) + len(r.checks()) }

// check finds a row by its id; an unknown one has nothing to say.
func (r *Report) check(id string) Check {
	for _, c := range r.checks() {
		if c.ID == id {
			return c
		}
	}
	return Check{ID: id}
}

// row is the name of a check below the head of its behaviour.
func (b Behaviour) row(c Check) string {
	name := line(strings.TrimPrefix(c.ID, b.Stem+"/"))
	if c.Provisional {
		return apart + " " + name
	}
	return name
}

// indented sets a row apart from the head of its behaviour; the sign of a provisional one stands in the margin.
func (b Behaviour) indented(c Check) string {
	if c.Provisional {
		return b.row(c)
	}
	return "  " + b.row(c)
}

// least is the smallest width of a column at which nothing is lost that matters.
func (c column) least(r *Report) int {
	w := columnWidth
	for _, b := range r.Behaviours {
		for _, check := range b.Checks {
			w = max(w, c.at(check).least())
		}
	}
	return w
}

// full is the width of a column at which nothing is shortened.
func (c column) full(r *Report) int {
	w := max(width(c.title), width(c.under), c.least(r))
	for _, b := range r.Behaviours {
		for _, check := range b.Checks {
			w = max(w, width(c.at(check).String()))
		}
	}
	return w
}

// longest is the least width at which no word of a column breaks, in its head or in any cell.
func (c column) longest(r *Report) int {
	w := 0
	longest := func(text string) {
		for _, word := range strings.Fields(text) {
			w = max(w, width(word))
		}
	}
	longest(c.title)
	longest(c.under)
	for _, b := range r.Behaviours {
		for _, check := range b.Checks {
			e := c.at(check)
			w = max(w, width(words(e.sign, e.text))) // a sign stays with what it is of
			longest(words(e.effect, e.flags()[0]))
		}
	}
	return w
}

// unasked recognises a check that none of the columns can answer: a pair check beside targets only.
func unasked(check Check, columns []column) bool {
	return !slices.ContainsFunc(columns, func(c column) bool { return c.at(check) != entry{} })
}
