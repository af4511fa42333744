package hostile_test

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"runtime/pprof"
	"sync/atomic"
	"testing"
	"time"
)

const (
	// sideBySide is how many servers are asked at the same time: most of them are waited for.
	sideBySide = "12"
	// mostHeap bounds the memory of all of them together, and of the servers, in bytes. One alone takes 300 MB at most.
	mostHeap = 768 << 20
	// settle is how long what was started may take to end.
	settle = 10 * time.Second
)

// TestMain holds what holds of all runs together: memory, and that nothing of them is left.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // of net/http, about answers that nobody asked for; the command does the same
	flag.Parse()
	if err := flag.Set("test.parallel", sideBySide); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	before := runtime.NumGoroutine()
	var most atomic.Uint64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(25 * time.Millisecond)
		defer tick.Stop()
		var stats runtime.MemStats
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				runtime.ReadMemStats(&stats)
				most.Store(max(most.Load(), stats.HeapInuse))
			}
		}
	}()
	code := m.Run()
	close(done)
	<-ended
	if n := most.Load(); n > mostHeap {
		fmt.Fprintf(os.Stderr, "the runs took %d MiB of memory\n", n>>20)
		code = 1
	}
	for end := time.Now().Add(settle); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	// A fuzzing process listens for signals until its end.
	if n := runtime.NumGoroutine(); n > before && flag.Lookup("test.fuzz").Value.String() == "" {
		fmt.Fprintf(os.Stderr, "%d goroutines are left:\n", n-before)
		_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
		code = 1
	}
	os.Exit(code)
}
