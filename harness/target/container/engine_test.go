//go:build containers

package container

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/client"
)

// The test binary is the program in the image of these tests as well: it waits to be stopped.
func TestMain(m *testing.M) {
	if os.Getenv("CONTAINER_TEST_WAIT") != "" {
		fmt.Println("waiting")
		time.Sleep(time.Minute)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// started is an engine with a group and an image of the test binary, all of which is removed at the end.
func started(t *testing.T) (*Engine, *Group, Spec) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := elf.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = program.Close() }()
	if slices.ContainsFunc(program.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Fatal("the test binary is not static: run `make test-containers`, which sets CGO_ENABLED=0")
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "testwait")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"wait": binary, "Dockerfile": []byte("FROM scratch\nCOPY wait /wait\nENTRYPOINT [\"/wait\"]\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := Spec{Name: "server", Build: &Build{Context: dir}, Env: map[string]string{"CONTAINER_TEST_WAIT": "1"}, Grace: time.Second}
	if err := e.Images(t.Context(), []Spec{s}, func(string) {}); err != nil {
		t.Fatal(err)
	}
	g, err := e.Group(t.Context(), fmt.Sprintf("test-%d", time.Now().UnixNano()), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		if err := g.Remove(ctx); err != nil {
			t.Error(err)
		}
		ref, err := s.ref()
		if err != nil {
			t.Error(err)
		}
		if _, err := e.cli.ImageRemove(ctx, ref, client.ImageRemoveOptions{Force: true, PruneChildren: true}); err != nil {
			t.Error(err)
		}
		all, err := e.labelled(ctx)
		if err != nil || slices.ContainsFunc(all, func(x thing) bool { return x.run == g.run }) {
			t.Errorf("left: %v, %v", all, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, g, s
}

// containers counts those of a group.
func containers(t *testing.T, e *Engine, g *Group) int {
	t.Helper()
	all, err := e.labelled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, x := range all {
		if x.run == g.run && x.kind == kindContainer {
			n++
		}
	}
	return n
}

func output(to io.Writer) Output { return Output{Stdout: to, Stderr: to, Done: func() {}} }

// printed keeps what a container prints, and tells of the first of it.
type printed struct {
	mu    sync.Mutex
	text  bytes.Buffer
	first chan struct{}
	once  sync.Once
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer p.once.Do(func() { close(p.first) })
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func TestContainersStartAndStop(t *testing.T) {
	e, g, s := started(t)
	out := &printed{first: make(chan struct{})}
	exited := make(chan struct{})
	c, err := g.Start(t.Context(), s, output(out), func() { close(exited) })
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Exit(); err != nil || containers(t, e, g) != 1 {
		t.Errorf("it does not run: %v", err)
	}
	p := c.Provenance(t.Context())
	if !strings.HasPrefix(p["engine"], "Docker ") || !strings.Contains(p["image server"], "sha256:") {
		t.Errorf("provenance %v", p)
	}
	select { // one that is stopped before it has printed prints nothing
	case <-out.first:
	case <-time.After(10 * time.Second):
		t.Error("it printed nothing")
	}
	if err := c.Stop(nil); err != nil {
		t.Fatal(err)
	}
	select {
	case <-exited:
	case <-time.After(10 * time.Second):
		t.Error("nobody was told that it has ended")
	}
	if containers(t, e, g) != 0 || out.String() != "waiting\n" {
		t.Errorf("%d left, it printed %q", containers(t, e, g), out.String())
	}
}

func TestContainersTakenPort(t *testing.T) {
	e, g, s := started(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	s.Port, s.HostPort = 8000, l.Addr().(*net.TCPAddr).Port
	_, err = g.Start(t.Context(), s, output(&bytes.Buffer{}), func() {})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("port %d of 127.0.0.1 was taken by another program", s.HostPort)) {
		t.Error(err)
	}
	if containers(t, e, g) != 0 {
		t.Error("the container that did not start is left")
	}
}

// The engine's own refusal, for engines that offer no GPU although the check before thought so.
func TestContainersWithAGPUThatIsNotThere(t *testing.T) {
	e, g, s := started(t)
	if e.via != "" {
		t.Logf("this engine offers GPUs (%s): nothing to see here", e.via)
		return
	}
	for _, via := range []string{ViaNvidia, ViaCDI} {
		s.Resources.GPUs = GPUs{All: true, Via: via}
		_, err := g.Start(t.Context(), s, output(&bytes.Buffer{}), func() {})
		if err == nil || !strings.Contains(err.Error(), "asks for all GPUs") || !strings.Contains(err.Error(), "could not select device driver") {
			t.Errorf("%s: %v", via, err)
		}
	}
	if containers(t, e, g) != 0 {
		t.Error("a container that did not start is left")
	}
}
