package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// Do does something else to the target than asking it. What fails is recorded as a step with FaultAction; what cannot
// be done to this target is returned as inapplicable and leaves no step.
func (s *session) Do(ctx context.Context, step string, a contract.Action) (contract.Step, error) {
	got, err := s.do(ctx, a)
	if err != nil {
		return contract.Step{}, err
	}
	return s.record(step, got)
}

func (s *session) do(ctx context.Context, a contract.Action) (contract.Step, error) {
	got := contract.Step{Request: contract.Request{Action: a}, Sent: time.Now()}
	var err error
	if d, ok := a.Waits(); ok {
		err = s.e.pause(ctx, d)
	} else if s.e.c.Act == nil {
		err = contract.Inapplicable("the driver of this target can only ask it, and the check needs: %s", a)
	} else {
		got.Body, err = s.e.c.Act(ctx, a)
	}
	got.Took = time.Since(got.Sent)
	if cause := context.Cause(ctx); cause != nil {
		s.failed(&s.fatal, cause)
		return got, cause
	}
	if _, inapplicable := contract.Inapplicability(err); inapplicable {
		return got, err
	}
	if _, _, witness := a.Witnesses(); witness && err != nil {
		// A witness that cannot be run says nothing about the server.
		return got, fmt.Errorf("%s: %w", a, err)
	}
	if err != nil {
		got.Fault, got.Detail = contract.FaultAction, err.Error()
	}
	return got, nil
}

func (e *Engine) pause(ctx context.Context, d time.Duration) error {
	if e.c.Pause != nil {
		return e.c.Pause(ctx, d)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return nil // the end of ctx is noticed by the caller
}

// Together asks side by side. The steps are recorded in the order of asks, not in that of the answers, which would be
// another one on each run.
func (s *session) Together(ctx context.Context, asks []contract.Ask) ([]contract.Step, error) {
	if err := s.bound(); err != nil {
		return nil, err
	}
	share := max(leastShare, heldTogether/int64(len(asks)+1))
	steps := make([]contract.Step, len(asks))
	errs := make([]error, len(asks))
	var all, first sync.WaitGroup // first: those that are sent at once have begun
	ended := make([]chan struct{}, len(asks))
	behind := make([]int, len(asks))
	for i, a := range asks {
		ended[i] = make(chan struct{})
		behind[i] = slices.IndexFunc(asks[:i], func(b contract.Ask) bool { return b.Step == a.Behind })
		if a.Behind != "" && behind[i] < 0 {
			return nil, fmt.Errorf("%w: %s: step %s is to follow %q, which is none of those before it", ErrSuite, s.check.ID, a.Step, a.Behind)
		}
		if atOnce(a) {
			first.Add(1)
		}
	}
	for i, a := range asks {
		all.Go(func() {
			defer close(ended[i])
			switch {
			case atOnce(a):
				first.Done()
			case a.Behind != "":
				<-ended[behind[i]]
			default:
				first.Wait() // the time of the others counts from then
			}
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("%w: step %s of %s panicked: %v", ErrSuite, a.Step, s.check.ID, p)
				}
			}()
			steps[i], errs[i] = s.one(ctx, a, share)
		})
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(steps, func(s contract.Step) bool { return s.Fault == contract.FaultTimeout }) && !s.check.Disrupts {
		s.e.lost++ // they waited side by side
	}
	s.together = true
	defer func() { s.together = false }()
	out := make([]contract.Step, len(asks))
	for i, a := range asks {
		var err error
		if out[i], err = s.record(a.Step, steps[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func atOnce(a contract.Ask) bool { return a.Behind == "" && a.After == 0 }

// Answers at the same time are held in memory until all are there: heldTogether bytes of them, or, where they are many,
// leastShare of each, which is more than one vector ever takes.
const (
	heldTogether = 128 << 20
	leastShare   = 1 << 20
)

func (s *session) one(ctx context.Context, a contract.Ask, share int64) (contract.Step, error) {
	if a.After > 0 {
		if err := s.e.pause(ctx, a.After); err != nil {
			return contract.Step{}, err
		}
	}
	switch {
	case a.Action != "":
		return s.do(ctx, a.Action)
	case a.Request != nil:
		r := *a.Request
		for _, o := range a.Options {
			o(&r)
		}
		r.Share = share
		return s.send(ctx, a.Step, r)
	}
	r, err := s.request(a.Step, a.Body, a.Options)
	if err != nil {
		return contract.Step{}, err
	}
	r.Share = share
	return s.send(ctx, a.Step, r)
}
