package suites

import (
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
	"github.com/embedcontract/embedcontract/openapi"
)

const documentCheck = "service/own-document"

// documentFields are the checks of fields beyond OpenAI's, of which only the server's own document can tell a client. Each
// names a check, and its steps of a request without the field and with it.
func documentFields() []contract.Check {
	return []contract.Check{
		documentField("service/document-truncate", "truncate_prompt_tokens", parameterCheck, "whole", "asked"),
		documentField("service/document-special-tokens", "add_special_tokens", "input_forms/add-special-tokens", "plain", "field"),
	}
}

func documentField(id, field, check, plain, with string) contract.Check {
	const generated = "client generators"
	return contract.Check{
		ID: id, Promise: "the server's own document names " + field + " where the field takes effect, and only there",
		Why:   "OpenAI's schema does not have it: clients that are made from the document can send it only if it stands there, and rely on it if it does",
		Level: contract.May, Extended: true,
		Sources: []string{"OpenAPI 3.1, Request Body Object", "frontends of Dynamo 1.3 to 1.6, observed: add_special_tokens is named and honoured since 1.5"},
		Reads:   []string{documentCheck, check},
		Variants: []contract.Variant{
			{Name: "named", Outcome: contract.Pass, Meaning: "it is named, and takes effect"},
			{Name: "not-offered", Outcome: contract.Pass, Meaning: "it is not named, and takes no effect or is refused"},
			{Name: "unnamed", Outcome: contract.Differs, Meaning: "it takes effect, and is not named among the fields of a request", Breaks: generated + ": they cannot send it"},
			{Name: "without-effect", Outcome: contract.Fail, Meaning: "it is named, and takes no effect or is refused", Breaks: "clients that were made from the document, and send it"},
			{Name: "no-request", Outcome: contract.Differs, Meaning: "the document says nothing of a request", Breaks: generated},
			{Name: "no-document", Refuses: true, Outcome: contract.Unsupported, Meaning: "there is no document that can be read, or none with the route", Breaks: generated},
		},
		Swap: []contract.SwapRule{
			{From: "no-document", To: "*", Effect: contract.Compatible, Why: "no client was made from a document before"},
			{From: "no-request", To: "*", Effect: contract.Compatible, Why: "clients had no type for a request before"},
			{From: "not-offered", To: "*", Effect: contract.Compatible, Why: "no client could send it before"},
			{From: "unnamed", To: "named", Effect: contract.Compatible, Why: "it takes effect as before"},
			{From: "without-effect", To: "named", Effect: contract.ClientChange, Silent: true, Why: "clients that send it: it takes effect now; see " + check},
			{From: "without-effect", To: "not-offered", Effect: contract.Compatible, Why: "it takes no effect, as before"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Read[documentCheck].Step("document")
			if !s.OK() {
				return contract.Found("no-document", "%s", statusOf(s))
			}
			doc, err := openapi.ParseForeign(s.Body)
			if err != nil {
				return contract.Found("no-document", "%v", err)
			}
			if doc.Route == "" {
				return contract.Found("no-document", "OpenAPI %s, no POST /v1/embeddings", doc.Version)
			}
			names, described := doc.RequestFields()
			if !described {
				return contract.Found("no-request", "OpenAPI %s, no schema of a request", doc.Version)
			}
			before, sent := e.Read[check].Step(plain), e.Read[check].Step(with)
			if f, no := unserved(before); no {
				return f
			}
			d, err := stepDistance(before, sent)
			if err != nil && sent.OK() {
				return mismatch(sent, err)
			}
			effect := d > parity.SameBar // none where the field is refused
			f := contract.Found("not-offered", "takes effect: %v; named: %s", effect, contract.Shorten(strings.Join(names, ", "), 200))
			switch named := slices.Contains(names, field); {
			case named && effect:
				f.Variant = "named"
			case named:
				f.Variant = "without-effect"
			case effect:
				f.Variant = "unnamed"
			}
			return f
		},
	}
}
