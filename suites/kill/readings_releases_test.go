package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

// releaseReadings are about what changes between the releases of a server: its own document, and errors that are made before
// a request is understood.
func releaseReadings() []reading {
	const truncate, param = "service/document-truncate", "truncation/truncate-prompt-tokens"
	const named = "routes: {document: right, document_fields: [truncate_prompt_tokens]}"
	const media, reason, zero = "status_codes/content-type-error", "status_codes/message-reason", "truncation/truncate-zero"
	document := func(do func(*contract.Step)) []alteration {
		return []alteration{{of: "service/own-document", step: "document", do: do}}
	}
	asked := func(of string, all ...func(*contract.Step)) (out []alteration) {
		for _, do := range all {
			out = append(out, alteration{of: of, step: "asked", do: do})
		}
		return out
	}
	ofType := func(body string) []alteration {
		return asked("status_codes/content-type", answered(415, body))
	}
	unversioned := func(status int, body string) []alteration {
		return asked("status_codes/without-version", answered(status, body))
	}
	return []reading{
		{check: truncate, want: "no-document", what: "a document in an answer of 500", with: named, made: document(func(s *contract.Step) { s.Status = 500 })},
		{check: truncate, want: "no-document", what: "a page", with: named, made: document(page)},
		{check: truncate, want: "no-document", what: "a document without the route", with: named, made: document(answered(200, `{"openapi":"3.1.0","info":{"title":"x","version":"1"},"paths":{}}`))},
		{check: truncate, want: contract.Other, what: "the text is refused with the field and without", with: named, made: []alteration{
			{of: param, step: "whole", do: refusedWith(400)}, {of: param, step: "asked", do: refusedWith(400)}}},
		{check: truncate, want: contract.Other, what: "with the field there is a page", with: named, made: asked(param, page)},
		{check: truncate, want: "named", what: "it moves the vector just beyond the bar", with: named, made: []alteration{{of: param, step: "asked", as: "whole", do: all(by(justBeyond))}}},
		{check: truncate, want: "without-effect", what: "it moves the vector within the bar", with: named, made: []alteration{{of: param, step: "asked", as: "whole", do: all(by(justWithin))}}},

		{check: media, want: "json", what: "problem details", made: append(ofType(`{"title":"no"}`), asked("status_codes/content-type", declaredAs("application/problem+json"))...)},
		{check: media, want: "not-json", what: "text that is declared as JSON", made: append(ofType("no"), asked("status_codes/content-type", declaredAs("application/json"))...)},
		{check: media, want: "not-json", what: "JSON that is declared as text", made: append(ofType(`{"title":"no"}`), asked("status_codes/content-type", declaredAs("text/plain"))...)},
		{check: "status_codes/too-large-error", want: contract.NoAnswer, what: "no answer in time", made: []alteration{{step: "asked", do: faulty(contract.FaultTimeout)}}},
		{check: "status_codes/without-version", want: contract.Other, what: "a page", made: []alteration{{step: "asked", do: page}}},
		{check: "status_codes/without-version", want: contract.Other, what: "a list of nothing", made: unversioned(200, `[]`)},
		{check: "status_codes/without-version", want: contract.Other, what: "a list without vectors", made: unversioned(200, `[{"index":0,"embedding":[]}]`)},
		{check: "status_codes/without-version", want: contract.Other, what: "a list with a vector of nothing", made: unversioned(200, `[{"index":0,"embedding":[[]]}]`)},
		{check: "status_codes/without-version", want: contract.Other, what: "a list with words for numbers", made: unversioned(200, `[{"index":0,"embedding":[["red"]]}]`)},
		{check: "status_codes/without-version", want: "not-found-404", what: "a 404 that holds vectors", made: unversioned(404, `[{"index":0,"embedding":[[0.6,0.8]]}]`)},
		{check: "status_codes/without-version", want: "own-form", what: "one vector of each token", made: unversioned(200, `[{"index":0,"embedding":[[0.6,0.8],[1,0]]}]`), says: `200, [{"index":0`},

		{check: "lifecycle/first-after-stop", want: "failed-5xx", what: "recorded before it was asked at once", made: []alteration{
			{of: "lifecycle/worker-stops", step: "new:at-once", drop: true}, {of: "lifecycle/worker-stops", step: "new:at-once+10ms", drop: true},
			{of: "lifecycle/worker-stops", step: "new:at-once+30ms", drop: true}, {of: "lifecycle/worker-stops", step: "new:at-once+100ms", drop: true}, {of: "lifecycle/worker-stops", step: "new:700ms", do: refusedWith(500)}}},
		{check: reason, want: "says-why", what: "a server that dies of a fault, which is for others to say", made: []alteration{
			{of: "dimensions/zero", step: contract.StillAlive, do: answered(500, `{"error":"error"}`)}}},
		{check: reason, want: "says-why", what: "an error that was cut off", made: asked("dimensions/zero", answered(400, `{"error":"error"}`), cutOff)},
		{check: reason, want: "says-why", what: "words that are no JSON", made: asked("dimensions/zero", answered(400, "dimensions must be at least 1"))},

		{check: zero, want: contract.Other, what: "zeros", made: []alteration{{step: "asked", do: withVector(make([]float32, 264))}}},
		{check: zero, want: "other-vector", what: "just beyond the bar", made: []alteration{
			{of: param, step: "whole", do: withVector(axis(make([]float32, 264)))}, {step: "asked", do: withVector(turned(axis(make([]float32, 264)), justBeyond))}}},
	}
}
