package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

func truncationMutants() []mutant {
	return []mutant{
		{name: "cut", with: "length: {over: cut}", shows: "status_codes/message-actionable=not-refused truncation/over-long=truncated truncation/limit-plus-one=truncated"},
		{name: "cut, the whole counted", with: "length: {over: cut}\nusage: {after_cut: whole}", shows: "status_codes/message-actionable=not-refused truncation/over-long=cut-silently truncation/limit-plus-one=cut-silently"},
		{name: "cut with the end marker", with: "length: {over: cut-end-marker-lost}", shows: "status_codes/message-actionable=not-refused truncation/over-long=end-dropped truncation/limit-plus-one=end-dropped"},
		{name: "cut at the head", with: "length: {over: head-dropped}", shows: "status_codes/message-actionable=not-refused truncation/over-long=head-dropped truncation/limit-plus-one=head-dropped"},
		{name: "over-long texts served", with: "length: {over: served}", shows: "status_codes/message-actionable=not-refused truncation/over-long=served-whole truncation/limit-plus-one=served-whole"},
		{name: "hidden cut at half the limit", with: "length: {hidden: 96}", shows: "truncation/end-counts=cut-below-limit truncation/reference-limit=other-vectors"},
		{name: "hidden cut at nine tenths of the limit", with: "length: {hidden: 172}", shows: "truncation/end-counts=cut-below-limit truncation/reference-limit=other-vectors"},
		{name: "hidden cut of one token", with: "length: {hidden: 191}", shows: "truncation/reference-limit=other-vectors"},
		{name: "hidden cut 2 % below the limit", with: "length: {hidden: 188}", shows: "truncation/reference-limit=other-vectors"},
		{name: "a lower limit", with: "model: {limit: 150}", declare: func(f *contract.Facts) { f.MaxTokens = 150 },
			shows: "truncation/reference-limit=refused truncation/reference-limit@reference=not-served"},
		{name: "a lower limit, cut", with: "model: {limit: 150}\nlength: {over: cut}", declare: func(f *contract.Facts) { f.MaxTokens = 150 },
			shows: "status_codes/message-actionable=not-refused truncation/reference-limit=other-vectors truncation/over-long=truncated truncation/limit-plus-one=truncated"},
		{name: "limit off by one", with: "length: {off_by: 1}", shows: "truncation/limit-exact=rejected-4xx", also: []coupling{
			{"it reads the answer to a text that is too long", "status_codes/message-actionable=error"},
			{"no text of exactly the declared limit is served", `
				batching/long-texts=error truncation/end-counts=error truncation/limit-plus-one=error
				truncation/over-long=error truncation/reference-limit=refused
				truncation/reference-limit@reference=not-served truncation/truncate-prompt-tokens=error
				unit_norm/near-limit=error`},
		}},
		{name: "limit off by one, refused with 422", with: "length: {off_by: 1}\nfaults: {over-long: {status: 422}}", shows: "truncation/limit-exact=rejected-4xx-retried", also: []coupling{
			{"it reads the answer to a text that is too long", "status_codes/message-actionable=error"},
			{"no text of exactly the declared limit is served", `
				batching/long-texts=error truncation/end-counts=error truncation/limit-plus-one=error
				truncation/over-long=error truncation/reference-limit=refused
				truncation/reference-limit@reference=not-served truncation/truncate-prompt-tokens=error
				unit_norm/near-limit=error`},
		}},
		{name: "limit off by one, refused with 500", with: "length: {off_by: 1}\nfaults: {over-long: {status: 500}}", shows: "truncation/limit-exact=failed-5xx", also: []coupling{
			{"it reads the answer to a text that is too long", "status_codes/message-actionable=error"},
			{"no text of exactly the declared limit is served", `
				batching/long-texts=error truncation/end-counts=error truncation/limit-plus-one=error
				truncation/over-long=error truncation/reference-limit=refused
				truncation/reference-limit@reference=not-served truncation/truncate-prompt-tokens=error
				unit_norm/near-limit=error`},
		}},
		{name: "limit off by one, cut", with: "length: {off_by: 1, over: cut}", shows: "truncation/limit-exact=cut", also: []coupling{
			{"it reads the answer to a text that is too long", "status_codes/message-actionable=error"},
			{"no text of exactly the declared limit is served", `
				batching/long-texts=error truncation/end-counts=error truncation/limit-plus-one=error
				truncation/over-long=error truncation/truncate-prompt-tokens=error unit_norm/near-limit=error`},
			{longTexts, "truncation/reference-limit=other-vectors"},
		}},
		{name: "truncate_prompt_tokens ignored", with: "length: {truncate_prompt_tokens: ignored}", shows: "truncation/truncate-prompt-tokens=ignored"},
		{name: "truncate_prompt_tokens loses the end marker", with: "length: {truncate_prompt_tokens: honoured-end-marker-lost}", shows: "truncation/truncate-prompt-tokens=cut-otherwise"},
		{name: "truncate_prompt_tokens within the limit only", with: "length: {truncate_prompt_tokens: honoured-within-limit}", shows: "truncation/truncate-prompt-tokens=not-when-over-long"},
	}
}
