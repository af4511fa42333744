package report

import (
	"fmt"
	"strings"
	"testing"
)

// failuresOf is what stands below the notes.
func failuresOf(out string) string {
	_, after, _ := strings.Cut(out, "Judged by contract revision")
	return after
}

func TestFailureSaysWhatToDo(t *testing.T) {
	r := decided()
	r.Baseline = nil
	out := failuresOf(terminal(t, r, TerminalOptions{Width: 120}))
	block, _, _ := strings.Cut(out[strings.Index(out, "✗ dimensions/reduced-256"):], "\n\n")
	for _, want := range []string{
		"✗ dimensions/reduced-256 on dynamo-1.6-emulated (emulated): failed-5xx ◄ unexpected\n",
		"  promise    the promise of dimensions/reduced-256 (must)\n",
		"  answers    ✓ honoured, ✗ sliced-not-renormalised, ○ rejected-4xx, ✗ failed-5xx\n",
		"  expected   no deviation is listed here\n",
		"  observed   500 first | second",
		"  change     honoured → failed-5xx CLIENT-CHANGE\n",
		"  breaks     clients that retry: each call costs three requests\n",
		"  verified   leave dimensions out; cut and renormalise, in place of legacy (reconstructed) (cosine min 1)\n",
		"  log        traceback",
		"  reproduce  embedcontract run --target dynamo-1.6-emulated --focus dimensions/reduced-256",
	} {
		if !strings.Contains(block, want) {
			t.Errorf("no %q in\n%s", want, block)
		}
	}
	for _, aside := range []string{"why  ", "numbers", "request", "remedy", "ValueError"} {
		if strings.Contains(block, "\n  "+aside) {
			t.Errorf("%s is shown without being asked for:\n%s", aside, block)
		}
	}
	if n := strings.Count(block, "\n"); n > 12 {
		t.Errorf("one failure takes %d lines:\n%s", n, block)
	}
	if strings.Contains(out, "→ dimensions/reduced-256") {
		t.Error("the effect of a failure has a block of its own")
	}
	for _, want := range []string{"  failed     ask for another model, in place of legacy (reconstructed) (500 again)\n", "  untried    ask for float (recorded before this check)\n"} {
		if out := terminal(t, r, TerminalOptions{Width: 120, Verbose: true}); !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// What is known is counted, and takes no lines.
func TestFailuresLeaveOutWhatIsKnown(t *testing.T) {
	r := large(as("as-listed", "fail", "sliced-not-renormalised"))
	r.Pairs[0].Cells[0].Expected.Status, r.Pairs[0].Cells[0].Expected.OK = "as-listed", true // an effect is not counted again
	out := terminal(t, r, TerminalOptions{})
	if strings.Contains(failuresOf(out), "✗") {
		t.Errorf("a known deviation has a block:\n%s", out)
	}
	if !strings.Contains(strings.Join(strings.Fields(out), " "), "known deviations, as listed: 55") {
		t.Errorf("known deviations are not counted:\n%s", out)
	}
}

func TestFailuresAreBounded(t *testing.T) {
	blocks := func(out string) int { return strings.Count(out, "\n✗ behaviour_") }
	failing := large(as("unexpected", "fail", "sliced-not-renormalised").seen("500 " + strings.Repeat("long ", 500)))
	failing.Baseline = nil
	out := terminal(t, failing, TerminalOptions{})
	shown := blocks(out)
	if n := strings.Count(failuresOf(out), "\n"); shown < 2 || n > failureLines+5 {
		t.Errorf("%d failures take %d lines:\n%s", shown, n, out)
	}
	if want := fmt.Sprintf("\n%d more: behaviour_", 55-shown); !strings.Contains(out, want) || !strings.Contains(out, "See -v for all of them") {
		t.Errorf("no %q: what is left out is not told:\n%s", want, out[len(out)-300:])
	}
	if got := blocks(terminal(t, failing, TerminalOptions{Verbose: true})); got != 55 {
		t.Errorf("%d blocks of 55 when all are asked for", got)
	}
}

func TestBaselineIsBounded(t *testing.T) {
	r := sample()
	for i := range 100 {
		r.Baseline.Differences = append(r.Baseline.Differences, Difference{Column: "legacy", Check: fmt.Sprintf("a/%d", i), Before: "x", After: "y"})
	}
	out := terminal(t, r, TerminalOptions{})
	_, after, _ := strings.Cut(out, "Differences from the recordings")
	if n := strings.Count(after, "\n"); n > baselineLines+3 {
		t.Errorf("%d lines:\n%s", n, after)
	}
	listed := strings.Count(after, "was ")
	if want := fmt.Sprintf("\n  %d more: see --full\nIf the server was changed", 103-listed+1); !strings.Contains(after, want) { // one "was" is in the advice
		t.Errorf("no %q in\n%s", want, after)
	}
	if n := strings.Count(terminal(t, r, TerminalOptions{Full: true}), ": was x, is y"); n != 100 {
		t.Errorf("--full shows %d of 100", n)
	}
}
