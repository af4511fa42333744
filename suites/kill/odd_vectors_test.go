package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

// oddVectors are answers whose vectors or their number are odd: batches, dimensions.
func oddVectors() []odd {
	const limit, long, native = "batching/limit-2048", "batching/long-texts", "dimensions/native-by-default"
	// of a long list: one whose values are not kept, and the last, whose values are.
	unkept := func(change func(*contract.Vector)) func(*contract.Step) {
		return func(s *contract.Step) { change(&s.Vectors[1]) }
	}
	return []odd{
		{check: "batching/duplicates", want: "differ", what: "a repeat is half as long", steps: "repeats", change: vector(2, halved)},
		{check: long, want: "other-vector", what: "a vector is near another text, and not the same", steps: "batch", change: func(s *contract.Step) {
			s.Vectors[0].Values = turned(s.Vectors[1].Values, 0.01)
		}},
		{check: long, want: "other-vector", what: "a vector is shorter", steps: "batch", change: vector(1, halved)},
		{check: long, want: "other", what: "the batch is no answer", steps: "batch", change: page},
		{check: long, want: "swapped", what: "a vector is that of another text", steps: "batch", change: func(s *contract.Step) {
			s.Vectors[0].Values = s.Vectors[1].Values
		}},
		{check: limit, want: "other", what: "the short list is refused", steps: "some", change: refusedWith(400)},
		{check: limit, want: "other", what: "the short list is no answer", steps: "some", change: page},
		{check: limit, want: "other", what: "the long list is no answer", steps: "many", change: page},
		{check: limit, want: "other-vector", what: "an item has no numbers", steps: "many", change: func(s *contract.Step) {
			s.Vectors = s.Vectors[:len(s.Vectors)-1]
		}},
		{check: limit, want: "other-vector", what: "an item is shorter", steps: "many", change: unkept(func(v *contract.Vector) { v.Unkept-- })},
		{check: limit, want: "other-vector", what: "an item that is not kept is of zeros", steps: "many", change: unkept(func(v *contract.Vector) { v.Norm = 0 })},
		{check: limit, want: "other-vector", what: "an index is missing", steps: "many", change: indexed("0", "5000")},
		{check: limit, want: "other-vector", what: "an item that is not kept has the index of one that is", steps: "many", change: indexed("1", "0")},
		{check: limit, want: "other", what: "an item that is kept is of zeros", steps: "many", change: vector(0, zeroed)},
		{check: limit, want: "other-vector", what: "an item in the short list is shorter", steps: "some", change: vector(1, halved)},
		{check: limit, want: "other-vector", what: "an item in the short list is another", steps: "some", change: vector(1, across)},

		{check: "dimensions/same-for-every-length", want: "refused", what: "the short text gets no answer", steps: "short", change: page},
		{check: "dimensions/native-value", want: "other", what: "it is no answer", steps: "native", change: page},
		{check: "dimensions/reduced-256", want: "honoured", what: "all of a vector is in its prefix", steps: "full reduced", change: all(axis)},
		{check: "dimensions/one", want: "honoured", what: "the one number has the other sign", steps: "asked", change: all(opposite)},
		{check: "dimensions/zero", want: "other", what: "there are no items", steps: "asked", change: data()},
		{check: "dimensions/zero", want: "other", what: "the vector is null", steps: "asked", change: data("null")},
		{check: "dimensions/zero", want: "other-length", what: "the vector is empty", steps: "asked", change: data("[]")},
		{check: "dimensions/zero", want: "other", what: "there are two empty vectors", steps: "asked", change: data("[]", "[]")},
		{check: "dimensions/zero", want: "other", what: "it is no answer", steps: "asked", change: page},
		{check: "dimensions/string", want: "other", what: "it is no answer", steps: "asked", change: page},
		{check: "dimensions/unlisted-size", want: "other", what: "the vector without the field is of zeros", of: native, steps: "default", change: all(zeroed)},
		{check: "dimensions/unlisted-size", want: "other", what: "the vector without the field is none", of: native, steps: "default", change: page},
	}
}

// oddFormats are answers to a wish for a format.
func oddFormats() []odd {
	const stringCheck, raw = "encoding_format/base64-is-string", "encoding: {bytes: octet-stream}"
	const bytes, numbers = "encoding_format/bytes", "encoding_format/float-digits"
	body := func(of func() []byte) func(*contract.Step) {
		return func(s *contract.Step) { s.Body = of() }
	}
	return []odd{
		{check: "encoding_format/base64-batch", want: "other-vectors", what: "an index is below all", steps: "base64", change: indexed("0", "-1")},
		{check: "encoding_format/base64-batch", want: "other-vectors", what: "an index is above all", steps: "base64", change: indexed("0", "17")},
		{check: "encoding_format/base64-batch", want: "other", what: "it is no answer", steps: "base64", change: page},
		{check: "encoding_format/base64-batch", want: "other-vectors", what: "a character behind all", steps: "base64", change: lengthened},
		{check: "encoding_format/base64-batch", want: "other-vectors", what: "an infinity", steps: "base64", change: packed(infinite)},
		{check: "encoding_format/base64-bytes", want: "other-values", what: "an infinity", of: stringCheck, steps: "base64", change: packed(infinite)},
		{check: "encoding_format/base64-bytes", want: "not-offered", what: "two strings", of: stringCheck, steps: "base64", change: oneMore},
		{check: "encoding_format/base64-bytes", want: "other", what: "the numbers are none", of: stringCheck, steps: "float", change: page},
		{check: "encoding_format/node-sdk-default", want: "reads-garbage", what: "an infinity", of: stringCheck, steps: "base64", change: packed(infinite)},
		{check: "encoding_format/node-sdk-default", want: "raises", what: "there are no items", of: stringCheck, steps: "base64", change: data()},
		{check: "encoding_format/node-sdk-default", want: "raises", what: "it is no answer", of: stringCheck, steps: "base64", change: page},
		{check: "encoding_format/case", want: "other", what: "it is no answer", steps: "case", change: page},
		{check: "encoding_format/case", want: "other", what: "there are two items", steps: "case", change: data(`"AAAA"`, `"AAAA"`)},
		{check: "encoding_format/case", want: "other", what: "the vector is null", steps: "case", change: data("null")},

		{check: bytes, want: "other", what: "the numbers are none", with: raw, of: stringCheck, steps: "float", change: page},
		{check: bytes, want: "other-bytes", what: "the bytes are zeros", with: raw, steps: "bytes", change: func(s *contract.Step) { s.Body = make([]byte, len(s.Body)) }},
		{check: bytes, want: "other-bytes", what: "a byte too many", with: raw, steps: "bytes", change: func(s *contract.Step) { s.Body = append(s.Body[:len(s.Body):len(s.Body)], 0) }},
		{check: bytes, want: "other-bytes", what: "the bytes are of another vector", with: raw, steps: "bytes", change: body(func() []byte { return bytesOf(axis(make([]float32, 264))) })},
		{check: bytes, want: "other-bytes", what: "an infinity", with: raw, steps: "bytes", change: func(s *contract.Step) {
			s.Body = append(bytesOf(infinite([]float32{0})), s.Body[4:]...)
		}},

		{check: numbers, want: "other", what: "the numbers are zeros", of: stringCheck, steps: "float", change: all(zeroed)},
		{check: numbers, want: "full", what: "base64 is refused", of: stringCheck, steps: "base64", change: refusedWith(400)},
		{check: numbers, want: "full", what: "there are no items in base64", of: stringCheck, steps: "base64", change: data()},
		{check: numbers, want: "full", what: "numbers in place of base64", of: stringCheck, steps: "base64", change: withVector([]float32{1})},
		{check: numbers, want: "full", what: "nothing but infinities in base64", of: stringCheck, steps: "base64", change: packed(allInfinite)},
		{check: numbers, want: "full", what: "nothing but zeros in base64", of: stringCheck, steps: "base64", change: packed(zeroed)},
	}
}
