package suites

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// What is read of a server while its worker goes and comes back: lifecycle.go has asked it.

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
		Sources: []string{"in-flight work of releases 1.3 to 1.6 of Dynamo, observed: cut after 5 s"}, Reads: []string{stopsCheck},
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
			case took >= leastGrace && (s.Fault != "" || overloaded(s) || s.Status >= 500):
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

func lifeSoon() contract.Check {
	return contract.Check{
		ID: "lifecycle/while-stopping", Promise: "requests that come while the worker ends are served or told to come back",
		Why: "between the signal and the end of a worker clients go on asking; that is the time in which an upgrade loses requests", Level: contract.Should, Extended: true,
		Sources: []string{"requests after SIGTERM in releases 1.3 to 1.6 of Dynamo, observed: a hang of 5 s, a 500, a 503"}, Reads: []string{stopsCheck, killedCheck},
		Variants: []contract.Variant{
			{Name: "told", Outcome: contract.Pass, Meaning: "each was served with the vector from before, told to come back (429, 503, 529), or found nobody there"},
			{Name: "not-found", Refuses: true, Outcome: contract.Differs, Meaning: "some got 404", Breaks: "clients give up at once, though the worker is about to come back"},
			{Name: "failed-5xx", Refuses: true, Outcome: contract.Differs, Meaning: "some got another 5xx", Breaks: "clients with few retries"},
			{Name: "rejected-4xx", Refuses: true, Outcome: contract.Fail, Meaning: "some got another 4xx", Breaks: "clients give up, and pipelines drop the document"},
			{Name: "hangs", Refuses: true, Outcome: contract.Fail, Meaning: "some got no answer within the time limit", Breaks: "clients hang until their own limit, up to 10 minutes"},
			{Name: "garbage", Outcome: contract.Fail, Meaning: "200 without a vector, or with another one than before", Breaks: "every index that is filled while a worker ends"},
		},
		Swap: garbageSwaps("told", "not-found", "failed-5xx", "rejected-4xx", "hangs"),
		Classify: func(e contract.Evidence) contract.Finding {
			found := []contract.Finding{contract.Found("told", "each look after the end of the worker")}
			for _, id := range []string{stopsCheck, killedCheck} {
				before, err := e.Read[id].Step("before").One()
				for _, at := range lookTimes() {
					s := e.Read[id].Step("new:" + at.String())
					f := contract.Found("told", "%s after %s: %s", id, at, s.Describe())
					switch {
					case s.OK() && err == nil:
						seen, same := sameAsBefore(s, before)
						if same {
							continue
						}
						f.Variant, f.Observed = "garbage", fmt.Sprintf("%s after %s: %s", id, at, seen)
					case s.OK() && !embedded(s):
						f.Variant = "garbage"
					case s.OK(), unreachable(s), overloaded(s):
						continue
					case s.Fault == contract.FaultTimeout:
						f.Variant = "hangs"
					case s.Fault != "":
						f.Variant = contract.Other
					case s.Status == 404:
						f.Variant = "not-found"
					case s.Status >= 500:
						f.Variant = "failed-5xx"
					default:
						f.Variant = "rejected-4xx"
					}
					found = append(found, f)
				}
			}
			return worst([]string{"told", "not-found", "failed-5xx", "rejected-4xx", "hangs", contract.Other, "garbage"}, found...)
		},
	}
}

func lifeHealth() contract.Check {
	return contract.Check{
		ID: "lifecycle/health-while-gone", Promise: "30 s after the worker is gone /health is no longer 200",
		Why: "orchestrators and load balancers send traffic where health is green", Level: contract.Should, Extended: true,
		Sources: []string{"health-truthful", "Kubernetes readiness probes"}, Reads: []string{stopsCheck, killedCheck},
		Variants: []contract.Variant{
			{Name: "says-so", Outcome: contract.Pass, Meaning: "/health fails, or nobody answers; or it is 200, and embeddings are served after all"},
			{Name: "absent", Outcome: contract.Unsupported, Meaning: "404: there is no /health", Breaks: "probes must ask for an embedding"},
			{Name: "green", Outcome: contract.Fail, Meaning: "200, though no embedding can be had", Breaks: "load balancers go on sending, alerts stay quiet", Remedy: "probe with an embedding, or look at /v1/models, not at /health"},
		},
		Swap: []contract.SwapRule{{From: "green", To: "says-so", Effect: contract.Compatible, Why: "probes see the truth now"},
			{From: "says-so", To: "green", Effect: contract.ClientChange, Silent: true, Why: "probes that were right are deceived now"}},
		Classify: func(e contract.Evidence) contract.Finding {
			var found []contract.Finding
			for _, id := range []string{stopsCheck, killedCheck} {
				h, embed := e.Read[id].Step("health:"+settled()), e.Read[id].Step("new:"+settled())
				f := contract.Found("says-so", "%s: /health %s, an embedding %s", id, statusOf(h), statusOf(embed))
				switch {
				case h.OK() && !embedded(embed):
					f.Variant = "green"
				case h.Status == 404 && e.Read[id].Step("health:"+lookTimes()[0].String()).Status == 404:
					f.Variant = "absent"
				}
				found = append(found, f)
			}
			return worst([]string{"absent", "says-so", "green"}, found...)
		},
	}
}

// statusOf is the short form of an answer whose body says nothing here.
func statusOf(s contract.Step) string {
	if s.Fault != "" {
		return string(s.Fault)
	}
	return fmt.Sprint(s.Status)
}

func lifeModels() contract.Check {
	return contract.Check{
		ID: "lifecycle/models-while-gone", Promise: "30 s after the worker is gone /v1/models no longer lists its model",
		Why: "routers and gateways read the list to know where to send what", Level: contract.May, Extended: true,
		Sources: []string{"models-list", "health-truthful"}, Reads: []string{stopsCheck, killedCheck},
		Variants: []contract.Variant{
			{Name: "says-so", Outcome: contract.Pass, Meaning: "the list is empty, fails, or nobody answers; or embeddings are served after all"},
			{Name: "still-listed", Outcome: contract.Differs, Meaning: "the model is listed, though no embedding can be had", Breaks: "gateways that route by the list"},
			{Name: "absent", Outcome: contract.Unsupported, Meaning: "404: there is no /v1/models", Breaks: "gateways must be told what is served"},
		},
		Swap: []contract.SwapRule{{From: "still-listed", To: "says-so", Effect: contract.Compatible, Why: "the list is true now"}},
		Classify: func(e contract.Evidence) contract.Finding {
			var found []contract.Finding
			for _, id := range []string{stopsCheck, killedCheck} {
				m, embed := e.Read[id].Step("models:"+settled()), e.Read[id].Step("new:"+settled())
				names := modelNames(m)
				f := contract.Found("says-so", "%s: /v1/models %s with %d models, an embedding %s", id, statusOf(m), len(names), statusOf(embed))
				switch {
				case len(names) > 0 && !embedded(embed):
					f.Variant = "still-listed"
				case m.Status == 404:
					f.Variant = "absent"
				}
				found = append(found, f)
			}
			return worst([]string{"absent", "says-so", "still-listed"}, found...)
		},
	}
}

// modelNames are the ids in an answer of /v1/models.
func modelNames(s contract.Step) []string {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if !s.OK() || json.Unmarshal(s.Body, &list) != nil {
		return nil
	}
	var names []string
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	return names
}

func lifeStartHealth() contract.Check {
	return contract.Check{
		ID: "lifecycle/health-at-start", Promise: "while a worker starts, /health turns 200 no sooner than embeddings can be had",
		Why: "traffic comes with the first green answer; a model takes minutes to load", Level: contract.Should, Extended: true,
		Sources: []string{"health-truthful", "Kubernetes readiness probes"}, Reads: []string{stopsCheck, killedCheck},
		Variants: []contract.Variant{
			{Name: "truthful", Outcome: contract.Pass, Meaning: "whenever /health was 200, an embedding asked for a second later was served"},
			{Name: "green-early", Outcome: contract.Fail, Meaning: "/health was 200, and an embedding asked for a second later was not served", Breaks: "load balancers send to a server that cannot answer yet", Remedy: "probe with an embedding"},
			{Name: "never-green", Outcome: contract.Differs, Meaning: "/health was not 200 although embeddings were served before", Breaks: "probes that wait for it"},
			{Name: "absent", Outcome: contract.Unsupported, Meaning: "404: there is no /health", Breaks: "probes must ask for an embedding"},
			{Name: "unseen", Outcome: contract.Pass, Meaning: "nobody listened at any look up to 24 s after the start: whoever probes finds it down, and the moment in which health turned green was not seen"},
		},
		Swap: []contract.SwapRule{
			{From: "green-early", To: "*", Effect: contract.Compatible, Why: "probes see the truth, or could not look"},
			{From: "unseen", To: "truthful", Effect: contract.Compatible, Why: "what could not be looked at before is true"},
			{From: "truthful", To: "unseen", Effect: contract.Compatible, Why: "it is found down, not green, while it starts"},
			{From: "*", To: "green-early", Effect: contract.ClientChange, Silent: true, Why: "probes are deceived now"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			found := []contract.Finding{contract.Found("unseen", "no look between the start and the first embedding")}
			for _, id := range []string{stopsCheck, killedCheck} {
				served := false // by the look before
				for _, at := range startTimes() {
					h, embed := e.Read[id].Step("start-health:"+at.String()), e.Read[id].Step("start-embed:"+at.String())
					f := contract.Found("truthful", "%s, %s after the start: /health %s, an embedding a second later %s", id, at, statusOf(h), statusOf(embed))
					switch {
					case h.OK() && !embedded(embed):
						f.Variant = "green-early"
					case h.Status == 404 && served:
						f.Variant = "absent"
					case !h.OK() && served:
						f.Variant = "never-green"
					}
					served = embedded(embed)
					if h.Fault == "" {
						found = append(found, f)
					}
				}
			}
			return worst([]string{"unseen", "truthful", "absent", "never-green", "green-early"}, found...)
		},
	}
}
