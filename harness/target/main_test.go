//go:build unix

package target

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The test binary plays the servers as well: with TARGET_FAKE set it is one, in the mode that it names.
func TestMain(m *testing.M) {
	switch mode := os.Getenv("TARGET_FAKE"); mode {
	case "":
		os.Exit(m.Run())
	case "owner":
		os.Exit(fakeOwner())
	default:
		os.Exit(fakeServer(mode))
	}
}

const goodAnswer = `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.6,0.8]}],"model":"m"}`

func fakeServer(mode string) int {
	ossignal.Ignore(syscall.SIGPIPE) // as Python does: it must not die just because its owner did
	fmt.Println("fake server in mode", mode)
	switch mode {
	case "sleep": // a grandchild
		time.Sleep(time.Minute)
		return 0
	case "exit3":
		fmt.Fprintln(os.Stderr, "ERROR: no such model")
		return 3
	case "exit7-later":
		time.Sleep(300 * time.Millisecond)
		fmt.Fprintln(os.Stderr, "ERROR: engine is dead")
		return 7
	case "killed":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "stubborn":
		ossignal.Ignore(syscall.SIGTERM)
	case "orderly":
		if err := orderly(); err != nil {
			return report(err)
		}
	case "escape", "escape-quiet", "escape-nameless", "escape-bare":
		if err := escapee(mode); err != nil {
			fmt.Fprintln(os.Stderr, "ERROR", err)
			return 1
		}
	case "worker": // no server, just a second component
		time.Sleep(time.Minute)
		return 0
	}
	var asked atomic.Int32
	begun := time.Now()
	dieAfter, _ := strconv.Atoi(strings.TrimPrefix(mode, "die-after-"))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(asked.Add(1))
		switch {
		case r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost:
			http.NotFound(w, r)
		case mode == "never":
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprint(w, `{"message":"Model not found"}`)
		case mode == "empty":
			_, _ = fmt.Fprint(w, `{"object":"list","data":[{"embedding":[]}]}`)
		case mode == "late" && time.Since(begun) < 300*time.Millisecond:
			http.Error(w, `{"error":{"message":"loading"}}`, http.StatusServiceUnavailable)
		case mode == "hang":
			<-r.Context().Done()
		case dieAfter > 0 && n > dieAfter:
			fmt.Fprintln(os.Stderr, "Traceback: asked too often")
			os.Exit(9)
		default:
			fmt.Println("answered request", n)
			_, _ = fmt.Fprint(w, goodAnswer)
		}
	})
	l, err := net.Listen("tcp4", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "ERROR:", err)
		return 1
	}
	return report(http.Serve(l, handler))
}

func report(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// orderly starts a worker in its own group and winds it down itself when it is asked to stop. A worker that
// has ended before that is taken for a crash, as an inference engine does.
func orderly() error {
	worker := exec.Command(os.Args[0])
	worker.Env = append(os.Environ(), "TARGET_FAKE=sleep")
	if err := worker.Start(); err != nil {
		return err
	}
	stop := make(chan os.Signal, 1)
	ossignal.Notify(stop, syscall.SIGTERM)
	fmt.Println("can be stopped")
	crashed := make(chan error, 1)
	go func() { crashed <- worker.Wait() }()
	go func() {
		<-stop
		select {
		case err := <-crashed:
			fmt.Println("ERROR: the worker died:", err)
		case <-time.After(100 * time.Millisecond):
			_ = worker.Process.Signal(syscall.SIGTERM)
			fmt.Println("wound down in order:", <-crashed)
		}
		os.Exit(0)
	}()
	return nil
}

// escapee starts a grandchild in a session of its own: with the pipes of the server ("escape-nameless": and
// without the marker, as an engine that renames itself looks), with the marker and without the pipes ("escape-quiet"),
// or with neither ("escape-bare").
func escapee(mode string) error {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TARGET_FAKE=sleep")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if mode == "escape" || mode == "escape-nameless" {
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	}
	if mode == "escape-nameless" || mode == "escape-bare" {
		cmd.Env = []string{"TARGET_FAKE=sleep"}
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return os.WriteFile(os.Getenv("PIDFILE"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600)
}

// fakeOwner starts a target and waits to be killed, as a suite run does.
func fakeOwner() int {
	s, err := Load(os.Getenv("OWNER_FILE"))
	if err != nil {
		return report(err)
	}
	srv, err := s.Start(context.Background(), Options{Cache: os.Getenv("OWNER_CACHE")})
	if err != nil {
		return report(err)
	}
	fmt.Println("READY", srv.BaseURL())
	time.Sleep(time.Minute)
	return 0
}

// fake writes a target file with one component per mode, the first of which serves, and reads it.
func fake(t *testing.T, extra string, modes ...string) *Spec {
	t.Helper()
	s, err := Load(fakeFile(t, extra, modes...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func fakeFile(t *testing.T, extra string, modes ...string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "name: fake\ntitle: a fake\nkind: real\nmodel: m\n%s\ncomponents:\n", extra)
	for i, mode := range modes {
		fmt.Fprintf(&b, "  - name: c%d\n    runtime: process\n    command: [%q]\n    stop: {grace: 300ms}\n", i, os.Args[0])
		fmt.Fprintf(&b, "    env: {TARGET_FAKE: %s, PORT: \"${port}\", PIDFILE: %q}\n", mode, filepath.Join(t.TempDir(), "pid"))
		if i == 0 {
			b.WriteString("    serves: true\n")
		}
	}
	file := filepath.Join(t.TempDir(), "fake.yaml")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// start starts a target in a cache of its own and stops it with the test.
func start(t *testing.T, s *Spec) (*Server, string) {
	t.Helper()
	cache := t.TempDir()
	srv, err := s.Start(context.Background(), Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		cleared(t, cache)
	})
	return srv, cache
}

// cleared fails the test when a run left anything in the cache.
func cleared(t *testing.T, cache string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(cache, "runs", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in the cache: %v %v", left, err)
	}
}

// pidIn waits for a pid file and returns the identity of that process.
func pidIn(t *testing.T, file string) identity {
	t.Helper()
	for range 200 {
		if data, err := os.ReadFile(file); err == nil && len(data) > 0 {
			pid, err := strconv.Atoi(string(data))
			if err != nil {
				t.Fatal(err)
			}
			return identify(pid)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no pid file")
	return identity{}
}

func leaders(srv *Server) []identity {
	srv.run.mu.Lock()
	defer srv.run.mu.Unlock()
	var ids []identity
	for _, g := range srv.run.state.Groups {
		ids = append(ids, g.identity)
	}
	return ids
}

func post(url string) error {
	resp, err := http.Post(url+"/v1/embeddings", "application/json", strings.NewReader(`{}`))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return nil
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 500 {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s did not happen within 5 s", what)
}

// contains fails the test for each part that is not in the text.
func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in:\n%s", p, text)
		}
	}
}
