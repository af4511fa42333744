package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/harness/report"
)

// reported runs a target and returns the path of its report. The server has defects, so the run fails by itself.
func reported(t *testing.T, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.json")
	if code, stdout, stderr := command(t, append([]string{"run", "--report", path}, args...)...); code > exitNo {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	return path
}

const heldChecks = "^(dimensions|encoding_format)/"

// TestHeldToAReport has a case for each thing that may become of a server since its report was committed.
func TestHeldToAReport(t *testing.T) {
	t.Parallel()
	dynamo, vllm, legacy := embeddedTarget(t, "mine", "dynamo-1.6", ""), embeddedTarget(t, "mine", "vllm-0.31", ""), embeddedTarget(t, "mine", "legacy", "")
	base := reported(t, dynamo, "--focus", heldChecks)
	if code, _, _ := command(t, "run", dynamo, "--focus", heldChecks); code != exitNo {
		t.Fatalf("without a baseline the run has exit code %d; with defects it must be %d", code, exitNo)
	}
	legacyReport := reported(t, legacy, "--focus", heldChecks)
	some := reported(t, dynamo, "--focus", "^dimensions/")
	for name, c := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"unchanged, defects and all": {[]string{dynamo, "--focus", heldChecks, "--baseline", base}, exitOK,
			[]string{"0 new", "Nothing got worse.", "bad alike in both: dimensions/reduced-256", "Nothing unexpected"}},
		"worse": {[]string{dynamo, "--focus", heldChecks, "--baseline", legacyReport}, exitNo,
			[]string{"What is new fails this run", "dimensions/reduced-256: was honoured, is failed-5xx: 500", "◄ new", "worse than in the report that this one is held to"}},
		"better": {[]string{vllm, "--focus", "^dimensions/reduced-256$", "--baseline", reported(t, dynamo, "--focus", "^dimensions/reduced-256$")}, exitOK,
			[]string{"STALE; put this run's report.json in its place", "dimensions/reduced-256: was failed-5xx, is rejected-4xx"}},
		"better, strictly": {[]string{vllm, "--focus", "^dimensions/reduced-256$", "--baseline", reported(t, dynamo, "--focus", "^dimensions/reduced-256$"), "--baseline-strict"}, exitNo,
			[]string{"and fails this run, as was asked"}},
		"more was asked than then": {[]string{dynamo, "--focus", heldChecks, "--baseline", some}, exitOK,
			[]string{"cells compared): 0 new"}},
		"a failure of which the report knows nothing": {[]string{legacy, "--focus", heldChecks, "--baseline", reported(t, legacy, "--focus", "^dimensions/native-by-default$")}, exitNo,
			[]string{"encoding_format/base64-is-string: was absent, is array"}},
		"less was asked than then": {[]string{dynamo, "--focus", "^dimensions/", "--baseline", base}, exitOK,
			[]string{"NOT ASKED", "as this run was told", "encoding_format/"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := command(t, append([]string{"run"}, c.args...)...)
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
			wantIn(t, stdout, c.want...)
		})
	}
}

// TestReportsThatAreRefused: none of them starts a server.
func TestReportsThatAreRefused(t *testing.T) {
	t.Parallel()
	mine := embeddedTarget(t, "mine", "legacy", "")
	const focus = "^batching/index$"
	base := reported(t, mine, "--focus", focus)
	text := read(t, base)
	edit := func(from, to string) string {
		if !strings.Contains(text, from) {
			t.Fatalf("%q is not in the report", from)
		}
		return write(t, "report.json", strings.ReplaceAll(text, from, to))
	}
	folder := filepath.Join(t.TempDir(), "folder.json")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	pair := reported(t, mine, embeddedTarget(t, "other", "legacy", ""), "--focus", focus)
	for name, c := range map[string]struct {
		baseline []string
		want     string
	}{
		"nothing there":         {[]string{filepath.Join(t.TempDir(), "none.json")}, "no such file"},
		"a folder":              {[]string{folder}, "is no file"},
		"another ending":        {[]string{write(t, "report.txt", text)}, "whose name ends in .json"},
		"empty":                 {[]string{write(t, "report.json", "")}, "no JSON object"},
		"another document":      {[]string{write(t, "report.json", `{"schema":"x"}`)}, "this is no report"},
		"cut off":               {[]string{write(t, "report.json", text[:len(text)/2])}, "no JSON object"},
		"without cells":         {[]string{write(t, "report.json", `{"schema":"`+report.Schema+`","targets":[{"name":"mine"}]}`)}, "no answer in it"},
		"a later format":        {[]string{edit(report.Schema, "embedcontract/report/v2")}, "judge the recordings again"},
		"another model":         {[]string{edit("tiny-qwen3-embedding", "huge")}, `"huge", that of this run "tiny-qwen3-embedding"`},
		"another revision":      {[]string{edit(`"revision": "2026-11"`, `"revision": "1999-01"`)}, "run with --revision 1999-01"},
		"another target":        {[]string{reported(t, embeddedTarget(t, "yours", "legacy", ""), "--focus", focus)}, "of the targets yours, this run of mine"},
		"a pair":                {[]string{pair}, "of the targets mine, other, this run of mine"},
		"an edited target name": {[]string{edit(`"target": "mine"`, `"target": "\u001b[2Jmine"`)}, "is not listed"},
		"two":                   {[]string{base, base}, "stands alone"},
		"beside recordings":     {[]string{base, t.TempDir()}, "stands alone"},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"run", mine, "--focus", focus}
			for _, b := range c.baseline {
				args = append(args, "--baseline", b)
			}
			code, stdout, stderr := command(t, args...)
			if code != exitUsage || stdout != "" {
				t.Errorf("exit code %d, want %d\n%s", code, exitUsage, stdout)
			}
			wantIn(t, stderr, c.want, "--baseline")
			if strings.Contains(stderr, "\x1b") {
				t.Errorf("an escape reached the terminal: %q", stderr)
			}
		})
	}
	if code, _, stderr := command(t, "run", mine, "--baseline-strict"); code != exitUsage {
		t.Errorf("--baseline-strict alone: exit code %d\n%s", code, stderr)
	}
}

// TestJudgeHeldToAReport: recordings that are judged again are held to a report in the same way as their run.
func TestJudgeHeldToAReport(t *testing.T) {
	t.Parallel()
	legacy, dynamo := committedRecordings+"legacy", committedRecordings+"dynamo-1.6.1"
	base := filepath.Join(t.TempDir(), "report.json")
	if code, _, stderr := command(t, "judge", legacy, dynamo, "--report", base); code != exitOK {
		t.Fatal(stderr)
	}
	code, stdout, stderr := command(t, "judge", legacy, dynamo, "--baseline", base)
	if code != exitOK {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	wantIn(t, stdout, "0 new · 0 known · 0 gone. Nothing got worse.")
	code, stdout, _ = command(t, "judge", legacy, dynamo, "--core", "--baseline", base)
	if code != exitOK {
		t.Errorf("fewer checks by wish: exit code %d", code)
	}
	wantIn(t, stdout, "NOT ASKED")
	if code, _, stderr := command(t, "judge", dynamo, legacy, "--baseline", base); code != exitUsage {
		t.Errorf("the other way around: exit code %d\n%s", code, stderr)
	}
	// A check that the report holds, and that this program does not know.
	if err := os.WriteFile(base, []byte(strings.ReplaceAll(read(t, base), "dimensions/reduced-256", "dimensions/gone")), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ = command(t, "judge", legacy, dynamo, "--baseline", base)
	if code != exitNo {
		t.Errorf("a check has vanished: exit code %d", code)
	}
	wantIn(t, stdout, "dimensions/gone: was honoured, and was not asked")
}

// TestHeldToAReportOfAnEndpoint: in CI a server has another port each time, and may not be there at all.
func TestHeldToAReportOfAnEndpoint(t *testing.T) {
	t.Parallel()
	const focus = "^batching/"
	base := reported(t, "--url", emulated(t, "legacy"), "--focus", focus)
	code, stdout, stderr := command(t, "run", "--url", emulated(t, "legacy"), "--focus", focus, "--baseline", base)
	if code != exitOK {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	wantIn(t, stdout, "0 new")
	gone := write(t, "gone.yaml", "name: 127.0.0.1-1\ntitle: t\nkind: endpoint\nmodel: tiny-qwen3-embedding\nready: {timeout: 1s}\n"+
		"components: [{name: server, runtime: endpoint, url: \"http://127.0.0.1:1\"}]\n")
	code, stdout, _ = command(t, "run", gone, "--focus", focus, "--baseline", base)
	if code != exitUnknown {
		t.Errorf("no server: exit code %d, want %d\n%s", code, exitUnknown, stdout)
	}
}

// emulated serves a personality on a port of its own.
func emulated(t *testing.T, personality string) string {
	t.Helper()
	p, err := emulator.Named(personality)
	if err != nil {
		t.Fatal(err)
	}
	h, err := emulator.New(p)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}
