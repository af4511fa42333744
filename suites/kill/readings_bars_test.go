package kill_test

import (
	"slices"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// Distances on the two sides of parity.SameBar and of parity.BatchBar, and one below parity.PeerBar that is no rounding.
const (
	besideBeyond = beyond * parity.BatchBar
	besideWithin = within * parity.BatchBar
	justBeyond   = beyond * parity.SameBar
	justWithin   = within * parity.SameBar
	ofPeers      = 2 * parity.SameBar
)

// barReadings hold bars and allowances to their value where checks use them: a bar may not be ten times higher or lower, an
// allowance not by one.
func barReadings() []reading {
	away := func(step string) []alteration { return []alteration{{step: step, do: all(by(justBeyond))}} }
	marker := func(more int) []alteration {
		return []alteration{{step: "without", do: counting(20)}, {step: "marker", do: counting(20 + more)}}
	}
	rare := func(n int) []alteration {
		return []alteration{{step: "base", do: counting(10)}, {step: "longer", do: counting(23)}, {step: "rare", do: counting(n)}}
	}
	ofIDs := func(n int) []alteration {
		return []alteration{{of: "input_forms/token-ids", step: "ids", do: counting(n)}}
	}
	long := func(text string) []alteration {
		return []alteration{{of: "truncation/over-long", step: "over-long", do: refusedAs(400, text)}}
	}
	const strips, param, cut = "model: {whitespace: stripped}", "truncation/truncate-prompt-tokens", "token_parity/at-truncation"
	return []reading{
		{check: "response_shape/one-item-per-input", want: "array-refused", what: "the longest list is redirected", made: []alteration{{step: "inputs-17", do: answered(302, "")}}},
		{check: "response_shape/one-item-per-input", want: "array-refused", what: "the longest list fails", made: []alteration{{step: "inputs-17", do: refusedAs(500, "no")}}},
		{check: "service/batch-in-time", want: "within-30s", what: "20 seconds", made: []alteration{{step: "batch", do: func(s *contract.Step) { s.Took = 20 * time.Second }}}},
		{check: "status_codes/bounded-size", want: "bounded", what: "10 KiB", made: []alteration{{step: "asked", do: func(s *contract.Step) { s.Size = 10 << 10 }}}},
		{check: "status_codes/duplicate-key", want: "last-wins", what: "the last input, with noise", made: []alteration{{step: "asked", do: all(by(parity.SpaceBar / 2))}}},
		{check: "status_codes/message-actionable", want: "names-limit", what: "a number far above the limit", made: long("error 30000: at most 192 tokens")},
		{check: "status_codes/message-actionable", want: "names-both", what: "a size that is many times the limit", made: long("5000 tokens, at most 192")},

		{check: "text/edge-whitespace", want: "kept", what: "just beyond the bar", with: strips, made: away("written-otherwise")},
		{check: "text/edge-whitespace", want: "kept", what: "just beyond twice the noise", with: strips, made: []alteration{
			{step: "plain-again", do: all(by(2 * parity.SameBar))}, {step: "written-otherwise", do: all(by(5 * parity.SameBar))}}},
		{check: "text/whitespace-only", want: "embedded", what: "just beyond the bar from an empty text", made: []alteration{
			{of: "input_forms/empty-string", step: "empty", do: emptyServed}, {step: "blank", do: emptyServed}, {step: "blank", do: all(by(justBeyond))}}},
		{check: "text/raw-control", want: "read-otherwise", what: "just beyond the bar", with: "request: {raw_control: accepted}", made: away("asked")},
		{check: "text/special-token", want: "as-token", what: "two tokens for the marker", made: marker(2)},
		{check: "text/special-token", want: "as-text", what: "three tokens for the marker", made: marker(3)},
		{check: "token_parity/counts-tokens", want: "words", what: "a count of words with two markers", made: rare(6)},
		{check: "token_parity/counts-tokens", want: "tokens", what: "three tokens more than words", made: rare(7)},
		{check: "token_parity/token-array-length", want: "with-markers", what: "two more than ids", made: ofIDs(5)},
		{check: "token_parity/token-array-length", want: "another-number", what: "three more than ids", made: ofIDs(6)},
		{check: cut, want: "nothing-cut", what: "just beyond the bar from the text cut beforehand", made: []alteration{{of: param, step: "asked", do: all(by(justBeyond))}}},
		{check: cut, want: "as-read", what: "just within the bar from the text cut beforehand", made: []alteration{{of: param, step: "asked", do: all(by(justWithin))}}},
		{check: cut, want: "as-read", what: "just beyond the bar from the whole text", made: []alteration{{of: param, step: "whole", as: "cut", do: all(by(justBeyond))}}},
		{check: cut, want: "nothing-cut", what: "just within the bar from the whole text", made: []alteration{
			{of: param, step: "whole", as: "cut", do: all(by(justWithin))}, {of: param, step: "asked", do: counting(32)}}},
		{check: "token_parity/request-sum", want: "other-vectors", what: "just beyond the bar", made: []alteration{{step: "alone:0", do: all(by(besideBeyond))}}},
		{check: "token_parity/request-sum", want: "served", what: "just within the bar", made: []alteration{{step: "alone:0", do: all(by(besideWithin))}}},
		{check: "unit_norm/normalize-false", want: "other-vector", what: "just beyond the bar", with: "request: {normalize: honoured}", made: away("asked")},
		{check: "unit_norm/normalize-false", want: "honoured", what: "another norm by little more than the tolerance", with: "request: {normalize: honoured}", made: []alteration{
			{step: "plain", do: all(doubled)}, {step: "asked", as: "plain", do: all(longerBy(beyond * parity.NormTolerance / 2))}}},
		{check: "unit_norm/normalize-false", want: "ignored", what: "another norm by less than the tolerance", with: "request: {normalize: honoured}", made: []alteration{
			{step: "plain", do: all(doubled)}, {step: "asked", as: "plain", do: all(longerBy(within * parity.NormTolerance / 2))}}},
		{check: "witnesses/go-default", want: "garbage", what: "just beyond the bar", made: away("told")},
		{check: "witnesses/go-batch", want: "in-place", what: "as far apart as peers", made: []alteration{{step: "told", do: all(by(ofPeers))}}},
		{check: "witnesses/go-error", want: contract.Other, what: "an error though the request was served", made: []alteration{{step: "told", do: answered(0,
			`{"sdk":"x","error":{"class":"x","text":"cannot be read"},"calls":1,"answers":[{"status":200}]}`)}}},
	}
}

func longerBy(by float64) func([]float32) []float32 {
	return func(was []float32) []float32 { return longer(was, by) }
}

// longBarReadings do so for texts above the limit.
func longBarReadings() []reading {
	const over, silent, ids, param = "truncation/over-long", "truncation/silent-cut", "truncation/token-ids", "truncation/truncate-prompt-tokens"
	const side, half = "truncation/truncation-side", "truncation/effective-limit"
	const ignores, dropsHead, bothServed = "length: {over: served, truncate_prompt_tokens: ignored}", "length: {over: head-dropped}", "length: {over: served, over_ids: served}"
	const bothSides, hidden = "length: {truncation_side: honoured-end-marker-kept}", "length: {hidden: 96}"
	moved := func(step, as string, distance float64, more ...alteration) []alteration {
		return append([]alteration{{step: step, as: as, do: all(by(distance))}}, more...)
	}
	counted := alteration{step: "over-long", do: counting(264)}
	return []reading{
		{check: over, want: "end-dropped", what: "just beyond the bar from the text cut beforehand", with: cuts, made: moved("over-long", "", justBeyond)},
		{check: over, want: "served-whole", what: "another tail moves it just beyond the bar, and all is counted", with: losesMarker, made: moved("other-tail", "", justBeyond, counted)},
		{check: over, want: "end-dropped", what: "another tail moves it within the bar, and all is counted", with: losesMarker, made: moved("other-tail", "", justWithin, counted)},
		{check: over, want: "served-whole", what: "another head moves it just beyond the bar, and all is counted", with: dropsHead, made: moved("other-head", "", justBeyond, counted)},
		{check: silent, want: "read-whole", what: "another tail moves it just beyond the bar", with: cuts, made: moved("other-tail", "", justBeyond)},
		{check: silent, want: "read-whole", what: "another head moves it just beyond the bar", with: dropsHead, made: moved("other-head", "", justBeyond)},
		{check: silent, want: "told-by-usage", what: "nearly all is counted", with: cuts, made: []alteration{{step: "tail", do: counting(250)}}},
		{check: "truncation/batch-one-bad", want: "unlike-alone", what: "just beyond the bar", with: cuts, made: moved("alone:0", "", besideBeyond)},
		{check: "truncation/batch-one-bad", want: "as-alone", what: "just within the bar", with: cuts, made: moved("alone:0", "", besideWithin)},
		{check: "truncation/truncate-minus-one", want: "cut-otherwise", what: "just beyond the bar from the whole text", with: ignores, made: moved("asked", "", justBeyond)},
		{check: "truncation/truncate-above-limit", want: "other-vector", what: "just beyond the bar", with: "length: {truncate_prompt_tokens: ignored}", made: moved("asked", "", justBeyond)},
		{check: side, want: "honoured", what: "left is just beyond the bar from right", with: bothSides, made: moved("left", "right", justBeyond)},
		{check: side, want: "cut-otherwise", what: "right is just beyond the bar from the text cut beforehand", with: bothSides, made: moved("right", "", justBeyond)},
		{check: ids, want: "same-policy", what: "the first ids alone are just beyond the bar from all", with: bothServed, made: moved("cut", "over-long", justBeyond)},
		{check: ids, want: "same-policy", what: "other ids at the end move the vector just beyond the bar", with: bothServed, made: moved("other-tail", "over-long", justBeyond)},
		{check: ids, want: "cut-otherwise", what: "other ids at the end move the vector within the bar", with: bothServed, made: moved("other-tail", "over-long", justWithin)},
		{check: half, want: "lower", what: "half of it is read, and the last try was just beyond the bar", with: hidden, says: "about 192 tokens are read", made: moved("unread:96", "", justBeyond)},
		{check: half, want: "lower", what: "half of it is read, and the last try was within the bar", with: hidden, says: "about 96 tokens are read", made: moved("unread:96", "", justWithin)},
		{check: "truncation/end-counts", want: "counts", what: "another end moves it just beyond the bar", made: moved("other-end-25", "whole", justBeyond)},
		{check: param, want: "honoured", what: "just beyond the bar from the whole text", made: moved("whole", "asked", justBeyond)},
		{check: "truncation/reference-limit", want: "same-vectors", what: "as far apart as peers", made: moved("half", "", ofPeers)},
	}
}

// pairBarReadings do so for two servers.
func pairBarReadings() []reading {
	const cosine, repeat = "vector_parity/cosine", "vector_parity/repeat"
	// everything moves all documents of a server alike, so that it differs from the other one and not from itself.
	everything := func(how func([]float32) []float32, more ...alteration) []alteration {
		return append([]alteration{{of: repeat, do: all(how)}, {of: "vector_parity/order-in-batch", do: all(how)}, {of: "token_parity/per-document", do: all(how)}}, more...)
	}
	noise := func(distance float64) alteration {
		return alteration{of: repeat, step: "second:0", do: vector(0, by(distance))}
	}
	both := func(was []float32) []float32 { return doubled(turned(was, ofPeers)) }
	return []reading{
		{check: "vector_parity/edge-texts", want: "same-vectors", what: "as far apart as peers", made: []alteration{{of: "token_parity/edge-texts", step: "edge:*", do: all(by(ofPeers))}}},
		{check: cosine, want: "other-norm", what: "as far apart as peers, and twice as long", made: everything(both)},
		{check: cosine, want: "above-bar", what: "between twice and three times the noise", made: everything(by(parity.SameBar), noise(0.4*parity.SameBar))},
		{check: cosine, want: "above-bar", what: "noise above the bar excuses nothing", made: everything(by(4*parity.SameBar), noise(justBeyond))},
		{check: "vector_parity/components", want: "one-drifts", what: "one number among noise", with: "vectors: {noise: text, noise_size: 0.005}", made: []alteration{
			{of: repeat, step: "first:*", do: all(dented)}}},
		{check: "vector_parity/components", want: "not-served", what: "nothing can be read of either", made: []alteration{{of: repeat, step: "first:0", do: page}}, place: inBothPlaces},
	}
}

// dented is a vector of which one number is too great.
func dented(was []float32) []float32 {
	out := slices.Clone(was)
	out[5] += 0.02
	return out
}
