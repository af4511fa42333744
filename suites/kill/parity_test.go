package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

// moved is what changes with every vector, beside vector_parity/cosine, and everyText is why.
const (
	everyText = "queries and edge texts move as documents do"
	longTexts = "texts of the limit move as documents do"
	moved     = `
		instructions/prefixed-query=other-vector instructions/prefixed-query@reference=other-vector
		instructions/same-query=other-vector vector_parity/edge-texts=some-differ`
)

// noisy is what changes with noise above each bar, beside repeat and cosine, and twoVectors is why.
const (
	twoVectors = "two calls with the same text give two vectors"
	noisy      = `
		dimensions/native-value=other-vector dimensions/reduced-256=other-projection
		encoding_format/base64-bytes=other-values encoding_format/node-sdk-default=reads-garbage
		batching/long-texts=other-vector batching/whole-corpus=other-vector dimensions/reduced-batch=other-vectors
		encoding_format/base64-batch=other-vectors input_forms/nested-ids=other-vector
		instructions/prefixed-query=other-vector instructions/prefixed-query@reference=other-vector
		instructions/same-query=other-vector response_shape/string-equals-array=differs
		truncation/truncate-prompt-tokens=cut-otherwise vector_parity/alone-and-in-batch=below-bar
		truncation/reference-limit=other-vectors vector_parity/edge-texts=some-differ vector_parity/order-in-batch=below-bar`
)

func parityMutants() []mutant {
	return []mutant{
		{name: "usage counts padding", with: "usage: {count: padded}", shows: "token_parity/batch-is-sum=not-additive token_parity/sum=sum-differs"},
		{name: "usage is absent", with: "usage: {count: absent}", shows: "response_shape/extra-usage-fields=fewer-fields token_parity/batch-is-sum=no-usage token_parity/edge-texts=not-counted token_parity/per-document=not-counted token_parity/sum=not-counted", also: []coupling{
			{"it reads the answer to a text that is too long", "status_codes/message-actionable=error"},
			{"usage does not show what a marker costs", "text/special-token=not-applicable"},
			{"usage does not show the tokens of an instruction", "instructions/input-type-query=vector-only instructions/instruction-field=vector-only"},
			{"usage is required", "response_shape/wire-schema=violates-schema"},
			{"no text of a known number of tokens can be made", `
				batching/long-texts=error truncation/end-counts=error truncation/limit-exact=error
				truncation/limit-plus-one=error truncation/over-long=error truncation/truncate-prompt-tokens=error
				unit_norm/near-limit=error`},
		}},
		{name: "usage is 0", with: "usage: {count: zero}", shows: "token_parity/batch-is-sum=no-usage token_parity/edge-texts=not-counted token_parity/per-document=not-counted token_parity/sum=not-counted", also: []coupling{
			{"it reads the answer to a text that is too long", "status_codes/message-actionable=error"},
			{"usage does not show what a marker costs", "text/special-token=not-applicable"},
			{"usage does not show the tokens of an instruction", "instructions/input-type-query=vector-only instructions/instruction-field=vector-only"},
			{"no text of a known number of tokens can be made", `
				batching/long-texts=error truncation/end-counts=error truncation/limit-exact=error
				truncation/limit-plus-one=error truncation/over-long=error truncation/truncate-prompt-tokens=error
				unit_norm/near-limit=error`},
		}},
		{name: "usage counts characters", with: "usage: {count: characters}", shows: "instructions/input-type-query=vector-only instructions/instruction-field=vector-only token_parity/edge-texts=not-counted token_parity/per-document=not-counted token_parity/sum=sum-differs", also: []coupling{
			{"it reads the answer to a text that is too long", "status_codes/message-actionable=not-applicable"},
			{"usage does not show what a marker costs", "text/special-token=not-applicable"},
			{"no text of a known number of tokens can be made", `
				batching/long-texts=not-applicable truncation/end-counts=not-applicable truncation/limit-exact=not-applicable
				truncation/limit-plus-one=not-applicable truncation/over-long=not-applicable truncation/truncate-prompt-tokens=not-applicable
				unit_norm/near-limit=not-applicable`},
		}},
		{name: "usage leaves the end marker out", with: "usage: {count: without-end-marker}", shows: "token_parity/edge-texts=tokens-differ token_parity/per-document=tokens-differ token_parity/sum=sum-differs", also: []coupling{
			{"it reads the answer to a text that is too long", "status_codes/message-actionable=error"},
			{"no text of a known number of tokens can be made", `
				batching/long-texts=error truncation/end-counts=error truncation/limit-plus-one=error
				truncation/over-long=error truncation/truncate-prompt-tokens=error unit_norm/near-limit=error`},
			{"a text of the limit by its count is one token longer", "truncation/limit-exact=rejected-4xx"},
		}},
		{name: "no end marker", with: "model: {end_marker: absent}", shows: "token_parity/per-document=tokens-differ vector_parity/cosine=drifted", also: []coupling{
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{everyText, moved},
			{"the markers of all texts are missing", "token_parity/edge-texts=tokens-differ token_parity/sum=sum-differs"},
			{longTexts, "truncation/reference-limit=other-vectors"},
		}},
		{name: "another seed", with: "model: {seed: 2}", shows: "vector_parity/cosine=different-space", also: []coupling{
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{everyText, moved},
			{longTexts, "truncation/reference-limit=other-vectors"},
		}},
		{name: "mean pooling", with: "model: {pooling: mean}", shows: "vector_parity/cosine=different-space", also: []coupling{
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{everyText, moved},
			{longTexts, "truncation/reference-limit=other-vectors"},
		}},
		{name: "first token pooled", with: "model: {pooling: cls}", shows: "vector_parity/cosine=different-space", also: []coupling{
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{everyText, moved},
			{longTexts, "truncation/reference-limit=other-vectors"},
		}},
		{name: "lower case", with: "model: {case: folded}", shows: "text/case=folded vector_parity/cosine=drifted", also: []coupling{
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{everyText, moved},
		}},
		{name: "a prompt before every text", with: `instruction: {plain_prefix: "passage: "}`, shows: "token_parity/per-document=tokens-differ vector_parity/cosine=different-space instructions/prefixed-query=other-vector", also: []coupling{
			{"the prompt stands before a plain text alone", "input_forms/own-ids=other-vector instructions/input-type-document=moves-text"},
			{"the prompt stands before a text, not before a query", `
				instructions/manual-prefix=other-vector
				instructions/prefixed-query@reference=not-the-prefix vector_parity/edge-texts=some-differ`},
			{"its tokens are counted", "token_parity/edge-texts=tokens-differ token_parity/sum=sum-differs"},
			{longTexts, "truncation/reference-limit=other-vectors"},
		}},
		{name: "noise below each bar", with: "vectors: {noise: call, noise_size: 0.005}", shows: "vector_parity/cosine=within-noise"},
		{name: "noise above each bar", with: "vectors: {noise: call}", shows: "vector_parity/repeat=below-bar vector_parity/cosine=drifted", also: []coupling{
			{"two calls with the same text give two vectors, with input_type or as ids, too", "input_forms/own-ids=other-vector text/escapes=other-vector"},
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{twoVectors, "instructions/manual-prefix=other-vector " + noisy},
		}},
		{name: "noise above each bar, and fields ignored", with: "vectors: {noise: call}\ninstruction: {input_type: ignored, instruction: ignored}", shows: "instructions/input-type-document=ignored instructions/input-type-query=ignored instructions/instruction-field=ignored", also: []coupling{
			{"two calls with the same text give two vectors, with input_type or as ids, too", "input_forms/own-ids=other-vector instructions/unknown-input-type=as-plain text/escapes=other-vector"},
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{twoVectors, "vector_parity/repeat=below-bar vector_parity/cosine=drifted " + noisy},
			{"the query has no vector of its own", "instructions/manual-prefix=field-without-effect"},
		}},
		{name: "numbers of 3 decimals", with: "vectors: {numbers: rounded, digits: 3}", shows: "vector_parity/cosine=above-bar"},
		{name: "other kernels, just above rounding", with: "vectors: {noise: text, noise_size: 0.005}", shows: "vector_parity/cosine=above-bar"},
		{name: "other kernels, just within the bar", with: "vectors: {noise: text, noise_size: 0.031}", shows: "vector_parity/cosine=above-bar"},
		{name: "other kernels, just beyond the bar", with: "vectors: {noise: text, noise_size: 0.033}", shows: "vector_parity/cosine=drifted vector_parity/edge-texts=some-differ", also: []coupling{
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{everyText, "instructions/prefixed-query=other-vector instructions/prefixed-query@reference=other-vector instructions/same-query=other-vector"},
			{longTexts, "truncation/reference-limit=other-vectors"},
		}},
		{name: "numbers of 2 decimals", with: "vectors: {numbers: rounded, digits: 2}", shows: "vector_parity/cosine=drifted", also: []coupling{
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{"so coarse numbers have another norm and direction", `
				dimensions/reduced-256=other-projection dimensions/reduced-batch=other-vectors
				unit_norm/batch-of-8=not-unit unit_norm/near-limit=not-unit unit_norm/single=not-unit`},
			{everyText, moved},
			{longTexts, "truncation/reference-limit=other-vectors"},
		}},
		{name: "numbers of 1 decimal", with: "vectors: {numbers: rounded, digits: 1}", shows: "vector_parity/cosine=drifted", also: []coupling{
			{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
			{"so coarse numbers have another norm and direction", `
				dimensions/reduced-256=other-projection dimensions/reduced-batch=other-vectors
				unit_norm/batch-of-8=not-unit unit_norm/near-limit=not-unit unit_norm/single=not-unit`},
			{everyText, moved},
			{longTexts, "truncation/reference-limit=other-vectors"},
		}},
	}
}

// edgeMutants treat odd texts unlike the base, and all others like it.
func edgeMutants() []mutant {
	return []mutant{
		{name: "white space around a text stripped", with: "model: {whitespace: stripped}", shows: "text/edge-whitespace=stripped token_parity/edge-texts=tokens-differ vector_parity/edge-texts=some-differ"},
		{name: "newlines made spaces", with: "model: {whitespace: no-newlines}", shows: "text/newlines=as-space vector_parity/edge-texts=some-differ", also: []coupling{
			{"the prefix has a newline, which the server keeps in its own and changes in the one that a client writes", `
				instructions/manual-prefix=other-vector instructions/prefixed-query=other-vector
				instructions/prefixed-query@reference=not-the-prefix`},
		}},
		{name: "special tokens are text", with: "model: {special_tokens: plain}", shows: "text/special-token=as-text token_parity/edge-texts=tokens-differ vector_parity/edge-texts=some-differ"},
		{name: "special tokens refused", with: "model: {special_tokens: refused}", shows: "token_parity/edge-texts=not-counted vector_parity/edge-texts=not-served", also: []coupling{
			{"the text that is asked of one server holds a marker, too", "text/special-token=rejected-4xx"},
		}},
	}
}

func instructionsMutants() []mutant {
	return []mutant{
		{name: "input_type ignored", with: "instruction: {input_type: ignored}", shows: "instructions/input-type-document=ignored instructions/input-type-query=ignored instructions/manual-prefix=field-without-effect instructions/same-query=other-vector", also: []coupling{
			{"other values of input_type are ignored, too", "instructions/unknown-input-type=as-plain"},
			{"the query is embedded as it stands, the prefixed text is not", "instructions/prefixed-query@reference=not-the-prefix"},
		}},
		{name: "instruction ignored", with: "instruction: {instruction: ignored}", shows: "instructions/instruction-field=ignored"},
		{name: "another query prefix", with: `instruction: {query_prefix: "query: "}`, shows: "instructions/manual-prefix=other-vector instructions/same-query=other-vector instructions/prefixed-query@reference=not-the-prefix"},
		{name: "declared prefix longer than the limit", declare: func(f *contract.Facts) { f.QueryPrefix = contract.Filler{Words: killLimit}.String() },
			shows: "instructions/manual-prefix=refused"},
		{name: "unknown fields swallowed", with: "request: {unknown_fields: swallowed}", shows: "instructions/prompt=ignored instructions/prompt-name=ignored instructions/task=ignored instructions/unknown-field=swallowed"},
		{name: "unknown fields change the text", with: "request: {unknown_fields: as-prompt}", shows: "instructions/unknown-field=changes-answer", also: []coupling{
			{"these fields are unknown to it, too", "instructions/prompt-name=takes-effect instructions/prompt=takes-effect instructions/task=takes-effect"},
		}},
	}
}
