package kill_test

func encodingMutants() []mutant {
	return []mutant{
		{name: "base64 is an array", with: "encoding: {base64: array}", shows: "encoding_format/base64-is-string=array encoding_format/base64-bytes=not-offered encoding_format/node-sdk-default=reads-garbage encoding_format/base64-batch=not-offered witnesses/node-default=garbage witnesses/node-batch=garbage"},
		{name: "base64 is big-endian", with: "encoding: {base64: big-endian}", shows: "encoding_format/base64-bytes=big-endian encoding_format/node-sdk-default=reads-garbage encoding_format/base64-batch=other-vectors"},
		{name: "base64 of doubles", with: "encoding: {base64: float64}", shows: "encoding_format/base64-bytes=other-width encoding_format/node-sdk-default=reads-garbage encoding_format/base64-batch=other-vectors"},
		{name: "base64 of rounded numbers", with: "encoding: {base64: rounded, }\nvectors: {digits: 1}", shows: "encoding_format/base64-bytes=other-values encoding_format/base64-batch=other-vectors", also: []coupling{
			{"the SDK reads these bytes as the numbers that they are", "encoding_format/node-sdk-default=reads-garbage"},
		}},
		{name: "base64 of zeros", with: "encoding: {base64: zeros}", shows: "encoding_format/node-sdk-default=reads-garbage encoding_format/base64-batch=other-vectors encoding_format/base64-bytes=other-values witnesses/python-default=garbage witnesses/node-default=garbage witnesses/python-batch=garbage witnesses/node-batch=garbage"},
		{name: "base64 of doubled numbers", with: "encoding: {base64: doubled}", shows: "encoding_format/base64-bytes=other-values encoding_format/base64-batch=other-vectors encoding_format/node-sdk-default=reads-garbage"},
		{name: "base64 of the URL alphabet", with: "encoding: {base64: url-alphabet}", shows: "encoding_format/base64-bytes=other-alphabet encoding_format/base64-batch=other-vectors"},
		{name: "base64 batches in another order", with: "encoding: {base64_batch: rotated}", shows: "encoding_format/base64-batch=other-vectors witnesses/python-batch=misplaced witnesses/node-batch=misplaced"},
		{name: "base64 batches lose one", with: "encoding: {base64_batch: one-dropped}", shows: "encoding_format/base64-batch=wrong-count witnesses/python-batch=wrong-count witnesses/node-batch=wrong-count"},
		{name: "null is no format", with: "encoding: {explicit_null: as-absent}", shows: "encoding_format/null=as-float"},
		{name: "null is base64", with: "encoding: {explicit_null: as-absent, default: base64}", shows: "response_shape/finite-everywhere=none-seen encoding_format/null=string instructions/prefixed-query=not-served", also: []coupling{
			{"odd texts, ids and fields that are served have no vectors to compare", `
				input_forms/foreign-ids=other input_forms/own-ids=other instructions/input-type-document=other
				instructions/same-document=not-served status_codes/duplicate-key=other text/accents=other text/case=other
				text/edge-whitespace=other text/escapes=other text/newlines=other text/nul=other text/special-token=other
				text/whitespace-only=no-vector`},
			{"there is no list of numbers that a check could read", `
				batching/duplicates=other batching/index=other batching/long-texts=other batching/whole-corpus=other
				dimensions/native-by-default=refused dimensions/reduced-256=other dimensions/reduced-batch=other
				dimensions/same-for-every-length=refused encoding_format/default-is-float=string
				input_forms/nested-ids=other input_forms/token-ids=other instructions/input-type-query=other
				instructions/instruction-field=other instructions/manual-prefix=other
				instructions/prefixed-query@reference=not-served
				instructions/same-query=not-served response_shape/flat-vector=string
				response_shape/string-equals-array=other truncation/end-counts=other
				truncation/reference-limit=not-served truncation/truncate-prompt-tokens=other
				unit_norm/batch-of-8=other unit_norm/near-limit=other unit_norm/single=other
				vector_parity/alone-and-in-batch=refused vector_parity/cosine=not-served
				vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
			{unreadable, "vector_parity/edge-texts=not-served"},
			{"without a vector the native length is unknown", `
				dimensions/above-native=not-applicable dimensions/native-value=not-applicable
				dimensions/negative=not-applicable dimensions/same-native=not-served dimensions/zero=not-applicable`},
		}},
		{name: "unknown formats are float", with: "encoding: {unknown: float}", shows: "encoding_format/invalid=as-float"},
		{name: "unknown formats are base64", with: "encoding: {unknown: base64}", shows: "encoding_format/invalid=string"},
	}
}

func inputMutants() []mutant {
	return []mutant{
		{name: "token ids are text", with: "input: {token_ids: as-text, nested_token_ids: as-text}", shows: "input_forms/token-ids=other-tokens", also: []coupling{
			{"ids of any kind are text", "input_forms/id-out-of-range=served input_forms/negative-id=served input_forms/own-ids=other-vector"},
		}},
		{name: "a vector for each token id", with: "input: {token_ids: one-each}", shows: "input_forms/token-ids=vector-per-id", also: []coupling{
			{"there are two ids", "input_forms/foreign-ids=other"},
		}},
		{name: "lists of token ids are text", with: "input: {nested_token_ids: as-text}", shows: "input_forms/nested-ids=other-vector"},
		{name: "lists of token ids get the vector of the first", with: "input: {nested_token_ids: first-for-all}", shows: "input_forms/nested-ids=other-vector"},
		{name: "token ids and input_type refused", with: "input: {token_ids: refused}\ninstruction: {input_type: refused}", shows: "unit_norm/queries-and-ids=none-served"},
		{name: "lists of token ids are one text", with: "input: {nested_token_ids: joined}", shows: "input_forms/nested-ids=wrong-count"},
		{name: "empty text embedded", with: "input: {empty_string: embedded}", shows: "input_forms/empty-in-batch=embedded input_forms/empty-string=embedded"},
		{name: "empty text skipped", with: "input: {empty_string: skipped}", shows: "input_forms/empty-in-batch=wrong-count input_forms/empty-string=no-vector", also: []coupling{
			{"it is a 200 without data", "status_codes/no-empty-200=empty-200"},
		}},
		{name: "empty list answered with no data", with: "input: {empty_array: empty-data}", shows: "input_forms/empty-array=no-data", also: []coupling{
			{"it is a 200 without data", "status_codes/no-empty-200=empty-200"},
		}},
		{name: "empty list embedded", with: "input: {empty_array: as-empty-string}", shows: "input_forms/empty-array=served"},
		{name: "mixed list embedded", with: "input: {mixed_array: as-strings}", shows: "input_forms/mixed-array=served"},
		{name: "mixed list answered with no data", with: "input: {mixed_array: empty-data}", shows: "input_forms/mixed-array=no-data", also: []coupling{
			{"it is a 200 without data", "status_codes/no-empty-200=empty-200"},
		}},
	}
}
