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
		{"total_tokens differs from prompt_tokens", "usage: {total: different}", "the schema asks for a number, no check compares the two"},
		{"base64 of 3 decimals", "encoding: {base64: rounded}\nvectors: {digits: 3}", "1 − cosine stays below the bar for one server, and no check asks a pair for base64"},
		{"other sizes of dimensions ignored", "dimensions: {sizes: [128, 256], unlisted: next-listed}", "128 and 256 are the only sizes that are asked for"},
		{"dimensions as a string served", "dimensions: {wrong_type: coerced}", "no check sends dimensions of another type"},
		{"dimensions as a string ignored", "dimensions: {wrong_type: ignored}", "no check sends dimensions of another type"},
		{"dimensions null refused", "dimensions: {explicit_null: refused}", "no check sends it"},
		{"numbers of 4 decimals", "vectors: {numbers: rounded, digits: 4}", "1 − cosine stays below 1e-5, which counts as rounding"},
		{"truncation_side ignored", "length: {truncation_side: ignored}", "no check sends it"},
	}
}

func TestBlindSpots(t *testing.T) {
	l := openLab(t)
	for _, b := range blindSpots() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			rec, err := l.record(mutant{name: b.name, with: b.with, extended: true}, 1)
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
