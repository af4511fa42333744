package kill_test

import (
	"bytes"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// steadyReadings are answers of which some are unlike the others. Requests 9, 25, 49 and 81 come right after one that is
// refused.
func steadyReadings() []reading {
	const check, zeros = steadyCheck, "vectors: {form: zeros}"
	after := func(steps ...string) (out []alteration) {
		for _, s := range steps {
			out = append(out, alteration{step: s, do: all(axis)})
		}
		return out
	}
	failing := refusedAs(500, "no")
	// The two items change places, and so do their indices.
	otherOrder := func(s *contract.Step) {
		s.Body = bytes.ReplaceAll(bytes.ReplaceAll(bytes.ReplaceAll(s.Body, []byte(`"index":0`), []byte(`"index":9`)), []byte(`"index":1`), []byte(`"index":0`)), []byte(`"index":9`), []byte(`"index":1`))
		s.Vectors[0].Values, s.Vectors[1].Values = s.Vectors[1].Values, s.Vectors[0].Values
	}
	const onlyThen = "only answers right after a refused request"
	return []reading{
		{check: check, want: "steady", what: "as it was", says: "lists only: "},
		{check: check, want: contract.Other, what: "nothing was asked", made: []alteration{{drop: true}}},
		{check: check, want: "steady", what: "one request is never served", made: []alteration{{step: "plain:list-1*", do: refusedWith(400)}}},
		{check: check, want: "steady", what: "a list in another order, with right indices", made: []alteration{{step: "plain:list-0:9", do: otherOrder}}},
		{check: check, want: "below-bar", what: "the first answer stands between two others", made: []alteration{
			{step: "plain:text-0:21", do: all(by(0.06))}, {step: "plain:text-0:73", do: all(back(0.06))}}},
		{check: check, want: "wrong-vector", what: "the first fault is the gravest", made: []alteration{
			{step: "plain:list-0:9", do: all(axis)}, {step: "plain:list-1:15", do: failing}}, says: "1 of 84; plain:list-0:9"},
		{check: check, want: "wrong-vector", what: "a later fault is the gravest", made: []alteration{
			{step: "plain:list-0:9", do: failing}, {step: "plain:list-1:15", do: all(axis)}}, says: "1 of 84; plain:list-1:15"},
		{check: check, want: "wrong-vector", what: "two answers right after a refused request", made: after("plain:list-0:9", "plain:list-2:25"), says: onlyThen},
		{check: check, want: "wrong-vector", what: "one answer right after a refused request", made: after("plain:list-0:9"), hides: onlyThen},
		{check: check, want: "wrong-vector", what: "an answer right after a refused request and one that is not", made: after("plain:list-0:9", "plain:list-1:15"), hides: onlyThen},
		{check: check, want: "wrong-vector", what: "an answer that is not right after a refused request and one that is", made: after("plain:list-1:15", "plain:list-0:81"), hides: onlyThen},
		{check: check, want: "broken-vector", what: "the first answer to a list has no vectors", made: []alteration{{step: "plain:list-1:2", do: noVector}},
			says: "the first answer, plain:list-1:2: "},
		{check: check, want: "broken-vector", what: "a later answer to a list has no vectors", made: []alteration{{step: "plain:list-1:15", do: noVector}},
			says: "plain:list-1:15: data[0].embedding is not a flat list"},
		{check: check, want: "broken-vector", what: "an answer to a list has one vector", made: []alteration{{step: "plain:list-1:15", do: oneItem}}},
		{check: check, want: "steady", what: "zeros each time", with: zeros},
		{check: check, want: "broken-vector", what: "zeros each time, once fewer", with: zeros, made: []alteration{{step: "plain:list-1:15", do: all(shorter)}}},
		{check: check, want: "broken-vector", what: "zeros once", made: []alteration{{step: "plain:list-1:15", do: all(zeroed)}}},
		{check: check, want: "broken-vector", what: "zeros at first", made: []alteration{{step: "plain:list-1:2", do: all(zeroed)}}},
	}
}

// back turns a vector to the other side of where by turns it.
func back(distance float64) func([]float32) []float32 {
	return func(was []float32) []float32 {
		there := turned(was, distance)
		// The mirror image of there at was: twice the part along it, less there.
		var along, square float64
		for i := range was {
			along += float64(was[i]) * float64(there[i])
			square += float64(was[i]) * float64(was[i])
		}
		out := make([]float32, len(was))
		for i := range was {
			out[i] = float32(2*along/square*float64(was[i]) - float64(there[i]))
		}
		return out
	}
}

// oneItem keeps the first item of an answer.
func oneItem(s *contract.Step) {
	s.Body = []byte(`{"object":"list","data":[{"object":"embedding","index":0,"embedding":[]}],"usage":{"prompt_tokens":5,"total_tokens":5}}`)
	s.Vectors = s.Vectors[:1]
	s.Vectors[0].Offset = bytes.Index(s.Body, []byte("[]"))
}
