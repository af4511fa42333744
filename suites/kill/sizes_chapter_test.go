package kill_test

import (
	"fmt"
	"maps"
)

// Why cells of this chapter move together.
const (
	oneSwitch  = "one switch decides on every size, in numbers and in base64"
	decoded    = "what base64 holds is decoded, its norm and short vectors included"
	everyNorm  = "it looks at norms of other texts, and of short vectors"
	largeLists = "it asks for a longer list than any other check"
	noIDs      = "there is no vector of token ids to look at"
	cutFields  = "one switch decides on the field truncate_prompt_tokens, whatever its value"
	noLimit    = "no text of a known number of tokens can be made"
	unlimited  = `
		token_parity/at-truncation=error token_parity/request-sum=error truncation/batch-one-bad=error
		truncation/token-ids=error truncation/truncate-above-limit=error truncation/truncate-minus-one=error
		truncation/truncation-side=error unit_norm/over-limit=error`
	noTokenCount = "usage counts something else than tokens, which is said, and nothing can be asked that needs its help"
	unaskable    = `
		token_parity/at-truncation=not-applicable token_parity/request-sum=not-applicable truncation/batch-one-bad=not-applicable
		truncation/token-ids=not-applicable truncation/truncate-above-limit=not-applicable truncation/truncate-minus-one=not-applicable
		truncation/truncation-side=not-applicable unit_norm/over-limit=not-applicable`
	noNative    = "without a vector the native length is unknown"
	nativeCells = "dimensions/boolean=not-applicable dimensions/fraction=not-applicable dimensions/string=not-applicable"
	noNumbers   = "there is no list of numbers that a check could read"
	numberCells = `
		dimensions/null=other dimensions/one=other dimensions/unlisted-size=other
		encoding_format/base64-dimensions=not-offered token_parity/at-truncation=nothing-cut token_parity/request-sum=other
		token_parity/token-array-length=not-offered truncation/token-ids=not-offered truncation/truncate-minus-one=other
		unit_norm/odd-texts=other`
	longRefused = "it sends an over-long text, too"
	longServed  = "one switch decides on every over-long text, and there is a vector of it to look at"
	otherFields = "one switch decides on all unknown fields"
	twoCalls    = "two calls with the same text give two vectors"
	noisySizes  = `
		dimensions/null=other-vector dimensions/unlisted-size=spoiled encoding_format/base64-dimensions=other-values
		token_parity/at-truncation=nothing-cut token_parity/request-sum=other-vectors truncation/truncate-minus-one=cut-otherwise`
	coarse      = "so coarse numbers have another norm and direction, and few digits"
	coarseCells = `
		dimensions/unlisted-size=spoiled encoding_format/float-digits=rounded unit_norm/base64-batch=not-unit
		unit_norm/odd-texts=not-unit`
)

// sizeChapter is what the rows of other chapters show in the checks of sizes, norms, counts, cuts and formats.
func sizeChapter() map[string]chapter {
	also := func(why, cells string) []coupling { return []coupling{{why, cells}} }
	out := map[string]chapter{
		// Sizes of vectors.
		"dimensions sliced":                             {also: also(oneSwitch, "dimensions/one=spoiled dimensions/unlisted-size=spoiled")},
		"dimensions projected":                          {shows: "dimensions/unlisted-size=spoiled"},
		"dimensions ignored":                            {shows: "dimensions/one=ignored dimensions/unlisted-size=ignored", also: also(oneSwitch, "encoding_format/base64-dimensions=not-offered")},
		"dimensions of the next listed size":            {also: also(oneSwitch, "dimensions/one=other-length dimensions/unlisted-size=other-length encoding_format/base64-dimensions=not-offered")},
		"dimensions of one size only":                   {also: also(oneSwitch, "dimensions/one=rejected-4xx dimensions/unlisted-size=rejected-4xx")},
		"dimensions of one size, that for smaller ones": {also: also(oneSwitch, "dimensions/one=other-length dimensions/unlisted-size=other-length")},
		"native length declared wrong":                  {also: also("it takes the declared length for the native one", nativeCells+" encoding_format/base64-dimensions=not-applicable")},
		"native length too short to be reduced":         {also: also("256 is no reduction", nativeCells+" encoding_format/base64-dimensions=not-applicable")},
		"no pooling": {also: []coupling{
			{"the length does not depend on what was asked for", "dimensions/one=ignored dimensions/unlisted-size=ignored encoding_format/base64-dimensions=not-offered"},
			{"vectors of tokens have no norm in common", "unit_norm/base64-batch=not-unit unit_norm/odd-texts=not-unit"},
		}},

		// Norms.
		"norm 2":                         {shows: "dimensions/one=spoiled unit_norm/base64-batch=not-unit unit_norm/odd-texts=not-unit", also: also(everyNorm, "dimensions/unlisted-size=spoiled")},
		"norm 1.002":                     {also: also(everyNorm, "dimensions/one=spoiled dimensions/unlisted-size=spoiled unit_norm/base64-batch=not-unit unit_norm/odd-texts=not-unit")},
		"norm 0.998":                     {also: also(everyNorm, "dimensions/one=spoiled dimensions/unlisted-size=spoiled unit_norm/base64-batch=not-unit unit_norm/odd-texts=not-unit")},
		"norm 2 alone":                   {also: also(everyNorm, "dimensions/one=spoiled dimensions/unlisted-size=spoiled unit_norm/odd-texts=not-unit")},
		"norm 2 in a batch":              {also: also(everyNorm, "unit_norm/base64-batch=not-unit unit_norm/odd-texts=not-unit")},
		"unknown fields change the text": {also: also(otherFields, "unit_norm/normalize-false=other-vector unit_norm/use-activation-false=other-vector")},
		"unknown fields swallowed":       {also: also(otherFields, "unit_norm/normalize-false=ignored unit_norm/use-activation-false=ignored")},
		"numbers of 1 decimal":           {also: also(coarse, coarseCells)},
		"numbers of 2 decimals":          {also: also(coarse, coarseCells)},
		"numbers of 3 decimals":          {shows: "encoding_format/float-digits=rounded"},

		// Formats.
		"base64 is an array":            {shows: "encoding_format/base64-dimensions=not-offered unit_norm/base64-batch=not-offered"},
		"base64 is big-endian":          {also: also(decoded, "encoding_format/base64-dimensions=other-values unit_norm/base64-batch=not-unit")},
		"base64 of doubles":             {also: also(decoded, "encoding_format/base64-dimensions=other-length unit_norm/base64-batch=not-unit")},
		"base64 of rounded numbers":     {also: also(decoded, "encoding_format/base64-dimensions=other-values encoding_format/float-digits=base64-rounded unit_norm/base64-batch=not-unit")},
		"base64 of zeros":               {also: also(decoded, "encoding_format/base64-dimensions=other-values unit_norm/base64-batch=not-unit")},
		"base64 of the URL alphabet":    {also: also(decoded, "encoding_format/base64-dimensions=other-values")},
		"unknown formats are float":     {shows: "encoding_format/bytes=as-float encoding_format/case=as-float"},
		"unknown formats are base64":    {shows: "encoding_format/bytes=string", also: also("another case is another format to this server", "encoding_format/case=string")},
		"a vector for each token id":    {also: also(noIDs, "token_parity/token-array-length=not-offered truncation/token-ids=not-offered")},
		"token ids are text":            {shows: "token_parity/token-array-length=another-number"},
		"lists are embedded as text":    {also: also("texts in a batch are other texts than alone", "token_parity/request-sum=other-vectors")},
		"only the first text of a list": {also: also("what is missing of a list is missing of these, too", "token_parity/request-sum=wrong-count truncation/batch-one-bad=partial-data")},

		// Counts.
		"total_tokens is absent":     {shows: "token_parity/total-equals-prompt=no-total"},
		"a prompt before every text": {shows: "token_parity/no-hidden-prompt=hidden-prompt"},
		"usage counts characters":    {shows: "token_parity/counts-tokens=characters token_parity/no-hidden-prompt=not-counted", also: []coupling{{noTokenCount, unaskable + " truncation/effective-limit=not-applicable"}}},
		"usage is 0": {shows: "token_parity/counts-tokens=no-usage token_parity/token-array-length=no-usage", also: []coupling{
			{noLimit, unlimited + " truncation/effective-limit=error"},
			{"usage does not show what is added to a text", "token_parity/no-hidden-prompt=not-counted"}}},
		"usage is absent": {shows: "token_parity/counts-tokens=no-usage token_parity/token-array-length=no-usage token_parity/total-equals-prompt=no-usage", also: []coupling{
			{noLimit, unlimited + " truncation/effective-limit=error"},
			{"usage does not show what is added to a text", "token_parity/no-hidden-prompt=not-counted"}}},
		"usage leaves the end marker out": {also: []coupling{{noLimit, unlimited}, {"a text of the limit by its count is one token longer", "truncation/effective-limit=lower"}}},

		// Limits.
		"hidden cut at half the limit":           {shows: "truncation/effective-limit=lower"},
		"hidden cut at nine tenths of the limit": {shows: "truncation/effective-limit=lower"},
		"cut":                                    {shows: "truncation/truncate-minus-one=cut-anyway truncation/batch-one-bad=as-alone truncation/silent-cut=told-by-usage unit_norm/over-limit=unit"},
		"cut, the whole counted":                 {shows: "token_parity/at-truncation=more truncation/silent-cut=silent", also: also(longServed, "truncation/truncate-minus-one=cut-anyway truncation/batch-one-bad=as-alone unit_norm/over-limit=unit")},
		"cut with the end marker":                {also: also(longServed, "truncation/batch-one-bad=as-alone truncation/silent-cut=told-by-usage unit_norm/over-limit=unit")},
		"cut at the head":                        {shows: "truncation/silent-cut=head-lost truncation/token-ids=cut-otherwise", also: also(longServed, "truncation/batch-one-bad=as-alone unit_norm/over-limit=unit")},
		"over-long texts served":                 {shows: "truncation/effective-limit=higher truncation/silent-cut=read-whole", also: also(longServed, "truncation/batch-one-bad=as-alone unit_norm/over-limit=unit")},
		"a lower limit, cut":                     {also: also(longServed, "truncation/truncate-minus-one=cut-anyway truncation/batch-one-bad=as-alone truncation/silent-cut=told-by-usage unit_norm/over-limit=unit")},
		"limit off by one":                       {shows: "truncation/effective-limit=lower", also: also(noLimit, unlimited)},
		"limit off by one, refused with 422": {shows: "truncation/effective-limit=lower", also: []coupling{{noLimit, unlimited},
			{longRefused, "truncation/silent-cut=rejected-4xx-retried status_codes/client-faults-are-4xx=some-retried"}}},
		"limit off by one, refused with 500": {shows: "truncation/effective-limit=lower", also: []coupling{{noLimit, unlimited},
			{longRefused, "truncation/silent-cut=failed-5xx status_codes/client-faults-are-4xx=some-5xx"}}},
		"limit off by one, cut":                        {shows: "truncation/effective-limit=lower", also: []coupling{{noLimit, unlimited}, {longRefused, "truncation/silent-cut=told-by-usage"}}},
		"truncate_prompt_tokens ignored":               {shows: "token_parity/at-truncation=nothing-cut truncation/truncate-above-limit=served", also: also(cutFields, "truncation/truncate-minus-one=rejected-4xx")},
		"truncate_prompt_tokens loses the end marker":  {shows: "truncation/truncate-minus-one=cut-otherwise", also: also("what is cut otherwise has no text that is cut alike", "token_parity/at-truncation=nothing-cut")},
		"truncate_prompt_tokens within the limit only": {also: also(cutFields, "truncation/truncate-minus-one=rejected-4xx")},

		// Noise.
		"noise above each bar":                     {also: also(twoCalls, noisySizes)},
		"noise above each bar, and fields ignored": {also: also(twoCalls, noisySizes)},
		"zeros": {also: also("a vector of zeros has no direction, no norm and no digits", `
			dimensions/null=other dimensions/one=spoiled dimensions/unlisted-size=spoiled encoding_format/base64-dimensions=other-values
			encoding_format/float-digits=other token_parity/at-truncation=nothing-cut token_parity/request-sum=other-vectors
			truncation/truncate-minus-one=other unit_norm/base64-batch=not-unit unit_norm/odd-texts=not-unit`)},

		// Forms that cannot be read.
		"null is base64":         {also: []coupling{{noNumbers, numberCells}, {noNative, nativeCells}}},
		"base64 by default":      {also: []coupling{{noNumbers, numberCells}, {noNative, nativeCells}}},
		"vectors are nested":     {also: []coupling{{noNumbers, numberCells + " encoding_format/float-digits=other"}, {noNative, nativeCells}}},
		"null among the numbers": {also: []coupling{{noNumbers, numberCells + " encoding_format/float-digits=other"}, {noNative, nativeCells}, {"base64 has NaN in that place", "unit_norm/base64-batch=not-unit"}}},
		"NaN among the numbers": {also: []coupling{
			{"the answer is no JSON, so that no check can read it", `
				dimensions/null=other dimensions/one=other dimensions/unlisted-size=other encoding_format/base64-dimensions=not-offered
				encoding_format/float-digits=other token_parity/counts-tokens=no-usage token_parity/no-hidden-prompt=not-counted
				token_parity/token-array-length=not-offered token_parity/total-equals-prompt=no-usage unit_norm/odd-texts=refused`},
			{noNative, nativeCells}, {noLimit, unlimited + " truncation/effective-limit=error"}, {"base64 has NaN in that place", "unit_norm/base64-batch=not-unit"}}},
		"limit of 6 tokens": {shows: "encoding_format/float-digits=refused unit_norm/odd-texts=refused", also: []coupling{
			{"its texts are longer than 6 tokens", `
				token_parity/counts-tokens=no-usage token_parity/total-equals-prompt=no-usage unit_norm/base64-batch=not-offered
				encoding_format/base64-dimensions=not-offered token_parity/no-hidden-prompt=not-counted`},
			{"the plain request is refused as well, so that nothing is known of the feature", `
				dimensions/null=other dimensions/one=other dimensions/unlisted-size=other unit_norm/normalize-false=other
				unit_norm/use-activation-false=other`},
			{noNative, nativeCells}, {noLimit, unlimited + " truncation/effective-limit=error"}}},
		"redirects what is too long": {also: also(longRefused, `
			truncation/batch-one-bad=other truncation/effective-limit=other truncation/silent-cut=other truncation/token-ids=other
			unit_norm/over-limit=other`)},
	}
	maps.Copy(out, listChapter())
	maps.Copy(out, refusalChapter())
	return out
}

// listChapter is of rows that spoil lists: they spoil the longest one, too.
func listChapter() map[string]chapter {
	out := map[string]chapter{}
	for cell, rows := range map[string][]string{
		"rejected-4xx": {"requests of more than 250 tokens refused", "requests of more than 600 tokens refused", "lists of more than 17 refused",
			"lists of more than 16 refused", "lists of more than 7 refused", "lists of more than 3 refused"},
		"other-vectors": {"chunks of a long list joined in another order", "vectors depend on the size of the batch", "vectors depend on the place in the batch",
			"vectors depend much on the size of the batch", "index reversed", "shuffled, index is the position"},
		"wrong-count": {"only the first chunk of a long list", "one item too few", "one item too many", "no items for lists"},
		"other":       {"index is a string", "index is absent", "index is always 0", "index counts from 1"},
	} {
		for _, row := range rows {
			out[row] = chapter{also: []coupling{{largeLists, "token_parity/request-sum=" + cell}}}
		}
	}
	add := func(row, why, cells string) {
		c := out[row]
		c.also = append(c.also, coupling{why, cells})
		out[row] = c
	}
	add("lists of more than 3 refused", "it reads a list of five", "token_parity/total-equals-prompt=no-usage unit_norm/base64-batch=not-offered unit_norm/odd-texts=refused")
	add("no items for lists", "there is nothing of a list to read", "unit_norm/base64-batch=not-offered unit_norm/odd-texts=other")
	return out
}

// refusalChapter is of rows that refuse with another status.
func refusalChapter() map[string]chapter {
	out := map[string]chapter{"nothing refused": {also: []coupling{{"each is what makes nothing be refused", `
		encoding_format/bytes=as-float encoding_format/case=as-float truncation/batch-one-bad=as-alone
		truncation/silent-cut=told-by-usage truncation/truncate-minus-one=cut-anyway unit_norm/over-limit=unit`}}}}
	for _, s := range statuses() {
		row := func(check string) string { return fmt.Sprintf("%s refused with %d", check, s.code) }
		out[row("dimensions/reduced-256")] = chapter{shows: fmt.Sprintf("dimensions/one=%[1]s dimensions/unlisted-size=%[1]s", s.variant),
			also: []coupling{{oneSwitch, "encoding_format/base64-dimensions=not-offered"}}}
		out[row("encoding_format/base64-is-string")] = chapter{also: []coupling{{decoded, "unit_norm/base64-batch=not-offered encoding_format/base64-dimensions=" + s.variant}}}
		out[row("input_forms/token-ids")] = chapter{shows: "token_parity/token-array-length=not-offered truncation/token-ids=not-offered"}
		parameter := chapter{shows: "truncation/truncate-minus-one=" + s.variant, also: []coupling{{cutFields, "token_parity/at-truncation=nothing-cut"}}}
		if s.code == 400 {
			out[row("truncation/truncate-prompt-tokens")] = parameter // as the base refuses the other two
			continue
		}
		out[row("encoding_format/invalid")] = chapter{also: []coupling{{"other formats are unknown, too", fmt.Sprintf("encoding_format/bytes=%[1]s encoding_format/case=%[1]s", s.variant)}}}
		long := fmt.Sprintf("truncation/silent-cut=%[1]s truncation/batch-one-bad=%[1]s", s.variant)
		if s.code == 500 {
			long += " truncation/token-ids=" + s.variant
		}
		out[fmt.Sprintf("over-long texts refused with %d", s.code)] = chapter{shows: long}
		out[row("instructions/unknown-field")] = chapter{also: []coupling{{otherFields,
			fmt.Sprintf("truncation/truncation-side=%[1]s unit_norm/normalize-false=%[1]s unit_norm/use-activation-false=%[1]s", s.variant)}}}
		parameter.also = append(parameter.also, coupling{cutFields, "truncation/truncate-above-limit=" + s.variant},
			coupling{"the class of the one field is the class of the other", "truncation/truncation-side=" + s.variant})
		out[row("truncation/truncate-prompt-tokens")] = parameter
	}
	return out
}
