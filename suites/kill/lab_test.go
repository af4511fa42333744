package kill_test

import (
	"context"
	"flag"
	"fmt"
	"hash/maphash"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
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

// killModel is the model that all servers of the table serve.
const killModel = "tiny-qwen3-embedding"

// killPrefix is the base's instruction, which a target file would declare as a fact.
const killPrefix = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"

// killLimit is small, so that texts at the limit cost nothing, and above the longest document of the corpus.
const killLimit = 192

// killDocuments is how many documents of the corpus are asked for, English and Korean in turn: three batches, the last
// one not full, and one more in all than any list that is asked for elsewhere. The others would show nothing more.
const killDocuments = 18

// killBase is the honest server that offers everything, extensions included: 256 is a real reduction of its
// vectors, and what it refuses it refuses with 400. It does not read the huge text, which would take most of the table's time.
const killBase = `
model: {name: tiny-qwen3-embedding, native: 264, limit: 192, vocabulary: 2112}
instruction:
  input_type: honoured
  instruction: honoured
  query_prefix: "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
length: {truncate_prompt_tokens: honoured}
delivery: {long_ms: 300}
routes: {tokenize: served}
request: {max_body_mb: 1}
faults:
  content-type: {status: 400}
`

// lab is what all mutants have in common.
type lab struct {
	suite contract.Suite
	judge *judge.Judge
	base  *recording.Recording
	cells map[string]string // of the base, by check

	ofBase   map[string]judge.Cell
	requests *requests
}

// requests remembers what the OpenAPI document says of each: all servers are asked nearly the same ones. It is safe for
// concurrent use.
type requests struct {
	doc  *openapi.Document
	seed maphash.Seed
	seen sync.Map // hash of content type and body -> []string
}

func (r *requests) violations(contentType string, body []byte) []string {
	var h maphash.Hash
	h.SetSeed(r.seed)
	_, _ = h.WriteString(contentType + "\x00") // a hash takes everything
	_, _ = h.Write(body)
	key := h.Sum64()
	if known, ok := r.seen.Load(key); ok {
		return known.([]string)
	}
	var out []string
	for _, v := range r.doc.ValidateRequest(contentType, body) {
		out = append(out, v.String())
	}
	r.seen.Store(key, out)
	return out
}

// sideBySide is how many servers are asked at the same time: a few more than there are processors, since those at the end
// of a connection wait.
const sideBySide = "4"

// TestMain lets garbage pile up: the table is bound by the processor, and its recordings are small.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	flag.Parse()
	if err := flag.Set("test.parallel", sideBySide); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// theLab is opened by the first test that needs it.
var theLab struct {
	once sync.Once
	*lab
	err error
}

func openLab(t *testing.T) *lab {
	t.Helper()
	theLab.once.Do(func() { theLab.lab, theLab.err = newLab(t) })
	if theLab.err != nil || theLab.lab == nil {
		t.Fatalf("no lab: %v", theLab.err)
	}
	return theLab.lab
}

func newLab(t *testing.T) (*lab, error) {
	s, err := suites.All()
	if err != nil {
		return nil, err
	}
	s.Corpus.Documents = s.Corpus.Documents[:killDocuments]
	doc, err := openapi.Load()
	if err != nil {
		return nil, err
	}
	l := &lab{suite: s, judge: judge.New(s), requests: &requests{doc: doc, seed: maphash.MakeSeed()}}
	if l.base, err = l.record(t, mutant{name: "base"}, 1); err != nil {
		return nil, err
	}
	l.cells, l.ofBase = l.judged(l.base), l.cellsOf(l.base)
	return l, nil
}

// alone is a lab without a base: each server has a plan of its own, and pairs are with itself.
func (l *lab) alone() *lab { return &lab{suite: l.suite, judge: l.judge, requests: l.requests} }

// record asks the whole suite of a mutant, by the plan of the base once there is one.
func (l *lab) record(t *testing.T, m mutant, rounds int) (*recording.Recording, error) {
	p, err := emulator.Parse("base", []byte(killBase))
	if err != nil {
		return nil, err
	}
	if p, err = p.With([]byte(m.with)); err != nil {
		return nil, err
	}
	return l.inMemory(t, m, rounds, func() (http.RoundTripper, actor, error) {
		h, err := emulator.New(p)
		if err != nil {
			return nil, nil, err
		}
		a, _ := h.(actor)
		return inMemory{h}, a, nil
	})
}

// actor is a server whose life can be acted upon.
type actor interface {
	Stop(force bool)
	Start()
}

// lifeScale is how much faster time passes for checks that let it pass: nothing in the emulator takes as long as in a
// real server, and a table of hundreds of servers cannot wait.
const lifeScale = 25

// fixed is a server that cannot be started anew.
func fixed(t http.RoundTripper) func() (http.RoundTripper, actor, error) {
	return func() (http.RoundTripper, actor, error) { return t, nil, nil }
}

// inMemory asks a server that is called in memory. Time is that of a bubble: it stands still while anybody computes, and
// jumps to the next moment that somebody waits for, so that no wait takes long and none is too short on a busy machine.
// The SDKs of other languages run outside of it, where it would stand still.
func (l *lab) inMemory(t *testing.T, m mutant, rounds int, start func() (http.RoundTripper, actor, error)) (rec *recording.Recording, err error) {
	if m.real != nil {
		return l.ask(m, rounds, start)
	}
	synctest.Test(t, func(*testing.T) { rec, err = l.ask(m, rounds, start) })
	return rec, err
}

func (l *lab) ask(m mutant, rounds int, start func() (http.RoundTripper, actor, error)) (*recording.Recording, error) {
	declared := contract.Facts{MaxTokens: killLimit, QueryPrefix: killPrefix, Keyed: m.key != ""}
	if m.declare != nil {
		m.declare(&declared)
	}
	head := recording.Header{Revision: l.suite.Revision, Target: recording.Target{Name: m.name, Kind: "emulated", Model: killModel, Declared: declared}}
	w, err := recording.InMemory(head, m.key)
	if err != nil {
		return nil, err
	}
	renew := func(context.Context) (probe.Server, error) {
		transport, a, err := start()
		if err != nil {
			return probe.Server{}, err
		}
		client := wire.New("http://emulator.test", wire.Options{Transport: transport, Timeout: m.timeout, Hasty: true, Key: m.key})
		users := sdks{transport: transport, key: m.key, limit: m.timeout, real: m.real}
		return probe.Server{Asker: client, Act: func(ctx context.Context, what contract.Action) ([]byte, error) {
			if sdk, scenario, ok := what.Witnesses(); ok {
				return users.run(ctx, sdk, scenario)
			}
			return act(a, what)
		}}, nil
	}
	ctx := context.Background()
	first, err := renew(ctx)
	if err != nil {
		return nil, err
	}
	e := probe.New(probe.Config{Suite: l.suite, Asker: first.Asker, Act: first.Act, Renew: renew, Record: w, Model: killModel, Declared: declared,
		Valid: l.requests.violations, Rounds: rounds, Pause: func(_ context.Context, d time.Duration) error { time.Sleep(d / lifeScale); return nil }})
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
	for _, id := range m.order {
		if err := e.Ask(ctx, id); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	for _, c := range l.suite.Checks() {
		if m.order != nil || m.only != "" && c.ID != m.only || c.Extended && l.base != nil && !m.asks(c.ID) {
			continue
		}
		if err := e.Ask(ctx, c.ID); err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
	}
	for _, c := range l.suite.Remedies() {
		if !m.remedies || c.Extended {
			continue
		}
		if err := e.Ask(ctx, c.ID); err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
	}
	return w.Recording(), w.Close()
}

// asks says whether an extended check is asked of the mutant: they are slow, and its row must name them.
func (m mutant) asks(id string) bool {
	if m.extended && (m.heavy || !slices.Contains(heavyChecks(), id)) || m.only == id || namesCell(m.shows, id) {
		return true
	}
	return slices.ContainsFunc(m.also, func(c coupling) bool { return namesCell(c.cells, id) })
}

// heavyChecks ask for thousands of vectors, or send many megabytes, which takes as long as all others together: of the servers that are asked
// everything, only those are asked that could answer long lists otherwise than short ones.
func heavyChecks() []string {
	return []string{"batching/limit-2048", "batching/above-2048", "status_codes/body-too-large", "status_codes/too-large-error"}
}

func namesCell(cells, id string) bool {
	return slices.ContainsFunc(strings.Fields(cells), func(cell string) bool {
		name, _, _ := strings.Cut(cell, "=")
		return strings.TrimSuffix(name, asReference) == id
	})
}

func act(a actor, what contract.Action) ([]byte, error) {
	switch {
	case a == nil:
		return nil, contract.Inapplicable("this server cannot be stopped")
	case what == contract.StartWorker:
		a.Start()
	case what == contract.StopWorker, what == contract.KillWorker:
		a.Stop(what == contract.KillWorker)
	default:
		return nil, contract.Inapplicable("nothing here knows the action %q", what)
	}
	return []byte("{}"), nil
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
	j := judge.New(l.suite) // a judge keeps the recordings that it has seen: that of the lab would keep hundreds
	out := map[string]judge.Cell{}
	for _, c := range l.suite.Checks() {
		if c.Extended && len(rec.Trails(c.ID)) == 0 {
			continue // not asked
		}
		if !c.Pair() {
			out[c.ID] = j.Target(rec, c)
			continue
		}
		base := l.base
		if base == nil {
			base = rec
		}
		out[c.ID], out[c.ID+asReference] = j.Pair(base, rec, c), j.Pair(rec, base, c)
	}
	return out
}
