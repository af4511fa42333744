package suites

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// batchDimensions is a second length, so that a server which knows one only is noticed.
const batchDimensions = 128

// anyDimensions are the checks that send dimensions which every server that has them should serve.
func anyDimensions() []string { return []string{"dimensions/reduced-256", "dimensions/native-value"} }

// asAnyDimensions is what to say of a refusal on a server that refuses every dimensions: it is none of the value.
func asAnyDimensions(e contract.Evidence) string {
	refused := 0
	for id, step := range map[string]string{"dimensions/reduced-256": "reduced", "dimensions/native-value": "native"} {
		switch s := e.Read[id].Step(step); {
		case s.OK():
			return ""
		case s.Status != 0:
			refused++
		}
	}
	if refused == 0 {
		return ""
	}
	return "; as any dimensions"
}

func dimBatch() contract.Check {
	const who = "clients that index short vectors in batches"
	return contract.Check{
		ID:      "dimensions/reduced-batch",
		Promise: "dimensions 128 shortens every vector of a batch to the renormalised prefix of its own full vector",
		Why:     "documents are indexed in batches; a server may honour dimensions for one text, or for one size, only",
		Level:   contract.Should,
		Sources: []string{"dim-reduce-256", "dim-unlisted-size", openAIRequest + ".dimensions"},
		Variants: append([]contract.Variant{
			{Name: "honoured", Outcome: contract.Pass, Meaning: "the renormalised prefix for each text"},
			{Name: "sliced-not-renormalised", Outcome: contract.Fail, Meaning: "the plain prefix for each text, its norm below 1",
				Breaks: "dot products shrink, each by another factor: thresholds drop good hits, and the order of hits changes", Remedy: "divide each by its norm"},
			{Name: "other-length", Outcome: contract.Fail, Meaning: "200, but some vectors have another length", Breaks: who},
			{Name: "other-vectors", Outcome: contract.Fail, Meaning: "128 numbers that are not the renormalised prefix of the text's own vector", Breaks: who},
		}, refusesFeature("dimensions in a batch", who, "leave dimensions out, cut the vectors and divide each by its norm")...),
		Swap: append(refusalSwaps(), batchSwaps()...),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if n := p.Facts().Dimensions; n > 0 && n <= batchDimensions {
				return contract.Inapplicable("its native length is %d, so %d is no reduction", n, batchDimensions)
			}
			if _, err := p.Embed(ctx, "full", contract.Body{"input": batchTexts()}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "reduced", contract.Body{"input": batchTexts(), "dimensions": batchDimensions})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("reduced")
			if f, ok := unserved(e.Step("full")); ok {
				return f
			}
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			n := len(batchTexts())
			full, errF := e.Step("full").Many(n)
			got, errR := s.Many(n)
			if err := errors.Join(errF, errR); err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("honoured", "%d vectors of %d numbers", n, len(got[0])).From("full", "reduced")
			var lengths []float64 // of the plain slices
			for i := range got {
				if len(got[i]) != batchDimensions {
					f.Variant, f.Observed = "other-length", fmt.Sprintf("text %d has %d numbers", i, len(got[i]))
					return f
				}
				d, err := parity.Distance(got[i], parity.Prefix(full[i], batchDimensions))
				if err != nil {
					return mismatch(s, err)
				}
				norm, unit := parity.Unit(got[i])
				plain := math.Abs(norm-parity.Norm(full[i][:batchDimensions])) <= parity.NormTolerance
				switch {
				case d <= parity.SameBar && unit:
				case d <= parity.SameBar && plain:
					lengths = append(lengths, norm)
				default:
					f.Variant, f.Observed = "other-vectors", fmt.Sprintf("text %d: cosine %s to its prefix, norm %s", i, contract.FormatNumber(1-d), contract.FormatNumber(norm))
					return f
				}
			}
			switch len(lengths) {
			case 0:
			case n:
				f.Variant = "sliced-not-renormalised"
				f.Observed += fmt.Sprintf(", norms %s to %s", contract.FormatNumber(slices.Min(lengths)), contract.FormatNumber(slices.Max(lengths)))
			default:
				f.Variant, f.Observed = "other-vectors", fmt.Sprintf("%d of %d texts have the plain prefix, the others the renormalised one", len(lengths), n)
			}
			return f
		},
	}
}

// batchSwaps: whoever is served short vectors in batches has an index of them.
func batchSwaps() []contract.SwapRule {
	const length, moved = "an index of %s refuses what is served now", "short vectors are others than the stored ones"
	rules := []contract.SwapRule{
		{From: "other-vectors", To: "honoured", Effect: contract.IndexBreak, Silent: true, Why: moved},
		{From: "honoured", To: "other-vectors", Effect: contract.IndexBreak, Silent: true, Why: moved},
	}
	for _, short := range []string{"honoured", "sliced-not-renormalised"} {
		rules = append(rules,
			contract.SwapRule{From: short, To: "other-length", Effect: contract.IndexBreak, Why: fmt.Sprintf(length, "short vectors")},
			contract.SwapRule{From: "other-length", To: short, Effect: contract.IndexBreak, Why: fmt.Sprintf(length, "the other length")})
	}
	for _, other := range []string{"honoured", "other-vectors"} {
		rules = append(rules,
			contract.SwapRule{From: "sliced-not-renormalised", To: other, Effect: contract.IndexBreak, Silent: true, Why: moved},
			contract.SwapRule{From: other, To: "sliced-not-renormalised", Effect: contract.IndexBreak, Silent: true, Why: moved})
	}
	return rules
}

func dimSameNative() contract.Check {
	return contract.Check{
		ID:      "dimensions/same-native",
		Promise: "without dimensions the candidate's vectors are as long as the reference's",
		Why:     "the index has the length of the reference's vectors",
		Level:   contract.Must,
		Sources: []string{"dim-native-default"},
		Reads:   []string{"dimensions/native-by-default"},
		Variants: []contract.Variant{
			{Name: "equal", Outcome: contract.Pass, Effect: contract.Same, Meaning: "the same length"},
			{Name: "differs", Outcome: contract.Fail, Effect: contract.IndexBreak, Meaning: "another length", Breaks: "the index: it refuses the vectors", Remedy: "embed the corpus again"},
			{Name: "not-served", Outcome: contract.Fail, Effect: contract.Unknown, Meaning: "one of the servers did not answer with a vector", Breaks: "every client"},
		},
		Compare: func(r, k contract.Evidence) contract.Finding {
			a, errA := r.Read["dimensions/native-by-default"].Step("default").One()
			b, errB := k.Read["dimensions/native-by-default"].Step("default").One()
			if err := errors.Join(errA, errB); err != nil {
				return contract.Found("not-served", "%v", err)
			}
			f := contract.Found("equal", "%d and %d numbers", len(a), len(b))
			if len(a) != len(b) {
				f.Variant = "differs"
			}
			return f
		},
	}
}
