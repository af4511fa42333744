package suites

import (
	"context"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// onceRemedy lets a user of an SDK turn its retries off, and counts the calls.
func onceRemedy(k sdk) contract.Check {
	return remedy(remedied{
		id:       "witnesses/" + k.name + "-no-retries",
		change:   "turn the retries of " + k.title + " off (max_retries 0), and repeat in your own code what is worth it",
		why:      "it repeats by status, and a server that calls each fault its own makes three calls of one",
		from:     []string{retryRules},
		reads:    []string{"witnesses/" + k.name + "-error"},
		extended: k.extended,
		probe: func(ctx context.Context, p contract.Prober) error {
			_, err := p.Do(ctx, toldStep, contract.Witness(k.name, statement.Once))
			return err
		},
		bridges: []bridge{{"witnesses/" + k.name + "-error", func(r, candidate contract.Evidence) contract.Proof {
			if before, err := statement.Read(r.Read["witnesses/"+k.name+"-error"].Step(toldStep)); err == nil && before.Error == nil {
				return contract.Proof{Needless: true, Observed: "the reference serves the request: not repeating it is no way to get that back"}
			}
			out, err := statement.Read(candidate.Step(toldStep))
			switch {
			case err != nil:
				return notProved("%v", err)
			case out.Error == nil:
				return contract.Proof{Needless: true, Observed: "the candidate serves the request"}
			case out.Ended || out.Calls == 0:
				return notProved("%s", out.Error.Text)
			}
			return contract.Proof{Holds: out.Calls == 1, Observed: calls(out) + fmt.Sprintf("; %s", out.Error.Class),
				Numbers: []contract.Number{{Name: "calls", Value: float64(out.Calls)}}}
		}}},
	})
}
