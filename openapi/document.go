// Package openapi holds the OpenAI embeddings schema and says where the bodies of a server depart from it.
//
// The schema is embedded: embeddings.yaml is the official document, trimmed (profile strict), and two small
// overlays make the profiles wire and client-minimum of it. Whatever answer to an embeddings request one profile
// accepts, the next accepts too. The files state their reasons; PROVENANCE.md says where they come from and what
// they leave to checks, such as whether index is the position of the input.
//
// kin-openapi reads the document, resolves and validates it, and knows its operations and statuses. Bodies are
// judged by the JSON Schema 2020-12 engine that kin-openapi wraps, compiled here once: kin-openapi itself
// chooses between two engines by the keywords of a schema, without a word, compiles for every body, and needs
// a minute for a batch of vectors that are full of nulls.
package openapi

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Profile is how much of the OpenAI schema is asked of a response.
type Profile string

// The profiles, from the narrowest to the widest.
const (
	// Strict is the official document as it is. It declares no error but 429 and no base64, so that even
	// OpenAI departs from it: good for information, not for a verdict.
	Strict Profile = "strict"
	// Wire is the official document with what OpenAI and its followers do send: base64, error bodies for
	// every 4xx and 5xx, a numeric or absent detail in an error.
	Wire Profile = "wire"
	// ClientMinimum is what clients read: data[].embedding, data[].index, usage.prompt_tokens if there is
	// one, error.message.
	ClientMinimum Profile = "client-minimum"
)

// Profiles returns all profiles, from the narrowest to the widest.
func Profiles() []Profile { return []Profile{Strict, Wire, ClientMinimum} }

const baseFile = "embeddings.yaml"

//go:embed embeddings.yaml wire.yaml client-minimum.yaml
var files embed.FS

// Document is the parsed schema in all profiles. It does not change after Load and may be used by many
// goroutines at once.
type Document struct {
	profiles map[Profile]*profile
}

// profile is one OpenAPI document and the compiled schema of each body in it, by its reference.
type profile struct {
	doc     *openapi3.T
	schemas map[string]*jsonschema.Schema
}

// Load parses the embedded schema. It fails when a file does not parse, an overlay does not fit or the result
// is not a valid OpenAPI document: defects of this package or of a new dependency, none of the machine.
func Load() (*Document, error) { return load(files.ReadFile) }

func load(read func(name string) ([]byte, error)) (*Document, error) {
	data, err := read(baseFile)
	if err != nil {
		return nil, err
	}
	var raw map[string]any
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return nil, fmt.Errorf("%s: %w", baseFile, err)
	}
	d := &Document{profiles: map[Profile]*profile{}}
	for _, p := range Profiles() {
		if p != Strict {
			if raw, err = overlaid(read, string(p)+".yaml", raw); err != nil {
				return nil, err
			}
		}
		if d.profiles[p], err = parse(raw); err != nil {
			return nil, fmt.Errorf("profile %s: %w", p, err)
		}
	}
	return d, nil
}

func overlaid(read func(string) ([]byte, error), file string, raw map[string]any) (map[string]any, error) {
	data, err := read(file)
	if err != nil {
		return nil, err
	}
	o, err := parseOverlay(file, data)
	if err != nil {
		return nil, err
	}
	return o.apply(file, raw)
}

func parse(raw map[string]any) (*profile, error) {
	text, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, err
	}
	for _, o := range []operation{createEmbedding, listModels} {
		if o.in(doc) == nil {
			return nil, fmt.Errorf("operation %s is missing", o)
		}
	}
	compiler, err := newCompiler(text)
	if err != nil {
		return nil, err
	}
	p := &profile{doc: doc, schemas: map[string]*jsonschema.Schema{}}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for where, content := range bodies(op) {
				if err := p.compile(compiler, content); err != nil {
					return nil, fmt.Errorf("%s %s, %s: %w", method, path, where, err)
				}
			}
		}
	}
	return p, nil
}

// resource is the name under which the engine knows the document; it is never fetched.
const resource = "embeddings.json"

func newCompiler(text []byte) (*jsonschema.Compiler, error) {
	// The engine wants numbers of a schema as it reads them itself.
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020) // the dialect of OpenAPI 3.1
	c.AssertFormat()
	return c, c.AddResource(resource, parsed)
}

// bodies returns the content of the request and of every response of an operation.
func bodies(op *openapi3.Operation) map[string]openapi3.Content {
	out := map[string]openapi3.Content{}
	if op.RequestBody != nil {
		out["request"] = op.RequestBody.Value.Content
	}
	for status, r := range op.Responses.Map() {
		out["response "+status] = r.Value.Content
	}
	return out
}

// mediaType is the only one that the document declares, for requests and responses alike.
const mediaType = "application/json"

func (p *profile) compile(c *jsonschema.Compiler, content openapi3.Content) error {
	ref := schemaRef(content)
	if !strings.HasPrefix(ref, "#/components/schemas/") {
		return fmt.Errorf("the schema of %s must be a $ref to #/components/schemas, is %q", mediaType, ref)
	}
	compiled, err := c.Compile(resource + ref)
	p.schemas[ref] = compiled
	return err
}

// schema returns the compiled schema of a body; it exists for every body of the document, or Load has failed.
func (p *profile) schema(content openapi3.Content) *jsonschema.Schema {
	return p.schemas[schemaRef(content)]
}

func schemaRef(content openapi3.Content) string {
	media := content[mediaType]
	if media == nil || media.Schema == nil {
		return ""
	}
	return media.Schema.Ref
}

// declared lists the statuses that an operation declares, for messages.
func declared(op *openapi3.Operation) string {
	return strings.Join(slices.Sorted(maps.Keys(op.Responses.Map())), ", ")
}
