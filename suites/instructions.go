package suites

import (
	"context"
	"errors"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// instructions: what happens to the field that turns a text into a query. A server that drops it answers 200 and
// puts queries where documents are: search gets worse and nothing says why.
func instructions() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "instructions",
		Promise: "a query is embedded as a query, or the client is told that it was not",
		Checks:  []contract.Check{instrInputType(), instrField(), instrPrefix(), instrUnknownField(), instrSameQuery(), instrPrefixedQuery()},
	}
}

const (
	queryText     = "how do bridges carry trains across a river"
	ownTask       = "Given a question about rivers, retrieve passages that answer it"
	outsideSchema = "the field is not in the OpenAI schema, which allows no others"
	prefixRemedy  = "put the model's instruction before the text of each query on the client"
	silentQueries = "search: queries are embedded as documents, with 200 and no sign of it"
)

// fieldVariants are the ways to treat a field that asks for an instruction.
func fieldVariants(field string) []contract.Variant {
	return append([]contract.Variant{
		{Name: "takes-effect", Outcome: contract.Pass, Meaning: field + " changes the vector and the tokens"},
		{Name: "vector-only", Outcome: contract.Pass, Meaning: field + " changes the vector, but usage does not show the instruction's tokens"},
		{Name: "ignored", Outcome: contract.Unsupported, Meaning: "200 with the vector of the plain text: " + field + " is dropped in silence", Breaks: silentQueries, Remedy: prefixRemedy},
	}, refusesFeature(field, "clients that send it", prefixRemedy)...)
}

func fieldSwaps() []contract.SwapRule {
	const silent = "queries are embedded as plain text and search gets worse with every answer 200"
	return []contract.SwapRule{
		{From: "takes-effect", To: "ignored", Effect: contract.ClientChange, Silent: true, Why: silent},
		{From: "vector-only", To: "ignored", Effect: contract.ClientChange, Silent: true, Why: silent},
		{From: "ignored", To: "takes-effect", Effect: contract.ClientChange, Silent: true, Why: "clients that send the field without effect today get other vectors for their queries"},
		{From: "ignored", To: "vector-only", Effect: contract.ClientChange, Silent: true, Why: "clients that send the field without effect today get other vectors for their queries"},
		{From: "takes-effect", To: "vector-only", Effect: contract.Compatible, Why: "only the count of tokens differs"},
	}
}

func fieldCheck(name, field string, value any, promise string) contract.Check {
	return contract.Check{
		ID:       "instructions/" + name,
		Promise:  promise,
		Why:      "models such as Qwen3-Embedding and E5 expect an instruction before a query; without it retrieval loses quality in silence",
		Level:    contract.May,
		Sources:  []string{"instr-query-takes-effect", "instr-alias-matrix", "NVIDIA NIM and Cohere: input_type"},
		Variants: fieldVariants(field),
		Swap:     fieldSwaps(),
		Probe: func(ctx context.Context, p contract.Prober) error {
			for _, step := range []string{"plain", "plain-again"} {
				if _, err := p.Embed(ctx, step, contract.Body{"input": queryText}); err != nil {
					return err
				}
			}
			_, err := p.Embed(ctx, "field", contract.Body{"input": queryText, field: value}, contract.Violates(outsideSchema))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("field")
			if f, ok := unserved(e.Step("plain")); ok {
				return f
			}
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			d, err := stepDistance(e.Step("plain"), s)
			if err != nil {
				return mismatch(s, err)
			}
			noise, err := stepDistance(e.Step("plain"), e.Step("plain-again"))
			if err != nil {
				return mismatch(e.Step("plain-again"), err)
			}
			before, _ := e.Step("plain").Tokens()
			after, _ := s.Tokens()
			f := contract.Found("takes-effect", "%d tokens with it, %d without, cosine %s", after, before, contract.FormatNumber(1-d)).
				With("cosine to plain", 1-d).With("tokens", float64(after)).With("tokens plain", float64(before)).From("plain", "field")
			switch {
			case d <= max(parity.SameBar, noiseFactor*noise):
				f.Variant = "ignored"
			case after == before:
				f.Variant = "vector-only"
			}
			return f
		},
	}
}

func stepDistance(a, b contract.Step) (float64, error) {
	va, err := a.One()
	if err != nil {
		return 0, err
	}
	vb, err := b.One()
	if err != nil {
		return 0, err
	}
	return parity.Distance(va, vb)
}

func instrInputType() contract.Check {
	return fieldCheck("input-type-query", "input_type", "query", "input_type query embeds the text as a query")
}

func instrField() contract.Check {
	return fieldCheck("instruction-field", "instruction", ownTask, "the field instruction puts the client's own instruction before the text")
}

func instrPrefix() contract.Check {
	return contract.Check{
		ID:      "instructions/manual-prefix",
		Promise: "the declared instruction, put before the text by the client, gives the vector of input_type query",
		Why:     "it is the way to keep queries where they are when the new server drops the field; one space makes another vector",
		Level:   contract.May,
		Lone:    true, // instructions/prefixed-query asks it of a pair
		Sources: []string{"instr-manual-prefix-equals"},
		Variants: []contract.Variant{
			{Name: "same-vector", Outcome: contract.Pass, Meaning: "the prefixed text has the vector of the query"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "the declared prefix is not what the server puts there", Breaks: "clients that write the instruction themselves",
				Remedy: "correct facts.query_prefix in the target file: compare with the server's own prompt"},
			{Name: "field-without-effect", Outcome: contract.Unsupported, Meaning: "input_type is refused or ignored, so there is no query to compare the prefixed text with",
				Breaks: "see instructions/input-type-query"},
			refused(),
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			prefix := p.Facts().QueryPrefix
			if prefix == "" {
				return contract.Inapplicable("no facts.query_prefix is declared for this target")
			}
			if _, err := p.Embed(ctx, "plain", contract.Body{"input": queryText}); err != nil {
				return err
			}
			if _, err := p.Embed(ctx, "field", contract.Body{"input": queryText, "input_type": "query"}, contract.Violates(outsideSchema)); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "prefixed", contract.Body{"input": prefix + queryText})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			a, b := e.Step("field"), e.Step("prefixed")
			if f, ok := unserved(e.Step("plain")); ok {
				return f
			}
			if same, err := stepDistance(e.Step("plain"), a); !a.OK() || err == nil && same <= parity.SameBar {
				return contract.Found("field-without-effect", "%s", a.Describe()).From("plain", "field")
			}
			d, err := stepDistance(a, b)
			if err != nil {
				return contract.Found("refused", "%s; %s", a.Describe(), b.Describe()).From("field", "prefixed")
			}
			f := contract.Found("same-vector", "cosine %s", contract.FormatNumber(1-d)).With("cosine", 1-d).From("field", "prefixed")
			if d > parity.SameBar {
				f.Variant = "other-vector"
			}
			return f
		},
	}
}

func instrUnknownField() contract.Check {
	return contract.Check{
		ID:      "instructions/unknown-field",
		Promise: "a field that the server does not know is refused, not swallowed",
		Why:     "a server that swallows fields hides every misspelling and every feature that it lacks",
		Level:   contract.Should,
		Sources: []string{openAIRequest + " (additionalProperties: false)", "instr-unknown-field-policy"},
		Variants: append(refusesFault("an unknown field"),
			contract.Variant{Name: "swallowed", Outcome: contract.Differs, Meaning: "200 with the vector of the plain text", Breaks: "whoever relies on a field that the server lacks"},
			contract.Variant{Name: "changes-answer", Outcome: contract.Fail, Meaning: "200 with another vector", Breaks: "every client: a made-up field must have no effect"}),
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: "swallowed", To: rejected, Effect: contract.ClientChange, Why: "clients that send a superfluous field now fail"},
			contract.SwapRule{From: "swallowed", To: rejectedRetried, Effect: contract.ClientChange, Why: "clients that send a superfluous field now fail"},
			contract.SwapRule{From: rejected, To: "swallowed", Effect: contract.Compatible, Why: "what failed before now passes, without effect"},
			contract.SwapRule{From: rejectedRetried, To: "swallowed", Effect: contract.Compatible, Why: "what failed before now passes, without effect"},
			contract.SwapRule{From: failed, To: "swallowed", Effect: contract.Compatible, Why: "what failed before now passes, without effect"}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "plain", contract.Body{"input": queryText}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "field", contract.Body{"input": queryText, "embedcontract_probe": true}, contract.Violates(outsideSchema))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("field")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			d, err := stepDistance(e.Step("plain"), s)
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("swallowed", "%s", s.Describe()).With("cosine to plain", 1-d).From(s.Name)
			if d > parity.SameBar {
				f.Variant = "changes-answer"
			}
			return f
		},
	}
}

// queryVariants are the ways in which two servers can answer what is meant to be the same query.
func queryVariants(elsewhere contract.Variant) []contract.Variant {
	return []contract.Variant{
		{Name: "same-vector", Outcome: contract.Pass, Effect: contract.Same, Meaning: "the query lands at the same place, cosine at least 0.9995"},
		elsewhere,
		{Name: "not-served", Outcome: contract.Fail, Effect: contract.ClientChange, Meaning: "one of the servers refuses the request", Breaks: "clients that send it", Remedy: prefixRemedy},
	}
}

// sameQueries compares each query of the reference with the same one of the candidate: steps that end in its id.
func sameQueries(reference, candidate contract.Evidence, from, to string) contract.Finding {
	var all []float64
	asked := reference.StepsLike(from)
	for _, a := range asked {
		b := candidate.Step(to + strings.TrimPrefix(a.Name, from))
		d, err := stepDistance(a, b)
		if errors.Is(err, parity.ErrDimensions) {
			return contract.Found("other-vector", "reference: %s; candidate: %s", a.Describe(), b.Describe()).From(a.Name, b.Name)
		}
		if err != nil {
			return contract.Found("not-served", "reference: %s; candidate: %s", a.Describe(), b.Describe()).From(a.Name, b.Name)
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		return contract.Found("not-served", "no queries were asked")
	}
	s := parity.Summarise(all)
	ta, _ := asked[0].Tokens()
	tb, _ := candidate.Step(to + strings.TrimPrefix(asked[0].Name, from)).Tokens()
	f := withSpread(contract.Found("same-vector", "%s; the first has %d and %d tokens", spreadText(s), ta, tb), s).From(asked[0].Name)
	if s.Farthest > parity.PeerBar {
		f.Variant = "other-vector"
	}
	return f
}

func instrSameQuery() contract.Check {
	return contract.Check{
		ID:      "instructions/same-query",
		Promise: "a request with input_type query gives the same vector on the candidate as on the reference",
		Why:     "this is the request that search sends; documents may agree to the last digit while queries do not",
		Level:   contract.Must,
		Sources: []string{"instr-query-takes-effect", "parity-cross-index"},
		Variants: queryVariants(contract.Variant{Name: "other-vector", Outcome: contract.Fail, Effect: contract.ClientChange,
			Silent: true, Meaning: "the same query lands elsewhere, with 200 from both", Breaks: silentQueries, Remedy: prefixRemedy}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			for _, q := range p.Plan().Texts().Queries {
				if _, err := p.Embed(ctx, "query:"+q.ID, contract.Body{"input": q.Text, "input_type": "query"}, contract.Violates(outsideSchema)); err != nil {
					return err
				}
			}
			return nil
		},
		Compare: func(r, k contract.Evidence) contract.Finding { return sameQueries(r, k, "query:", "query:") },
	}
}

func instrPrefixedQuery() contract.Check {
	return contract.Check{
		ID:      "instructions/prefixed-query",
		Promise: "the reference's instruction, put before the text by the client, gives on the candidate the vector of the reference's query",
		Why:     "this proves the way out: when it holds, clients that write the instruction themselves lose nothing",
		Level:   contract.Must,
		Sources: []string{"instr-manual-prefix-equals"},
		Reads:   []string{"instructions/same-query"},
		Variants: queryVariants(contract.Variant{Name: "other-vector", Outcome: contract.Fail, Effect: contract.IndexBreak,
			Meaning: "even with the instruction written out the query lands elsewhere", Breaks: "search: there is no client-side way to the same query vectors",
			Remedy: "none is known: embed the corpus again and tune the prompt anew"}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			prefix := p.Plan().Facts.QueryPrefix
			if prefix == "" {
				return contract.Inapplicable("no facts.query_prefix is declared for the reference")
			}
			for _, q := range p.Plan().Texts().Queries {
				if _, err := p.Embed(ctx, "prefixed:"+q.ID, contract.Body{"input": prefix + q.Text}); err != nil {
					return err
				}
			}
			return nil
		},
		Compare: func(r, k contract.Evidence) contract.Finding {
			return sameQueries(r.Read["instructions/same-query"], k, "query:", "prefixed:")
		},
	}
}
