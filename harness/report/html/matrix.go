package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/report"
)

// matrix has a group of rows for each behaviour. Each candidate has two columns: how it answers, and what that means for
// clients of the reference. The two are never merged.
type matrix struct {
	Columns []column
	Pairs   bool
	Wide    bool // more columns than a page has room for: the table scrolls by itself
	Groups  []group
	Total   []groupCell // of all groups together, column by column
	Checks  int
}

// column is a target.
type column struct {
	target
	Pair bool // a second column follows, of the swap
}

// group is a behaviour.
type group struct {
	ID, Stem, Promise string
	Class             string // what its rows hold, for the filters
	Worst             int    // its place when the worst stand first
	Cells             []groupCell
	Rows              []row
}

// groupCell counts the cells of a behaviour in one column; Swap those of the swap.
type groupCell struct {
	Label string // the column, for a screen on which it is not above
	Parts []count
	Swap  bool
	Note  string
}

// row is a check.
type row struct {
	Name        string
	Link        link
	Class       string
	Level       string
	Extended    bool
	Provisional bool
	Pair        bool
	Cells       []cell
}

// cell is one place of the matrix.
type cell struct {
	kind
	Label  string
	To     string // its evidence
	Answer string // the variant
	Swap   bool
	Blank  bool // nothing is asked here
	Silent bool
	Flag   string // not as expected, and how
	Was    *past  // what it read before, if something else
	Listed bool   // a known deviation
}

// wideFrom is the number of columns from which a table gets a scroller of its own: that many do not fit on a laptop.
const wideFrom = 9

func (m *maker) matrix() matrix {
	var out matrix
	n := 0
	for _, t := range m.r.Targets {
		_, pair := m.look.pairOf[t.Name]
		out.Columns = append(out.Columns, column{m.target(t), pair})
		n++
		if pair {
			out.Pairs = true
			n++
		}
	}
	out.Wide = n >= wideFrom
	var all []row
	for _, b := range m.r.Behaviours {
		g := group{ID: m.ids.unique("behaviour-" + b.Stem), Stem: b.Stem, Promise: b.Promise}
		var classes []string
		for _, c := range b.Checks {
			r := m.row(b, c, out.Columns)
			g.Rows = append(g.Rows, r)
			classes = append(classes, strings.Fields(r.Class)...)
			out.Checks++
		}
		g.Class = distinct(classes)
		g.Cells = groupCells(g.Rows, out.Columns, m.called(m.r.Reference))
		out.Groups = append(out.Groups, g)
		all = append(all, g.Rows...)
	}
	out.Total = groupCells(all, out.Columns, m.called(m.r.Reference))
	worstFirst(out.Groups)
	return out
}

func (m *maker) row(b report.Behaviour, c report.Check, columns []column) row {
	r := row{Name: strings.TrimPrefix(c.ID, b.Stem+"/"), Link: m.link(c.ID), Level: c.Level, Extended: c.Extended, Provisional: c.Provisional, Pair: c.Pair}
	var classes []string
	for _, col := range columns {
		own, swap := m.cells(c, col)
		r.Cells = append(r.Cells, own)
		if col.Pair {
			r.Cells = append(r.Cells, swap)
		}
	}
	for _, x := range r.Cells {
		if x.Blank {
			continue
		}
		classes = append(classes, x.Class)
		if x.Silent {
			classes = append(classes, silentClass)
		}
		if x.Flag != "" {
			classes = append(classes, unexpectedClass)
		}
		if x.Was != nil {
			classes = append(classes, x.Was.Class)
		}
	}
	r.Class = distinct(classes)
	return r
}

// cells are the places of a check in the columns of a target: its answer, and what the swap means.
func (m *maker) cells(c report.Check, col column) (own, swap cell) {
	at := [2]string{col.Name, c.ID}
	to := "#" + m.look.places[at]
	if j, ok := m.look.cells[at]; ok {
		own = judged(j.Judgement)
	} else {
		own = cell{kind: outcomeKind(""), Flag: "missing"}
	}
	own.Blank = c.Pair
	own.Label, own.To = col.Called(), to
	p, ok := m.look.pairs[at]
	swap = cell{kind: effectKind(p.Effect), Swap: true, Silent: p.Silent, To: to, Label: "in place of " + m.called(m.r.Reference)}
	switch {
	case ok && p.Outcome != "": // a pair check: the answer is about both
		j := judged(p.Judgement)
		swap.Answer, swap.Flag, swap.Listed = j.Answer, j.Flag, j.Listed
	case ok && !p.Expected.OK:
		swap.Flag = flag(p.Expected)
	case !ok && c.Lone:
		swap.kind, swap.Blank = effectKind("not-compared"), true
	case !ok:
		swap.kind, swap.Flag = effectKind("missing"), "missing"
	}
	own.Was = m.look.past[[2]string{col.Name, c.ID}]
	swap.Was = m.look.past[[2]string{col.Name + " in place of " + m.r.Reference, c.ID}]
	return own, swap
}

func judged(j report.Judgement) cell {
	out := cell{kind: outcomeKind(j.Outcome), Answer: j.Variant, Listed: j.Expected.Status == "as-listed"}
	if !j.Expected.OK {
		out.Flag = flag(j.Expected)
	}
	return out
}

func flag(e report.Expected) string {
	if e.Status == "" {
		return "unexpected"
	}
	return e.Status
}

// groupCells count the rows of a behaviour, column by column.
func groupCells(rows []row, columns []column, reference string) []groupCell {
	var out []groupCell
	at := 0
	for _, col := range columns {
		out = append(out, groupCell{Label: col.Called(), Parts: counted(rows, at, outcomeKinds())})
		at++
		if col.Pair {
			swap := groupCell{Label: "in place of " + reference, Swap: true, Parts: counted(rows, at, effectKinds())}
			silent := 0
			for _, r := range rows {
				if r.Cells[at].Silent {
					silent++
				}
			}
			if silent > 0 {
				swap.Note = fmt.Sprintf("%d SILENT", silent)
			}
			out = append(out, swap)
			at++
		}
	}
	return out
}

// counted counts one column by kind. Provisional checks are in no count.
func counted(rows []row, at int, kinds []kind) []count {
	n, all := map[string]int{}, 0
	for _, r := range rows {
		if c := r.Cells[at]; !c.Blank && !r.Provisional {
			n[c.Class]++
			all++
		}
	}
	var out []count
	for _, k := range kinds {
		if n[k.Class] > 0 {
			out = append(out, count{k, n[k.Class], 100 * float64(n[k.Class]) / float64(all)})
		}
	}
	return out
}

func distinct(classes []string) string {
	slices.Sort(classes)
	return strings.Join(slices.Compact(classes), " ")
}
