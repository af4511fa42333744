package suites

import (
	"context"
	"errors"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// besideAlone are the variants of texts that were asked alone and, again, all in one request.
func besideAlone() []contract.Variant {
	const wrong = "every client of batches: documents are stored with wrong vectors, in silence"
	return []contract.Variant{
		{Name: "as-alone", Outcome: contract.Pass, Meaning: "each text has the vector that it has alone"},
		{Name: "swapped", Outcome: contract.Fail, Meaning: "a text has the vector of another text of the batch", Breaks: wrong},
		{Name: "other-vector", Outcome: contract.Fail, Meaning: "a text has a vector that it does not have alone", Breaks: wrong},
		{Name: "wrong-count", Outcome: contract.Fail, Meaning: "another number of vectors than of texts", Breaks: wrong},
		{Name: "batch-refused", Refuses: true, Outcome: contract.Differs, Meaning: "the batch is refused, its texts alone are served", Breaks: "clients that send batches of this size", Remedy: "send smaller batches"},
		refused(),
	}
}

func besideAloneSwaps() []contract.SwapRule {
	const moved = "vectors in batches are others than the stored ones"
	return []contract.SwapRule{
		{From: "*", To: "swapped", Effect: contract.IndexBreak, Silent: true, Why: moved},
		{From: "*", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: moved},
		{From: "swapped", To: "as-alone", Effect: contract.IndexBreak, Silent: true, Why: moved},
		{From: "other-vector", To: "as-alone", Effect: contract.IndexBreak, Silent: true, Why: moved},
	}
}

// compareAlone judges a batch by the vectors that its texts have alone, in the same order.
func compareAlone(batch contract.Step, alone []contract.Step) contract.Finding {
	want := make([][]float32, len(alone))
	for i, s := range alone {
		v, err := s.One()
		if err != nil && s.OK() {
			return mismatch(s, err)
		}
		if err != nil {
			return contract.Found("refused", "%s: %s", s.Name, s.Describe()).From(s.Name)
		}
		want[i] = v
	}
	r, err := batch.Response()
	switch {
	case err != nil && batch.OK():
		return mismatch(batch, err)
	case err != nil:
		return contract.Found("batch-refused", "%s", batch.Describe()).From(batch.Name)
	case len(r.Items) != len(want):
		return contract.Found("wrong-count", "%d texts gave %d vectors", len(want), len(r.Items)).From(batch.Name)
	}
	got, err := batch.Many(len(want))
	if err != nil {
		return mismatch(batch, err)
	}
	f := contract.Found("as-alone", "%d texts", len(want)).From(batch.Name)
	var worst float64
	for i := range want {
		d, err := parity.Distance(want[i], got[i])
		if errors.Is(err, parity.ErrZero) {
			return mismatch(batch, err)
		}
		if err != nil || d > parity.BatchBar {
			f.Variant = "other-vector"
			if _, distance, err := nearest(got[i], alone); err == nil && distance <= parity.BatchBar {
				f.Variant = "swapped"
			}
			f.Observed = fmt.Sprintf("text %d of %d: cosine %s to the text alone", i, len(want), contract.FormatNumber(1-d))
			return f.With("cosine to the text alone", 1-d)
		}
		worst = max(worst, d)
	}
	return f.With("cosine min", 1-worst)
}

func batchCorpus() contract.Check {
	return contract.Check{
		ID: "batching/whole-corpus", Promise: "all documents of the corpus in one request have the vectors that they have alone",
		Why: "indexing jobs send as many texts as they may; servers that split a request must put it together again", Level: contract.Should,
		Sources:  []string{"batch-index-correct", "batch-limit-2048", "batch-invariance"},
		Reads:    []string{documentsCheck},
		Variants: besideAlone(), Swap: besideAloneSwaps(),
		Probe: func(ctx context.Context, p contract.Prober) error {
			var texts []string
			for _, t := range p.Plan().Texts().Documents {
				texts = append(texts, t.Text)
			}
			_, err := p.Embed(ctx, "batch", contract.Body{"input": texts})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			return compareAlone(e.Step("batch"), e.Read[documentsCheck].StepsLike("document:"))
		},
	}
}

func batchLong() contract.Check {
	// texts are a short one, one of half the limit and one of the limit: unlike lengths need padding and masks.
	texts := func(f contract.Facts) ([]string, string) {
		half := contract.Filler{Words: max(f.Limit.Words/2, 1)}
		return []string{"Old boats.", half.String(), f.Limit.String()}, "Old boats. | " + half.Recipe() + " | " + f.Limit.Recipe()
	}
	return contract.Check{
		ID: "batching/long-texts", Promise: "long texts in a batch have the vectors that they have alone",
		Why: "documents are long and indexed in batches; a server may cut, pad or mask there otherwise than for a text alone", Level: contract.Must,
		Sources:  []string{"batch-padding-invariance", "trunc-silent-detector"},
		Variants: besideAlone(), Swap: besideAloneSwaps(),
		Needs: countsTokens,
		Probe: func(ctx context.Context, p contract.Prober) error {
			if err := needLimit(p.Facts()); err != nil {
				return err
			}
			all, recipe := texts(p.Facts())
			for i, t := range all {
				if _, err := p.Embed(ctx, fmt.Sprintf("alone:%d", i), contract.Body{"input": t}, contract.Recipe(fmt.Sprintf("text %d of %s", i, recipe))); err != nil {
					return err
				}
			}
			_, err := p.Embed(ctx, "batch", contract.Body{"input": all}, contract.Recipe(recipe))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			return compareAlone(e.Step("batch"), e.StepsLike("alone:"))
		},
	}
}
