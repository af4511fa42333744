package probe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
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

func TestPanicIsAnErrorOfOneCheck(t *testing.T) {
	r := start(t, suite(
		check("c/panics", func(ctx context.Context, p contract.Prober) error {
			if err := ask("first")(ctx, p); err != nil {
				return err
			}
			panic("of the probe")
		}),
		check("c/fails", func(context.Context, contract.Prober) error { return errors.New("no fixture") }),
		check("c/cannot", func(context.Context, contract.Prober) error { return contract.Inapplicable("it has no key") }),
		check("c/next", ask("next")),
	), nil)
	r.mustAsk(t, "c/panics", "c/fails", "c/cannot", "c/next")
	tr := r.trail(t, "c/panics")
	if !tr.Ended || !strings.Contains(tr.Error, probe.ErrSuite.Error()) || !strings.Contains(tr.Error, "c/panics panicked: of the probe") || names(tr.Steps) != "first" {
		t.Errorf("%+v", tr)
	}
	if tr := r.trail(t, "c/fails"); !tr.Ended || tr.Error != "no fixture" {
		t.Errorf("%+v", tr)
	}
	if tr := r.trail(t, "c/cannot"); !tr.Ended || tr.Error != "" || tr.Inapplicable != "it has no key" {
		t.Errorf("%+v", tr)
	}
	if tr := r.trail(t, "c/next"); !tr.Ended || tr.Error != "" || tr.Inapplicable != "" || names(tr.Steps) != "next" {
		t.Errorf("%+v", tr)
	}
}

func TestRequestsThatCannotBeMade(t *testing.T) {
	r := start(t, suite(check("c/one", func(ctx context.Context, p contract.Prober) error {
		_, err := p.Embed(ctx, "s", contract.Body{"input": func() {}})
		return err
	})), nil)
	r.mustAsk(t, "c/one")
	if tr := r.trail(t, "c/one"); !strings.Contains(tr.Error, probe.ErrSuite.Error()) || len(r.server.asked) != 0 {
		t.Errorf("%+v", tr)
	}
}

// A suite whose own requests are wrong would blame the server for refusing them.
func TestViolationsMustBeDeclared(t *testing.T) {
	valid := func(contentType string, body []byte) []string {
		if contentType != "application/json" || !strings.Contains(string(body), `"input"`) {
			return []string{"input is missing", "and more"}
		}
		return nil
	}
	violating := contract.Body{"input": contract.Absent}
	for _, c := range []struct {
		name  string
		probe func(context.Context, contract.Prober) error
		want  string // of the error; empty: it is asked
	}{
		{"declared", embed(violating, contract.Violates("no input")), ""},
		{"valid", embed(contract.Body{"input": "x"}), ""},
		{"undeclared", embed(violating), "violates the OpenAPI document and does not say so: input is missing; and more"},
		{"declared, and none", embed(contract.Body{"input": "x"}, contract.Violates("no input")), "says that it violates the OpenAPI document (no input), and does not"},
		{"another content type", send(contract.Request{Method: "POST", Path: contract.EmbeddingsPath, ContentType: "text/plain", Body: []byte(`{"input":""}`)}), "violates"},
		{"another route", send(contract.Request{Method: "POST", Path: "/v1/other"}), ""},
		{"another method", send(contract.Request{Method: "GET", Path: contract.EmbeddingsPath}), ""},
	} {
		r := start(t, suite(check("c/one", c.probe), check("c/next", embed(contract.Body{"input": "x"}))), func(p *probe.Config) { p.Valid = valid })
		r.mustAsk(t, "c/one", "c/next")
		tr := r.trail(t, "c/one")
		if c.want == "" {
			if tr.Error != "" || len(tr.Steps) == 0 || tr.Steps[0].Name != "s" {
				t.Errorf("%s: %+v", c.name, tr)
			}
			continue
		}
		if !strings.Contains(tr.Error, probe.ErrSuite.Error()) || !strings.Contains(tr.Error, c.want) || !strings.Contains(tr.Error, "c/one") {
			t.Errorf("%s: %q", c.name, tr.Error)
		}
		if len(tr.Steps) != 0 || len(r.server.asked) != 1 {
			t.Errorf("%s: it was sent all the same", c.name)
		}
	}
}

func embed(b contract.Body, opts ...contract.Option) func(context.Context, contract.Prober) error {
	return func(ctx context.Context, p contract.Prober) error {
		_, err := p.Embed(ctx, "s", b, opts...)
		return err
	}
}

func send(r contract.Request) func(context.Context, contract.Prober) error {
	return func(ctx context.Context, p contract.Prober) error {
		_, err := p.Send(ctx, "s", r)
		return err
	}
}

func TestStillAlive(t *testing.T) {
	for _, c := range []struct {
		name  string
		probe func(context.Context, contract.Prober) error
		want  string
	}{
		{"fine", ask("a", "b"), "a, b"},
		{"refused", ask("say 400"), "say 400, still-alive"},
		{"once, and at the end", ask("say 400", "say 422", "fine"), "say 400, say 422, fine, still-alive"},
		{"redirected", ask("say 307"), "say 307, still-alive"},
		{"failed", ask("say 500"), "say 500, still-alive"},
		{"no answer", ask("say nothing"), "say nothing, still-alive"},
		{"a violation that is served", embed(contract.Body{}, contract.Violates("no input")), "s, still-alive"},
		{"before an error of the probe", func(ctx context.Context, p contract.Prober) error {
			return errors.Join(ask("say 400")(ctx, p), errors.New("gone"))
		}, "say 400, still-alive"},
		{"before a panic", func(ctx context.Context, p contract.Prober) error {
			_ = ask("say 400")(ctx, p)
			panic("gone")
		}, "say 400, still-alive"},
		{"nothing asked", func(context.Context, contract.Prober) error { return nil }, ""},
	} {
		r := start(t, suite(check("c/one", c.probe)), nil)
		r.mustAsk(t, "c/one")
		if got := names(r.trail(t, "c/one").Steps); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A server that died is a finding of the check that killed it, once. Waiting for time-outs in each check after it
// would take hours and blame them all.
func TestDeadServerIsNotAskedAgain(t *testing.T) {
	s := suite(check("c/kills", ask("say 500")), check("c/after", ask("after")), check("c/derived", nil, "c/kills"), check("c/both", ask("both"), "c/after"))
	dead := false
	r := start(t, s, nil)
	r.server.answer = func(body string) contract.Step {
		if dead {
			return contract.Step{Fault: contract.FaultRefused, Detail: "nobody is there"}
		}
		dead = strings.Contains(body, "say 500")
		return says(body)
	}
	r.mustAsk(t, "c/kills", "c/after", "c/derived", "c/both")
	if tr := r.trail(t, "c/kills"); !tr.Ended || tr.Error != "" || names(tr.Steps) != "say 500, still-alive" {
		t.Errorf("%+v", tr)
	}
	for _, id := range []string{"c/after", "c/both"} {
		tr := r.trail(t, id)
		if !tr.Ended || !tr.Unasked || len(tr.Steps) != 0 || !strings.Contains(tr.Error, "since the requests of c/kills") || !strings.Contains(tr.Error, "connection-refused") {
			t.Errorf("%s: %+v", id, tr)
		}
	}
	if tr := r.trail(t, "c/derived"); !tr.Ended || tr.Unasked || tr.Error != "" {
		t.Errorf("a check that asks nothing itself: %+v", tr)
	}
	if len(r.server.asked) != 2 {
		t.Errorf("asked %v", r.server.asked)
	}
}

func TestDriverKnowsThatTheServerDied(t *testing.T) {
	var gone error
	s := suite(check("c/one", ask("one")), check("c/two", ask("two")), check("c/three", ask("three")), check("c/derived", nil, "c/one"))
	r := start(t, s, func(c *probe.Config) { c.Alive = func() error { return gone } })
	r.mustAsk(t, "c/one")
	gone = errors.New("component worker was killed by signal 9")
	r.mustAsk(t, "c/two")
	gone = nil // what died does not come back
	r.mustAsk(t, "c/three", "c/derived")
	for _, id := range []string{"c/two", "c/three"} {
		if tr := r.trail(t, id); tr.Error != "component worker was killed by signal 9" || len(tr.Steps) != 0 || !tr.Ended {
			t.Errorf("%s: %+v", id, tr)
		}
	}
	if tr := r.trail(t, "c/derived"); tr.Error != "" || !tr.Ended {
		t.Errorf("%+v", tr)
	}

	// When it dies within a check, the next ones are told why.
	r = start(t, suite(check("c/one", ask("say nothing")), check("c/two", ask("two"))), func(c *probe.Config) { c.Alive = func() error { return gone } })
	r.server.answer = func(string) contract.Step {
		gone = errors.New("component worker exited with status 1")
		return contract.Step{Fault: contract.FaultClosed}
	}
	gone = nil
	r.mustAsk(t, "c/one", "c/two")
	if tr := r.trail(t, "c/two"); !strings.Contains(tr.Error, "c/one") || !strings.Contains(tr.Error, "exited with status 1") {
		t.Errorf("%+v", tr)
	}
}

func TestLogsOfFailures(t *testing.T) {
	many := func(n int) []recording.LogLine {
		var out []recording.LogLine
		for i := range n {
			out = append(out, recording.LogLine{Component: "server", Text: fmt.Sprint("line ", i)})
		}
		return out
	}
	for _, c := range []struct {
		name        string
		probe       func(context.Context, contract.Prober) error
		printed     int
		first, last string
		kept        int
	}{
		{"a server error", ask("say 500"), 3, "line 0", "line 2", 3},
		{"another server error", ask("say 503", "fine"), 1, "line 0", "line 0", 1},
		{"no answer", ask("say nothing"), 2, "line 0", "line 1", 2},
		{"many lines", ask("say 500"), probe.MaxLogLines + 5, "line 5", fmt.Sprint("line ", probe.MaxLogLines+4), probe.MaxLogLines},
		{"just so many", ask("say 500"), probe.MaxLogLines, "line 0", fmt.Sprint("line ", probe.MaxLogLines-1), probe.MaxLogLines},
		{"none printed", ask("say 500"), 0, "", "", 0},
		{"a client fault", ask("say 400"), 3, "", "", 0},
		{"fine", ask("fine"), 3, "", "", 0},
	} {
		var since time.Time
		r := start(t, suite(check("c/one", c.probe)), func(p *probe.Config) {
			p.Logs = func(at time.Time) []recording.LogLine { since = at; return many(c.printed) }
		})
		before := time.Now()
		r.mustAsk(t, "c/one")
		tr := r.trail(t, "c/one")
		if len(tr.Logs) != c.kept {
			t.Errorf("%s: %d lines are kept, want %d", c.name, len(tr.Logs), c.kept)
			continue
		}
		if c.kept == 0 {
			continue
		}
		if tr.Logs[0].Text != c.first || tr.Logs[c.kept-1].Text != c.last {
			t.Errorf("%s: from %q to %q", c.name, tr.Logs[0].Text, tr.Logs[c.kept-1].Text)
		}
		if since.Before(before) || since.After(tr.Steps[0].Sent) {
			t.Errorf("%s: lines since %v, the check was asked at %v", c.name, since, tr.Steps[0].Sent)
		}
	}
}

// The last lines of a traceback are those of the web framework; the line that names the error stands above them.
func TestLogsThatSayWhy(t *testing.T) {
	lines := func(special map[int]string) []recording.LogLine {
		var out []recording.LogLine
		for i := range 30 {
			text := fmt.Sprint("line ", i)
			if s, ok := special[i]; ok {
				text = s
			}
			out = append(out, recording.LogLine{Component: "server", Text: text})
		}
		return out
	}
	long := "ValueError: " + strings.Repeat("x", 5000)
	for _, c := range []struct {
		name    string
		special map[int]string
		want    []string
	}{
		{"an error that is named", map[int]string{3: "ValueError: dimensions", 2: "INFO a request"}, []string{"ValueError: dimensions"}},
		{"an error that is marked", map[int]string{9: "ERROR 12:00 failed"}, []string{"ERROR 12:00 failed"}},
		{"both, in the order in which they were printed", map[int]string{4: "ERROR 12:00 failed", 8: "torch.OutOfMemoryError: no room"}, []string{"ERROR 12:00 failed", "torch.OutOfMemoryError: no room"}},
		{"a long one", map[int]string{3: long}, []string{long[:600] + "…"}},
	} {
		r := start(t, suite(check("c/one", ask("say 500"))), func(p *probe.Config) {
			p.Logs = func(time.Time) []recording.LogLine { return lines(c.special) }
		})
		r.mustAsk(t, "c/one")
		var got []string
		for _, l := range r.trail(t, "c/one").Logs {
			got = append(got, l.Text)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q", c.name, got)
		}
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

func TestCancelled(t *testing.T) {
	why := errors.New("the user has gone home")
	ctx, cancel := context.WithCancelCause(context.Background())
	s := suite(
		check("c/cut", func(ctx context.Context, p contract.Prober) error {
			if err := ask("say 400")(ctx, p); err != nil {
				return err
			}
			cancel(why)
			_, err := p.Embed(ctx, "never", contract.Body{"input": "x"})
			_ = err // a probe that swallows it must not hide it
			return nil
		}),
		check("c/next", ask("next")), check("c/derived", nil, "c/cut"),
	)
	r := start(t, s, nil)
	if err := r.Ask(ctx, "c/cut"); !errors.Is(err, why) {
		t.Error(err)
	}
	if tr := r.trail(t, "c/cut"); tr.Ended || names(tr.Steps) != "say 400" {
		t.Errorf("%+v", tr)
	}
	for _, id := range []string{"c/next", "c/derived"} {
		if err := r.Ask(ctx, id); !errors.Is(err, why) || len(r.rec.Trails(id)) != 0 {
			t.Errorf("%s: %v, %d rounds", id, err, len(r.rec.Trails(id)))
		}
	}
	if _, err := r.Discover(ctx); !errors.Is(err, why) {
		t.Error("Discover:", err)
	}
	if len(r.server.asked) != 1 {
		t.Errorf("asked %v", r.server.asked)
	}
}

// An asker that cannot ask at all says nothing of the server, so the run ends even if the probe looks away.
func TestAskerThatFailsEndsTheRun(t *testing.T) {
	why := errors.New("no such proxy")
	r := start(t, suite(check("c/one", func(ctx context.Context, p contract.Prober) error {
		_ = ask("x")(ctx, p)
		return nil
	})), func(c *probe.Config) { c.Asker = broken{why} })
	if err := r.Ask(context.Background(), "c/one"); !errors.Is(err, why) || len(r.rec.Trails("c/one")) != 0 {
		t.Errorf("%v, %d rounds", err, len(r.rec.Trails("c/one")))
	}
}

type broken struct{ why error }

func (b broken) Do(context.Context, contract.Request) (contract.Step, error) {
	return contract.Step{}, b.why
}

// fills is a disk with room for a number of lines.
type fills struct{ room int }

var errFull = errors.New("no space left on device")

func (f *fills) Write(b []byte) (int, error) {
	if f.room--; f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestRecordingThatCannotBeWrittenEndsTheRun(t *testing.T) {
	s := suite(check("c/one", func(ctx context.Context, p contract.Prober) error {
		_ = ask("say 500")(ctx, p) // a probe that swallows it must not hide it
		return nil
	}), check("c/derived", nil, "c/one"))
	// In order: header, exchange, still-alive, log, end.
	for room := 1; room < 5; room++ {
		w, err := recording.To(&fills{room: room}, io.Discard, recording.Header{}, "")
		if err != nil {
			t.Fatal(err)
		}
		r := start(t, s, func(c *probe.Config) {
			c.Record = w
			c.Logs = func(time.Time) []recording.LogLine { return []recording.LogLine{{Text: "why"}} }
		})
		if err := r.Ask(context.Background(), "c/one"); !errors.Is(err, errFull) {
			t.Errorf("room for %d lines: %v", room, err)
		}
		asked := len(r.server.asked)
		if err := r.Ask(context.Background(), "c/derived"); !errors.Is(err, errFull) {
			t.Errorf("room for %d lines, the next check: %v", room, err)
		}
		if len(r.server.asked) != asked {
			t.Errorf("room for %d lines: the server was asked again", room)
		}
		if tr := r.rec.Trails("c/one"); len(tr) > 0 && tr[0].Ended {
			t.Errorf("room for %d lines: the check has an end", room)
		}
	}
	w, _ := recording.To(&fills{room: 1}, io.Discard, recording.Header{}, "")
	r := start(t, s, func(c *probe.Config) { c.Record = w })
	if _, err := r.Discover(context.Background()); !errors.Is(err, errFull) {
		t.Error("Discover:", err)
	}
	if err := r.Follow(contract.Plan{}); !errors.Is(err, errFull) {
		t.Error("Follow:", err)
	}
}
