package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUpgradeScript lets fixtures/upgrade.sh call a command that writes down what it is asked for, in place of recording
// and comparing. What is there and whole is taken as it is; what is missing or was cut short is recorded.
func TestUpgradeScript(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	runs := t.TempDir()
	put := func(name, text string) string {
		dir := filepath.Join(runs, name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "exchanges.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	const whole, cut = "{\"kind\":\"header\"}\n{\"kind\":\"footer\"}\n", "{\"kind\":\"header\"}\n"
	mine := put("mine", whole)
	put("cut", cut)
	stand := write(t, "embedcontract", `#!/usr/bin/env bash
echo "$@" >&2
[[ $1 == run ]] || exit "${DIFFERS:-0}"
[[ $2 != broken ]] || exit 3
mkdir -p "$EMBEDCONTRACT_RUNS/$2"
printf '{"kind":"header"}\n{"kind":"footer"}\n' >"$EMBEDCONTRACT_RUNS/$2/exchanges.jsonl"
exit 1 # it does not keep every promise
`)
	if err := os.Chmod(stand, 0o700); err != nil {
		t.Fatal(err)
	}
	const dynamo, legacy = "fixtures/recordings/dynamo-1.6.1", "fixtures/recordings/legacy"
	for name, c := range map[string]struct {
		args    []string
		differs string
		code    int
		want    string // what the command was asked for, RUNS for the folder of recordings
	}{
		"both are recorded":  {[]string{"1.6.1", "dynamo-1.6.1"}, "0", 0, "diff " + dynamo + " " + dynamo},
		"they differ":        {[]string{"1.6.1", "legacy", "--markdown"}, "1", 1, "diff " + dynamo + " " + legacy + " --markdown"},
		"one is missing":     {[]string{"legacy", "new"}, "0", 0, "run new --reference " + legacy + " --extended --out RUNS\ndiff " + legacy + " RUNS/new"},
		"one was cut short":  {[]string{mine, "cut"}, "0", 0, "run cut --reference RUNS/mine --extended --out RUNS\ndiff RUNS/mine RUNS/cut"},
		"both are missing":   {[]string{"a", "b"}, "0", 0, "run a --extended --out RUNS\nrun b --reference RUNS/a --extended --out RUNS\ndiff RUNS/a RUNS/b"},
		"recorded before":    {[]string{"mine", mine}, "0", 0, "diff RUNS/mine RUNS/mine"},
		"one cannot be":      {[]string{"mine", "broken"}, "0", 3, "run broken --reference RUNS/mine --extended --out RUNS"},
		"nothing to compare": {[]string{"mine", ""}, "0", 2, ""},
	} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(root, "fixtures", "upgrade.sh"), c.args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "EMBEDCONTRACT="+stand, "EMBEDCONTRACT_RUNS="+runs, "DIFFERS="+c.differs)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		code := 0
		var exit *exec.ExitError
		if err := cmd.Run(); errors.As(err, &exit) {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		var asked []string
		for l := range strings.SplitSeq(strings.ReplaceAll(stderr.String(), runs, "RUNS"), "\n") {
			if strings.HasPrefix(l, "run ") || strings.HasPrefix(l, "diff ") {
				asked = append(asked, l)
			}
		}
		if got := strings.Join(asked, "\n"); code != c.code || got != c.want {
			t.Errorf("%s: exit code %d, want %d; asked for\n%s\nwant\n%s\n%s", name, code, c.code, got, c.want, stderr.String())
		}
		put("cut", cut)
	}
}
