package probe_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/probe"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// server is an Asker. It keeps the bodies that it was asked, and answers by the function, or with an embedding.
type server struct {
	asked  []string
	answer func(body string) contract.Step
}

const embedding = `{"data":[{"index":0,"embedding":[1,2]}],"usage":{"prompt_tokens":1}}`

func (s *server) Do(ctx context.Context, r contract.Request) (contract.Step, error) {
	if err := ctx.Err(); err != nil {
		return contract.Step{}, context.Cause(ctx)
	}
	s.asked = append(s.asked, string(r.Body))
	step := contract.Step{Status: 200, Body: []byte(embedding)}
	if s.answer != nil {
		step = s.answer(string(r.Body))
	}
	step.Request, step.Sent = r, time.Now()
	return step, nil
}

// says answers a request with the status that its text asks for.
func says(body string) contract.Step {
	for _, status := range []int{400, 422, 500, 503, 307} {
		if strings.Contains(body, fmt.Sprintf("say %d", status)) {
			return contract.Step{Status: status}
		}
	}
	if strings.Contains(body, "say nothing") {
		return contract.Step{Fault: contract.FaultClosed, Detail: "EOF"}
	}
	return contract.Step{Status: 200, Body: []byte(embedding)}
}

// ask is a probe of one request; its step has the name of its text.
func ask(texts ...string) func(context.Context, contract.Prober) error {
	return func(ctx context.Context, p contract.Prober) error {
		for _, text := range texts {
			if _, err := p.Embed(ctx, text, contract.Body{"input": text}); err != nil {
				return err
			}
		}
		return nil
	}
}

func check(id string, probe func(context.Context, contract.Prober) error, reads ...string) contract.Check {
	return contract.Check{ID: id, Probe: probe, Reads: reads}
}

func suite(checks ...contract.Check) contract.Suite {
	return contract.Suite{
		Facts: contract.FactFinder{
			Probe: ask("plain"),
			Derive: func(declared contract.Facts, e contract.Evidence) contract.Facts {
				v, _ := e.Step("plain").One()
				declared.Dimensions = len(v)
				return declared
			},
		},
		Behaviours: []contract.Behaviour{{Stem: "c", Checks: checks}},
		Corpus:     contract.Corpus{Name: "texts", Documents: []contract.Text{{ID: "1", Text: "one"}}},
	}
}

type run struct {
	*probe.Engine
	server *server
	rec    *recording.Recording
}

// start makes an engine; change adjusts what it works with.
func start(t *testing.T, s contract.Suite, change func(*probe.Config)) run {
	t.Helper()
	w, err := recording.InMemory(recording.Header{Target: recording.Target{Name: "t", Model: "m"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	srv := &server{answer: says}
	c := probe.Config{Suite: s, Asker: srv, Record: w, Model: "m", Declared: contract.Facts{MaxTokens: 7}}
	if change != nil {
		change(&c)
	}
	return run{Engine: probe.New(c), server: srv, rec: c.Record.Recording()}
}

func (r run) mustAsk(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := r.Ask(context.Background(), id); err != nil {
			t.Fatalf("%s: %v", id, err)
		}
	}
}

// trail is the only round of a check.
func (r run) trail(t *testing.T, id string) *recording.Trail {
	t.Helper()
	trails := r.rec.Trails(id)
	if len(trails) != 1 {
		t.Fatalf("%s has %d rounds", id, len(trails))
	}
	return trails[0]
}

func names(steps []contract.Step) string {
	var out []string
	for _, s := range steps {
		out = append(out, s.Name)
	}
	return strings.Join(out, ", ")
}

func TestDiscover(t *testing.T) {
	var during contract.Facts
	s := suite(check("c/one", func(_ context.Context, p contract.Prober) error { during = p.Facts(); return nil }))
	var first contract.Facts
	s.Facts.Probe = func(ctx context.Context, p contract.Prober) error {
		first = p.Facts()
		if err := ask("plain")(ctx, p); err != nil {
			return err
		}
		if got := names(p.Read(contract.FactsID).Steps); got != "plain" {
			t.Errorf("a facts probe reads %q of itself", got)
		}
		return nil
	}
	r := start(t, s, nil)
	f, err := r.Discover(context.Background())
	if err != nil || f.Dimensions != 2 || f.MaxTokens != 7 || f.Model != "m" {
		t.Errorf("%+v, %v", f, err)
	}
	if first.MaxTokens != 7 || first.Dimensions != 0 || first.Model != "m" {
		t.Errorf("before anything was asked: %+v", first)
	}
	r.mustAsk(t, "c/one")
	if during.Dimensions != 2 {
		t.Errorf("a check sees %+v", during)
	}
	if trail := r.trail(t, contract.FactsID); !trail.Ended || names(trail.Steps) != "plain" {
		t.Errorf("%+v", trail)
	}
}

func TestFollow(t *testing.T) {
	var seen contract.Plan
	r := start(t, suite(check("c/one", func(_ context.Context, p contract.Prober) error { seen = p.Plan(); return nil })), nil)
	plan := contract.NewPlan("reference", contract.Facts{Dimensions: 9}, contract.Corpus{Name: "x", Documents: []contract.Text{{Text: "t"}}})
	if err := r.Follow(plan); err != nil {
		t.Fatal(err)
	}
	r.mustAsk(t, "c/one")
	if seen.Key(nil) != plan.Key(nil) || len(seen.Texts().Documents) != 1 || r.rec.Plan.Key(nil) != plan.Key(nil) || len(r.rec.Plan.Texts().Documents) != 0 {
		t.Errorf("seen %+v, recorded %+v", seen, r.rec.Plan)
	}
}

func TestReadsAreAskedFirstAndOnce(t *testing.T) {
	var read string
	s := suite(
		check("c/top", func(ctx context.Context, p contract.Prober) error {
			read = names(p.Read("c/left").Steps) + " and " + names(p.Read("c/right").Steps)
			return ask("top")(ctx, p)
		}, "c/left", "c/right"),
		check("c/left", ask("left"), "c/base"), check("c/right", ask("right"), "c/base"), check("c/base", ask("base")),
	)
	r := start(t, s, nil)
	r.mustAsk(t, "c/top", "c/base", "c/top", "c/right")
	var order []string
	for _, b := range r.server.asked {
		order = append(order, strings.Split(b, `"`)[3])
	}
	if got := strings.Join(order, " "); got != "base left right top" {
		t.Error("asked", got)
	}
	if read != "left and right" {
		t.Error("read", read)
	}
	for _, id := range []string{"c/top", "c/left", "c/right", "c/base"} {
		if tr := r.trail(t, id); len(tr.Steps) != 1 || !tr.Ended || tr.Error != "" || tr.Steps[0].Check != id {
			t.Errorf("%s: %+v", id, tr)
		}
	}
	if err := r.Ask(context.Background(), "c/nought"); !errors.Is(err, probe.ErrSuite) {
		t.Error("a check that does not exist:", err)
	}
}

func TestModelIsSent(t *testing.T) {
	r := start(t, suite(check("c/one", func(ctx context.Context, p contract.Prober) error {
		_, err := p.Embed(ctx, "plain", contract.Body{"input": "x"})
		_, err2 := p.Embed(ctx, "none", contract.Body{"input": "x", "model": contract.Absent})
		return errors.Join(err, err2)
	})), nil)
	r.mustAsk(t, "c/one")
	if got := strings.Join(r.server.asked, " "); got != `{"input":"x","model":"m"} {"input":"x"}` {
		t.Error(got)
	}
	if s := r.trail(t, "c/one").Steps[0]; s.Request.Method != "POST" || s.Request.Path != "/v1/embeddings" || s.Request.ContentType != "application/json" {
		t.Errorf("%+v", s.Request)
	}
}

func TestRounds(t *testing.T) {
	n := 0
	var read []string
	s := suite(
		check("c/base", func(ctx context.Context, p contract.Prober) error {
			n++
			return ask(fmt.Sprint("round ", n))(ctx, p)
		}),
		check("c/top", func(_ context.Context, p contract.Prober) error {
			read = append(read, names(p.Read("c/base").Steps))
			return nil
		}, "c/base"),
		check("c/derived", nil, "c/base"),
	)
	r := start(t, s, func(c *probe.Config) { c.Rounds = 3 })
	if _, err := r.Discover(context.Background()); err != nil {
		t.Fatal(err)
	}
	r.mustAsk(t, "c/top", "c/derived")
	if got := strings.Join(read, "; "); got != "round 1; round 2; round 3" {
		t.Error("read", got)
	}
	for id, want := range map[string]int{contract.FactsID: 1, "c/base": 3, "c/top": 3, "c/derived": 3} {
		trails := r.rec.Trails(id)
		if len(trails) != want {
			t.Errorf("%s has %d rounds", id, len(trails))
			continue
		}
		for i, tr := range trails {
			if tr.Round != i || !tr.Ended {
				t.Errorf("%s, round %d: %+v", id, i, tr)
			}
		}
	}
}

var errFull = errors.New("no space left on device")
