package suites

import (
	"context"
	"encoding/json"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const emptyCheck = "input_forms/empty-string"

func inputEmptyInBatch() contract.Check {
	return contract.Check{
		ID: "input_forms/empty-in-batch", Promise: "an empty text among others is treated as it is alone: refused with the whole request, or embedded",
		Why: "a document with an empty chunk must not fail as if the server were down, nor shift or spoil the vectors of its neighbours", Level: contract.Should,
		Sources: []string{"txt-empty-in-batch", "txt-empty-string", openAIRequest + ".input (not an empty string)"},
		Reads:   []string{emptyCheck, "response_shape/string-equals-array"},
		Variants: append(refusesFault("a list with an empty text"),
			contract.Variant{Name: "embedded", Outcome: contract.Differs, Meaning: "200 with a vector for each, as the empty text gets one alone",
				Breaks: "search: all empty chunks are one point near something"},
			contract.Variant{Name: "refused-alone-only", Outcome: contract.Differs, Meaning: "served in a list, though the empty text alone is refused", Breaks: "whoever tests with one text and sends lists"},
			contract.Variant{Name: "embedded-alone-only", Refuses: true, Outcome: contract.Differs, Meaning: "the list is refused, though the empty text alone is embedded",
				Breaks: "batches with an empty text, which work one by one"},
			contract.Variant{Name: "wrong-count", Outcome: contract.Fail, Meaning: "200 with another number of vectors than texts", Breaks: "clients that pair texts and vectors: all that follow are shifted"},
			contract.Variant{Name: "no-vector", Outcome: contract.Fail, Meaning: "200, and one of the vectors is none, or of zeros", Breaks: "clients that compute a cosine"},
			contract.Variant{Name: "neighbour-moved", Outcome: contract.Fail, Meaning: "200, but the other text has another vector than alone", Breaks: "every document that is sent beside an empty one"}),
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: rejected, To: "embedded", Effect: contract.Compatible, Why: "what failed before is embedded now"},
			contract.SwapRule{From: rejectedRetried, To: "embedded", Effect: contract.Compatible, Why: "what failed before is embedded now"},
			contract.SwapRule{From: failed, To: "embedded", Effect: contract.Compatible, Why: "what failed before is embedded now"},
			contract.SwapRule{From: "embedded", To: "neighbour-moved", Effect: contract.IndexBreak, Silent: true, Why: "texts beside an empty one have other vectors than the stored ones"},
			contract.SwapRule{From: "refused-alone-only", To: "neighbour-moved", Effect: contract.IndexBreak, Silent: true, Why: "texts beside an empty one have other vectors than the stored ones"},
			contract.SwapRule{From: "neighbour-moved", To: "embedded", Effect: contract.IndexBreak, Silent: true, Why: "texts beside an empty one have other vectors than the stored ones"}),
		Probe: askText("asked", contract.Body{"input": []string{shapeText, ""}}),
		Classify: func(e contract.Evidence) contract.Finding {
			s, alone := e.Step("asked"), e.Read[emptyCheck].Step("empty")
			if v, ok := refusal(s); ok {
				f := contract.Found(v, "%s", s.Describe()).From(s.Name)
				if alone.OK() && v != failed && v != contract.Other {
					f.Variant = "embedded-alone-only"
				}
				return f
			}
			return emptyServed(s, alone, e.Read["response_shape/string-equals-array"].Step("string"))
		},
	}
}

// emptyServed judges a list of a text and an empty one that was served.
func emptyServed(s, alone, text contract.Step) contract.Finding {
	r, err := s.Response()
	if err != nil {
		return mismatch(s, err)
	}
	f := contract.Found("embedded", "%s", s.Describe()).From(s.Name)
	if len(r.Items) != 2 {
		f.Variant = "wrong-count"
		return f
	}
	for _, it := range r.Items {
		if _, nonzero := parity.Finite(it.Vector); !nonzero {
			f.Variant = "no-vector"
			return f
		}
	}
	both, err := s.Many(2)
	if err != nil {
		return mismatch(s, err)
	}
	before, err := text.One()
	if err != nil {
		return mismatch(text, err)
	}
	d, err := parity.Distance(before, both[0])
	switch {
	case err != nil:
		return mismatch(s, err)
	case d > parity.PeerBar: // what a batch moves by noise is for vector_parity/alone-and-in-batch to say
		f.Variant = "neighbour-moved"
	case !alone.OK():
		f.Variant = "refused-alone-only"
	}
	return f.With("cosine of the neighbour to itself alone", 1-d)
}

// openAIIDs are openAIText in the vocabulary cl100k_base of OpenAI's embedding models.
func openAIIDs() []int { return []int{15339, 1917} }

const openAIText = "hello world"

func inputForeignIDs() contract.Check {
	return contract.Check{
		ID: "input_forms/foreign-ids", Promise: "ids of OpenAI's tokenizer are the text that they stand for, or are refused",
		Why: "LangChain sends them to whatever server it is pointed at: one with another vocabulary answers 200 for another text, and nothing tells", Level: contract.Should,
		Sources: []string{"input-foreign-ids", "langchain_openai: OpenAIEmbeddings.check_embedding_ctx_length", "tiktoken: cl100k_base"},
		Variants: append(refusesFault("a list of ids of OpenAI's tokenizer"),
			contract.Variant{Name: "same-text", Outcome: contract.Pass, Meaning: "the vector of the text that the ids stand for in OpenAI's vocabulary"},
			contract.Variant{Name: "other-text", Outcome: contract.Differs, Meaning: "200 with a vector of something else: the ids count as ids of the model's own vocabulary",
				Breaks: idClients + ": its index is of random texts", Remedy: idRemedy}),
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: "same-text", To: "other-text", Effect: contract.IndexBreak, Silent: true, Why: "the same ids are another text now"},
			contract.SwapRule{From: "other-text", To: "same-text", Effect: contract.IndexBreak, Silent: true, Why: "the same ids are another text now"},
			contract.SwapRule{From: rejected, To: "other-text", Effect: contract.ClientChange, Silent: true, Why: "clients that were told are served vectors of other texts now"},
			contract.SwapRule{From: rejectedRetried, To: "other-text", Effect: contract.ClientChange, Silent: true, Why: "clients that were told are served vectors of other texts now"},
			contract.SwapRule{From: failed, To: "other-text", Effect: contract.ClientChange, Silent: true, Why: "clients that were told are served vectors of other texts now"}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "text", contract.Body{"input": openAIText}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "ids", contract.Body{"input": openAIIDs()})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			return idsBesideText(e, "same-text", "other-text")
		},
	}
}

// idsBesideText says whether the ids got the vector of the text.
func idsBesideText(e contract.Evidence, same, other string) contract.Finding {
	text, ids, no := besidePlain(e.Step("text"), e.Step("ids"))
	if no != nil {
		return *no
	}
	d, err := parity.Distance(text, ids)
	if err != nil {
		return mismatch(e.Step("ids"), err)
	}
	f := contract.Found(same, "cosine of the ids to the text %s", contract.FormatNumber(1-d)).With("cosine", 1-d).From("text", "ids")
	if d > parity.PeerBar {
		f.Variant = other
	}
	return f
}

// tokenizePath is vLLM's route that tells the ids of a text, special tokens included.
const tokenizePath = "/tokenize"

func inputOwnIDs() contract.Check {
	return contract.Check{
		ID: "input_forms/own-ids", Promise: "the ids that the server itself makes of a text, sent as input, have the vector of the text",
		Why: "clients that tokenise beforehand must land where those that send text do", Lone: true, Level: contract.Should,
		Sources: []string{"input-token-text-parity", "vLLM: POST /tokenize"},
		Variants: append([]contract.Variant{
			{Name: "same-vector", Outcome: contract.Pass, Meaning: "ids and text have one vector"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "the ids of the text have another vector than the text", Breaks: "indexes that are filled with ids and searched with text, or the other way round"},
		}, refusesFeature("the list of the text's own ids", idClients, "send text")...),
		Swap: []contract.SwapRule{
			{From: "same-vector", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: "ids and texts no longer meet"},
			{From: "other-vector", To: "same-vector", Effect: contract.IndexBreak, Silent: true, Why: "the same ids have another vector now"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			body, err := json.Marshal(map[string]any{"model": p.Facts().Model, "prompt": openAIText, "add_special_tokens": true})
			if err != nil {
				return err
			}
			told, err := p.Send(ctx, "tokenize", contract.Request{Method: "POST", Path: tokenizePath, ContentType: "application/json", Body: body})
			if err != nil {
				return err
			}
			ids := idsTold(told)
			if len(ids) == 0 {
				return contract.Inapplicable("the server does not tell the ids of a text: POST %s was answered with %s", tokenizePath, contract.Shorten(told.Describe(), 80))
			}
			if _, err := p.Embed(ctx, "text", contract.Body{"input": openAIText}); err != nil {
				return err
			}
			_, err = p.Embed(ctx, "ids", contract.Body{"input": ids})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding { return idsBesideText(e, "same-vector", "other-vector") },
	}
}

// idsTold reads the ids of an answer of the tokenize route; nil when there are none.
func idsTold(s contract.Step) []int {
	var told struct {
		Tokens []int `json:"tokens"`
	}
	if !s.OK() || json.Unmarshal(s.Body, &told) != nil {
		return nil
	}
	return told.Tokens
}

func inputSpecialTokens() contract.Check {
	return contract.Check{
		ID: "input_forms/add-special-tokens", Promise: "add_special_tokens false leaves the markers out, or is refused",
		Why: "a last-token model reads its vector from the end marker: with and without it are two spaces", Level: contract.May,
		Sources: []string{"instr-unknown-field-policy", "vLLM and Dynamo: add_special_tokens", "https://github.com/ai-dynamo/dynamo/pull/12157"},
		Variants: append([]contract.Variant{
			{Name: "honoured", Outcome: contract.Pass, Meaning: "another vector, and fewer tokens where usage counts them"},
			{Name: "without-effect", Outcome: contract.Unsupported, Meaning: "200 with the vector of the plain text: the field is dropped in silence, or the model adds no markers",
				Breaks: "clients that write the markers themselves: they stand there twice"},
		}, refusesFeature("add_special_tokens", "clients that write the markers themselves", "leave the markers to the server")...),
		Swap: []contract.SwapRule{
			{From: "honoured", To: "without-effect", Effect: contract.ClientChange, Silent: true, Why: "clients that send the field: texts that were embedded without markers have them now"},
			{From: "without-effect", To: "honoured", Effect: contract.ClientChange, Silent: true, Why: "clients that send the field: texts that were embedded with markers lose them"},
			{From: rejected, To: "without-effect", Effect: contract.Compatible, Why: "what failed before now passes, without effect"},
			{From: rejectedRetried, To: "without-effect", Effect: contract.Compatible, Why: "what failed before now passes, without effect"},
			{From: failed, To: "without-effect", Effect: contract.Compatible, Why: "what failed before now passes, without effect"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			if err := askPlainTwice(ctx, p); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "field", contract.Body{"input": queryText, "add_special_tokens": false}, contract.Violates(outsideSchema))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			d, changed, no := fieldEffect(e)
			if no != nil {
				return *no
			}
			before, _ := e.Step("plain").Tokens()
			after, _ := e.Step("field").Tokens()
			f := contract.Found("honoured", "%d tokens with it, %d without, cosine %s", after, before, contract.FormatNumber(1-d)).
				With("cosine to plain", 1-d).With("tokens", float64(after)).With("tokens plain", float64(before)).From("plain", "field")
			switch {
			case !changed:
				f.Variant = "without-effect"
			case e.Facts.Usage == contract.UsageTokens && after >= before:
				f.Variant = contract.Other
			}
			return f
		},
	}
}
