package upgrade_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/upgrade"
)

// says is a check whose variant is what the body of its step says.
func says(id string) contract.Check {
	return contract.Check{
		ID: id, Promise: "it is good", Level: contract.Must,
		Probe: func(context.Context, contract.Prober) error { return nil },
		Variants: []contract.Variant{
			{Name: "good", Outcome: contract.Pass, Meaning: "it is good"}, {Name: "fine", Outcome: contract.Pass, Meaning: "it is fine"},
			{Name: "odd", Outcome: contract.Differs, Meaning: "it is odd"}, {Name: "none", Outcome: contract.Unsupported, Refuses: true, Meaning: "it is not there"},
			{Name: "bad", Outcome: contract.Fail, Meaning: "it is bad", Breaks: "everybody", Remedy: "leave it out"},
			{Name: "down", Outcome: contract.Fail, Refuses: true, Meaning: "it is down", Breaks: "everybody"},
		},
		Swap: []contract.SwapRule{
			{From: "good", To: "odd", Effect: contract.Compatible, Why: "nobody looks"},
			{From: "good", To: "bad", Effect: contract.ClientChange, Silent: true, Why: "it is bad, and says good"},
			{From: "fine", To: "bad", Effect: contract.IndexBreak, Silent: true, Why: "stored vectors mean nothing"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			return contract.Found(string(e.Step("s").Body), "seen %s", e.Step("s").Body)
		},
	}
}

// agrees is a pair check: the two bodies are equal, or one server does not serve.
func agrees(id string) contract.Check {
	c := says(id)
	c.Classify, c.Swap = nil, nil
	c.Variants = []contract.Variant{
		{Name: "equal", Outcome: contract.Pass, Effect: contract.Same, Meaning: "equal"},
		{Name: "near", Outcome: contract.Differs, Effect: contract.Unknown, Meaning: "near"},
		{Name: "apart", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "apart", Breaks: "the index"},
		{Name: "not-served", Outcome: contract.Fail, Effect: contract.Unknown, Meaning: "one is down", Breaks: "everybody"},
	}
	c.Compare = func(r, k contract.Evidence) contract.Finding {
		a, b := string(r.Step("s").Body), string(k.Step("s").Body)
		switch {
		case a == "down" || b == "down":
			return contract.Found("not-served", "%s and %s", a, b)
		case a == b:
			return contract.Found("equal", "%s and %s", a, b)
		case b == "near":
			return contract.Found("near", "%s and %s", a, b)
		}
		return contract.Found("apart", "%s and %s", a, b)
	}
	return c
}

func suite(checks ...contract.Check) contract.Suite {
	return contract.Suite{
		Revision:   "r",
		Facts:      contract.FactFinder{Derive: func(d contract.Facts, _ contract.Evidence) contract.Facts { return d }},
		Behaviours: []contract.Behaviour{{Stem: "c", Checks: checks}},
	}
}

// tape is a recording that is written by hand.
type tape struct {
	t    *testing.T
	w    *recording.Writer
	plan contract.Plan
}

func newTape(t *testing.T, name string, change ...func(*recording.Header)) tape {
	t.Helper()
	h := recording.Header{Started: day(), Revision: "r", Target: recording.Target{Name: name, Kind: "real", Model: "m",
		Declared: contract.Facts{Dimensions: 2, MaxTokens: 100, Usage: contract.UsageTokens}}}
	for _, c := range change {
		c(&h)
	}
	w, err := recording.InMemory(h, "")
	if err != nil {
		t.Fatal(err)
	}
	return tape{t, w, contract.NewPlan(name, contract.Facts{}, contract.Corpus{Name: "texts"})}
}

func day() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

func (p tape) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// answer records a check with one step.
func (p tape) answer(check, body string) tape { return p.round(check, 0, body) }

func (p tape) round(check string, round int, body string) tape {
	p.t.Helper()
	_, err := p.w.Exchange(contract.Step{Check: check, Name: "s", Round: round, Status: 200, Body: []byte(body), Request: contract.Request{Method: "POST", Path: "/other"}})
	p.must(err)
	p.must(p.w.End(check, round, "", ""))
	return p
}

// embed records an embedding as a step of the check c/embed.
func (p tape) embed(step string, body map[string]any, tokens int, vectors ...[]float32) tape {
	p.t.Helper()
	type item struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var data []item
	for i, v := range vectors {
		data = append(data, item{i, v})
	}
	request, err := json.Marshal(body)
	p.must(err)
	answer, err := json.Marshal(map[string]any{"data": data, "usage": map[string]int{"prompt_tokens": tokens}})
	p.must(err)
	_, err = p.w.Exchange(contract.Step{Check: "c/embed", Name: step, Status: 200, Body: answer,
		Request: contract.Request{Method: "POST", Path: "/v1/embeddings", Body: request}})
	p.must(err)
	return p
}

func (p tape) end() *recording.Recording {
	p.t.Helper()
	p.must(p.w.Plan(p.plan))
	p.must(p.w.Close())
	return p.w.Recording()
}

func compare(s contract.Suite, older, newer *recording.Recording) *upgrade.Diff {
	return upgrade.Compare(upgrade.Input{Suite: s, Today: day(), Old: older, New: newer})
}

// short is a change in a line.
func short(c upgrade.Change) string {
	silent := ""
	if c.Silent {
		silent = " silent"
	}
	return fmt.Sprintf("%s %s %s→%s %s%s", c.Mark, c.Check, c.From.Variant, c.To.Variant, c.Effect, silent)
}
