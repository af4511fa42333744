package openapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// row is an answer and what each profile says of it, as "rule path" in the order of the report. The profiles
// are nested, so a row states them in their order.
type row struct {
	name                string
	status              int
	contentType         string // application/json when empty
	body                string
	strict, wire, least []string
}

func (r row) media() string {
	if r.contentType == "" {
		return mediaType
	}
	return r.contentType
}

const (
	usage = `"usage":{"prompt_tokens":6,"total_tokens":6}`
	item  = `{"object":"embedding","index":0,"embedding":[0.5,-0.5]}`
	// f32 is base64 of the float32 values 1 and -1.
	f32 = "AACAPwAAgL8="
)

// answer is an embeddings answer with that one item.
func answer(items string) string {
	return `{"object":"list","model":"m","data":[` + items + `],` + usage + `}`
}

func vector(embedding string) string {
	return answer(`{"object":"embedding","index":0,"embedding":` + embedding + `}`)
}

func rows() []row {
	vec := "/data/*/embedding"
	undeclared := []string{"status "}
	four := []string{"required ", "required ", "required ", "required "} // data, model, object, usage
	all := func(r row, want ...string) row { r.strict, r.wire, r.least = want, want, want; return r }
	strict := func(r row, want ...string) row { r.strict = want; return r }
	return []row{
		// Answers with vectors.
		{name: "openai", status: 200, body: answer(item)},
		{name: "charset", status: 200, contentType: "application/json; charset=utf-8", body: answer(item)},
		{name: "vllm extras", status: 200, body: `{"id":"embd-1","created":1,"object":"list","model":"m","data":[` + item + `],"usage":{"prompt_tokens":6,"total_tokens":6,"completion_tokens":0,"prompt_tokens_details":null,"completion_tokens_details":null}}`},
		{name: "llama.cpp extra of an item", status: 200, body: answer(`{"object":"embedding","index":0,"embedding":[1],"encoding_format":"float"}`)},
		{name: "dynamo without a worker", status: 200, body: `{"object":"list","data":[],"model":"embedding","usage":{"prompt_tokens":0,"total_tokens":0}}`},
		{name: "whole numbers and exponents", status: 200, body: vector(`[0,1,-1e-7,2.5E+3]`)},
		{name: "lone surrogate", status: 200, body: `{"object":"list","model":"\ud800","data":[],` + usage + `}`},
		strict(row{name: "base64", status: 200, body: vector(`"` + f32 + `"`)}, "type "+vec),
		{name: "base64 of another alphabet", status: 200, body: vector(`"AACA_w=="`), strict: []string{"type " + vec}, wire: []string{"pattern " + vec}, least: []string{"pattern " + vec}},
		{name: "base64 without padding", status: 200, body: vector(`"AACAPwAAgL8"`), strict: []string{"type " + vec}, wire: []string{"pattern " + vec}, least: []string{"pattern " + vec}},
		{name: "empty text", status: 200, body: vector(`""`), strict: []string{"type " + vec}, wire: []string{"minLength " + vec}, least: []string{"minLength " + vec}},
		all(row{name: "null in a vector", status: 200, body: vector(`[0.1,null]`)}, "type "+vec+"/*"),
		all(row{name: "text in a vector", status: 200, body: vector(`["0.1"]`)}, "type "+vec+"/*"),
		all(row{name: "nested vector", status: 200, body: vector(`[[0.1,0.2],[0.3,0.4]]`)}, "type "+vec+"/*"),
		all(row{name: "null vector", status: 200, body: vector(`null`)}, "type "+vec),
		all(row{name: "vector as object", status: 200, body: vector(`{"0":0.1}`)}, "type "+vec),
		all(row{name: "no vector", status: 200, body: answer(`{"object":"embedding","index":0}`)}, "required /data/*"),
		all(row{name: "index as text", status: 200, body: answer(`{"object":"embedding","index":"0","embedding":[1]}`)}, "type /data/*/index"),
		all(row{name: "index with a fraction", status: 200, body: answer(`{"object":"embedding","index":0.5,"embedding":[1]}`)}, "type /data/*/index"),
		all(row{name: "no index", status: 200, body: answer(`{"object":"embedding","embedding":[1]}`)}, "required /data/*"),
		all(row{name: "data as object", status: 200, body: `{"object":"list","model":"m","data":` + item + `,` + usage + `}`}, "type /data"),
		all(row{name: "data null", status: 200, body: `{"object":"list","model":"m","data":null,` + usage + `}`}, "type /data"),
		all(row{name: "a bare list", status: 200, body: `[[0.1,0.2]]`}, "type "),
		{name: "object of another name", status: 200, body: `{"object":"embeddings","model":"m","data":[{"object":"vector","index":0,"embedding":[1]}],` + usage + `}`, strict: []string{"enum /data/*/object", "enum /object"}, wire: []string{"enum /data/*/object", "enum /object"}},
		{name: "no usage", status: 200, body: `{"object":"list","model":"m","data":[` + item + `]}`, strict: []string{"required "}, wire: []string{"required "}},
		{name: "usage null", status: 200, body: `{"object":"list","model":"m","data":[` + item + `],"usage":null}`, strict: []string{"type /usage"}, wire: []string{"type /usage"}},
		{name: "usage without a total", status: 200, body: `{"object":"list","model":"m","data":[` + item + `],"usage":{"prompt_tokens":1}}`, strict: []string{"required /usage"}, wire: []string{"required /usage"}},
		all(row{name: "tokens as text", status: 200, body: `{"object":"list","model":"m","data":[` + item + `],"usage":{"prompt_tokens":"6","total_tokens":6}}`}, "type /usage/prompt_tokens"),
		{name: "only data", status: 200, body: `{"data":[{"index":0,"embedding":[1]}]}`, strict: []string{"required ", "required ", "required ", "required /data/*"}, wire: []string{"required ", "required ", "required ", "required /data/*"}},
		{name: "flat error under 200", status: 200, body: `{"detail":"not found"}`, strict: four, wire: four, least: four[:1]},

		// Errors.
		{name: "openai 429", status: 429, body: `{"error":{"message":"slow down","type":"requests","param":null,"code":"rate_limit_exceeded"}}`},
		strict(row{name: "openai 400", status: 400, body: `{"error":{"message":"too long","type":"invalid_request_error","param":null,"code":null}}`}, undeclared...),
		strict(row{name: "vllm 400", status: 400, body: `{"error":{"message":"too long","type":"BadRequestError","param":"input_tokens","code":400}}`}, undeclared...),
		strict(row{name: "llama.cpp 400", status: 400, body: `{"error":{"code":400,"message":"too long","type":"exceed_context_size_error","n_ctx":1024}}`}, undeclared...),
		strict(row{name: "infinity 400", status: 400, body: `{"error":{"message":"x","type":null,"param":null,"code":400}}`}, undeclared...),
		{name: "vllm 429", status: 429, body: `{"error":{"message":"busy","type":"x","param":null,"code":429}}`, strict: []string{"type /error/code"}},
		{name: "dynamo 500", status: 500, body: `{"message":"Failed to fold embeddings stream","type":"Internal Server Error","code":500}`, strict: undeclared, wire: []string{"required "}, least: []string{"required "}},
		{name: "fastapi 422", status: 422, body: `{"detail":[{"type":"missing","loc":["body","input"],"msg":"Field required","input":{}}]}`, strict: undeclared, wire: []string{"required "}, least: []string{"required "}},
		{name: "vllm 401", status: 401, body: `{"error":"Unauthorized"}`, strict: undeclared, wire: []string{"type /error"}, least: []string{"type /error"}},
		{name: "only a message", status: 404, body: `{"error":{"message":"no such model"}}`, strict: undeclared, wire: []string{"required /error", "required /error"}},
		{name: "message null", status: 404, body: `{"error":{"message":null,"type":"x","code":null}}`, strict: undeclared, wire: []string{"type /error/message"}, least: []string{"type /error/message"}},
		{name: "code as object", status: 400, body: `{"error":{"message":"x","type":"x","code":{}}}`, strict: undeclared, wire: []string{"type /error/code"}},
		{name: "problem document", status: 400, contentType: "application/problem+json", body: `{"error":{"message":"x","type":"x","code":null}}`, strict: undeclared, wire: []string{"content-type "}},
		{name: "plain text 500", status: 500, contentType: "text/plain", body: "Internal Server Error", strict: undeclared, wire: []string{"content-type ", "json "}, least: []string{"content-type ", "json "}},
		all(row{name: "created", status: 201, body: answer(item)}, undeclared...),
		all(row{name: "no status", status: 0, body: answer(item)}, undeclared...),

		// Bodies that are not JSON, or not for everybody.
		all(row{name: "no content type", status: 200, contentType: " ", body: answer(item)}, "content-type "),
		all(row{name: "html", status: 200, contentType: "text/html", body: answer(item)}, "content-type "),
		all(row{name: "empty", status: 200, body: " \n"}, "json "),
		all(row{name: "null", status: 200, body: "null"}, "type "),
		all(row{name: "cut off", status: 200, body: answer(item)[:60]}, "json "),
		all(row{name: "two bodies", status: 200, body: answer(item) + answer(item)}, "json "),
		all(row{name: "NaN", status: 200, body: vector(`[NaN,0.1]`)}, "json "),
		all(row{name: "minus infinity", status: 200, body: vector(`[-Infinity]`)}, "json "),
		all(row{name: "beyond float64", status: 200, body: vector(`[1e999]`)}, "number "),
		all(row{name: "latin-1", status: 200, body: "{\"object\":\"list\",\"model\":\"\xe9\",\"data\":[]," + usage + "}"}, "utf-8 "),
		all(row{name: "byte order mark", status: 200, body: "\ufeff" + answer(item)}, "json "),
		all(row{name: "two models", status: 200, body: `{"object":"list","model":"a","mod\u0065l":"b","data":[],` + usage + `}`}, "duplicate-key "),
		all(row{name: "two vectors in one item", status: 200, body: answer(`{"object":"embedding","index":0,"embedding":[1],"embedding":[2]}`)}, "duplicate-key /data/*"),
		{name: "quotes in a text", status: 200, body: `{"object":"list","model":"\"}],\\","data":[],` + usage + `}`},
		{name: "one key in two objects", status: 200, body: answer(item + `,{"object":"embedding","index":1,"embedding":[1]}`)},
	}
}

func said(found []Violation) []string {
	var out []string
	for _, v := range found {
		out = append(out, v.Rule+" "+v.Path)
	}
	return out
}

func (r row) want(p Profile) []string {
	return map[Profile][]string{Strict: r.strict, Wire: r.wire, ClientMinimum: r.least}[p]
}

func TestValidateResponse(t *testing.T) {
	d := mustLoad(t)
	for _, r := range rows() {
		for _, p := range Profiles() {
			t.Run(r.name+"/"+string(p), func(t *testing.T) {
				found := d.ValidateResponse(p, r.status, r.media(), []byte(r.body))
				if !slices.Equal(said(found), r.want(p)) {
					t.Errorf("body %s\ngot  %q\nwant %q", r.body, found, r.want(p))
				}
			})
		}
	}
}

func TestMessages(t *testing.T) {
	d := mustLoad(t)
	for body, want := range map[string]string{
		answer(item + "," + `{"object":"embedding","index":1,"embedding":[1,null,null]}`): `/data/*/embedding/*: got null, want number (first at /data/1/embedding/1), 2 times`,
		vector(`{}`):         `/data/*/embedding: got object, want array or string (first at /data/0/embedding)`,
		vector(`[1e999]`):    `the body has a number that no float64 can hold`,
		vector(`[0.5, NaN]`): `the body is not JSON (NaN at byte 87): it begins "{\"object\":\"list\",\"model\":\"m\",\"data\":[{\"o"…`,
		`{"object":"list","model":"m","data":[]}`:              `"usage" is missing`,
		strings.Replace(answer(item), `"list"`, `"lst"`, 1):    `/object: got "lst", want "list"`,
		strings.Replace(answer(item), `"list"`, "\"\x1b\"", 1): `the body is not JSON: it begins "{\"object\":\"\x1b\",\"model\":\"m\",\"data\":[{\"obje"…`,
	} {
		found := d.ValidateResponse(Wire, 200, mediaType, []byte(body))
		if len(found) != 1 || found[0].String() != want {
			t.Errorf("body %s\ngot  %v\nwant %s", body, found, want)
		}
	}
	got := fmt.Sprint(d.ValidateResponse(Strict, 500, mediaType, nil), d.ValidateResponse("lax", 200, mediaType, nil))
	want := `[status 500 is not declared for POST /embeddings, only 200, 429] [profile "lax" is unknown, expected one of [strict wire client-minimum]]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A first position is the least one by number: 9 comes before 10.
func TestFirstPosition(t *testing.T) {
	var items []string
	for i := range 12 {
		embedding := "[1]"
		if i >= 9 {
			embedding = "[null]"
		}
		items = append(items, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, embedding))
	}
	found := mustLoad(t).ValidateResponse(Wire, 200, mediaType, []byte(answer(strings.Join(items, ","))))
	if len(found) != 1 || found[0].Count != 3 || !strings.HasSuffix(found[0].Message, "(first at /data/9/embedding/0)") {
		t.Errorf("got %v", found)
	}
}

// Whatever a server sends, a report stays short.
func TestManyViolations(t *testing.T) {
	d := mustLoad(t)
	var items []string
	for i := range 2048 {
		items = append(items, fmt.Sprintf(`{"object":"o%d","index":0,"embedding":[1]}`, i))
	}
	found := d.ValidateResponse(Wire, 200, mediaType, []byte(answer(strings.Join(items, ","))))
	if len(found) != maxViolations || found[maxViolations-1].Message != "2029 more ways are left out" {
		t.Errorf("got %d violations, the last %v", len(found), found[len(found)-1])
	}
	deep := strings.Repeat(`{"k":`, 9000) + `{"a":1,"a":2}` + strings.Repeat("}", 9000)
	found = d.ValidateResponse(Wire, 200, mediaType, []byte(deep))
	if len(found) == 0 || len(fmt.Sprint(found)) > 1000 {
		t.Errorf("got %.2000s", fmt.Sprint(found))
	}
	huge := append([]byte(`{"a":"`), make([]byte, maxBody)...)
	if found = d.ValidateResponse(Wire, 200, mediaType, huge); len(found) != 1 || found[0].Rule != "size" {
		t.Errorf("a body of %d bytes gave %v", len(huge), found)
	}
}
