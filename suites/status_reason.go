package suites

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http" //nolint:depguard // for the names of statuses; nothing is asked with it
	"slices"
	"strings"
	"unicode"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// reasonWords are the faulty requests of which it is plain what is wrong, and words of which an error that says so has one.
func reasonWords() map[string][]string {
	dimensions := []string{"dimension", "matryoshka"}
	tooLong := []string{"token", "length", "long", "limit", "context", "input"}
	return map[string][]string{
		"dimensions/reduced-256":      dimensions,
		"dimensions/native-value":     dimensions,
		"dimensions/above-native":     dimensions,
		"dimensions/zero":             dimensions,
		"encoding_format/invalid":     {"format", "float", "base64"},
		"input_forms/empty-array":     {"empty", "at least", "input", "prompt"},
		"input_forms/number-input":    {"input", "string", "text"},
		"input_forms/nested-empty":    {"empty", "at least", "input", "prompt"},
		"input_forms/id-out-of-range": {"token", "vocab", "range", "input"},
		overLongCheck:                 tooLong,
		"truncation/token-ids":        tooLong,
		"status_codes/missing-input":  {"input"},
		"status_codes/unknown-model":  {"model"},
	}
}

// bareWords are what an error says that says no more than its status.
func bareWords() map[string]bool {
	out := map[string]bool{}
	for _, text := range []string{"", "error", "invalid", "internal error", "server error", "invalid request", "invalid request error", "the request is invalid",
		"the request is not valid", "request failed", "unknown error", "unexpected error", "an error occurred", "something went wrong"} {
		out[text] = true
	}
	for status := 400; status < 600; status++ {
		out[plainWords(http.StatusText(status))] = true
		out[plainWords(http.StatusText(status))+" error"] = true
	}
	return out
}

// plainWords are the words of a text in small letters, without digits and other signs.
func plainWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }), " ")
}

// saidIn returns the texts in an error: of JSON the strings that are values, or else the body.
func saidIn(body []byte) []string {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return []string{string(body)}
	}
	var out []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(v[key])
			}
		}
	}
	walk(value)
	return out
}

func statusReason() contract.Check {
	reads := slices.Sorted(maps.Keys(reasonWords()))
	return contract.Check{
		ID: "status_codes/message-reason", Promise: "the error for a request with one fault says what is wrong with it",
		Why: "whoever gets it sees nothing else: the reason in the server's log is out of reach of most clients", Level: contract.Should, Extended: true,
		Sources: []string{"err-message-actionable", "Dynamo 1.3 to 1.6, observed: errors of the worker tell of a stream that could not be folded, and since 1.6 nothing"},
		Reads:   reads, ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "says-why", Outcome: contract.Pass, Meaning: "each names the field, or what is wrong with it"},
			{Name: "some-bare", Outcome: contract.Differs, Meaning: "some say no more than their status", Breaks: "whoever has to find out what is wrong: by trying"},
			{Name: "some-beside", Outcome: contract.Differs, Meaning: "some speak of something else, such as the inside of the server", Breaks: "whoever has to find out what is wrong: the error points elsewhere"},
			nothingRefused(),
		},
		Swap: harmlessSwaps("says-why", "some-bare", "some-beside", noRefusals),
		Classify: func(e contract.Evidence) contract.Finding {
			words, bare := reasonWords(), bareWords()
			seen := map[string][]string{}
			n := 0
			for _, id := range reads {
				for _, s := range e.Read[id].Steps {
					if s.Name == contract.StillAlive || s.Fault != "" || s.Status < 400 {
						continue // nor is there a verdict where a server limits requests: the judge says so
					}
					n++
					kind := reasonOf(s, words[id], bare)
					seen[kind] = append(seen[kind], fmt.Sprintf("%s %d %s", id, s.Status, contract.Shorten(strings.Join(saidIn(s.Body), " "), 60)))
				}
			}
			f := contract.Found("says-why", "%d refusals", n).With("refusals", float64(n))
			for _, kind := range []string{"some-beside", "some-bare"} {
				if list := seen[kind]; len(list) > 0 {
					f.Variant, f.Observed = kind, fmt.Sprintf("%d of %d: %s", len(list), n, strings.Join(list[:min(3, len(list))], "; "))
					return f
				}
			}
			if n == 0 {
				f.Variant = noRefusals
			}
			return f
		},
	}
}

// reasonOf says whether an error has one of the words of its fault, nothing but what its status says, or something else.
func reasonOf(s contract.Step, words []string, bare map[string]bool) string {
	said := saidIn(s.Body)
	lower := strings.ToLower(strings.Join(said, "\n"))
	if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lower, w) }) {
		return "says-why"
	}
	for _, text := range said {
		if !bare[plainWords(text)] {
			return "some-beside"
		}
	}
	return "some-bare"
}
