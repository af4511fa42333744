// Package statement is what the witnesses of package witness are asked, and the form of what they tell. It runs
// nothing, so that whoever judges needs no SDK.
package statement

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// The witnesses by name.
const (
	Go     = "go"     // openai-go, in this process
	Python = "python" // openai for Python, in a process of its own
	Node   = "node"   // openai for Node, in a process of its own
)

// Names lists the witnesses.
func Names() []string { return []string{Go, Python, Node} }

// The scenarios: what a user of the SDK does.
const (
	Default = "default" // one text, nothing said about its encoding
	Float   = "float"   // one text, encoding_format float
	Base64  = "base64"  // one text, encoding_format base64
	Batch   = "batch"   // Texts, nothing said about their encoding
	Error   = "error"   // a request that no model can serve: see HugeDimensions
	Once    = "once"    // the same, by a user who has turned the SDK's retries off
)

// Scenarios lists the scenarios.
func Scenarios() []string { return []string{Default, Float, Base64, Batch, Error, Once} }

// Text is what all scenarios ask for but Batch.
func Text() string { return Texts()[0] }

// Texts is what Batch asks for.
func Texts() []string {
	return []string{"Old boats.", "rain", "Warm bread."}
}

// HugeDimensions is above the native length of every model that we know of.
const HugeDimensions = 1_000_000

// Output is what a witness tells. Data stands as in an answer of the API, so that recordings keep its vectors apart.
type Output struct {
	SDK      string   `json:"sdk"`
	Version  string   `json:"version"`
	Scenario string   `json:"scenario"`
	OK       bool     `json:"ok"` // the SDK returned, and raised nothing
	Data     []Item   `json:"data,omitempty"`
	Error    *Raised  `json:"error,omitempty"`
	Ended    bool     `json:"ended,omitempty"` // by the limit, before the SDK was done
	Calls    int      `json:"calls"`
	Answers  []Answer `json:"answers"` // one for each call
	Elapsed  float64  `json:"elapsed_ms"`
}

// Item is one element of what the SDK returned, in its order.
type Item struct {
	Index int `json:"index"` // -1: none
	// Embedding is what the user gets: a list of numbers, in which null stands for what is no finite number, a text, or
	// whatever else came.
	Embedding json.RawMessage `json:"embedding"`
}

// Raised is the error that a user of the SDK sees.
type Raised struct {
	Class  string `json:"class"`
	Status int    `json:"status,omitempty"` // as the error tells it; 0: it tells none
	Text   string `json:"text"`             // what a log shows of it
	// Message is its field for the server's words, where it has one.
	Message string `json:"message,omitempty"`
}

// Answer is what the server answered to one call.
type Answer struct {
	Status int    `json:"status"`         // 0: no answer
	Body   string `json:"body,omitempty"` // of an error, cut
}

// Known reports a name that is none of Names.
func Known(name string) error {
	if slices.Contains(Names(), name) {
		return nil
	}
	return fmt.Errorf("no witness %q: there are %s", name, strings.Join(Names(), ", "))
}

// Read reads what a witness told in a step of a recording, which keeps vectors apart.
func Read(s contract.Step) (Output, error) {
	var out Output
	if err := json.Unmarshal(s.FullBody(), &out); err != nil {
		return Output{}, fmt.Errorf("step %s is not what a witness tells: %w", s.Name, err)
	}
	if out.SDK == "" {
		return Output{}, fmt.Errorf("step %s is not what a witness tells: it names no SDK", s.Name)
	}
	return out, nil
}

// Vector is an embedding as numbers; null is NaN. Anything else is no vector.
func (i Item) Vector() ([]float32, bool) {
	var list []*float32
	if json.Unmarshal(i.Embedding, &list) != nil || list == nil {
		return nil, false
	}
	out := make([]float32, len(list))
	for at, x := range list {
		if out[at] = float32(math.NaN()); x != nil {
			out[at] = *x
		}
	}
	return out, true
}
