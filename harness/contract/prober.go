package contract

import (
	"context"
	"maps"
	"time"
)

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
	// Together sends requests at the same time, each at its own moment or as soon as another one has ended, and returns
	// what came back, in the order given, when all are done.
	Together(ctx context.Context, asks []Ask) ([]Step, error)
	// Do does something else than asking. An action that fails is a step with FaultAction; a target to which it
	// cannot be done makes an error of Inapplicable.
	Do(ctx context.Context, step string, a Action) (Step, error)
}

// Ask is one of several requests at the same time: an embeddings request, any other, or an action.
type Ask struct {
	Step    string
	Behind  string        // the step of one given before, which has to end first; empty: the start of all
	After   time.Duration // from there
	Body    Body          // of an embeddings request
	Request *Request      // in place of Body
	Action  Action        // in place of both
	Options []Option
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

// Header adds a field to a request. An empty value leaves out the one that every request has.
func Header(name, value string) Option {
	return func(r *Request) {
		r.Header = maps.Clone(r.Header)
		if r.Header == nil {
			r.Header = map[string]string{}
		}
		r.Header[name] = value
	}
}

// HangUp lets the client leave after d without having waited for the answer.
func HangUp(d time.Duration) Option { return func(r *Request) { r.HangUp = d } }

// Keep sends a request on a connection that stays open while it is idle.
func Keep() Option { return func(r *Request) { r.Keep = true } }

// Patience waits longer for the answer to a request than for those to others.
func Patience(d time.Duration) Option { return func(r *Request) { r.Patience = d } }

// Room lets the answer be longer than others may be: n bytes.
func Room(n int64) Option { return func(r *Request) { r.Room = n } }
