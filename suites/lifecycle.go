package suites

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// lifecycle: what clients and probes see while the worker goes and comes back. Its checks need a target that the
// suite has started.
func lifecycle() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "lifecycle",
		Promise: "while the worker is away clients are told to come back, health says so, and afterwards vectors are the same",
		Checks: append([]contract.Check{
			lifeStops(), lifeKilled(), lifeInFlight(), lifeSoon(), lifeHealth(), lifeModels(), lifeStartHealth(), lifeBack(),
		}, lifeFirst()...),
	}
}

const (
	stopsCheck  = "lifecycle/worker-stops"
	killedCheck = "lifecycle/worker-killed"

	// lifeText is the text whose vector is held against that of the worker that comes back.
	lifeText = "People build bridges."
	// inFlightTexts and inFlightWords make a request that a server is still busy with when its worker is stopped, and that
	// a small CPU server finishes within a minute.
	inFlightTexts = 64
	inFlightWords = 300
	// stopAfter is when the worker is stopped: the request in flight has been read, and not answered.
	stopAfter = 500 * time.Millisecond
	// inFlightPatience is how long that request may take: a server on a CPU embeds it within a minute, when it is left alone.
	inFlightPatience = 2 * time.Minute
)

// lookTimes are the moments after the stop, from the start of all, at which the server is asked. A worker of Dynamo
// takes up to 5 s of grace, and up to 13 s until it is forgotten; the last look is well after that.
func lookTimes() []time.Duration {
	return []time.Duration{700 * time.Millisecond, 3 * time.Second, 10 * time.Second, 30 * time.Second}
}

// atOnceStep begins the names of the requests that follow the signal to the worker, whatever time that took. What they are
// told is a matter of milliseconds: releases of one server have differed in it that are alike 0.2 s after.
const atOnceStep = "new:at-once"

// atOnceTimes are the moments after the signal at which they are sent: before the worker has noticed, while it says
// goodbye, and when the frontend has heard of it.
func atOnceTimes() []time.Duration {
	return []time.Duration{0, 10 * time.Millisecond, 30 * time.Millisecond, 100 * time.Millisecond}
}

// soonAfter names the request of one of these moments.
func soonAfter(after time.Duration) string {
	if after == 0 {
		return atOnceStep
	}
	return atOnceStep + "+" + after.String()
}

// settled is the name of the last look.
func settled() string {
	t := lookTimes()
	return t[len(t)-1].String()
}

// startTimes are the moments, from the start of the worker, at which health is asked; an embedding is asked for
// startLag later.
func startTimes() []time.Duration {
	return []time.Duration{500 * time.Millisecond, 1500 * time.Millisecond, 3 * time.Second, 6 * time.Second, 12 * time.Second, 24 * time.Second}
}

// startLag is long enough for a server whose health has just turned green to be asked, and short against any load of
// a model.
const startLag = time.Second

const (
	healthPath = "/health"
	modelsPath = "/v1/models"
)

// probeLife asks a server while its worker ends and comes back.
func probeLife(ctx context.Context, p contract.Prober, end contract.Action) error {
	if _, err := p.Embed(ctx, "before", contract.Body{"input": lifeText}); err != nil {
		return err
	}
	words := inFlightWords
	if limit := p.Facts().Limit.Words; limit > 0 {
		words = min(words, max(limit/2, 1))
	}
	long := contract.Filler{Words: words}
	get := func(path string) *contract.Request { return &contract.Request{Method: "GET", Path: path} }
	asks := []contract.Ask{
		{Step: "in-flight", Body: contract.Body{"input": slices.Repeat([]string{long.String()}, inFlightTexts)},
			Options: []contract.Option{contract.Recipe(fmt.Sprintf("%d times %s", inFlightTexts, long.Recipe())), contract.Patience(inFlightPatience)}},
		{Step: "end", After: stopAfter, Action: end},
	}
	for _, after := range atOnceTimes() {
		asks = append(asks, contract.Ask{Step: soonAfter(after), Behind: "end", After: after, Body: contract.Body{"input": lifeText}})
	}
	for _, at := range lookTimes() {
		asks = append(asks,
			contract.Ask{Step: "new:" + at.String(), After: at, Body: contract.Body{"input": lifeText}},
			contract.Ask{Step: "health:" + at.String(), After: at, Request: get(healthPath)},
			contract.Ask{Step: "models:" + at.String(), After: at, Request: get(modelsPath)})
	}
	if _, err := p.Together(ctx, asks); err != nil {
		return err
	}
	asks = []contract.Ask{{Step: "start", Action: contract.StartWorker}}
	for _, at := range startTimes() {
		asks = append(asks,
			contract.Ask{Step: "start-health:" + at.String(), After: at, Request: get(healthPath)},
			contract.Ask{Step: "start-embed:" + at.String(), After: at + startLag, Body: contract.Body{"input": lifeText}})
	}
	if _, err := p.Together(ctx, asks); err != nil {
		return err
	}
	_, err := p.Embed(ctx, "back", contract.Body{"input": lifeText})
	return err
}

// unreachable says that nobody answered: the process is gone, or hangs up.
func unreachable(s contract.Step) bool {
	return s.Fault == contract.FaultRefused || s.Fault == contract.FaultClosed
}

// goneVariants are what a request sees once the worker is gone for good.
func goneVariants() []contract.Variant {
	return []contract.Variant{
		{Name: "unreachable", Refuses: true, Outcome: contract.Pass, Meaning: "the connection is refused or closed: clients and load balancers try elsewhere, or later"},
		{Name: "busy-503", Refuses: true, Outcome: contract.Pass, Meaning: "503 (or 429, 529): clients come back later"},
		{Name: "not-found", Refuses: true, Outcome: contract.Differs, Meaning: "404: as if the model had never existed", Breaks: "clients give up at once, though the worker is about to come back", Remedy: "treat 404 as passing while a deployment is rolled"},
		{Name: "failed-5xx", Refuses: true, Outcome: contract.Differs, Meaning: "another 5xx: clients repeat it at once", Breaks: "clients with few retries"},
		{Name: "rejected-4xx", Refuses: true, Outcome: contract.Fail, Meaning: "another 4xx: it looks like a fault of the client", Breaks: "clients give up, and pipelines drop the document"},
		{Name: "hangs", Refuses: true, Outcome: contract.Fail, Meaning: "no answer within the time limit", Breaks: "clients hang until their own limit, up to 10 minutes"},
		{Name: "serves-on", Outcome: contract.Fail, Meaning: "30 s after its worker was ended it still embeds", Breaks: "rolling upgrades: the old worker answers on, beside the new one"},
		{Name: "not-ended", Refuses: true, Outcome: contract.Fail, Meaning: "the worker could not be ended", Breaks: "whoever operates it"},
	}
}

func lifeStops() contract.Check {
	return contract.Check{
		ID: stopsCheck, Promise: "30 s after the worker was asked to end, a request is told to come back",
		Why:   "every upgrade and every rescheduling ends workers; what clients are told then decides whether an upgrade loses documents",
		Level: contract.Should, Extended: true, Disrupts: true, ReadsFaults: true,
		Sources:  []string{"lifecycle of releases 1.3 to 1.6 of Dynamo, observed: 404 with an empty body once the worker is gone"},
		Variants: goneVariants(), Swap: goneSwaps(),
		Probe:    func(ctx context.Context, p contract.Prober) error { return probeLife(ctx, p, contract.StopWorker) },
		Classify: classifyGone,
	}
}

func lifeKilled() contract.Check {
	return contract.Check{
		ID: killedCheck, Promise: "30 s after the worker was killed, a request is told to come back",
		Why:   "workers run out of memory and nodes die; nobody has said goodbye then",
		Level: contract.Should, Extended: true, Disrupts: true, ReadsFaults: true,
		Sources:  []string{"lifecycle of releases 1.3 to 1.6 of Dynamo, observed: a dead instance is asked for up to 13 s"},
		Variants: goneVariants(), Swap: goneSwaps(),
		Probe:    func(ctx context.Context, p contract.Prober) error { return probeLife(ctx, p, contract.KillWorker) },
		Classify: classifyGone,
	}
}

// goneSwaps: ways that clients repeat alike are alike to them.
func goneSwaps() []contract.SwapRule {
	return []contract.SwapRule{
		{From: "unreachable", To: "busy-503", Effect: contract.Compatible, Why: "clients come back later, as before"},
		{From: "busy-503", To: "unreachable", Effect: contract.Compatible, Why: "clients come back later, as before"},
		{From: "serves-on", To: "*", Effect: contract.ClientChange, Why: "a worker that was ended no longer answers"},
	}
}

func classifyGone(e contract.Evidence) contract.Finding {
	if s := e.Step("end"); s.Fault != "" {
		return contract.Found("not-ended", "%s", s.Describe()).From(s.Name)
	}
	s := e.Step("new:" + settled())
	f := contract.Found("busy-503", "after %s: %s", settled(), s.Describe()).From(s.Name)
	switch {
	case s.OK():
		f.Variant = "serves-on"
	case unreachable(s):
		f.Variant = "unreachable"
	case s.Fault == contract.FaultTimeout:
		f.Variant = "hangs"
	case overloaded(s):
	case s.Status == 404:
		f.Variant = "not-found"
	case s.Status >= 500:
		f.Variant = "failed-5xx"
	case s.Status >= 400:
		f.Variant = "rejected-4xx"
	default:
		f.Variant = contract.Other
	}
	return f
}

// sameAsBefore holds the vector that a step got to the one from before the worker ended, and says what was seen.
func sameAsBefore(s contract.Step, before []float32) (seen string, same bool) {
	v, err := s.One()
	if err != nil {
		return s.Describe() + ": " + err.Error(), false
	}
	d, err := parity.Distance(before, v)
	return fmt.Sprintf("%d, %s to the vector from before", s.Status, cosineSeen(d, err)), err == nil && d <= parity.BatchBar // beside what is in flight
}

// embedded says that a step got a vector, and not only a status that says so.
func embedded(s contract.Step) bool {
	_, err := s.One()
	return err == nil
}

// worst keeps the finding whose variant stands last in the list, harmless ones first.
func worst(order []string, found ...contract.Finding) contract.Finding {
	return slices.MaxFunc(found, func(a, b contract.Finding) int {
		return slices.Index(order, a.Variant) - slices.Index(order, b.Variant)
	})
}

func lifeBack() contract.Check {
	return contract.Check{
		ID: "lifecycle/comes-back", Promise: "a worker that was started again gives the vector that it gave before",
		Why: "a restart must be no upgrade: other weights, another dtype or another pooling default would fill the index from then on", Level: contract.Must,
		Extended: true, Sources: []string{"conc-isolation", "a worker that is started again, as orchestrators do"}, Reads: []string{stopsCheck, killedCheck},
		Variants: []contract.Variant{
			{Name: "the-same", Outcome: contract.Pass, Meaning: "each vector since the start is the one from before, after a stop and after a kill"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "200 with another vector", Breaks: "every index that lives longer than a worker"},
			{Name: "not-back", Refuses: true, Outcome: contract.Fail, Meaning: "no embedding came back within the time that the target has to start", Breaks: "every client, until somebody restarts the rest as well"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "*", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: "the next restart moves all vectors"},
			{From: "other-vector", To: "the-same", Effect: contract.IndexBreak, Silent: true, Why: "past restarts have mixed vectors in the index that do not belong together"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			var found []contract.Finding
			for _, id := range []string{stopsCheck, killedCheck} {
				before, back := e.Read[id].Step("before"), e.Read[id].Step("back")
				v, err := before.One()
				if err != nil {
					return contract.Found("refused", "%s, before the worker ended: %s", id, before.Describe())
				}
				w, err := back.One()
				if err != nil {
					found = append(found, contract.Found("not-back", "%s: %s; start: %s", id, back.Describe(), e.Read[id].Step("start").Describe()))
					continue
				}
				d, err := parity.Distance(v, w)
				f := contract.Found("the-same", "%s: %s to the vector from before", id, cosineSeen(d, err)).With("cosine", 1-d)
				if err != nil || d > parity.SameBar {
					f.Variant = "other-vector"
				}
				found = append(found, f)
				for _, s := range e.Read[id].StepsLike("start-embed:") {
					if seen, same := sameAsBefore(s, v); s.OK() && !same {
						found = append(found, contract.Found("other-vector", "%s, %s: %s", id, s.Name, seen))
					}
				}
			}
			return worst([]string{"the-same", "other-vector", "not-back"}, found...)
		},
	}
}
