package container

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// Sweep removes what runs left behind whose owner is gone, as dead says of the label's text: containers first, then
// networks and volumes. It returns a line for each run. What carries no label of ours, or one of a run that is
// alive, is not touched.
func (e *Engine) Sweep(ctx context.Context, dead func(owner string) bool) ([]string, error) {
	found, err := e.labelled(ctx)
	errs := []error{err}
	removed := map[string][]string{}
	var runs []string
	for _, x := range abandoned(found, dead) {
		if err := e.remove(ctx, x); err != nil {
			errs = append(errs, fmt.Errorf("%s %s of run %s: %w", x.kind, x.name, x.run, err))
			continue
		}
		if removed[x.run] == nil {
			runs = append(runs, x.run)
		}
		removed[x.run] = append(removed[x.run], x.kind+" "+x.name)
	}
	var lines []string
	for _, run := range runs {
		lines = append(lines, fmt.Sprintf("cleared up run %s, whose owner is gone: removed %s", run, strings.Join(removed[run], ", ")))
	}
	return lines, errors.Join(errs...)
}

// thing is something that the engine keeps.
type thing struct{ kind, id, name, run, owner string }

// The kinds, in the order in which they can be removed: what is in use cannot.
const (
	kindContainer = "container"
	kindNetwork   = "network"
	kindVolume    = "volume"
)

// abandoned picks what may be removed, in order.
func abandoned(all []thing, dead func(owner string) bool) []thing {
	return inOrder(slices.DeleteFunc(slices.Clone(all), func(x thing) bool { return x.run == "" || x.owner == "" || !dead(x.owner) }))
}

func inOrder(things []thing) []thing {
	order := []string{kindContainer, kindNetwork, kindVolume}
	slices.SortStableFunc(things, func(a, b thing) int { return slices.Index(order, a.kind) - slices.Index(order, b.kind) })
	return things
}

// labelled lists everything that carries the label of a run.
func (e *Engine) labelled(ctx context.Context) ([]thing, error) {
	f := make(client.Filters).Add("label", LabelRun)
	var all []thing
	add := func(kind, id, name string, labels map[string]string) {
		all = append(all, thing{kind, id, name, labels[LabelRun], labels[LabelOwner]})
	}
	cs, err := e.cli.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: f})
	if err != nil {
		return nil, err
	}
	for _, c := range cs.Items {
		name := c.ID
		if len(c.Names) > 0 {
			name = strings.TrimPrefix(c.Names[0], "/")
		}
		add(kindContainer, c.ID, name, c.Labels)
	}
	ns, err := e.cli.NetworkList(ctx, client.NetworkListOptions{Filters: f})
	if err != nil {
		return all, err
	}
	for _, n := range ns.Items {
		add(kindNetwork, n.ID, n.Name, n.Labels)
	}
	vs, err := e.cli.VolumeList(ctx, client.VolumeListOptions{Filters: f})
	if err != nil {
		return all, err
	}
	for _, v := range vs.Items {
		add(kindVolume, v.Name, v.Name, v.Labels)
	}
	return all, nil
}

// remove removes a thing. That it is gone already is no error: another suite may sweep at the same time.
func (e *Engine) remove(ctx context.Context, x thing) error {
	var err error
	switch x.kind {
	case kindContainer:
		_, err = e.cli.ContainerRemove(ctx, x.id, client.ContainerRemoveOptions{Force: true, RemoveVolumes: true})
	case kindNetwork:
		_, err = e.cli.NetworkRemove(ctx, x.id, client.NetworkRemoveOptions{})
	case kindVolume:
		_, err = e.cli.VolumeRemove(ctx, x.id, client.VolumeRemoveOptions{Force: true})
	}
	if cerrdefs.IsNotFound(err) || err != nil && strings.Contains(err.Error(), "already in progress") {
		return nil
	}
	return err
}
