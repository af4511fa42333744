package upgrade

import (
	"path/filepath"
	"testing"

	"github.com/embedcontract/embedcontract/harness/parity"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// TestRequestsAtTheSameTimeAreBesideOthers: in bfloat16 on a GPU a request that is asked again while others are on their way is
// farther from itself than one that is asked again alone may be: the server computes them together. Alone it repeats.
func TestRequestsAtTheSameTimeAreBesideOthers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dynamo-1.4.2-eager-h200", "dynamo-1.4.2-h200", "vllm-0.26.0-h200"} {
		rec, err := recording.Open(filepath.Join("..", "..", "fixtures", "recordings", name))
		if err != nil {
			t.Fatal(err)
		}
		wanted := map[string]bool{}
		for _, check := range rec.Checks() {
			wanted[check] = true
		}
		a := askedOf(rec, wanted)
		got, repeated := noiseOf(a), 0
		for _, x := range a.texts {
			for i, by := range x.alone {
				for _, before := range x.alone[:i] {
					if by != "" && by == before {
						repeated++
					}
				}
			}
		}
		if got.again > 1e-6 || got.excessive() || repeated < 20 {
			t.Errorf("%s: %g in %d repeats, %g beside others", name, got.again, repeated, got.beside)
		}
		if name == "dynamo-1.4.2-eager-h200" && got.beside <= parity.SameBar {
			t.Errorf("%s: beside others %g: it shows nothing", name, got.beside)
		}
	}
}
