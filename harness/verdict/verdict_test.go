package verdict_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

func TestWords(t *testing.T) {
	cell := func(check string, e contract.Effect) verdict.Cell { return verdict.Cell{Check: check, Effect: e} }
	silent := func(check string, e contract.Effect) verdict.Cell {
		return verdict.Cell{Check: check, Effect: e, Silent: true}
	}
	aside := func(check string, e contract.Effect) verdict.Cell {
		return verdict.Cell{Check: check, Effect: e, Silent: true, Provisional: true}
	}
	cosine := verdict.Cell{Check: "vector_parity/cosine", Effect: contract.Same, Variant: "equal", Observed: "cosine min 1"}
	tokens := verdict.Cell{Check: "token_parity/per-document", Effect: contract.Same, Variant: "equal", Observed: "equal on 40 of 40"}
	// fine are all cells that an index depends on, harmless; with replaces some of them.
	fine := func(with ...verdict.Cell) []verdict.Cell {
		var out []verdict.Cell
		for _, id := range []string{"vector_parity/edge-texts", "token_parity/edge-texts", "truncation/reference-limit", "dimensions/same-native",
			"dimensions/same-for-every-length", "unit_norm/single", "unit_norm/batch-of-8", "vector_parity/repeat", "vector_parity/alone-and-in-batch",
			"vector_parity/order-in-batch", "vector_parity/twenty-times", "vector_parity/cross-index", "vector_parity/half-mixed-index", "concurrency/isolation", "batching/index", "batching/order", "batching/whole-corpus", "batching/long-texts"} {
			out = append(out, cell(id, contract.Same))
		}
		out = append(out, cosine, tokens)
		for _, w := range with {
			at := slices.IndexFunc(out, func(c verdict.Cell) bool { return c.Check == w.Check })
			if at < 0 {
				out = append(out, w)
			} else {
				out[at] = w
			}
		}
		return out
	}
	const stays = " The index may stay: cosine min 1; tokens equal on 40 of 40."
	whole, part := verdict.Scope{Asked: 9, Of: 9}, verdict.Scope{Asked: 3, Of: 9}
	for _, c := range []struct {
		name  string
		cells []verdict.Cell
		scope verdict.Scope
		want  string
	}{
		{"yes", fine(cell("c/1", contract.Same), cell("c/2", contract.Compatible)), whole, "yes, by all 9 checks." + stays},
		{"a part is no yes", fine(), part, "no change in the 3 of 9 checks that were asked." + stays},
		{"nothing asked of the index", []verdict.Cell{cell("c/1", contract.Same)}, part,
			"no change in the 3 of 9 checks that were asked. The index: not decided, vector_parity/cosine was not asked."},
		{"one of the index's checks is missing", slices.DeleteFunc(fine(), func(c verdict.Cell) bool { return c.Check == "batching/index" }), part,
			"no change in the 3 of 9 checks that were asked. The index: not decided, batching/index was not asked."},
		{"one of the index's checks can be asked of neither", fine(cell("truncation/reference-limit", contract.NotCompared)), whole,
			"cannot tell. The index: not decided, truncation/reference-limit was not asked."},
		{"one change", fine(cell("c/1", contract.ClientChange)), whole, "no, not as it is. 1 difference." + stays},
		{"silent changes", fine(silent("c/1", contract.ClientChange), cell("c/2", contract.ClientChange), silent("c/3", contract.ClientChange)), whole,
			"no, not as it is. 3 differences, 2 of them SILENT: no status tells." + stays},
		// A break of the index is a difference, and no change for clients: each is counted as what it is.
		{"silent breaks", fine(cell("c/1", contract.ClientChange), silent("c/2", contract.IndexBreak), silent("c/3", contract.IndexBreak)), whole,
			"no, not as it is. 3 differences (1 for clients, 2 for the index), 2 of them SILENT: no status tells. The index breaks, SILENTLY: c/2, c/3."},
		{"what is harmless is not counted", fine(silent("c/1", contract.Compatible), cell("c/2", contract.ClientChange)), whole,
			"no, not as it is. 1 difference." + stays},
		{"only the index breaks", fine(silent("c/1", contract.IndexBreak)), whole, "no, not as it is. 1 difference (0 for clients, 1 for the index), 1 of them SILENT: no status tells. The index breaks, SILENTLY: c/1."},
		{"many breaks", []verdict.Cell{cell("c/1", contract.IndexBreak), cell("c/2", contract.IndexBreak), cell("c/3", contract.IndexBreak), cell("c/4", contract.IndexBreak), cell("c/5", contract.IndexBreak), cell("c/6", contract.IndexBreak)}, whole,
			"no, not as it is. 6 differences (0 for clients, 6 for the index). The index breaks: c/1, c/2, c/3, c/4, and 2 more."},
		{"just so many breaks", []verdict.Cell{cell("c/1", contract.IndexBreak), cell("c/2", contract.IndexBreak), cell("c/3", contract.IndexBreak), cell("c/4", contract.IndexBreak)}, whole,
			"no, not as it is. 4 differences (0 for clients, 4 for the index). The index breaks: c/1, c/2, c/3, c/4."},
		{"cannot tell", fine(cell("c/1", contract.Unknown)), whole, "cannot tell." + stays + " Not decided: c/1."},
		{"the index is undecided", fine(verdict.Cell{Check: "vector_parity/cosine", Effect: contract.Unknown, Observed: "cosine min 0.9997"}), whole,
			"cannot tell. The index: not decided, vector_parity/cosine decides nothing (cosine min 0.9997). Not decided: vector_parity/cosine."},
		{"a change weighs more than a doubt", fine(cell("c/1", contract.Unknown), cell("c/2", contract.ClientChange)), whole,
			"no, not as it is. 1 difference." + stays + " Not decided: c/1."},
		{"a provisional harm decides nothing, and is said",
			fine(aside("c/1", contract.ClientChange), aside("c/2", contract.Unknown), aside("c/3", contract.IndexBreak)), whole,
			"yes, by all 9 checks." + stays + " Provisional, and not counted, though not without effect: c/1, c/3."},
		{"a provisional doubt about the index", fine(aside("vector_parity/edge-texts", contract.Unknown)), whole, "yes, by all 9 checks." + stays},
		{"nothing but provisional ones", []verdict.Cell{aside("c/1", contract.Same)}, part,
			"nothing that was asked counts by this contract revision. The index: not decided, vector_parity/cosine was not asked."},
		{"nothing", nil, part, "cannot tell. The index: not decided, vector_parity/cosine was not asked."},
	} {
		if got, want := verdict.Decide(verdict.Case{Reference: "A", Candidate: "B", Cells: c.cells, Scope: c.scope}).Words, "B in place of A: "+c.want; got != want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, want)
		}
	}
}

func TestConformance(t *testing.T) {
	got := verdict.Conformance("t", map[contract.Outcome]int{contract.Fail: 2, contract.Pass: 30, contract.Skipped: 0, contract.Error: 1, contract.Differs: 4,
		contract.NotApplicable: 1, contract.Flaky: 1, contract.Unsupported: 3})
	if want := "t: 30 pass, 4 differs, 3 unsupported, 2 fail, 1 flaky, 1 error, 1 not-applicable."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestABridgedBreakOfTheIndexIsExplained: beside "may stay" stands why a check that found the index broken does not count.
func TestABridgedBreakOfTheIndexIsExplained(t *testing.T) {
	cells := index(verdict.Cell{Check: "c/1", Effect: contract.IndexBreak, Why: "other vectors", Silent: true}, verdict.Cell{Check: "c/2", Effect: contract.ClientChange, Why: "refused"})
	c := verdict.Case{Reference: "A", Candidate: "B", Cells: cells, Scope: verdict.Scope{Asked: 9, Of: 9},
		Remedies: []verdict.Remedy{{ID: "r/1", Change: "send less", Bridges: []string{"c/1", "c/2"},
			Proofs: []contract.Proof{{Check: "c/1", Holds: true, Observed: "seen"}, {Check: "c/2", Holds: true, Observed: "seen"}}}}}
	d := verdict.Decide(c)
	if d.Index.Answer != verdict.Keep || !slices.Contains(d.Index.Reasons, "c/1 would break it (other vectors), and is bridged by a verified change of clients: send less") {
		t.Errorf("%s: %q", d.Index.Answer, d.Index.Reasons)
	}
	for _, want := range []string{"2 differences (1 for clients, 1 for the index), 1 of them SILENT", "The index may stay: ", " 1 index break is bridged by verified changes of clients: c/1."} {
		if !strings.Contains(d.Words, want) {
			t.Errorf("%q is not in %s", want, d.Words)
		}
	}
	// Without the proof it breaks, and nothing is said to bridge it.
	c.Remedies[0].Proofs[0].Holds = false
	if d := verdict.Decide(c); d.Index.Answer != verdict.ReEmbed || strings.Contains(d.Words, "bridged") || len(d.Index.Breaks) != 1 {
		t.Errorf("%s: %s", d.Index.Answer, d.Words)
	}
}
