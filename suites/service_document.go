package suites

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/openapi"
)

func serviceDocument() contract.Check {
	reads := append([]string{"response_shape/wire-schema"}, faultyRequests()...)
	return contract.Check{
		ID: "service/own-document", Promise: "where a server publishes /openapi.json, it does what stands there",
		Why: "client generators and gateways are built from it: a status or a field that it does not have is handled by nobody", Level: contract.May, Extended: true,
		Sources: []string{"OpenAPI 3.1, Responses Object", "frontends of Dynamo 1.3 to 1.6, observed: no schema of a 200, no 500"}, Reads: reads, ReadsSome: true,
		Variants: []contract.Variant{
			{Name: "does-so", Outcome: contract.Pass, Meaning: "each status that was seen is declared, and a 200 follows its schema"},
			{Name: "absent", Refuses: true, Outcome: contract.Unsupported, Meaning: "there is no /openapi.json", Breaks: "client generators"},
			{Name: "closed", Refuses: true, Outcome: contract.Differs, Meaning: closedMeans, Breaks: "client generators that have this key"},
			{Name: "no-route", Outcome: contract.Differs, Meaning: "it does not have the embeddings route", Breaks: "client generators"},
			{Name: "undeclared-status", Outcome: contract.Differs, Meaning: "a status was seen that it does not declare", Breaks: "generated clients treat it as unexpected"},
			{Name: "no-schema", Outcome: contract.Differs, Meaning: "statuses are declared; of a 200 it does not say what is in it", Breaks: "generated clients have no type for the answer"},
			{Name: "departs", Outcome: contract.Fail, Meaning: "a 200 departs from the schema that it publishes", Breaks: "generated clients"},
			{Name: "unreadable", Refuses: true, Outcome: contract.Fail, Meaning: "/openapi.json is no OpenAPI document of version 3, or cannot be used", Breaks: "client generators"},
		},
		Swap: append(closedSwaps(), []contract.SwapRule{
			{From: "absent", To: "*", Effect: contract.Compatible, Why: "no client was made from a document before"},
			{From: "closed", To: "*", Effect: contract.Compatible, Why: "no client was made from a document before"},
			{From: "undeclared-status", To: "does-so", Effect: contract.Compatible, Why: "it declares more, or does less"},
			{From: "no-schema", To: "does-so", Effect: contract.Compatible, Why: "it declares more"},
			{From: "no-schema", To: "undeclared-status", Effect: contract.Compatible, Why: "clients had no type for an answer before"},
			{From: "undeclared-status", To: "no-schema", Effect: contract.ClientChange, Why: "clients that were made from the document lose a type"},
		}...),
		Probe: get("document", "/openapi.json"),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("document")
			if noRoute(s) {
				return contract.Found("absent", "%s", statusOf(s)).From(s.Name)
			}
			if closedRoute(s) {
				return contract.Found("closed", "%s", statusOf(s)).From(s.Name)
			}
			if !s.OK() {
				return contract.Found("unreadable", "%s", s.Describe()).From(s.Name)
			}
			doc, err := openapi.ParseForeign(s.Body)
			if err != nil {
				return contract.Found("unreadable", "%v", err).From(s.Name)
			}
			if doc.Route == "" {
				return contract.Found("no-route", "OpenAPI %s, no POST /v1/embeddings", doc.Version).From(s.Name)
			}
			if doc.DescribesSuccess() {
				for _, name := range []string{"one", "two"} {
					answer := e.Read["response_shape/wire-schema"].Step(name)
					if !answer.OK() {
						continue
					}
					found, err := doc.Success(answer.Body)
					if err != nil {
						return contract.Found("unreadable", "%v", err).From(s.Name)
					}
					if len(found) > 0 {
						return contract.Found("departs", "%s", joinViolations(found)).From(s.Name)
					}
				}
			}
			return declaredStatuses(e, doc).From(s.Name)
		},
	}
}

// declaredStatuses holds the statuses that were seen, of the embeddings route all of them, to those of the document.
func declaredStatuses(e contract.Evidence, doc *openapi.Foreign) contract.Finding {
	where := map[int]string{}
	for _, id := range slices.Sorted(maps.Keys(e.Read)) {
		for _, a := range e.Read[id].Steps {
			if a.Status != 0 && !doc.Declares(a.Status) && where[a.Status] == "" {
				where[a.Status] = id
			}
		}
	}
	var undeclared []string
	for _, status := range slices.Sorted(maps.Keys(where)) {
		undeclared = append(undeclared, fmt.Sprintf("%d (%s)", status, where[status]))
	}
	f := contract.Found("does-so", "OpenAPI %s declares %s", doc.Version, strings.Join(doc.Statuses(), ", "))
	switch {
	case len(undeclared) > 0:
		f.Variant = "undeclared-status"
		f.Observed += "; seen beside them: " + strings.Join(undeclared, ", ")
	case !doc.DescribesSuccess():
		f.Variant = "no-schema"
		f.Observed += "; no schema of a 200"
	}
	return f
}
