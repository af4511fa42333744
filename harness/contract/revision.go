package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Revision is a frozen state of the contract: which checks count, and how strongly each is asked for. A check that
// it does not list is provisional: it is asked and shown, and nothing is decided by it.
type Revision struct {
	Name   string
	Levels map[string]Level // by check id
}

// Draft names the contract as the code states it: every check counts.
const Draft = "draft"

// At returns the suite as a revision has it: the levels of the checks that it lists, all others provisional. An id
// that no check has is an error, since a promise that somebody relies on must not vanish.
func (s Suite) At(r Revision) (Suite, error) {
	if len(r.Levels) == 0 {
		return Suite{}, fmt.Errorf("contract revision %s lists no checks", r.Name)
	}
	for _, id := range slices.Sorted(maps.Keys(r.Levels)) {
		if _, ok := s.Check(id); !ok {
			return Suite{}, fmt.Errorf("contract revision %s lists %s, which no check has: ids are never removed or renamed; "+
				"bring the check back, or start a revision without it", r.Name, id)
		}
	}
	out := s
	out.Revision, out.Behaviours = r.Name, slices.Clone(s.Behaviours)
	for i := range out.Behaviours {
		b := &out.Behaviours[i]
		b.Checks = slices.Clone(b.Checks)
		for j := range b.Checks {
			c := &b.Checks[j]
			if level, listed := r.Levels[c.ID]; listed {
				c.Level = level
			} else {
				c.Provisional = true
			}
		}
	}
	return out, nil
}

// ParseRevision reads the file of a revision: a line for each check, its id and its level; lines that begin with #
// and empty ones are passed over. Whatever else it holds is an error, with its line.
func ParseRevision(name, text string) (Revision, error) {
	r := Revision{Name: name, Levels: map[string]Level{}}
	at := map[string]int{}
	for i, l := range strings.Split(text, "\n") {
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		wrong := func(format string, args ...any) (Revision, error) {
			return Revision{}, fmt.Errorf("contract revision %s, line %d: %s", name, i+1, fmt.Sprintf(format, args...))
		}
		id, word, ok := strings.Cut(l, " ")
		level := Level(word)
		stem, question, slash := strings.Cut(id, "/")
		switch {
		case !ok || !slash || stem == "" || question == "" || strings.ContainsAny(id, "\t\r"):
			return wrong("%q is no check id, one space and a level", l)
		case level != Must && level != Should && level != May:
			return wrong("level %q of %s is none of %s, %s, %s", word, id, Must, Should, May)
		case at[id] != 0:
			return wrong("%s is listed twice, first on line %d", id, at[id])
		}
		r.Levels[id], at[id] = level, i+1
	}
	if len(r.Levels) == 0 {
		return Revision{}, fmt.Errorf("contract revision %s lists no checks", name)
	}
	return r, nil
}

// Freeze writes the file of a revision that lists every check of the suite at its level, in the suite's order.
func (s Suite) Freeze(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Contract revision %s: the checks that count, and their levels. Written by go test ./suites -run Revision -freeze.\n", name)
	for _, c := range s.Checks() {
		fmt.Fprintf(&b, "%s %s\n", c.ID, c.Level)
	}
	return b.String()
}
