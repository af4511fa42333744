package kill_test

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
)

func witnessReadings() []reading {
	const one, batch = "witnesses/go-default", "witnesses/go-batch"
	told := func(do func(*contract.Step)) []alteration { return []alteration{{step: "told", do: do}} }
	// toldOf is a batch as an SDK hands it on: the text and the index of each item.
	toldOf := func(items ...[2]int) []alteration {
		return told(func(s *contract.Step) {
			was := s.Vectors
			var data [][]byte
			s.Vectors = nil
			for i, it := range items {
				data = append(data, fmt.Appendf(nil, `{"index":%d,"embedding":[]}`, it[1]))
				s.Vectors = append(s.Vectors, contract.Vector{Item: i, Values: was[it[0]].Values})
			}
			s.Body = fmt.Appendf(nil, `{"sdk":"x","ok":true,"data":[%s],"calls":1,"answers":[{"status":200}]}`, bytes.Join(data, []byte(",")))
			at := 0
			for i := range s.Vectors {
				at += bytes.Index(s.Body[at:], []byte("[]"))
				s.Vectors[i].Offset = at
				at += 2
			}
		})
	}
	return []reading{
		{check: one, want: contract.Other, what: "the SDK told something else", made: told(answered(0, "<html>"))},
		{check: one, want: contract.Other, what: "the text is refused by raw HTTP", made: []alteration{{step: "raw-0", do: refusedWith(400)}}},
		{check: one, want: contract.Other, what: "the SDK was ended", made: told(answered(0, `{"sdk":"x","ended":true,"error":{"class":"x","text":"ended"},"calls":0,"answers":[]}`))},
		{check: one, want: "raises", what: "after one call without an answer", made: told(answered(0, `{"sdk":"x","error":{"class":"x","text":"no"},"calls":1,"answers":[{"status":0}]}`)),
			says: "1 call, answered not at all "},
		{check: one, want: "raises", what: "after two calls", made: told(answered(0, `{"sdk":"x","error":{"class":"x","text":"no"},"calls":2,"answers":[{"status":500},{"status":503}]}`)),
			says: "2 calls, answered 500, 503 "},
		{check: one, want: "garbage", what: "a text for a vector", made: told(answered(0, `{"sdk":"x","ok":true,"data":[{"index":0,"embedding":"AAAA"}],"calls":1,"answers":[{"status":200}]}`)),
			says: `it hands on "AAAA"`},
		{check: one, want: "garbage", what: "null among the numbers", made: []alteration{
			{step: "raw-0", do: all(shorter)}, {step: "told", do: answered(0, `{"sdk":"x","ok":true,"data":[{"index":0,"embedding":[0.5,null,0.1]}],"calls":1,"answers":[{"status":200}]}`)}}},
		{check: one, want: "garbage", what: "two items for one text", made: told(func(s *contract.Step) {
			s.Body = bytes.Replace(s.Body, []byte(`"embedding":[]}]`), []byte(`"embedding":[]},{"index":1,"embedding":[1]}]`), 1)
		})},
		{check: batch, want: "in-place", what: "as it was", made: toldOf([2]int{0, 0}, [2]int{1, 1}, [2]int{2, 2}), hides: "is the vector of"},
		{check: batch, want: "by-index", what: "two items have changed places", made: toldOf([2]int{1, 1}, [2]int{0, 0}, [2]int{2, 2}),
			says: "item 0 with index 1 is the vector of text 1"},
		{check: batch, want: "misplaced", what: "two vectors have changed places, and one index is right", made: toldOf([2]int{1, 0}, [2]int{0, 0}, [2]int{2, 2})},
		{check: batch, want: "misplaced", what: "one text stands there twice", made: toldOf([2]int{0, 0}, [2]int{0, 0}, [2]int{2, 2})},
	}
}

// reasonReadings are about what an SDK tells of a refusal.
func reasonReadings() []reading {
	const check, with, without = "witnesses/go-error", "raises-with-reason", "raises-without-reason"
	// raised is what an SDK tells of one answer with that body, by an error of that text.
	raised := func(body, text string) []alteration {
		raw, err := json.Marshal(map[string]any{"sdk": "x", "error": map[string]any{"class": "x", "text": text}, "calls": 1, "answers": []any{map[string]any{"status": 400, "body": body}}})
		if err != nil {
			panic(err)
		}
		return []alteration{{step: "told", do: answered(0, string(raw))}}
	}
	const many = "too many numbers"
	return []reading{
		{check: check, want: contract.Other, what: "the SDK told something else", made: []alteration{{step: "told", do: answered(0, "<html>")}}},
		{check: check, want: contract.Other, what: "the SDK was ended", made: []alteration{{step: "told", do: answered(0,
			`{"sdk":"x","ended":true,"error":{"class":"x","text":"ended"},"calls":2,"answers":[{"status":500},{"status":500}]}`)}}},
		{check: check, want: contract.Other, what: "the SDK made no call", made: []alteration{{step: "told", do: answered(0,
			`{"sdk":"x","error":{"class":"x","text":"no key"},"calls":0,"answers":[]}`)}}},
		{check: check, want: with, what: "a body that is text", made: raised(many, "400 "+many)},
		{check: check, want: without, what: "a page", made: raised("<html>no</html>", "400 <html>no</html>")},
		{check: check, want: with, what: "an empty error and a message", made: raised(`{"error":"","message":"`+many+`"}`, "400 "+many)},
		{check: check, want: with, what: "detail of a text", made: raised(`{"detail":"`+many+`"}`, "400 "+many)},
		{check: check, want: with, what: "detail of a list", made: raised(`{"detail":[{"msg":"`+many+`"}]}`, "400 "+many)},
		{check: check, want: without, what: "detail of an empty list", made: raised(`{"detail":[]}`, "400 ")},
		{check: check, want: with, what: "other quotes around its words", made: raised(`{"error":{"message":"no \"numbers\""}}`, `400 no 'numbers'`)},
		{check: check, want: without, what: "other words", made: raised(`{"error":{"message":"too many"}}`, "Bad Request")},
		{check: check, want: without, what: "another number", made: raised(`{"error":{"message":"at most 192"}}`, "at most 264")},
	}
}
