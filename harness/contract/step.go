package contract

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// StillAlive is the name of the plain request that the engine sends after a check whose requests were
// invalid or were answered with an error.
const StillAlive = "still-alive"

// Fault says why a request got no complete HTTP answer. Empty: it got one.
type Fault string

// The faults of the transport.
const (
	FaultTimeout  Fault = "timeout"
	FaultRefused  Fault = "connection-refused"
	FaultClosed   Fault = "connection-closed"
	FaultTooLarge Fault = "answer-too-large"
	FaultNotHTTP  Fault = "not-http"
	FaultNotAsked Fault = "not-asked"
	FaultLeft     Fault = "client-left"   // the client hung up, as Request.HangUp said
	FaultAction   Fault = "action-failed" // of a step that is an Action
)

// Request is what was asked, or what was done to the target in place of asking it.
type Request struct {
	Method      string
	Path        string // relative to the target's base URL, "/v1/embeddings"
	ContentType string
	Body        []byte // nil when only its recipe was recorded
	Recipe      string // how a large generated body was made
	// Violates says why a request breaks the OpenAPI document on purpose; empty for a valid one.
	Violates string
	// Header holds fields beside those of every request, or in their place. An empty value leaves one out.
	Header map[string]string
	// HangUp, when not 0, is when the client leaves without having waited for the answer.
	HangUp time.Duration
	// Patience is how long to wait for the answer, where that is longer than for other requests; 0: as long as for those.
	Patience time.Duration
	// Room is how long the answer may be, in bytes, where that is longer than others may be; 0: as long as those.
	Room int64
	// Keep sends it on a connection that stays open while it is idle, if the server lets it. Other requests get a new
	// one after a short while, so that none meets a connection that is just being closed.
	Keep bool
	// Action, when not empty, was done in place of a request. Such a step has no status; its Body is what the
	// action had to say.
	Action Action
}

// Action is what a check does to its target beside asking it. It stands in recordings as it is.
type Action string

// The actions on a component that the driver of the target controls. Which one is the worker, the target file says.
const (
	StopWorker  Action = "stop worker"  // ask it to end (SIGTERM), without waiting until it has
	KillWorker  Action = "kill worker"  // end it at once (SIGKILL), and nothing that it started
	StartWorker Action = "start worker" // start it again, and wait until an embedding comes back
)

const (
	waitPrefix    = "wait "
	witnessPrefix = "witness "
)

// Wait is the action of letting time pass.
func Wait(d time.Duration) Action { return Action(waitPrefix + d.String()) }

// Waits reads an action made by Wait.
func (a Action) Waits() (time.Duration, bool) {
	text, ok := strings.CutPrefix(string(a), waitPrefix)
	d, err := time.ParseDuration(text)
	return d, ok && err == nil
}

// Witness is the action of letting an SDK ask the target: its name and what it does.
func Witness(sdk, scenario string) Action { return Action(witnessPrefix + sdk + " " + scenario) }

// Witnesses reads an action made by Witness.
func (a Action) Witnesses() (sdk, scenario string, ok bool) {
	text, ok := strings.CutPrefix(string(a), witnessPrefix)
	sdk, scenario, two := strings.Cut(text, " ")
	return sdk, scenario, ok && two
}

// Step is one recorded exchange of a check, named by what was asked ("full", "reduced", "still-alive").
type Step struct {
	Check   string
	Name    string
	Round   int // repeat of the check, from 0
	Request Request
	Status  int
	Header  map[string][]string // canonical names
	// Body is what the server sent, byte for byte, with each embedding of Vectors left as an empty list.
	Body    []byte
	Size    int // of what the server sent, in bytes; Body is cut when that is much
	Vectors []Vector
	Fault   Fault
	Detail  string // of the fault
	Reused  bool   // the connection had carried a request before
	Sent    time.Time
	TTFB    time.Duration // until the first byte of the answer
	Took    time.Duration // until its last

	reading *reading // of Body, when it was read beforehand; nil: it is read on each call of Response
}

// Vector is an embedding that was moved out of a body: a flat list of finite numbers. Of a large batch the values
// of some rows are kept (see KeptRow), of the others the length and the norm.
type Vector struct {
	Item   int // position in data
	Offset int // where its "[]" stands in Body
	Values []float32
	// Only where Values are not kept:
	Unkept int     // how many numbers there were
	Norm   float64 // L2
}

// Len is the length of the vector, whether or not its values are kept.
func (v Vector) Len() int { return len(v.Values) + v.Unkept }

const (
	// LargeBatch is the number of items above which a recording keeps the values of some rows only: 2048 vectors
	// of 1024 numbers would be 8 MB, of which no check compares more than a few.
	LargeBatch = 128
	keptRows   = 16
)

// KeptRow says whether the values of the item with that index in a batch of n are kept: all up to LargeBatch, then 16
// that are spread evenly, the first and the last among them.
func KeptRow(item, n int) bool {
	if n <= LargeBatch {
		return true
	}
	at := (item*(keptRows-1) + (n-1)/2) / (n - 1) // the kept row that is nearest
	return (at*(n-1)+(keptRows-1)/2)/(keptRows-1) == item
}

// KeptRows lists the indices of a batch of n of which the values are kept.
func KeptRows(n int) []int {
	var rows []int
	for i := range n {
		if KeptRow(i, n) {
			rows = append(rows, i)
		}
	}
	return rows
}

// OK reports an answer with a 2xx status.
func (s Step) OK() bool { return s.Status >= 200 && s.Status < 300 }

// Sketch is the body for display: each vector that was moved out is shown by its first number and its length.
func (s Step) Sketch() []byte {
	return s.splice(func(v Vector) ([]byte, error) {
		if len(v.Values) == 0 {
			return fmt.Appendf(nil, "[… %d numbers]", v.Unkept), nil
		}
		return fmt.Appendf(nil, "[%g, … %d numbers]", v.Values[0], len(v.Values)), nil
	})
}

// FullBody puts the vectors back into the body. Numbers are written as float32, so they read the same but
// need not be spelt the same. Vectors whose values are not kept are zeros of that number.
func (s Step) FullBody() []byte {
	return s.splice(func(v Vector) ([]byte, error) {
		if len(v.Values) == 0 {
			return json.Marshal(make([]float32, v.Unkept))
		}
		return json.Marshal(v.Values)
	})
}

func (s Step) splice(text func(Vector) ([]byte, error)) []byte {
	if len(s.Vectors) == 0 {
		return s.Body
	}
	var out []byte
	at := 0
	for _, v := range s.Vectors {
		if v.Len() == 0 || v.Offset < at || v.Offset+2 > len(s.Body) {
			return s.Body
		}
		out = append(out, s.Body[at:v.Offset]...)
		list, err := text(v)
		if err != nil {
			return s.Body
		}
		out = append(out, list...)
		at = v.Offset + 2
	}
	return append(out, s.Body[at:]...)
}

// Limited reports an answer that says nothing of the request, only that there were too many: 429, or a 503 that says when
// to come back. OpenAI answers 429 to a request that alone has more tokens than a minute may have, as well: of that,
// too, nothing can be said.
func (s Step) Limited() bool {
	return s.Status == 429 || s.Status == 503 && len(s.Header["Retry-After"]) > 0
}
