package kill_test

import (
	"strconv"
)

// sizeTexts hold what a refused value of dimensions tells people: whether the server refuses any.
func sizeTexts() []reading {
	const zero, reduced, native, told = "dimensions/zero", "dimensions/reduced-256", "dimensions/native-value", "; as any dimensions"
	refuse := func(of, step string) alteration { return alteration{of: of, step: step, do: refusedWith(400)} }
	return []reading{
		{check: zero, want: "rejected-4xx", what: "all others are served", made: []alteration{{step: "asked", do: refusedWith(400)}}, hides: told},
		{check: zero, want: "rejected-4xx", what: "all others are refused", made: []alteration{refuse(reduced, "reduced"), refuse(native, "native")}, says: told},
		{check: zero, want: "rejected-4xx", what: "a shorter one is refused, and the native one is served", made: []alteration{refuse(reduced, "reduced")}, hides: told},
		{check: zero, want: "rejected-4xx", what: "no other was asked for", made: []alteration{{of: reduced, drop: true}, {of: native, drop: true}}, hides: told},
		{check: zero, want: "rejected-4xx", what: "one other was asked for, and refused", made: []alteration{{of: reduced, drop: true}, refuse(native, "native")}, says: told},
	}
}

// formatReadings are strings that a lenient decoder reads and a strict one does not, and how many wrong answers are shown.
func formatReadings() []reading {
	const asString, node = "encoding_format/base64-is-string", "encoding_format/node-sdk-default"
	return []reading{
		{check: node, want: "reads-vector", what: "characters of no alphabet before all others", made: []alteration{{of: asString, step: "base64", do: edited(`"embedding":"`, `"embedding":"!? .`)}}},
		{check: node, want: "reads-vector", what: "a character behind all that makes no byte", made: []alteration{{of: asString, step: "base64", do: longerText("A")}}},
		{check: steadyCheck, want: "wrong-vector", what: "more answers are wrong than are shown", made: []alteration{
			{step: "plain:list-0:9", do: all(axis)}, {step: "plain:list-1:15", do: all(axis)}, {step: "plain:list-2:25", do: all(axis)}, {step: "plain:list-0:81", do: all(axis)}},
			says: "[plain:list-0:9 plain:list-1:15 plain:list-2:25]"},
	}
}

// allowanceReadings stand on both sides of what an honest server may do.
func allowanceReadings() []reading {
	const asString, numbers, ids = "encoding_format/base64-is-string", "encoding_format/float-digits", "input_forms/token-ids"
	written := func(digits int) []alteration {
		return []alteration{{of: asString, step: "float", do: all(ofDigits(digits))}}
	}
	inBase64 := func(digits int) []alteration {
		return []alteration{{of: asString, step: "base64", do: packed(ofDigits(digits))}}
	}
	counted := func(tokens int) []alteration { return []alteration{{step: "ids", do: counting(tokens)}} }
	return []reading{
		{check: numbers, want: "full", what: "six digits", made: written(6)},
		{check: numbers, want: "rounded", what: "five digits", made: written(5)},
		{check: numbers, want: "full", what: "six digits in base64", made: inBase64(6)},
		{check: numbers, want: "base64-rounded", what: "five digits in base64", made: inBase64(5)},
		{check: ids, want: "one-vector", what: "two tokens more than ids", made: counted(5)},
		{check: ids, want: "other-tokens", what: "three tokens more than ids", made: counted(6)},
	}
}

// ofDigits rounds the numbers of a vector to so many significant decimal digits.
func ofDigits(n int) func([]float32) []float32 {
	return func(was []float32) []float32 {
		out := make([]float32, len(was))
		for i, x := range was {
			v, _ := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'e', n-1, 32), 32) // what was just written
			out[i] = float32(v)
		}
		return out
	}
}
