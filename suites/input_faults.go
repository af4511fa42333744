package suites

import (
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// inputFaults are the checks of what stands in place of an input, and of ids that are none.
func inputFaults() []contract.Check {
	return []contract.Check{
		inputNone("null", "null", nil), inputNone("number", "a number", 3.5), inputNone("object", "an object", map[string]any{}),
		inputNestedEmpty(), inputNegativeID(), inputForeignID(), inputMessages(), inputUser(),
	}
}

// nothing are the variants of an input that is none and is served all the same; notInput names them.
func nothing() []contract.Variant {
	return []contract.Variant{
		{Name: "no-data", Outcome: contract.Fail, Meaning: "200 with no vectors", Breaks: "clients that read the first vector"},
		{Name: "served", Outcome: contract.Fail, Meaning: "200 with vectors of something that nobody wrote",
			Breaks: "pipelines with a fault in their data: garbage is indexed in silence"},
	}
}

func inputNone(name, what string, value any) contract.Check {
	return notInput("input_forms/"+name+"-input", what+" as input is refused as a fault of the client",
		"a server that makes a text of whatever it gets fills the index with it", what, "input is a text, a list of texts or token ids", value,
		[]string{"input-missing-null-object"}, nothing()...)
}

func inputNestedEmpty() contract.Check {
	c := notInput("input_forms/nested-empty", "a list of an empty list is refused as a fault of the client",
		"a document without tokens is a fault of the pipeline that should be seen", "a list of an empty list", "a list of token ids has at least one",
		[][]int{{}}, []string{"input-nested-empty", "shape-no-empty-200"}, nothing()...)
	c.Extended = true
	return c
}

// noVocabularyID is outside of every vocabulary, and far from the end of each: an id that is just one too high has
// killed the engines of real servers, and with them the run.
const noVocabularyID = 999_999_999

// inputBadID is the check of an id that no vocabulary has, between two that every one has.
func inputBadID(id, what string, value int) contract.Check {
	ids := someIDs()
	ids[1] = value
	return contract.Check{
		ID: id, Promise: what + " is refused as a fault of the client",
		Why:     "an id that is wrapped or clamped into the vocabulary is another word; one that is looked up all the same has stopped engines",
		Level:   contract.Should,
		Sources: []string{"input-id-out-of-range", openAIRequest + ".input"},
		Variants: append(refusesFault(what), contract.Variant{Name: "served", Outcome: contract.Fail, Meaning: "200: another token was taken in its place",
			Breaks: "pipelines that send ids of another tokenizer: garbage is indexed in silence"}),
		Swap:     append(refusalSwaps(), servedSwaps("served")...),
		Probe:    askText("asked", contract.Body{"input": ids}),
		Classify: servedOrRefused("served"),
	}
}

func inputNegativeID() contract.Check {
	return inputBadID("input_forms/negative-id", "a negative token id", -1)
}

func inputForeignID() contract.Check {
	return inputBadID("input_forms/id-out-of-range", "a token id outside the vocabulary", noVocabularyID)
}

// servedOrRefused reads the step "asked" of a faulty request: how it was refused, or that it was served with a vector.
func servedOrRefused(served string) func(contract.Evidence) contract.Finding {
	return func(e contract.Evidence) contract.Finding {
		s := e.Step("asked")
		if v, ok := refusal(s); ok {
			return contract.Found(v, "%s", s.Describe()).From(s.Name)
		}
		v, err := s.One()
		if err == nil {
			if _, nonzero := parity.Finite(v); !nonzero {
				err = parity.ErrZero
			}
		}
		if err != nil {
			return mismatch(s, err)
		}
		return contract.Found(served, "%s", s.Describe()).From(s.Name)
	}
}

// servedSwaps are the swaps of a faulty request that one server serves and another refuses.
func servedSwaps(served string) []contract.SwapRule {
	const gone, works = "requests that were served are refused now", "what failed before is served now"
	return []contract.SwapRule{
		{From: served, To: rejected, Effect: contract.ClientChange, Why: gone},
		{From: served, To: rejectedRetried, Effect: contract.ClientChange, Why: gone},
		{From: served, To: failed, Effect: contract.ClientChange, Why: gone},
		{From: rejected, To: served, Effect: contract.Compatible, Why: works},
		{From: rejectedRetried, To: served, Effect: contract.Compatible, Why: works},
		{From: failed, To: served, Effect: contract.Compatible, Why: works},
	}
}

func inputMessages() contract.Check {
	return contract.Check{
		ID: "input_forms/messages", Promise: "messages of a chat in place of input are refused as a fault of the client",
		Why: "a server that embeds them puts a chat template around the text, which no other server does", Level: contract.May, Extended: true,
		Sources: []string{"input-messages-extension", openAIRequest + ".input (required)", "vLLM and LocalAI: messages"},
		Variants: append(refusesFault("a chat"), contract.Variant{Name: "served", Outcome: contract.Differs,
			Meaning: "200 with a vector of the messages: an extension", Breaks: "nobody at once; clients that use it cannot move"}),
		Swap: append(refusalSwaps(), servedSwaps("served")...),
		Probe: askText("asked", contract.Body{"messages": []map[string]string{{"role": "user", "content": statusText}}},
			contract.Violates("input is required, and messages is not in the OpenAI schema")),
		Classify: servedOrRefused("served"),
	}
}

func inputUser() contract.Check {
	return contract.Check{
		ID: "input_forms/user-type", Promise: "a user that is not a text is refused, or ignored",
		Why: "it is the field that gateways add by themselves", Level: contract.May,
		Sources: []string{openAIRequest + ".user"},
		Variants: append(refusesFault("a user that is a number"), contract.Variant{Name: "ignored", Outcome: contract.Differs,
			Meaning: "200: the type of the field is not looked at", Breaks: "nobody at once"}),
		Swap:     append(refusalSwaps(), servedSwaps("ignored")...),
		Probe:    askText("asked", contract.Body{"input": statusText, "user": 5}, contract.Violates("user is a string")),
		Classify: servedOrRefused("ignored"),
	}
}
