// Package witness lets the OpenAI SDKs ask a server, as their users do, and tells what they made of its answers:
// which vectors they hand on, which error they raise, and how many calls they made out of one.
//
// SDKs hide defects: one decodes base64 that nobody asked for, another turns a list of numbers into near-zero
// garbage. So they are witnesses, and not the eyes of the suite, which asks by raw HTTP.
//
// All calls go through a meter, which counts them, keeps what was answered to the failed ones, and sends the
// key of the target in place of the one that the SDK was given. The SDKs' own retries and time-outs stay as they are.
package witness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
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
)

// Scenarios lists the scenarios.
func Scenarios() []string { return []string{Default, Float, Base64, Batch, Error} }

// Text is what all scenarios ask for but Batch.
func Text() string { return Texts()[0] }

// Texts is what Batch asks for.
func Texts() []string {
	return []string{"Bakers sell warm bread near the station.", "rain", "The clock of the town hall never tells the right time."}
}

// HugeDimensions is above the native length of every model that we know of.
const HugeDimensions = 1_000_000

const (
	// DefaultLimit bounds a witness. The SDKs themselves wait 600 s for an answer, three times; whoever has no answer
	// after 60 s, the limit of one request of the suite, learns nothing more from them.
	DefaultLimit = 60 * time.Second
	// MaxOutput bounds what a witness may say: three vectors of 4096 numbers are 250 KB.
	MaxOutput = 16 << 20
)

// ErrNotInstalled marks a witness that was asked for and is not there.
var ErrNotInstalled = errors.New("witness not installed")

// Config says what witnesses ask.
type Config struct {
	BaseURL string // of the target, without /v1
	Key     string // of the target; empty: it takes any
	Model   string
	Tools   Tools         // of the witnesses that are processes
	Limit   time.Duration // of one run; DefaultLimit when 0
	// Transport stands in for the network in tests; nil: a fresh http.Transport.
	Transport http.RoundTripper
	// RetryPause, when not 0, is the longest pause between the retries of the witness Go, which are as many as ever.
	RetryPause time.Duration
}

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

// Runner runs witnesses against one target.
type Runner struct{ c Config }

// New makes a runner.
func New(c Config) *Runner {
	if c.Limit == 0 {
		c.Limit = DefaultLimit
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	if c.Transport == nil {
		c.Transport = freshTransport()
	}
	return &Runner{c}
}

// Ready reports a witness that does not exist, or is not installed, with what to do about it.
func (r *Runner) Ready(names ...string) error { return r.c.Tools.Ready(names...) }

// Run lets a witness play a scenario and returns its Output as JSON. What the server did is in there; the error is for
// a witness that cannot be run, and for ctx.
func (r *Runner) Run(ctx context.Context, name, scenario string) ([]byte, error) {
	request, err := r.request(scenario)
	if err != nil {
		return nil, err
	}
	if err := r.Ready(name); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, r.c.Limit)
	defer cancel()
	m := &meter{next: r.c.Transport, key: r.c.Key}
	began := time.Now()
	var out Output
	if name == Go {
		out = r.runGo(limited, m, request)
	} else {
		out, err = r.runProcess(limited, name, m, request)
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, fmt.Errorf("witness %s: %w", name, err)
	}
	out.Scenario, out.Elapsed = scenario, float64(time.Since(began).Microseconds())/1e3
	out.Answers = m.seen()
	out.Calls = len(out.Answers)
	if out.OK, out.Ended = out.OK && limited.Err() == nil, limited.Err() != nil; out.Ended {
		out.Data, out.Error = nil, &Raised{Class: "none", Text: fmt.Sprintf("the SDK was still waiting after %s, and was ended", r.c.Limit)}
	}
	return json.Marshal(out)
}

// request is what the user of an SDK passes to it.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"-"`
	One        bool     `json:"-"` // Input is a text and no list
	Format     string   `json:"encoding_format,omitempty"`
	Dimensions int      `json:"dimensions,omitempty"`
}

// MarshalJSON writes the arguments as the SDKs for Python and Node name them.
func (r request) MarshalJSON() ([]byte, error) {
	type plain request
	var input any = r.Input
	if r.One {
		input = r.Input[0]
	}
	return json.Marshal(struct {
		plain
		Input any `json:"input"`
	}{plain(r), input})
}

func (r *Runner) request(scenario string) (request, error) {
	ask := request{Model: r.c.Model, Input: []string{Text()}, One: true}
	switch scenario {
	case Default:
	case Float, Base64:
		ask.Format = scenario
	case Batch:
		ask.Input, ask.One = Texts(), false
	case Error:
		ask.Dimensions = HugeDimensions
	default:
		return request{}, fmt.Errorf("no scenario %q: there are %s", scenario, strings.Join(Scenarios(), ", "))
	}
	return ask, nil
}

func known(name string) error {
	if slices.Contains(Names(), name) {
		return nil
	}
	return fmt.Errorf("no witness %q: there are %s", name, strings.Join(Names(), ", "))
}
