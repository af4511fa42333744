package spec_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/spec"
)

// says is what gomega prints when the matcher does not hold; empty when it holds.
func says(actual any, m types.GomegaMatcher) string {
	var message string
	g := NewGomega(func(text string, _ ...int) { message = text })
	g.Expect(actual).To(m)
	return message
}

func denies(actual any, m types.GomegaMatcher) string {
	var message string
	NewGomega(func(text string, _ ...int) { message = text }).Expect(actual).NotTo(m)
	return message
}

func judged(variant string, outcome contract.Outcome, status expect.Status, known *expect.Known) spec.Judged {
	return spec.Judged{
		Check: contract.Check{ID: "c/one", Promise: "what was promised", Variants: []contract.Variant{
			{Name: "good", Outcome: contract.Pass, Meaning: "it is good"}, {Name: "odd", Outcome: contract.Differs, Meaning: "it is odd"},
			{Name: "bad", Outcome: contract.Fail, Meaning: "it is bad", Breaks: "somebody", Remedy: "the client's change"},
		}},
		Cell: judge.Cell{Check: "c/one", Outcome: outcome, Finding: contract.Finding{Variant: variant, Observed: "what was seen",
			Numbers: []contract.Number{{Name: "cosine", Value: 0.88}}}, Logs: []recording.LogLine{{Component: "worker", Text: "why it failed"}}},
		Match: expect.Match{Status: status, Known: known},
	}
}

func TestBeAsExpected(t *testing.T) {
	g := NewWithT(t)
	for _, status := range []expect.Status{expect.AsPromised, expect.AsListed, expect.NotAsked} {
		g.Expect(says(judged("good", contract.Pass, status, nil), spec.BeAsExpected())).To(BeEmpty(), string(status))
	}
	for _, c := range []struct {
		status expect.Status
		known  *expect.Known
		do     string
	}{
		{expect.Unexpected, nil, "list the deviation in the target's expectations file"},
		{expect.Changed, &expect.Known{Variant: "worse", Why: "of the known reason"}, "correct the entry"},
		{expect.Stale, &expect.Known{Variant: "worse", Why: "of the known reason"}, "remove the entry"},
		{expect.Expired, &expect.Known{Variant: "bad", Why: "of the known reason", Review: "2027-01-31"}, "since its review day, 2027-01-31"},
		{expect.NoVerdict, nil, ""},
	} {
		got := says(judged("bad", contract.Fail, c.status, c.known), spec.BeAsExpected())
		for _, want := range []string{"c/one is bad (" + string(c.status) + ")", "promise   what was promised", "allowed   good (pass), odd (differs)\n",
			"observed  what was seen", "number    cosine 0.88", "meaning   it is bad", "breaks    somebody", "remedy    the client's change", "log       worker: why it failed"} {
			g.Expect(got).To(ContainSubstring(want), string(c.status))
		}
		if c.known != nil {
			g.Expect(got).To(ContainSubstring("listed    " + c.known.Variant + ", because of the known reason"))
		} else {
			g.Expect(got).NotTo(ContainSubstring("listed    "))
		}
		if c.do != "" {
			g.Expect(got).To(ContainSubstring("do        "))
			g.Expect(got).To(ContainSubstring(c.do))
		} else {
			g.Expect(got).NotTo(ContainSubstring("do        "))
		}
		// Gomega would print the whole evidence beside the message.
		g.Expect(strings.Count(got, "\n")).To(BeNumerically("<", 15))
		g.Expect(got).NotTo(ContainSubstring("Observed:"))
	}
}

func TestBeAsExpectedWithoutAVerdict(t *testing.T) {
	g := NewWithT(t)
	j := judged("", contract.Error, expect.NoVerdict, nil)
	j.Cell.Finding = contract.Finding{}
	j.Cell.Reason = "the target is gone"
	got := says(j, spec.BeAsExpected())
	g.Expect(got).To(ContainSubstring("c/one is error (no-verdict)"))
	g.Expect(got).To(ContainSubstring("reason    the target is gone"))
	g.Expect(got).NotTo(ContainSubstring("observed"))
	g.Expect(got).NotTo(ContainSubstring("meaning"))
	g.Expect(j.GomegaString()).To(Equal("c/one error"))
}

func TestHaveUnitNorm(t *testing.T) {
	g := NewWithT(t)
	g.Expect([]float32{0.6, 0.8}).To(spec.HaveUnitNorm())
	g.Expect([]float32{0.6, 0.9}).NotTo(spec.HaveUnitNorm())
	for norm, v := range map[string][]float32{"2": {2}, "0": {0, 0}, "1.002": {1.002}, "0.9980000": {0.998}} {
		got := says(v, spec.HaveUnitNorm())
		g.Expect(got).To(ContainSubstring("to have the L2 norm 1, it is "+norm), got)
		g.Expect(got).NotTo(ContainSubstring("0x"), "an address is printed in place of the number")
	}
	g.Expect(denies([]float32{1}, spec.HaveUnitNorm())).To(ContainSubstring("not to have the L2 norm 1, it is 1"))
	// One matcher, asked twice, tells the number of the second.
	m := spec.HaveUnitNorm()
	g.Expect(says([]float32{2}, m)).To(ContainSubstring("it is 2"))
	g.Expect(says([]float32{3}, m)).To(ContainSubstring("it is 3"))
}

func TestHaveCosineAtLeast(t *testing.T) {
	g := NewWithT(t)
	x := []float32{1, 0}
	g.Expect([]float32{3, 0}).To(spec.HaveCosineAtLeast(0.9995, x))
	g.Expect(says([]float32{0.6, 0.8}, spec.HaveCosineAtLeast(0.9995, x))).To(
		ContainSubstring("to have at least the cosine 0.9995000 with the other vector, it is 0.6"))
	g.Expect(says([]float32{0, 1}, spec.HaveCosineAtLeast(0.5, x))).To(ContainSubstring("at least the cosine 0.5 with the other vector, it is 0"))
	g.Expect(says([]float32{-1, 0}, spec.HaveCosineAtLeast(0, x))).To(ContainSubstring("it is -1"))
	g.Expect(denies([]float32{1, 0}, spec.HaveCosineAtLeast(0.5, x))).To(ContainSubstring("not to have at least the cosine 0.5"))
	// Vectors that cannot be compared are a fault of the test, whichever way it asks.
	g.Expect(says([]float32{1}, spec.HaveCosineAtLeast(0.5, x))).To(ContainSubstring("vectors of different length: 1 and 2"))
	g.Expect(denies([]float32{1}, spec.HaveCosineAtLeast(0.5, x))).To(ContainSubstring("vectors of different length"))
}
