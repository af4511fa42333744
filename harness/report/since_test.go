package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// lone is a report of one target with these cells: check and judgement by turns.
func lone(cells map[string]Judgement) *Report {
	r := &Report{Schema: Schema, Revision: "2026-11", Judged: time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC), Targets: []Target{{Name: "mine", Kind: "real", Model: "m"}}}
	b := Behaviour{Stem: "a"}
	for id, j := range cells {
		c := check(id, "must", "good:pass", "also-good:pass", "odd:differs", "none:unsupported", "bad:fail", "worse:fail")
		c.Provisional = id == "a/provisional"
		b.Checks = append(b.Checks, c)
		r.Cells = append(r.Cells, Cell{Target: "mine", Check: id, Judgement: j})
	}
	slices.SortFunc(b.Checks, func(a, b Check) int { return strings.Compare(a.ID, b.ID) })
	r.Behaviours = []Behaviour{b}
	return r
}

func every(string) bool { return true }

// noRules knows no answer that clients would notice beside its outcome.
func noRules(string, string, string) contract.Effect { return "" }

// Both answers keep the promise, and clients notice all the same: that is worse.
func TestHoldToWhatClientsNotice(t *testing.T) {
	for effect, want := range map[contract.Effect]string{contract.ClientChange: "new worse", contract.IndexBreak: "new worse", contract.Compatible: "moved other", contract.Same: "moved other", "": "moved other"} {
		now := lone(map[string]Judgement{"a/x": ok("also-good")})
		now.HoldTo("r", lone(map[string]Judgement{"a/x": ok("good")}), every, func(check, from, to string) contract.Effect {
			if check != "a/x" || from != "good" || to != "also-good" {
				t.Errorf("asked for %s, %s to %s", check, from, to)
			}
			return effect
		}, false)
		if got := now.Since.kinds()["a/x"]; got != want || now.Verdict.Exit != map[bool]int{true: 1}[want == "new worse"] {
			t.Errorf("%s: %q and exit code %d, want %q", effect, got, now.Verdict.Exit, want)
		}
	}
}

// flapping is the judgement of a cell whose rounds showed these variants.
func flapping(variants ...string) Judgement {
	j := because("flaky", "rounds differ")
	j.Flaps, j.Variant = variants, variants[len(variants)-1]
	return j
}

// What the rounds of a flaky cell showed gets from the judge into the report, or a later one could not be held to it.
func TestAReportKeepsWhatFlaps(t *testing.T) {
	cell := judge.Cell{Check: "a/x", Outcome: contract.Flaky, Reason: "round 1 was good, round 2 bad", Flaps: []string{"bad", "good"}}
	if got := judgement(contract.Check{ID: "a/x"}, cell, expect.Match{Status: expect.NoVerdict}); !slices.Equal(got.Flaps, cell.Flaps) {
		t.Errorf("%+v", got)
	}
}

// kinds are the kinds of what became of each check, by list.
func (s *Since) kinds() map[string]string {
	out := map[string]string{}
	for i, name := range []string{"new", "known", "gone", "moved"} {
		for _, t := range *s.lists()[i] {
			out[t.Check] = name + " " + t.Kind
		}
	}
	return out
}

// TestHoldToOneCell has a case for each way from one answer to another.
func TestHoldToOneCell(t *testing.T) {
	unexpected := func(outcome, variant string) Judgement { return as("unexpected", outcome, variant) }
	schema := compiled(t)
	other := func(seen string) Judgement { return unexpected("fail", "other").seen(seen) }
	for name, c := range map[string]struct {
		before, after Judgement
		want          string
		exit          int
		ok            bool // of the cell
	}{
		"as good as before":              {ok("good"), ok("good"), "", 0, true},
		"bad alike":                      {unexpected("fail", "bad"), unexpected("fail", "bad"), "known alike", 0, true},
		"bad now":                        {ok("good"), unexpected("fail", "bad"), "new worse", 1, false},
		"bad in another way":             {unexpected("fail", "bad"), unexpected("fail", "worse"), "new changed", 1, false},
		"bad, and not on any list":       {unexpected("fail", "bad"), other("strange"), "new changed", 1, false},
		"strange alike":                  {other("strange"), other("strange"), "known alike", 0, true},
		"strange in another way":         {other("strange"), other("stranger"), "new changed", 1, false},
		"a little worse, and no alarm":   {ok("good"), as("as-promised", "differs", "odd"), "new worse", 1, false},
		"better, and still not good":     {unexpected("fail", "bad"), unexpected("unsupported", "none"), "gone better", 0, true},
		"good now":                       {unexpected("fail", "bad"), ok("good"), "gone better", 0, true},
		"good in another way":            {ok("good"), ok("also-good"), "moved other", 0, true},
		"worse, though a list says so":   {ok("good"), as("as-listed", "fail", "bad"), "new worse", 1, false},
		"the list is stale":              {ok("good"), as("stale", "pass", "good"), "new list", 1, false},
		"the list was stale already":     {as("stale", "pass", "good"), as("stale", "pass", "good"), "known alike", 0, true},
		"the entry expired":              {as("as-listed", "fail", "bad"), as("expired", "fail", "bad"), "new list", 1, false},
		"no answer any more":             {ok("good"), because("error", "connection refused"), "new no-answer", 1, false},
		"cannot be asked any more":       {unexpected("fail", "bad"), because("not-applicable", "no key"), "new no-answer", 1, false},
		"no answer, as before":           {because("error", "no such route"), because("error", "no such route"), "known alike", 0, true},
		"not asked, as before":           {because("not-applicable", "no key"), because("not-applicable", "no key"), "", 0, true},
		"an error where none was asked":  {because("not-applicable", "no key"), because("error", "timeout"), "new no-answer", 1, false},
		"good where there was no answer": {because("error", "timeout"), ok("good"), "gone better", 0, true},
		"bad where there was no answer":  {because("error", "timeout"), unexpected("fail", "bad"), "new first-seen", 1, false},
		"changes from time to time now":  {ok("good"), because("flaky", "good, then bad"), "new worse", 1, false},
		"changed from time to time":      {because("flaky", "good, then bad"), ok("good"), "gone better", 0, true},
		"changes as from time to time":   {flapping("bad", "good"), flapping("bad", "good"), "known alike", 0, true},
		"changes less":                   {flapping("bad", "good", "odd"), flapping("bad", "good"), "known alike", 0, true},
		"changes between others":         {flapping("also-good", "odd"), flapping("bad", "good"), "new changed", 1, false},
		"changes, and nobody noted how":  {because("flaky", "good, then bad"), flapping("bad", "good"), "known alike", 0, true},
		"no answer in another try":       {because("error", "no complete answer within 1m0s of 127.0.0.1:4711"), because("error", "no complete answer within 2m of 127.0.0.1:8000"), "known alike", 0, true},
		"no answer for another reason":   {because("error", "no complete answer within 1m0s"), because("error", "the server exited with code 7"), "moved reason", 0, true},
		"an outcome that nobody knows":   {as("as-promised", "splendid", "bad"), unexpected("fail", "bad"), "new first-seen", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			now := lone(map[string]Judgement{"a/x": c.after, "a/rest": ok("good")})
			now.HoldTo("report.json", lone(map[string]Judgement{"a/x": c.before, "a/rest": ok("good")}), every, noRules, false)
			if got := now.Since.kinds()["a/x"]; got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
			if now.Verdict.Exit != c.exit || now.Verdict.Expected != (c.exit == 0) {
				t.Errorf("exit code %d, want %d", now.Verdict.Exit, c.exit)
			}
			for _, cell := range now.Cells {
				if cell.Check == "a/x" && cell.Expected.OK != c.ok {
					t.Errorf("the cell is %+v", cell.Expected)
				}
			}
			if err := schema.Validate(document(t, now)); err != nil {
				t.Error(err)
			}
			if now.Since.Compared != 2 {
				t.Errorf("%d cells compared", now.Since.Compared)
			}
			// The colour of a build by its cells is that of the verdict.
			if _, s := junit(t, now); s.Failures+s.Errors > 0 != (c.exit != 0) {
				t.Errorf("JUnit has %d failures and %d errors, exit code %d", s.Failures, s.Errors, c.exit)
			}
		})
	}
}

func TestHoldToWhatIsMissing(t *testing.T) {
	bad := as("unexpected", "fail", "bad")
	before := lone(map[string]Judgement{"a/x": ok("good"), "a/y": bad, "a/z": because("error", "e"), "a/provisional": ok("good")})
	now := lone(map[string]Judgement{"a/x": ok("good")})
	now.HoldTo("r", before, every, noRules, false)
	if got := now.Since.kinds(); now.Verdict.Exit != 1 || got["a/y"] != "new vanished" || got["a/z"] != "" {
		t.Errorf("exit code %d, %v: a check that vanished is no longer failing, and fails", now.Verdict.Exit, got)
	}
	now = lone(map[string]Judgement{"a/x": ok("good")})
	now.HoldTo("r", before, func(id string) bool { return id == "a/x" }, noRules, false)
	if now.Verdict.Exit != 0 || !slices.Equal(now.Since.Deselected, []string{"a/y", "a/provisional"}) && !slices.Equal(now.Since.Deselected, []string{"a/provisional", "a/y"}) {
		t.Errorf("exit code %d, deselected %v", now.Verdict.Exit, now.Since.Deselected)
	}
	if out := terminal(t, now, TerminalOptions{Width: 200}); !strings.Contains(out, "NOT ASKED (2)") {
		t.Errorf("that they were not asked is not told:\n%s", out)
	}
	// Of a run whose earlier one asked for less, what fails is new.
	now = lone(map[string]Judgement{"a/x": ok("good"), "a/y": bad, "a/w": ok("good")})
	now.HoldTo("r", lone(map[string]Judgement{"a/x": ok("good")}), every, noRules, false)
	if got := now.Since.kinds(); now.Verdict.Exit != 1 || got["a/y"] != "new first-seen" || len(got) != 1 {
		t.Errorf("exit code %d, %v", now.Verdict.Exit, got)
	}
	// Provisional checks are told, and decide nothing.
	now = lone(map[string]Judgement{"a/provisional": as("provisional", "fail", "bad"), "a/x": ok("good")})
	now.HoldTo("r", lone(map[string]Judgement{"a/provisional": ok("good"), "a/x": ok("good")}), every, noRules, false)
	if got := now.Since.kinds(); now.Verdict.Exit != 0 || got["a/provisional"] != "new worse" {
		t.Errorf("exit code %d, %v", now.Verdict.Exit, got)
	}
}

func TestHoldToStrictly(t *testing.T) {
	for strict, exit := range map[bool]int{false: 0, true: 1} {
		now := lone(map[string]Judgement{"a/x": ok("good")})
		now.HoldTo("r", lone(map[string]Judgement{"a/x": as("unexpected", "fail", "bad")}), every, noRules, strict)
		if now.Verdict.Exit != exit {
			t.Errorf("strict %t: exit code %d, want %d", strict, now.Verdict.Exit, exit)
		}
		out := terminal(t, now, TerminalOptions{Width: 200})
		if !strings.Contains(out, "STALE; put this run's report.json in its place") || !strings.Contains(out, "mine a/x: was bad, is good") {
			t.Errorf("that the report is stale is not told:\n%s", out)
		}
		if _, s := junit(t, now); s.Failures != exit {
			t.Errorf("strict %t: %d failures in JUnit", strict, s.Failures)
		}
	}
}

// A target that does not start has no answers: that is no change of the server, and no green either.
func TestHoldToATargetThatDidNotStart(t *testing.T) {
	now := lone(map[string]Judgement{"a/x": because("error", "did not start"), "a/y": because("error", "did not start")})
	now.Targets[0].Problem = "did not start"
	now.HoldTo("r", lone(map[string]Judgement{"a/x": ok("good"), "a/y": because("error", "e")}), every, noRules, false)
	if now.Verdict.Exit != 3 {
		t.Errorf("exit code %d, want 3", now.Verdict.Exit)
	}
}

// A server that is named by its address may have another one each time.
// FuzzHoldTo: whatever an earlier report says, it excuses no answer that it does not hold, and all renderers show the result.
