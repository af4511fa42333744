package hostile_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
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
	for _, id := range []string{"dimensions/reduced-256", "truncation/over-long", "encoding_format/base64-bytes", "witnesses/go-default", "service/models", "status_codes/unknown-model", "lifecycle/worker-killed", "concurrency/overload"} {
		lines, vectors := small(f, suite, id)
		f.Add(lines, vectors, 100)
	}
	lines, vectors := small(f, suite, "dimensions/reduced-256")
	for old, by := range map[string]string{
		`"round":1`: `"round":-9223372036854775808`, `"dimensions":2`: `"dimensions":2000000`, `"max_tokens":96`: `"max_tokens":1000000000000`, `"name":"small"`: `"name":"legacy","spec":{"components":[{"name":null}]}`,
		`"corpus":"`: `"corpus":"\ud800`, `"status":200`: `"status":-1`, `"kind":"emulated"`: `"kind":"\u001b[2J"`, `"revision":"`: `"revision":"../`, `"sent":"2026`: `"sent":"0000`, `"name":"limit`: `"name":"limit:-1+-9223372036854775808`,
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
		r := report.Build(report.Input{Suite: suite, Today: today, Targets: two, Reference: two[0].Recording.Header.Target.Name})
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

// small is a recording of the facts and of one check, to whose requests all kinds of answers came.
func small(t testing.TB, suite contract.Suite, id string) (lines, vectors []byte) {
	var l, v bytes.Buffer
	facts := contract.Facts{Model: "m", Dimensions: 2, MaxTokens: 96}
	w, err := recording.To(&l, &v, recording.Header{Revision: suite.Revision, Target: recording.Target{Name: "small", Kind: "emulated", Model: "m", Declared: facts}}, "")
	if err != nil {
		t.Fatal(err)
	}
	bodies := []string{`{"data":[{"index":0,"embedding":[1,2]}],"usage":{"prompt_tokens":8,"total_tokens":8}}`, `{"error":{"message":"no","type":"x","param":null,"code":null}}`,
		`{"data":[{"index":0,"embedding":"AACAPwAAAEA="}],"usage":{"prompt_tokens":0}}`, `{"sdk":"go","version":"1","ok":true,"data":[{"index":0,"embedding":[1,2]}],"calls":1,"answers":[{"status":200}]}`, `{"data":[{"id":"m"}]}`, "\xff"}
	steps := map[string][]string{contract.FactsID: {"plain", "usage:8+0", "limit:60+4", "grow:64+0"},
		id: {"full", "reduced", "asked", "exact", "over-long", "cut", "base64", "float", "told", "models", "kill", "again", "limit:1+2", contract.StillAlive}}
	err = w.Plan(contract.NewPlan("small", facts, suite.Corpus))
	for _, check := range []string{contract.FactsID, id} {
		for round := range 2 {
			for i, name := range steps[check] {
				s := contract.Step{Check: check, Name: name, Round: round, Request: contract.Request{Method: "POST", Path: contract.EmbeddingsPath, Body: []byte(`{"input":"x"}`)},
					Status: []int{200, 400, 200, 200, 200, 503}[i%6], Body: []byte(bodies[i%6]), Header: map[string][]string{"Content-Type": {"application/json"}, "Retry-After": {"1"}}, Sent: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)}
				if _, e := w.Exchange(s); e != nil {
					err = e
				}
			}
			if e := w.End(check, round, "", ""); e != nil {
				err = e
			}
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return l.Bytes(), v.Bytes()
}

// sealed adds the footer that belongs to lines.
func sealed(lines, vectors []byte) []byte {
	whole := lines[:bytes.LastIndexByte(lines, '\n')+1]
	return fmt.Appendf(slices.Clone(whole), `{"kind":"footer","footer":{"lines":%d,"floats":%d,"sha256":"%x","vectors_sha256":"%x","ended":"2026-11-30T00:00:00Z"}}`+"\n",
		bytes.Count(whole, []byte("\n")), len(vectors)/4, sha256.Sum256(whole), sha256.Sum256(vectors))
}
