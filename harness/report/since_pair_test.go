package report

import (
	"slices"
	"testing"

	"github.com/embedcontract/embedcontract/harness/verdict"
)

func TestHoldToAPair(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Report)
		want   map[string]string
	}{
		"nothing": {func(*Report) {}, map[string]string{}},
		"an effect got worse": {func(r *Report) { r.pairCell("dimensions/native-by-default").Effect = "client-change" },
			map[string]string{"dimensions/native-by-default": "new worse"}},
		"a change got silent": {func(r *Report) { r.pairCell("dimensions/reduced-256").Silent = true },
			map[string]string{"dimensions/reduced-256": "new worse"}},
		"a measured pair drifted": {func(r *Report) {
			c := r.pairCell("vector_parity/ranking")
			c.Judgement, c.Effect = as("unexpected", "differs", "reordered"), "index-break"
		}, map[string]string{"vector_parity/ranking": "new worse"}},
		"it is not known any more": {func(r *Report) { r.pairCell("dimensions/reduced-256").Effect = "unknown" },
			map[string]string{"dimensions/reduced-256": "new no-answer"}},
		"the limit was lowered": {func(r *Report) { r.Targets[1].Facts.MaxTokens = 512 }, map[string]string{"facts": "new changed"}},
		"a remedy fails": {func(r *Report) {
			d := &r.Pairs[0].Decision.Clients
			d.Failed, d.Changes = append(d.Failed, d.Changes[0]), d.Changes[1:]
			d.Answer = verdict.NotSafe
		}, map[string]string{"clients": "new worse", "dimensions/slice-on-client": "new worse"}},
		"the index breaks": {func(r *Report) { r.Pairs[0].Decision.Index.Answer = verdict.ReEmbed }, map[string]string{"index": "new worse"}},
		"a cell and its effect are told once": {func(r *Report) {
			for i := range r.Cells {
				if c := &r.Cells[i]; c.Target == "dynamo-1.6-emulated" && c.Check == "dimensions/native-by-default" {
					c.Judgement = as("unexpected", "fail", "other-length")
				}
			}
			r.pairCell("dimensions/native-by-default").Effect = "client-change"
		}, map[string]string{"dimensions/native-by-default": "new worse"}},
	} {
		t.Run(name, func(t *testing.T) {
			before, now := decidedSample(), decidedSample()
			c.change(now)
			now.HoldTo("r", before, every, noRules, false)
			got := map[string]string{}
			for _, turn := range now.Since.New {
				got[turn.Check] = "new " + turn.Kind
			}
			if len(got) != len(c.want) || len(now.Since.New) != len(c.want) {
				t.Errorf("new is %+v, want %v", now.Since.New, c.want)
			}
			for check, kind := range c.want {
				if got[check] != kind {
					t.Errorf("%s is %q, want %q", check, got[check], kind)
				}
			}
			if exit := min(len(c.want), 1); now.Verdict.Exit != exit {
				t.Errorf("exit code %d, want %d", now.Verdict.Exit, exit)
			}
		})
	}
}

// decidedSample is the sample with a decision on its pair that keeps the index and knows one change.
func decidedSample() *Report {
	r := sample()
	r.Baseline = nil
	r.Pairs[0].Decision = verdict.Decision{Answer: verdict.Changes,
		Clients: verdict.Clients{Answer: verdict.Changes, Changes: []verdict.Change{{Remedy: "dimensions/slice-on-client", Do: "cut"}}},
		Index:   verdict.Index{Answer: verdict.Keep}}
	return r
}

func (r *Report) pairCell(check string) *PairCell {
	cells := r.Pairs[0].Cells
	return &cells[slices.IndexFunc(cells, func(c PairCell) bool { return c.Check == check })]
}
