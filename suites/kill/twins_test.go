package kill_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// twins are servers that are compared with themselves, by a plan of their own: nothing changes for anybody when such
// a server takes its own place. They show the variants that need two servers with the same fault.
func twins() []mutant {
	return []mutant{
		{name: "the base"},
		{name: "usage is absent", with: "usage: {count: absent}", shows: "token_parity/per-document=neither-counts token_parity/edge-texts=neither-counts token_parity/sum=neither-counts", also: []coupling{
			{"no text of the limit can be made", "truncation/reference-limit=not-applicable"},
		}},
		{name: "input_type refused", with: "instruction: {input_type: refused}", shows: "instructions/same-document=neither-serves instructions/same-query=neither-serves", also: []coupling{
			{"the reference has no query that the prefix could be held to", "instructions/prefixed-query=not-the-prefix"},
		}},
		{name: "input_type refused, and the prefix is too long", with: "instruction: {input_type: refused}", declare: func(f *contract.Facts) {
			f.QueryPrefix = contract.Filler{Words: killLimit}.String()
		}, shows: "instructions/prefixed-query=neither-serves", also: []coupling{
			{"the query is refused alike, and the document", "instructions/same-query=neither-serves instructions/same-document=neither-serves"},
		}},
		{name: "another query prefix", with: `instruction: {query_prefix: "query: "}`, shows: "instructions/prefixed-query=not-the-prefix"},
		{name: "special tokens refused", with: "model: {special_tokens: refused}"},
		{name: "no input_type, no prefix", with: "instruction: {input_type: refused}", declare: func(f *contract.Facts) { f.QueryPrefix = "" },
			shows: "instructions/same-document=neither-serves instructions/same-query=neither-serves", also: []coupling{
				{"there is no prefix to ask with", "instructions/prefixed-query=not-applicable"},
			}},
	}
}

// own are the cells that a row names.
func (m mutant) own(t *testing.T) map[string]string {
	cells := cellsIn(t, m.shows)
	for _, c := range m.also {
		maps.Copy(cells, cellsIn(t, c.cells))
	}
	return cells
}

// changes says what is wrong with the cell of a server in its own place; empty: nothing.
func changes(cell judge.Cell, want string) string {
	if cell.Variant() != want && (want != "" || cell.Outcome != contract.Pass) {
		return fmt.Sprintf("is %s, want %q: %s %s", cell.Variant(), want, cell.Finding.Observed, cell.Reason)
	}
	if got := cell.Change.Effect; got != contract.Same && got != contract.Compatible && got != contract.NotCompared {
		return fmt.Sprintf("has effect %s of a server in its own place", got)
	}
	return ""
}

func inTheirOwnPlace(t *testing.T, l *lab, seen *matrix) {
	alone := l.alone()
	for _, m := range twins() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			rec, err := alone.record(t, m, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := m.own(t)
			j := judge.New(l.suite)
			cells := map[string]judge.Cell{}
			for _, c := range l.suite.Checks() {
				if !c.Pair() {
					continue
				}
				cell := j.Pair(rec, rec, c)
				cells[c.ID] = cell
				if change := changes(cell, want[c.ID]); change != "" {
					t.Errorf("%s %s", c.ID, change)
				}
			}
			seen.twin(m, cells, want)
		})
	}
}
