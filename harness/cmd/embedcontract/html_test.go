package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestHTML(t *testing.T) {
	const recordings = "../../../fixtures/recordings/"
	dir := t.TempDir()
	page, data := filepath.Join(dir, "report.html"), filepath.Join(dir, "report.json")
	command(t, "judge", recordings+"legacy", recordings+"dynamo-1.6.1", "--core", "--report", page, "--report", data)
	direct := read(t, page)
	if !strings.Contains(direct, "<!DOCTYPE html>") || !strings.Contains(direct, `id="cell-dimensions-reduced-256-dynamo-1.6.1"`) {
		t.Errorf("%.300s", direct)
	}
	// What was written as data is the same page.
	code, later, stderr := command(t, "html", data)
	if code != exitOK || later != direct {
		t.Errorf("exit code %d (%s); %d bytes, and directly %d", code, stderr, len(later), len(direct))
	}
	code, diff, stderr := command(t, "diff", recordings+"dynamo-1.5.1", recordings+"dynamo-1.6.1", "--html")
	if !strings.Contains(diff, "From dynamo-1.5.1 to dynamo-1.6.1") {
		t.Errorf("exit code %d (%s): %.300s", code, stderr, diff)
	}
	for _, c := range []struct {
		what string
		args []string
		code int
		says string
	}{
		{"no file", []string{"html", filepath.Join(dir, "none.json")}, exitUsage, "no such file"},
		{"no report", []string{"html", page}, exitUnknown, "no JSON object"},
		{"nothing named", []string{"html"}, exitUsage, "accepts 1 arg"},
		{"two forms at once", []string{"diff", "a", "b", "--html", "--json"}, exitUsage, "html"},
	} {
		if code, _, stderr := command(t, c.args...); code != c.code || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: exit code %d: %s", c.what, code, stderr)
		}
	}
}
