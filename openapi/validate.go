package openapi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// operation is a method and a path, without the prefix /v1 that the document names as its server.
type operation string

const (
	createEmbedding operation = "POST /embeddings"
	listModels      operation = "GET /models"
)

// in returns the operation of a document, nil when it has none.
func (o operation) in(doc *openapi3.T) *openapi3.Operation {
	method, path, _ := strings.Cut(string(o), " ")
	item := doc.Paths.Value(path)
	if item == nil {
		return nil
	}
	return item.GetOperation(method)
}

// ValidateRequest says where the body of POST /v1/embeddings departs from the official schema, which allows no
// field that it does not name. No violations: the request is within the contract.
func (d *Document) ValidateRequest(contentType string, body []byte) []Violation {
	p := d.profiles[Strict]
	return judge(Strict, p.schema(createEmbedding.in(p.doc).RequestBody.Value.Content), contentType, body)
}

// ValidateResponse says where an answer to POST /v1/embeddings departs from a profile, success and error alike.
// A status that the profile does not declare is one violation and the body is not looked at, since nothing
// says what it should be. Headers other than the content type are not looked at.
func (d *Document) ValidateResponse(p Profile, status int, contentType string, body []byte) []Violation {
	return d.response(p, createEmbedding, status, contentType, body)
}

// ValidateModels is ValidateResponse for an answer to GET /v1/models.
func (d *Document) ValidateModels(p Profile, status int, contentType string, body []byte) []Violation {
	return d.response(p, listModels, status, contentType, body)
}

func (d *Document) response(name Profile, o operation, status int, contentType string, body []byte) []Violation {
	p := d.profiles[name]
	if p == nil {
		return []Violation{violation("profile", "profile %s is unknown, expected one of %v", quote(string(name)), Profiles())}
	}
	op := o.in(p.doc)
	r := op.Responses.Status(status)
	if r == nil {
		return []Violation{violation("status", "status %d is not declared for %s, only %s", status, o, declared(op))}
	}
	return judge(name, p.schema(r.Value.Content), contentType, body)
}

// judge validates one body by one schema.
func judge(p Profile, schema *jsonschema.Schema, contentType string, body []byte) []Violation {
	var found collector
	if !isJSON(p, contentType) {
		found.add(violation("content-type", "content type %s is not %s", quote(contentType), mediaType), nil)
	}
	value, fault := decode(body)
	if fault != nil {
		found.add(*fault, nil)
		return found.list()
	}
	for _, v := range doubledKeys(body) {
		found.add(v, nil)
	}
	if err := schema.Validate(value); err != nil {
		verr, ok := errors.AsType[*jsonschema.ValidationError](err)
		if !ok {
			// The engine's other errors are about values that no JSON text gives.
			found.add(violation("engine", "the schema engine gave up: %s", quote(err.Error())), nil)
			return found.list()
		}
		tree{value, &found}.walk(verr)
	}
	return found.list()
}

// violation is one that concerns the answer as a whole.
func violation(rule, format string, args ...any) Violation {
	return Violation{Rule: rule, Message: fmt.Sprintf(format, args...), Count: 1}
}
