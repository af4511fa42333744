package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

// TestSwapOfTheArticlesPair: the four changes that the article found, each proved, and each exit code.
func TestSwapOfTheArticlesPair(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	pair := []string{"swap", "--reference", "legacy-emulated", "--candidate", "dynamo-1.6-emulated", "--recordings", out}
	code, stdout, stderr := command(t, append(pair, "--out", out)...)
	if code != exitNo {
		t.Fatalf("exit code %d, want %d: clients must change\n%s%s", code, exitNo, stdout, stderr)
	}
	wantIn(t, stdout, "not as it is; 7 client changes make it safe", "emulated: a model of the server", "CLIENTS", "leave dimensions out", "SILENT: put the model's instruction",
		"truncate_prompt_tokens", "encoding_format float", "INDEX", "keep it", "92.8 %", "the weights are random numbers", "OPERATIONS", "3 calls", "NOT KNOWN", "settle it: embedcontract run legacy-emulated dynamo-1.6-emulated --extended")
	for l := range strings.Lines(stdout) {
		if n := len([]rune(strings.TrimRight(l, "\n"))); n > defaultWidth {
			t.Errorf("a line of %d columns: %s", n, l)
		}
	}

	t.Run("from the recordings, with the changes accepted", func(t *testing.T) {
		code, again, stderr := command(t, append(pair, "--accept-changes")...)
		if code != exitOK || stderr != "the changes are accepted: exit code 0\n" {
			t.Errorf("exit code %d; it should start nothing, and said %q", code, stderr)
		}
		if again != stdout {
			t.Errorf("of the recordings it prints otherwise:\n%s\n--- at first:\n%s", again, stdout)
		}
	})
	t.Run("as data", func(t *testing.T) {
		code, text, _ := command(t, append(pair, "--json")...)
		var s report.Swap
		if err := json.Unmarshal([]byte(text), &s); err != nil || code != exitNo {
			t.Fatalf("exit code %d, %v", code, err)
		}
		if s.Schema != report.SwapSchema || s.Reference.Name != "legacy-emulated" || s.Decision.Answer != verdict.Changes || s.Decision.Index.Answer != verdict.Keep {
			t.Errorf("%+v", s.Decision)
		}
		proved := map[string]bool{}
		for _, c := range s.Decision.Clients.Changes {
			proved[c.Remedy] = strings.HasPrefix(c.Proof, "verified")
		}
		for _, id := range []string{"dimensions/slice-on-client", "instructions/prefix-on-client", "truncation/cut-on-server", "encoding_format/ask-for-float"} {
			if !proved[id] {
				t.Errorf("%s is not proved: %v", id, proved)
			}
		}
	})
	t.Run("in its own place", func(t *testing.T) {
		self := filepath.Join(out, "dynamo-1.6-emulated")
		code, stdout, stderr := command(t, "swap", "--reference", self, "--candidate", self)
		if code != exitOK {
			t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
		}
		wantIn(t, stdout, "yes, by all", "nothing needs to change", "keep it")
	})
}

func TestSwapThatIsNoSwap(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	if code, stdout, stderr := command(t, "run", embeddedTarget(t, "one", "honest", ""), "--focus", "^auth/missing-key$", "--out", out); code > exitNothing {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	broken := write(t, "broken.yaml", "name: broken\ntitle: t\nkind: real\nmodel: m\ncomponents: [{name: e, runtime: process, serves: true, command: [/nowhere/at/all, \"${port}\"]}]\n")
	drifting := embeddedTarget(t, "drifting", "vllm-0.31", "")
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no candidate", []string{"--reference", "legacy-emulated"}, exitUsage, "--candidate is missing"},
		{"an unknown name", []string{"--reference", "legacy-emulated", "--candidate", "legacy-emulate"}, exitUsage, `no target "legacy-emulate" (did you mean "legacy-emulated"?)`},
		{"no server at the URL", []string{"--reference", "legacy-emulated", "--candidate", "http://127.0.0.1:1"}, exitUnknown, "127.0.0.1:1"},
		{"the same server twice", []string{"--reference", "legacy-emulated", "--candidate", "legacy-emulated"}, exitUsage, "name two servers"},
		{"a server that does not start", []string{"--reference", "legacy-emulated", "--candidate", broken}, exitUnknown, "no answers"},
		{"a server whose clients must change", []string{"--reference", "dynamo-1.6-emulated", "--candidate", drifting}, exitNo, "CLIENTS"},
		{"recordings without an answer", []string{"--reference", filepath.Join(out, "one"), "--candidate", filepath.Join(out, "one")}, exitNothing, "neither recording holds an answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := command(t, append([]string{"swap", "--recordings", out}, c.args...)...)
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
			wantIn(t, stdout+stderr, c.want)
		})
	}
}
