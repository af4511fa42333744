package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/upgrade"
)

// sampleUpgrade has each mark, each kind of list and a text that wants to spoil the output.
func sampleUpgrade() *upgrade.Diff {
	day := time.Date(2026, 11, 3, 12, 30, 0, 0, time.UTC)
	state := func(variant, outcome string) upgrade.State {
		return upgrade.State{Variant: variant, Outcome: outcome, Observed: "seen as " + variant, Meaning: "what " + variant + " means"}
	}
	bad := upgrade.State{Variant: "failed-5xx", Outcome: "fail", Observed: "500 " + hostile, Breaks: "every client that sends | this", Remedy: "leave `dimensions` out"}
	return &upgrade.Diff{
		Schema: upgrade.Schema, Tool: map[string]string{"version": "0.1.0"}, Revision: "2026-11", Judged: day,
		Verdict: upgrade.Verdict{Words: "dynamo 1.5.1 → 1.6.1: 4 changes in 9 checks: 1 fixed, 2 regressed, 1 moved. The index breaks, SILENTLY: vector_parity/cosine.", Exit: 1, Index: "re-embed"},
		Old:     upgrade.Side{Name: "dynamo-1.5.1", Kind: "real", Versions: map[string]string{"dynamo": "1.5.1", "vllm": "0.28.0", "old": "1"}, Recorded: day, Revision: "2026-10", Machine: map[string]string{"cpus": "2"}, Checks: 9},
		New:     upgrade.Side{Name: "dynamo-1.6.1", Kind: "emulated", Versions: map[string]string{"dynamo": "1.6.1", "vllm": "0.28.0", "new": "2"}, Recorded: day.AddDate(0, 0, 3), Revision: "2026-11", Checks: 10},
		Changes: []upgrade.Change{
			{Check: "vector_parity/cosine", Promise: "the same vectors", Level: "must", Pair: true, Mark: upgrade.Regressed, From: state("equal", "pass"),
				To: upgrade.State{Variant: "drifted", Outcome: "fail", Breaks: "the index"}, Effect: "index-break", Silent: true, Why: "farther apart than cosine 0.9995"},
			{Check: "dimensions/reduced-256", Promise: "it is shorter", Level: "should", Mark: upgrade.Regressed, From: state("honoured", "pass"), To: bad, Effect: "client-change", Why: "a fault <b>of the server</b> " + hostile},
			{Check: "encoding_format/null", Promise: "null is float", Level: "may", Provisional: true, Mark: upgrade.Moved, From: state("as-float", "pass"), To: state("rejected-4xx", "pass"), Effect: "unknown"},
			{Check: "status_codes/empty-body", Promise: "a client's fault", Level: "must", Mark: upgrade.Fixed, From: state("failed-5xx", "fail"), To: state("rejected-4xx", "pass"), Effect: "compatible", Why: "it failed before and fails now"},
		},
		Ways:  []upgrade.Way{{Remedy: "dimensions/cut", Do: "leave `dimensions` out and cut", Checks: []string{"dimensions/reduced-256"}, Proof: "verified for 1 check: cosine 1"}},
		Facts: []upgrade.Fact{{Name: "query_prefix", Old: "", New: "Instruct: *find*\nQuery:", Mark: upgrade.Moved, Effect: "not-compared", Why: "it is declared"}},
		Measures: []upgrade.Measure{
			{Name: "vectors of plain requests", Moved: true, Text: "cosine min 0.9, median 0.99, n=5; farthest in c/one s_1", Effect: "index-break", Why: "some texts are farther apart than cosine 0.9995"},
			{Name: "norms", Text: "0 of 5 differ by more than 0.001"},
		},
		Added:     []upgrade.Held{{Check: "service/request-id", Variant: "absent", Outcome: "differs"}},
		Removed:   []upgrade.Held{{Check: "auth/any-key", Outcome: "error", Reason: "the server was gone " + hostile}},
		Unchanged: []upgrade.Held{{Check: "dimensions/zero", Variant: "rejected-4xx", Outcome: "pass"}},
		Neither:   []upgrade.Held{{Check: "auth/missing-key", Outcome: "not-applicable", Reason: "no key is named"}},
		Gaps: []upgrade.Gap{
			{Reason: "dynamo-1.5.1 was asked, dynamo-1.6.1 was not", Checks: []string{"auth/any-key"}, Command: "embedcontract run dynamo-1.6.1 --reference old --out .runs/again", Decides: true},
			{Reason: "b: " + hostile, Checks: []string{"c/1", "c/2", "c/3", "c/4", "c/5"}, Command: "embedcontract run b --out c"},
		},
	}
}

func upgradeTerminal(t *testing.T, o TerminalOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := UpgradeTerminal(sampleUpgrade(), &b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestUpgradeTerminal(t *testing.T) {
	golden(t, "upgrade.txt", upgradeTerminal(t, TerminalOptions{}))
	golden(t, "upgrade-verbose.txt", upgradeTerminal(t, TerminalOptions{Verbose: true}))
	for _, columns := range []int{60, 72, 80} {
		for _, colour := range []bool{false, true} {
			for l := range strings.SplitSeq(string(upgradeTerminal(t, TerminalOptions{Width: columns, Colour: colour, Verbose: true})), "\n") {
				if n := width(l); n > columns {
					t.Errorf("%d columns, allowed are %d: %q", n, columns, l)
				}
				if !colour && strings.Contains(l, "\x1b") {
					t.Errorf("a sequence of the server reaches the terminal: %q", l)
				}
			}
		}
	}
}

func TestUpgradeMarkdown(t *testing.T) {
	var b bytes.Buffer
	if err := UpgradeMarkdown(sampleUpgrade(), &b); err != nil {
		t.Fatal(err)
	}
	golden(t, "upgrade.md", b.Bytes())
	for l := range strings.SplitSeq(b.String(), "\n") {
		if strings.HasPrefix(l, "| ") && strings.Count(l, "|") != 7 && strings.Count(l, "|") != 6 && strings.Count(l, "|") != 5 {
			t.Errorf("a text opens a cell of its own: %q", l)
		}
	}
	for _, bad := range []string{"<script>", "</details>", "**loud**", "`tick`", "@someone", " #12", "[a](", "\x1b"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q reaches Markdown", bad)
		}
	}
}

// TestUpgradeMarkdownFitsAComment: a comparison of two unlike servers is cut, and says by how much.
func TestUpgradeMarkdownFitsAComment(t *testing.T) {
	d := sampleUpgrade()
	for range 500 {
		d.Changes = append(d.Changes, d.Changes[1])
	}
	var b bytes.Buffer
	if err := UpgradeMarkdown(d, &b); err != nil {
		t.Fatal(err)
	}
	if b.Len() > markdownSize+len("\n") || !strings.Contains(b.String(), "more changes are in the comparison that is printed") {
		t.Errorf("%d bytes, allowed are %d", b.Len(), markdownSize)
	}
}

// TestUpgradeJSONHoldsNoSequence: it is looked at in terminals, too.
func TestUpgradeJSONHoldsNoSequence(t *testing.T) {
	var b bytes.Buffer
	if err := UpgradeJSON(sampleUpgrade(), &b); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\u009b\u202e") {
		t.Error("a sequence of the server reaches the terminal")
	}
}
