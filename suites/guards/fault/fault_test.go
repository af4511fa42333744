package fault_test

import (
	"slices"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/suites/guards/fault"
)

func TestOneFaultAtATime(t *testing.T) {
	t.Cleanup(func() { fault.Set(fault.None) })
	for id, want := range map[int]struct {
		condition bool
		text      string
		bar       float64
		count     int
		wait      time.Duration
	}{
		fault.None: {true, "pass", 0.1, 5, time.Minute},
		0:          {true, "pass", 0.1, 5, time.Minute},
		1:          {false, "pass", 0.1, 5, time.Minute},
		2:          {true, "broken pass", 0.1, 5, time.Minute},
		3:          {true, "pass", 1, 5, time.Minute},
		4:          {true, "pass", 0.01, 5, time.Minute},
		5:          {true, "pass", 0.1, 6, time.Minute},
		6:          {true, "pass", 0.1, 4, time.Minute},
		7:          {true, "pass", 0.1, 5, 10 * time.Minute},
		8:          {true, "pass", 0.1, 5, 6 * time.Second},
	} {
		fault.Set(id)
		if got := fault.Condition(0, true); got != want.condition {
			t.Errorf("fault %d: condition %v", id, got)
		}
		if got := fault.Text(2, "pass"); got != want.text {
			t.Errorf("fault %d: text %q", id, got)
		}
		if got := fault.Number(3, 0.1); got != want.bar {
			t.Errorf("fault %d: number %v", id, got)
		}
		if got := fault.Number(5, 5); got != want.count {
			t.Errorf("fault %d: number %v", id, got)
		}
		if got := fault.Number(7, time.Minute); got != want.wait {
			t.Errorf("fault %d: duration %v", id, got)
		}
	}
}

func TestPlacesReportThemselves(t *testing.T) {
	t.Cleanup(func() { fault.Set(fault.None) })
	type passing struct {
		id int
		v  bool
	}
	var passed []passing
	fault.OnReach(func(id int, v bool) { passed = append(passed, passing{id, v}) })
	fault.Condition(7, false)
	fault.Set(11)
	fault.Condition(11, false) // is true by the fault, and reported as it was
	fault.Number(13, 5)
	fault.OnReach(nil)
	fault.Condition(9, false)
	if want := []passing{{7, false}, {11, false}, {13, true}}; !slices.Equal(passed, want) {
		t.Errorf("passed %v, want %v", passed, want)
	}
}
