package suites_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/suites"
)

// surveyed is the number of behaviours of the survey.
const surveyed = 135

// TestEveryRowIsCoveredOrLeftOut holds the checks to the survey: each of its rows is the source of a check or is left
// out with a reason, and a source that reads like a row is one.
func TestEveryRowIsCoveredOrLeftOut(t *testing.T) {
	s, err := suites.At(contract.Draft)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, g := range suites.Rows() {
		n += len(g.Rows)
	}
	if n != surveyed {
		t.Errorf("%d rows are listed, the survey has %d", n, surveyed)
	}
	for _, problem := range rowProblems(s, suites.Rows(), suites.LeftOut()) {
		t.Error(problem)
	}
}

// covering maps each source to the checks that name it.
func covering(s contract.Suite) map[string][]string {
	out := map[string][]string{}
	for _, c := range s.Checks() {
		for _, source := range c.Sources {
			out[source] = append(out[source], c.ID)
		}
	}
	return out
}

func rowProblems(s contract.Suite, groups []suites.RowGroup, leftOut []suites.Omission) (problems []string) {
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	sources := covering(s)
	out := map[string]bool{}
	for _, o := range leftOut {
		switch {
		case out[o.Row]:
			say("row %s is left out twice", o.Row)
		case o.Why == "":
			say("row %s is left out without a reason", o.Row)
		}
		out[o.Row] = true
	}
	rows, prefixes := map[string]bool{}, map[string]bool{}
	for _, g := range groups {
		for _, r := range g.Rows {
			if rows[r.ID] || r.Relies == "" {
				say("row %s is listed twice, or does not say what a client relies on", r.ID)
			}
			rows[r.ID] = true
			prefix, _, _ := strings.Cut(r.ID, "-")
			prefixes[prefix] = true
			switch covered := sources[r.ID]; {
			case len(covered) > 0 && out[r.ID]:
				say("row %s is left out, and %s covers it: take it from LeftOut", r.ID, strings.Join(covered, ", "))
			case len(covered) == 0 && !out[r.ID]:
				say("row %s (%s: %s) is in the Sources of no check: name it in the check that covers it, or leave it out with a reason (LeftOut)", r.ID, g.Title, r.Relies)
			}
		}
	}
	for id := range out {
		if !rows[id] {
			say("%s is left out, but is no row", id)
		}
	}
	row := regexp.MustCompile(`^([a-z]+)(-[a-z0-9]+)+$`)
	for source, checks := range sources {
		if m := row.FindStringSubmatch(source); m != nil && prefixes[m[1]] && !rows[source] {
			say("%s names the source %s, which reads like a row and is none", strings.Join(checks, ", "), source)
		}
	}
	slices.Sort(problems)
	return problems
}

func TestRowProblems(t *testing.T) {
	s := contract.Suite{Behaviours: []contract.Behaviour{{Stem: "b", Checks: []contract.Check{
		{ID: "b/one", Sources: []string{"dim-a", "an article", "https://example.org/dim-x", "openai-go"}},
		{ID: "b/two", Sources: []string{"dim-a", "dim-typo"}},
	}}}}
	groups := []suites.RowGroup{{Title: "T", Rows: []suites.Row{{ID: "dim-a", Relies: "x"}, {ID: "dim-b", Relies: "y"}, {ID: "dim-c", Relies: "z"}}}}
	if got := rowProblems(s, groups, []suites.Omission{{Row: "dim-b", Why: "no server can be asked"}, {Row: "dim-a", Why: "w"}, {Row: "dim-z"}}); !slices.Equal(got, []string{
		"b/two names the source dim-typo, which reads like a row and is none",
		"dim-z is left out, but is no row",
		"row dim-a is left out, and b/one, b/two covers it: take it from LeftOut",
		"row dim-c (T: z) is in the Sources of no check: name it in the check that covers it, or leave it out with a reason (LeftOut)",
		"row dim-z is left out without a reason",
	}) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	s.Behaviours[0].Checks[1].Sources = []string{"dim-c"}
	if got := rowProblems(s, groups, []suites.Omission{{Row: "dim-b", Why: "w"}}); len(got) != 0 {
		t.Errorf("nothing is wrong: %v", got)
	}
}
