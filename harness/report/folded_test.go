package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/verdict"
)

// decided is the sample with a decision on its pair, and with remedies that hold, fail and were not tried.
func decided() *Report {
	r := sample()
	p := &r.Pairs[0]
	p.Remedies = []Remedy{
		{ID: "dimensions/slice", Change: "leave dimensions out; cut and renormalise", Variant: "verified", Bridges: []string{"dimensions/reduced-256"},
			Proofs: []Proof{{Check: "dimensions/reduced-256", Outcome: ProofHolds, Observed: "cosine min 1"}}},
		{ID: "dimensions/other-model", Change: "ask for another model", Variant: "failed", Bridges: []string{"dimensions/zero"},
			Proofs: []Proof{{Check: "dimensions/zero", Outcome: ProofFails, Observed: "500 again"}, {Check: "dimensions/native-by-default", Outcome: ProofNeedless}}},
		{ID: "encoding_format/float", Change: "ask for float", Reason: "recorded before this check", Bridges: []string{"encoding_format/base64-is-string", "vector_parity/cosine"}},
	}
	p.Decision = verdict.Decision{
		Answer: verdict.NotSafe, Words: r.Verdict.Words[0],
		Clients: verdict.Clients{Answer: verdict.NotSafe,
			Changes: []verdict.Change{
				{Remedy: "dimensions/slice", Do: "leave dimensions out; cut and renormalise", Checks: []string{"dimensions/reduced-256"}},
				{Remedy: "instructions/prefix", Do: "put the instruction before the text of each query", Silent: true, Checks: []string{"instructions/input-type-query"}},
			},
			Failed: []verdict.Change{{Remedy: "dimensions/other-model", Do: "ask for another model", Why: []string{"dimensions/zero: 500 again"}}},
			Breaks: []verdict.Break{{Check: "dimensions/zero", Why: "counts as a fault of the server"}, {Check: "instructions/same-query", Why: "another place", Silent: true},
				{Check: "truncation/over-long", Why: "refused now"}},
		},
		Index: verdict.Index{Answer: verdict.ReEmbed, Reasons: []string{"vector_parity/cosine: cosine min 0.9871 on 한국어 문서"}, Breaks: []verdict.Break{{Check: "vector_parity/cosine"}}},
		Operations: []verdict.Operation{{Check: "status_codes/client-faults-are-4xx", What: "some-5xx"}, {Check: "lifecycle/worker-stops", What: "hangs", Changes: true},
			{Check: "lifecycle/worker-killed", What: "hangs", Changes: true}},
		Unknown: []verdict.Open{{What: "61 extended checks were not asked", Command: "embedcontract run"}, {What: "rankings: the weights are random numbers"}},
	}
	return r
}

// hostileDecision has the hostile text in the decision as well.
func hostileDecision() *Report {
	r := hostileEverywhere()
	p := &r.Pairs[0]
	long := hostile + strings.Repeat(" 한국어", 100)
	breaks := []verdict.Break{{Check: long, Why: long, Silent: true}, {Check: hostile + "/한국어", Why: long}, {Check: strings.Repeat("한", 60) + "/x", Why: long}}
	p.Remedies = []Remedy{{ID: long, Change: long, Reason: long, Bridges: []string{"dimensions/zero"}, Proofs: []Proof{{Check: "dimensions/reduced-256", Outcome: ProofHolds, Observed: long}}}}
	p.Decision = verdict.Decision{Answer: hostile, Words: long,
		Clients: verdict.Clients{Answer: hostile, Changes: []verdict.Change{{Do: long, Silent: true}, {Do: hostile}}, Failed: []verdict.Change{{Do: long, Why: []string{long}}}, Breaks: breaks},
		Index:   verdict.Index{Answer: hostile, Reasons: []string{long}, Bound: long}, Operations: []verdict.Operation{{Check: long, Changes: true}, {Check: long}}, Unknown: []verdict.Open{{What: long}, {What: long}}}
	r.Verdict.Words = []string{long}
	return r
}

// wide is a run as large as a real one: 17 behaviours of 9 checks, 8 changes, and a verdict of five lines.
func wide(j Judgement) *Report {
	r := decided()
	r.Behaviours, r.Cells, r.Pairs[0].Cells, r.Baseline = nil, nil, nil, nil
	for b := range 17 {
		beh := Behaviour{Stem: fmt.Sprintf("encoding_form%02d", b)}
		for c := range 9 {
			k := check(fmt.Sprintf("%s/truncate-prompt-tok-%d", beh.Stem, c), "must", "sliced-not-renormalised:fail", "honoured:pass")
			beh.Checks = append(beh.Checks, k)
			r.Cells = append(r.Cells, Cell{Target: "legacy", Check: k.ID, Judgement: ok("honoured")}, Cell{Target: "dynamo-1.6-emulated", Check: k.ID, Judgement: j})
			r.Pairs[0].Cells = append(r.Pairs[0].Cells, PairCell{Check: k.ID, Effect: "client-change", Silent: c%2 == 0})
		}
		r.Behaviours = append(r.Behaviours, beh)
	}
	d := &r.Pairs[0].Decision
	d.Clients.Breaks, d.Clients.Failed, d.Clients.Changes = nil, nil, nil
	for i := range 8 {
		d.Clients.Changes = append(d.Clients.Changes, verdict.Change{Do: fmt.Sprintf("change %d: %s", i, strings.Repeat("do this and that ", 10)), Silent: i == 5})
	}
	d.Index.Answer = verdict.Keep
	r.Verdict.Words = []string{strings.Repeat("word ", 70)}
	r.Targets[1].Label = r.Targets[0].Label
	tally(r)
	r.Verdict.Exit = 0
	return r
}

func TestFoldedIsAScreen(t *testing.T) {
	out := terminal(t, wide(ok("honoured")), TerminalOptions{})
	if n := strings.Count(out, "\n"); n > 41 {
		t.Errorf("%d lines:\n%s", n, out)
	}
	for l := range strings.SplitSeq(out, "\n") {
		if width(l) > defaultWidth {
			t.Errorf("%d columns: %s", width(l), l)
		}
	}
	for i := range 8 {
		if !strings.Contains(out, fmt.Sprintf(" verified  change %d: ", i)) {
			t.Errorf("change %d is not there:\n%s", i, out)
		}
	}
	failing := terminal(t, wide(as("unexpected", "fail", "sliced-not-renormalised")), TerminalOptions{})
	if n := strings.Count(failing, "\n"); n > 41+failureLines+4 {
		t.Errorf("with failures %d lines:\n%s", n, failing)
	}
}

func TestFoldedRows(t *testing.T) {
	out := terminal(t, decided(), TerminalOptions{Width: 120})
	for _, want := range []string{
		"dimensions       2✓ 1~ 1◇      1✓ 2✗ 2◄ 1◇          CLIENT-CHANGE 2 1◇  ◄reduced-256, ◄zero",
		"encoding_format  1✗ 1–         1✓ 1± 2◄             unknown 1  ◄base64-is-string, ◄node-sdk-default",
		"instructions     2✓            1○ 1–                INDEX-BREAK 1 CLIENT-CHANGE 1 SILENT 2  input-type-query, same-query",
		"truncation       1✓ 1~ 1○      2! 1? 3◄             unknown 3  ◄over-long, ◄truncate-prompt-tokens, ◄end-counts",
		"vector_parity                                       INDEX-BREAK 1 1◄  ◄cosine",
	} {
		if !strings.Contains(out, "\n"+want+"\n") {
			t.Errorf("no row %q in\n%s", want, out)
		}
	}
	// Where the whole does not fit, the worst effect stays, with the sign that there are others.
	if out := terminal(t, decided(), TerminalOptions{}); !strings.Contains(out, "  INDEX-BREAK 1+ SILENT 2\n") {
		t.Errorf("the worst effect is missing:\n%s", out)
	}
	// The silent are named first, also where others come before them.
	if out := terminal(t, wide(ok("honoured")), TerminalOptions{Width: 160}); !strings.Contains(out, "SILENT 5  truncate-prompt-tok-0, truncate-prompt-tok-2, truncate-prompt-tok-4") {
		t.Errorf("the silent are not named first:\n%s", out)
	}
	if out := terminal(t, decided(), TerminalOptions{Width: 60}); !strings.Contains(strings.Join(strings.Fields(out), " "), "recorded 2026-11-03 under contract revision 2026-05") {
		t.Errorf("that a recording was made under other rules is cut off:\n%s", out)
	}
	for _, effect := range []string{"", "made-up"} { // a word of a later version must not read as harmless
		r := decided()
		r.Pairs[0].Cells[0].Effect = effect
		if out := terminal(t, r, TerminalOptions{Width: 120}); !strings.Contains(out, "CLIENT-CHANGE 2 missing 1 1◇") {
			t.Errorf("an effect %q is not told:\n%s", effect, out)
		}
	}
}

func TestFoldedChanges(t *testing.T) {
	out := terminal(t, decided(), TerminalOptions{})
	want := `
SILENT verified  put the instruction before the text of each query
SILENT no remedy instructions/same-query: another place
       verified  leave dimensions out; cut and renormalise
       failed    ask for another model: dimensions/zero: 500 again
       no remedy 2: dimensions/zero, truncation/over-long
index            re-embed: vector_parity/cosine: cosine min 0.9871 on 한국어 문…
operations       2 changed: lifecycle/worker-stops, /worker-killed; 1 to know: …
open             2: 61 extended checks were not asked; rankings: the weights ar…

`
	if !strings.Contains(out, want) {
		t.Errorf("not in it:\n%s\n%s", want, out)
	}
	r := decided()
	r.Pairs[0].Decision.Index.Answer = verdict.Keep
	if strings.Contains(terminal(t, r, TerminalOptions{}), "\nindex") {
		t.Error("what the words say is said again")
	}
	if !strings.Contains(terminal(t, r, TerminalOptions{Full: true}), "\nindex            keep: ") {
		t.Error("with --full the index is missing")
	}
	// Of more pairs each gets fewer lines, and the rest is counted.
	for range 3 {
		r.Pairs = append(r.Pairs, r.Pairs[0])
	}
	out = terminal(t, r, TerminalOptions{})
	if got := strings.Count(out, "and 3 more: see --full"); got != 4 {
		t.Errorf("%d of 4 pairs count what they leave out:\n%s", got, out)
	}
	if strings.Contains(terminal(t, r, TerminalOptions{Full: true}), "see --full") {
		t.Error("--full leaves changes out")
	}
}

// Each target and each pair has its column, however many there are, and each row says where its column stands.
func TestFoldedManyTargets(t *testing.T) {
	r := decided()
	for i := range 6 {
		name := fmt.Sprintf("%d-vllm-in-place-of-한국어-한국어-server", i)
		r.Targets = append(r.Targets, Target{Name: name, Kind: "real"})
		r.Pairs = append(r.Pairs, Pair{Reference: "legacy", Candidate: name})
		for _, b := range r.Behaviours {
			for n, c := range b.Checks {
				outcome := "pass"
				if n < i {
					outcome = "fail"
				}
				r.Cells = append(r.Cells, Cell{Target: name, Check: c.ID, Judgement: as("as-listed", outcome, "x")})
			}
		}
	}
	for _, columns := range []int{60, 80, 120} {
		out := terminal(t, r, TerminalOptions{Width: columns})
		for i := range 6 {
			if !strings.Contains(out, fmt.Sprintf("  %d-vllm-in", i)) {
				t.Errorf("no column of target %d at %d:\n%s", i, columns, out)
			}
		}
		if rows, tables := strings.Count(out, "\ntruncation "), strings.Count(out, "\nbehaviour "); rows != tables || tables < 2 {
			t.Errorf("%d rows in %d tables", rows, tables)
		}
		for l := range strings.SplitSeq(out, "\n") {
			if width(l) > columns && !strings.Contains(l, "embedcontract ") {
				t.Errorf("%d columns: %s", width(l), l)
			}
		}
	}
}

// A choice of few checks is shown check by check: counts would say less in as many lines.
func TestFewChecksAreNotFolded(t *testing.T) {
	r := decided()
	for rows := r.rows(); rows > 0; rows = r.rows() {
		out := terminal(t, r, TerminalOptions{})
		if folded := strings.Contains(out, "\nbehaviour "); folded != (rows > fewRows) || folded == (matrixOf(out) != nil) {
			t.Errorf("%d rows, folded: %v\n%s", rows, folded, out)
		}
		last := &r.Behaviours[len(r.Behaviours)-1]
		if last.Checks = last.Checks[1:]; len(last.Checks) == 0 {
			r.Behaviours = r.Behaviours[:len(r.Behaviours)-1]
		}
	}
}

func TestFitting(t *testing.T) {
	ids := []string{"a/one", "a/two", "b/three", "four"}
	for columns, want := range map[int]string{80: "a/one, /two, b/three, four", 26: "a/one, /two, b/three, four", 25: "a/one, /two, b/three +1",
		14: "a/one, /two +2", 13: "a/one +3", 6: "a/… +3", 1: "… +3"} {
		if got := fitting(ids, columns); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
	if got := fitting(slices.Repeat([]string{"한국어/하나"}, 3), 14); got != "한국어/하나 +2" {
		t.Errorf("%q", got)
	}
}
