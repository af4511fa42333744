package kill_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/session"
)

// Idle connections are those of sockets, which the table does not have: a server closes them after so many
// milliseconds, or never. Time passes 25 times as fast as for a real server.
func TestIdleConnections(t *testing.T) {
	t.Parallel()
	const id = "concurrency/keep-alive"
	l := openLab(t)
	check, ok := l.suite.Check(id)
	if !ok {
		t.Fatalf("no check %s", id)
	}
	for idle, want := range map[int]string{0: "kept", 200: "closed-within-10s", 1200: "closed-after-10s"} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			spec, err := fixtures.Target("legacy-emulated")
			if err != nil {
				t.Fatal(err)
			}
			s, err := session.Open(t.Context(), session.Config{Suite: l.suite, Embedded: func(string) (http.Handler, error) {
				p, err := emulator.Parse("base", []byte(killBase))
				if err != nil {
					return nil, err
				}
				if p, err = p.With(fmt.Appendf(nil, "delivery: {idle_close_ms: %d}", idle)); err != nil {
					return nil, err
				}
				return emulator.New(p)
			}}, spec)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}()
			if err := s.Follow(contract.NewPlan("base", s.Facts(), l.suite.Corpus)); err != nil {
				t.Fatal(err)
			}
			if err := s.Ask(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			if got := l.judge.Target(s.Recording(), check); got.Variant() != want {
				t.Errorf("%s: %s %s", got.Variant(), got.Finding.Observed, got.Reason)
			}
		})
	}
}
