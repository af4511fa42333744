package upgrade

import (
	"slices"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

// Input is what is compared. Today and Tool are given, so that a comparison is a pure function.
type Input struct {
	Suite    contract.Suite
	Tool     map[string]string
	Today    time.Time
	Old, New *recording.Recording
	// Selected says which checks are compared; nil: all.
	Selected func(contract.Check) bool
}

// Compare judges both recordings by the checks and says what changed from the old to the new one. It changes neither.
func Compare(in Input) *Diff {
	if in.Old.Header.Target.Name == in.New.Header.Target.Name {
		in.Old, in.New = named(in.Old, "@old"), named(in.New, "@new")
	}
	c := &comparer{in: in, judge: judge.New(in.Suite), d: &Diff{Schema: Schema, Tool: in.Tool, Revision: in.Suite.Revision, Judged: in.Today}}
	c.d.Old, c.d.New = side(in.Old), side(in.New)
	for _, check := range in.Suite.Checks() {
		if in.Selected == nil || in.Selected(check) {
			c.check(check)
		}
	}
	slices.SortStableFunc(c.d.Changes, func(a, b Change) int { return weight(a) - weight(b) })
	c.facts()
	c.d.Measures = measure(in)
	c.gaps()
	c.verdict()
	return c.d
}

// named is a recording under another name, since reasons say which of the two they are about.
func named(rec *recording.Recording, suffix string) *recording.Recording {
	out := *rec
	out.Header.Target.Name += suffix
	return &out
}

func side(rec *recording.Recording) Side {
	h := rec.Header
	return Side{Name: name(rec), Title: h.Target.Title, Kind: h.Target.Kind, Model: h.Target.Model, Versions: h.Target.Versions,
		Recorded: h.Started, Revision: h.Revision, Machine: h.Machine, Recording: rec.Path}
}

type comparer struct {
	in    Input
	judge *judge.Judge
	d     *Diff
	cells []verdict.Cell // of the new server in the place of the old one
	open  []open
}

// open is a check of which it is not known whether it changed.
type open struct {
	check  contract.Check
	side   string // whose recording must be made again
	reason string
}

// weight orders changes: what is worst comes first.
func weight(c Change) int {
	marks := []Mark{Regressed, Moved, Fixed}
	effects := []string{string(contract.IndexBreak), string(contract.ClientChange), string(contract.Unknown)}
	e := slices.Index(effects, c.Effect)
	if e < 0 {
		e = len(effects)
	}
	return slices.Index(marks, c.Mark)*10 + e
}

// check sorts a check into what was added, removed, changed, left alone, or is open.
func (c *comparer) check(check contract.Check) {
	before, after := c.judge.Recorded(c.in.Old, check), c.judge.Recorded(c.in.New, check)
	if before {
		c.d.Old.Checks++
	}
	if after {
		c.d.New.Checks++
	}
	switch {
	case before && after && check.Pair():
		c.pair(check)
	case before && after:
		c.target(check)
	case after:
		c.d.Added = append(c.d.Added, c.held(c.in.New, check))
	case before:
		c.d.Removed = append(c.d.Removed, c.held(c.in.Old, check))
	default:
		c.d.Neither = append(c.d.Neither, held(check, judge.Cell{Reason: "neither recording holds it"}))
	}
}

func held(check contract.Check, cell judge.Cell) Held {
	return Held{Check: check.ID, Variant: cell.Finding.Variant, Outcome: string(cell.Outcome), Extended: check.Extended,
		Provisional: check.Provisional, Reason: cell.Reason}
}

func (c *comparer) held(rec *recording.Recording, check contract.Check) Held {
	if check.Pair() {
		return held(check, judge.Cell{})
	}
	return held(check, c.judge.Target(rec, check))
}

func (c *comparer) target(check contract.Check) {
	from, to := c.judge.Target(c.in.Old, check), c.judge.Target(c.in.New, check)
	change := c.judge.Change(c.in.Old, c.in.New, check, from, to)
	if check.Lone {
		change = contract.Change{Effect: contract.NotCompared, Why: "it compares a server with what is declared of it"}
	}
	if from.Outcome == contract.NotApplicable && to.Outcome == contract.NotApplicable {
		c.cell(check, change, to)
		c.d.Neither = append(c.d.Neither, held(check, to))
		return
	}
	sides := []struct {
		cell judge.Cell
		name string
	}{{from, c.in.Old.Header.Target.Name}, {to, c.in.New.Header.Target.Name}}
	for _, s := range sides {
		if s.cell.Outcome == contract.Error || s.cell.Outcome == contract.NotApplicable {
			change.Effect = contract.Unknown
			c.cell(check, change, to)
			c.open = append(c.open, open{check, s.name, s.name + ": " + s.cell.Reason})
			return
		}
	}
	c.cell(check, change, to)
	same := from.Finding.Variant == to.Finding.Variant && from.Outcome == to.Outcome
	if same && (from.Finding.Variant != contract.Other || change.Effect == contract.Same) {
		c.d.Unchanged = append(c.d.Unchanged, held(check, to))
		return
	}
	c.change(check, markOf(from.Outcome, to.Outcome), from, to, change)
}

// pair decides a pair check by what the new server is to the old one. What each is to itself says whether that was so
// before: a text that neither serves is no change, and one that only the new one serves is none for the worse.
func (c *comparer) pair(check contract.Check) {
	across := c.judge.Pair(c.in.Old, c.in.New, check)
	c.cell(check, across.Change, across)
	switch across.Outcome {
	case contract.NotApplicable:
		if across.Change.Effect == contract.NotCompared {
			c.d.Neither = append(c.d.Neither, held(check, across))
			return
		}
		fallthrough
	case contract.Error:
		c.open = append(c.open, open{check, c.in.New.Header.Target.Name, across.Reason})
		return
	}
	was, is := c.judge.Pair(c.in.Old, c.in.Old, check), c.judge.Pair(c.in.New, c.in.New, check)
	alike := across.Outcome == was.Outcome && across.Outcome == is.Outcome &&
		across.Finding.Variant == was.Finding.Variant && across.Finding.Variant == is.Finding.Variant
	switch {
	case across.Change.Effect == contract.Same && across.Outcome != contract.Flaky, alike && across.Finding.Variant != contract.Other:
		c.d.Unchanged = append(c.d.Unchanged, held(check, across))
	case rank(is.Outcome) < rank(was.Outcome):
		c.change(check, Fixed, was, is, across.Change)
	case rank(across.Outcome) == rank(contract.Fail) && rank(was.Outcome) < rank(contract.Fail):
		c.change(check, Regressed, was, across, across.Change)
	default:
		c.change(check, Moved, was, across, across.Change)
	}
}

// cell keeps what decides on the index, and on what clients do.
func (c *comparer) cell(check contract.Check, change contract.Change, cell judge.Cell) {
	observed := cell.Finding.Observed
	if observed == "" {
		observed = cell.Reason
	}
	c.cells = append(c.cells, verdict.Cell{Check: check.ID, Effect: change.Effect, Why: change.Why, Silent: change.Silent, Variant: cell.Finding.Variant,
		Observed: observed, Numbers: cell.Finding.Numbers, Outcome: cell.Outcome, Provisional: check.Provisional})
}

func (c *comparer) change(check contract.Check, mark Mark, from, to judge.Cell, change contract.Change) {
	c.d.Changes = append(c.d.Changes, Change{
		Check: check.ID, Promise: check.Promise, Level: string(check.Level), Extended: check.Extended, Pair: check.Pair(), Provisional: check.Provisional,
		Mark: mark, From: state(check, from), To: state(check, to), Effect: string(change.Effect), Silent: change.Silent, Why: change.Why,
	})
}

func state(check contract.Check, cell judge.Cell) State {
	s := State{Variant: cell.Variant(), Outcome: string(cell.Outcome), Observed: cell.Finding.Observed}
	if cell.Outcome == contract.Flaky {
		s.Variant, s.Observed = string(contract.Flaky), cell.Reason
		s.Meaning, s.Breaks = "repeats are answered in different ways", "whoever relies on either way"
		return s
	}
	v := check.Variant(cell.Finding.Variant)
	s.Meaning, s.Breaks, s.Remedy = v.Meaning, v.Breaks, v.Remedy
	return s
}

// rank orders outcomes from good to bad. One that changes between repeats is as bad as a failure, of which it may be one.
func rank(o contract.Outcome) int {
	order := []contract.Outcome{contract.Pass, contract.Differs, contract.Unsupported, contract.Fail}
	if i := slices.Index(order, o); i >= 0 {
		return i
	}
	return len(order) - 1
}

func markOf(from, to contract.Outcome) Mark {
	switch a, b := rank(from), rank(to); {
	case b < a:
		return Fixed
	case b > a:
		return Regressed
	}
	return Moved
}
