package kill_test

// normChapter is what rows show in the norms of queries, ids and pairs of servers, and in the vectors of the plain
// requests after faulty ones.
func normChapter() map[string]chapter {
	const (
		bothPrepared = "queries and ids are answered as all texts are"
		otherNorms   = `vector_parity/cosine=other-norm instructions/same-query=other-norm instructions/same-document=other-norm
			instructions/prefixed-query=other-norm instructions/prefixed-query@reference=other-norm unit_norm/queries-and-ids=not-unit`
		unlike = "the norms of the two servers differ"
	)
	unreadable := []coupling{{bothPrepared, "unit_norm/queries-and-ids=other"}}
	notUnit := []coupling{{bothPrepared, "unit_norm/queries-and-ids=not-unit"}}
	unsteady := []coupling{{"the plain request has another vector each time, after a fault as well", "status_codes/survives=other-vector"}}
	return map[string]chapter{
		"norm 2":                 {shows: otherNorms},
		"norm 1.002":             {also: []coupling{{unlike, otherNorms}}},
		"norm 0.998":             {also: []coupling{{unlike, otherNorms}}},
		"norm 2 alone":           {also: []coupling{{unlike, otherNorms}}},
		"norm 2 in a batch":      {shows: "vector_parity/cosine=other-norm"},
		"numbers of 1 decimal":   {also: notUnit},
		"numbers of 2 decimals":  {also: notUnit},
		"zeros":                  {also: notUnit},
		"no pooling":             {also: notUnit},
		"null is base64":         {also: unreadable},
		"base64 by default":      {also: unreadable},
		"NaN among the numbers":  {also: unreadable},
		"vectors are nested":     {also: unreadable},
		"null among the numbers": {also: unreadable},
		"noise above each bar":   {also: unsteady},
		"noise above each bar, and fields ignored": {also: unsteady},
		"base64 of doubled numbers": {also: []coupling{
			{"shorter vectors are doubled as well", "encoding_format/base64-dimensions=other-values"},
		}},
		"token ids and input_type refused": {also: []coupling{
			{"ids of any kind are refused", `
				input_forms/foreign-ids=rejected-4xx input_forms/own-ids=rejected-4xx input_forms/token-ids=rejected-4xx
				token_parity/token-array-length=not-offered truncation/token-ids=not-offered`},
			{"no input_type is served", `
				instructions/input-type-document=rejected-4xx instructions/input-type-query=rejected-4xx
				instructions/manual-prefix=field-without-effect instructions/prefixed-query@reference=not-the-prefix
				instructions/same-document=not-served instructions/same-query=not-served`},
		}},
	}
}
