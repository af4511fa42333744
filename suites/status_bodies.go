package suites

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// statusBodies are the checks of bodies that are no object with an input, and of those that are too large.
func statusBodies() []contract.Check {
	return []contract.Check{statusEmptyBody(), statusArrayBody(), statusDuplicateKey(), statusTooLarge(), statusBounded()}
}

// rawBody is a request for embeddings whose body is as it stands.
func rawBody(body []byte, violates string) contract.Request {
	return contract.Request{Method: "POST", Path: contract.EmbeddingsPath, ContentType: "application/json", Body: body, Violates: violates}
}

func statusEmptyBody() contract.Check {
	return faultCheck("status_codes/empty-body", "a request without a body is refused as a fault of the client",
		"a client that lost its body must not be told that the server is down", "an empty body", contract.Must,
		[]string{"err-malformed-json"},
		contract.Variant{Name: "served", Outcome: contract.Fail, Meaning: "200 for nothing", Breaks: "pipelines with a fault: a vector of nothing is indexed"},
		func(ctx context.Context, p contract.Prober) error {
			_, err := p.Send(ctx, "asked", rawBody([]byte{}, "the body is empty"))
			return err
		})
}

func statusArrayBody() contract.Check {
	return faultCheck("status_codes/array-body", "a list of requests as body is refused as a fault of the client",
		"a server that takes the first of the list drops the others in silence", "a list as body", contract.Must,
		[]string{"err-malformed-json", openAIRequest},
		contract.Variant{Name: "served", Outcome: contract.Fail, Meaning: "200: one of the list was taken, or nothing", Breaks: "clients that send batches in this form: all texts but one are lost"},
		func(ctx context.Context, p contract.Prober) error {
			one := contract.Body{"input": statusText}.Fields(p.Facts().Model)
			body, err := json.Marshal([]any{one, one})
			if err != nil {
				return err
			}
			_, err = p.Send(ctx, "asked", rawBody(body, "the body is an object"))
			return err
		})
}

// otherText has no word of statusText.
const otherText = "A quiet morning with warm bread near the old market hall"

func statusDuplicateKey() contract.Check {
	const moved = "of two inputs the other one is embedded now"
	return contract.Check{
		ID: "status_codes/duplicate-key", Promise: "a body in which input stands twice is refused, or the last one counts",
		Why: "gateways and servers that read another one of the two see two different requests", Level: contract.May,
		Sources: []string{"err-malformed-json", "RFC 8259, section 4: names should be unique"},
		Variants: append(refusesFault("a key that stands twice"),
			contract.Variant{Name: "last-wins", Outcome: contract.Differs, Meaning: "200 with the vector of the last input, as most JSON readers take it", Breaks: "nobody at once"},
			contract.Variant{Name: "first-wins", Outcome: contract.Differs, Meaning: "200 with the vector of the first input", Breaks: "gateways in front that look at the last one"}),
		Swap: append(append(append(refusalSwaps(), servedSwaps("last-wins")...), servedSwaps("first-wins")...),
			contract.SwapRule{From: "last-wins", To: "first-wins", Effect: contract.IndexBreak, Silent: true, Why: moved},
			contract.SwapRule{From: "first-wins", To: "last-wins", Effect: contract.IndexBreak, Silent: true, Why: moved}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "first", contract.Body{"input": otherText}); err != nil {
				return err
			}
			if _, err := p.Embed(ctx, "last", contract.Body{"input": statusText}); err != nil {
				return err
			}
			_, err := p.Send(ctx, "asked", rawEmbeddings(p, fmt.Appendf(nil, `%q,"input":%q`, otherText, statusText), "the key input stands twice"))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			if _, _, no := besidePlain(e.Step("last"), s); no != nil {
				return *no
			}
			first, errA := stepDistance(e.Step("first"), s)
			last, errB := stepDistance(e.Step("last"), s)
			if errA != nil || errB != nil {
				return contract.Found(contract.Other, "%s; the first alone: %s", s.Describe(), e.Step("first").Describe()).From(s.Name, "first")
			}
			f := contract.Found("last-wins", "cosine to the first %s, to the last %s", contract.FormatNumber(1-first), contract.FormatNumber(1-last)).
				With("cosine to the first", 1-first).With("cosine to the last", 1-last).From("first", "last", s.Name)
			switch {
			case min(first, last) > parity.SpaceBar:
				f.Variant = contract.Other // neither, whatever noise the server has
			case first < last:
				f.Variant = "first-wins"
			}
			return f
		},
	}
}

// tooLargeBytes is above the greatest limit known of a server, the 45 MB of Dynamo, and above what the OpenAPI document
// is held against. Proxies allow less: nginx 1 MB, TEI 2 MB.
const tooLargeBytes = 65 << 20

// padded puts spaces before the last byte of a body.
func padded(body []byte, spaces int) []byte {
	last := len(body) - 1
	out := make([]byte, len(body)+spaces)
	n := copy(out, body[:last])
	for i := range spaces {
		out[n+i] = ' '
	}
	out[n+spaces] = body[last]
	return out
}

func statusTooLarge() contract.Check {
	return contract.Check{
		ID: "status_codes/body-too-large", Promise: "a body of 65 MiB is refused with 413, or otherwise as a fault of the client",
		Why: "a server that reads whatever comes can be stopped by one client", Level: contract.Should, Extended: true,
		Sources: []string{"err-body-too-large", "RFC 9110, section 15.5.14", "ai-dynamo/dynamo: DYN_HTTP_BODY_LIMIT_MB"},
		Variants: []contract.Variant{
			{Name: "too-large-413", Refuses: true, Outcome: contract.Pass, Meaning: "refused with 413"},
			{Name: rejected, Refuses: true, Outcome: contract.Differs, Meaning: "refused with another status that no client repeats", Breaks: "whoever looks for 413 to split the batch"},
			{Name: rejectedRetried, Refuses: true, Outcome: contract.Differs, Meaning: "refused with another status that some clients repeat", Breaks: breaksOnRetry},
			{Name: "closed", Refuses: true, Outcome: contract.Differs, Meaning: "the connection is closed while the body is sent", Breaks: "clients see a network fault, and repeat 65 MiB"},
			{Name: failed, Refuses: true, Outcome: contract.Fail, Meaning: "answered as a fault of the server", Breaks: breaksOn5xx},
			{Name: "served", Outcome: contract.Differs, Meaning: "200: the server has no limit of its own", Breaks: "whoever runs it without a proxy that has one: a few such requests fill its memory"},
		},
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: rejected, To: "too-large-413", Effect: contract.Compatible, Why: "it failed before and fails now"},
			contract.SwapRule{From: "too-large-413", To: rejected, Effect: contract.Compatible, Why: "it failed before and fails now, without being repeated"},
			contract.SwapRule{From: "too-large-413", To: "served", Effect: contract.Compatible, Why: "what failed before is served now"},
			contract.SwapRule{From: rejected, To: "served", Effect: contract.Compatible, Why: "what failed before is served now"}),
		ReadsFaults: true,
		Probe: func(ctx context.Context, p contract.Prober) error {
			r := rawEmbeddings(p, []byte(`"`+statusText+`"`), "the body is larger than the OpenAPI document is held against")
			r.Body = padded(r.Body, tooLargeBytes)
			r.Recipe = fmt.Sprintf("%q as input, and %d spaces behind it", statusText, tooLargeBytes)
			_, err := p.Send(ctx, "asked", r)
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			v, refused := refusal(s)
			f := contract.Found(v, "%s", s.Describe()).From(s.Name)
			switch {
			case s.Fault == contract.FaultClosed:
				f.Variant = "closed"
			case s.Fault != "":
				f.Variant = contract.NoAnswer
			case !refused:
				if _, err := s.One(); err != nil {
					return mismatch(s, err)
				}
				f.Variant = "served"
			case s.Status == 413:
				f.Variant = "too-large-413"
			}
			return f
		},
	}
}

const (
	// manyFaults is the number of items of a wrong type in one request: validators that report each of them, for each
	// form that it might have been, once answered with thousands of times what they were sent.
	manyFaults = 2000
	// maxErrorBody is what an error may take: more than any reason that a person reads, and less than the 64 KiB of
	// one line that log shippers and proxies carry.
	maxErrorBody = 32 << 10
)

func statusBounded() contract.Check {
	return contract.Check{
		ID: "status_codes/bounded-size", Promise: "the error for 2000 items of a wrong type is no longer than 32 KiB",
		Why: "an error that grows with the request is a way to flood logs, and clients that put it into an exception", Level: contract.Should, Extended: true,
		Sources: []string{"err-bounded-size", "vLLM caps the entries of a validation error at 10"},
		Variants: []contract.Variant{
			{Name: "bounded", Refuses: true, Outcome: contract.Pass, Meaning: "a short error"},
			{Name: "amplified", Refuses: true, Outcome: contract.Fail, Meaning: "an error of more than 32 KiB", Breaks: "log pipelines; clients that keep errors", Remedy: "cut errors before they are logged"},
			{Name: failed, Refuses: true, Outcome: contract.Fail, Meaning: "answered as a fault of the server", Breaks: breaksOn5xx},
			{Name: "served", Outcome: contract.Fail, Meaning: "200", Breaks: "pipelines with a fault in their data: garbage is indexed in silence"},
		},
		Swap: []contract.SwapRule{
			{From: "amplified", To: "bounded", Effect: contract.Compatible, Why: "errors are shorter"},
			{From: failed, To: "bounded", Effect: contract.Compatible, Why: "it failed before and fails now, without being repeated"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			items := make([]any, manyFaults)
			for i := range items {
				items[i] = map[string]any{"text": i}
			}
			_, err := p.Embed(ctx, "asked", contract.Body{"input": items}, contract.Violates("the items are no texts"),
				contract.Recipe(fmt.Sprintf(`{"text": 0}, {"text": 1}, … %d items as input`, manyFaults)))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			v, refused := refusal(s)
			f := contract.Found("bounded", "%d with %d bytes: %s", s.Status, s.Size, contract.Shorten(string(s.Body[:min(len(s.Body), 400)]), 80)).
				With("bytes", float64(s.Size)).From(s.Name)
			switch {
			case !refused:
				f.Variant = "served"
			case s.Size > maxErrorBody:
				f.Variant = "amplified"
			case v == failed || v == contract.Other:
				f.Variant = v
			}
			return f
		},
	}
}
