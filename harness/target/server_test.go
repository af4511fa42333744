//go:build unix

package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestStartsInOrderAndStops(t *testing.T) {
	t.Parallel()
	s := fake(t, "", "late", "worker")
	cache, logs := t.TempDir(), t.TempDir()
	var progress, waiting []string
	var mu sync.Mutex
	var heard strings.Builder
	srv, err := s.Start(context.Background(), Options{Cache: cache, LogDir: logs, Progress: func(l string) { progress = append(progress, l) },
		Waiting: func(l string) { waiting = append(waiting, l) },
		Heard: func(l LogLine) {
			mu.Lock()
			defer mu.Unlock()
			heard.WriteString(l.Component + ": " + l.Text + "\n")
		}})
	if err != nil {
		t.Fatal(err)
	}
	if err := post(srv.BaseURL()); err != nil {
		t.Error("not ready:", err)
	}
	if err := srv.Alive(); err != nil {
		t.Error(err)
	}
	contains(t, strings.Join(progress, "\n"), "started c0 of fake\nstarted c1 of fake\nfake is ready after")
	if len(waiting) == 0 || !strings.HasPrefix(waiting[0], "last answer ") {
		t.Errorf("it was told to wait for %q", waiting)
	}
	eventually(t, "the lines of each component as they come", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(heard.String(), "c1: fake server in mode worker")
	})
	eventually(t, "a log line of each component", func() bool {
		text := fmt.Sprint(srv.Logs(time.Time{}))
		return strings.Contains(text, "fake server in mode worker") && strings.Contains(text, "answered request")
	})
	for _, l := range srv.Logs(time.Time{}) {
		if l.Component == "" || l.Stream != "stdout" || l.Time.IsZero() {
			t.Errorf("line %+v", l)
		}
	}
	if got := srv.Logs(time.Now()); len(got) != 0 {
		t.Error("lines from the future:", got)
	}
	ids := leaders(srv)
	if len(ids) != 2 || !ids[0].runs() || !ids[1].runs() {
		t.Fatal("leaders before the stop:", ids)
	}
	for range 2 {
		if err := srv.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if ids[0].runs() || ids[1].runs() {
		t.Error("still running:", ids)
	}
	cleared(t, cache)
	contains(t, srv.Alive().Error(), "was stopped")
	data, err := os.ReadFile(filepath.Join(logs, "c1.log"))
	if err != nil || !strings.Contains(string(data), "mode worker") {
		t.Errorf("log file %q, %v", data, err)
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	short := "ready: {timeout: 2500ms}" // of a busy machine
	for _, c := range []struct {
		name, extra string
		modes       []string
		change      func(*Spec)
		want        []string
		within      time.Duration
	}{
		{"never ready", short, []string{"never", "worker"}, nil,
			[]string{"no embedding from http://127.0.0.1:", "last answer: 404 Model not found", "c0 | fake server in mode never", "c1 | fake server in mode worker"}, 0},
		{"200 without embedding", short, []string{"empty"}, nil, []string{"last answer: 200, but without an embedding"}, 0},
		{"exits at once", "", []string{"exit3"}, nil,
			[]string{"before it was ready, component c0 exited with code 3", "c0 | ERROR: no such model"}, 10 * time.Second},
		{"second component exits", "", []string{"never", "exit3"}, nil, []string{"component c1 exited with code 3"}, 10 * time.Second},
		{"killed", "", []string{"killed"}, nil, []string{"component c0 was killed (SIGKILL"}, 10 * time.Second},
		{"second component exits while the first hangs", "", []string{"hang", "exit7-later"}, nil, []string{"component c1 exited with code 7", "engine is dead"}, 10 * time.Second},
		{"port taken", "", []string{"good"}, func(s *Spec) { s.Components[0].Env["PORT"] = port },
			[]string{"exited with code 1", "address already in use"}, 10 * time.Second},
		{"no such program", "", []string{"good"}, func(s *Spec) { s.Components[0].Command[0] = "no-such-program" },
			[]string{`component c0: there is no program "no-such-program" in PATH`}, 0},
		{"environment not prepared", "", []string{"good"}, func(s *Spec) { s.Components[0].Command[0] = "${cache}/venvs/x/bin/python" },
			[]string{"/venvs/x/bin/python", "does not exist", "make matrix-real", "fixtures/prepare.sh"}, 0},
		{"model not prepared", "", []string{"good"}, func(s *Spec) { s.Components[0].Args = []string{"${cache}/models/m"} },
			[]string{"/models/m", "does not exist", "fixtures/prepare.sh"}, 0},
		{"variable not set", "", []string{"good"}, func(s *Spec) { s.Components[0].Env["X"] = "${env:TARGET_NO_SUCH}" },
			[]string{"env X: environment variable TARGET_NO_SUCH, which component c0 needs, is not set"}, 0},
		{"no key", "", []string{"good"}, func(s *Spec) { s.Components[0].APIKeyEnv = "TARGET_NO_SUCH" },
			[]string{"environment variable TARGET_NO_SUCH is not set"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := fake(t, c.extra, c.modes...)
			if c.change != nil {
				c.change(s)
			}
			cache, begun := t.TempDir(), time.Now()
			srv, err := s.Start(context.Background(), Options{Cache: cache})
			if err == nil {
				_ = srv.Stop(context.Background())
				t.Fatal("it started")
			}
			contains(t, err.Error(), append(c.want, "target fake: ")...)
			if took := time.Since(begun); c.within > 0 && took > c.within {
				t.Error("noticed only after", took)
			}
			cleared(t, cache)
		})
	}
}

func TestAliveTellsWhoDied(t *testing.T) {
	t.Parallel()
	srv, _ := start(t, fake(t, "", "die-after-1", "worker"))
	if err := srv.Alive(); err != nil {
		t.Fatal(err)
	}
	if post(srv.BaseURL()) == nil {
		t.Error("the second request was answered")
	}
	eventually(t, "its end", func() bool { return srv.Alive() != nil })
	contains(t, srv.Alive().Error(), "component c0 exited with code 9", "c0 | Traceback: asked too often")
}

func TestProcessEnvironment(t *testing.T) {
	t.Setenv("TARGET_INHERITED", "1")
	t.Setenv("TARGET_UNWANTED", "1")
	t.Setenv("TARGET_CHANGED", "1")
	t.Setenv(runVariable, "of an outer run")
	c := Component{Name: "c", Unset: []string{"TARGET_UNWANTED", "TARGET_CHANGED"},
		Env: map[string]string{"TARGET_CHANGED": "${port}", "TARGET_RUN": "${run}/kv", "TARGET_COPY": "${env:TARGET_INHERITED}"}}
	env, err := environment(c, scope{run: "/r", ports: map[string]int{"c": 80}}, "id")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if _, twice := got[name]; twice {
			t.Error(name, "is set twice")
		}
		got[name] = value
	}
	for name, want := range map[string]string{"TARGET_INHERITED": "1", "TARGET_UNWANTED": "", "TARGET_CHANGED": "80", "TARGET_RUN": "/r/kv", "TARGET_COPY": "1", runVariable: "id"} {
		if got[name] != want {
			t.Errorf("%s is %q; want %q", name, got[name], want)
		}
	}
}

func TestFreePortLeavesTakenOnesAlone(t *testing.T) {
	t.Parallel()
	taken := map[int]bool{}
	for p := firstPort; p < lastPort; p++ {
		taken[p] = true
	}
	if p, err := freePort(taken); err == nil {
		t.Error("got", p, "though all are taken")
	}
	a, err := freePort(map[int]bool{})
	if err != nil || a < firstPort || a >= lastPort {
		t.Error(a, err)
	}
}

func TestEmbedded(t *testing.T) {
	t.Parallel()
	s, err := Parse("e.yaml", []byte("name: e\ntitle: e\nkind: emulated\nmodel: m\ncomponents: [{name: emulator, runtime: embedded, personality: legacy}]"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(context.Background(), Options{}); err == nil {
		t.Error("started without an emulator")
	}
	broken := func(p string) (http.Handler, error) { return nil, errors.New("unknown personality " + p) }
	_, err = s.Start(context.Background(), Options{Embedded: broken})
	contains(t, fmt.Sprint(err), `personality "legacy" of component emulator: unknown personality legacy`)
	cache := t.TempDir()
	srv, err := s.Start(context.Background(), Options{Cache: cache, Embedded: func(string) (http.Handler, error) {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, goodAnswer) }), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(post(srv.BaseURL()), srv.Alive(), srv.Stop(context.Background()), srv.Stop(context.Background())); err != nil {
		t.Error(err)
	}
	if post(srv.BaseURL()) == nil {
		t.Error("it answers after the stop")
	}
	cleared(t, cache)
}

func TestEndpointServer(t *testing.T) {
	t.Setenv("TARGET_KEY", "sk-1")
	var mu sync.Mutex
	var asked []string
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.URL.Path+" "+r.Header.Get("Authorization"))
		mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer sk-1" {
			http.Error(w, `{"error":{"message":"no key"}}`, http.StatusUnauthorized)
			return
		}
		_, _ = fmt.Fprint(w, `{"data":[{"embedding":"AACAPw=="}]}`)
	}))
	defer remote.Close()
	s, err := Endpoint(remote.URL+"/v1/", "m", "TARGET_KEY")
	if err != nil {
		t.Fatal(err)
	}
	srv, err := s.Start(context.Background(), Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if srv.BaseURL() != remote.URL || srv.APIKey() != "sk-1" || srv.Alive() != nil || srv.Stop(context.Background()) != nil {
		t.Error(srv.BaseURL(), srv.APIKey(), srv.Alive())
	}
	if len(asked) != 1 || asked[0] != "/v1/embeddings Bearer sk-1" {
		t.Error(asked)
	}
	data, err := json.Marshal(s)
	if err != nil || strings.Contains(string(data), "sk-1") || !strings.Contains(string(data), `"api_key_env":"TARGET_KEY"`) {
		t.Errorf("%s, %v", data, err)
	}
	s.Components[0].APIKeyEnv = ""
	begun := time.Now()
	_, err = s.Start(context.Background(), Options{Cache: t.TempDir()})
	contains(t, fmt.Sprint(err), "401 no key")
	if took := time.Since(begun); took > 2*time.Second {
		t.Error("waited", took, "for a server that refuses")
	}
}
