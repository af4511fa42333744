package suites

import (
	"context"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
)

const (
	// againPrefix begins the names of the steps in which a request is sent again, before its check and its step.
	againPrefix = "again:"
	// mostAgain bounds how many requests are sent again, and longestAgain how long each may be, in bytes.
	mostAgain    = 64
	longestAgain = 64 << 10
)

// permanentRemedy is how clients live with a status that they would repeat. It is proved by repeating: what fails alike
// each time is not worth a second call.
func permanentRemedy() contract.Check {
	m := remedied{
		id:     "status_codes/no-repeats",
		change: "do not repeat a request that this server refused, whatever the status, unless it was refused before without fault (overload, a restart): max_retries 0, or a list of what may be repeated",
		why:    "clients repeat 5xx and some 4xx; these never come to succeed",
		from:   []string{"err-client-fault-not-5xx", retryRules},
		reads:  faultyRequests(),
		probe: func(ctx context.Context, p contract.Prober) error {
			n := 0
			for _, id := range faultyRequests() {
				for _, s := range p.Read(id).Steps {
					if !refusedForRepeat(s) || n == mostAgain {
						continue
					}
					n++
					if err := sendAgain(ctx, p, id, s); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	for _, id := range faultyRequests() {
		m.bridges = append(m.bridges, bridge{id, func(r, k contract.Evidence) contract.Proof { return failsAlike(id, r, k) }})
	}
	m.bridges = append(m.bridges, bridge{"status_codes/client-faults-are-4xx", func(_, k contract.Evidence) contract.Proof {
		n := 0
		for _, id := range faultyRequests() {
			for _, s := range k.Read[id].Steps {
				if !refusedForRepeat(s) {
					continue
				}
				if s.Request.Recipe != "" && k.Step(againPrefix+id+":"+s.Name).Status == 0 {
					continue // its text was not made anew
				}
				if p := again(id, s, k); !p.Holds {
					return p
				}
				n++
			}
		}
		if n == 0 {
			return contract.Proof{Needless: true, Observed: "no status of the candidate is repeated by clients"}
		}
		return contract.Proof{Holds: true, Observed: fmt.Sprintf("%d refusals are the same when they are sent again", n)}
	}})
	return remedy(m)
}

// sendAgain sends the request of a step once more. Of a long text the recording holds the recipe; those that clients meet
// in earnest are made anew.
func sendAgain(ctx context.Context, p contract.Prober, id string, s contract.Step) error {
	name := againPrefix + id + ":" + s.Name
	if s.Request.Recipe == "" && len(s.Request.Body) <= longestAgain {
		_, err := p.Send(ctx, name, s.Request)
		return err
	}
	limit := p.Facts().Limit
	if limit == (contract.Filler{}) {
		return nil
	}
	text, recipe := overLong(limit)
	var input any = text
	switch id {
	case longCheck:
	case "truncation/limit-plus-one":
		limit.Pads++
		input, recipe = limit.String(), limit.Recipe()
	case badBatchCheck:
		input, recipe = withBad(text), fmt.Sprintf("3 short texts, and at place %d %s", badPlace, recipe)
	case "truncation/token-ids":
		n := p.Facts().MaxTokens + idsOverLimit
		input, recipe = manyIDs(n, someIDs()[0]), fmt.Sprintf("%d ids", n)
	case silentCheck:
		input, recipe, _ = tailed(p.Facts(), "rain")
	default:
		return nil
	}
	_, err := p.Embed(ctx, name, contract.Body{"input": input}, contract.Recipe(recipe))
	return err
}

// refusedForRepeat reports a refusal with a status that some client repeats.
func refusedForRepeat(s contract.Step) bool {
	if s.Name == contract.StillAlive || s.Fault != "" || s.Limited() {
		return false
	}
	v, _ := refusal(s)
	return v == failed || v == rejectedRetried
}

// failsAlike is the proof of one check: where the reference refused as well, all that clients may lose is time. Whatever
// else the candidate does in that check, not repeating is no answer to it.
func failsAlike(id string, r, k contract.Evidence) contract.Proof {
	n := 0
	for _, s := range k.Read[id].Steps {
		if !refusedForRepeat(s) {
			continue
		}
		if was := r.Read[id].Step(s.Name); was.OK() {
			return contract.Proof{Needless: true, Observed: "the reference serves it: not repeating is no way to get it back"}
		}
		if p := again(id, s, k); !p.Holds {
			return p
		}
		n++
	}
	if n == 0 {
		return contract.Proof{Needless: true, Observed: "no status of the candidate is repeated by clients"}
	}
	for _, s := range k.Read[id].Steps {
		was := r.Read[id].Step(s.Name)
		switch {
		case s.Name == contract.StillAlive:
			if !s.OK() && !s.Limited() {
				return notProved("a plain request afterwards: %s", s.Describe())
			}
		case s.Fault != "":
			return notProved("%s: %s", s.Name, s.Describe())
		case was.Fault == contract.FaultNotAsked:
			return notProved("%s was not asked of the reference", s.Name)
		case s.OK() && !was.OK():
			return notProved("%s is served, and was not: %s", s.Name, was.Describe())
		}
	}
	return contract.Proof{Holds: true, Observed: fmt.Sprintf("refused alike when it is sent again, %d of %d", n, n)}
}

func again(id string, s contract.Step, k contract.Evidence) contract.Proof {
	second := k.Step(againPrefix + id + ":" + s.Name)
	if second.Status == 0 {
		return notProved("%s (%s) was not sent again: %s", id, s.Name, second.Describe())
	}
	if second.Status != s.Status {
		return notProved("%s (%s): %d first, %d when it is sent again", id, s.Name, s.Status, second.Status)
	}
	return contract.Proof{Holds: true, Observed: fmt.Sprintf("%d both times", s.Status)}
}
