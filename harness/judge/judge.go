// Package judge turns recordings into cells. It is a pure function of its arguments: no network, no clock, no
// test framework. A cell judged while the target runs equals the cell judged from its files later, because both
// are made of the same Recording.
package judge

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"weak"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// Cell is the answer of one target to one check, or of one pair to one pair check.
type Cell struct {
	Check   string
	Finding contract.Finding // zero when there is no verdict
	Outcome contract.Outcome
	Reason  string          // why there is no verdict, or how a flaky one changed
	Flaps   []string        // variants that the rounds of a flaky one showed, sorted
	Change  contract.Change // of a pair
	Logs    []recording.LogLine
}

// Variant returns the variant that was seen, or the outcome in its place when there is none.
func (c Cell) Variant() string {
	if c.Finding.Variant == "" {
		return string(c.Outcome)
	}
	return c.Finding.Variant
}

// Judge judges the recordings of one suite. It is safe for concurrent use, and keeps no recording in memory.
type Judge struct {
	suite contract.Suite

	mu    sync.Mutex
	facts map[weak.Pointer[recording.Recording]]contract.Facts
}

// New makes a judge.
func New(s contract.Suite) *Judge {
	return &Judge{suite: s, facts: map[weak.Pointer[recording.Recording]]contract.Facts{}}
}

// Facts derives the facts of a target from what was recorded of it.
func (j *Judge) Facts(rec *recording.Recording) contract.Facts {
	j.mu.Lock()
	defer j.mu.Unlock()
	key := weak.Make(rec)
	if f, ok := j.facts[key]; ok {
		return f
	}
	declared := rec.Header.Target.Declared
	declared.Model = rec.Header.Target.Model
	ev := contract.Evidence{Target: rec.Header.Target.Name}
	trails := rec.Trails(contract.FactsID)
	if len(trails) > 0 {
		ev.Steps = trails[0].Steps
	}
	f := j.suite.Facts.Derive(declared, ev)
	if len(trails) > 0 && trails[0].Ended {
		j.facts[key] = f // before that, more steps may come
		runtime.AddCleanup(rec, j.forget, key)
	}
	return f
}

// forget drops what was derived from a recording that nobody holds any more.
func (j *Judge) forget(key weak.Pointer[recording.Recording]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.facts, key)
}

// Target judges a target check. Every round is judged; rounds that disagree make the cell flaky.
func (j *Judge) Target(rec *recording.Recording, c contract.Check) Cell {
	if cell, ok := j.noVerdict(rec, c); ok {
		return cell
	}
	rounds := asked(j.trails(rec, c))
	var cell Cell
	var shown flaps
	for round := range rounds {
		ev := j.evidence(rec, c, round)
		next := decide(c, rounds[round], func() contract.Finding { return c.Classify(ev) })
		if why := j.incomplete(rec, c, round); why != "" && next.Outcome != contract.Fail {
			if round > 0 {
				break // what was asked before the server died stands
			}
			next = Cell{Check: c.ID, Outcome: contract.Error, Reason: why}
		}
		shown.add(c, round, next)
		if round == 0 {
			cell = next
		}
	}
	if shown.differ() {
		return shown.cell
	}
	return cell
}

// Pair judges a pair check from the evidence of the reference and the candidate.
func (j *Judge) Pair(reference, candidate *recording.Recording, c contract.Check) Cell {
	r, noR := j.noVerdict(reference, c)
	k, noK := j.noVerdict(candidate, c)
	if noR && noK && r.Outcome == contract.NotApplicable && k.Outcome == contract.NotApplicable {
		r.Change = contract.Change{Effect: contract.NotCompared, Why: r.Reason}
		return r
	}
	for i, rec := range []*recording.Recording{reference, candidate} {
		if cell := []Cell{r, k}[i]; []bool{noR, noK}[i] {
			cell.Reason = rec.Header.Target.Name + ": " + cell.Reason
			cell.Change.Effect = contract.Unknown
			return cell
		}
	}
	if reference.Plan.Corpus == "" || reference.Plan.Key(c.Plans) != candidate.Plan.Key(c.Plans) {
		return Cell{Check: c.ID, Outcome: contract.Error, Change: contract.Change{Effect: contract.Unknown}, Reason: fmt.Sprintf(
			"the recordings were made by different plans (%s, %s): record %s again with --reference %s",
			reference.Plan.Key(c.Plans), candidate.Plan.Key(c.Plans), candidate.Header.Target.Name, reference.Header.Target.Name)}
	}
	rounds := max(len(asked(j.trails(reference, c))), len(asked(j.trails(candidate, c))))
	var cell Cell
	var shown flaps
	for round := range rounds {
		cell = j.pairRound(reference, candidate, c, round)
		shown.add(c, round, cell)
	}
	if shown.differ() {
		shown.cell.Change = contract.Change{Effect: shown.effect, Why: shown.cell.Reason}
		return shown.cell
	}
	v := c.Variant(cell.Finding.Variant)
	cell.Change = contract.Change{Effect: v.Effect, Silent: v.Silent, Why: v.Meaning}
	if cell.Outcome == contract.Error {
		cell.Change = contract.Change{Effect: contract.Unknown}
	}
	return cell
}

func (j *Judge) pairRound(reference, candidate *recording.Recording, c contract.Check, round int) Cell {
	theirs, ours := asked(j.trails(reference, c)), asked(j.trails(candidate, c))
	before := theirs[min(round, len(theirs)-1)]
	return decide(c, ours[min(round, len(ours)-1)], func() contract.Finding {
		if f, broken := unanswered(c, before); broken {
			f.Observed = reference.Header.Target.Name + ": " + f.Observed
			return f
		}
		return c.Compare(j.evidence(reference, c, round), j.evidence(candidate, c, round))
	})
}

// worse returns the more harmful of two effects; what is not decided is worse than what is harmless.
func worse(a, b contract.Effect) contract.Effect {
	order := []contract.Effect{contract.Same, contract.Compatible, contract.Unknown, contract.ClientChange, contract.IndexBreak}
	return order[max(slices.Index(order, a), slices.Index(order, b), 2)]
}

// flaps gathers what the rounds of a check showed.
type flaps struct {
	first  Cell
	cell   Cell            // flaky; of the first round that differs from the one before all others
	effect contract.Effect // the worst of all rounds, of a pair
}

func (f *flaps) add(c contract.Check, round int, next Cell) {
	effect := c.Variant(next.Finding.Variant).Effect
	if round == 0 {
		f.first, f.effect = next, effect
		return
	}
	f.effect = worse(f.effect, effect)
	if !f.differ() && next.Variant() != f.first.Variant() {
		f.cell = Cell{Check: c.ID, Outcome: contract.Flaky, Finding: next.Finding, Flaps: []string{f.first.Variant()},
			Reason: fmt.Sprintf("round %d was %s, round %d %s", round, f.first.Variant(), round+1, next.Variant())}
	}
	if f.differ() && !slices.Contains(f.cell.Flaps, next.Variant()) {
		f.cell.Flaps = append(f.cell.Flaps, next.Variant())
		slices.Sort(f.cell.Flaps)
	}
}

func (f *flaps) differ() bool { return f.cell.Flaps != nil }

// Effect says what the change from one target's cell to another's means for clients.
func (j *Judge) Effect(c contract.Check, reference, candidate Cell) contract.Change {
	for _, cell := range []Cell{reference, candidate} {
		switch cell.Outcome {
		case contract.NotApplicable:
			if reference.Outcome == candidate.Outcome {
				return contract.Change{Effect: contract.NotCompared, Why: reference.Reason}
			}
			if change, known := c.EffectUnasked(reference.Variant(), candidate.Variant()); known && reference.Outcome != contract.Flaky && candidate.Outcome != contract.Flaky {
				return change
			}
			return contract.Change{Effect: contract.Unknown, Why: cell.Reason}
		case contract.Error, contract.Flaky, contract.Skipped:
			return contract.Change{Effect: contract.Unknown, Why: cell.Reason}
		}
	}
	if r, k := reference.Finding, candidate.Finding; r.Variant == contract.Other && k.Variant == contract.Other && r.Observed == k.Observed {
		return contract.Change{Effect: contract.Same, Why: "the same answer, outside the known list"}
	}
	return c.EffectOf(reference.Finding.Variant, candidate.Finding.Variant)
}

// decide runs a classifier on evidence that has answers, and keeps its finding within the closed list.
func decide(c contract.Check, t *recording.Trail, classify func() contract.Finding) (cell Cell) {
	cell = Cell{Check: c.ID, Logs: t.Logs}
	defer func() {
		if p := recover(); p != nil {
			cell.Outcome, cell.Finding = contract.Error, contract.Finding{}
			cell.Reason = fmt.Sprintf("fault of the suite: the classifier of %s panicked: %v%s", c.ID, p, panicked())
		}
	}()
	f, broken := unanswered(c, t)
	if !broken {
		f = classify()
	}
	v := c.Variant(f.Variant)
	if v.Name == contract.Other && f.Variant != contract.Other {
		f.Observed = fmt.Sprintf("%s (%s)", f.Variant, f.Observed)
	}
	f.Variant, f.Observed = v.Name, bounded(f.Observed)
	cell.Finding, cell.Outcome = f, v.Outcome
	return cell
}

// maxText is how much is kept of what was seen, in characters. Some of it repeats what a server sent, which may be as
// long as that likes; no observation of an honest one is longer.
const maxText = 4000

func bounded(text string) string {
	if len(text) <= maxText {
		return text
	}
	return contract.Shorten(text, maxText)
}

// panicked says where a panic came from, as far as the judge. A whole stack has addresses and goroutines in it,
// which differ from one judgement of the same recording to the next.
func panicked() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	var b strings.Builder
	inside := false // below the function that panicked
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, "judge.decide") || !more {
			return b.String()
		}
		if inside && !strings.HasPrefix(f.Function, "runtime.") {
			fmt.Fprintf(&b, "\nat %s (%s:%d)", path.Base(f.Function), path.Base(f.File), f.Line)
		}
		inside = inside || f.Function == "runtime.gopanic"
	}
}

// unanswered finds the variants that every check has: a request without an answer, a server that dies of it.
func unanswered(c contract.Check, t *recording.Trail) (contract.Finding, bool) {
	for _, s := range t.Steps {
		if s.Name == contract.StillAlive && !s.OK() && !s.Limited() {
			return contract.Found(contract.Dies, "a plain request afterwards: %s", s.Describe()).From(s.Name), true
		}
	}
	for _, s := range t.Steps {
		if s.Fault != "" && s.Fault != contract.FaultLeft && !c.ReadsFaults {
			return contract.Found(contract.NoAnswer, "%s: %s", s.Name, s.Describe()).From(s.Name), true
		}
	}
	return contract.Finding{}, false
}
