package hostile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/probe"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/suites"
)

// What flags of FuzzProbe say of a server that is honest up to some request.
const (
	onward    = 1 << iota // all answers from there on are hostile, not just one
	counts                // they are honest but for the number of tokens
	noFact                // the facts were found before that
	unlimited             // no limit is declared, so that one is looked for
)

const (
	// mostAsked is what a server that answers as it likes may make a check ask, with what the check reads and the facts:
	// requests, and bytes in one of them.
	mostAsked  = 2000
	longestAsk = 8 << 20
	// slowestProbe is the time for all of it. The server answers at once, and nothing waits.
	slowestProbe = 10 * time.Second
)

// FuzzProbe asks a server that is honest up to some request, and then answers what it likes. No answer may make a probe
// panic, ask without end, or make texts without bounds; and each has a verdict.
func FuzzProbe(f *testing.F) {
	suite, err := suites.All()
	if err != nil {
		f.Fatal(err)
	}
	answers := hostileAnswers()
	for i, c := range suite.Checks() {
		f.Add(c.ID, uint8(i%8), 200, []byte(answers[i%len(answers)]), int64(0), uint8(i%4)|unlimited)
	}
	for i, n := range []int64{0, 1, -1, 2, 1 << 31, 1 << 62, -1 << 63} {
		f.Add("truncation/silent-cut", uint8(4*i), 200, []byte{}, n, uint8(onward|counts|unlimited))
		f.Add("truncation/effective-limit", uint8(4), 200, []byte{}, n, uint8(onward|counts))
	}
	f.Fuzz(func(t *testing.T, check string, from uint8, status int, body []byte, tokens int64, flags uint8) {
		if len(body) > 64<<10 {
			return
		}
		s := &whimsical{from: int(from), status: status, body: body, tokens: tokens, flags: flags}
		began := time.Now()
		probed(t, suite, s, check)
		if took := time.Since(began); took > slowestProbe {
			t.Errorf("%s took %v and %d requests", check, took, s.asked)
		}
		if s.asked > mostAsked {
			t.Errorf("%s made %d requests", check, s.asked)
		}
		if s.longest > longestAsk {
			t.Errorf("%s made a request of %d bytes", check, s.longest)
		}
	})
}

func probed(t *testing.T, suite contract.Suite, s *whimsical, check string) {
	c := named(suite, check)
	declared := contract.Facts{MaxTokens: whimsLimit, QueryPrefix: "query: "}
	if s.flags&unlimited != 0 {
		declared.MaxTokens = 0
	}
	w, err := recording.InMemory(recording.Header{Target: recording.Target{Name: "whimsical", Model: "m", Declared: declared}}, "")
	if err != nil {
		t.Fatal(err)
	}
	renew := func(context.Context) (probe.Server, error) { return probe.Server{Asker: s, Act: s.act}, nil }
	e := probe.New(probe.Config{Suite: suite, Asker: s, Act: s.act, Renew: renew, Record: w, Model: "m", Declared: declared,
		Pause: func(context.Context, time.Duration) error { return nil }})
	facts, err := e.Discover(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.flags&noFact != 0 {
		s.asked = 0
	}
	if err := e.Follow(contract.NewPlan("whimsical", facts, suite.Corpus)); err != nil {
		t.Fatal(err)
	}
	if err := e.Ask(t.Context(), c.ID); err != nil {
		t.Fatal(err)
	}
	rec := w.Recording()
	for _, id := range rec.Checks() {
		for _, trail := range rec.Trails(id) {
			if strings.Contains(trail.Error, probe.ErrSuite.Error()) {
				t.Errorf("%s: %s", id, trail.Error)
			}
		}
	}
	j := judge.New(suite)
	if c.Pair() {
		sound(t, c, j.Pair(rec, rec, c))
	} else {
		sound(t, c, j.Target(rec, c))
	}
}

// named takes an id, or any other text for one of the checks that no fuzzer can ask in the time that it has.
func named(suite contract.Suite, id string) contract.Check {
	heavy := map[string]bool{"batching/limit-2048": true, "batching/above-2048": true, "status_codes/body-too-large": true, "status_codes/too-large-error": true}
	if c, ok := suite.Check(id); ok && !heavy[id] {
		return c
	}
	all := suite.Checks()
	c := all[hash(id)%len(all)]
	if heavy[c.ID] {
		return all[0]
	}
	return c
}

// whimsLimit is the longest text that it takes while it is honest, in tokens: words and an end marker.
const whimsLimit = 96

// whimsical is an Asker and an actor. Its honest vectors depend on all words and their order.
type whimsical struct {
	mu             sync.Mutex
	asked, longest int
	from, status   int
	body           []byte
	tokens         int64
	flags          uint8
}

func (s *whimsical) hostile() bool {
	return s.asked-1 == s.from || s.flags&onward != 0 && s.asked > s.from
}

func (s *whimsical) Do(_ context.Context, r contract.Request) (contract.Step, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	s.longest = max(s.longest, len(r.Body))
	step := contract.Step{Request: r, Sent: time.Now(), Status: 200, Header: map[string][]string{"Content-Type": {"application/json"}}}
	switch {
	case !s.hostile():
		step.Status, step.Body = honest(r.Body, -1)
	case s.flags&counts != 0:
		step.Status, step.Body = honest(r.Body, s.tokens)
	default:
		step.Status, step.Body = s.status, s.body
	}
	return step, nil
}

func (s *whimsical) act(_ context.Context, a contract.Action) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, _, ok := a.Witnesses(); ok {
		return s.body, nil
	}
	return []byte("{}"), nil
}

// honest answers an embeddings request. Tokens, when not negative in an honest server, are what usage says.
func honest(request []byte, tokens int64) (int, []byte) {
	var asked struct {
		Input any `json:"input"`
	}
	if json.Unmarshal(request, &asked) != nil {
		return 400, []byte(`{"error":{"message":"not JSON","type":"invalid_request_error","param":null,"code":null}}`)
	}
	list, ok := asked.Input.([]any)
	if !ok {
		list = []any{asked.Input}
	}
	var data []string
	sum := 0
	for i, input := range list {
		text, ok := input.(string)
		n := len(strings.Fields(text)) + 1
		if !ok || n > whimsLimit || len(list) > contract.LargeBatch {
			return 400, []byte(`{"error":{"message":"no text, or too long","type":"invalid_request_error","param":"input","code":null}}`)
		}
		sum += n
		h := hash(text)
		data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":[%d,%d,%d]}`, i, h%1009-504, h%2003-1001, h%499-249))
	}
	if tokens == -1 {
		tokens = int64(sum)
	}
	return 200, fmt.Appendf(nil, `{"object":"list","model":"m","data":[%s],"usage":{"prompt_tokens":%d,"total_tokens":%d}}`, strings.Join(data, ","), tokens, tokens)
}
