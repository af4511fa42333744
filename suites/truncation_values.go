package suites

import (
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// truncOddValues are the checks of values of truncate_prompt_tokens that mean nothing.
func truncOddValues() []contract.Check {
	return []contract.Check{
		truncValue("truncation/truncate-zero", 0, "a limit of nothing is a fault in a program, which an empty or a whole text would hide"),
		truncValue("truncation/truncate-negative", -2, "only −1 has a meaning; a server that fails on others tells clients to repeat what can never succeed"),
	}
}

func truncValue(id string, value int, why string) contract.Check {
	what := "truncate_prompt_tokens " + minus(value)
	const moved = "vectors of clients that send the field are others than the stored ones"
	return contract.Check{
		ID: id, Promise: what + " is refused as a fault of the client", Why: why,
		Level: contract.May, Extended: true,
		Sources: []string{"trunc-param-vllm", vllmTruncation, "Dynamo 1.3 to 1.6, observed: −2 is a 500, and since 1.6 a 400"},
		Reads:   []string{parameterCheck},
		Variants: append(refusesFault(what),
			contract.Variant{Name: "served", Outcome: contract.Differs, Meaning: "200 with the vector of the text as it is: the number, or the field, is ignored", Breaks: "nobody at once"},
			contract.Variant{Name: "other-vector", Outcome: contract.Fail, Meaning: "200, and the text has another vector: it was cut to something that nobody asked for", Breaks: "search over such texts", Remedy: "leave the field out"}),
		Swap: append(append(refusalSwaps(), servedAfterRefusal("served")...),
			contract.SwapRule{From: "served", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: moved},
			contract.SwapRule{From: "other-vector", To: "served", Effect: contract.IndexBreak, Silent: true, Why: moved}),
		Needs: countsTokens,
		Probe: askText("asked", contract.Body{"input": parameterText(), "truncate_prompt_tokens": value}, contract.Violates(outsideSchema)),
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

// minus writes a number with the sign that the other promises use.
func minus(n int) string {
	if n < 0 {
		return "−" + contract.FormatNumber(float64(-n))
	}
	return contract.FormatNumber(float64(n))
}
