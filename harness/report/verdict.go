package report

import (
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

func (b *builder) verdict() {
	v := Verdict{Expected: true, Outcomes: map[string]int{}}
	judged := false
	count := func(check string, j Judgement) {
		if j.Outcome != "" { // the mere effect of a swap is no outcome of its own
			judged = judged || (j.Outcome != string(contract.Skipped) && j.Outcome != string(contract.NotApplicable))
			if b.provisional(check) {
				v.Provisional = counted(v.Provisional, j.Outcome)
			} else {
				v.Outcomes[j.Outcome]++
			}
		}
		switch {
		case b.provisional(check):
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
		count(c.Check, c.Judgement)
	}
	for _, p := range b.r.Pairs {
		for _, c := range p.Cells {
			count(c.Check, c.Judgement)
		}
		v.Words = append(v.Words, p.Decision.Words)
	}
	for _, t := range b.r.Targets {
		if t.Problem != "" && v.Exit == 0 { // though all that was asked of it may be provisional
			v.Exit, v.Expected = 3, false
		}
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

// scope counts the core checks of the revision that were selected among those that a pair can be asked.
func (b *builder) scope() verdict.Scope {
	var s verdict.Scope
	for _, c := range b.in.Suite.Checks() {
		if c.Lone || c.Extended || c.Provisional {
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
		if c.Target == target && !b.provisional(c.Check) {
			out[contract.Outcome(c.Outcome)]++
		}
	}
	return out
}

// provisional says that a check decides nothing.
func (b *builder) provisional(check string) bool {
	c, _ := b.in.Suite.Check(check)
	return c.Provisional
}

// counted adds one to a count that is absent while it counts nothing.
func counted(m map[string]int, key string) map[string]int {
	if m == nil {
		m = map[string]int{}
	}
	m[key]++
	return m
}
