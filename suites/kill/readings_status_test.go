package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

func statusReadings() []reading {
	const fault = "input_forms/null-input" // one of the faulty requests
	const busy = "the server limits requests"
	echoed := refusedAs(400, "cannot read: A quiet morning with warm bread near the old market hall")
	moved := func(status int) []alteration { return []alteration{{step: "asked", do: answered(status, "")}} }
	return []reading{
		{check: "status_codes/no-leak", want: "clean", what: "an error repeats the text of its own request", made: []alteration{
			{of: "status_codes/duplicate-key", step: "asked", do: echoed}}},
		{check: "status_codes/no-leak", want: "clean", what: "an error repeats a text of a request of which the recipe was kept", made: []alteration{
			{of: fault, step: "asked", do: echoed}, {of: fault, step: "asked", do: func(s *contract.Step) { s.Request.Body = nil }}}},
		{check: "status_codes/error-content-type", want: "json", what: "problem details", made: []alteration{
			{of: fault, step: "asked", do: declaredAs("application/problem+json")}}},
		{check: "status_codes/error-content-type", want: "json", what: "an error that was cut off", made: []alteration{
			{of: "status_codes/get-method", step: "asked", do: declaredAs("text/plain")}, {of: "status_codes/get-method", step: "asked", do: cutOff}}},
		{check: "status_codes/error-content-type", want: "json", what: "as it was", hides: "0 of "},
		{check: "status_codes/error-content-type", want: "some-other", what: "one page", made: []alteration{{of: fault, step: "asked", do: declaredAs("text/html")}},
			says: `input_forms/null-input (asked) "text/html"`},
		{check: "status_codes/duplicate-key", want: contract.Other, what: "the last input alone gets zeros", made: []alteration{{step: "last", do: all(zeroed)}}},
		{check: "status_codes/duplicate-key", want: contract.Other, what: "the vector of neither", made: []alteration{{step: "asked", do: all(axis)}}},
		{check: "status_codes/body-too-large", want: contract.NoAnswer, what: "no answer in time", made: []alteration{
			{step: "asked", do: answered(0, "")}, {step: "asked", do: func(s *contract.Step) { s.Fault = contract.FaultTimeout }}}},
		{check: "status_codes/body-too-large", want: contract.Other, what: "200 with a page", made: []alteration{{step: "asked", do: page}}},
		{check: "status_codes/bounded-size", want: contract.Other, what: "a redirect", made: moved(302)},
		{check: "status_codes/client-faults-are-4xx", want: "all-4xx", what: "a server that dies of a fault, which is for others to say", made: []alteration{
			{of: fault, step: contract.StillAlive, do: refusedAs(500, "gone")}}},
		{check: "status_codes/client-faults-are-4xx", want: "all-4xx", what: "an error that was cut off", made: []alteration{
			{of: fault, step: "asked", do: refusedAs(500, "no")}, {of: fault, step: "asked", do: cutOff}}},
		{check: "status_codes/client-faults-are-4xx", want: "error", what: "one request that is to come back later", made: []alteration{
			{of: fault, step: "asked", do: refusedAs(503, "later")},
			{of: fault, step: "asked", do: func(s *contract.Step) { s.Header = map[string][]string{"Retry-After": {"1"}} }}}},
		{check: "status_codes/survives", want: "error", what: "one plain request that is to come back later, since " + busy, made: []alteration{
			{of: fault, step: contract.StillAlive, do: refusedAs(429, "later")}}},
		{check: "status_codes/get-method", want: "other-4xx", what: "404 and no JSON", made: []alteration{{step: "asked", do: answered(404, "not found")}}},
		{check: "status_codes/get-method", want: contract.Other, what: "a redirect", made: moved(302)},
		{check: "status_codes/get-method", want: contract.Other, what: "a status that nobody registered", made: moved(620)},
		{check: "status_codes/trailing-slash", want: contract.Other, what: "a status that nobody registered", made: moved(620)},
		{check: "status_codes/trailing-slash", want: "redirect", what: "308", made: moved(308)},
		{check: "status_codes/trailing-slash", want: contract.Other, what: "300", made: moved(300)},
		{check: "status_codes/trailing-slash", want: contract.Other, what: "304", made: moved(304)},
		{check: "status_codes/trailing-slash", want: "redirect-to-get", what: "301", made: moved(301)},
		{check: "status_codes/trailing-slash", want: contract.Other, what: "200 with a page", made: []alteration{{step: "asked", do: page}}},
	}
}

// errorReadings are about what stands in errors. The answers to all faulty requests that were refused are changed alike, but
// for those that only one is about.
func errorReadings() []reading {
	const one = "input_forms/null-input"
	alike := func(body string) []alteration {
		return []alteration{{of: everyRead, do: func(s *contract.Step) {
			if s.Status >= 400 {
				answered(s.Status, body)(s)
			}
		}}}
	}
	asked := func(check, body string) []alteration {
		return []alteration{{of: check, step: "asked", do: func(s *contract.Step) { answered(s.Status, body)(s) }}}
	}
	const code = "status_codes/code-type"
	const envelope = "status_codes/error-envelope"
	const vocabulary = "status_codes/type-vocabulary"
	const param = "status_codes/param-filled"
	const message = "status_codes/message-actionable"
	long := func(text string) []alteration {
		return []alteration{{of: "truncation/over-long", step: "over-long", do: refusedAs(400, text)}}
	}
	return []reading{
		{check: envelope, want: contract.Other, what: "error is an object without a message", made: alike(`{"error":{}}`)},
		{check: envelope, want: contract.Other, what: "the message is a number", made: alike(`{"error":{"message":5}}`)},
		{check: envelope, want: contract.Other, what: "error is an empty text", made: alike(`{"error":""}`)},
		{check: envelope, want: contract.Other, what: "an object of something else", made: alike(`{"x":1}`)},
		{check: code, want: contract.Other, what: "one code is a truth value", made: asked(one, `{"error":{"message":"no","code":true}}`)},
		{check: code, want: "number", what: "a code beside an error that is a text", made: alike(`{"error":"no","code":17}`)},
		{check: vocabulary, want: "openai", what: "another type of a status that is not 400", made: asked("status_codes/unknown-model", `{"error":{"message":"no","type":"nobody"}}`)},
		{check: vocabulary, want: "absent", what: "types are numbers", made: alike(`{"error":{"message":"no","type":5}}`)},
		{check: vocabulary, want: "absent", what: "types are empty", made: alike(`{"error":{"message":"no","type":""}}`)},
		{check: param, want: "names-field", what: "a server that dies of a fault, which is for others to say", made: []alteration{
			{of: "dimensions/zero", step: contract.StillAlive, do: refusedAs(500, "gone")}}},
		{check: param, want: "names-field", what: "an error that was cut off", made: []alteration{
			{of: "dimensions/zero", step: "asked", do: refusedAs(400, "no")}, {of: "dimensions/zero", step: "asked", do: cutOff}}},
		{check: message, want: "names-both", what: "the size is named first", made: long("264 tokens are more than 192")},
		{check: message, want: "names-limit", what: "a number that is no size stands beside the limit", made: long("request 1790000000: at most 192 tokens")},
		{check: message, want: "names-limit", what: "a number that no machine counts with stands beside the limit", made: long("request 17900000000000000000000000: at most 192 tokens")},
		{check: message, want: "names-limit", what: "the status stands beside the limit", made: long("Error 400: at most 192 tokens")},
	}
}
