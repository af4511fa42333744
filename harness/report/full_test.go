package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/verdict"
)

// TestFullShortensNothing: with --full, names, cells and operations stand in full on whatever screen; what does not fit takes
// further lines. Without it they are shortened here, so the test would see that.
func TestFullShortensNothing(t *testing.T) {
	r := lone(map[string]Judgement{"a/x": ok("good")})
	const stem, name, variant = "a-behaviour", "a-check-with-a-long-name", "an-answer-with-a-long-name"
	r.Behaviours = []Behaviour{{Stem: stem, Checks: []Check{{ID: stem + "/" + name, Variants: variants(variant + ":pass")}}}}
	r.Reference = "mine"
	r.Targets = append(r.Targets, Target{Name: "yours", Kind: "real", Model: "m"})
	r.Cells = []Cell{{Target: "mine", Check: stem + "/" + name, Judgement: ok(variant)}, {Target: "yours", Check: stem + "/" + name, Judgement: ok(variant)}}
	p := Pair{Reference: "mine", Candidate: "yours", Cells: []PairCell{{Check: stem + "/" + name, Effect: "client-change", Silent: true, From: variant, To: variant, Judgement: Judgement{Expected: Expected{OK: true}}}}}
	p.Decision = verdict.Decision{Answer: verdict.Changes, Words: "words", Clients: verdict.Clients{Answer: verdict.Changes}, Index: verdict.Index{Answer: verdict.Keep}}
	var operations []string
	for i := range 12 {
		id := fmt.Sprintf("lifecycle/what-those-who-run-it-notice-%d", i)
		operations = append(operations, fmt.Sprintf("/what-those-who-run-it-notice-%d", i))
		p.Decision.Operations = append(p.Decision.Operations, verdict.Operation{Check: id, Changes: i%2 == 0})
	}
	r.Pairs = []Pair{p}
	for _, columns := range []int{60, 80, 200} {
		full := terminal(t, r, TerminalOptions{Width: columns, Full: true})
		if strings.Contains(full, "…") || strings.Contains(full, " +") {
			t.Errorf("%d columns: something is shortened\n%s", columns, full)
		}
		for _, l := range strings.Split(full, "\n") {
			if width(l) > columns {
				t.Errorf("%d columns: %d: %s", columns, width(l), l)
			}
		}
		for _, want := range slices.Concat(operations, []string{name, "✓ " + variant, "CLIENT-CHANGE", "SILENT"}) {
			if !strings.Contains(full, want) {
				t.Errorf("%d columns: %q is not whole\n%s", columns, want, full)
			}
		}
	}
	if short := terminal(t, r, TerminalOptions{Width: 60}); !strings.Contains(short, "…") || !strings.Contains(short, " +") {
		t.Errorf("nothing is shortened, so the test sees nothing\n%s", short)
	}
}
