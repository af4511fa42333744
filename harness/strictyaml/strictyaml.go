// Package strictyaml parses the YAML files that users write, within bounds: what is in a file must not make the program
// crash, hang or take the memory of the machine.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	// MaxSize bounds a file in bytes. Real ones have some thousands, expectations three times ten.
	MaxSize = 64 << 10
	// maxDepth bounds how deep lists and mappings stand in each other. Real files have five levels, and the time that the
	// parser takes grows with the cube of them.
	maxDepth = 64
)

// Error is what is wrong with a file, and where.
type Error struct {
	Token   *token.Token // nil when it is the file as a whole
	Message string
}

func (e *Error) Error() string {
	if e.Token == nil || e.Token.Position == nil {
		return e.Message
	}
	return fmt.Sprintf("[%d:%d] %s", e.Token.Position.Line, e.Token.Position.Column, e.Message)
}

// Parse returns the documents of a file, without empty ones. Its error is an *Error, also where the library panics.
func Parse(data []byte) (docs []ast.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			docs, err = nil, &Error{Message: fmt.Sprintf("this is not YAML that can be read (%v)", p)}
		}
	}()
	if len(data) > MaxSize {
		return nil, &Error{Message: fmt.Sprintf("the file has %d bytes; at most %d are read", len(data), MaxSize)}
	}
	if at := invalid(data); at >= 0 {
		line := 1 + bytes.Count(data[:at], []byte("\n"))
		column := at - bytes.LastIndexByte(data[:at], '\n')
		return nil, &Error{&token.Token{Position: &token.Position{Line: line, Column: column}}, "the file is not UTF-8"}
	}
	tokens := lexer.Tokenize(string(data))
	if at := tooDeep(tokens); at != nil {
		return nil, &Error{at, fmt.Sprintf("more than %d lists and mappings stand in each other here", maxDepth)}
	}
	file, err := parser.Parse(tokens, 0)
	if err != nil {
		if syntax, ok := errors.AsType[yaml.Error](err); ok {
			return nil, &Error{syntax.GetToken(), "not valid YAML: " + syntax.GetMessage()}
		}
		return nil, &Error{Message: "not valid YAML: " + err.Error()}
	}
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType {
			docs = append(docs, d.Body)
		}
	}
	return docs, nil
}

// invalid finds the first byte that is not UTF-8; -1: all are.
func invalid(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// tooDeep finds the token at which lists and mappings in brackets, or lists in lists of one line, stand too deep.
func tooDeep(tokens token.Tokens) *token.Token {
	depth, entries, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position != nil && t.Position.Line != line {
			entries, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType:
			entries++
		}
		if depth > maxDepth || entries > maxDepth {
			return t
		}
	}
	return nil
}

// Plain refuses anchors, aliases, merge keys and tags: a few lines of them stand for any number of values, and the decoder
// does not survive all of them.
func Plain(n ast.Node) error {
	var r refuser
	ast.Walk(&r, n)
	if r.found == nil {
		return nil
	}
	return &Error{r.found.GetToken(), "anchors, aliases and tags are not read here"}
}

// refuser finds the first node that is not read.
type refuser struct{ found ast.Node }

func (r *refuser) Visit(n ast.Node) ast.Visitor {
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		if r.found == nil {
			r.found = n
		}
		return nil
	}
	return r
}
