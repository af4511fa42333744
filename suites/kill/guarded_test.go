//go:build guards

package kill_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/suites/guards"
	"github.com/embedcontract/embedcontract/suites/guards/fault"
)

// TestFaultsTurnTheTableRed runs in a binary whose classifiers are instrumented (TestClassifiersAreGuarded builds it), and
// judges the recorded cells of the table again with one fault after the other. It reports what it saw as JSON lines.
func TestFaultsTurnTheTableRed(t *testing.T) {
	raw, err := os.ReadFile(os.Getenv(faultsFile))
	if err != nil {
		t.Fatal(err)
	}
	var faults []guards.Fault
	if err := json.Unmarshal(raw, &faults); err != nil {
		t.Fatal(err)
	}
	shard, err := strconv.Atoi(os.Getenv(faultsShard))
	if err != nil {
		t.Fatal(err)
	}
	l := openLab(t)
	samples := l.samples(t)
	out, err := os.Create(os.Getenv(faultsResult))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	results := json.NewEncoder(out)

	seen := observe(t, l, samples)
	t.Logf("%d cells", len(samples))
	only := chosen(t, guardsFiles)
	for _, f := range faults {
		if f.Place%shards != shard || !only.MatchString(f.File) {
			continue
		}
		if err := results.Encode(seen.try(l, f)); err != nil {
			t.Fatal(err)
		}
	}
}

// observed is what happens in the cells of the table while no fault is switched on.
type observed struct {
	samples []sample
	traces  []uint64
	cells   []judge.Cell
	// passing are the samples that pass a place, by the value of the condition there; true at numbers and variants.
	passing map[passed][]int
}

type passed struct {
	place int
	v     bool
}

// mixed is a number that stands for a passing; traces are sums of them, whatever the order.
func (p passed) mixed() uint64 {
	x := uint64(p.place)<<1 | 1
	if p.v {
		x = ^x
	}
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 29
	return x * 0xbf58476d1ce4e5b9
}

func observe(t *testing.T, l *lab, samples []sample) *observed {
	o := &observed{samples: samples, traces: make([]uint64, len(samples)), cells: make([]judge.Cell, len(samples)), passing: map[passed][]int{}}
	for i, s := range samples {
		all := map[passed]bool{}
		fault.OnReach(func(id int, v bool) {
			p := passed{id, v}
			all[p] = true
			o.traces[i] += p.mixed()
		})
		cell := s.cell(l.suite)
		fault.OnReach(nil)
		if s.red(cell) && (s.beside || os.Getenv(guardsChecks) != "") {
			continue // some servers break by what another check asks, which was not asked
		}
		if s.red(cell) {
			t.Fatalf("%s of %s is red before anything was broken: %s %s %s", s.check.ID, s.of, cell.Variant(), cell.Finding.Observed, cell.Reason)
		}
		o.cells[i] = cell
		for p := range all {
			o.passing[p] = append(o.passing[p], i)
		}
	}
	return o
}

// felt are the samples in which a fault can do something: those in which a condition comes out otherwise than by the
// fault, or that pass a number or a variant.
func (o *observed) felt(f guards.Fault) []int {
	if f.Kind == "true" {
		return o.passing[passed{f.Place, false}]
	}
	return o.passing[passed{f.Place, true}]
}

// try judges the cells that can feel a fault with the fault.
func (o *observed) try(l *lab, f guards.Fault) faultResult {
	r := faultResult{ID: f.ID, Reached: len(o.passing[passed{f.Place, true}])+len(o.passing[passed{f.Place, false}]) > 0}
	number := f.Kind == "more" || f.Kind == "less"
	var hung sync.Once
	watch := time.AfterFunc(hangs, func() {
		hung.Do(func() { r.Red = "it hangs" })
		fault.Set(fault.None)
	})
	defer watch.Stop()
	defer fault.OnReach(nil)
	defer fault.Set(fault.None)
	fault.Set(f.ID)
	for _, i := range o.felt(f) {
		s := o.samples[i]
		trace := uint64(0)
		if number {
			fault.OnReach(func(id int, v bool) { trace += passed{id, v}.mixed() })
		}
		watch.Reset(hangs)
		fault.OnText(neighbour(s.check))
		cell := s.cell(l.suite)
		switch {
		case fault.Active() != f.ID:
			return r
		case s.red(cell):
			r.Red = fmt.Sprintf("%s of %s is %s", s.check.ID, s.of, cell.Variant())
			return r
		case number && trace == o.traces[i] && cell.Finding.Observed == o.cells[i].Finding.Observed:
			continue // nothing is decided by the number here
		}
		r.Felt++
		if r.Changed == "" && cell.Variant() != o.cells[i].Variant() {
			r.Changed = fmt.Sprintf("%s of %s is %s in place of %s", s.check.ID, s.of, cell.Variant(), o.cells[i].Variant())
		}
	}
	return r
}

// neighbour takes a variant of a check for the next one, and one that is on no list for the first, which is a pass.
func neighbour(c contract.Check) func(string) string {
	return func(v string) string {
		at := slices.IndexFunc(c.Variants, func(x contract.Variant) bool { return x.Name == v })
		if at < 0 && v != contract.Other && v != contract.NoAnswer {
			return ""
		}
		return c.Variants[(at+1)%len(c.Variants)].Name
	}
}

// hangs is how long a fault may take before it counts as a loop without end.
const hangs = 20 * time.Second
