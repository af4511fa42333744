package suites

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// truncation: what happens to a text beyond the limit. It is judged against the vector of the text that was cut
// beforehand, not by usage: a server that cuts off the end marker reports the same usage.
func truncation() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "truncation",
		Promise: "a text up to the limit is served whole, and a longer one is refused or cut where one would cut it oneself",
		Checks:  []contract.Check{truncOverLong(), truncExact(), truncPlusOne(), truncTail(), truncParameter()},
	}
}

// needLimit is the prerequisite of every check that needs a text of a known length.
func needLimit(f contract.Facts) error {
	switch {
	case f.Usage != contract.UsageTokens:
		return fmt.Errorf("limit not constructible: usage is %s, so no text of a known number of tokens can be made", f.Usage)
	case f.MaxTokens == 0:
		return fmt.Errorf("limit not constructible: %s; declare facts.max_tokens in the target file", f.Source["max_tokens"])
	case f.Limit == (contract.Filler{}):
		return fmt.Errorf("limit not constructible: no text of exactly %d tokens could be made; is the limit (%s) right?", f.MaxTokens, f.Source["max_tokens"])
	}
	return nil
}

// overLong is the limit's text with half as many words again; tail and head choose which words surround it.
func overLong(f contract.Filler) (text, recipe string) {
	more := contract.Filler{Words: max(f.Words/2, 64)}
	return f.String() + " " + more.String(), f.Recipe() + " + " + more.Recipe()
}

const (
	cutRemedy  = "cut the text at the limit on the client, or send truncate_prompt_tokens where the server honours it"
	longClient = "clients that leave the cutting to the server"
)

// overLimitVariants are the ways to treat a text that is too long.
func overLimitVariants(what string) []contract.Variant {
	return append(refusesFault(what),
		contract.Variant{Name: "truncated", Outcome: contract.Differs, Meaning: "200 with the vector of the text cut at the limit, end marker kept, and usage says so",
			Breaks: "nobody at once; the rest of the text is lost for search"},
		contract.Variant{Name: "cut-silently", Outcome: contract.Fail, Meaning: "200 with the vector of the cut text, but usage counts the whole text", Breaks: "whoever trusts usage to notice lost text", Remedy: cutRemedy},
		contract.Variant{Name: "end-dropped", Outcome: contract.Fail, Meaning: "200, the head is kept, but it is not the vector of the text cut beforehand: the end marker or more is gone",
			Breaks: "search over long documents: a last-token model reads its vector from some word", Remedy: cutRemedy},
		contract.Variant{Name: "head-dropped", Outcome: contract.Fail, Meaning: "200 with a vector of the end of the text", Breaks: "documents whose subject stands at the beginning", Remedy: cutRemedy},
		contract.Variant{Name: "served-whole", Outcome: contract.Differs, Meaning: "200, and the whole text has an influence: the limit is no limit of this server", Breaks: "nobody"},
	)
}

func overLimitSwaps() []contract.SwapRule {
	const mustCut = "texts that were cut and embedded are refused now"
	const moved = "vectors of long texts are others than the stored ones"
	rules := refusalSwaps()
	for _, from := range []string{"truncated", "cut-silently", "end-dropped", "head-dropped", "served-whole"} {
		for _, to := range []string{rejected, rejectedRetried, failed} {
			rules = append(rules, contract.SwapRule{From: from, To: to, Effect: contract.ClientChange, Why: mustCut})
		}
	}
	rules = append(rules,
		contract.SwapRule{From: "truncated", To: "cut-silently", Effect: contract.Compatible, Why: "only usage differs"},
		contract.SwapRule{From: "cut-silently", To: "truncated", Effect: contract.Compatible, Why: "only usage differs"})
	for _, from := range []string{rejected, rejectedRetried, failed} {
		rules = append(rules, contract.SwapRule{From: from, To: "truncated", Effect: contract.Compatible, Why: "what failed before is cut and embedded now"},
			contract.SwapRule{From: from, To: "served-whole", Effect: contract.Compatible, Why: "what failed before is embedded now"})
	}
	for _, to := range []string{"truncated", "cut-silently", "end-dropped", "head-dropped", "served-whole"} {
		rules = append(rules, contract.SwapRule{From: "*", To: to, Effect: contract.IndexBreak, Silent: true, Why: moved})
	}
	return rules
}

func truncOverLong() contract.Check {
	return contract.Check{
		ID:       "truncation/over-long",
		Promise:  "a text half as long again as the limit is refused, or cut where one would cut it oneself",
		Why:      "texts that are cut in silence lose what stands at their end; texts that fail with a 500 are sent again and again",
		Level:    contract.Must,
		Sources:  []string{"trunc-overlong-policy", "trunc-overlong-is-4xx", "trunc-eos-kept", "trunc-side", "usage-at-truncation"},
		Variants: overLimitVariants("an over-long text"),
		Swap:     overLimitSwaps(),
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			if err := needLimit(f); err != nil {
				return err
			}
			if _, err := p.Embed(ctx, "cut", contract.Body{"input": f.Limit.String()}, contract.Recipe(f.Limit.Recipe())); err != nil {
				return err
			}
			text, recipe := overLong(f.Limit)
			return askOverLimit(ctx, p, "over-long", text, recipe)
		},
		Classify: func(e contract.Evidence) contract.Finding { return overLimit(e, "over-long") },
	}
}

// askOverLimit asks for a text above the limit and, when it is served, for the same with another head and with
// another tail: which end was kept shows when one of them is changed.
func askOverLimit(ctx context.Context, p contract.Prober, step, text, recipe string) error {
	s, err := p.Embed(ctx, step, contract.Body{"input": text}, contract.Recipe(recipe))
	if err != nil || !s.OK() {
		return err
	}
	const other = "rain rain rain rain rain rain rain rain"
	if _, err := p.Embed(ctx, "other-tail", contract.Body{"input": text + " " + other}, contract.Recipe(recipe+" + 8 × rain")); err != nil {
		return err
	}
	_, err = p.Embed(ctx, "other-head", contract.Body{"input": other + " " + text}, contract.Recipe("8 × rain + "+recipe))
	return err
}

// overLimit classifies the answer to a text over the limit by the vector of the text cut beforehand.
func overLimit(e contract.Evidence, name string) contract.Finding {
	s := e.Step(name)
	if v, ok := refusal(s); ok {
		return contract.Found(v, "%s", s.Describe()).From(s.Name)
	}
	tokens, err := s.Tokens()
	if err != nil {
		return mismatch(s, err)
	}
	d, err := stepDistance(e.Step("cut"), s)
	if err != nil {
		return mismatch(s, err)
	}
	f := contract.Found("truncated", "200, %d tokens, cosine %s to the text cut at %d tokens", tokens, contract.FormatNumber(1-d), e.Facts.MaxTokens).
		With("cosine to the cut text", 1-d).With("tokens", float64(tokens)).From("cut", name)
	if d <= parity.SameBar {
		if tokens > e.Facts.MaxTokens {
			f.Variant = "cut-silently"
		}
		return f
	}
	tail, errT := stepDistance(s, e.Step("other-tail"))
	head, errH := stepDistance(s, e.Step("other-head"))
	switch {
	case errT == nil && tail <= parity.SameBar:
		f.Variant = "end-dropped"
	case errH == nil && head <= parity.SameBar:
		f.Variant = "head-dropped"
	case tokens > e.Facts.MaxTokens:
		f.Variant = "served-whole"
	default:
		f.Variant = "end-dropped" // it counts no more than the limit, so it cut, but not where one would
	}
	return f
}

func truncExact() contract.Check {
	return contract.Check{
		ID:      "truncation/limit-exact",
		Promise: "a text of exactly the limit is served",
		Why:     "clients cut at the limit that is promised; a limit that counts special tokens twice refuses what they send",
		Level:   contract.Must,
		Sources: []string{"trunc-boundary", "trunc-effective-max"},
		Variants: append([]contract.Variant{
			{Name: "served", Outcome: contract.Pass, Meaning: "200, and usage counts the limit"},
			{Name: "cut", Outcome: contract.Fail, Meaning: "200, but usage counts fewer tokens", Breaks: "clients that cut at the limit: the end of their text is lost"},
		}, func() []contract.Variant {
			vs := refusesFeature("a text of exactly the limit", "clients that cut at the promised limit", "cut a few tokens below the limit")
			for i := range vs {
				vs[i].Outcome = contract.Fail
			}
			return vs
		}()...),
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			text := f.Limit
			if text == (contract.Filler{}) {
				text = triedLimit(p.Read(contract.FactsID), f)
			}
			if text == (contract.Filler{}) {
				return needLimit(f)
			}
			_, err := p.Embed(ctx, "exact", contract.Body{"input": text.String()}, contract.Recipe(text.Recipe()))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("exact")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			n, err := s.Tokens()
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("served", "%d tokens of %d", n, e.Facts.MaxTokens).With("tokens", float64(n)).From(s.Name)
			if n < e.Facts.MaxTokens {
				f.Variant = "cut"
			}
			return f
		},
	}
}

func truncPlusOne() contract.Check {
	return contract.Check{
		ID:       "truncation/limit-plus-one",
		Promise:  "one token more than the limit is treated as over-long",
		Why:      "a limit that is off by one is met by clients that cut at it",
		Level:    contract.Should,
		Sources:  []string{"trunc-boundary"},
		Variants: overLimitVariants("a text of one token more than the limit"),
		Swap:     overLimitSwaps(),
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			if err := needLimit(f); err != nil {
				return err
			}
			if _, err := p.Embed(ctx, "cut", contract.Body{"input": f.Limit.String()}, contract.Recipe(f.Limit.Recipe())); err != nil {
				return err
			}
			over := f.Limit
			over.Pads++
			return askOverLimit(ctx, p, "plus-one", over.String(), over.Recipe())
		},
		Classify: func(e contract.Evidence) contract.Finding { return overLimit(e, "plus-one") },
	}
}

func truncTail() contract.Check {
	// tails are the parts of the text, in percent, that are replaced: a quarter, and the last twentieth.
	tails := [...]int{25, 5}
	return contract.Check{
		ID:      "truncation/end-counts",
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
		Swap: []contract.SwapRule{{From: "*", To: "cut-below-limit", Effect: contract.IndexBreak, Silent: true, Why: "vectors of long texts no longer depend on their ends"}},
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

func truncParameter() contract.Check {
	short := contract.Filler{Words: 8}
	long := contract.Filler{Words: 8, Pads: 24}
	return contract.Check{
		ID:      "truncation/truncate-prompt-tokens",
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
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			if err := needLimit(f); err != nil {
				return err
			}
			cut, err := p.Embed(ctx, "cut", contract.Body{"input": short.String()})
			if err != nil {
				return err
			}
			if _, err := p.Embed(ctx, "whole", contract.Body{"input": long.String()}); err != nil {
				return err
			}
			n, err := cut.Tokens()
			if err != nil {
				return fmt.Errorf("no tokens were counted for a plain text: %w", err)
			}
			if _, err := p.Embed(ctx, "asked", contract.Body{"input": long.String(), "truncate_prompt_tokens": n}, contract.Violates(outsideSchema)); err != nil {
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
			d, err := stepDistance(e.Step("limit"), over)
			switch {
			case err != nil:
				f.Variant = "not-when-over-long"
				f.Observed += "; over-long: " + over.Describe()
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
