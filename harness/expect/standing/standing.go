// Package standing says how recorded targets stand to their lists of known deviations, and what would have to change in
// the files of these so that they match what was recorded.
package standing

import (
	"slices"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// Source is a recorded target. File and List are nil for one without a list, which only serves as a reference.
type Source struct {
	Recording *recording.Recording
	File      *expect.File
	List      *expect.List // of File, for the versions of the recording
}

func (s Source) name() string { return s.Recording.Header.Target.Name }

// Row is one cell of a target with a list, and how it stands to that.
type Row struct {
	Source    Source
	Check     contract.Check
	Reference string // the target in whose place it is put; empty for target checks, and where no reference was given
	Cell      judge.Cell
	Match     expect.Match
}

// Of judges recordings. The first is the reference of the others; each target is compared with those too that its list
// names. Extended checks that were not recorded are left out, unless they are listed. Selected nil means all.
func Of(suite contract.Suite, sources []Source, selected func(contract.Check) bool, today time.Time) []Row {
	j := judge.New(suite)
	var rows []Row
	for _, s := range sources {
		if s.File == nil {
			continue
		}
		for _, c := range suite.Checks() {
			if selected != nil && !selected(c) {
				continue
			}
			row := func(reference string, cell judge.Cell) {
				m := s.List.Match(c.ID, reference, cell.Variant(), cell.Outcome, today)
				m.Status = m.Status.Of(c)
				rows = append(rows, Row{s, c, reference, cell, m})
			}
			entries := s.entries(c)
			switch {
			case s.unrecorded(c):
				cell := judge.Cell{Check: c.ID, Outcome: contract.Skipped, Reason: "an extended check that was not asked: record it with --extended, or --witness"}
				for _, k := range entries {
					rows = append(rows, s.unasked(c, k, cell, today))
				}
			case !c.Pair():
				row("", j.Target(s.Recording, c))
			default:
				given := map[string]bool{}
				for i, r := range sources {
					named := slices.ContainsFunc(entries, func(k expect.Known) bool { return slices.Contains(k.References, r.name()) })
					if r.name() != s.name() && (i == 0 || named) {
						given[r.name()] = true
						row(r.name(), j.Pair(r.Recording, s.Recording, c))
					}
				}
				for _, k := range entries {
					if !slices.ContainsFunc(k.References, func(r string) bool { return given[r] }) {
						cell := judge.Cell{Check: c.ID, Outcome: contract.Skipped, Reason: "it is about the place of " + strings.Join(k.References, ", ") + ", and no recording of these was given"}
						rows = append(rows, s.unasked(c, k, cell, today))
					}
				}
			}
		}
	}
	return rows
}

// unrecorded says that an extended check was not asked for.
func (s Source) unrecorded(c contract.Check) bool {
	return c.Extended && len(s.Recording.Trails(c.ID)) == 0
}

// entries are those in force for a check.
func (s Source) entries(c contract.Check) []expect.Known {
	var out []expect.Known
	for _, k := range s.List.Known {
		if k.Check == c.ID {
			out = append(out, k)
		}
	}
	return out
}

// unasked is the row of an entry of which the recordings say nothing.
func (s Source) unasked(c contract.Check, k expect.Known, cell judge.Cell, today time.Time) Row {
	one := &expect.List{Known: []expect.Known{k}}
	reference := ""
	if c.Pair() {
		reference = k.References[0]
	}
	m := one.Match(c.ID, reference, cell.Variant(), cell.Outcome, today)
	m.Status = m.Status.Of(c)
	return Row{s, c, "", cell, m}
}

// Exit is the exit code of rows, like that of a report: 0 as expected, 1 not as expected, 3 cannot tell, 5 nothing was
// judged.
func Exit(rows []Row) int {
	exit, judged := 0, false
	for _, r := range rows {
		judged = judged || r.Cell.Outcome != contract.Skipped && r.Cell.Outcome != contract.NotApplicable
		switch {
		case r.Match.Status.OK():
		case r.Cell.Outcome == contract.Error:
			if exit == 0 {
				exit = 3
			}
		default:
			exit = 1
		}
	}
	if !judged {
		return 5
	}
	return exit
}
