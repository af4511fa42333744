package report

import (
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// TestWeights: of a recording that somebody else made only what the schema admits comes into a report.
func TestWeights(t *testing.T) {
	for recorded, want := range map[contract.Weights]string{"random": "random", "trained": "trained", "": "", "Random": "", hostile: ""} {
		if got := weights(recorded); got != want {
			t.Errorf("%q became %q", recorded, got)
		}
	}
}
