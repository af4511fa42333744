package target

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/embedcontract/embedcontract/harness/target/container"
)

// Options are what a start needs besides the target file.
type Options struct {
	// Cache is the folder of prepared environments and of the state of runs; empty for that of CacheDir.
	Cache string
	// Progress is told, in a line, what is being waited for. It may be nil.
	Progress func(string)
	// Waiting is told what was answered, each time that this was no embedding yet; where it is nil, Progress is told now
	// and then. Heard is told each line that a component prints, from several goroutines; it may be nil.
	Waiting func(string)
	Heard   func(LogLine)
	// Embedded makes the emulator of a personality; nil when there is none.
	Embedded func(personality string) (http.Handler, error)
	// LogDir receives a file <component>.log for each component; empty for none.
	LogDir string
}

// Server is a target that was started. Its methods may be called from several goroutines.
type Server struct {
	spec    *Spec
	options Options
	scope   scope
	logs    *journal
	begun   time.Time
	apiKey  string
	client  *http.Client

	run       *run // nil when nothing of the target is a process
	listeners map[string]net.Listener
	shared    *containers // of the components that are containers; nil when there are none
	names     []string    // of running, in order of start

	mu      sync.Mutex // guards running
	running []instance

	exited     chan struct{} // closed when any component has ended
	exitedOnce sync.Once

	unwatch   func() bool
	stopOnce  sync.Once
	hurryOnce sync.Once
	stopping  chan struct{}
	hurry     chan struct{} // closed when nobody waits for a gentle stop any more
	stopped   chan struct{}
	stopErr   error // readable once stopped is closed
}

// Start stops what runs of killed owners left behind, starts the components in the order of the file and
// waits until an embedding comes back. After an error nothing is left running.
//
// ctx governs the whole life of the server, not only its start: when it ends, the server is stopped. A
// context that ends with a set-up step must not be passed. The error of a target that does not get ready
// has several lines: what happened, the last answer, and the telling log lines of each component.
func (s *Spec) Start(ctx context.Context, o Options) (*Server, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("target %s: not started: %w", s.Name, err)
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	srv := &Server{
		spec: s, options: o, logs: newJournal("", o.Heard), begun: time.Now(), client: newClient(),
		listeners: map[string]net.Listener{}, exited: make(chan struct{}),
		unwatch:  func() bool { return true },
		stopping: make(chan struct{}), hurry: make(chan struct{}), stopped: make(chan struct{}),
	}
	started := false
	defer func() {
		if !started { // also when something panics half-way
			srv.begin()
			<-srv.stopped
		}
	}()
	err := srv.start(ctx)
	if err == nil {
		err = srv.waitReady(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("target %s: %w", s.Name, errors.Join(err, srv.Stop(context.Background())))
	}
	started = true
	srv.unwatch = context.AfterFunc(ctx, srv.begin)
	return srv, nil
}

func (s *Server) start(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	for _, c := range s.spec.Components {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("stopped while starting: %w", err)
		}
		rt, ok := runtimeNamed(c.Runtime)
		if !ok {
			return fmt.Errorf("component %s has runtime %q; expected one of %s", c.Name, c.Runtime, strings.Join(runtimeNames(), ", "))
		}
		if err := s.logs.open(c.Name); err != nil {
			return err
		}
		i, err := rt.start(ctx, s, c)
		if err != nil {
			return err
		}
		s.names = append(s.names, c.Name)
		s.mu.Lock()
		s.running = append(s.running, i)
		s.mu.Unlock()
	}
	return nil
}

// instances are the components that were started, in that order.
func (s *Server) instances() []instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.running)
}

// prepare finds folders, keys and ports, before anything is started.
func (s *Server) prepare(ctx context.Context) error {
	if s.options.LogDir != "" {
		dir, err := filepath.Abs(s.options.LogDir)
		if err != nil {
			return err
		}
		s.logs = newJournal(dir, s.options.Heard)
	}
	if env := s.spec.Serving().APIKeyEnv; env != "" {
		if s.apiKey = os.Getenv(env); s.apiKey == "" {
			return fmt.Errorf("environment variable %s is not set; it holds the API key of component %s", env, s.spec.Serving().Name)
		}
	}
	s.scope = scope{cache: s.options.Cache, dir: s.spec.Dir, ports: map[string]int{}}
	processes := s.spec.has(runtimeProcess, runtimeContainer)
	if s.scope.cache == "" {
		cache, err := CacheDir()
		if err != nil && processes {
			return err
		}
		s.scope.cache = cache
	}
	var err error
	if s.scope.cache, err = filepath.Abs(s.scope.cache); err != nil {
		return err
	}
	taken := map[int]bool{}
	if processes {
		swept, err := Sweep(s.scope.cache)
		for _, line := range swept {
			s.options.Progress(line)
		}
		if err != nil { // old leftovers are no reason to refuse a new run
			s.options.Progress("clearing up after earlier runs: " + err.Error())
		}
		taken = portsOfRuns(s.scope.cache)
	}
	if err := s.assignPorts(taken); err != nil {
		return err
	}
	if processes {
		if s.run, err = newRun(s.scope.cache, s.spec.Name, s.scope.ports); err != nil {
			return err
		}
		s.scope.run = s.run.dir
	}
	return s.prepareContainers(ctx)
}

// assignPorts gives a port to every component that is started here. An embedded one holds it from now on.
func (s *Server) assignPorts(taken map[int]bool) error {
	for _, c := range s.spec.Components {
		switch c.Runtime {
		case runtimeEndpoint:
		case runtimeEmbedded:
			l, err := listen(0)
			if err != nil {
				return fmt.Errorf("component %s: %w", c.Name, err)
			}
			s.listeners[c.Name] = l
			s.scope.ports[c.Name] = l.Addr().(*net.TCPAddr).Port
		default:
			port, err := freePort(taken)
			if err != nil {
				return fmt.Errorf("component %s: %w", c.Name, err)
			}
			s.scope.ports[c.Name] = port
		}
	}
	return nil
}

// Spec returns the target that was started.
func (s *Server) Spec() *Spec { return s.spec }

// BaseURL is where the target is asked: scheme, host and path, without /v1 and without a slash at its end.
func (s *Server) BaseURL() string {
	running := s.instances()
	for i, c := range s.spec.Components {
		if c.Serves && i < len(running) {
			return running[i].address()
		}
	}
	return ""
}

// APIKey is the key that requests carry as bearer token; empty for none.
func (s *Server) APIKey() string { return s.apiKey }

// Ports returns the loopback port of each component that was started here.
func (s *Server) Ports() map[string]int { return maps.Clone(s.scope.ports) }

// Logs returns the lines that components printed at or after t, oldest first: of each component at most the
// last 5000. They stay readable after Stop.
func (s *Server) Logs(since time.Time) []LogLine { return s.logs.since(since) }

// Alive is nil while every component runs. Otherwise it says which one ended and how, and shows its last
// log lines. Of an endpoint nothing is known: it always counts as alive.
func (s *Server) Alive() error {
	select {
	case <-s.stopping:
		return fmt.Errorf("target %s was stopped", s.spec.Name)
	default:
	}
	for i, inst := range s.instances() {
		if err := inst.exit(); err != nil {
			return fmt.Errorf("component %s %w%s", s.names[i], err, s.logs.telling(s.names[i], shownLines))
		}
	}
	return nil
}

// exitedOne is called by a component when it ends by itself or is stopped.
func (s *Server) exitedOne() { s.exitedOnce.Do(func() { close(s.exited) }) }

// Stop stops the components in the reverse order of their start and waits until they are gone: by SIGTERM,
// and by SIGKILL once the grace of a component is over. When ctx ends first, the rest is killed at once, and
// Stop still waits for that. The error names processes that could not be ended. Further calls return the
// result of the first.
func (s *Server) Stop(ctx context.Context) error {
	s.begin()
	select {
	case <-s.stopped:
	case <-ctx.Done():
		s.hurryOnce.Do(func() { close(s.hurry) })
		<-s.stopped
	}
	return s.stopErr
}

// begin starts to stop, without waiting.
func (s *Server) begin() {
	s.stopOnce.Do(func() {
		close(s.stopping)
		go s.shutdown()
	})
}

func (s *Server) shutdown() {
	defer close(s.stopped)
	s.unwatch()
	var errs []error
	for i, inst := range slices.Backward(s.instances()) {
		if err := inst.stop(s.hurry); err != nil {
			errs = append(errs, fmt.Errorf("stopping component %s: %w", s.names[i], err))
		}
	}
	for _, l := range s.listeners {
		_ = l.Close() // of a component that was never started
	}
	errs = append(errs, s.shared.end(s.options.Progress))
	if s.run != nil {
		errs = append(errs, s.run.end(s.hurry))
	}
	s.client.CloseIdleConnections()
	errs = append(errs, s.logs.close())
	if err := errors.Join(errs...); err != nil {
		s.stopErr = fmt.Errorf("%w: %w", ErrLeft, err)
	}
}

// ErrLeft is the error of Stop when something of a target could not be ended or removed. The sweep of a later start
// tries again.
var ErrLeft = errors.New("something of the target is left")

// Provenance says what runs, as far as the runtimes know: engine, images, GPU. For processes it is the GPU of this
// machine, whether they use it or not; their command says that.
func (s *Server) Provenance(ctx context.Context) map[string]string {
	out := map[string]string{}
	if s.spec.has(runtimeProcess) {
		maps.Copy(out, container.HostGPU(ctx))
	}
	for _, i := range s.instances() {
		if p, ok := i.(interface {
			provenance(context.Context) map[string]string
		}); ok {
			maps.Copy(out, p.provenance(ctx))
		}
	}
	return out
}
