package verdict_test

import (
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

func TestSwap(t *testing.T) {
	cell := func(check string, e contract.Effect) verdict.Cell { return verdict.Cell{Check: check, Effect: e} }
	silent := func(check string, e contract.Effect) verdict.Cell {
		return verdict.Cell{Check: check, Effect: e, Silent: true}
	}
	cosine := verdict.Cell{Check: "vector_parity/cosine", Effect: contract.Same, Variant: "equal", Observed: "cosine min 1"}
	tokens := verdict.Cell{Check: "token_parity/per-document", Effect: contract.Same, Variant: "equal", Observed: "equal on 40 of 40"}
	undecided := verdict.Cell{Check: "vector_parity/cosine", Effect: contract.Unknown, Observed: "cosine min 0.9997"}
	for _, c := range []struct {
		name  string
		cells []verdict.Cell
		want  string
	}{
		{"yes", []verdict.Cell{cell("c/1", contract.Same), cell("c/2", contract.Compatible), cosine, tokens},
			"B in place of A: yes, as far as was asked. The index may stay: cosine min 1; tokens equal on 40 of 40."},
		{"yes, without tokens", []verdict.Cell{cosine}, "B in place of A: yes, as far as was asked. The index may stay: cosine min 1."},
		{"nothing asked of vectors", []verdict.Cell{cell("c/1", contract.Same)}, "B in place of A: yes, as far as was asked. The index: not asked."},
		{"one change", []verdict.Cell{cell("c/1", contract.ClientChange), cosine},
			"B in place of A: not as it is. Clients notice 1 check. The index may stay: cosine min 1."},
		{"silent changes", []verdict.Cell{silent("c/1", contract.ClientChange), cell("c/2", contract.ClientChange), silent("c/3", contract.ClientChange), cosine},
			"B in place of A: not as it is. Clients notice 3 checks, 2 of them SILENT. The index may stay: cosine min 1."},
		// A silent break of the index is no change that clients notice, and must not be counted as one of them.
		{"silent breaks", []verdict.Cell{cell("c/1", contract.ClientChange), silent("c/2", contract.IndexBreak), silent("c/3", contract.IndexBreak), cosine},
			"B in place of A: not as it is. Clients notice 1 check. The index breaks: c/2, c/3."},
		{"what is harmless is not counted", []verdict.Cell{silent("c/1", contract.Compatible), cell("c/2", contract.ClientChange), cosine},
			"B in place of A: not as it is. Clients notice 1 check. The index may stay: cosine min 1."},
		{"only the index breaks", []verdict.Cell{silent("c/1", contract.IndexBreak), cosine}, "B in place of A: not as it is. The index breaks: c/1."},
		{"many breaks", []verdict.Cell{cell("c/1", contract.IndexBreak), cell("c/2", contract.IndexBreak), cell("c/3", contract.IndexBreak), cell("c/4", contract.IndexBreak), cell("c/5", contract.IndexBreak), cell("c/6", contract.IndexBreak)},
			"B in place of A: not as it is. The index breaks: c/1, c/2, c/3, c/4, and 2 more."},
		{"just so many breaks", []verdict.Cell{cell("c/1", contract.IndexBreak), cell("c/2", contract.IndexBreak), cell("c/3", contract.IndexBreak), cell("c/4", contract.IndexBreak)},
			"B in place of A: not as it is. The index breaks: c/1, c/2, c/3, c/4."},
		{"cannot tell", []verdict.Cell{cell("c/1", contract.Unknown), cosine},
			"B in place of A: cannot tell. The index may stay: cosine min 1. Not decided: c/1."},
		{"the index is undecided", []verdict.Cell{undecided},
			"B in place of A: cannot tell. The index: undecided (cosine min 0.9997). Not decided: vector_parity/cosine."},
		{"a change weighs more than a doubt", []verdict.Cell{cell("c/1", contract.Unknown), cell("c/2", contract.ClientChange), cosine},
			"B in place of A: not as it is. Clients notice 1 check. The index may stay: cosine min 1. Not decided: c/1."},
		{"tokens differ", []verdict.Cell{cosine, {Check: "token_parity/per-document", Effect: contract.ClientChange, Observed: "39 of 40"}},
			"B in place of A: not as it is. Clients notice 1 check. The index may stay: cosine min 1."},
		{"nothing", nil, "B in place of A: yes, as far as was asked. The index: not asked."},
	} {
		if got := verdict.Swap("A", "B", c.cells); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
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
