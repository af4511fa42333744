package suites

import (
	"context"
	"fmt"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// tokenParity: both servers see the same tokens, and count them.
func tokenParity() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "token_parity",
		Promise: "the same text is the same number of tokens, here and there, alone and in a batch",
		Checks: []contract.Check{
			tokensBatch(), tokensTotal(), tokensNotCharacters(), tokensOfIDs(), tokensPrompt(), tokensAfterCut(), tokensRequestSum(),
			tokensPerDocument(), tokensEdge(), tokensSum(),
		},
	}
}

const (
	// corpusBatch is the number of documents in one request, as the clients of the article send them.
	corpusBatch = 8
	corpusProbe = "vector_parity/repeat"
	// batchSumCheck asks the odd texts, each alone and all in a batch.
	batchSumCheck = "token_parity/batch-is-sum"
)

func tokensBatch() contract.Check {
	return contract.Check{
		ID:      batchSumCheck,
		Promise: "the usage of a batch is the sum of the usages of its texts",
		Why:     "cost and rate limits are counted by usage; padding that is counted makes a batch dearer than its parts",
		Level:   contract.Should,
		Sources: []string{"usage-batch-additive", openAIResponse + ".usage"},
		Variants: []contract.Variant{
			{Name: "additive", Outcome: contract.Pass, Meaning: "the sum of the parts"},
			{Name: "not-additive", Outcome: contract.Fail, Meaning: "another number than the sum: padding or something else is counted", Breaks: "cost accounting, client-side rate limits"},
			{Name: "no-usage", Outcome: contract.Fail, Meaning: "no usage.prompt_tokens, or 0", Breaks: "cost accounting, rate limits; LocalAI's clients read 0"},
		},
		Swap: []contract.SwapRule{{From: "*", To: "additive", Effect: contract.Compatible, Why: "only counts differ"}},
		Probe: func(ctx context.Context, p contract.Prober) error {
			for i, t := range oddTexts() {
				if _, err := p.Embed(ctx, fmt.Sprintf("single-%d", i), contract.Body{"input": t}); err != nil {
					return err
				}
			}
			_, err := p.Embed(ctx, "batch", contract.Body{"input": oddTexts()})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			sum := 0
			for _, s := range e.StepsLike("single-") {
				n, _ := s.Tokens()
				if n == 0 { // or none can be read
					return contract.Found("no-usage", "%s", s.Describe()).From(s.Name)
				}
				sum += n
			}
			n, _ := e.Step("batch").Tokens()
			if n == 0 {
				return contract.Found("no-usage", "%s", e.Step("batch").Describe()).From("batch")
			}
			f := contract.Found("additive", "batch %d, sum of the singles %d", n, sum).With("batch", float64(n)).With("sum", float64(sum)).From("batch")
			if n != sum {
				f.Variant = "not-additive"
			}
			return f
		},
	}
}

const documentsCheck = "token_parity/per-document"

// tokensPerDocument asks for each document alone, so that counts that differ cannot cancel out.
func tokensPerDocument() contract.Check {
	return contract.Check{
		ID:       documentsCheck,
		Promise:  "each document of the corpus has as many tokens on the candidate as on the reference",
		Why:      "other tokens are another text to the model: every other comparison of vectors is void then",
		Level:    contract.Must,
		Sources:  []string{"usage-sum-parity", "usage-special-tokens"},
		Variants: tokenVariants("documents"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			return askTexts(ctx, p, "document:", p.Plan().Texts().Documents)
		},
		Compare: func(r, k contract.Evidence) contract.Finding { return sameTokens(r, k, "document:", "documents") },
	}
}

func tokensEdge() contract.Check {
	return contract.Check{
		ID:       edgeCheck,
		Promise:  "white space, joiners, composed and decomposed letters, digits, code and written-out markers are the same tokens on both",
		Why:      "servers that strip, normalise or parse markers do so on odd texts only, and long documents hide it",
		Level:    contract.Must,
		Sources:  []string{"txt-edge-whitespace", "txt-newlines", "txt-unicode-scripts", "txt-nfc-nfd", "txt-special-token-literal"},
		Variants: tokenVariants("edge texts"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			return askTexts(ctx, p, "edge:", p.Plan().Texts().Edge)
		},
		Compare: func(r, k contract.Evidence) contract.Finding { return sameTokens(r, k, "edge:", "edge texts") },
	}
}

// edgeCheck asks the edge texts, one at a time.
const edgeCheck = "token_parity/edge-texts"

func askTexts(ctx context.Context, p contract.Prober, kind string, texts []contract.Text) error {
	for _, t := range texts {
		if _, err := p.Embed(ctx, kind+t.ID, contract.Body{"input": t.Text}); err != nil {
			return err
		}
	}
	return nil
}

func tokenVariants(what string) []contract.Variant {
	return []contract.Variant{
		{Name: "equal", Outcome: contract.Pass, Effect: contract.Same, Meaning: "equal counts for all " + what},
		{Name: "tokens-differ", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "some " + what + " have other counts: another tokenizer, other special tokens, or changed text",
			Breaks: "an index that is shared by both servers", Remedy: "make both servers use the same tokenizer files and special tokens"},
		{Name: "not-counted", Outcome: contract.Fail, Effect: contract.Unknown, Meaning: "one of the servers does not count tokens, or did not answer", Breaks: "nothing by itself; parity of tokens stays unknown"},
		{Name: "neither-counts", Outcome: contract.Unsupported, Effect: contract.Compatible, Meaning: "neither server counts tokens: the vectors must decide", Breaks: "cost accounting"},
	}
}

func sameTokens(r, k contract.Evidence, kind, what string) contract.Finding {
	same, n, first := 0, 0, ""
	var texts []string
	var theirs, ours []float64
	for _, a := range r.StepsLike(kind) {
		b := k.Step(a.Name)
		ta, errA := a.Tokens()
		tb, errB := b.Tokens()
		switch {
		case r.Facts.Usage != contract.UsageTokens && k.Facts.Usage != contract.UsageTokens:
			return contract.Found("neither-counts", "usage of the reference: %s, of the candidate: %s", r.Facts.Usage, k.Facts.Usage).From(a.Name)
		case !a.OK() && !b.OK():
			continue // both refuse it alike
		case r.Facts.Usage != contract.UsageTokens || k.Facts.Usage != contract.UsageTokens:
			return contract.Found("not-counted", "usage of the reference: %s, of the candidate: %s", r.Facts.Usage, k.Facts.Usage).From(a.Name)
		case errA != nil || errB != nil:
			return contract.Found("not-counted", "%s: reference %s, candidate %s", a.Name, a.Describe(), b.Describe()).From(a.Name)
		}
		n++
		texts, theirs, ours = append(texts, strings.TrimPrefix(a.Name, kind)), append(theirs, float64(ta)), append(ours, float64(tb))
		if ta == tb {
			same++
		} else if first == "" {
			first = fmt.Sprintf("; first in %s: %d and %d", a.Name, ta, tb)
		}
	}
	f := contract.Found("equal", "equal on %d of %d %s%s", same, n, what, first).With("equal", float64(same)).With("of", float64(n)).
		Along(contract.ReferenceTokens, texts, theirs).Along(contract.CandidateTokens, texts, ours)
	if same != n || n == 0 {
		f.Variant = "tokens-differ"
	}
	return f
}

func tokensSum() contract.Check {
	return contract.Check{
		ID:      "token_parity/sum",
		Promise: "the corpus in batches of eight costs as many tokens on the candidate as on the reference",
		Why:     "this is what is paid and what rate limits count",
		Level:   contract.Should,
		Sources: []string{"usage-sum-parity"},
		Reads:   []string{corpusProbe},
		Variants: []contract.Variant{
			{Name: "equal", Outcome: contract.Pass, Effect: contract.Same, Meaning: "equal sums"},
			{Name: "sum-differs", Outcome: contract.Differs, Effect: contract.Compatible, Meaning: "another sum: cost and rate limits change", Breaks: "cost accounting"},
			{Name: "not-counted", Outcome: contract.Differs, Effect: contract.Unknown, Meaning: "one of the servers sends no usage", Breaks: "cost accounting"},
			{Name: "neither-counts", Outcome: contract.Unsupported, Effect: contract.Same, Meaning: "neither server sends usage"},
		},
		Compare: func(r, k contract.Evidence) contract.Finding {
			// sum is 0 where an answer counts nothing that could be read.
			sum := func(e contract.Evidence) (total int, err error) {
				for _, s := range e.Read[corpusProbe].StepsLike("first:") {
					n, err := s.Tokens()
					if err != nil {
						return 0, fmt.Errorf("%s: %w", s.Name, err)
					}
					total += n
				}
				return total, nil
			}
			a, errA := sum(r)
			b, errB := sum(k)
			if a == 0 && b == 0 {
				return contract.Found("neither-counts", "reference: %d %v, candidate: %d %v", a, errA, b, errB)
			}
			if a == 0 || b == 0 {
				return contract.Found("not-counted", "reference: %d %v, candidate: %d %v", a, errA, b, errB)
			}
			f := contract.Found("equal", "%d and %d tokens", a, b).With("reference", float64(a)).With("candidate", float64(b))
			if a != b {
				f.Variant = "sum-differs"
			}
			return f
		},
	}
}
