package report

import (
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

func (b *builder) verdict() {
	v := Verdict{Expected: true, Outcomes: map[string]int{}}
	judged := false
	count := func(j Judgement) {
		if j.Outcome != "" { // the mere effect of a swap is no outcome of its own
			v.Outcomes[j.Outcome]++
			judged = judged || (j.Outcome != string(contract.Skipped) && j.Outcome != string(contract.NotApplicable))
		}
		switch {
		case j.Outcome == string(contract.Error), j.Outcome == "" && j.Expected.Status == string(expect.NoVerdict):
			if v.Exit == 0 {
				v.Exit = 3
			}
		case !j.Expected.OK:
			v.Exit = 1
		}
		v.Expected = v.Expected && j.Expected.OK
	}
	for _, c := range b.r.Cells {
		count(c.Judgement)
	}
	for _, p := range b.r.Pairs {
		var cells []verdict.Cell
		for _, c := range p.Cells {
			count(c.Judgement)
			observed := c.Observed
			if observed == "" {
				observed = c.Reason
			}
			cells = append(cells, verdict.Cell{Check: c.Check, Effect: contract.Effect(c.Effect), Silent: c.Silent, Variant: c.Variant, Observed: observed})
		}
		v.Words = append(v.Words, verdict.Swap(b.describe(p.Reference), b.describe(p.Candidate), cells, b.scope()))
	}
	if len(b.r.Pairs) == 0 {
		for _, t := range b.r.Targets {
			if t.Problem != "" {
				v.Words = append(v.Words, b.describe(t.Name)+": no answers. "+t.Problem)
				continue
			}
			v.Words = append(v.Words, verdict.Conformance(b.describe(t.Name), b.outcomes(t.Name)))
		}
	}
	if !judged {
		v.Exit, v.Expected = 5, false
	}
	b.r.Verdict = v
}

// scope counts the core checks that were selected among those that a pair can be asked.
func (b *builder) scope() verdict.Scope {
	var s verdict.Scope
	for _, c := range b.in.Suite.Checks() {
		if c.Lone || c.Extended {
			continue
		}
		s.Of++
		if b.selected(c) {
			s.Asked++
		}
	}
	return s
}

func (b *builder) describe(name string) string {
	for _, t := range b.r.Targets {
		if t.Name == name && t.Label != "" {
			return name + " (" + t.Kind + ")"
		}
	}
	return name
}

func (b *builder) outcomes(target string) map[contract.Outcome]int {
	out := map[contract.Outcome]int{}
	for _, c := range b.r.Cells {
		if c.Target == target {
			out[contract.Outcome(c.Outcome)]++
		}
	}
	return out
}
