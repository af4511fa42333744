package kill_test

import (
	"fmt"
	"strings"
)

// status is a way to refuse: the status of the answer, the variant that it makes of a refusal, and what it makes
// of the account over all refusals.
type status struct {
	code             int
	variant, account string
}

func statuses() []status {
	return []status{{400, "rejected-4xx", ""}, {422, "rejected-4xx-retried", "some-retried"}, {500, "failed-5xx", "some-5xx"}}
}

// refusal is a request that a server refuses, in every way to refuse it.
type refusal struct {
	check string
	class string // of the faults that a personality has
	with  string // switches that make the server refuse it, where the base does not
	shows string // what else the row is for
	too   string // other checks that the same switch makes refuse
	// alone: the account over all refusals does not look at this check.
	alone bool
}

// mutants makes a row of each way to refuse. The base refuses with 400 what it refuses, so that the first way is
// left out where no switch is needed to make it refuse.
func (r refusal) mutants() []mutant {
	var out []mutant
	for _, s := range statuses() {
		if r.with == "" && s.code == 400 {
			continue
		}
		m := mutant{
			name:  fmt.Sprintf("%s refused with %d", r.check, s.code),
			with:  fmt.Sprintf("%s\nfaults: {%s: {status: %d}}", r.with, r.class, s.code),
			shows: r.check + "=" + s.variant + " " + r.shows,
		}
		for _, check := range strings.Fields(r.too) {
			m.shows += " " + check + "=" + s.variant
		}
		if s.account != "" && !r.alone {
			m.also = []coupling{{"the account over all refusals names the worst", "status_codes/client-faults-are-4xx=" + s.account}}
		}
		out = append(out, m)
	}
	return out
}

func refusalMutants() []mutant {
	const noQueries = "instructions/manual-prefix=field-without-effect instructions/same-query=not-served instructions/prefixed-query@reference=not-the-prefix"
	var out []mutant
	for _, r := range []refusal{
		{check: "dimensions/reduced-256", class: "dimensions-reduced", with: "dimensions: {reduced: refused}", too: "dimensions/reduced-batch"},
		{check: "dimensions/native-value", class: "dimensions-native", with: "dimensions: {native: refused}"},
		{check: "dimensions/above-native", class: "dimensions-above"},
		{check: "dimensions/zero", class: "dimensions-zero"},
		{check: "dimensions/negative", class: "dimensions-negative"},
		{check: "encoding_format/base64-is-string", class: "encoding-base64", with: "encoding: {base64: refused}", too: "encoding_format/base64-batch",
			shows: "encoding_format/base64-bytes=not-offered encoding_format/node-sdk-default=raises"},
		{check: "encoding_format/null", class: "encoding-null"},
		{check: "encoding_format/invalid", class: "encoding-unknown"},
		{check: "input_forms/token-ids", class: "token-ids", with: "input: {token_ids: refused}"},
		{check: "input_forms/nested-ids", class: "nested-token-ids", with: "input: {nested_token_ids: refused}"},
		{check: "input_forms/empty-string", class: "empty-string"},
		{check: "input_forms/empty-array", class: "empty-array"},
		{check: "input_forms/mixed-array", class: "mixed-array"},
		{check: "status_codes/unknown-model", class: "unknown-model"},
		{check: "status_codes/missing-model", class: "missing-model"},
		{check: "status_codes/missing-input", class: "missing-input"},
		{check: "status_codes/malformed-json", class: "malformed-json"},
		{check: "status_codes/content-type", class: "content-type"},
		{check: "instructions/input-type-query", class: "input-type", with: "instruction: {input_type: refused}", alone: true, shows: noQueries},
		{check: "instructions/instruction-field", class: "instruction", with: "instruction: {instruction: refused}", alone: true},
		{check: "instructions/unknown-field", class: "unknown-field", alone: true},
		{check: "truncation/truncate-prompt-tokens", class: "truncate-prompt-tokens", with: "length: {truncate_prompt_tokens: refused}", alone: true},
	} {
		out = append(out, r.mutants()...)
	}
	// Which 4xx are repeated: all above 407. The other side of this edge is among the honest servers.
	for _, s := range []status{{408, "rejected-4xx-retried", "some-retried"}, {409, "rejected-4xx-retried", "some-retried"},
		{410, "rejected-4xx-retried", "some-retried"}, {415, "rejected-4xx-retried", "some-retried"},
		{499, "rejected-4xx-retried", "some-retried"}, {599, "failed-5xx", "some-5xx"}} {
		out = append(out, mutant{
			name:  fmt.Sprintf("empty texts refused with %d", s.code),
			with:  fmt.Sprintf("faults: {empty-string: {status: %d}}", s.code),
			shows: fmt.Sprintf("input_forms/empty-string=%s status_codes/client-faults-are-4xx=%s", s.variant, s.account),
		})
	}
	// One switch decides on every text above the limit, so that both checks of such texts move together.
	for _, s := range statuses()[1:] {
		out = append(out, mutant{
			name:  fmt.Sprintf("over-long texts refused with %d", s.code),
			with:  fmt.Sprintf("faults: {over-long: {status: %d}}", s.code),
			shows: fmt.Sprintf("truncation/over-long=%[1]s truncation/limit-plus-one=%[1]s status_codes/client-faults-are-4xx=%[2]s", s.variant, s.account),
		})
	}
	return out
}
