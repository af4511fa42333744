package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

// besideReadings hold the bar of texts that are computed beside others: wider than that of a request asked again, and no
// wider than that of two servers.
func besideReadings() []reading {
	const corpus, alone, reversed = "batching/whole-corpus", "vector_parity/alone-and-in-batch", "vector_parity/order-in-batch"
	const documents = "token_parity/per-document"
	neighbour := func(distance float64) []alteration {
		return []alteration{{step: "batch", do: func(s *contract.Step) { s.Vectors[0].Values = turned(s.Vectors[1].Values, distance) }}}
	}
	return []reading{
		{check: corpus, want: "as-alone", what: "just within the bar", made: []alteration{{step: "batch", do: vector(3, by(besideWithin))}}},
		{check: corpus, want: "other-vector", what: "just beyond the bar", made: []alteration{{step: "batch", do: vector(3, by(besideBeyond))}}},
		{check: corpus, want: "swapped", what: "just within the bar from another text's", made: neighbour(besideWithin)},
		{check: corpus, want: "other-vector", what: "just beyond the bar from another text's", made: neighbour(besideBeyond)},
		{check: alone, want: "steady", what: "just within the bar", made: []alteration{{of: documents, do: all(by(besideWithin))}}},
		{check: alone, want: "below-bar", what: "just beyond the bar", made: []alteration{{of: documents, do: all(by(besideBeyond))}}},
		{check: reversed, want: "steady", what: "just within the bar", made: []alteration{{step: "reversed:0", do: all(by(besideWithin))}}},
		{check: reversed, want: "below-bar", what: "just beyond the bar", made: []alteration{{step: "reversed:0", do: all(by(besideBeyond))}}},
	}
}
