package suites

import (
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// Names of variants that many checks share.
const (
	rejected        = "rejected-4xx"
	rejectedRetried = "rejected-4xx-retried"
	failed          = "failed-5xx"
)

// Sources that many checks share.
const (
	openAIRequest  = "OpenAI API, CreateEmbeddingRequest"
	openAIResponse = "OpenAI API, CreateEmbeddingResponse"
	openAIErrors   = "OpenAI API, Error and ErrorResponse"
	retryRules     = "retry rules of openai-python, openai-node, openai-go, LangChain.js, LlamaIndex"
)

// repeated says whether a widespread client repeats a request that was answered with this 4xx: LangChain.js gives
// up on 400 to 407 and 409 only, so it repeats 413, 415 and 422; the OpenAI SDKs repeat 408, 409 and 429.
func repeated(status int) bool { return status > 407 }

// refusal names the variant of an answer that is not a 2xx. ok is false for a 2xx.
func refusal(s contract.Step) (variant string, ok bool) {
	switch {
	case s.OK():
		return "", false
	case s.Status >= 500 && s.Status <= 599:
		return failed, true
	case s.Status <= 499 && repeated(s.Status):
		return rejectedRetried, true
	case s.Status >= 400 && s.Status <= 499:
		return rejected, true
	}
	return contract.Other, true
}

const (
	breaksOnRetry = "LangChain.js repeats the call up to 7 times, the OpenAI SDKs some of these statuses 3 times"
	breaksOn5xx   = "OpenAI SDKs make 3 calls of one that can never succeed, LangChain.js 7, LlamaIndex up to 110; the reason is not in the answer"
)

// refusesFault are the variants of a request that must be refused.
func refusesFault(what string) []contract.Variant {
	return []contract.Variant{
		{Name: rejected, Refuses: true, Outcome: contract.Pass, Meaning: what + " is refused with a status that no client repeats"},
		{Name: rejectedRetried, Refuses: true, Outcome: contract.Differs, Meaning: what + " is refused with a status that some clients repeat",
			Breaks: breaksOnRetry, Remedy: "treat the status as permanent"},
		{Name: failed, Refuses: true, Outcome: contract.Fail, Meaning: what + " counts as a fault of the server", Breaks: breaksOn5xx,
			Remedy: "do not send it; treat the status as permanent for this request"},
	}
}

// refusesFeature are the variants of not serving a valid request.
func refusesFeature(what, who, remedy string) []contract.Variant {
	return []contract.Variant{
		{Name: rejected, Refuses: true, Outcome: contract.Unsupported, Meaning: what + " is refused with a status that no client repeats", Breaks: who, Remedy: remedy},
		{Name: rejectedRetried, Refuses: true, Outcome: contract.Unsupported, Meaning: what + " is refused with a status that some clients repeat",
			Breaks: who + "; " + breaksOnRetry, Remedy: remedy},
		{Name: failed, Refuses: true, Outcome: contract.Fail, Meaning: what + " is answered as a fault of the server", Breaks: who + "; " + breaksOn5xx, Remedy: remedy},
	}
}

// refused is the variant of a check whose plain request is not served at all.
func refused() contract.Variant {
	return contract.Variant{Name: "refused", Refuses: true, Outcome: contract.Fail, Meaning: "a plain request is not served", Breaks: "every client",
		Remedy: "look at the answer: model name, key or route may be wrong"}
}

// harmless swaps are changes between ways of refusing what never worked: no client depends on them but for retries.
func refusalSwaps() []contract.SwapRule {
	return []contract.SwapRule{
		{From: failed, To: rejected, Effect: contract.Compatible, Why: "it failed before and fails now, without being repeated"},
		{From: failed, To: rejectedRetried, Effect: contract.Compatible, Why: "it failed before and fails now"},
		{From: rejectedRetried, To: rejected, Effect: contract.Compatible, Why: "it failed before and fails now, without being repeated"},
		{From: rejected, To: rejectedRetried, Effect: contract.ClientChange, Why: "clients that gave up at once now repeat the call"},
		{From: rejected, To: failed, Effect: contract.ClientChange, Why: "clients that gave up at once now repeat the call"},
		{From: rejectedRetried, To: failed, Effect: contract.ClientChange, Why: "more clients repeat the call"},
	}
}

// unserved is the finding of a check whose plain request was not served: what it asked on top of that was not what
// was refused.
func unserved(plain contract.Step) (contract.Finding, bool) {
	if plain.OK() {
		return contract.Finding{}, false
	}
	return contract.Found(contract.Other, "the plain request was not served either: %s", plain.Describe()).From(plain.Name), true
}

// mismatch is the finding for a 2xx answer whose vectors cannot be read.
func mismatch(s contract.Step, err error) contract.Finding {
	return contract.Found(contract.Other, "%s: %v", s.Describe(), err).From(s.Name)
}

// sameAnswer says whether two answers to one text hold the same vector. Answers that hold none alike are for the checks
// of plain requests to judge.
func sameAnswer(a, b contract.Step) (same bool, observed string) {
	va, errA := a.One()
	vb, errB := b.One()
	switch {
	case errA != nil && errB != nil:
		return true, ""
	case errA != nil || errB != nil:
		return false, a.Describe() + "; " + b.Describe()
	case parity.Norm(va) == 0 && parity.Norm(vb) == 0:
		return len(va) == len(vb), fmt.Sprintf("%d and %d zeros", len(va), len(vb))
	}
	d, err := parity.Distance(va, vb)
	if err != nil {
		return false, err.Error()
	}
	return d <= parity.SameBar, "cosine " + contract.FormatNumber(1-d)
}

// movedBetween are the swaps between answers that are served alike and put one text at different places.
func movedBetween(why string, served ...string) []contract.SwapRule {
	var rules []contract.SwapRule
	for _, from := range served {
		for _, to := range served {
			if from != to {
				rules = append(rules, contract.SwapRule{From: from, To: to, Effect: contract.IndexBreak, Silent: true, Why: why})
			}
		}
	}
	return rules
}
