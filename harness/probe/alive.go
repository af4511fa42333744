package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// stillAlive asks a plain request, once. A server that does not answer it is not asked anything more.
func (s *session) stillAlive(ctx context.Context) error {
	s.timeouts = 0
	step, err := s.Embed(ctx, contract.StillAlive, contract.Body{"input": "Is anybody there?"}, contract.Patience(s.patience))
	if err != nil {
		if s.fatal != nil {
			return s.fatal
		}
		return err
	}
	if !step.OK() && !step.Limited() { // one that asks for patience is not dead
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
