package kill_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// swapped is a reference and a candidate, as switches over those of the base, and what remedies are worth between them.
type swapped struct {
	name                 string
	reference, candidate string
	// referenceKey and candidateKey are what clients of the one and of the other send, and what their target files name.
	referenceKey, candidateKey string
	// asks are extended checks that are asked of both, too.
	asks string
	// before and after are made to what was recorded of the reference and of the candidate. Each says whose steps it changes.
	before, after []alteration
	// remedies are "remedy=variant", and proofs "remedy:check=holds", fails, needless or unasked.
	remedies, proofs string
	// says stands in what people read of the remedies and their proofs, and hides does not; empty: whatever they read.
	says, hides string
}

// swaps show each variant of each remedy.
func swaps() []swapped {
	return slices.Concat(servedSwaps(), vectorSwaps(), requestSwaps(), refusedSwaps(), repeatedSwaps(), keySwaps())
}

// side is a server of a swap. A reference and a candidate with the same switches are two recordings, so that one of them can
// be changed.
type side struct {
	with, asks, key string
	reference       bool
}

func (s swapped) sides() (reference, candidate side) {
	return side{s.reference, s.asks, s.referenceKey, true}, side{s.candidate, s.asks, s.candidateKey, false}
}

// sides asks the servers of swaps, each once.
func (l *lab) sides(t *testing.T, all []swapped) map[side]*recording.Recording {
	t.Helper()
	out := map[side]*recording.Recording{}
	for _, s := range all {
		reference, candidate := s.sides()
		out[reference], out[candidate] = nil, nil
	}
	var mu sync.Mutex
	t.Run("asked", func(t *testing.T) {
		for _, of := range slices.Collect(maps.Keys(out)) {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				m := mutant{name: map[bool]string{true: "before", false: "after"}[of.reference], with: of.with, key: of.key, remedies: true}
				for _, id := range strings.Fields(of.asks) {
					m.shows += id + "=asked "
				}
				rec, err := l.record(t, m, 1)
				if err != nil {
					t.Fatalf("%s: %v", of.with, err)
				}
				mu.Lock()
				defer mu.Unlock()
				out[of] = rec
			})
		}
	})
	return out
}

// judged is the cell of a remedy between recordings that are changed for that long. It fails when there is nothing that
// could be changed.
func (s swapped) judged(suite contract.Suite, recs map[side]*recording.Recording, c contract.Check) (cell judge.Cell, err error) {
	reference, candidate := s.sides()
	for of, made := range map[side][]alteration{reference: s.before, candidate: s.after} {
		rec := recs[of]
		for _, m := range made {
			from, some := []string{m.of}, false
			if m.of == everywhere {
				from = rec.Checks()
			}
			for _, id := range from {
				for _, trail := range rec.Trails(id) {
					was := trail.Steps
					defer func() { trail.Steps = was }()
					var changed bool
					trail.Steps, changed = m.applied(was)
					some = some || changed
				}
			}
			if !some {
				return cell, fmt.Errorf("there is no step %q of %s", m.step, strings.Join(from, ", "))
			}
		}
	}
	return judge.New(suite).Pair(recs[reference], recs[candidate], c), nil
}

// wanted is what a swap says of a remedy and of its proofs, by "remedy" and "remedy:check".
func (s swapped) wanted(remedy string) map[string]string {
	out := map[string]string{}
	for _, f := range strings.Fields(s.remedies + " " + s.proofs) {
		key, worth, _ := strings.Cut(f, "=")
		if id, _, _ := strings.Cut(key, ":"); id == remedy {
			out[key] = worth
		}
	}
	return out
}

// wrong says what is wrong with the cell of a remedy; empty: nothing.
func (s swapped) wrong(c contract.Check, cell judge.Cell) string {
	got := worth(c, cell)
	told := fmt.Sprint(cell.Finding.Observed, " ", cell.Reason, " ", cell.Finding.Proofs)
	for key, want := range s.wanted(c.ID) {
		if is := got[key]; is != want && (is != "" || want != unaskedProof) {
			return fmt.Sprintf("%s is %q, want %s: %s", key, is, want, told)
		}
	}
	if !strings.Contains(told, s.says) || s.hides != "" && strings.Contains(told, s.hides) {
		return fmt.Sprintf("%s says: %s", c.ID, told)
	}
	return ""
}

// worth is what a cell says of a remedy, as swaps are written: its variant, and each of its proofs.
func worth(c contract.Check, cell judge.Cell) map[string]string {
	got := map[string]string{c.ID: cell.Variant()}
	for _, p := range cell.Finding.Proofs {
		got[c.ID+":"+p.Check] = map[bool]string{true: "holds", false: "fails"}[p.Holds]
		if p.Needless {
			got[c.ID+":"+p.Check] = needlessProof
		}
	}
	return got
}

const (
	needlessProof = "needless"
	unaskedProof  = "unasked" // there is none
)

// Each variant of each remedy is shown by a pair of servers, and each of its proofs by which it is.
func TestRemedies(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	shown := map[string]bool{}
	for _, s := range swaps() {
		for _, f := range strings.Fields(s.remedies) {
			shown[f] = true
		}
	}
	for _, c := range l.suite.Remedies() {
		for _, v := range c.Variants {
			if cell := c.ID + "=" + v.Name; !c.Extended && !shown[cell] {
				t.Errorf("nothing shows %s", cell)
			}
		}
	}
	recs := l.sides(t, swaps())
	for _, s := range swaps() {
		t.Run(s.name, func(t *testing.T) {
			some := false
			for _, c := range l.suite.Remedies() {
				if len(s.wanted(c.ID)) == 0 {
					continue
				}
				some = true
				cell, err := s.judged(l.suite, recs, c)
				if err != nil {
					t.Error(err)
				}
				if why := s.wrong(c, cell); why != "" {
					t.Error(why)
				}
			}
			if !some {
				t.Error("it names no remedy")
			}
		})
	}
}
