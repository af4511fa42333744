package suites

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

func witnessError(k sdk) contract.Check {
	const (
		withReason    = "raises-with-reason"
		withoutReason = "raises-without-reason"
		repeats       = "repeats"
		noError       = "no-error"
	)
	refused := "requests that were served are refused now"
	return contract.Check{
		ID: "witnesses/" + k.name + "-error", Promise: "of a request that cannot be served, " + k.title + " makes one call, and its user learns why",
		Why: "each SDK repeats its own choice of statuses, and finds the reason in its own choice of places", Level: contract.Should, Extended: k.extended,
		Sources: []string{"err-client-fault-not-5xx", "err-envelope-nested", "dim-unsupported-is-4xx", retryRules},
		Variants: []contract.Variant{
			{Name: withReason, Refuses: true, Outcome: contract.Pass, Meaning: "one call, and the server's words reach the user"},
			{Name: withoutReason, Refuses: true, Outcome: contract.Differs, Meaning: "one call, and an error without the server's words", Breaks: k.users + ": they see a status and no reason",
				Remedy: "look into the server's log"},
			{Name: repeats, Refuses: true, Outcome: contract.Fail, Meaning: "the SDK repeats a request that can never succeed", Breaks: k.users + ": they wait, and the server gets three calls for one",
				Remedy: "set max_retries to 0 for such requests"},
			{Name: noError, Outcome: contract.Differs, Meaning: fmt.Sprintf("dimensions %d is served: what the SDK makes of a refusal is not seen", statement.HugeDimensions),
				Breaks: "see dimensions/above-native"},
		},
		Swap: []contract.SwapRule{
			{From: repeats, To: withReason, Effect: contract.Compatible, Why: "it failed before and fails now, at once"},
			{From: repeats, To: withoutReason, Effect: contract.Compatible, Why: "it failed before and fails now, at once"},
			{From: withoutReason, To: withReason, Effect: contract.Compatible, Why: "it failed before and fails now, with a reason"},
			{From: withReason, To: withoutReason, Effect: contract.ClientChange, Why: "users no longer learn why"},
			{From: withReason, To: repeats, Effect: contract.ClientChange, Why: "clients that gave up at once now repeat the call"},
			{From: withoutReason, To: repeats, Effect: contract.ClientChange, Why: "clients that gave up at once now repeat the call"},
			{From: noError, To: withReason, Effect: contract.ClientChange, Why: refused},
			{From: noError, To: withoutReason, Effect: contract.ClientChange, Why: refused},
			{From: noError, To: repeats, Effect: contract.ClientChange, Why: refused + ", after three calls"},
			{From: withReason, To: noError, Effect: contract.Compatible, Why: "what failed before is served now"},
			{From: withoutReason, To: noError, Effect: contract.Compatible, Why: "what failed before is served now"},
			{From: repeats, To: noError, Effect: contract.Compatible, Why: "what failed before is served now"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			_, err := p.Do(ctx, toldStep, contract.Witness(k.name, statement.Error))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			out, err := statement.Read(e.Step(toldStep))
			if err != nil {
				return contract.Found(contract.Other, "%v", err).From(toldStep)
			}
			f := contract.Found(noError, "%s", calls(out)).From(toldStep).With("calls", float64(out.Calls))
			if out.Error == nil {
				return f
			}
			f.Observed += fmt.Sprintf("; %s: %s", out.Error.Class, contract.Shorten(out.Error.Text, shownOfText))
			switch {
			case out.Ended, out.Calls == 0, out.Answers[out.Calls-1].Status < 300: // the SDK failed at something else
				f.Variant = contract.Other
			case out.Calls > 1:
				f.Variant = repeats
			default:
				why := reason(out.Answers[0].Body)
				f.Variant = withoutReason
				if why != "" && strings.Contains(letters(out.Error.Text+" "+out.Error.Message), letters(why)) {
					f.Variant = withReason
				}
				f.Observed += fmt.Sprintf("; the server said: %s", contract.Shorten(why, shownOfText))
			}
			return f
		},
	}
}

// reason is what an error's body says to people: the message of any of the known forms, or a body that is text and no
// page.
func reason(body string) string {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(body), &m) != nil {
		if text := strings.TrimSpace(body); !strings.HasPrefix(text, "<") {
			return text
		}
		return ""
	}
	for _, key := range []string{"error", "message", "detail"} {
		if text := messageOf(m[key]); text != "" {
			return text
		}
	}
	return ""
}

// messageOf is a text, the message of an object, or the first msg of FastAPI's list.
func messageOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var object struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &object) == nil {
		return object.Message
	}
	var list []struct {
		Msg string `json:"msg"`
	}
	if _ = json.Unmarshal(raw, &list); len(list) > 0 {
		return list[0].Msg
	}
	return ""
}

// letters keeps letters and digits: SDKs show a body as they like, with other quotes, escapes and spaces.
func letters(text string) string {
	for _, escaped := range []string{`\n`, `\t`, `\r`} {
		text = strings.ReplaceAll(text, escaped, " ")
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}
