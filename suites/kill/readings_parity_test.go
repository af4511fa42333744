package kill_test

import (
	"encoding/base64"

	"github.com/embedcontract/embedcontract/harness/contract"
)

func normReadings() []reading {
	const honoured = "request: {normalize: honoured}"
	const normalize, queries, ofBase64 = "unit_norm/normalize-false", "unit_norm/queries-and-ids", "unit_norm/base64-batch"
	const strung = "encoding_format/base64-batch"
	infinite := base64.StdEncoding.EncodeToString([]byte{0, 0, 0x80, 0x7f, 0, 0, 0, 0})
	nan := base64.StdEncoding.EncodeToString([]byte{0, 0, 0xc0, 0x7f, 0, 0, 0, 0})
	strings64 := func(text string) func(*contract.Step) {
		return answered(200, `{"data":[{"index":0,"embedding":"`+text+`"}]}`)
	}
	return []reading{
		{check: "unit_norm/batch-of-8", want: "not-unit", what: "the first vector is twice as long", made: []alteration{{step: "asked", do: vector(0, doubled)}}, says: "[norm 2]"},
		{check: "unit_norm/odd-texts", want: "unit", what: "as it was", made: []alteration{{of: "token_parity/batch-is-sum"}}, says: "[norm "},
		{check: queries, want: contract.Other, what: "ids get no items", made: []alteration{{of: "input_forms/token-ids", step: "ids", do: noItems}}},
		{check: queries, want: contract.Other, what: "ids get a page", made: []alteration{{of: "input_forms/token-ids", step: "ids", do: page}}},
		{check: ofBase64, want: "not-offered", what: "a page", made: []alteration{{of: strung, step: "base64", do: page}}},
		{check: ofBase64, want: "not-unit", what: "a number without an end", made: []alteration{{of: strung, step: "base64", do: strings64(infinite)}}, hides: "[norm"},
		{check: ofBase64, want: "not-unit", what: "what is no number", made: []alteration{{of: strung, step: "base64", do: strings64(nan)}}, hides: "[norm"},
		{check: normalize, want: contract.Other, what: "zeros", with: honoured, made: []alteration{{step: "asked", do: all(zeroed)}}},
		{check: normalize, want: "other-vector", what: "three numbers", with: honoured, made: []alteration{{step: "asked", do: all(shorter)}}},
		{check: normalize, want: "ignored", what: "all vectors are twice as long", with: honoured, made: []alteration{
			{step: "plain", do: all(doubled)}, {step: "asked", as: "plain"}}},
		{check: normalize, want: "ignored", what: "the plain vector alone is twice as long", with: honoured, made: []alteration{
			{step: "asked", as: "plain"}, {step: "plain", do: all(doubled)}}},
	}
}

func parityReadings() []reading {
	const components, cosine, repeat, documents = "vector_parity/components", "vector_parity/cosine", "vector_parity/repeat", "token_parity/per-document"
	first := func(step string, do func(*contract.Step)) []alteration {
		return []alteration{{of: repeat, step: step, do: do}}
	}
	return []reading{
		{check: repeat, want: "refused", what: "two items have one index", made: []alteration{{step: "first:0", do: edited(`"index":1`, `"index":0`)}}},
		{check: repeat, want: "refused", what: "a page", made: []alteration{{step: "first:0", do: page}}},
		{check: components, want: "not-served", what: "a batch of the candidate gets a page", made: first("first:0", page)},
		{check: components, want: "not-served", what: "a batch of the candidate was not asked", made: []alteration{{of: repeat, step: "first:2", drop: true}}},
		{check: components, want: "incomparable", what: "one document has a shorter vector on both", made: first("first:0", vector(2, shorter)), place: inBothPlaces},
		{check: components, want: "one-drifts", what: "the sixth number of each vector is too great", made: first("first:*", all(dented)), says: "component 5 differs most"},
		{check: components, want: "spread-evenly", what: "another model", with: "model: {seed: 2}"},
		{check: cosine, want: "not-served", what: "a document was not asked alone", made: []alteration{{of: documents, step: "document:*", do: nil}, {of: documents, step: firstDocument, drop: true}}, place: inBothPlaces},
		{check: cosine, want: "not-served", what: "nothing can be read on either", made: []alteration{
			{of: repeat, step: "first:0", do: page}, {of: documents, step: firstDocument, do: page}}, place: inBothPlaces},
		{check: "vector_parity/edge-texts", want: "some-differ", what: "nothing was asked of the reference", made: []alteration{{of: "token_parity/edge-texts", step: "edge:*", drop: true}}, place: asTheReference},
	}
}

// firstDocument is the step of the first document of the corpus.
const firstDocument = "document:doc-en-01"

// rankReadings are about rankings. The gap is how far apart the scores of documents are whose places a server with other
// kernels swaps; noise is held against it.
func rankReadings() []reading {
	const rank, documents, repeat = "vector_parity/rank-order", "token_parity/per-document", "vector_parity/repeat"
	const query = "query:query-en-01"
	kernels := "vectors: {noise: text, noise_size: 0.03}"
	gap := 0.004338
	// floor is a server's distance from itself that makes of scores a noise of that many gaps.
	floor := func(gaps float64) []alteration {
		return []alteration{{of: repeat, step: "second:0", do: vector(0, by(gaps*gap*gaps*gap/2))}}
	}
	return []reading{
		{check: rank, want: "same-order", what: "as it was", made: []alteration{{step: query}}, says: "top-1 same for 10 of 10 queries (95 % sure: at least 74 %), overlap@10 1 (at least 74 %), tau-b 1, 18 documents", hides: "apart"},
		{check: rank, want: "other-results", what: "another model", with: "model: {seed: 2}", says: "top-1 same for 1 of 10 queries (95 % sure: at least 0 %), overlap@10 0.61 (at least "},
		{check: rank, want: "not-served", what: "one document was not asked of the candidate", made: []alteration{{of: documents, step: firstDocument, drop: true}}},
		{check: rank, want: "not-served", what: "one query was not asked of the candidate", made: []alteration{{step: query, drop: true}}},
		{check: rank, want: "not-served", what: "no query was asked of either", made: []alteration{{step: "query:*", drop: true}}, place: inBothPlaces},
		{check: rank, want: "not-served", what: "no document was asked of either", made: []alteration{{of: documents, step: "document:*", drop: true}}, place: inBothPlaces},
		{check: rank, want: "not-served", what: "a query gets a page of both", made: []alteration{{step: query, do: page}}, place: inBothPlaces},
		{check: rank, want: "same-order", what: "scores move by less than noise", with: kernels, made: floor(1.1)},
		{check: rank, want: "order-changes", what: "scores move by more than noise", with: kernels, made: floor(0.9)},
	}
}

// rankTexts hold what a finding about rankings tells people to what it said when it was looked at: no variant hangs on it.
// How its numbers come about is worked out by hand in suites/vector_parity_mixed_test.go.
func rankTexts() []reading {
	const rank, mixed, documents, repeat = "vector_parity/rank-order", "vector_parity/half-mixed-index", "token_parity/per-document", "vector_parity/repeat"
	const seed, kernels, near, mean = "model: {seed: 2}", "vectors: {noise: text, noise_size: 0.03}", "vectors: {noise: text, noise_size: 0.01}", "vectors: {offset: 0.2}"
	same := alteration{step: "query:*"}
	return []reading{
		{check: rank, want: "order-changes", what: "close documents change places", with: kernels, made: []alteration{same},
			says: "top-1 same for 9 of 10 queries (95 % sure: at least 60 %), overlap@10 0.96 (at least 71 %), tau-b 0.977, 18 documents; swaps up to 0.00434 apart"},
		{check: rank, want: "same-order", what: "tied documents change places", with: near, made: []alteration{same},
			says: "overlap@10 0.98 (at least 72 %), tau-b 0.9936, 18 documents; swaps up to 0.000833 apart"},
		{check: rank, want: "other-results", what: "the candidate has one vector for all documents, so that there is no order", made: []alteration{
			{of: documents, step: "document:*", as: firstDocument}}, says: "overlap@10 0.61 (at least 44 %), 18 documents; swaps up to 0.234 apart", hides: "tau-b"},
		{check: mixed, want: "candidate-favoured", what: "another model", with: seed, made: []alteration{{of: rank, step: "query:*"}},
			says: "top-1 same for 0 of 10 queries (95 % sure: at least 0 %), overlap@10 0.57 (at least 42 %), tau-b -0.12, 18 documents; candidate +30.5 points, p=0.002"},
		{check: mixed, want: "candidate-favoured", what: "a mean in every vector", with: mean, made: []alteration{{of: rank, step: "query:*"}},
			says: "top-1 same for 5 of 10 queries (95 % sure: at least 22 %), overlap@10 0.855 (at least 63 %), tau-b 0.624, 18 documents; candidate +13.5 points, p=0.002"},
		{check: mixed, want: "same-order", what: "only tied documents change places", with: kernels, made: []alteration{{of: repeat, step: "second:0", do: vector(0, by(1.2e-5))}},
			says: "candidate +0.0 points, p=1"},
	}
}
