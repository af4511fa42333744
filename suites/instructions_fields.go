package suites

import (
	"context"
	"encoding/json"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// instrFields are the checks of the other ways in which clients ask for a query or an instruction.
func instrFields() []contract.Check {
	return []contract.Check{
		instrDocument(), instrUnknownValue(),
		instrAlias("prompt-name", "prompt_name", "query", "sentence-transformers and TEI: prompt_name"),
		instrAlias("task", "task", "retrieval.query", "Jina: task"),
		instrAlias("prompt", "prompt", ownTask, "Mixedbread: prompt"),
		instrModelSuffix(), instrCohere(),
	}
}

const queryCheck = "instructions/input-type-query"

func instrAlias(name, field, value, source string) contract.Check {
	c := fieldCheck(name, field, value, field+" turns a text into a query, or is refused")
	c.Sources = []string{"instr-alias-matrix", "instr-unknown-field-policy", source}
	return c
}

// queryAndPlain are the answers to the text as a query and without anything, and whether the two differ.
func queryAndPlain(e contract.Evidence) (query, plain contract.Step, honoured bool) {
	read := e.Read[queryCheck]
	_, changed, _ := fieldEffect(read)
	return read.Step("field"), read.Step("plain"), changed
}

// near says whether two answers hold the same vector, as far as the plain text repeats itself.
func near(e contract.Evidence, a, b contract.Step) (bool, error) {
	d, err := stepDistance(a, b)
	if err != nil {
		return false, err
	}
	noise, err := stepDistance(e.Read[queryCheck].Step("plain"), e.Read[queryCheck].Step("plain-again"))
	return d <= max(parity.SameBar, noiseFactor*noise), err
}

func instrDocument() contract.Check {
	return contract.Check{
		ID: "instructions/input-type-document", Promise: "input_type document embeds the text as a document, which for most models is the plain text",
		Why: "an index is filled with it by clients that send input_type always; a prefix moves every document", Level: contract.May,
		Sources: []string{"instr-document-neutral", "Voyage, Cohere and NVIDIA NIM: input_type"},
		Reads:   []string{queryCheck},
		Variants: append([]contract.Variant{
			{Name: "neutral", Outcome: contract.Pass, Meaning: "the vector of the plain text, while query has another one"},
			{Name: "moves-text", Outcome: contract.Differs, Meaning: "another vector than that of the plain text: a prompt for documents", Breaks: "indexes that were filled without input_type"},
			{Name: "as-query", Outcome: contract.Fail, Meaning: "the vector of a query", Breaks: "search: documents are embedded as queries"},
			{Name: "ignored", Outcome: contract.Unsupported, Meaning: "the vector of the plain text, and query has no effect either", Breaks: "nobody whose documents need no prompt"},
		}, refusesFeature("input_type document", "clients that send input_type with every request", "leave it out where documents need no prompt")...),
		Swap: []contract.SwapRule{
			{From: "neutral", To: "ignored", Effect: contract.Same, Why: "documents stay where they are; see " + queryCheck + " for queries"},
			{From: "ignored", To: "neutral", Effect: contract.Same, Why: "documents stay where they are; see " + queryCheck + " for queries"},
			{From: "neutral", To: "moves-text", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: "ignored", To: "moves-text", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: "neutral", To: "as-query", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: "ignored", To: "as-query", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: "moves-text", To: "*", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: "as-query", To: "*", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: rejected, To: "ignored", Effect: contract.Compatible, Why: "what failed before gets the plain vector"},
			{From: rejectedRetried, To: "ignored", Effect: contract.Compatible, Why: "what failed before gets the plain vector"},
			{From: failed, To: "ignored", Effect: contract.Compatible, Why: "what failed before gets the plain vector"},
		},
		Probe:    askText("document", contract.Body{"input": queryText, "input_type": "document"}, contract.Violates(outsideSchema)),
		Classify: func(e contract.Evidence) contract.Finding { return typed(e, e.Step("document"), "neutral", "ignored") },
	}
}

// typed names an answer to the text with an input_type by which of the known vectors it has: that of the plain text (like
// plain where query has an effect, else dropped), that of the query, or one of its own.
func typed(e contract.Evidence, s contract.Step, likePlain, dropped string) contract.Finding {
	query, plain, honoured := queryAndPlain(e)
	if _, _, no := besidePlain(plain, s); no != nil {
		return *no
	}
	same, errA := near(e, plain, s)
	if errA != nil {
		return mismatch(s, errA)
	}
	f := contract.Found(likePlain, "%s; plain: %s; query: %s", s.Describe(), plain.Describe(), query.Describe()).From(s.Name)
	switch {
	case same && !honoured:
		f.Variant = dropped
	case same:
	default:
		f.Variant = "moves-text"
		if is, _ := near(e, query, s); honoured && is {
			f.Variant = "as-query"
		}
	}
	return f
}

func instrUnknownValue() contract.Check {
	const silent = "texts with a value that does not exist get other vectors, with 200"
	return contract.Check{
		ID: "instructions/unknown-input-type", Promise: "an input_type that does not exist is refused",
		Why: "a misspelt query must not be embedded as a document in silence", Level: contract.May, Extended: true,
		Sources: []string{"instr-invalid-value", "vLLM /v2/embed and Cohere validate it"},
		Reads:   []string{queryCheck},
		Variants: append(refusesFault("an unknown input_type"),
			contract.Variant{Name: "as-plain", Outcome: contract.Differs, Meaning: "200 with the vector of the plain text", Breaks: "clients that misspell it: " + silentQueries},
			contract.Variant{Name: "as-query", Outcome: contract.Fail, Meaning: "200 with the vector of a query: every value counts as query", Breaks: "clients that send document by another name: documents are embedded as queries"},
			contract.Variant{Name: "moves-text", Outcome: contract.Fail, Meaning: "200 with a vector that is neither", Breaks: "every client that sends it: nobody knows what was embedded"}),
		Swap: append(append(refusalSwaps(), servedSwaps("as-plain")...),
			contract.SwapRule{From: "as-plain", To: "as-query", Effect: contract.IndexBreak, Silent: true, Why: silent},
			contract.SwapRule{From: "as-plain", To: "moves-text", Effect: contract.IndexBreak, Silent: true, Why: silent},
			contract.SwapRule{From: "as-query", To: "as-plain", Effect: contract.IndexBreak, Silent: true, Why: silent},
			contract.SwapRule{From: "as-query", To: "moves-text", Effect: contract.IndexBreak, Silent: true, Why: silent},
			contract.SwapRule{From: "moves-text", To: "as-plain", Effect: contract.IndexBreak, Silent: true, Why: silent},
			contract.SwapRule{From: "moves-text", To: "as-query", Effect: contract.IndexBreak, Silent: true, Why: silent}),
		Probe: askText("nonsense", contract.Body{"input": queryText, "input_type": "nonsense"}, contract.Violates(outsideSchema)),
		Classify: func(e contract.Evidence) contract.Finding {
			return typed(e, e.Step("nonsense"), "as-plain", "as-plain")
		},
	}
}

func instrModelSuffix() contract.Check {
	return contract.Check{
		ID: "instructions/model-suffix", Promise: "the name of the model with -query behind it is another model, which is not served",
		Why: "clients of NVIDIA NIM choose the instruction by it; elsewhere it is a wrong name", Level: contract.May, Extended: true,
		Sources: []string{"instr-model-suffix", "NVIDIA NIM: model name suffixes -query and -passage"},
		Reads:   []string{queryCheck},
		Variants: append(refusesFault("a model name with -query"),
			contract.Variant{Name: "as-query", Outcome: contract.Differs, Meaning: "200 with the vector of the query: an extension", Breaks: "nobody at once; clients that use it cannot move"},
			contract.Variant{Name: "as-plain", Outcome: contract.Differs, Meaning: "200 with the vector of the plain text: the name is not looked at", Breaks: "clients of NIM: " + silentQueries},
			contract.Variant{Name: "moves-text", Outcome: contract.Differs, Meaning: "200 with another vector: a query, if the server has no other way to ask for one", Breaks: "nobody at once; clients that use it cannot move"}),
		Swap: append(append(append(refusalSwaps(), servedSwaps("as-query")...), servedSwaps("as-plain")...),
			contract.SwapRule{From: "as-query", To: "as-plain", Effect: contract.ClientChange, Silent: true, Why: silentQueries}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			_, err := p.Embed(ctx, "suffix", contract.Body{"input": queryText, "model": p.Facts().Model + "-query"})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding { return typed(e, e.Step("suffix"), "as-plain", "as-plain") },
	}
}

// coherePath is the route of Cohere's second API, which vLLM has, too.
const coherePath = "/v2/embed"

func instrCohere() contract.Check {
	return contract.Check{
		ID: "instructions/cohere-route", Promise: "Cohere's route /v2/embed is served in Cohere's form, or absent",
		Why: "it is the way to input_type on servers that drop the field on the OpenAI route", Level: contract.May, Extended: true,
		Sources: []string{"instr-cohere-route", "Cohere API v2: embed", "vLLM: /v2/embed"},
		Variants: []contract.Variant{
			{Name: "absent", Refuses: true, Outcome: contract.Pass, Meaning: "404 or 405"},
			{Name: "served", Outcome: contract.Pass, Meaning: "200 with a vector under embeddings.float: an extension"},
			{Name: "refused", Refuses: true, Outcome: contract.Differs, Meaning: "another 4xx: the route is there, and takes something else", Breaks: "clients of Cohere"},
			{Name: failed, Refuses: true, Outcome: contract.Fail, Meaning: "answered as a fault of the server", Breaks: breaksOn5xx},
		},
		Swap: []contract.SwapRule{
			{From: "absent", To: "refused", Effect: contract.Compatible, Why: "it failed before and fails now"},
			{From: "refused", To: "absent", Effect: contract.Compatible, Why: "it failed before and fails now"},
			{From: failed, To: "refused", Effect: contract.Compatible, Why: "it failed before and fails now"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			body, err := json.Marshal(map[string]any{"model": p.Facts().Model, "texts": []string{queryText}, "input_type": "search_query", "embedding_types": []string{"float"}})
			if err != nil {
				return err
			}
			_, err = p.Send(ctx, "asked", contract.Request{Method: "POST", Path: coherePath, ContentType: "application/json", Body: body})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			f := contract.Found("refused", "%s", s.Describe()).From(s.Name)
			switch v, no := refusal(s); {
			case !no:
				return cohereAnswer(s)
			case s.Status == 404 || s.Status == 405:
				f.Variant = "absent"
			case v == failed || v == contract.Other:
				f.Variant = v
			}
			return f
		},
	}
}

func cohereAnswer(s contract.Step) contract.Finding {
	var body struct {
		Embeddings struct {
			Float [][]float32 `json:"float"`
		} `json:"embeddings"`
	}
	err := json.Unmarshal(s.FullBody(), &body)
	if vs := body.Embeddings.Float; err == nil && len(vs) == 1 && len(vs[0]) > 0 {
		return contract.Found("served", "%d, %d numbers", s.Status, len(vs[0])).From(s.Name)
	}
	return contract.Found(contract.Other, "%d, and no vector under embeddings.float: %s", s.Status, contract.Shorten(string(s.Body), 80)).From(s.Name)
}

func instrSameDocument() contract.Check {
	const asked = "document:"
	return contract.Check{
		ID: "instructions/same-document", Promise: "a request with input_type document gives the same vector on the candidate as on the reference",
		Why: "clients that always send input_type fill their index with it; two servers may each have a prompt of their own", Level: contract.Must,
		Sources: []string{"instr-document-neutral", "parity-cross-index"},
		Variants: queryVariants(contract.Variant{Name: "other-vector", Outcome: contract.Fail, Effect: contract.IndexBreak,
			Silent: true, Meaning: "the same document lands elsewhere, with 200 from both", Breaks: "indexes that were filled with input_type document"}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			texts := p.Plan().Texts().Documents
			for _, d := range texts[:min(len(texts), typedDocuments)] {
				if _, err := p.Embed(ctx, asked+d.ID, contract.Body{"input": d.Text, "input_type": "document"}, contract.Violates(outsideSchema)); err != nil {
					return err
				}
			}
			return nil
		},
		Compare: func(r, k contract.Evidence) contract.Finding { return sameQueries(r, k, asked, asked) },
	}
}

// typedDocuments is how many documents are asked for with input_type: one would show a prompt, two that it was no accident.
const typedDocuments = 2
