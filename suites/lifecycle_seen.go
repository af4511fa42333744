package suites

import (
	"encoding/json"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// What is read of a server while its worker goes and comes back: lifecycle.go has asked it.

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
