package suites

import (
	"context"
	"errors"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// instructions: what happens to the field that turns a text into a query. A server that drops it answers 200 and
// puts queries where documents are: search gets worse and nothing says why.
func instructions() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "instructions",
		Promise: "a query is embedded as a query, or the client is told that it was not",
		Checks: append(append([]contract.Check{instrInputType(), instrField(), instrPrefix(), instrUnknownField()}, instrFields()...),
			instrSameQuery(), instrPrefixedQuery(), instrSameDocument()),
		Remedies: []contract.Check{instrRemedy()},
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
		{From: rejected, To: "ignored", Effect: contract.Compatible, Why: "what failed before now passes, without effect"},
		{From: rejectedRetried, To: "ignored", Effect: contract.Compatible, Why: "what failed before now passes, without effect"},
		{From: failed, To: "ignored", Effect: contract.Compatible, Why: "what failed before now passes, without effect"},
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
			if err := askPlainTwice(ctx, p); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "field", contract.Body{"input": queryText, field: value}, contract.Violates(outsideSchema))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("field")
			d, changed, no := fieldEffect(e)
			if no != nil {
				return *no
			}
			before, _ := e.Step("plain").Tokens()
			after, _ := s.Tokens()
			f := contract.Found("takes-effect", "%d tokens with it, %d without, cosine %s", after, before, contract.FormatNumber(1-d)).
				With("cosine to plain", 1-d).With("tokens", float64(after)).With("tokens plain", float64(before)).From("plain", "field")
			switch {
			case !changed:
				f.Variant = "ignored"
			case after == before:
				f.Variant = "vector-only"
			}
			return f
		},
	}
}

// askPlainTwice asks for the plain text and again, so that noise is not taken for an effect.
func askPlainTwice(ctx context.Context, p contract.Prober) error {
	for _, step := range []string{"plain", "plain-again"} {
		if _, err := p.Embed(ctx, step, contract.Body{"input": queryText}); err != nil {
			return err
		}
	}
	return nil
}

// fieldEffect says how far the step "field" is from the plain text, and whether that is more than a repeat of the
// plain text differs. no is the finding when one of them was not served.
func fieldEffect(e contract.Evidence) (distance float64, changed bool, no *contract.Finding) {
	if _, _, no = besidePlain(e.Step("plain"), e.Step("field")); no != nil {
		return 0, false, no
	}
	distance, err := stepDistance(e.Step("plain"), e.Step("field"))
	noise, errNoise := stepDistance(e.Step("plain"), e.Step("plain-again"))
	if err = errors.Join(err, errNoise); err != nil {
		f := mismatch(e.Step("field"), err)
		return 0, false, &f
	}
	return distance, distance > max(parity.SameBar, noiseFactor*noise), nil
}

// directionless recognises vectors that were answered and have no distance.
func directionless(err error) bool {
	return errors.Is(err, parity.ErrDimensions) || errors.Is(err, parity.ErrZero)
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
	const own, silent = "default-instruction", "queries are embedded for another task with every answer 200"
	c := fieldCheck("instruction-field", "instruction", ownTask, "the field instruction puts the client's own instruction before the text")
	c.Reads, c.ReadsSome = []string{inputTypeCheck}, true
	c.Variants = append(c.Variants, contract.Variant{Name: own, Outcome: contract.Fail,
		Meaning: "200 with the vector of input_type query: the server puts its own instruction there, whatever the client says",
		Breaks:  "clients that send an instruction of their own: " + silent, Remedy: prefixRemedy})
	c.Swap = append(c.Swap,
		contract.SwapRule{From: "*", To: own, Effect: contract.ClientChange, Silent: true, Why: silent},
		contract.SwapRule{From: own, To: "*", Effect: contract.ClientChange, Silent: true, Why: "clients that send the field get other vectors for their queries"})
	field := c.Classify
	c.Classify = func(e contract.Evidence) contract.Finding {
		f := field(e)
		if f.Variant != "takes-effect" && f.Variant != "vector-only" {
			return f
		}
		// It can be told only where the server embeds a query for input_type.
		if d, err := stepDistance(e.Read[inputTypeCheck].Step("field"), e.Step("field")); err == nil && d <= parity.SameBar {
			f.Variant = own
			return f.With("cosine to input_type query", 1-d)
		}
		return f
	}
	return c
}

// inputTypeCheck has the vector of queryText as a query.
const inputTypeCheck = "instructions/input-type-query"

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
			if err := askPlainTwice(ctx, p); err != nil {
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
			if _, changed, no := fieldEffect(e); no != nil && a.OK() {
				return *no
			} else if !changed {
				return contract.Found("field-without-effect", "%s", a.Describe()).From("plain", "field")
			}
			if !b.OK() {
				return contract.Found("refused", "%s", b.Describe()).From("prefixed")
			}
			d, err := stepDistance(a, b)
			if err != nil {
				return mismatch(b, err)
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
			if err := askPlainTwice(ctx, p); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "field", contract.Body{"input": queryText, "embedcontract_probe": true}, contract.Violates(outsideSchema))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("field")
			d, changed, no := fieldEffect(e)
			if no != nil {
				return *no
			}
			f := contract.Found("swallowed", "%s", s.Describe()).With("cosine to plain", 1-d).From(s.Name)
			if changed {
				f.Variant = "changes-answer"
			}
			return f
		},
	}
}
