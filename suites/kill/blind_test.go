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
		{"input_type document gets a wrong prefix", `instruction: {document_prefix: "query: "}`, "no check sends input_type document"},
		{"input_type nonsense served", "instruction: {unknown_value: ignored}", "no check sends an unknown input_type"},
		{"ids outside the vocabulary wrapped", "input: {id_out_of_range: wrapped}", "no check sends such an id"},
		{"a number is embedded as text", "input: {wrong_type: as-string}", "no check sends an input of another type"},
		{"invalid UTF-8 replaced", "request: {invalid_utf8: replaced}", "no check sends it"},
		{"half of a surrogate pair replaced", "request: {lone_surrogate: replaced}", "no check sends it"},
		{"control characters in JSON accepted", "request: {raw_control: accepted}", "no check sends them"},
		{"add_special_tokens ignored", "request: {add_special_tokens: ignored}", "no check sends it"},
		{"user of another type ignored", "request: {user_type: ignored}", "no check sends it"},
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
