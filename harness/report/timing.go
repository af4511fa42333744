package report

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// Timing is how long the checks of every run took, and how much of that the server was answering. Extended checks are
// left out: they wait on purpose.
type Timing struct {
	Requests  int     `json:"requests"`
	Answering float64 `json:"answering_s"` // while at least one request was under way
	Added     float64 `json:"added_s"`     // between the first request and the last answer, without one
}

// Share is what the suite added to the time in which the server answered, as a share of it.
func (t Timing) Share() float64 {
	if t.Answering == 0 {
		return 0
	}
	return t.Added / t.Answering
}

// String says it in a line; empty when nothing was asked.
func (t Timing) String() string {
	if t.Requests == 0 {
		return ""
	}
	return fmt.Sprintf("%d requests, answered in %.1f s; the suite added %.0f %%", t.Requests, t.Answering, 100*t.Share())
}

// timing measures the checks of every run in a recording. Where other checks were asked in between, their time counts
// for neither.
func timing(rec *recording.Recording, suite contract.Suite) Timing {
	type span struct {
		from, to time.Time
		core     bool
	}
	var all []span
	var t Timing
	for _, id := range rec.Checks() {
		c, known := suite.Check(id)
		core := id == contract.FactsID || known && !c.Extended
		for _, trail := range rec.Trails(id) {
			for _, s := range trail.Steps {
				if core && s.Request.Action == "" {
					t.Requests++
				}
				all = append(all, span{s.Sent, s.Sent.Add(s.Took), core})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b span) int { return a.from.Compare(b.from) })
	var end time.Time
	last := false // the span that ended last is of a check of every run
	for i, s := range all {
		if i > 0 && s.core && last && s.from.After(end) {
			t.Added += s.from.Sub(end).Seconds()
		}
		if s.to.After(end) {
			if s.core {
				from := s.from
				if end.After(from) {
					from = end
				}
				t.Answering += s.to.Sub(from).Seconds()
			}
			end, last = s.to, s.core
		}
	}
	t.Answering, t.Added = toMilliseconds(t.Answering), toMilliseconds(t.Added)
	return t
}

func toMilliseconds(seconds float64) float64 { return math.Round(seconds*1e3) / 1e3 }
