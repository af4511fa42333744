package report

import (
	"math"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// Trials is how many answers of a target were judged for faults that come now and then, and what that is worth.
type Trials struct {
	Answers int `json:"answers"` // that were judged
	Lists   int `json:"lists"`   // of these, answers to more than one text
	Unlike  int `json:"unlike"`  // of Answers, those that are not as they should be
	// Often and Seldom are the chances, from 0 to 1, that a fault which hits one answer in 20, or in 100, at random would
	// have been seen.
	Often  float64 `json:"sees_one_in_20"`
	Seldom float64 `json:"sees_one_in_100"`
	// OftenInLists and SeldomInLists are the same of a fault that shows in answers to more than one text only.
	OftenInLists  float64 `json:"lists_see_one_in_20"`
	SeldomInLists float64 `json:"lists_see_one_in_100"`
}

// String says it in a line.
func (t Trials) String() string {
	return contract.Trials{Answers: t.Answers, Lists: t.Lists, Unlike: t.Unlike}.String()
}

// trials counts what the cells of a target rest on; nil when nothing was judged for such faults.
func trials(cells map[string]judge.Cell) *Trials {
	var t Trials
	for _, c := range cells {
		t.Answers += c.Finding.Trials.Answers
		t.Lists += c.Finding.Trials.Lists
		t.Unlike += c.Finding.Trials.Unlike
	}
	if t.Answers == 0 {
		return nil
	}
	sees := func(n, rate int) float64 { return math.Floor(contract.Sees(n, rate)*1e4) / 1e4 }
	t.Often, t.Seldom = sees(t.Answers, contract.OftenFaulty), sees(t.Answers, contract.SeldomFaulty)
	t.OftenInLists, t.SeldomInLists = sees(t.Lists, contract.OftenFaulty), sees(t.Lists, contract.SeldomFaulty)
	return &t
}
