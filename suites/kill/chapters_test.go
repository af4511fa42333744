package kill_test

import (
	"slices"
	"testing"
)

// chapter is what a row shows in one group of checks, beside what stands in the row itself: a wrong server shows in many
// checks, and a row that named them all could not be read.
type chapter struct {
	shows string
	also  []coupling
}

// chapters are all of them.
func chapters() []map[string]chapter {
	return []map[string]chapter{sizeChapter(), laterChapter(), normChapter(), steadyChapter(), mixedChapter()}
}

// withChapter adds to rows what they show in a group of checks, by the name of the row.
func withChapter(rows []mutant, of map[string]chapter) []mutant {
	out := slices.Clone(rows)
	for i, m := range out {
		c := of[m.name]
		out[i].shows += " " + c.shows
		out[i].also = slices.Concat(m.also, c.also)
	}
	return out
}

// A chapter for a row that does not exist would be read by nobody.
func TestChaptersAreOfRows(t *testing.T) {
	t.Parallel()
	rows := map[string]bool{}
	for _, m := range mutants() {
		rows[m.name] = true
	}
	for _, c := range chapters() {
		for name := range c {
			if !rows[name] {
				t.Errorf("no row is called %q", name)
			}
		}
	}
}
