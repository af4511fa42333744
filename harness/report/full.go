package report

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"charm.land/lipgloss/v2/table"
)

// matrix writes a row for each check: the columns that fit beside each other, then the rest in further tables.
func (s *screen) matrix(r *Report) {
	first := 0
	for _, b := range r.Behaviours {
		first = max(first, width(line(b.Stem)))
		for _, c := range b.Checks {
			first = max(first, width(b.indented(c)))
		}
	}
	if s.full { // half of the screen holds any name of the suite
		first = min(first, s.width/2)
	} else {
		first = min(first, max(checkWidth, s.width/4))
	}
	rest := r.columns()
	for len(rest) > 0 {
		n, used := 0, first
		for n < len(rest) {
			used += gap + s.least(r, first, rest[n])
			if n > 0 && used > s.width {
				break
			}
			n++
		}
		s.table(r, first, rest[:n])
		rest = rest[n:]
	}
}

// least is the smallest width of a column: where all was asked for, words stay whole, and what is longer takes further lines;
// but no wider than what is left beside the names of checks.
func (s *screen) least(r *Report, first int, c column) int {
	if s.full {
		return min(max(c.longest(r), columnWidth), max(s.width-first-gap, columnWidth))
	}
	return c.least(r)
}

// layout gives each column its full width, then takes from the widest until all fit.
func (s *screen) layout(r *Report, first int, columns []column) []int {
	widths, least, total := make([]int, len(columns)), make([]int, len(columns)), first
	for i, c := range columns {
		least[i] = s.least(r, first, c)
		widths[i] = max(c.full(r), least[i])
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
	rows := func(to *table.Table, name string, indent int, style func(i int) lipgloss.Style, text func(i, width int) string) {
		for _, l := range s.cells(first, indent, widths, name, style, text) {
			to.Row(l...)
		}
	}
	plain := func(int) lipgloss.Style { return lipgloss.NewStyle() }
	empty := func(int, int) string { return "" }
	rows(head, "check", 0, titleStyle, func(i, _ int) string { return columns[i].title })
	rows(head, "", 0, plain, func(i, _ int) string { return columns[i].under })
	for _, b := range r.Behaviours {
		if !slices.ContainsFunc(b.Checks, func(c Check) bool { return !unasked(c, columns) }) {
			continue
		}
		rows(body, line(b.Stem), 0, titleStyle, empty)
		for _, check := range b.Checks {
			if unasked(check, columns) {
				continue
			}
			name, indent := b.row(check), 0
			if !check.Provisional { // the sign of a provisional one stands in the margin
				indent = rowIndent
			}
			at := func(i int) entry { return columns[i].at(check) }
			rows(body, name, indent, func(i int) lipgloss.Style {
				if i < 0 {
					return lipgloss.NewStyle()
				}
				return at(i).style()
			}, func(i, width int) string {
				if s.full {
					return at(i).String()
				}
				return at(i).fit(width)
			})
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

// rowIndent is how far the name of a check stands below that of its behaviour, in columns.
const rowIndent = 2

// titleStyle is that of heads: the name of a behaviour, at -1, and those of columns.
func titleStyle(int) lipgloss.Style { return bold() }

// cells are the lines of one row, each with the name at first and a cell for each width: one line that is shortened, or as
// many as it takes where all was asked for. style and text say what stands in a column; style also of the name, at -1.
func (s *screen) cells(first, indent int, widths []int, name string, style func(i int) lipgloss.Style, text func(i, width int) string) [][]string {
	parts := func(text string, width int) []string {
		if !s.full {
			return []string{fit(text, width)}
		}
		return fold(text, width)
	}
	names := parts(name, first-indent)
	all, lines := make([][]string, len(widths)), len(names)
	for i, w := range widths {
		all[i] = parts(text(i, w), w)
		lines = max(lines, len(all[i]))
	}
	at := func(of []string, i int) string {
		if i < len(of) {
			return of[i]
		}
		return ""
	}
	var out [][]string
	for l := range lines {
		row := []string{s.paint(style(-1), pad(strings.Repeat(" ", indent)+at(names, l), first)+" ")}
		for i, w := range widths {
			cell := " " + pad(at(all[i], l), w)
			if i < len(widths)-1 {
				cell += " "
			}
			row = append(row, s.paint(style(i), cell))
		}
		out = append(out, row)
	}
	return out
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
