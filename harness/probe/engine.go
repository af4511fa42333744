// Package probe runs checks against a server: it sends what they ask, records what came back, and decides
// nothing. A Ginkgo spec, a test and the command call the same engine.
package probe

import (
	"context"
	"errors"
	"fmt"
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
	// Act does something else to the target than asking it; nil: the driver cannot. Time is let pass by the engine.
	// What cannot be done to this target is an error made by contract.Inapplicable.
	Act func(context.Context, contract.Action) (output []byte, err error)
	// Renew starts the target anew, for a check that disrupts it, and after one; nil: the driver cannot.
	Renew func(context.Context) (Server, error)
	// Pause lets time pass; nil: by the clock.
	Pause func(context.Context, time.Duration) error
	// Rounds is how often each check is asked; 0 is 1.
	Rounds int
	// Limit bounds the time in which the target is asked; 0: DefaultLimit, negative: none. Room is how much may be
	// recorded of each round, in bytes; 0: recording.Room.
	Limit time.Duration
	Room  int64
}

// Server is what changes when a target is started anew.
type Server struct {
	Asker Asker
	Alive func() error
	Logs  func(since time.Time) []recording.LogLine
	Act   func(context.Context, contract.Action) ([]byte, error)
}

// Engine asks one server. It asks what a check reads first, and everything once. It is not safe for concurrent use.
type Engine struct {
	c     Config
	facts contract.Facts
	plan  contract.Plan
	done  map[string]bool
	dead  string // why nothing more is asked
	spent bool   // the server was disrupted by a check: the next one needs another
	began time.Time
	lost  int   // requests without a complete answer in time
	over  error // the bound that the run has passed
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
	if c.Limit == 0 {
		c.Limit = DefaultLimit
	}
	if c.Room == 0 {
		c.Room = recording.Room
	}
	c.Record.SetRoom(c.Room * int64(c.Rounds))
	return &Engine{c: c, done: map[string]bool{}}
}

// Discover asks for the facts. It must come first.
func (e *Engine) Discover(ctx context.Context) (contract.Facts, error) {
	e.began = time.Now()
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
	if err := e.bound(); err != nil {
		return e.c.Record.Unasked(check.ID, round, err.Error())
	}
	if check.Disrupts || e.spent {
		if reason, err := e.renew(ctx, check); reason != "" || err != nil {
			if err != nil {
				return err
			}
			return e.c.Record.End(check.ID, round, reason, "")
		}
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
	if s.suspicious && !check.Disrupts && e.bound() == nil {
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
	if e.c.Record.Full() {
		s.cut = e.bound() // some of the last answers may be recorded in part only
	}
	if s.cut != nil {
		probeErr = s.cut // of what was not asked, or not recorded, nothing can be said
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

// renew puts a server that was started for this check in the place of the last one. Of a target that cannot be started
// anew it returns why the check cannot be asked; one that does not start again is asked nothing more.
func (e *Engine) renew(ctx context.Context, check contract.Check) (reason string, err error) {
	if e.c.Renew == nil {
		return "the check disrupts the server, and the driver of this target cannot start another one", nil
	}
	s, err := e.c.Renew(ctx)
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	e.spent, e.dead = check.Disrupts, ""
	if err != nil {
		e.dead = "the target did not start again: " + err.Error()
		return "", nil
	}
	e.c.Asker, e.c.Alive, e.c.Logs, e.c.Act = s.Asker, s.Alive, s.Logs, s.Act
	return "", nil
}
