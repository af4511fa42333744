package kill_test

import (
	"encoding/base64"
	"math"

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
		{check: "unit_norm/batch-of-8", want: "not-unit", what: "the first vector is twice as long", made: []change{{step: "asked", do: vectorAt(0, doubled)}}, says: "[norm 2]"},
		{check: "unit_norm/odd-texts", want: "unit", what: "as it was", made: []change{{of: "token_parity/batch-is-sum"}}, says: "[norm "},
		{check: queries, want: contract.Other, what: "ids get no items", made: []change{{of: "input_forms/token-ids", step: "ids", do: noItems}}},
		{check: queries, want: contract.Other, what: "ids get a page", made: []change{{of: "input_forms/token-ids", step: "ids", do: pageStep}}},
		{check: ofBase64, want: "not-offered", what: "a page", made: []change{{of: strung, step: "base64", do: pageStep}}},
		{check: ofBase64, want: "not-unit", what: "a number without an end", made: []change{{of: strung, step: "base64", do: strings64(infinite)}}, hides: "[norm"},
		{check: ofBase64, want: "not-unit", what: "what is no number", made: []change{{of: strung, step: "base64", do: strings64(nan)}}, hides: "[norm"},
		{check: normalize, want: contract.Other, what: "zeros", with: honoured, made: []change{{step: "asked", do: vectors(nothing)}}},
		{check: normalize, want: "other-vector", what: "three numbers", with: honoured, made: []change{{step: "asked", do: vectors(shorter)}}},
		{check: normalize, want: "ignored", what: "all vectors are twice as long", with: honoured, made: []change{
			{step: "plain", do: vectors(doubled)}, {step: "asked", as: "plain"}}},
		{check: normalize, want: "ignored", what: "the plain vector alone is twice as long", with: honoured, made: []change{
			{step: "asked", as: "plain"}, {step: "plain", do: vectors(doubled)}}},
	}
}

func parityReadings() []reading {
	const components, cosine, repeat, documents = "vector_parity/components", "vector_parity/cosine", "vector_parity/repeat", "token_parity/per-document"
	first := func(step string, do func(*contract.Step)) []change { return []change{{of: repeat, step: step, do: do}} }
	return []reading{
		{check: repeat, want: "refused", what: "two items have one index", made: []change{{step: "first:0", do: edited(`"index":1`, `"index":0`)}}},
		{check: repeat, want: "refused", what: "a page", made: []change{{step: "first:0", do: pageStep}}},
		{check: components, want: "not-served", what: "a batch of the candidate gets a page", made: first("first:0", pageStep)},
		{check: components, want: "not-served", what: "a batch of the candidate was not asked", made: []change{{of: repeat, step: "first:2", drop: true}}},
		{check: components, want: "incomparable", what: "one document has a shorter vector on both", made: first("first:0", vectorAt(2, shorter)), place: inBothPlaces},
		{check: components, want: "one-drifts", what: "the sixth number of each vector is too great", made: first("first:*", vectors(dented)), says: "component 5 differs most"},
		{check: components, want: "spread-evenly", what: "another model", with: "model: {seed: 2}"},
		{check: cosine, want: "not-served", what: "a document was not asked alone", made: []change{{of: documents, step: "document:*", do: nil}, {of: documents, step: firstDocument, drop: true}}, place: inBothPlaces},
		{check: cosine, want: "not-served", what: "nothing can be read on either", made: []change{
			{of: repeat, step: "first:0", do: pageStep}, {of: documents, step: firstDocument, do: pageStep}}, place: inBothPlaces},
		{check: "vector_parity/edge-texts", want: "some-differ", what: "nothing was asked of the reference", made: []change{{of: "token_parity/edge-texts", step: "edge:*", drop: true}}, place: asTheReference},
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
	floor := func(gaps float64) []change {
		return []change{{of: repeat, step: "second:0", do: vectorAt(0, by(math.Pow(gaps*gap, 2)/2))}}
	}
	return []reading{
		{check: rank, want: "same-order", what: "as it was", made: []change{{step: query}}, says: "top-1 the same for 10 of 10 queries, top-10 100 of 100 [", hides: "places of"},
		{check: rank, want: "other-results", what: "another model", with: "model: {seed: 2}", says: "top-1 the same for 1 of 10 queries, top-10 61 of 100; 93 places of 100 differ"},
		{check: rank, want: "not-served", what: "one document was not asked of the candidate", made: []change{{of: documents, step: firstDocument, drop: true}}},
		{check: rank, want: "not-served", what: "one query was not asked of the candidate", made: []change{{step: query, drop: true}}},
		{check: rank, want: "not-served", what: "no query was asked of either", made: []change{{step: "query:*", drop: true}}, place: inBothPlaces},
		{check: rank, want: "not-served", what: "no document was asked of either", made: []change{{of: documents, step: "document:*", drop: true}}, place: inBothPlaces},
		{check: rank, want: "not-served", what: "a query gets a page of both", made: []change{{step: query, do: pageStep}}, place: inBothPlaces},
		{check: rank, want: "same-order", what: "scores move by less than noise", with: kernels, made: floor(1.1)},
		{check: rank, want: "order-changes", what: "scores move by more than noise", with: kernels, made: floor(0.9)},
	}
}
