package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

func textReadings() []reading {
	const strips = "model: {whitespace: stripped}"
	return []reading{
		{check: "text/edge-whitespace", want: "stripped", what: "white space is stripped by a server with noise", with: strips + "\nvectors: {noise: call}"},
		{check: "text/edge-whitespace", want: contract.Other, what: "the text is refused when it is asked again", made: []change{{step: "plain-again", do: refusedStep}}},
		{check: "text/edge-whitespace", want: "kept", what: "the vector is the same, the tokens are not", with: strips, made: []change{{step: "written-otherwise", do: counts(99)}}},
		{check: "text/edge-whitespace", want: "stripped", what: "the vector is the same, and usage counts something else", with: strips + "\nusage: {count: characters}", made: []change{
			{step: "written-otherwise", do: counts(99)}}},
		{check: "text/whitespace-only", want: "as-empty", what: "an empty text has the same vector", made: []change{
			{of: "input_forms/empty-string", step: "empty", do: emptyServed}, {step: "blank", do: emptyServed}}},
		{check: "text/whitespace-only", want: "embedded", what: "an empty text has another vector", made: []change{
			{of: "input_forms/empty-string", step: "empty", do: emptyServed}}},
		{check: "text/whitespace-only", want: "no-vector", what: "a page", made: []change{{step: "blank", do: pageStep}}},
		{check: "text/raw-control", want: contract.Other, what: "the text with an escaped newline is refused", with: "request: {raw_control: accepted}", made: []change{
			{of: "text/newlines", step: "written-otherwise", do: refusedStep}}},
		{check: "text/special-token", want: contract.Other, what: "the text with the marker is not counted", made: []change{{step: "marker", do: noUsage}}},
		{check: "text/special-token", want: contract.Other, what: "the text without the marker is not counted", made: []change{{step: "without", do: noUsage}}},
		{check: "text/escapes", want: contract.Other, what: "the escaped text is refused", made: []change{{step: "escaped", do: refusedStep}}},
		{check: "text/escapes", want: contract.Other, what: "the text gets zeros", made: []change{{step: "plain", do: vectors(nothing)}}},
	}
}

// emptyServed is an answer with a vector of its own.
func emptyServed(s *contract.Step) {
	s.Status, s.Vectors = 200, []contract.Vector{{Values: elsewhere(make([]float32, 264))}}
	oneItem(s)
}

func tokenReadings() []reading {
	const strings, batch = "token_parity/counts-tokens", "token_parity/batch-is-sum"
	const prompt, cut, sum = "token_parity/no-hidden-prompt", "token_parity/at-truncation", "token_parity/request-sum"
	const parameter = "truncation/truncate-prompt-tokens"
	pair := func(one, more int) []change {
		return []change{{step: "one", do: counts(one)}, {step: "more", do: counts(more)}}
	}
	return []reading{
		{check: "token_parity/total-equals-prompt", want: "no-usage", what: "a text is refused", made: []change{{of: batch, step: "single-0", do: refusedStep}}},
		{check: strings, want: "no-usage", what: "a text is refused", made: []change{{step: "rare", do: refusedStep}}},
		{check: strings, want: "something-else", what: "few tokens for rare words, and too few for letters", made: []change{
			{step: "base", do: counts(10)}, {step: "longer", do: counts(17)}, {step: "rare", do: counts(5)}}},
		{check: "token_parity/token-array-length", want: "not-offered", what: "ids are refused", made: []change{{of: "input_forms/token-ids", step: "ids", do: refusedStep}}},
		{check: "token_parity/token-array-length", want: "no-usage", what: "ids are not counted", made: []change{{of: "input_forms/token-ids", step: "ids", do: noUsage}}},
		{check: prompt, want: "refused", what: "the longer text is refused", made: []change{{step: "more", do: refusedStep}}},
		{check: prompt, want: "not-counted", what: "the text of one letter is not counted", made: []change{{step: "one", do: noUsage}}},
		{check: prompt, want: "not-counted", what: "the longer text is not counted", made: []change{{step: "more", do: noUsage}}},
		{check: prompt, want: "not-counted", what: "the longer text counts as much", made: pair(2, 2)},
		{check: prompt, want: "none", what: "two tokens to a letter, and two markers", made: pair(4, 12)},
		{check: prompt, want: "hidden-prompt", what: "three tokens to a letter, and three tokens before it", made: pair(6, 18)},
		{check: cut, want: "nothing-cut", what: "a text whose first words have the vector of all of it", made: []change{
			{of: parameter, step: "whole", as: "cut"}, {of: parameter, step: "asked", as: "cut", do: counts(32)}}},
		{check: cut, want: "as-read", what: "over-long texts are cut, and the field is ignored", with: "length: {over: cut, truncate_prompt_tokens: ignored}"},
		{check: cut, want: contract.Other, what: "the text that is cut is not counted", made: []change{{of: parameter, step: "asked", do: noUsage}}},
		{check: cut, want: contract.Other, what: "the first words are not counted", made: []change{{of: parameter, step: "cut", do: noUsage}}},
		{check: batch, want: "no-usage", what: "a text is not counted", made: []change{{step: "single-0", do: counts(0)}}},
		{check: batch, want: "no-usage", what: "the batch is not counted", made: []change{{step: "batch", do: counts(0)}}},
		{check: "token_parity/edge-texts", want: "tokens-differ", what: "nothing was asked of the reference", made: []change{{step: "edge:*", drop: true}}, place: asTheReference},
		{check: "token_parity/edge-texts", want: "tokens-differ", what: "all texts have other tokens", made: []change{{step: "edge:*", do: counts(99)}}, says: "; first in edge:edge-one-word: "},
		{check: "token_parity/edge-texts", want: "equal", what: "as it was", made: []change{{step: "edge:*"}}, hides: "first in"},
		{check: "token_parity/sum", want: "not-counted", what: "one batch of the candidate is not counted", made: []change{{of: "vector_parity/repeat", step: "first:0", do: noUsage}}},
		{check: "token_parity/sum", want: "not-counted", what: "one batch of the reference is not counted", made: []change{{of: "vector_parity/repeat", step: "first:0", do: noUsage}}, place: asTheReference},
		{check: "token_parity/sum", want: "neither-counts", what: "all batches count nothing", made: []change{{of: "vector_parity/repeat", step: "first:*", do: counts(0)}}, place: inBothPlaces},
		{check: sum, want: contract.Other, what: "a text alone is refused, and so is the request", made: []change{{step: "alone:0", do: refusedStep}, {step: "request", do: refusedStep}}},
		{check: sum, want: contract.Other, what: "the request gets a page", made: []change{{step: "request", do: pageStep}}},
		{check: sum, want: contract.Other, what: "a text alone gets no vector", made: []change{{step: "alone:0", do: noVector}}},
		{check: sum, want: "served", what: "as it was", made: []change{{step: "request"}}, says: "tokens "},
		{check: sum, want: "served", what: "the request is not counted", made: []change{{step: "request", do: noUsage}}, hides: "tokens "},
	}
}
