package standing_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/expect/standing"
	"github.com/embedcontract/embedcontract/harness/recording"
)

const added = "\n  why: \"TODO: why it answers so\"\n  upstream: \"TODO: the issue, change or text that explains it\"\n  review: \"TODO: the day to look again, YYYY-MM-DD\"\n"

// TestEdits rewrites lists from recordings, and holds the recordings to what was written.
func TestEdits(t *testing.T) {
	r := recorded(t, "r", "1", "c/pair good")
	z := recorded(t, "z", "1", "c/pair good")
	for _, c := range []struct {
		name, list string
		recs       []*recording.Recording
		want       string
	}{
		{"nothing", head + entry("c/one", "bad", ""), recs(r, recorded(t, "a", "1", "c/one bad", "c/two good", "c/new error", "c/pair good")), head + entry("c/one", "bad", "")},
		{"changed, stale and new", head + entry("c/one", "bad", "") + "# two\n" + entry("c/two", "odd", ""),
			recs(r, recorded(t, "a", "1", "c/one worse", "c/two good", "c/new good", "c/late odd", "c/pair bad")),
			head + entry("c/one", "worse", "") + "- check: c/late\n  variant: odd" + added + "- check: c/pair\n  variant: bad\n  references: [r]" + added},
		{"references that get one answer", head + entry("c/pair", "odd", ", references: [r, x]"), recs(r, recorded(t, "a", "1", "c/one good", "c/two good", "c/new good", "c/pair bad")),
			head + entry("c/pair", "bad", ", references: [r, x]")},
		{"of a version", head + entry("c/one", "bad", ", versions: {d: <1.6}"), recs(r, recorded(t, "a", "1.6.1+cpu", "c/one worse", "c/two good", "c/new good", "c/pair good")),
			head + entry("c/one", "bad", ", versions: {d: <1.6}") + "- check: c/one\n  variant: worse\n  versions: {d: \"==1.6.1\"}" + added},
		{"two targets of one list", head + entry("c/one", "bad", "") + entry("c/pair", "bad", ", references: [r]"),
			recs(r, recorded(t, "a", "1", "c/one good", "c/two odd", "c/new good", "c/pair bad"), recorded(t, "b", "1", "c/one good", "c/two odd", "c/new bad", "c/pair bad")),
			head + entry("c/pair", "bad", ", references: [r]") + "- check: c/two\n  variant: odd" + added},
		{"a list that names a second reference", head + entry("c/pair", "bad", ", references: [z]"), recs(r, z, recorded(t, "a", "1", "c/one good", "c/two good", "c/new good", "c/pair odd")),
			head + entry("c/pair", "odd", ", references: [z]") + "- check: c/pair\n  variant: odd\n  references: [r]" + added},
		{"an extended check that was not asked for stays", head + entry("c/late", "bad", "") + entry("c/one", "bad", ""), recs(r, recorded(t, "a", "1", "c/one good", "c/two good", "c/new good", "c/pair good")),
			head + entry("c/late", "bad", "")},
		{"what is past its review day stays", head + strings.Replace(entry("c/one", "bad", ""), "2027", "2020", 1), recs(r, recorded(t, "a", "1", "c/one bad", "c/two good", "c/new good", "c/pair good")),
			head + strings.Replace(entry("c/one", "bad", ""), "2027", "2020", 1)},
	} {
		all := sources(t, c.list, c.recs...)
		rows := standing.Of(suite(), all, nil, day(t, "2027-01-31"))
		edits, problems := standing.Edits(rows)
		if len(problems) > 0 || len(edits) != 1 {
			t.Errorf("%s: %d files, %v", c.name, len(edits), problems)
			continue
		}
		for f, e := range edits {
			got, err := standing.Prove(suite(), all, f, []byte(c.list), e, day(t, "2027-01-31"))
			if err != nil || string(got) != c.want {
				t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.want)
			}
		}
	}
}

func recs(all ...*recording.Recording) []*recording.Recording { return all }

// TestEditsRefuse: nothing is written down of what the recordings do not tell.
func TestEditsRefuse(t *testing.T) {
	r := recorded(t, "r", "1", "c/pair good")
	for _, c := range []struct {
		name, list string
		recs       []*recording.Recording
		want       string
	}{
		{"an error", head, recs(r, recorded(t, "a", "1", "c/one error", "c/two good", "c/new good", "c/pair good")), "c/one on a has no verdict: error: it went wrong"},
		{"a core check that is missing", head, recs(r, recorded(t, "a", "1", "c/two good", "c/new good", "c/pair good")), "c/one on a has no verdict: error: not in this recording"},
		{"flaky", head, recs(r, recorded(t, "a", "1", "c/one good bad", "c/two good", "c/new good", "c/pair good")), "c/one on a has no verdict: flaky: round 1 was good"},
		{"a reference without a verdict", head, recs(recorded(t, "r", "1"), recorded(t, "a", "1", "c/one good", "c/two good", "c/new good", "c/pair good")), "c/pair on a in place of r has no verdict: error: r: not in this recording"},
		{"a reference that was not given", head + entry("c/pair", "bad", ", references: [x, y]"), recs(r, recorded(t, "a", "1", "c/one good", "c/two good", "c/new good", "c/pair good")),
			"c/pair on a is listed and was not asked: it is about the place of x, y, and no recording of these was given"},
		{"no reference at all", head + entry("c/pair", "bad", ", references: [r]"), recs(recorded(t, "a", "1", "c/one good", "c/two good", "c/new good", "c/pair good")), "c/pair on a is listed and was not asked"},
		{"an extended check that has no verdict", head + entry("c/late", "bad", ""), recs(r, recorded(t, "a", "1", "c/one good", "c/two good", "c/new good", "c/late error", "c/pair good")),
			"c/late on a has no verdict: error: it went wrong"},
		{"what cannot be asked", head + entry("c/one", "bad", ""), recs(r, recorded(t, "a", "1", "c/one n/a", "c/two good", "c/new good", "c/pair good")), "c/one on a is listed and was not asked: no key"},
		{"what has no word", head, recs(r, recorded(t, "a", "1", "c/one strange", "c/two good", "c/new good", "c/pair good")), "c/one on a is answered in a way that the contract has no word for"},
		{"another version of the file", "targets: [a]\nversions: {d: \">=2\"}\nknown: []\n", recs(r, recorded(t, "a", "1", "c/one bad", "c/two good", "c/new good", "c/pair good")), "a: the file is for the versions map[d:>=2]"},
		{"two targets that answer in two ways", head + entry("c/one", "bad", ""),
			recs(r, recorded(t, "a", "1", "c/one good", "c/two good", "c/new good", "c/pair good"), recorded(t, "b", "1", "c/one bad", "c/two good", "c/new good", "c/pair good")),
			"c/one on a is good, and c/one on b is bad: one entry cannot say both"},
		{"a new deviation of one of two targets", head,
			recs(r, recorded(t, "a", "1", "c/one good", "c/two good", "c/new good", "c/pair good"), recorded(t, "b", "1", "c/one bad", "c/two good", "c/new good", "c/pair good")),
			"c/one on a is good, and c/one on b is bad: one entry cannot say both"},
	} {
		rows := standing.Of(suite(), sources(t, c.list, c.recs...), nil, day(t, "2027-01-31"))
		edits, problems := standing.Edits(rows)
		if edits != nil || !strings.Contains(strings.Join(problems, "\n"), c.want) {
			t.Errorf("%s: %v, %v\nwant %s", c.name, edits, problems, c.want)
		}
	}
}

// TestProveRefuses: an edit after which the recordings are not as listed is none that is written.
func TestProveRefuses(t *testing.T) {
	list := head + entry("c/one", "bad", "")
	all := sources(t, list, recorded(t, "a", "1", "c/one bad", "c/two good", "c/new good", "c/pair good"))
	for want, e := range map[string]expect.Edits{
		"c/one on a is unexpected":           {Remove: map[int]bool{0: true}},
		"c/one on a is changed":              {Variants: map[int]string{0: "worse"}},
		"c/two on a is stale":                {Add: []expect.Known{{Check: "c/two", Variant: "odd"}}},
		"listed twice, in line 3":            {Add: []expect.Known{{Check: "c/one", Variant: "odd"}}},
		`variant "strange" is none of [good`: {Variants: map[int]string{0: "strange"}},
	} {
		if got, err := standing.Prove(suite(), all, all[0].File, []byte(list), e, day(t, "2027-01-31")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q, %v, want %s", got, err, want)
		}
	}
}
