package suites

import (
	"context"
	"encoding/json"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// routeChecks are the checks of requests that miss the route.
func routeChecks() []string { return []string{"status_codes/get-method", "status_codes/wrong-path"} }

const clientsOfWrongURL = "whoever has the address wrong and reads the error"

// routeVariants are the ways to answer a request that misses the route. right is the status that says so.
func routeVariants(right, meaning string) []contract.Variant {
	return []contract.Variant{
		{Name: right, Refuses: true, Outcome: contract.Pass, Meaning: meaning + ", and a body of JSON"},
		{Name: right + "-no-json", Refuses: true, Outcome: contract.Differs, Meaning: meaning + ", and no body of JSON", Breaks: clientsOfWrongURL},
		{Name: "other-4xx", Refuses: true, Outcome: contract.Differs, Meaning: "another 4xx", Breaks: clientsOfWrongURL},
		{Name: failed, Refuses: true, Outcome: contract.Fail, Meaning: "answered as a fault of the server", Breaks: breaksOn5xx},
		{Name: "served", Outcome: contract.Fail, Meaning: "answered with 200", Breaks: "whoever tests a deployment by asking this address"},
	}
}

func routeSwaps(right string) []contract.SwapRule {
	const why = "it failed before and fails now"
	return []contract.SwapRule{
		{From: right, To: right + "-no-json", Effect: contract.Compatible, Why: why}, {From: right, To: "other-4xx", Effect: contract.Compatible, Why: why},
		{From: right + "-no-json", To: "other-4xx", Effect: contract.Compatible, Why: why}, {From: "other-4xx", To: right, Effect: contract.Compatible, Why: why},
		{From: "other-4xx", To: right + "-no-json", Effect: contract.Compatible, Why: why}, {From: failed, To: right + "-no-json", Effect: contract.Compatible, Why: why},
		{From: failed, To: "other-4xx", Effect: contract.Compatible, Why: why},
	}
}

func routeFinding(e contract.Evidence, status int, right string) contract.Finding {
	s := e.Step("asked")
	f := contract.Found(right, "%s", s.Describe()).From(s.Name)
	switch v, _ := refusal(s); {
	case s.OK():
		f.Variant = "served"
	case s.Status == status && !json.Valid(s.Body):
		f.Variant = right + "-no-json"
	case s.Status == status:
	case v == failed || v == contract.Other:
		f.Variant = v
	default:
		f.Variant = "other-4xx"
	}
	return f
}

func statusGet() contract.Check {
	const right = "not-allowed-405"
	return contract.Check{
		ID: "status_codes/get-method", Promise: "GET on the route of embeddings is answered with 405",
		Why: "it is what a person sees who opens the address in a browser, and what a redirect makes of a POST", Level: contract.Should,
		Sources:  []string{"err-route-method", "RFC 9110, section 15.5.6"},
		Variants: routeVariants(right, "405"),
		Swap:     routeSwaps(right),
		Probe: func(ctx context.Context, p contract.Prober) error {
			_, err := p.Send(ctx, "asked", contract.Request{Method: "GET", Path: contract.EmbeddingsPath})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding { return routeFinding(e, 405, right) },
	}
}

// plainRequest is a good request for embeddings, to whatever path.
func plainRequest(p contract.Prober, path string) (contract.Request, error) {
	body, err := json.Marshal(contract.Body{"input": statusText}.Fields(p.Facts().Model))
	return contract.Request{Method: "POST", Path: path, ContentType: "application/json", Body: body}, err
}

func askPath(path string) func(context.Context, contract.Prober) error {
	return func(ctx context.Context, p contract.Prober) error {
		r, err := plainRequest(p, path)
		if err != nil {
			return err
		}
		_, err = p.Send(ctx, "asked", r)
		return err
	}
}

func statusWrongPath() contract.Check {
	const right = "not-found-404"
	return contract.Check{
		ID: "status_codes/wrong-path", Promise: "a path that nobody serves is answered with 404",
		Why: "a base URL with /v1 too much or too little is the commonest fault of a new client", Level: contract.Should,
		Sources:  []string{"err-route-method", "RFC 9110, section 15.5.5"},
		Variants: routeVariants(right, "404"),
		Swap:     routeSwaps(right),
		Probe:    askPath("/v1/embeddings-of-nobody"),
		Classify: func(e contract.Evidence) contract.Finding { return routeFinding(e, 404, right) },
	}
}

func statusTrailingSlash() contract.Check {
	const gone = "clients whose address ends in a slash fail now"
	return contract.Check{
		ID: "status_codes/trailing-slash", Promise: "the route with a slash behind it is served, or refused as a fault of the client",
		Why: "addresses are joined with a slash too many; a redirect loses the body or the key in some clients", Level: contract.May,
		Sources: []string{"err-route-method", "RFC 9110, section 15.4"},
		Variants: []contract.Variant{
			{Name: "refused-4xx", Refuses: true, Outcome: contract.Pass, Meaning: "refused as a fault of the client"},
			{Name: "served", Outcome: contract.Pass, Meaning: "served as without the slash"},
			{Name: "redirect", Outcome: contract.Differs, Meaning: "a redirect that keeps the method (307, 308)", Breaks: "clients that do not follow it: curl without -L, openai-go behind some proxies"},
			{Name: "redirect-to-get", Outcome: contract.Differs, Meaning: "a redirect after which clients send a GET without a body (301, 302, 303)", Breaks: "clients that follow it, and get a 405"},
			{Name: failed, Refuses: true, Outcome: contract.Fail, Meaning: "answered as a fault of the server", Breaks: breaksOn5xx},
		},
		Swap: []contract.SwapRule{
			{From: "redirect", To: "served", Effect: contract.Compatible, Why: "what was redirected is served"},
			{From: "redirect-to-get", To: "served", Effect: contract.Compatible, Why: "what failed before is served"},
			{From: "refused-4xx", To: "redirect", Effect: contract.Compatible, Why: "what failed before is served to clients that follow it"},
			{From: "refused-4xx", To: "redirect-to-get", Effect: contract.Compatible, Why: "it failed before and fails now"},
			{From: "served", To: "refused-4xx", Effect: contract.ClientChange, Why: gone},
			{From: "redirect", To: "refused-4xx", Effect: contract.ClientChange, Why: gone},
		},
		Probe: askPath(contract.EmbeddingsPath + "/"),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			f := contract.Found("refused-4xx", "%s", s.Describe()).From(s.Name)
			switch v, _ := refusal(s); {
			case s.OK():
				if _, err := s.One(); err != nil {
					return mismatch(s, err)
				}
				f.Variant = "served"
			case s.Status == 307 || s.Status == 308:
				f.Variant = "redirect"
			case s.Status >= 301 && s.Status <= 303:
				f.Variant = "redirect-to-get"
			case v == failed || v == contract.Other:
				f.Variant = v
			}
			return f
		},
	}
}
