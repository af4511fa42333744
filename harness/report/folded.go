package report

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/embedcontract/embedcontract/harness/contract"
)

const (
	foldedGap   = 2  // between the columns of the folded matrix
	foldedTitle = 12 // of the title of a column, at least; the names of targets get a sixth of the screen
	namesWidth  = 12 // that the names of checks need to be worth showing
)

// signs are those of outcomes in the order in which they are counted, and that of a cell that is missing.
func signs() []string {
	var all []string
	for _, o := range outcomes() {
		if s := sign(o); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return append(all, "?")
}

// harmsFirst are the effects, the worst first.
func harmsFirst() []string {
	return []string{string(contract.IndexBreak), string(contract.ClientChange), string(contract.Unknown), missing,
		string(contract.Compatible), string(contract.Same), string(contract.NotCompared)}
}

// foldedCell is what a column says of a whole behaviour.
type foldedCell struct {
	text, short string // short where there is no room for text
	style       lipgloss.Style
	// names are those of the checks that need attention, the most urgent first.
	names []string
}

// foldedRow is one behaviour.
type foldedRow struct {
	stem  string
	cells []foldedCell
}

// urgency is why a check is named; a lower one comes first.
type urgency int

const (
	unexpected urgency = iota
	silently
	harmful
	undecided
	failing
	differing
)

// folded writes a row for each behaviour in place of the rows of its checks: how many are answered how, and the worst
// that a swap does. What remains of the width names the checks.
func (s *screen) folded(r *Report) {
	columns, rows := r.columns(), r.foldedRows()
	stem := width("behaviour")
	for _, row := range rows {
		stem = max(stem, width(row.stem))
	}
	stem = min(stem, s.width/4)
	for from := 0; from < len(columns); {
		to, used := from, stem
		var least, full []int
		for to < len(columns) {
			l, f := foldedTitle, max(foldedTitle, min(width(columns[to].title), s.width/6))
			for _, row := range rows {
				l, f = max(l, width(row.cells[to].short)), max(f, width(row.cells[to].text))
			}
			if used += foldedGap + l; to > from && used > s.width {
				break
			}
			least, full = append(least, l), append(full, f)
			to++
		}
		s.foldedTable(columns[from:to], from, stem, s.widen(stem, least, full), rows)
		from = to
	}
}

// widen gives the columns what there is room for, from the first; the last gets the rest.
func (s *screen) widen(stem int, least, full []int) []int {
	room := s.width - stem
	for _, l := range least {
		room -= foldedGap + l
	}
	out := slices.Clone(least)
	for i := range out[:len(out)-1] {
		more := max(min(full[i]-least[i], room), 0)
		out[i], room = out[i]+more, room-more
	}
	out[len(out)-1] += room // less than nothing where even one column does not fit
	return out
}

// foldedTable writes the columns that stand beside each other. In the last of them, names follow.
func (s *screen) foldedTable(columns []column, first, stem int, widths []int, rows []foldedRow) {
	apart := strings.Repeat(" ", foldedGap)
	head := pad("behaviour", stem)
	for i, c := range columns {
		title := c.title
		if c.pair {
			title += " " + c.under
		}
		head += apart + pad(fit(title, widths[i]), widths[i])
	}
	s.line(s.paint(bold(), strings.TrimRight(head, " ")))
	for _, row := range rows {
		l := pad(fit(row.stem, stem), stem)
		for i, w := range widths {
			c := row.cells[first+i]
			text := c.text
			if width(text) > w {
				text = fit(c.short, w)
			}
			if i < len(widths)-1 {
				l += apart + s.paint(c.style, pad(text, w))
				continue
			}
			l += apart + s.paint(c.style, text)
			if left := w - width(text) - foldedGap; len(c.names) > 0 && left >= namesWidth {
				l += apart + fit(fitting(c.names, left), left)
			}
		}
		s.line(l)
	}
	s.line("")
}
