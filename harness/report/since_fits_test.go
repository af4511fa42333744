package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestReportsThatAreNoBaseline(t *testing.T) {
	run := Run{Revision: "2026-11", Corpus: "c", Targets: []RunTarget{{"mine", "m", "real"}}}
	for name, c := range map[string]struct {
		change func(*Report)
		want   string
	}{
		"the same":           {func(*Report) {}, ""},
		"another revision":   {func(r *Report) { r.Revision = "2025-01" }, "run with --revision 2025-01"},
		"another model":      {func(r *Report) { r.Targets[0].Model = "other" }, `its model of target mine is "other", that of this run "m"`},
		"another target":     {func(r *Report) { r.Targets[0].Name, r.Cells[0].Target = "yours", "yours" }, "of the targets yours, this run of mine"},
		"one target more":    {func(r *Report) { r.Targets = append(r.Targets, Target{Name: "more"}) }, "target more has no answer in it"},
		"a reference":        {func(r *Report) { r.Reference = "mine" }, `its reference is "mine", that of this run ""`},
		"other texts":        {func(r *Report) { r.Corpus = "d" }, `its corpus is "d"`},
		"an emulation":       {func(r *Report) { r.Targets[0].Kind = "emulated" }, `its kind of target mine is "emulated"`},
		"no targets":         {func(r *Report) { r.Targets, r.Cells = nil, nil }, "it has no target"},
		"no cells":           {func(r *Report) { r.Cells = nil }, "has no answer in it"},
		"nothing but errors": {func(r *Report) { r.Cells[0].Judgement = because("error", "e") }, "has no answer in it"},
	} {
		t.Run(name, func(t *testing.T) {
			r := lone(map[string]Judgement{"a/x": ok("good")})
			c.change(r)
			read, err := ReadEarlier(bytes.NewReader(written(t, r)))
			if err == nil {
				err = read.Fits(run)
			}
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want it to say %q", err, c.want)
			}
		})
	}
	if _, err := ReadEarlier(endless{}); err == nil || !strings.Contains(err.Error(), "more than 64 MiB") {
		t.Errorf("a file without end: %v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// A server that is named by its address may have another one each time.
func TestEndpointsAreFoundAgain(t *testing.T) {
	before := lone(map[string]Judgement{"a/x": ok("good")})
	before.Targets[0].Kind, before.Targets[0].Name, before.Cells[0].Target = "endpoint", "127.0.0.1-8000", "127.0.0.1-8000"
	if err := before.Fits(Run{Revision: "2026-11", Targets: []RunTarget{{"10.0.0.1-9000", "m", "endpoint"}}}); err != nil {
		t.Fatal(err)
	}
	if before.Cells[0].Target != "10.0.0.1-9000" || before.Targets[0].Name != "10.0.0.1-9000" {
		t.Errorf("the column is still %+v", before.Targets)
	}
}

// FuzzHoldTo: whatever an earlier report says, it excuses no answer that it does not hold, and all renderers show the result.
func FuzzHoldTo(f *testing.F) {
	f.Add(written(f, lone(map[string]Judgement{"a/x": as("unexpected", "fail", "bad"), "a/y": ok("good")})))
	f.Add(written(f, lone(map[string]Judgement{"a/x": as("unexpected", "pass", "bad"), "a/y": because("error", hostile)})))
	f.Add([]byte(`{"schema":"` + Schema + `","revision":"2026-11","targets":[{"name":"mine"}],"behaviours":[{"checks":[{"id":"a/x"}]}],"cells":[{"target":"mine","check":"a/x","outcome":"fail","variant":"bad"}]}`))
	f.Add([]byte(`{"schema":"` + Schema + `","targets":[{"name":"mine"}],"pairs":[{"reference":"mine","candidate":"mine"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		before, err := ReadEarlier(bytes.NewReader(data))
		if err != nil {
			if before != nil || !strings.HasPrefix(err.Error(), "report: ") {
				t.Error(err)
			}
			return
		}
		_ = before.Fits(Run{Revision: "2026-11", Targets: []RunTarget{{"mine", "m", "real"}}})
		now := lone(map[string]Judgement{"a/x": as("unexpected", "fail", "bad"), "a/y": ok("good")})
		now.HoldTo("r", before, every, noRules, false)
		held := slices.ContainsFunc(before.Cells, func(c Cell) bool {
			return c.Target == "mine" && c.Check == "a/x" && (c.Outcome == "fail" || c.Outcome == "flaky")
		})
		if !held && now.Verdict.Exit == 0 {
			t.Error("a failure is excused by a report that does not hold it")
		}
		shown(t, written(t, now))
	})
}
