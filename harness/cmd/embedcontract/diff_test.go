package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/embedcontract/embedcontract/harness/upgrade"
)

const committedRecordings = "../../../fixtures/recordings/"

// TestDiffSaysByItsExitCode has a case for each exit code.
func TestDiffSaysByItsExitCode(t *testing.T) {
	const dynamo, legacy, seed = committedRecordings + "dynamo-1.6.1", committedRecordings + "legacy", committedRecordings + "legacy-other-seed"
	cut, spoilt, emulated := t.TempDir(), t.TempDir(), t.TempDir()
	lines := []byte(read(t, filepath.Join(dynamo, "exchanges.jsonl")))
	vectors := []byte(read(t, filepath.Join(dynamo, "vectors.f32")))
	for dir, text := range map[string][]byte{cut: lines[:len(lines)/2], spoilt: bytes.Replace(lines, []byte(`"status":200`), []byte(`"status":201`), 1)} {
		for name, data := range map[string][]byte{"exchanges.jsonl": text, "vectors.f32": vectors} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for dir, focus := range map[string]string{"some": "^(batching/index|truncation/reference-limit)$", "more": "^batching/(index|duplicates)$"} {
		if code, _, stderr := command(t, "run", "legacy-emulated", "--out", filepath.Join(emulated, dir), "--focus", focus); code != exitOK {
			t.Fatal(stderr)
		}
	}
	some, more := filepath.Join(emulated, "some", "legacy-emulated"), filepath.Join(emulated, "more", "legacy-emulated")
	for name, c := range map[string]struct {
		code int
		args []string
		want string // of either stream
	}{
		"nothing changed":         {exitOK, []string{dynamo, dynamo}, "The index may stay"},
		"only better":             {exitOK, []string{legacy, dynamo, "--focus", "^service/models$"}, "1 fixed"},
		"a change for clients":    {exitNo, []string{legacy, dynamo, "--focus", "^dimensions/reduced-256$"}, "1 regressed"},
		"the index breaks":        {exitNo, []string{legacy, seed}, "The index breaks, SILENTLY: vector_parity/cosine"},
		"one recording":           {exitUsage, []string{dynamo}, "accepts 2 arg(s)"},
		"no such folder":          {exitUsage, []string{dynamo, filepath.Join(cut, "none")}, "it has no exchanges.jsonl"},
		"two formats":             {exitUsage, []string{dynamo, dynamo, "--json", "--markdown"}, "none of the others can be"},
		"no such revision":        {exitUsage, []string{dynamo, dynamo, "--revision", "1999-01"}, "1999-01"},
		"cut short":               {exitUnknown, []string{dynamo, cut}, "record it again"},
		"changed afterwards":      {exitUnknown, []string{spoilt, dynamo}, "was changed after it was written"},
		"removed":                 {exitUnknown, []string{more, some, "--focus", "^batching/"}, "1 not comparable"},
		"added":                   {exitOK, []string{some, more, "--focus", "^batching/"}, "only the new recording holds (1)"},
		"another plan":            {exitUnknown, []string{dynamo, some, "--focus", "^truncation/reference-limit$"}, "made by different plans"},
		"nothing in common":       {exitNothing, []string{dynamo, seed, "--focus", "^service/"}, "nothing to compare"},
		"nothing selected":        {exitNothing, []string{dynamo, dynamo, "--focus", "^no such check$"}, "no check"},
		"core checks of the same": {exitOK, []string{dynamo, dynamo, "--core"}, "no change in"},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(t, append([]string{"diff"}, c.args...)...)
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
			wantIn(t, stdout+stderr, c.want)
		})
	}
}

// TestDiffInEachFormat: a terminal of 80 columns, Markdown with a heading, JSON by its schema.
func TestDiffInEachFormat(t *testing.T) {
	args := []string{"diff", committedRecordings + "legacy", committedRecordings + "dynamo-1.6.1"}
	_, stdout, _ := command(t, args...)
	for l := range strings.SplitSeq(stdout, "\n") {
		if n := len([]rune(l)); n > 80 {
			t.Errorf("%d columns: %q", n, l)
		}
	}
	wantIn(t, stdout, "legacy (reconstructed) → dynamo-1.6.1: ", "✗ dimensions/reduced-256: honoured → failed-5xx")
	_, stdout, _ = command(t, append(args, "--markdown")...)
	if !strings.HasPrefix(stdout, "## Upgrade: legacy (reconstructed) → dynamo-1.6.1\n") || !strings.Contains(stdout, "| **regressed** | dimensions/reduced-256 | ✓ honoured | ✗ failed-5xx |") {
		t.Errorf("Markdown:\n%s", stdout)
	}
	code, stdout, _ := command(t, append(args, "--json")...)
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(upgrade.SchemaJSON()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("upgrade.json", schema); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.MustCompile("upgrade.json").Validate(doc); err != nil {
		t.Error(err)
	}
	var d upgrade.Diff
	if err := json.Unmarshal([]byte(stdout), &d); err != nil || d.Verdict.Exit != code || code != exitNo {
		t.Errorf("exit code %d, %d in the JSON (%v)", code, d.Verdict.Exit, err)
	}
}
