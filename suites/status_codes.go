package suites

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/openapi"
)

// statusCodes: a fault of the client is told as one, in a form that clients can read, and harms nobody else.
func statusCodes(doc *openapi.Document) contract.Behaviour {
	return contract.Behaviour{
		Stem:    "status_codes",
		Promise: "a fault of the client is a 4xx with an error object, and the server goes on",
		Checks: slices.Concat([]contract.Check{
			statusModel(), statusMissingModel(), statusMissingInput(), statusMalformed(), statusContentType(),
		}, statusBodies(), []contract.Check{
			statusGet(), statusWrongPath(), statusTrailingSlash(), statusClientFaults(), statusEnvelope(), statusProfile(doc), statusSurvives(),
		}, statusErrors(), statusForms(), []contract.Check{statusUnversioned(), statusReason()}),
		Remedies: []contract.Check{plainRemedy(), errorsRemedy(), permanentRemedy()},
	}
}

const statusText = "People build bridges."

// faultCheck sends one faulty request. served are the variants of a 200: the first is taken.
func faultCheck(id, promise, why, what string, level contract.Level, sources []string, served contract.Variant,
	probe func(context.Context, contract.Prober) error) contract.Check {
	return contract.Check{
		ID: id, Promise: promise, Why: why, Level: level, Sources: sources,
		Variants: append(refusesFault(what), served),
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: served.Name, To: rejected, Effect: contract.ClientChange, Why: "requests that were served are refused now"},
			contract.SwapRule{From: served.Name, To: rejectedRetried, Effect: contract.ClientChange, Why: "requests that were served are refused now"},
			contract.SwapRule{From: rejected, To: served.Name, Effect: contract.Compatible, Why: "what failed before is served now"},
			contract.SwapRule{From: rejectedRetried, To: served.Name, Effect: contract.Compatible, Why: "what failed before is served now"},
			contract.SwapRule{From: failed, To: served.Name, Effect: contract.Compatible, Why: "what failed before is served now"}),
		Probe: probe,
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			return contract.Found(served.Name, "%s", s.Describe()).From(s.Name)
		},
	}
}

func statusModel() contract.Check {
	return faultCheck("status_codes/unknown-model", "a model that is not served is refused",
		"after an upgrade or a change of routing the wrong model would fill the index in silence", "an unknown model", contract.Should,
		[]string{"err-unknown-model", openAIRequest + ".model"},
		contract.Variant{Name: "served", Outcome: contract.Fail, Meaning: "200: the name is not looked at", Breaks: "whoever names another model than the one that answers: vectors of two models mix in one index"},
		askText("asked", contract.Body{"input": statusText, "model": "no-such-model"}))
}

func statusMissingModel() contract.Check {
	return faultCheck("status_codes/missing-model", "a request without a model is refused",
		"a request that names no model cannot say that it got the wrong one", "a missing model", contract.Should,
		[]string{"err-missing-model", openAIRequest + ".model"},
		contract.Variant{Name: "served", Outcome: contract.Differs, Meaning: "200: the model is optional", Breaks: "nobody at once"},
		askText("asked", contract.Body{"input": statusText, "model": contract.Absent}, contract.Violates("model is required")))
}

func statusMissingInput() contract.Check {
	return faultCheck("status_codes/missing-input", "a request without input is refused as a fault of the client",
		"it is the plainest fault of a client; what happens to it happens to all of its kind", "a missing input", contract.Must,
		[]string{"input-missing-null-object", openAIRequest + ".input"},
		contract.Variant{Name: "served", Outcome: contract.Fail, Meaning: "200 without an input", Breaks: "pipelines with a fault: a vector of nothing is indexed"},
		askText("asked", contract.Body{}, contract.Violates("input is required")))
}

func statusMalformed() contract.Check {
	return faultCheck("status_codes/malformed-json", "a body that is not JSON is refused as a fault of the client",
		"a body that was cut off on the way must not look like a server that is down", "malformed JSON", contract.Must,
		[]string{"err-malformed-json"},
		contract.Variant{Name: "served", Outcome: contract.Fail, Meaning: "200: the server guessed what was meant", Breaks: "whoever relies on the text arriving as it was sent"},
		func(ctx context.Context, p contract.Prober) error {
			_, err := p.Send(ctx, "asked", contract.Request{Method: "POST", Path: contract.EmbeddingsPath, ContentType: "application/json",
				Body: []byte(`{"model": "` + p.Facts().Model + `", "input": `), Violates: "the body is cut off in the middle of the JSON"})
			return err
		})
}

func statusContentType() contract.Check {
	return faultCheck("status_codes/content-type", "a body that is declared as text/plain is refused as a fault of the client",
		"gateways and proxies treat bodies by their declared type", "another content type", contract.May,
		[]string{"err-content-type"},
		contract.Variant{Name: "served", Outcome: contract.Differs, Meaning: "200: the declared type is not looked at", Breaks: "nobody at once"},
		func(ctx context.Context, p contract.Prober) error {
			body, err := json.Marshal(contract.Body{"input": statusText}.Fields(p.Facts().Model))
			if err != nil {
				return err
			}
			_, err = p.Send(ctx, "asked", contract.Request{Method: "POST", Path: contract.EmbeddingsPath, ContentType: "text/plain",
				Body: body, Violates: "the content type is application/json"})
			return err
		})
}

// faultyRequests names the steps of other checks that send what a client must not send, or what the server may
// refuse: whatever they got as an error is read here as a whole.
func faultyRequests() []string {
	return []string{
		"dimensions/reduced-256", "dimensions/reduced-batch", "dimensions/native-value", "dimensions/above-native", "dimensions/zero", "dimensions/negative",
		"truncation/over-long", "truncation/limit-plus-one", "truncation/silent-cut", "truncation/token-ids", "truncation/batch-one-bad",
		"encoding_format/base64-is-string", "encoding_format/base64-dimensions", "encoding_format/null", "encoding_format/invalid",
		"input_forms/token-ids", "input_forms/nested-ids", "input_forms/empty-string", "input_forms/empty-array", "input_forms/mixed-array",
		"input_forms/empty-in-batch", "input_forms/null-input", "input_forms/number-input", "input_forms/object-input",
		"input_forms/negative-id", "input_forms/id-out-of-range", "input_forms/foreign-ids", "input_forms/user-type",
		"text/nul", "text/lone-surrogate", "text/invalid-utf8", "text/raw-control",
		"status_codes/empty-body", "status_codes/array-body", "status_codes/duplicate-key",
		"status_codes/unknown-model", "status_codes/missing-model", "status_codes/missing-input", "status_codes/malformed-json", "status_codes/content-type",
	}
}

// refusals returns the error answers to the faulty requests, by "check (step)".
func refusals(e contract.Evidence) map[string]contract.Step {
	out := map[string]contract.Step{}
	for _, id := range faultyRequests() {
		for _, s := range e.Read[id].Steps {
			if s.Name != contract.StillAlive && s.Fault == "" && s.Status >= 400 && !s.Limited() {
				out[id+" ("+s.Name+")"] = s
			}
		}
	}
	return out
}

func sortedKeys(m map[string]contract.Step) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func statusClientFaults() contract.Check {
	return contract.Check{
		ID: "status_codes/client-faults-are-4xx", Promise: "no request that the client must change is answered with a 5xx",
		Why: "clients repeat a 5xx: one faulty document becomes 3 to 110 calls, again at each retry of the job", Level: contract.Must,
		Sources: []string{"err-client-fault-not-5xx", "err-client-fault-is-400", "dim-unsupported-is-4xx", retryRules},
		Reads:   faultyRequests(), ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "all-4xx", Outcome: contract.Pass, Meaning: "each refusal has a status that no client repeats"},
			{Name: "some-retried", Outcome: contract.Differs, Meaning: "some refusals have a status that some clients repeat", Breaks: breaksOnRetry, Remedy: "treat the status as permanent"},
			{Name: "some-5xx", Outcome: contract.Fail, Meaning: "some refusals are 5xx", Breaks: breaksOn5xx, Remedy: "treat the status as permanent for this request; bound retries"},
			{Name: "no-refusals", Outcome: contract.Differs, Meaning: "nothing was refused at all", Breaks: "whoever relies on being told"},
		},
		Swap: []contract.SwapRule{
			{From: "some-5xx", To: "some-retried", Effect: contract.Compatible, Why: "fewer calls are repeated"},
			{From: "some-5xx", To: "all-4xx", Effect: contract.Compatible, Why: "fewer calls are repeated"},
			{From: "some-retried", To: "all-4xx", Effect: contract.Compatible, Why: "fewer calls are repeated"},
			{From: "no-refusals", To: "all-4xx", Effect: contract.ClientChange, Why: "requests that were served are refused now; see the single checks"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			all := refusals(e)
			var worst, retried []string
			for _, k := range sortedKeys(all) {
				switch v, _ := refusal(all[k]); v {
				case failed:
					worst = append(worst, fmt.Sprintf("%s %d", k, all[k].Status))
				case rejectedRetried:
					retried = append(retried, fmt.Sprintf("%s %d", k, all[k].Status))
				}
			}
			f := contract.Found("all-4xx", "%d refusals", len(all))
			switch {
			case len(all) == 0:
				f.Variant = "no-refusals"
			case len(worst) > 0:
				f.Variant, f.Observed = "some-5xx", fmt.Sprintf("%d of %d: %s", len(worst), len(all), strings.Join(worst, ", "))
			case len(retried) > 0:
				f.Variant, f.Observed = "some-retried", fmt.Sprintf("%d of %d: %s", len(retried), len(all), strings.Join(retried, ", "))
			}
			return f.With("refusals", float64(len(all))).With("5xx", float64(len(worst))).With("retried 4xx", float64(len(retried)))
		},
	}
}

func statusEnvelope() contract.Check {
	return contract.Check{
		ID: "status_codes/error-envelope", Promise: `an error is a JSON object {"error": {"message": …}}`,
		Why: "openai-node reads only body.error and loses the message of any other form", Level: contract.Should,
		Sources: []string{openAIErrors, "err-envelope-nested", "err-envelope-uniform", "openapi profile client-minimum"},
		Reads:   faultyRequests(), ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "nested", Outcome: contract.Pass, Meaning: "each error has an error object with a message"},
			{Name: "flat", Outcome: contract.Differs, Meaning: "each error is a flat object with a message", Breaks: `openai-node and openai-go show "no body" in place of the message; Weaviate cannot parse it`},
			{Name: "detail", Outcome: contract.Differs, Meaning: "each error is FastAPI's detail", Breaks: "openai-node and openai-go lose the message; Weaviate cannot parse it"},
			{Name: "error-string", Outcome: contract.Differs, Meaning: "error is a text and no object", Breaks: "Weaviate and typed clients cannot parse it; openai-node shows the text"},
			{Name: "not-json", Outcome: contract.Fail, Meaning: "each error is text, HTML or empty", Breaks: "clients that parse errors raise a parse error in place of the reason"},
			{Name: "mixed", Outcome: contract.Differs, Meaning: "errors have different forms", Breaks: "clients need a parser for each"},
			{Name: "no-refusals", Outcome: contract.Differs, Meaning: "nothing was refused at all", Breaks: "whoever relies on being told"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			all := refusals(e)
			kinds := map[string][]string{}
			for _, k := range sortedKeys(all) {
				form := envelope(all[k].Body)
				kinds[form] = append(kinds[form], k)
			}
			var seen []string
			for form, where := range kinds {
				seen = append(seen, fmt.Sprintf("%s %d× (%s)", form, len(where), where[0]))
			}
			slices.Sort(seen)
			f := contract.Found("mixed", "%s", strings.Join(seen, "; ")).With("refusals", float64(len(all)))
			if len(kinds) == 0 {
				f.Variant, f.Observed = "no-refusals", "nothing was refused"
			}
			if len(kinds) == 1 {
				for form := range kinds {
					f.Variant = form
				}
			}
			return f
		},
	}
}

// envelope names the form of an error body.
func envelope(body []byte) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(body, &m) != nil {
		return "not-json"
	}
	var inner struct {
		Message *string `json:"message"`
	}
	if json.Unmarshal(m["error"], &inner) == nil && inner.Message != nil {
		return "nested"
	}
	var message string
	if _ = json.Unmarshal(m["error"], &message); message != "" { // what is no text leaves it empty
		return "error-string"
	}
	if json.Unmarshal(m["message"], &message) == nil {
		return "flat"
	}
	if _, ok := m["detail"]; ok {
		return "detail"
	}
	return contract.Other
}

func statusSurvives() contract.Check {
	return contract.Check{
		ID: "status_codes/survives", Promise: "after each faulty request a plain one is still answered",
		Why: "one client's fault must not stop the others; engines have died of an empty prompt", Level: contract.Must,
		Sources: []string{"health-survives-bad-input", "https://github.com/vllm-project/vllm/issues/7283"},
		Reads:   faultyRequests(), ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "survives", Outcome: contract.Pass, Meaning: "a plain request was answered after each"},
			{Name: "stops", Outcome: contract.Fail, Meaning: "after a faulty request no plain request was answered", Breaks: "every client of the server"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "after a faulty request the plain one is answered with another vector than after the others",
				Breaks: "every client of the server, in silence: one client's fault has poisoned it for all"},
		},
		Swap: []contract.SwapRule{
			{From: "stops", To: "survives", Effect: contract.Compatible, Why: "the server goes on now"},
			{From: "*", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: "after some faulty requests vectors are others than the stored ones"},
			{From: "other-vector", To: "survives", Effect: contract.IndexBreak, Silent: true, Why: "what was stored after a faulty request is another vector"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			var after []string // the checks after which a plain request was answered
			var answers []contract.Step
			for _, id := range faultyRequests() {
				s := e.Read[id].Step(contract.StillAlive)
				if s.Fault == contract.FaultNotAsked {
					continue
				}
				if s.Limited() {
					continue // it answers, and wants to be asked more slowly
				}
				if !s.OK() {
					return contract.Found("stops", "after %s: %s", id, s.Describe())
				}
				after, answers = append(after, id), append(answers, s)
			}
			for i := range answers {
				if same, observed := sameAnswer(answers[0], answers[i]); !same {
					return contract.Found("other-vector", "one text, asked after %s and after %s: %s", after[0], after[i], observed)
				}
			}
			n := len(answers)
			return contract.Found("survives", "a plain request was answered after each of %d checks with faulty requests", n).With("checks", float64(n))
		},
	}
}
