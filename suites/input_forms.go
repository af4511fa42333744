package suites

import (
	"errors"
	"fmt"
	"slices"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// inputForms: the four forms of input, and the ones that are no input.
func inputForms() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "input_forms",
		Promise: "texts and token ids are taken in the forms of the OpenAI schema, and nothing else is",
		Checks: append([]contract.Check{
			inputIDs(), inputNestedIDs(), inputForeignIDs(), inputOwnIDs(), inputSpecialTokens(),
			inputEmptyString(), inputEmptyInBatch(), inputEmptyArray(), inputMixed(),
		}, inputFaults()...),
		Remedies: []contract.Check{textRemedy()},
	}
}

const (
	idClients = "LangChain for Python, which sends token ids of OpenAI's tokenizer by default"
	idRemedy  = "send text: in LangChain set check_embedding_ctx_length to False"
	// extraTokens is how many tokens a server may add to ids that were sent: a start and an end marker.
	extraTokens = 2
)

// someIDs are small token ids: every vocabulary has them. Two lists with a common first member of the nested form.
func someIDs() []int         { return []int{311, 72, 105} }
func someNestedIDs() [][]int { return [][]int{someIDs(), {99, 58}} }

func inputIDs() contract.Check {
	return contract.Check{
		ID: "input_forms/token-ids", Promise: "a list of integers is one text, already tokenised",
		Why: "LangChain sends it by default; a server that takes each id for a text of its own answers 200 with garbage", Level: contract.Should,
		Sources: []string{"input-token-array", "usage-token-array-length", openAIRequest + ".input"},
		Variants: append([]contract.Variant{
			{Name: "one-vector", Outcome: contract.Pass, Meaning: "one vector, and usage counts the ids"},
			{Name: "other-tokens", Outcome: contract.Fail, Meaning: "one vector, but usage counts something else: the ids were taken for text", Breaks: idClients, Remedy: idRemedy},
			{Name: "vector-per-id", Outcome: contract.Fail, Meaning: "a vector for each id", Breaks: idClients, Remedy: idRemedy},
		}, refusesFeature("a list of token ids", idClients, idRemedy)...),
		Swap:  movedBetween("the same ids have another vector now", "one-vector", "other-tokens"),
		Probe: askText("ids", contract.Body{"input": someIDs()}),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("ids")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			r, err := s.Response()
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("one-vector", "%s", s.Describe()).From(s.Name)
			switch n := len(someIDs()); {
			case len(r.Items) == n:
				f.Variant = "vector-per-id"
			case len(r.Items) != 1 || r.Items[0].Vector == nil:
				f.Variant = contract.Other
			case e.Facts.Usage == contract.UsageTokens && r.Usage != nil && (r.Usage.PromptTokens < n || r.Usage.PromptTokens > n+extraTokens):
				f.Variant = "other-tokens"
			}
			return f
		},
	}
}

func inputNestedIDs() contract.Check {
	return contract.Check{
		ID: "input_forms/nested-ids", Promise: "a list of lists of integers is as many tokenised texts",
		Why: "it is the form in which LangChain sends batches", Level: contract.Should,
		Sources: []string{openAIRequest + ".input", "input-token-arrays"},
		Reads:   []string{"input_forms/token-ids"},
		Variants: append([]contract.Variant{
			{Name: "one-each", Outcome: contract.Pass, Meaning: "a vector of its own for each list, the first equal to that of the list alone"},
			{Name: "wrong-count", Outcome: contract.Fail, Meaning: "200 with another number of vectors", Breaks: idClients, Remedy: idRemedy},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "the first vector differs from that of the same ids sent alone, or the second is the first again", Breaks: idClients, Remedy: idRemedy},
		}, refusesFeature("lists of token ids", idClients, idRemedy)...),
		Swap:  movedBetween("the same ids have another vector now", "one-each", "other-vector"),
		Probe: askText("nested", contract.Body{"input": someNestedIDs()}),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("nested")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			r, err := s.Response()
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("one-each", "%s", s.Describe()).From(s.Name)
			if len(r.Items) != len(someNestedIDs()) {
				f.Variant = "wrong-count"
				return f
			}
			vs, err := s.Many(len(r.Items))
			if err != nil {
				return mismatch(s, err)
			}
			between, err := parity.Distance(vs[0], vs[1])
			if errors.Is(err, parity.ErrZero) {
				return mismatch(s, err)
			}
			if err == nil && between <= parity.SameBar {
				f.Variant = "other-vector"
				f.Observed += fmt.Sprintf("; two lists that differ have cosine %s", contract.FormatNumber(1-between))
				return f
			}
			alone, err := e.Read["input_forms/token-ids"].Step("ids").One()
			if err != nil {
				f.Observed += "; the list alone was not served, so there is nothing to compare with"
				return f
			}
			d, err := parity.Distance(alone, vs[0])
			if errors.Is(err, parity.ErrZero) {
				return mismatch(s, err)
			}
			f = f.With("cosine to the list alone", 1-d)
			if err != nil || d > parity.SameBar {
				f.Variant = "other-vector"
			}
			return f
		},
	}
}

func inputEmptyString() contract.Check {
	return contract.Check{
		ID: "input_forms/empty-string", Promise: "an empty text is refused as a fault of the client, or embedded; it is no fault of the server",
		Why: "pipelines produce empty chunks; one of them must not fail the batch as if the server were down", Level: contract.Should,
		Sources: []string{openAIRequest + ".input (not an empty string)", "txt-empty-string"},
		Variants: append(refusesFault("an empty text"),
			contract.Variant{Name: "embedded", Outcome: contract.Differs, Meaning: "200 with a vector of nothing but special tokens", Breaks: "search: all empty chunks are one point near something"},
			contract.Variant{Name: "no-vector", Outcome: contract.Fail, Meaning: "200 without a usable vector", Breaks: "clients that pair texts and vectors"}),
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: "embedded", To: rejected, Effect: contract.ClientChange, Why: "batches with an empty text now fail"},
			contract.SwapRule{From: "embedded", To: rejectedRetried, Effect: contract.ClientChange, Why: "batches with an empty text now fail"},
			contract.SwapRule{From: rejected, To: "embedded", Effect: contract.Compatible, Why: "what failed before is embedded now"},
			contract.SwapRule{From: rejectedRetried, To: "embedded", Effect: contract.Compatible, Why: "what failed before is embedded now"},
			contract.SwapRule{From: failed, To: "embedded", Effect: contract.Compatible, Why: "what failed before is embedded now"}),
		Probe: askText("empty", contract.Body{"input": ""}),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("empty")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			f := contract.Found("embedded", "%s", s.Describe()).From(s.Name)
			v, _ := s.One()
			if _, nonzero := parity.Finite(v); !nonzero {
				f.Variant = "no-vector"
			}
			return f
		},
	}
}

// notInput is the check of an input that is none.
func notInput(id, promise, why, what, violates string, input any, rows []string, served ...contract.Variant) contract.Check {
	return contract.Check{
		ID: id, Promise: promise, Why: why, Level: contract.Must,
		Sources:  append(slices.Clone(rows), openAIRequest+".input"),
		Variants: append(refusesFault(what), served...),
		Swap:     refusalSwaps(),
		Probe:    askText("asked", contract.Body{"input": input}, contract.Violates(violates)),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			r, err := s.Response()
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("served", "%s", s.Describe()).From(s.Name)
			if len(r.Items) == 0 {
				f.Variant = "no-data"
			}
			return f
		},
	}
}

func inputEmptyArray() contract.Check {
	return notInput("input_forms/empty-array", "an empty list is refused as a fault of the client",
		"an empty batch is a fault of the pipeline that should be seen", "an empty list", "input has at least one item", []string{},
		[]string{"input-empty-array", "shape-no-empty-200"},
		contract.Variant{Name: "no-data", Outcome: contract.Fail, Meaning: "200 with no vectors", Breaks: "clients that read the first vector"},
		contract.Variant{Name: "served", Outcome: contract.Fail, Meaning: "200 with vectors of nothing", Breaks: "clients that pair texts and vectors"})
}

func inputMixed() contract.Check {
	return notInput("input_forms/mixed-array", "a list of a text and a number is refused as a fault of the client",
		"a server that takes the number for a text, or for a token, embeds something that nobody wrote", "a mixed list", "input is all texts or all integers", []any{"boats", 1},
		[]string{"input-mixed-array"},
		contract.Variant{Name: "no-data", Outcome: contract.Fail, Meaning: "200 with no vectors", Breaks: "clients that read the first vector"},
		contract.Variant{Name: "served", Outcome: contract.Fail, Meaning: "200 with vectors", Breaks: "pipelines with a fault in their data: garbage is indexed in silence"})
}
