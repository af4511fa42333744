package judge_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// A judge outlives the recordings that it judged: tens of thousands of them do not fit in memory.
func TestJudgeKeepsNoRecording(t *testing.T) {
	c := status("behaviour/asked")
	j := judge.New(suite(c))
	gone := make(chan struct{})
	func() {
		rec := newTape(t, "a").end(contract.FactsID, 0, "", "").saw(c.ID, 0, "ok").rec()
		runtime.AddCleanup(rec, func(gone chan struct{}) { close(gone) }, gone)
		j.Facts(rec)
		j.Target(rec, c)
	}()
	deadline := time.After(10 * time.Second)
	for {
		runtime.GC()
		select {
		case <-gone:
			runtime.KeepAlive(j)
			return
		case <-deadline:
			t.Fatal("the judge holds on to a recording that nobody else has")
		case <-time.After(10 * time.Millisecond):
		}
	}
}
