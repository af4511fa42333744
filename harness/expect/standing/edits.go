package standing

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
)

// Edits are the changes that make each file match the rows, or the reasons why that must not be done: what was not asked,
// not answered, or answered in two ways would be written down as if it were known. Entries of other versions, of
// provisional checks, of extended ones that were not asked for, and past their review day stay as they are.
func Edits(rows []Row) (map[*expect.File]expect.Edits, []string) {
	var problems []string
	for _, r := range rows {
		if p := r.problem(); p != "" {
			problems = append(problems, p)
		}
	}
	out := map[*expect.File]expect.Edits{}
	for _, f := range files(rows) {
		e, p := edits(slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return r.Source.File != f || r.Check.Provisional }))
		out[f] = e
		problems = append(problems, p...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return out, nil
}

func files(rows []Row) []*expect.File {
	var out []*expect.File
	for _, r := range rows {
		if !slices.Contains(out, r.Source.File) {
			out = append(out, r.Source.File)
		}
	}
	return out
}

// problem says why nothing can be written down of a row.
func (r Row) problem() string {
	listed := r.Match.Known != nil
	switch {
	case r.Check.Provisional, r.Source.unrecorded(r.Check):
		return ""
	case r.Cell.Outcome == contract.Error, r.Cell.Outcome == contract.Flaky:
		return fmt.Sprintf("%s has no verdict: %s: %s", r, r.Cell.Outcome, r.Cell.Reason)
	case listed && (r.Cell.Outcome == contract.Skipped || r.Cell.Outcome == contract.NotApplicable):
		return fmt.Sprintf("%s is listed and was not asked: %s", r, r.Cell.Reason)
	case r.Cell.Finding.Variant == contract.Other:
		return fmt.Sprintf("%s is answered in a way that the contract has no word for, which no entry can name: %s", r, r.Cell.Finding.Observed)
	case r.Source.List.Outside:
		return fmt.Sprintf("%s: the file is for the versions %v, which those of the target are not: widen them, or give it a file of its own", r.Source.name(), r.Source.File.Versions)
	}
	return ""
}

// String names the cell of a row.
func (r Row) String() string {
	if r.Reference != "" {
		return r.Check.ID + " on " + r.Source.name() + " in place of " + r.Reference
	}
	return r.Check.ID + " on " + r.Source.name()
}

// wanted is the variant that an entry would have to name; empty: there should be none.
func (r Row) wanted() string {
	if r.Cell.Outcome == contract.Pass {
		return ""
	}
	return r.Cell.Variant()
}

func edits(rows []Row) (expect.Edits, []string) {
	e := expect.Edits{Variants: map[int]string{}, Remove: map[int]bool{}}
	var problems []string
	settled := map[string]Row{} // by entry, or by check and reference where there is none
	for _, r := range rows {
		if r.Cell.Outcome == contract.Skipped || r.Cell.Outcome == contract.NotApplicable {
			continue
		}
		key := r.Check.ID + " " + r.Reference
		if r.Match.Known != nil {
			key = fmt.Sprint(r.Match.Known.Entry)
		}
		before, again := settled[key]
		settled[key] = r
		switch {
		case again && before.wanted() != r.wanted():
			problems = append(problems, fmt.Sprintf("%s is %s, and %s is %s: one entry cannot say both; tell them apart by versions or references, or in files of their own",
				before, before.Cell.Variant(), r, r.Cell.Variant()))
		case r.Match.Status == expect.Changed:
			e.Variants[r.Match.Known.Entry] = r.wanted()
		case r.Match.Status == expect.Stale:
			e.Remove[r.Match.Known.Entry] = true
		case r.Match.Status == expect.Unexpected && !again:
			e.Add = added(e.Add, r)
		}
	}
	return e, problems
}

// added is a list of new entries with that of a row: references with the same answer share one.
func added(known []expect.Known, r Row) []expect.Known {
	k := expect.Known{Check: r.Check.ID, Variant: r.wanted()}
	if r.Reference != "" {
		k.References = []string{r.Reference}
	}
	for _, other := range r.Source.List.Elsewhere { // which speaks of other versions: this one is of these
		if other.Check != k.Check {
			continue
		}
		for component := range other.Versions {
			if k.Versions == nil {
				k.Versions = map[string]string{}
			}
			version, _, _ := strings.Cut(r.Source.Recording.Header.Target.Versions[component], "+")
			k.Versions[component] = "==" + version
		}
	}
	for i := range known {
		if known[i].Check == k.Check && known[i].Variant == k.Variant && r.Reference != "" && fmt.Sprint(known[i].Versions) == fmt.Sprint(k.Versions) {
			known[i].References = append(known[i].References, r.Reference)
			return known
		}
	}
	return append(known, k)
}

// Prove applies edits to the text of a file, and holds the recordings to the result with all that is left to write filled
// in: a file is not to be written unless its targets are then as listed.
func Prove(suite contract.Suite, sources []Source, f *expect.File, data []byte, e expect.Edits, today time.Time) ([]byte, error) {
	after, err := expect.Rewrite(data, e)
	if err != nil {
		return nil, err
	}
	filled := e
	filled.Add = slices.Clone(e.Add)
	for i := range filled.Add {
		filled.Add[i].Why, filled.Add[i].Upstream, filled.Add[i].Review = "w", "u", today.Format(time.DateOnly)
	}
	text, err := expect.Rewrite(data, filled)
	if err != nil {
		return nil, err
	}
	g, err := expect.Parse("as rewritten", text, suite)
	if err != nil {
		return nil, err
	}
	if want := len(f.Known) - len(e.Remove) + len(e.Add); len(g.Known) != want {
		return nil, fmt.Errorf("as rewritten it has %d entries; expected %d", len(g.Known), want)
	}
	held := slices.Clone(sources)
	for i, s := range held {
		if s.File != f {
			continue
		}
		held[i].File = g
		if held[i].List, err = g.For(s.name(), s.Recording.Header.Target.Versions); err != nil {
			return nil, err
		}
	}
	for _, r := range Of(suite, held, nil, today) {
		if r.Source.File == g && !r.Match.Status.OK() && r.Match.Status != expect.Expired {
			return nil, fmt.Errorf("as rewritten, %s is %s", r, r.Match.Status)
		}
	}
	return after, nil
}
