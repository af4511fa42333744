package contract

import "context"

// Prober asks the server under test and records what it answered, as steps of the check that is running.
//
// A request that gets no answer is evidence, not an error: its Step carries the Fault. Errors are for what
// makes going on pointless: a cancelled context, a recording that cannot be written, a request that violates
// the OpenAPI document though the check does not say so.
type Prober interface {
	Facts() Facts
	Plan() Plan
	// Read returns the evidence of a check that is named in Reads.
	Read(check string) Evidence
	// Embed posts a body to the embeddings route. The model of the target is added unless the body has one.
	Embed(ctx context.Context, step string, body Body, opts ...Option) (Step, error)
	// Send sends any request, as it is.
	Send(ctx context.Context, step string, r Request) (Step, error)
}

// Body is the JSON object of an embeddings request. A value of Absent leaves the key out.
type Body map[string]any

type absent struct{}

// Absent is the value that leaves a key out of a Body, such as the model that Embed would add.
var Absent any = absent{}

// Fields returns the body without absent keys and with the model added where the body has none.
func (b Body) Fields(model string) map[string]any {
	out := map[string]any{"model": model}
	for k, v := range b {
		if v == Absent {
			delete(out, k)
			continue
		}
		out[k] = v
	}
	return out
}

// Option changes how a request is recorded or judged.
type Option func(*Request)

// Violates says that a request breaks the OpenAPI document on purpose, and how.
func Violates(how string) Option { return func(r *Request) { r.Violates = how } }

// Recipe keeps the recipe of a long generated text in the recording in place of the request body.
func Recipe(recipe string) Option { return func(r *Request) { r.Recipe = recipe } }

// EmbeddingsPath is the route of the contract, relative to the base URL of a target.
const EmbeddingsPath = "/v1/embeddings"
