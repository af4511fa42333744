// Package hostile_test runs the contract against servers that are made to hurt whoever asks them: every run must end within its limits,
// in findings or in an error that says why, with its recording whole.
package hostile_test

import (
	"context"
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/fixtures/hostile"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/harness/target"
	"github.com/embedcontract/embedcontract/openapi"
	"github.com/embedcontract/embedcontract/suites"
)

// The limits of these runs are as real as those of the command, and smaller: what they bound is the same.
const (
	model     = "text-embedding-test"
	limit     = 192 // tokens
	documents = 6
	room      = 3 << 20 // of a recording, in bytes
	maxBody   = 1 << 20 // of one answer, in bytes
	// overshoot is what one answer can add to a recording that was not full yet, in bytes: of control characters each
	// takes six in JSON.
	overshoot = 6*maxBody + 1<<20
	// brief is the limit of a request to a server that lets it pass; to others it is ample.
	brief, ample = time.Second, 20 * time.Second
	// soon is the end of every run, on a machine that is busy with many of them.
	soon = time.Minute
)

// honestServer is small, so that its answers cost nothing.
const honestServer = `
model: {name: text-embedding-test, native: 24, limit: 192, vocabulary: 600}
request: {max_body_mb: 1}
routes: {tokenize: served}
`

type laboratory struct {
	suite  contract.Suite
	judge  *judge.Judge
	honest http.Handler
	valid  func(contentType string, body []byte) []string
}

var theLab = sync.OnceValues(func() (*laboratory, error) {
	s, err := suites.All()
	if err != nil {
		return nil, err
	}
	s.Corpus.Documents = s.Corpus.Documents[:documents]
	doc, err := openapi.Load()
	if err != nil {
		return nil, err
	}
	p, err := emulator.Parse("honest", []byte(honestServer))
	if err != nil {
		return nil, err
	}
	h, err := emulator.New(p)
	return &laboratory{suite: s, judge: judge.New(s), honest: h, valid: func(contentType string, body []byte) (out []string) {
		for _, v := range doc.ValidateRequest(contentType, body) {
			out = append(out, v.String())
		}
		return out
	}}, err
})

func openLab(t testing.TB) *laboratory {
	t.Helper()
	l, err := theLab()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// run is one run against one server.
type run struct {
	answer  hostile.Answer
	when    hostile.When
	tls     *tls.Config
	asks    func(contract.Check) bool
	timeout time.Duration // of a request
	ready   time.Duration
	maxBody int64
	keyEnv  string
}

// result is what came of it: an error before the first check, or a recording and its cells.
type result struct {
	err   error
	rec   *recording.Recording
	cells map[string]judge.Cell
	text  string // of the recording
	asked int64
}

func core(c contract.Check) bool { return !c.Extended }

func only(ids ...string) func(contract.Check) bool {
	return func(c contract.Check) bool {
		for _, id := range ids {
			if c.ID == id {
				return true
			}
		}
		return false
	}
}

// do runs the suite as the command does for a URL, and holds what holds for every run.
func (l *laboratory) do(t *testing.T, r run) result {
	t.Helper()
	server, err := hostile.Serve(l.honest, r.when, r.answer, r.tls)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	url := "http://" + server.Addr()
	if r.tls != nil {
		url = strings.Replace(url, "http://127.0.0.1", "https://localhost", 1)
	}
	spec, err := target.Endpoint(url, model, r.keyEnv)
	if err != nil {
		t.Fatal(err)
	}
	spec.ReadyTimeout, spec.Facts.MaxTokens = r.ready, limit
	if r.maxBody == 0 {
		r.maxBody = maxBody
	}
	began, out := time.Now(), t.TempDir()
	var got result
	s, err := session.Open(t.Context(), session.Config{Suite: l.suite, Out: out, Timeout: r.timeout, Valid: l.valid, Room: room, MaxBody: r.maxBody}, spec)
	if err != nil {
		got.err = err
	} else {
		l.ask(t, s, spec.Name, r.asks)
		if got.rec, err = recording.Open(filepath.Join(out, spec.Name)); err != nil {
			t.Fatalf("its recording: %v", err)
		}
		got.cells = l.cells(got.rec, r.asks)
		got.text = sizes(t, filepath.Join(out, spec.Name))
	}
	if took := time.Since(began); took > soon {
		t.Errorf("the run took %s", took)
	}
	got.asked = server.Requests.Load()
	return got
}

func (l *laboratory) ask(t *testing.T, s *session.Session, name string, asks func(contract.Check) bool) {
	t.Helper()
	err := func() error {
		if err := s.Follow(contract.NewPlan(name, s.Facts(), l.suite.Corpus)); err != nil {
			return err
		}
		for _, b := range l.suite.AskingOrder() {
			for _, c := range b.Checks {
				if !asks(c) {
					continue
				}
				if err := s.Ask(context.Background(), c.ID); err != nil {
					return err
				}
			}
		}
		return nil
	}()
	if err != nil {
		t.Errorf("the run: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("its end: %v", err)
	}
}

func (l *laboratory) cells(rec *recording.Recording, asks func(contract.Check) bool) map[string]judge.Cell {
	cells := map[string]judge.Cell{}
	for _, c := range l.suite.Checks() {
		switch {
		case !asks(c):
		case c.Pair():
			cells[c.ID] = l.judge.Pair(rec, rec, c)
		default:
			cells[c.ID] = l.judge.Target(rec, c)
		}
	}
	return cells
}

// sizes fails for a recording that is too large, and returns its lines.
func sizes(t *testing.T, dir string) string {
	t.Helper()
	lines, err := os.ReadFile(filepath.Join(dir, "exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := os.ReadFile(filepath.Join(dir, "vectors.f32"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(lines) + len(vectors); n > room+overshoot {
		t.Errorf("the recording has %d bytes", n)
	}
	return string(lines)
}
