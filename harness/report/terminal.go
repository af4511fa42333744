package report

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// TerminalOptions say what the terminal can show. The caller decides: NO_COLOR or a file in place of a terminal
// means no colour.
type TerminalOptions struct {
	Width   int  // columns; 80 if it is 0
	Colour  bool // never the only signal
	Full    bool // the matrix of all checks, and nothing shortened; otherwise a screen
	Verbose bool // all that is known of every cell that is no pass; otherwise a screen of those that are not as expected
}

const (
	defaultWidth = 80
	leastWidth   = 60 // below it the columns of the matrix could not be told apart
	checkWidth   = 26 // of the first column at most, unless the terminal is wide
	columnWidth  = 16 // of a column at least; what does not fit beside the others goes into a further table
	nameWidth    = 10 // of the names of fields
	gap          = 3  // between columns: a space, a line, a space
	fewRows      = 16 // of checks and behaviours: so many are shown one by one in any case, since they leave room on the screen
)

// Terminal writes the report for people: the verdict, the matrix, and at the end what is not as expected.
func (r *Report) Terminal(w io.Writer, o TerminalOptions) error {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	s := screen{width: max(o.Width, leastWidth), colour: o.Colour, full: o.Full}
	s.verdict(r)
	if r.unanswered() {
		s.text("", 0, r.answer())
		_, err := io.WriteString(w, s.String())
		return err // the reason is said; a matrix of errors says no more
	}
	each := o.Full || r.rows() <= fewRows
	switch {
	case o.Full:
		s.targets(r)
		s.line("")
		s.matrix(r)
	case each:
		s.matrix(r)
		s.targets(r)
	default:
		s.folded(r)
		s.targets(r)
	}
	s.notes(r, each)
	s.details(r.details(o.Verbose), o.Verbose)
	s.baseline(r.Baseline.lines())
	s.baseline(r.Since.lines())
	_, err := io.WriteString(w, s.String())
	return err
}

// screen collects the lines.
type screen struct {
	strings.Builder
	width  int
	colour bool
	full   bool
}

// line writes one line, without the spaces that tables leave at its end.
func (s *screen) line(text string) { s.WriteString(strings.TrimRight(text, " ") + "\n") }

// paint gives a text a colour, if colours are wanted.
func (s *screen) paint(style lipgloss.Style, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return style.Render(text)
}

func bold() lipgloss.Style  { return lipgloss.NewStyle().Bold(true) }
func faint() lipgloss.Style { return lipgloss.NewStyle().Faint(true) }

// style is the colour of a cell.
func (e entry) style() lipgloss.Style {
	st := lipgloss.NewStyle()
	switch contract.Outcome(e.outcome) {
	case contract.Pass:
		st = st.Foreground(lipgloss.Green)
	case contract.Differs, contract.Unsupported, contract.Flaky:
		st = st.Foreground(lipgloss.Yellow)
	case contract.Fail, contract.Error:
		st = st.Foreground(lipgloss.Red)
	default:
		st = st.Faint(!e.harm)
	}
	if e.harm {
		st = st.Foreground(lipgloss.Magenta)
	}
	return st.Bold(e.status != "" || e.harm)
}

// verdict says in words what each swap means, and below them what it takes.
func (s *screen) verdict(r *Report) {
	// What is made by Build has the words of each pair in their order.
	each := len(r.Verdict.Words) == len(r.Pairs)
	for i, v := range r.Verdict.Words {
		for _, l := range fold(line(v), s.width) {
			s.line(s.paint(bold(), l))
		}
		if each {
			s.decided(r.Pairs[i].Decision, max(changesShown/len(r.Pairs), leastChanges))
		}
	}
	if !each {
		for _, p := range r.Pairs {
			s.decided(p.Decision, max(changesShown/len(r.Pairs), leastChanges))
		}
	}
	if s.full {
		for _, p := range r.Pairs {
			s.text("", 0, r.swap(p)+": "+r.sum(p))
		}
	}
	s.line("")
}

// baselineLines is how many lines about earlier recordings are written unless all were asked for.
const baselineLines = 30

// baseline writes what is said of earlier recordings: the count, the differences, and what to do about them.
func (s *screen) baseline(lines []string) {
	for i, l := range lines {
		switch {
		case i == 0:
			s.line("")
		case !s.full && len(lines) > baselineLines && i == baselineLines-1:
			s.text("  ", 2, fmt.Sprintf("%d more: see --full", len(lines)-1-i))
			continue
		case !s.full && len(lines) > baselineLines && i >= baselineLines && i < len(lines)-1:
			continue
		}
		indent := l[:len(l)-len(strings.TrimLeft(l, " "))]
		s.text(indent, 2, strings.TrimLeft(l, " "))
	}
}

// targets says what was asked: on a line for each, or in full. What must be said of a kind of target is said in full,
// once.
func (s *screen) targets(r *Report) {
	said := map[string]bool{}
	for _, t := range r.Targets {
		about := t.column().name + ": " + r.about(t, !s.full)
		if s.full {
			s.text("", 2, about)
			for _, l := range t.lines() {
				s.text("  ", 2, l)
			}
		} else {
			if t.Revision == "" || t.Revision == r.Revision {
				s.line(fit(about, s.width))
			} else { // that the rules are not those it was recorded under must not be cut off
				s.text("", 2, about)
			}
			if l := line(t.Label); l != "" && !said[l] {
				said[l] = true
				s.text("  ", 2, l)
			}
		}
		if t.Problem != "" {
			problem := line(t.Problem)
			if !s.full {
				problem = fit(problem, textShown)
			}
			s.text("  ", 4, sign(string(contract.Error))+" "+problem)
		}
	}
}

// text writes a text within the width; lines after the first are indented further.
func (s *screen) text(indent string, further int, text string) {
	for i, l := range fold(text, s.width-width(indent)-further) {
		if i > 0 {
			l = strings.Repeat(" ", further) + l
		}
		s.line(indent + l)
	}
}

// notes count the cells, explain the signs, and say where more is to be seen. each: there was a row for each check.
func (s *screen) notes(r *Report, each bool) {
	s.text("", 0, r.answer())
	switch {
	case each:
		s.text("", 0, r.legend())
		s.text("", 0, r.judgedBy())
	default:
		if l := r.rareSigns(); l != "" {
			s.text("", 0, l)
		}
		s.text("", 0, r.judgedBy()+" --full: every check; -v: the evidence.")
	}
	if due := r.overdue(); len(due) > 0 {
		s.text("", 2, "Known deviations past their review day: "+strings.Join(due, ", "))
	}
}
