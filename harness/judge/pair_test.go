package judge_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

func TestPair(t *testing.T) {
	const c = "c/pair"
	plan := contract.NewPlan("r", contract.Facts{Dimensions: 3}, contract.Corpus{Name: "x"})
	other := contract.NewPlan("r", contract.Facts{Dimensions: 3, MaxTokens: 9}, contract.Corpus{Name: "x"})
	prefixed := contract.NewPlan("r", contract.Facts{Dimensions: 3, QueryPrefix: "q: "}, contract.Corpus{Name: "x"})
	unnamed := contract.NewPlan("another name", contract.Facts{Dimensions: 3, Model: "n"}, contract.Corpus{Name: "x"})
	no := func(p tape) tape { return p }
	saw := func(v string) func(tape) tape { return func(p tape) tape { return p.plan(plan).saw(c, 0, v) } }
	na := func(p tape) tape { return p.plan(plan).end(c, 0, "no key", "") }
	fault := func(p tape) tape {
		return p.plan(plan).step(contract.Step{Check: c, Name: "s", Fault: contract.FaultClosed}).end(c, 0, "", "")
	}
	for _, x := range []struct {
		name        string
		ref, cand   func(tape) tape
		outcome     contract.Outcome
		variant     string
		effect      contract.Effect
		silent      bool
		text        string // in the reason or what was observed
		wantNoProof bool
	}{
		{"alike", saw("odd"), saw("odd"), contract.Pass, "good", contract.Same, false, "ref and cand", false},
		{"silent", saw("good"), saw("bad"), contract.Fail, "bad", contract.IndexBreak, true, "ref and cand", false},
		{"differs", saw("good"), saw("odd"), contract.Differs, "odd", contract.IndexBreak, false, "", false},
		{"a plan of another name", saw("odd"), func(p tape) tape { return p.plan(unnamed).saw(c, 0, "odd") }, contract.Pass, "good", contract.Same, false, "", false},
		{"a plan that differs in what is not asked by", saw("odd"), func(p tape) tape { return p.plan(prefixed).saw(c, 0, "odd") }, contract.Pass, "good", contract.Same, false, "", false},
		{"another plan", saw("odd"), func(p tape) tape { return p.plan(other).saw(c, 0, "odd") }, contract.Error, "error", contract.Unknown, false, "record cand again with --reference ref", false},
		{"other", saw("good"), saw("strange"), contract.Fail, contract.Other, contract.Unknown, false, "strange", false},
		{"worse in a later round", saw("good"), func(p tape) tape { return p.plan(plan).saw(c, 0, "good").saw(c, 1, "good").saw(c, 2, "odd") },
			contract.Flaky, "odd", contract.IndexBreak, false, "round 2 was good, round 3 odd", false},
		{"worse in the first round", saw("good"), func(p tape) tape { return p.plan(plan).saw(c, 0, "odd").saw(c, 1, "good") },
			contract.Flaky, "good", contract.IndexBreak, false, "round 1 was odd, round 2 good", false},
		{"a panic", saw("good"), func(p tape) tape { return p.plan(plan).saw(c, 0, "panic") }, contract.Fail, contract.Other, contract.Unknown, false, "panic", false},
		{"the candidate is silent", saw("good"), fault, contract.Fail, contract.NoAnswer, contract.Unknown, false, "s: no answer", false},
		{"the reference is silent", fault, saw("good"), contract.Fail, contract.NoAnswer, contract.Unknown, false, "ref: s: no answer", false},
		{"the reference was not asked", no, saw("good"), contract.Error, "error", contract.Unknown, false, "ref: not in this recording", false},
		{"the candidate was not asked", saw("good"), no, contract.Error, "error", contract.Unknown, false, "cand: not in this recording", false},
		{"the candidate was cut off", saw("good"), func(p tape) tape { return p.plan(plan).step(contract.Step{Check: c, Name: "s"}) },
			contract.Error, "error", contract.Unknown, false, "cand: the recording stops", false},
		{"neither can be asked", na, na, contract.NotApplicable, "not-applicable", contract.NotCompared, false, "no key", false},
		{"the reference cannot be asked", na, saw("good"), contract.NotApplicable, "not-applicable", contract.Unknown, false, "ref: no key", false},
		{"the candidate cannot be asked", saw("good"), na,
			contract.NotApplicable, "not-applicable", contract.Unknown, false, "cand: no key", false},
	} {
		check := pair(c)
		check.Plans = []string{contract.PlanLimit}
		ref, cand := x.ref(newTape(t, "ref")), x.cand(newTape(t, "cand"))
		cell := judge.New(suite(check)).Pair(ref.rec(), cand.rec(), check)
		if cell.Check != c || cell.Outcome != x.outcome || cell.Variant() != x.variant || cell.Change.Effect != x.effect || cell.Change.Silent != x.silent ||
			!strings.Contains(cell.Reason+cell.Finding.Observed, x.text) {
			t.Errorf("%s: %+v", x.name, cell)
		}
	}
	panics := pair(c)
	panics.Compare = func(_, _ contract.Evidence) contract.Finding { panic("of the comparison") }
	cell := judge.New(suite(panics)).Pair(saw("good")(newTape(t, "ref")).rec(), saw("good")(newTape(t, "cand")).rec(), panics)
	if cell.Outcome != contract.Error || cell.Change != (contract.Change{Effect: contract.Unknown}) || !strings.Contains(cell.Reason, "of the comparison") {
		t.Errorf("%+v", cell)
	}
}

func TestEffect(t *testing.T) {
	check := status("c/one")
	check.Swap = []contract.SwapRule{{From: "good", To: "bad", Effect: contract.IndexBreak, Silent: true, Why: "w"},
		{From: contract.CannotAsk, To: "bad", Effect: contract.ClientChange, Why: "to send it"},
		{From: "odd", To: contract.CannotAsk, Effect: contract.Compatible, Why: "not to send it"},
		{From: "none", To: "*", Effect: contract.IndexBreak, Why: "of what is served"}}
	saw := func(v string) judge.Cell {
		return judge.Cell{Outcome: check.Variant(v).Outcome, Finding: contract.Finding{Variant: v}}
	}
	none := func(o contract.Outcome, reason string) judge.Cell { return judge.Cell{Outcome: o, Reason: reason} }
	flaky := judge.Cell{Outcome: contract.Flaky, Reason: "it changed", Finding: contract.Finding{Variant: "good"}}
	for _, x := range []struct {
		name      string
		ref, cand judge.Cell
		want      contract.Change
	}{
		{"alike", saw("odd"), saw("odd"), contract.Change{Effect: contract.Same}},
		{"by a rule", saw("good"), saw("bad"), contract.Change{Effect: contract.IndexBreak, Silent: true, Why: "w"}},
		{"by default", saw("good"), saw("odd"), contract.Change{Effect: contract.ClientChange, Why: "it is odd"}},
		{"neither can be asked", none(contract.NotApplicable, "no key"), none(contract.NotApplicable, "no key"), contract.Change{Effect: contract.NotCompared, Why: "no key"}},
		{"the reference cannot be asked", none(contract.NotApplicable, "no key"), saw("good"), contract.Change{Effect: contract.Unknown, Why: "no key"}},
		{"the candidate cannot be asked", saw("good"), none(contract.NotApplicable, "no key"), contract.Change{Effect: contract.Unknown, Why: "no key"}},
		{"the reference has an error", none(contract.Error, "gone"), saw("good"), contract.Change{Effect: contract.Unknown, Why: "gone"}},
		{"both have an error", none(contract.Error, "gone"), none(contract.Error, "gone too"), contract.Change{Effect: contract.Unknown, Why: "gone"}},
		{"an error and one that cannot be asked", none(contract.Error, "gone"), none(contract.NotApplicable, "no key"), contract.Change{Effect: contract.Unknown, Why: "gone"}},
		{"the reference cannot be asked, and a rule says what that means", none(contract.NotApplicable, "no key"), saw("bad"), contract.Change{Effect: contract.ClientChange, Why: "to send it"}},
		{"the candidate cannot be asked, and a rule says what that means", saw("odd"), none(contract.NotApplicable, "no key"), contract.Change{Effect: contract.Compatible, Why: "not to send it"}},
		{"a rule for whatever is served is none for what cannot be asked", saw("none"), none(contract.NotApplicable, "no key"), contract.Change{Effect: contract.Unknown, Why: "no key"}},
		{"the reference cannot be asked, and the candidate is flaky", none(contract.NotApplicable, "no key"),
			judge.Cell{Outcome: contract.Flaky, Reason: "it changed", Finding: contract.Finding{Variant: "bad"}}, contract.Change{Effect: contract.Unknown, Why: "no key"}},
		{"the candidate is flaky", saw("good"), flaky, contract.Change{Effect: contract.Unknown, Why: "it changed"}},
		{"the candidate was skipped", saw("good"), none(contract.Skipped, "deselected"), contract.Change{Effect: contract.Unknown, Why: "deselected"}},
	} {
		if got := judge.New(suite(check)).Effect(check, x.ref, x.cand); got != x.want {
			t.Errorf("%s: %+v, want %+v", x.name, got, x.want)
		}
	}
}
