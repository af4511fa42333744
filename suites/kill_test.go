package suites_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/probe"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/wire"
	"github.com/embedcontract/embedcontract/openapi"
	"github.com/embedcontract/embedcontract/suites"
)

// The suite is tested by wrong servers. Each mutant below is the base with a few switches changed; it shows one or
// more variants, and every other check must answer as it does on the base. So a classifier that takes one variant
// for its neighbour turns the table red, and so does one that reacts to what is none of its business.

// killModel is the model that all servers of the table serve.
const killModel = "tiny-qwen3-embedding"

// killPrefix is the base's instruction, which a target file would declare as a fact.
const killPrefix = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"

// killLimit is small, so that texts at the limit cost nothing, and above the longest document of the corpus.
const killLimit = 192

// killBase is the honest server that offers everything, extensions included: 256 is a real reduction of its
// vectors, and what it refuses it refuses with 400.
const killBase = `
model: {name: tiny-qwen3-embedding, native: 320, limit: 192, vocabulary: 2112}
instruction:
  input_type: honoured
  instruction: honoured
  query_prefix: "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
length: {truncate_prompt_tokens: honoured}
faults:
  content-type: {status: 400}
`

// mutant is a wrong server, or a wrong target file.
type mutant struct {
	name string
	with string // switches over those of the base
	// declare changes the declared facts; nil: as for the base.
	declare func(*contract.Facts)
	timeout time.Duration // of the client; 0: its default
	// shows are the variants for which the mutant is in the table, as "check=variant", separated by white space.
	shows string
	// also are the cells that the same switches must change too.
	also []coupling
}

// coupling is what else a mutant changes, and why it cannot but do so.
type coupling struct{ why, cells string }

// mutants is the whole table.
func mutants() []mutant {
	return slices.Concat(shapeMutants(), dimensionsMutants(), normMutants(), parityMutants(), instructionsMutants(), truncationMutants(),
		encodingMutants(), inputMutants(), batchingMutants(), statusMutants(), refusalMutants(), implicitMutants())
}

// asReference marks the cell of a pair in which the mutant is the reference and the base the candidate. Without
// an entry of its own such a cell is expected to show what the other direction shows.
const asReference = "@reference"

// oneSided are pair checks that ask different things of reference and candidate, so that nothing follows from
// one direction for the other.
var oneSided = []string{"instructions/prefixed-query"}

// lab is what all mutants have in common.
type lab struct {
	suite contract.Suite
	judge *judge.Judge
	doc   *openapi.Document
	base  *recording.Recording
	cells map[string]string // of the base, by check
}

var theLab = sync.OnceValues(func() (*lab, error) {
	s, err := suites.All()
	if err != nil {
		return nil, err
	}
	doc, err := openapi.Load()
	if err != nil {
		return nil, err
	}
	l := &lab{suite: s, judge: judge.New(s), doc: doc}
	if l.base, err = l.record(mutant{name: "base"}, 1); err != nil {
		return nil, err
	}
	l.cells = l.judged(l.base)
	return l, nil
})

func openLab(t testing.TB) *lab {
	t.Helper()
	l, err := theLab()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// record asks the whole suite of a mutant, by the plan of the base once there is one.
func (l *lab) record(m mutant, rounds int) (*recording.Recording, error) {
	p, err := emulator.Parse("base", []byte(killBase))
	if err != nil {
		return nil, err
	}
	if p, err = p.With([]byte(m.with)); err != nil {
		return nil, err
	}
	h, err := emulator.New(p)
	if err != nil {
		return nil, err
	}
	return l.ask(m, rounds, inMemory{h})
}

func (l *lab) ask(m mutant, rounds int, transport http.RoundTripper) (*recording.Recording, error) {
	declared := contract.Facts{MaxTokens: killLimit, QueryPrefix: killPrefix}
	if m.declare != nil {
		m.declare(&declared)
	}
	head := recording.Header{Revision: l.suite.Revision, Target: recording.Target{Name: m.name, Kind: "emulated", Model: killModel, Declared: declared}}
	w, err := recording.InMemory(head, "")
	if err != nil {
		return nil, err
	}
	client := wire.New("http://emulator.test", wire.Options{Transport: transport, Timeout: m.timeout})
	defer client.Close()
	e := probe.New(probe.Config{Suite: l.suite, Asker: client, Record: w, Model: killModel, Declared: declared, Valid: l.valid, Rounds: rounds})
	ctx := context.Background()
	facts, err := e.Discover(ctx)
	if err != nil {
		return nil, err
	}
	plan := contract.NewPlan(m.name, facts, l.suite.Corpus)
	if l.base != nil {
		plan = contract.NewPlan("base", l.judge.Facts(l.base), l.suite.Corpus)
	}
	if err := e.Follow(plan); err != nil {
		return nil, err
	}
	for _, c := range l.suite.Checks() {
		if err := e.Ask(ctx, c.ID); err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
	}
	return w.Recording(), w.Close()
}

func (l *lab) valid(contentType string, body []byte) (out []string) {
	for _, v := range l.doc.ValidateRequest(contentType, body) {
		out = append(out, v.String())
	}
	return out
}

// judged returns the variant of every check, pairs with the base included, in both directions.
func (l *lab) judged(rec *recording.Recording) map[string]string {
	out := map[string]string{}
	for id, cell := range l.cellsOf(rec) {
		out[id] = cell.Variant()
	}
	return out
}

func (l *lab) cellsOf(rec *recording.Recording) map[string]judge.Cell {
	out := map[string]judge.Cell{}
	for _, c := range l.suite.Checks() {
		if !c.Pair() {
			out[c.ID] = l.judge.Target(rec, c)
			continue
		}
		base := l.base
		if base == nil {
			base = rec
		}
		out[c.ID], out[c.ID+asReference] = l.judge.Pair(base, rec, c), l.judge.Pair(rec, base, c)
	}
	return out
}

// inMemory calls a handler in place of a server at the end of a connection.
type inMemory struct{ handler http.Handler }

func (m inMemory) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	w := httptest.NewRecorder()
	defer func() {
		switch p := recover(); {
		case p == nil:
		case p != http.ErrAbortHandler:
			panic(p)
		case r.Context().Err() != nil:
			err = r.Context().Err()
		case w.Flushed: // the status line is out, the body is not
			resp = answer(w, r)
			resp.Body = io.NopCloser(io.MultiReader(resp.Body, cutOff{}))
		default:
			err = io.EOF
		}
	}()
	m.handler.ServeHTTP(w, r)
	return answer(w, r), nil
}

// answer is the response as a client reads it: names of headers are canonical, whatever the server wrote.
func answer(w *httptest.ResponseRecorder, r *http.Request) *http.Response {
	got := http.Header{}
	for k, vs := range w.Header() {
		for _, v := range vs {
			got.Add(k, v)
		}
	}
	return &http.Response{StatusCode: w.Code, Header: got, Request: r, ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(w.Body.Bytes()))}
}

type cutOff struct{}

func (cutOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// cellsIn reads "check=variant check=variant".
func cellsIn(t *testing.T, text string) map[string]string {
	out := map[string]string{}
	for _, field := range strings.Fields(text) {
		id, variant, ok := strings.Cut(field, "=")
		if !ok || out[id] != "" {
			t.Errorf("%q is not check=variant, or its check stands there twice", field)
		}
		out[id] = variant
	}
	return out
}

// expected returns what each cell of a mutant must be, and whether each entry of its row was needed.
func (l *lab) expected(t *testing.T, m mutant) map[string]string {
	want := maps.Clone(l.cells)
	named := map[string]bool{}
	add := func(text string) {
		cells := cellsIn(t, text)
		for _, id := range slices.Sorted(maps.Keys(cells)) {
			base, known := l.cells[id]
			switch {
			case !known:
				t.Errorf("the row names %s, which is no check", id)
			case named[id]:
				t.Errorf("the row names %s twice", id)
			case !strings.HasSuffix(id, asReference) && base == cells[id] && m.with != "":
				t.Errorf("the row says that %s is %s, as on the base: not needed", id, base)
			}
			named[id] = true
			want[id] = cells[id]
		}
	}
	add(m.shows)
	for _, c := range m.also {
		if c.why == "" {
			t.Errorf("a coupling without a reason: %s", c.cells)
		}
		add(c.cells)
	}
	for id := range l.cells {
		forward, ok := strings.CutSuffix(id, asReference)
		if ok && !named[id] && !slices.Contains(oneSided, forward) {
			want[id] = want[forward]
		}
	}
	return want
}

func TestEveryMutantIsFound(t *testing.T) {
	l := openLab(t)
	for _, m := range mutants() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			rec, err := l.record(m, 1)
			if err != nil {
				t.Fatal(err)
			}
			want := l.expected(t, m)
			cells := l.cellsOf(rec)
			for _, id := range slices.Sorted(maps.Keys(want)) {
				if got := cells[id]; got.Variant() != want[id] {
					t.Errorf("%s is %s, want %s (base %s): %s %s", id, got.Variant(), want[id], l.cells[id], got.Finding.Observed, got.Reason)
				}
			}
		})
	}
}
