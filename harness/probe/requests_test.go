package probe_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/probe"
)

func TestPanicIsAnErrorOfOneCheck(t *testing.T) {
	needy := check("c/needs", ask("never"))
	needy.Needs = func(f contract.Facts) error {
		if f.Dimensions == 9 {
			return nil
		}
		return contract.Inapplicable("no vector of 9 numbers")
	}
	r := start(t, suite(
		check("c/panics", func(ctx context.Context, p contract.Prober) error {
			if err := ask("first")(ctx, p); err != nil {
				return err
			}
			panic("of the probe")
		}),
		check("c/fails", func(context.Context, contract.Prober) error { return errors.New("no fixture") }),
		check("c/cannot", func(context.Context, contract.Prober) error { return contract.Inapplicable("it has no key") }),
		needy,
		check("c/next", ask("next")),
	), nil)
	r.mustAsk(t, "c/panics", "c/fails", "c/cannot", "c/needs", "c/next")
	if tr := r.trail(t, "c/needs"); !tr.Ended || tr.Inapplicable != "no vector of 9 numbers" || len(tr.Steps) != 0 {
		t.Errorf("%+v", tr)
	}
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
