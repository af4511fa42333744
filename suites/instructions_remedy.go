package suites

import (
	"context"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	sameQueryCheck = "instructions/same-query"
	prefixedCheck  = "instructions/prefixed-query"
	instrCheck     = "instructions/instruction-field"
	ownStep        = "own-instruction"
)

// instrRemedy is what clients do that search through a server which embeds a query as it stands.
func instrRemedy() contract.Check {
	return remedy(remedied{
		id:     "instructions/prefix-on-client",
		change: "put the model's instruction before the text of each query, and send no field for it",
		why:    "the instruction is text to the model; it does not matter who writes it",
		from:   []string{"instr-manual-prefix-equals", "https://huggingface.co/Qwen/Qwen3-Embedding-0.6B"},
		reads:  []string{sameQueryCheck, prefixedCheck, inputTypeCheck, instrCheck},
		plans:  []string{contract.PlanPrefix},
		probe: func(ctx context.Context, p contract.Prober) error {
			prefix := p.Plan().Facts.QueryPrefix
			if prefix == "" {
				return contract.Inapplicable("no facts.query_prefix is declared for the reference")
			}
			own := withTask(prefix, ownTask)
			if own == "" {
				return nil // of such a prefix it is not known which part of it is the task
			}
			_, err := p.Embed(ctx, ownStep, contract.Body{"input": own + queryText})
			return err
		},
		bridges: []bridge{
			{sameQueryCheck, prefixedQueries}, {inputTypeCheck, prefixedQueries},
			{instrCheck, func(r, k contract.Evidence) contract.Proof {
				asked := r.Read[instrCheck]
				if d, err := stepDistance(asked.Step("plain"), asked.Step("field")); err == nil && d <= parity.SameBar {
					return contract.Proof{Needless: true, Observed: "the field has no effect on the reference"}
				}
				return sameVector(asked.Step("field"), k.Step(ownStep))
			}},
		},
	})
}

// withTask puts a task of the client's own into a prefix of the form "Instruct: TASK\nQuery:", that of Qwen3-Embedding
// and E5; empty for other forms.
func withTask(prefix, task string) string {
	const head, tail = "Instruct: ", "\nQuery:"
	if at := strings.LastIndex(prefix, tail); strings.HasPrefix(prefix, head) && at >= len(head) {
		return head + task + prefix[at:]
	}
	return ""
}

// prefixedQueries compares each query of the reference with the prefixed text of the candidate.
func prefixedQueries(r, k contract.Evidence) contract.Proof {
	var want, got [][]float32
	for _, q := range r.Read[sameQueryCheck].StepsLike("query:") {
		a, err := q.One()
		if err != nil {
			return nothingKept(q)
		}
		prefixed := k.Read[prefixedCheck].Step("prefixed:" + strings.TrimPrefix(q.Name, "query:"))
		b, err := prefixed.One()
		if err != nil {
			return notProved("%s: %s", prefixed.Name, prefixed.Describe())
		}
		want, got = append(want, a), append(got, b)
	}
	return sameVectors(want, got)
}
