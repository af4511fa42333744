package openapi

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/goccy/go-yaml"
)

// overlay is a list of edits of an OpenAPI document. It is a small relative of the OpenAPI Overlay
// specification: a target is a JSON Pointer (RFC 6901) through objects, so an edit hits exactly one value.
type overlay struct {
	Description string   `yaml:"description"`
	Actions     []action `yaml:"actions"`
}

// action does one of set, add and remove. Set and remove need the target to exist and add needs it not to:
// an edit that no longer fits a newer base document is an error, not silently without effect.
type action struct {
	Target string `yaml:"target"`
	Why    string `yaml:"why"`
	Set    any    `yaml:"set"`
	Add    any    `yaml:"add"`
	Remove bool   `yaml:"remove"`
}

// parseOverlay reads an overlay file. An unknown or doubled key is an error with line and column.
func parseOverlay(file string, data []byte) (overlay, error) {
	var o overlay
	if err := yaml.UnmarshalWithOptions(data, &o, yaml.Strict()); err != nil {
		return overlay{}, fmt.Errorf("%s: %w", file, err)
	}
	if len(o.Actions) == 0 {
		return overlay{}, fmt.Errorf("%s: actions is empty, an overlay needs at least one", file)
	}
	for i, a := range o.Actions {
		if err := a.check(); err != nil {
			return overlay{}, fmt.Errorf("%s: actions[%d] (%s): %w", file, i, a.Target, err)
		}
	}
	return o, nil
}

func (a action) check() error {
	given := 0
	for _, is := range []bool{a.Set != nil, a.Add != nil, a.Remove} {
		if is {
			given++
		}
	}
	switch {
	case !strings.HasPrefix(a.Target, "/"):
		return fmt.Errorf("target %q must be a JSON Pointer below the root, such as /paths", a.Target)
	case given != 1:
		return fmt.Errorf("has %d of set, add and remove, needs exactly one", given)
	case strings.TrimSpace(a.Why) == "":
		return errors.New("why is empty: every difference from the official document has a reason")
	}
	return nil
}

// apply returns doc with the actions carried out in order; doc itself stays as it is.
func (o overlay) apply(file string, doc map[string]any) (map[string]any, error) {
	for i, a := range o.Actions {
		var err error
		if doc, err = a.apply(doc, strings.Split(a.Target[1:], "/")); err != nil {
			return nil, fmt.Errorf("%s: actions[%d]: %w", file, i, err)
		}
	}
	return doc, nil
}

// apply copies the objects on the way to the target and shares all others.
func (a action) apply(node map[string]any, path []string) (map[string]any, error) {
	key := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	node = maps.Clone(node)
	old, exists := node[key]
	if len(path) > 1 {
		child, ok := old.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("target %s: there is no object %q on the way", a.Target, key)
		}
		edited, err := a.apply(child, path[1:])
		node[key] = edited
		return node, err
	}
	switch {
	case a.Add != nil && exists:
		return nil, fmt.Errorf("target %s exists already: add needs a new key, set replaces", a.Target)
	case a.Add == nil && !exists:
		return nil, fmt.Errorf("target %s does not exist: set and remove need a value that is there", a.Target)
	case a.Remove:
		delete(node, key)
	case a.Add != nil:
		node[key] = a.Add
	default:
		node[key] = a.Set
	}
	return node, nil
}
