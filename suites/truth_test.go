package suites_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/fixtures/witnesses"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
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
	for _, pair := range emulations() {
		real = append(real, report.Source{Recording: committed(t, pair[1])})
	}
	for _, rec := range askAll(t, suite) {
		emulated = append(emulated, report.Source{Recording: rec})
	}
	a, b := judged(emulated), judged(real)
	if len(a.Cells) != len(b.Cells) || len(a.Pairs) != len(b.Pairs) {
		t.Fatalf("%d cells and %d pairs of the emulated, %d and %d of the real servers", len(a.Cells), len(a.Pairs), len(b.Cells), len(b.Pairs))
	}
	for i := range a.Cells {
		if e, r := a.Cells[i], b.Cells[i]; unasked(e.Check) {
			continue
		} else if !raced(r.Target, e.Check, e.Variant, r.Variant) && (!alike(e.Check, e.Variant, r.Variant) || e.Outcome != r.Outcome) {
			t.Errorf("%s: %s is %s (%s), but %s was %s (%s)", e.Check, e.Target, e.Variant, e.Outcome+e.Reason, r.Target, r.Variant, r.Outcome+r.Reason)
		}
	}
	for i := range a.Pairs {
		for j := range a.Pairs[i].Cells {
			if e, r := a.Pairs[i].Cells[j], b.Pairs[i].Cells[j]; unasked(e.Check) {
				continue
			} else if !raced(b.Pairs[i].Candidate, e.Check, e.To, r.To) && (!alike(e.Check, e.Variant, r.Variant) || e.Effect != r.Effect) {
				t.Errorf("%s: %s is %s (%s), but %s was %s (%s)", e.Check, a.Pairs[i].Candidate, e.Variant, e.Effect, b.Pairs[i].Candidate, r.Variant, r.Effect)
			}
		}
	}
}

// alike says whether two variants are of one behaviour. Whether a batch is done within the seconds that a worker is given is
// a matter of the machine.
func alike(check, a, b string) bool {
	return a == b || check == inFlight && both(a, b, "finished", "given-time")
}

// raced says whether two variants are both vLLM's, which of them is a matter of milliseconds: its front saw that the engine
// went and says 500, or it did not, and never answers. Recordings of its settings hold the one and the other.
func raced(target, check, a, b string) bool {
	return target == "vllm-0.31.0" && check == inFlight && both(a, b, "cut-5xx", "hangs")
}

const inFlight = "lifecycle/in-flight"

func both(a, b string, of ...string) bool { return slices.Contains(of, a) && slices.Contains(of, b) }

// withSDKs says whether the SDKs that are no Go are installed, and must be asked; their checks are compared only then.
func withSDKs() bool { return os.Getenv("EMBEDCONTRACT_WITNESSES") == "1" }

// unasked says whether a check is of an SDK that is not asked here.
func unasked(check string) bool {
	return !withSDKs() && (strings.HasPrefix(check, "witnesses/"+statement.Python) || strings.HasPrefix(check, "witnesses/"+statement.Node))
}

// askAll asks every emulated target everything, side by side, by the plan of the first one.
func askAll(t *testing.T, suite contract.Suite) []*recording.Recording {
	t.Helper()
	config := session.Config{Suite: suite, Embedded: fixtures.Emulator}
	if withSDKs() {
		tools, err := witnesses.Tools()
		if err == nil {
			err = tools.Ready(statement.Python, statement.Node)
		}
		if err != nil {
			t.Fatal(err)
		}
		config.Tools, config.Witnesses = tools, []string{statement.Python, statement.Node}
	}
	var sessions []*session.Session
	for _, pair := range emulations() {
		spec, err := fixtures.Target(pair[0])
		if err != nil {
			t.Fatal(err)
		}
		s, err := session.Open(t.Context(), config, spec)
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s)
	}
	plan := contract.NewPlan(emulations()[0][0], sessions[0].Facts(), suite.Corpus)
	errs := make([]error, len(sessions))
	var all sync.WaitGroup
	for i, s := range sessions {
		all.Go(func() { errs[i] = errors.Join(askOne(t.Context(), s, suite, plan), s.Close()) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	var out []*recording.Recording
	for _, s := range sessions {
		out = append(out, s.Recording())
	}
	return out
}

func askOne(ctx context.Context, s *session.Session, suite contract.Suite, plan contract.Plan) error {
	if err := s.Follow(plan); err != nil {
		return err
	}
	for _, b := range suite.AskingOrder() {
		for _, c := range b.Checks {
			if err := s.Ask(ctx, c.ID); err != nil {
				return err
			}
		}
	}
	return nil
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

// mostAdded is what the suite may add to the time in which a real server answers, as a share of it.
const mostAdded = 0.2

// TestTheSuiteAddsLittle holds what the checks of every run took, in the recordings of real servers, to what the servers
// took to answer them.
func TestTheSuiteAddsLittle(t *testing.T) {
	suite, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range emulations() {
		r := report.Build(report.Input{Suite: suite, Today: time.Now(), Targets: []report.Source{{Recording: committed(t, pair[1])}}})
		if got := r.Targets[0].Timing; got.Requests < 100 || got.Share() > mostAdded {
			t.Errorf("%s: %s", pair[1], got)
		}
	}
}
