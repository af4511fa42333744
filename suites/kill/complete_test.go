package kill_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// A variant that nothing shows is one that no probe may be able to tell from its neighbour.
func TestEveryVariantIsShown(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	shown := map[string]bool{}
	for id, variant := range l.cells {
		shown[id+"="+variant] = true
	}
	for _, m := range append(mutants(), twins()...) {
		for _, cell := range strings.Fields(m.shows) {
			id, variant, _ := strings.Cut(cell, "=")
			shown[strings.TrimSuffix(id, asReference)+"="+variant] = true
		}
	}
	listed := map[string]bool{}
	for _, e := range edits() {
		cell := e.check + "=" + e.variant
		switch c, ok := l.suite.Check(e.check); {
		case !ok || !declares(c, e.variant):
			t.Errorf("%s is listed as out of reach, but the check has no such variant", cell)
		case listed[cell]:
			t.Errorf("%s is listed twice", cell)
		case shown[cell]:
			t.Errorf("%s is listed as out of reach, and a mutant shows it", cell)
		case e.why == "":
			t.Errorf("%s is listed without a reason", cell)
		}
		listed[cell] = true
	}
	for _, c := range l.suite.Checks() {
		for _, v := range c.Variants {
			if cell := c.ID + "=" + v.Name; !shown[cell] && !listed[cell] {
				t.Errorf("nothing shows %s: add a mutant, or a reason why none can", cell)
			}
		}
	}
}

func declares(c contract.Check, variant string) bool {
	for _, v := range c.Variants {
		if v.Name == variant {
			return true
		}
	}
	return false
}
