package suites

import (
	"context"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
)

const (
	plannedCheck  = "truncation/reference-limit"
	silentCheck   = "truncation/silent-cut"
	badBatchCheck = "truncation/batch-one-bad"
)

// cutOnClientRemedy: no tokenizer is needed to prove it, since the suite knows a text of exactly the reference's limit
// and asks for longer ones that begin with it.
func cutOnClientRemedy() contract.Check {
	return remedy(remedied{
		id:     "truncation/cut-on-client",
		change: "cut each text at the token limit before it is sent, so that text and end marker fill it",
		why:    "a server that cuts does nothing else; where it drops the end marker with the rest, this is the better vector",
		from:   []string{"trunc-overlong-policy", "trunc-eos-kept"},
		reads:  []string{longCheck, plannedCheck},
		plans:  []string{contract.PlanLimit},
		probe: func(ctx context.Context, p contract.Prober) error {
			limit, err := plannedLimit(p)
			if err != nil {
				return err
			}
			_, err = p.Embed(ctx, "batch", contract.Body{"input": withBad(limit.String())},
				contract.Recipe(fmt.Sprintf("3 short texts, and at place %d %s", badPlace, limit.Recipe())))
			return err
		},
		bridges: cutBridges(func(k contract.Evidence) contract.Step { return k.Read[plannedCheck].Step("limit") }),
	})
}

// cutOnServerRemedy is vLLM's way to have texts cut as before. A server that cuts off the end marker as well fails it.
func cutOnServerRemedy() contract.Check {
	return remedy(remedied{
		id:     "truncation/cut-on-server",
		change: "send truncate_prompt_tokens with the token limit",
		why:    "it needs no tokenizer on the client",
		from:   []string{"trunc-param-vllm", "trunc-eos-kept"},
		reads:  []string{longCheck},
		plans:  []string{contract.PlanLimit},
		probe: func(ctx context.Context, p contract.Prober) error {
			limit, err := plannedLimit(p)
			if err != nil {
				return err
			}
			text, recipe := overLong(limit)
			tokens := p.Plan().Facts.MaxTokens
			if _, err := p.Embed(ctx, "over-long", contract.Body{"input": text, "truncate_prompt_tokens": tokens},
				contract.Violates(outsideSchema), contract.Recipe(recipe)); err != nil {
				return err
			}
			_, err = p.Embed(ctx, "batch", contract.Body{"input": withBad(text), "truncate_prompt_tokens": tokens},
				contract.Violates(outsideSchema), contract.Recipe(fmt.Sprintf("3 short texts, and at place %d %s", badPlace, recipe)))
			return err
		},
		bridges: cutBridges(func(k contract.Evidence) contract.Step { return k.Step("over-long") }),
	})
}

// plannedLimit is the text of exactly the reference's limit.
func plannedLimit(p contract.Prober) (contract.Filler, error) {
	limit := p.Plan().Facts.Limit
	if limit == (contract.Filler{}) {
		return limit, contract.Inapplicable("no text of exactly the reference's limit is known")
	}
	return limit, nil
}

// cutBridges are what both ways of cutting bridge. cut is the candidate's answer to the text of the limit.
func cutBridges(cut func(candidate contract.Evidence) contract.Step) []bridge {
	asLong := func(check, step string) bridge {
		return bridge{check, func(r, k contract.Evidence) contract.Proof {
			if s := r.Read[check].Step(step); !s.OK() {
				return nothingKept(s)
			}
			p := sameVector(r.Read[longCheck].Step("over-long"), cut(k))
			if p.Needless { // this text was served, another over-long one was not
				return notProved("the reference does not serve the text of %s", longCheck)
			}
			p.Observed += ", with the text of " + longCheck
			return p
		}}
	}
	return []bridge{
		bySteps(longCheck, "over-long", cut), bySteps("truncation/limit-plus-one", "plus-one", cut),
		asLong(silentCheck, "tail"), asLong("truncation/huge-text", "huge"),
		{badBatchCheck, func(r, k contract.Evidence) contract.Proof {
			return sameLists(r.Read[badBatchCheck].Step("batch"), k.Step("batch"), len(withBad("")))
		}},
		{"truncation/truncate-minus-one", func(r, k contract.Evidence) contract.Proof {
			return sameVector(r.Read["truncation/truncate-minus-one"].Step("asked"), cut(k))
		}},
	}
}
