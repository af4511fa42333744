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
	"net/url"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

const (
	// DefaultLimit bounds a witness. The SDKs themselves wait 600 s for an answer, three times; whoever has no answer
	// after 60 s, the limit of one request of the suite, learns nothing more from them.
	DefaultLimit = 60 * time.Second
	// Overhead is what a witness takes beside the answers: its process starts, in 5 s on a machine that is busy, and its
	// SDK pauses twice, half a second and a second.
	Overhead = 10 * time.Second
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
	base, err := url.Parse(r.c.BaseURL)
	if err != nil {
		return nil, err
	}
	m := &meter{next: r.c.Transport, key: r.c.Key, host: base.Host}
	began := time.Now()
	var out statement.Output
	if name == statement.Go {
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
		out.Data, out.Error = nil, &statement.Raised{Class: "none", Text: fmt.Sprintf("the SDK was still waiting after %s, and was ended", r.c.Limit)}
	}
	return json.Marshal(out)
}

// request is what the user of an SDK passes to it.
type request struct {
	Model      string   `json:"model"`
	Input      []string `json:"-"`
	One        bool     `json:"-"` // Input is a text and no list
	Once       bool     `json:"-"` // without retries
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
	ask := request{Model: r.c.Model, Input: []string{statement.Text()}, One: true}
	switch scenario {
	case statement.Default:
	case statement.Float, statement.Base64:
		ask.Format = scenario
	case statement.Batch:
		ask.Input, ask.One = statement.Texts(), false
	case statement.Error, statement.Once:
		ask.Once = scenario == statement.Once
		ask.Dimensions = statement.HugeDimensions
	default:
		return request{}, fmt.Errorf("no scenario %q: there are %s", scenario, strings.Join(statement.Scenarios(), ", "))
	}
	return ask, nil
}
