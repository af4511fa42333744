package suites

import (
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// Whoever swaps servers must be told of wrong vectors that came into the index before, or come into it now, since no
// status tells: the effect is the same in both directions.
func TestWrongVectorsUnderLoadAndRestartsBreakTheIndex(t *testing.T) {
	s, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for id, ways := range map[string]struct{ wrong, right []string }{
		"concurrency/isolation":       {[]string{"swapped", "other-vector"}, []string{"own-vectors", "some-busy", "some-fail"}},
		"concurrency/same-request-id": {[]string{"swapped", "other-vector"}, []string{"own-vectors", "some-busy", "some-fail"}},
		"concurrency/client-leaves":   {[]string{"swapped", "other-vector"}, []string{"unharmed", "some-busy", "some-fail"}},
		"service/steady":              {[]string{"wrong-vector"}, []string{"steady", "below-bar", "broken-vector", "some-busy", "some-fail"}},
		"concurrency/overload":        {[]string{"swapped", "other-vector"}, []string{"all-served", "busy-429", "busy-503", "busy-529", "fails", "unanswered"}},
		"concurrency/keep-alive":      {[]string{"other-vector"}, []string{"kept", "never-kept", "closed-within-10s", "closed-after-10s"}},
		"lifecycle/in-flight":         {[]string{"garbage"}, []string{"finished", "cut-503", "closed"}},
		"lifecycle/while-stopping":    {[]string{"garbage"}, []string{"told", "not-found", "failed-5xx"}},
		"lifecycle/comes-back":        {[]string{"other-vector"}, []string{"the-same"}},
	} {
		c, ok := s.Check(id)
		if !ok {
			t.Errorf("no check %s", id)
			continue
		}
		for _, wrong := range ways.wrong {
			for _, right := range ways.right {
				for _, swap := range [][2]string{{wrong, right}, {right, wrong}} {
					if got := c.EffectOf(swap[0], swap[1]); got.Effect != contract.IndexBreak || !got.Silent {
						t.Errorf("%s, %s -> %s: %s, silent %v, want a silent %s", id, swap[0], swap[1], got.Effect, got.Silent, contract.IndexBreak)
					}
				}
			}
		}
	}
}

// A route that is closed to the key and one that is not there are alike, and 0 in Retry-After is like none.
func TestWhatIsNotThereEitherWay(t *testing.T) {
	s, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for id, pair := range map[string][2]string{
		"service/models": {"absent", "closed"}, "service/model-by-name": {"absent", "closed"}, "service/health": {"absent", "closed"},
		"service/own-document": {"absent", "closed"}, "concurrency/retry-after": {"absent", "at-once"},
	} {
		c, _ := s.Check(id)
		for _, swap := range [][2]string{pair, {pair[1], pair[0]}} {
			if got := c.EffectOf(swap[0], swap[1]); got.Effect != contract.Compatible {
				t.Errorf("%s, %s -> %s: %s, want %s", id, swap[0], swap[1], got.Effect, contract.Compatible)
			}
		}
	}
}
