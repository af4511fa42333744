package kill_test

import (
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// sharedBarReadings hold a bar that many checks share to its value at each place where it is used: there, too, it may not be
// ten times higher or lower.
func sharedBarReadings() []reading {
	const duplicates, index, nested = "batching/duplicates", "batching/index", "input_forms/nested-ids"
	const list, isolation, kept = "input_forms/empty-in-batch", "concurrency/isolation", "concurrency/keep-alive"
	const embedded = "input: {empty_string: embedded}"
	return []reading{
		{check: "status_codes/survives", want: "other-vector", what: "one plain answer is just beyond the bar", made: []alteration{
			{of: "status_codes/missing-model", step: contract.StillAlive, do: all(by(justBeyond))}}},

		{check: index, want: "matches", what: "a vector nearer to its text than to another space", made: []alteration{{step: "batch", do: vector(0, by(parity.SpaceBar/2))}}},
		{check: duplicates, want: "differ", what: "a repeat is just beyond the bar", made: []alteration{{step: "repeats", do: vector(2, by(justBeyond))}}},
		{check: duplicates, want: "answered", what: "a repeat is just within the bar", made: []alteration{{step: "repeats", do: vector(2, by(justWithin))}}},
		{check: "batching/long-texts", want: "other-vector", what: "a vector is just beyond the bar from another text's", made: []alteration{{step: "batch", do: func(s *contract.Step) {
			s.Vectors[0].Values = turned(s.Vectors[1].Values, besideBeyond)
		}}}},
		{check: "batching/limit-2048", want: "other-vector", what: "just beyond the bar", made: []alteration{{step: "some", do: vector(1, by(besideBeyond))}}},
		{check: "batching/limit-2048", want: "served", what: "just within the bar", made: []alteration{{step: "some", do: vector(1, by(besideWithin))}}},
		{check: isolation, want: "other-vector", what: "just beyond the bar from the vector of another text", made: []alteration{
			{step: "parallel:3", as: "parallel:5", do: all(by(besideBeyond))}}},
		{check: isolation, want: "swapped", what: "just within the bar from the vector of another text", made: []alteration{
			{step: "parallel:3", as: "parallel:5", do: all(by(besideWithin))}}},
		{check: isolation, want: "own-vectors", what: "just within the bar", made: []alteration{{step: "parallel:3", do: all(by(besideWithin))}}},
		{check: kept, want: "other-vector", what: "just beyond the bar", made: []alteration{{step: "after-long", do: all(by(justBeyond))}}},

		{check: nested, want: "one-each", what: "the second vector is just beyond the bar from the first", made: []alteration{{step: "nested", do: second(justBeyond)}}},
		{check: nested, want: "other-vector", what: "the second vector is just within the bar from the first", made: []alteration{{step: "nested", do: second(justWithin)}}},
		{check: list, want: "neighbour-moved", what: "farther than peers", with: embedded, made: []alteration{{step: "asked", do: vector(0, by(peersBeyond))}}},
		{check: list, want: "embedded", what: "as far apart as peers", with: embedded, made: []alteration{{step: "asked", do: vector(0, by(peersWithin))}}},
		{check: "input_forms/own-ids", want: "same-vector", what: "as far apart as peers", made: []alteration{{step: "ids", do: all(by(peersWithin))}}},
	}
}

// second puts the second vector of an answer at a distance from the first.
func second(distance float64) func(*contract.Step) {
	return func(s *contract.Step) { s.Vectors[1].Values = turned(s.Vectors[0].Values, distance) }
}

// formatBarReadings do so for short vectors and those in base64.
func formatBarReadings() []reading {
	const asString, bytes, node, short = "encoding_format/base64-is-string", "encoding_format/base64-bytes", "encoding_format/node-sdk-default", "encoding_format/base64-dimensions"
	const raw, bigEndian, sliced = "encoding: {bytes: octet-stream}", "encoding: {base64: big-endian}", "dimensions: {reduced: sliced}"
	base64 := func(of string, change func([]float32) []float32) []alteration {
		return []alteration{{of: of, step: "base64", do: packed(change)}}
	}
	numbers := func(distance float64) []alteration {
		return []alteration{{of: asString, step: "float", do: all(by(distance))}}
	}
	return []reading{
		{check: "dimensions/reduced-256", want: "not-unit", what: "a norm that is just beyond the tolerance from that of the prefix", with: sliced, made: []alteration{
			{step: "reduced", do: all(longerBy(beyond * parity.NormTolerance))}}},
		{check: ofReducedBatch, want: "other-vectors", what: "norms that are just beyond the tolerance from those of the prefixes", with: sliced, made: []alteration{
			{step: "reduced", do: all(longerBy(beyond * parity.NormTolerance))}}},
		{check: ofReducedBatch, want: "sliced-not-renormalised", what: "norms that are just within the tolerance from those of the prefixes", with: sliced, made: []alteration{
			{step: "reduced", do: all(longerBy(within * parity.NormTolerance))}}, says: "128 numbers, norms 0."},
		{check: ofReducedBatch, want: "other-vectors", what: "plain slices that are just beyond the bar", with: sliced, made: []alteration{
			{step: "reduced", do: all(by(justBeyond))}}},
		{check: ofReducedBatch, want: "other-vectors", what: "one vector alone is renormalised", with: sliced, made: []alteration{
			{step: "reduced", do: func(s *contract.Step) {
				s.Vectors[0].Values = parity.Prefix(s.Vectors[0].Values, len(s.Vectors[0].Values))
			}}},
			says: "have the plain prefix"},
		{check: bytes, want: "other-values", what: "just beyond the bar", made: base64(asString, by(justBeyond))},
		{check: bytes, want: "other-values", what: "reversed bytes of a vector just beyond the bar", with: bigEndian, made: numbers(justBeyond)},
		{check: bytes, want: "big-endian", what: "reversed bytes of a vector just within the bar", with: bigEndian, made: numbers(justWithin)},
		{check: node, want: "reads-garbage", what: "just beyond the bar", made: base64(asString, by(justBeyond))},
		{check: short, want: "other-values", what: "just beyond the bar", made: base64("", by(justBeyond))},
		{check: short, want: "other-values", what: "a norm just beyond the tolerance", made: base64("", longerBy(beyond*parity.NormTolerance))},
		{check: short, want: "equal", what: "a norm just within the tolerance", made: base64("", longerBy(within*parity.NormTolerance))},
		{check: "encoding_format/bytes", want: "other-bytes", what: "just beyond the bar", with: raw, made: numbers(justBeyond)},
		{check: "encoding_format/bytes", want: "raw-bytes", what: "just within the bar", with: raw, made: numbers(justWithin)},
	}
}

// fieldBarReadings do so for fields that make another text of a text.
func fieldBarReadings() []reading {
	const unknown, document, own, query = "instructions/unknown-field", "instructions/input-type-document", "instructions/instruction-field", "instructions/input-type-query"
	const same, prefixed, repeat = "instructions/same-query", "instructions/prefixed-query", "vector_parity/repeat"
	const swallowed, asQuery, otherPrefix = "request: {unknown_fields: swallowed}", "instruction: {instruction: as-query}", `instruction: {query_prefix: "query: "}`
	noise := alteration{step: "plain-again", do: all(by(2 * parity.SameBar))}
	noiseOf := func(check string) alteration { return alteration{of: check, step: noise.step, do: noise.do} }
	// unsteady is a reference with another prefix that repeats itself to that distance.
	unsteady := func(want, what string, distance float64) reading {
		return reading{check: prefixed, want: want, what: what, with: otherPrefix, place: asTheReference, made: []alteration{{of: repeat, step: "second:0", do: vector(0, by(distance))}}}
	}
	return []reading{
		{check: unknown, want: "changes-answer", what: "just beyond the bar", with: swallowed, made: []alteration{{step: "field", as: "plain", do: all(by(justBeyond))}}},
		{check: unknown, want: "changes-answer", what: "just beyond twice the noise", with: swallowed, made: []alteration{
			noise, {step: "field", as: "plain", do: all(by(5 * parity.SameBar))}}},
		{check: own, want: "takes-effect", what: "just beyond the bar from the query", with: asQuery, made: []alteration{{step: "field", do: all(by(justBeyond))}}},
		{check: document, want: "moves-text", what: "just beyond twice the noise", made: []alteration{noiseOf(query), {step: "document", do: all(by(5 * parity.SameBar))}}},
		{check: same, want: "same-vector", what: "as far apart as peers", made: []alteration{{step: "query:*", do: all(by(peersWithin))}}},
		unsteady("other-vector", "the reference has another prefix, and is just too unsteady to tell", justBeyond),
		unsteady("not-the-prefix", "the reference has another prefix, and is just steady enough to tell", justWithin),
		{check: prefixed, want: "not-the-prefix", what: "the reference's prefixed texts are farther from its queries than peers", place: asTheReference, made: []alteration{
			{step: "prefixed:*", do: all(by(peersBeyond))}}},
		{check: prefixed, want: "same-vector", what: "the reference's prefixed texts are as far from its queries as peers", place: asTheReference, made: []alteration{
			{step: "prefixed:*", do: all(by(peersWithin))}}},
	}
}

// lifeBarReadings do so for a worker that goes and comes back.
func lifeBarReadings() []reading {
	const stops, soon, back, flight = "lifecycle/worker-stops", "lifecycle/while-stopping", "lifecycle/comes-back", "lifecycle/in-flight"
	const killed = "lifecycle/worker-killed"
	another := axis(make([]float32, 264))
	late := func(change func(*contract.Step)) func(*contract.Step) {
		return func(s *contract.Step) {
			change(s)
			s.Took = 5 * time.Second
		}
	}
	return []reading{
		{check: soon, want: "garbage", what: "it serves on, just beyond the bar", with: "life: {ignores: yes}", made: []alteration{{of: stops, step: "new:700ms", do: all(by(besideBeyond))}}},
		{check: soon, want: "told", what: "it serves on, just within the bar", with: "life: {ignores: yes}", made: []alteration{{of: stops, step: "new:700ms", do: all(by(besideWithin))}}},
		{check: back, want: "other-vector", what: "just beyond the bar", made: []alteration{{of: stops, step: "back", do: all(by(justBeyond))}}},
		{check: flight, want: "garbage", what: "one vector is just beyond the bar", made: []alteration{{of: stops, step: "in-flight", do: vector(7, by(besideBeyond))}}},
		{check: flight, want: "cut-5xx", what: "it was held as long when the worker was killed", made: []alteration{
			{of: stops, step: "in-flight", do: late(refusedWith(500))}, {of: killed, step: "in-flight", do: late(refusedWith(500))}}},
		{check: flight, want: "given-time", what: "it was not held as long when the worker was killed", made: []alteration{
			{of: stops, step: "in-flight", do: late(refusedWith(500))}, {of: killed, step: "in-flight", do: refusedWith(500)}}},
		{check: flight, want: "given-time", what: "it failed a little sooner when the worker was killed", made: []alteration{
			{of: stops, step: "in-flight", do: late(refusedWith(500))}, {of: killed, step: "in-flight", do: func(s *contract.Step) {
				refusedWith(500)(s)
				s.Took = 3 * time.Second
			}}}},
		{check: flight, want: "given-time", what: "it was served when the worker was killed", made: []alteration{
			{of: stops, step: "in-flight", do: late(refusedWith(500))}, {of: killed, step: "in-flight", do: late(withVector(another))}}},
		{check: flight, want: contract.Other, what: "the worker was not ended", made: []alteration{{of: stops, step: "end", do: faulty(contract.FaultAction)}}},
		{check: flight, want: "garbage", what: "all are the vector of another text", made: []alteration{
			{of: stops, step: "before", do: withVector(another)}, {of: stops, step: "in-flight", do: all(func([]float32) []float32 { return another })}}},
		{check: flight, want: "finished", what: "one vector is just within the bar", made: []alteration{{of: stops, step: "in-flight", do: vector(7, by(besideWithin))}}},
	}
}
