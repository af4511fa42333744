// Package probe runs checks against a server: it sends what they ask, records what came back, and decides
// nothing. A Ginkgo spec, a test and the command call the same engine.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// Asker sends one request and returns the exchange; wire.Client is one. Faults of the transport are in the step,
// the error is for a cancelled context.
type Asker interface {
	Do(ctx context.Context, r contract.Request) (contract.Step, error)
}

// Config says what an Engine works with. Suite, Asker and Record are required.
type Config struct {
	Suite    contract.Suite
	Asker    Asker
	Record   *recording.Writer
	Model    string         // sent with each request
	Declared contract.Facts // of the target file
	// Valid reports how an embeddings request violates the OpenAPI document; nil: not examined.
	Valid func(contentType string, body []byte) []string
	// Alive reports how a component of the target ended; nil: unknown to the driver. An error with a method
	// FromOutside that is true says that the server cannot have been the cause: the check of that moment has no verdict.
	Alive func() error
	// Logs returns what the target's components have printed since then; nil: unknown to the driver.
	Logs func(since time.Time) []recording.LogLine
	// Rounds is how often each check is asked; 0 is 1.
	Rounds int
}

// Engine asks one server. It asks what a check reads first, and everything once. It is not safe for concurrent use.
type Engine struct {
	c     Config
	facts contract.Facts
	plan  contract.Plan
	done  map[string]bool
	dead  string // why nothing more is asked
}

// ErrSuite marks a fault of a check: a request that violates the OpenAPI document though the check does not say
// so, a panic in a probe. It is no finding about the server.
var ErrSuite = errors.New("fault of the suite")

// maxTimeouts bounds what a check waits for a server that hangs: it is asked no more after so many requests that got
// no answer in time.
const maxTimeouts = 2

var errTimeouts = errors.New("the server does not answer in time")

// New makes an engine.
func New(c Config) *Engine {
	if c.Rounds == 0 {
		c.Rounds = 1
	}
	return &Engine{c: c, done: map[string]bool{}}
}

// Discover asks for the facts. It must come first.
func (e *Engine) Discover(ctx context.Context) (contract.Facts, error) {
	e.facts = e.c.Declared
	e.facts.Model = e.c.Model
	e.plan = contract.NewPlan(e.c.Record.Recording().Header.Target.Name, e.facts, e.c.Suite.Corpus)
	check := contract.Check{ID: contract.FactsID, Probe: e.c.Suite.Facts.Probe}
	if err := e.ask(ctx, check, 0); err != nil {
		return contract.Facts{}, err
	}
	rec := e.c.Record.Recording()
	ev := contract.Evidence{Target: rec.Header.Target.Name}
	if t := rec.Trails(contract.FactsID); len(t) > 0 {
		ev.Steps = t[0].Steps
	}
	declared := e.c.Declared
	declared.Model = e.c.Model
	e.facts = e.c.Suite.Facts.Derive(declared, ev)
	return e.facts, nil
}

// Follow sets and records the plan. For the reference of a comparison it is made of its own facts.
func (e *Engine) Follow(p contract.Plan) error {
	e.plan = p
	return e.c.Record.Plan(p)
}

// Recording returns what was recorded so far.
func (e *Engine) Recording() *recording.Recording { return e.c.Record.Recording() }

// Ask runs a check and what it reads, unless they were asked before. What the server does is recorded, not
// returned; the error is for a cancelled context and a recording that cannot be written.
func (e *Engine) Ask(ctx context.Context, id string) error {
	if e.done[id] {
		return nil
	}
	check, ok := e.c.Suite.Check(id)
	if !ok {
		return fmt.Errorf("%w: no check %s", ErrSuite, id)
	}
	e.done[id] = true
	for _, r := range check.Reads {
		if err := e.Ask(ctx, r); err != nil {
			return err
		}
	}
	for round := range e.c.Rounds {
		if err := e.ask(ctx, check, round); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) ask(ctx context.Context, check contract.Check, round int) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if check.Probe == nil {
		return e.c.Record.End(check.ID, round, "", "") // it decides from what others asked, also of a dead server
	}
	if e.c.Alive != nil && e.dead == "" {
		if err := e.c.Alive(); err != nil {
			e.dead = err.Error()
		}
	}
	if e.dead != "" {
		return e.c.Record.Unasked(check.ID, round, e.dead)
	}
	began := time.Now()
	s := &session{e: e, check: check, round: round}
	probeErr := s.probe(ctx)
	if probeErr == nil {
		probeErr = s.fault // also when the probe swallowed it
	}
	if s.fatal != nil {
		return s.fatal
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if s.suspicious {
		if err := s.stillAlive(ctx); err != nil {
			return err
		}
	}
	if err := s.logs(began); err != nil {
		return err
	}
	if errors.Is(probeErr, errTimeouts) {
		probeErr = nil // what was recorded says enough: no-answer
	}
	if s.outside != nil {
		probeErr = s.outside // not an answer to what was asked
	}
	reason, inapplicable := contract.Inapplicability(probeErr)
	switch {
	case inapplicable:
		return e.c.Record.End(check.ID, round, reason, "")
	case probeErr != nil:
		return e.c.Record.End(check.ID, round, "", probeErr.Error())
	}
	return e.c.Record.End(check.ID, round, "", "")
}

// session is the Prober of one round of one check.
type session struct {
	e          *Engine
	check      contract.Check
	round      int
	suspicious bool // something was asked or answered after which the server may be broken
	failing    bool // something was answered whose reason may be in the log
	timeouts   int
	fault      error // of the suite: a request that was not sent
	fatal      error // ends the run, not just the check
	outside    error // the server was ended from outside in the middle
}

func (s *session) probe(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: probe of %s panicked: %v\n%s", ErrSuite, s.check.ID, p, debug.Stack())
		}
	}()
	return s.check.Probe(ctx, s)
}

func (s *session) Facts() contract.Facts { return s.e.facts }
func (s *session) Plan() contract.Plan   { return s.e.plan }

func (s *session) Read(check string) contract.Evidence {
	ev := contract.Evidence{Facts: s.e.facts, Plan: s.e.plan}
	if t := s.e.Recording().Trails(check); len(t) > 0 {
		ev.Steps = t[min(s.round, len(t)-1)].Steps
	}
	return ev
}

func (s *session) Embed(ctx context.Context, step string, body contract.Body, opts ...contract.Option) (contract.Step, error) {
	raw, err := json.Marshal(body.Fields(s.e.c.Model))
	if err != nil {
		return contract.Step{}, fmt.Errorf("%w: step %s: %w", ErrSuite, step, err)
	}
	r := contract.Request{Method: "POST", Path: contract.EmbeddingsPath, ContentType: "application/json", Body: raw}
	for _, o := range opts {
		o(&r)
	}
	return s.Send(ctx, step, r)
}

func (s *session) Send(ctx context.Context, step string, r contract.Request) (contract.Step, error) {
	if s.timeouts >= maxTimeouts {
		return contract.Step{}, errTimeouts
	}
	if err := s.valid(step, r); err != nil {
		s.fault = err
		return contract.Step{}, err
	}
	got, err := s.e.c.Asker.Do(ctx, r)
	if err != nil {
		s.fatal = err
		return contract.Step{}, err
	}
	got.Check, got.Name, got.Round = s.check.ID, step, s.round
	got, err = s.e.c.Record.Exchange(got)
	if err != nil {
		s.fatal = err
		return contract.Step{}, err
	}
	if got.Fault == contract.FaultTimeout {
		s.timeouts++
	}
	s.suspicious = s.suspicious || r.Violates != "" || !got.OK()
	s.failing = s.failing || got.Fault != "" || got.Status >= 500
	return got, nil
}

// valid keeps the suite honest about its own requests.
func (s *session) valid(step string, r contract.Request) error {
	if s.e.c.Valid == nil || r.Path != contract.EmbeddingsPath || r.Method != "POST" {
		return nil
	}
	switch found := s.e.c.Valid(r.ContentType, r.Body); {
	case r.Violates == "" && len(found) > 0:
		return fmt.Errorf("%w: step %s of %s violates the OpenAPI document and does not say so: %s",
			ErrSuite, step, s.check.ID, strings.Join(found, "; "))
	case r.Violates != "" && len(found) == 0:
		return fmt.Errorf("%w: step %s of %s says that it violates the OpenAPI document (%s), and does not",
			ErrSuite, step, s.check.ID, r.Violates)
	}
	return nil
}

// stillAlive asks a plain request, once. A server that does not answer it is not asked anything more.
func (s *session) stillAlive(ctx context.Context) error {
	s.timeouts = 0
	step, err := s.Embed(ctx, contract.StillAlive, contract.Body{"input": "Is anybody there?"})
	if err != nil {
		if s.fatal != nil {
			return s.fatal
		}
		return err
	}
	if !step.OK() {
		s.e.dead = fmt.Sprintf("the target no longer answers a plain request, since the requests of %s: %s", s.check.ID, step.Describe())
		if err := s.e.ended(ctx, step); err != nil {
			s.e.dead += "; " + err.Error()
			var o interface{ FromOutside() bool }
			if errors.As(err, &o) && o.FromOutside() {
				s.outside = err
			}
		}
	}
	return nil
}

const (
	// noticeLimit is how long a runtime may take to notice that a component has ended, after its connection was
	// closed: a container engine took up to half a second.
	noticeLimit = 3 * time.Second
	noticePause = 50 * time.Millisecond
)

// ended asks the driver how a component ended, when a plain request got no answer. Nil: not that it knows.
func (e *Engine) ended(ctx context.Context, step contract.Step) error {
	if e.c.Alive == nil {
		return nil
	}
	for deadline := time.Now().Add(noticeLimit); ; {
		if err := e.c.Alive(); err != nil || step.Status != 0 || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(noticePause):
		}
	}
}

// logs keeps lines that the server printed during the check, when an answer gives reason to look.
func (s *session) logs(began time.Time) error {
	if s.e.c.Logs == nil || !s.failing {
		return nil
	}
	for _, l := range telling(s.e.c.Logs(began)) {
		if err := s.e.c.Record.Log(s.check.ID, s.round, l); err != nil {
			return err
		}
	}
	return nil
}
