package kill_test

// answerMutants give good answers that are wrong in places where few look.
func answerMutants() []mutant {
	return []mutant{
		{name: "answers are not declared", with: "reply: {content_type: none}", shows: "response_shape/content-type=absent", also: []coupling{
			{"the schema wants the type declared", "response_shape/wire-schema=violates-schema"},
		}},
		{name: "null among the numbers of long texts", with: "vectors: {form: with-null, form_of: of-long-texts}", shows: "response_shape/finite-everywhere=some-not-numbers", also: []coupling{
			{"texts of half the limit and more are long", `
				batching/long-texts=other encoding_format/base64-batch=other-vectors encoding_format/base64-bytes=other-values
				encoding_format/node-sdk-default=reads-garbage truncation/end-counts=other
				truncation/reference-limit=not-served truncation/truncate-prompt-tokens=other
				unit_norm/near-limit=other`},
		}},
		{name: "zeros for long texts", with: "vectors: {form: zeros, form_of: of-long-texts}", shows: "response_shape/finite-everywhere=some-zero", also: []coupling{
			{"texts of half the limit and more are long", `
				batching/long-texts=other truncation/end-counts=other truncation/reference-limit=incomparable
				truncation/truncate-prompt-tokens=other unit_norm/near-limit=not-unit`},
		}},
		{name: "a path for the model", with: "reply: {model: path}", shows: "response_shape/model-field=other-name"},
		{name: "any model served, and named as asked", with: "reply: {model: echoed}\nrequest: {unknown_model: accepted}", shows: "instructions/model-suffix=as-plain response_shape/model-field=echoed", also: []coupling{
			{"any name of a model is served", "status_codes/unknown-model=served"},
		}},
		{name: "usage has more fields", with: "usage: {details: true}", shows: "response_shape/extra-usage-fields=more-fields"},
	}
}
