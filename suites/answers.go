package suites

import (
	"slices"

	"github.com/embedcontract/embedcontract/harness/contract"
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

// retriedBySomeClient lists the client faults that a widespread client repeats: the OpenAI SDKs 408, 409 and
// 429, LangChain.js whatever is not among 400 to 407 and 409, hence 413 and 422 as well.
var retriedBySomeClient = [...]int{408, 409, 413, 422, 429}

// refusal names the variant of an answer that is not a 2xx. ok is false for a 2xx.
func refusal(s contract.Step) (variant string, ok bool) {
	switch {
	case s.OK():
		return "", false
	case s.Status >= 500 && s.Status <= 599:
		return failed, true
	case slices.Contains(retriedBySomeClient[:], s.Status):
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
		{Name: rejected, Outcome: contract.Pass, Meaning: what + " is refused with a status that no client repeats"},
		{Name: rejectedRetried, Outcome: contract.Differs, Meaning: what + " is refused with a status that some clients repeat",
			Breaks: breaksOnRetry, Remedy: "treat the status as permanent"},
		{Name: failed, Outcome: contract.Fail, Meaning: what + " counts as a fault of the server", Breaks: breaksOn5xx,
			Remedy: "do not send it; treat the status as permanent for this request"},
	}
}

// refusesFeature are the variants of not serving a valid request.
func refusesFeature(what, who, remedy string) []contract.Variant {
	return []contract.Variant{
		{Name: rejected, Outcome: contract.Unsupported, Meaning: what + " is refused with a status that no client repeats", Breaks: who, Remedy: remedy},
		{Name: rejectedRetried, Outcome: contract.Unsupported, Meaning: what + " is refused with a status that some clients repeat",
			Breaks: who + "; " + breaksOnRetry, Remedy: remedy},
		{Name: failed, Outcome: contract.Fail, Meaning: what + " is answered as a fault of the server", Breaks: who + "; " + breaksOn5xx, Remedy: remedy},
	}
}

// refused is the variant of a check whose plain request is not served at all.
func refused() contract.Variant {
	return contract.Variant{Name: "refused", Outcome: contract.Fail, Meaning: "a plain request is not served", Breaks: "every client",
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

// mismatch is the finding for a 2xx answer whose vectors cannot be read.
func mismatch(s contract.Step, err error) contract.Finding {
	return contract.Found(contract.Other, "%s: %v", s.Describe(), err).From(s.Name)
}
