package suites

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

const sentRequestID = "embedcontract-7f3a"

func serviceRequestID() contract.Check {
	return contract.Check{
		ID: "service/request-id", Promise: "an answer carries x-request-id, that of the client if it sent one",
		Why: "SDKs put it into their errors (openai-python: _request_id); without it nobody finds the request in the server's log", Level: contract.May,
		Sources: []string{"hdr-request-id", "OpenAI API reference: debugging requests"},
		Variants: []contract.Variant{
			{Name: "echoed", Outcome: contract.Pass, Meaning: "x-request-id is what the client sent"},
			{Name: "own", Outcome: contract.Pass, Meaning: "x-request-id is the server's own"},
			{Name: "other-header", Outcome: contract.Differs, Meaning: "the client's id comes back in another header", Breaks: "SDKs, which look for x-request-id"},
			{Name: "absent", Outcome: contract.Differs, Meaning: "there is none", Breaks: "whoever must find a request in the log"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "absent", To: "*", Effect: contract.Compatible, Why: "nobody could rely on one"},
			{From: "own", To: "echoed", Effect: contract.Compatible, Why: "an id is there as before"},
		},
		Probe: askText("asked", contract.Body{"input": statusText}, contract.Header("X-Request-Id", sentRequestID)),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			if !s.OK() {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			id := firstHeader(s, "X-Request-Id")
			f := contract.Found("own", "x-request-id: %s", contract.Shorten(id, 40)).From(s.Name)
			switch id {
			case sentRequestID:
				f.Variant = "echoed"
			case "":
				f.Variant, f.Observed = "absent", "no header has the id that was sent"
				for _, name := range slices.Sorted(maps.Keys(s.Header)) {
					if slices.Contains(s.Header[name], sentRequestID) {
						f.Variant, f.Observed = "other-header", strings.ToLower(name)+" has the id that was sent"
						break
					}
				}
			default:
				f.Observed = "x-request-id of the server's own"
			}
			return f
		},
	}
}

func serviceRateLimit() contract.Check {
	return contract.Check{
		ID: "service/rate-limit-headers", Promise: "a server without limits sends no x-ratelimit headers, and one with limits sends whole ones",
		Why: "clients that pace themselves by remaining and reset stop for good at a remaining of 0 without a reset", Level: contract.May, Extended: true,
		Sources: []string{"hdr-ratelimit", "OpenAI API reference: rate limits in headers"},
		Variants: []contract.Variant{
			{Name: "none", Outcome: contract.Pass, Meaning: "no such header: clients do not pace themselves"},
			{Name: "whole", Outcome: contract.Pass, Meaning: "remaining comes with limit and reset"},
			{Name: "partial", Outcome: contract.Differs, Meaning: "remaining without limit or reset", Breaks: "clients that pace themselves"},
			refused(),
		},
		Probe: askText("asked", contract.Body{"input": statusText}),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			if !s.OK() {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			var seen []string
			f := contract.Found("none", "no x-ratelimit header").From(s.Name)
			for _, kind := range []string{"Requests", "Tokens"} {
				remaining, limit, reset := firstHeader(s, "X-Ratelimit-Remaining-"+kind), firstHeader(s, "X-Ratelimit-Limit-"+kind), firstHeader(s, "X-Ratelimit-Reset-"+kind)
				if remaining+limit+reset == "" {
					continue
				}
				seen = append(seen, fmt.Sprintf("%s: remaining %q, limit %q, reset %q", strings.ToLower(kind), remaining, limit, reset))
				if f.Variant == "none" {
					f.Variant = "whole"
				}
				if remaining == "" || limit == "" || reset == "" {
					f.Variant = "partial"
				}
				f.Observed = strings.Join(seen, "; ")
			}
			return f
		},
	}
}

const (
	// timedBatch texts of about timedWords words are what Haystack sends in a request by default, of chunks of usual size.
	timedBatch = 32
	timedWords = 400
	// shortPatience is the default time limit of Haystack's client, longPatience that of LlamaIndex's.
	shortPatience = 30 * time.Second
	longPatience  = 60 * time.Second
)

func serviceBatchTime() contract.Check {
	return contract.Check{
		ID: "service/batch-in-time", Promise: "a batch of 32 texts of 400 words is answered within 30 s",
		Why: "Haystack gives up after 30 s and LlamaIndex after 60 s, and both send the batch again: a slow server gets the work twice", Level: contract.Should, Extended: true,
		Sources: []string{"time-batch-under-30s", "haystack: OpenAIDocumentEmbedder, timeout 30; llama_index: OpenAIEmbedding, timeout 60"},
		Variants: []contract.Variant{
			{Name: "within-30s", Outcome: contract.Pass, Meaning: "within the shortest time limit of a widespread client"},
			{Name: "within-60s", Outcome: contract.Differs, Meaning: "within 60 s", Breaks: "Haystack: it gives up and sends the batch again", Remedy: "raise the client's time limit, or send smaller batches"},
			{Name: "slower", Refuses: true, Outcome: contract.Fail, Meaning: "not within 60 s", Breaks: "Haystack and LlamaIndex give up and send the batch again", Remedy: "raise the client's time limit, or send smaller batches"},
			{Name: "refused", Refuses: true, Outcome: contract.Differs, Meaning: "a batch of this size is refused", Breaks: "clients with the default batch size", Remedy: "send smaller batches"},
		},
		ReadsFaults: true,
		Probe: func(ctx context.Context, p contract.Prober) error {
			words := timedWords
			if limit := p.Facts().Limit.Words; limit > 0 {
				words = min(words, max(limit/2, 1))
			}
			text := contract.Filler{Words: words}
			_, err := p.Embed(ctx, "batch", contract.Body{"input": slices.Repeat([]string{text.String()}, timedBatch)},
				contract.Recipe(fmt.Sprintf("%d times %s", timedBatch, text.Recipe())), contract.Patience(heavyPatience))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("batch")
			f := contract.Found("within-30s", "%.1f s", s.Took.Seconds()).With("seconds", s.Took.Seconds()).From(s.Name)
			_, err := s.Many(timedBatch)
			switch {
			case s.Fault == contract.FaultTimeout || s.OK() && s.Took > longPatience: // whatever comes then, nobody waits for it
				f.Variant = "slower"
			case s.Fault != "":
				f.Variant = contract.Other
				f.Observed = s.Describe()
			case !s.OK():
				f.Variant, f.Observed = "refused", s.Describe()
			case err != nil:
				return mismatch(s, err)
			case s.Took > shortPatience:
				f.Variant = "within-60s"
			}
			return f
		},
	}
}
