package suites

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// Bounds of the discovery of facts.
const (
	// maxDiscovered is the longest text, in words of the filler, with which a limit is looked for. 8192 tokens is
	// the limit of OpenAI's models; a server with a higher one must declare it.
	maxDiscovered = 8192
	// fitTries bounds the search for a text of an exact length.
	fitTries = 6
	// padRoom is left below the limit for pads, in tokens: more than any one word of the filler costs.
	padRoom = 16
	// tokensPerWord and hiddenTokens bound what is taken for a count of tokens: no word of the filler has more letters,
	// and no hidden prompt that we know of is longer. A larger count would make us build texts of any size.
	tokensPerWord = 16
	hiddenTokens  = 4096
	// maxPads bounds the pads that are tried one by one at the edge of a server that refuses.
	maxPads = 12
)

// facts asks for native length, usage and limit. Steps are named by the recipe of their text, "limit:600+12"
// for 600 words and 12 pads, so that the facts can be derived again from a recording.
func facts() contract.FactFinder {
	return contract.FactFinder{Probe: probeFacts, Derive: deriveFacts}
}

const factText = "The river carries small stones from the high fields."

func probeFacts(ctx context.Context, p contract.Prober) error {
	if _, err := p.Embed(ctx, "plain", contract.Body{"input": factText}); err != nil {
		return err
	}
	for _, f := range usageTexts() {
		if _, err := askFiller(ctx, p, "usage", f); err != nil {
			return err
		}
	}
	now := func() contract.Facts { return deriveFacts(p.Facts(), p.Read(contract.FactsID)) }
	if now().Usage != contract.UsageTokens {
		return nil // no text of a wanted length can be made
	}
	if now().MaxTokens == 0 {
		if err := growToLimit(ctx, p); err != nil {
			return err
		}
	}
	return fitLimit(ctx, p, now)
}

// usageTexts are one text, and the same with one and with three tokens more.
func usageTexts() []contract.Filler {
	return []contract.Filler{{Words: 8}, {Words: 8, Pads: 1}, {Words: 8, Pads: 3}}
}

func askFiller(ctx context.Context, p contract.Prober, kind string, f contract.Filler) (contract.Step, error) {
	return p.Embed(ctx, fmt.Sprintf("%s:%d+%d", kind, f.Words, f.Pads), contract.Body{"input": f.String()}, contract.Recipe(f.Recipe()))
}

// growToLimit doubles the text until the server refuses it or stops counting, and then halves the interval.
func growToLimit(ctx context.Context, p contract.Prober) error {
	accepted, refused, last := 0, 0, 0
	for words := 32; words <= maxDiscovered; words *= 2 {
		s, err := askFiller(ctx, p, "grow", contract.Filler{Words: words})
		if err != nil {
			return err
		}
		tokens := plausible(s, contract.Filler{Words: words})
		if tokens < 0 {
			refused = words
			break
		}
		if tokens == last {
			return nil // the server cuts, and counts what it kept
		}
		accepted, last = words, tokens
	}
	if refused == 0 || accepted == 0 {
		return nil
	}
	for refused-accepted > 1 {
		words := (accepted + refused) / 2
		s, err := askFiller(ctx, p, "grow", contract.Filler{Words: words})
		if err != nil {
			return err
		}
		if s.OK() {
			accepted = words
		} else {
			refused = words
		}
	}
	for pads := 1; pads <= maxPads; pads++ {
		s, err := askFiller(ctx, p, "grow", contract.Filler{Words: accepted, Pads: pads})
		if err != nil {
			return err
		}
		if !s.OK() {
			return nil
		}
	}
	return nil
}

// fitLimit makes a text of exactly the limit: words until just below it, whose tokens the server counts, and pads
// for the rest.
func fitLimit(ctx context.Context, p contract.Prober, now func() contract.Facts) error {
	limit := now().MaxTokens
	if limit == 0 || now().Limit != (contract.Filler{}) {
		return nil
	}
	words := limit * 3 / 4
	for range fitTries {
		s, err := askFiller(ctx, p, "limit", contract.Filler{Words: words})
		if err != nil {
			return err
		}
		tokens := plausible(s, contract.Filler{Words: words})
		switch {
		case tokens < 0 || tokens >= limit:
			words = words * 4 / 5
			continue
		case limit-tokens > 4*padRoom:
			words = min(max(words+1, (limit-padRoom)*words/tokens), limit) // no word is less than a token
			continue
		}
		_, err = askFiller(ctx, p, "limit", contract.Filler{Words: words, Pads: limit - tokens})
		return err
	}
	return nil
}

// counted is a filler text that was answered, and its tokens as the server counted them.
type counted struct {
	kind   string
	filler contract.Filler
	tokens int // -1 when the server refused the text, or counted what it cannot have
}

func countedTexts(e contract.Evidence) []counted {
	var out []counted
	for _, s := range e.Steps {
		kind, recipe, _ := strings.Cut(s.Name, ":")
		c := counted{kind: kind}
		if _, err := fmt.Sscanf(recipe, "%d+%d", &c.filler.Words, &c.filler.Pads); err != nil {
			continue
		}
		c.tokens = plausible(s, c.filler)
		out = append(out, c)
	}
	return out
}

// plausible is the count of an answer to a text, or -1 when there is none that a text of that size can have.
func plausible(s contract.Step, f contract.Filler) int {
	n, _ := s.Tokens()
	if n <= 0 || f.Words < 0 || f.Pads < 0 || n > tokensPerWord*(f.Words+f.Pads)+hiddenTokens {
		return -1
	}
	return n
}

func deriveFacts(declared contract.Facts, e contract.Evidence) contract.Facts {
	f := declared
	f.Source = maps.Clone(declared.Source)
	if f.Source == nil {
		f.Source = map[string]string{}
	}
	f.Source["dimensions"], f.Source["max_tokens"] = "declared", "declared"
	if f.Dimensions == 0 {
		v, err := e.Step("plain").One()
		if len(v) > contract.Longest {
			err = fmt.Errorf("a vector of %d numbers, which no model has", len(v))
		}
		if err == nil {
			f.Dimensions, f.Source["dimensions"] = len(v), "discovered"
		} else {
			f.Source["dimensions"] = "unknown: " + err.Error()
		}
	}
	texts := countedTexts(e)
	f.Usage = deriveUsage(e, texts)
	if f.Usage != contract.UsageTokens {
		if f.MaxTokens == 0 {
			f.Source["max_tokens"] = "unknown: usage does not count tokens, so no text of a known length can be made"
		}
		return f
	}
	if f.MaxTokens == 0 {
		f.MaxTokens = discoveredLimit(texts)
		f.Source["max_tokens"] = "discovered"
		if f.MaxTokens == 0 {
			f.Source["max_tokens"] = fmt.Sprintf("unknown: no limit was met within %d words", maxDiscovered)
		}
	}
	f.Limit = limitText(texts, f.MaxTokens)
	return f
}

func deriveUsage(e contract.Evidence, texts []counted) string {
	if _, err := e.Step("plain").Tokens(); err != nil {
		return "absent"
	}
	tokens := map[contract.Filler]int{}
	for _, t := range texts {
		tokens[t.filler] = t.tokens
	}
	u := usageTexts()
	base, usage := tokens[u[0]], contract.UsageTokens
	for _, f := range u {
		switch {
		case tokens[f] <= 0: // what was not asked counts none
			return "unknown"
		case tokens[f] != base+f.Pads:
			usage = contract.UsageOther
		}
	}
	return usage
}

// discoveredLimit is the count at which the server stopped counting, or the largest that it accepted before it
// refused one token more.
func discoveredLimit(texts []counted) int {
	largest, refused := 0, false
	for i, t := range texts {
		if t.kind != "grow" {
			continue
		}
		if t.tokens < 0 {
			refused = true
			continue
		}
		if i > 0 && texts[i-1].kind == "grow" && texts[i-1].tokens == t.tokens && texts[i-1].filler.Words < t.filler.Words {
			return t.tokens
		}
		largest = max(largest, t.tokens)
	}
	if !refused {
		return 0
	}
	return largest
}

// triedLimit finds the text of the limit's length as it was asked for, whether or not the server took it. A server
// that does not has another limit than was declared.
func triedLimit(e contract.Evidence, f contract.Facts) contract.Filler {
	if f.Usage != contract.UsageTokens {
		return contract.Filler{}
	}
	texts := countedTexts(e)
	for _, base := range texts {
		for _, t := range texts {
			if base.filler.Pads == 0 && base.tokens > 0 && t.kind == "limit" && t.filler.Words == base.filler.Words &&
				t.filler.Pads > 0 && base.tokens+t.filler.Pads == f.MaxTokens {
				return t.filler
			}
		}
	}
	return contract.Filler{}
}

// limitText finds a text that is known to have exactly limit tokens: words that were counted below the limit, and
// as many pads as are missing, and the server accepted just that.
func limitText(texts []counted, limit int) contract.Filler {
	for _, base := range texts {
		if base.filler.Pads != 0 || base.tokens <= 0 || base.tokens >= limit {
			continue
		}
		want := contract.Filler{Words: base.filler.Words, Pads: limit - base.tokens}
		for _, t := range texts {
			if t.filler == want && t.tokens == limit {
				return want
			}
		}
	}
	return contract.Filler{}
}
