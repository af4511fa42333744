package expect_test

import (
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
)

func suite() contract.Suite {
	variants := []contract.Variant{
		{Name: "good", Outcome: contract.Pass}, {Name: "odd", Outcome: contract.Differs}, {Name: "none", Outcome: contract.Unsupported},
		{Name: "bad", Outcome: contract.Fail}, {Name: "worse", Outcome: contract.Fail},
	}
	compare := func(_, _ contract.Evidence) contract.Finding { return contract.Finding{} }
	return contract.Suite{Behaviours: []contract.Behaviour{{Stem: "c", Checks: []contract.Check{
		{ID: "c/one", Variants: variants}, {ID: "c/two", Variants: variants},
		{ID: "c/pair", Variants: variants, Compare: compare}, {ID: "c/pair-too", Variants: variants, Compare: compare},
	}}}}
}

const rest = ", why: w, upstream: u, review: 2027-01-31}\n"

func TestParse(t *testing.T) {
	text := "targets: [a, b]\nknown:\n- {check: c/one, variant: bad" + rest + "- {check: c/two, variant: odd" + rest +
		"- {check: c/pair, variant: bad, references: [x, y]" + rest + "- {check: c/pair, variant: odd, references: [z]" + rest +
		"- {check: c/pair-too, variant: no-answer, references: [x]" + rest
	l, err := expect.Parse("list.yaml", []byte(text), suite())
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Targets) != 2 || len(l.Known) != 5 || l.Known[0].Why != "w" || l.Known[0].Upstream != "u" || l.Known[0].Review != "2027-01-31" || len(l.Known[2].References) != 2 {
		t.Errorf("%+v", l)
	}
	if l, err := expect.Parse("list.yaml", []byte("targets: [a]\nknown: []\n"), suite()); err != nil || len(l.Known) != 0 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestParseRefuses(t *testing.T) {
	known := func(entries ...string) string { return "targets: [a]\nknown:\n- {" + strings.Join(entries, "- {") }
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"an unknown field", "targets: [a]\nknwon: []\n", []string{"[2:1]", `unknown field "knwon"`}},
		{"an unknown field of an entry", "targets: [a]\nknown:\n- check: c/one\n  variant: bad\n  because: x\n", []string{"[5:3]", `unknown field "because"`}},
		{"a wrong type", "targets: a\nknown: []\n", []string{"[1:10]"}},
		{"no YAML", "targets: [a\nknown:\n", []string{"list.yaml", "["}},
		{"a field twice", "targets: [a]\ntargets: [b]\n", []string{"[2:1]", "already defined"}},
		{"no targets", "known: []\n", []string{"targets is missing"}},
		{"a tag", "targets: !!str a\n", []string{"list.yaml: [1:10]", "tags are not read"}},
		{"an alias", "targets: &a [x]\nknown: *a\n", []string{"list.yaml: [1:10]", "aliases and tags are not read"}},
		{"lists without end", "targets: " + strings.Repeat("[", 70), []string{"list.yaml: [1:74]", "more than 64"}},
		{"nothing", "", []string{"targets is missing"}},
		{"an unknown check", known("check: c/nought, variant: bad" + rest), []string{"known[0] (c/nought)", "no check has the id"}},
		{"an unknown variant", known("check: c/one, variant: bda" + rest), []string{"known[0] (c/one)", `"bda" is none of [good odd none bad worse]`}},
		{"no variant", known("check: c/one" + rest), []string{`"" is none of`}},
		{"other", known("check: c/one, variant: other" + rest), []string{`"other" is none of`}},
		{"no reason", known("check: c/one, variant: bad, upstream: u, review: 2027-01-31}\n"), []string{"[3:4] known[0] (c/one): why is empty; why and upstream"}},
		{"no link", known("check: c/one, variant: bad, why: w, review: 2027-01-31}\n"), []string{"upstream is empty; why and upstream"}},
		{"no day", known("check: c/one, variant: bad, why: w, upstream: u}\n"), []string{`review "" is no day`}},
		{"a day that is none", known("check: c/one, variant: bad, why: w, upstream: u, review: 2027-02-30}\n"), []string{`"2027-02-30" is no day of the form 2006-01-02`}},
		{"a day in another form", known("check: c/one, variant: bad, why: w, upstream: u, review: 31.01.2027}\n"), []string{"is no day"}},
		{"references of a target check", known("check: c/one, variant: bad, references: [x]" + rest), []string{"c/one is a target check"}},
		{"a pair check without references", known("check: c/pair, variant: bad" + rest), []string{"c/pair is a pair check"}},
		{"a check twice", known("check: c/one, variant: bad"+rest, "check: c/two, variant: bad"+rest, "check: c/one, variant: odd"+rest), []string{"known[2] (c/one)", "listed twice"}},
		{"a pair twice", known("check: c/pair, variant: bad, references: [x, y]"+rest, "check: c/pair, variant: odd, references: [z, y]"+rest), []string{"known[1] (c/pair)", "listed twice"}},
		{"a second document", "targets: [a]\n---\ntargets: [b]\n", []string{"[3:1]", "a second document; expected one"}},
		{"an entry with versions and one without", known("check: c/one, variant: bad, versions: {d: <1}"+rest, "check: c/one, variant: odd"+rest), []string{"[4:11] known[1] (c/one): listed twice, in line 3 too"}},
		{"the same versions twice", known("check: c/one, variant: bad, versions: {d: <1}"+rest, "check: c/one, variant: odd, versions: {d: <1}"+rest), []string{"known[1] (c/one): listed twice"}},
		{"no range", known("check: c/one, variant: bad, versions: {d: ~1}" + rest), []string{`[3:43] known[0] (c/one): versions: d: "~1": "~1" is no version; expected`}},
		{"no range of the file", "targets: [a]\nversions:\n  d: latest\nknown: []\n", []string{`[3:3] versions: d: "latest": "latest" is no version; expected`}},
		{"versions of nothing", known("check: c/one, variant: bad, versions: {}" + rest), []string{"names no component"}},
		{"a range that is none", known("check: c/one, variant: bad, versions: {d: null}" + rest), []string{"[3:43] versions: d has no range"}},
		{"a component without a name", known("check: c/one, variant: bad, versions: {\"\": <1}" + rest), []string{"a component without a name"}},
		{"an unwritten reason", known("check: c/one, variant: bad, why: \"TODO: say why\", upstream: u, review: 2027-01-31}\n"), []string{"[3:37]", `why is still to be written ("TODO: say why"): say why`}},
		{"an unwritten link", known("check: c/one, variant: bad, why: w, upstream: todo, review: 2027-01-31}\n"), []string{"[3:50]", `upstream is still to be written`}},
		{"an unwritten day", known("check: c/one, variant: bad, why: w, upstream: u, review: \" TODO\"}\n"), []string{"[3:61]", `review is still to be written`, "2006-01-02"}},
		{"a reference without a name", known("check: c/pair, variant: bad, references: [\"\"]" + rest), []string{"empty name"}},
		{"a reference twice", known("check: c/pair, variant: bad, references: [x, x]" + rest), []string{"listed twice"}},
	} {
		l, err := expect.Parse("list.yaml", []byte(c.text), suite())
		if err == nil || l != nil {
			t.Errorf("%s is accepted: %+v", c.name, l)
			continue
		}
		for _, want := range append(c.want, "list.yaml") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\nlacks %q", c.name, err, want)
			}
		}
	}
}

func at(day string) time.Time {
	d, err := time.Parse("2006-01-02 15:04", day)
	if err != nil {
		panic(err)
	}
	return d
}

func TestEffect(t *testing.T) {
	for _, c := range []struct {
		effect contract.Effect
		listed bool
		want   expect.Status
	}{
		{contract.Same, false, expect.AsPromised}, {contract.Compatible, true, expect.AsPromised},
		{contract.ClientChange, false, expect.Unexpected}, {contract.IndexBreak, false, expect.Unexpected},
		{contract.ClientChange, true, expect.AsListed}, {contract.IndexBreak, true, expect.AsListed},
		{contract.Unknown, false, expect.NoVerdict}, {contract.Unknown, true, expect.NoVerdict},
	} {
		if got := expect.Effect(c.effect, c.listed); got != c.want {
			t.Errorf("%s, listed %v: %s, want %s", c.effect, c.listed, got, c.want)
		}
	}
	for status, ok := range map[expect.Status]bool{expect.AsPromised: true, expect.AsListed: true, expect.NotAsked: true, expect.Reported: true,
		expect.Unexpected: false, expect.Changed: false, expect.Stale: false, expect.Expired: false, expect.NoVerdict: false} {
		if status.OK() != ok {
			t.Errorf("%s is as expected: %v", status, !ok)
		}
	}
}

func TestMatch(t *testing.T) {
	list := &expect.List{Known: []expect.Known{
		{Check: "c/one", Variant: "bad", Review: "2027-01-31"},
		{Check: "c/two", Variant: "odd", Review: "2027-01-31"},
		{Check: "c/pair", Variant: "bad", References: []string{"x", "y"}, Review: "2027-01-31"},
		{Check: "c/pair", Variant: "odd", References: []string{"z"}, Review: "2027-01-31"},
	}}
	empty := &expect.List{}
	for _, c := range []struct {
		name             string
		list             *expect.List
		check, reference string
		variant          string
		outcome          contract.Outcome
		want             expect.Status
		known            int // index in list, -1 for none
	}{
		{"kept", list, "c/three", "", "good", contract.Pass, expect.AsPromised, -1},
		{"broken as listed", list, "c/one", "", "bad", contract.Fail, expect.AsListed, 0},
		{"broken in another way", list, "c/one", "", "worse", contract.Fail, expect.Changed, 0},
		{"less broken than listed", list, "c/one", "", "odd", contract.Differs, expect.Changed, 0},
		{"mended", list, "c/one", "", "good", contract.Pass, expect.Stale, 0},
		{"differs as listed", list, "c/two", "", "odd", contract.Differs, expect.AsListed, 1},
		{"differs no more", list, "c/two", "", "good", contract.Pass, expect.Stale, 1},
		{"broken and not listed", list, "c/three", "", "bad", contract.Fail, expect.Unexpected, -1},
		{"differs and not listed", list, "c/three", "", "odd", contract.Differs, expect.Unexpected, -1},
		{"not offered and not listed", list, "c/three", "", "none", contract.Unsupported, expect.Unexpected, -1},
		{"other", list, "c/one", "", contract.Other, contract.Fail, expect.Changed, 0},
		{"flaky", list, "c/one", "", "bad", contract.Flaky, expect.NoVerdict, 0},
		{"an error", list, "c/three", "", "error", contract.Error, expect.NoVerdict, -1},
		{"skipped", list, "c/one", "", "skipped", contract.Skipped, expect.NotAsked, 0},
		{"cannot be asked", list, "c/three", "", "not-applicable", contract.NotApplicable, expect.NotAsked, -1},
		{"listed and cannot be asked", list, "c/one", "", "not-applicable", contract.NotApplicable, expect.Changed, 0},
		{"the first reference", list, "c/pair", "x", "bad", contract.Fail, expect.AsListed, 2},
		{"the second reference", list, "c/pair", "y", "bad", contract.Fail, expect.AsListed, 2},
		{"the reference of another entry", list, "c/pair", "z", "bad", contract.Fail, expect.Changed, 3},
		{"a reference of no entry", list, "c/pair", "w", "bad", contract.Fail, expect.Unexpected, -1},
		{"an empty list: differs", empty, "c/one", "", "odd", contract.Differs, expect.Unexpected, -1},
		{"an empty list: broken", empty, "c/one", "", "bad", contract.Fail, expect.Unexpected, -1},
		{"an empty list: kept", empty, "c/one", "", "good", contract.Pass, expect.AsPromised, -1},
		// Nobody has looked at a target without a list: what merely differs there is no surprise.
		{"no list: differs", nil, "c/one", "", "odd", contract.Differs, expect.AsPromised, -1},
		{"no list: not offered", nil, "c/one", "", "none", contract.Unsupported, expect.AsPromised, -1},
		{"no list: broken", nil, "c/one", "", "bad", contract.Fail, expect.Unexpected, -1},
		{"no list: kept", nil, "c/one", "", "good", contract.Pass, expect.AsPromised, -1},
		{"no list: an error", nil, "c/one", "", "error", contract.Error, expect.NoVerdict, -1},
		{"no list: a pair", nil, "c/pair", "x", "bad", contract.Fail, expect.Unexpected, -1},
	} {
		m := c.list.Match(c.check, c.reference, c.variant, c.outcome, at("2027-01-01 00:00"))
		if m.Status != c.want || m.Overdue {
			t.Errorf("%s: %+v, want %s", c.name, m, c.want)
		}
		if (c.known < 0) != (m.Known == nil) || (c.known >= 0 && m.Known != &list.Known[c.known]) {
			t.Errorf("%s: entry %+v, want number %d", c.name, m.Known, c.known)
		}
	}
}

func TestOverdue(t *testing.T) {
	list := &expect.List{Known: []expect.Known{{Check: "c/one", Variant: "bad", Review: "2027-01-31"}}}
	for day, want := range map[string]bool{
		"2026-12-31 23:59": false, "2027-01-30 23:59": false,
		"2027-01-31 00:00": false, "2027-01-31 23:59": false, // the day itself is not past
		"2027-02-01 00:00": true, "2028-01-01 12:00": true,
	} {
		for _, outcome := range []contract.Outcome{contract.Fail, contract.Pass, contract.Error, contract.Skipped} {
			if m := list.Match("c/one", "", "bad", outcome, at(day)); m.Overdue != want {
				t.Errorf("%s, %s: overdue %v", day, outcome, m.Overdue)
			}
		}
		if m := list.Match("c/two", "", "bad", contract.Fail, at(day)); m.Overdue {
			t.Errorf("%s: overdue without an entry", day)
		}
	}
	// The day is that of whoever runs it.
	west := time.FixedZone("west", -10*3600)
	if m := list.Match("c/one", "", "bad", contract.Fail, time.Date(2027, 1, 31, 20, 0, 0, 0, west)); m.Overdue {
		t.Error("overdue on the evening of the day")
	}
}

// TestReview takes one entry through the days: in time, overdue, expired, and, once the server is mended, stale.
func TestReview(t *testing.T) {
	list := &expect.List{Known: []expect.Known{{Check: "c/one", Variant: "bad", Review: "2027-01-31"}}}
	for _, c := range []struct {
		day, variant string
		outcome      contract.Outcome
		want         expect.Status
		overdue      bool
	}{
		{"2027-01-31 23:59", "bad", contract.Fail, expect.AsListed, false},
		{"2027-02-01 00:00", "bad", contract.Fail, expect.AsListed, true}, // a warning
		{"2027-05-01 23:59", "bad", contract.Fail, expect.AsListed, true}, // the last of the 90 days
		{"2027-05-02 00:00", "bad", contract.Fail, expect.Expired, true},  // a failure
		{"2027-05-02 00:00", "good", contract.Pass, expect.Stale, true},
		{"2027-05-02 00:00", "odd", contract.Differs, expect.Changed, true},
		{"2027-05-02 00:00", "error", contract.Error, expect.NoVerdict, true},
		{"2027-05-02 00:00", "skipped", contract.Skipped, expect.NotAsked, true},
		{"2027-01-31 12:00", "good", contract.Pass, expect.Stale, false},
	} {
		m := list.Match("c/one", "", c.variant, c.outcome, at(c.day))
		if m.Status != c.want || m.Overdue != c.overdue || m.Known != &list.Known[0] {
			t.Errorf("%s on %s: %+v, want %s, overdue %v", c.variant, c.day, m, c.want, c.overdue)
		}
	}
}

func TestStatusOK(t *testing.T) {
	for status, want := range map[expect.Status]bool{
		expect.AsPromised: true, expect.AsListed: true, expect.NotAsked: true,
		expect.Unexpected: false, expect.Changed: false, expect.Stale: false, expect.Expired: false, expect.NoVerdict: false, "": false,
	} {
		if status.OK() != want {
			t.Errorf("%q is OK: %v", status, status.OK())
		}
	}
}

// TestStatusOfAProvisionalCheck: what would raise an alarm does not, whatever is listed; what is fine stays as it is.
func TestStatusOfAProvisionalCheck(t *testing.T) {
	frozen, provisional := contract.Check{}, contract.Check{Provisional: true}
	for _, s := range []expect.Status{expect.AsPromised, expect.AsListed, expect.NotAsked, expect.Reported, expect.Unexpected, expect.Changed, expect.Stale, expect.Expired, expect.NoVerdict} {
		if got := s.Of(frozen); got != s {
			t.Errorf("%s of a check of the revision is %s", s, got)
		}
		want := s
		if !s.OK() {
			want = expect.Provisional
		}
		if got := s.Of(provisional); got != want || !got.OK() {
			t.Errorf("%s of a provisional check is %s, want %s", s, got, want)
		}
	}
}
