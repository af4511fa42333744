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
