package kill_test

import (
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// TestNoiseExcusesNothing: a server that is farther from itself than its own bar fails for that, and its noise must
// not make a distance from the reference look like noise as well. With half of it, it may.
func TestNoiseExcusesNothing(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	cosine, ok := l.suite.Check("vector_parity/cosine")
	if !ok {
		t.Fatal("no check vector_parity/cosine")
	}
	repeat, _ := l.suite.Check("vector_parity/repeat")
	for with, want := range map[string][2]string{
		"vectors: {noise: call, noise_size: 0.014}": {"below-bar", "above-bar"},
		"vectors: {noise: call, noise_size: 0.007}": {"steady", "within-noise"},
	} {
		rec, err := l.record(t, mutant{name: with, with: with}, 1)
		if err != nil {
			t.Fatal(err)
		}
		own, pair := l.judge.Target(rec, repeat), l.judge.Pair(l.base, rec, cosine)
		if own.Variant() != want[0] || pair.Variant() != want[1] {
			t.Errorf("%s: repeat %s (%s), cosine %s (%s), want %v", with, own.Variant(), own.Finding.Observed, pair.Variant(), pair.Finding.Observed, want)
		}
		if excused := pair.Change.Effect == contract.Same; excused != (own.Outcome == contract.Pass) {
			t.Errorf("%s: effect %s", with, pair.Change.Effect)
		}
	}
}
