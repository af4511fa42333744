// Package bounds holds what code does with bytes from outside to a time and to a memory. It is for tests: whoever
// sends a body, a file or a line must not be able to make the suite hang or take the memory of the machine.
package bounds

import (
	"math"
	"runtime/metrics"
	"testing"
	"time"
)

// The bounds, and how they are measured.
const (
	// Time is the most processor time that a call may take on bytes from outside. A fuzzer's inputs have some kilobytes, and honest
	// code reads those in milliseconds; what takes a second is not linear.
	Time = time.Second
	// Memory is what a call may allocate in all, in bytes, on an input of at most a kilobyte; MemoryPerByte is what each
	// byte more of the input may add. A schema engine or a report allocates some kilobytes a byte.
	Memory        = 50 << 20
	MemoryPerByte = 8 << 10

	small = 1 << 10
	// tries is how often a call that took too long is tried: other tests, and the collector, run in the same process.
	tries = 3
)

// Hold fails the test when do, which reads an input of size bytes, is slower than Time each time that it is called, or
// allocates more than that size allows. Do must be repeatable: it is called again after a slow call.
func Hold(t testing.TB, size int, do func()) {
	t.Helper()
	hold(t, size, Time, do)
}

func hold(t testing.TB, size int, limit time.Duration, do func()) {
	t.Helper()
	fastest := time.Duration(-1)
	most := uint64(Memory + MemoryPerByte*max(0, size-small))
	least := uint64(math.MaxUint64)
	for try := 0; try < tries && (fastest < 0 || fastest > limit || least > most); try++ {
		before, began := allocated(), spent()
		do()
		took := spent() - began
		if fastest < 0 || took < fastest {
			fastest = took
		}
		least = min(least, allocated()-before) // what others in the process allocate meanwhile is counted, too
	}
	if least > most {
		t.Errorf("an input of %d bytes made it allocate %d MB, %d times; it may be %d", size, least>>20, tries, most>>20)
	}
	if fastest > limit {
		t.Errorf("an input of %d bytes took %v, %d times; it may take %v", size, fastest, tries, limit)
	}
}

// allocated is what this process has allocated since its start, in bytes. Small allocations are counted some
// kilobytes late, which does not matter here.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
