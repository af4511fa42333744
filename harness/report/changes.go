package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/embedcontract/embedcontract/harness/verdict"
)

const (
	// changesShown is how many lines of changes all pairs get together unless all are asked for: with the matrix, they
	// fill a screen. Each pair gets leastChanges.
	changesShown = 8
	leastChanges = 3
	// stateWidth is that of the longest state of a change.
	stateWidth = len("no remedy")
)

// changeLine is one thing that clients have to do, or that nothing helps against.
type changeLine struct {
	silent      bool
	state, text string
}

// changeLines are what a swap asks of clients, the silent first: no status will remind anybody of these.
func changeLines(c verdict.Clients, columns int) []changeLine {
	var out []changeLine
	for _, x := range c.Changes {
		out = append(out, changeLine{x.Silent, "verified", line(x.Do)})
	}
	for _, x := range c.Failed {
		out = append(out, changeLine{x.Silent, "failed", words(line(x.Do)+":", line(strings.Join(x.Why, "; ")))})
	}
	for _, silent := range []bool{true, false} {
		var ids []string
		why := ""
		for _, b := range c.Breaks {
			if b.Silent == silent {
				ids, why = append(ids, line(b.Check)), line(b.Why)
			}
		}
		switch len(ids) {
		case 0:
		case 1:
			out = append(out, changeLine{silent, "no remedy", ids[0] + ": " + why})
		default:
			count := fmt.Sprintf("%d: ", len(ids))
			out = append(out, changeLine{silent, "no remedy", count + fitting(ids, columns-width(count))})
		}
	}
	slices.SortStableFunc(out, func(a, b changeLine) int {
		switch {
		case a.silent && !b.silent:
			return -1
		case b.silent && !a.silent:
			return 1
		}
		return 0
	})
	return out
}

// decided writes a decision in short: a line for each change, one for the index, one for operations, one for what is
// open. The words of the decision stand above it.
func (s *screen) decided(d verdict.Decision, most int) {
	if d.Answer == "" { // a report from before there were decisions
		return
	}
	margin := width(silentWord) + 1 + stateWidth + 1
	room := s.width - margin
	if s.full {
		room = math.MaxInt // it is folded
	}
	all := changeLines(d.Clients, room)
	for i, c := range all {
		if i == most-1 && len(all) > most && !s.full {
			s.line(strings.Repeat(" ", margin) + fmt.Sprintf("and %d more: see --full", len(all)-i))
			break
		}
		head, style := pad("", width(silentWord)), lipgloss.NewStyle()
		if c.silent {
			head, style = silentWord, style.Foreground(lipgloss.Magenta).Bold(true)
		}
		s.labelled(s.paint(style, head)+" "+pad(c.state, stateWidth)+" ", margin, c.text)
	}
	named := func(name, text string) {
		if text != "" {
			s.labelled(s.paint(faint(), pad(name, margin)), margin, text)
		}
	}
	if s.full || d.Index.Answer != verdict.Keep { // the words say that it may stay, and why
		named("index", indexLine(d.Index))
	}
	named("operations", operationsLine(d.Operations, room))
	named("open", openLine(d.Unknown))
}

// labelled writes a text beside a label: on one line, or in full.
func (s *screen) labelled(label string, margin int, text string) {
	if !s.full {
		s.line(label + fit(text, s.width-margin))
		return
	}
	for _, l := range fold(text, s.width-margin) {
		s.line(label + l)
		label = strings.Repeat(" ", margin)
	}
}

func indexLine(x verdict.Index) string {
	var reasons []string
	for _, r := range append(slices.Clone(x.Reasons), x.Bound) {
		if r != "" {
			reasons = append(reasons, line(r))
		}
	}
	s := line(string(x.Answer))
	if len(reasons) > 0 {
		s += ": " + strings.Join(reasons, "; ")
	}
	return s
}

// operationsLine names what those who run the servers notice: first what is otherwise than before.
func operationsLine(all []verdict.Operation, columns int) string {
	var changed, alike []string
	for _, o := range all {
		if o.Changes {
			changed = append(changed, line(o.Check))
		} else {
			alike = append(alike, line(o.Check))
		}
	}
	if len(all) == 0 {
		return "nothing to do, by what was asked"
	}
	s := ""
	if len(changed) > 0 {
		s = fmt.Sprintf("%d changed: ", len(changed))
		s += fitting(changed, columns-width(s))
	}
	if len(alike) > 0 {
		if s != "" {
			s += "; "
		}
		s += fmt.Sprintf("%d to know: ", len(alike))
		s += fitting(alike, columns-width(s))
	}
	return s
}

func openLine(all []verdict.Open) string {
	var parts []string
	for _, o := range all {
		parts = append(parts, line(o.What))
	}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return parts[0]
	}
	return fmt.Sprintf("%d: %s", len(parts), strings.Join(parts, "; "))
}

// fitting lists as many ids as fit, at least one, and counts the rest. The behaviour is not said again of each check.
func fitting(ids []string, columns int) string {
	s, stem := "", ""
	for i, id := range ids {
		of, name, found := strings.Cut(id, "/")
		if found && of == stem {
			id = "/" + name
		}
		stem = of
		longer := id
		if i > 0 {
			longer = s + ", " + id
		}
		rest := ""
		if n := len(ids) - i - 1; n > 0 {
			rest = fmt.Sprintf(" +%d", n)
		}
		switch tooWide := width(longer+rest) > columns; {
		case tooWide && i == 0:
			return fit(id, columns-width(rest)) + rest
		case tooWide:
			return s + fmt.Sprintf(" +%d", len(ids)-i)
		}
		s = longer
	}
	return s
}
