package suites

import (
	"context"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// effectiveTries bounds the search for the limit of a server that has a lower one than declared: it leaves less than
// half a percent of the declared limit open.
const effectiveTries = 8

const (
	exactCheck = "truncation/limit-exact"
	endsCheck  = "truncation/end-counts"
	longCheck  = "truncation/over-long"
)

// truncEffective holds the limit of a target file to what the server does. It asks nothing new of a server that keeps
// the limit, and of one that does not it looks for the real one.
func truncEffective() contract.Check {
	return contract.Check{
		ID: "truncation/effective-limit", Promise: "the limit that is declared of a server is the one that it has", Lone: true,
		Why: "clients cut at the declared limit, and every check of long texts is made of it", Level: contract.Must,
		Sources: []string{"trunc-effective-max", "trunc-boundary", "https://github.com/jjang-ai/vmlx/issues/255"},
		Reads:   []string{exactCheck, endsCheck, longCheck}, ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "as-declared", Outcome: contract.Pass, Meaning: "a text of the declared limit is read to its end, and a longer one is not read whole"},
			{Name: "higher", Outcome: contract.Differs, Meaning: "a text half as long again is read whole", Breaks: "nobody; clients cut more than they must", Remedy: "declare the higher limit"},
			{Name: "lower", Outcome: contract.Fail, Meaning: "a text of the declared limit is refused, or its end is not read", Breaks: "clients that cut at the declared limit",
				Remedy: "declare the limit that was found, and cut there"},
		},
		Swap: []contract.SwapRule{
			{From: "as-declared", To: "lower", Effect: contract.IndexBreak, Silent: true, Why: "the ends of texts that were read are cut off"},
			{From: "as-declared", To: "higher", Effect: contract.Compatible, Why: "the declaration is at fault, not the server"},
			{From: "higher", To: "as-declared", Effect: contract.Compatible, Why: "the declaration is at fault, not the server"},
		},
		Needs: countsTokens,
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			if f.Source["max_tokens"] != "declared" {
				return contract.Inapplicable("no limit is declared; found by asking: %d (%s)", f.MaxTokens, f.Source["max_tokens"])
			}
			text := f.Limit
			if text == (contract.Filler{}) {
				text = triedLimit(p.Read(contract.FactsID), f)
			}
			if text == (contract.Filler{}) {
				return needLimit(f)
			}
			if exact := p.Read(exactCheck).Step("exact"); !exact.OK() {
				return findRefusal(ctx, p, text)
			}
			if f.Limit != (contract.Filler{}) && endsUnread(contract.Evidence{Facts: f, Steps: p.Read(endsCheck).Steps}) {
				return findCut(ctx, p, p.Read(endsCheck).Step("whole"), f)
			}
			return nil
		},
		Classify: effectiveLimit,
	}
}

func endsUnread(e contract.Evidence) bool {
	return truncTail().Classify(e).Variant == "cut-below-limit"
}

// findRefusal looks for the longest text that a server takes which refuses one of its declared limit.
func findRefusal(ctx context.Context, p contract.Prober, text contract.Filler) error {
	taken, refused := 0, text.Words+text.Pads
	for range effectiveTries {
		words := (taken + refused) / 2
		if words == taken {
			return nil
		}
		s, err := askFiller(ctx, p, "taken", contract.Filler{Words: words})
		if err != nil {
			return err
		}
		if s.OK() {
			taken = words
		} else {
			refused = words
		}
	}
	return nil
}

// findCut looks for the place behind which a text can be changed without an effect.
func findCut(ctx context.Context, p contract.Prober, whole contract.Step, f contract.Facts) error {
	unread, read := 0, f.MaxTokens
	for range effectiveTries {
		n := (unread + read + 1) / 2
		if n == read {
			return nil
		}
		text, recipe := otherEnd(f.Limit, n)
		s, err := p.Embed(ctx, fmt.Sprintf("unread:%d", n), contract.Body{"input": text}, contract.Recipe(recipe))
		if err != nil {
			return err
		}
		if d, err := stepDistance(whole, s); err == nil && d <= parity.SameBar {
			unread = n
		} else {
			read = n
		}
	}
	return nil
}

func effectiveLimit(e contract.Evidence) contract.Finding {
	declared := e.Facts.MaxTokens
	exact := e.Read[exactCheck].Step("exact")
	if _, no := refusal(exact); no {
		found := 0
		for _, t := range countedTexts(e) {
			found = max(found, t.tokens)
		}
		return contract.Found("lower", "declared %d; a text of %d tokens is the longest that was taken; %s", declared, found, exact.Describe()).
			With("declared", float64(declared)).With("found", float64(found)).From(exact.Name)
	}
	if n, _ := exact.Tokens(); n < declared { // or none can be read
		return contract.Found("lower", "declared %d; a text of as many counts %d", declared, n).
			With("declared", float64(declared)).With("found", float64(n)).From(exact.Name)
	}
	ends := e.Read[endsCheck]
	if endsUnread(ends) {
		found := declared
		for _, s := range e.StepsLike("unread:") {
			var n int
			_, _ = fmt.Sscanf(s.Name, "unread:%d", &n) // the probe has named it
			if d, err := stepDistance(ends.Step("whole"), s); err == nil && d <= parity.SameBar {
				found = min(found, declared-n)
			}
		}
		return contract.Found("lower", "declared %d; about %d tokens are read of a text of as many", declared, found).
			With("declared", float64(declared)).With("found", float64(found)).From("whole")
	}
	over := overLimit(e.Read[longCheck], "over-long")
	f := contract.Found("as-declared", "declared %d; over-long: %s", declared, over.Observed).With("declared", float64(declared)).From(over.Proof...)
	switch over.Variant {
	case "served-whole":
		f.Variant = "higher"
	case contract.Other:
		f.Variant = contract.Other
	}
	return f
}
