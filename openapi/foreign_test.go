package openapi_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/openapi"
)

const foreign = `{"openapi":"3.1.0","paths":{"/v1/embeddings":{"post":{"responses":{
  "200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/R"}}}},"4XX":{},"503":{}}}}},
  "components":{"schemas":{"R":{"type":"object","required":["data"],"properties":{"data":{"type":"array"}}}}}}`

func TestForeign(t *testing.T) {
	f, err := openapi.ParseForeign([]byte(foreign))
	if err != nil {
		t.Fatal(err)
	}
	if f.Route != "/v1/embeddings" || strings.Join(f.Statuses(), " ") != "200 4XX 503" || !f.DescribesSuccess() {
		t.Errorf("%+v", f)
	}
	for status, want := range map[int]bool{200: true, 201: false, 400: true, 422: true, 500: false, 503: true, 4000: false, 0: false} {
		if f.Declares(status) != want {
			t.Errorf("declares %d: %v", status, !want)
		}
	}
	for body, want := range map[string]int{`{"data":[]}`: 0, `{"data":1}`: 1, `{}`: 1, `nonsense`: 1} {
		if v, err := f.Success([]byte(body)); err != nil || len(v) != want {
			t.Errorf("%s: %v, %v", body, v, err)
		}
	}
}

func TestForeignThatCannotBeUsed(t *testing.T) {
	for body, want := range map[string]string{
		"":                                  "not a JSON object",
		"[]":                                "not a JSON object",
		`{"swagger":"2.0"}`:                 "expected a version 3",
		`{"openapi":3}`:                     "not a JSON object",
		`{"openapi":"3.0.0","paths":[]}`:    "not a JSON object",
		strings.Repeat(" ", 4<<20) + "{}  ": "at most",
		`{"openapi":"3.0.0","paths":{"/v1/embeddings":{"post":[]}}}`: "POST /v1/embeddings",
	} {
		if _, err := openapi.ParseForeign([]byte(body)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", body, err, want)
		}
	}
	for schema, want := range map[string]string{
		`{"$ref":"http://127.0.0.1:1/x"}`: "not fetched", `{"$ref":"file:///etc/passwd"}`: "not fetched", `{"type":5}`: "cannot be used", `{"$ref":"#/nowhere"}`: "cannot be used",
	} {
		f, err := openapi.ParseForeign([]byte(strings.Replace(foreign, `{"$ref":"#/components/schemas/R"}`, schema, 1)))
		if err != nil {
			t.Errorf("%s: %v", schema, err)
			continue
		}
		if _, err := f.Success([]byte(`{}`)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", schema, err)
		}
	}
	f, err := openapi.ParseForeign([]byte(`{"openapi":"3.0.3","paths":{"/embeddings":{"post":{"responses":{"default":{}}}}}}`))
	if err != nil || f.Route != "/embeddings" || !f.Declares(418) || f.DescribesSuccess() {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := f.Success(nil); err == nil {
		t.Error("a schema that is not there was used")
	}
	if f, err := openapi.ParseForeign([]byte(`{"openapi":"3.0.3"}`)); err != nil || f.Route != "" || f.Declares(200) {
		t.Errorf("no paths: %+v, %v", f, err)
	}
}
