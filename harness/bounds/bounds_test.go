package bounds_test

import (
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/bounds"
)

// noted counts the failures of a test.
type noted struct {
	testing.TB
	errors int
}

func (n *noted) Helper()               {}
func (n *noted) Errorf(string, ...any) { n.errors++ }

var kept []byte

func TestHold(t *testing.T) {
	calls := 0
	for name, c := range map[string]struct {
		size, errors, calls int
		do                  func()
	}{
		"fast":            {1, 0, 1, func() {}},
		"slow once":       {1, 0, 2, func() { time.Sleep(map[bool]time.Duration{true: bounds.Time + time.Millisecond}[calls == 1]) }},
		"always slow":     {1, 1, 3, func() { time.Sleep(bounds.Time + time.Millisecond) }},
		"much memory":     {1, 1, 1, func() { kept = make([]byte, bounds.Memory+1<<20) }},
		"of a long input": {1 << 20, 0, 1, func() { kept = make([]byte, bounds.Memory+1<<20) }},
	} {
		n := &noted{TB: t}
		calls = 0
		bounds.Hold(n, c.size, func() { calls++; c.do() })
		if n.errors != c.errors || calls != c.calls {
			t.Errorf("%s: %d errors and %d calls, want %d and %d", name, n.errors, calls, c.errors, c.calls)
		}
	}
}
