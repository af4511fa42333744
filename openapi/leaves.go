package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// tree turns the error tree of the engine into violations, one for each leaf. The typed tree is read and not
// its text, which repeats whole vectors.
type tree struct {
	value any
	found *collector
}

func (t tree) walk(err *jsonschema.ValidationError) {
	switch err.ErrorKind.(type) {
	case *kind.OneOf, *kind.AnyOf:
		if len(err.Causes) > 0 {
			t.alternatives(err)
			return
		}
	}
	if len(err.Causes) == 0 {
		t.leaf(err)
	}
	for _, cause := range err.Causes {
		t.walk(cause)
	}
}

// alternatives reports the alternative that the body most likely meant: one whose types all fit (an empty list
// meant the list), else the one whose faults lie deepest (a list with a null in it meant the list, not the
// text), then the one with fewest faults. Where the value has the type of none, the types of all are named.
func (t tree) alternatives(err *jsonschema.ValidationError) {
	var best *jsonschema.ValidationError
	var score []int
	var got string
	var want []string
	misfits := 0
	for _, cause := range err.Causes {
		e := extentOf(cause)
		if s := []int{-min(e.types, 1), e.depth, -e.leaves}; best == nil || slices.Compare(s, score) > 0 {
			best, score = cause, s
		}
		if k, ok := wrongType(cause, len(err.InstanceLocation)); ok {
			misfits++
			got, want = k.Got, append(want, k.Want...)
		}
	}
	if misfits == len(err.Causes) {
		t.add(err, "type", "got %s, want %s", got, alternativesOf(want))
		return
	}
	t.walk(best)
}

// extent is how deep in the body the deepest fault lies, how many faults there are, and how many of them are
// wrong types.
type extent struct{ depth, leaves, types int }

func extentOf(err *jsonschema.ValidationError) extent {
	if len(err.Causes) == 0 {
		e := extent{depth: len(err.InstanceLocation), leaves: 1}
		if _, ok := err.ErrorKind.(*kind.Type); ok {
			e.types = 1
		}
		return e
	}
	var all extent
	for _, cause := range err.Causes {
		e := extentOf(cause)
		all.depth = max(all.depth, e.depth)
		all.leaves += e.leaves
		all.types += e.types
	}
	return all
}

// wrongType says whether an alternative failed because the value itself, at that depth, is of another type.
func wrongType(err *jsonschema.ValidationError, depth int) (*kind.Type, bool) {
	for len(err.Causes) == 1 {
		err = err.Causes[0]
	}
	k, ok := err.ErrorKind.(*kind.Type)
	return k, ok && len(err.InstanceLocation) == depth
}

// leaf describes one broken keyword. Values are shortened; a list or a base64 text is described, not shown.
func (t tree) leaf(err *jsonschema.ValidationError) {
	switch k := err.ErrorKind.(type) {
	case *kind.Type:
		t.add(err, "type", "got %s, want %s", k.Got, alternativesOf(k.Want))
	case *kind.Required:
		for _, name := range k.Missing {
			t.add(err, "required", "%s is missing", quote(name))
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			t.add(err, "additionalProperties", "%s is not in the schema", quote(name))
		}
	case *kind.Enum:
		want := make([]string, len(k.Want))
		for i, w := range k.Want {
			want[i] = show(w)
		}
		t.add(err, "enum", "got %s, want %s", show(k.Got), alternativesOf(want))
	case *kind.Pattern:
		t.add(err, "pattern", "got a text of %d bytes that does not match %s", len(k.Got), k.Want)
	case *kind.Format:
		t.add(err, "format", "got %s, want a %s", show(k.Got), k.Want)
	case *kind.MinItems:
		t.add(err, "minItems", "got a list of %d, want at least %d", k.Got, k.Want)
	case *kind.MaxItems:
		t.add(err, "maxItems", "got a list of %d, want at most %d", k.Got, k.Want)
	case *kind.MinLength:
		t.add(err, "minLength", "got a text of %d characters, want at least %d", k.Got, k.Want)
	case *kind.Minimum:
		t.add(err, "minimum", "got %s, want at least %s", k.Got.RatString(), k.Want.RatString())
	case *kind.OneOf:
		t.add(err, "oneOf", "fits several alternatives, must fit exactly one")
	case *kind.FalseSchema:
		t.add(err, "false", "the schema allows nothing here")
	case *kind.RefCycle:
		t.add(err, "$ref", "the schema is defined by itself")
	default:
		rule := cmp.Or(strings.Join(err.ErrorKind.KeywordPath(), "/"), "schema")
		t.add(err, rule, "breaks the rule %s", rule)
	}
}

func (t tree) add(err *jsonschema.ValidationError, rule, format string, args ...any) {
	v := Violation{Path: collapse(err.InstanceLocation, t.value), Rule: rule, Message: printable(fmt.Sprintf(format, args...)), Count: 1}
	t.found.add(v, err.InstanceLocation)
}

// collapse writes a place as a path, with "*" for each position in an array of value.
func collapse(place []string, value any) string {
	var b strings.Builder
	for i, name := range place {
		if i == maxPath {
			b.WriteString("/…")
			break
		}
		switch node := value.(type) {
		case []any:
			b.WriteString("/*")
			value = nil
			if i, err := strconv.Atoi(name); err == nil && i < len(node) {
				value = node[i]
			}
		case map[string]any:
			b.WriteString("/" + segment(name))
			value = node[name]
		}
	}
	return b.String()
}

// alternativesOf joins names, each once.
func alternativesOf(names []string) string {
	var unique []string
	for _, n := range names {
		if !slices.Contains(unique, n) {
			unique = append(unique, n)
		}
	}
	return strings.Join(unique, " or ")
}

// show writes a value of a body or a schema for a message.
func show(value any) string {
	switch v := value.(type) {
	case string:
		return quote(v)
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case map[string]any:
		return fmt.Sprintf("an object of %d keys", len(v))
	}
	text, _ := json.Marshal(value)
	return string(text)
}
