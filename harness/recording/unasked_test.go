package recording_test

import (
	"slices"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// TestUnasked: extended checks without a trail were not asked; of those of every run nothing is said, and what was asked in
// vain was asked.
func TestUnasked(t *testing.T) {
	_, _, rec := written(t, func(w *recording.Writer) { fill(t, w) })
	suite := contract.Suite{Behaviours: []contract.Behaviour{{Stem: "c", Checks: []contract.Check{
		{ID: "c/one", Extended: true}, {ID: "c/three", Extended: true}, {ID: "c/never", Extended: true}, {ID: "c/core"}, {ID: "c/last", Extended: true},
	}}}}
	if got := rec.Unasked(suite); !slices.Equal(got, []string{"c/never", "c/last"}) {
		t.Errorf("%v", got)
	}
}
