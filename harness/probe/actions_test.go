package probe_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/probe"
)

// gate answers when so many requests are there at the same time.
type gate struct {
	mu      sync.Mutex
	waiting int
	open    chan struct{}
	need    int
}

func (g *gate) Do(ctx context.Context, r contract.Request) (contract.Step, error) {
	g.mu.Lock()
	g.waiting++
	if g.waiting == g.need {
		close(g.open)
	}
	g.mu.Unlock()
	select {
	case <-g.open:
	case <-time.After(5 * time.Second):
		return contract.Step{Request: r, Fault: contract.FaultTimeout}, nil
	case <-ctx.Done():
		return contract.Step{}, context.Cause(ctx)
	}
	return contract.Step{Request: r, Status: 200, Body: []byte(fmt.Sprintf(`{"asked":%q}`, r.Path))}, nil
}

// Requests that are asked together are under way at the same time, and are recorded in the order in which the check
// names them.
func TestTogether(t *testing.T) {
	const n = 20
	g := &gate{open: make(chan struct{}), need: n}
	var got []contract.Step
	r := start(t, suite(check("c/a", func(ctx context.Context, p contract.Prober) error {
		var asks []contract.Ask
		for i := range n - 2 {
			asks = append(asks, contract.Ask{Step: fmt.Sprintf("s:%d", i), Body: contract.Body{"input": "x"}, Options: []contract.Option{contract.Header("X-N", fmt.Sprint(i))}})
		}
		asks = append(asks, contract.Ask{Step: "get", Request: &contract.Request{Method: "GET", Path: "/health"}, Options: []contract.Option{contract.Keep()}},
			contract.Ask{Step: "late", After: 20 * time.Millisecond, Request: &contract.Request{Method: "GET", Path: "/late"}},
			contract.Ask{Step: "pause", Action: contract.Wait(time.Millisecond)})
		var err error
		got, err = p.Together(ctx, asks)
		return err
	})), func(c *probe.Config) { c.Asker = g })
	r.mustAsk(t, "c/a")
	steps := r.trail(t, "c/a").Steps
	if len(steps) != n+1 || len(got) != n+1 {
		t.Fatalf("%d steps, %d returned", len(steps), len(got))
	}
	for i := range n - 2 {
		if s := steps[i]; s.Name != fmt.Sprintf("s:%d", i) || s.Request.Header["X-N"] != fmt.Sprint(i) || s.Status != 200 || s.Check != "c/a" {
			t.Errorf("step %d: %+v", i, s)
		}
	}
	if s := steps[n-2]; s.Name != "get" || !s.Request.Keep || s.Request.Path != "/health" {
		t.Errorf("%+v", s)
	}
	if s := steps[n]; s.Name != "pause" || s.Request.Action != "wait 1ms" || s.Status != 0 || s.Fault != "" {
		t.Errorf("%+v", s)
	}
}

// order notes what happens, and answers everything.
type order struct {
	mu   sync.Mutex
	what []string
}

func (o *order) add(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.what = append(o.what, what)
}

func (o *order) Do(_ context.Context, r contract.Request) (contract.Step, error) {
	o.add(r.Path)
	return contract.Step{Request: r, Status: 200, Body: []byte("{}")}, nil
}

// What is to follow another step is sent when that one has ended, however long it took.
func TestTogetherInOrder(t *testing.T) {
	seen := &order{}
	r := start(t, suite(check("c/a", func(ctx context.Context, p contract.Prober) error {
		_, err := p.Together(ctx, []contract.Ask{
			{Step: "slow", Action: contract.StopWorker},
			{Step: "after", Behind: "slow", Request: &contract.Request{Method: "GET", Path: "/after"}},
			{Step: "later", Behind: "after", After: time.Millisecond, Request: &contract.Request{Method: "GET", Path: "/later"}},
		})
		return err
	}), check("c/wrong", func(ctx context.Context, p contract.Prober) error {
		_, err := p.Together(ctx, []contract.Ask{{Step: "a", Behind: "b", Body: contract.Body{"input": "x"}}, {Step: "b", Body: contract.Body{"input": "x"}}})
		return err
	})), func(c *probe.Config) {
		c.Act = func(context.Context, contract.Action) ([]byte, error) {
			time.Sleep(20 * time.Millisecond)
			seen.add("stopped")
			return nil, nil
		}
		c.Asker = seen
	})
	r.mustAsk(t, "c/a", "c/wrong")
	if got := strings.Join(seen.what, " "); got != "stopped /after /later" {
		t.Errorf("in this order: %s", got)
	}
	if e := r.trail(t, "c/wrong").Error; !strings.Contains(e, `step a is to follow "b"`) {
		t.Errorf("a step before what it follows: error %q", e)
	}
}

func TestTogetherHoldsToTheDocument(t *testing.T) {
	r := start(t, suite(check("c/a", func(ctx context.Context, p contract.Prober) error {
		_, err := p.Together(ctx, []contract.Ask{{Step: "fine", Body: contract.Body{"input": "x"}}, {Step: "bad", Body: contract.Body{"input": "bad"}}})
		return err
	})), func(c *probe.Config) {
		c.Valid = func(_ string, body []byte) []string {
			if strings.Contains(string(body), "bad") {
				return []string{"no"}
			}
			return nil
		}
		c.Asker = &gate{open: make(chan struct{}), need: 1}
	})
	r.mustAsk(t, "c/a")
	if e := r.trail(t, "c/a").Error; !strings.Contains(e, "step bad of c/a violates") {
		t.Errorf("error %q", e)
	}
}

func TestActions(t *testing.T) {
	var done []contract.Action
	probeOf := func(a contract.Action) func(context.Context, contract.Prober) error {
		return func(ctx context.Context, p contract.Prober) error {
			s, err := p.Do(ctx, "done", a)
			if err == nil && s.Fault == "" && string(s.Body) != "did it" && a != contract.Wait(time.Hour) {
				return fmt.Errorf("output %q", s.Body)
			}
			return err
		}
	}
	r := start(t, suite(check("c/stop", probeOf(contract.StopWorker)), check("c/fails", probeOf(contract.KillWorker)),
		check("c/cannot", probeOf(contract.StartWorker)), check("c/waits", probeOf(contract.Wait(time.Hour)))), func(c *probe.Config) {
		c.Act = func(_ context.Context, a contract.Action) ([]byte, error) {
			done = append(done, a)
			switch a {
			case contract.KillWorker:
				return nil, errors.New("it would not die")
			case contract.StartWorker:
				return nil, contract.Inapplicable("nothing to start")
			}
			return []byte("did it"), nil
		}
		c.Pause = func(_ context.Context, d time.Duration) error { done = append(done, contract.Wait(d)); return nil }
	})
	r.mustAsk(t, "c/stop", "c/fails", "c/cannot", "c/waits")
	if fmt.Sprint(done) != "[stop worker kill worker start worker wait 1h0m0s]" {
		t.Errorf("done: %v", done)
	}
	if s := r.trail(t, "c/stop"); len(s.Steps) != 1 || string(s.Steps[0].Body) != "did it" || s.Error != "" {
		t.Errorf("%+v", s)
	}
	if s := r.trail(t, "c/fails"); len(s.Steps) != 1 || s.Steps[0].Fault != contract.FaultAction || s.Steps[0].Detail != "it would not die" || s.Error != "" {
		t.Errorf("%+v", s)
	}
	if s := r.trail(t, "c/cannot"); len(s.Steps) != 0 || s.Inapplicable != "nothing to start" {
		t.Errorf("%+v", s)
	}
	if len(r.server.asked) != 0 {
		t.Errorf("an action is no reason to ask whether the server still answers: %v", r.server.asked)
	}
	bare := start(t, suite(check("c/stop", probeOf(contract.StopWorker))), nil)
	bare.mustAsk(t, "c/stop")
	if s := bare.trail(t, "c/stop"); !strings.Contains(s.Inapplicable, "can only ask it") {
		t.Errorf("%+v", s)
	}
}

// A check that disrupts its server has one of its own, and so has whatever is asked after it.
func TestDisruptedServersAreReplaced(t *testing.T) {
	disrupts := func(id string) contract.Check {
		c := check(id, ask("say nothing"))
		c.Disrupts, c.Extended = true, true
		return c
	}
	s := suite(check("c/first", ask("one")), disrupts("c/breaks"), disrupts("c/breaks-too"), check("c/after", ask("two")),
		contract.Check{ID: "c/reads", Reads: []string{"c/breaks"}})
	var servers []*server
	renew := func(context.Context) (probe.Server, error) {
		srv := &server{answer: says}
		servers = append(servers, srv)
		return probe.Server{Asker: srv}, nil
	}
	r := start(t, s, func(c *probe.Config) { c.Renew = renew })
	r.mustAsk(t, "c/first", "c/reads", "c/breaks-too", "c/after")
	if len(servers) != 3 {
		t.Fatalf("%d servers were started, want one for each of two checks and one for what follows", len(servers))
	}
	if len(r.server.asked) != 1 || len(servers[0].asked) != 1 || len(servers[2].asked) != 1 {
		t.Errorf("asked: %v, %v, %v, %v", r.server.asked, servers[0].asked, servers[1].asked, servers[2].asked)
	}
	for _, step := range r.trail(t, "c/breaks").Steps {
		if step.Name == contract.StillAlive {
			t.Error("a server that was to be broken was asked whether it still answers")
		}
	}
	alone := start(t, s, nil)
	alone.mustAsk(t, "c/breaks", "c/after")
	if why := alone.trail(t, "c/breaks").Inapplicable; !strings.Contains(why, "cannot start another one") {
		t.Errorf("reason %q", why)
	}
	if after := alone.trail(t, "c/after"); len(after.Steps) != 1 || after.Error != "" {
		t.Errorf("%+v", after)
	}
	failing := start(t, s, func(c *probe.Config) {
		c.Renew = func(context.Context) (probe.Server, error) { return probe.Server{}, errors.New("no memory") }
	})
	failing.mustAsk(t, "c/breaks", "c/after")
	for _, id := range []string{"c/breaks", "c/after"} {
		if e := failing.trail(t, id); !strings.Contains(e.Error, "did not start again: no memory") || !e.Unasked {
			t.Errorf("%s: %+v", id, e)
		}
	}
}

// A plain request after a heavy one waits as long as that did: a server that is busy is not dead.
func TestPatienceIsForTheAftermathToo(t *testing.T) {
	r := start(t, suite(check("c/heavy", func(ctx context.Context, p contract.Prober) error {
		_, err := p.Embed(ctx, "heavy", contract.Body{"input": "say 503"}, contract.Patience(3*time.Minute))
		return err
	})), nil)
	r.mustAsk(t, "c/heavy")
	steps := r.trail(t, "c/heavy").Steps
	if len(steps) != 2 || steps[1].Name != contract.StillAlive || steps[1].Request.Patience != 3*time.Minute {
		t.Errorf("%+v", steps)
	}
}

// A long body without a recipe would stand in recordings in full.
func TestLongBodiesNeedARecipe(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for recipe, fault := range map[string]string{"": "and no recipe", "200 KiB of x": ""} {
		r := start(t, suite(check("c/long", func(ctx context.Context, p contract.Prober) error {
			_, err := p.Embed(ctx, "long", contract.Body{"input": long}, contract.Recipe(recipe))
			return err
		})), nil)
		r.mustAsk(t, "c/long")
		if e := r.trail(t, "c/long").Error; fault == "" && e != "" || !strings.Contains(e, fault) {
			t.Errorf("recipe %q: %q", recipe, e)
		}
	}
}

// A server that limits requests is not dead of the one before.
func TestALimitIsNoDeath(t *testing.T) {
	for header, dead := range map[string]bool{"": true, "1": false} {
		r := start(t, suite(check("c/a", ask("say 422")), check("c/b", ask("fine"))), func(c *probe.Config) {
			c.Asker = &server{answer: func(body string) contract.Step {
				if strings.Contains(body, "anybody") {
					s := contract.Step{Status: 503}
					if header != "" {
						s.Header = map[string][]string{"Retry-After": {header}}
					}
					return s
				}
				return says(body)
			}}
		})
		r.mustAsk(t, "c/a", "c/b")
		if unasked := r.trail(t, "c/b").Unasked; unasked != dead {
			t.Errorf("Retry-After %q: the next check was asked: %v", header, !unasked)
		}
	}
}
