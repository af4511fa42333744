package kill_test

// sizeMutants are for what is made of odd sizes of vectors, of norms, and of formats.
func sizeMutants() []mutant {
	return []mutant{
		{name: "dimensions of listed sizes only", with: "dimensions: {sizes: [128, 256]}", shows: "dimensions/unlisted-size=rejected-4xx dimensions/one=rejected-4xx"},
		{name: "dimensions as a string coerced", with: "dimensions: {wrong_type: coerced}", shows: "dimensions/string=coerced dimensions/boolean=coerced"},
		{name: "dimensions of any type cast", with: "dimensions: {wrong_type: cast}", shows: "dimensions/string=coerced dimensions/boolean=coerced dimensions/fraction=coerced"},
		{name: "dimensions of another type raised", with: "dimensions: {wrong_type: raised}", shows: "dimensions/string=other-length dimensions/boolean=other-length dimensions/fraction=other-length"},
		{name: "dimensions of another type ignored", with: "dimensions: {wrong_type: ignored}", shows: "dimensions/string=ignored dimensions/boolean=ignored dimensions/fraction=ignored"},
		{name: "dimensions null refused", with: "dimensions: {explicit_null: refused}", shows: "dimensions/null=rejected-4xx"},
		{name: "dimensions null is 0, and 0 is 1", with: "dimensions: {explicit_null: as-zero, zero: raised}", shows: "dimensions/null=other-vector dimensions/zero=other-length"},
		{name: "other sizes of dimensions served by the next listed", with: "dimensions: {sizes: [128, 256], unlisted: next-listed}", shows: "dimensions/unlisted-size=other-length dimensions/one=other-length"},

		{name: "norm 2 above the limit", with: "length: {over: cut}\nvectors: {norm: scaled-over-limit}", shows: "unit_norm/over-limit=not-unit", also: []coupling{overLongCut("")}},
		{name: "normalize false honoured", with: "request: {normalize: honoured}", shows: "unit_norm/normalize-false=honoured"},
		{name: "normalize ignored", with: "request: {normalize: ignored}", shows: "unit_norm/normalize-false=ignored"},
		{name: "normalize false takes another layer", with: "request: {normalize: other-layer}", shows: "unit_norm/normalize-false=other-vector"},
		{name: "use_activation false honoured", with: "request: {use_activation: honoured}", shows: "unit_norm/use-activation-false=honoured"},
		{name: "use_activation ignored", with: "request: {use_activation: ignored}", shows: "unit_norm/use-activation-false=ignored"},
		{name: "use_activation false takes another layer", with: "request: {use_activation: other-layer}", shows: "unit_norm/use-activation-false=other-vector"},

		{name: "dimensions ignored in base64", with: "encoding: {base64_dimensions: ignored}", shows: "encoding_format/base64-dimensions=other-length"},
		{name: "dimensions sliced in base64", with: "encoding: {base64_dimensions: sliced}", shows: "encoding_format/base64-dimensions=other-values"},
		{name: "formats in any case", with: "encoding: {case: any}", shows: "encoding_format/case=string"},
		{name: "raw bytes", with: "encoding: {bytes: octet-stream}", shows: "encoding_format/bytes=raw-bytes"},
		{name: "raw bytes, big-endian", with: "encoding: {bytes: big-endian}", shows: "encoding_format/bytes=other-bytes"},
		{name: "base64 of 3 decimals", with: "encoding: {base64: rounded}\nvectors: {digits: 3}", shows: "encoding_format/float-digits=base64-rounded"},
		{name: "numbers of 4 decimals", with: "vectors: {numbers: rounded, digits: 4}", shows: "encoding_format/float-digits=rounded"},
	}
}

// overLongCut is what a server that cuts shows beside the one thing that a row is for.
func overLongCut(more string) coupling {
	return coupling{"over-long texts are cut", more + `
		truncation/over-long=truncated truncation/limit-plus-one=truncated truncation/silent-cut=told-by-usage
		truncation/batch-one-bad=as-alone truncation/truncate-minus-one=cut-anyway`}
}

// sizeRefusals are the requests of these checks that a server may refuse with any status.
func sizeRefusals() []refusal {
	return []refusal{
		{check: "dimensions/string", class: "dimensions-type", too: "dimensions/fraction dimensions/boolean", alone: true},
		{check: "dimensions/null", class: "dimensions-null", with: "dimensions: {explicit_null: refused}", alone: true},
		{check: "unit_norm/normalize-false", class: "normalize", alone: true},
		{check: "unit_norm/use-activation-false", class: "use-activation", alone: true},
		{check: "token_parity/request-sum", class: "too-many-items", with: "input: {max_items: 18}", alone: true},
		{check: "truncation/truncate-above-limit", class: "truncate-value", alone: true},
		{check: "truncation/truncation-side", class: "truncation-side", alone: true},
		{check: "encoding_format/base64-dimensions", class: "encoding-base64-dimensions", with: "encoding: {base64_dimensions: refused}"},
		{check: "encoding_format/case", class: "encoding-case", alone: true},
		{check: "encoding_format/bytes", class: "encoding-bytes", alone: true},
	}
}

// lengthMutants are for what is made of texts that are too long, and of what is counted.
func lengthMutants() []mutant {
	var out []mutant
	for _, r := range sizeRefusals() {
		out = append(out, r.mutants()...)
	}
	return append(out, []mutant{
		{name: "total_tokens differs from prompt_tokens", with: "usage: {total: different}", shows: "token_parity/total-equals-prompt=different"},
		{name: "usage counts words", with: "usage: {count: words}", shows: "token_parity/counts-tokens=words", also: []coupling{
			{noLimit, unlimited + `
				batching/long-texts=error truncation/end-counts=error truncation/limit-plus-one=error truncation/over-long=error
				truncation/truncate-prompt-tokens=error unit_norm/near-limit=error`},
			{"a text of the limit by its count has more tokens", "truncation/limit-exact=rejected-4xx truncation/effective-limit=lower"},
			{"words are not tokens", `
				instructions/input-type-query=vector-only instructions/instruction-field=vector-only token_parity/edge-texts=tokens-differ
				token_parity/per-document=tokens-differ token_parity/sum=sum-differs`},
		}},
		{name: "usage counts blocks of 16", with: "usage: {count: blocks}", shows: "token_parity/counts-tokens=something-else", also: []coupling{
			{noTokenCount, unaskable + `
				batching/long-texts=not-applicable truncation/end-counts=not-applicable truncation/limit-plus-one=not-applicable truncation/over-long=not-applicable
				truncation/truncate-prompt-tokens=not-applicable unit_norm/near-limit=not-applicable
				truncation/limit-exact=not-applicable truncation/effective-limit=not-applicable`},
			{"blocks are not tokens", `
				token_parity/edge-texts=not-counted token_parity/per-document=not-counted token_parity/sum=sum-differs
				token_parity/no-hidden-prompt=not-counted token_parity/token-array-length=another-number`},
		}},
		{name: "usage of a cut text leaves the end marker out", with: "usage: {after_cut: without-end-marker}", shows: "token_parity/at-truncation=fewer"},
		{name: "usage of a cut text counts all", with: "usage: {after_cut: whole}", shows: "token_parity/at-truncation=more"},
		{name: "end marker added to token ids", with: "input: {token_ids: with-end-marker, nested_token_ids: with-end-marker}", shows: "token_parity/token-array-length=with-markers"},
		{name: "requests of more tokens than the corpus refused", with: "length: {total: 1000}", shows: "token_parity/request-sum=rejected-4xx"},
		{name: "lists longer than the corpus refused", with: "input: {max_items: 18}", shows: "token_parity/request-sum=rejected-4xx"},
		{name: "lists longer than the corpus joined in another order", with: "data: {chunk: 18, joined: rotated}", shows: "token_parity/request-sum=other-vectors"},
		{name: "lists longer than the corpus cut off", with: "data: {chunk: 18, joined: first-only}", shows: "token_parity/request-sum=wrong-count"},

		{name: "over-long ids served", with: "length: {over_ids: served}", shows: "truncation/token-ids=served-unlike-text"},
		{name: "over-long ids cut", with: "length: {over_ids: cut}", shows: "truncation/token-ids=served-unlike-text"},
		{name: "over-long ids cut at the head", with: "length: {over_ids: head-dropped}", shows: "truncation/token-ids=cut-otherwise"},
		{name: "over-long texts cut, ids refused", with: "length: {over: cut, over_ids: refused}", shows: "truncation/token-ids=refused-unlike-text", also: []coupling{overLongCut("unit_norm/over-limit=unit")}},
		{name: "over-long ids refused with 500", with: "faults: {over-long-ids: {status: 500}}", shows: "truncation/token-ids=failed-5xx", also: []coupling{{"the account over all refusals names the worst", "status_codes/client-faults-are-4xx=some-5xx"}}},
		{name: "over-long texts in a batch left out", with: "length: {over_in_batch: dropped}", shows: "truncation/batch-one-bad=partial-data"},
		{name: "over-long texts in a batch cut", with: "length: {over_in_batch: cut}", shows: "truncation/batch-one-bad=unlike-alone"},
		{name: "5 MB served", with: "request: {max_body_mb: 45}\nlength: {over: cut}", shows: "truncation/huge-text=served", also: []coupling{overLongCut("unit_norm/over-limit=unit")}},
		{name: "5 MB answered with a message", with: "faults: {body-too-large: {status: 200, shape: flat}}", shows: "truncation/huge-text=no-vector"},

		{name: "truncation_side honoured", with: "length: {truncation_side: honoured-end-marker-kept}", shows: "truncation/truncation-side=honoured"},
		{name: "truncation_side honoured by ids", with: "length: {truncation_side: honoured}", shows: "truncation/truncation-side=cut-otherwise"},
		{name: "truncation_side left refused", with: "length: {truncation_side: right-only}", shows: "truncation/truncation-side=one-side-only"},
		{name: "truncation_side ignored", with: "length: {truncation_side: ignored}", shows: "truncation/truncation-side=ignored"},
		{name: "5 MB refused with 400", with: "faults: {body-too-large: {status: 400}}", shows: "truncation/huge-text=rejected-4xx"},
		{name: "5 MB refused with 500", with: "faults: {body-too-large: {status: 500}}", shows: "truncation/huge-text=failed-5xx"},
		{name: "truncate_prompt_tokens ignored, over-long texts served", with: "length: {truncate_prompt_tokens: ignored, over: served}", shows: "truncation/truncate-minus-one=served-whole", also: []coupling{
			{longServed, `
				truncation/over-long=served-whole truncation/limit-plus-one=served-whole truncation/silent-cut=read-whole
				truncation/effective-limit=higher truncation/batch-one-bad=as-alone unit_norm/over-limit=unit`},
			{cutFields, "truncation/truncate-prompt-tokens=ignored truncation/truncate-above-limit=served token_parity/at-truncation=nothing-cut"},
		}},
	}...)
}
