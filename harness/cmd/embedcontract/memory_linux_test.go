package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures/hostile"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// mostMemory is what the command may take of memory for a server that sends as much as it is let, in bytes: an answer of
// 32 MiB is read, looked at and recorded in part, and garbage piles up beside it.
const mostMemory = 700 << 20

// The command itself, by its own limits: what they bound in a test that chooses them is bounded for a user, too.
func TestMemoryOfTheCommand(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		answer hostile.Answer
		when   hostile.When
		args   []string
		want   string
	}{
		"answers without an end": {hostile.Endless("endless", "HTTP/1.1 200 OK\r\n\r\n", "x"), hostile.After(60), nil, "answer-too-large"},
		"many of them at once": {hostile.Endless("endless", "HTTP/1.1 200 OK\r\n\r\n", "x"), hostile.After(150),
			[]string{"--extended", "--focus", "^concurrency/(isolation|overload)$"}, "answer-too-large"},
		"items": {hostile.TooMany(400_000), hostile.After(40), []string{"--behaviour", "batching"}, "too long for an embeddings response"},
	} {
		t.Run(name, func(t *testing.T) {
			url := serveHostile(t, talker(t, servedModel, servedModel), c.when, c.answer)
			out := filepath.Join(t.TempDir(), "out")
			cmd := exec.CommandContext(t.Context(), self, append([]string{"run", "--url", url, "--model", "text-embedding-test", "--max-tokens", "192", "--out", out, "-v"}, c.args...)...)
			cmd.Env = append(os.Environ(), commandEnv+"=1")
			began := time.Now()
			said, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() != exitNo && cmd.ProcessState.ExitCode() != exitUnknown {
				t.Fatalf("%v\n%s", err, said)
			}
			used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			if !ok {
				t.Fatal("no resource usage")
			}
			t.Logf("%d MiB, %s of processor time, %s", used.Maxrss>>10, cmd.ProcessState.UserTime(), time.Since(began))
			if used.Maxrss<<10 > mostMemory {
				t.Errorf("the command took %d MiB of memory", used.Maxrss>>10)
			}
			wantIn(t, string(said), c.want)
			folders, err := filepath.Glob(filepath.Join(out, "*", "exchanges.jsonl"))
			if err != nil || len(folders) != 1 {
				t.Fatalf("recordings: %v, %v", folders, err)
			}
			if _, err := recording.Open(filepath.Dir(folders[0])); err != nil {
				t.Error(err)
			}
		})
	}
}
