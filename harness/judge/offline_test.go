package judge_test

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/probe"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/wire"
	"github.com/embedcontract/embedcontract/suites"
)

// asked is a target that was asked for everything.
type asked struct {
	dir   string
	w     *recording.Writer
	facts contract.Facts
	plan  contract.Plan
}

// askAll asks an emulated target for the whole suite. A nil plan is that of its own facts.
func askAll(t *testing.T, s contract.Suite, name string, plan *contract.Plan) asked {
	t.Helper()
	spec, err := fixtures.Target(name)
	if err != nil {
		t.Fatal(err)
	}
	h, err := fixtures.Emulator(spec.Serving().Personality)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(h)
	defer srv.Close()
	a := asked{dir: filepath.Join(t.TempDir(), name)}
	a.w, err = recording.Create(a.dir, recording.Header{Started: time.Now(), Revision: s.Revision,
		Target: recording.Target{Name: name, Kind: string(spec.Kind), Model: spec.Model, Declared: spec.Facts}}, "")
	if err != nil {
		t.Fatal(err)
	}
	client := wire.New(srv.URL, wire.Options{})
	defer client.Close()
	ctx := context.Background()
	e := probe.New(probe.Config{Suite: s, Asker: client, Record: a.w, Model: spec.Model, Declared: spec.Facts, Rounds: 1,
		Pause: func(context.Context, time.Duration) error { return nil },
		Logs: func(since time.Time) []recording.LogLine {
			return []recording.LogLine{{Component: "emulator", Time: since, Text: "something failed \xff"}}
		}})
	if a.facts, err = e.Discover(ctx); err != nil {
		t.Fatal(err)
	}
	a.plan = contract.NewPlan(name, a.facts, s.Corpus)
	if plan != nil {
		a.plan = *plan
	}
	if err := e.Follow(a.plan); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Checks() {
		if err := e.Ask(ctx, c.ID); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
	}
	return a
}

// verdicts are all cells of two recordings.
type verdicts struct {
	facts, cells [2]any
	pairs        []judge.Cell
	effects      []contract.Change
}

func judged(s contract.Suite, ref, cand *recording.Recording) verdicts {
	j := judge.New(s)
	var v verdicts
	var cells [2][]judge.Cell
	for i, rec := range []*recording.Recording{ref, cand} {
		v.facts[i] = j.Facts(rec)
		for _, c := range s.Checks() {
			if !c.Pair() {
				cells[i] = append(cells[i], j.Target(rec, c))
			}
		}
		v.cells[i] = cells[i]
	}
	n := 0
	for _, c := range s.Checks() {
		if c.Pair() {
			v.pairs = append(v.pairs, j.Pair(ref, cand, c))
			continue
		}
		v.effects = append(v.effects, j.Effect(c, cells[0][n], cells[1][n]))
		n++
	}
	return v
}

// A recording is evidence only if judging it gives what the run gave: the same cells, in every field, from the
// files on the disk as from the memory of the process that asked.
func TestLiveEqualsOffline(t *testing.T) {
	s, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	ref := askAll(t, s, "legacy-emulated", nil)
	cand := askAll(t, s, "dynamo-1.6-emulated", &ref.plan)
	live := judged(s, ref.w.Recording(), cand.w.Recording())
	var offline [2]*recording.Recording
	for i, a := range []asked{ref, cand} {
		if err := a.w.Close(); err != nil {
			t.Fatal(err)
		}
		if offline[i], err = recording.Open(a.dir); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(offline[i], a.w.Recording()) {
			t.Errorf("%s: the recording that was read is not the one that was written", offline[i].Header.Target.Name)
		}
		if got := judge.New(s).Facts(offline[i]); !reflect.DeepEqual(got, a.facts) {
			t.Errorf("%s: facts were %+v, they are %+v", offline[i].Header.Target.Name, a.facts, got)
		}
	}
	again := judged(s, offline[0], offline[1])
	if !reflect.DeepEqual(live, again) {
		for i := range live.cells {
			compare(t, live.cells[i].([]judge.Cell), again.cells[i].([]judge.Cell))
		}
		compare(t, live.pairs, again.pairs)
		t.Error("judged offline otherwise than live")
	}

	// Equal is not enough: nothing compared to nothing is equal too.
	seen := map[contract.Outcome]int{}
	for _, cells := range live.cells {
		for _, c := range cells.([]judge.Cell) {
			seen[c.Outcome]++
			if c.Outcome == contract.Error || c.Outcome == contract.Flaky {
				t.Errorf("%s: %s %s", c.Check, c.Outcome, c.Reason)
			}
		}
	}
	for _, c := range live.pairs {
		if c.Outcome == contract.Error {
			t.Errorf("%s: %s", c.Check, c.Reason)
		}
	}
	if seen[contract.Pass] < 20 || seen[contract.Fail] == 0 || len(live.pairs) == 0 || len(live.pairs)+len(live.effects) != len(s.Checks()) {
		t.Errorf("outcomes %v, %d pairs, %d effects", seen, len(live.pairs), len(live.effects))
	}
}

func compare(t *testing.T, live, offline []judge.Cell) {
	t.Helper()
	for i := range live {
		if !reflect.DeepEqual(live[i], offline[i]) {
			t.Errorf("%s\n   live %+v\noffline %+v", live[i].Check, live[i], offline[i])
		}
	}
}
