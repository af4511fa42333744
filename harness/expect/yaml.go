package expect

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/embedcontract/embedcontract/harness/strictyaml"
)

// read decodes a file strictly. A panic of the decoder is an error of the file.
func read(data []byte) (f *File, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("this is not YAML that can be read (%v)", p)
		}
	}()
	data = lineFeeds(data)
	docs, err := strictyaml.Parse(data)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		if err := strictyaml.Plain(d); err != nil {
			return nil, err
		}
	}
	if len(docs) > 1 {
		return nil, &strictyaml.Error{Token: start(docs[1]), Message: "a second document; expected one"}
	}
	f = &File{}
	if err := yaml.UnmarshalWithOptions(data, f, yaml.Strict()); err != nil {
		return nil, errors.New(yaml.FormatError(err, false, true))
	}
	if len(docs) == 0 {
		return f, nil
	}
	f.root = docs[0]
	if f.Versions, err = literal(child(f.root, "versions")); err != nil {
		return nil, err
	}
	for i := range f.Known {
		k, node := &f.Known[i], f.entry(i)
		k.Entry = i
		if at := start(node); at != nil {
			k.Line = at.Position.Line
		}
		if k.Versions, err = literal(child(node, "versions")); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// lineFeeds ends lines as the parser counts them: it takes a carriage return before a line feed for a line of its own.
func lineFeeds(data []byte) []byte { return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) }

// literal reads a mapping of texts as they are written: to the decoder 1.10 is the number 1.1.
func literal(n ast.Node) (map[string]string, error) {
	if n == nil {
		return nil, nil
	}
	out := map[string]string{}
	for _, p := range pairs(n) {
		switch v := p.Value.(type) {
		case *ast.StringNode:
			out[p.Key.GetToken().Value] = v.Value
		case *ast.IntegerNode, *ast.FloatNode:
			out[p.Key.GetToken().Value] = v.GetToken().Value
		default:
			return nil, &strictyaml.Error{Token: p.Key.GetToken(), Message: fmt.Sprintf("versions: %s has no range; expected a text such as \">=1.3.1 <1.6.1\"", p.Key.GetToken().Value)}
		}
	}
	if len(out) == 0 {
		return nil, &strictyaml.Error{Token: n.GetToken(), Message: "versions names no component; expected such as {dynamo: \">=1.3.1 <1.6.1\"}"}
	}
	return out, nil
}

// entry is the node of an entry; nil when there is none.
func (f *File) entry(i int) ast.Node {
	s, ok := child(f.root, "known").(*ast.SequenceNode)
	if !ok || i >= len(s.Values) {
		return nil
	}
	return s.Values[i]
}

func pairs(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// child is the value of a key of a mapping; nil when there is none.
func child(n ast.Node, key string) ast.Node {
	for _, p := range pairs(n) {
		if k, ok := p.Key.(*ast.StringNode); ok && k.Value == key {
			return p.Value
		}
	}
	return nil
}

// start is the first token of a node.
func start(n ast.Node) *token.Token {
	if p := pairs(n); len(p) > 0 {
		n = p[0].Key
	}
	if n == nil {
		return nil
	}
	return n.GetToken()
}
