package kill_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/harness/contract"
)

// hangTimeout is how long a client waits for a server that hangs: long enough for every other answer on a busy
// machine, and spent once.
const hangTimeout = 3 * time.Second

// implicitMutants show the variants that every check has without listing them.
func implicitMutants() []mutant {
	return []mutant{
		{name: "closes the connection on an empty text", with: "faults: {empty-string: {action: close}}", shows: "input_forms/empty-string=no-answer", also: []coupling{
			{"an empty text is treated alike in a list", "input_forms/empty-in-batch=no-answer"},
		}},
		{name: "hangs on an empty text", with: "faults: {empty-string: {action: hang}}", timeout: hangTimeout, shows: "input_forms/empty-string=no-answer", also: []coupling{
			{"an empty text is treated alike in a list", "input_forms/empty-in-batch=no-answer"},
		}},
		{name: "dies of a missing input", with: "faults: {missing-input: {action: die}}", shows: "status_codes/missing-input=dies status_codes/survives=stops", also: []coupling{
			{"a dead server is not asked, and what it was not asked for could hide a failure", `
				status_codes/array-body=error status_codes/bounded-size=error status_codes/code-type=error
				status_codes/duplicate-key=error status_codes/empty-body=error status_codes/error-content-type=error
				status_codes/get-method=error status_codes/no-empty-200=error status_codes/no-leak=error
				status_codes/trailing-slash=error status_codes/type-vocabulary=error status_codes/wrong-path=error`},
			{"a dead server is not asked", "status_codes/content-type=error status_codes/malformed-json=error"},
			{"what it was not asked for could hide a failure", "status_codes/client-faults-are-4xx=error status_codes/error-envelope=error"},
		}},
		{name: "answers a missing input and dies", with: "faults: {missing-input: {action: answer-then-die}}", shows: "status_codes/missing-input=dies status_codes/survives=stops", also: []coupling{
			{"a dead server is not asked, and what it was not asked for could hide a failure", `
				status_codes/array-body=error status_codes/bounded-size=error status_codes/code-type=error
				status_codes/duplicate-key=error status_codes/empty-body=error status_codes/error-content-type=error
				status_codes/get-method=error status_codes/no-empty-200=error status_codes/no-leak=error
				status_codes/trailing-slash=error status_codes/type-vocabulary=error status_codes/wrong-path=error`},
			{"a dead server is not asked", "status_codes/content-type=error status_codes/malformed-json=error"},
			{"what it was not asked for could hide a failure", "status_codes/client-faults-are-4xx=error status_codes/error-envelope=error"},
		}},
		{name: "fails on an empty text and dies of a missing input", with: "faults: {empty-string: {status: 500}, missing-input: {action: die}}", shows: `
			status_codes/missing-input=dies status_codes/survives=stops status_codes/client-faults-are-4xx=some-5xx`, also: []coupling{
			{"an empty text is treated alike in a list", "input_forms/empty-in-batch=failed-5xx"},
			{"a dead server is not asked, and what it was not asked for could hide a failure", `
				status_codes/array-body=error status_codes/bounded-size=error status_codes/code-type=error
				status_codes/duplicate-key=error status_codes/empty-body=error status_codes/error-content-type=error
				status_codes/get-method=error status_codes/no-empty-200=error status_codes/no-leak=error
				status_codes/trailing-slash=error status_codes/type-vocabulary=error status_codes/wrong-path=error`},
			{"an empty text is refused with 500", "input_forms/empty-string=failed-5xx"},
			{"a dead server is not asked", "status_codes/content-type=error status_codes/malformed-json=error"},
			{"what it was not asked for could have another form", "status_codes/error-envelope=error"},
		}},
		{name: "redirects what is too long", with: "faults: {over-long: {status: 302}}", shows: "truncation/over-long=other truncation/limit-plus-one=other"},
	}
}

// A connection that is closed or left open looks the same to the table as to a client with a socket.
func TestClosedConnectionsOverSockets(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	over := map[string]bool{}
	for _, m := range implicitMutants()[:3] {
		over[m.name] = true
	}
	for _, m := range mutants() {
		if !over[m.name] {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			p, err := emulator.Parse("base", []byte(killBase))
			if err != nil {
				t.Fatal(err)
			}
			if p, err = p.With([]byte(m.with)); err != nil {
				t.Fatal(err)
			}
			h, err := emulator.New(p)
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(h)
			defer server.Close()
			rec, err := l.ask(m, 1, fixed(redirected{server.Listener.Addr().String()}))
			if err != nil {
				t.Fatal(err)
			}
			want := l.expected(t, m)
			for id, got := range l.judged(rec) {
				if got != want[id] {
					t.Errorf("%s is %s, want %s", id, got, want[id])
				}
			}
		})
	}
}

// redirected sends requests to an address whatever their URL says.
type redirected struct{ addr string }

func (d redirected) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host = d.addr
	r.Host = ""
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	return transport.RoundTrip(r)
}

// Two replicas of unlike versions behind one address: the same question gets one answer now and another later.
func TestUnlikeReplicasAreFlaky(t *testing.T) {
	t.Parallel()
	const check = "status_codes/missing-model"
	l := openLab(t)
	var handlers []http.Handler
	for _, with := range []string{"", "request: {missing_model: accepted}"} {
		p, err := emulator.Parse("base", []byte(killBase))
		if err != nil {
			t.Fatal(err)
		}
		if p, err = p.With([]byte(with)); err != nil {
			t.Fatal(err)
		}
		h, err := emulator.New(p)
		if err != nil {
			t.Fatal(err)
		}
		handlers = append(handlers, h)
	}
	rec, err := l.inMemory(t, mutant{name: "replicas"}, 2, fixed(&replicas{handlers: handlers, asked: map[string]int{}}))
	if err != nil {
		t.Fatal(err)
	}
	for id, cell := range l.cellsOf(rec) {
		if flaky := cell.Outcome == contract.Flaky; flaky != (id == check) {
			t.Errorf("%s is %s: %s", id, cell.Outcome, cell.Reason)
		}
	}
}

// replicas answers a request by the next server whenever it is asked again.
type replicas struct {
	handlers []http.Handler
	mu       sync.Mutex
	asked    map[string]int
}

func (r *replicas) RoundTrip(q *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	q.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	n := r.asked[string(body)]
	r.asked[string(body)]++
	r.mu.Unlock()
	return inMemory{r.handlers[n%len(r.handlers)]}.RoundTrip(q)
}
