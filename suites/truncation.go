package suites

import (
	"context"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// truncation: what happens to a text beyond the limit. It is judged against the vector of the text that was cut
// beforehand, not by usage: a server that cuts off the end marker reports the same usage.
func truncation() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "truncation",
		Promise: "a text up to the limit is served whole, and a longer one is refused or cut where one would cut it oneself",
		Checks: append([]contract.Check{
			truncOverLong(), truncExact(), truncPlusOne(), truncTail(), truncSilent(), truncEffective(), truncIDs(), truncBatchBad(),
			truncParameter(), truncMinusOne(), truncAboveLimit(), truncSide(), truncHuge(), truncReferenceLimit(),
		}, truncOddValues()...),
		Remedies: []contract.Check{cutOnServerRemedy(), cutOnClientRemedy()},
	}
}

// countsTokens is what a server must do that is asked for texts of a known number of tokens: they are made with its help.
// One that counts something else is known by that (token_parity/counts-tokens), and cannot be asked.
func countsTokens(f contract.Facts) error {
	if f.Usage == contract.UsageOther {
		return contract.Inapplicable("usage counts something else than tokens (token_parity/counts-tokens says what), so that no text of a known number of tokens can be made")
	}
	return nil
}

// needLimit is the prerequisite of every check that needs a text of a known length.
func needLimit(f contract.Facts) error {
	switch {
	case f.Usage != contract.UsageTokens:
		return fmt.Errorf("limit not constructible: usage is %s, so no text of a known number of tokens can be made", f.Usage)
	case f.MaxTokens == 0:
		return contract.Inapplicable("limit %s; declare facts.max_tokens in the target file, or --max-tokens with a URL", f.Source["max_tokens"])
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
		ID:       longCheck,
		Promise:  "a text half as long again as the limit is refused, or cut where one would cut it oneself",
		Why:      "texts that are cut in silence lose what stands at their end; texts that fail with a 500 are sent again and again",
		Level:    contract.Must,
		Sources:  []string{"trunc-overlong-policy", "trunc-overlong-is-4xx", "trunc-eos-kept", "trunc-side", "usage-at-truncation"},
		Variants: overLimitVariants("an over-long text"),
		Swap:     overLimitSwaps(),
		Needs:    countsTokens,
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
		ID:      exactCheck,
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
		Swap:  movedBetween("vectors of texts of the limit are others than the stored ones", "served", "cut"),
		Needs: countsTokens,
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
		Needs:    countsTokens,
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
