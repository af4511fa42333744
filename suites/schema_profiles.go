package suites

import (
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/openapi"
)

// The profiles of the schema that answers reach, success and errors apart: the narrowest says the most.

const wireCheck = "response_shape/wire-schema"

func shapeProfile(doc *openapi.Document) contract.Check {
	return contract.Check{
		ID: "response_shape/profile", Promise: "a 200 follows the narrowest profile of the schema that OpenAI itself follows, or at least what clients read",
		Why: "strict validators, generated clients and plain readers break at different points; the profile says at which", Level: contract.Should,
		Sources: []string{"shape-top-level", "shape-item-fields", "openapi profiles strict, wire, client-minimum"}, Reads: []string{wireCheck},
		Variants: []contract.Variant{
			{Name: "strict", Outcome: contract.Pass, Meaning: "the official schema as it stands"},
			{Name: "wire", Outcome: contract.Pass, Meaning: "the official schema with what OpenAI and its followers do send"},
			{Name: "client-minimum", Outcome: contract.Differs, Meaning: "what clients read is there: embedding, index, prompt_tokens", Breaks: "typed clients and validators"},
			{Name: "none", Outcome: contract.Fail, Meaning: "not even what clients read", Breaks: "every client"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "strict", To: "wire", Effect: contract.ClientChange, Why: "clients that validate by the official schema refuse it"},
			{From: "wire", To: "strict", Effect: contract.Compatible, Why: "what is narrower is valid as before"},
			{From: "client-minimum", To: "strict", Effect: contract.Compatible, Why: "what is narrower is valid as before"},
			{From: "client-minimum", To: "wire", Effect: contract.Compatible, Why: "what is narrower is valid as before"},
			{From: "none", To: "*", Effect: contract.Compatible, Why: "clients are written for the schema"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			var answers []contract.Step
			for _, name := range []string{"one", "two"} {
				s := e.Read[wireCheck].Step(name)
				if !s.OK() {
					return contract.Found("refused", "%s", s.Describe())
				}
				answers = append(answers, s)
			}
			name, lacks := reached(doc, openapi.Profiles(), answers)
			return contract.Found(name, "%s", lacks)
		},
	}
}

func statusProfile(doc *openapi.Document) contract.Check {
	return contract.Check{
		ID: "status_codes/error-profile", Promise: "error bodies follow the error schema of OpenAI, or at least have a message where clients read it",
		Why: "an error whose message no client finds is a riddle for whoever is on call", Level: contract.Should,
		Sources: []string{"err-envelope-nested", openAIErrors, "openapi profiles wire, client-minimum"}, Reads: faultyRequests(), ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "wire", Outcome: contract.Pass, Meaning: "each error body follows the error schema"},
			{Name: "client-minimum", Outcome: contract.Differs, Meaning: "each error body has error.message", Breaks: "typed clients read no type, param or code"},
			{Name: "none", Outcome: contract.Differs, Meaning: "some error bodies have no error.message", Breaks: "SDKs show a status without a reason"},
			{Name: "no-refusals", Outcome: contract.Differs, Meaning: "nothing was refused at all", Breaks: "whoever relies on being told"},
		},
		Swap: []contract.SwapRule{
			{From: "client-minimum", To: "wire", Effect: contract.Compatible, Why: "what is narrower is valid as before"},
			{From: "none", To: "client-minimum", Effect: contract.Compatible, Why: "clients find a message now"},
			{From: "none", To: "wire", Effect: contract.Compatible, Why: "clients find a message now"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			all := refusals(e)
			var answers []contract.Step
			for _, k := range sortedKeys(all) {
				s := all[k]
				s.Name = k
				answers = append(answers, s)
			}
			if len(answers) == 0 {
				return contract.Found("no-refusals", "nothing was refused")
			}
			name, lacks := reached(doc, []openapi.Profile{openapi.Wire, openapi.ClientMinimum}, answers)
			return contract.Found(name, "%d error bodies; %s", len(answers), lacks).With("refusals", float64(len(answers)))
		},
	}
}

// reached finds the narrowest of the profiles that all answers follow, and says what they lack for the next narrower.
func reached(doc *openapi.Document, profiles []openapi.Profile, answers []contract.Step) (name, lacks string) {
	lacks = "nothing departs from it"
	for _, p := range profiles {
		departs := ""
		for _, s := range answers {
			if found := doc.ValidateResponse(p, s.Status, contentType(s), s.Body); len(found) > 0 {
				departs = fmt.Sprintf("short of %s: %s: %s", p, s.Name, joinViolations(found))
				break
			}
		}
		if departs == "" {
			return string(p), lacks
		}
		lacks = departs
	}
	return "none", lacks
}
