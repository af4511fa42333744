package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// session is the Prober of one round of one check. Steps that are asked together share it.
type session struct {
	mu         sync.Mutex
	e          *Engine
	check      contract.Check
	round      int
	suspicious bool // something was asked or answered after which the server may be broken
	failing    bool // something was answered whose reason may be in the log
	timeouts   int
	together   bool          // what is recorded now was asked at the same time
	patience   time.Duration // the longest of the check's requests
	fault      error         // of the suite: a request that was not sent
	fatal      error         // ends the run, not just the check
	outside    error         // the server was ended from outside in the middle
	cut        error         // a bound of the run was passed in the middle
}

func (s *session) probe(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: probe of %s panicked: %v\n%s", ErrSuite, s.check.ID, p, debug.Stack())
		}
	}()
	if s.check.Needs != nil {
		if err := s.check.Needs(s.e.facts); err != nil {
			return err
		}
	}
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
	r, err := s.request(step, body, opts)
	if err != nil {
		return contract.Step{}, err
	}
	return s.Send(ctx, step, r)
}

func (s *session) request(step string, body contract.Body, opts []contract.Option) (contract.Request, error) {
	raw, err := json.Marshal(body.Fields(s.e.c.Model))
	if err != nil {
		return contract.Request{}, fmt.Errorf("%w: step %s: %w", ErrSuite, step, err)
	}
	r := contract.Request{Method: "POST", Path: contract.EmbeddingsPath, ContentType: "application/json", Body: raw}
	for _, o := range opts {
		o(&r)
	}
	return r, nil
}

func (s *session) Send(ctx context.Context, step string, r contract.Request) (contract.Step, error) {
	if s.timeouts >= maxTimeouts && !s.check.Disrupts {
		return contract.Step{}, errTimeouts
	}
	if err := s.bound(); err != nil {
		return contract.Step{}, err
	}
	got, err := s.send(ctx, step, r)
	if err != nil {
		return contract.Step{}, err
	}
	return s.record(step, got)
}

// bound ends a check in which the run passes one of its bounds.
func (s *session) bound() error {
	if err := s.e.bound(); err != nil {
		s.cut = err
	}
	return s.cut
}

// send asks, and keeps what came back from the recording.
func (s *session) send(ctx context.Context, step string, r contract.Request) (contract.Step, error) {
	if err := s.valid(step, r); err != nil {
		s.failed(&s.fault, err)
		return contract.Step{}, err
	}
	got, err := s.e.c.Asker.Do(ctx, r)
	if err != nil {
		s.failed(&s.fatal, err)
	}
	return got, err
}

func (s *session) failed(what *error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if *what == nil {
		*what = err
	}
}

func (s *session) record(step string, got contract.Step) (contract.Step, error) {
	r := got.Request
	s.patience = max(s.patience, r.Patience)
	got.Check, got.Name, got.Round = s.check.ID, step, s.round
	got, err := s.e.c.Record.Exchange(got)
	if err != nil {
		s.fatal = err
		return contract.Step{}, err
	}
	if got.Fault == contract.FaultTimeout {
		s.timeouts++
		if !s.together && !s.check.Disrupts { // the end of a server that was stopped is waited for on purpose
			s.e.lost++
		}
	}
	if r.Action == "" {
		s.suspicious = s.suspicious || r.Violates != "" || !got.OK()
		s.failing = s.failing || got.Fault != "" && got.Fault != contract.FaultLeft || got.Status >= 500
	}
	return got, nil
}

// maxPlainBody is the longest body that a check may leave without a recipe: recordings are committed and shown.
const maxPlainBody = 128 << 10

// valid keeps the suite honest about its own requests.
func (s *session) valid(step string, r contract.Request) error {
	if len(r.Body) > maxPlainBody && r.Recipe == "" {
		return fmt.Errorf("%w: step %s of %s has a body of %d bytes and no recipe for it", ErrSuite, step, s.check.ID, len(r.Body))
	}
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
