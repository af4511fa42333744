package probe_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/probe"
)

// A witness that cannot be run is no missing answer of the server: it must end as an error, and leave no step by which
// the server would be judged.
func TestWitnessThatCannotBeRun(t *testing.T) {
	does := func(a contract.Action) func(context.Context, contract.Prober) error {
		return func(ctx context.Context, p contract.Prober) error {
			_, err := p.Do(ctx, "told", a)
			return err
		}
	}
	r := start(t, suite(
		check("c/broken", does(contract.Witness("node", "default"))),
		check("c/unasked", does(contract.Witness("python", "default"))),
		check("c/told", does(contract.Witness("go", "batch"))),
		check("c/worker", does(contract.StopWorker)),
	), func(c *probe.Config) {
		c.Act = func(_ context.Context, a contract.Action) ([]byte, error) {
			switch sdk, scenario, _ := a.Witnesses(); sdk {
			case "go":
				return []byte(`{"sdk":"` + scenario + `"}`), nil
			case "python":
				return nil, contract.Inapplicable("nobody asked for it")
			}
			return nil, errors.New("it is broken")
		}
	})
	r.mustAsk(t, "c/broken", "c/unasked", "c/told", "c/worker")
	if got := r.trail(t, "c/broken"); len(got.Steps) != 0 || !strings.Contains(got.Error, "witness node default: it is broken") {
		t.Errorf("a broken witness: %+v", got)
	}
	if got := r.trail(t, "c/unasked"); len(got.Steps) != 0 || got.Inapplicable != "nobody asked for it" || got.Error != "" {
		t.Errorf("a witness that nobody asked for: %+v", got)
	}
	if got := r.trail(t, "c/told"); len(got.Steps) != 1 || string(got.Steps[0].Body) != `{"sdk":"batch"}` || got.Steps[0].Fault != "" || got.Error != "" {
		t.Errorf("a witness that told something: %+v", got)
	}
	if got := r.trail(t, "c/worker"); len(got.Steps) != 1 || got.Steps[0].Fault != contract.FaultAction {
		t.Errorf("another action that failed: %+v", got)
	}
}
