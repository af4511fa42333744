package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Since holds a report to an earlier one of the same targets: a run fails on what is worse than in it, and on nothing
// else. Provisional checks are listed, and decide nothing.
type Since struct {
	Report   string    `json:"report"`   // the file of the earlier one
	Judged   time.Time `json:"judged"`   // when that was made
	Compared int       `json:"compared"` // cells that both hold
	// Strict: what is gone fails the run as well, so that the earlier report is renewed.
	Strict bool   `json:"strict,omitempty"`
	New    []Turn `json:"new"`   // worse than in the earlier report
	Known  []Turn `json:"known"` // would fail the run, and was so already
	Gone   []Turn `json:"gone"`  // better than in it
	Moved  []Turn `json:"moved"` // answered otherwise, and no worse
	// Deselected are checks that the earlier report answers, and that this run was told not to ask.
	Deselected []string `json:"deselected"`
}

// Turn is what became of one cell since the earlier report.
type Turn struct {
	Column string `json:"column"` // target, or "candidate in place of reference"
	// Check is its id, or that of a remedy; "facts", "clients" and "index" are of the whole column.
	Check string `json:"check"`
	// Kind: worse, changed (as bad, in another way), first-seen (the earlier report has no answer), no-answer, vanished,
	// list (the list of known deviations is broken by the same answer) of what is new; alike, better, other, reason (there is
	// no verdict for another reason) of the rest.
	Kind        string `json:"kind"`
	Before      string `json:"before"`
	After       string `json:"after"`
	Observed    string `json:"observed,omitempty"`
	Provisional bool   `json:"provisional,omitempty"`
}

// The kinds of a Turn.
const (
	turnWorse     = "worse"
	turnChanged   = "changed"
	turnFirst     = "first-seen"
	turnNoAnswer  = "no-answer"
	turnVanished  = "vanished"
	turnList      = "list"
	turnAlike     = "alike"
	turnBetter    = "better"
	turnOther     = "other"
	turnReason    = "reason"
	absentReading = "absent"
)

func (s *Since) lists() []*[]Turn { return []*[]Turn{&s.New, &s.Known, &s.Gone, &s.Moved} }

func countedTurns(all []Turn) int {
	n := 0
	for _, t := range all {
		if !t.Provisional {
			n++
		}
	}
	return n
}

// String says what became of the cell.
func (t Turn) String() string {
	s := line(t.Column) + "  " + line(t.Check) + ": "
	switch t.Kind {
	case turnAlike:
		s += line(t.After)
	case turnReason:
		s += "no verdict, as then, for another reason"
	case turnVanished:
		s += "was " + line(t.Before) + ", and was not asked"
	default:
		s += "was " + line(t.Before) + ", is " + line(t.After)
	}
	if t.Kind == turnList {
		s += " against the list of known deviations"
	}
	if t.Observed != "" && t.Kind != turnAlike {
		s += ": " + fit(line(t.Observed), observedShown)
	}
	if t.Provisional {
		s += " (provisional, not counted)"
	}
	return s
}

// observedShown is how many columns of what was seen are shown beside a change.
const observedShown = 120

// lines is what became of the earlier report in words; nil without one.
func (s *Since) lines() []string {
	if s == nil {
		return nil
	}
	of := line(s.Report)
	if !s.Judged.IsZero() {
		of += " of " + s.Judged.UTC().Format(time.DateOnly)
	}
	head := fmt.Sprintf("Held to the report %s (%d cells compared): %d new · %d known · %d gone", of, s.Compared, countedTurns(s.New), countedTurns(s.Known), countedTurns(s.Gone))
	if len(s.Moved) > 0 {
		head += fmt.Sprintf(" · %d otherwise, no worse", len(s.Moved))
	}
	if countedTurns(s.New) == 0 {
		head += ". Nothing got worse."
	} else {
		head += ". What is new fails this run."
	}
	out := []string{head}
	put := func(title string, all []Turn) {
		if len(all) == 0 {
			return
		}
		out = append(out, fmt.Sprintf("%s (%d):", title, len(all)))
		for _, t := range all {
			out = append(out, "  "+t.String())
		}
	}
	put("new", s.New)
	gone := "gone: better than in that report, which is STALE; put this run's report.json in its place"
	if s.Strict {
		gone += " (and fails this run, as was asked)"
	}
	put(gone, s.Gone)
	put("otherwise, and no worse", s.Moved)
	if len(s.Known) > 0 {
		var ids []string
		for _, t := range s.Known {
			if id := line(t.Check); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		out = append(out, fmt.Sprintf("known (%d), bad alike in both: %s", len(s.Known), strings.Join(ids, ", ")))
	}
	if n := len(s.Deselected); n > 0 {
		out = append(out, fmt.Sprintf("NOT ASKED (%d), as this run was told, though that report answers them: %s", n, line(strings.Join(s.Deselected, ", "))))
	}
	return out
}

// sinceSuite has a failing case for each thing that is new and has no cell of its own, and what became of the rest. A
// cell that is new fails in the suite of its column.
func (r *Report) sinceSuite() junitSuite {
	s := junitSuite{Name: "since " + line(r.Since.Report)}
	class := "since " + dotless(r.Since.Report)
	cells, _ := readings(r)
	put := func(t Turn, fails bool) {
		c := junitCase{Name: line(t.Check), Class: class + "." + dotless(t.Column)}
		text := fit(t.String(), textShown)
		if fails {
			c.Failure = &junitMessage{Message: text, Type: t.Kind, Text: text}
		} else {
			c.SystemOut = output(t.Kind + ": " + text)
		}
		s.Cases = append(s.Cases, c)
	}
	for _, t := range r.Since.New {
		if _, own := cells[cellKey{t.Column, t.Check}]; !own {
			put(t, !t.Provisional)
		}
	}
	for _, t := range r.Since.Gone {
		put(t, r.Since.Strict && !t.Provisional)
	}
	if len(s.Cases) == 0 {
		s.Cases = append(s.Cases, junitCase{Name: "compared", Class: class})
	}
	s.SystemOut = output(r.Since.lines()...)
	return s
}
