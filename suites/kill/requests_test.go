package kill_test

// requestMutants read requests in ways in which they were not meant.
func requestMutants() []mutant {
	return []mutant{
		{name: "null, numbers and objects are text", with: "input: {wrong_type: as-string}", shows: `
			input_forms/null-input=served input_forms/number-input=served input_forms/object-input=served`},
		{name: "null, numbers and objects get no data", with: "input: {wrong_type: empty-data}", shows: `
			input_forms/null-input=no-data input_forms/number-input=no-data input_forms/object-input=no-data status_codes/bounded-size=served status_codes/no-empty-200=empty-200`},
		{name: "a list of nothing gets no data", with: "input: {nested_empty: empty-data}", shows: "input_forms/nested-empty=no-data"},
		{name: "a list of nothing embedded", with: "input: {nested_empty: as-empty-string}", shows: "input_forms/nested-empty=served"},
		{name: "ids wrapped into the vocabulary", with: "input: {id_out_of_range: wrapped}", shows: "input_forms/negative-id=served input_forms/id-out-of-range=served"},
		{name: "foreign ids are outside the vocabulary", with: "routes: {tokenize: absent}", shows: "input_forms/foreign-ids=rejected-4xx", also: []coupling{noTokenize()}},
		{name: "foreign ids refused with 422", with: "routes: {tokenize: absent}\nfaults: {id-out-of-range: {status: 422}}", shows: "input_forms/foreign-ids=rejected-4xx-retried", also: []coupling{noTokenize(),
			{"other ids are refused alike", "input_forms/negative-id=rejected-4xx-retried input_forms/id-out-of-range=rejected-4xx-retried status_codes/client-faults-are-4xx=some-retried"}}},
		{name: "foreign ids refused with 500", with: "routes: {tokenize: absent}\nfaults: {id-out-of-range: {status: 500}}", shows: "input_forms/foreign-ids=failed-5xx", also: []coupling{noTokenize(),
			{"other ids are refused alike", "input_forms/negative-id=failed-5xx input_forms/id-out-of-range=failed-5xx status_codes/client-faults-are-4xx=some-5xx"}}},
		{name: "ids of OpenAI's tokenizer understood", with: "input: {token_ids: openai}", shows: "input_forms/foreign-ids=same-text"},
		{name: "the end marker is not among a text's own ids", with: "routes: {tokenize: without-end-marker}", shows: "input_forms/own-ids=other-vector"},
		{name: "a chat embedded", with: "input: {messages: embedded}", shows: "input_forms/messages=served"},
		{name: "a user of any type", with: "request: {user_type: ignored}", shows: "input_forms/user-type=ignored"},
		{name: "add_special_tokens honoured", with: "request: {add_special_tokens: honoured}", shows: "input_forms/add-special-tokens=honoured"},
		{name: "add_special_tokens ignored", with: "request: {add_special_tokens: ignored}", shows: "input_forms/add-special-tokens=without-effect"},
		{name: "empty texts of zeros", with: "input: {empty_string: zeros}", shows: "input_forms/empty-in-batch=no-vector input_forms/empty-string=no-vector"},
		{name: "empty texts refused alone, served in lists", with: "input: {empty_string: refused-alone}", shows: "input_forms/empty-in-batch=refused-alone-only"},
		{name: "empty texts served alone, refused in lists", with: "input: {empty_string: refused-in-list}", shows: "input_forms/empty-in-batch=embedded-alone-only", also: []coupling{
			{"alone it is embedded", "input_forms/empty-string=embedded"}}},
		{name: "empty texts spoil their neighbours", with: "input: {empty_string: embedded-others-spoilt}", shows: "input_forms/empty-in-batch=neighbour-moved", also: []coupling{
			{"alone it is embedded", "input_forms/empty-string=embedded"}}},

		{name: "no body is an empty object, and needs nothing", with: "request: {malformed_json: repaired, missing_model: accepted}\ninput: {missing: empty-data}",
			shows: "status_codes/empty-body=served", also: []coupling{{"each is what makes it be served", `
				status_codes/missing-model=served status_codes/missing-input=served status_codes/no-empty-200=empty-200`}}},
		{name: "of a list as body the first is read", with: "request: {array_body: first}", shows: "status_codes/array-body=served"},
		{name: "of a key that stands twice the first counts", with: "request: {duplicate_key: first-wins}", shows: "status_codes/duplicate-key=first-wins"},
		{name: "long errors for inputs that are none", with: "faults: {input-shape: {pad_kb: 40}}", shows: "status_codes/bounded-size=amplified"},
		{name: "500 for inputs that are none", with: "faults: {input-shape: {status: 500}}", shows: "status_codes/bounded-size=failed-5xx", also: []coupling{
			{"they are of one class", `input_forms/null-input=failed-5xx input_forms/number-input=failed-5xx input_forms/object-input=failed-5xx
				input_forms/mixed-array=failed-5xx status_codes/client-faults-are-4xx=some-5xx`}}},

		{name: "large bodies refused with 400", with: "faults: {body-too-large: {status: 400}}", shows: "status_codes/body-too-large=rejected-4xx"},
		{name: "large bodies refused with 422", with: "faults: {body-too-large: {status: 422}}", shows: "status_codes/body-too-large=rejected-4xx-retried"},
		{name: "large bodies refused with 500", with: "faults: {body-too-large: {status: 500}}", shows: "status_codes/body-too-large=failed-5xx"},
		{name: "closes the connection on large bodies", with: "faults: {body-too-large: {action: close}}", shows: "status_codes/body-too-large=closed"},
		{name: "large bodies read", with: "request: {max_body_mb: 100}", shows: "status_codes/body-too-large=served"},

		{name: "GET gets a page", with: "routes: {get: page}", shows: "status_codes/get-method=served"},
		{name: "GET is not found", with: "faults: {method: {status: 404}}", shows: "status_codes/get-method=other-4xx"},
		{name: "500 for GET", with: "faults: {method: {status: 500}}", shows: "status_codes/get-method=failed-5xx"},
		{name: "405 without a body", with: "faults: {method: {shape: empty}}", shows: "status_codes/get-method=not-allowed-405-no-json status_codes/error-content-type=some-other"},
		{name: "every path embeds", with: "routes: {unknown: embeddings}", shows: "status_codes/wrong-path=served"},
		{name: "403 for a wrong path", with: "faults: {path: {status: 403}}", shows: "status_codes/wrong-path=other-4xx instructions/cohere-route=refused"},
		{name: "500 for a wrong path", with: "faults: {path: {status: 500}}", shows: "status_codes/wrong-path=failed-5xx instructions/cohere-route=failed-5xx status_codes/trailing-slash=failed-5xx"},
		{name: "404 as text", with: "faults: {path: {shape: text}}", shows: "status_codes/wrong-path=not-found-404-no-json status_codes/error-content-type=some-other"},
		{name: "a slash served", with: "routes: {trailing_slash: served}", shows: "status_codes/trailing-slash=served"},
		{name: "a slash redirected", with: "routes: {trailing_slash: redirect}", shows: "status_codes/trailing-slash=redirect"},
		{name: "a slash redirected to GET", with: "routes: {trailing_slash: see-other}", shows: "status_codes/trailing-slash=redirect-to-get"},
		{name: "Cohere's route served", with: "routes: {cohere: served}", shows: "instructions/cohere-route=served"},
	}
}

func noTokenize() coupling {
	return coupling{"it does not tell the ids of a text", "input_forms/own-ids=not-applicable"}
}

// textMutants change texts, or read odd characters otherwise.
func textMutants() []mutant {
	return []mutant{
		{name: "white space stripped, empty texts embedded", with: "model: {whitespace: stripped}\ninput: {empty_string: embedded}", shows: "input_forms/empty-in-batch=embedded text/edge-whitespace=stripped text/whitespace-only=as-empty", also: []coupling{
			{"white space is stripped everywhere", "input_forms/empty-string=embedded"},
			{"one of the edge texts is of this kind", "token_parity/edge-texts=tokens-differ vector_parity/edge-texts=some-differ"},
		}},
		{name: "blank texts of zeros", with: "input: {blank: zeros}", shows: "text/whitespace-only=no-vector"},
		{name: "letters and accents put together", with: "model: {accents: composed}", shows: "text/accents=composed", also: []coupling{
			{"one of the edge texts is of this kind", "vector_parity/edge-texts=some-differ"},
		}},
		{name: "U+0000 ends a text", with: "request: {nul_character: ends-text}", shows: "text/nul=cut-there"},
		{name: "half of a surrogate pair replaced", with: "request: {lone_surrogate: replaced}", shows: "text/lone-surrogate=replaced"},
		{name: "half of a surrogate pair ends a text", with: "request: {lone_surrogate: ends-text}", shows: "text/lone-surrogate=cut-there"},
		{name: "invalid UTF-8 replaced", with: "request: {invalid_utf8: replaced}", shows: "text/invalid-utf8=replaced"},
		{name: "invalid UTF-8 ends a text", with: "request: {invalid_utf8: ends-text}", shows: "text/invalid-utf8=cut-there"},
		{name: "bare control characters read", with: "request: {raw_control: accepted}", shows: "text/raw-control=read-as-newline"},
		{name: "bare control characters dropped", with: "request: {raw_control: dropped}", shows: "text/raw-control=read-otherwise"},
		{name: "a marker ends a text", with: "model: {special_tokens: ends-text}", shows: "text/special-token=cut-there", also: []coupling{
			{"one of the edge texts is of this kind", "token_parity/edge-texts=tokens-differ vector_parity/edge-texts=some-differ"},
		}},
		{name: "escapes are text", with: "request: {escapes: as-text}", shows: "text/special-token=as-text text/escapes=other-vector", also: []coupling{
			{"one of the edge texts is of this kind", "token_parity/edge-texts=tokens-differ vector_parity/edge-texts=some-differ"},
		}},
	}
}
