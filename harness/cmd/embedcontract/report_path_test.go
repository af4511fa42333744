package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReportsGoToFoldersThatAreThere: a misspelt path is refused before anything is started, and makes no folder.
func TestReportsGoToFoldersThatAreThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(dir, "gone")
	for _, args := range [][]string{{"run"}, {"swap", "legacy-emulated", "dynamo-1.6-emulated"}, {"judge", committedRecordings + "legacy"},
		{"diff", committedRecordings + "dynamo-1.5.1", committedRecordings + "dynamo-1.6.1"}} {
		for path, want := range map[string]string{
			filepath.Join(gone, "x.html"): "there is no folder " + gone + "; make it first",
			filepath.Join(file, "x.html"): file + " is no folder",
			dir + "/.html/../":            "none of .html",
		} {
			code, stdout, stderr := command(t, append(args, "--report", path)...)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) {
				t.Errorf("%v --report %s: exit code %d\n%s%s", args, path, code, stdout, stderr)
			}
		}
		folder := filepath.Join(dir, "folder.html")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := command(t, append(args, "--report", folder)...); code != exitUsage || !strings.Contains(stderr, "is a folder: name a file in it") {
			t.Errorf("%v: exit code %d\n%s", args, code, stderr)
		}
	}
	if _, err := os.Stat(gone); !os.IsNotExist(err) {
		t.Errorf("%s was made", gone)
	}
	// The folder of --out is made by the run itself.
	out := filepath.Join(dir, "out")
	if code, _, stderr := command(t, "run", "legacy-emulated", "--focus", "^unit_norm/", "--out", out, "--report", filepath.Join(out, "more.md")); code != exitOK {
		t.Errorf("a report in the folder of --out: exit code %d\n%s", code, stderr)
	}
	read(t, filepath.Join(out, "more.md"))
}

func TestDiffWritesFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"diff", committedRecordings + "dynamo-1.5.1", committedRecordings + "dynamo-1.6.1"}
	page, data, comment := filepath.Join(dir, "d.html"), filepath.Join(dir, "d.json"), filepath.Join(dir, "d.md")
	code, stdout, stderr := command(t, append(args, "--report", page, "--report", data, "--report", comment)...)
	if code != exitNo || !strings.HasPrefix(stdout, "dynamo 1.5.1 → 1.6.1: ") {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for path, want := range map[string]string{page: "<!DOCTYPE html>", data: "{\n", comment: "## Upgrade: "} {
		if text := read(t, path); !strings.HasPrefix(text, want) {
			t.Errorf("%s begins %.60q", path, text)
		}
	}
	if code, _, stderr := command(t, append(args, "--report", filepath.Join(dir, "d.xml"))...); code != exitUsage || !strings.Contains(stderr, "none of .html, .json, .md") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
