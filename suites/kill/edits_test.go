package kill_test

import (
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// edit shows a variant that no switch of a server can show, by changing one step of the base's recording.
type edit struct {
	check, variant string
	why            string // why no switch shows it
	step           string
	change         func(*contract.Step)
}

func edits() []edit {
	refuse := func(s *contract.Step) {
		s.Status, s.Body, s.Vectors = 400, []byte(`{"error":{"message":"no"}}`), nil
	}
	shorten := func(s *contract.Step) {
		s.Vectors[0].Values = s.Vectors[0].Values[:100]
	}
	return []edit{
		{"dimensions/same-for-every-length", "varies", "it takes a model that gives the longer text the shorter vector", "long", shorten},
		{"batching/long-texts", "refused", "it takes a server that refuses the text of the limit that it served a moment ago", "alone:2", refuse},
		{"truncation/end-counts", "refused", "it takes a server that refuses the text of the limit that it served a moment ago", "whole", refuse},
	}
}

func TestEditedAnswersAreFound(t *testing.T) {
	l := openLab(t)
	for _, e := range edits() {
		t.Run(e.check+"="+e.variant, func(t *testing.T) {
			t.Parallel()
			rec, err := l.record(mutant{name: "edited", extended: true}, 1)
			if err != nil {
				t.Fatal(err)
			}
			c, ok := l.suite.Check(e.check)
			if !ok {
				t.Fatalf("no check %s", e.check)
			}
			j := judge.New(l.suite)
			if got := j.Target(rec, c); got.Variant() == e.variant {
				t.Fatalf("it is %s before anything was changed", e.variant)
			}
			changed := false
			for i := range rec.Trails(e.check)[0].Steps {
				if s := &rec.Trails(e.check)[0].Steps[i]; s.Name == e.step {
					e.change(s)
					changed = true
				}
			}
			if got := j.Target(rec, c); !changed || got.Variant() != e.variant {
				t.Errorf("%s, %s %s; changed: %v", got.Variant(), got.Finding.Observed, got.Reason, changed)
			}
		})
	}
}
