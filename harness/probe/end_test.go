package probe_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/probe"
	"github.com/embedcontract/embedcontract/harness/recording"
)

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

// A server that hangs costs a few time-outs for each check, not one for each text. What was recorded is the finding,
// and the plain request afterwards is asked all the same.
func TestServerThatHangsIsNotAskedToTheEnd(t *testing.T) {
	texts := []string{"hang 1", "hang 2", "hang 3", "hang 4", "hang 5"}
	r := start(t, suite(check("c/many", ask(texts...)), check("c/next", ask("next"))), func(p *probe.Config) {
		p.Asker = &server{answer: func(body string) contract.Step {
			if strings.Contains(body, "hang") {
				return contract.Step{Fault: contract.FaultTimeout, Detail: "no complete answer within 1s"}
			}
			return says(body)
		}}
	})
	if _, err := r.Discover(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := r.Follow(contract.NewPlan("t", contract.Facts{}, contract.Corpus{Name: "texts"})); err != nil {
		t.Fatal(err)
	}
	r.mustAsk(t, "c/many", "c/next")
	many := r.trail(t, "c/many")
	hung := 0
	for _, s := range many.Steps {
		if s.Fault == contract.FaultTimeout {
			hung++
		}
	}
	last := many.Steps[len(many.Steps)-1]
	if hung != 2 || last.Name != contract.StillAlive || !last.OK() || !many.Ended || many.Error != "" {
		t.Errorf("%d time-outs, the last step is %s: %+v", hung, last.Name, many)
	}
	if next := r.trail(t, "c/next"); next.Unasked || next.Error != "" {
		t.Errorf("the next check: %+v", next)
	}
}
