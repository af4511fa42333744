package recording

import (
	"time"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// Recording is what was recorded of one target, in memory. Writer and Open build it by the same steps, so what
// is judged while a target runs is what is judged of its files later.
type Recording struct {
	Header Header
	Plan   contract.Plan // zero until the plan was recorded
	Path   string        // of the folder; empty when it is not kept
	Ended  time.Time     // zero when the footer is missing

	trails map[string][]*Trail
	order  []string
	reader contract.Reader
}

// Trail is what was recorded of one round of one check.
type Trail struct {
	Check string
	Round int
	Steps []contract.Step
	Logs  []LogLine
	// Ended: the check was asked to its end. A trail that is not ended was cut off.
	Ended        bool
	Inapplicable string // why the target cannot be asked
	Error        string // why there is no verdict
	Unasked      bool   // nothing was asked: the target no longer answered
}

// Trails returns the rounds of a check, in order; none when it was not asked.
func (r *Recording) Trails(check string) []*Trail { return r.trails[check] }

// Checks returns the ids of the checks that were asked, in the order in which they were.
func (r *Recording) Checks() []string { return r.order }

// Unasked are the extended checks of a suite that the recording does not hold: nobody asked them of this server. One that
// is decided by answers to other checks alone counts like any other: what was asked is a matter of the recording, and what
// can be judged from it one of the judge.
func (r *Recording) Unasked(suite contract.Suite) []string {
	var out []string
	for _, c := range suite.Checks() {
		if c.Extended && len(r.trails[c.ID]) == 0 {
			out = append(out, c.ID)
		}
	}
	return out
}

func (r *Recording) trail(check string, round int) *Trail {
	for _, t := range r.trails[check] {
		if t.Round == round {
			return t
		}
	}
	if r.trails == nil {
		r.trails = map[string][]*Trail{}
	}
	if len(r.trails[check]) == 0 {
		r.order = append(r.order, check)
	}
	t := &Trail{Check: check, Round: round}
	r.trails[check] = append(r.trails[check], t)
	return t
}

// apply adds one line. The vectors of an exchange are given, since they stand in another file.
func (r *Recording) apply(l line, vectors []contract.Vector) {
	switch l.Kind {
	case "plan":
		r.Plan = *l.Plan
	case "exchange":
		t := r.trail(l.Check, l.Round)
		t.Steps = append(t.Steps, r.reader.Read(l.Exchange.step(l.Check, l.Round, vectors)))
	case "log":
		t := r.trail(l.Check, l.Round)
		t.Logs = append(t.Logs, *l.Log)
	case "end":
		t := r.trail(l.Check, l.Round)
		t.Ended, t.Inapplicable, t.Error, t.Unasked = true, l.Inapplicable, l.Error, l.Unasked
	case "footer":
		r.Ended = l.Footer.Ended
	}
}

func (e *exchange) step(check string, round int, vectors []contract.Vector) contract.Step {
	s := contract.Step{
		Check: check, Name: e.Step, Round: round,
		Request: contract.Request{Method: e.Method, Path: e.Path, ContentType: e.ContentType, Body: []byte(e.Request),
			Recipe: e.Recipe, Violates: e.Violates, Header: e.Sets, HangUp: duration(e.HangUp), Patience: duration(e.Patience), Room: e.Room, Keep: e.Keep, Action: e.Action},
		Status: e.Status, Header: e.Header, Body: []byte(e.Body), Size: e.BodySize, Vectors: vectors,
		Fault: e.Fault, Detail: e.Detail, Reused: e.Reused, Sent: e.Sent,
		TTFB: duration(e.TTFB), Took: duration(e.Took),
	}
	if e.RequestB64 != nil {
		s.Request.Body = e.RequestB64
	}
	if e.Recipe != "" {
		s.Request.Body = nil
	}
	if e.BodyB64 != nil {
		s.Body = e.BodyB64
	}
	return s
}

func duration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// text splits bytes into the field for valid UTF-8 and the field for any other.
func text(b []byte) (string, []byte) {
	if utf8.Valid(b) {
		return string(b), nil
	}
	return "", b
}
