//go:build containers

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestContainers(t *testing.T) {
	docker(t, "info") // fails here, with the engine's words, where there is none
	t.Setenv("EMBEDCONTRACT_CACHE", t.TempDir())
	image := serverImage(t)
	t.Cleanup(func() { removeImages(t); nothingLeft(t) })

	t.Run("a server that is well", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "out")
		file := containerTarget(t, image, "well", "good", "    resources: {memory: 256Mi, shm: 80Mi}\n    volumes: {/kv: kv}\n    ulimits: {nofile: 1024}\n    capabilities: [SYS_NICE]")
		code, stdout, stderr := command(t, "run", file, "--out", out, "--behaviour", "batching,unit_norm")
		if code != exitOK {
			t.Errorf("exit code %d", code)
		}
		wantIn(t, stdout+stderr, "✓ matches", "building from", "ready after", "in a container")
		log, err := os.ReadFile(filepath.Join(out, "well", "logs", "server.log"))
		if err != nil || !strings.Contains(string(log), "listening") {
			t.Errorf("its log: %v, %q", err, log)
		}
		header, err := os.ReadFile(filepath.Join(out, "well", "exchanges.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(header), "\n")
		wantIn(t, first, `"engine":"Docker `, `"image server":"embedcontract/testserver:`, "sha256:")
		nothingLeft(t)
	})

	for _, c := range []struct {
		name, mode, more string
		want             []string
		code             int
	}{
		{"shm", "needs-shm", "", []string{"exited with code 1", "/dev/shm is too small (64 MiB", "resources.shm"}, exitUnknown},
		{"memory", "eats-memory", "    resources: {memory: 64Mi}", []string{"killed for lack of memory", "64 MiB", "resources.memory"}, exitUnknown},
		{"no-command", "good", "    command: [/no/such/program]", []string{"has no program /no/such/program in its image", "correct command"}, exitUnknown},
		{"ulimit", "good", "    ulimits: {nofile: 99999999}", []string{"lower ulimits"}, exitUnknown},
		{"gpu", "good", "    resources: {gpus: all}", []string{"asks for all GPUs", "nvidia-container-toolkit"}, exitUnknown},
		{"too-large", "good", "    resources: {memory: 4000Gi}", []string{"4000.0 GiB of memory", "the engine has"}, exitUnknown},
		// It ended by itself when it was asked something: a finding, and the rest is unknown.
		{"dies", "dies", "", []string{"exited with code 7", "lower --gpu-memory-utilization"}, exitNo},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := containerTarget(t, image, c.name, c.mode, c.more)
			code, stdout, stderr := command(t, "run", file, containerTarget(t, image, "well", "good", ""), "-v", "--behaviour", "batching,dimensions,token_parity,unit_norm")
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			wantIn(t, stdout+stderr, append(c.want, "! error", "well: 320 dimensions")...)
			nothingLeft(t)
		})
	}

	t.Run("image that cannot be pulled", func(t *testing.T) {
		file := write(t, "registry.yaml", `name: registry
title: an image of a registry that is not there
kind: real
model: m
components: [{name: server, runtime: container, image: "127.0.0.1:1/none:1", digest: "sha256:`+strings.Repeat("0", 64)+`", port: 8000}]
`)
		code, stdout, stderr := command(t, "run", file, "legacy-emulated", "--behaviour", "batching")
		if code != exitUnknown {
			t.Errorf("exit code %d", code)
		}
		wantIn(t, stdout+stderr, "127.0.0.1:1/none", "cannot be pulled", "✓ matches")
		nothingLeft(t)
	})

	t.Run("killed while it answers", func(t *testing.T) {
		s := startSuite(t, nil, "run", containerTarget(t, image, "killed", "slow", ""), containerTarget(t, image, "well", "good", ""), "-v", "--width", "200")
		eventually(t, "answer", func() bool {
			return running(t) != "" && strings.Contains(s.out.String(), "320 dimensions (discovered)")
		})
		docker(t, "kill", running(t))
		if code := s.code(t); code != exitUnknown {
			t.Errorf("exit code %d", code)
		}
		wantIn(t, s.out.String(), "was killed from outside (SIGKILL, exit code 137", "! error", "well: 320 dimensions")
		nothingLeft(t)
	})

	t.Run("side by side", func(t *testing.T) {
		code, stdout, stderr := command(t, "run", "--parallel", containerTarget(t, image, "first", "good", ""), containerTarget(t, image, "second", "slow", ""), "--behaviour", "batching")
		if code != exitOK {
			t.Errorf("exit code %d", code)
		}
		wantIn(t, stdout+stderr, "in place of first")
		nothingLeft(t)
	})

	t.Run("the suite is killed, beside another", func(t *testing.T) {
		other := startSuite(t, nil, "run", containerTarget(t, image, "other", "slow", ""))
		eventually(t, "container of the other suite", func() bool { return running(t) != "" })
		others := left(t)
		victim := startSuite(t, []string{"EMBEDCONTRACT_CACHE=" + t.TempDir()}, "run", containerTarget(t, image, "victim", "slow", ""))
		eventually(t, "second container", func() bool { return len(strings.Fields(running(t))) == 2 })
		if err := victim.cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = victim.cmd.Wait()
		if n := len(strings.Fields(running(t))); n != 2 {
			t.Fatalf("%d containers after the kill, want 2", n)
		}
		code, stdout, stderr := command(t, "run", containerTarget(t, image, "next", "good", ""), "--behaviour", "batching")
		if code != exitOK {
			t.Errorf("exit code of the next run %d", code)
		}
		wantIn(t, stdout+stderr, "whose owner is gone: removed container", "network embedcontract-")
		if l := left(t); l != others {
			t.Errorf("left after the sweep:\n%s\nof the other suite:\n%s", l, others)
		}
		if code := other.code(t); code != exitOK {
			t.Errorf("exit code of the other suite %d:\n%s", code, other.out.String())
		}
		nothingLeft(t)
	})

	t.Run("interrupted", func(t *testing.T) {
		s := startSuite(t, nil, "run", containerTarget(t, image, "interrupted", "slow", ""))
		eventually(t, "container", func() bool { return running(t) != "" })
		if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := s.code(t); code != exitUnknown {
			t.Errorf("exit code %d", code)
		}
		nothingLeft(t)
	})
}

func TestContainersWithoutAnEngine(t *testing.T) {
	image := serverImage(t)
	s := startSuite(t, []string{"DOCKER_HOST=unix:///nowhere/docker.sock", "EMBEDCONTRACT_CACHE=" + t.TempDir()}, "run", containerTarget(t, image, "none", "good", ""), "legacy-emulated", "--behaviour", "batching")
	if code := s.code(t); code != exitUnknown {
		t.Errorf("exit code %d", code)
	}
	wantIn(t, s.out.String(), "no container engine answers", "apt-get install docker.io", "! error", "✓ matches")
}

// The engine is one of the test's own, never the user's.
func TestContainersWhenTheEngineStops(t *testing.T) {
	dir, err := os.MkdirTemp("", "ec") // short: the name of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("../../../fixtures/images/engine.sh")
	if err != nil {
		t.Fatal(err)
	}
	engine := func(verb string) string {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, script, verb, dir)
		cmd.Env = append(os.Environ(), "ENGINE_BESIDE=1") // whatever engine the user has goes on
		var errText bytes.Buffer
		cmd.Stderr = &errText
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("engine.sh %s: %v\n%s", verb, err, errText.String())
		}
		return strings.TrimSpace(string(out))
	}
	host := engine("start")
	t.Cleanup(func() { engine("stop") })
	t.Setenv("DOCKER_HOST", host)
	cache := "EMBEDCONTRACT_CACHE=" + t.TempDir()
	image := serverImage(t)

	s := startSuite(t, []string{cache}, "run", containerTarget(t, image, "stops", "slow", ""), processTarget(t, "well", "good", ""), "-v", "--width", "200")
	eventually(t, "answer", func() bool { return strings.Contains(s.out.String(), "320 dimensions (discovered)") })
	pid, err := os.ReadFile(filepath.Join(dir, "docker.pid"))
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if _, err := fmt.Sscan(string(pid), &n); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if code := s.code(t); code != exitUnknown {
		t.Errorf("exit code %d", code)
	}
	wantIn(t, s.out.String(), "engine does not answer any more", "! error", "well: 320 dimensions")

	engine("start")
	next := startSuite(t, []string{cache}, "run", containerTarget(t, image, "after", "good", ""), "--behaviour", "batching")
	if code := next.code(t); code != exitOK {
		t.Errorf("exit code after the restart %d:\n%s", code, next.out.String())
	}
	wantIn(t, next.out.String(), "whose owner is gone: removed", "✓ matches")
	nothingLeft(t)
}
