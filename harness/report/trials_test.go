package report

import (
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// What a report says of faults that come now and then is counted from what was judged, and nothing is said where nothing was.
func TestTrials(t *testing.T) {
	cell := func(answers, lists, unlike int) judge.Cell {
		return judge.Cell{Finding: contract.Finding{Trials: contract.Trials{Answers: answers, Lists: lists, Unlike: unlike}}}
	}
	if got := trials(map[string]judge.Cell{"b/other": {}, "b/busy": cell(0, 0, 0)}); got != nil {
		t.Errorf("nothing was judged: %+v", got)
	}
	got := trials(map[string]judge.Cell{"b/one": cell(60, 60, 0), "b/two": cell(4, 0, 0), "b/other": {}})
	if want := (Trials{64, 60, 0, 0.9624, 0.4744, 0.9539, 0.4528}); got == nil || *got != want {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for want, of := range map[string]Trials{
		"64 repeated answers alike: a fault in one of 20 would have been seen with 96 % (in lists only: 95 %), in one of 100 with 47 % (45 %)": *got,
		"64 repeated answers alike: a fault in one of 20 would have been seen with 96 %, in one of 100 with 47 %":                              {Answers: 64, Lists: 64},
		"2000 repeated answers alike: a fault in one of 20 would have been seen with 99 %, in one of 100 with 99 %":                            {Answers: 2000},
		"3 of 64 repeated answers unlike the first": {Answers: 64, Unlike: 3},
		"": {},
	} {
		if got := of.String(); got != want {
			t.Errorf("%+v: %q, want %q", of, got, want)
		}
	}
}
