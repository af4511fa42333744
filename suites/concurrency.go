package suites

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// concurrency: requests at the same time do not meet.
func concurrency() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "concurrency",
		Promise: "requests at the same time get their own answers, and one that is given up harms no other",
		Checks:  []contract.Check{concIsolation(), concRequestID(), concLeaves(), concOverload(), concRetryAfter(), concKeepAlive()},
	}
}

// parallelTexts is how many clients ask at once: as many as an indexing job with a thread pool has.
const parallelTexts = 64

// distinctTexts are n short texts, no two alike.
func distinctTexts(n int) []string {
	who := []string{"Old boats", "Bakers", "Heavy rain", "The town clock", "A small dog", "Her letters", "Green apples", "The last train",
		"Two brothers", "Wild geese", "The new bridge", "Cold wind", "My neighbour", "Long shadows", "The market hall", "Salt and bread"}
	does := []string{"cross the river", "wait near the station", "wake the whole town", "count small stones"}
	when := []string{"in the morning.", "once a year.", "without a sound.", "before the school opens."}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("%s %s %s", who[i%len(who)], does[i/len(who)%len(does)], when[i/len(who)/len(does)%len(when)])
	}
	return texts
}

const isolationCheck = "concurrency/isolation"

func concIsolation() contract.Check {
	const wrong = "every busy client: texts are stored with the vectors of other requests, in silence"
	return contract.Check{
		ID: isolationCheck, Promise: "64 requests at the same time each get the vector of their own text",
		Why:   "engines batch requests of different clients together; ids that are not unique, or a list that is sorted and not sorted back, hand out the vectors of others",
		Level: contract.Must, ReadsFaults: true,
		Sources: []string{"conc-isolation", "components/src/dynamo/vllm/handlers.py of ai-dynamo/dynamo: a comment on ids that are not unique"},
		Variants: []contract.Variant{
			{Name: "own-vectors", Outcome: contract.Pass, Meaning: "each request got the vector that its text has when it is asked for quietly"},
			{Name: "swapped", Outcome: contract.Fail, Meaning: "a request got the vector of another one", Breaks: wrong},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "a request got a vector that its text does not have when it is asked for quietly", Breaks: wrong},
			{Name: "some-busy", Refuses: true, Outcome: contract.Differs, Meaning: "some are refused as too many (429, 503, 529), the others have their own vectors",
				Breaks: "clients without retries, and those that give up after two", Remedy: "ask with fewer requests at the same time"},
			{Name: "some-fail", Refuses: true, Outcome: contract.Fail, Meaning: "some get another error, or no answer", Breaks: "every client with more than one request at a time"},
			refused(),
		},
		Swap: mixedUp("own-vectors", "some-busy", "some-fail"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			texts := distinctTexts(parallelTexts)
			for i, t := range texts {
				if _, err := p.Embed(ctx, fmt.Sprintf("quiet:%d", i), contract.Body{"input": t}); err != nil {
					return err
				}
			}
			_, err := p.Together(ctx, together("parallel", texts))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			quiet, f := quietVectors(e)
			if f != nil {
				return *f
			}
			return ownVectors(e.StepsLike("parallel:"), quiet)
		},
	}
}

// mixedUp: wrong vectors come into an index, or are in it already, and no status tells. The right ways to answer are named,
// those among them that refuse some of the requests and serve the others.
func mixedUp(right ...string) []contract.SwapRule {
	rules := []contract.SwapRule{
		{From: "other-vector", To: "swapped", Effect: contract.IndexBreak, Silent: true, Why: "clients store the vectors of other texts"},
		{From: "swapped", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: "clients store other vectors"},
	}
	for _, v := range right {
		rules = append(rules,
			contract.SwapRule{From: v, To: "swapped", Effect: contract.IndexBreak, Silent: true, Why: "clients store the vectors of other texts"},
			contract.SwapRule{From: v, To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: "clients store other vectors"},
			contract.SwapRule{From: "swapped", To: v, Effect: contract.IndexBreak, Silent: true, Why: "what clients have stored belongs to other texts"},
			contract.SwapRule{From: "other-vector", To: v, Effect: contract.IndexBreak, Silent: true, Why: "what clients have stored is not what is served now"})
	}
	return rules
}

// together asks for each text in a request of its own, all at once.
func together(kind string, texts []string, opts ...contract.Option) []contract.Ask {
	var asks []contract.Ask
	for i, t := range texts {
		asks = append(asks, contract.Ask{Step: fmt.Sprintf("%s:%d", kind, i), Body: contract.Body{"input": t}, Options: opts})
	}
	return asks
}

// quietVectors are the vectors of the texts as they were asked for one after the other.
func quietVectors(isolation contract.Evidence) ([][]float32, *contract.Finding) {
	var quiet [][]float32
	for _, s := range isolation.StepsLike("quiet:") {
		v, err := s.One()
		if err != nil {
			f := contract.Found("refused", "%s: %s", s.Name, s.Describe()).From(s.Name)
			if s.OK() {
				f = mismatch(s, err)
			}
			return nil, &f
		}
		quiet = append(quiet, v)
	}
	return quiet, nil
}

// ownVectors compares what requests at the same time got with the vectors that their texts have.
func ownVectors(parallel []contract.Step, quiet [][]float32) contract.Finding {
	var busy, failed, proof []string
	served, worst := 0, 0.0
	for i, s := range parallel {
		if !s.OK() {
			proof = append(proof, s.Name)
			if overloaded(s) {
				busy = append(busy, fmt.Sprint(s.Status))
			} else {
				failed = append(failed, s.Describe())
			}
			continue
		}
		v, err := s.One()
		if err != nil {
			return mismatch(s, err)
		}
		if i >= len(quiet) {
			return contract.Found(contract.Other, "%d texts, %d vectors of them", len(parallel), len(quiet))
		}
		d, err := parity.Distance(v, quiet[i])
		if errors.Is(err, parity.ErrZero) {
			return mismatch(s, err)
		}
		if err != nil || d > parity.BatchBar {
			f := contract.Found("other-vector", "request %d of %d: %s to the vector of its text", i+1, len(parallel), cosineSeen(d, err)).From(s.Name)
			for j, q := range quiet {
				if near, err := parity.Distance(v, q); err == nil && near <= parity.BatchBar {
					f.Variant = "swapped"
					f.Observed += fmt.Sprintf("; it is that of text %d", j+1)
					break
				}
			}
			return f
		}
		worst = max(worst, d)
		served++
	}
	f := contract.Found("own-vectors", "%d of %d", served, len(parallel)).With("requests", float64(len(parallel))).With("cosine min", 1-worst)
	switch {
	case len(failed) > 0:
		f.Variant, f.Observed = "some-fail", fmt.Sprintf("%d of %d failed: %s", len(failed), len(parallel), failed[0])
	case len(busy) > 0:
		slices.Sort(busy)
		f.Variant, f.Observed = "some-busy", fmt.Sprintf("%d of %d refused: %s", len(busy), len(parallel), strings.Join(slices.Compact(busy), ", "))
	}
	return f.From(proof[:min(len(proof), 3)]...)
}

// cosineSeen is what parity.Distance returned, for display.
func cosineSeen(d float64, err error) string {
	if err != nil {
		return "not comparable (" + err.Error() + ")"
	}
	return "cosine " + contract.FormatNumber(1-d)
}

// overloaded says whether a refusal tells the client to come back later. 529 is Dynamo's, and Anthropic's.
func overloaded(s contract.Step) bool { return s.Status == 429 || s.Status == 503 || s.Status == 529 }

func concRequestID() contract.Check {
	return contract.Check{
		ID: "concurrency/same-request-id", Promise: "two requests at the same time with one X-Request-Id each get the vector of their own text",
		Why: "proxies and tests send constant ids; an engine that files work under them mixes two requests up, or dies of the second", Level: contract.Must,
		ReadsFaults: true, Reads: []string{isolationCheck}, Sources: []string{"conc-same-request-id", "vllm/entrypoints/pooling/base/serving.py: the id is taken from the header"},
		Variants: []contract.Variant{
			{Name: "own-vectors", Outcome: contract.Pass, Meaning: "both are served, each with its own vector"},
			{Name: "swapped", Outcome: contract.Fail, Meaning: "one got the vector of the other", Breaks: "whoever stands behind a proxy that sends constant ids"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "one got a vector that its text does not have", Breaks: "whoever stands behind a proxy that sends constant ids"},
			{Name: "some-busy", Refuses: true, Outcome: contract.Differs, Meaning: "one is refused as too many", Breaks: "clients without retries"},
			{Name: "some-fail", Refuses: true, Outcome: contract.Fail, Meaning: "one gets an error, or no answer", Breaks: "whoever stands behind a proxy that sends constant ids", Remedy: "let the proxy make the ids unique, or leave them out"},
			refused(),
		},
		Swap: mixedUp("own-vectors", "some-busy", "some-fail"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			_, err := p.Together(ctx, together("parallel", distinctTexts(sameIDTexts), contract.Header("X-Request-Id", "embedcontract-same")))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			quiet, f := quietVectors(e.Read[isolationCheck])
			if f != nil {
				return *f
			}
			return ownVectors(e.StepsLike("parallel:"), quiet)
		},
	}
}

const (
	// sameIDTexts is how many requests carry one id: two may miss each other.
	sameIDTexts = 8
	// leaveAfter is when a client gives up: long before a server on a CPU has read half of a long text.
	leaveAfter = 20 * time.Millisecond
	// besideLeaver is how many other requests are under way meanwhile.
	besideLeaver = 3
	// longWords is the length of the request that is given up, in words: more than a server answers in leaveAfter. The
	// limit of the model, where it is lower, bounds it.
	longWords = 300
	// longTimes is how often that text stands in the request.
	longTimes = 16
)

func concLeaves() contract.Check {
	return contract.Check{
		ID: "concurrency/client-leaves", Promise: "a client that hangs up harms no other",
		Why:   "clients time out and are redeployed all day; what they leave behind must not break the batch that it was part of, or the server",
		Level: contract.Must, ReadsFaults: true, Reads: []string{isolationCheck}, Sources: []string{"conc-disconnect"},
		Variants: []contract.Variant{
			{Name: "unharmed", Outcome: contract.Pass, Meaning: "the others, then and afterwards, have their own vectors"},
			{Name: "swapped", Outcome: contract.Fail, Meaning: "another request got the vector of a third", Breaks: "every client of a server whose other clients time out"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "another request got a vector that its text does not have", Breaks: "every client of a server whose other clients time out"},
			{Name: "some-busy", Refuses: true, Outcome: contract.Differs, Meaning: "others are refused as too many", Breaks: "clients without retries"},
			{Name: "some-fail", Refuses: true, Outcome: contract.Fail, Meaning: "another request fails, then or afterwards", Breaks: "every client of a server whose other clients time out"},
			refused(),
		},
		Swap: mixedUp("unharmed", "some-busy", "some-fail"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			texts := distinctTexts(2 * besideLeaver)
			words := longWords
			if limit := p.Facts().Limit.Words; limit > 0 {
				words = min(words, max(limit/2, 1))
			}
			long := contract.Filler{Words: words}
			asks := together("parallel", texts[:besideLeaver])
			asks = append(asks, contract.Ask{Step: "leaver", Body: contract.Body{"input": slices.Repeat([]string{long.String()}, longTimes)},
				Options: []contract.Option{contract.HangUp(leaveAfter), contract.Recipe(fmt.Sprintf("%d times %s", longTimes, long.Recipe()))}})
			if _, err := p.Together(ctx, asks); err != nil {
				return err
			}
			for i, t := range texts[besideLeaver:] {
				if _, err := p.Embed(ctx, fmt.Sprintf("parallel:%d", besideLeaver+i), contract.Body{"input": t}); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			quiet, no := quietVectors(e.Read[isolationCheck])
			if no != nil {
				return *no
			}
			f := ownVectors(e.StepsLike("parallel:"), quiet)
			if f.Variant == "own-vectors" {
				f.Variant = "unharmed"
				f.Observed += "; the request that was given up: " + e.Step("leaver").Describe()
			}
			return f
		},
	}
}
