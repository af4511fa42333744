package target

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// drainTime is how long the output of an exited process is still read. Its last lines are in the pipe
// already; a child that lives on may hold the pipe open.
const drainTime = 300 * time.Millisecond

type processRuntime struct{}

func (processRuntime) read(r *specReader, m *mapping, c *Component, top shared) {
	keep := func(text string, at ast.Node) {
		r.values = append(r.values, value{component: c.Name, text: text, at: at})
	}
	commandNode, ok := m.require("command")
	if ok {
		c.Command = r.literals(m, "command", commandNode, keep)
		switch {
		case len(c.Command) == 0 || c.Command[0] == "":
			m.fail(commandNode.GetToken(), "command of %s is empty; expected a program and its arguments", m.what)
		case strings.ContainsRune(c.Command[0], '/') && !strings.HasPrefix(c.Command[0], "/") && !strings.HasPrefix(c.Command[0], "${"):
			m.fail(commandNode.GetToken(), "command of %s begins with the relative path %q; put ${dir}/ before it to start at the folder of this file", m.what, cut(c.Command[0]))
		}
	}
	r.argsAndEnv(m, c, top, keep)
	c.Unset = slices.Clone(top.unset)
	if n, ok := m.get("unset"); ok {
		c.Unset = append(c.Unset, r.literals(m, "unset", n, nil)...)
	}
	r.grace(m, c)
}

// argsAndEnv reads what processes and containers say alike.
func (r *specReader) argsAndEnv(m *mapping, c *Component, top shared, keep func(string, ast.Node)) {
	if n, ok := m.get("args"); ok {
		c.Args = r.literals(m, "args", n, keep)
	}
	nodes := map[string]ast.Node{}
	if n, ok := m.get("env"); ok {
		c.Env, nodes = r.environment(n, "env of "+m.what)
	}
	for name, text := range top.env {
		if _, own := c.Env[name]; !own {
			if c.Env == nil {
				c.Env, nodes = map[string]string{}, map[string]ast.Node{}
			}
			c.Env[name], nodes[name] = text, top.envNodes[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		keep(c.Env[name], nodes[name])
	}
}

func (r *specReader) grace(m *mapping, c *Component) {
	c.Grace = DefaultGrace
	n, ok := m.get("stop")
	if !ok {
		return
	}
	if stop, ok := r.mapping(n, "stop of "+m.what); ok {
		if n, ok := stop.require("grace"); ok {
			c.Grace = r.duration(stop, "grace", n)
		}
		stop.done()
	}
}

func (processRuntime) start(_ context.Context, s *Server, c Component) (instance, error) {
	argv, err := commandLine(c, s.scope)
	if err != nil {
		return nil, err
	}
	env, err := environment(c, s.scope, s.run.id())
	if err != nil {
		return nil, err
	}
	p := &processInstance{
		component: c, run: s.run, base: fmt.Sprintf("http://127.0.0.1:%d", s.scope.ports[c.Name]),
		begun: time.Now(), done: make(chan struct{}),
	}
	// A context would kill the process when it ends; it is stopped in order instead, with its children.
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx // see above
	// The folder of the run, so that stray files and core dumps end up where they are cleared away.
	cmd.Dir, cmd.Env = s.run.dir, env
	if err := ownGroup(cmd); err != nil {
		return nil, fmt.Errorf("component %s: %w", c.Name, err)
	}
	var pipes []string
	for _, stream := range []struct {
		name string
		to   *io.Writer
	}{{"stdout", &cmd.Stdout}, {"stderr", &cmd.Stderr}} {
		// Own pipes: exec's would make Wait wait for every grandchild that holds them.
		r, w, err := os.Pipe()
		if err != nil {
			p.closePipes()
			return nil, fmt.Errorf("component %s: %w", c.Name, err)
		}
		defer func() { _ = w.Close() }()
		*stream.to = w
		pipes = append(pipes, pipeName(w))
		p.read(r, s.logs.writer(c.Name, stream.name))
	}
	// Written down before and after: a run that is killed between the two is found by its marker.
	if err := s.run.addGroup(group{Component: c.Name, Pipes: pipes}, func() (identity, error) {
		if err := cmd.Start(); err != nil {
			return identity{}, fmt.Errorf("component %s: %w", c.Name, err)
		}
		p.pid = cmd.Process.Pid
		id := identify(p.pid) // before wait, which lets the kernel use the pid again
		go p.wait(cmd, s.exitedOne)
		return id, nil
	}); err != nil {
		if cmd.Process == nil {
			p.closePipes()
			return nil, err
		}
		return nil, errors.Join(err, p.stop(s.hurry))
	}
	s.options.Progress(fmt.Sprintf("started %s of %s", c.Name, s.spec.Name))
	return p, nil
}

// processInstance is a running process with all that it starts.
type processInstance struct {
	component Component
	run       *run
	base      string
	begun     time.Time
	pid       int
	pipes     []*os.File
	readers   sync.WaitGroup
	done      chan struct{} // closed when the first process has ended
	ended     error         // readable once done is closed
}

func (p *processInstance) read(r *os.File, w *lineWriter) {
	p.pipes = append(p.pipes, r)
	p.readers.Go(func() {
		_, _ = io.Copy(w, r) // ends with the last holder of the pipe, or when it is closed here
		w.flush()
	})
}

// drain waits until everything that was printed has been read, but not for holders that live on.
func (p *processInstance) drain() {
	read := make(chan struct{})
	go func() { p.readers.Wait(); close(read) }()
	select {
	case <-read:
	case <-time.After(drainTime):
	}
}

func (p *processInstance) closePipes() {
	for _, r := range p.pipes {
		_ = r.Close()
	}
}

func (p *processInstance) wait(cmd *exec.Cmd, exited func()) {
	err := cmd.Wait()
	p.drain()
	how := "ended"
	if cmd.ProcessState != nil {
		how = describeExit(cmd.ProcessState)
	} else if err != nil {
		how = "ended: " + err.Error()
	}
	p.ended = fmt.Errorf("%s, %s after its start", how, seconds(p.begun))
	close(p.done)
	exited()
}

func (p *processInstance) address() string { return p.base }

func (p *processInstance) exit() error {
	select {
	case <-p.done:
		return p.ended
	default:
		return nil
	}
}

func (p *processInstance) stop(hurry <-chan struct{}) error {
	left := stopAll(func(all []process) []process { return p.run.members(all, p.component.Name) }, p.run.leads, p.component.Grace, hurry)
	select {
	case <-p.done:
	case <-time.After(killWait):
	}
	p.drain()
	p.closePipes()
	return leftRunning(left)
}

// commandLine expands the command and looks whether its program, and prepared files that it names, exist.
func commandLine(c Component, values scope) ([]string, error) {
	var argv []string
	for i, text := range slices.Concat(c.Command, c.Args) {
		arg, err := expand(text, values.in(c.Name))
		if err != nil {
			return nil, err
		}
		prepared := strings.HasPrefix(text, "${cache}/venvs/") || strings.HasPrefix(text, "${cache}/models/")
		if prepared || i == 0 && filepath.IsAbs(arg) {
			if _, err := os.Stat(arg); err != nil {
				return nil, missing(c, text, arg, err, prepared)
			}
		}
		if i == 0 && !filepath.IsAbs(arg) {
			if arg, err = exec.LookPath(arg); err != nil {
				return nil, fmt.Errorf("component %s: there is no program %q in PATH; install it, or name it by its whole path", c.Name, text)
			}
		}
		argv = append(argv, arg)
	}
	if len(argv) == 0 {
		return nil, fmt.Errorf("component %s has no command", c.Name)
	}
	return argv, nil
}

func missing(c Component, text, path string, err error, prepared bool) error {
	what := "cannot be used (" + err.Error() + ")"
	if errors.Is(err, fs.ErrNotExist) {
		what = "does not exist"
	}
	if prepared {
		return fmt.Errorf("component %s: %s (%s) %s; `make matrix-real` or fixtures/prepare.sh makes it", c.Name, path, text, what)
	}
	return fmt.Errorf("component %s: %s (%s) %s; install it, or correct the command in the target file", c.Name, path, text, what)
}

// environment is what the caller's environment becomes for a component.
func environment(c Component, values scope, runID string) ([]string, error) {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		_, set := c.Env[name]
		if !set && name != runVariable && !slices.Contains(c.Unset, name) {
			env = append(env, kv)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		v, err := expand(c.Env[name], values.in(c.Name))
		if err != nil {
			return nil, fmt.Errorf("env %s: %w", name, err)
		}
		env = append(env, name+"="+v)
	}
	return append(env, runVariable+"="+runID), nil
}
