package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Foreign is what a server's own OpenAPI document says of POST /v1/embeddings. Such documents are made by frameworks,
// or by hand, and need not be valid as a whole: only what concerns the route is read.
type Foreign struct {
	// Version is the field openapi of the document.
	Version string
	// Route is the path under which the document has the operation; empty when it has none.
	Route    string
	statuses []string
	compiler *jsonschema.Compiler
	work     meter
	document any    // as it was parsed
	success  string // pointer to the schema of a 200 as JSON; empty when there is none
}

// maxForeign bounds a document, in bytes. That of vLLM with all its routes has some 200,000.
const maxForeign = 4 << 20

// foreignRoutes are the paths under which a server may name the operation: its own route, and that of OpenAI's document,
// which stands below a server URL that ends with /v1.
func foreignRoutes() []string { return []string{"/v1/embeddings", "/embeddings"} }

// ParseForeign reads a server's own OpenAPI document, JSON of version 3.
func ParseForeign(body []byte) (*Foreign, error) {
	if len(body) > maxForeign {
		return nil, fmt.Errorf("the document has %d bytes; at most %d are read", len(body), maxForeign)
	}
	var doc struct {
		OpenAPI string                                `json:"openapi"`
		Paths   map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return nil, fmt.Errorf("the document is not a JSON object with paths: %w", err)
	}
	if err := bounded(body); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.") {
		return nil, fmt.Errorf("the field openapi is %s; expected a version 3 of OpenAPI", quote(doc.OpenAPI))
	}
	f := &Foreign{Version: doc.OpenAPI}
	for _, route := range foreignRoutes() {
		raw, ok := doc.Paths[route]["post"]
		if !ok {
			continue
		}
		f.Route = route
		return f, f.operation(route, raw, body)
	}
	return f, nil
}

func (f *Foreign) operation(route string, raw json.RawMessage, body []byte) error {
	var op struct {
		Responses map[string]struct {
			Content map[string]struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"content"`
		} `json:"responses"`
	}
	if err := json.Unmarshal(raw, &op); err != nil {
		return fmt.Errorf("POST %s: %w", route, err)
	}
	f.statuses = slices.Sorted(maps.Keys(op.Responses))
	if schema := op.Responses["200"].Content[mediaType].Schema; len(schema) > 0 && string(schema) != "{}" {
		f.success = "#/paths/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(route) + "/post/responses/200/content/application~1json/schema"
	}
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	if n := immense(parsed); n != "" {
		return fmt.Errorf("the document has the number %s, which no float64 can hold", quote(n))
	}
	f.document = parsed
	f.compiler = jsonschema.NewCompiler()
	f.compiler.DefaultDraft(jsonschema.Draft2020)
	f.compiler.UseLoader(nowhere{})
	f.compiler.UseRegexpEngine(patterns())
	f.compiler.RegisterVocabulary(f.work.vocabulary())
	f.compiler.AssertVocabs()
	return f.compiler.AddResource(foreignResource, parsed)
}

// foreignResource is the name of the document to the engine, under which nothing is ever looked for.
const foreignResource = "urn:embedcontract:foreign"

// immense finds a number outside the range of float64. The schema engine reads numbers exactly, and writes out a million
// digits for 1e-999999.
func immense(value any) string {
	switch v := value.(type) {
	case json.Number:
		const digits = 400 // more than any float64 has
		f, err := v.Float64()
		mantissa, _, _ := strings.Cut(strings.ToLower(string(v)), "e")
		if err != nil || len(v) > digits || f == 0 && strings.ContainsAny(mantissa, "123456789") {
			return string(v)
		}
	case []any:
		for _, e := range v {
			if n := immense(e); n != "" {
				return n
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if n := immense(v[key]); n != "" {
				return n
			}
		}
	}
	return ""
}

// nowhere keeps a document from sending us to files and addresses of its choice.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("the document refers to %s, which is not fetched", quote(url))
}

// Declares reports whether the operation names a status, by itself, by its class ("4XX") or by default.
func (f *Foreign) Declares(status int) bool {
	own := strconv.Itoa(status)
	return slices.ContainsFunc(f.statuses, func(s string) bool {
		return s == own || s == "default" || len(own) == 3 && strings.EqualFold(s, own[:1]+"xx")
	})
}

// Statuses are the statuses that the operation declares, as they stand there.
func (f *Foreign) Statuses() []string { return f.statuses }

// DescribesSuccess reports whether the document has a schema for the JSON of a 200.
func (f *Foreign) DescribesSuccess() bool { return f.success != "" }

// Success says where the body of a 200 departs from the document. It fails when its schema cannot be used.
func (f *Foreign) Success(body []byte) ([]Violation, error) {
	if f.success == "" {
		return nil, errors.New("the document has no schema for a 200")
	}
	schema, err := f.compiler.Compile(foreignResource + f.success)
	if err != nil {
		return nil, fmt.Errorf("the schema of a 200 cannot be used: %w", err)
	}
	return f.work.within(func() []Violation { return judge(ClientMinimum, schema, mediaType, body) })
}
