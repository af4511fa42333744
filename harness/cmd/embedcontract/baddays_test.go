package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/recording"
)

// noneLeft fails when a process that a target file of this test started is still there.
func noneLeft(t *testing.T, targetFile string) {
	t.Helper()
	text, err := os.ReadFile(targetFile)
	if err != nil {
		t.Fatal(err)
	}
	_, marker, _ := strings.Cut(string(text), "MARKER: ")
	marker = strings.TrimRight(marker, "}\n")
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range environs {
		env, err := os.ReadFile(path)
		if err == nil && bytes.Contains(env, []byte("MARKER="+marker)) {
			t.Errorf("%s: a process of this test is still there", path)
		}
	}
}

func TestTargetThatGoesWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mode, more string
		flags      []string
		code       int
		want       []string
		whole      bool // its recording is whole
	}{
		{"never-ready", "ready: {timeout: 1s}", nil, exitUnknown, []string{"no answers", "still loading the model"}, false},
		{"dies", "", nil, exitNo, []string{"CUDA out of memory", "exited with code 7", "! error"}, true}, // while it is asked something
		{"garbage", "", nil, exitNo, []string{"refused", "<html>"}, true},
		{"hangs", "", []string{"--request-timeout", "300ms"}, exitUnknown, []string{"no complete answer within 300ms"}, true},
		{"huge", "", []string{"--behaviour", "dimensions"}, exitUnknown, []string{"answer-too-large"}, true},
	} {
		t.Run(c.mode, func(t *testing.T) {
			t.Parallel()
			file := processTarget(t, c.mode, c.mode, c.more)
			out := filepath.Join(t.TempDir(), "out")
			code, stdout, stderr := command(t, append([]string{"run", file, "--out", out, "-v"}, c.flags...)...)
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s", code, c.code, stdout)
			}
			wantIn(t, stdout+stderr, c.want...)
			noneLeft(t, file)
			if _, err := recording.Open(filepath.Join(out, c.mode)); c.whole && err != nil {
				t.Errorf("its recording: %v", err)
			}
		})
	}
}

func TestRunGoesOnAfterATargetThatDoesNotStart(t *testing.T) {
	t.Parallel()
	file := processTarget(t, "never-ready", "never-ready", "ready: {timeout: 500ms}")
	code, stdout, _ := command(t, "run", file, "legacy-emulated", "--behaviour", "batching")
	if code != exitUnknown {
		t.Errorf("exit code %d, want %d", code, exitUnknown)
	}
	wantIn(t, stdout, "! error", "✓ matches")
}

func TestMissingCommand(t *testing.T) {
	file := write(t, "missing.yaml", `name: missing
title: a target without its program
kind: real
model: m
components: [{name: server, runtime: process, command: ["${cache}/venvs/none/bin/python", "${port}"]}]
`)
	code, stdout, stderr := command(t, "run", file)
	if code != exitUnknown {
		t.Errorf("exit code %d, want %d", code, exitUnknown)
	}
	wantIn(t, stdout+stderr, "venvs/none/bin/python", "prepare.sh")
}

func TestTargetFileWithATypo(t *testing.T) {
	file := write(t, "typo.yaml", "name: typo\ntitle: t\nkind: real\nmodell: m\ncomponents: []\n")
	code, _, stderr := command(t, "run", file)
	if code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
	wantIn(t, stderr, "typo.yaml", "modell", "model")
}

func TestTakenPort(t *testing.T) {
	taken := httptest.NewServer(http.NotFoundHandler())
	defer taken.Close()
	port := taken.URL[strings.LastIndex(taken.URL, ":")+1:]
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, "taken.yaml", fmt.Sprintf(`name: taken
title: a server that insists on a port
kind: emulated
model: m
components: [{name: server, runtime: process, command: [%q, "--unused=${port}", %q], env: {%s: good}}]
`, self, port, serverEnv))
	code, stdout, stderr := command(t, "run", file)
	if code != exitUnknown {
		t.Errorf("exit code %d, want %d", code, exitUnknown)
	}
	wantIn(t, stdout+stderr, "address already in use")
}

func TestRecordingThatCannotBeWritten(t *testing.T) {
	notAFolder := write(t, "file", "")
	code, _, stderr := command(t, "run", "--out", filepath.Join(notAFolder, "out"))
	if code != exitUnknown {
		t.Errorf("exit code %d, want %d", code, exitUnknown)
	}
	wantIn(t, stderr, "not a directory")
}

// TestFullDisk limits the size of files that the command may write, as a full disk would.
func TestFullDisk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	// 64 blocks of 512 or 1024 bytes, by the shell; SIGXFSZ must be ignored for write to fail instead.
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `trap '' XFSZ; ulimit -f 64; exec "$@"`, "sh", self, "run", "--out", out)
	cmd.Env = append(os.Environ(), commandEnv+"=1")
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitUnknown {
		t.Fatalf("%v, want exit code %d\n%s", err, exitUnknown, text)
	}
	wantIn(t, string(text), "recording cannot be written, free space or name another folder")
	if _, err := recording.Open(filepath.Join(out, "legacy-emulated")); !errors.Is(err, recording.ErrIncomplete) {
		t.Errorf("the recording is not refused as incomplete: %v", err)
	}
}

func TestInterrupt(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := processTarget(t, "slow", "slow", "")
	out := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "run", file, "--out", out)
	cmd.Env = append(os.Environ(), commandEnv+"=1")
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := filepath.Join(out, "slow", "exchanges.jsonl")
	for ctx.Err() == nil { // until it has asked something
		if info, err := os.Stat(lines); err == nil && info.Size() > 10_000 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitUnknown {
		t.Errorf("%v, want exit code %d\n%s", err, exitUnknown, text.String())
	}
	wantIn(t, text.String(), "interrupt", "stopping what was started")
	noneLeft(t, file)
	if _, err := recording.Open(filepath.Join(out, "slow")); !errors.Is(err, recording.ErrIncomplete) {
		t.Errorf("the recording is not refused as incomplete: %v", err)
	}
	code, _, stderr := command(t, "judge", filepath.Join(out, "slow"))
	if code != exitUnknown {
		t.Errorf("judging it: exit code %d, want %d", code, exitUnknown)
	}
	wantIn(t, stderr, "the run was interrupted", "record it again")
}
