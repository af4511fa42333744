package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// TerminalOptions say what the terminal can show. The caller decides: NO_COLOR or a file in place of a terminal
// means no colour.
type TerminalOptions struct {
	Width   int  // columns; 100 if it is 0
	Colour  bool // never the only signal
	Verbose bool // details of every cell that is no pass
}

const (
	defaultWidth = 100
	leastWidth   = 60 // below it the columns of the matrix could not be told apart
	checkWidth   = 26 // of the first column at most, unless the terminal is wide
	columnWidth  = 16 // of a column at least; what does not fit beside the others goes into a further table
	nameWidth    = 10 // of the names of fields
	gap          = 3  // between columns: a space, a line, a space
)

// Terminal writes the report for people: the verdict, the matrix, and the evidence for what is not as expected.
func (r *Report) Terminal(w io.Writer, o TerminalOptions) error {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	s := screen{width: max(o.Width, leastWidth), colour: o.Colour}
	s.verdict(r)
	if r.unanswered() {
		_, err := io.WriteString(w, s.String())
		return err // the reason is said; a matrix of errors says no more
	}
	s.targets(r)
	s.matrix(r)
	s.notes(r)
	s.details(r.details(o.Verbose), o.Verbose)
	if lines := r.Baseline.lines(); lines != nil {
		s.line("")
		for _, l := range lines {
			indent := l[:len(l)-len(strings.TrimLeft(l, " "))]
			s.text(indent, 2, strings.TrimLeft(l, " "))
		}
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// screen collects the lines.
type screen struct {
	strings.Builder
	width  int
	colour bool
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

func (s *screen) verdict(r *Report) {
	for _, v := range r.Verdict.Words {
		for _, l := range fold(line(v), s.width) {
			s.line(s.paint(bold(), l))
		}
	}
	s.text("", 0, r.answer())
	for _, p := range r.Pairs {
		s.text("", 0, r.swap(p)+": "+r.sum(p))
	}
	s.line("")
}

// targets says what was asked. A label stands on a line of its own, in full, and so does what its trials are worth.
func (s *screen) targets(r *Report) {
	for _, t := range r.Targets {
		s.text("", 2, t.column().name+": "+r.about(t))
		for _, l := range t.lines() {
			s.text("  ", 2, l)
		}
		if t.Problem != "" {
			s.text("  ", 4, sign(string(contract.Error))+" "+fit(line(t.Problem), textShown))
		}
	}
	s.line("")
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

// matrix writes the columns that fit beside each other, then the rest in further tables.
func (s *screen) matrix(r *Report) {
	first := 0
	for _, b := range r.Behaviours {
		first = max(first, width(line(b.Stem)))
		for _, c := range b.Checks {
			first = max(first, width(b.indented(c)))
		}
	}
	first = min(first, max(checkWidth, s.width/4))
	rest := r.columns()
	for len(rest) > 0 {
		n, used := 0, first
		for n < len(rest) {
			used += gap + rest[n].least(r)
			if n > 0 && used > s.width {
				break
			}
			n++
		}
		s.table(r, first, rest[:n])
		rest = rest[n:]
	}
}

// layout gives each column its full width, then takes from the widest until all fit.
func (s *screen) layout(r *Report, first int, columns []column) []int {
	widths, least, total := make([]int, len(columns)), make([]int, len(columns)), first
	for i, c := range columns {
		widths[i], least[i] = c.full(r), c.least(r)
		total += gap + widths[i]
	}
	for ; total > s.width; total-- {
		widest := -1
		for i := range columns {
			if widths[i] > least[i] && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

func (s *screen) table(r *Report, first int, columns []column) {
	widths := s.layout(r, first, columns)
	under := lipgloss.Border{Left: "│", Bottom: "─", MiddleBottom: "┼"}
	head, body := s.grid(under, true), s.grid(lipgloss.Border{Left: "│"}, false)
	titles, unders := []string{pad("check", first) + " "}, []string{pad("", first) + " "}
	cell := func(i int, text string) string {
		if text = " " + pad(fit(text, widths[i]), widths[i]); i < len(columns)-1 {
			text += " "
		}
		return text
	}
	for i, c := range columns {
		titles, unders = append(titles, s.paint(bold(), cell(i, c.title))), append(unders, cell(i, c.under))
	}
	head.Rows(titles, unders)
	for _, b := range r.Behaviours {
		if !slices.ContainsFunc(b.Checks, func(c Check) bool { return !unasked(c, columns) }) {
			continue
		}
		stem := []string{s.paint(bold(), pad(fit(line(b.Stem), first), first)+" ")}
		for i := range columns {
			stem = append(stem, cell(i, ""))
		}
		body.Row(stem...)
		for _, check := range b.Checks {
			if unasked(check, columns) {
				continue
			}
			row := []string{pad(fit(b.indented(check), first), first) + " "}
			for i, c := range columns {
				e := c.at(check)
				row = append(row, s.paint(e.style(), cell(i, e.fit(widths[i]))))
			}
			body.Row(row...)
		}
	}
	for _, t := range []string{head.String(), body.String()} {
		for l := range strings.SplitSeq(t, "\n") {
			if l != "" {
				s.line(l)
			}
		}
	}
	s.line("")
}

// grid is an empty table with lines between its columns only. Its cells come at their final width, because the
// table would shorten a variant and its effect alike.
func (s *screen) grid(b lipgloss.Border, bottom bool) *table.Table {
	t := table.New().Border(b).Wrap(false).BorderTop(false).BorderLeft(false).BorderRight(false).BorderBottom(bottom)
	if s.colour {
		t.BorderStyle(faint())
	}
	return t
}

func (s *screen) notes(r *Report) {
	s.text("", 0, r.legend())
	s.text("", 0, r.judgedBy())
	if due := r.overdue(); len(due) > 0 {
		s.text("", 2, "Known deviations past their review day: "+strings.Join(due, ", "))
	}
}

func (s *screen) details(all []detail, verbose bool) {
	for i, d := range all {
		if i == detailsShown && !verbose {
			s.line("")
			s.text("", 0, fmt.Sprintf("%d more like these: ask for all of them with --verbose.", len(all)-i))
			return
		}
		s.detail(d)
	}
}

// detail writes one block: the cell, then a line for each thing known of it.
func (s *screen) detail(d detail) {
	s.line("")
	for i, l := range fold(d.head(), s.width-2) {
		if i > 0 {
			l = "  " + l
		}
		s.line(s.paint(d.entry.style().Bold(true), l))
	}
	if len(d.also) > 0 {
		s.field(field{name: "also", text: d.others()})
	}
	for _, f := range d.fields {
		s.field(f)
	}
}

func (s *screen) field(f field) {
	name, blank := s.paint(faint(), pad(f.name, nameWidth)), pad("", nameWidth)
	body := f.raw // commands keep their lines, to be copied
	if f.text != "" {
		body = fold(f.text, s.width-nameWidth-3)
	} else if f.server {
		body = nil
		for _, l := range f.raw {
			body = append(body, fold(l, s.width-nameWidth-3)...)
		}
	}
	for _, l := range body {
		s.line("  " + name + " " + l)
		name = blank
	}
}
