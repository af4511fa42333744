package html

import (
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/report"
)

// chapter is the evidence of a behaviour.
type chapter struct {
	Stem, Promise, Class string
	Checks               []exhibit
}

// exhibit is the evidence of a check.
type exhibit struct {
	ID, Name, Class string
	Promise, Why    string
	Level, Place    string
	Extended        bool
	Provisional     bool
	Pair            bool
	Answers         []answerRow
	Sources         []origin
	Proofs          []proof
	Back            string // its row of the matrix
}

// answerRow is one of the closed list of answers, with those who gave it.
type answerRow struct {
	kind
	Variant, Meaning string
	Effect           *kind
	By               []string
}

// origin is where a rule comes from; To is empty of what is no address.
type origin struct{ To, Text string }

// proof is what one target answered.
type proof struct {
	ID       string
	Target   target
	Own      *cell // nil of a pair check
	Swap     *cell
	Fields   []field
	SwapOf   string // the reference
	Effects  []field
	Bridges  []bridge
	Requests []request
	Logs     []string
	Run      []string // the commands that run only this
	Attend   bool     // it needs attention: printed open
}

// field is one thing that is said; To is an address that it names.
type field struct{ Name, Text, To string }

// bridge is a remedy that was tried for this check.
type bridge struct {
	Do, Outcome, Observed, Remedy string
	Class                         string
}

type request struct{ Step, Curl, Answer string }

func (m *maker) evidence() []chapter {
	var out []chapter
	for _, b := range m.r.Behaviours {
		c := chapter{Stem: b.Stem, Promise: b.Promise}
		var classes []string
		for _, check := range b.Checks {
			e := m.exhibit(b, check)
			c.Checks = append(c.Checks, e)
			classes = append(classes, strings.Fields(e.Class)...)
		}
		c.Class = distinct(classes)
		out = append(out, c)
	}
	return out
}

func (m *maker) exhibit(b report.Behaviour, c report.Check) exhibit {
	e := exhibit{ID: m.look.ids[c.ID], Name: c.ID, Promise: c.Promise, Why: c.Why, Level: c.Level, Place: c.Place, Extended: c.Extended,
		Provisional: c.Provisional, Pair: c.Pair, Back: "#row-" + m.look.ids[c.ID]}
	var columns []column
	for _, t := range m.r.Targets {
		_, pair := m.look.pairOf[t.Name]
		columns = append(columns, column{m.target(t), pair})
	}
	e.Class = m.row(b, c, columns).Class
	for _, v := range c.Variants {
		a := answerRow{kind: outcomeKind(v.Outcome), Variant: v.Name, Meaning: v.Meaning}
		if v.Effect != "" {
			k := effectKind(v.Effect)
			a.Effect = &k
		}
		e.Answers = append(e.Answers, a)
	}
	attend := false
	for _, col := range columns {
		if c.Pair && !col.Pair {
			continue
		}
		p := m.proof(c, col)
		e.Proofs = append(e.Proofs, p)
		attend = attend || p.Attend
		for i := range e.Answers {
			if seen := p.answered(); seen == e.Answers[i].Variant {
				e.Answers[i].By = append(e.Answers[i].By, col.Called())
			}
		}
	}
	for _, s := range c.Sources {
		e.Sources = append(e.Sources, origin{web(s), s})
	}
	if !attend {
		e.Class += " is-quiet"
	}
	return e
}

func (p proof) answered() string {
	if p.Own != nil {
		return p.Own.Answer
	}
	if p.Swap != nil {
		return p.Swap.Answer
	}
	return ""
}

// proof is the evidence of one target.
func (m *maker) proof(c report.Check, col column) proof {
	at := [2]string{col.Name, c.ID}
	own, swap := m.cells(c, col)
	p := proof{ID: m.look.places[at], Target: col.target}
	if !c.Pair {
		p.Own = &own
		cell := m.look.cells[at]
		p.Fields = m.fields(cell.Judgement)
		for _, e := range cell.Evidence {
			p.Requests = append(p.Requests, request{e.Step, e.Curl, e.Answer})
		}
		p.Logs = cell.Logs
		if cell.Reproduce != "" {
			p.Run = append(p.Run, cell.Reproduce)
		}
	}
	if col.Pair && !swap.Blank {
		p.Swap, p.SwapOf = &swap, m.called(m.r.Reference)
		pair := m.look.pairs[at]
		if c.Pair {
			p.Fields = m.fields(pair.Judgement)
		}
		p.Effects = effects(pair)
		if pair.Reproduce != "" {
			p.Run = append(p.Run, pair.Reproduce)
		}
		p.Bridges = bridges(m.look.proofs[at])
	}
	p.Attend = p.Own != nil && (attends(own.Class) || own.Flag != "") || p.Swap != nil && (attends(swap.Class) || swap.Flag != "")
	return p
}

// attends says that a cell is to be looked at.
func attends(class string) bool {
	switch class {
	case "o-fail", "o-error", "o-flaky", "o-missing", "e-client-change", "e-index-break", "e-unknown":
		return true
	}
	return false
}

func (m *maker) fields(j report.Judgement) []field {
	var numbers []string
	for _, n := range j.Numbers {
		numbers = append(numbers, contract.Number(n).String())
	}
	var out []field
	add := func(name, text, to string) {
		if text != "" {
			out = append(out, field{name, text, to})
		}
	}
	add("Observed", j.Observed, "")
	add("No verdict", j.Reason, "")
	add("Means", j.Meaning, "")
	add("Numbers", strings.Join(numbers, ", "), "")
	add("Who breaks", j.Breaks, "")
	add("Remedy", j.Remedy, "")
	if e := j.Expected; e.Variant != "" {
		text := "listed as " + e.Variant
		if e.Why != "" {
			text += ": " + e.Why
		}
		if e.Review != "" {
			text += " (to be looked at again by " + e.Review + ")"
		}
		if e.Overdue {
			text += ", which is overdue"
		}
		add("Known deviation", text, "")
		for _, part := range strings.Split(e.Upstream, " and ") {
			add("Upstream", part, web(part))
		}
	} else if !e.OK {
		add("Expected", "no deviation is listed here", "")
	}
	return out
}

func effects(c report.PairCell) []field {
	var out []field
	switch {
	case c.From != "" && c.From == c.To:
		out = append(out, field{"Answers", c.From + ", both", ""})
	case c.From != "" || c.To != "":
		out = append(out, field{"Answers", c.From + " → " + c.To, ""})
	}
	if c.Why != "" && c.Why != c.Meaning {
		out = append(out, field{"Because", c.Why, ""})
	}
	return out
}

// bridges are the remedies that were tried. What is not needed is left out where something else was shown to help.
func bridges(all []remedyProof) []bridge {
	helps := slices.ContainsFunc(all, func(r remedyProof) bool { return r.proof.Outcome == report.ProofHolds })
	var out []bridge
	for _, r := range all {
		if !helps || r.proof.Outcome != report.ProofNeedless {
			out = append(out, bridged(r))
		}
	}
	return out
}

func bridged(r remedyProof) bridge {
	b := bridge{Do: r.remedy.Change, Remedy: r.remedy.ID, Observed: r.proof.Observed}
	switch r.proof.Outcome {
	case report.ProofHolds:
		b.Class, b.Outcome = "good", "verified"
	case report.ProofFails:
		b.Class, b.Outcome = "bad", "does not help"
	default:
		b.Class, b.Outcome = "quiet", "not needed here"
	}
	return b
}
