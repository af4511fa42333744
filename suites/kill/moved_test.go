package kill_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// Two servers that answer wrongly in the same way need not give the same vectors.
func TestSameVariantWithOtherVectors(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	const endLost = "length: {over: cut-end-marker-lost}"
	for _, c := range []struct {
		name, before, after, check string
		want                       contract.Effect
	}{
		{"the end marker lost in the same place", endLost, endLost, "truncation/over-long", contract.Same},
		{"the end lost, with other weights", endLost, endLost + "\nmodel: {seed: 2}", "truncation/over-long", contract.IndexBreak},
		{"the end lost, and kernels within the bar", endLost, endLost + "\nvectors: {noise: text, noise_size: 0.02}", "truncation/over-long", contract.Same},
		{"another projection of its own", "dimensions: {reduced: projected}", "dimensions: {reduced: projected}\nmodel: {seed: 2}", "dimensions/reduced-256", contract.IndexBreak},
		{"the same projection", "dimensions: {reduced: projected}", "dimensions: {reduced: projected}", "dimensions/reduced-256", contract.Same},
		{"a pass, which pair checks look at", "", "model: {seed: 2}", "dimensions/reduced-256", contract.Same},
		{"refused by both", "dimensions: {reduced: refused}", "dimensions: {reduced: refused}\nmodel: {seed: 2}", "dimensions/reduced-256", contract.Same},
		{"another way", endLost, "", "truncation/over-long", contract.ClientChange},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before, err := l.record(t, mutant{name: "before", with: c.before, only: c.check}, 1)
			if err != nil {
				t.Fatal(err)
			}
			after, err := l.record(t, mutant{name: "after", with: c.after, only: c.check}, 1)
			if err != nil {
				t.Fatal(err)
			}
			check, _ := l.suite.Check(c.check)
			j := judge.New(l.suite)
			from, to := j.Target(before, check), j.Target(after, check)
			got := j.Change(before, after, check, from, to)
			if got.Effect != c.want || (c.want == contract.IndexBreak) != (got.Silent && strings.Contains(got.Why, "another vector: cosine")) {
				t.Errorf("%s -> %s: %+v, want %s", from.Variant(), to.Variant(), got, c.want)
			}
		})
	}
}
