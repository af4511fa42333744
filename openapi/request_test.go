package openapi

import (
	"slices"
	"strings"
	"testing"
)

func TestValidateRequest(t *testing.T) {
	d := mustLoad(t)
	many := func(of string, n int) string {
		return `{"model":"m","input":[` + strings.TrimSuffix(strings.Repeat(of+",", n), ",") + `]}`
	}
	for _, c := range []struct {
		name, contentType, body string
		want                    []string
	}{
		{name: "text", body: `{"model":"m","input":"a"}`},
		{name: "all fields", body: `{"model":"m","input":["a"],"encoding_format":"base64","dimensions":256,"user":"u"}`},
		{name: "token ids", body: `{"model":"m","input":[1,2,3]}`},
		{name: "lists of token ids", body: `{"model":"m","input":[[1,2],[3]]}`},
		{name: "empty text, which only prose forbids", body: `{"model":"m","input":""}`},
		{name: "2048 texts", body: many(`"a"`, 2048)},
		{name: "2049 texts", body: many(`"a"`, 2049), want: []string{"maxItems /input"}},
		{name: "2049 token ids", body: many(`7`, 2049), want: []string{"maxItems /input"}},
		{name: "2049 with a text", body: strings.Replace(many(`7`, 2049), "7", `"a"`, 1), want: []string{"maxItems /input", "type /input/*"}},
		{name: "empty list", body: `{"model":"m","input":[]}`, want: []string{"minItems /input"}},
		{name: "empty list of token ids", body: `{"model":"m","input":[[]]}`, want: []string{"minItems /input/*"}},
		{name: "texts and token ids", body: `{"model":"m","input":["a",1]}`, want: []string{"type /input/*"}},
		{name: "a number", body: `{"model":"m","input":5}`, want: []string{"type /input"}},
		{name: "null", body: `{"model":"m","input":null}`, want: []string{"type /input"}},
		{name: "no input", body: `{"model":"m"}`, want: []string{"required "}},
		{name: "no model", body: `{"input":"a"}`, want: []string{"required "}},
		{name: "model null", body: `{"model":null,"input":"a"}`, want: []string{"type /model"}},
		{name: "dimensions 0", body: `{"model":"m","input":"a","dimensions":0}`, want: []string{"minimum /dimensions"}},
		{name: "dimensions -1", body: `{"model":"m","input":"a","dimensions":-1}`, want: []string{"minimum /dimensions"}},
		{name: "dimensions 1.5", body: `{"model":"m","input":"a","dimensions":1.5}`, want: []string{"type /dimensions"}},
		{name: "dimensions as text", body: `{"model":"m","input":"a","dimensions":"256"}`, want: []string{"type /dimensions"}},
		{name: "dimensions null", body: `{"model":"m","input":"a","dimensions":null}`, want: []string{"type /dimensions"}},
		{name: "unknown format", body: `{"model":"m","input":"a","encoding_format":"hex"}`, want: []string{"enum /encoding_format"}},
		{name: "format null", body: `{"model":"m","input":"a","encoding_format":null}`, want: []string{"type /encoding_format"}},
		{name: "extensions", body: `{"model":"m","input":"a","input_type":"query","truncate_prompt_tokens":-1}`, want: []string{"additionalProperties ", "additionalProperties "}},
		{name: "two models", body: `{"model":"a","input":"a","model":"b"}`, want: []string{"duplicate-key "}},
		{name: "plain text", contentType: "text/plain", body: `{"model":"m","input":"a"}`, want: []string{"content-type "}},
		{name: "not JSON", body: `{"model":`, want: []string{"json "}},
		{name: "empty", body: ``, want: []string{"json "}},
		{name: "a list", body: `[]`, want: []string{"type "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := d.ValidateRequest(row{contentType: c.contentType}.media(), []byte(c.body))
			if !slices.Equal(said(found), c.want) {
				t.Errorf("body %.200s\ngot  %q\nwant %q", c.body, found, c.want)
			}
		})
	}
}

// The alternative with the fewest faults is meant: here token ids with one text among them.
func TestMeantAlternative(t *testing.T) {
	found := mustLoad(t).ValidateRequest(mediaType, []byte(`{"model":"m","input":["a",1,2]}`))
	if len(found) != 1 || found[0].String() != "/input/*: got string, want integer (first at /input/0)" {
		t.Errorf("got %v", found)
	}
}

func TestValidateModels(t *testing.T) {
	d := mustLoad(t)
	for _, c := range []struct {
		name, body          string
		strict, wire, least []string
	}{
		{name: "openai", body: `{"object":"list","data":[{"id":"m","object":"model","created":1,"owned_by":"o","shutdown_date":null}]}`},
		{name: "extras", body: `{"object":"list","models":[],"data":[{"id":"m","object":"model","created":1,"owned_by":"vllm","max_model_len":1024}]}`},
		{name: "shutdown", body: `{"object":"list","data":[{"id":"m","object":"model","created":1,"owned_by":"o","shutdown_date":"2026-10-23"}]}`},
		{name: "no such day", body: `{"object":"list","data":[{"id":"m","object":"model","created":1,"owned_by":"o","shutdown_date":"soon"}]}`, strict: []string{"format /data/*/shutdown_date"}, wire: []string{"format /data/*/shutdown_date"}},
		{name: "not created", body: `{"object":"list","data":[{"id":"m","object":"model","owned_by":"legacy"}]}`, strict: []string{"required /data/*"}, wire: []string{"required /data/*"}},
		{name: "no id", body: `{"object":"list","data":[{"object":"model","created":1,"owned_by":"o"}]}`, strict: []string{"required /data/*"}, wire: []string{"required /data/*"}, least: []string{"required /data/*"}},
		{name: "names", body: `{"object":"list","data":["m"]}`, wire: []string{"type /data/*"}, least: []string{"type /data/*"}},
	} {
		for p, want := range map[Profile][]string{Strict: c.strict, Wire: c.wire, ClientMinimum: c.least} {
			if found := d.ValidateModels(p, 200, mediaType, []byte(c.body)); !slices.Equal(said(found), want) {
				t.Errorf("%s, %s: got %q, want %q", c.name, p, found, want)
			}
		}
	}
}
