package recording

import (
	"encoding/json"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// Header is the provenance of a recording.
type Header struct {
	Kind     string            `json:"kind"` // "header"
	Format   string            `json:"format"`
	Version  string            `json:"version"`
	Tool     map[string]string `json:"tool"` // version, go, os, arch
	Started  time.Time         `json:"started"`
	Revision string            `json:"revision"` // of the contract
	Target   Target            `json:"target"`
	Machine  map[string]string `json:"machine,omitempty"`
}

// Target is the server that was asked, as its target file resolved it, without secrets.
type Target struct {
	Name     string            `json:"name"`
	Title    string            `json:"title,omitempty"`
	Kind     string            `json:"kind"` // real, emulated, reconstructed, endpoint
	Model    string            `json:"model"`
	Weights  contract.Weights  `json:"weights,omitempty"` // as declared
	Versions map[string]string `json:"versions,omitempty"`
	Declared contract.Facts    `json:"declared"`
	Spec     json.RawMessage   `json:"spec,omitempty"`
}

// LogLine is a line that a component of the target printed while a check was running.
type LogLine struct {
	Component string    `json:"component"`
	Time      time.Time `json:"time"`
	Text      string    `json:"text"`
}

// line is one line of exchanges.jsonl after the header. Kind says which fields are set.
type line struct {
	Kind string `json:"kind"` // plan, exchange, log, end, footer

	Plan *contract.Plan `json:"plan,omitempty"`

	Check string `json:"check,omitempty"`
	Round int    `json:"round,omitempty"`

	Exchange *exchange `json:"exchange,omitempty"`
	Log      *LogLine  `json:"log,omitempty"`

	// Of an end: why there is no verdict; both empty when the check was asked to its end.
	Inapplicable string `json:"inapplicable,omitempty"`
	Error        string `json:"error,omitempty"`
	// Unasked: the check, or the rest of it, was not asked because the target no longer answered.
	Unasked bool `json:"unasked,omitempty"`

	Footer *footer `json:"footer,omitempty"`
}

type exchange struct {
	Step        string              `json:"step"`
	Method      string              `json:"method"`
	Path        string              `json:"path"`
	ContentType string              `json:"content_type,omitempty"`
	Request     string              `json:"request,omitempty"`
	RequestB64  []byte              `json:"request_base64,omitempty"` // in place of request, when that is not UTF-8
	Recipe      string              `json:"recipe,omitempty"`         // in place of request, when that is large
	RequestSHA  string              `json:"request_sha256,omitempty"`
	RequestSize int                 `json:"request_bytes"`
	Violates    string              `json:"violates,omitempty"`
	Sets        map[string]string   `json:"request_header,omitempty"` // beside those of every request
	HangUp      float64             `json:"hang_up_ms,omitempty"`
	Patience    float64             `json:"patience_ms,omitempty"`
	Room        int64               `json:"room_bytes,omitempty"`
	Keep        bool                `json:"keep_alive,omitempty"`
	Action      contract.Action     `json:"action,omitempty"` // in place of a request
	Status      int                 `json:"status"`
	Header      map[string][]string `json:"header,omitempty"`
	Body        string              `json:"body,omitempty"`
	BodyB64     []byte              `json:"body_base64,omitempty"` // in place of body, when that is not UTF-8
	BodySHA     string              `json:"body_sha256,omitempty"` // of the bytes as they were sent
	BodySize    int                 `json:"body_bytes,omitempty"`  // the same
	Vectors     []vectorRef         `json:"vectors,omitempty"`
	Fault       contract.Fault      `json:"fault,omitempty"`
	Detail      string              `json:"detail,omitempty"`
	Reused      bool                `json:"reused,omitempty"` // the connection
	Sent        time.Time           `json:"sent"`
	TTFB        float64             `json:"ttfb_ms"`
	Took        float64             `json:"took_ms"`
}

type vectorRef struct {
	Item   int   `json:"item"`
	Offset int   `json:"at"`    // of "[]" in body, bytes
	First  int64 `json:"first"` // position in vectors.f32, in floats
	N      int   `json:"n"`
	Unkept bool  `json:"unkept,omitempty"` // the values are not in vectors.f32
	// Norm is the L2 norm of a vector whose values are not kept. Their digest is part of that of the body.
	Norm float32 `json:"norm,omitempty"`
}

type footer struct {
	Lines      int       `json:"lines"` // before the footer
	Floats     int64     `json:"floats"`
	SHA        string    `json:"sha256"` // of all bytes before the footer's line
	VectorsSHA string    `json:"vectors_sha256"`
	Ended      time.Time `json:"ended"`
}
