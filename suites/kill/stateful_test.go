package kill_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

const steadyCheck = "service/steady"

// steadyMutants show what is seen of faults that come now and then. They are asked that check only: which others meet one
// of twenty answers depends on how many were asked before.
func steadyMutants() []mutant {
	row := func(name, with, variant string) mutant {
		return mutant{name: name, with: with, only: steadyCheck, shows: steadyCheck + "=" + variant}
	}
	return []mutant{
		row("each twentieth answer is of another text", "sporadic: {every: 20, does: wrong-vector}", "wrong-vector"),
		row("two texts of each twentieth list are swapped", "sporadic: {every: 20, does: swap}", "wrong-vector"),
		row("each twentieth vector is cut", "sporadic: {every: 20, does: cut}", "broken-vector"),
		row("each twentieth vector is empty", "sporadic: {every: 20, does: empty}", "broken-vector"),
		row("each twentieth answer is 500", "sporadic: {every: 20, does: error}", "some-fail"),
		row("each twentieth answer is 429", "delivery: {busy_every: 20}", "some-busy"),
		row("each twentieth answer is 529", "delivery: {busy_every: 20}\nfaults: {overload: {status: 529}}", "some-busy"),
	}
}

// steadyChapter is what other rows show in that check.
func steadyChapter() map[string]chapter {
	unreadable := []coupling{{"no answer has vectors that could be compared", steadyCheck + "=other"}}
	dead := []coupling{{"a dead server is not asked", steadyCheck + "=error"}}
	return map[string]chapter{
		"noise above each bar":                               {shows: steadyCheck + "=below-bar"},
		"noise above each bar, and fields ignored":           {shows: steadyCheck + "=below-bar"},
		"limit of 6 tokens":                                  {shows: steadyCheck + "=refused"},
		"null is base64":                                     {also: unreadable},
		"base64 by default":                                  {also: unreadable},
		"NaN among the numbers":                              {also: unreadable},
		"null among the numbers":                             {also: unreadable},
		"vectors are nested":                                 {also: unreadable},
		"dies of a missing input":                            {also: dead},
		"answers a missing input and dies":                   {also: dead},
		"fails on an empty text and dies of a missing input": {also: dead},
	}
}

// does are the faults of stateful servers; swap is the one that shows in lists only.
func does() []string { return []string{"wrong-vector", "error", "swap", "empty", "cut"} }

// stateful are servers of which each fault depends on what was asked before. Whoever asks each thing once sees none of it.
func stateful() map[string]string {
	return map[string]string{
		"on each twentieth call":           "every: 20",
		"on each twentieth call, later":    "every: 20, after: 13",
		"after the hundredth call":         "after: 100",
		"after an error":                   "when: error",
		"under load":                       "when: load",
		"for a text that was seen before":  "when: seen",
		"on one of twenty calls at random": "chance: 0.05, seed: 7",
	}
}

func TestStatefulServersAreFound(t *testing.T) {
	l := openLab(t)
	base := l.cellsOf(l.base)
	for name, when := range stateful() {
		for _, what := range does() {
			if when == "when: load" && what == "swap" {
				continue // a blind spot
			}
			t.Run(name+" "+what, func(t *testing.T) {
				t.Parallel()
				with := fmt.Sprintf("sporadic: {%s, does: %s}", when, what)
				if when == "when: load" {
					with += "\ndelivery: {delay_ms: 2}"
				}
				rec, err := l.record(t, mutant{name: name, with: with}, 1)
				if err != nil {
					t.Fatal(err)
				}
				var seen []string
				for id, cell := range l.cellsOf(rec) {
					if bad(cell) && !bad(base[id]) {
						seen = append(seen, id)
					}
				}
				if len(seen) == 0 {
					t.Errorf("no check fails or is flaky")
				}
			})
		}
	}
}

func bad(c judge.Cell) bool { return c.Outcome == contract.Fail || c.Outcome == contract.Flaky }

// steadyCell asks a server with a fault that comes now and then for the one check that looks for it.
func steadyCell(t *testing.T, l *lab, with string) judge.Cell {
	t.Helper()
	rec, err := l.record(t, mutant{name: "sporadic", with: "sporadic: {" + with + "}", only: steadyCheck}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return l.cellsOf(rec)[steadyCheck]
}

// A fault on each twentieth call is met whichever call is the first that has it, and in whatever it shows.
func TestEachPhaseOfAFaultIsMet(t *testing.T) {
	l := openLab(t)
	const every = 20
	for _, what := range []string{"error", "swap"} {
		for phase := range every {
			if cell := steadyCell(t, l, fmt.Sprintf("every: %d, after: %d, does: %s", every, phase, what)); !bad(cell) {
				t.Errorf("%s after %d: %s: %s", what, phase, cell.Variant(), cell.Finding.Observed)
			}
		}
	}
}

const (
	// randomSeeds is how many servers with one fault and one chance are asked.
	randomSeeds = 40
	// falseAlarm is how likely a right suite finds fewer of them than leastFound.
	falseAlarm = 1e-3
)

// leastFound is the least number out of n that a suite finds, but for falseAlarm, when it finds each with a probability.
func leastFound(n int, p float64) int {
	below := 0.0 // the probability of fewer than k
	for k := range n {
		lgN, _ := math.Lgamma(float64(n + 1))
		lgK, _ := math.Lgamma(float64(k + 1))
		lgR, _ := math.Lgamma(float64(n - k + 1))
		below += math.Exp(lgN - lgK - lgR + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		if below > falseAlarm {
			return k
		}
	}
	return n
}

func TestLeastFound(t *testing.T) {
	for _, c := range []struct {
		n    int
		p    float64
		want int
	}{{1, 0.5, 0}, {10, 0.5, 1}, {40, 0.95, 33}, {40, 0.9999, 39}} {
		if got := leastFound(c.n, c.p); got != c.want {
			t.Errorf("of %d with %v: %d, want %d", c.n, c.p, got, c.want)
		}
	}
}

// What a report says of the chance to see a fault at random is what is found of many servers with such faults.
func TestRandomFaultsAreMetAsOftenAsReportsSay(t *testing.T) {
	l := openLab(t)
	trials := l.cellsOf(l.base)[steadyCheck].Finding.Trials
	for _, what := range does() {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			answers := trials.Answers
			if what == "swap" {
				answers = trials.Lists
			}
			p := contract.Sees(answers, contract.OftenFaulty)
			if p < 0.95 {
				t.Errorf("a fault in one of %d is met with %.3f", contract.OftenFaulty, p)
			}
			found := 0
			for seed := range randomSeeds {
				if bad(steadyCell(t, l, fmt.Sprintf("chance: %v, seed: %d, does: %s", 1.0/contract.OftenFaulty, seed, what))) {
					found++
				}
			}
			if least := leastFound(randomSeeds, p); found < least {
				t.Errorf("found %d of %d, want %d: each should be found with %.3f", found, randomSeeds, least, p)
			}
		})
	}
}

// A fault in one of a thousand answers may stay unseen, and then the report does not say that there is none.
func TestRareFaultsMayStayUnseen(t *testing.T) {
	l := openLab(t)
	for seed := range randomSeeds {
		cell := steadyCell(t, l, fmt.Sprintf("chance: 0.001, seed: %d, does: wrong-vector", seed))
		if bad(cell) {
			continue
		}
		if p := contract.Sees(cell.Finding.Trials.Answers, 1000); p > 0.1 {
			t.Errorf("a fault in one of 1000 is said to be met with %.3f", p)
		}
		if !strings.Contains(cell.Finding.Observed, "one of 100 with 57 %") {
			t.Errorf("the report says %q", cell.Finding.Observed)
		}
		return
	}
	t.Errorf("each of %d servers is found", randomSeeds)
}
