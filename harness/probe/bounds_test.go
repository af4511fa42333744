package probe_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/probe"
)

// crowd is an Asker for requests at the same time.
type crowd struct {
	answer func(body string) contract.Step

	mu     sync.Mutex
	shares []int64 // of the memory, by request
}

func (c *crowd) Do(_ context.Context, r contract.Request) (contract.Step, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shares = append(c.shares, r.Share)
	step := c.answer(string(r.Body))
	step.Request, step.Sent = r, time.Now()
	return step, nil
}

// begin starts an engine on a server, and asks its facts.
func begin(t *testing.T, s contract.Suite, answer func(string) contract.Step, change func(*probe.Config)) run {
	t.Helper()
	r := start(t, s, func(c *probe.Config) {
		c.Asker = &crowd{answer: answer}
		if change != nil {
			change(c)
		}
	})
	if _, err := r.Discover(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := r.Follow(contract.NewPlan("t", contract.Facts{}, contract.Corpus{Name: "texts"})); err != nil {
		t.Fatal(err)
	}
	return r
}

// A server that answers every plain request and leaves others waiting is found out all the same.
func TestRunThatWaitsEnds(t *testing.T) {
	const checks = 40
	var all []contract.Check
	for i := range checks {
		all = append(all, check(fmt.Sprintf("c/%d", i), ask("hang 1", "hang 2", "hang 3")))
	}
	all = append(all, check("c/derived", nil, "c/0"))
	asked := 0
	r := begin(t, suite(all...), func(body string) contract.Step {
		if strings.Contains(body, "hang") {
			asked++
			return contract.Step{Fault: contract.FaultTimeout, Detail: "no complete answer within 60s"}
		}
		return says(body)
	}, nil)
	for _, c := range all {
		r.mustAsk(t, c.ID)
	}
	if asked != probe.MaxLost {
		t.Errorf("%d requests were left waiting, expected %d", asked, probe.MaxLost)
	}
	const whole = probe.MaxLost / 2 // two of each
	for i := range checks {
		switch tr := r.trail(t, fmt.Sprintf("c/%d", i)); {
		case i < whole && (tr.Unasked || tr.Error != "" || !tr.Ended):
			t.Errorf("check %d, which was asked: %+v", i, tr)
		case i >= whole && (!tr.Unasked || !strings.Contains(tr.Error, "30 requests got no complete answer in time") || len(tr.Steps) != 0):
			t.Errorf("check %d: %+v", i, tr)
		}
	}
	if tr := r.trail(t, "c/derived"); tr.Unasked || tr.Error != "" || !tr.Ended {
		t.Errorf("what asks nothing itself: %+v", tr)
	}
}

// Requests that wait side by side are waited for once.
func TestWaitingSideBySideCountsOnce(t *testing.T) {
	together := func(ctx context.Context, p contract.Prober) error {
		var asks []contract.Ask
		for i := range 2 * probe.MaxLost {
			asks = append(asks, contract.Ask{Step: fmt.Sprintf("s:%d", i), Body: contract.Body{"input": "hang"}})
		}
		_, err := p.Together(ctx, asks)
		return err
	}
	r := begin(t, suite(check("c/many", together), check("c/next", ask("next"))), func(body string) contract.Step {
		if strings.Contains(body, "hang") {
			return contract.Step{Fault: contract.FaultTimeout}
		}
		return says(body)
	}, nil)
	r.mustAsk(t, "c/many", "c/next")
	if tr := r.trail(t, "c/next"); tr.Unasked || tr.Error != "" || names(tr.Steps) != "next" {
		t.Errorf("%+v", tr)
	}
}

func TestTimeLimitOfARun(t *testing.T) {
	const limit = time.Millisecond
	pass := func(ctx context.Context, p contract.Prober) error {
		time.Sleep(2 * limit)
		return ask("second")(ctx, p)
	}
	for _, c := range []struct {
		limit time.Duration
		over  bool
	}{{limit, true}, {-1, false}, {0, false}} {
		r := begin(t, suite(check("c/slow", pass), check("c/next", ask("next"))), says, func(p *probe.Config) { p.Limit = c.limit })
		r.mustAsk(t, "c/slow", "c/next")
		slow, next := r.trail(t, "c/slow"), r.trail(t, "c/next")
		if got := strings.Contains(slow.Error, "time limit of 1ms") && len(slow.Steps) == 0 || slow.Unasked; got != c.over {
			t.Errorf("limit %s, the check during which it is over: %+v", c.limit, slow)
		}
		if next.Unasked != c.over || c.over != strings.Contains(next.Error, "--time-limit") {
			t.Errorf("limit %s, the next check: %+v", c.limit, next)
		}
	}
}

// A recording that is full ends the run; the check whose answers may be cut has no verdict.
func TestRecordingThatIsFullEndsTheRun(t *testing.T) {
	const room = 100 << 10
	long := strings.Repeat("x", room)
	r := begin(t, suite(check("c/one", ask("one")), check("c/long", ask("long 1", "long 2", "long 3")), check("c/next", ask("next"))), func(body string) contract.Step {
		if strings.Contains(body, "long") {
			return contract.Step{Status: 200, Body: []byte(long)}
		}
		return says(body)
	}, func(c *probe.Config) { c.Room = room })
	r.mustAsk(t, "c/one", "c/long", "c/next")
	if tr := r.trail(t, "c/one"); tr.Error != "" {
		t.Errorf("before: %+v", tr)
	}
	const why = "answers take more than"
	if tr := r.trail(t, "c/long"); names(tr.Steps) != "long 1" || !strings.Contains(tr.Error, why) || tr.Unasked {
		t.Errorf("%s: %s, unasked %t", names(tr.Steps), tr.Error, tr.Unasked)
	}
	if tr := r.trail(t, "c/next"); !tr.Unasked || !strings.Contains(tr.Error, why) || len(tr.Steps) != 0 {
		t.Errorf("after: %+v", tr)
	}
}

// Answers that are held in memory together are each shorter, the more there are; of one alone nothing is asked.
func TestAnswersAtOnceShareTheMemory(t *testing.T) {
	for n, want := range map[int]int64{2: 128 << 20 / 3, 256: 1 << 20} {
		c := &crowd{answer: says}
		r := start(t, suite(check("c/one", func(ctx context.Context, p contract.Prober) error {
			if err := ask("alone")(ctx, p); err != nil {
				return err
			}
			_, err := p.Together(ctx, make([]contract.Ask, n))
			return err
		})), func(p *probe.Config) { p.Asker = c })
		r.mustAsk(t, "c/one")
		if shares := c.shares; len(shares) != n+1 || shares[0] != 0 || shares[1] != want || shares[n] != want {
			t.Errorf("%d: %v, expected %d each", n, shares, want)
		}
	}
}
