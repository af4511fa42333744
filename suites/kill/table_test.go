// Package kill_test is the kill table: the suite is tested by wrong servers. Each mutant is the base, an honest
// emulated server, with a few switches changed. Its row names the variants that it must show, and with a reason each
// the other cells that the same switches cannot but change; every cell that the row does not name must be as on the
// base. So a classifier that takes one variant for its neighbour turns the table red, and so does one that reacts to
// what is none of its business.
//
// Beside the table stand the variants that no switch shows (edits), servers compared with themselves (twins), the
// honest variations that must stay green, and the wrong servers that no check sees (blind spots).
package kill_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/witness"
)

// mutant is a wrong server, or a wrong target file.
type mutant struct {
	name string
	with string // switches over those of the base
	// declare changes the declared facts; nil: as for the base.
	declare func(*contract.Facts)
	timeout time.Duration // of the client; 0: its default
	key     string        // that the client sends, and that the target file would name
	// extended asks all extended checks; else those that the row names are asked.
	extended bool
	remedies bool           // asks the remedies of every run, too
	heavy    bool           // with extended: heavyChecks as well
	only     string         // a check: nothing else is asked, but what it reads
	order    []string       // checks: nothing else is asked, but what they read, and in this order
	real     *witness.Tools // the SDKs of Python and Node in place of models of them
	// shows are the variants for which the mutant is in the table, as "check=variant", separated by white space.
	shows string
	// also are the cells that the same switches must change too.
	also []coupling
}

// coupling is what else a mutant changes, and why it cannot but do so.
type coupling struct{ why, cells string }

// mutants is the whole table.
func mutants() []mutant {
	rows := slices.Concat(shapeMutants(), dimensionsMutants(), normMutants(), parityMutants(), edgeMutants(), instructionsMutants(), truncationMutants(),
		encodingMutants(), inputMutants(), batchingMutants(), statusMutants(), witnessMutants(), errorMutants(), requestMutants(), textMutants(),
		fieldMutants(), answerMutants(), refusalMutants(), implicitMutants(), concurrencyMutants(), serviceMutants(), authMutants(),
		lifecycleMutants(), sizeMutants(), lengthMutants(), laterMutants(), steadyMutants(), releaseMutants(), mixedMutants())
	for _, c := range chapters() {
		rows = withChapter(rows, c)
	}
	return rows
}

// asReference marks the cell of a pair in which the mutant is the reference and the base the candidate. Without
// an entry of its own such a cell is expected to show what the other direction shows.
const asReference = "@reference"

// oneSided are pair checks that ask different things of reference and candidate, so that nothing follows from
// one direction for the other.
var oneSided = []string{"instructions/prefixed-query"}

// cellsIn reads "check=variant check=variant".
func cellsIn(t *testing.T, text string) map[string]string {
	out := map[string]string{}
	for _, field := range strings.Fields(text) {
		id, variant, ok := strings.Cut(field, "=")
		if !ok || out[id] != "" {
			t.Errorf("%q is not check=variant, or its check stands there twice", field)
		}
		out[id] = variant
	}
	return out
}

// expected returns what each cell of a mutant must be, and whether each entry of its row was needed.
func (l *lab) expected(t *testing.T, m mutant) map[string]string {
	want := maps.Clone(l.cells)
	named := map[string]bool{}
	add := func(text string) {
		cells := cellsIn(t, text)
		for _, id := range slices.Sorted(maps.Keys(cells)) {
			base, known := l.cells[id]
			switch {
			case !known:
				t.Errorf("the row names %s, which is no check", id)
			case named[id]:
				t.Errorf("the row names %s twice", id)
			case !strings.HasSuffix(id, asReference) && base == cells[id]:
				t.Errorf("the row says that %s is %s, as on the base: not needed", id, base)
			}
			named[id] = true
			want[id] = cells[id]
		}
	}
	add(m.shows)
	for _, c := range m.also {
		if c.why == "" {
			t.Errorf("a coupling without a reason: %s", c.cells)
		}
		add(c.cells)
	}
	for id := range l.cells {
		forward, ok := strings.CutSuffix(id, asReference)
		if !ok {
			continue
		}
		unnamed := l.cells[id]
		if !slices.Contains(oneSided, forward) {
			unnamed = want[forward]
		}
		switch {
		case !named[id]:
			want[id] = unnamed
		case want[id] == unnamed:
			t.Errorf("the row says that %s is %s, as it is expected to be without that: not needed", id, unnamed)
		}
	}
	return want
}

// TestEveryMutantIsFound asks all wrong servers, edits evidence where no server can show a variant, compares servers with
// themselves, and writes what was seen to matrixFile.
func TestEveryMutantIsFound(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	seen := newMatrix(l)
	t.Cleanup(func() { seen.report(t) })
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			rec, err := l.record(t, m, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := l.expected(t, m)
			cells := l.cellsOf(rec)
			for _, id := range slices.Sorted(maps.Keys(want)) {
				if m.only != "" && m.only != id {
					continue
				}
				got, asked := cells[id]
				if c, _ := l.suite.Check(strings.TrimSuffix(id, asReference)); c.Extended && !asked && !m.asks(c.ID) {
					continue
				}
				if got.Variant() != want[id] {
					t.Errorf("%s is %s, want %s (base %s): %s %s", id, got.Variant(), want[id], l.cells[id], got.Finding.Observed, got.Reason)
				}
			}
			seen.server(m, cells, want)
			for id := range m.own(t) {
				c, ok := l.suite.Check(id)
				if !ok || c.Pair() {
					continue
				}
				for _, x := range nudged(c, rec, want[id]) {
					if why := x.wrong(x.judged(l.suite, rec)); why != "" {
						t.Errorf("%s, %s %s: %s", id, x.step.Name, x.by.name, why)
					}
				}
			}
		})
	}
	t.Run("edited evidence", func(t *testing.T) { editedEvidence(t, l, seen) })
	t.Run("in its own place", func(t *testing.T) { inTheirOwnPlace(t, l, seen) })
}
