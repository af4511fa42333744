package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWitnessesThatCannotBeAsked(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("EMBEDCONTRACT_CACHE", cache)
	for name, want := range map[string]int{"python": exitUnknown, "node": exitUnknown, "go,node": exitUnknown, "ruby": exitUsage} {
		out := filepath.Join(t.TempDir(), "out")
		code, stdout, stderr := command(t, "run", "--witness", name, "--out", out)
		if code != want || stdout != "" {
			t.Errorf("%s: exit code %d, want %d: %s%s", name, code, want, stdout, stderr)
		}
		says := "make witnesses"
		if want == exitUsage {
			says = "there are go, python, node"
		}
		wantIn(t, stderr, says)
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: a server was asked", name)
		}
	}
	t.Run("not asked for", func(t *testing.T) {
		_, stdout, stderr := command(t, "run", "dynamo-1.6-emulated", "--extended", "--focus", "^witnesses/(go|node)-default$", "-v")
		wantIn(t, stdout, "go-default", "reads-the-vector", "not asked: --witness node")
		if stdout == "" {
			t.Error(stderr)
		}
	})
}

// The real SDK, from the flag to the matrix. Without EMBEDCONTRACT_WITNESSES it is openai-go alone.
func TestWitnessesInTheMatrix(t *testing.T) {
	args := []string{"run", "legacy-emulated", "--focus", "^witnesses/.*-default$", "-v", "--witness", "go"}
	if os.Getenv(witnessesEnv) == "1" {
		args[len(args)-1] = "python,node"
	}
	_, stdout, stderr := command(t, args...)
	wantIn(t, stdout, "go-default", "reads-the-vector")
	if args[len(args)-1] != "go" {
		wantIn(t, stdout, "python-default", "node-default", "garbage", "it hands on 256 numbers", "--witness node legacy-emulated")
	}
	if t.Failed() {
		t.Log(stderr)
	}
}
