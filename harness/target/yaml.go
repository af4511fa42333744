package target

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/embedcontract/embedcontract/harness/strictyaml"
)

// maxProblems is how many faults of one file are shown at a time.
const maxProblems = 10

// reader turns a YAML tree into values and collects what is wrong, with positions.
type reader struct {
	file     string
	problems []problem
}

type problem struct {
	line, column int
	text         string
}

func (r *reader) fail(at *token.Token, format string, args ...any) {
	p := problem{line: 1, column: 1, text: fmt.Sprintf(format, args...)}
	if at != nil && at.Position != nil {
		p.line, p.column = at.Position.Line, at.Position.Column
	}
	r.problems = append(r.problems, p)
}

// err joins the problems in the order of the file; nil when there are none.
func (r *reader) err() error {
	slices.SortStableFunc(r.problems, func(a, b problem) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return a.column - b.column
	})
	r.problems = slices.Compact(r.problems) // a shared value is read once for each component
	var all []error
	for i, p := range r.problems {
		if i == maxProblems {
			all = append(all, fmt.Errorf("%s: and %d more", r.file, len(r.problems)-i))
			break
		}
		all = append(all, fmt.Errorf("%s:%d:%d: %s", r.file, p.line, p.column, p.text))
	}
	return errors.Join(all...)
}

// parse returns the root of the only document.
func (r *reader) parse(data []byte) ast.Node {
	docs, err := strictyaml.Parse(data)
	if wrong, ok := errors.AsType[*strictyaml.Error](err); ok {
		r.fail(wrong.Token, "%s", wrong.Message)
		return nil
	}
	switch len(docs) {
	case 0:
		r.fail(nil, "the file is empty; expected a target with name, title, kind, model and components")
		return nil
	case 1:
		return docs[0]
	}
	r.fail(docs[1].GetToken(), "a second document starts here; a file holds one target")
	return nil
}

// mapping is a YAML mapping while it is read. Keys become known by being asked for; done reports the rest.
type mapping struct {
	*reader
	what    string // "component worker", for errors
	start   *token.Token
	entries []*ast.MappingValueNode
	known   []string
	missing []string
}

func (r *reader) mapping(n ast.Node, what string) (*mapping, bool) {
	m := &mapping{reader: r, what: what, start: n.GetToken()}
	switch n := n.(type) {
	case *ast.MappingNode:
		m.entries = n.Values
	case *ast.MappingValueNode:
		m.entries = []*ast.MappingValueNode{n}
	default:
		r.fail(n.GetToken(), "%s is %s; expected keys and values", what, describe(n))
		return nil, false
	}
	if len(m.entries) > 0 {
		m.start = m.entries[0].Key.GetToken()
	}
	return m, true
}

// get returns the value of a key and makes the key known.
func (m *mapping) get(key string) (ast.Node, bool) {
	if !slices.Contains(m.known, key) {
		m.known = append(m.known, key)
	}
	for _, e := range m.entries {
		if name, ok := keyOf(e); ok && name == key {
			return e.Value, true
		}
	}
	return nil, false
}

func (m *mapping) require(key string) (ast.Node, bool) {
	n, ok := m.get(key)
	if !ok {
		m.missing = append(m.missing, key)
	}
	return n, ok
}

// done reports keys that nobody asked for and required ones that are absent. A misspelt required key is
// reported once, as a misspelling.
func (m *mapping) done() {
	valid := slices.Sorted(slices.Values(m.known))
	for _, e := range m.entries {
		name, ok := keyOf(e)
		if ok && slices.Contains(m.known, name) {
			continue
		}
		if !ok {
			m.fail(e.Key.GetToken(), "%s has %s as a key; expected one of %s", m.what, describe(e.Key), strings.Join(valid, ", "))
			continue
		}
		hint := nearest(name, valid)
		if hint != "" {
			m.missing = slices.DeleteFunc(m.missing, func(k string) bool { return k == hint })
		}
		m.fail(e.Key.GetToken(), "unknown key %q in %s%s; valid keys here: %s", name, m.what, didYouMean(hint), strings.Join(valid, ", "))
	}
	for _, key := range m.missing {
		m.fail(m.start, "%s lacks the key %q", m.what, key)
	}
}

func keyOf(e *ast.MappingValueNode) (string, bool) {
	s, ok := e.Key.(*ast.StringNode)
	if !ok {
		return "", false
	}
	return s.Value, true
}

// text reads a string. A number is not one: a model named 1 must be quoted.
func (m *mapping) text(key string, n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		if n.Value != "" {
			return n.Value
		}
	case *ast.LiteralNode:
		if n.Value != nil && n.Value.Value != "" {
			return n.Value.Value
		}
	}
	m.fail(n.GetToken(), "%s of %s is %s; expected a text", key, m.what, describe(n))
	return ""
}

// literal reads a text, or a number or truth value as it is spelt: OMP_NUM_THREADS: 2, vllm: 0.31.
func (m *mapping) literal(key string, n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		if n.Value != nil {
			return n.Value.Value
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value
	}
	m.fail(n.GetToken(), "%s of %s is %s; expected a text or a number", key, m.what, describe(n))
	return ""
}

// count reads a positive integer.
func (m *mapping) count(key string, n ast.Node) int {
	if i, ok := n.(*ast.IntegerNode); ok {
		if v, ok := i.Value.(uint64); ok && v > 0 && v < 1<<31 {
			return int(v)
		}
	}
	m.fail(n.GetToken(), "%s of %s is %s; expected a positive whole number", key, m.what, describe(n))
	return 0
}

func (m *mapping) truth(key string, n ast.Node) bool {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		m.fail(n.GetToken(), "%s of %s is %s; expected true or false", key, m.what, describe(n))
		return false
	}
	return b.Value
}

// list reads the elements of a sequence.
func (m *mapping) list(key string, n ast.Node) []ast.Node {
	s, ok := n.(*ast.SequenceNode)
	if !ok {
		m.fail(n.GetToken(), "%s of %s is %s; expected a list", key, m.what, describe(n))
		return nil
	}
	return s.Values
}

// describe names a node for "x is …" in errors, with its value where it is short.
func describe(n ast.Node) string {
	switch n := n.(type) {
	case *ast.NullNode:
		return "empty"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		return "an anchor, alias or tag (not read here; use env at the top for what components share)"
	case *ast.StringNode:
		return fmt.Sprintf("the text %q", cut(n.Value))
	case *ast.BoolNode:
		return "the truth value " + n.GetToken().Value
	case *ast.IntegerNode, *ast.FloatNode:
		return "the number " + cut(n.GetToken().Value)
	default:
		return "of type " + strings.ToLower(n.Type().String())
	}
}

func cut(s string) string {
	const shown = 40
	if r := []rune(s); len(r) > shown {
		return string(r[:shown]) + "…"
	}
	return s
}
