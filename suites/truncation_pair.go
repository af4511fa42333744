package suites

import (
	"context"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// truncReferenceLimit asks the candidate for the long texts that the reference takes: each server's own limit is
// judged by the other checks, and says nothing of whether it has become lower.
func truncReferenceLimit() contract.Check {
	const long = "documents as long as the reference takes"
	return contract.Check{
		ID:      "truncation/reference-limit",
		Promise: "texts of half the reference's limit, and of all of it, have the same vectors on the candidate",
		Why:     "a lower limit refuses what was served yesterday, or cuts it in silence",
		Level:   contract.Must,
		Sources: []string{"trunc-effective-max", "trunc-boundary"},
		Plans:   []string{contract.PlanLimit},
		Variants: []contract.Variant{
			{Name: "same-vectors", Outcome: contract.Pass, Effect: contract.Same, Meaning: "both are served with the same vectors, cosine at least 0.9995"},
			{Name: "refused", Outcome: contract.Fail, Effect: contract.ClientChange, Meaning: "the candidate refuses a text that the reference takes", Breaks: "clients that send " + long, Remedy: "start the candidate with the reference's limit, or send shorter texts"},
			{Name: "other-vectors", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "the candidate answers with another vector: it cuts earlier, or long texts land elsewhere",
				Breaks: "search over long documents", Remedy: "start the candidate with the reference's limit, or embed long documents again"},
			{Name: "incomparable", Outcome: contract.Fail, Effect: contract.IndexBreak, Meaning: "the vectors have different lengths, or are of zeros", Breaks: "every index"},
			{Name: "not-served", Outcome: contract.Fail, Effect: contract.Unknown, Meaning: "the reference did not answer with a vector, or the candidate's answer cannot be read", Breaks: "every client"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Plan().Facts
			if f.Limit == (contract.Filler{}) {
				return contract.Inapplicable("no text of exactly the reference's limit is known")
			}
			half := contract.Filler{Words: max(f.Limit.Words/2, 1)}
			if _, err := p.Embed(ctx, "half", contract.Body{"input": half.String()}, contract.Recipe(half.Recipe())); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "limit", contract.Body{"input": f.Limit.String()}, contract.Recipe(f.Limit.Recipe()))
			return err
		},
		Compare: func(r, k contract.Evidence) contract.Finding {
			f := contract.Found("same-vectors", "limit of the reference %d, of the candidate %d", r.Facts.MaxTokens, k.Facts.MaxTokens)
			for _, step := range []string{"half", "limit"} {
				a, b := r.Step(step), k.Step(step)
				d, err := stepDistance(a, b)
				switch {
				case directionless(err):
					return contract.Found("incomparable", "%s: %v", step, err).From(step)
				case a.OK() && !b.OK():
					return contract.Found("refused", "%s: %s", step, b.Describe()).From(step)
				case err != nil:
					return contract.Found("not-served", "%s: reference %s, candidate %s", step, a.Describe(), b.Describe()).From(step)
				case d > parity.PeerBar:
					return contract.Found("other-vectors", "%s: cosine %s", step, contract.FormatNumber(1-d)).From(step).With("cosine", 1-d)
				}
				f = f.With("cosine at the "+step, 1-d)
			}
			return f
		},
	}
}
