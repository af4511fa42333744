package suites

import (
	"fmt"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	// leastGrace is less than servers that cut what is in flight give it (Dynamo: 5 s), and more than any takes that cuts it
	// at once. Whether a batch is done within a grace is a matter of the machine, and none of the server.
	leastGrace = 4 * time.Second
	// drainsAfter is longer than such a grace: what is finished later was waited for.
	drainsAfter = 8 * time.Second
)

func lifeInFlight() contract.Check {
	return contract.Check{
		ID: "lifecycle/in-flight", Promise: "a request that is being served when the worker is asked to end is finished, given some seconds, or told to come back",
		Why: "an upgrade ends workers that are busy; a batch that is cut without a word is a hole in the index", Level: contract.Should, Extended: true,
		Sources: []string{"in-flight work of releases 1.3 to 1.6 of Dynamo, observed: cut after 5 s"}, Reads: []string{stopsCheck, killedCheck},
		Variants: []contract.Variant{
			{Name: "finished", Outcome: contract.Pass, Meaning: "it was answered in full, within 8 s"},
			{Name: "drained", Outcome: contract.Pass, Meaning: "it was answered in full, more than 8 s later"},
			{Name: "given-time", Refuses: true, Outcome: contract.Pass, Meaning: "it was given 4 s or more, and cut then, with a 5xx or without an answer"},
			{Name: "answered-before", Outcome: contract.Pass, Meaning: "it was answered before the worker was asked to end: nothing was in flight"},
			{Name: "refused-before", Refuses: true, Outcome: contract.Differs, Meaning: "a request of 64 texts was refused before the worker was asked to end: nothing was in flight", Breaks: "clients with long batches"},
			{Name: "cut-503", Refuses: true, Outcome: contract.Differs, Meaning: "it was cut and told to come back (429, 503, 529)", Breaks: "clients without retries"},
			{Name: "cut-5xx", Refuses: true, Outcome: contract.Differs, Meaning: "it was cut with another 5xx", Breaks: "clients without retries; the reason is not told"},
			{Name: "closed", Refuses: true, Outcome: contract.Differs, Meaning: "the connection was closed without an answer", Breaks: "clients that do not repeat a request that was reset"},
			{Name: "cut-4xx", Refuses: true, Outcome: contract.Fail, Meaning: "it was cut with a 4xx", Breaks: "clients give up, and pipelines drop the batch"},
			{Name: "hangs", Refuses: true, Outcome: contract.Fail, Meaning: "it got no answer within the time limit", Breaks: "clients hang until their own limit, up to 10 minutes"},
			{Name: "partial", Outcome: contract.Fail, Meaning: "200 without all vectors", Breaks: "clients that pair texts and vectors by position"},
			{Name: "garbage", Outcome: contract.Fail, Meaning: "200 with all vectors, and some are zero, or others than those of the same text beside them", Breaks: "every index that is filled while a worker ends"},
		},
		Swap: append(garbageSwaps("finished", "drained", "given-time", "refused-before", "cut-503", "cut-5xx", "closed", "cut-4xx", "hangs", "partial"), []contract.SwapRule{
			{From: "answered-before", To: "finished", Effect: contract.Compatible, Why: "it is answered in full"},
			{From: "finished", To: "answered-before", Effect: contract.Compatible, Why: "it is answered in full"},
			{From: "answered-before", To: "drained", Effect: contract.Compatible, Why: "it is answered in full"},
			{From: "drained", To: "answered-before", Effect: contract.Compatible, Why: "it is answered in full"},
			{From: "drained", To: "finished", Effect: contract.Compatible, Why: "it is answered in full"},
			{From: "finished", To: "drained", Effect: contract.Compatible, Why: "it is answered in full"},
			{From: "finished", To: "given-time", Effect: contract.Compatible, Why: "what was done within seconds is given seconds; longer work was not seen"},
			{From: "drained", To: "given-time", Effect: contract.ClientChange, Why: "long requests that were waited for are cut"},
			{From: "closed", To: "given-time", Effect: contract.Compatible, Why: "it failed before, and is given time now"},
			{From: "cut-503", To: "given-time", Effect: contract.Compatible, Why: "it failed before, and is given time now"},
			{From: "cut-5xx", To: "given-time", Effect: contract.Compatible, Why: "it failed before, and is given time now"},
			{From: "cut-4xx", To: "given-time", Effect: contract.Compatible, Why: "it failed before, and is given time now"},
			{From: "hangs", To: "given-time", Effect: contract.Compatible, Why: "it failed before, and is given time now"},
			{From: "answered-before", To: "*", Effect: contract.Unknown, Why: "of the reference nothing was in flight"},
			{From: "*", To: "answered-before", Effect: contract.Unknown, Why: "of the candidate nothing was in flight"},
			{From: "closed", To: "cut-503", Effect: contract.Compatible, Why: "clients repeat it, as before"},
			{From: "cut-5xx", To: "cut-503", Effect: contract.Compatible, Why: "clients repeat it, as before"},
		}...),
		Classify: func(e contract.Evidence) contract.Finding {
			s, end := e.Read[stopsCheck].Step("in-flight"), e.Read[stopsCheck].Step("end")
			f := contract.Found("finished", "%s", s.Describe())
			if end.Fault != "" {
				return contract.Found(contract.Other, "the worker was not ended: %s", end.Describe()).From(end.Name)
			}
			vectors, err := s.Many(inFlightTexts)
			took := s.Sent.Add(s.Took).Sub(end.Sent) // from the signal on
			before := s.Status != 0 && took < 0
			switch {
			case before && !s.OK():
				f.Variant = "refused-before"
			case err == nil:
				if seen, alike := allAlike(vectors); !alike {
					f.Variant = "garbage"
					f.Observed += ": " + seen
				} else if seen, same := sameAsBefore(e.Read[stopsCheck].Step("before"), vectors[0]); same {
					f.Variant = "garbage"
					f.Observed += ", which are those of another text: " + seen
				} else if before {
					f.Variant = "answered-before"
				} else if took > drainsAfter {
					f.Variant = "drained"
				}
			case s.OK():
				f.Variant = "partial"
				f.Observed += ": " + err.Error()
			case s.Fault == contract.FaultTimeout:
				f.Variant = "hangs"
			case took >= leastGrace && !heldAnyway(e.Read[killedCheck]) && (s.Fault != "" || overloaded(s) || s.Status >= 500):
				f.Variant = "given-time"
				f.Observed = fmt.Sprintf("after %.1f s: %s", took.Seconds(), f.Observed)
			case s.Fault != "":
				f.Variant = "closed"
			case overloaded(s):
				f.Variant = "cut-503"
			case s.Status >= 500:
				f.Variant = "cut-5xx"
			case s.Status >= 400:
				f.Variant = "cut-4xx"
			default:
				f.Variant = contract.Other
			}
			return f
		},
	}
}

// heldAnyway says that a request was held as long and failed though its worker had been killed: whoever answers then has
// given it no time, but waited.
func heldAnyway(killed contract.Evidence) bool {
	s, end := killed.Step("in-flight"), killed.Step("end")
	return !s.OK() && s.Sent.Add(s.Took).Sub(end.Sent) >= leastGrace
}

// garbageSwaps: what is asked for while a worker ends is stored with wrong vectors, from now on or until now, and no status
// tells. The other ways to answer are named.
func garbageSwaps(others ...string) []contract.SwapRule {
	var rules []contract.SwapRule
	for _, v := range others {
		rules = append(rules,
			contract.SwapRule{From: v, To: "garbage", Effect: contract.IndexBreak, Silent: true, Why: "while a worker ends wrong vectors are stored"},
			contract.SwapRule{From: "garbage", To: v, Effect: contract.IndexBreak, Silent: true, Why: "while workers ended wrong vectors were stored"})
	}
	return rules
}

// allAlike says whether the vectors of one text, asked for many times in one request, are one vector.
func allAlike(vectors [][]float32) (seen string, alike bool) {
	for i, v := range vectors {
		if d, err := parity.Distance(vectors[0], v); err != nil || d > parity.BatchBar {
			return fmt.Sprintf("item %d: %s to item 0, whose text is the same", i, cosineSeen(d, err)), false
		}
	}
	return "", true
}
