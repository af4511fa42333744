package openapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/harness/bounds"
)

// hostileBodies are JSON, or nearly, by which readers have come to grief.
func hostileBodies() []string {
	return []string{
		"\ufeff{}", "{\"a\":\x00}", `{"a":1e400}`, `{"a":` + strings.Repeat("9", 100) + `}`, `{"a":-0.0000000000000000000001e-400}`, `{"\ud800":"\udfff"}`,
		strings.Repeat("[", 9000) + strings.Repeat("]", 9000), strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000), `{"a":1,"a":1,"\u0061":1}`,
		`{"":{"":{"":1,"":1}}}`, `{"~":{"/":1,"/":1}}`, `{"` + strings.Repeat("k", 5000) + `":1}`, "{\"\u202e\":1,\"\u202e\":1}", `{"a":"\u0000"}`, "\"", `{"a":"\`,
	}
}

// FuzzValidateResponse holds for every answer: no panic, a short and printable report, the same twice, and
// profiles that are nested. The same bytes are read as a list of models, and as a request.
func FuzzValidateResponse(f *testing.F) {
	for _, r := range rows() {
		f.Add(r.status, r.media(), []byte(r.body))
	}
	for _, b := range append(hostileBodies(), `{"object":"list","data":[{"id":"m","object":"model","created":1,"owned_by":"x"}]}`, `{"data":[{"id":null}]}`,
		`{"model":"m","input":"x"}`, `{"model":"m","input":[[1],[2,-1]],"dimensions":0,"encoding_format":"x"}`, `{"input":[]}`) {
		f.Add(200, mediaType, []byte(b))
	}
	d := mustLoad(f)
	f.Fuzz(func(t *testing.T, status int, contentType string, body []byte) {
		bounds.Hold(t, len(body), func() {
			narrower := []Violation{{}}
			for _, p := range Profiles() {
				found := d.ValidateResponse(p, status, contentType, body)
				checkReport(t, found)
				if again := d.ValidateResponse(p, status, contentType, body); !slices.Equal(found, again) {
					t.Errorf("%s: first %v, then %v", p, found, again)
				}
				if len(narrower) == 0 && len(found) > 0 {
					t.Errorf("%s refuses what a narrower profile accepts: %v", p, found)
				}
				narrower = found
				checkReport(t, d.ValidateModels(p, status, contentType, body))
			}
			found := d.ValidateRequest(contentType, body)
			checkReport(t, found)
			if len(found) == 0 && !json.Valid(body) {
				t.Errorf("%q is a good request", body)
			}
		})
	})
}

func checkReport(t *testing.T, found []Violation) {
	t.Helper()
	if len(found) > maxViolations {
		t.Errorf("%d violations, more than %d", len(found), maxViolations)
	}
	for _, v := range found {
		line := v.String()
		if v.Count < 1 || v.Rule == "" || v.Message == "" || len(line) > 700 || !utf8.ValidString(line) {
			t.Errorf("bad violation %#v", v)
		}
		for _, r := range line {
			if unicode.IsControl(r) {
				t.Errorf("control character in %q", line)
			}
		}
	}
}

// FuzzForeign: a server's own document is read or refused, sends nobody anywhere, and what it says of an answer is short
// and the same twice.
func FuzzForeign(f *testing.F) {
	schema := func(s string) string {
		return `{"openapi":"3.1.0","paths":{"/v1/embeddings":{"post":{"responses":{"200":{"content":{"application/json":{"schema":` + s + `}}},"4XX":{}}}}},"components":{"schemas":{"A":{"$ref":"#/components/schemas/B"},"B":{"$ref":"#/components/schemas/A"}}}}`
	}
	for _, s := range []string{"{}", schema("true"), schema(`{"$ref":"#/components/schemas/A"}`), schema(`{"$ref":"file:///etc/passwd"}`), schema(`{"$ref":"http://127.0.0.1:1/x"}`), schema(`{"$ref":"#"}`),
		schema(`{"pattern":"(a+)+$","type":"string"}`), schema(`{"pattern":"(","multipleOf":1e-300,"minimum":1e400}`), schema(`{"$schema":"http://json-schema.org/draft-04/schema#","enum":[]}`),
		schema(`{"$id":"urn:x","$anchor":"a","$dynamicRef":"#a"}`), schema(`{"properties":{"data":{"items":{"anyOf":[{"type":"array"},{"const":1},{"not":{}}]}}},"required":["x","y"]}`),
		schema(`{"type":"object","additionalProperties":false,"maxProperties":0,"dependentRequired":{"data":["` + "\u202e" + `\u0000"]}}`),
		schema(`{"required":["` + strings.Repeat("x", 5000) + `"],"properties":{"data":{"enum":["` + strings.Repeat(`a","`, 1000) + `"]}}}`),
		schema(`{"properties":{"data":{"items":{"minimum":1e999999,"maximum":-1e1000000000}}}}`), schema(`{"additionalProperties":{"items":false}}`),
		`{"openapi":"3.1.0","paths":{"/v1/embeddings":{"post":{"responses":{},"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}}}}},"components":{"schemas":{"A":{"properties":{"a":{}},"allOf":[{"$ref":"#/components/schemas/A"},{"$ref":"#/components/schemas/A"}]}}}}`,
		`{"openapi":3,"paths":[]}`, `{"openapi":"3.0.0","paths":{"/embeddings":{"post":null}}}`, strings.Repeat(`{"openapi":`, 500)} {
		f.Add([]byte(s), []byte(`{"data":[1,null]}`))
		f.Add([]byte(s), []byte("{\"\\u001b[2J"+strings.Repeat("k", 5000)+"\":[1,2]}"))
		f.Add([]byte(s), []byte(`"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"`))
	}
	f.Fuzz(func(t *testing.T, doc, body []byte) {
		bounds.Hold(t, len(doc)+len(body), func() {
			d, err := ParseForeign(doc)
			if err != nil {
				if len(err.Error()) > 2000 {
					t.Errorf("%d bytes of error", len(err.Error()))
				}
				return
			}
			d.Declares(200)
			if names, _ := d.RequestFields(); len(names) > requestParts {
				t.Errorf("%d fields of a request", len(names))
			}
			if !d.DescribesSuccess() {
				return
			}
			found, err := d.Success(body)
			checkReport(t, found)
			again, err2 := d.Success(body)
			if !slices.Equal(found, again) || (err == nil) != (err2 == nil) {
				t.Errorf("first %v, %v, then %v, %v", found, err, again, err2)
			}
		})
	})
}
