package suites

import (
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// lateAfter is longer than any server takes to say that it cannot serve a short text, and well below the 5 s for which
// some hold a request whose worker has gone.
const lateAfter = 2 * time.Second

// lifeFirst are the checks of the first request after the worker has gone, a moment later: releases of one server that are
// alike a minute after have differed in that.
func lifeFirst() []contract.Check {
	return []contract.Check{
		lifeFirstAfter("lifecycle/first-after-stop", "was asked to end", stopsCheck),
		lifeFirstAfter("lifecycle/first-after-kill", "was killed", killedCheck),
	}
}

func lifeFirstAfter(id, event, reads string) contract.Check {
	return contract.Check{
		ID: id, Promise: "requests in the first 0.1 s after the worker " + event + " are served, or told at once to come back",
		Why:   "whoever rolls out an upgrade loses just these requests: those that nobody has been warned of",
		Level: contract.Should, Extended: true,
		Sources: []string{"requests after SIGTERM and SIGKILL in releases 1.3 to 1.6 of Dynamo, observed: a hang of 5 s, a 500, a 503"}, Reads: []string{reads},
		Variants: []contract.Variant{
			{Name: "served", Outcome: contract.Pass, Meaning: "each was served with the vector from before"},
			{Name: "told", Outcome: contract.Pass, Meaning: "none was lost: told to come back (429, 503, 529), or found nobody there"},
			{Name: "not-found", Refuses: true, Outcome: contract.Differs, Meaning: "one got 404", Breaks: "clients give up at once, though the worker is about to come back"},
			{Name: failed, Refuses: true, Outcome: contract.Differs, Meaning: "one got another 5xx", Breaks: "clients with few retries"},
			{Name: "late", Refuses: true, Outcome: contract.Differs, Meaning: "one was refused after more than 2 s", Breaks: "clients wait for nothing; requests pile up while a worker is replaced"},
			{Name: rejected, Refuses: true, Outcome: contract.Fail, Meaning: "one got another 4xx", Breaks: "clients give up, and pipelines drop the document"},
			{Name: "hangs", Refuses: true, Outcome: contract.Fail, Meaning: "one got no answer within the time limit", Breaks: "clients hang until their own limit, up to 10 minutes"},
			{Name: "garbage", Outcome: contract.Fail, Meaning: "200 without a vector, or with another one than before", Breaks: "every index that is filled while a worker ends"},
		},
		Swap: append(garbageSwaps("served", "told", "not-found", failed, "late", rejected, "hangs"),
			contract.SwapRule{From: "told", To: "served", Effect: contract.Compatible, Why: "it is served"},
			contract.SwapRule{From: "late", To: failed, Effect: contract.Compatible, Why: "it failed before and fails now, at once"},
			contract.SwapRule{From: "hangs", To: "late", Effect: contract.Compatible, Why: "it failed before and fails now, sooner"},
			contract.SwapRule{From: "hangs", To: failed, Effect: contract.Compatible, Why: "it failed before and fails now, at once"}),
		Classify: func(e contract.Evidence) contract.Finding {
			asked := e.Read[reads].StepsLike(atOnceStep)
			if len(asked) == 0 { // recorded before it was asked
				asked = []contract.Step{e.Read[reads].Step("new:" + lookTimes()[0].String())}
			}
			var found []contract.Finding
			for _, s := range asked {
				found = append(found, firstOf(s, e.Read[reads].Step("before")))
			}
			return worst([]string{"served", "told", "not-found", failed, "late", contract.Other, rejected, "hangs", "garbage"}, found...)
		},
	}
}

// firstOf says what one of the first requests after the end of a worker was told, and holds a vector to that from before.
func firstOf(s, before contract.Step) contract.Finding {
	f := contract.Found("told", "%s: %s after %.1f s", s.Name, s.Describe(), s.Took.Seconds()).With("seconds", s.Took.Seconds()).From(s.Name)
	switch {
	case s.OK():
		v, err := before.One()
		if err != nil {
			return mismatch(before, err)
		}
		f.Variant = "served"
		if seen, same := sameAsBefore(s, v); !same {
			f.Variant, f.Observed = "garbage", s.Name+": "+seen
		}
	case s.Fault == contract.FaultTimeout:
		f.Variant = "hangs"
	case unreachable(s):
	case s.Fault != "":
		f.Variant = contract.Other
	case s.Took > lateAfter:
		f.Variant = "late"
	case overloaded(s):
	case s.Status == 404:
		f.Variant = "not-found"
	case s.Status >= 500:
		f.Variant = failed
	case s.Status >= 400:
		f.Variant = rejected
	default:
		f.Variant = contract.Other
	}
	return f
}
