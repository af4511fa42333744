package kill_test

// errorMutants refuse what the base refuses, and say so otherwise.
func errorMutants() []mutant {
	return []mutant{
		{name: "codes are numbers", with: "faults: {default: {code: status}}", shows: "status_codes/code-type=number"},
		{name: "one code is a number", with: "faults: {over-long: {code: 17}}", shows: "status_codes/code-type=mixed"},
		{name: "types of its own", with: "faults: {default: {type: BadRequestError}}", shows: "status_codes/type-vocabulary=own-words"},
		{name: "one type of its own", with: "faults: {over-long: {type: too_long}}", shows: "status_codes/type-vocabulary=mixed"},
		{name: "param is something else", with: "faults: {default: {param: body.9}}", shows: "status_codes/param-filled=names-other"},
		{name: "param is null", with: `faults: {default: {param: ""}}`, shows: "status_codes/param-filled=null-or-absent"},
		{name: "param is null for sizes", with: `faults: {dimensions-zero: {param: ""}}`, shows: "status_codes/param-filled=mixed"},
		{name: "none of the faults that have a param is refused", with: "dimensions: {zero: ignored}\nencoding: {unknown: float}\ninput: {wrong_type: as-string}",
			shows: "status_codes/param-filled=no-refusals", also: []coupling{{"each is what makes nothing be refused", `
				dimensions/zero=native-length encoding_format/invalid=as-float input_forms/null-input=served
				input_forms/number-input=served input_forms/object-input=served`}}},
		{name: "the limit is named, the size is not", with: `faults: {over-long: {message: "at most {limit} tokens"}}`, shows: "status_codes/message-actionable=names-limit"},
		{name: "the size is named, the limit is not", with: `faults: {over-long: {message: "{tokens} tokens are too many"}}`, shows: "status_codes/message-actionable=names-size"},
		{name: "neither is named", with: "faults: {over-long: {message: too long}}", shows: "status_codes/message-actionable=names-neither"},
		{name: "a stack in an error", with: `faults: {null-input: {message: 'Traceback (most recent call last): File "/srv/server.py", line 3'}}`, shows: "status_codes/no-leak=inside-shown"},
		{name: "a path in an error", with: `faults: {null-input: {message: "/usr/lib/python3.12/site-packages/server.py"}}`, shows: "status_codes/no-leak=inside-shown"},
		{name: "somebody's text in an error", with: `faults: {null-input: {message: "cannot embed: A short sentence about rivers."}}`, shows: "status_codes/no-leak=others-text"},
		{name: "errors are declared as text", with: "faults: {default: {content_type: text/plain}}", shows: "status_codes/error-content-type=none-json"},
		{name: "one error is declared as text", with: "faults: {over-long: {content_type: text/plain}}", shows: "status_codes/error-content-type=some-other"},
	}
}
