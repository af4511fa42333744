package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

func dimensionsMutants() []mutant {
	return []mutant{
		{name: "dimensions sliced", with: "dimensions: {reduced: sliced}", shows: "dimensions/reduced-256=sliced-not-renormalised dimensions/reduced-batch=sliced-not-renormalised"},
		{name: "dimensions projected", with: "dimensions: {reduced: projected}", shows: "dimensions/reduced-256=other-projection dimensions/reduced-batch=other-vectors"},
		{name: "dimensions ignored", with: "dimensions: {reduced: ignored}", shows: "dimensions/reduced-256=ignored dimensions/reduced-batch=other-length"},
		{name: "dimensions of the next listed size", with: "dimensions: {sizes: [260], unlisted: next-listed}", shows: "dimensions/reduced-256=other-length dimensions/reduced-batch=other-length"},
		{name: "dimensions ignored in batches", with: "dimensions: {batch: ignored}", shows: "dimensions/reduced-batch=other-length"},
		{name: "dimensions of one size only", with: "dimensions: {sizes: [256]}", shows: "dimensions/reduced-batch=rejected-4xx"},
		{name: "dimensions of one size, that for smaller ones", with: "dimensions: {sizes: [256], unlisted: next-listed}", shows: "dimensions/reduced-batch=other-length"},
		{name: "native dimensions projected", with: "dimensions: {native: projected}", shows: "dimensions/native-value=other-vector"},
		{name: "dimensions above native clamped", with: "dimensions: {above: clamped}", shows: "dimensions/above-native=native-length witnesses/go-error=no-error witnesses/python-error=no-error witnesses/node-error=no-error"},
		{name: "dimensions above native padded", with: "dimensions: {above: zero-padded}", shows: "dimensions/above-native=other-length", also: []coupling{
			{"an SDK asks for more dimensions than there are", "witnesses/go-error=no-error"},
		}},
		{name: "dimensions 0 ignored", with: "dimensions: {zero: ignored}", shows: "dimensions/zero=native-length"},
		{name: "dimensions 0 raised to 1", with: "dimensions: {zero: raised}", shows: "dimensions/zero=other-length"},
		{name: "dimensions 0 gives no numbers", with: "dimensions: {zero: python-slice}", shows: "dimensions/zero=other-length"},
		{name: "dimensions -1 ignored", with: "dimensions: {negative: ignored}", shows: "dimensions/negative=native-length"},
		{name: "dimensions -1 sliced", with: "dimensions: {negative: python-slice}", shows: "dimensions/negative=other-length"},
		{name: "native length declared wrong", declare: func(f *contract.Facts) { f.Dimensions = 256 }, shows: "dimensions/native-by-default=other-length", also: []coupling{
			{"it takes the declared length for the native one", `
				dimensions/above-native=other-length dimensions/native-value=other-vector
				dimensions/reduced-256=not-applicable`},
		}},
		{name: "native length is another", with: "model: {native: 384}", shows: "vector_parity/cosine=incomparable dimensions/same-native=differs vector_parity/edge-texts=incomparable truncation/reference-limit=incomparable", also: []coupling{
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{"the vectors of queries and of edge texts have other lengths, too", `
				instructions/prefixed-query=other-vector instructions/prefixed-query@reference=other-vector
				instructions/same-query=other-vector`},
		}},
		{name: "native length too short to be reduced", with: "model: {native: 256}", shows: "dimensions/reduced-256=not-applicable vector_parity/cosine=incomparable", also: []coupling{
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{"the vectors of queries and of edge texts have other lengths, too", `
				dimensions/same-native=differs instructions/prefixed-query=other-vector
				instructions/prefixed-query@reference=other-vector instructions/same-query=other-vector
				truncation/reference-limit=incomparable vector_parity/edge-texts=incomparable`},
		}},
		{name: "limit of 6 tokens", with: "model: {limit: 6}", shows: "response_shape/content-type=refused response_shape/extra-usage-fields=refused response_shape/model-field=refused response_shape/wire-schema=refused dimensions/same-for-every-length=refused dimensions/native-by-default=refused encoding_format/default-is-float=refused batching/whole-corpus=refused", also: []coupling{
			{"texts of more tokens are refused", `
				input_forms/add-special-tokens=other instructions/input-type-document=other instructions/model-suffix=other
				instructions/prompt-name=other instructions/prompt=other instructions/same-document=not-served
				instructions/task=other instructions/unknown-input-type=other status_codes/duplicate-key=other
				text/edge-whitespace=other text/escapes=other text/newlines=other text/nul=rejected-4xx
				text/special-token=not-applicable`},
			{"it reads the answer to a text that is too long", "status_codes/message-actionable=error"},
			{"its texts are longer than 6 tokens", `
				batching/index=refused batching/order=refused
			 encoding_format/base64-bytes=not-offered
				encoding_format/node-sdk-default=raises instructions/prefixed-query=not-served
				instructions/prefixed-query@reference=not-served instructions/same-query=not-served
			 response_shape/flat-vector=refused
				response_shape/one-item-per-input=array-refused response_shape/string-equals-array=other
				token_parity/batch-is-sum=no-usage token_parity/edge-texts=not-counted
				token_parity/per-document=not-counted token_parity/sum=not-counted truncation/reference-limit=refused
				truncation/reference-limit@reference=not-served unit_norm/batch-of-8=refused unit_norm/single=refused
				vector_parity/alone-and-in-batch=refused vector_parity/cosine=not-served
				vector_parity/edge-texts=not-served vector_parity/order-in-batch=refused vector_parity/repeat=refused`},
			{"the plain request is refused as well, so that nothing is known of the feature", `
				dimensions/reduced-256=other dimensions/reduced-batch=other encoding_format/base64-batch=other
				instructions/unknown-field=other encoding_format/base64-is-string=other instructions/input-type-query=other
				instructions/instruction-field=other instructions/manual-prefix=other`},
			{"without an answer the native length is unknown", `
				dimensions/above-native=not-applicable dimensions/native-value=not-applicable
				dimensions/negative=not-applicable dimensions/same-native=not-served dimensions/zero=not-applicable`},
			{"no text of the declared limit can be made", `
				batching/long-texts=error truncation/end-counts=error truncation/limit-exact=error
				truncation/limit-plus-one=error truncation/over-long=error truncation/truncate-prompt-tokens=error
				unit_norm/near-limit=error`},
		}},
		{name: "no pooling", with: "vectors: {length: tokens-times-native}", shows: "instructions/input-type-document=ignored dimensions/same-for-every-length=grows-with-text", also: []coupling{
			{"odd texts, ids and fields that are served have no vectors to compare", `
				input_forms/foreign-ids=other instructions/same-document=other-vector status_codes/duplicate-key=other
				text/edge-whitespace=other text/newlines=other text/nul=other text/special-token=other`},
			{"vectors of texts of unlike length cannot be compared", `
				batching/index=other instructions/input-type-query=other instructions/instruction-field=other
				instructions/manual-prefix=other instructions/prefixed-query=other-vector
				instructions/prefixed-query@reference=other-vector instructions/same-query=other-vector
				truncation/end-counts=other truncation/reference-limit=incomparable
				vector_parity/cosine=incomparable vector_parity/edge-texts=incomparable`},
			{"the length is that of the first text", `
				dimensions/native-by-default=other-length dimensions/native-value=rejected-4xx
				dimensions/same-native=differs`},
			{"the length does not depend on what was asked for", "dimensions/reduced-256=ignored dimensions/reduced-batch=other-length"},
			{"vectors of tokens have no norm in common", "unit_norm/batch-of-8=not-unit unit_norm/near-limit=not-unit unit_norm/single=not-unit"},
		}},
	}
}

func normMutants() []mutant {
	return []mutant{
		{name: "norm 2", with: "vectors: {norm: scaled}", shows: "unit_norm/single=not-unit unit_norm/batch-of-8=not-unit unit_norm/near-limit=not-unit dimensions/reduced-256=not-unit dimensions/reduced-batch=other-vectors"},
		{name: "norm 2 alone", with: "vectors: {norm: scaled-alone}", shows: "unit_norm/single=not-unit dimensions/reduced-256=not-unit", also: []coupling{
			{"it asks for one text", "unit_norm/near-limit=not-unit"},
		}},
		{name: "norm 2 in a batch", with: "vectors: {norm: scaled-in-batch}", shows: "unit_norm/batch-of-8=not-unit dimensions/reduced-batch=other-vectors"},
		{name: "norm 2 near the limit", with: "vectors: {norm: scaled-near-limit}", shows: "unit_norm/near-limit=not-unit"},
		{name: "norm 1.002", with: "vectors: {norm: scaled, scale: 1.002}", shows: "unit_norm/single=not-unit unit_norm/batch-of-8=not-unit unit_norm/near-limit=not-unit dimensions/reduced-256=not-unit dimensions/reduced-batch=other-vectors"},
		{name: "norm 0.998", with: "vectors: {norm: scaled, scale: 0.998}", shows: "unit_norm/single=not-unit unit_norm/batch-of-8=not-unit unit_norm/near-limit=not-unit dimensions/reduced-256=not-unit dimensions/reduced-batch=other-vectors"},
	}
}
