package probe_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/probe"
)

// outside is how a driver says that the server was ended by somebody else.
type outside struct{ error }

func (outside) FromOutside() bool { return true }

// A server that ends while it is asked is a finding, unless it was ended from outside. The driver may need a moment
// to know.
func TestServerThatEndsWhileItIsAsked(t *testing.T) {
	for _, c := range []struct {
		name string
		end  error
		want string // error of the check of that moment
	}{
		{"by itself", errors.New("server exited with code 7"), ""},
		{"from outside", outside{errors.New("server was killed")}, "server was killed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dead, looks := false, 0
			r := start(t, suite(check("c/one", ask("say nothing")), check("c/next", ask("next"))), func(p *probe.Config) {
				p.Asker = &server{answer: func(body string) contract.Step {
					dead = dead || strings.Contains(body, "say nothing")
					if dead {
						return contract.Step{Fault: contract.FaultClosed, Detail: "EOF"}
					}
					return says(body)
				}}
				p.Alive = func() error {
					if looks++; dead && looks > 4 {
						return c.end
					}
					return nil
				}
			})
			if _, err := r.Discover(context.Background()); err != nil {
				t.Fatal(err)
			}
			if err := r.Follow(contract.NewPlan("t", contract.Facts{}, contract.Corpus{Name: "texts"})); err != nil {
				t.Fatal(err)
			}
			r.mustAsk(t, "c/one", "c/next")
			if got := r.trail(t, "c/one").Error; got != c.want {
				t.Errorf("the check of that moment: error %q, want %q", got, c.want)
			}
			if got := r.trail(t, "c/next").Error; !strings.Contains(got, c.end.Error()) {
				t.Errorf("the next check: %q", got)
			}
		})
	}
}
