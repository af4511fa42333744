package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

func textReadings() []reading {
	const strips = "model: {whitespace: stripped}"
	return []reading{
		{check: "text/edge-whitespace", want: "stripped", what: "white space is stripped by a server with noise", with: strips + "\nvectors: {noise: call}"},
		{check: "text/edge-whitespace", want: contract.Other, what: "the text is refused when it is asked again", made: []alteration{{step: "plain-again", do: refusedWith(400)}}},
		{check: "text/edge-whitespace", want: "kept", what: "the vector is the same, the tokens are not", with: strips, made: []alteration{{step: "written-otherwise", do: counting(99)}}},
		{check: "text/edge-whitespace", want: "stripped", what: "the vector is the same, and usage counts something else", with: strips + "\nusage: {count: characters}", made: []alteration{
			{step: "written-otherwise", do: counting(99)}}},
		{check: "text/whitespace-only", want: "as-empty", what: "an empty text has the same vector", made: []alteration{
			{of: "input_forms/empty-string", step: "empty", do: emptyServed}, {step: "blank", do: emptyServed}}},
		{check: "text/whitespace-only", want: "embedded", what: "an empty text has another vector", made: []alteration{
			{of: "input_forms/empty-string", step: "empty", do: emptyServed}}},
		{check: "text/whitespace-only", want: "no-vector", what: "a page", made: []alteration{{step: "blank", do: page}}},
		{check: "text/raw-control", want: contract.Other, what: "the text with an escaped newline is refused", with: "request: {raw_control: accepted}", made: []alteration{
			{of: "text/newlines", step: "written-otherwise", do: refusedWith(400)}}},
		{check: "text/special-token", want: contract.Other, what: "the text with the marker is not counted", made: []alteration{{step: "marker", do: counting(-1)}}},
		{check: "text/special-token", want: contract.Other, what: "the text without the marker is not counted", made: []alteration{{step: "without", do: counting(-1)}}},
		{check: "text/escapes", want: contract.Other, what: "the escaped text is refused", made: []alteration{{step: "escaped", do: refusedWith(400)}}},
		{check: "text/escapes", want: contract.Other, what: "the text gets zeros", made: []alteration{{step: "plain", do: all(zeroed)}}},
	}
}

// emptyServed is an answer with a vector of its own.
func emptyServed(s *contract.Step) {
	s.Status, s.Vectors = 200, []contract.Vector{{Values: axis(make([]float32, 264))}}
	oneItem(s)
}

func tokenReadings() []reading {
	const strings, batch = "token_parity/counts-tokens", "token_parity/batch-is-sum"
	const prompt, cut, sum = "token_parity/no-hidden-prompt", "token_parity/at-truncation", "token_parity/request-sum"
	const parameter = "truncation/truncate-prompt-tokens"
	pair := func(one, more int) []alteration {
		return []alteration{{step: "one", do: counting(one)}, {step: "more", do: counting(more)}}
	}
	return []reading{
		{check: "token_parity/total-equals-prompt", want: "no-usage", what: "a text is refused", made: []alteration{{of: batch, step: "single-0", do: refusedWith(400)}}},
		{check: strings, want: "no-usage", what: "a text is refused", made: []alteration{{step: "rare", do: refusedWith(400)}}},
		{check: strings, want: "something-else", what: "few tokens for rare words, and too few for letters", made: []alteration{
			{step: "base", do: counting(10)}, {step: "longer", do: counting(17)}, {step: "rare", do: counting(5)}}},
		{check: "token_parity/token-array-length", want: "not-offered", what: "ids are refused", made: []alteration{{of: "input_forms/token-ids", step: "ids", do: refusedWith(400)}}},
		{check: "token_parity/token-array-length", want: "no-usage", what: "ids are not counted", made: []alteration{{of: "input_forms/token-ids", step: "ids", do: counting(-1)}}},
		{check: prompt, want: "refused", what: "the longer text is refused", made: []alteration{{step: "more", do: refusedWith(400)}}},
		{check: prompt, want: "not-counted", what: "the text of one letter is not counted", made: []alteration{{step: "one", do: counting(-1)}}},
		{check: prompt, want: "not-counted", what: "the longer text is not counted", made: []alteration{{step: "more", do: counting(-1)}}},
		{check: prompt, want: "not-counted", what: "the longer text counts as much", made: pair(2, 2)},
		{check: prompt, want: "none", what: "two tokens to a letter, and two markers", made: pair(4, 12)},
		{check: prompt, want: "hidden-prompt", what: "three tokens to a letter, and three tokens before it", made: pair(6, 18)},
		{check: cut, want: "nothing-cut", what: "a text whose first words have the vector of all of it", made: []alteration{
			{of: parameter, step: "whole", as: "cut"}, {of: parameter, step: "asked", as: "cut", do: counting(32)}}},
		{check: cut, want: "as-read", what: "over-long texts are cut, and the field is ignored", with: "length: {over: cut, truncate_prompt_tokens: ignored}"},
		{check: cut, want: contract.Other, what: "the text that is cut is not counted", made: []alteration{{of: parameter, step: "asked", do: counting(-1)}}},
		{check: cut, want: contract.Other, what: "the first words are not counted", made: []alteration{{of: parameter, step: "cut", do: counting(-1)}}},
		{check: batch, want: "no-usage", what: "a text is not counted", made: []alteration{{step: "single-0", do: counting(0)}}},
		{check: batch, want: "no-usage", what: "the batch is not counted", made: []alteration{{step: "batch", do: counting(0)}}},
		{check: "token_parity/edge-texts", want: "tokens-differ", what: "nothing was asked of the reference", made: []alteration{{step: "edge:*", drop: true}}, place: asTheReference},
		{check: "token_parity/edge-texts", want: "tokens-differ", what: "all texts have other tokens", made: []alteration{{step: "edge:*", do: counting(99)}}, says: "; first in edge:edge-one-word: "},
		{check: "token_parity/edge-texts", want: "equal", what: "as it was", made: []alteration{{step: "edge:*"}}, hides: "first in"},
		{check: "token_parity/sum", want: "not-counted", what: "one batch of the candidate is not counted", made: []alteration{{of: "vector_parity/repeat", step: "first:0", do: counting(-1)}}},
		{check: "token_parity/sum", want: "not-counted", what: "one batch of the reference is not counted", made: []alteration{{of: "vector_parity/repeat", step: "first:0", do: counting(-1)}}, place: asTheReference},
		{check: "token_parity/sum", want: "neither-counts", what: "all batches count nothing", made: []alteration{{of: "vector_parity/repeat", step: "first:*", do: counting(0)}}, place: inBothPlaces},
		{check: sum, want: contract.Other, what: "a text alone is refused, and so is the request", made: []alteration{{step: "alone:0", do: refusedWith(400)}, {step: "request", do: refusedWith(400)}}},
		{check: sum, want: contract.Other, what: "the request gets a page", made: []alteration{{step: "request", do: page}}},
		{check: sum, want: contract.Other, what: "a text alone gets no vector", made: []alteration{{step: "alone:0", do: noVector}}},
		{check: sum, want: "served", what: "as it was", made: []alteration{{step: "request"}}, says: "tokens "},
		{check: sum, want: "served", what: "the request is not counted", made: []alteration{{step: "request", do: counting(-1)}}, hides: "tokens "},
	}
}
