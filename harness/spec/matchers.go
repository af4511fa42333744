package spec

import (
	"fmt"
	"strings"

	"github.com/onsi/gomega/gcustom"
	"github.com/onsi/gomega/types"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// Judged is a cell and how it stands to the expectations.
type Judged struct {
	Check contract.Check
	Cell  judge.Cell
	Match expect.Match
	// Before is the variant of the reference, where the effect of a swap on a target check is judged.
	Before string
}

// BeAsExpected holds for a cell that keeps the promise of its check, and for one that shows exactly the known
// deviation that is listed for it. It fails on an unexpected deviation, an error, a flaky cell, and on an
// expectation that is no longer true.
func BeAsExpected() types.GomegaMatcher {
	return gcustom.MakeMatcher(func(j Judged) (bool, error) { return j.Match.Status.OK(), nil }).
		WithTemplate("{{.Actual.Explain}}")
}

// GomegaString keeps Gomega from printing the evidence beside the message.
func (j Judged) GomegaString() string { return j.Check.ID + " " + j.Cell.Variant() }

// Explain is the message of a cell that is not as expected: promise, allowed answers, what was seen, and what to
// do about it.
func (j Judged) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s (%s)\n", j.Check.ID, j.Cell.Variant(), j.Match.Status)
	if j.Before != "" {
		fmt.Fprintf(&b, "  %-9s %s in place of %s: %s. %s\n", "swap", j.Cell.Variant(), j.Before, j.Cell.Change.Effect, j.Cell.Change.Why)
	}
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-9s %s\n", name, text)
		}
	}
	row("promise", j.Check.Promise)
	var allowed []string
	for _, v := range j.Check.Variants {
		if v.Outcome != contract.Fail {
			allowed = append(allowed, fmt.Sprintf("%s (%s)", v.Name, v.Outcome))
		}
	}
	row("allowed", strings.Join(allowed, ", "))
	if k := j.Match.Known; k != nil {
		row("listed", k.Variant+", because "+k.Why)
	}
	row("observed", j.Cell.Finding.Observed)
	row("reason", j.Cell.Reason)
	for _, n := range j.Cell.Finding.Numbers {
		row("number", n.String())
	}
	if v := j.Cell.Finding.Variant; v != "" {
		row("meaning", j.Check.Variant(v).Meaning)
		row("breaks", j.Check.Variant(v).Breaks)
		row("remedy", j.Check.Variant(v).Remedy)
	}
	for _, l := range j.Cell.Logs {
		row("log", l.Component+": "+l.Text)
	}
	switch j.Match.Status {
	case expect.Stale:
		row("do", "the server keeps the promise now: remove the entry from the expectations file")
	case expect.Expired:
		row("do", "nobody has looked at the entry since its review day, "+j.Match.Known.Review+": look, then set a later day")
	case expect.Changed:
		row("do", "the server deviates in another way now: look at it, then correct the entry")
	case expect.Unexpected:
		row("do", "mend the server or the client, or list the deviation in the target's expectations file")
	}
	return strings.TrimRight(b.String(), "\n")
}

// HaveUnitNorm holds for a vector whose L2 norm is 1 within parity.NormTolerance.
func HaveUnitNorm() types.GomegaMatcher {
	var norm float64
	return gcustom.MakeMatcher(func(v []float32) (bool, error) {
		n, ok := parity.Unit(v)
		norm = n
		return ok, nil
	}).WithTemplate("expected {{.To}} have the L2 norm 1, it is {{call .Data}}", func() string { return contract.FormatNumber(norm) })
}

// HaveCosineAtLeast holds for a vector whose cosine with other is at least min.
func HaveCosineAtLeast(min float64, other []float32) types.GomegaMatcher {
	var cosine float64
	return gcustom.MakeMatcher(func(v []float32) (bool, error) {
		d, err := parity.Distance(v, other)
		cosine = 1 - d
		return err == nil && cosine >= min, err
	}).WithTemplate("expected {{.To}} have at least the cosine "+contract.FormatNumber(min)+" with the other vector, it is {{call .Data}}",
		func() string { return contract.FormatNumber(cosine) })
}
