package suites_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/suites"
)

// emulations names each emulated target and the real one whose committed recording it must agree with, the
// reference first.
func emulations() [][2]string {
	return [][2]string{
		{"legacy-emulated", "legacy"},
		{"dynamo-1.6-emulated", "dynamo-1.6.1"},
		{"vllm-0.31-emulated", "vllm-0.31.0"},
	}
}

func committed(t *testing.T, name string) *recording.Recording {
	t.Helper()
	rec, err := recording.Open(filepath.Join("..", "fixtures", "recordings", name))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// TestPersonalitiesAnswerAsTheRealServersDid holds the emulated matrix and the real one together: a personality
// that answers otherwise than the recorded server, in any check and any pair, is wrong.
func TestPersonalitiesAnswerAsTheRealServersDid(t *testing.T) {
	suite, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	judged := func(sources []report.Source) *report.Report {
		return report.Build(report.Input{Suite: suite, Today: time.Now(), Targets: sources, Reference: sources[0].Recording.Header.Target.Name})
	}
	var emulated, real []report.Source
	var plan *contract.Plan
	for _, pair := range emulations() {
		real = append(real, report.Source{Recording: committed(t, pair[1])})
		emulated = append(emulated, report.Source{Recording: askAll(t, suite, pair[0], &plan)})
	}
	a, b := judged(emulated), judged(real)
	if len(a.Cells) != len(b.Cells) || len(a.Pairs) != len(b.Pairs) {
		t.Fatalf("%d cells and %d pairs of the emulated, %d and %d of the real servers", len(a.Cells), len(a.Pairs), len(b.Cells), len(b.Pairs))
	}
	for i := range a.Cells {
		if e, r := a.Cells[i], b.Cells[i]; e.Variant != r.Variant || e.Outcome != r.Outcome {
			t.Errorf("%s: %s is %s (%s), but %s was %s (%s)", e.Check, e.Target, e.Variant, e.Outcome+e.Reason, r.Target, r.Variant, r.Outcome+r.Reason)
		}
	}
	for i := range a.Pairs {
		for j := range a.Pairs[i].Cells {
			if e, r := a.Pairs[i].Cells[j], b.Pairs[i].Cells[j]; e.Variant != r.Variant || e.Effect != r.Effect {
				t.Errorf("%s: %s is %s (%s), but %s was %s (%s)", e.Check, a.Pairs[i].Candidate, e.Variant, e.Effect, b.Pairs[i].Candidate, r.Variant, r.Effect)
			}
		}
	}
}

// askAll asks a built-in emulated target everything, by the plan of the first one.
func askAll(t *testing.T, suite contract.Suite, name string, plan **contract.Plan) *recording.Recording {
	t.Helper()
	spec, err := fixtures.Target(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.Open(t.Context(), session.Config{Suite: suite, Embedded: fixtures.Emulator}, spec)
	if err != nil {
		t.Fatal(err)
	}
	if *plan == nil {
		p := contract.NewPlan(name, s.Facts(), suite.Corpus)
		*plan = &p
	}
	if err := s.Follow(**plan); err != nil {
		t.Fatal(err)
	}
	for _, c := range suite.Checks() {
		if err := s.Ask(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return s.Recording()
}

// TestParityTurnsRed holds what explain says of known faults to the recordings: the legacy server with one thing
// wrong, against the real Dynamo. What a fault looks like must be among the check's looks, and must be a failure
// that breaks the index.
func TestParityTurnsRed(t *testing.T) {
	suite, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	cosine, ok := suite.Check("vector_parity/cosine")
	if !ok {
		t.Fatal("no check vector_parity/cosine")
	}
	tokens, _ := suite.Check("token_parity/per-document")
	j := judge.New(suite)
	dynamo := committed(t, "dynamo-1.6.1")
	for name, red := range map[string]bool{"legacy": false, "legacy-mean-pooling": true, "legacy-other-seed": true, "legacy-no-end-marker": true} {
		candidate := committed(t, name)
		cell, count := j.Pair(dynamo, candidate, cosine), j.Pair(dynamo, candidate, tokens)
		if (cell.Outcome == contract.Fail) != red || (cell.Change.Effect == contract.IndexBreak) != red {
			t.Errorf("%s against Dynamo: %s, %s %s", name, cell.Variant(), cell.Change.Effect, cell.Reason)
		}
		spread, _, _ := strings.Cut(cell.Finding.Observed, "; bar")
		counted, _, _ := strings.Cut(count.Finding.Observed, "; first")
		if look := spread + "; tokens " + counted; !slices.ContainsFunc(cosine.Looks, func(l string) bool { return strings.HasSuffix(l, ": "+look) }) {
			t.Errorf("%s looks like this, which explain does not show: %s", name, look)
		}
	}
}
