package judge

import (
	"fmt"
	"slices"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// noVerdict recognises checks that were not asked, not asked to the end, or cannot be asked.
func (j *Judge) noVerdict(rec *recording.Recording, c contract.Check) (Cell, bool) {
	cell := Cell{Check: c.ID, Outcome: contract.Error}
	trails := j.trails(rec, c)
	if len(trails) == 0 {
		cell.Reason = "not in this recording: it was deselected, or recorded before this check existed"
		return cell, true
	}
	for _, t := range asked(trails) {
		switch {
		case !t.Ended:
			cell.Reason = "the recording stops in the middle of this check"
		case !t.Unasked && j.needs(rec, c) != "":
			cell.Outcome, cell.Reason = contract.NotApplicable, j.needs(rec, c)
		case t.Error != "":
			cell.Reason = bounded(t.Error)
		case limited(c, t) != "":
			cell.Reason = limited(c, t)
		case t.Inapplicable != "":
			cell.Outcome, cell.Reason = contract.NotApplicable, t.Inapplicable
		default:
			continue
		}
		cell.Logs = t.Logs
		return cell, true
	}
	for _, r := range c.Reads {
		if c.ReadsSome {
			break
		}
		other, _ := j.suite.Check(r)
		if sub, ok := j.noVerdict(rec, other); ok && sub.Outcome == contract.Error {
			cell.Reason = fmt.Sprintf("it needs the evidence of %s: %s", r, sub.Reason)
			return cell, true
		}
	}
	return j.inapplicable(rec, c)
}

// needs says why a server of those facts cannot be asked a check; empty: it can.
func (j *Judge) needs(rec *recording.Recording, c contract.Check) string {
	if c.Needs == nil {
		return ""
	}
	why, _ := contract.Inapplicability(c.Needs(j.Facts(rec)))
	return why
}

// inapplicable recognises a check that asks nothing itself and reads what could not be asked: of an empty evidence its
// classifier would say that nothing went wrong, or that nothing was answered. One that asks has evidence of its own.
func (j *Judge) inapplicable(rec *recording.Recording, c contract.Check) (Cell, bool) {
	if c.Probe != nil || c.ReadsSome {
		return Cell{}, false
	}
	for _, r := range c.Reads {
		other, _ := j.suite.Check(r)
		if sub, ok := j.noVerdict(rec, other); ok && sub.Outcome == contract.NotApplicable {
			return Cell{Check: c.ID, Outcome: contract.NotApplicable, Reason: fmt.Sprintf("it needs the evidence of %s: %s", r, sub.Reason)}, true
		}
	}
	return Cell{}, false
}

// limited says why nothing can be said of a check: the server asked for fewer requests, in place of answering. Checks
// that look at how a server is overloaded read that themselves.
func limited(c contract.Check, t *recording.Trail) string {
	for _, s := range t.Steps {
		if s.Limited() && !c.ReadsFaults {
			return fmt.Sprintf("%s was answered with %d: the server limits requests, and nothing can be said of this one; ask more slowly (--max-rps)", s.Name, s.Status)
		}
	}
	return ""
}

// Recorded says whether a recording holds a check: it was asked, or all that it reads was.
func (j *Judge) Recorded(rec *recording.Recording, c contract.Check) bool {
	return len(j.trails(rec, c)) > 0
}

// trails are the rounds in which a check was asked. One that asks nothing itself may be younger than the recording: what
// it reads is all that it needs, so it is judged by the rounds of that, where each of it was recorded.
func (j *Judge) trails(rec *recording.Recording, c contract.Check) []*recording.Trail {
	own := rec.Trails(c.ID)
	if len(own) > 0 || c.Probe != nil {
		return own
	}
	rounds := 0
	for _, r := range c.Reads {
		other, _ := j.suite.Check(r)
		n := len(j.trails(rec, other))
		if n == 0 {
			return nil
		}
		rounds = max(rounds, n)
	}
	out := make([]*recording.Trail, rounds)
	for i := range out {
		out[i] = &recording.Trail{Ended: true}
	}
	return out
}

// asked leaves out the rounds that were not asked because the server no longer answered, unless none was: what came
// before it died is evidence.
func asked(trails []*recording.Trail) []*recording.Trail {
	some := slices.DeleteFunc(slices.Clone(trails), func(t *recording.Trail) bool { return t.Unasked })
	if len(some) == 0 {
		return trails
	}
	return some
}

// incomplete says what is missing of the evidence of a check that makes do with some. What is missing because it
// was never asked can hide a failure: then a failure still counts, and nothing else does.
func (j *Judge) incomplete(rec *recording.Recording, c contract.Check, round int) string {
	if !c.ReadsSome {
		return ""
	}
	for _, r := range c.Reads {
		trails := rec.Trails(r)
		if len(trails) == 0 {
			return fmt.Sprintf("it needs the evidence of %s, which is not in this recording", r)
		}
		other, _ := j.suite.Check(r)
		switch t := trails[min(round, len(trails)-1)]; {
		case limited(other, t) != "":
			return fmt.Sprintf("it needs the evidence of %s: %s", r, limited(other, t))
		case !t.Ended:
			return fmt.Sprintf("it needs the evidence of %s, where the recording stops", r)
		case t.Unasked:
			return fmt.Sprintf("it needs the evidence of %s: %s", r, t.Error)
		}
	}
	return ""
}

func (j *Judge) evidence(rec *recording.Recording, c contract.Check, round int) contract.Evidence {
	ev := contract.Evidence{Target: rec.Header.Target.Name, Facts: j.Facts(rec), Plan: rec.Plan, Read: map[string]contract.Evidence{}}
	if t := rec.Trails(c.ID); len(t) > 0 {
		ev.Steps = t[min(round, len(t)-1)].Steps
	}
	for _, r := range c.Reads {
		other, _ := j.suite.Check(r)
		ev.Read[r] = j.evidence(rec, other, round)
	}
	for _, r := range c.Peeks {
		if t := asked(rec.Trails(r)); len(t) > 0 && t[0].Ended {
			other, _ := j.suite.Check(r)
			ev.Read[r] = j.evidence(rec, other, round)
		}
	}
	return ev
}
