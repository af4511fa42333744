package suites

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// shapeMore are the checks of answers as a whole: what declares them, and what must be in none of them.
func shapeMore() []contract.Check {
	return []contract.Check{shapeContentType(), shapeFinite(), shapeModel(), shapeUsage()}
}

func shapeContentType() contract.Check {
	return contract.Check{
		ID: "response_shape/content-type", Promise: "a good answer is declared as application/json",
		Why: "the OpenAI SDKs hand out the raw text of whatever is declared as something else", Level: contract.Must,
		Sources: []string{"hdr-json", openAIResponse},
		Reads:   []string{wireCheck},
		Variants: []contract.Variant{
			{Name: "json", Outcome: contract.Pass, Meaning: "application/json, with or without a charset"},
			{Name: "other-type", Outcome: contract.Fail, Meaning: "declared as something else", Breaks: "openai-python and openai-node: they return a text in place of vectors"},
			{Name: "absent", Outcome: contract.Fail, Meaning: "not declared at all", Breaks: "openai-python and openai-node: they return a text in place of vectors"},
			refused(),
		},
		Swap: []contract.SwapRule{{From: "*", To: "json", Effect: contract.Compatible, Why: "clients are written for it"}},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Read[wireCheck].Step("one")
			media, _, _ := mime.ParseMediaType(contentType(s)) // what is no media type is empty; clients do not look at parameters
			f := contract.Found("json", "%q", contentType(s))
			switch {
			case !s.OK():
				return contract.Found("refused", "%s", s.Describe())
			case contentType(s) == "":
				f.Variant = "absent"
			case media != "application/json":
				f.Variant = "other-type"
			}
			return f
		},
	}
}

// goodRequests are the checks whose requests every server should serve, with texts of all lengths and kinds. None of
// them reads a faulty one: it would be asked early, and what kills a server must come late.
func goodRequests() []string {
	return []string{"dimensions/same-for-every-length", "unit_norm/near-limit", edgeCheck, corpusProbe, "batching/long-texts",
		edgesCheck, newlinesCheck, "text/special-token"}
}

func shapeFinite() contract.Check {
	return contract.Check{
		ID: "response_shape/finite-everywhere", Promise: "no vector holds null, NaN or nothing but zeros, whatever text it is of and however it was sent",
		Why: "servers have answered 200 with vectors of null for long texts only, in batches only, after an overflow only", Level: contract.Must,
		Sources: []string{"shape-finite", "shape-nonzero", "https://github.com/jundot/omlx/issues/3507"},
		Reads:   goodRequests(), ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "finite", Outcome: contract.Pass, Meaning: "every vector is of finite numbers, and not of zeros"},
			{Name: "some-not-numbers", Outcome: contract.Fail, Meaning: "some vectors are no flat list of numbers", Breaks: "openai-go reads null as 0 and goes on; others raise, for some texts only"},
			{Name: "some-zero", Outcome: contract.Fail, Meaning: "some vectors are of zeros", Breaks: "cosine is undefined: such texts are found by chance, or the index refuses them"},
			{Name: "none-seen", Outcome: contract.Differs, Meaning: "there was no vector to look at", Breaks: "nobody by this: the checks of plain requests say why nothing was served"},
		},
		Swap: []contract.SwapRule{{From: "*", To: "finite", Effect: contract.Compatible, Why: "no client can use what was there before"}},
		Classify: func(e contract.Evidence) contract.Finding {
			n := 0
			for _, id := range goodRequests() {
				for _, s := range e.Read[id].Steps {
					r, _ := s.Response() // not served, or no JSON: the check itself says so
					for i, it := range r.Items {
						switch f := flatness(it); f {
						case "flat":
							n++
						case "string":
						case "all-zero":
							return contract.Found("some-zero", "%s (%s) data[%d]: %s", id, s.Name, i, s.Describe())
						default:
							return contract.Found("some-not-numbers", "%s (%s) data[%d]: %s", id, s.Name, i, s.Describe())
						}
					}
				}
			}
			f := contract.Found("finite", "%d vectors", n).With("vectors", float64(n))
			if n == 0 {
				f.Variant = "none-seen"
			}
			return f
		},
	}
}

func shapeModel() contract.Check {
	const unknown = "status_codes/unknown-model"
	return contract.Check{
		ID: "response_shape/model-field", Promise: "model names what served the request",
		Why: "it is the only trace in an answer of which model made a vector", Level: contract.May, Extended: true,
		Sources: []string{"shape-model-field", openAIResponse + ".model"},
		Reads:   []string{unknown},
		Variants: []contract.Variant{
			{Name: "as-asked", Outcome: contract.Pass, Meaning: "the name that was asked for"},
			{Name: "other-name", Outcome: contract.Differs, Meaning: "another name of it: an alias that was resolved, a path of files", Breaks: "clients that compare it with what they asked for"},
			{Name: "echoed", Outcome: contract.Differs, Meaning: "whatever name was asked for, even one that nobody serves", Breaks: "whoever trusts it to notice that another model answered"},
			{Name: "absent", Outcome: contract.Fail, Meaning: "there is none, or it is no text", Breaks: "typed clients"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "other-name", To: "as-asked", Effect: contract.Compatible, Why: "it is what clients ask for"},
			{From: "echoed", To: "as-asked", Effect: contract.Compatible, Why: "clients see the same"},
			{From: "as-asked", To: "echoed", Effect: contract.Compatible, Why: "clients see the same; see status_codes/unknown-model"},
			{From: "absent", To: "as-asked", Effect: contract.Compatible, Why: "clients are written for the schema"},
		},
		Probe: askText("asked", contract.Body{"input": shapeText}),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			if !s.OK() {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			r, err := s.Response()
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("as-asked", "%q for %q", r.Model, modelAsked(s)).From(s.Name)
			nobody := e.Read[unknown].Step("asked")
			other, _ := nobody.Response()
			switch {
			case r.Model == "":
				f.Variant = "absent"
			case r.Model != modelAsked(s):
				f.Variant = "other-name"
			case other.Model == modelAsked(nobody):
				f.Variant, f.Observed = "echoed", f.Observed+fmt.Sprintf(", and %q for %q", other.Model, modelAsked(nobody))
			}
			return f
		},
	}
}

// modelAsked is the model that stands in a request.
func modelAsked(s contract.Step) string {
	var asked struct {
		Model string `json:"model"`
	}
	_ = json.Unmarshal(s.Request.Body, &asked) // the suite has made it
	return asked.Model
}

func shapeUsage() contract.Check {
	return contract.Check{
		ID: "response_shape/extra-usage-fields", Promise: "usage holds prompt_tokens and total_tokens, and nothing else",
		Why: "clients that add up whatever stands in usage fail on null or count twice", Level: contract.May, Extended: true,
		Sources: []string{"shape-extra-usage-fields", openAIResponse + ".usage"},
		Reads:   []string{wireCheck},
		Variants: []contract.Variant{
			{Name: "two-fields", Outcome: contract.Pass, Meaning: "the two of the schema"},
			{Name: "more-fields", Outcome: contract.Differs, Meaning: "more fields than the schema has", Breaks: "strict clients, and those that add up what is there"},
			{Name: "fewer-fields", Outcome: contract.Differs, Meaning: "one of the two or both are missing; see " + wireCheck, Breaks: "typed clients"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "two-fields", To: "more-fields", Effect: contract.Compatible, Why: "lenient clients pass over them, as all widespread ones are"},
			{From: "more-fields", To: "two-fields", Effect: contract.Compatible, Why: "the schema promises no others"},
			{From: "fewer-fields", To: "*", Effect: contract.Compatible, Why: "clients are written for the schema"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Read[wireCheck].Step("one")
			if !s.OK() {
				return contract.Found("refused", "%s", s.Describe())
			}
			var body struct {
				Usage map[string]json.RawMessage `json:"usage"`
			}
			_ = json.Unmarshal(s.Body, &body) // what is no JSON has no usage
			fields := slices.Sorted(maps.Keys(body.Usage))
			f := contract.Found("two-fields", "%s", strings.Join(fields, ", "))
			switch {
			case body.Usage["prompt_tokens"] == nil || body.Usage["total_tokens"] == nil:
				f.Variant = "fewer-fields"
			case len(fields) > 2:
				f.Variant = "more-fields"
			}
			return f
		},
	}
}
