package kill_test

import "slices"

// mixedChapter is what rows show in an index of which each server embedded one half. Servers of another space favour their
// own documents, since their queries are of it as well; one whose documents are less near to their queries than those of
// the base are favours the base's; and what only moves vectors a little favours nobody.
func mixedChapter() map[string]chapter {
	const made = "rankings are made of these vectors"
	of := func(cells string) chapter { return chapter{also: []coupling{{made, cells}}} }
	const (
		unread       = "vector_parity/half-mixed-index=not-served"
		incomparable = "vector_parity/half-mixed-index=incomparable"
		swapped      = "vector_parity/half-mixed-index=order-changes"
	)
	return map[string]chapter{
		"null is base64":                           of(unread),
		"base64 by default":                        of(unread),
		"NaN among the numbers":                    of(unread),
		"null among the numbers":                   of(unread),
		"vectors are nested":                       of(unread),
		"limit of 6 tokens":                        {shows: unread},
		"zeros":                                    {shows: incomparable},
		"no pooling":                               of(incomparable),
		"native length is another":                 of(incomparable),
		"native length too short to be reduced":    of(incomparable),
		"numbers of 2 decimals":                    of(swapped),
		"other kernels, just beyond the bar":       of(swapped),
		"other kernels, just within the bar":       {shows: swapped},
		"noise above each bar":                     of(swapped),
		"noise above each bar, and fields ignored": of(swapped),
		"lower case":                               of(swapped),
		"one component of a vector is too small":   of(swapped),
		"numbers of 1 decimal":                     {shows: "vector_parity/half-mixed-index=other-results"},
		"another seed":                             of("vector_parity/half-mixed-index=candidate-favoured"),
		"mean pooling":                             of("vector_parity/half-mixed-index=reference-favoured vector_parity/half-mixed-index@reference=candidate-favoured"),
		"first token pooled":                       of("vector_parity/half-mixed-index=other-results vector_parity/half-mixed-index@reference=candidate-favoured"),
		"no end marker":                            of(swapped + " vector_parity/half-mixed-index@reference=candidate-favoured"),
		"a prompt before every text":               of("vector_parity/half-mixed-index=candidate-favoured vector_parity/half-mixed-index@reference=other-results"),
	}
}

// mixedMutants favour documents of one server while an index of one of them alone keeps its rankings, more or less.
func mixedMutants() []mutant {
	allTexts := []coupling{
		{"documents with input_type move as all documents do", "instructions/same-document=other-vector"},
		{everyText, moved},
		{longTexts, "truncation/reference-limit=other-vectors"},
	}
	return []mutant{
		// Its documents and its queries have more in common, the base's queries have not.
		{name: "a mean left in every vector", with: "vectors: {offset: 0.2}", shows: "vector_parity/half-mixed-index=candidate-favoured vector_parity/half-mixed-index@reference=order-changes vector_parity/rank-order=order-changes", also: append(slices.Clone(allTexts),
			coupling{"vectors are drawn together", "vector_parity/cosine=drifted"},
			coupling{"old documents alone are found as before, but for close ones", "vector_parity/cross-index=order-changes"},
		)},
		// A query is as near to documents of the base as its own shift lets it, to others by both shifts.
		{name: "other kernels, far beyond the bar", with: "vectors: {noise: text, noise_size: 0.5}", shows: "vector_parity/half-mixed-index=reference-favoured vector_parity/half-mixed-index@reference=other-results", also: append(slices.Clone(allTexts),
			coupling{"so much of another direction is another space", "vector_parity/cosine=different-space"},
			coupling{"its own documents are found otherwise as well", "vector_parity/rank-order=other-results vector_parity/cross-index=other-results"},
		)},
	}
}
