package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

// oddInputs are answers to inputs that are ids, empty, or none.
func oddInputs() []odd {
	const ids, nested, list = "input_forms/token-ids", "input_forms/nested-ids", "input_forms/empty-in-batch"
	const marked = "input_forms/add-special-tokens"
	const honoured = "request: {add_special_tokens: honoured}\n"
	const embedded = "input: {empty_string: embedded}"
	return []odd{
		{check: "input_forms/negative-id", want: "other", what: "it is no answer", steps: "asked", change: page},
		{check: "input_forms/negative-id", want: "other", what: "the vector is of zeros", steps: "asked", change: withVector(make([]float32, 264))},
		{check: "input_forms/negative-id", want: "served", what: "the vector ends in zeros", steps: "asked", change: withVector(axis(make([]float32, 264)))},
		{check: "input_forms/number-input", want: "other", what: "it is no answer", steps: "asked", change: page},
		{check: "input_forms/number-input", want: "other", what: "a status above all", steps: "asked", change: refusedWith(600)},
		{check: "input_forms/number-input", want: "no-data", what: "there are no items", steps: "asked", change: data()},

		{check: ids, want: "one-vector", what: "a count that is none, of a server that does not count tokens", with: "usage: {count: characters}", steps: "ids", change: counting(50)},
		{check: ids, want: "one-vector", what: "nothing is counted", steps: "ids", change: counting(-1)},
		{check: ids, want: "other-tokens", what: "fewer tokens than ids", steps: "ids", change: counting(1)},
		{check: ids, want: "other-tokens", what: "many more tokens than ids", steps: "ids", change: counting(50)},

		{check: nested, want: "one-each", what: "the second vector is shorter, which others look at", steps: "nested", change: vector(1, halved)},
		{check: nested, want: "other", what: "the second vector is of zeros", steps: "nested", change: vector(1, zeroed)},
		{check: nested, want: "one-each", what: "the list alone is refused", of: ids, steps: "ids", change: refusedWith(400)},
		{check: nested, want: "other", what: "the list alone is of zeros", of: ids, steps: "ids", change: all(zeroed)},
		{check: nested, want: "other-vector", what: "the list alone is shorter", of: ids, steps: "ids", change: all(halved)},

		{check: list, want: "failed-5xx", what: "the list fails, and the empty text alone does not", with: embedded, steps: "asked", change: refusedWith(500)},
		{check: list, want: "other", what: "the list is sent elsewhere", with: embedded, steps: "asked", change: refusedWith(302)},
		{check: list, want: "embedded-alone-only", what: "the list is refused", with: embedded, steps: "asked", change: refusedWith(400)},
		{check: list, want: "other", what: "it is no answer", with: embedded, steps: "asked", change: page},
		{check: list, want: "other", what: "two items have one index", with: embedded, steps: "asked", change: indexed("0", "1")},
		{check: list, want: "other", what: "the text alone is refused", with: embedded, of: "response_shape/string-equals-array", steps: "string", change: refusedWith(400)},
		{check: list, want: "other", what: "the text is shorter than alone", with: embedded, steps: "asked", change: vector(0, halved)},

		{check: marked, want: "honoured", what: "nothing is counted", with: honoured + "usage: {count: absent}", steps: "field", change: asItWas},
		{check: marked, want: "other", what: "as many tokens with the field", with: honoured, steps: "field", change: counting(50)},
	}
}

// oddInstructions are answers to what asks for a query or a document.
func oddInstructions() []odd {
	const query, cohere = "instructions/input-type-query", "instructions/cohere-route"
	float := func(list string) func(*contract.Step) { return answered(200, `{"embeddings":{"float":`+list+`}}`) }
	return []odd{
		{check: "instructions/instruction-field", want: "takes-effect", what: "the query is refused", of: query, steps: "field", change: refusedWith(400)},
		{check: "instructions/instruction-field", want: "takes-effect", what: "the query is shorter", of: query, steps: "field", change: all(halved)},
		{check: "instructions/instruction-field", want: "ignored", what: "the query is ignored, too", with: "instruction: {input_type: ignored, instruction: ignored}", steps: "field", change: asItWas},
		{check: "instructions/instruction-field", want: "default-instruction", what: "nothing is counted", with: "instruction: {instruction: as-query}\nusage: {count: zero}", steps: "field", change: asItWas},
		{check: cohere, want: "absent", what: "405", steps: "asked", change: refusedWith(405)},
		{check: cohere, want: "other", what: "it is sent elsewhere", steps: "asked", change: refusedWith(302)},
		{check: cohere, want: "served", what: "a vector", steps: "asked", change: float("[[1,2]]")},
		{check: cohere, want: "other", what: "a vector with a text in it", steps: "asked", change: float(`[[1,"2"]]`)},
		{check: cohere, want: "other", what: "no vectors", steps: "asked", change: float("[]")},
		{check: cohere, want: "other", what: "a vector of nothing", steps: "asked", change: float("[[]]")},
		{check: cohere, want: "other", what: "two vectors", steps: "asked", change: float("[[1],[2]]")},
		{check: "instructions/same-query", want: "not-served", what: "no queries were asked", ofReference: true, steps: "query:", change: renamed},
		{check: "instructions/prefixed-query", want: "other-vector", what: "the reference has another prefix, and is too unsteady to tell", with: `instruction: {query_prefix: "query: "}`,
			ofReference: true, of: "vector_parity/repeat", steps: "first:", change: page},
	}
}

// oddRefusals are refusals with a status that is none, and plain answers after a faulty request.
func oddRefusals() []odd {
	const key = "a-key-of-this-table"
	const needed = "request: {api_key: " + key + "}"
	const survives, first = "status_codes/survives", "status_codes/missing-model"
	// unlike changes the answers after one check otherwise than those after all others.
	unlike := func(change, others func(*contract.Step)) func(*contract.Step) {
		return func(s *contract.Step) {
			if s.Check == first {
				change(s)
			} else {
				others(s)
			}
		}
	}
	zeros := func(n int) func(*contract.Step) { return withVector(make([]float32, n)) }
	return []odd{
		{check: "auth/missing-key", want: "other", what: "it is sent elsewhere", with: needed, key: key, steps: "asked", change: refusedWith(302)},
		{check: "auth/health-is-open", want: "closed", what: "403", with: needed, key: key, steps: "health", change: refusedWith(403)},
		{check: survives, want: "survives", what: "no plain request gets an answer", of: everywhere, steps: contract.StillAlive, change: page},
		{check: survives, want: "other-vector", what: "one gets no answer", of: everywhere, steps: contract.StillAlive, change: unlike(page, asItWas)},
		{check: survives, want: "other-vector", what: "all but one get no answer", of: everywhere, steps: contract.StillAlive, change: unlike(asItWas, page)},
		{check: survives, want: "survives", what: "all are zeros", of: everywhere, steps: contract.StillAlive, change: zeros(264)},
		{check: survives, want: "other-vector", what: "all are zeros, one of them longer", of: everywhere, steps: contract.StillAlive, change: unlike(zeros(265), zeros(264))},
		{check: survives, want: "other-vector", what: "one is of zeros", of: everywhere, steps: contract.StillAlive, change: unlike(zeros(264), asItWas)},
		{check: survives, want: "other-vector", what: "all but one are of zeros", of: everywhere, steps: contract.StillAlive, change: unlike(asItWas, zeros(264))},
		{check: survives, want: "other-vector", what: "one is shorter", of: everywhere, steps: contract.StillAlive, change: unlike(all(halved), asItWas)},
	}
}
