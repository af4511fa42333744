package suites

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// statusErrors are the checks of what stands in the answers to faulty requests. They ask nothing of their own, and come
// late: what they read may have killed the server.
func statusErrors() []contract.Check {
	return []contract.Check{statusCodeType(), statusTypeVocabulary(), statusParam(), statusMessage(), statusNoLeak(), statusErrorType(), statusNeverEmpty()}
}

const noRefusals = "no-refusals"

func nothingRefused() contract.Variant {
	return contract.Variant{Name: noRefusals, Outcome: contract.Differs, Meaning: "nothing was refused at all", Breaks: "whoever relies on being told"}
}

// errorField returns a field of the error object: of {"error": {…}}, or of the body where that is flat. nil: there is none.
func errorField(body []byte, key string) json.RawMessage {
	var outer, inner map[string]json.RawMessage
	_ = json.Unmarshal(body, &outer) // what is no object has no fields
	if json.Unmarshal(outer["error"], &inner) == nil {
		return inner[key]
	}
	return outer[key]
}

// kinds sorts refusals by what kind says of each: the variant when all are of one kind, mixed otherwise.
func kinds(all map[string]contract.Step, kind func(key string, s contract.Step) string) contract.Finding {
	where := map[string][]string{}
	for _, k := range sortedKeys(all) {
		name := kind(k, all[k])
		where[name] = append(where[name], k)
	}
	var seen []string
	variant := noRefusals
	for name, keys := range where {
		seen = append(seen, fmt.Sprintf("%s %d× (%s)", name, len(keys), keys[0]))
		variant = name
	}
	slices.Sort(seen)
	f := contract.Found(variant, "%s", cmp.Or(strings.Join(seen, "; "), "nothing was refused")).With("refusals", float64(len(all)))
	switch {
	case where[contract.Other] != nil:
		f.Variant = contract.Other
	case len(where) > 1:
		f.Variant = "mixed"
	}
	return f
}

// harmlessSwaps are swaps of what only people read: no program can be known to depend on it.
func harmlessSwaps(to ...string) []contract.SwapRule {
	var out []contract.SwapRule
	for _, name := range to {
		out = append(out, contract.SwapRule{From: "*", To: name, Effect: contract.Compatible, Why: "the status tells as much; see status_codes/error-envelope for the form"})
	}
	return out
}

func statusCodeType() contract.Check {
	return contract.Check{
		ID: "status_codes/code-type", Promise: "code of an error is a text or null, as in the OpenAI schema",
		Why: "typed clients decode code as a text: openai-go and openai-java lose the whole error over a number", Level: contract.Should,
		Sources: []string{"err-code-type", openAIErrors},
		Reads:   faultyRequests(), ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "text-or-null", Outcome: contract.Pass, Meaning: "each code is a text or null"},
			{Name: "number", Outcome: contract.Differs, Meaning: "each code is a number, mostly the status again", Breaks: "clients that decode code as a text"},
			{Name: "absent", Outcome: contract.Differs, Meaning: "no error has a code", Breaks: "clients that tell errors apart by code"},
			{Name: "mixed", Outcome: contract.Differs, Meaning: "codes have different types", Breaks: "clients need a reader for each"},
			nothingRefused(),
		},
		Swap: []contract.SwapRule{{From: "number", To: "text-or-null", Effect: contract.Compatible, Why: "clients are written for the schema"},
			{From: "absent", To: "text-or-null", Effect: contract.Compatible, Why: "clients are written for the schema"},
			{From: "mixed", To: "text-or-null", Effect: contract.Compatible, Why: "clients are written for the schema"},
			{From: noRefusals, To: "*", Effect: contract.Compatible, Why: "requests that were served are refused now; the single checks say what that means"}},
		Classify: func(e contract.Evidence) contract.Finding {
			return kinds(refusals(e), func(_ string, s contract.Step) string {
				raw := strings.TrimSpace(string(errorField(s.Body, "code")))
				switch {
				case raw == "":
					return "absent"
				case raw == "null" || raw[0] == '"':
					return "text-or-null"
				case strings.ContainsAny(raw[:1], "-0123456789"):
					return "number"
				}
				return contract.Other
			})
		},
	}
}

// openAIErrorType is what OpenAI calls every error of status 400.
const openAIErrorType = "invalid_request_error"

func statusTypeVocabulary() contract.Check {
	return contract.Check{
		ID: "status_codes/type-vocabulary", Promise: "type of an error of status 400 is " + openAIErrorType,
		Why: "clients and gateways sort errors by it", Level: contract.May, Extended: true,
		Sources: []string{"err-type-vocabulary", openAIErrors},
		Reads:   faultyRequests(), ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "openai", Outcome: contract.Pass, Meaning: "each is " + openAIErrorType},
			{Name: "own-words", Outcome: contract.Differs, Meaning: "each is another text", Breaks: "gateways that sort errors by type"},
			{Name: "absent", Outcome: contract.Differs, Meaning: "there is no type, or it is no text", Breaks: "gateways that sort errors by type"},
			{Name: "mixed", Outcome: contract.Differs, Meaning: "some are, some are not", Breaks: "gateways that sort errors by type"},
			{Name: noRefusals, Outcome: contract.Differs, Meaning: "nothing was refused with 400", Breaks: "whoever relies on being told"},
		},
		Swap: harmlessSwaps("openai", "own-words", "absent", "mixed", noRefusals),
		Classify: func(e contract.Evidence) contract.Finding {
			all := refusals(e)
			for k, s := range all {
				if s.Status != 400 {
					delete(all, k)
				}
			}
			return kinds(all, func(_ string, s contract.Step) string {
				var kind string
				_ = json.Unmarshal(errorField(s.Body, "type"), &kind)
				switch kind {
				case "": // or no text
					return "absent"
				case openAIErrorType:
					return "openai"
				}
				return "own-words"
			})
		},
	}
}

// namedFaults are faulty requests of which it is plain which field is at fault.
func namedFaults() map[string]string {
	return map[string]string{"dimensions/zero": "dimensions", "encoding_format/invalid": "encoding_format", "input_forms/number-input": "input"}
}

func statusParam() contract.Check {
	var reads []string
	for id := range namedFaults() {
		reads = append(reads, id)
	}
	slices.Sort(reads)
	return contract.Check{
		ID: "status_codes/param-filled", Promise: "param of an error names the field at fault",
		Why: "it is the only part of an error that a program can act on", Level: contract.May, Extended: true,
		Sources: []string{"err-param-filled", openAIErrors},
		Reads:   reads, ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "names-field", Outcome: contract.Pass, Meaning: "each names the field, alone or within a path"},
			{Name: "names-other", Outcome: contract.Differs, Meaning: "each names something else", Breaks: "clients that show it beside the field"},
			{Name: "null-or-absent", Outcome: contract.Differs, Meaning: "there is none", Breaks: "clients that show it beside the field"},
			{Name: "mixed", Outcome: contract.Differs, Meaning: "some do, some do not", Breaks: "clients that show it beside the field"},
			nothingRefused(),
		},
		Swap: harmlessSwaps("names-field", "names-other", "null-or-absent", "mixed", noRefusals),
		Classify: func(e contract.Evidence) contract.Finding {
			all := map[string]contract.Step{}
			for _, id := range reads {
				for _, s := range e.Read[id].Steps {
					if s.Name != contract.StillAlive && s.Fault == "" && s.Status >= 400 {
						all[id] = s
					}
				}
			}
			return kinds(all, func(id string, s contract.Step) string {
				var param string
				switch _ = json.Unmarshal(errorField(s.Body, "param"), &param); {
				case param == "":
					return "null-or-absent"
				case strings.Contains(param, namedFaults()[id]):
					return "names-field"
				}
				return "names-other"
			})
		},
	}
}

const overLongCheck = "truncation/over-long"

func statusMessage() contract.Check {
	return contract.Check{
		ID: "status_codes/message-actionable", Promise: "the error for a text that is too long says how long it may be, and how long it was",
		Why: "whoever reads it must know by how much to cut; pgai reads both numbers from it", Level: contract.Should,
		Sources: []string{"err-message-actionable", "timescale/pgai: openai embedder"},
		Reads:   []string{overLongCheck},
		Variants: []contract.Variant{
			{Name: "names-both", Outcome: contract.Pass, Meaning: "the limit and a number above it stand in the error"},
			{Name: "names-limit", Outcome: contract.Differs, Meaning: "the limit stands in it, the given size does not", Breaks: "pgai and others that cut by both numbers"},
			{Name: "names-size", Outcome: contract.Differs, Meaning: "a number above the limit stands in it, the limit does not", Breaks: "whoever has to find out the limit"},
			{Name: "names-neither", Outcome: contract.Differs, Meaning: "neither stands in it", Breaks: "whoever has to find out what is wrong, and the limit"},
			{Name: "not-refused", Outcome: contract.Unsupported, Meaning: "a text that is too long is served or cut; see " + overLongCheck},
		},
		Swap: append(harmlessSwaps("names-both", "not-refused"),
			contract.SwapRule{From: "not-refused", To: "*", Effect: contract.Compatible, Why: "see " + overLongCheck},
			contract.SwapRule{From: "names-neither", To: "*", Effect: contract.Compatible, Why: "nothing could be read from it before"},
			contract.SwapRule{From: "*", To: "names-limit", Effect: contract.Compatible, Why: "people read it; see the notes of pgai"},
			contract.SwapRule{From: "*", To: "names-size", Effect: contract.Compatible, Why: "people read it; see the notes of pgai"},
			contract.SwapRule{From: "*", To: "names-neither", Effect: contract.Compatible, Why: "people read it; see the notes of pgai"}),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Read[overLongCheck].Step("over-long")
			if s.OK() {
				return contract.Found("not-refused", "%s", s.Describe())
			}
			limit, above := false, false
			for _, n := range numbersIn(s) {
				limit = limit || n == e.Facts.MaxTokens
				above = above || n > e.Facts.MaxTokens && n < sizeBound*e.Facts.MaxTokens
			}
			name := map[[2]bool]string{{true, true}: "names-both", {true, false}: "names-limit", {false, true}: "names-size"}[[2]bool{limit, above}]
			if name == "" {
				name = "names-neither"
			}
			return contract.Found(name, "limit %d: %s", e.Facts.MaxTokens, s.Describe())
		},
	}
}

// sizeBound bounds what can be the size of the text that was sent, in multiples of the limit: it has half as many tokens
// again as the limit, and few characters to each. Times and ids are far above.
const sizeBound = 100

// numbersIn returns the whole numbers that stand by themselves in an error, but for the status, which many servers repeat
// in it.
func numbersIn(s contract.Step) []int {
	var out []int
	for _, word := range regexp.MustCompile(`\b\d+(,\d{3})*\b`).FindAllString(string(s.Body), -1) {
		// One that is too long is the greatest that there is, and no size of anything.
		if n, _ := strconv.Atoi(strings.ReplaceAll(word, ",", "")); n != s.Status {
			out = append(out, n)
		}
	}
	return out
}
