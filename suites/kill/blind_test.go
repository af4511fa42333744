package kill_test

import (
	"maps"
	"slices"
	"testing"
)

// blind is a server that is wrong, or another one than the base, and that no check of the suite tells from the
// base. The list is what the suite does not promise. A server that it learns to see must leave the list, and take
// its place in the table.
type blind struct{ name, with, why string }

func blindSpots() []blind {
	return []blind{
		{"a text with U+0000 is embedded as a fixed other one", "request: {nul_character: replaces-text}",
			"one character in the middle may move a text of a small model as far as another text lies, so that no bar tells them apart"},
		{"two texts of a list are swapped while other requests are served", "sporadic: {when: load, does: swap}",
			"requests at the same time are for one text each"},
	}
}

func TestBlindSpots(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	for _, b := range blindSpots() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			rec, err := l.record(t, mutant{name: b.name, with: b.with, extended: true}, 1)
			if err != nil {
				t.Fatal(err)
			}
			cells := l.judged(rec)
			for _, id := range slices.Sorted(maps.Keys(cells)) {
				if cells[id] != l.cells[id] {
					t.Errorf("it is seen: %s is %s, on the base %s", id, cells[id], l.cells[id])
				}
			}
		})
	}
}
