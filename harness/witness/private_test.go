package witness_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/witness"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// The environment of the caller is full of what must not change what a witness asks, and whom.
func TestEnvironmentIsIgnored(t *testing.T) {
	for name, value := range map[string]string{
		"OPENAI_BASE_URL": "http://127.0.0.1:9/elsewhere", "OPENAI_API_KEY": "of-the-user", "OPENAI_ORG_ID": "org", "OPENAI_CUSTOM_HEADERS": "X-Odd: 1",
		"HTTP_PROXY": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9", "ALL_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9",
		"PYTHONPATH": "/nowhere", "PYTHONSTARTUP": "/nowhere", "NODE_OPTIONS": "--no-such-option",
	} {
		t.Setenv(name, value)
	}
	for _, name := range installed(t) {
		for key, want := range map[string]string{"": "Bearer none", "secret of the target": "Bearer secret of the target"} {
			var odd []string
			server, s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
				odd = append(odd, r.Header.Get("OpenAI-Organization")+r.Header.Get("X-Odd")+r.Header.Get("X-Forwarded-For"))
				answer(w, vector)
			})
			out := ask(t, witness.Config{BaseURL: server.URL, Key: key}, name, statement.Float)
			if !out.OK || len(s.keys) != 1 || s.keys[0] != want || odd[0] != "" {
				t.Errorf("%s: %+v %+v, keys %q, headers %q", name, out, out.Error, s.keys, odd)
			}
		}
	}
}

// A base URL may have a path, and a server may lead to another of its own.
func TestPathsAndRedirections(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		server, s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
			if r.URL.Path == "/under/v1/embeddings" {
				http.Redirect(w, r, "http://"+r.Host+"/moved", http.StatusTemporaryRedirect)
				return
			}
			answer(w, vector)
		})
		out := ask(t, witness.Config{BaseURL: server.URL + "/under/"}, name, statement.Float)
		if !out.OK || out.Calls != 2 || strings.Join(s.paths, " ") != "/under/v1/embeddings /moved" || out.Answers[0].Status != 307 {
			t.Errorf("%+v %+v, paths %v", out, out.Error, s.paths)
		}
	})
}

// A body without an end costs no more memory than one of the longest that is read.
func TestAnswerWithoutAnEnd(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		var sent atomic.Int64
		server, _ := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
			w.Header().Set("Content-Type", "application/json")
			block := []byte(strings.Repeat(" ", 1<<20))
			for r.Context().Err() == nil {
				n, err := w.Write(block)
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		})
		out := ask(t, witness.Config{BaseURL: server.URL, Limit: 10 * time.Second}, name, statement.Float)
		if out.OK || sent.Load() > int64(max(out.Calls, 1))*64<<20 {
			t.Errorf("%+v %+v: %d MiB were sent", out, out.Error, sent.Load()>>20)
		}
	})
}

func TestWhatCannotBeRun(t *testing.T) {
	whole := tools(t)
	none, other := whole, whole
	none.Cache = t.TempDir()
	other.Cache = t.TempDir()
	for _, n := range []string{statement.Python, statement.Node} {
		dir := filepath.Join(other.Cache, "witnesses", n)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".lock-sha256"), []byte("another\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	server, s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { answer(w, vector) })
	for _, c := range []struct {
		tools          witness.Tools
		name, scenario string
		missing        bool
		says           string
	}{
		{none, statement.Python, statement.Default, true, "make witnesses"},
		{none, statement.Node, statement.Default, true, "make witnesses"},
		{other, statement.Python, statement.Default, true, "another lock file"},
		{other, statement.Node, statement.Default, true, "another lock file"},
		{whole, "ruby", statement.Default, false, "there are go, python, node"},
		{whole, statement.Go, "sing", false, "there are default, float"},
	} {
		_, err := witness.New(witness.Config{BaseURL: server.URL, Model: "m", Tools: c.tools}).Run(context.Background(), c.name, c.scenario)
		if err == nil || errors.Is(err, witness.ErrNotInstalled) != c.missing || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: error %v", c.name, c.scenario, err)
		}
	}
	if len(s.paths) != 0 {
		t.Errorf("the server was asked: %v", s.paths)
	}
}

// A script that breaks is a fault of this machine, and not what an SDK makes of a server.
func TestBrokenScript(t *testing.T) {
	for _, name := range installed(t) {
		if name == statement.Go { // it has no script
			continue
		}
		server, _ := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { answer(w, vector) })
		for script, says := range map[string]string{
			"import no_such_package": "ended without an answer",
			"":                       "something else than its JSON object",
		} {
			broken := tools(t)
			broken.Python.Script, broken.Node.Script = []byte(script), []byte(script)
			_, err := witness.New(witness.Config{BaseURL: server.URL, Model: "m", Tools: broken}).Run(context.Background(), name, statement.Default)
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s, %q: error %v", name, script, err)
			}
		}
	}
}
