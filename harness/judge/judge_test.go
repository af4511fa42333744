package judge_test

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// status is a check whose variant is the body of its step "s".
func status(id string, reads ...string) contract.Check {
	return contract.Check{
		ID: id, Reads: reads,
		Variants: []contract.Variant{
			{Name: "good", Outcome: contract.Pass, Meaning: "m"}, {Name: "odd", Outcome: contract.Differs, Meaning: "it is odd"},
			{Name: "bad", Outcome: contract.Fail, Meaning: "it is bad", Breaks: "b"}, {Name: "none", Outcome: contract.Unsupported, Meaning: "m"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			v := string(e.Step("s").Body)
			if v == "panic" {
				panic("of the classifier")
			}
			return contract.Found(v, "seen").From("s")
		},
	}
}

// asks is a check that asks the server itself.
func asks(id string, reads ...string) contract.Check {
	c := status(id, reads...)
	c.Probe = func(context.Context, contract.Prober) error { return nil }
	return c
}

func pair(id string, reads ...string) contract.Check {
	c := status(id, reads...)
	c.Classify = nil
	for i := range c.Variants {
		c.Variants[i].Effect = contract.IndexBreak
		c.Variants[i].Silent = c.Variants[i].Name == "bad"
	}
	c.Variants[0].Effect = contract.Same
	c.Compare = func(r, k contract.Evidence) contract.Finding {
		if string(r.Step("s").Body) == string(k.Step("s").Body) {
			return contract.Found("good", "%s and %s", r.Target, k.Target)
		}
		return contract.Found(string(k.Step("s").Body), "%s and %s", r.Target, k.Target)
	}
	return c
}

func suite(checks ...contract.Check) contract.Suite {
	return contract.Suite{
		Facts: contract.FactFinder{Derive: func(d contract.Facts, e contract.Evidence) contract.Facts {
			d.Dimensions = len(e.Steps)
			return d
		}},
		Behaviours: []contract.Behaviour{{Stem: "c", Checks: checks}},
	}
}

// tape is a recording that is written by hand.
type tape struct {
	t *testing.T
	w *recording.Writer
}

func newTape(t *testing.T, name string) tape {
	t.Helper()
	w, err := recording.InMemory(recording.Header{Target: recording.Target{Name: name, Model: "m", Declared: contract.Facts{MaxTokens: 5}}}, "")
	if err != nil {
		t.Fatal(err)
	}
	return tape{t, w}
}

func (p tape) rec() *recording.Recording { return p.w.Recording() }

func (p tape) step(s contract.Step) tape {
	p.t.Helper()
	if _, err := p.w.Exchange(s); err != nil {
		p.t.Fatal(err)
	}
	return p
}

// saw records that a check was answered, and ended.
func (p tape) saw(check string, round int, variant string) tape {
	p.t.Helper()
	return p.step(contract.Step{Check: check, Name: "s", Round: round, Status: 200, Body: []byte(variant)}).end(check, round, "", "")
}

func (p tape) end(check string, round int, inapplicable, failure string) tape {
	p.t.Helper()
	if err := p.w.End(check, round, inapplicable, failure); err != nil {
		p.t.Fatal(err)
	}
	return p
}

// unasked records that a round was not asked of a server that no longer answered.
func (p tape) unasked(check string, round int) tape {
	p.t.Helper()
	if err := p.w.Unasked(check, round, "the target is gone"); err != nil {
		p.t.Fatal(err)
	}
	return p
}

func (p tape) log(check, text string) tape {
	p.t.Helper()
	if err := p.w.Log(check, 0, recording.LogLine{Text: text}); err != nil {
		p.t.Fatal(err)
	}
	return p
}

func (p tape) plan(c contract.Plan) tape {
	p.t.Helper()
	if err := p.w.Plan(c); err != nil {
		p.t.Fatal(err)
	}
	return p
}

func TestTarget(t *testing.T) {
	const c = "c/one"
	lacks := status("c/lacks", "c/unasked")
	some := status("c/some", "c/unasked")
	some.ReadsSome = true
	base := []contract.Check{status(c), status("c/unasked"), status("c/cut"), lacks, some, status("c/deep", "c/middle"), status("c/middle", "c/cut"),
		asks("c/of-inapplicable", "c/inapplicable"), status("c/inapplicable"), status("c/read", "c/inapplicable"), status("c/half", c, "c/inapplicable")}
	fault := contract.Step{Check: c, Name: "s", Fault: contract.FaultTimeout, Detail: "60 s"}
	alive := func(s int) contract.Step { return contract.Step{Check: c, Name: contract.StillAlive, Status: s} }
	for _, x := range []struct {
		name    string
		check   string
		record  func(tape)
		outcome contract.Outcome
		variant string
		reason  string
		proof   string
	}{
		{"as promised", c, func(p tape) { p.saw(c, 0, "good") }, contract.Pass, "good", "", "s"},
		{"another way", c, func(p tape) { p.saw(c, 0, "odd") }, contract.Differs, "odd", "", "s"},
		{"broken", c, func(p tape) { p.saw(c, 0, "bad") }, contract.Fail, "bad", "", "s"},
		{"not offered", c, func(p tape) { p.saw(c, 0, "none") }, contract.Unsupported, "none", "", "s"},
		{"a variant of no list", c, func(p tape) { p.saw(c, 0, "strange") }, contract.Fail, contract.Other, "", "s"},
		{"no variant", c, func(p tape) { p.saw(c, 0, "") }, contract.Fail, contract.Other, "", "s"},
		{"other", c, func(p tape) { p.saw(c, 0, "other") }, contract.Fail, contract.Other, "", "s"},
		{"not asked", c, func(tape) {}, contract.Error, "error", "not in this recording", ""},
		{"cut off", c, func(p tape) { p.step(contract.Step{Check: c, Name: "s", Status: 200, Body: []byte("good")}) }, contract.Error, "error", "in the middle of this check", ""},
		{"cut off in round 2", c, func(p tape) {
			p.saw(c, 0, "good").step(contract.Step{Check: c, Name: "s", Round: 1, Status: 200})
		}, contract.Error, "error", "in the middle", ""},
		{"an error", c, func(p tape) { p.saw(c, 0, "good").end(c, 0, "", "the target is gone") }, contract.Error, "error", "the target is gone", ""},
		{"cannot be asked", c, func(p tape) { p.end(c, 0, "it has no key", "") }, contract.NotApplicable, "not-applicable", "it has no key", ""},
		{"a classifier that panics", c, func(p tape) { p.saw(c, 0, "panic") }, contract.Error, "error", "the classifier of c/one panicked: of the classifier", ""},
		{"no answer", c, func(p tape) { p.step(fault).end(c, 0, "", "") }, contract.Fail, contract.NoAnswer, "", "s"},
		{"no answer, still alive", c, func(p tape) { p.step(fault).step(alive(200)).end(c, 0, "", "") }, contract.Fail, contract.NoAnswer, "", "s"},
		{"dies", c, func(p tape) { p.step(fault).step(alive(500)).end(c, 0, "", "") }, contract.Fail, contract.Dies, "", contract.StillAlive},
		{"dies after a good answer", c, func(p tape) { p.step(alive(503)).saw(c, 0, "good") }, contract.Fail, contract.Dies, "", contract.StillAlive},
		{"a missing read", "c/lacks", func(p tape) { p.saw("c/lacks", 0, "good") }, contract.Error, "error", "needs the evidence of c/unasked: not in this recording", ""},
		// What was never asked can hide a failure, so that without it only a failure counts. What was asked and has no
		// verdict hides nothing.
		{"some reads, one was not asked", "c/some", func(p tape) { p.saw("c/some", 0, "good") }, contract.Error, "error", "needs the evidence of c/unasked", ""},
		{"some reads, one was cut off", "c/some", func(p tape) {
			p.step(contract.Step{Check: "c/unasked", Name: "s", Status: 200}).saw("c/some", 0, "odd")
		}, contract.Error, "error", "needs the evidence of c/unasked", ""},
		{"some reads, one was not asked of a dead server", "c/some", func(p tape) {
			p.unasked("c/unasked", 0).saw("c/some", 0, "good")
		}, contract.Error, "error", "needs the evidence of c/unasked: the target is gone", ""},
		{"some reads, one was not asked, and a failure", "c/some", func(p tape) { p.saw("c/some", 0, "bad") }, contract.Fail, "bad", "", "s"},
		{"some reads, one has an error", "c/some", func(p tape) { p.end("c/unasked", 0, "", "no limit").saw("c/some", 0, "good") }, contract.Pass, "good", "", "s"},
		{"some reads, one cannot be asked", "c/some", func(p tape) { p.end("c/unasked", 0, "no key", "").saw("c/some", 0, "good") }, contract.Pass, "good", "", "s"},
		{"a read of a read that was cut off", "c/deep", func(p tape) {
			p.step(contract.Step{Check: "c/cut", Name: "s", Status: 200}).saw("c/middle", 0, "good").saw("c/deep", 0, "good")
		}, contract.Error, "error", "needs the evidence of c/middle: it needs the evidence of c/cut: the recording stops", ""},
		{"a read that cannot be asked", "c/of-inapplicable", func(p tape) { p.end("c/inapplicable", 0, "no key", "").saw("c/of-inapplicable", 0, "good") },
			contract.Pass, "good", "", "s"},
		// A check that asks nothing has no evidence without what it reads, whatever its classifier says of none.
		{"nothing but a read that cannot be asked", "c/read", func(p tape) { p.end("c/inapplicable", 0, "no key", "").saw("c/read", 0, "good") },
			contract.NotApplicable, "not-applicable", "it needs the evidence of c/inapplicable: no key", ""},
		{"nothing but reads, one cannot be asked", "c/half", func(p tape) {
			p.saw(c, 0, "good").end("c/inapplicable", 0, "no key", "").saw("c/half", 0, "good")
		}, contract.NotApplicable, "not-applicable", "it needs the evidence of c/inapplicable: no key", ""},
		// What a server answered before it died is evidence.
		{"two rounds, the third was not asked of a dead server", c, func(p tape) { p.saw(c, 0, "odd").saw(c, 1, "odd").unasked(c, 2) }, contract.Differs, "odd", "", "s"},
		{"a round was flaky, the third was not asked", c, func(p tape) { p.saw(c, 0, "odd").saw(c, 1, "bad").unasked(c, 2) }, contract.Flaky, "bad", "round 1 was odd", "s"},
		{"no round was asked of a dead server", c, func(p tape) { p.unasked(c, 0).unasked(c, 1) }, contract.Error, "error", "the target is gone", ""},
		{"three rounds alike", c, func(p tape) { p.saw(c, 0, "odd").saw(c, 1, "odd").saw(c, 2, "odd") }, contract.Differs, "odd", "", "s"},
		{"flaky", c, func(p tape) { p.saw(c, 0, "good").saw(c, 1, "bad") }, contract.Flaky, "bad", "round 1 was good, round 2 bad", "s"},
		{"flaky at last", c, func(p tape) { p.saw(c, 0, "good").saw(c, 1, "good").saw(c, 2, "odd").saw(c, 3, "good") }, contract.Flaky, "odd", "round 2 was good, round 3 odd", "s"},
		{"two ways of other", c, func(p tape) { p.saw(c, 0, "strange").saw(c, 1, "stranger") }, contract.Fail, contract.Other, "", "s"},
	} {
		s := suite(base...)
		p := newTape(t, "t")
		x.record(p)
		asked := len(p.rec().Trails(c)) > 0
		if asked {
			p.log(c, "a line")
		}
		check, _ := s.Check(x.check)
		cell := judge.New(s).Target(p.rec(), check)
		if cell.Check != x.check || cell.Outcome != x.outcome || cell.Variant() != x.variant || !strings.Contains(cell.Reason, x.reason) || strings.Join(cell.Finding.Proof, " ") != x.proof {
			t.Errorf("%s: %+v", x.name, cell)
		}
		if (x.reason == "") != (cell.Reason == "") {
			t.Errorf("%s: reason %q", x.name, cell.Reason)
		}
		if (x.outcome == contract.Flaky) != (len(cell.Flaps) > 1) {
			t.Errorf("%s: the rounds showed %v", x.name, cell.Flaps)
		}
		if x.check == c && asked && len(p.rec().Trails(c)) == 1 && len(cell.Logs) != 1 {
			t.Errorf("%s: the server's log is not in the cell", x.name)
		}
	}
	if cell := judge.New(suite(status(c))).Target(newTape(t, "t").saw(c, 0, "strange").rec(), status(c)); cell.Finding.Observed != "strange (seen)" {
		t.Errorf("other does not show what was seen: %q", cell.Finding.Observed)
	}
}

// A flaky cell names all that its rounds showed, not only the first two that differ.
func TestFlakyNamesAllThatWasShown(t *testing.T) {
	check := status("c/one")
	p := newTape(t, "t").saw("c/one", 0, "good").saw("c/one", 1, "odd").saw("c/one", 2, "good").saw("c/one", 3, "bad")
	if got := judge.New(suite(check)).Target(p.rec(), check); strings.Join(got.Flaps, " ") != "bad good odd" {
		t.Errorf("%+v", got)
	}
}

func TestEvidence(t *testing.T) {
	var got []contract.Evidence
	keep := func(e contract.Evidence) contract.Finding { got = append(got, e); return contract.Found("good", "") }
	top, middle, base := status("c/top", "c/middle"), status("c/middle", "c/base"), status("c/base")
	top.Classify = keep
	p := newTape(t, "t").step(contract.Step{Check: contract.FactsID, Name: "plain", Status: 200})
	if err := p.w.Plan(contract.Plan{Reference: "r"}); err != nil {
		t.Fatal(err)
	}
	for round, variant := range []string{"odd", "bad"} {
		p.saw("c/top", round, "good").saw("c/middle", round, variant)
	}
	p.saw("c/base", 0, "none") // once: all rounds read it
	j := judge.New(suite(top, middle, base))
	j.Target(p.rec(), top)
	if len(got) != 2 {
		t.Fatalf("judged %d rounds", len(got))
	}
	for round, want := range []string{"odd", "bad"} {
		e := got[round]
		m := e.Read["c/middle"]
		if e.Target != "t" || e.Plan.Reference != "r" || e.Facts.Dimensions != 1 || e.Facts.MaxTokens != 5 || e.Facts.Model != "m" || len(e.Steps) != 1 {
			t.Errorf("round %d: %+v", round, e)
		}
		if string(m.Step("s").Body) != want || string(m.Read["c/base"].Step("s").Body) != "none" || len(e.Read) != 1 {
			t.Errorf("round %d reads %+v", round, e.Read)
		}
	}
	// Facts that are still being asked for are derived anew, and settled once they were asked to their end.
	for _, n := range []int{2, 3} {
		p.step(contract.Step{Check: contract.FactsID, Name: "more", Status: 200})
		if f := j.Facts(p.rec()); f.Dimensions != n {
			t.Errorf("after %d questions the facts are of %d", n, f.Dimensions)
		}
	}
	p.end(contract.FactsID, 0, "", "")
	if f := j.Facts(p.rec()); f.Dimensions != 3 {
		t.Errorf("%+v", f)
	}
}

// Two goroutines, as two specs, get one answer: what a report says must not depend on who asked.
func TestPanicReadsAlike(t *testing.T) {
	s := suite(status("c/one"))
	check, _ := s.Check("c/one")
	rec := newTape(t, "t").saw("c/one", 0, "panic").rec()
	first := judge.New(s).Target(rec, check)
	second := make(chan judge.Cell)
	go func() { second <- judge.New(s).Target(rec, check) }()
	if got := <-second; got.Reason != first.Reason {
		t.Errorf("%s\n\nand then\n\n%s", first.Reason, got.Reason)
	}
	if !strings.Contains(first.Reason, "judge_test.go:") {
		t.Errorf("the reason does not say where: %s", first.Reason)
	}
}

// A server can name a model of any length, and a classifier shows it.
func TestObservationsAreShort(t *testing.T) {
	c := asks("c/one")
	c.Classify = func(e contract.Evidence) contract.Finding {
		return contract.Found("good", "model  %s", e.Step("s").Body)
	}
	for _, body := range []string{"of  two words", strings.Repeat("서버 ", 4000), "\xff" + strings.Repeat("x", 9000)} {
		rec := newTape(t, "t").saw("c/one", 0, body).rec()
		cell := judge.New(suite(c)).Target(rec, c)
		if n := utf8.RuneCountInString(cell.Finding.Observed); n > 4001 || cell.Outcome != contract.Pass || len(body) < 100 && cell.Finding.Observed != "model  "+body {
			t.Errorf("%d characters, %s: %.80q", n, cell.Outcome, cell.Finding.Observed)
		}
	}
}
