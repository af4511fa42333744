package kill_test

import "github.com/embedcontract/embedcontract/harness/contract"

// repeatedSwaps are pairs for what looks as if it failed alike each time, and does not, and for ids beyond the limit.
func repeatedSwaps() []swapped {
	const repeats, key = "status_codes/no-repeats", "status_codes/duplicate-key"
	const missing, twice, ids = repeats + ":status_codes/missing-input", repeats + ":" + key, textRemedy + ":truncation/token-ids"
	const refuses, fails = "request: {duplicate_key: refused}", "request: {duplicate_key: refused}\nfaults: {duplicate-key: {status: 500}}"
	step := func(check, step string, do func(*contract.Step)) []alteration {
		return []alteration{{of: check, step: step, do: do}}
	}
	return []swapped{
		{name: "over-long ids were cut, and over-long texts never served", reference: "length: {over_ids: cut}", proofs: ids + "=fails"},
		{name: "over-long ids were cut as texts are", reference: cutTexts, candidate: cutTexts + "\ninput: {token_ids: refused}", proofs: ids + "=holds"},
		{name: "refused, and the server stumbles over it", candidate: "faults: {missing-input: {status: 500}}", proofs: missing + "=fails",
			after: step("status_codes/missing-input", contract.StillAlive, func(s *contract.Step) { s.Status = 500 })},
		{name: "refused, and the server asks for fewer requests afterwards", candidate: "faults: {missing-input: {status: 500}}", proofs: missing + "=holds",
			after: step("status_codes/missing-input", contract.StillAlive, func(s *contract.Step) { s.Status = 429 })},
		{name: "one step refused, and another not answered", reference: refuses, candidate: fails, proofs: twice + "=fails",
			after: step(key, "last", func(s *contract.Step) { s.Fault = contract.FaultTimeout })},
		{name: "one step refused, and another served that was refused before", reference: refuses, candidate: fails, proofs: twice + "=fails",
			before: step(key, "last", func(s *contract.Step) { s.Status = 400 })},
		{name: "one step refused, of which nothing is known before", reference: refuses, candidate: fails, proofs: twice + "=fails",
			before: step(key, "asked", func(s *contract.Step) { s.Name = "another" })},
		{name: "the same key twice fails", reference: refuses, candidate: fails, proofs: twice + "=holds"},
	}
}
