package kill_test

func statusMutants() []mutant {
	return []mutant{
		{name: "any model served", with: "request: {unknown_model: accepted}", shows: "instructions/model-suffix=as-plain status_codes/unknown-model=served"},
		{name: "model optional", with: "request: {missing_model: accepted}", shows: "status_codes/missing-model=served"},
		{name: "no input, no data", with: "input: {missing: empty-data}", shows: "status_codes/missing-input=served", also: []coupling{
			{"it is a 200 without data", "status_codes/no-empty-200=empty-200"},
		}},
		{name: "JSON repaired", with: "request: {malformed_json: repaired}\ninput: {wrong_type: as-string}", shows: "status_codes/malformed-json=served", also: []coupling{
			{"the switch that makes a text of null does so for other values", "input_forms/null-input=served input_forms/number-input=served input_forms/object-input=served"},
		}},
		{name: "any content type", with: "request: {content_type: accepted}", shows: "status_codes/content-type=served"},
		{name: "flat errors", with: "faults: {default: {shape: flat}}", shows: "status_codes/param-filled=null-or-absent status_codes/error-envelope=flat", also: []coupling{
			{"errors of this form have other fields, or none", "status_codes/code-type=number status_codes/type-vocabulary=own-words"},
		}},
		{name: "detail errors", with: "faults: {default: {shape: detail}}", shows: "status_codes/code-type=absent status_codes/param-filled=null-or-absent status_codes/type-vocabulary=absent status_codes/error-envelope=detail"},
		{name: "detail-list errors", with: "faults: {default: {shape: detail-list}}", shows: "status_codes/code-type=absent status_codes/param-filled=null-or-absent status_codes/type-vocabulary=absent status_codes/error-envelope=detail"},
		{name: "text errors", with: "faults: {default: {shape: text}}", shows: "status_codes/code-type=absent status_codes/param-filled=null-or-absent status_codes/type-vocabulary=absent status_codes/error-envelope=not-json", also: []coupling{
			{"errors of this form have other fields, or none", `
				status_codes/error-content-type=none-json status_codes/get-method=not-allowed-405-no-json
				status_codes/wrong-path=not-found-404-no-json`},
		}},
		{name: "html errors", with: "faults: {default: {shape: html}}", shows: "status_codes/code-type=absent status_codes/param-filled=null-or-absent status_codes/type-vocabulary=absent status_codes/error-envelope=not-json", also: []coupling{
			{"errors of this form have other fields, or none", `
				status_codes/error-content-type=none-json status_codes/get-method=not-allowed-405-no-json
				status_codes/wrong-path=not-found-404-no-json`},
		}},
		{name: "empty errors", with: "faults: {default: {shape: empty}}", shows: "status_codes/code-type=absent status_codes/param-filled=null-or-absent status_codes/type-vocabulary=absent status_codes/error-envelope=not-json", also: []coupling{
			{"errors of this form have other fields, or none", `
				status_codes/error-content-type=none-json status_codes/get-method=not-allowed-405-no-json
				status_codes/wrong-path=not-found-404-no-json`},
			{"it reads the answer to a text that is too long", "status_codes/message-actionable=names-neither"},
		}},
		{name: "error strings", with: "faults: {default: {shape: error-string}}", shows: "status_codes/code-type=absent status_codes/param-filled=null-or-absent status_codes/type-vocabulary=absent status_codes/error-envelope=error-string"},
		{name: "one flat error", with: "faults: {over-long: {shape: flat}}", shows: "status_codes/error-envelope=mixed", also: []coupling{
			{"errors of this form have other fields, or none", "status_codes/code-type=mixed status_codes/type-vocabulary=mixed"},
		}},
		{name: "nothing refused", with: `
dimensions: {above: clamped, zero: ignored, negative: ignored}
length: {over: cut}
encoding: {explicit_null: as-absent, unknown: float}
input: {empty_string: embedded, empty_array: empty-data, mixed_array: as-strings, missing: empty-data, wrong_type: as-string, id_out_of_range: wrapped}
request: {malformed_json: repaired, content_type: accepted, unknown_model: accepted, missing_model: accepted, user_type: ignored,
  raw_control: accepted, invalid_utf8: replaced, lone_surrogate: replaced, array_body: first}
routes: {get: page, unknown: embeddings}
`, shows: "status_codes/error-content-type=no-refusals input_forms/empty-in-batch=embedded instructions/model-suffix=as-plain status_codes/code-type=no-refusals status_codes/message-actionable=not-refused status_codes/no-leak=no-refusals status_codes/type-vocabulary=no-refusals status_codes/client-faults-are-4xx=no-refusals status_codes/error-envelope=no-refusals", also: []coupling{
			{"each is what makes nothing be refused, or has nothing to read", `
				input_forms/id-out-of-range=served input_forms/negative-id=served input_forms/null-input=served
				input_forms/number-input=served input_forms/object-input=served input_forms/user-type=ignored
				status_codes/array-body=served status_codes/bounded-size=served status_codes/empty-body=served
				status_codes/param-filled=no-refusals text/invalid-utf8=replaced text/lone-surrogate=replaced
				text/raw-control=read-as-newline`},
			{"it is a 200 without data", "status_codes/no-empty-200=empty-200"},
			{"each is what makes nothing be refused", `
				dimensions/above-native=native-length dimensions/negative=native-length dimensions/zero=native-length
				encoding_format/invalid=as-float encoding_format/null=as-float input_forms/empty-array=no-data
				input_forms/empty-string=embedded input_forms/mixed-array=served status_codes/content-type=served
				status_codes/malformed-json=served status_codes/missing-input=served
				status_codes/missing-model=served status_codes/unknown-model=served
				truncation/limit-plus-one=truncated truncation/over-long=truncated
				status_codes/get-method=served status_codes/wrong-path=served`},
		}},
	}
}
