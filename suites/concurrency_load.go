package suites

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	overloadCheck = "concurrency/overload"
	// burst is how many requests are sent at once to see a server say that it is full. It is bounded, since it is sent to
	// servers in use, too: a server with room for more is never seen full. The texts are those of concurrency/isolation.
	burst = 256
)

func concOverload() contract.Check {
	return contract.Check{
		ID: overloadCheck, Promise: "a server that is full says so with a status that clients repeat later",
		Why:   "what clients do with a full server decides whether it gets room: 429 and 503 are waited for, 500 is taken for a fault, and no answer at all holds the client for minutes",
		Level: contract.Should, Extended: true, ReadsFaults: true, Reads: []string{isolationCheck},
		Sources: []string{"err-overload-code", "OpenAI API, 429 Too Many Requests", "lib/llm/src/http/service/error.rs of ai-dynamo/dynamo: 529"},
		Variants: []contract.Variant{
			{Name: "all-served", Outcome: contract.Pass, Meaning: "all of 256 requests at once were served, each with the vector of its text: it was not full"},
			{Name: "busy-429", Refuses: true, Outcome: contract.Pass, Meaning: "some are refused with 429, which every SDK repeats after a while"},
			{Name: "busy-503", Refuses: true, Outcome: contract.Pass, Meaning: "some are refused with 503, which every SDK repeats after a while"},
			{Name: "busy-529", Refuses: true, Outcome: contract.Differs, Meaning: "some are refused with 529, which SDKs repeat as they do a 5xx", Breaks: "clients that know 429 and 503 only"},
			{Name: "fails", Refuses: true, Outcome: contract.Fail, Meaning: "some get another error", Breaks: "clients: it looks like a fault, is repeated at once, or never"},
			{Name: "unanswered", Refuses: true, Outcome: contract.Fail, Meaning: "some get no answer", Breaks: "clients wait until their own time is over, up to 10 minutes"},
			{Name: "swapped", Outcome: contract.Fail, Meaning: "a request that was served got the vector of another one", Breaks: "every client of a server under load: texts are stored with the vectors of others, in silence"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "a request that was served got a vector that its text does not have when it is asked for quietly", Breaks: "every client of a server under load: wrong vectors are stored, in silence"},
		},
		Swap: mixedUp("all-served", "busy-429", "busy-503", "busy-529", "fails", "unanswered"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			_, err := p.Together(ctx, together("burst", slices.Repeat(distinctTexts(parallelTexts), burst/parallelTexts)))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			counts := map[int]int{}
			var silent []contract.Step
			for _, s := range e.StepsLike("burst:") {
				if s.Fault != "" {
					silent = append(silent, s)
					continue
				}
				counts[s.Status]++
			}
			var seen []string
			for _, status := range slices.Sorted(maps.Keys(counts)) {
				seen = append(seen, fmt.Sprintf("%d × %d", counts[status], status))
			}
			f := contract.Found("all-served", "%s", strings.Join(seen, ", ")).With("requests", burst)
			known := map[int]string{429: "busy-429", 503: "busy-503", 529: "busy-529"}
			for _, status := range slices.Sorted(maps.Keys(counts)) {
				if status >= 200 && status < 300 {
					continue
				}
				if f.Variant != "fails" {
					f.Variant = known[status]
				}
				if f.Variant == "" {
					f.Variant = "fails"
				}
			}
			if len(silent) > 0 {
				f.Variant = "unanswered"
				f.Observed += fmt.Sprintf(", %d × %s", len(silent), silent[0].Describe())
			}
			quiet, no := quietVectors(e.Read[isolationCheck])
			if no != nil && no.Variant != "refused" {
				return *no
			}
			if no != nil {
				f.Observed += "; what the vectors should be is not known: " + no.Observed
				return f
			}
			// A wrong vector is worse than any refusal beside it.
			sent := e.StepsLike("burst:")
			switch own := ownVectors(sent, repeatTo(len(sent), quiet)); own.Variant {
			case "swapped", "other-vector", contract.Other:
				return own
			}
			return f
		},
	}
}

// repeatTo repeats vectors in order until there are n, as the texts of the burst are.
func repeatTo(n int, vectors [][]float32) [][]float32 {
	if len(vectors) == 0 {
		return nil
	}
	return slices.Repeat(vectors, (n+len(vectors)-1)/len(vectors))[:n]
}

func concRetryAfter() contract.Check {
	return contract.Check{
		ID: "concurrency/retry-after", Promise: "a server that is full says when to come back",
		Why: "OpenAI's SDKs wait as long as Retry-After says, up to a minute; without it all clients come back within seconds, together", Level: contract.May, Extended: true,
		Sources: []string{"err-retry-after", "RFC 9110, section 10.2.3"}, Reads: []string{overloadCheck},
		Variants: []contract.Variant{
			{Name: "says-when", Outcome: contract.Pass, Meaning: "refusals have Retry-After, seconds from 1 on or a date"},
			{Name: "at-once", Outcome: contract.Differs, Meaning: "Retry-After is 0, which RFC 9110 allows: come back at once", Breaks: "nobody at once: OpenAI's SDKs use their own waiting times; clients that obey come back to a server that is still full"},
			{Name: "absent", Outcome: contract.Differs, Meaning: "refusals have no Retry-After", Breaks: "nobody at once: clients use their own waiting times"},
			{Name: "unreadable", Outcome: contract.Fail, Meaning: "Retry-After is neither a number of seconds nor a date", Breaks: "clients come back at once, or never"},
			{Name: "never-full", Outcome: contract.Pass, Meaning: "nothing was refused"},
		},
		Swap: []contract.SwapRule{
			{From: "absent", To: "at-once", Effect: contract.Compatible, Why: "clients use their own waiting times, as before"},
			{From: "at-once", To: "absent", Effect: contract.Compatible, Why: "clients use their own waiting times, as before"},
			{From: "at-once", To: "says-when", Effect: contract.Compatible, Why: "clients that read it wait as long as they should"},
			{From: "absent", To: "says-when", Effect: contract.Compatible, Why: "clients that read it wait as long as they should"},
			{From: "never-full", To: "*", Effect: contract.Compatible, Why: "concurrency/overload says what changes"},
			{From: "*", To: "never-full", Effect: contract.Compatible, Why: "nothing has to come back"},
			{From: "*", To: "unreadable", Effect: contract.ClientChange, Why: "clients that read it come back at once, or never"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			var refusals []contract.Step
			for _, s := range e.Read[overloadCheck].StepsLike("burst:") {
				if overloaded(s) {
					refusals = append(refusals, s)
				}
			}
			if len(refusals) == 0 {
				return contract.Found("never-full", "none of %d requests was refused as too many", burst)
			}
			f := contract.Found("says-when", "%s on each of %d refusals", firstHeader(refusals[0], "Retry-After"), len(refusals))
			for _, s := range refusals {
				switch value := firstHeader(s, "Retry-After"); {
				case value == "":
					if f.Variant == "says-when" {
						f = contract.Found("absent", "%s: %d without Retry-After", s.Name, s.Status)
					}
				case !retryTime(value):
					return contract.Found("unreadable", "%s: Retry-After: %s", s.Name, contract.Shorten(value, 60))
				case atOnce(value):
					f = contract.Found("at-once", "%s: %d with Retry-After: %s", s.Name, s.Status, value)
				}
			}
			return f
		},
	}
}

func firstHeader(s contract.Step, name string) string {
	if v := s.Header[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// retryTime accepts what RFC 9110 allows: seconds, or a date.
func retryTime(value string) bool {
	if n, err := strconv.Atoi(value); err == nil {
		return n >= 0
	}
	_, err := time.Parse(time.RFC1123, value)
	return err == nil
}

// atOnce says that a time to come back is no time at all.
func atOnce(value string) bool {
	n, err := strconv.Atoi(value)
	return err == nil && n == 0
}

const (
	// shortIdle is twice the 5 s after which uvicorn, and with it most Python servers, closes an idle connection.
	shortIdle = 10 * time.Second
	// longIdle is a little more than the minute of the usual load balancers.
	longIdle = 65 * time.Second
)

func concKeepAlive() contract.Check {
	const longerKept = "connections are kept longer than before"
	return contract.Check{
		ID: "concurrency/keep-alive", Promise: "a connection that was idle for a minute can be used again",
		Why:   "clients keep connections for 5 s (httpx), 60 s (load balancers) or 90 s (Go); where the server closes first, a request that is just being written is lost, and is no fault of anybody",
		Level: contract.May, Extended: true, ReadsFaults: true, Sources: []string{"limit-keepalive", "uvicorn settings: --timeout-keep-alive, 5 s by default"},
		Variants: []contract.Variant{
			{Name: "kept", Outcome: contract.Pass, Meaning: "the connection is still open after 65 s"},
			{Name: "closed-after-10s", Outcome: contract.Differs, Meaning: "it is open after 10 s and closed after 65 s", Breaks: "clients that keep idle connections longer lose a request now and then", Remedy: "let the client's pool close idle connections after less than a minute, or repeat a request that was reset"},
			{Name: "closed-within-10s", Outcome: contract.Differs, Meaning: "it is closed within 10 s", Breaks: "clients that keep idle connections longer lose a request now and then", Remedy: "let the client's pool close idle connections after 4 s, or repeat a request that was reset"},
			{Name: "never-kept", Outcome: contract.Differs, Meaning: "each request needs a new connection", Breaks: "nobody; each request takes longer, with TLS by two round trips"},
			{Name: "lost", Refuses: true, Outcome: contract.Fail, Meaning: "a request on an idle connection got no answer", Breaks: "clients that pause: their next request fails"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "a request after a pause, of the same text, got another vector", Breaks: "every index that is filled with pauses"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "*", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: "clients store other vectors after a pause"},
			{From: "other-vector", To: "*", Effect: contract.IndexBreak, Silent: true, Why: "what clients have stored after a pause is not what is served now"},
			{From: "closed-after-10s", To: "kept", Effect: contract.Compatible, Why: longerKept},
			{From: "closed-within-10s", To: "kept", Effect: contract.Compatible, Why: longerKept},
			{From: "closed-within-10s", To: "closed-after-10s", Effect: contract.Compatible, Why: longerKept},
			{From: "never-kept", To: "kept", Effect: contract.Compatible, Why: longerKept},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			for _, s := range []struct {
				step  string
				pause time.Duration
			}{{"first", 0}, {"at-once", 0}, {"after-short", shortIdle}, {"after-long", longIdle}} {
				if s.pause > 0 {
					if _, err := p.Do(ctx, "pause-"+s.step, contract.Wait(s.pause)); err != nil {
						return err
					}
				}
				if _, err := p.Embed(ctx, s.step, contract.Body{"input": "Old boats."}, contract.Keep()); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			if s := e.Step("first"); !s.OK() {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			first, err := e.Step("first").One()
			if err != nil {
				return mismatch(e.Step("first"), err)
			}
			f := contract.Found("kept", "the connection was used again after %s", longIdle).From("after-long")
			for _, c := range []struct{ step, variant, when string }{
				{"after-long", "closed-after-10s", longIdle.String()}, {"after-short", "closed-within-10s", shortIdle.String()}, {"at-once", "never-kept", "no time"},
			} {
				s := e.Step(c.step)
				if !s.OK() {
					return contract.Found("lost", "%s: %s", s.Name, s.Describe()).From(s.Name)
				}
				v, err := s.One()
				if err != nil {
					return mismatch(s, err)
				}
				if d, err := parity.Distance(first, v); err != nil || d > parity.SameBar {
					return contract.Found("other-vector", "%s: %s to the vector of the same text before", s.Name, cosineSeen(d, err)).From("first", s.Name)
				}
				if !s.Reused {
					f = contract.Found(c.variant, "after %s a new connection was needed", c.when).From(c.step)
				}
			}
			return f
		},
	}
}
