package target

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// embeddedGrace is how long requests in flight may take to finish when an embedded server is stopped. The
// emulator answers in milliseconds, unless a personality is slow on purpose.
const embeddedGrace = 2 * time.Second

type embeddedRuntime struct{}

func (embeddedRuntime) read(_ *specReader, m *mapping, c *Component, _ shared) {
	if n, ok := m.require("personality"); ok {
		c.Personality = m.text("personality", n)
	}
}

func (embeddedRuntime) start(_ context.Context, s *Server, c Component) (instance, error) {
	if s.options.Embedded == nil {
		return nil, fmt.Errorf("component %s is embedded, but there is no emulator here (Options.Embedded is nil)", c.Name)
	}
	handler, err := s.options.Embedded(c.Personality)
	if err != nil {
		return nil, fmt.Errorf("personality %q of component %s: %w", c.Personality, c.Name, err)
	}
	listener := s.listeners[c.Name]
	delete(s.listeners, c.Name) // from here on the server closes it
	e := &embeddedInstance{
		base:   "http://" + listener.Addr().String(),
		server: &http.Server{Handler: handler, ErrorLog: log.New(s.logs.writer(c.Name, "server"), "", 0), ReadHeaderTimeout: time.Minute},
		done:   make(chan struct{}),
	}
	if h, ok := handler.(interface{ IdleTimeout() time.Duration }); ok {
		e.server.IdleTimeout = h.IdleTimeout()
	}
	go e.serve(listener, s.exitedOne)
	return e, nil
}

// embeddedInstance is an HTTP server in this process.
type embeddedInstance struct {
	base   string
	server *http.Server
	done   chan struct{}
	mu     sync.Mutex
	err    error
}

func (e *embeddedInstance) serve(l net.Listener, exited func()) {
	err := e.server.Serve(l)
	e.mu.Lock()
	e.err = fmt.Errorf("stopped serving: %w", err)
	e.mu.Unlock()
	close(e.done)
	exited()
}

func (e *embeddedInstance) address() string { return e.base }

func (e *embeddedInstance) exit() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

func (e *embeddedInstance) stop(hurry <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(context.Background(), embeddedGrace)
	defer cancel()
	go func() {
		select {
		case <-hurry:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := e.server.Shutdown(ctx)
	if ctx.Err() != nil {
		err = e.server.Close()
	}
	<-e.done
	if errors.Is(err, http.ErrServerClosed) || errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
