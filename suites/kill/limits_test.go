package kill_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// A server that limits requests says nothing of those that it does not answer: a cell is as on the base, or has no verdict
// and says what to do. Only the checks that look at what a full server does may read it otherwise.
func TestAServerThatLimitsRequestsIsNotJudgedByIt(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	for _, every := range []string{"7", "50"} {
		t.Run("each "+every+"th", func(t *testing.T) {
			t.Parallel()
			rec, err := l.record(t, mutant{name: "limits", with: "delivery: {busy_every: " + every + "}\nfaults: {overload: {headers: {Retry-After: \"1\"}}}"}, 1)
			if err != nil {
				t.Fatal(err)
			}
			cells := l.cellsOf(rec)
			without := 0
			for _, id := range slices.Sorted(maps.Keys(cells)) {
				cell := cells[id]
				switch {
				case cell.Variant() == l.cells[id], strings.HasPrefix(id, "concurrency/"), id == steadyCheck && cell.Variant() == "some-busy":
				case cell.Outcome == contract.Error && strings.Contains(cell.Reason, "--max-rps"):
					without++
				default:
					t.Errorf("%s is %s, on the base %s: %s %s", id, cell.Variant(), l.cells[id], cell.Finding.Observed, cell.Reason)
				}
			}
			if without == 0 {
				t.Error("no cell met the limit")
			}
		})
	}
}
