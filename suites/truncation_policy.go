package suites

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	// unknownLimitWords is the length of a text that is over-long to a server whose limit is not known, in words: above
	// the 8192 tokens of OpenAI's models. A server with a higher limit reads it whole, which is no fault.
	unknownLimitWords = 9000
	// leastTail is the shortest tail of an over-long text, in words.
	leastTail = 64
)

// tailed is a text whose head fills the limit, and a tail of one word again and again beyond it. The tail is a fifth of
// the text, so that it shows in a mean over all tokens, too.
func tailed(f contract.Facts, word string) (text, recipe string, words int) {
	head := contract.Filler{Words: f.MaxTokens}
	if f.MaxTokens == 0 {
		head.Words = unknownLimitWords
	}
	tail := max(head.Words/4, leastTail)
	return head.String() + strings.Repeat(" "+word, tail), fmt.Sprintf("%s + %d × %s", head.Recipe(), tail, word), head.Words + tail
}

// truncSilent needs no text of a known length, so that it can be asked of servers whose usage counts something else:
// those are the ones on which nobody notices.
func truncSilent() contract.Check {
	const lost = "search over long documents: what stands beyond the limit cannot be found, and nobody was told"
	return contract.Check{
		ID: "truncation/silent-cut", Promise: "the end of an over-long text has an influence, or the answer tells that it was not read",
		Why: "two documents with the same beginning get the same vector, and nothing in the answer says so", Level: contract.Must,
		Sources: []string{"trunc-silent-detector", "trunc-overlong-policy", "trunc-side", "Infinity and Ollama cut in silence"},
		Variants: append(refusesFault("an over-long text"),
			contract.Variant{Name: "read-whole", Outcome: contract.Pass, Meaning: "200, and both ends of the text have an influence"},
			contract.Variant{Name: "told-by-usage", Outcome: contract.Differs, Meaning: "200, another end changes nothing, and usage counts fewer tokens than the text has words",
				Breaks: "whoever does not compare usage with the text: the rest is lost for search"},
			contract.Variant{Name: "silent", Outcome: contract.Fail, Meaning: "200, another end changes nothing, and nothing in the answer says so", Breaks: lost, Remedy: cutRemedy},
			contract.Variant{Name: "head-lost", Outcome: contract.Fail, Meaning: "200, and another beginning changes nothing", Breaks: "documents whose subject stands at the beginning", Remedy: cutRemedy}),
		Swap: silentSwaps(),
		Probe: func(ctx context.Context, p contract.Prober) error {
			a, recipeA, words := tailed(p.Facts(), "rain")
			s, err := p.Embed(ctx, "tail", contract.Body{"input": a}, contract.Recipe(recipeA))
			if err != nil || !s.OK() {
				return err
			}
			b, recipeB, _ := tailed(p.Facts(), "town")
			other, err := p.Embed(ctx, "other-tail", contract.Body{"input": b}, contract.Recipe(recipeB))
			if err != nil {
				return err
			}
			if d, err := stepDistance(s, other); err == nil && d <= parity.SameBar {
				return nil
			}
			_, err = p.Embed(ctx, "other-head", contract.Body{"input": strings.Repeat("town ", words/4) + a}, contract.Recipe(fmt.Sprintf("%d × town + %s", words/4, recipeA)))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("tail")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			d, err := stepDistance(s, e.Step("other-tail"))
			if err != nil {
				return mismatch(e.Step("other-tail"), err)
			}
			_, _, words := tailed(e.Facts, "rain")
			tokens, _ := s.Tokens() // 0 where none can be read
			f := contract.Found("read-whole", "%d words, usage %d, cosine with another end %s", words, tokens, contract.FormatNumber(1-d)).
				With("cosine with another end", 1-d).From("tail", "other-tail")
			if d <= parity.SameBar {
				f.Variant = "silent"
				if e.Facts.Usage == contract.UsageTokens && tokens > 0 && tokens < words {
					f.Variant = "told-by-usage"
				}
				return f
			}
			head, err := stepDistance(s, e.Step("other-head"))
			switch {
			case errors.Is(err, parity.ErrZero), errors.Is(err, parity.ErrDimensions):
				return mismatch(e.Step("other-head"), err)
			case err == nil && head <= parity.SameBar:
				f.Variant = "head-lost"
			}
			return f
		},
	}
}

func silentSwaps() []contract.SwapRule {
	const moved = "vectors of long texts are others than the stored ones"
	rules := append(refusalSwaps(), servedAfterRefusal("told-by-usage")...)
	rules = append(rules,
		contract.SwapRule{From: "told-by-usage", To: "silent", Effect: contract.Compatible, Why: "only usage differs"},
		contract.SwapRule{From: "silent", To: "told-by-usage", Effect: contract.Compatible, Why: "only usage differs"})
	for _, to := range []string{"read-whole", "told-by-usage", "silent", "head-lost"} {
		rules = append(rules, contract.SwapRule{From: "*", To: to, Effect: contract.IndexBreak, Silent: true, Why: moved})
	}
	return rules
}

// badPlace is the place of the over-long text among the good ones: in the middle, so that what is left out moves the rest.
const badPlace = 1

// withBad is a batch of three good texts and an over-long one.
func withBad(overLong string) []string {
	return slices.Insert([]string{"Old boats.", "Warm bread near the station.", "rain"}, badPlace, overLong)
}

func truncBatchBad() contract.Check {
	const who = "indexing jobs: one long document spoils the request"
	return contract.Check{
		ID: "truncation/batch-one-bad", Promise: "an over-long text among good ones makes the whole request fail, or each text gets the vector that it has alone",
		Why: "a part of the answer, in the places of the whole, is stored under the wrong documents", Level: contract.Must,
		Sources: []string{"trunc-batch-one-bad", "vLLM, TEI and Dynamo fail the whole request"},
		Reads:   []string{longCheck},
		Variants: append(refusesFault("a batch with an over-long text"),
			contract.Variant{Name: "as-alone", Outcome: contract.Differs, Meaning: "200, each text has the vector that it has alone, the over-long one included",
				Breaks: "nobody at once; what the over-long text lost is said by truncation/over-long"},
			contract.Variant{Name: "partial-data", Outcome: contract.Fail, Meaning: "200 with fewer or more vectors than texts", Breaks: who + ": the other texts are paired with each other's vectors", Remedy: cutRemedy},
			contract.Variant{Name: "unlike-alone", Outcome: contract.Fail, Meaning: "200, but a text has a vector that it does not have alone, or is refused alone", Breaks: who, Remedy: cutRemedy}),
		Swap: append(append(refusalSwaps(), servedAfterRefusal("as-alone")...),
			contract.SwapRule{From: "as-alone", To: "unlike-alone", Effect: contract.IndexBreak, Silent: true, Why: "vectors of such batches are others than the stored ones"},
			contract.SwapRule{From: "unlike-alone", To: "as-alone", Effect: contract.IndexBreak, Silent: true, Why: "vectors of such batches are others than the stored ones"}),
		Needs: countsTokens,
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			if err := needLimit(f); err != nil {
				return err
			}
			text, recipe := overLong(f.Limit)
			s, err := p.Embed(ctx, "batch", contract.Body{"input": withBad(text)}, contract.Recipe(fmt.Sprintf("3 short texts, and at place %d %s", badPlace, recipe)))
			if err != nil || !s.OK() {
				return err
			}
			for i, t := range withBad("") {
				if i == badPlace {
					continue // truncation/over-long asked for that text alone
				}
				if _, err := p.Embed(ctx, fmt.Sprintf("alone:%d", i), contract.Body{"input": t}); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s, n := e.Step("batch"), len(withBad(""))
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			r, err := s.Response()
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("as-alone", "%d vectors for %d texts", len(r.Items), n).From(s.Name)
			if len(r.Items) != n {
				f.Variant = "partial-data"
				return f
			}
			got, err := s.Many(n)
			if err != nil {
				return mismatch(s, err)
			}
			for i := range n {
				alone := e.Step(fmt.Sprintf("alone:%d", i))
				if i == badPlace {
					alone = e.Read[longCheck].Step("over-long")
				}
				want, err := alone.One()
				if err != nil && alone.OK() {
					return mismatch(alone, err)
				}
				d, errD := parity.Distance(want, got[i])
				if errD != nil || d > parity.BatchBar { // nor is there a distance to what was refused
					f.Variant, f.Observed = "unlike-alone", fmt.Sprintf("text %d; alone: %s", i, alone.Describe())
					return f
				}
			}
			return f
		},
	}
}
