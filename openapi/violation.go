package openapi

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Violation is one way in which a body departs from a schema, however often it does.
type Violation struct {
	// Path is a JSON Pointer with array positions collapsed, "/data/*/embedding/*"; empty for the whole body
	// and for what is not in the body, such as the status.
	Path string
	// Rule is the keyword that is broken ("type", "required", "enum", …), or one of ours: "json", "utf-8",
	// "number", "size", "duplicate-key", "status", "content-type", "profile", "engine", "more".
	Rule string
	// Message says what was found and what was expected. It is short and holds no vector.
	Message string
	// Count is the number of places, at least 1.
	Count int
}

// String is one line: where, what, how often.
func (v Violation) String() string {
	var b strings.Builder
	if v.Path != "" {
		b.WriteString(v.Path + ": ")
	}
	b.WriteString(v.Message)
	if v.Count > 1 {
		fmt.Fprintf(&b, ", %d times", v.Count)
	}
	return b.String()
}

// maxViolations keeps a report readable; a body that departs in more ways than this is of another API.
const maxViolations = 20

// collector joins violations that say the same of different positions. It holds one entry for each way and
// not for each place: a batch full of nulls has millions of places.
type collector struct {
	at    map[Violation]int // by the violation with Count 0
	found []Violation
	first [][]string // of each, the first place, positions included
}

func (c *collector) add(v Violation, place []string) {
	key := v
	key.Count = 0
	i, seen := c.at[key]
	if !seen {
		if c.at == nil {
			c.at = map[Violation]int{}
		}
		c.at[key] = len(c.found)
		c.found, c.first = append(c.found, v), append(c.first, place)
		return
	}
	c.found[i].Count += v.Count
	if slices.CompareFunc(place, c.first[i], comparePositions) < 0 {
		c.first[i] = place
	}
}

// comparePositions orders 9 before 10; segments that are no positions are equal, being of one path.
func comparePositions(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// list orders the violations, since the engine visits properties in random order, and cuts the list.
func (c *collector) list() []Violation {
	for i, v := range c.found {
		if strings.Contains(v.Path, "*") && len(c.first[i]) > 0 {
			c.found[i].Message += " (first at " + pointer(c.first[i]) + ")"
		}
	}
	slices.SortFunc(c.found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Message, b.Message))
	})
	if len(c.found) <= maxViolations {
		return c.found
	}
	left := len(c.found) - maxViolations + 1
	return append(c.found[:maxViolations-1], violation("more", "%d more ways are left out", left))
}

// pointer writes a place as a path, positions included.
func pointer(place []string) string {
	var b strings.Builder
	for i, name := range place {
		if i == maxPath {
			b.WriteString("/…")
			break
		}
		b.WriteString("/" + segment(name))
	}
	return b.String()
}
