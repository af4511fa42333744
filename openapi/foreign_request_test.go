package openapi_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/openapi"
)

func TestFieldsOfARequest(t *testing.T) {
	document := func(body, schemas string) string {
		return `{"openapi":"3.1.0","paths":{"/v1/embeddings":{"post":{` + body + `"responses":{}}}},"components":{"requestBodies":{"B":{"content":{"application/json":{"schema":{"properties":{"b":{}}}}}}},"schemas":{` + schemas + `}}}`
	}
	in := func(schema string) string {
		return `"requestBody":{"content":{"application/json":{"schema":` + schema + `}}},`
	}
	for _, x := range []struct{ body, schemas, want string }{
		{"", "", "none"},
		{`"requestBody":{},`, "", "none"},
		{`"requestBody":{"$ref":"#/components/requestBodies/B"},`, "", "b"},
		{`"requestBody":{"$ref":"#/nowhere"},`, "", "none"},
		{in("true"), "", ""},
		{in(`{"properties":{"b":{},"a":{"properties":{"deep":{}}}}}`), "", "a b"},
		{in(`{"allOf":[{"type":"object"},{"properties":{"a":{}}},{"anyOf":[{"properties":{"b":{}}},{"oneOf":[{"properties":{"c":{}}}]}]}]}`), "", "a b c"},
		{in(`{"$ref":"#/components/schemas/a~1b","properties":{"a":{}}}`), `"a/b":{"$ref":"#/components/schemas/C"},"C":{"properties":{"c":{}}}`, "a c"},
		{in(`{"$ref":"http://127.0.0.1:1/x"}`), "", ""},
		{in(`{"$ref":"#/components/schemas/A"}`), `"A":{"$ref":"#/components/schemas/A"}`, ""},
		{in(`{"$ref":"#/components/schemas/A"}`), `"A":{"allOf":[{"$ref":"#/components/schemas/A"},{"$ref":"#/components/schemas/A"}],"properties":{"a":{}}}`, "a"},
	} {
		f, err := openapi.ParseForeign([]byte(document(x.body, x.schemas)))
		if err != nil {
			t.Errorf("%s: %v", x.body, err)
			continue
		}
		names, described := f.RequestFields()
		got := strings.Join(names, " ")
		if !described {
			got = "none"
		}
		if got != x.want {
			t.Errorf("%s with %s: %q, want %q", x.body, x.schemas, got, x.want)
		}
	}
	if f, err := openapi.ParseForeign([]byte(`{"openapi":"3.1.0","paths":{}}`)); err != nil {
		t.Error(err)
	} else if names, described := f.RequestFields(); described || names != nil {
		t.Errorf("a document without the route names %v", names)
	}
}
