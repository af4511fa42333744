package kill_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/harness/contract"
)

// What is read of the life of a worker cannot be judged where nobody can end it: a target that is only an address.
func TestLifeOfAnAddressIsNotJudged(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	p, err := emulator.Parse("base", []byte(killBase))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for _, c := range l.suite.Checks() {
		if !strings.HasPrefix(c.ID, "lifecycle/") {
			continue
		}
		asked++
		rec, err := l.inMemory(t, mutant{name: "address", only: c.ID}, 1, func() (http.RoundTripper, actor, error) {
			h, err := emulator.New(p)
			return inMemory{h}, nil, err
		})
		if err != nil {
			t.Fatal(err)
		}
		if cell := l.judge.Target(rec, c); cell.Outcome != contract.NotApplicable || !strings.Contains(cell.Reason, "this server cannot be stopped") {
			t.Errorf("%s is %s (%s), want not-applicable with the reason of what it reads: %s %s", c.ID, cell.Outcome, cell.Variant(), cell.Finding.Observed, cell.Reason)
		}
	}
	if asked == 0 {
		t.Error("the suite has no check of lifecycle")
	}
}

// Statuses of 200 around a restart count by the vectors that come with them.
func TestServedWhileAWorkerComesAndGoes(t *testing.T) {
	t.Parallel()
	const stops = "lifecycle/worker-stops"
	l := openLab(t)
	axis := func(s *contract.Step) {
		v := make([]float32, 264) // the native length of the base
		v[0] = 1
		s.Vectors[0].Values = v
	}
	empty := func(s *contract.Step) {
		s.Status, s.Fault, s.Body, s.Vectors = 200, "", []byte(`{"data":[]}`), nil
	}
	other := func(s *contract.Step) {
		v := make([]float32, 264)
		v[1] = 1
		s.Vectors[7].Values = v
	}
	for _, x := range []struct {
		name, check, step, variant string
		change                     func(*contract.Step)
	}{
		{"another vector soon after the start", "lifecycle/comes-back", "start-embed:3s", "other-vector", axis},
		{"no vector soon after the start", "lifecycle/comes-back", "start-embed:3s", "other-vector", empty},
		{"green before there are vectors", "lifecycle/health-at-start", "start-embed:3s", "green-early", empty},
		{"no vector while it ends", "lifecycle/while-stopping", "new:3s", "garbage", empty},
		{"another vector in a batch in flight", "lifecycle/in-flight", "in-flight", "garbage", other},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			rec, err := l.record(t, mutant{name: "edited", only: x.check}, 1)
			if err != nil {
				t.Fatal(err)
			}
			check, ok := l.suite.Check(x.check)
			steps := rec.Trails(stops)[0].Steps
			at := slices.IndexFunc(steps, func(s contract.Step) bool { return s.Name == x.step })
			if !ok || at < 0 {
				t.Fatalf("no check %s, or no step %s of %s", x.check, x.step, stops)
			}
			if cell := l.judge.Target(rec, check); cell.Outcome != contract.Pass {
				t.Fatalf("before anything was changed: %s %s", cell.Variant(), cell.Finding.Observed)
			}
			x.change(&steps[at])
			if cell := l.judge.Target(rec, check); cell.Variant() != x.variant {
				t.Errorf("%s, want %s: %s", cell.Variant(), x.variant, cell.Finding.Observed)
			}
		})
	}
}
