package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

// releaseMutants are for what releases of one server have been seen to differ in: odd values, the form and the words of
// errors, the fields that a document names, and the moment after a worker has gone.
func releaseMutants() []mutant {
	out := []mutant{
		{name: "truncate_prompt_tokens below 1 cuts to one token", with: "length: {truncate_odd: as-one}",
			shows: "truncation/truncate-zero=other-vector truncation/truncate-negative=other-vector"},
		{name: "truncate_prompt_tokens ignored, whatever it is", with: "length: {truncate_prompt_tokens: ignored}",
			shows: "truncation/truncate-zero=served truncation/truncate-negative=served", also: []coupling{
				{cutFields, "truncation/truncate-prompt-tokens=ignored"}}},
	}
	for _, r := range []refusal{
		{check: "truncation/truncate-zero", class: "truncate-value", too: "truncation/truncate-negative", alone: true},
		{check: "truncation/truncate-negative", class: "truncate-negative", alone: true},
	} {
		out = append(out, r.mutants()...)
	}
	out = append(out, formMutants()...)
	out = append(out, reasonMutants()...)
	out = append(out, documentMutants()...)
	return append(out, firstMutants()...)
}

// formMutants make errors of another form before they look at what a request says.
func formMutants() []mutant {
	const body, media, slash, large = "status_codes/unreadable-body-error=", "status_codes/content-type-error=", "status_codes/trailing-slash-error=", "status_codes/too-large-error="
	profile := coupling{"the form of all errors is read from these, too", "status_codes/error-envelope=mixed status_codes/error-profile=none"}
	fields := coupling{"there is no code in them", "status_codes/code-type=mixed"}
	undeclared := coupling{"so are all errors", "status_codes/error-content-type=some-other"}
	return []mutant{
		{name: "text for what is no JSON", with: "faults: {malformed-json: {shape: text}}", shows: body + "not-json", also: []coupling{profile, fields, undeclared}},
		{name: "HTML for what is no JSON", with: "faults: {malformed-json: {shape: html}}", shows: body + "not-json", also: []coupling{profile, fields, undeclared}},
		{name: "an undeclared error for what is no JSON", with: "faults: {malformed-json: {content_type: none}}", shows: body + "not-json", also: []coupling{undeclared,
			{"the profile is read from the same errors", "status_codes/error-profile=none"}}},
		{name: "an empty error for what is no JSON", with: "faults: {malformed-json: {shape: empty}}", shows: body + "empty", also: []coupling{profile, fields, undeclared}},
		{name: "text for no body at all", with: "faults: {empty-body: {shape: text}}", shows: body + "mixed", also: []coupling{profile, fields, undeclared}},
		{name: "what is no JSON is served, and so is nothing", with: "request: {malformed_json: repaired, missing_model: accepted}\ninput: {missing: empty-data, wrong_type: as-string}",
			shows: body + "no-refusals", also: []coupling{{"each is what makes it be served", `
				status_codes/malformed-json=served status_codes/empty-body=served status_codes/missing-model=served status_codes/missing-input=served
				status_codes/no-empty-200=empty-200 input_forms/null-input=served input_forms/number-input=served input_forms/object-input=served`}}},

		{name: "text for another content type", with: "faults: {content-type: {shape: text}}", shows: media + "not-json", also: []coupling{profile, fields, undeclared}},
		{name: "nothing for another content type", with: "faults: {content-type: {shape: empty}}", shows: media + "empty", also: []coupling{profile, fields, undeclared}},
		{name: "any content type is served", with: "request: {content_type: accepted}", shows: media + "no-refusals status_codes/content-type=served"},

		{name: "text for a large body", with: "faults: {body-too-large: {shape: text}}", shows: large + "not-json"},
		{name: "nothing for a large body", with: "faults: {body-too-large: {shape: empty}}", shows: large + "empty"},
		{name: "closes on a large body", with: "request: {unread_body: closes}", shows: large + "closed status_codes/body-too-large=closed"},
		{name: "closes on a far larger body only", with: "request: {max_body_mb: 45, unread_body: closes}", only: "status_codes/too-large-error"},
		{name: "45 MB read", with: "request: {max_body_mb: 50}", shows: large + "no-refusals"},

		{name: "text for a slash too many", with: "faults: {trailing-slash: {shape: text}}", shows: slash + "not-json"},
		{name: "nothing for a slash too many", with: "faults: {trailing-slash: {shape: empty}}", shows: slash + "empty"},
		{name: "a slash too many is served", with: "routes: {trailing_slash: served}", shows: slash + "no-refusals status_codes/trailing-slash=served"},
		{name: "a slash too many is redirected", with: "routes: {trailing_slash: redirect}", shows: slash + "no-refusals status_codes/trailing-slash=redirect"},

		{name: "served without /v1", with: "routes: {unversioned: served}", shows: "status_codes/without-version=served"},
		{name: "served in a form of its own without /v1", with: "routes: {unversioned: own-form}", shows: "status_codes/without-version=own-form"},
		{name: "an empty 404 without /v1", with: "faults: {unversioned: {shape: empty}}", shows: "status_codes/without-version=not-found-404-no-json"},
		{name: "400 without /v1", with: "faults: {unversioned: {status: 400}}", shows: "status_codes/without-version=other-4xx"},
		{name: "500 without /v1", with: "faults: {unversioned: {status: 500}}", shows: "status_codes/without-version=failed-5xx"},
	}
}

// reasonMutants say less of what is wrong, or something else.
func reasonMutants() []mutant {
	const reason = "status_codes/message-reason="
	neither := coupling{"it reads the answer to a text that is too long", "status_codes/message-actionable=names-neither"}
	return []mutant{
		{name: "bare errors", with: "faults: {dimensions-zero: {message: Invalid request, param: ''}}", shows: reason + "some-bare"},
		{name: "bare 500 for a text that is too long", with: "faults: {over-long: {status: 500, message: Internal server error, param: ''}}", shows: reason + "some-bare", also: []coupling{neither,
			{"the status is another", `
				truncation/over-long=failed-5xx truncation/limit-plus-one=failed-5xx truncation/silent-cut=failed-5xx truncation/token-ids=failed-5xx
				truncation/batch-one-bad=failed-5xx status_codes/client-faults-are-4xx=some-5xx`}}},
		{name: "errors of the inside", with: "faults: {dimensions-zero: {message: Failed to fold embeddings stream, param: ''}}", shows: reason + "some-beside"},
		{name: "errors of the inside beside bare ones", with: "faults: {dimensions-zero: {message: Invalid request, param: ''}, dimensions-above: {message: Failed to fold embeddings stream, param: ''}}", shows: reason + "some-beside"},
		{name: "errors that are told by their field alone", with: `faults: {dimensions: {message: Invalid request, param: dimensions}}`, only: "status_codes/message-reason"},
		{name: "nothing of what is plainly wrong is refused", with: `
dimensions: {above: clamped, zero: ignored}
length: {over: cut}
encoding: {unknown: float}
input: {empty_array: empty-data, nested_empty: empty-data, missing: empty-data, wrong_type: as-string, id_out_of_range: wrapped}
request: {unknown_model: accepted}
`, shows: reason + "no-refusals", also: []coupling{
			{"each is what makes nothing be refused", `
				dimensions/above-native=native-length dimensions/zero=native-length encoding_format/invalid=as-float input_forms/empty-array=no-data
				input_forms/null-input=served input_forms/number-input=served input_forms/object-input=served instructions/model-suffix=as-plain
				input_forms/nested-empty=no-data input_forms/negative-id=served input_forms/id-out-of-range=served
				status_codes/missing-input=served status_codes/no-empty-200=empty-200 status_codes/unknown-model=served
				truncation/over-long=truncated truncation/limit-plus-one=truncated truncation/silent-cut=told-by-usage truncation/batch-one-bad=as-alone
				unit_norm/over-limit=unit witnesses/go-error=no-error`},
			{"there is no refusal of a text that is known to be too long", "status_codes/message-actionable=not-refused"}}},
	}
}

// documentMutants publish documents that name other fields than take effect.
func documentMutants() []mutant {
	const cut, markers = "service/document-truncate=", "service/document-special-tokens="
	document := func(names string) string { return "routes: {document: right, document_fields: [" + names + "]}\n" }
	const honoured, ignored = "request: {add_special_tokens: honoured}\n", "request: {add_special_tokens: ignored}\n"
	published := coupling{"there is a document", "service/own-document=does-so"}
	also := func(v string) []coupling {
		return []coupling{published, {"it is what takes effect, or does not", "input_forms/add-special-tokens=" + v}}
	}
	ignoring := []coupling{published, {"it takes no effect", "truncation/truncate-prompt-tokens=ignored"}}
	return []mutant{
		{name: "names both fields", with: document("input, truncate_prompt_tokens, add_special_tokens") + honoured, shows: cut + "named " + markers + "named", also: also("honoured")},
		{name: "names the field that takes effect only", with: document("input, truncate_prompt_tokens") + ignored, shows: cut + "named " + markers + "not-offered", also: also("without-effect")},
		{name: "names the field that is refused", with: document("input, add_special_tokens"), shows: cut + "unnamed " + markers + "without-effect", also: []coupling{published}},
		{name: "names the field that takes no effect", with: document("add_special_tokens") + ignored, shows: markers + "without-effect", also: also("without-effect")},
		{name: "does not name what takes effect", with: document("input") + honoured, shows: markers + "unnamed", also: also("honoured")},
		{name: "names a field that is ignored", with: document("truncate_prompt_tokens") + "length: {truncate_prompt_tokens: ignored}", shows: cut + "without-effect", also: ignoring},
		{name: "names no field that is ignored", with: document("input") + "length: {truncate_prompt_tokens: ignored}", shows: cut + "not-offered", also: ignoring},
		{name: "says nothing of a request", with: "routes: {document: right}", shows: cut + "no-request " + markers + "no-request", also: []coupling{published}},
		{name: "has a document without the route", with: "routes: {document: no-route}", only: "service/document-truncate"},
		{name: "has a document of YAML", with: "routes: {document: no-json}", only: "service/document-special-tokens"},
	}
}

// firstMutants differ in what they tell the first request after their worker has gone.
func firstMutants() []mutant {
	first := func(v string) string { return "lifecycle/first-after-stop=" + v + " lifecycle/first-after-kill=" + v }
	gone := func(v string) []coupling {
		return []coupling{{"they ask on until the worker is gone for good", "lifecycle/worker-stops=" + v + " lifecycle/worker-killed=" + v}}
	}
	grace := func(with string) string { return "life: {frontend: separate, grace_ms: 100" + with + "}\n" }
	ending := func(with string) string {
		return grace("") + "faults: {worker-ending: {" + with + "}, worker-gone: {status: 503}}"
	}
	return []mutant{
		{name: "told at once that the worker ends", with: grace("") + "faults: {worker-gone: {status: 404}, worker-ending: {status: 503}}", only: "lifecycle/first-after-stop"},
		{name: "served while the worker ends", with: grace(", grace: served"), shows: first("served"), also: gone("busy-503")},
		{name: "404 while the worker ends", with: ending("status: 404"), shows: first("not-found"), also: gone("busy-503")},
		{name: "500 while the worker ends", with: ending("status: 500"), shows: first("failed-5xx"), also: gone("busy-503")},
		{name: "400 while the worker ends", with: ending("status: 400"), shows: first("rejected-4xx"), also: gone("busy-503")},
		{name: "hangs while the worker ends", timeout: hangTimeout, with: ending("action: hang"), shows: first("hangs"), also: gone("busy-503")},
		{name: "held while the worker ends, and told then", with: "life: {frontend: separate, grace: held, grace_ms: 2500}", shows: first("late"), also: gone("busy-503")},
		{name: "held for a moment while the worker ends", with: "life: {frontend: separate, grace: held, grace_ms: 1500}", only: "lifecycle/first-after-kill"},
	}
}

// releaseEdits are variants of these checks that no switch shows.
func releaseEdits(serve func(*contract.Step)) []edit {
	const why = "it takes a server whose vectors go wrong when its worker goes"
	spoil := func(s *contract.Step) {
		s.Fault = ""
		serve(s)
	}
	return []edit{
		{"lifecycle/first-after-stop", "garbage", why, "lifecycle/worker-stops", "new:at-once", spoil},
		{"lifecycle/first-after-kill", "garbage", why, "lifecycle/worker-killed", "new:at-once", spoil},
	}
}
