package contract_test

import (
	"context"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

func ask(context.Context, contract.Prober) error { return nil }

// targetCheck is a sound check that a case can spoil.
func targetCheck(id string) contract.Check {
	return contract.Check{
		ID: id, Promise: "p", Level: contract.Must, Sources: []string{"s"}, Probe: ask,
		Variants: []contract.Variant{
			{Name: "good", Outcome: contract.Pass, Meaning: "m"},
			{Name: "odd", Outcome: contract.Differs, Meaning: "it is odd"},
			{Name: "bad", Outcome: contract.Fail, Meaning: "it is bad", Breaks: "b"},
		},
		Classify: func(contract.Evidence) contract.Finding { return contract.Finding{} },
	}
}

func pairCheck(id string) contract.Check {
	c := targetCheck(id)
	c.Classify = nil
	c.Compare = func(_, _ contract.Evidence) contract.Finding { return contract.Finding{} }
	for i := range c.Variants {
		c.Variants[i].Effect = contract.Same
	}
	return c
}

func suiteOf(checks ...contract.Check) contract.Suite {
	return contract.Suite{Behaviours: []contract.Behaviour{{Stem: "b", Checks: checks}}}
}

func TestValidateAcceptsSoundSuites(t *testing.T) {
	derived := targetCheck("b/derived")
	derived.Probe, derived.Reads = nil, []string{"b/target"}
	diamond := targetCheck("b/diamond")
	diamond.Reads = []string{"b/derived", "b/target"}
	swaps := targetCheck("b/swaps")
	swaps.Swap = []contract.SwapRule{{From: "*", To: contract.Dies, Effect: contract.ClientChange, Why: "w"}, {From: "good", To: "bad", Why: "w", Effect: contract.IndexBreak}}
	s := suiteOf(targetCheck("b/target"), pairCheck("b/pair"), derived, diamond, swaps)
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
}

func TestValidateRejects(t *testing.T) {
	spoilt := func(spoil func(*contract.Check)) contract.Suite {
		c := targetCheck("b/one")
		spoil(&c)
		return suiteOf(c)
	}
	reading := func(id string, reads ...string) contract.Check {
		c := targetCheck(id)
		c.Reads = reads
		return c
	}
	for _, c := range []struct {
		name  string
		suite contract.Suite
		want  string
	}{
		{"another behaviour's id", suiteOf(targetCheck("a/one")), `must begin with "b/"`},
		{"an id without a question", suiteOf(targetCheck("b/")), `must begin with "b/"`},
		{"an id that only begins alike", suiteOf(targetCheck("bb/one")), `must begin with "b/"`},
		{"a double id", suiteOf(targetCheck("b/one"), targetCheck("b/one")), "listed twice"},
		{"a double id in two behaviours of one stem", contract.Suite{Behaviours: []contract.Behaviour{
			{Stem: "b", Checks: []contract.Check{targetCheck("b/one")}}, {Stem: "b", Checks: []contract.Check{targetCheck("b/one")}}}}, "listed twice"},
		{"neither probe nor reads", spoilt(func(c *contract.Check) { c.Probe = nil }), "needs Probe or Reads"},
		{"no classifier", spoilt(func(c *contract.Check) { c.Classify = nil }), "either Classify or Compare"},
		{"two classifiers", spoilt(func(c *contract.Check) { c.Compare = pairCheck("b/x").Compare }), "either Classify or Compare"},
		{"no promise", spoilt(func(c *contract.Check) { c.Promise = "" }), "lacks its promise"},
		{"no level", spoilt(func(c *contract.Check) { c.Level = "" }), "lacks its promise"},
		{"no source", spoilt(func(c *contract.Check) { c.Sources = nil }), "lacks its promise"},
		{"one variant", spoilt(func(c *contract.Check) { c.Variants = c.Variants[:1] }), "lacks its promise"},
		{"a double variant", spoilt(func(c *contract.Check) { c.Variants[1].Name = "good" }), `"good" twice`},
		{"reserved other", spoilt(func(c *contract.Check) { c.Variants[1].Name = contract.Other }), "reserved"},
		{"reserved no-answer", spoilt(func(c *contract.Check) { c.Variants[1].Name = contract.NoAnswer }), "reserved"},
		{"reserved dies", spoilt(func(c *contract.Check) { c.Variants[1].Name = contract.Dies }), "reserved"},
		{"a variant without outcome", spoilt(func(c *contract.Check) { c.Variants[0].Outcome = "" }), "needs an outcome"},
		{"a variant without meaning", spoilt(func(c *contract.Check) { c.Variants[0].Meaning = "" }), "a meaning"},
		{"an effect on a target check", spoilt(func(c *contract.Check) { c.Variants[0].Effect = contract.Same }), "just if it is of a pair check"},
		{"no effect on a pair check", func() contract.Suite {
			c := pairCheck("b/one")
			c.Variants[0].Effect = ""
			return suiteOf(c)
		}(), "just if it is of a pair check"},
		{"a failure that breaks nobody", spoilt(func(c *contract.Check) { c.Variants[2].Breaks = "" }), "does not say who breaks"},
		{"a swap from an unknown variant", spoilt(func(c *contract.Check) {
			c.Swap = []contract.SwapRule{{From: "nought", To: "good", Why: "w"}}
		}), "nought -> good"},
		{"a swap to an unknown variant", spoilt(func(c *contract.Check) {
			c.Swap = []contract.SwapRule{{From: "good", To: "nought", Why: "w"}}
		}), "good -> nought"},
		{"a swap without a reason", spoilt(func(c *contract.Check) {
			c.Swap = []contract.SwapRule{{From: "good", To: "bad", Effect: contract.Same}}
		}), "or a reason"},
		{"a swap without an effect", spoilt(func(c *contract.Check) {
			c.Swap = []contract.SwapRule{{From: "good", To: "bad", Why: "w"}}
		}), "without an effect"},
		{"an unknown read", suiteOf(reading("b/one", "b/nought")), "b/nought, which does not exist"},
		{"a check that reads itself", suiteOf(reading("b/one", "b/one")), "b/one"},
		{"two that read each other", suiteOf(reading("b/one", "b/two"), reading("b/two", "b/one")), "b/two"},
		// The judge follows Reads to their end, so a circle of any length would never let it return.
		{"three in a circle", suiteOf(reading("b/one", "b/two"), reading("b/two", "b/three"), reading("b/three", "b/one")), "b/three"},
		{"a circle beside the way", suiteOf(targetCheck("b/leaf"), reading("b/in", "b/leaf", "b/one"), reading("b/one", "b/leaf", "b/two"),
			reading("b/two", "b/three"), reading("b/three", "b/two")), "b/three"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.suite.Validate()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

func TestCheckFindsByID(t *testing.T) {
	s := suiteOf(targetCheck("b/one"), targetCheck("b/two"))
	if c, ok := s.Check("b/two"); !ok || c.ID != "b/two" {
		t.Errorf("b/two: %v, %v", c.ID, ok)
	}
	if _, ok := s.Check("b/three"); ok {
		t.Error("b/three was found")
	}
}

func TestImplicitVariants(t *testing.T) {
	for _, c := range []struct {
		asked, name string
		effect      contract.Effect
		check       contract.Check
	}{
		{"good", "good", "", targetCheck("b/t")},
		{"nonsense", contract.Other, "", targetCheck("b/t")},
		{"", contract.Other, "", targetCheck("b/t")},
		{contract.Other, contract.Other, "", targetCheck("b/t")},
		{contract.NoAnswer, contract.NoAnswer, "", targetCheck("b/t")},
		{contract.Dies, contract.Dies, "", targetCheck("b/t")},
		{"good", "good", contract.Same, pairCheck("b/p")},
		{"nonsense", contract.Other, contract.Unknown, pairCheck("b/p")},
		{contract.NoAnswer, contract.NoAnswer, contract.Unknown, pairCheck("b/p")},
	} {
		v := c.check.Variant(c.asked)
		if v.Name != c.name || v.Effect != c.effect || v.Meaning == "" {
			t.Errorf("%s %q: %+v", c.check.ID, c.asked, v)
		}
		if v.Name != "good" && (v.Outcome != contract.Fail || v.Breaks == "") {
			t.Errorf("%s %q does not fail, or breaks nobody: %+v", c.check.ID, c.asked, v)
		}
	}
}

func TestEffectOf(t *testing.T) {
	ruled := targetCheck("b/ruled")
	ruled.Swap = []contract.SwapRule{
		{From: "good", To: "bad", Effect: contract.IndexBreak, Silent: true, Why: "exact"},
		{From: "*", To: "bad", Effect: contract.Compatible, Why: "from any"},
		{From: "odd", To: "*", Effect: contract.Unknown, Why: "to any"},
		{From: "odd", To: "good", Effect: contract.IndexBreak, Why: "too late"},
	}
	plain, refusing := targetCheck("b/plain"), targetCheck("b/refusing")
	for i := range refusing.Variants {
		refusing.Variants[i].Refuses = refusing.Variants[i].Name == "bad"
	}
	for _, c := range []struct {
		check    contract.Check
		from, to string
		want     contract.Change
	}{
		{plain, "bad", "bad", contract.Change{Effect: contract.Same}},
		// Clients may rely on what they are served, right or wrong, but not on being refused.
		{plain, "bad", "good", contract.Change{Effect: contract.ClientChange, Why: plain.Variant("good").Meaning}},
		{refusing, "bad", "good", contract.Change{Effect: contract.Compatible, Why: "what failed before is served now"}},
		{refusing, "bad", "odd", contract.Change{Effect: contract.ClientChange, Why: "it is odd"}},
		{refusing, "good", "bad", contract.Change{Effect: contract.ClientChange, Why: "it is bad"}},
		{plain, contract.Dies, "good", contract.Change{Effect: contract.Compatible, Why: "what failed before is served now"}},
		{plain, "good", "odd", contract.Change{Effect: contract.ClientChange, Why: "it is odd"}},
		{plain, "good", "bad", contract.Change{Effect: contract.ClientChange, Why: "it is bad"}},
		{plain, contract.Dies, contract.Dies, contract.Change{Effect: contract.Same}},
		{plain, contract.NoAnswer, "good", contract.Change{Effect: contract.Compatible, Why: "what failed before is served now"}},
		{plain, "good", contract.NoAnswer, contract.Change{Effect: contract.ClientChange, Why: plain.Variant(contract.NoAnswer).Meaning}},
		// Two answers outside the list need not be the same answer.
		{plain, contract.Other, contract.Other, contract.Change{Effect: contract.Unknown, Why: "an answer outside the known list"}},
		{plain, contract.Other, "good", contract.Change{Effect: contract.Unknown, Why: "an answer outside the known list"}},
		{plain, "good", contract.Other, contract.Change{Effect: contract.Unknown, Why: "an answer outside the known list"}},
		{ruled, "good", "bad", contract.Change{Effect: contract.IndexBreak, Silent: true, Why: "exact"}},
		{ruled, contract.NoAnswer, "bad", contract.Change{Effect: contract.ClientChange, Why: "it is bad"}}, // "*" serves
		{ruled, "odd", "good", contract.Change{Effect: contract.Unknown, Why: "to any"}},
		{ruled, "odd", "bad", contract.Change{Effect: contract.Compatible, Why: "from any"}}, // the first rule that fits
		{ruled, "bad", "bad", contract.Change{Effect: contract.Same}},                        // no rule is asked about no change
		{ruled, contract.Other, "bad", contract.Change{Effect: contract.Compatible, Why: "from any"}},
	} {
		if got := c.check.EffectOf(c.from, c.to); got != c.want {
			t.Errorf("%s: %s -> %s is %+v, want %+v", c.check.ID, c.from, c.to, got, c.want)
		}
	}
}
