package suites

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	unitGuide = "OpenAI embeddings guide: vectors are normalised to length 1"
	unitWhy   = "indexes that use the dot product rank by length otherwise, and score thresholds lose their meaning"
)

func unitVariants() []contract.Variant {
	return []contract.Variant{
		{Name: "unit", Outcome: contract.Pass, Meaning: "the norm is 1 within 0.001"},
		{Name: "not-unit", Outcome: contract.Fail, Meaning: "the norm differs from 1", Breaks: "indexes that use the dot product, score thresholds",
			Remedy: "divide each vector by its norm"},
	}
}

func unitSwaps() []contract.SwapRule {
	return []contract.SwapRule{
		{From: "unit", To: "not-unit", Effect: contract.IndexBreak, Silent: true, Why: "stored vectors have norm 1 and new ones do not: dot products of the two mean nothing"},
		{From: "not-unit", To: "unit", Effect: contract.IndexBreak, Silent: true, Why: "stored vectors do not have norm 1 and new ones do: dot products of the two mean nothing"},
	}
}

// unitFinding judges the norm that is farthest from 1. A vector without a finite norm is farther than all.
func unitFinding(vectors [][]float32, proof ...string) contract.Finding {
	worst := 1.0
	var norms []float64
	for _, v := range vectors {
		norms = append(norms, parity.Norm(v))
		if n := parity.Norm(v); !(math.Abs(n-1) <= math.Abs(worst-1)) {
			worst = n
		}
	}
	f := contract.Found("unit", "%d vectors, the norm farthest from 1 is %s", len(vectors), contract.FormatNumber(worst)).From(proof...).Along(contract.Norms, nil, norms)
	if !(math.Abs(worst-1) <= parity.NormTolerance) {
		f.Variant = "not-unit"
	}
	if math.IsNaN(worst) || math.IsInf(worst, 0) {
		return f // no number that a report could hold
	}
	return f.With("norm", worst)
}

// normQueriesAndIDs looks at what other checks were served as a query and as token ids: servers prepare both on ways of
// their own.
func normQueriesAndIDs() contract.Check {
	const queries, ids = "instructions/input-type-query", "input_forms/token-ids"
	return contract.Check{
		ID: "unit_norm/queries-and-ids", Promise: "a query with input_type and a list of token ids give vectors of norm 1, where they are served",
		Why: unitWhy, Level: contract.Must, Sources: []string{"norm-unit", unitGuide},
		Reads: []string{queries, ids}, ReadsSome: true,
		Variants: append(unitVariants(), contract.Variant{Name: "none-served", Refuses: true, Outcome: contract.Unsupported,
			Meaning: "neither is served, so that there is no vector to look at", Breaks: "see " + queries + " and " + ids}),
		Swap: append(unitSwaps(),
			contract.SwapRule{From: "unit", To: "none-served", Effect: contract.Compatible, Why: "what it means is said by " + queries + " and " + ids},
			contract.SwapRule{From: "not-unit", To: "none-served", Effect: contract.Compatible, Why: "what it means is said by " + queries + " and " + ids}),
		Classify: func(e contract.Evidence) contract.Finding {
			var vectors [][]float32
			var seen []string
			for _, s := range []contract.Step{e.Read[queries].Step("field"), e.Read[ids].Step("ids")} {
				if !s.OK() {
					seen = append(seen, s.Describe())
					continue
				}
				r, _ := s.Response() // what cannot be read has no items
				if len(r.Items) == 0 {
					return contract.Found(contract.Other, "%s: no vectors in data: %s", s.Name, s.Describe())
				}
				found, err := inOrder(r) // ids that gave a vector each are for their own check to say
				if err != nil {
					return contract.Found(contract.Other, "%s: %v", s.Name, err)
				}
				vectors = append(vectors, found...)
			}
			if len(vectors) == 0 {
				return contract.Found("none-served", "query: %s; ids: %s", seen[0], seen[1])
			}
			return unitFinding(vectors)
		},
	}
}

// normOdd looks at the answers of another check: one letter, two scripts, a long text, an emoji, control characters,
// each alone and all in a batch.
func normOdd() contract.Check {
	return contract.Check{
		ID: "unit_norm/odd-texts", Promise: "one letter, two scripts, an emoji, a tab and a long text give vectors of norm 1, alone and in a batch",
		Why: unitWhy, Level: contract.Must, Sources: []string{"norm-unit", unitGuide},
		Reads:    []string{batchSumCheck},
		Variants: append(unitVariants(), refused()), Swap: unitSwaps(),
		Classify: func(e contract.Evidence) contract.Finding {
			asked := e.Read[batchSumCheck]
			var all [][]float32
			for _, s := range append(asked.StepsLike("single-"), asked.Step("batch")) {
				r, err := s.Response()
				if err != nil {
					return contract.Found("refused", "%s: %s", s.Name, s.Describe()).From(s.Name)
				}
				if len(r.Items) == 0 {
					return mismatch(s, errors.New("no vectors in data"))
				}
				for i, it := range r.Items {
					if it.Vector == nil {
						return mismatch(s, fmt.Errorf("data[%d].embedding is not a flat list of finite numbers", i))
					}
					all = append(all, it.Vector)
				}
			}
			return unitFinding(all, "single-0", "batch")
		},
	}
}

// normBase64 reads the strings as the OpenAI SDKs do: whether the bytes are the right ones is for encoding_format.
func normBase64() contract.Check {
	const asked = "encoding_format/base64-batch"
	return contract.Check{
		ID: "unit_norm/base64-batch", Promise: "each vector of a base64 batch has norm 1 once it is decoded",
		Why: "the OpenAI SDKs send batches in base64; " + unitWhy, Level: contract.Must, Extended: true,
		Sources: []string{"norm-unit-batch-and-base64", unitGuide},
		Reads:   []string{asked},
		Variants: append(unitVariants(), contract.Variant{Name: "not-offered", Outcome: contract.Unsupported,
			Meaning: "there are no base64 strings to look at", Breaks: "see encoding_format/base64-batch", Remedy: askFloat}),
		Swap: append(unitSwaps(), contract.SwapRule{From: "not-offered", To: "unit", Effect: contract.Compatible,
			Why: "what is new here is said by encoding_format/base64-batch"}),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Read[asked].Step("base64")
			r, _ := s.Response() // what cannot be read has no items
			if len(r.Items) == 0 {
				return contract.Found("not-offered", "%s", s.Describe())
			}
			var all [][]float32
			for _, it := range r.Items {
				if it.Text == "" {
					return contract.Found("not-offered", "%s", s.Describe())
				}
				all = append(all, floats(nodeBase64(it.Text), binary.LittleEndian))
			}
			return unitFinding(all, s.Name)
		},
	}
}

// normOverLimit looks at what comes of a text above the limit: a server that embeds it piece by piece and takes the
// mean of the pieces must divide by the norm again.
func normOverLimit() contract.Check {
	return contract.Check{
		ID: "unit_norm/over-limit", Promise: "a text above the limit gives a vector of norm 1, or none",
		Why: "servers that embed a long text in pieces average their vectors, which makes them shorter; " + unitWhy, Level: contract.Must,
		Sources: []string{"norm-unit-long-input", "vLLM, chunked processing of long inputs"},
		Reads:   []string{longCheck},
		Variants: append(unitVariants(), contract.Variant{Name: "not-served", Refuses: true, Outcome: contract.Pass,
			Meaning: "over-long texts are refused, so that there is no vector to have a norm"}),
		Swap: append(unitSwaps(), contract.SwapRule{From: "*", To: "not-served", Effect: contract.Compatible, Why: "truncation/over-long says what becomes of such a text"},
			contract.SwapRule{From: "not-served", To: "unit", Effect: contract.Compatible, Why: "truncation/over-long says what becomes of such a text"},
			contract.SwapRule{From: "not-served", To: "not-unit", Effect: contract.IndexBreak, Silent: true,
				Why: "vectors of long texts come into the index, and do not have its norm"}),
		Needs: countsTokens,
		Probe: func(_ context.Context, p contract.Prober) error { return needLimit(p.Facts()) },
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Read[longCheck].Step("over-long")
			if v, no := refusal(s); no && v != contract.Other {
				return contract.Found("not-served", "%s", s.Describe()).From(s.Name)
			}
			v, err := s.One()
			if err != nil {
				return mismatch(s, err)
			}
			return unitFinding([][]float32{v}, s.Name)
		},
	}
}

func normNormalize() contract.Check {
	return normSwitch("normalize-false", "normalize", "vLLM once took normalize and refuses it now; TEI, Jina and others have it under this or another name")
}

func normActivation() contract.Check {
	return normSwitch("use-activation-false", "use_activation", "it is vLLM's present name of the switch that was called normalize before")
}

// normSwitch asks for vectors as they come out of the model. The field is nobody's standard: what counts is that it does
// what it says or is refused, and that this stays so.
func normSwitch(name, field, why string) contract.Check {
	const normText = "Boats on the old river."
	return contract.Check{
		ID: "unit_norm/" + name, Promise: field + " false gives the vector at its own length, or is refused", Why: why, Level: contract.May, Extended: true,
		Sources: []string{"norm-toggle-param", "vLLM, EmbeddingRequest", "https://github.com/xorbitsai/inference/pull/4729"},
		Variants: append([]contract.Variant{
			{Name: "honoured", Outcome: contract.Pass, Meaning: "200 with the direction of the plain vector and another norm than 1"},
			{Name: "ignored", Outcome: contract.Differs, Meaning: "200 with the plain vector", Breaks: "clients that rely on the field; they learn nothing"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "200 with another length or direction", Breaks: "clients that send the field", Remedy: "leave the field out"},
		}, refusesFault(field)...),
		Swap: append(append(refusalSwaps(), servedAfterRefusal("ignored")...),
			contract.SwapRule{From: "*", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: "vectors of clients that send the field are others than the stored ones"},
			contract.SwapRule{From: "other-vector", To: "*", Effect: contract.IndexBreak, Silent: true, Why: "vectors of clients that send the field are others than the stored ones"},
			contract.SwapRule{From: "honoured", To: "ignored", Effect: contract.IndexBreak, Silent: true, Why: "clients that send the field get vectors of another norm than the stored ones"},
			contract.SwapRule{From: "ignored", To: "honoured", Effect: contract.IndexBreak, Silent: true, Why: "clients that send the field get vectors of another norm than the stored ones"}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "plain", contract.Body{"input": normText}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "asked", contract.Body{"input": normText, field: false}, contract.Violates(outsideSchema))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			plain, got, no := besidePlain(e.Step("plain"), s)
			if no != nil {
				return *no
			}
			norm, unit := parity.Unit(got)
			f := contract.Found("honoured", "norm %s", contract.FormatNumber(norm)).With("norm", norm).From("plain", "asked")
			d, err := parity.Distance(plain, got)
			switch {
			case errors.Is(err, parity.ErrZero):
				return mismatch(s, err)
			case err != nil || d > parity.SameBar:
				f.Variant = "other-vector"
				return f
			case unit || math.Abs(norm-parity.Norm(plain)) <= parity.NormTolerance:
				f.Variant = "ignored"
			}
			return f.With("cosine to the plain vector", 1-d)
		},
	}
}
