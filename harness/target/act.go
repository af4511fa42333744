package target

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// actor is an instance that can be ended and started while the target lives on.
type actor interface {
	// signal asks the component to end, or ends its first process at once, without waiting. What that process has
	// started lives on as long as it likes.
	signal(force bool) error
	// again starts it once more, after clearing away what is left of it.
	again(ctx context.Context, s *Server) (instance, error)
}

// Act stops, kills or starts the worker of the target. What the runtime of the worker cannot do is an error of
// contract.Inapplicable. The output names the component.
func (s *Server) Act(ctx context.Context, a contract.Action) ([]byte, error) {
	worker := s.spec.Worker()
	running := s.instances()
	at := -1
	for i, name := range s.names {
		if name == worker.Name {
			at = i
		}
	}
	if at < 0 {
		return nil, fmt.Errorf("component %s was not started", worker.Name)
	}
	inst, ok := running[at].(actor)
	if !ok {
		return nil, contract.Inapplicable("%s: component %s has runtime %s, which does not do that", a, worker.Name, worker.Runtime)
	}
	var err error
	switch a {
	case contract.StopWorker, contract.KillWorker:
		err = inst.signal(a == contract.KillWorker)
	case contract.StartWorker:
		err = s.startAgain(ctx, at, inst)
	default:
		return nil, contract.Inapplicable("no driver knows the action %q", a)
	}
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", a, worker.Name, err)
	}
	return json.Marshal(map[string]string{"component": worker.Name, "runtime": worker.Runtime})
}

func (s *Server) startAgain(ctx context.Context, at int, old actor) error {
	inst, err := old.again(ctx, s)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.running[at] = inst
	s.mu.Unlock()
	return s.waitBack(ctx, inst)
}

// waitBack asks until an embedding comes back from a target whose worker was started again.
func (s *Server) waitBack(ctx context.Context, inst instance) error {
	begun := time.Now()
	asking, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	for pause := readyPause; ; pause = min(pause+pause/2, readyPauseMax) {
		got := s.ask(asking)
		switch {
		case got.ready:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case asking.Err() != nil:
			return s.notReady(begun, got)
		}
		if err := inst.exit(); err != nil {
			return fmt.Errorf("before it was ready, it %w", err)
		}
		select {
		case <-time.After(pause):
		case <-asking.Done():
		case <-s.stopping:
			return fmt.Errorf("target %s was stopped", s.spec.Name)
		}
	}
}

func (p *processInstance) signal(force bool) error {
	if p.exit() != nil {
		return fmt.Errorf("it is not running: it %w", p.exit())
	}
	return signal(p.pid, force)
}

func (p *processInstance) again(ctx context.Context, s *Server) (instance, error) {
	if err := p.stop(s.hurry); err != nil {
		return nil, err
	}
	return processRuntime{}.start(ctx, s, p.component)
}

// handlerActor is what an emulated server can do that has a life to emulate.
type handlerActor interface {
	Stop(force bool)
	Start()
}

func (e *embeddedInstance) signal(force bool) error {
	h, ok := e.server.Handler.(handlerActor)
	if !ok {
		return contract.Inapplicable("the embedded server cannot be stopped alone")
	}
	h.Stop(force)
	return nil
}

func (e *embeddedInstance) again(context.Context, *Server) (instance, error) {
	if h, ok := e.server.Handler.(handlerActor); ok {
		h.Start()
	}
	return e, nil
}
