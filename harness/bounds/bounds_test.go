package bounds

import (
	"testing"
	"time"
)

// noted counts the failures of a test.
type noted struct {
	testing.TB
	errors int
}

func (n *noted) Helper()               {}
func (n *noted) Errorf(string, ...any) { n.errors++ }

var kept []byte

// limit stands for Time, which would be long for a test.
const limit = 100 * time.Millisecond

// busy works for longer than it may.
func busy() {
	for end := spent() + limit*3/2; spent() < end; {
		kept = append(kept[:0], 1)
	}
}

func TestHold(t *testing.T) {
	calls := 0
	for name, c := range map[string]struct {
		size, errors, calls int
		do                  func()
	}{
		"fast": {1, 0, 1, func() {}},
		"slow once": {1, 0, 2, func() {
			if calls == 1 {
				busy()
			}
		}},
		"always slow": {1, 1, 3, busy},
		"much memory": {1, 1, tries, func() { kept = make([]byte, Memory+1<<20) }},
		"much memory once": {1, 0, 2, func() { // by somebody else in the process
			if calls == 1 {
				kept = make([]byte, Memory+1<<20)
			}
		}},
		"of a long input": {1 << 20, 0, 1, func() { kept = make([]byte, Memory+1<<20) }},
	} {
		n := &noted{TB: t}
		calls = 0
		hold(n, c.size, limit, func() { calls++; c.do() })
		if n.errors != c.errors || calls != c.calls {
			t.Errorf("%s: %d errors and %d calls, want %d and %d", name, n.errors, calls, c.errors, c.calls)
		}
	}
}
