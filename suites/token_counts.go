package suites

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

func tokensTotal() contract.Check {
	return contract.Check{
		ID: "token_parity/total-equals-prompt", Promise: "total_tokens equals prompt_tokens, alone and in a batch",
		Why: "an embedding has no completion: what is added to the prompt is paid for nothing", Level: contract.Should, Extended: true,
		Sources: []string{"usage-total-equals-prompt", openAIResponse + ".usage"},
		Reads:   []string{batchSumCheck},
		Variants: []contract.Variant{
			{Name: "equal", Outcome: contract.Pass, Meaning: "both are the same number"},
			{Name: "different", Outcome: contract.Fail, Meaning: "total_tokens is another number", Breaks: "cost accounting: some tools read the one, some the other"},
			{Name: "no-total", Outcome: contract.Fail, Meaning: "there is no total_tokens", Breaks: "cost accounting that reads total_tokens; typed clients read 0"},
			{Name: "no-usage", Outcome: contract.Fail, Meaning: "no usage.prompt_tokens, or the texts are not served", Breaks: "cost accounting"},
		},
		Swap: []contract.SwapRule{{From: "*", To: "equal", Effect: contract.Compatible, Why: "only counts differ"}},
		Classify: func(e contract.Evidence) contract.Finding {
			asked := e.Read[batchSumCheck]
			f := contract.Found("equal", "in each answer").From("single-0", "batch")
			for _, s := range append(asked.StepsLike("single-"), asked.Step("batch")) {
				r, _ := s.Response()
				switch {
				case r.Usage == nil: // nor where nothing can be read
					return contract.Found("no-usage", "%s: %s", s.Name, s.Describe()).From(s.Name)
				case r.Usage.TotalTokens < 0:
					return contract.Found("no-total", "%s: prompt_tokens %d", s.Name, r.Usage.PromptTokens).From(s.Name)
				case r.Usage.TotalTokens != r.Usage.PromptTokens:
					return contract.Found("different", "%s: prompt_tokens %d, total_tokens %d", s.Name, r.Usage.PromptTokens, r.Usage.TotalTokens).From(s.Name)
				}
			}
			return f
		},
	}
}

const (
	// countedPads are the tokens by which a text is lengthened to see what is counted. Twice as many characters are
	// neither as many tokens nor as many words, and the number is no multiple of a block to which padding rounds.
	countedPads = 13
	// rareWords are words that no vocabulary has: of so many consonants, each is several tokens to every tokenizer.
	rareWords = "xkqvbzmwpfjthgrdnclskqzx bqzxvkjwpmtfhdgcrnlsbqxz jzqkxwvbpmfgdthcnrlsjxqk qvxzkbjwmpfhtgdcrnlsqzvk"
)

// tokensNotCharacters tells what usage counts from texts that are made here: a tokenizer is not needed for it.
func tokensNotCharacters() contract.Check {
	return contract.Check{
		ID: "token_parity/counts-tokens", Promise: "usage counts tokens: not characters, not words",
		Why: "limits are in tokens, and prices; a count of characters is four times too high for English, and no text can be cut by it", Level: contract.Should,
		Sources: []string{"usage-tokens-not-chars", openAIResponse + ".usage.prompt_tokens", "Infinity counts characters by default"},
		Variants: []contract.Variant{
			{Name: "tokens", Outcome: contract.Pass, Meaning: "a token more for each that was added, and several for a word that no vocabulary has"},
			{Name: "characters", Outcome: contract.Fail, Meaning: "it grows by the characters that were added", Breaks: "cost accounting, client-side rate limits, cutting by usage"},
			{Name: "words", Outcome: contract.Fail, Meaning: "a rare word of 24 letters counts as one", Breaks: "cost accounting; texts that are cut by it are too long"},
			{Name: "something-else", Outcome: contract.Fail, Meaning: "it grows neither by the tokens nor by the characters: padding, a constant", Breaks: "cost accounting, cutting by usage"},
			{Name: "no-usage", Outcome: contract.Fail, Meaning: "no usage.prompt_tokens, or 0", Breaks: "cost accounting"},
		},
		Swap: []contract.SwapRule{{From: "*", To: "tokens", Effect: contract.Compatible, Why: "only counts differ"}},
		Probe: func(ctx context.Context, p contract.Prober) error {
			for _, t := range []struct{ step, text string }{
				{"base", contract.Filler{Words: 8}.String()}, {"longer", contract.Filler{Words: 8, Pads: countedPads}.String()}, {"rare", rareWords},
			} {
				if _, err := p.Embed(ctx, t.step, contract.Body{"input": t.text}); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			var n [3]int
			for i, name := range []string{"base", "longer", "rare"} {
				s := e.Step(name)
				tokens, _ := s.Tokens()
				if tokens <= 0 { // or none can be read
					return contract.Found("no-usage", "%s: %s", name, s.Describe()).From(name)
				}
				n[i] = tokens
			}
			grown, words := n[1]-n[0], len(strings.Fields(rareWords))
			f := contract.Found("tokens", "%d tokens more for %d one-letter words more, %d for %d rare words", grown, countedPads, n[2], words).
				With("grown", float64(grown)).With("rare", float64(n[2])).From("base", "longer", "rare")
			switch {
			case grown == countedPads && n[2] <= words+extraTokens:
				f.Variant = "words"
			case grown == countedPads && e.Facts.Usage == contract.UsageOther:
				f.Variant = "something-else"
				f.Observed += "; the short texts by which the limit is looked for are counted otherwise"
			case grown == countedPads:
			case grown == 2*countedPads: // a space and a letter each
				f.Variant = "characters"
			default:
				f.Variant = "something-else"
			}
			return f
		},
	}
}

func tokensOfIDs() contract.Check {
	const asked = "input_forms/token-ids"
	return contract.Check{
		ID: "token_parity/token-array-length", Promise: "usage of a list of token ids is its length",
		Why: "whoever sends ids has counted them; another number says that the server reads another text", Level: contract.Should,
		Sources: []string{"usage-token-array-length", "vLLM, tests of the embeddings route", "TEI decodes ids and tokenises the text again"},
		Reads:   []string{asked},
		Variants: []contract.Variant{
			{Name: "length", Outcome: contract.Pass, Meaning: "as many tokens as ids"},
			{Name: "with-markers", Outcome: contract.Differs, Meaning: "one or two tokens more: the server adds its markers to ids, too", Breaks: "clients that add the markers themselves: they are there twice"},
			{Name: "another-number", Outcome: contract.Fail, Meaning: "another number: the ids are not what was read", Breaks: "cost accounting, and whoever relies on ids at all"},
			{Name: "no-usage", Outcome: contract.Fail, Meaning: "no usage.prompt_tokens, or 0", Breaks: "cost accounting"},
			{Name: "not-offered", Outcome: contract.Unsupported, Meaning: "a list of ids does not give one vector", Breaks: "see input_forms/token-ids"},
		},
		Swap: []contract.SwapRule{
			{From: "*", To: "length", Effect: contract.Compatible, Why: "only counts differ"},
			{From: "length", To: "with-markers", Effect: contract.Compatible, Why: "only counts differ; vectors are compared elsewhere"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s, n := e.Read[asked].Step("ids"), len(someIDs())
			if _, err := s.One(); err != nil {
				return contract.Found("not-offered", "%s", s.Describe()).From(s.Name)
			}
			tokens, _ := s.Tokens()
			if tokens == 0 { // or none can be read
				return contract.Found("no-usage", "%s", s.Describe()).From(s.Name)
			}
			f := contract.Found("length", "%d tokens for %d ids", tokens, n).With("tokens", float64(tokens)).From(s.Name)
			switch {
			case tokens > n && tokens <= n+extraTokens:
				f.Variant = "with-markers"
			case tokens != n:
				f.Variant = "another-number"
			}
			return f
		},
	}
}

// tokensPrompt sees a prompt by what it costs. One that is left out of usage, or is so short that it hides among the
// markers, is seen by the comparison of vectors only.
func tokensPrompt() contract.Check {
	const more = 4 // one-letter words that the longer text has more
	return contract.Check{
		ID: "token_parity/no-hidden-prompt", Promise: "a plain text costs its own tokens and at most a start and an end marker",
		Why: "a prompt that the server adds to every text moves all vectors, eats of the limit, and stands there twice when a client adds it", Level: contract.Should,
		Sources: []string{"instr-server-default-prompt", "TEI, --default-prompt", "https://github.com/ROCm/FastFlowLM/issues/661"},
		Variants: []contract.Variant{
			{Name: "none", Outcome: contract.Pass, Meaning: "no more than two tokens beside the text's own"},
			{Name: "hidden-prompt", Outcome: contract.Fail, Meaning: "more than two tokens are added to each text", Breaks: "clients that put a prompt before their texts themselves, and every comparison with a server that adds none",
				Remedy: "start the server without its default prompt"},
			{Name: "not-counted", Outcome: contract.Unsupported, Meaning: "usage does not count tokens, so that nothing shows", Breaks: "nobody by itself"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "none", To: "hidden-prompt", Effect: contract.IndexBreak, Silent: true, Why: "all vectors are of a text with a prompt before it"},
			{From: "hidden-prompt", To: "none", Effect: contract.IndexBreak, Silent: true, Why: "stored vectors are of texts with a prompt before them"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "one", contract.Body{"input": "a"}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "more", contract.Body{"input": "a" + strings.Repeat(" a", more)})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			one, errOne := e.Step("one").Tokens()
			longer, _ := e.Step("more").Tokens() // 0 where none can be read
			switch {
			case !e.Step("one").OK() || !e.Step("more").OK():
				return contract.Found("refused", "%s; %s", e.Step("one").Describe(), e.Step("more").Describe()).From("one", "more")
			case e.Facts.Usage != contract.UsageTokens || errOne != nil || longer <= one:
				return contract.Found("not-counted", "usage: %s", e.Facts.Usage).From("one", "more")
			}
			// A tokenizer may take more than one token for a letter: what it takes for each is no prompt.
			own := (longer - one) / more
			added := one - own
			f := contract.Found("none", "%d tokens for a text of one letter, %d for each letter more", one, own).
				With("added", float64(added)).From("one", "more")
			if added > extraTokens {
				f.Variant = "hidden-prompt"
			}
			return f
		},
	}
}

func tokensAfterCut() contract.Check {
	return contract.Check{
		ID: "token_parity/at-truncation", Promise: "usage of a text that was cut counts what was read of it",
		Why: "it is the only sign in the answer that something was lost", Level: contract.Should, Extended: true,
		Sources: []string{"usage-at-truncation", "vLLM, tests of truncate_prompt_tokens"},
		Reads:   []string{longCheck, parameterCheck},
		Variants: []contract.Variant{
			{Name: "as-read", Outcome: contract.Pass, Meaning: "as many tokens as the text has that was cut beforehand"},
			{Name: "more", Outcome: contract.Fail, Meaning: "more tokens than were read", Breaks: "whoever trusts usage to notice lost text, and whoever pays"},
			{Name: "fewer", Outcome: contract.Fail, Meaning: "fewer tokens than were read", Breaks: "cost accounting"},
			{Name: "nothing-cut", Refuses: true, Outcome: contract.Pass, Meaning: "no text is cut where one would cut it oneself: it is refused, served whole, or cut otherwise; see truncation"},
		},
		Swap: []contract.SwapRule{{From: "*", To: "as-read", Effect: contract.Compatible, Why: "only counts differ"},
			{From: "as-read", To: "nothing-cut", Effect: contract.Compatible, Why: "what is cut no longer is said by truncation"},
			{From: "nothing-cut", To: "more", Effect: contract.Compatible, Why: "what is cut now is said by truncation"},
			{From: "nothing-cut", To: "fewer", Effect: contract.Compatible, Why: "what is cut now is said by truncation"}},
		Needs: countsTokens,
		Probe: func(_ context.Context, p contract.Prober) error { return needLimit(p.Facts()) },
		Classify: func(e contract.Evidence) contract.Finding {
			seen := 0
			var parts []string
			for _, c := range []struct{ check, whole, cut string }{{parameterCheck, "asked", "cut"}, {longCheck, "over-long", "cut"}} {
				asked := e.Read[c.check]
				s, before := asked.Step(c.whole), asked.Step(c.cut)
				d, err := stepDistance(before, s)
				if plain, errP := stepDistance(asked.Step("whole"), s); err != nil || d > parity.SameBar || errP == nil && plain <= parity.SameBar {
					continue // refused, or not cut, or cut elsewhere: not known to what length
				}
				got, errG := s.Tokens()
				want, errW := before.Tokens()
				f := contract.Found("more", "%s: %d tokens, %d when it is cut beforehand", c.check, got, want).
					With("tokens", float64(got)).With("cut beforehand", float64(want)).From(c.whole, c.cut)
				switch {
				case errG != nil || errW != nil:
					return mismatch(s, fmt.Errorf("tokens of the cut text: %w", errors.Join(errG, errW)))
				case got > want:
					return f
				case got < want:
					f.Variant = "fewer"
					return f
				}
				seen++
				parts = append(parts, f.Observed)
			}
			if seen == 0 {
				return contract.Found("nothing-cut", "over-long texts are not cut, truncate_prompt_tokens is not honoured")
			}
			return contract.Found("as-read", "%s", strings.Join(parts, "; "))
		},
	}
}
