package kill_test

import "fmt"

// fieldMutants treat fields that ask for an instruction in other ways than the base.
func fieldMutants() []mutant {
	out := []mutant{
		{name: "instruction is the prompt of queries", with: "instruction: {instruction: as-query}", shows: "instructions/instruction-field=default-instruction"},
		{name: "documents get a prompt", with: `instruction: {document_prefix: "passage: "}`, shows: "instructions/input-type-document=moves-text instructions/same-document=other-vector"},
		{name: "documents get the prompt of queries", with: fmt.Sprintf("instruction: {document_prefix: %q}", killPrefix),
			shows: "instructions/input-type-document=as-query instructions/same-document=other-vector"},
		{name: "an input_type that does not exist is ignored", with: "instruction: {unknown_value: ignored}", shows: "instructions/unknown-input-type=as-plain"},
		{name: "an input_type that does not exist is query", with: "instruction: {unknown_value: as-query}", shows: "instructions/unknown-input-type=as-query"},
		{name: "an input_type that does not exist is text", with: "instruction: {unknown_value: as-prefix}", shows: "instructions/unknown-input-type=moves-text"},
		{name: "-query behind the model's name", with: "instruction: {model_suffix: honoured}", shows: "instructions/model-suffix=as-query"},
		{name: "-query behind the model's name, and input_type ignored", with: "instruction: {model_suffix: honoured, input_type: ignored}", shows: "instructions/input-type-document=ignored instructions/model-suffix=moves-text", also: []coupling{
			{"input_type has no effect", `
				instructions/input-type-query=ignored instructions/manual-prefix=field-without-effect
				instructions/prefixed-query@reference=not-the-prefix instructions/same-query=other-vector
				instructions/unknown-input-type=as-plain`},
		}},
	}
	for _, a := range []struct{ check, field string }{{"prompt-name", "prompt_name"}, {"task", "task"}, {"prompt", "prompt"}} {
		with := fmt.Sprintf("instruction: {aliases: [%s]}", a.field)
		out = append(out, mutant{name: a.field + " honoured", with: with, shows: "instructions/" + a.check + "=takes-effect"},
			mutant{name: a.field + " honoured, usage is 0", with: with + "\nusage: {count: zero}", shows: "instructions/" + a.check + "=vector-only", also: noTokens()})
	}
	return out
}

// noTokens is what changes when usage counts nothing.
func noTokens() []coupling {
	return []coupling{
		{"usage counts nothing", `
			token_parity/batch-is-sum=no-usage token_parity/edge-texts=not-counted token_parity/per-document=not-counted
			token_parity/sum=not-counted text/special-token=not-applicable
			instructions/input-type-query=vector-only instructions/instruction-field=vector-only`},
		{"no text of a known number of tokens can be made", `
			batching/long-texts=error truncation/end-counts=error truncation/limit-exact=error
			truncation/limit-plus-one=error truncation/over-long=error truncation/truncate-prompt-tokens=error
			unit_norm/near-limit=error status_codes/message-actionable=error`},
	}
}
