package kill_test

import (
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// toldReadings hold what people read of an answer that is none, where the same variant would come about for another reason:
// they look for the cause by it.
func toldReadings() []reading {
	const unreadable = "body is not an embeddings response"
	const survives, limit, isolation, ids = "status_codes/survives", "batching/limit-2048", "concurrency/isolation", "input_forms/token-ids"
	const list, stringAlone = "input_forms/empty-in-batch", "response_shape/string-equals-array"
	plain := func(check string) []alteration { return []alteration{{of: check, step: contract.StillAlive, do: page}} }
	return []reading{
		{check: survives, want: "other-vector", what: "the first plain request gets a page", made: plain("dimensions/above-native"), says: unreadable},
		{check: survives, want: "other-vector", what: "a later plain request gets a page", made: plain("status_codes/array-body"), says: unreadable},
		{check: "batching/index", want: contract.Other, what: "a text alone gets a page", made: []alteration{{step: "single-1", do: page}}, says: "single-1: " + unreadable},
		{check: "batching/duplicates", want: "answered", what: "an index stands there twice", made: []alteration{{step: "repeats", do: indexed("1", "0")}}},
		{check: limit, want: contract.Other, what: "the short list is refused, as people are told", made: []alteration{{step: "some", do: refusedWith(400)}}, says: "the plain request was not served either"},
		{check: limit, want: "other-vector", what: "an index is missing, as people are told", made: []alteration{{step: "many", do: indexed("0", "5000")}}, says: "no vector with index 0 can be compared"},
		{check: isolation, want: "other-vector", what: "one vector is shorter, as people are told", made: []alteration{{step: "parallel:3", do: all(halved)}}, says: "not comparable"},
		{check: "concurrency/overload", want: "all-served", what: "as it was", made: []alteration{{of: isolation, step: "quiet:3"}}, says: "[requests 256]"},
		{check: "encoding_format/node-sdk-default", want: "reads-garbage", what: "a list of numbers", with: "encoding: {base64: array}", made: []alteration{
			{of: "encoding_format/base64-is-string", step: "base64"}}, says: "it reads 66 numbers of norm 0 where the vector has 264"},
		{check: ids, want: contract.Other, what: "a page", made: []alteration{{step: "ids", do: page}}, says: ": " + unreadable},
		{check: "input_forms/negative-id", want: contract.Other, what: "a page", made: []alteration{{step: "asked", do: page}}, says: ": " + unreadable},
		{check: list, want: contract.Other, what: "the text alone is refused, as people are told", with: "input: {empty_string: embedded}", made: []alteration{
			{of: stringAlone, step: "string", do: refusedWith(400)}}, says: "[string]"},
		{check: "instructions/same-query", want: "other-norm", what: "all are twice as long, as people are told", made: []alteration{{step: "query:*", do: all(doubled)}}, says: "query:query-en-01: norms 1 and 2"},
		// A query that is ignored is near the plain text, and so may be near what is no longer.
		{check: "instructions/input-type-document", want: "moves-text", what: "the query is ignored, and the document is beyond the bar from the plain text only", with: "instruction: {input_type: ignored}",
			made: []alteration{{of: "instructions/input-type-query", step: "field", as: "plain", do: all(by(0.8 * parity.SameBar))}, {step: "document", do: all(by(justBeyond))}}},
	}
}

// queryReadings are queries of which two servers answer some alike and some not.
func queryReadings() []reading {
	const same, first, other = "instructions/same-query", "query:query-en-01", "query:query-ko-01"
	refuse := func(step string) alteration { return alteration{step: step, do: refusedWith(400)} }
	move := func(distance float64) alteration { return alteration{step: "query:*", do: all(by(distance))} }
	const byNeither = "1 of 10 queries are served by neither"
	return []reading{
		{check: same, want: "same-vector", what: "both refuse one of them", place: inBothPlaces, made: []alteration{refuse(first)}, says: byNeither},
		{check: same, want: "same-vector", what: "both serve all of them", place: inBothPlaces, made: []alteration{{step: first}}, hides: "served by neither"},
		{check: same, want: "neither-serves", what: "both refuse all of them", place: inBothPlaces, made: []alteration{refuse("query:*")}, says: "[" + first + " " + first + "]"},
		{check: same, want: "not-served", what: "one is refused, and the others are as far apart as peers", made: []alteration{move(peersWithin), refuse(first)}, says: "[" + first},
		{check: same, want: "other-vector", what: "one is refused, and the others are farther apart than peers", made: []alteration{move(peersBeyond), refuse(first)}},
		{check: same, want: "other-vector", what: "one is refused, and another is shorter", made: []alteration{refuse(first), {step: other, do: all(halved)}}, says: "[" + other},
	}
}

// toldLives do so for a worker that goes and comes back.
func toldLives() []reading {
	const stops, first = "lifecycle/worker-stops", "lifecycle/first-after-stop"
	return []reading{
		{check: first, want: "told", what: "it is refused, and so was the one before", made: []alteration{{of: stops, step: "before", do: refusedWith(400)}, {of: stops, step: "new:at-once", do: refusedWith(503)}}},
		{check: first, want: "garbage", what: "a page", made: []alteration{{of: stops, step: "new:at-once", do: page}}, says: "body is not an embeddings response"},
		{check: "lifecycle/health-while-gone", want: "says-so", what: "it fails, as people are told", made: []alteration{
			{of: everywhere, step: "health:*", do: refusedWith(503)}, {of: everywhere, step: "new:30s", do: faulty(contract.FaultRefused)}}, says: "/health 503, an embedding connection-refused"},
	}
}
