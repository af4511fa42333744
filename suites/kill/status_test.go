package kill_test

func statusMutants() []mutant {
	return []mutant{
		{name: "any model served", with: "request: {unknown_model: accepted}", shows: "status_codes/unknown-model=served"},
		{name: "model optional", with: "request: {missing_model: accepted}", shows: "status_codes/missing-model=served"},
		{name: "no input, no data", with: "input: {missing: empty-data}", shows: "status_codes/missing-input=served"},
		{name: "JSON repaired", with: "request: {malformed_json: repaired}\ninput: {wrong_type: as-string}", shows: "status_codes/malformed-json=served"},
		{name: "any content type", with: "request: {content_type: accepted}", shows: "status_codes/content-type=served"},
		{name: "flat errors", with: "faults: {default: {shape: flat}}", shows: "status_codes/error-envelope=flat witnesses/go-error=raises-without-reason witnesses/node-error=raises-without-reason"},
		{name: "detail errors", with: "faults: {default: {shape: detail}}", shows: "status_codes/error-envelope=detail", also: []coupling{
			{"openai-go finds no reason in them", "witnesses/go-error=raises-without-reason"},
		}},
		{name: "detail-list errors", with: "faults: {default: {shape: detail-list}}", shows: "status_codes/error-envelope=detail", also: []coupling{
			{"openai-go finds no reason in them", "witnesses/go-error=raises-without-reason"},
		}},
		{name: "text errors", with: "faults: {default: {shape: text}}", shows: "status_codes/error-envelope=not-json", also: []coupling{
			{"openai-go finds no reason in them", "witnesses/go-error=raises-without-reason"},
		}},
		{name: "html errors", with: "faults: {default: {shape: html}}", shows: "status_codes/error-envelope=not-json", also: []coupling{
			{"openai-go finds no reason in them", "witnesses/go-error=raises-without-reason"},
		}},
		{name: "empty errors", with: "faults: {default: {shape: empty}}", shows: "status_codes/error-envelope=not-json witnesses/go-error=raises-without-reason witnesses/python-error=raises-without-reason witnesses/node-error=raises-without-reason"},
		{name: "error strings", with: "faults: {default: {shape: error-string}}", shows: "status_codes/error-envelope=error-string", also: []coupling{
			{"openai-go expects an object", "witnesses/go-error=raises-without-reason"},
		}},
		{name: "one flat error", with: "faults: {over-long: {shape: flat}}", shows: "status_codes/error-envelope=mixed"},
		{name: "nothing refused", with: `
dimensions: {above: clamped, zero: ignored, negative: ignored}
length: {over: cut}
encoding: {explicit_null: as-absent, unknown: float}
input: {empty_string: embedded, empty_array: empty-data, mixed_array: as-strings, missing: empty-data, wrong_type: as-string}
request: {malformed_json: repaired, content_type: accepted, unknown_model: accepted, missing_model: accepted}
`, shows: "status_codes/client-faults-are-4xx=no-refusals status_codes/error-envelope=no-refusals", also: []coupling{
			{"each is what makes nothing be refused", `
				dimensions/above-native=native-length dimensions/negative=native-length dimensions/zero=native-length
				encoding_format/invalid=as-float encoding_format/null=as-float input_forms/empty-array=no-data
				input_forms/empty-string=embedded input_forms/mixed-array=served status_codes/content-type=served
				status_codes/malformed-json=served status_codes/missing-input=served
				status_codes/missing-model=served status_codes/unknown-model=served
				truncation/limit-plus-one=truncated truncation/over-long=truncated witnesses/go-error=no-error`},
		}},
	}
}
