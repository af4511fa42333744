package main

import (
	"context"
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/suites"
)

// withPlanted is the contract with a behaviour of two checks that no revision lists, and that every server and every
// pair fails.
func withPlanted(revision string) (contract.Suite, error) {
	s, err := suites.At(contract.Draft)
	if err != nil {
		return s, err
	}
	good := contract.Variant{Name: "good", Outcome: contract.Pass, Meaning: "it is good"}
	bad := contract.Variant{Name: "bad", Outcome: contract.Fail, Meaning: "it is bad", Breaks: "somebody"}
	target := contract.Check{ID: "planted/target", Promise: "p", Why: "w", Level: contract.Must, Sources: []string{"the test"}, Variants: []contract.Variant{good, bad},
		Probe: func(ctx context.Context, p contract.Prober) error {
			_, err := p.Embed(ctx, "plain", contract.Body{"input": "a"})
			return err
		},
		Classify: func(contract.Evidence) contract.Finding {
			return contract.Found("bad", "seen by the test").From("plain")
		},
	}
	pair := target
	good.Effect, bad.Effect = contract.Same, contract.IndexBreak
	pair.ID, pair.Variants = "planted/pair", []contract.Variant{good, bad}
	pair.Classify, pair.Compare = nil, func(_, _ contract.Evidence) contract.Finding { return contract.Found("bad", "seen by the test") }
	s.Behaviours = append(s.Behaviours, contract.Behaviour{Stem: "planted", Promise: "p", Checks: []contract.Check{target, pair}})
	if err := s.Validate(); err != nil || revision == contract.Draft {
		return s, err
	}
	frozen, err := suites.At(revision)
	if err != nil {
		return frozen, err
	}
	r := contract.Revision{Name: frozen.Revision, Levels: map[string]contract.Level{}}
	for _, c := range frozen.Checks() {
		if !c.Provisional {
			r.Levels[c.ID] = c.Level
		}
	}
	return s.At(r)
}

// TestProvisionalChecksDecideNothing runs a contract with checks that no revision lists: green by the revision, red
// by the draft, live and from the recordings, with a list of known deviations and without.
func TestProvisionalChecksDecideNothing(t *testing.T) {
	t.Parallel()
	run := func(args ...string) (int, string, string) { return commandBy(t.Context(), withPlanted, args...) }
	out := filepath.Join(t.TempDir(), "out")
	code, stdout, stderr := run("run", "--full", "--out", out)
	if code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	wantIn(t, stdout, "◇ target", "◇ pair", "provisional, not counted: 3 fail", "provisional, not counted: 1 same · 1 INDEX-BREAK",
		"The index may stay", "though not without effect: planted/pair", "◇ provisional: shown, and not counted", "Judged by contract revision 2026-11.")
	if strings.Contains(stdout, "◄ unexpected") {
		t.Errorf("a provisional check raises an alarm\n%s", stdout)
	}
	if cases := failing(t, filepath.Join(out, "junit.xml")); len(cases) > 0 {
		t.Errorf("JUnit has failures: %v", cases)
	}
	r := readReport(t, filepath.Join(out, "report.json"))
	if r.Verdict.Exit != exitOK || !r.Verdict.Expected || r.Revision != "2026-11" || r.Verdict.Provisional["fail"] != 3 ||
		r.Pairs[0].Provisional["index-break"] != 1 || r.Pairs[0].Effects["index-break"] != 0 {
		t.Errorf("the report: exit %d, revision %s, %v, %v", r.Verdict.Exit, r.Revision, r.Verdict.Provisional, r.Pairs[0])
	}
	if md := read(t, filepath.Join(out, "report.md")); !strings.Contains(md, "| ◇ target |") || !strings.Contains(md, "Judged by contract revision 2026-11.") {
		t.Errorf("Markdown does not mark it:\n%s", md)
	}
	recorded := []string{filepath.Join(out, "legacy-emulated"), filepath.Join(out, "dynamo-1.6-emulated")}
	for name, c := range map[string]struct {
		args []string
		code int
		want []string
	}{
		"judged again": {append([]string{"judge", "--full"}, recorded...), exitOK, []string{"◇ target"}},
		"in short":     {append([]string{"judge"}, recorded...), exitOK, []string{"planted 1◇ 1◇ 2◇", "◇ provisional: shown, and not counted"}},
		"by the draft": {append([]string{"judge", "--revision", "draft"}, recorded...), exitNo,
			[]string{"bad ◄ unexpected", "The index breaks: planted/pair", "Judged by the draft", "recorded 2", "under contract revision 2026-11"}},
		"by its name": {append([]string{"judge", "--revision", "2026-11"}, recorded...), exitOK, []string{"Judged by contract revision 2026-11."}},
		"live, by the draft": {[]string{"run", "--revision", "draft"}, exitNo,
			[]string{"planted/target", "reproduce embedcontract run --focus '^planted/target$' --revision draft dynamo-1.6-emulated"}},
		"without a list": {[]string{"run", embeddedTarget(t, "mine", "honest", ""), "--behaviour", "planted"}, exitOK, []string{"◇ target"}},
		"without a list, draft": {[]string{"run", embeddedTarget(t, "mine", "honest", ""), "--behaviour", "planted", "--revision", "draft"}, exitNo,
			[]string{"✗ planted/target"}},
		"nothing else was asked":  {[]string{"run", "--behaviour", "planted"}, exitOK, []string{"nothing that was asked counts by this contract revision"}},
		"a target that is absent": {[]string{"run", embeddedTarget(t, "mine", "nobody", ""), "--behaviour", "planted"}, exitUnknown, []string{"no answers"}},
		"an unknown revision":     {[]string{"run", "--revision", "2020-01"}, exitUsage, []string{`no contract revision "2020-01"; there are 2026-11, and draft`}},
		"judge, unknown revision": {append([]string{"judge", "--revision", "x"}, recorded...), exitUsage, []string{"there are 2026-11"}},
		"list":                    {[]string{"list"}, exitOK, []string{"planted/target must core, provisional p"}},
		"list --json":             {[]string{"list", "--json"}, exitOK, []string{`"provisional": true`}},
		"explain":                 {[]string{"explain", "planted/pair"}, exitOK, []string{"Provisional: contract revision 2026-11 does not list it"}},
		"version":                 {[]string{"version"}, exitOK, []string{"contract revision 2026-11 (", " checks", "2 provisional)"}},
	} {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(c.args...)
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
			wantIn(t, stdout+stderr, c.want...)
		})
	}
}

// TestABaselineMayLackProvisionalChecks compares with recordings that were made before a check existed.
func TestABaselineMayLackProvisionalChecks(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	if code, stdout, stderr := command(t, "run", "--out", out); code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr := commandBy(t.Context(), withPlanted, "run", "--baseline", out)
	if code != exitOK {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	wantIn(t, stdout, "planted/target: was error, is bad (provisional, not counted)")
	code, _, stderr = commandBy(t.Context(), withPlanted, "run", "--baseline", out, "--revision", "draft")
	if code != exitUsage {
		t.Errorf("by another revision than the baseline: exit code %d", code)
	}
	wantIn(t, stderr, "or judge both by --revision 2026-11")
}

// TestExtendedChecksInRecordings judges runs with and without extended checks: what was not asked for is no error.
func TestExtendedChecksInRecordings(t *testing.T) {
	t.Parallel()
	slow := func(string) (contract.Suite, error) {
		s, err := withPlanted(contract.Draft)
		if err != nil {
			return s, err
		}
		checks := s.Behaviours[len(s.Behaviours)-1].Checks
		checks[0].Extended, checks[1].Extended = true, true
		s.Behaviours = slices.DeleteFunc(s.Behaviours, func(b contract.Behaviour) bool { // their extended checks are slow indeed
			return b.Stem != "planted" && b.Stem != "dimensions"
		})
		return s, nil
	}
	before, after := embeddedTarget(t, "before", "honest", ""), embeddedTarget(t, "after", "honest", "")
	run := func(args ...string) (int, string, string) { return commandBy(t.Context(), slow, args...) }
	for name, c := range map[string]struct {
		args []string
		code int
	}{"without": {nil, exitOK}, "with": {[]string{"--extended"}, exitNo}} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			code, live, stderr := run(append([]string{"run", before, after, "--out", out}, c.args...)...)
			if code != c.code || strings.Contains(live, "planted/") != (c.code == exitNo) {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, live, stderr)
			}
			// These target files do not outlive the test: a judge of their recordings cannot say how to ask again.
			live = regexp.MustCompile(`\n +reproduce .*`).ReplaceAllString(live, "")
			code, again, stderr := run("judge", filepath.Join(out, "before"), filepath.Join(out, "after"))
			if code != c.code || again != live {
				t.Errorf("judged again: exit code %d, want %d\n%s%s\n--- live:\n%s", code, c.code, again, stderr, live)
			}
		})
	}
}

func readReport(t *testing.T, path string) *report.Report {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := report.ReadJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// failing names the cases of a JUnit file that failed or have an error.
func failing(t *testing.T, path string) []string {
	t.Helper()
	var all struct {
		Suites []struct {
			Cases []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Error   *struct{} `xml:"error"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(read(t, path)), &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Suites) == 0 || len(all.Suites[0].Cases) == 0 {
		t.Fatalf("%s has no cases", path)
	}
	var names []string
	for _, s := range all.Suites {
		for _, c := range s.Cases {
			if c.Failure != nil || c.Error != nil {
				names = append(names, c.Name)
			}
		}
	}
	return names
}
