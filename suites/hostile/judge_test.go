package hostile_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/suites"
)

// slowestJudge is how long it may take to judge a recording of some kilobytes with every check, and to show it four
// times, in the fuzzer's own build, which is slow.
const slowestJudge = 10 * time.Second

// FuzzJudge takes a recording with any lines from its file to all reports: it is refused, or each check has a verdict and
// each report can be read.
func FuzzJudge(f *testing.F) {
	suite, err := suites.All()
	if err != nil {
		f.Fatal(err)
	}
	for _, id := range []string{"dimensions/reduced-256", "truncation/over-long", "encoding_format/base64-bytes", "witnesses/python-default", "service/models", "status_codes/unknown-model", "lifecycle/worker-killed", "unit_norm/single"} {
		lines, vectors := small(f, suite, id)
		f.Add(lines, vectors, 100)
	}
	lines, vectors := small(f, suite, "dimensions/reduced-256")
	for old, by := range map[string]string{
		`"round":1`: `"round":-9223372036854775808`, `"dimensions":2`: `"dimensions":2000000`, `"max_tokens":96`: `"max_tokens":1000000000000`, `"name":"small"`: `"name":"legacy","spec":{"components":[{"name":null}]}`,
		`"corpus":"`: `"corpus":"\ud800`, `"status":200`: `"status":-1`, `"kind":"emulated"`: `"kind":"\u001b[2J"`, `"revision":"`: `"revision":"../`, `"sent":"20`: `"sent":"99`, `"name":"limit`: `"name":"limit:-1+-9223372036854775808`,
	} {
		f.Add(bytes.ReplaceAll(lines, []byte(old), []byte(by)), vectors, -1)
	}
	today := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, lines, vectors []byte, width int) {
		began := time.Now()
		rec, err := recording.Read(sealed(lines, vectors), vectors)
		if err != nil {
			return
		}
		other := *rec
		other.Header.Target.Name += "@2" // as the command sets two recordings of one target apart
		two := []report.Source{{Recording: rec}, {Recording: &other}}
		// Of what was neither asked nor read the same is said in each recording.
		selected := func(c contract.Check) bool {
			return len(rec.Trails(c.ID)) > 0 || slices.ContainsFunc(c.Reads, func(id string) bool { return len(rec.Trails(id)) > 0 })
		}
		r := report.Build(report.Input{Suite: suite, Today: today, Targets: two, Reference: two[0].Recording.Header.Target.Name, Selected: selected})
		for _, c := range r.Cells {
			if strings.Contains(c.Reason, "fault of the suite") {
				t.Errorf("%s: %s", c.Check, c.Reason)
			}
		}
		for _, p := range r.Pairs {
			for _, c := range p.Cells {
				if strings.Contains(c.Reason, "fault of the suite") {
					t.Errorf("%s: %s", c.Check, c.Reason)
				}
			}
		}
		var text bytes.Buffer
		if err := r.JSON(&text); err != nil {
			t.Fatal(err)
		}
		if _, err := report.ReadJSON(&text); err != nil {
			t.Errorf("the report cannot be read: %v", err)
		}
		for _, show := range []func(io.Writer) error{r.Markdown, r.JUnit, func(w io.Writer) error {
			return r.Terminal(w, report.TerminalOptions{Width: width, Verbose: width%2 == 0})
		}} {
			if err := show(io.Discard); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took > slowestJudge {
			t.Errorf("%d bytes took %v", len(lines), took)
		}
	})
}

// small is what was recorded of a real server for one check, and for what that reads, twice, with vectors of two numbers.
func small(t testing.TB, suite contract.Suite, id string) (lines, vectors []byte) {
	real, err := recording.Open(filepath.Join("..", "..", "fixtures", "recordings", "legacy"))
	if err != nil {
		t.Fatal(err)
	}
	var l, v bytes.Buffer
	facts := contract.Facts{Model: "m", Dimensions: 2, MaxTokens: 96}
	w, err := recording.To(&l, &v, recording.Header{Revision: suite.Revision, Target: recording.Target{Name: "small", Kind: "emulated", Model: "m", Declared: facts}}, "")
	errs := []error{err, w.Plan(contract.NewPlan("small", facts, suite.Corpus))}
	for _, check := range real.Checks() {
		c, _ := suite.Check(id)
		if check != contract.FactsID && !reads(suite, c, check) {
			continue
		}
		for round := range 2 {
			for i, s := range real.Trails(check)[0].Steps {
				if i == mostSteps {
					break
				}
				for k := range s.Vectors {
					s.Vectors[k].Values = s.Vectors[k].Values[:min(2, len(s.Vectors[k].Values))]
				}
				s.Round, s.Body, s.Vectors, s.Header = round, s.FullBody(), nil, map[string][]string{"Content-Type": {"application/json"}}
				_, err := w.Exchange(s)
				errs = append(errs, err)
			}
			errs = append(errs, w.End(check, round, "", ""))
		}
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return l.Bytes(), v.Bytes()
}

// mostSteps of a check are in a small recording: a fuzzer gets nowhere with a large one.
const mostSteps = 12

// sealed adds the footer that belongs to lines.
func sealed(lines, vectors []byte) []byte {
	whole := lines[:bytes.LastIndexByte(lines, '\n')+1]
	return fmt.Appendf(slices.Clone(whole), `{"kind":"footer","footer":{"lines":%d,"floats":%d,"sha256":"%x","vectors_sha256":"%x","ended":"2026-11-30T00:00:00Z"}}`+"\n",
		bytes.Count(whole, []byte("\n")), len(vectors)/4, sha256.Sum256(whole), sha256.Sum256(vectors))
}
