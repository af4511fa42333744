package suites

import (
	"context"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	// sumTexts is how many texts the large request has.
	sumTexts = 64
	// sumTokens is the length of each of them, or half the limit where that is less: 32,000 tokens in all, which a
	// server on a CPU embeds within the time that clients wait. OpenAI takes 300,000; this does not show that.
	sumTokens = 500
)

// sumText is the text at place i: all begin alike but for their number, so that one that is cut or mixed up shows.
func sumText(f contract.Facts, i int) (text, recipe string) {
	words := max(min(sumTokens, f.MaxTokens/2)*f.Limit.Words/max(f.MaxTokens, 1), 1)
	filler := contract.Filler{Words: words}
	return fmt.Sprintf("Page %d. %s", i, filler), fmt.Sprintf("Page %d. + %s", i, filler.Recipe())
}

func tokensRequestSum() contract.Check {
	const who = "indexing jobs that fill their requests by number of texts"
	const smaller = "send fewer tokens in one request"
	return contract.Check{
		ID: "token_parity/request-sum", Promise: "64 texts of 500 tokens are served in one request, and have the vectors that they have alone",
		Why: "servers bound the tokens of a request as well as of a text; jobs that were sized for one server fail on the next", Level: contract.Should, Extended: true,
		Sources: []string{"batch-token-sum", "OpenAI API: 300,000 tokens summed across all inputs of a request"},
		Variants: append([]contract.Variant{
			{Name: "served", Outcome: contract.Pass, Meaning: "64 vectors; the first and the last are those of the texts alone"},
			{Name: "other-vectors", Outcome: contract.Fail, Meaning: "the first or the last text has a vector that it does not have alone", Breaks: who + ": documents are stored with wrong vectors, in silence", Remedy: smaller},
			{Name: "wrong-count", Outcome: contract.Fail, Meaning: "another number of vectors than of texts", Breaks: who, Remedy: smaller},
		}, refusesFeature("a request of many tokens", who, smaller)...),
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: "*", To: "other-vectors", Effect: contract.IndexBreak, Silent: true, Why: "vectors of large requests are others than the stored ones"},
			contract.SwapRule{From: "other-vectors", To: "served", Effect: contract.IndexBreak, Silent: true, Why: "vectors of large requests are others than the stored ones"}),
		Needs: countsTokens,
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			if err := needLimit(f); err != nil {
				return err
			}
			texts := make([]string, sumTexts)
			for i := range texts {
				texts[i], _ = sumText(f, i)
			}
			for _, i := range []int{0, sumTexts - 1} {
				text, recipe := sumText(f, i)
				if _, err := p.Embed(ctx, fmt.Sprintf("alone:%d", i), contract.Body{"input": text}, contract.Recipe(recipe)); err != nil {
					return err
				}
			}
			_, recipe := sumText(f, 0)
			_, err := p.Embed(ctx, "request", contract.Body{"input": texts}, contract.Recipe(fmt.Sprintf("%d texts like %s", sumTexts, recipe)))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("request")
			for _, alone := range e.StepsLike("alone:") {
				if f, ok := unserved(alone); ok {
					return f
				}
			}
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			r, err := s.Response()
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("served", "%d vectors", len(r.Items)).From(s.Name)
			if n, err := s.Tokens(); err == nil {
				f = f.With("tokens", float64(n))
			}
			if len(r.Items) != sumTexts {
				f.Variant = "wrong-count"
				return f
			}
			got, err := s.Many(sumTexts)
			if err != nil {
				return mismatch(s, err)
			}
			for _, i := range []int{0, sumTexts - 1} {
				name := fmt.Sprintf("alone:%d", i)
				want, err := e.Step(name).One()
				if err != nil {
					return mismatch(e.Step(name), err)
				}
				d, err := parity.Distance(want, got[i])
				if err != nil || d > parity.BatchBar {
					f.Variant, f.Observed = "other-vectors", fmt.Sprintf("text %d: cosine %s to the text alone", i, contract.FormatNumber(1-d))
					return f.From(name, s.Name)
				}
				f = f.With(fmt.Sprintf("cosine of text %d", i), 1-d)
			}
			return f
		},
	}
}
