package suites

import (
	"fmt"
	"mime"
	"regexp"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// leaks are what a server shows of its inside: a stack, a path of its files, a place in its sources.
func leaks() *regexp.Regexp {
	return regexp.MustCompile(strings.Join([]string{
		`Traceback \(most recent call last\)`, `File \\?"[^"]+\\?", line \d+`, `goroutine \d+ \[`, `panicked at `,
		`(site|dist)-packages/`, `/(home|root|usr|opt|var|tmp|app|build|src|workspace)/[^\s"'\\]*\.(py|go|rs|js|ts|java|so|cpp|cc|h)\b`,
		`\b[\w-]+\.(py|go|rs|cpp|java):\d+`,
	}, "|"))
}

func statusNoLeak() contract.Check {
	return contract.Check{
		ID: "status_codes/no-leak", Promise: "an error shows no stack, no path of the server's files and no text of another request",
		Why: "errors end up with whoever called, and in their logs", Level: contract.Should, Extended: true,
		Sources: []string{"err-no-leak", "OWASP: improper error handling"},
		Reads:   faultyRequests(), ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "clean", Outcome: contract.Pass, Meaning: "no error shows any"},
			{Name: "inside-shown", Outcome: contract.Fail, Meaning: "an error shows a stack, or a path of the server's files", Breaks: "whoever runs the server: attackers learn what runs where"},
			{Name: "others-text", Outcome: contract.Fail, Meaning: "an error shows a text of another request", Breaks: "everybody whose texts are not public"},
			nothingRefused(),
		},
		Swap: harmlessSwaps("clean", noRefusals),
		Classify: func(e contract.Evidence) contract.Finding {
			all := refusals(e)
			inside := leaks()
			for _, k := range sortedKeys(all) {
				s := all[k]
				if found := inside.Find(s.Body); found != nil {
					return contract.Found("inside-shown", "%s: %s", k, contract.Shorten(string(found), 80))
				}
				for _, text := range []string{factText, shapeText, queryText, otherText, head} {
					if s.Request.Body != nil && strings.Contains(string(s.Body), text) && !strings.Contains(string(s.Request.Body), text) {
						return contract.Found("others-text", "%s: %s", k, contract.Shorten(text, 80))
					}
				}
			}
			f := contract.Found("clean", "%d refusals", len(all)).With("refusals", float64(len(all)))
			if len(all) == 0 {
				f.Variant = noRefusals
			}
			return f
		},
	}
}

func statusErrorType() contract.Check {
	return contract.Check{
		ID: "status_codes/error-content-type", Promise: "an error is declared as application/json",
		Why: "clients read the error only when it is declared as JSON", Level: contract.Should,
		Sources: []string{"hdr-json", "err-route-method", openAIErrors},
		Reads:   append(faultyRequests(), routeChecks()...), ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "json", Outcome: contract.Pass, Meaning: "each is declared as JSON"},
			{Name: "some-other", Outcome: contract.Differs, Meaning: "some are declared as something else, or as nothing", Breaks: "openai-python and openai-node show the raw text, or nothing, as the reason"},
			{Name: "none-json", Outcome: contract.Differs, Meaning: "none is declared as JSON", Breaks: "openai-python and openai-node show the raw text, or nothing, as the reason"},
			nothingRefused(),
		},
		Swap: append(harmlessSwaps("json", noRefusals), contract.SwapRule{From: "none-json", To: "some-other", Effect: contract.Compatible, Why: "more of them are read"}),
		Classify: func(e contract.Evidence) contract.Finding {
			all := refusals(e)
			for _, id := range routeChecks() {
				if s := e.Read[id].Step("asked"); s.Fault == "" && s.Status >= 400 {
					all[id] = s
				}
			}
			var other []string
			for _, k := range sortedKeys(all) {
				// What is no media type is empty; clients do not look at parameters.
				if media, _, _ := mime.ParseMediaType(contentType(all[k])); media != "application/json" && !strings.HasSuffix(media, "+json") {
					other = append(other, fmt.Sprintf("%s %q", k, contentType(all[k])))
				}
			}
			f := contract.Found("json", "%d refusals", len(all)).With("refusals", float64(len(all))).With("not JSON", float64(len(other)))
			switch {
			case len(all) == 0:
				f.Variant = noRefusals
			case len(other) == len(all):
				f.Variant = "none-json"
			case len(other) > 0:
				f.Variant = "some-other"
			}
			if len(other) > 0 {
				f.Observed = fmt.Sprintf("%d of %d: %s", len(other), len(all), strings.Join(other[:min(3, len(other))], ", "))
			}
			return f
		},
	}
}

func statusNeverEmpty() contract.Check {
	reads := append(faultyRequests(), "response_shape/one-item-per-input", "batching/whole-corpus")
	return contract.Check{
		ID: "status_codes/no-empty-200", Promise: "no 200 comes without data, whatever was asked",
		Why: "Dynamo once answered a request of which its worker had died with 200 and an empty list: pipelines took it for done", Level: contract.Must,
		Sources: []string{"shape-no-empty-200", "ai-dynamo/dynamo: embeddings aggregator"},
		Reads:   reads, ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "never-empty", Outcome: contract.Pass, Meaning: "each 200 has at least one item"},
			{Name: "empty-200", Outcome: contract.Fail, Meaning: "a 200 has an empty list, or no data", Breaks: "clients that read the first vector; pipelines that count a 200 as done"},
		},
		Swap: []contract.SwapRule{{From: "empty-200", To: "never-empty", Effect: contract.Compatible, Why: "no client can use an empty answer"}},
		Classify: func(e contract.Evidence) contract.Finding {
			n := 0
			for _, id := range reads {
				for _, s := range e.Read[id].Steps {
					r, err := s.Response()
					if err != nil {
						continue // not served, or no JSON: the check itself says so
					}
					if len(r.Items) == 0 {
						return contract.Found("empty-200", "%s (%s): %s", id, s.Name, s.Describe())
					}
					n++
				}
			}
			return contract.Found("never-empty", "%d answers", n).With("answers", float64(n))
		},
	}
}
