package suites

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const keyTwiceCheck = "status_codes/duplicate-key"

// plainStatusText is the candidate's answer to statusText in a plain request, and plainQueryText that to queryText.
func plainStatusText(k contract.Evidence) contract.Step { return k.Read[keyTwiceCheck].Step("last") }
func plainQueryText(k contract.Evidence) contract.Step  { return k.Read[inputTypeCheck].Step("plain") }

// plainRemedy is what clients do that send something beside the schema which the reference did not look at.
func plainRemedy() contract.Check {
	whole := func(k contract.Evidence) contract.Step { return k.Read[parameterCheck].Step("whole") }
	m := remedied{
		id: "status_codes/plain-request",
		change: "send what the schema says: the model's own name, each key once, a user that is a text, application/json, " +
			"no slash behind the route, at least one text, and no field without effect",
		why:   "where the reference did not look at it, its answer was that to the plain request",
		from:  []string{openAIRequest},
		reads: []string{keyTwiceCheck, inputTypeCheck, parameterCheck},
		bridges: []bridge{
			withoutEffect("status_codes/unknown-model", "asked", plainStatusText), withoutEffect("status_codes/missing-model", "asked", plainStatusText),
			withoutEffect("status_codes/content-type", "asked", plainStatusText), withoutEffect(keyTwiceCheck, "asked", plainStatusText),
			withoutEffect("input_forms/user-type", "asked", plainStatusText),
			{"status_codes/trailing-slash", func(r, k contract.Evidence) contract.Proof {
				s := r.Read["status_codes/trailing-slash"].Step("asked")
				if s.Status >= 300 && s.Status < 400 { // its clients follow it to the plain answer
					s = plainStatusText(r)
				}
				return sameVector(s, plainStatusText(k))
			}},
			{"input_forms/empty-array", func(r, _ contract.Evidence) contract.Proof {
				s := r.Read["input_forms/empty-array"].Step("asked")
				if !s.OK() {
					return nothingKept(s)
				}
				if res, err := s.Response(); err != nil || len(res.Items) > 0 {
					return notProved("the reference: %s", s.Describe())
				}
				return contract.Proof{Holds: true, Observed: "the reference answers an empty list with no vectors, which needs no server"}
			}},
			{"input_forms/nested-empty", func(r, _ contract.Evidence) contract.Proof {
				s := r.Read["input_forms/nested-empty"].Step("asked")
				if s.OK() {
					return contract.Proof{Needless: true, Observed: "the reference: " + s.Describe()}
				}
				return contract.Proof{Holds: true, Observed: "the reference refuses a list of an empty list as well: a client that sends none loses nothing"}
			}},
			withoutEffect("unit_norm/normalize-false", "asked", func(e contract.Evidence) contract.Step { return e.Read["unit_norm/normalize-false"].Step("plain") }),
			withoutEffect("unit_norm/use-activation-false", "asked", func(e contract.Evidence) contract.Step { return e.Read["unit_norm/use-activation-false"].Step("plain") }),
			withoutEffect("truncation/truncation-side", "right", whole),
			// The reference gave the vector of the whole text, as it does without the field.
			withoutEffect(parameterCheck, "asked", whole), withoutEffect("truncation/truncate-above-limit", "asked", whole),
			withoutEffect("truncation/truncate-zero", "asked", whole), withoutEffect("truncation/truncate-negative", "asked", whole),
		},
	}
	for _, id := range []string{"instructions/unknown-field", "input_forms/add-special-tokens", "instructions/prompt-name", "instructions/task", "instructions/prompt"} {
		m.bridges = append(m.bridges, withoutEffect(id, "field", plainQueryText))
	}
	m.bridges = append(m.bridges, withoutEffect("instructions/model-suffix", "suffix", plainQueryText), withoutEffect("instructions/unknown-input-type", "nonsense", plainQueryText),
		withoutEffect("instructions/input-type-document", "document", plainQueryText))
	return remedy(m)
}

// withoutEffect is the proof of something beside the schema which the reference did not look at. Where it had an effect,
// clients cannot leave it out.
func withoutEffect(check, step string, plain func(contract.Evidence) contract.Step) bridge {
	return bridge{check, func(r, k contract.Evidence) contract.Proof {
		odd := r.Read[check].Step(step)
		if d, _ := stepDistance(odd, plain(r)); d > parity.SameBar { // of what cannot be compared it is 0
			return contract.Proof{Needless: true, Observed: "it has an effect on the reference: to leave it out is no way to get that back"}
		}
		return sameVector(odd, plain(k))
	}}
}

// errorsRemedy is how clients read errors that stand elsewhere than before.
func errorsRemedy() contract.Check {
	read := func(what string, readable func(contract.Step) bool) func(r, k contract.Evidence) contract.Proof {
		return func(r, k contract.Evidence) contract.Proof {
			before, after := refusals(r), refusals(k)
			var lost []string
			n := 0
			for _, key := range sortedKeys(after) {
				if old, refused := before[key]; refused && !readable(old) {
					continue // nothing could be read before
				}
				if n++; !readable(after[key]) {
					lost = append(lost, fmt.Sprintf("%s %d", key, after[key].Status))
				}
			}
			switch {
			case len(before) == 0:
				return contract.Proof{Needless: true, Observed: "the reference refuses nothing"}
			case len(lost) > 0:
				return notProved("%d of %d errors have no %s: %s", len(lost), n, what, contract.Shorten(strings.Join(lost, ", "), shownOfText))
			}
			return contract.Proof{Holds: true, Observed: fmt.Sprintf("%s of %d errors can be read", what, n)}
		}
	}
	message := read("message", func(s contract.Step) bool { return reason(string(s.Body)) != "" })
	code := read("code", func(s contract.Step) bool { return scalar(errorField(s.Body, "code")) })
	return remedy(remedied{
		id:     "status_codes/read-any-error",
		change: "read the message of an error at error.message, else at message, else at detail; take code as a text, a number or nothing",
		why:    "the words are there, at another place",
		from:   []string{"err-envelope-nested", "err-code-type", openAIErrors},
		reads:  faultyRequests(),
		bridges: []bridge{
			{"status_codes/error-envelope", message}, {"status_codes/error-profile", message}, {"status_codes/code-type", code},
		},
	})
}

// scalar reports a text, a number, null or nothing.
func scalar(raw json.RawMessage) bool {
	text := strings.TrimSpace(string(raw))
	return text == "" || text[0] != '{' && text[0] != '['
}
