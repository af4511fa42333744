package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/suites"
)

// The test binary plays two more parts, each in a process of its own: a server that a target file starts, and
// the command itself, for signals.
const (
	serverEnv  = "EMBEDCONTRACT_TEST_SERVER"
	commandEnv = "EMBEDCONTRACT_TEST_COMMAND"
	hostEnv    = "EMBEDCONTRACT_TEST_HOST"
)

// witnessesEnv is set where the SDKs of other languages are installed and to be asked.
const witnessesEnv = "EMBEDCONTRACT_WITNESSES"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(serverEnv) != "":
		serve(os.Getenv(serverEnv))
	case os.Getenv(commandEnv) != "":
		main()
	default:
		os.Exit(tested(m))
	}
}

// sideBySide is how many tests run at the same time: more than there are processors, since many of them wait for a server
// most of their time.
const sideBySide = "6"

// tested runs the tests with a cache folder of their own, but for those that ask the SDKs in that of the user.
func tested(m *testing.M) int {
	flag.Parse()
	if err := flag.Set("test.parallel", sideBySide); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if os.Getenv(witnessesEnv) == "1" {
		return m.Run()
	}
	cache, err := os.MkdirTemp("", "embedcontract-test-cache-")
	if err == nil {
		defer os.RemoveAll(cache)
		err = os.Setenv("EMBEDCONTRACT_CACHE", cache)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// serve answers on the port of the command line in the way of a mode.
func serve(mode string) {
	host := "127.0.0.1"
	if h := os.Getenv(hostEnv); h != "" { // in a container, where loopback is its own
		host = h
	}
	beforeListening(mode)
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp4", net.JoinHostPort(host, os.Args[len(os.Args)-1]))
	if err != nil {
		fmt.Fprintln(os.Stderr, "ERROR cannot listen:", err)
		os.Exit(98)
	}
	p, err := emulator.Named("honest")
	if err == nil {
		p, err = p.With([]byte(`model: {name: text-embedding-test, native: 320, limit: 192}`))
	}
	switch {
	case err == nil && mode == "other-seed":
		p, err = p.With([]byte(`model: {seed: 2}`))
	case err == nil && mode == "lower-limit":
		p, err = p.With([]byte(`model: {limit: 160}`))
	}
	if err != nil {
		panic(err)
	}
	h, err := emulator.New(p)
	if err != nil {
		panic(err)
	}
	fmt.Println("listening")
	served := 0
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served++
		switch first := served == 1; {
		case mode == "never-ready":
			http.Error(w, "still loading the model", http.StatusServiceUnavailable)
		case first:
			h.ServeHTTP(w, r) // so that it counts as ready
		case mode == "dies" && served > 60:
			fmt.Fprintln(os.Stderr, "RuntimeError: CUDA out of memory")
			os.Exit(7)
		case mode == "garbage":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html><body>It works!</body></html>")
		case mode == "hangs":
			<-r.Context().Done()
		case mode == "huge":
			w.Header().Set("Content-Type", "application/json")
			block := bytes.Repeat([]byte("0.123456,"), 1<<17)
			fmt.Fprint(w, `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[`)
			for range 100 { // more than 100 MB
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		case mode == "slow":
			time.Sleep(50 * time.Millisecond)
			h.ServeHTTP(w, r)
		default:
			h.ServeHTTP(w, r)
		}
	}))
}

// beforeListening plays servers that end before they serve, in the words of vLLM.
func beforeListening(mode string) {
	switch mode {
	case "needs-shm":
		if err := os.WriteFile("/dev/shm/ring", make([]byte, 160<<20), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, "RuntimeError: Insufficient space in /dev/shm for shared-memory allocation: 160 MiB required, 64 MiB free")
			os.Exit(1)
		}
	case "eats-memory":
		for all := []byte{1}; ; {
			all = append(all, all...)
			fmt.Println("holding", len(all), "bytes")
		}
	}
}

// command runs a command line in this process.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return commandIn(t.Context(), args...)
}

func commandIn(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	return commandBy(ctx, loaded, args...)
}

// contracts are those that were read before, by revision: to read one takes as long as most command lines, of which the
// tests run hundreds.
var contracts struct {
	sync.Mutex
	suites map[string]contract.Suite
}

// loaded is a contract by its revision, with behaviours of its own, since a command may leave some out.
func loaded(revision string) (contract.Suite, error) {
	contracts.Lock()
	defer contracts.Unlock()
	s, known := contracts.suites[revision]
	if !known {
		var err error
		if s, err = suites.At(revision); err != nil {
			return s, err
		}
		if contracts.suites == nil {
			contracts.suites = map[string]contract.Suite{}
		}
		contracts.suites[revision] = s
	}
	s.Behaviours = slices.Clone(s.Behaviours)
	return s, nil
}

// commandBy runs a command line with another contract.
func commandBy(ctx context.Context, load loader, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = execute(ctx, load, args, &out, &err)
	return code, out.String(), err.String()
}

// processTarget writes a target file whose server is this binary in a mode.
func processTarget(t *testing.T, name, mode, more string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if more == "" {
		more = "ready: {timeout: 20s}"
	}
	return write(t, name+".yaml", fmt.Sprintf(`name: %s
title: a server of the tests
kind: emulated
model: text-embedding-test
%s
components:
  - name: server
    runtime: process
    command: [%q, "${port}"]
    env: {%s: %s, MARKER: %s}
`, name, more, self, serverEnv, mode, filepath.Base(t.TempDir())+name))
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantIn fails unless every part is in the text, wherever that breaks its lines.
func wantIn(t *testing.T, text string, parts ...string) {
	t.Helper()
	flow := strings.Join(strings.Fields(text), " ")
	for _, p := range parts {
		if !strings.Contains(flow, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}
