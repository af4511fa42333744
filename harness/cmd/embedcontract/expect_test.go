package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/suites"
)

// The recordings and the list of these tests, which are those of the real servers.
const (
	legacyRecorded = "../../../fixtures/recordings/legacy"
	dynamoRecorded = "../../../fixtures/recordings/dynamo-1.6.1"
	dynamoList     = "../../../fixtures/expectations/dynamo-1.6.yaml"
)

// changedList is the list of Dynamo with some of its text replaced.
func changedList(t *testing.T, pairs ...string) string {
	t.Helper()
	text := read(t, dynamoList)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the list lacks %q", pairs[i])
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return write(t, "list.yaml", text)
}

// hasParts wants texts as they are printed, with their spaces and line ends.
func hasParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

// both names the recordings, and copies of their lists: a test must not write into the repository.
func both(t *testing.T, list string) []string {
	t.Helper()
	return []string{legacyRecorded, dynamoRecorded, "--expectations", list, "--expectations", write(t, "legacy.yaml", read(t, "../../../fixtures/expectations/legacy.yaml"))}
}

const (
	reduced = "  - check: dimensions/reduced-256\n    variant: failed-5xx\n"
	batch   = "  - check: dimensions/reduced-batch\n"
)

func TestExpectExitCodes(t *testing.T) {
	cut := t.TempDir()
	text := read(t, filepath.Join(dynamoRecorded, "exchanges.jsonl"))
	if err := os.WriteFile(filepath.Join(cut, "exchanges.jsonl"), []byte(text[:len(text)/2]), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(cut, "vectors.f32"), []byte(read(t, filepath.Join(dynamoRecorded, "vectors.f32"))), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string // in what is printed
	}{
		{"as listed", []string{legacyRecorded, dynamoRecorded}, exitOK, []string{"dynamo-1.6.1, held to ", " entries in force):", " as listed, "}},
		{"without the reference", []string{dynamoRecorded}, exitOK, []string{"not asked   instructions/same-query: listed as other-vector in line", "no recording of these was given"}},
		{"changed", []string{legacyRecorded, dynamoRecorded, "--expectations", changedList(t, reduced, strings.Replace(reduced, "failed-5xx", "ignored", 1))}, exitNo,
			[]string{"1 changed", "changed     dimensions/reduced-256: failed-5xx, listed as ignored in line 4"}},
		{"of other versions", []string{legacyRecorded, dynamoRecorded, "--expectations", changedList(t, reduced, reduced+"    versions: {dynamo: <1.6.1}\n")}, exitNo,
			[]string{" entries in force, 1 of other versions", "unexpected  dimensions/reduced-256: failed-5xx, and no entry lists it"}},
		{"of this version", []string{legacyRecorded, dynamoRecorded, "--expectations", changedList(t, reduced, reduced+"    versions: {dynamo: \">=1.6.1rc1 <1.7\", vllm: 0.31}\n")}, exitOK, []string{" as listed, "}},
		{"no recording", []string{t.TempDir()}, exitUsage, []string{"not a recording"}},
		{"no list", []string{legacyRecorded, "--expectations", "nowhere.yaml"}, exitUsage, []string{"nowhere.yaml", "a new list begins with two lines"}},
		{"a list of others", []string{legacyRecorded, "--expectations", dynamoList}, exitUsage, []string{"none of these was recorded here"}},
		{"one target twice", []string{legacyRecorded, legacyRecorded}, exitUsage, []string{"there is a recording of legacy already"}},
		{"no argument", nil, exitUsage, []string{"requires at least 1 arg"}},
		{"an unwritten reason", []string{dynamoRecorded, "--expectations", changedList(t, `why: "vLLM refuses`, `why: "TODO: vLLM refuses`)}, exitUsage, []string{"list.yaml: [6:10] known[0] (dimensions/reduced-256): why is still to be written"}},
		{"a component that is not declared", []string{dynamoRecorded, "--expectations", changedList(t, reduced, reduced+"    versions: {dynmo: <1.6.1}\n")}, exitUnknown,
			[]string{"list.yaml: [6:16]", "target dynamo-1.6.1 declares the versions dynamo 1.6.1, vllm 0.31.0 only; expected a version of dynmo"}},
		{"a recording that was cut short", []string{cut}, exitUnknown, []string{"the run was interrupted"}},
		{"nothing selected", []string{dynamoRecorded, "--focus", "no such check"}, exitNothing, []string{"matches no check"}},
		{"nothing that can be asked", []string{dynamoRecorded, "--focus", "auth/wrong-key"}, exitNothing, []string{"1 not asked"}},
	} {
		code, stdout, stderr := command(t, append([]string{"expect"}, c.args...)...)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d\n%s%s", c.name, code, c.code, stdout, stderr)
		}
		hasParts(t, stdout+stderr, c.want...)
	}
	one := filepath.Join(t.TempDir(), "one")
	if code, _, stderr := command(t, "run", embeddedTarget(t, "mine", "legacy", ""), "--out", one, "--behaviour", "batching"); code == exitUsage || code == exitUnknown {
		t.Fatal(stderr)
	}
	list := write(t, "mine.yaml", "targets: [mine]\nknown: []\n")
	if code, stdout, stderr := command(t, "expect", filepath.Join(one, "mine"), "--expectations", list); code != exitUnknown && code != exitNo {
		t.Errorf("core checks are missing: exit code %d\n%s%s", code, stdout, stderr)
	} else {
		hasParts(t, stdout, "no verdict  dimensions/", "and ", "more: ask for all of them with --verbose")
	}
	code, stdout, stderr := command(t, "expect", filepath.Join(one, "mine"), "--expectations", list, "--update")
	if code != exitUnknown || read(t, list) != "targets: [mine]\nknown: []\n" {
		t.Errorf("rewritten from a part: exit code %d\n%s", code, stdout)
	}
	hasParts(t, stdout+stderr, "Nothing is rewritten, since the recordings do not tell all:", "has no verdict: error: not in this recording")
	if code, _, stderr := command(t, "expect", filepath.Join(one, "mine")); code != exitUsage {
		t.Errorf("no list at all: exit code %d", code)
	} else {
		hasParts(t, stderr, "none of these targets has a list of known deviations")
	}
}

// TestExpectUpdate takes a list that is wrong in each way to one that is right: rewritten, refused, written, and read.
func TestExpectUpdate(t *testing.T) {
	stale := "  # A comment of the stale one.\n  - check: dimensions/zero\n    variant: failed-5xx\n    why: w\n    upstream: u\n    review: 2027-05-31\n"
	text := read(t, dynamoList)
	at := strings.Index(text, batch)
	missing := text[at : at+strings.Index(text[at:], "  - check: dimensions/native-value")]
	path := changedList(t, "known:\n", "\n# What is known.\nknown:\n", reduced, strings.Replace(reduced, "failed-5xx", "ignored # in 1.5", 1), missing, stale)
	before := read(t, path)
	args := append([]string{"expect"}, both(t, path)...)
	code, stdout, _ := command(t, args...)
	if code != exitNo || read(t, path) != before {
		t.Errorf("without --update: exit code %d, or the file was written\n%s", code, stdout)
	}
	hasParts(t, stdout, "1 unexpected, 1 changed, 1 stale", "stale       dimensions/zero: rejected-4xx as promised, listed as failed-5xx in line")

	code, stdout, stderr := command(t, slices.Concat(args, []string{"--update"})...)
	if code != exitNo {
		t.Errorf("an entry is left to write: exit code %d\n%s%s", code, stdout, stderr)
	}
	hasParts(t, stdout, "--- "+path, "-    variant: ignored # in 1.5\n+    variant: failed-5xx # in 1.5\n", "-  # A comment of the stale one.\n-  - check: dimensions/zero\n",
		"+  - check: dimensions/reduced-batch\n+    variant: failed-5xx\n+    why: \"TODO: why it answers so\"\n", "dimensions/reduced-256 is failed-5xx now: does its reason still hold? vLLM refuses",
		"It is also the list of dynamo-1.6-emulated, dynamo-1.6.1-container, dynamo-1.6.1-gpu, which were not looked at.", "1 new entries say TODO: write why, upstream and review of each; until then the file is refused")
	added := missing[:strings.Index(missing, "    why:")] + "    why: \"TODO: why it answers so\"\n    upstream: \"TODO: the issue, change or text that explains it\"\n    review: \"TODO: the day to look again, YYYY-MM-DD\"\n"
	want := strings.Replace(strings.Replace(strings.Replace(before, "ignored # in 1.5", "failed-5xx # in 1.5", 1), stale, "", 1)+added, "\r", "", 1)
	if got := read(t, path); got != want {
		t.Errorf("rewritten as\n%s\nwant\n%s", got, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, again := range [][]string{args, slices.Concat(args, []string{"--update"}), {"judge", legacyRecorded, dynamoRecorded, "--expectations", path}} {
		if code, _, stderr := command(t, again...); code != exitUsage || !strings.Contains(stderr, "why is still to be written") {
			t.Errorf("%v reads what is unwritten: exit code %d, %s", again, code, stderr)
		}
	}
	filled := strings.NewReplacer(`"TODO: why it answers so"`, "w", `"TODO: the issue, change or text that explains it"`, "u", `"TODO: the day to look again, YYYY-MM-DD"`, "2099-01-01").Replace(want)
	if err := os.WriteFile(path, []byte(filled), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = command(t, slices.Concat(args, []string{"--update"})...)
	if code != exitOK || read(t, path) != filled {
		t.Errorf("once it is written: exit code %d, or it was changed\n%s%s", code, stdout, stderr)
	}
	hasParts(t, stdout, " as listed, ", path+": nothing to change")
}

// TestExpectUpdateOfVariants: what needs no words of a person is done at once.
func TestExpectUpdateOfVariants(t *testing.T) {
	path := changedList(t, reduced, strings.Replace(reduced, "failed-5xx", "ignored", 1))
	code, stdout, stderr := command(t, append([]string{"expect", "--update"}, both(t, path)...)...)
	if code != exitOK || read(t, path) != read(t, dynamoList) {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

func TestExpectUpdateRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"deselected checks", []string{dynamoRecorded, "--focus", "dimensions"}, "--behaviour and --focus deselect checks"},
		{"deselected behaviours", []string{dynamoRecorded, "--behaviour", "dimensions"}, "--behaviour and --focus deselect checks"},
		{"no reference", []string{dynamoRecorded}, "instructions/same-query on dynamo-1.6.1 is listed and was not asked: it is about the place of legacy"},
	} {
		path := changedList(t, reduced, strings.Replace(reduced, "failed-5xx", "ignored", 1))
		before := read(t, path)
		code, stdout, stderr := command(t, append(append([]string{"expect"}, c.args...), "--expectations", path, "--update")...)
		if code != exitUnknown || read(t, path) != before {
			t.Errorf("%s: exit code %d, want %d\n%s", c.name, code, exitUnknown, stdout)
		}
		hasParts(t, stderr, "nothing is rewritten", c.want)
	}
}

// TestExpectOnDays holds one recording to one list on the days before and after its review.
func TestExpectOnDays(t *testing.T) {
	path := changedList(t, "review: 2027-05-31", "review: 2027-01-31")
	for day, c := range map[string]struct {
		code int
		want string
	}{
		"2027-01-31": {exitOK, " as listed, "},
		"2027-02-01": {exitOK, "overdue     dimensions/reduced-256: listed as failed-5xx in line 4, to be looked at again by 2027-01-31"},
		"2027-05-01": {exitOK, " as listed, 1 overdue"},
		"2027-05-02": {exitNo, "expired     dimensions/reduced-256: listed as failed-5xx in line 4, and nobody has looked again since 2027-01-31"},
	} {
		today, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		for _, more := range [][]string{nil, {"--update"}} {
			cmd := expectCommand(suites.At, func() time.Time { return today })
			var out bytes.Buffer
			cmd.SetOut(&out)
			cmd.SetErr(&out)
			cmd.SilenceUsage, cmd.SilenceErrors = true, true
			cmd.SetArgs(append(both(t, path), more...))
			code, exit := exitOK, exitError{}
			if err := cmd.ExecuteContext(t.Context()); errors.As(err, &exit) {
				code = exit.code
			} else if err != nil {
				t.Fatal(err)
			}
			if code != c.code {
				t.Errorf("%s %v: exit code %d, want %d\n%s", day, more, code, c.code, out.String())
			}
			hasParts(t, out.String(), c.want)
		}
	}
}

// TestJudgeOfOldLists: past its review day an entry is a warning, and a failure once nobody has looked for long.
func TestJudgeOfOldLists(t *testing.T) {
	for _, c := range []struct {
		days int
		code int
		want string
	}{
		{-1, exitOK, "Known deviations past their review day: dimensions/reduced-256 on dynamo-1.6.1"},
		{-graceDays - 2, exitNo, "nobody has looked again for long"},
	} {
		path := changedList(t, "review: 2027-05-31", "review: "+time.Now().AddDate(0, 0, c.days).Format(time.DateOnly))
		code, stdout, stderr := command(t, "judge", dynamoRecorded, "--expectations", path, "--focus", "dimensions/reduced-256")
		if code != c.code {
			t.Errorf("%d days: exit code %d, want %d\n%s%s", c.days, code, c.code, stdout, stderr)
		}
		wantIn(t, stdout, c.want)
	}
}
