package html

import (
	"slices"

	"github.com/embedcontract/embedcontract/harness/report"
)

// The classes by which rows are found that are no outcome and no effect.
const (
	silentClass     = "is-silent"
	unexpectedClass = "is-unexpected"
	worseClass      = "is-worse"
	betterClass     = "is-better"
	movedClass      = "is-moved"
)

// markKinds are what a cell may be beside its outcome or effect: silent, not as expected, and then what it is beside what an
// earlier report, or an earlier recording, says of the same place.
func markKinds() []kind {
	return []kind{
		{silentClass, "✗", "SILENT", "no status and no error tells the client"},
		{unexpectedClass, "◄", "not as expected", "no known deviation is listed, or it is answered otherwise"},
		{worseClass, "▼", "worse", "than in the report that this one is held to"},
		{betterClass, "▲", "better", "than in the report that this one is held to"},
		{movedClass, "◆", "moved", "answered otherwise than before"},
	}
}

// past is what a cell read before: shown where that is something else.
type past struct {
	kind
	Before string
}

// pasts are the cells that read otherwise before, by column and check: since the report that this one is held to, and where
// there is none, since the recordings that it was compared with, of which no order from good to bad is known.
func pasts(r *report.Report) map[[2]string]*past {
	out := map[[2]string]*past{}
	marks := markKinds()
	put := func(k kind, column, check, before string) {
		out[[2]string{column, check}] = &past{k, before}
	}
	if b := r.Baseline; b != nil {
		for _, d := range b.Differences {
			put(marks[4], d.Column, d.Check, d.Before)
		}
	}
	if s := r.Since; s != nil {
		for i, turns := range [][]report.Turn{s.New, s.Gone, s.Moved} {
			for _, t := range turns {
				put(marks[2+i], t.Column, t.Check, t.Before)
			}
		}
	}
	return out
}

// worstFirst gives each behaviour its place in the order of what must be looked at first: what is not as expected, then what
// breaks an index, what is silent, what clients must change, what is not known, and what fails. Those alike keep the order of
// the contract.
func worstFirst(groups []group) {
	order := []string{unexpectedClass, "e-index-break", silentClass, "e-client-change", "e-unknown", missingEffect, "o-fail", "o-error", "o-flaky", missingOutcome, "o-differs"}
	weight := func(g group) []int {
		n := map[string]int{}
		tallied(n, slices.DeleteFunc(slices.Clone(g.Rows), func(r row) bool { return r.Provisional }))
		out := make([]int, len(order))
		for i, class := range order {
			out[i] = -n[class]
		}
		return out
	}
	at := make([]int, len(groups))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return slices.Compare(weight(groups[a]), weight(groups[b])) })
	for place, i := range at {
		groups[i].Worst = place
	}
}

// tallied adds the cells of rows to the counts of the classes by which they are found.
func tallied(n map[string]int, rows []row) {
	for _, r := range rows {
		for _, c := range r.Cells {
			if c.Blank {
				continue
			}
			n[c.Class]++
			if c.Silent {
				n[silentClass]++
			}
			if c.Flag != "" {
				n[unexpectedClass]++
			}
			if c.Was != nil {
				n[c.Was.Class]++
			}
		}
	}
}

// filter shows only the rows that hold a kind of cell.
type filter struct {
	kind
	ID    string
	Cells int
	First bool // of its group
	Group string
}

// filters are those that find anything.
func filters(m matrix) []filter {
	n := map[string]int{}
	for _, g := range m.Groups {
		tallied(n, g.Rows)
	}
	var out []filter
	add := func(group string, kinds ...kind) {
		first := true
		for _, k := range kinds {
			if n[k.Class] > 0 {
				out = append(out, filter{k, "show-" + k.Class, n[k.Class], first, group})
				first = false
			}
		}
	}
	add("Answers", outcomeKinds()...)
	marks := markKinds()
	add("The swap", append(effectKinds(), marks[0])...)
	add("Expectations", marks[1])
	add("Since before", marks[2:]...)
	return out
}
