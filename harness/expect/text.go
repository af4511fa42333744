package expect

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"

	"github.com/embedcontract/embedcontract/harness/strictyaml"
)

// text is a file as lines, with the places of what stands in it. Its lines keep their number while it is edited: what is
// removed becomes empty, what is added stands in the line before it.
type text struct {
	lines   []string              // with their ends
	key     *ast.MappingValueNode // of known; nil when there is none
	entries []place
	indent  int // of the dashes, in columns
}

// place is where an entry stands: lines from 0, end excluded. Head is where the comments above it begin.
type place struct {
	node             ast.Node
	head, start, end int
}

func newText(data []byte) (*text, error) {
	docs, err := strictyaml.Parse(data)
	if err != nil {
		return nil, err
	}
	if len(docs) != 1 {
		return nil, fmt.Errorf("it has %d documents; expected one", len(docs))
	}
	t := &text{lines: strings.SplitAfter(string(data), "\n"), indent: 2}
	if last := len(t.lines) - 1; t.lines[last] == "" {
		t.lines = t.lines[:last]
	}
	if last := len(t.lines) - 1; !strings.HasSuffix(t.lines[last], "\n") {
		t.lines[last] += "\n"
	}
	for _, p := range pairs(docs[0]) {
		if k, ok := p.Key.(*ast.StringNode); ok && k.Value == "known" {
			t.key = p
		}
	}
	if t.key == nil {
		return t, nil
	}
	seq, ok := t.key.Value.(*ast.SequenceNode)
	if !ok || len(seq.Values) == 0 {
		return t, nil
	}
	if seq.IsFlowStyle {
		return nil, errors.New("its list stands in brackets; write each entry of known on lines of its own, after a dash")
	}
	for i, e := range seq.Entries {
		at := e.Start.Position
		t.indent = at.Column - 1
		t.entries = append(t.entries, place{node: seq.Values[i], start: at.Line - 1})
	}
	t.bound()
	return t, nil
}

// bound finds where entries end, and where the comments above them begin.
func (t *text) bound() {
	for i := range t.entries {
		e := &t.entries[i]
		e.end = e.start + 1
		next := len(t.lines)
		if i+1 < len(t.entries) {
			next = t.entries[i+1].start
		}
		for n := e.start + 1; n < next; n++ {
			content, indent := t.content(n)
			if indent > t.indent && content != "" {
				e.end = n + 1 // also a comment that is indented like the fields
			} else if content != "" && content[0] != '#' {
				break // what follows the list
			}
		}
		before := 0
		if i > 0 {
			before = t.entries[i-1].end
		} else if t.key != nil {
			before = t.key.Key.GetToken().Position.Line
		}
		for e.head = e.start; e.head > before; e.head-- {
			if content, _ := t.content(e.head - 1); !strings.HasPrefix(content, "#") {
				break
			}
		}
	}
}

func (t *text) content(line int) (content string, indent int) {
	content = strings.TrimLeft(t.lines[line], " ")
	return strings.TrimSpace(content), len(t.lines[line]) - len(content)
}

// splice replaces a text at a column, from 1, of a line.
func (t *text) splice(line, column int, before, after string) error {
	l := t.lines[line]
	at := 0
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(l[at:])
		at += size
	}
	if !strings.HasPrefix(l[at:], before) {
		return fmt.Errorf("line %d: %q is not found in column %d", line+1, before, column)
	}
	t.lines[line] = l[:at] + after + l[at+len(before):]
	return nil
}

func (t *text) setVariant(i int, variant string) error {
	v, ok := child(t.entries[i].node, "variant").(*ast.StringNode)
	if !ok {
		return fmt.Errorf("line %d: the entry has no variant that can be replaced", t.entries[i].start+1)
	}
	at := v.GetToken().Position
	for _, quote := range []string{"", `"`, "'"} {
		if err := t.splice(at.Line-1, at.Column, quote+v.Value+quote, scalar(variant)); err == nil {
			return nil
		}
	}
	return fmt.Errorf("line %d: variant is not written on one line; expected %s", at.Line, v.Value)
}

func (t *text) remove(entries map[int]bool) {
	for i := range entries {
		e := t.entries[i]
		for n := e.head; n < e.end; n++ {
			t.lines[n] = ""
		}
		// Where it stood between two blank lines one is enough.
		if blank := func(n int) bool {
			return n < len(t.lines) && n >= 0 && strings.TrimSpace(t.lines[n]) == "" && t.lines[n] != ""
		}; blank(e.head-1) && blank(e.end) {
			t.lines[e.end] = ""
		}
	}
}

// add writes entries after the last one.
func (t *text) add(known []Known) error {
	var b strings.Builder
	blank := false
	if n := len(t.entries); n > 1 {
		content, _ := t.content(t.entries[n-1].head - 1)
		blank = content == ""
	}
	for _, k := range known {
		if blank {
			b.WriteString("\n")
		}
		for i, l := range k.lines() {
			b.WriteString(strings.Repeat(" ", t.indent) + map[bool]string{true: "- ", false: "  "}[i == 0] + l + "\n")
		}
	}
	switch {
	case t.key == nil:
		t.lines = append(t.lines, "known:\n", b.String())
		return nil
	case len(t.entries) > 0:
		if e := t.entries[len(t.entries)-1]; e.end < len(t.lines) {
			t.lines[e.end] = b.String() + t.lines[e.end]
		} else {
			t.lines = append(t.lines, b.String())
		}
		return nil
	}
	at := t.key.Key.GetToken().Position.Line - 1
	l := t.lines[at]
	for _, none := range []string{"[]", "null", "~"} {
		if rest, ok := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(l, " "), "known:"), " "), none); ok {
			l = "known:" + rest
		}
	}
	t.lines[at] = l + b.String()
	return nil
}

// lines are an entry as it is written, without indentation.
func (k Known) lines() []string {
	out := []string{"check: " + scalar(k.Check), "variant: " + scalar(k.Variant)}
	if len(k.References) > 0 {
		var names []string
		for _, r := range k.References {
			names = append(names, scalar(r))
		}
		out = append(out, "references: ["+strings.Join(names, ", ")+"]")
	}
	if len(k.Versions) > 0 {
		var ranges []string
		for _, component := range slices.Sorted(maps.Keys(k.Versions)) {
			ranges = append(ranges, fmt.Sprintf("%s: %q", scalar(component), k.Versions[component]))
		}
		out = append(out, "versions: {"+strings.Join(ranges, ", ")+"}")
	}
	why, upstream, review := k.written()
	return append(out, fmt.Sprintf("why: %q", why), fmt.Sprintf("upstream: %q", upstream), fmt.Sprintf("review: %q", review))
}

// written are the texts of an entry, with a request to a person in place of those that are missing.
func (k Known) written() (why, upstream, review string) {
	return cmp.Or(k.Why, Unwritten+": why it answers so"), cmp.Or(k.Upstream, Unwritten+": the issue, change or text that explains it"),
		cmp.Or(k.Review, Unwritten+": the day to look again, YYYY-MM-DD")
}

// scalar writes a name: plain where that reads as the same text in every YAML, else in quotes.
func scalar(s string) string {
	words := []string{"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
	letter := s != "" && (s[0] >= 'a' && s[0] <= 'z')
	if letter && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-_./@") == "" && !slices.Contains(words, s) {
		return s
	}
	return fmt.Sprintf("%q", s)
}
