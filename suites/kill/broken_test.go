package kill_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// spoilt is one answer to spoil.
type spoilt struct {
	check contract.Check
	step  *contract.Step
	by    breakage
	may   bool   // pass all the same
	was   string // the variant with the answer as it was
	// Of a pair check: the other server, and whether that is the reference.
	other     *recording.Recording
	candidate bool
}

// spoiltAnswers are all answers of a recording with each breakage that fits. Of pair checks they are those of the
// candidate and of the reference in turn, and also what the check reads of others; base is the other server.
func spoiltAnswers(suite contract.Suite, rec, base *recording.Recording) (all []spoilt) {
	for _, c := range suite.Checks() {
		if c.Pair() {
			all = append(all, spoiltPair(c, rec, base)...)
			continue
		}
		was := judge.New(suite).Target(rec, c).Variant()
		for _, trail := range rec.Trails(c.ID) {
			for i := range trail.Steps {
				s := &trail.Steps[i]
				for _, b := range breakages() {
					if !b.of.fits(*s) {
						continue
					}
					may := slices.ContainsFunc(indifferents(), func(x indifferent) bool { return x.covers(c.ID, s.Name, b.name) })
					all = append(all, spoilt{check: c, step: s, by: b, may: may, was: was})
				}
			}
		}
	}
	return all
}

func spoiltPair(c contract.Check, rec, base *recording.Recording) (all []spoilt) {
	for _, id := range append([]string{c.ID}, c.Reads...) {
		for _, trail := range rec.Trails(id) {
			for i := range trail.Steps {
				s := &trail.Steps[i]
				for _, b := range breakages() {
					// How far a vector may be from the other server's, the bars of pair checks say.
					if !b.of.fits(*s) || b.name == "moved" || b.of == ofNorm {
						continue
					}
					may := slices.ContainsFunc(indifferents(), func(x indifferent) bool { return x.covers(c.ID, s.Name, b.name) })
					for _, candidate := range []bool{true, false} {
						may := may || slices.ContainsFunc(indifferentPairs(), func(x indifferentPair) bool { return x.covers(c.ID, s.Name, candidate) })
						all = append(all, spoilt{check: c, step: s, by: b, may: may, other: base, candidate: candidate})
					}
				}
			}
		}
	}
	return all
}

// nudgedSteps is how many answers of a cell are moved a little, one at a time.
const nudgedSteps = 4

// nudged are the first answers that a check read of a wrong server, each moved as little as an honest one may be between
// two calls: what is wrong with the server must be seen all the same.
func nudged(c contract.Check, rec *recording.Recording, was string) (all []spoilt) {
	for _, trail := range rec.Trails(c.ID) {
		for i := range trail.Steps {
			for _, b := range breakages() {
				if len(all) < nudgedSteps && b.honest && b.of == withVectors && b.of.fits(trail.Steps[i]) {
					all = append(all, spoilt{check: c, step: &trail.Steps[i], by: b, was: was})
				}
			}
		}
	}
	return all
}

// judged is the cell of the check with the answer spoilt, which is as it was afterwards.
func (s spoilt) judged(suite contract.Suite, rec *recording.Recording) judge.Cell {
	was := *s.step
	defer func() { *s.step = was }()
	s.by.change(s.step)
	switch j := judge.New(suite); {
	case s.other == nil:
		return j.Target(rec, s.check)
	case s.candidate:
		return j.Pair(s.other, rec, s.check)
	default:
		return j.Pair(rec, s.other, s.check)
	}
}

// wrong says what is wrong with the cell; empty: nothing.
func (s spoilt) wrong(cell judge.Cell) string {
	switch {
	case strings.Contains(cell.Reason, "fault of the suite"):
		return cell.Reason
	case s.by.honest && s.other != nil:
		if cell.Outcome != contract.Pass {
			return fmt.Sprintf("is %s: %s %s", cell.Variant(), cell.Finding.Observed, cell.Reason)
		}
	case s.by.honest && cell.Variant() != s.was:
		return fmt.Sprintf("is no longer %s but %s: %s", s.was, cell.Variant(), cell.Finding.Observed)
	case !s.by.honest && cell.Outcome == contract.Pass && !s.may:
		return fmt.Sprintf("passes (%s): %s", cell.Variant(), cell.Finding.Observed)
	}
	return ""
}

// A check that passes must have had every answer that it asked for: whichever of them is spoilt, and how, it does not
// pass, and its classifier does not panic.
func TestSpoiltAnswersDoNotPass(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	rec, err := l.record(t, mutant{name: "spoilt", extended: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	used, usedPairs := map[indifferent]bool{}, map[indifferentPair]bool{}
	for _, s := range spoiltAnswers(l.suite, rec, l.base) {
		cell := s.judged(l.suite, rec)
		if why := s.wrong(cell); why != "" {
			t.Errorf("%s, %s spoilt (%s; candidate: %v): %s", s.check.ID, s.step.Name, s.by.name, s.candidate, why)
		}
		for _, x := range indifferents() {
			if !s.by.honest && cell.Outcome == contract.Pass && x.covers(s.check.ID, s.step.Name, s.by.name) {
				used[x] = true
			}
		}
		for _, x := range indifferentPairs() {
			if !s.by.honest && s.other != nil && cell.Outcome == contract.Pass && x.covers(s.check.ID, s.step.Name, s.candidate) {
				usedPairs[x] = true
			}
		}
	}
	for _, x := range indifferents() {
		if !used[x] {
			t.Errorf("%s %s (%s) is never needed", x.checks, x.step, x.why)
		}
	}
	for _, x := range indifferentPairs() {
		if !usedPairs[x] {
			t.Errorf("%s %s (%s) is never needed", x.check, x.step, x.why)
		}
	}
}
