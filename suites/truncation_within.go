package suites

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

func truncTail() contract.Check {
	// tails are the parts of the text, in percent, that are replaced: a quarter, and the last twentieth.
	tails := [...]int{25, 5}
	return contract.Check{
		ID:      endsCheck,
		Promise: "the end of a text within the limit has an influence on its vector",
		Why:     "some servers cut far below the limit that they promise, and their usage counts the whole text",
		Level:   contract.Must,
		Sources: []string{"trunc-silent-detector", "trunc-effective-max", "vMLX cuts at 512 tokens"},
		Variants: []contract.Variant{
			{Name: "counts", Outcome: contract.Pass, Meaning: "another end gives another vector"},
			{Name: "cut-below-limit", Outcome: contract.Fail, Meaning: "another end gives the same vector, with 200 and full usage", Breaks: "search over long documents: their ends cannot be found",
				Remedy: "split documents into shorter pieces"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "*", To: "cut-below-limit", Effect: contract.IndexBreak, Silent: true, Why: "vectors of long texts no longer depend on their ends"},
			{From: "cut-below-limit", To: "*", Effect: contract.IndexBreak, Silent: true, Why: "vectors of long texts are others than the stored ones"},
		},
		Needs: countsTokens,
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			if err := needLimit(f); err != nil {
				return err
			}
			if _, err := p.Embed(ctx, "whole", contract.Body{"input": f.Limit.String()}, contract.Recipe(f.Limit.Recipe())); err != nil {
				return err
			}
			for _, percent := range tails {
				text, recipe := otherEnd(f.Limit, f.MaxTokens*percent/100)
				if _, err := p.Embed(ctx, fmt.Sprintf("other-end-%d", percent), contract.Body{"input": text}, contract.Recipe(recipe)); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			f := contract.Finding{Variant: "counts"}
			for _, percent := range tails {
				name := fmt.Sprintf("other-end-%d", percent)
				d, err := stepDistance(e.Step("whole"), e.Step(name))
				if err != nil && e.Step("whole").OK() && e.Step(name).OK() {
					return mismatch(e.Step(name), err)
				}
				if err != nil {
					return contract.Found("refused", "%s; %s", e.Step("whole").Describe(), e.Step(name).Describe()).From("whole", name)
				}
				f = f.With(fmt.Sprintf("cosine with another last %d %%", percent), 1-d)
				if d <= parity.SameBar {
					f.Variant = "cut-below-limit"
					f = f.From("whole", name)
				}
			}
			f.Observed = fmt.Sprintf("%s, %s", f.Numbers[0], f.Numbers[1])
			return f
		},
	}
}

// otherEnd replaces the last n tokens of a limit text, pads first since they stand last, by other words: fewer of
// them, so that the text stays within the limit even where a word costs wordCost tokens.
func otherEnd(f contract.Filler, n int) (text, recipe string) {
	const wordCost = 4
	n = max(n, wordCost)
	pads := min(n, f.Pads)
	f.Pads -= pads
	f.Words = max(f.Words-(n-pads), 1)
	words := n / wordCost
	return f.String() + strings.Repeat(" rain", words), fmt.Sprintf("%s + %d × rain", f.Recipe(), words)
}

// parameterText is a short text that is cut on request to the eight words with which it begins.
func parameterText() string { return contract.Filler{Words: 8, Pads: 24}.String() }

func truncParameter() contract.Check {
	short := contract.Filler{Words: 8}
	return contract.Check{
		ID:      parameterCheck,
		Promise: "truncate_prompt_tokens cuts the text where the client would cut it, end marker kept",
		Why:     "it is vLLM's way to get back the truncation that clients relied on, without a tokenizer on the client",
		Level:   contract.May,
		Sources: []string{"trunc-param-vllm", "trunc-eos-kept"},
		Variants: append([]contract.Variant{
			{Name: "honoured", Outcome: contract.Pass, Meaning: "the vector of the text cut beforehand, for a short text and for an over-long one"},
			{Name: "not-when-over-long", Outcome: contract.Fail, Meaning: "a short text is cut, an over-long one is refused all the same", Breaks: "clients that rely on it for the only case that matters", Remedy: "cut on the client"},
			{Name: "cut-otherwise", Outcome: contract.Fail, Meaning: "the count is as asked, the vector is not that of the text cut beforehand: the end marker or the head is gone", Breaks: "search over cut documents", Remedy: "cut on the client"},
			{Name: "ignored", Outcome: contract.Unsupported, Meaning: "200 with the vector of the whole text", Breaks: "clients that rely on it", Remedy: "cut on the client"},
		}, refusesFeature("truncate_prompt_tokens", "clients that send it", "cut on the client")...),
		Swap: []contract.SwapRule{
			{From: "ignored", To: "honoured", Effect: contract.ClientChange, Silent: true, Why: "clients that send the field without effect today get their texts cut"},
			{From: "honoured", To: "ignored", Effect: contract.ClientChange, Silent: true, Why: "texts are no longer cut where clients asked for it"},
			{From: "cut-otherwise", To: "*", Effect: contract.IndexBreak, Silent: true, Why: "vectors of cut texts are others than the stored ones"},
			{From: "*", To: "cut-otherwise", Effect: contract.IndexBreak, Silent: true, Why: "vectors of cut texts are others than the stored ones"},
		},
		Needs: countsTokens,
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			if err := needLimit(f); err != nil {
				return err
			}
			cut, err := p.Embed(ctx, "cut", contract.Body{"input": short.String()})
			if err != nil {
				return err
			}
			if _, err := p.Embed(ctx, "whole", contract.Body{"input": parameterText()}); err != nil {
				return err
			}
			n, err := cut.Tokens()
			if err != nil {
				return fmt.Errorf("no tokens were counted for a plain text: %w", err)
			}
			if _, err := p.Embed(ctx, "asked", contract.Body{"input": parameterText(), "truncate_prompt_tokens": n}, contract.Violates(outsideSchema)); err != nil {
				return err
			}
			if _, err := p.Embed(ctx, "limit", contract.Body{"input": f.Limit.String()}, contract.Recipe(f.Limit.Recipe())); err != nil {
				return err
			}
			text, recipe := overLong(f.Limit)
			_, err = p.Embed(ctx, "over-long", contract.Body{"input": text, "truncate_prompt_tokens": f.MaxTokens},
				contract.Violates(outsideSchema), contract.Recipe(recipe))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			if f, ok := unserved(e.Step("whole")); ok {
				return f
			}
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			toCut, err := stepDistance(e.Step("cut"), s)
			if err != nil {
				return mismatch(s, err)
			}
			toWhole, err := stepDistance(e.Step("whole"), s)
			if err != nil && !errors.Is(err, parity.ErrDimensions) {
				return mismatch(e.Step("whole"), err)
			}
			same := err == nil && toWhole <= parity.SameBar
			f := contract.Found("honoured", "cosine %s to the text cut beforehand", contract.FormatNumber(1-toCut)).
				With("cosine to the cut text", 1-toCut).From("cut", "asked", "over-long")
			switch {
			case same:
				f.Variant = "ignored"
				return f
			case toCut > parity.SameBar:
				f.Variant = "cut-otherwise"
				return f
			}
			over := e.Step("over-long")
			if no, ok := unserved(e.Step("limit")); ok {
				return no
			}
			if _, no := refusal(over); no {
				f.Variant = "not-when-over-long"
				f.Observed += "; over-long: " + over.Describe()
				return f
			}
			d, err := stepDistance(e.Step("limit"), over)
			switch {
			case err != nil:
				return mismatch(over, err)
			case d > parity.SameBar:
				f.Variant = "cut-otherwise"
				f = f.With("over-long: cosine to the cut text", 1-d)
			default:
				f = f.With("over-long: cosine to the cut text", 1-d)
			}
			return f
		},
	}
}
