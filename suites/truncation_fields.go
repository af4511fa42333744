package suites

import (
	"context"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	parameterCheck = "truncation/truncate-prompt-tokens"
	vllmTruncation = "vLLM, EmbeddingRequest.truncate_prompt_tokens"
	cutOnClient    = "cut on the client"
)

// fieldCutSwaps are the swaps between vectors of texts that are cut in unlike places; uncut names the variant of such as are not.
func fieldCutSwaps(uncut string) []contract.SwapRule {
	const moved = "vectors of cut texts are others than the stored ones"
	return []contract.SwapRule{
		{From: "*", To: "cut-otherwise", Effect: contract.IndexBreak, Silent: true, Why: moved},
		{From: "cut-otherwise", To: "*", Effect: contract.IndexBreak, Silent: true, Why: moved},
		{From: uncut, To: "honoured", Effect: contract.IndexBreak, Silent: true, Why: moved},
		{From: "honoured", To: uncut, Effect: contract.IndexBreak, Silent: true, Why: moved},
	}
}

func truncMinusOne() contract.Check {
	return contract.Check{
		ID: "truncation/truncate-minus-one", Promise: "truncate_prompt_tokens −1 cuts an over-long text at the limit, end marker kept",
		Why:   "it is how a client asks for the cut without knowing the limit: one setting gives back what a server did that cut by itself",
		Level: contract.May, Extended: true, Sources: []string{"trunc-param-vllm", "trunc-eos-kept", vllmTruncation},
		Reads: []string{longCheck},
		Variants: append([]contract.Variant{
			{Name: "honoured", Outcome: contract.Pass, Meaning: "200 with the vector of the text cut beforehand, which is refused or cut otherwise without the field"},
			{Name: "cut-anyway", Outcome: contract.Differs, Meaning: "200 with the vector of the text cut beforehand, as without the field: nothing shows whether it is read", Breaks: "nobody at once"},
			{Name: "cut-otherwise", Outcome: contract.Fail, Meaning: "200, but it is not the vector of the text cut beforehand, nor of the whole text", Breaks: "search over cut documents", Remedy: cutOnClient},
			{Name: "served-whole", Outcome: contract.Differs, Meaning: "200 with the vector of the whole text: there was nothing to cut, or the field does nothing", Breaks: "clients that rely on it"},
		}, refusesFeature("an over-long text with truncate_prompt_tokens −1", "clients that send it", cutOnClient)...),
		Swap: append(append(append(refusalSwaps(), fieldCutSwaps("served-whole")...), servedAfterRefusal("served-whole", "cut-anyway")...),
			contract.SwapRule{From: "honoured", To: "cut-anyway", Effect: contract.Compatible, Why: "the same vectors"},
			contract.SwapRule{From: "cut-anyway", To: "honoured", Effect: contract.Compatible, Why: "the same vectors"},
			contract.SwapRule{From: "cut-anyway", To: "served-whole", Effect: contract.IndexBreak, Silent: true, Why: "vectors of cut texts are others than the stored ones"},
			contract.SwapRule{From: "served-whole", To: "cut-anyway", Effect: contract.IndexBreak, Silent: true, Why: "vectors of cut texts are others than the stored ones"}),
		Needs: countsTokens,
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			if err := needLimit(f); err != nil {
				return err
			}
			text, recipe := overLong(f.Limit)
			_, err := p.Embed(ctx, "asked", contract.Body{"input": text, "truncate_prompt_tokens": -1}, contract.Violates(outsideSchema), contract.Recipe(recipe))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s, asked := e.Step("asked"), e.Read[longCheck]
			if f, ok := unserved(asked.Step("cut")); ok {
				return f
			}
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			d, err := stepDistance(asked.Step("cut"), s)
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("honoured", "200, cosine %s to the text cut at %d tokens", contract.FormatNumber(1-d), e.Facts.MaxTokens).
				With("cosine to the cut text", 1-d).From(s.Name)
			plain := overLimit(asked, "over-long").Variant
			if d <= parity.SameBar {
				if plain == "truncated" || plain == "cut-silently" {
					f.Variant = "cut-anyway"
				}
				return f
			}
			f.Variant = "cut-otherwise"
			if plain == "served-whole" {
				// All three have vectors of one length: two distances have been taken.
				if d, _ := stepDistance(asked.Step("over-long"), s); d <= parity.SameBar {
					f.Variant = "served-whole"
				}
			}
			return f
		},
	}
}

func truncAboveLimit() contract.Check {
	const what = "truncate_prompt_tokens of one more than the limit"
	return contract.Check{
		ID: "truncation/truncate-above-limit", Promise: what + " is refused as a fault of the client",
		Why:   "a client that asks for more than there is takes the limit for a higher one, and must learn of it",
		Level: contract.May, Extended: true, Sources: []string{"trunc-param-vllm", vllmTruncation},
		Reads: []string{parameterCheck},
		Variants: append(refusesFault(what),
			contract.Variant{Name: "served", Outcome: contract.Differs, Meaning: "200 with the vector of the text as it is: the number is clamped, or the field ignored", Breaks: "nobody at once"},
			contract.Variant{Name: "other-vector", Outcome: contract.Fail, Meaning: "200, but a text far below the limit has another vector", Breaks: "search over such texts", Remedy: "leave the field out"}),
		Swap: append(append(refusalSwaps(), servedAfterRefusal("served")...),
			contract.SwapRule{From: "served", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: "vectors of clients that send the field are others than the stored ones"},
			contract.SwapRule{From: "other-vector", To: "served", Effect: contract.IndexBreak, Silent: true, Why: "vectors of clients that send the field are others than the stored ones"}),
		Needs: countsTokens,
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			if err := needLimit(f); err != nil {
				return err
			}
			return askText("asked", contract.Body{"input": parameterText(), "truncate_prompt_tokens": f.MaxTokens + 1}, contract.Violates(outsideSchema))(ctx, p)
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			plain, got, no := besidePlain(e.Read[parameterCheck].Step("whole"), s)
			if no != nil {
				return *no
			}
			d, err := parity.Distance(plain, got)
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("served", "%s, cosine %s to the plain request", s.Describe(), contract.FormatNumber(1-d)).With("cosine to the plain request", 1-d).From(s.Name)
			if d > parity.SameBar {
				f.Variant = "other-vector"
			}
			return f
		},
	}
}

func truncSide() contract.Check {
	return contract.Check{
		ID: "truncation/truncation-side", Promise: "truncation_side right cuts the text where the client would cut it, end marker kept, and left cuts the other end",
		Why:   "a server that cuts ids when it is told the side, and texts when it is not, drops the end marker with the words behind the cut",
		Level: contract.May, Extended: true, Sources: []string{"trunc-side", "trunc-eos-kept", "vLLM, EmbeddingRequest.truncation_side"},
		Reads: []string{parameterCheck},
		Variants: append([]contract.Variant{
			{Name: "honoured", Outcome: contract.Pass, Meaning: "right gives the vector of the text cut beforehand, left another one"},
			{Name: "cut-otherwise", Outcome: contract.Fail, Meaning: "right gives neither that vector nor what left gives: the end marker is gone, or the wrong end", Breaks: "search over cut documents", Remedy: cutOnClient},
			{Name: "ignored", Outcome: contract.Unsupported, Meaning: "200, and both sides give one vector", Breaks: "clients that rely on it", Remedy: cutOnClient},
			{Name: "one-side-only", Refuses: true, Outcome: contract.Unsupported, Meaning: "right is served, left refused", Breaks: "clients that want the end of a text", Remedy: cutOnClient},
		}, refusesFeature("truncation_side", "clients that send it", cutOnClient)...),
		Swap:  append(append(refusalSwaps(), fieldCutSwaps("ignored")...), servedAfterRefusal("ignored", "one-side-only")...),
		Needs: countsTokens,
		Probe: func(ctx context.Context, p contract.Prober) error {
			if err := needLimit(p.Facts()); err != nil {
				return err
			}
			n, err := p.Read(parameterCheck).Step("cut").Tokens()
			if err != nil {
				return err
			}
			for _, side := range []string{"right", "left"} {
				body := contract.Body{"input": parameterText(), "truncate_prompt_tokens": n, "truncation_side": side}
				if s, err := p.Embed(ctx, side, body, contract.Violates(outsideSchema)); err != nil || !s.OK() {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			right, left := e.Step("right"), e.Step("left")
			_, _, no := besidePlain(e.Read[parameterCheck].Step("whole"), right)
			if no != nil {
				return *no
			}
			if _, no := refusal(left); no {
				return contract.Found("one-side-only", "left: %s", left.Describe()).From(left.Name)
			}
			between, err := stepDistance(right, left)
			if err != nil {
				return mismatch(left, err)
			}
			d, err := stepDistance(right, e.Read[parameterCheck].Step("cut"))
			if err != nil {
				return mismatch(e.Read[parameterCheck].Step("cut"), err)
			}
			f := contract.Found("honoured", "cosine %s of right and left, %s of right and the text cut beforehand", contract.FormatNumber(1-between), contract.FormatNumber(1-d)).
				With("cosine of both sides", 1-between).With("cosine to the cut text", 1-d).From("right", "left")
			switch {
			case between <= parity.SameBar:
				f.Variant = "ignored"
			case d > parity.SameBar:
				f.Variant = "cut-otherwise"
			}
			return f
		},
	}
}

// hugeWords make a text of 5.2 MB, which no model reads. It is below the 45 MB that Dynamo takes and above the 2 MB of TEI.
const hugeWords = 900_000

func truncHuge() contract.Check {
	const who = "clients that send a file by mistake, and everybody who waits behind them"
	return contract.Check{
		ID: "truncation/huge-text", Promise: "a text of 5 MB is refused as a fault of the client, and the server goes on",
		Why:   "a server that makes tokens of all of it before it looks at the limit can be stopped by anybody",
		Level: contract.Should, Extended: true, Sources: []string{"trunc-huge-text", "vLLM refuses by the number of characters; TEI takes bodies up to 2 MB, Dynamo up to 45 MB"},
		Variants: append(refusesFault("a text of 5 MB"),
			contract.Variant{Name: "served", Outcome: contract.Differs, Meaning: "200 with a vector: nearly all of the text was cut off", Breaks: who},
			contract.Variant{Name: "no-vector", Outcome: contract.Fail, Meaning: "200 without a usable vector", Breaks: who, Remedy: cutOnClient}),
		Swap: append(refusalSwaps(), servedAfterRefusal("served")...),
		Probe: func(ctx context.Context, p contract.Prober) error {
			text := contract.Filler{Words: hugeWords}
			return askText("huge", contract.Body{"input": text.String()}, contract.Recipe(text.Recipe()))(ctx, p)
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("huge")
			f := contract.Found("served", "%s after %.1f s", s.Describe(), s.Took.Seconds()).With("seconds", s.Took.Seconds()).From(s.Name)
			if v, ok := refusal(s); ok {
				f.Variant = v
				return f
			}
			v, _ := s.One()
			if _, nonzero := parity.Finite(v); !nonzero { // nor is there one where nothing can be read
				f.Variant = "no-vector"
			}
			return f
		},
	}
}
