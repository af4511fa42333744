package openapi

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/embedcontract/embedcontract/harness/contract"
)

func mustLoad(t testing.TB) *Document {
	t.Helper()
	d, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// changed loads the document with one text of one file replaced.
func changed(file, old, new string) (*Document, error) {
	return load(func(name string) ([]byte, error) {
		data, err := files.ReadFile(name)
		if name == file {
			if !bytes.Contains(data, []byte(old)) {
				return nil, fmt.Errorf("%s does not contain %q", file, old)
			}
			data = bytes.Replace(data, []byte(old), []byte(new), 1)
		}
		return data, err
	})
}

func TestRouteOfTheSuite(t *testing.T) {
	for name, p := range mustLoad(t).profiles {
		if got := p.doc.Servers[0].URL + "/embeddings"; got != contract.EmbeddingsPath {
			t.Errorf("%s: the document describes %s, the suite asks %s", name, got, contract.EmbeddingsPath)
		}
	}
}

func TestLoadRefusesWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{"unknown key", "wire.yaml", "    why: Infinity", "    because: Infinity", `unknown field "because"`},
		{"no reason", "wire.yaml", "why: Infinity sends null.", `why: ""`, "why is empty"},
		{"two edits in one", "wire.yaml", "    set: [type, message, code]", "    set: [type]\n    remove: true", "has 2 of set, add and remove"},
		{"no edit", "wire.yaml", "    set: [type, message, code]", "", "has 0 of set, add and remove"},
		{"target gone", "wire.yaml", "schemas/Error/required", "schemas/Error/requires", "/components/schemas/Error/requires does not exist"},
		{"way gone", "wire.yaml", "schemas/Error/required", "schemas/Fault/required", `no object "Fault" on the way`},
		{"target there already", "wire.yaml", "responses/4XX", "responses/429", "exists already"},
		{"not a pointer", "wire.yaml", "target: /paths", "target: paths", "must be a JSON Pointer"},
		{"no actions", "client-minimum.yaml", "actions:", "actions: []\nrest:", "client-minimum.yaml"},
		{"base is not YAML", "embeddings.yaml", "openapi: 3.1.0", "openapi: [", "embeddings.yaml"},
		{"base is not OpenAPI", "embeddings.yaml", "type: integer", "type: whole", "whole"},
		{"operation gone", "embeddings.yaml", "  /models:", "  /model:", "operation GET /models is missing"},
		{"schema not in components", "embeddings.yaml", `$ref: "#/components/schemas/CreateEmbeddingResponse"`, "type: object", "must be a $ref"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := changed(c.file, c.old, c.new); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

// An overlay must not reach into the profile that it is laid on.
func TestOverlayLeavesItsBaseAlone(t *testing.T) {
	inner := map[string]any{"a": 1, "b": 2}
	base := map[string]any{"x/y": inner}
	o := overlay{Actions: []action{{Target: "/x~1y/a", Remove: true}, {Target: "/x~1y/c", Add: 3}, {Target: "/x~1y/b", Set: 4}}}
	got, err := o.apply("test.yaml", base)
	if err != nil || fmt.Sprint(got) != "map[x/y:map[b:4 c:3]]" {
		t.Errorf("got %v, %v", got, err)
	}
	if fmt.Sprint(base) != "map[x/y:map[a:1 b:2]]" {
		t.Errorf("the base became %v", base)
	}
}

// prefixItems means nothing to the dialects before 2020-12, nor to the engine that kin-openapi has of its own.
func TestEngineIsJSONSchema2020(t *testing.T) {
	d, err := changed("embeddings.yaml", "description: The embeddings.", "prefixItems: [{type: boolean}]")
	if err != nil {
		t.Fatal(err)
	}
	found := d.ValidateResponse(Strict, 200, mediaType, []byte(answer(item)))
	if fmt.Sprint(found) != "[/data/*: got object, want boolean (first at /data/0)]" {
		t.Errorf("got %v: the engine does not read a schema as JSON Schema 2020-12", found)
	}
}

// kin-openapi, by whichever of its engines, must come to the verdict of ours.
func TestVerdictsOfKinOpenAPI(t *testing.T) {
	d := mustLoad(t)
	compared := map[bool]int{}
	for _, r := range rows() {
		for name, p := range d.profiles {
			response := createEmbedding.in(p.doc).Responses.Status(r.status)
			value, fault := decode([]byte(r.body))
			if response == nil || fault != nil {
				continue
			}
			content := response.Value.Content
			theirs := content[mediaType].Schema.Value.VisitJSON(value, openapi3.EnableJSONSchema2020(), openapi3.MultiErrors())
			ours := p.schema(content).Validate(value)
			if (theirs == nil) != (ours == nil) {
				t.Errorf("%s, %s: kin-openapi says %v, we say %v", r.name, name, theirs, ours)
			}
			compared[ours == nil]++
		}
	}
	if compared[true] < 20 || compared[false] < 20 {
		t.Errorf("compared %d good and %d bad bodies, too few to mean anything", compared[true], compared[false])
	}
}

func TestDocumentIsSharedByGoroutines(t *testing.T) {
	d := mustLoad(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, r := range rows() {
				if got := d.ValidateResponse(Wire, r.status, r.media(), []byte(r.body)); len(got) != len(r.wire) {
					t.Errorf("%s: got %v, want %v", r.name, got, r.wire)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkValidateResponse(b *testing.B) {
	d := mustLoad(b)
	batch := func(embedding string) []byte {
		one := `{"object":"embedding","index":0,"embedding":` + embedding + `}`
		return []byte(answer(strings.TrimSuffix(strings.Repeat(one+",", 64), ",")))
	}
	list := func(of string) string { return "[" + strings.TrimSuffix(strings.Repeat(of+",", 1024), ",") + "]" }
	for name, body := range map[string][]byte{
		"floats": batch(list("0.012345678")),
		"base64": batch(`"` + strings.Repeat("AACA", 1365) + `PwA="`),
		"nulls":  batch(list("null")),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.ValidateResponse(Wire, 200, mediaType, body)
			}
		})
	}
}
