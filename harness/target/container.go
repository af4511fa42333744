package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/target/container"
)

type containerRuntime struct{}

// containers is what the containers of one start share.
type containers struct {
	engine *container.Engine
	group  *container.Group
	specs  map[string]container.Spec
	memory *container.Memory // nil when no GPU is used
}

// prepareContainers finds out whether the containers can be run, before anything is built, pulled or started.
func (s *Server) prepareContainers(ctx context.Context) error {
	if !s.spec.HasContainers() {
		return nil
	}
	list, unreadable := s.spec.containerSpecs(&s.scope)
	engine, err := container.Open(ctx)
	if err != nil {
		return errors.Join(err, unreadable)
	}
	s.shared = &containers{engine: engine, specs: map[string]container.Spec{}}
	for _, c := range list {
		s.shared.specs[c.Name] = c
	}
	swept, err := engine.Sweep(ctx, deadOwner)
	for _, line := range swept {
		s.options.Progress(line)
	}
	if err != nil { // old leftovers are no reason to refuse a new run
		s.options.Progress("clearing up after earlier runs: " + err.Error())
	}
	if err := errors.Join(engine.Check(ctx, list), unreadable); err != nil {
		return err
	}
	if err := engine.Images(ctx, list, s.options.Progress); err != nil {
		return err
	}
	if s.spec.OnGPU() {
		s.shared.memory = container.WatchMemory(ctx)
	}
	s.shared.group, err = engine.Group(ctx, s.run.id(), ownerLabel())
	return err
}

// end removes what the containers shared, once they are stopped, and waits for the memory of the GPU.
func (c *containers) end(progress func(string)) error {
	if c == nil {
		return nil
	}
	var errs []error
	if c.group != nil {
		errs = append(errs, c.group.Remove(context.Background()))
		if c.memory != nil {
			if err := c.memory.WaitFree(context.Background()); err != nil {
				progress(err.Error()) // the next target says itself when it does not fit
			}
		}
	}
	return errors.Join(append(errs, c.engine.Close())...)
}

// Images builds or pulls what is missing of the images of targets, and says how long it took and how large it is.
func Images(ctx context.Context, specs []*Spec, progress func(string)) error {
	engine, err := container.Open(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, s := range specs {
		list, err := s.containerSpecs(&scope{cache: "-", run: "-", dir: s.Dir, ports: map[string]int{}})
		for i := range list {
			list[i].Mounts = nil // a model is not needed for an image
		}
		if err = errors.Join(err, engine.Check(ctx, list)); err == nil {
			err = engine.Images(ctx, list, progress)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("target %s: %w", s.Name, err))
		}
	}
	return errors.Join(append(errs, engine.Close())...)
}

// owner is the label by which a later run sees whether ours is still there.
type owner struct {
	Machine machine  `json:"machine"`
	Process identity `json:"process"`
}

func ownerLabel() string {
	text, err := json.Marshal(owner{thisMachine(), identify(os.Getpid())})
	if err != nil {
		return "" // not swept by anybody
	}
	return string(text)
}

// deadOwner reports whether the owner in a label is gone for sure: a process of this machine that runs no more, or
// one of before its last start. Of other machines and containers that use the same engine nothing is known.
func deadOwner(label string) bool {
	var o owner
	if json.Unmarshal([]byte(label), &o) != nil || o.Process.PID == 0 {
		return false
	}
	here := thisMachine()
	switch {
	case o.Machine.Host != here.Host:
		return false
	case o.Machine.Boot != here.Boot:
		return true
	}
	return o.Machine.PIDNamespace == here.PIDNamespace && !o.Process.runs()
}

// containerSpecs expands what the file says of its containers. What can be known beside an error is returned.
func (s *Spec) containerSpecs(values *scope) ([]container.Spec, error) {
	values.inside = map[string]int{}
	for _, c := range s.Components {
		if c.Container != nil {
			values.inside[c.Name] = c.Container.Port
		}
	}
	var out []container.Spec
	var errs []error
	for _, c := range s.Components {
		if c.Container == nil {
			continue
		}
		spec, err := c.containerSpec(*values)
		if err != nil {
			errs = append(errs, fmt.Errorf("component %s: %w", c.Name, err))
		}
		out = append(out, spec)
	}
	return out, errors.Join(errs...)
}

func (c Component) containerSpec(values scope) (container.Spec, error) {
	var failed error
	text := func(s string) string {
		v, err := expand(s, values.in(c.Name))
		if err != nil && failed == nil {
			failed = err
		}
		return v
	}
	all := func(list []string) []string {
		var out []string
		for _, s := range list {
			out = append(out, text(s))
		}
		return out
	}
	k := c.Container
	out := container.Spec{
		Name: c.Name, Command: all(c.Command), Args: all(c.Args), Env: map[string]string{"HF_HUB_OFFLINE": "1"},
		Port: k.Port, HostPort: values.ports[c.Name], Capabilities: k.Capabilities, User: text(k.User), Grace: c.Grace,
		Resources: container.Resources{Memory: k.Resources.Memory, SHM: k.Resources.SHM, Disk: k.Resources.Disk},
	}
	if g := k.Resources.GPUs; g != nil {
		out.Resources.GPUs = container.GPUs{All: g.All, Count: g.Count, Devices: all(g.Devices), Via: g.Via}
	}
	if k.Context != "" {
		out.Build = &container.Build{Context: filepath.Clean(text(k.Context)), Base: text(k.Base)}
		if err := out.Build.Valid(); err != nil && failed == nil {
			failed = err
		}
	} else {
		image, err := c.pinned(values)
		if err != nil {
			failed = err
		}
		out.Image = image
	}
	for name, v := range c.Env {
		out.Env[name] = text(v)
	}
	for _, to := range slices.Sorted(maps.Keys(k.Mounts)) {
		out.Mounts = append(out.Mounts, container.Mount{Source: filepath.Clean(text(k.Mounts[to])), Target: to})
	}
	for _, to := range slices.Sorted(maps.Keys(k.Volumes)) {
		out.Volumes = append(out.Volumes, container.Volume{Name: k.Volumes[to], Target: to})
	}
	for _, name := range slices.Sorted(maps.Keys(k.Ulimits)) {
		out.Ulimits = append(out.Ulimits, container.Ulimit{Name: name, Soft: k.Ulimits[name], Hard: k.Ulimits[name]})
	}
	return out, failed
}

// pinned returns the image with its digest.
func (c Component) pinned(values scope) (string, error) {
	image, err := expand(c.Container.Image, values.in(c.Name))
	if err != nil || container.Pinned(image) {
		return image, err
	}
	digest, err := expand(c.Container.Digest, values.in(c.Name))
	if err == nil && !container.Pinned("@"+digest) {
		err = fmt.Errorf("digest is %q; expected sha256: and 64 hexadecimal digits", cut(digest))
	}
	if err != nil {
		return "", fmt.Errorf("image %s is run by its digest only: %w; %s", image, err, container.Resolve(image))
	}
	return image + "@" + digest, nil
}

func (containerRuntime) start(ctx context.Context, s *Server, c Component) (instance, error) {
	spec := s.shared.specs[c.Name]
	stdout, stderr := s.logs.writer(c.Name, "stdout"), s.logs.writer(c.Name, "stderr")
	ctr, err := s.shared.group.Start(ctx, spec, container.Output{
		Stdout: stdout, Stderr: stderr, Done: func() { stdout.flush(); stderr.flush() },
	}, s.exitedOne)
	if err != nil {
		return nil, err
	}
	s.options.Progress(fmt.Sprintf("started %s of %s in a container", c.Name, s.spec.Name))
	return containerInstance{ctr, fmt.Sprintf("http://127.0.0.1:%d", spec.HostPort)}, nil
}

// containerInstance is a component in a container.
type containerInstance struct {
	ctr  *container.Container
	base string
}

func (c containerInstance) address() string                  { return c.base }
func (c containerInstance) exit() error                      { return c.ctr.Exit() }
func (c containerInstance) stop(hurry <-chan struct{}) error { return c.ctr.Stop(hurry) }
func (c containerInstance) provenance(ctx context.Context) map[string]string {
	return c.ctr.Provenance(ctx)
}

// imageHint is for a file without digest.
func imageHint(image string) string {
	if image == "" || strings.Contains(image, "${") {
		return ""
	}
	return "; " + container.Resolve(image)
}
