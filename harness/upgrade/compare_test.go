package upgrade_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/upgrade"
)

// TestChangesOfATargetCheck holds the mark, the effect and the exit code to what was answered before and after.
func TestChangesOfATargetCheck(t *testing.T) {
	s := suite(says("c/one"), says("c/steady"))
	for _, c := range []struct {
		from, to, want string
		exit           int
	}{
		{"good", "good", "", upgrade.ExitHarmless},
		{"bad", "bad", "", upgrade.ExitHarmless}, // a fault that both have
		{"down", "good", "fixed c/one down→good compatible", upgrade.ExitHarmless},
		{"bad", "good", "fixed c/one bad→good client-change", upgrade.ExitChanged}, // clients may rely on what they were served
		{"good", "fine", "moved c/one good→fine client-change", upgrade.ExitChanged},
		{"good", "odd", "regressed c/one good→odd compatible", upgrade.ExitChanged},
		{"good", "bad", "regressed c/one good→bad client-change silent", upgrade.ExitChanged},
		{"fine", "bad", "regressed c/one fine→bad index-break silent", upgrade.ExitChanged},
		{"none", "odd", "fixed c/one none→odd client-change", upgrade.ExitChanged},
		{"odd", "none", "regressed c/one odd→none client-change", upgrade.ExitChanged},
		{"none", "down", "regressed c/one none→down client-change", upgrade.ExitChanged},
		{"bad", "down", "moved c/one bad→down client-change", upgrade.ExitChanged},
		{"good", "unheard of", "regressed c/one good→other unknown", upgrade.ExitChanged},
		{"unheard of", "good", "fixed c/one other→good unknown", upgrade.ExitUnknown},
		{"unheard of", "unheard of", "", upgrade.ExitHarmless},
		{"unheard of", "another", "moved c/one other→other unknown", upgrade.ExitUnknown},
	} {
		t.Run(c.from+" to "+c.to, func(t *testing.T) {
			d := compare(s, newTape(t, "a").answer("c/one", c.from).answer("c/steady", "good").end(),
				newTape(t, "b").answer("c/one", c.to).answer("c/steady", "good").end())
			got := ""
			if len(d.Changes) > 0 {
				got = short(d.Changes[0])
			}
			if got != c.want || d.Verdict.Exit != c.exit {
				t.Errorf("%q, exit %d; want %q, exit %d", got, d.Verdict.Exit, c.want, c.exit)
			}
			if n := len(d.Changes) + len(d.Unchanged); n != 2 || d.Verdict.Compared != 2 {
				t.Errorf("%d checks are listed and %d counted, of 2", n, d.Verdict.Compared)
			}
		})
	}
}

func TestChangesOfAPairCheck(t *testing.T) {
	s := suite(agrees("c/pair"))
	for _, c := range []struct {
		from, to, want string
		exit           int
	}{
		{"x", "x", "", upgrade.ExitHarmless},
		{"down", "down", "", upgrade.ExitHarmless}, // neither serves, before and after
		{"x", "y", "regressed c/pair equal→apart index-break silent", upgrade.ExitChanged},
		{"x", "near", "moved c/pair equal→near unknown", upgrade.ExitUnknown},
		{"x", "down", "regressed c/pair equal→not-served unknown", upgrade.ExitChanged},
		{"down", "x", "fixed c/pair not-served→equal unknown", upgrade.ExitUnknown},
	} {
		t.Run(c.from+" to "+c.to, func(t *testing.T) {
			d := compare(s, newTape(t, "a").answer("c/pair", c.from).end(), newTape(t, "b").answer("c/pair", c.to).end())
			got := ""
			if len(d.Changes) > 0 {
				got = short(d.Changes[0])
			}
			if got != c.want || d.Verdict.Exit != c.exit {
				t.Errorf("%q, exit %d; want %q, exit %d", got, d.Verdict.Exit, c.want, c.exit)
			}
		})
	}
}

// TestRepeatsThatDisagree: a check that changes between repeats is as bad as a failure.
func TestRepeatsThatDisagree(t *testing.T) {
	s := suite(says("c/one"))
	steady := func() tape { return newTape(t, "a").answer("c/one", "good").round("c/one", 1, "good") }
	unsteady := func() tape { return newTape(t, "b").answer("c/one", "good").round("c/one", 1, "bad") }
	d := compare(s, steady().end(), unsteady().end())
	if len(d.Changes) != 1 || short(d.Changes[0]) != "regressed c/one good→flaky unknown" || d.Verdict.Exit != upgrade.ExitChanged {
		t.Errorf("%+v, exit %d", d.Changes, d.Verdict.Exit)
	}
	if d = compare(s, unsteady().end(), steady().end()); d.Changes[0].Mark != upgrade.Fixed || d.Verdict.Exit != upgrade.ExitUnknown {
		t.Errorf("the way back: %s, exit %d", short(d.Changes[0]), d.Verdict.Exit)
	}
	if d = compare(s, unsteady().end(), newTape(t, "c").answer("c/one", "good").round("c/one", 1, "bad").end()); len(d.Changes) != 0 {
		t.Errorf("as unsteady as before: %+v", d.Changes)
	}
}

// TestWhatIsNotShared: what only one recording holds, what has no verdict, and what was asked by another plan.
func TestWhatIsNotShared(t *testing.T) {
	provisional := says("c/new")
	provisional.Provisional = true
	lone := says("c/lone")
	lone.Lone = true
	s := suite(says("c/both"), says("c/one"), agrees("c/pair"), provisional, lone)
	base := func(name string) tape { return newTape(t, name).answer("c/both", "good") }
	failed := func(p tape, check string) tape { p.must(p.w.End(check, 0, "", "the server was gone")); return p }
	impossible := func(p tape, check string) tape { p.must(p.w.End(check, 0, "it has no key", "")); return p }
	other := base("b").answer("c/pair", "x")
	other.plan.Corpus = "others:1"
	cut := base("b")
	for name, c := range map[string]struct {
		older, newer *recording.Recording
		exit         int
		gap          string
		decides      bool
	}{
		"added":                       {base("a").end(), base("b").answer("c/one", "bad").end(), upgrade.ExitHarmless, "b was asked, a was not, or before the check existed", false},
		"removed":                     {base("a").answer("c/one", "good").end(), base("b").end(), upgrade.ExitUnknown, "a was asked, b was not", true},
		"removed, and provisional":    {base("a").answer("c/new", "good").end(), base("b").end(), upgrade.ExitHarmless, "a was asked, b was not", false},
		"no verdict in the new one":   {base("a").answer("c/one", "good").end(), failed(base("b"), "c/one").end(), upgrade.ExitUnknown, "b: the server was gone", true},
		"no verdict in the old one":   {failed(base("a"), "c/one").end(), base("b").answer("c/one", "good").end(), upgrade.ExitUnknown, "a: the server was gone", true},
		"one of them cannot be asked": {base("a").answer("c/one", "good").end(), impossible(base("b"), "c/one").end(), upgrade.ExitUnknown, "b: it has no key", true},
		"nor for a lone check":        {base("a").answer("c/lone", "good").end(), impossible(base("b"), "c/lone").end(), upgrade.ExitHarmless, "b: it has no key", false},
		"another plan":                {base("a").answer("c/pair", "x").end(), other.end(), upgrade.ExitUnknown, "the recordings were made by different plans", true},
		"cut short":                   {base("a").end(), cut.w.Recording(), upgrade.ExitUnknown, "the recording of b was cut short", true},
	} {
		d := compare(s, c.older, c.newer)
		if d.Verdict.Exit != c.exit {
			t.Errorf("%s: exit %d, want %d: %s", name, d.Verdict.Exit, c.exit, d.Verdict.Words)
		}
		if len(d.Gaps) != 1 || !strings.HasPrefix(d.Gaps[0].Reason, c.gap) || d.Gaps[0].Decides != c.decides {
			t.Errorf("%s: %+v, want %q", name, d.Gaps, c.gap)
			continue
		}
		if !strings.HasPrefix(d.Gaps[0].Command, "embedcontract run ") {
			t.Errorf("%s: no command settles it: %q", name, d.Gaps[0].Command)
		}
	}
	if d := compare(s, impossible(base("a"), "c/one").end(), impossible(base("b"), "c/one").end()); len(d.Gaps) != 0 || len(d.Neither) != 4 || d.Verdict.Exit != upgrade.ExitHarmless {
		t.Errorf("asked of neither: %+v, %+v, exit %d", d.Gaps, d.Neither, d.Verdict.Exit)
	}
	if d := compare(s, base("a").end(), newTape(t, "b").answer("c/one", "good").end()); d.Verdict.Exit != upgrade.ExitNothing {
		t.Errorf("no check in common: exit %d", d.Verdict.Exit)
	}
}

// TestStepsThatAreLacking: a recording from before a check asked more reads alike, and that is said.
func TestStepsThatAreLacking(t *testing.T) {
	s := suite(says("c/one"))
	more := newTape(t, "b")
	_, err := more.w.Exchange(contract.Step{Check: "c/one", Name: "later", Status: 200})
	more.must(err)
	d := compare(s, newTape(t, "a").answer("c/one", "good").end(), more.answer("c/one", "good").end())
	if len(d.Gaps) != 1 || d.Gaps[0].Reason != "the recording of a lacks the step later" || d.Verdict.Exit != upgrade.ExitHarmless {
		t.Errorf("%+v, exit %d", d.Gaps, d.Verdict.Exit)
	}
}

func TestFactsThatDiffer(t *testing.T) {
	s := suite(says("c/one"))
	with := func(change func(*contract.Facts)) *recording.Recording {
		return newTape(t, "b", func(h *recording.Header) { change(&h.Target.Declared) }).answer("c/one", "good").end()
	}
	for name, c := range map[string]struct {
		newer *recording.Recording
		want  upgrade.Fact
		exit  int
	}{
		"length":       {with(func(f *contract.Facts) { f.Dimensions = 3 }), upgrade.Fact{Name: "dimensions", Old: "2", New: "3", Mark: "moved", Effect: "index-break"}, upgrade.ExitChanged},
		"lower limit":  {with(func(f *contract.Facts) { f.MaxTokens = 99 }), upgrade.Fact{Name: "max_tokens", Old: "100", New: "99", Mark: "regressed", Effect: "client-change"}, upgrade.ExitChanged},
		"higher limit": {with(func(f *contract.Facts) { f.MaxTokens = 101 }), upgrade.Fact{Name: "max_tokens", Old: "100", New: "101", Mark: "moved", Effect: "compatible"}, upgrade.ExitHarmless},
		"no limit known": {with(func(f *contract.Facts) { f.MaxTokens, f.Source = 0, map[string]string{"max_tokens": "unknown"} }),
			upgrade.Fact{Name: "max_tokens", Old: "100", New: "? (unknown)", Mark: "moved", Effect: "unknown"}, upgrade.ExitUnknown},
		"usage lost":  {with(func(f *contract.Facts) { f.Usage = "absent" }), upgrade.Fact{Name: "usage", Old: "tokens", New: "absent", Mark: "regressed", Effect: "client-change"}, upgrade.ExitChanged},
		"instruction": {with(func(f *contract.Facts) { f.QueryPrefix = "Query: " }), upgrade.Fact{Name: "query_prefix", New: "Query: ", Mark: "moved", Effect: "not-compared"}, upgrade.ExitHarmless},
	} {
		d := compare(s, newTape(t, "a").answer("c/one", "good").end(), c.newer)
		if len(d.Facts) != 1 || d.Verdict.Exit != c.exit {
			t.Errorf("%s: %+v, exit %d, want %d", name, d.Facts, d.Verdict.Exit, c.exit)
			continue
		}
		got := d.Facts[0]
		if got.Why == "" {
			t.Errorf("%s: no reason", name)
		}
		if got.Why = ""; got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestLoneChecksSayNothingOfClients: such a check compares a server with what is declared of it.
func TestLoneChecksSayNothingOfClients(t *testing.T) {
	lone := says("c/lone")
	lone.Lone = true
	d := compare(suite(lone), newTape(t, "a").answer("c/lone", "good").end(), newTape(t, "b").answer("c/lone", "bad").end())
	if len(d.Changes) != 1 || short(d.Changes[0]) != "regressed c/lone good→bad not-compared" || d.Verdict.Clients != 0 || d.Verdict.Exit != upgrade.ExitChanged {
		t.Errorf("%+v, exit %d", d.Changes, d.Verdict.Exit)
	}
}

// TestProvisionalChangesDecideNothing: they are shown.
func TestProvisionalChangesDecideNothing(t *testing.T) {
	one := says("c/one")
	one.Provisional = true
	d := compare(suite(one, says("c/two")), newTape(t, "a").answer("c/one", "fine").answer("c/two", "good").end(),
		newTape(t, "b").answer("c/one", "bad").answer("c/two", "good").end())
	if len(d.Changes) != 1 || d.Verdict.Exit != upgrade.ExitHarmless || d.Verdict.Provisional != 1 || d.Verdict.Regressed != 0 {
		t.Errorf("%+v", d.Verdict)
	}
}

// An index of which neither recording tells is not decided, and that is no green: but for a selection that leaves it out.
func TestUnknownIndexIsNotHarmless(t *testing.T) {
	s := suite(says("c/one"), agrees("vector_parity/cosine"))
	old, younger := newTape(t, "a").answer("c/one", "good").end(), newTape(t, "b").answer("c/one", "good").end()
	if d := compare(s, old, younger); d.Verdict.Exit != upgrade.ExitUnknown || d.Verdict.Index != "unknown" {
		t.Errorf("%+v", d.Verdict)
	}
	in := upgrade.Input{Suite: s, Today: day(), Old: old, New: younger, Selected: func(c contract.Check) bool { return c.ID == "c/one" }}
	if d := upgrade.Compare(in); d.Verdict.Exit != upgrade.ExitHarmless {
		t.Errorf("with a selection: %+v", d.Verdict)
	}
}

// TestCompareIsPure: twice the same, nothing changed, and the date is the one that was passed in.
func TestCompareIsPure(t *testing.T) {
	s := suite(says("c/one"), says("c/two"))
	older := newTape(t, "same").answer("c/one", "good").answer("c/two", "down").end()
	newer := newTape(t, "same").answer("c/one", "bad").answer("c/two", "good").end()
	a, b := compare(s, older, newer), compare(s, older, newer)
	if !reflect.DeepEqual(a, b) || !a.Judged.Equal(day()) {
		t.Error("two comparisons of the same differ")
	}
	if older.Header.Target.Name != "same" || newer.Header.Target.Name != "same" {
		t.Error("a recording was renamed")
	}
	got := []string{short(a.Changes[0]), short(a.Changes[1])}
	if want := []string{"regressed c/one good→bad client-change silent", "fixed c/two down→good compatible"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v: what hurts comes first", got, want)
	}
	const words = "same → same: 2 changes in 2 checks: 1 fixed, 1 regressed. Clients must change for 1 of them, 1 SILENT: no status tells. " +
		"The index: not decided, vector_parity/cosine was not asked."
	if a.Verdict.Words != words {
		t.Errorf("verdict\n got %s\nwant %s", a.Verdict.Words, words)
	}
}
