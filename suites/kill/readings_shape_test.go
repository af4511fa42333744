package kill_test

import (
	"fmt"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// declaredAs sends an answer under another content type.
func declaredAs(contentType string) func(*contract.Step) {
	return func(s *contract.Step) { s.Header = map[string][]string{"Content-Type": {contentType}} }
}

func shapeReadings() []reading {
	const wire = "response_shape/wire-schema"
	return []reading{
		{check: wire, want: "violates-schema", what: "three fields are missing", made: []alteration{{step: "one", do: answered(200, `{"object":"list"}`)}}, hides: " more"},
		{check: wire, want: "violates-schema", what: "four fields are missing", made: []alteration{{step: "one", do: answered(200, `{}`)}}, says: "; and 1 more"},
		{check: "response_shape/content-type", want: "json", what: "a charset without a value", made: []alteration{
			{of: wire, step: "one", do: declaredAs("application/json; charset")}}},
		{check: "response_shape/model-field", want: "as-asked", what: "any model is served, under the name of the one that there is", with: "request: {unknown_model: accepted}"},
		{check: "response_shape/extra-usage-fields", want: "fewer-fields", what: "a total and nothing else", made: []alteration{
			{of: wire, step: "one", do: edited(`"prompt_tokens":7,`, ``)}}},
		{check: "response_shape/extra-usage-fields", want: "more-fields", what: "one field more", made: []alteration{
			{of: wire, step: "one", do: edited(`"total_tokens":7`, `"total_tokens":7,"cost":1`)}}},
		{check: "response_shape/one-item-per-input", want: "array-refused", what: "lists of more than one text are refused", made: []alteration{
			{step: "inputs-2", do: refusedWith(400)}, {step: "inputs-17", do: refusedWith(400)}}},
		{check: "response_shape/flat-vector", want: "all-zero", what: "the third vector is of zeros", made: []alteration{
			{step: "odd-texts", do: vector(2, zeroed)}}},
		{check: "response_shape/string-equals-array", want: contract.Other, what: "a list gets no vector", made: []alteration{{step: "array", do: noVector}}},
		{check: "response_shape/string-equals-array", want: contract.Other, what: "a single text gets no vector", made: []alteration{{step: "string", do: noVector}}},
		{check: "response_shape/string-equals-array", want: "differs", what: "a list has other tokens", made: []alteration{{step: "array", do: counting(9)}}},
		{check: "response_shape/finite-everywhere", want: "some-zero", what: "zeros in one batch", made: []alteration{
			{of: "vector_parity/repeat", step: "second:1", do: vector(3, zeroed)}}},
	}
}

func serviceReadings() []reading {
	const document = "routes: {document: right}"
	limits := func(kinds ...string) func(*contract.Step) {
		return func(s *contract.Step) {
			s.Header = map[string][]string{}
			for _, k := range kinds {
				s.Header["X-Ratelimit-"+k] = []string{"5"}
			}
		}
	}
	slow := func(s *contract.Step) { s.Took = 2 * longPatience }
	return []reading{
		{check: "service/models", want: "closed", what: "401", made: []alteration{{step: "list", do: refusedAs(401, "no key")}}},
		{check: "service/model-by-name", want: "other-name", what: "a page", made: []alteration{{step: "model", do: page}}},
		{check: "service/models-are-served", want: "some-refused", what: "the model that is served is refused by its name", made: []alteration{{step: "name:0", do: refusedWith(400)}}},
		{check: "service/models-are-served", want: "some-refused", what: "another model's name fails", made: []alteration{{step: "name:0", do: func(s *contract.Step) {
			refusedAs(500, "no")(s)
			s.Request.Body = []byte(`{"input":"a","model":"another"}`)
		}}}},
		{check: "service/own-document", want: "unreadable", what: "a document in an answer of 500", with: document, made: []alteration{
			{step: "document", do: func(s *contract.Step) { s.Status = 500 }}}},
		{check: "service/own-document", want: "does-so", what: "a list of two is refused", with: document, made: []alteration{
			{of: "response_shape/wire-schema", step: "two", do: refusedWith(400)}}},
		{check: "service/own-document", want: "unreadable", what: "a schema of a 200 that is none", with: document, made: []alteration{
			{step: "document", do: answered(200, schemaOf(`{"type":"no-such-type"}`))}}},
		{check: "service/own-document", want: "does-so", what: "a request without an answer", with: document, made: []alteration{
			{of: "input_forms/null-input", step: "asked", do: func(s *contract.Step) { answered(0, "")(s); s.Fault = contract.FaultClosed }}}},
		{check: "service/own-document", want: "undeclared-status", what: "two checks saw it", with: "routes: {document: right, document_statuses: [200, 400]}", made: []alteration{
			{of: "input_forms/null-input", step: "asked", do: refusedAs(404, "no")}}, says: "404 (input_forms/null-input)"},
		{check: "service/rate-limit-headers", want: "partial", what: "requests in part, tokens whole", made: []alteration{
			{do: limits("Limit-Requests", "Remaining-Tokens", "Limit-Tokens", "Reset-Tokens")}}},
		{check: "service/rate-limit-headers", want: "partial", what: "nothing remains to be read", made: []alteration{{do: limits("Limit-Tokens", "Reset-Tokens")}}},
		{check: "service/rate-limit-headers", want: "partial", what: "no limit", made: []alteration{{do: limits("Remaining-Tokens", "Reset-Tokens")}}},
		{check: "service/rate-limit-headers", want: "partial", what: "no reset", made: []alteration{{do: limits("Remaining-Tokens", "Limit-Tokens")}}},
		{check: "service/batch-in-time", want: "slower", what: "no answer in the client's time", made: []alteration{
			{step: "batch", do: func(s *contract.Step) { answered(0, "")(s); s.Fault = contract.FaultTimeout }}}},
		{check: "service/batch-in-time", want: "refused", what: "an error after two minutes", made: []alteration{{step: "batch", do: refusedWith(400)}, {step: "batch", do: slow}}},
		{check: "service/batch-in-time", want: contract.Other, what: "the connection is closed", made: []alteration{{step: "batch", do: func(s *contract.Step) { answered(0, "")(s); cutOff(s) }}}},
	}
}

// longPatience is the longest time limit of the clients that service/batch-in-time names.
const longPatience = 60_000_000_000

// schemaOf is an OpenAPI document with the embeddings route, whose 200 has that schema.
func schemaOf(schema string) string {
	return strings.ReplaceAll(fmt.Sprintf(`{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{"/v1/embeddings":{"post":{"responses":{
		"200":{"description":"x","content":{"application/json":{"schema":%s}}},"4XX":{"description":"x"}}}}}}`, schema), "\n", "")
}
