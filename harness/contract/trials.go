package contract

import (
	"fmt"
	"math"
)

// Trials says on how many answers a finding rests that none of them, or only some, are wrong.
type Trials struct {
	Answers int // that were judged
	Lists   int // of these, answers to more than one text
	Unlike  int // of Answers, those that are not as they should be
}

// Rates of faults, one in so many answers, for which reports say whether they would have been seen.
const (
	OftenFaulty  = 20
	SeldomFaulty = 100
)

// mostSeen is what a chance is at most: nothing that was not seen is ruled out.
const mostSeen = 0.9999

// Sees is the chance that a fault which hits one in so many of n answers, at random and each time anew, hits one of them
// at least. It is between 0 and 0.9999, and 0 when there were no answers; rate must be 1 or more.
func Sees(n, rate int) float64 {
	return min(1-math.Pow(1-1/float64(rate), float64(n)), mostSeen)
}

// String says it in a line; empty when no answer was judged. A fault that shows in lists only has chances of its own.
func (t Trials) String() string {
	switch {
	case t.Answers == 0:
		return ""
	case t.Unlike > 0:
		return fmt.Sprintf("%d of %d repeated answers unlike the first", t.Unlike, t.Answers)
	}
	often, seldom := chance(t.Answers, OftenFaulty), chance(t.Answers, SeldomFaulty)
	if t.Lists > 0 && t.Lists < t.Answers {
		often += fmt.Sprintf(" (in lists only: %s)", chance(t.Lists, OftenFaulty))
		seldom += fmt.Sprintf(" (%s)", chance(t.Lists, SeldomFaulty))
	}
	return fmt.Sprintf("%d repeated answers alike: a fault in one of %d would have been seen with %s, in one of %d with %s",
		t.Answers, OftenFaulty, often, SeldomFaulty, seldom)
}

// chance is rounded down, to whole percents.
func chance(n, rate int) string { return fmt.Sprintf("%.0f %%", math.Floor(100*Sees(n, rate))) }
