//go:build guards

package kill_test

import (
	"cmp"
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

// sample is one recorded cell of the kill table, and what a test of the table would say of it.
type sample struct {
	of        string // the server
	check     contract.Check
	rec       *recording.Recording
	reference *recording.Recording // of a pair
	red       func(judge.Cell) bool
	spoilt    *spoilt                         // one of its answers is
	judged    func(contract.Suite) judge.Cell // in place of a cell of the recording
	beside    bool                            // its row does not name it
}

func (s sample) cell(suite contract.Suite) (cell judge.Cell) {
	defer func() {
		if p := recover(); p != nil { // out of the facts; the judge itself catches those of classifiers
			cell = judge.Cell{Check: s.check.ID, Outcome: contract.Error, Reason: fmt.Sprint(p)}
		}
	}()
	if s.judged != nil {
		return s.judged(suite)
	}
	if s.spoilt != nil {
		return s.spoilt.judged(suite, s.rec)
	}
	j := judge.New(suite) // it remembers facts, which a fault may change
	if s.reference != nil {
		return j.Pair(s.reference, s.rec, s.check)
	}
	return j.Target(s.rec, s.check)
}

func differs(from string) func(judge.Cell) bool {
	return func(c judge.Cell) bool { return c.Variant() != from }
}

// samples asks every server of the table what its row is about, and every honest one everything.
func (l *lab) samples(t *testing.T) []sample {
	var mu sync.Mutex
	var out []sample
	add := func(s ...sample) {
		mu.Lock()
		defer mu.Unlock()
		out = append(out, s...)
	}
	for _, c := range l.suite.Checks() {
		if len(l.base.Trails(c.ID)) == 0 {
			continue
		}
		if s := (sample{of: "the base", check: c, rec: l.base}); !c.Pair() {
			s.red = differs(l.cells[c.ID])
			add(s)
		} else {
			s.reference = l.base
			s.red = differs(l.cells[c.ID])
			add(s)
		}
	}
	t.Run("asked", func(t *testing.T) { l.askForSamples(t, add) })
	l.oddSamples(t, add)
	l.swapSamples(t, add)
	rec, err := l.record(t, mutant{name: "spoilt", extended: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range spoiltAnswers(l.suite, rec, l.base) {
		add(sample{of: s.step.Name + " spoilt: " + s.by.name, check: s.check, rec: rec, spoilt: &s, red: func(c judge.Cell) bool { return s.wrong(c) != "" }})
	}
	only := chosen(t, guardsChecks)
	out = slices.DeleteFunc(out, func(s sample) bool { return !only.MatchString(s.check.ID) })
	// The same order in every run, spoilt answers last: there are many, and each shows little.
	slices.SortStableFunc(out, func(a, b sample) int {
		if (a.spoilt == nil) != (b.spoilt == nil) {
			return map[bool]int{false: -1, true: 1}[a.spoilt != nil]
		}
		return cmp.Compare(a.check.ID+" "+a.of, b.check.ID+" "+b.of)
	})
	return out
}

func (l *lab) askForSamples(t *testing.T, add func(...sample)) {
	only := chosen(t, guardsChecks)
	do := func(f func(t *testing.T)) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			f(t)
		})
	}
	for _, m := range mutants() {
		do(func(t *testing.T) {
			want := l.expected(t, m)
			cells := m.own(t)
			for _, c := range l.suite.Checks() {
				if _, named := cells[c.ID]; only.MatchString(c.ID) && (named || cells[c.ID+asReference] != "") {
					m.order = append(m.order, c.ID)
				}
			}
			if len(m.order) == 0 {
				return
			}
			rec, err := l.record(t, m, 1)
			if err != nil {
				t.Error(err)
				return
			}
			for _, id := range slices.Sorted(maps.Keys(cells)) {
				id := strings.TrimSuffix(id, asReference)
				c, _ := l.suite.Check(id)
				s := sample{of: m.name, check: c, rec: rec, red: differs(want[id])}
				if !c.Pair() {
					add(s)
					for _, x := range nudged(c, rec, want[id]) {
						add(sample{of: m.name + ", " + x.step.Name + " " + x.by.name, check: c, rec: rec, spoilt: &x, red: func(c judge.Cell) bool { return x.wrong(c) != "" }})
					}
					continue
				}
				s.reference = l.base
				back := sample{of: m.name + " as reference", check: c, rec: l.base, reference: rec, red: differs(want[id+asReference])}
				add(s, back)
			}
			for _, c := range l.suite.Checks() {
				if _, named := cells[c.ID]; !named && !c.Pair() && recorded(c, rec) {
					add(sample{of: m.name, check: c, rec: rec, red: differs(want[c.ID]), beside: true})
				}
			}
		})
	}
	for _, h := range honestServers() {
		do(func(t *testing.T) {
			by := l
			if h.alone {
				by = l.alone()
			}
			rec, err := by.record(t, mutant{name: h.name, with: h.with, extended: true, declare: func(f *contract.Facts) {
				if h.declare != nil {
					h.declare(f)
				}
			}}, h.rounds())
			if err != nil {
				t.Error(err)
				return
			}
			want := map[string]string{}
			for _, n := range h.notices {
				maps.Copy(want, cellsIn(t, n.cells))
			}
			for _, c := range l.suite.Checks() {
				if len(rec.Trails(c.ID)) == 0 {
					continue
				}
				s := sample{of: h.name, check: c, rec: rec}
				if s.reference = by.base; !c.Pair() {
					s.reference = nil
				} else if h.alone {
					s.reference = rec
				}
				s.red = func(cell judge.Cell) bool { return l.alarm(c, cell, contract.Effect(want[c.ID])) != "" }
				add(s)
			}
		})
	}
	for _, e := range edits() {
		do(func(t *testing.T) {
			rec, err := l.record(t, mutant{name: "edited", only: e.check}, 1)
			if err != nil {
				t.Error(err)
				return
			}
			e.apply(rec)
			c, _ := l.suite.Check(e.check)
			add(sample{of: "edited " + e.variant, check: c, rec: rec, red: differs(e.variant)})
		})
	}
	alone := l.alone()
	for _, m := range twins() {
		do(func(t *testing.T) {
			rec, err := alone.record(t, m, 1)
			if err != nil {
				t.Error(err)
				return
			}
			want := m.own(t)
			for _, c := range l.suite.Checks() {
				if c.Pair() {
					add(sample{of: "twins: " + m.name, check: c, rec: rec, reference: rec, red: func(cell judge.Cell) bool {
						return changes(cell, want[c.ID]) != ""
					}})
				}
			}
		})
	}
}

// oddSamples are evidence that is made by hand, and what facts are derived of.
func (l *lab) oddSamples(t *testing.T, add func(...sample)) {
	recs := l.readable(t, readings())
	for _, r := range readings() {
		c, _ := l.suite.Check(r.check)
		add(sample{of: "by hand: " + r.what, check: c, red: func(c judge.Cell) bool { return r.wrong(c) != "" }, judged: func(suite contract.Suite) judge.Cell {
			cell, _ := r.judged(suite, recs[r.origin()], l.base) // it can be made: TestEvidenceMadeByHand fails otherwise
			return cell
		}})
	}
	for _, f := range factsCases() {
		c := contract.Check{ID: contract.FactsID}
		add(sample{of: f.name, check: c, red: differs(f.want.text()), judged: func(suite contract.Suite) judge.Cell {
			return judge.Cell{Check: c.ID, Finding: contract.Finding{Variant: factsOf(f.derived(suite)).text()}}
		}})
	}
}

// recorded says whether a recording has all that a check asks and reads: of a row some checks are asked, and others are
// judged by what those asked.
func recorded(c contract.Check, rec *recording.Recording) bool {
	return (c.Probe == nil || len(rec.Trails(c.ID)) > 0) && !slices.ContainsFunc(c.Reads, func(id string) bool { return len(rec.Trails(id)) == 0 })
}
