package container

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/moby/moby/client"
)

const (
	// volumeSize bounds a volume, which is in memory. A registry of workers takes kilobytes.
	volumeSize = "64m"
	// removeLimit bounds the removal of what is left of a target; an engine that hangs is not waited for.
	removeLimit = 60 * time.Second
)

// Group is what the components of one target share: a network in which they find each other by name, and volumes.
type Group struct {
	engine  *Engine
	run     string
	labels  map[string]string
	network string
	volumes map[string]bool
}

// Group makes the network of a target. run names everything that is made; owner is for a later Sweep.
func (e *Engine) Group(ctx context.Context, run, owner string) (*Group, error) {
	g := &Group{engine: e, run: run, network: "embedcontract-" + run, volumes: map[string]bool{},
		labels: map[string]string{LabelRun: run, LabelOwner: owner}}
	if _, err := e.cli.NetworkCreate(ctx, g.network, client.NetworkCreateOptions{Driver: "bridge", Labels: g.labels}); err != nil {
		return nil, fmt.Errorf("network of the target: %w", engineError(err))
	}
	return g, nil
}

func (g *Group) volumeName(name string) string { return "embedcontract-" + g.run + "-" + name }

// volume makes a volume once. A file system in memory whose root everyone may write: images have users of their
// own, and a plain volume belongs to root.
func (g *Group) volume(ctx context.Context, name string) error {
	if g.volumes[name] {
		return nil
	}
	_, err := g.engine.cli.VolumeCreate(ctx, client.VolumeCreateOptions{
		Name: g.volumeName(name), Driver: "local", Labels: g.labels,
		DriverOpts: map[string]string{"type": "tmpfs", "device": "tmpfs", "o": "mode=1777,size=" + volumeSize},
	})
	if err != nil {
		return fmt.Errorf("volume %s: %w", name, engineError(err))
	}
	g.volumes[name] = true
	return nil
}

// Remove removes everything of the run that is still there, whatever state it is in.
func (g *Group) Remove(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, removeLimit)
	defer cancel()
	all, err := g.engine.labelled(ctx)
	if err != nil {
		return fmt.Errorf("what is left in the engine is not known (the next run clears up): %w", engineError(err))
	}
	var errs []error
	for _, x := range inOrder(slices.DeleteFunc(all, func(x thing) bool { return x.run != g.run })) {
		if err := g.engine.remove(ctx, x); err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", x.kind, x.name, engineError(err)))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("left behind (the next run clears up): %w", err)
	}
	return nil
}

// engineError puts it plainly when the engine itself is gone.
func engineError(err error) error {
	if err == nil {
		return nil
	}
	if client.IsErrConnectionFailed(err) || strings.Contains(err.Error(), "EOF") {
		return fmt.Errorf("the container engine does not answer any more: %w", err)
	}
	return err
}
