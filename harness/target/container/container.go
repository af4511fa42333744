package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/exec"
)

const (
	// drainTime is how long the log of a container that ended is still read.
	drainTime = 2 * time.Second
	// stopSlack is what the engine may take to stop a container beyond its grace.
	stopSlack = 15 * time.Second
	// reconnect is how long the engine is asked again after the connection for waiting broke.
	reconnect = 5 * time.Second
)

// Container is a started component.
type Container struct {
	spec   Spec
	engine *Engine
	ctr    *testcontainers.DockerContainer
	begun  time.Time

	logs   sync.WaitGroup
	tail   tail
	unlog  context.CancelFunc
	unwait context.CancelFunc
	done   chan struct{} // closed when it has ended, or when that can not be known any more
	ended  error         // readable once done is closed
}

// Output receives what a container prints: one writer for each stream, and Done after the last of it.
type Output struct {
	Stdout, Stderr io.Writer
	Done           func()
}

// Start starts a component. exited is called once, when it has ended by itself or was stopped. After an error
// nothing of it is left.
func (g *Group) Start(ctx context.Context, s Spec, out Output, exited func()) (*Container, error) {
	for _, v := range s.Volumes {
		if err := g.volume(ctx, v.Name); err != nil {
			return nil, err
		}
	}
	ref, err := s.ref()
	if err != nil {
		return nil, err
	}
	c := &Container{spec: s, engine: g.engine, begun: time.Now(), done: make(chan struct{})}
	via := g.engine.attach(s.Resources.GPUs)
	run := testcontainers.CustomizeRequestOption(func(r *testcontainers.GenericContainerRequest) error {
		r.Name = g.network + "-" + s.Name
		r.Env, r.Cmd, r.Entrypoint = s.Env, s.Args, s.Command
		r.Labels = map[string]string{LabelRun: g.labels[LabelRun], LabelOwner: g.labels[LabelOwner]}
		r.Networks = []string{g.network}
		r.NetworkAliases = map[string][]string{g.network: {s.Name}}
		r.ConfigModifier = func(c *container.Config) { c.User = s.User }
		r.HostConfigModifier = func(h *container.HostConfig) {
			network := h.NetworkMode
			*h = hostConfig(s, via, g.volumeName)
			h.NetworkMode = network
		}
		if s.Port > 0 {
			r.ExposedPorts = []string{fmt.Sprintf("%d/tcp", s.Port)}
		}
		return nil
	})
	c.ctr, err = testcontainers.Run(ctx, ref, run)
	if err != nil {
		err = explainStart(s, ref, g.engine.info.ServerVersion, err)
		if c.ctr != nil {
			err = errors.Join(err, c.remove(context.WithoutCancel(ctx)))
		}
		return nil, err
	}
	following, unlog := context.WithCancel(context.WithoutCancel(ctx))
	waiting, unwait := context.WithCancel(context.WithoutCancel(ctx))
	c.unlog, c.unwait = unlog, unwait
	c.logs.Go(func() { c.follow(following, out) })
	go c.wait(waiting, exited)
	return c, nil
}

// follow copies the log until the container ends.
func (c *Container) follow(ctx context.Context, out Output) {
	defer out.Done()
	r, err := c.engine.cli.ContainerLogs(ctx, c.ctr.GetContainerID(), client.ContainerLogsOptions{ShowStdout: true, ShowStderr: true, Follow: true})
	if err != nil {
		return // the wait says what happened to the engine
	}
	defer func() { _ = r.Close() }()
	_, _ = stdcopy.StdCopy(io.MultiWriter(out.Stdout, &c.tail), io.MultiWriter(out.Stderr, &c.tail), r)
}

func (c *Container) wait(ctx context.Context, exited func()) {
	defer exited()
	defer close(c.done)
	id := c.ctr.GetContainerID()
	w := c.engine.cli.ContainerWait(ctx, id, client.ContainerWaitOptions{Condition: container.WaitConditionNotRunning})
	select {
	case <-w.Result:
	case err := <-w.Error:
		if ctx.Err() != nil {
			c.ended = errors.New("is not watched any more")
			return
		}
		c.ended = outsideError{fmt.Errorf("cannot be watched, %s after its start: %w", after(c.begun), engineError(err))}
		if !c.endedUnseen(ctx, id) {
			return
		}
	}
	c.drain()
	state, err := c.state(ctx)
	if err != nil {
		c.ended = outsideError{fmt.Errorf("ended, %s after its start; how is not known: %w", after(c.begun), engineError(err))}
		return
	}
	c.ended = fmt.Errorf("%s, %s after its start", explainExit(c.spec, state, c.tail.String()), after(c.begun))
	if killed(state) {
		c.ended = outsideError{c.ended}
	}
}

// outsideError says that the end of a container was not the server's doing.
type outsideError struct{ error }

func (e outsideError) Unwrap() error { return e.error }

// FromOutside tells the probe engine that the answers of that moment prove nothing.
func (outsideError) FromOutside() bool { return true }

// killed reports whether somebody killed a container. The engine says when the kernel did, for lack of memory.
func killed(state container.State) bool {
	return state.ExitCode == signalled+int(syscall.SIGKILL) && !state.OOMKilled
}

// endedUnseen asks again after a broken connection: the engine may have restarted, with the container gone or
// stopped. It reports whether the container is known to have ended.
func (c *Container) endedUnseen(ctx context.Context, id string) bool {
	ctx, cancel := context.WithTimeout(ctx, reconnect)
	defer cancel()
	r, err := c.engine.cli.ContainerInspect(ctx, id, client.ContainerInspectOptions{})
	return err == nil && r.Container.State != nil && !r.Container.State.Running
}

func (c *Container) state(ctx context.Context) (container.State, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	r, err := c.engine.cli.ContainerInspect(ctx, c.ctr.GetContainerID(), client.ContainerInspectOptions{})
	if err != nil {
		return container.State{}, err
	}
	if r.Container.State == nil {
		return container.State{}, errors.New("the engine does not say")
	}
	return *r.Container.State, nil
}

// drain waits until what was printed has been read.
func (c *Container) drain() {
	read := make(chan struct{})
	go func() { c.logs.Wait(); close(read) }()
	select {
	case <-read:
	case <-time.After(drainTime):
	}
}

// Exit is nil while the container runs, and says in words how it ended.
func (c *Container) Exit() error {
	select {
	case <-c.done:
		return c.ended
	default:
		return nil
	}
}

// Stop ends the container and removes it: SIGTERM, and SIGKILL once its grace is over or hurry is closed.
func (c *Container) Stop(hurry <-chan struct{}) error {
	defer c.unlog()
	defer c.unwait()
	ctx, cancel := context.WithTimeout(context.Background(), c.spec.Grace+stopSlack)
	defer cancel()
	if c.Exit() == nil {
		stopped := make(chan struct{})
		go func() {
			_ = c.ctr.Stop(ctx, &c.spec.Grace) // removing says what went wrong
			close(stopped)
		}()
		select {
		case <-stopped:
		case <-hurry:
		}
		select {
		case <-c.done:
		case <-hurry:
		case <-time.After(drainTime):
		}
	}
	return c.remove(context.Background())
}

// remove kills what still runs.
func (c *Container) remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, removeLimit)
	defer cancel()
	if err := c.engine.remove(ctx, thing{kind: kindContainer, id: c.ctr.GetContainerID()}); err != nil {
		return fmt.Errorf("container %s is left (the next run removes it): %w", c.spec.Name, engineError(err))
	}
	if c.unlog != nil {
		c.drain()
	}
	return nil
}

// Provenance says what runs: the image, and the GPU as the container sees it.
func (c *Container) Provenance(ctx context.Context) map[string]string {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	out := map[string]string{"engine": c.engine.Describe()}
	if ref, err := c.spec.ref(); err == nil {
		out["image "+c.spec.Name] = c.engine.identity(ctx, ref)
	}
	if c.spec.Resources.GPUs.Wanted() {
		out["gpu "+c.spec.Name] = c.spec.Resources.GPUs.String() + " via " + c.engine.attach(c.spec.Resources.GPUs)
		for k, v := range ParseGPU(c.output(ctx, QueryGPU...), c.output(ctx, "nvidia-smi")) {
			out[k] = v
		}
	}
	return out
}

// output is what a command in the container prints; empty when it cannot be run.
func (c *Container) output(ctx context.Context, command ...string) string {
	code, r, err := c.ctr.Exec(ctx, command, exec.Multiplexed())
	if err != nil || code != 0 {
		return ""
	}
	data, err := io.ReadAll(io.LimitReader(r, 1<<16))
	if err != nil {
		return ""
	}
	return string(data)
}

func after(t time.Time) string { return fmt.Sprintf("%.1f s", time.Since(t).Seconds()) }

// tail keeps the end of what a container printed.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailBytes = 32 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > 2*tailBytes {
		t.text = append([]byte(nil), t.text[len(t.text)-tailBytes:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text), "\uFFFD")
}
