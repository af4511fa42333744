package standing_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/expect/standing"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// suite has checks whose variant is what was recorded of them; that of a pair is what was recorded of the candidate.
func suite() contract.Suite {
	variants := []contract.Variant{
		{Name: "good", Outcome: contract.Pass, Effect: contract.Same}, {Name: "odd", Outcome: contract.Differs, Effect: contract.Same},
		{Name: "bad", Outcome: contract.Fail, Effect: contract.IndexBreak}, {Name: "worse", Outcome: contract.Fail, Effect: contract.IndexBreak},
	}
	seen := func(e contract.Evidence) contract.Finding {
		return contract.Found(string(e.Step("s").Body), "seen").From("s")
	}
	var checks []contract.Check
	for _, id := range []string{"c/one", "c/two", "c/late", "c/new"} {
		checks = append(checks, contract.Check{ID: id, Variants: variants, Classify: seen, Extended: id == "c/late", Provisional: id == "c/new",
			Probe: func(context.Context, contract.Prober) error { return nil }})
	}
	checks = append(checks, contract.Check{ID: "c/pair", Variants: variants, Probe: checks[0].Probe,
		Compare: func(_, k contract.Evidence) contract.Finding { return seen(k) }})
	return contract.Suite{
		Facts:      contract.FactFinder{Derive: func(d contract.Facts, _ contract.Evidence) contract.Facts { return d }},
		Behaviours: []contract.Behaviour{{Stem: "c", Checks: checks}},
	}
}

// recorded is a recording of a target: check and variant, with a space between; "n/a" cannot be asked, "error" has no end.
func recorded(t *testing.T, name, version string, answers ...string) *recording.Recording {
	t.Helper()
	w, err := recording.InMemory(recording.Header{Target: recording.Target{Name: name, Model: "m", Versions: map[string]string{"d": version}}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Plan(contract.NewPlan("r", contract.Facts{Dimensions: 3}, contract.Corpus{Name: "x"})); err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		words := strings.Fields(a)
		for round, variant := range words[1:] {
			inapplicable, failure := "", ""
			switch variant {
			case "n/a":
				inapplicable = "no key"
			case "error":
				failure = "it went wrong"
			default:
				if _, err := w.Exchange(contract.Step{Check: words[0], Name: "s", Round: round, Status: 200, Body: []byte(variant)}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.End(words[0], round, inapplicable, failure); err != nil {
				t.Fatal(err)
			}
		}
	}
	return w.Recording()
}

const head = "targets: [a, b]\nknown:\n"

func entry(check, variant, more string) string {
	return "- {check: " + check + ", variant: " + variant + more + ", why: w, upstream: u, review: 2027-01-31}\n"
}

// sources are recordings with a list of a and b.
func sources(t *testing.T, list string, recs ...*recording.Recording) []standing.Source {
	t.Helper()
	f, err := expect.Parse("list.yaml", []byte(list), suite())
	if err != nil {
		t.Fatal(err)
	}
	var out []standing.Source
	for _, r := range recs {
		s := standing.Source{Recording: r}
		if name := r.Header.Target.Name; name == "a" || name == "b" {
			s.File = f
			if s.List, err = f.For(name, r.Header.Target.Versions); err != nil {
				t.Fatal(err)
			}
		}
		out = append(out, s)
	}
	return out
}

func day(t *testing.T, s string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOf(t *testing.T) {
	good := []string{"c/one good", "c/two good", "c/new good", "c/pair good"}
	for _, c := range []struct {
		name, list string
		today      string
		answers    []string // of a
		reference  bool
		want       string // rows that are not as promised
		exit       int
	}{
		{"as promised", head, "", good, true, "", 0},
		{"as listed", head + entry("c/one", "bad", "") + entry("c/pair", "odd", ", references: [r]"), "", []string{"c/one bad", "c/two good", "c/new good", "c/pair odd"}, true,
			"c/one on a as-listed, c/pair on a in place of r as-listed", 0},
		{"unexpected", head, "", []string{"c/one bad", "c/two good", "c/new good", "c/pair bad"}, true, "c/one on a unexpected, c/pair on a in place of r unexpected", 1},
		{"changed", head + entry("c/one", "bad", ""), "", []string{"c/one worse", "c/two good", "c/new good", "c/pair good"}, true, "c/one on a changed", 1},
		{"stale", head + entry("c/one", "bad", ""), "", good, true, "c/one on a stale", 1},
		{"overdue", head + entry("c/one", "bad", ""), "2027-02-01", []string{"c/one bad", "c/two good", "c/new good", "c/pair good"}, true, "c/one on a as-listed overdue", 0},
		{"expired", head + entry("c/one", "bad", ""), "2027-05-02", []string{"c/one bad", "c/two good", "c/new good", "c/pair good"}, true, "c/one on a expired overdue", 1},
		{"provisional", head, "", []string{"c/one good", "c/two good", "c/new bad", "c/pair good"}, true, "c/new on a provisional", 0},
		{"missing", head, "", []string{"c/one good", "c/new good", "c/pair good"}, true, "c/two on a no-verdict", 3},
		{"an error", head, "", []string{"c/one good", "c/two error", "c/new good", "c/pair good"}, true, "c/two on a no-verdict", 3},
		{"flaky", head, "", []string{"c/one good bad", "c/two good", "c/new good", "c/pair good"}, true, "c/one on a no-verdict", 1},
		{"an error beside what is unexpected", head, "", []string{"c/one bad", "c/two error", "c/new good", "c/pair good"}, true, "c/one on a unexpected, c/two on a no-verdict", 1},
		{"an extended check that is listed", head + entry("c/late", "bad", ""), "", good, true, "c/late on a not-asked", 0},
		{"an extended check that was recorded", head, "", append([]string{"c/late bad"}, good...), true, "c/late on a unexpected", 1},
		{"a pair without its reference", head + entry("c/pair", "bad", ", references: [x, y]"), "", good, true, "c/pair on a not-asked", 0},
		{"no reference", head + entry("c/pair", "bad", ", references: [r]"), "", good, false, "c/pair on a not-asked", 0},
		{"of other versions", head + entry("c/one", "bad", ", versions: {d: <1.6}"), "", []string{"c/one bad", "c/two good", "c/new good", "c/pair good"}, true, "c/one on a unexpected", 1},
		{"nothing was judged", head, "", []string{"c/one n/a", "c/two n/a", "c/new n/a"}, false, "c/one on a not-asked, c/two on a not-asked, c/new on a not-asked", 5},
	} {
		recs := []*recording.Recording{recorded(t, "a", "1.6.1", c.answers...)}
		if c.reference {
			recs = append([]*recording.Recording{recorded(t, "r", "1", good...)}, recs...)
		}
		today := day(t, "2027-01-31")
		if c.today != "" {
			today = day(t, c.today)
		}
		rows := standing.Of(suite(), sources(t, c.list, recs...), nil, today)
		var got []string
		for _, r := range rows {
			if r.Match.Status == expect.AsPromised && !r.Match.Overdue {
				continue
			}
			s := r.String() + " " + string(r.Match.Status)
			if r.Match.Overdue {
				s += " overdue"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, s, c.want)
		}
		if exit := standing.Exit(rows); exit != c.exit {
			t.Errorf("%s: exit code %d, want %d", c.name, exit, c.exit)
		}
	}
}
