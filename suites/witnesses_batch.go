package suites

import (
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

func witnessBatch(k sdk) contract.Check {
	remedy := ""
	if k.asksBase64 {
		remedy = askFloat
	}
	silent := k.users + ": documents are stored with the vectors of others, in silence"
	return contract.Check{
		ID: "witnesses/" + k.name + "-batch", Promise: k.title + " hands on the vectors of a batch in the order of its texts",
		Why: "it does not sort: who reads data[i] for text i gets what the server put there", Level: contract.Must, Extended: k.extended,
		Sources: []string{"batch-order-positional", "batch-index-correct", "https://github.com/openai/openai-python/issues/420"},
		Variants: []contract.Variant{
			{Name: "in-place", Outcome: contract.Pass, Meaning: "data[i] is the vector of text i"},
			{Name: "by-index", Outcome: contract.Differs, Meaning: "another order, in which index names the texts", Breaks: k.users + " who read by position, in silence", Remedy: "sort data by index"},
			{Name: "misplaced", Outcome: contract.Fail, Meaning: "vectors stand at the place of other texts, and under their index", Breaks: silent, Remedy: remedy},
			{Name: "wrong-count", Outcome: contract.Fail, Meaning: "another number of items than texts", Breaks: silent, Remedy: remedy},
			{Name: "garbage", Outcome: contract.Fail, Meaning: "its user gets numbers that are the vector of no text, and no error", Breaks: k.users + ", in silence", Remedy: remedy},
			{Name: "raises", Refuses: true, Outcome: contract.Fail, Meaning: "its user gets an error", Breaks: k.users + ", loudly", Remedy: remedy},
		},
		Swap: []contract.SwapRule{
			{From: "by-index", To: "in-place", Effect: contract.Compatible, Why: "index names the text as before"},
			{From: "in-place", To: "by-index", Effect: contract.ClientChange, Silent: true, Why: "who reads by position stores the vectors of other texts"},
			{From: "garbage", To: "in-place", Effect: contract.ClientChange, Why: "whoever filled an index through this SDK stored garbage: fill it again"},
			{From: "*", To: "garbage", Effect: contract.IndexBreak, Silent: true, Why: "what is stored through this SDK from now on is no vector of the model"},
			{From: "raises", To: "garbage", Effect: contract.IndexBreak, Silent: true, Why: "what failed loudly is garbage now"},
			{From: "*", To: "misplaced", Effect: contract.IndexBreak, Silent: true, Why: "documents are stored with the vectors of others"},
			{From: "raises", To: "misplaced", Effect: contract.IndexBreak, Silent: true, Why: "what failed loudly is stored with the vectors of others now"},
			{From: "misplaced", To: "in-place", Effect: contract.IndexBreak, Silent: true, Why: "what was stored in batches is wrong"},
		},
		Probe: witnessProbe(k, statement.Batch, statement.Texts()),
		Classify: func(e contract.Evidence) contract.Finding {
			out, raw, instead := witnessed(e)
			if instead != nil {
				return *instead
			}
			f := contract.Found("in-place", "%d items for %d texts", len(out.Data), len(raw)).From(toldStep).With("calls", float64(out.Calls))
			if len(out.Data) != len(raw) {
				f.Variant = "wrong-count"
				return f
			}
			return placed(f, out.Data, raw)
		},
	}
}

// placed looks at which text each item is the vector of.
func placed(f contract.Finding, items []statement.Item, raw [][]float32) contract.Finding {
	byPlace, byIndex := true, true
	named := map[int]bool{}
	for i, it := range items {
		at := -1
		for j, want := range raw {
			// A batch may be computed otherwise than a text alone; how near it must come is for vector_parity to say.
			if same, _ := reads(it, want, parity.PeerBar); same {
				at = j
				break
			}
		}
		if at < 0 {
			_, observed := reads(it, raw[i], 0)
			f.Variant, f.Observed = "garbage", fmt.Sprintf("item %d is the vector of no text: %s", i, observed)
			return f
		}
		if at != i && byPlace {
			f.Observed = fmt.Sprintf("item %d with index %d is the vector of text %d", i, it.Index, at)
		}
		byPlace, byIndex = byPlace && at == i, byIndex && it.Index == at && !named[at]
		named[at] = true
	}
	switch {
	case byPlace:
	case byIndex:
		f.Variant = "by-index"
	default:
		f.Variant = "misplaced"
	}
	return f
}
