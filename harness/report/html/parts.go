package html

import (
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

// page is a report as the templates show it, one field for each part.
type page struct {
	Title     string
	Head      head
	Decisions []decision
	Tallies   []tally
	Filters   []filter
	Matrix    matrix
	Plots     []plot
	Scatters  *scatters
	Releases  *releases
	Evidence  []chapter
	Baseline  *baseline
	Since     *since
	Targets   []target
	Made      []fact
}

// head is what is said before all.
type head struct {
	Words    []string // of a report that compares nothing
	State    string
	OK       bool
	Judged   string
	Revision string
	Targets  []target
	Listed   int // cells that deviate as their list of known deviations says
}

// target is a server: its name never stands without its kind.
type target struct {
	Name, Kind string
	Reference  bool
	Label      string // what must be said of it
	Problem    string
	Facts      []fact
}

// Honest says that the target is what it is called: real, or somebody's server.
func (t target) Honest() bool { return t.Kind == "real" || t.Kind == "endpoint" }

// Called is the name with the kind, where that must be said.
func (t target) Called() string {
	if t.Honest() || t.Kind == "" {
		return t.Name
	}
	return t.Name + " (" + t.Kind + ")"
}

type fact struct{ Name, Text string }

// tally counts cells of one column by outcome or effect.
type tally struct {
	Of    string
	Parts []count
}

type count struct {
	kind
	N     int
	Share float64 // of all, in percent
}

// decision is the verdict on one pair.
type decision struct {
	ID                   string
	Reference, Candidate target
	Class, Answer        string
	Words                string
	Tiles                []tile
	Changes              []change
	Breaks, Failed       []trouble
	Index                []string
	IndexBreaks          []trouble
	Operations           []verdict.Operation
	Unknown              []verdict.Open
	Open                 bool // on the screen at once
}

type tile struct{ Name, Class, Answer, More string }

// change is what clients do, why, and what shows that it helps.
type change struct {
	Do, Proof, Remedy string
	Silent            bool
	Why, Instead      []string
	Checks            []link
}

type trouble struct {
	Check  link
	Text   string
	Silent bool
}

// link leads to the evidence of a check; empty of one that the report does not hold.
type link struct{ To, Text string }

// baseline is what changed since an earlier recording.
type baseline struct {
	Folder   string
	Compared int
	Rows     []baselineRow
}

// since is what changed since an earlier report.
type since struct {
	Report, Judged string
	Compared       int
	Deselected     []string // which that report answers, and this run was told not to ask
	Groups         []turns
}

// turns are the cells with which the same happened.
type turns struct {
	Name, Class string
	Rows        []turn
}

type turn struct {
	report.Turn
	At link
}

type baselineRow struct {
	Column, Before, After string
	Check                 link
	Provisional           bool
}
