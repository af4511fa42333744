//go:build containers

package main

import (
	"bytes"
	"context"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// These tests need Docker, and root for an engine of their own. `make test-containers` runs them; they fail, and
// are not skipped, where there is none. The server in the images is the test binary, which must be static.

// docker runs the docker command, which is only used to look and to do harm from outside.
func docker(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "docker", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("docker %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// left lists what the engine has of any run.
func left(t *testing.T) string {
	t.Helper()
	f := []string{"--filter", "label=embedcontract.run"}
	return docker(t, append([]string{"ps", "-aq"}, f...)...) +
		docker(t, append([]string{"network", "ls", "-q"}, f...)...) +
		docker(t, append([]string{"volume", "ls", "-q"}, f...)...)
}

func nothingLeft(t *testing.T) {
	t.Helper()
	if l := left(t); l != "" {
		t.Errorf("left in the engine:\n%s", l)
	}
}

// serverImage writes the folder from which the servers' image is built, and removes the image at the end.
func serverImage(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "testserver")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
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
	for name, text := range map[string][]byte{"server": binary, "Dockerfile": []byte("FROM scratch\nCOPY server /server\nUSER 10001:10001\nENTRYPOINT [\"/server\"]\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func removeImages(t *testing.T) {
	for id := range strings.FieldsSeq(docker(t, "image", "ls", "-q", "embedcontract/testserver")) {
		docker(t, "image", "rm", "-f", id)
	}
}

// containerTarget writes a target file with one container in a mode; more is what the component says besides.
func containerTarget(t *testing.T, context, name, mode, more string) string {
	t.Helper()
	return write(t, name+".yaml", fmt.Sprintf(`name: %s
title: a server of the tests in a container
kind: emulated
model: text-embedding-test
ready: {timeout: 60s}
components:
  - name: server
    runtime: container
    build: {context: %q}
    args: ["${port}"]
    port: 8000
    env: {%s: %s, %s: 0.0.0.0}
    stop: {grace: 2s}
%s
`, name, context, serverEnv, mode, hostEnv, more))
}

// suite starts the command in a process of its own, which can be killed.
type suite struct {
	cmd *exec.Cmd
	out printed
}

// printed is read while the command still writes.
type printed struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *printed) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *printed) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func startSuite(t *testing.T, env []string, args ...string) *suite {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{cmd: exec.Command(self, args...)}
	s.cmd.Env = append(append(os.Environ(), commandEnv+"=1"), env...)
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.out
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return s
}

// code waits for the end of the command.
func (s *suite) code(t *testing.T) int {
	t.Helper()
	kill := time.AfterFunc(3*time.Minute, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode()
}

// eventually waits for something that takes a while.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 600 {
		if is() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("after a minute there is no %s", what)
}

// running lists the running containers of all runs.
func running(t *testing.T) string {
	t.Helper()
	return docker(t, "ps", "-q", "--filter", "label=embedcontract.run")
}
