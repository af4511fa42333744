package kill_test

import (
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// twins are servers that are compared with themselves, by a plan of their own: nothing changes for anybody when such
// a server takes its own place. They show the variants that need two servers with the same fault.
func twins() []mutant {
	return []mutant{
		{name: "the base"},
		{name: "usage is absent", with: "usage: {count: absent}", shows: "token_parity/per-document=neither-counts token_parity/edge-texts=neither-counts", also: []coupling{
			{undecided, "token_parity/sum=not-counted"},
			{"no text of the limit can be made", "truncation/reference-limit=not-applicable"},
		}},
		{name: "input_type refused", with: "instruction: {input_type: refused}", shows: "instructions/same-query=neither-serves", also: []coupling{
			// The prefix is no way out of anything here: the reference has no query that it could be held to.
			{harmful, "instructions/prefixed-query=not-served"},
		}},
		{name: "input_type refused, and the prefix is too long", with: "instruction: {input_type: refused}", declare: func(f *contract.Facts) {
			f.QueryPrefix = contract.Filler{Words: killLimit}.String()
		}, shows: "instructions/prefixed-query=neither-serves", also: []coupling{
			{"the query is refused alike", "instructions/same-query=neither-serves"},
		}},
		{name: "another query prefix", with: `instruction: {query_prefix: "query: "}`, shows: "instructions/prefixed-query=not-the-prefix"},
		{name: "special tokens refused", with: "model: {special_tokens: refused}"},
		{name: "no input_type, no prefix", with: "instruction: {input_type: refused}", declare: func(f *contract.Facts) { f.QueryPrefix = "" },
			shows: "instructions/same-query=neither-serves", also: []coupling{
				{"there is no prefix to ask with", "instructions/prefixed-query=not-applicable"},
			}},
	}
}

// What the suite says of some twins is more than can be said of a server in its own place; the reasons mark it.
const (
	undecided = "two servers that do not count are not told apart from one that no longer does" // effect unknown
	harmful   = "a refusal by both is not told apart from a refusal by one"                     // effect client-change
)

func TestTwinsDoNotChange(t *testing.T) {
	l := openLab(t)
	alone := &lab{suite: l.suite, judge: l.judge, doc: l.doc} // without a base: each has a plan of its own
	for _, m := range twins() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			rec, err := alone.record(m, 1)
			if err != nil {
				t.Fatal(err)
			}
			want, effects := cellsIn(t, m.shows), map[string]contract.Effect{}
			for _, c := range m.also {
				for id, variant := range cellsIn(t, c.cells) {
					want[id] = variant
					effects[id] = map[string]contract.Effect{undecided: contract.Unknown, harmful: contract.ClientChange}[c.why]
				}
			}
			for _, c := range l.suite.Checks() {
				if !c.Pair() {
					continue
				}
				cell := l.judge.Pair(rec, rec, c)
				if expected := want[c.ID]; cell.Variant() != expected && (expected != "" || cell.Outcome != contract.Pass) {
					t.Errorf("%s is %s, want %q: %s %s", c.ID, cell.Variant(), expected, cell.Finding.Observed, cell.Reason)
				}
				got := cell.Change.Effect
				if listed := effects[c.ID]; got != listed && (listed != "" || got != contract.Same && got != contract.Compatible) {
					t.Errorf("%s: effect %s, want %q", c.ID, got, listed)
				}
			}
		})
	}
}
