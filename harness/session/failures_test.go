package session_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/session"
)

func TestTargetThatDoesNotStart(t *testing.T) {
	for _, c := range []struct {
		name, switches, want string
		asked                bool
	}{
		{"no such personality", "nonsense: 1", "nonsense", false},
		{"never an embedding", "vectors: {form: with-nan}", "200, but without an embedding", true},
		{"always an error", "input: {string: refused}", "last answer: 4", true},
		{"no answer at all", "delivery: {close: before-answer}", "last answer", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, out := &embedded{switches: c.switches}, t.TempDir()
			conf, waiting := config(e, out), ""
			conf.Waiting = func(target, text string) { waiting = target + ": " + text }
			n, err := session.Open(context.Background(), conf, spec(t, ""))
			if c.asked != strings.HasPrefix(waiting, "t: last answer ") {
				t.Errorf("it waits for %q", waiting)
			}
			if err == nil || n != nil || !strings.Contains(err.Error(), "target t") || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, %v", n, err)
			}
			if c.asked {
				e.gone(t)
			}
			if err := recording.Vacant(filepath.Join(out, "t")); err != nil {
				t.Error("a recording is left:", err)
			}
			// So the same folder serves the next attempt.
			n, err = session.Open(context.Background(), config(&embedded{}, out), spec(t, ""))
			if err != nil {
				t.Fatal(err)
			}
			if err := n.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("no key", func(t *testing.T) {
		const env = "EMBEDCONTRACT_TEST_KEY_THAT_NOBODY_SETS"
		e := &embedded{}
		if _, err := session.Open(context.Background(), config(e, ""), spec(t, ", api_key_env: "+env)); err == nil || !strings.Contains(err.Error(), env) || e.made.Load() != 0 {
			t.Error(err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		e := &embedded{}
		if n, err := session.Open(ctx, config(e, t.TempDir()), spec(t, "")); !errors.Is(err, context.Canceled) || n != nil {
			t.Errorf("%v, %v", n, err)
		}
	})
}

// A folder that holds a recording is refused before the target is started, which may take minutes.
func TestRecordingThatExistsIsRefused(t *testing.T) {
	out := t.TempDir()
	n, err := session.Open(context.Background(), config(&embedded{}, out), spec(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	before := contents(t, out)
	e := &embedded{}
	n, err = session.Open(context.Background(), config(e, out), spec(t, ""))
	if !errors.Is(err, recording.ErrExists) || n != nil {
		t.Errorf("%v, %v", n, err)
	}
	if e.made.Load() != 0 {
		t.Error("the target was started")
	}
	if after := contents(t, out); after != before {
		t.Errorf("the folder was changed from %s to %s", before, after)
	}
}

// A recording that cannot be made once the target runs must not leave it running.
func TestTargetIsStoppedWhenNothingCanBeRecorded(t *testing.T) {
	out := t.TempDir()
	e := &embedded{}
	c := config(e, out)
	c.Embedded = func(p string) (http.Handler, error) { // another run takes the folder in the meantime
		if err := os.WriteFile(filepath.Join(out, "t", "exchanges.jsonl"), nil, 0o600); err != nil {
			return nil, err
		}
		return e.handler(p)
	}
	n, err := session.Open(context.Background(), c, spec(t, ""))
	if !errors.Is(err, recording.ErrExists) || n != nil {
		t.Errorf("%v, %v", n, err)
	}
	e.gone(t)
}

func TestTargetIsStoppedWhenFactsCannotBeFound(t *testing.T) {
	e, out := &embedded{}, t.TempDir()
	c := config(e, out)
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("the user has gone home")
	c.Suite.Facts.Probe = func(context.Context, contract.Prober) error { cancel(why); return nil }
	n, err := session.Open(ctx, c, spec(t, ""))
	if !errors.Is(err, why) || n != nil {
		t.Errorf("%v, %v", n, err)
	}
	e.gone(t)
	if _, err := recording.Open(filepath.Join(out, "t")); !errors.Is(err, recording.ErrIncomplete) {
		t.Error(err)
	}
}

func TestUnstarted(t *testing.T) {
	rec := session.Unstarted(config(&embedded{}, ""), spec(t, ""))
	if rec.Header.Target.Name != "t" || rec.Header.Target.Kind != "emulated" || len(rec.Checks()) != 0 || rec.Header.Revision != "r" {
		t.Errorf("%+v", rec.Header)
	}
}
