package kill_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/fixtures/witnesses"
	"github.com/embedcontract/embedcontract/harness/witness"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// realSDKs returns the witnesses that are asked for: they take a second for each question.
func realSDKs(t *testing.T) *witness.Tools {
	t.Helper()
	if os.Getenv("EMBEDCONTRACT_WITNESSES") != "1" {
		return nil
	}
	tools, err := witnesses.Tools()
	if err == nil {
		err = tools.Ready(statement.Names()...)
	}
	if err != nil {
		t.Fatalf("EMBEDCONTRACT_WITNESSES=1: %v", err)
	}
	return &tools
}

// The table asks models of the SDKs for Python and Node. Each row that names one of them is asked again by the SDKs
// themselves, and so is the base, when EMBEDCONTRACT_WITNESSES is 1. Otherwise the models are asked, as in the table.
func TestModelsOfSDKs(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	tools := realSDKs(t)
	rows := []mutant{{name: "base", shows: strings.Join(sdkCells(l.cells), " ")}}
	for _, m := range mutants() {
		if slices.ContainsFunc(strings.Fields(m.shows), isSDK) {
			rows = append(rows, m)
		}
	}
	shown := 0
	for _, m := range rows {
		var asked []string
		for _, cell := range strings.Fields(m.shows) {
			if isSDK(cell) {
				asked = append(asked, cell)
			}
		}
		shown += len(asked)
		t.Run(m.name, func(t *testing.T) {
			if tools == nil {
				t.Parallel() // the SDKs themselves share a machine
			}
			m.also, m.shows, m.real = nil, strings.Join(asked, " "), tools
			rec, err := l.record(t, m, 1)
			if err != nil {
				t.Fatal(err)
			}
			cells := l.cellsOf(rec)
			for _, cell := range asked {
				id, want, _ := strings.Cut(cell, "=")
				if got := cells[id]; got.Variant() != want {
					t.Errorf("the SDK shows %s %s, and its model %s: %s %s", id, got.Variant(), want, got.Finding.Observed, got.Reason)
				}
			}
		})
	}
	if shown < len(rows) {
		t.Errorf("%d cells in %d rows", shown, len(rows))
	}
}

func isSDK(cell string) bool {
	return strings.HasPrefix(cell, "witnesses/python-") || strings.HasPrefix(cell, "witnesses/node-")
}

func sdkCells(cells map[string]string) []string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(cells)) {
		if isSDK(id) {
			out = append(out, id+"="+cells[id])
		}
	}
	return out
}
