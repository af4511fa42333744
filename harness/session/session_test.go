package session_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/harness/target"
)

// embedded is the emulator of a target. It remembers where it was asked, to see whether it is gone afterwards.
type embedded struct {
	switches string
	made     atomic.Int64
	asked    atomic.Int64
	mu       sync.Mutex
	host     string
}

func (e *embedded) handler(string) (http.Handler, error) {
	e.made.Add(1)
	p, err := emulator.Personality{}.With([]byte(e.switches))
	if err != nil {
		return nil, err
	}
	inner, err := emulator.New(p)
	if err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.asked.Add(1)
		e.mu.Lock()
		e.host = r.Host
		e.mu.Unlock()
		inner.ServeHTTP(w, r)
	}), nil
}

// gone fails the test when something still listens where the emulator was.
func (e *embedded) gone(t *testing.T) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.host == "" {
		t.Error("the emulator was never asked, so nothing is known of its end")
		return
	}
	if c, err := net.DialTimeout("tcp", e.host, time.Second); err == nil {
		_ = c.Close()
		t.Errorf("something still listens at %s", e.host)
	}
}

func spec(t *testing.T, more string) *target.Spec {
	t.Helper()
	s, err := target.Parse("t.yaml", []byte("name: t\ntitle: T\nkind: emulated\nmodel: tiny-qwen3-embedding\nweights: random\nversions: {v: 1}\nfacts: {max_tokens: 77}\n"+
		"components:\n- {name: emulator, runtime: embedded, personality: any"+more+"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s.ReadyTimeout = 300 * time.Millisecond // of an emulator in this process
	return s
}

func config(e *embedded, out string) session.Config {
	return session.Config{
		Suite: contract.Suite{
			Revision: "r",
			Facts: contract.FactFinder{
				Probe: embed("plain", contract.Body{"input": "x"}),
				Derive: func(f contract.Facts, e contract.Evidence) contract.Facts {
					v, _ := e.Step("plain").One()
					f.Dimensions = len(v)
					return f
				},
			},
			Behaviours: []contract.Behaviour{{Stem: "c", Checks: []contract.Check{
				{ID: "c/base", Probe: embed("base", contract.Body{"input": "base"})},
				{ID: "c/one", Probe: embed("one", contract.Body{"input": "one"}), Reads: []string{"c/base"}},
				{ID: "c/fault", Probe: embed("fault", contract.Body{}, contract.Violates("no input"))},
			}}},
			Corpus: contract.Corpus{Name: "texts"},
		},
		Tool: map[string]string{"version": "test"}, Out: out, Embedded: e.handler,
	}
}

func embed(step string, b contract.Body, opts ...contract.Option) func(context.Context, contract.Prober) error {
	return func(ctx context.Context, p contract.Prober) error {
		_, err := p.Embed(ctx, step, b, opts...)
		return err
	}
}

func askAll(t *testing.T, n *session.Session) {
	t.Helper()
	if err := n.Follow(contract.NewPlan("t", n.Facts(), contract.Corpus{Name: "texts"})); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"c/one", "c/fault", "c/one"} {
		if err := n.Ask(context.Background(), id); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWholeRecording(t *testing.T) {
	e, out := &embedded{}, t.TempDir()
	c := config(e, out)
	var progress []string
	c.Progress = func(text string) { progress = append(progress, text) }
	c.Valid = func(_ string, body []byte) []string {
		if !strings.Contains(string(body), `"input"`) {
			return []string{"input is missing"}
		}
		return nil
	}
	n, err := session.Open(context.Background(), c, spec(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	if f := n.Facts(); f.Dimensions != 1024 || f.MaxTokens != 77 || f.Model != "tiny-qwen3-embedding" {
		t.Errorf("facts %+v", f)
	}
	askAll(t, n)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	e.gone(t)
	rec, err := recording.Open(filepath.Join(out, "t"))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(rec, n.Recording()) {
		t.Error("the files are not what the session holds")
	}
	if got := strings.Join(rec.Checks(), " "); got != "facts c/base c/one c/fault" {
		t.Error("asked", got)
	}
	for _, id := range rec.Checks() {
		tr := rec.Trails(id)[0]
		if !tr.Ended || tr.Error != "" || len(rec.Trails(id)) != 1 {
			t.Errorf("%s: %+v", id, tr)
		}
	}
	h := rec.Header
	if h.Revision != "r" || h.Tool["version"] != "test" || h.Target.Name != "t" || h.Target.Title != "T" || h.Target.Kind != "emulated" || h.Target.Versions["v"] != "1" || h.Target.Weights != "random" ||
		h.Target.Declared.MaxTokens != 77 || h.Target.Model != "tiny-qwen3-embedding" || !strings.Contains(string(h.Target.Spec), `"personality":"any"`) || h.Machine["os"] == "" || h.Started.IsZero() {
		t.Errorf("%+v", h)
	}
	if rec.Plan.Reference != "t" || rec.Ended.Before(h.Started) {
		t.Errorf("plan %+v, from %v to %v", rec.Plan, h.Started, rec.Ended)
	}
	if got := strings.Join(progress, "\n"); !strings.HasPrefix(got, "t is ready") {
		t.Errorf("progress %q", got)
	}
	if _, err := os.Stat(filepath.Join(out, "t", "logs", "emulator.log")); err != nil {
		t.Error(err)
	}
}

func TestRounds(t *testing.T) {
	c := config(&embedded{}, "")
	c.Rounds = 2
	n, err := session.Open(context.Background(), c, spec(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	askAll(t, n)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if rec := n.Recording(); len(rec.Trails("c/one")) != 2 || len(rec.Trails("facts")) != 1 || rec.Path != "" {
		t.Errorf("%d rounds, %d of the facts, at %q", len(rec.Trails("c/one")), len(rec.Trails("facts")), rec.Path)
	}
}

func TestAbandonedIsRefused(t *testing.T) {
	e, out := &embedded{}, t.TempDir()
	n, err := session.Open(context.Background(), config(e, out), spec(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	askAll(t, n)
	if err := n.Abandon(); err != nil {
		t.Fatal(err)
	}
	e.gone(t)
	rec, err := recording.Open(filepath.Join(out, "t"))
	if !errors.Is(err, recording.ErrIncomplete) || rec == nil || len(rec.Trails("c/one")) != 1 {
		t.Errorf("%v, %+v", err, rec)
	}
}

func TestKeyIsSentAndNotKept(t *testing.T) {
	const key = "sk-very-secret"
	t.Setenv("EMBEDCONTRACT_TEST_KEY", key)
	var seen atomic.Pointer[string]
	e, out := &embedded{}, t.TempDir()
	c := config(e, out)
	c.Embedded = func(p string) (http.Handler, error) {
		h, err := e.handler(p)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			auth := r.Header.Get("Authorization")
			seen.Store(&auth)
			w.Header().Set("X-Echo", auth)
			h.ServeHTTP(w, r)
		}), err
	}
	n, err := session.Open(context.Background(), c, spec(t, ", api_key_env: EMBEDCONTRACT_TEST_KEY"))
	if err != nil {
		t.Fatal(err)
	}
	askAll(t, n)
	if err := n.Close(); err != nil {
		t.Fatal(err)
	}
	if *seen.Load() != "Bearer "+key {
		t.Errorf("sent %q", *seen.Load())
	}
	text, err := os.ReadFile(filepath.Join(out, "t", "exchanges.jsonl"))
	if err != nil || strings.Contains(string(text), key) || !strings.Contains(string(text), "Bearer "+recording.Redacted) {
		t.Errorf("the key is kept, or the echo of it is not: %v", err)
	}
}

func contents(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		out = append(out, fmt.Sprint(path, " ", info.Size(), " ", info.ModTime()))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, "\n")
}
