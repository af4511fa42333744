package kill_test

// unreadable is why a text that both servers answer with 200 is not served.
const unreadable = "a text without a readable vector is one that is not served"

func shapeMutants() []mutant {
	return []mutant{
		{name: "index is a string", with: "data: {index: string}", shows: "response_shape/wire-schema=violates-schema batching/index=no-index batching/order=no-index", also: []coupling{
			{"batches are read by index, which cannot be relied upon", `
				batching/long-texts=other batching/whole-corpus=other dimensions/reduced-batch=other
				encoding_format/base64-batch=other input_forms/nested-ids=other
				vector_parity/alone-and-in-batch=refused vector_parity/cosine=not-served
				vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
		}},
		{name: "index is absent", with: "data: {index: absent}", shows: "response_shape/wire-schema=violates-schema batching/index=no-index batching/order=no-index", also: []coupling{
			{"batches are read by index, which cannot be relied upon", `
				batching/long-texts=other batching/whole-corpus=other dimensions/reduced-batch=other
				encoding_format/base64-batch=other input_forms/nested-ids=other
				vector_parity/alone-and-in-batch=refused vector_parity/cosine=not-served
				vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
		}},
		{name: "object of items is absent", with: "data: {object: absent}", shows: "response_shape/wire-schema=violates-schema"},
		{name: "object is absent", with: "reply: {object: absent}", shows: "response_shape/wire-schema=violates-schema"},
		{name: "model is absent", with: "reply: {model: absent}", shows: "response_shape/model-field=absent response_shape/wire-schema=violates-schema"},
		{name: "total_tokens is absent", with: "usage: {total: absent}", shows: "response_shape/extra-usage-fields=fewer-fields response_shape/wire-schema=violates-schema"},
		{name: "answers are text/html", with: "reply: {content_type: text/html}", shows: "response_shape/content-type=other-type response_shape/wire-schema=violates-schema"},
		{name: "one item too few", with: "data: {count: one-dropped}", shows: "vector_parity/alone-and-in-batch=incomparable response_shape/one-item-per-input=wrong-count batching/index=wrong-count batching/long-texts=wrong-count", also: []coupling{
			{"a batch has another number of items than texts", `
				batching/duplicates=dropped batching/whole-corpus=wrong-count dimensions/reduced-batch=other
				encoding_format/base64-batch=other input_forms/nested-ids=wrong-count vector_parity/cosine=not-served`},
			{"what is left is compared with what is left of the reversed batch", "vector_parity/order-in-batch=below-bar"},
		}},
		{name: "one item too many", with: "data: {count: one-extra}", shows: "response_shape/one-item-per-input=wrong-count batching/index=wrong-count", also: []coupling{
			{"the SDK hands on the items that there are", "witnesses/go-batch=wrong-count"},
			{"a batch has another number of items than texts", `
				batching/duplicates=dropped batching/long-texts=wrong-count batching/whole-corpus=wrong-count
				dimensions/reduced-batch=other encoding_format/base64-batch=other input_forms/nested-ids=wrong-count
				vector_parity/alone-and-in-batch=incomparable vector_parity/cosine=not-served`},
			{"what is left is compared with what is left of the reversed batch", "vector_parity/order-in-batch=below-bar"},
		}},
		{name: "no items for lists", with: "data: {count: none}", shows: "response_shape/one-item-per-input=wrong-count response_shape/flat-vector=refused", also: []coupling{
			{"it is a 200 without data", "status_codes/no-empty-200=empty-200"},
			{"a batch has another number of items than texts", `
				batching/duplicates=dropped batching/index=wrong-count batching/long-texts=wrong-count
				batching/whole-corpus=wrong-count dimensions/reduced-batch=other encoding_format/base64-batch=other
				input_forms/nested-ids=wrong-count vector_parity/alone-and-in-batch=refused
				vector_parity/cosine=not-served vector_parity/repeat=refused`},
			{"there are no vectors that could have a norm", "unit_norm/batch-of-8=other"},
			{"what is left is compared with what is left of the reversed batch", "vector_parity/order-in-batch=refused"},
		}},
		{name: "only the first text of a list", with: "input: {array: first-only}", shows: "input_forms/empty-in-batch=wrong-count response_shape/one-item-per-input=wrong-count", also: []coupling{
			{"a batch has another number of items than texts", `
				batching/duplicates=dropped batching/index=wrong-count batching/long-texts=wrong-count
				batching/whole-corpus=wrong-count dimensions/reduced-batch=other encoding_format/base64-batch=other
				vector_parity/alone-and-in-batch=incomparable vector_parity/cosine=not-served`},
			{"the tokens of dropped texts are not counted", "token_parity/batch-is-sum=not-additive token_parity/sum=sum-differs"},
			{"what is left is compared with what is left of the reversed batch", "vector_parity/order-in-batch=below-bar"},
		}},
		{name: "lists of one refused", with: "input: {array_of_one: refused}", shows: "unit_norm/single=refused unit_norm/near-limit=refused response_shape/one-item-per-input=array-refused response_shape/string-equals-array=array-refused"},
		{name: "lists of more than 16 refused", with: "input: {max_items: 16}", shows: "response_shape/one-item-per-input=long-list-refused batching/whole-corpus=batch-refused"},
		{name: "lists are embedded as text", with: "input: {array_items: quoted}", shows: "response_shape/string-equals-array=differs", also: []coupling{
			{"the SDK sends a list", "witnesses/go-batch=garbage"},
			{"texts in a batch are other texts than alone", `
				batching/index=no-match batching/long-texts=batch-refused batching/whole-corpus=other-vector
				token_parity/batch-is-sum=not-additive token_parity/sum=sum-differs
				vector_parity/alone-and-in-batch=below-bar vector_parity/cosine=different-space`},
			{"it sends a list, which is longer as text than what is in it", "unit_norm/near-limit=refused"},
		}},
		{name: "vectors are nested", with: "vectors: {form: nested}", shows: "response_shape/flat-vector=nested", also: []coupling{
			{"odd texts, ids and fields that are served have no vectors to compare", `
				input_forms/foreign-ids=other input_forms/own-ids=other instructions/input-type-document=other
				instructions/same-document=not-served response_shape/finite-everywhere=some-not-numbers
				status_codes/duplicate-key=other text/accents=other text/case=other text/edge-whitespace=other
				text/escapes=other text/newlines=other text/nul=other text/special-token=other text/whitespace-only=no-vector`},
			{"there is no list of numbers that a check could read", `
				batching/duplicates=other batching/index=other batching/long-texts=other batching/whole-corpus=other
				dimensions/native-by-default=refused dimensions/reduced-256=other dimensions/reduced-batch=other
				dimensions/same-for-every-length=refused encoding_format/base64-batch=other
				encoding_format/base64-bytes=other encoding_format/default-is-float=other
				encoding_format/node-sdk-default=other input_forms/nested-ids=other input_forms/token-ids=other
				instructions/input-type-query=other instructions/instruction-field=other
				instructions/manual-prefix=other instructions/prefixed-query=not-served
				instructions/prefixed-query@reference=not-served instructions/same-query=not-served
				response_shape/string-equals-array=other truncation/end-counts=other
				truncation/reference-limit=not-served truncation/truncate-prompt-tokens=other
				unit_norm/batch-of-8=other unit_norm/near-limit=other unit_norm/single=other
				vector_parity/alone-and-in-batch=refused vector_parity/cosine=not-served
				vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
			{unreadable, "vector_parity/edge-texts=not-served"},
			{"without a vector the native length is unknown", `
				dimensions/above-native=not-applicable dimensions/native-value=not-applicable
				dimensions/negative=not-applicable dimensions/same-native=not-served dimensions/zero=not-applicable`},
			{"the schema knows nothing but lists of numbers and strings", "response_shape/wire-schema=violates-schema"},
		}},
		{name: "null among the numbers", with: "vectors: {form: with-null}", shows: "response_shape/flat-vector=not-numbers", also: []coupling{
			{"odd texts, ids and fields that are served have no vectors to compare", `
				input_forms/foreign-ids=other input_forms/own-ids=other instructions/input-type-document=other
				instructions/same-document=not-served response_shape/finite-everywhere=some-not-numbers
				status_codes/duplicate-key=other text/accents=other text/case=other text/edge-whitespace=other
				text/escapes=other text/newlines=other text/nul=other text/special-token=other text/whitespace-only=no-vector`},
			{"there is no list of numbers that a check could read", `
				batching/duplicates=other batching/index=other batching/long-texts=other batching/whole-corpus=other
				dimensions/native-by-default=refused dimensions/reduced-256=other dimensions/reduced-batch=other
				dimensions/same-for-every-length=refused encoding_format/base64-batch=other
				encoding_format/base64-bytes=other encoding_format/default-is-float=other
				encoding_format/node-sdk-default=other input_forms/nested-ids=other input_forms/token-ids=other
				instructions/input-type-query=other instructions/instruction-field=other
				instructions/manual-prefix=other instructions/prefixed-query=not-served
				instructions/prefixed-query@reference=not-served instructions/same-query=not-served
				response_shape/string-equals-array=other truncation/end-counts=other
				truncation/reference-limit=not-served truncation/truncate-prompt-tokens=other
				unit_norm/batch-of-8=other unit_norm/near-limit=other unit_norm/single=other
				vector_parity/alone-and-in-batch=refused vector_parity/cosine=not-served
				vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
			{unreadable, "vector_parity/edge-texts=not-served"},
			{"without a vector the native length is unknown", `
				dimensions/above-native=not-applicable dimensions/native-value=not-applicable
				dimensions/negative=not-applicable dimensions/same-native=not-served dimensions/zero=not-applicable`},
			{"the schema knows nothing but lists of numbers and strings", "response_shape/wire-schema=violates-schema"},
		}},
		{name: "NaN among the numbers", with: "vectors: {form: with-nan}", shows: "response_shape/extra-usage-fields=fewer-fields response_shape/finite-everywhere=none-seen response_shape/flat-vector=refused", also: []coupling{
			{"odd texts, ids and fields that are served have no vectors to compare", `
				input_forms/foreign-ids=other input_forms/own-ids=other instructions/input-type-document=other
				instructions/same-document=not-served response_shape/model-field=other status_codes/duplicate-key=other
				text/accents=other text/case=other text/edge-whitespace=other text/escapes=other text/newlines=other
				text/nul=other text/special-token=not-applicable text/whitespace-only=no-vector`},
			{"it reads the answer to a text that is too long", "status_codes/message-actionable=error"},
			{"the answer is no JSON, so that no check can read it", `
				batching/duplicates=refused batching/index=refused batching/long-texts=error batching/order=refused
				batching/whole-corpus=other dimensions/native-by-default=refused dimensions/reduced-256=other
				dimensions/reduced-batch=other dimensions/same-for-every-length=refused
				encoding_format/base64-batch=other encoding_format/base64-bytes=other
				encoding_format/default-is-float=refused encoding_format/node-sdk-default=other
				input_forms/nested-ids=other input_forms/token-ids=other instructions/input-type-query=other
				instructions/instruction-field=other instructions/manual-prefix=other
				instructions/prefixed-query=not-served instructions/prefixed-query@reference=not-served
				instructions/same-query=not-served response_shape/one-item-per-input=other
				response_shape/string-equals-array=other response_shape/wire-schema=violates-schema
				token_parity/batch-is-sum=no-usage token_parity/edge-texts=not-counted
				token_parity/per-document=not-counted token_parity/sum=not-counted truncation/end-counts=error
				truncation/limit-exact=error truncation/limit-plus-one=error truncation/over-long=error
				truncation/reference-limit=not-served truncation/truncate-prompt-tokens=error
				unit_norm/batch-of-8=refused unit_norm/near-limit=error unit_norm/single=refused
				vector_parity/alone-and-in-batch=refused vector_parity/cosine=not-served
				vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
			{unreadable, "vector_parity/edge-texts=not-served"},
			{"without a vector the native length is unknown", `
				dimensions/above-native=not-applicable dimensions/native-value=not-applicable
				dimensions/negative=not-applicable dimensions/same-native=not-served dimensions/zero=not-applicable`},
		}},
		{name: "zeros", with: "vectors: {form: zeros}", shows: `
			response_shape/flat-vector=all-zero vector_parity/repeat=incomparable vector_parity/alone-and-in-batch=incomparable
			vector_parity/order-in-batch=incomparable vector_parity/cosine=incomparable`, also: []coupling{
			{"odd texts, ids and fields that are served have no vectors to compare", `
				input_forms/foreign-ids=other input_forms/own-ids=other instructions/input-type-document=other
				instructions/same-document=other-vector response_shape/finite-everywhere=some-zero
				status_codes/duplicate-key=other text/accents=other text/case=other text/edge-whitespace=other
				text/escapes=other text/newlines=other text/nul=other text/special-token=other text/whitespace-only=no-vector`},
			{"a vector of zeros has no direction: there is no cosine to anything", `
				batching/index=other batching/long-texts=other batching/whole-corpus=other
				dimensions/reduced-256=other dimensions/reduced-batch=other
				encoding_format/base64-batch=other-vectors encoding_format/base64-bytes=other-values
				instructions/input-type-query=other instructions/instruction-field=other
				instructions/manual-prefix=other instructions/prefixed-query=other-vector
				instructions/prefixed-query@reference=other-vector instructions/same-query=other-vector
				truncation/end-counts=other truncation/reference-limit=incomparable
				truncation/truncate-prompt-tokens=other vector_parity/edge-texts=incomparable`},
			{"it takes two vectors without a cosine for unlike ones", `
				batching/duplicates=other dimensions/native-value=other encoding_format/node-sdk-default=reads-garbage
				input_forms/nested-ids=other response_shape/string-equals-array=other`},
			{"the norm of nothing is 0", "unit_norm/batch-of-8=not-unit unit_norm/near-limit=not-unit unit_norm/single=not-unit"},
		}},
		{name: "base64 by default", with: "encoding: {default: base64}", shows: "response_shape/finite-everywhere=none-seen response_shape/flat-vector=string encoding_format/default-is-float=string dimensions/same-native=not-served", also: []coupling{
			{"odd texts, ids and fields that are served have no vectors to compare", `
				input_forms/foreign-ids=other input_forms/own-ids=other instructions/input-type-document=other
				instructions/same-document=not-served status_codes/duplicate-key=other text/accents=other text/case=other
				text/edge-whitespace=other text/escapes=other text/newlines=other text/nul=other text/special-token=other
				text/whitespace-only=no-vector`},
			{"there is no list of numbers that a check could read", `
				batching/duplicates=other batching/index=other batching/long-texts=other batching/whole-corpus=other
				dimensions/native-by-default=refused dimensions/reduced-256=other dimensions/reduced-batch=other
				dimensions/same-for-every-length=refused input_forms/nested-ids=other input_forms/token-ids=other
				instructions/input-type-query=other instructions/instruction-field=other
				instructions/manual-prefix=other instructions/prefixed-query=not-served
				instructions/prefixed-query@reference=not-served instructions/same-query=not-served
				response_shape/string-equals-array=other truncation/end-counts=other
				truncation/reference-limit=not-served truncation/truncate-prompt-tokens=other
				unit_norm/batch-of-8=other unit_norm/near-limit=other unit_norm/single=other
				vector_parity/alone-and-in-batch=refused vector_parity/cosine=not-served
				vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
			{unreadable, "vector_parity/edge-texts=not-served"},
			{"without a vector the native length is unknown", `
				dimensions/above-native=not-applicable dimensions/native-value=not-applicable
				dimensions/negative=not-applicable dimensions/zero=not-applicable`},
		}},
	}
}
