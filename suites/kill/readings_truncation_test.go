package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

// Servers of whose recordings evidence of over-long texts is made.
const (
	cuts        = "length: {over: cut}"
	serves      = "length: {over: served}"
	losesMarker = "length: {over: cut-end-marker-lost}"
)

// truncationReadings are about texts above the limit.
func truncationReadings() []reading {
	const over, exact, silent, batch = "truncation/over-long", "truncation/limit-exact", "truncation/silent-cut", "truncation/batch-one-bad"
	const effective = "truncation/effective-limit"
	step := func(name string, do func(*contract.Step)) []alteration { return []alteration{{step: name, do: do}} }
	// unknown takes the limit from the target file, so that nobody knows it.
	unknown := func(f *contract.Facts) { f.MaxTokens = 0 }
	return []reading{
		{check: over, want: contract.Other, what: "the answer is not counted", with: cuts, made: step("over-long", counting(-1))},
		{check: over, want: contract.Other, what: "the text cut beforehand is refused", with: cuts, made: step("cut", refusedWith(400))},
		{check: over, want: "served-whole", what: "with another tail it is refused", with: serves, made: step("other-tail", refusedWith(400))},
		{check: over, want: "served-whole", what: "with another head it is refused", with: serves, made: step("other-head", refusedWith(400))},
		{check: over, want: "end-dropped", what: "both ends have an influence, and no more than the limit is counted", with: serves, made: step("over-long", counting(killLimit))},
		{check: over, want: "end-dropped", what: "the tail has no influence, and all is counted", with: losesMarker, made: step("over-long", counting(264))},
		{check: exact, want: contract.Other, what: "the text is not counted", made: step("exact", counting(-1))},
		// What is not asked of a server whose usage counts something else is never passed over in silence.
		{check: "token_parity/counts-tokens", want: "something-else", what: "usage of other texts counts something else", made: []alteration{{of: contract.FactsID, step: "usage:8+3", do: counting(30)}}, says: "short texts"},
		{check: exact, want: string(contract.NotApplicable), what: "usage of other texts counts something else", made: []alteration{{of: contract.FactsID, step: "usage:8+1", do: counting(30)}}},

		{check: silent, want: contract.Other, what: "with another tail it is refused", with: serves, made: step("other-tail", refusedWith(400))},
		{check: silent, want: contract.Other, what: "with another head it gets zeros", with: serves, made: step("other-head", all(zeroed))},
		{check: silent, want: contract.Other, what: "with another head it gets three numbers", with: serves, made: step("other-head", all(shorter))},
		{check: silent, want: "read-whole", what: "with another head it is refused", with: serves, made: step("other-head", refusedWith(400))},
		{check: silent, want: "silent", what: "usage of other texts counts something else", with: cuts, made: []alteration{{of: contract.FactsID, do: noUsageOf200}}},
		{check: silent, want: "silent", what: "the answer is not counted", with: cuts, made: step("tail", counting(-1))},
		{check: silent, want: "told-by-usage", what: "nobody knows the limit", with: cuts, declared: unknown},
		{check: silent, want: "told-by-usage", what: "nobody knows the limit, and nearly all is counted", with: cuts, declared: unknown, made: step("tail", counting(11000))},
		{check: silent, want: "silent", what: "nobody knows the limit, and more than all is counted", with: cuts, declared: unknown, made: step("tail", counting(11500))},

		{check: batch, want: contract.Other, what: "a page", with: cuts, made: step("batch", page)},
		{check: batch, want: contract.Other, what: "all items have one index", with: cuts, made: step("batch", edited(`"index":1`, `"index":0`))},
		{check: batch, want: contract.Other, what: "a text alone gets no vector", with: cuts, made: step("alone:0", noVector)},
		{check: batch, want: "unlike-alone", what: "a text alone is refused", with: cuts, made: step("alone:0", refusedWith(400))},
		{check: batch, want: "unlike-alone", what: "a text alone has another vector", with: cuts, made: step("alone:0", all(axis))},

		{check: effective, want: "lower", what: "the limit is refused", with: "length: {off_by: 1}", says: "191 tokens is the longest that was taken"},
		{check: effective, want: "lower", what: "the limit is not counted", made: []alteration{{of: exact, step: "exact", do: counting(-1)}}},
		{check: effective, want: "lower", what: "half of it is read", with: "length: {hidden: 96}", says: "about 96 tokens are read"},
		{check: effective, want: "lower", what: "half of it is read, and one try was refused", with: "length: {hidden: 96}", made: step("unread:144", refusedWith(400)), says: "about 96 tokens are read"},
		{check: effective, want: "lower", what: "half of it is read, and one try has no number", with: "length: {hidden: 96}", made: step("unread:96", func(s *contract.Step) { s.Name = "unread:half" }),
			says: "about 192 tokens are read"},
		{check: "truncation/reference-limit", want: "not-served", what: "half the limit is refused by both", made: step("half", refusedWith(400)), place: inBothPlaces},
	}
}

// noUsageOf200 is noUsage of those answers that have it.
func noUsageOf200(s *contract.Step) {
	if s.OK() {
		counting(-1)(s)
	}
}

// longReadings are about token ids above the limit, and the fields that ask for a cut.
func longReadings() []reading {
	const ids, parameter, minusOne = "truncation/token-ids", "truncation/truncate-prompt-tokens", "truncation/truncate-minus-one"
	const above, side, huge, ends = "truncation/truncate-above-limit", "truncation/truncation-side", "truncation/huge-text", "truncation/end-counts"
	const long = "truncation/over-long"
	const bothSides = "length: {truncation_side: honoured-end-marker-kept}"
	step := func(name string, do func(*contract.Step)) []alteration { return []alteration{{step: name, do: do}} }
	aVector := func(s *contract.Step) { emptyServed(s) }
	return []reading{
		{check: ends, want: "refused", what: "with another end it is refused", made: step("other-end-25", refusedWith(400))},
		{check: ids, want: contract.Other, what: "over-long ids get no vector", with: "length: {over_ids: served}", made: step("over-long", noVector)},
		{check: ids, want: "same-policy", what: "texts lose their end marker, ids have none", with: "length: {over: cut-end-marker-lost, over_ids: cut}"},
		{check: ids, want: "same-policy", what: "texts fail, ids are refused", with: "faults: {over-long: {status: 500}, over-long-ids: {status: 400}}"},
		{check: ids, want: "same-policy", what: "both are cut", with: "length: {over: cut, over_ids: cut}", says: "; text: cut []"},
		{check: ids, want: "same-policy", what: "both are cut, and all is counted", with: "length: {over: cut, over_ids: cut}\nusage: {after_cut: whole}", says: "; text: cut []"},
		{check: ids, want: "same-policy", what: "both are served, the first ids alone are refused", with: "length: {over: served, over_ids: served}", made: step("cut", refusedWith(400))},
		{check: ids, want: "cut-otherwise", what: "both are served, other ids at the end are refused", with: "length: {over: served, over_ids: served}", made: step("other-tail", refusedWith(400))},
		{check: ids, want: "cut-otherwise", what: "ids are served and not counted", with: "length: {over: served, over_ids: served}", made: step("over-long", counting(-1))},
		{check: ids, want: "cut-otherwise", what: "other ids at the end change nothing, and all are counted", with: "length: {over_ids: served}", made: []alteration{{step: "other-tail", as: "over-long"}}},

		{check: parameter, want: contract.Other, what: "the whole text is refused, and so is the field", made: []alteration{{step: "whole", do: refusedWith(400)}, {step: "asked", do: refusedWith(400)}}},
		{check: parameter, want: contract.Other, what: "the whole text gets no vector", made: step("whole", noVector)},
		{check: parameter, want: "honoured", what: "the whole text gets three numbers", made: step("whole", all(shorter))},
		{check: parameter, want: contract.Other, what: "the limit is refused, and so is what is over it", made: []alteration{{step: "limit", do: refusedWith(400)}, {step: "over-long", do: refusedWith(400)}}},
		{check: parameter, want: "cut-otherwise", what: "an over-long text is cut elsewhere", made: step("over-long", all(axis))},

		{check: minusOne, want: contract.Other, what: "the text cut beforehand is refused", with: cuts, made: []alteration{{of: long, step: "cut", do: refusedWith(400)}, {step: "asked", do: refusedWith(400)}}},
		{check: minusOne, want: "cut-otherwise", what: "what is served whole is cut elsewhere on request", with: "length: {over: served, truncate_prompt_tokens: honoured-end-marker-lost}"},
		{check: minusOne, want: "cut-otherwise", what: "the field is ignored, and the end marker is lost", with: "length: {over: cut-end-marker-lost, truncate_prompt_tokens: ignored}"},
		{check: above, want: contract.Other, what: "zeros", with: "length: {truncate_prompt_tokens: ignored}", made: step("asked", all(zeroed))},
		{check: side, want: contract.Other, what: "left gets no vector", with: bothSides, made: step("left", noVector)},
		{check: side, want: contract.Other, what: "left gets zeros", with: bothSides, made: step("left", all(zeroed))},
		{check: side, want: contract.Other, what: "the text cut beforehand gets no vector", with: bothSides, made: []alteration{{of: parameter, step: "cut", do: noVector}}},
		{check: side, want: contract.Other, what: "the text cut beforehand gets zeros", with: bothSides, made: []alteration{{of: parameter, step: "cut", do: all(zeroed)}}},
		{check: huge, want: "no-vector", what: "zeros", made: []alteration{{step: "huge", do: aVector}, {step: "huge", do: all(zeroed)}}},
		{check: huge, want: "no-vector", what: "a page", made: step("huge", page)},
	}
}
