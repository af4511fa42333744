package kill_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// honest is a server that keeps the contract in another way than the base. No check may fail on it.
type honest struct {
	name, with string
	declare    func(*contract.Facts)
	took       time.Duration // each of its good embeddings answers takes at least that long
	// alone: it is no candidate for the place of the base, but a target without another one, by a plan of its own.
	alone bool
	// notices are the cells of which clients of the base do notice something, as "check=effect", and why that
	// is right.
	notices []coupling
}

func honestServers() []honest {
	retried := coupling{"LangChain.js repeats this status, and gave up at once before", `
		dimensions/above-native=client-change dimensions/zero=client-change dimensions/negative=client-change
		encoding_format/null=client-change encoding_format/invalid=client-change
		input_forms/empty-string=client-change input_forms/empty-array=client-change input_forms/mixed-array=client-change
		instructions/unknown-field=client-change truncation/over-long=client-change truncation/limit-plus-one=client-change
		status_codes/missing-model=client-change status_codes/missing-input=client-change status_codes/malformed-json=client-change
		status_codes/unknown-model=client-change status_codes/client-faults-are-4xx=client-change
		input_forms/empty-in-batch=client-change input_forms/null-input=client-change input_forms/number-input=client-change
		input_forms/object-input=client-change input_forms/nested-empty=client-change input_forms/negative-id=client-change
		input_forms/id-out-of-range=client-change input_forms/messages=client-change input_forms/user-type=client-change
		input_forms/add-special-tokens=client-change instructions/prompt-name=client-change instructions/task=client-change
		instructions/prompt=client-change instructions/model-suffix=client-change instructions/unknown-input-type=client-change
		text/invalid-utf8=client-change text/lone-surrogate=client-change text/raw-control=client-change
		status_codes/array-body=client-change status_codes/empty-body=client-change
		status_codes/body-too-large=client-change
		batching/above-2048=client-change
		dimensions/string=client-change dimensions/fraction=client-change dimensions/boolean=client-change
		unit_norm/normalize-false=client-change unit_norm/use-activation-false=client-change
		truncation/silent-cut=client-change truncation/batch-one-bad=client-change
		truncation/truncate-above-limit=client-change truncation/truncation-side=client-change
		truncation/truncate-zero=client-change truncation/truncate-negative=client-change
		encoding_format/case=client-change encoding_format/bytes=client-change`}
	return []honest{
		{name: "the base again"},
		{name: "bfloat16", with: "vectors: {numbers: bf16}"},
		{name: "other kernels", with: "vectors: {noise: text, noise_size: 0.004}"},
		{name: "noise of 1e-6 on each call", with: "vectors: {noise: call, noise_size: 0.000001}"},
		{name: "noise of 1e-3 on each call", with: "vectors: {noise: call, noise_size: 0.001}"},
		{name: "noise of 5e-3 on each call", with: "vectors: {noise: call, noise_size: 0.005}"},
		{name: "numbers spelt as doubles", with: "vectors: {numbers: float64}"},
		{name: "numbers of 7 decimals", with: "vectors: {numbers: rounded, digits: 7}"},
		{name: "data in another order, index right", with: "data: {order: shuffled}", notices: []coupling{
			{"clients that read by position store vectors under other texts", "batching/order=client-change witnesses/go-batch=client-change witnesses/python-batch=client-change witnesses/node-batch=client-change"}}},
		{name: "more fields", with: "reply: {extra_field: x_extra, id: true, created: true}\nusage: {details: true}"},
		{name: "lower case headers", with: "reply: {header_case: lower}"},
		{name: "charset and more headers", with: `reply: {content_type: "application/json; charset=utf-8", headers: {x-request-id: a, server: uvicorn}}`},
		{name: "model name echoed", with: "reply: {model: echoed}"},
		{name: "400 ms for each answer", with: "delivery: {delay_ms: 400}", took: 400 * time.Millisecond},
		{name: "fields in another order", with: "reply: {order: reversed, extra_field: x_extra}"},
		{name: "numbers with exponents", with: "vectors: {spelling: exponent}"},
		// In upper case the SDK for Node would not read it: that is no honest variation to its users.
		{name: "a charset without a space", with: `reply: {content_type: "application/json;charset=UTF-8"}`},
		{name: "a model name of its own", with: "reply: {model: path}", notices: []coupling{
			{"clients that compare the name with what they asked for", "response_shape/model-field=client-change"}}},
		{name: "another tokenizer, with other counts", with: "model: {piece: 3}", alone: true},
		{name: "other words in errors", with: "faults: {default: {message: Nein., type: bad, code: 17}, over-long: {message: Zu lang.}}", notices: []coupling{
			{"typed clients read a code as a text", "status_codes/code-type=client-change"}}},
		{name: "detail in errors", with: `faults: {default: {param: ""}}`},
		{name: "407", with: "faults: {empty-string: {status: 407}}"},
		{name: "422", with: "faults: {default: {status: 422}, unknown-model: {status: 422}}", notices: []coupling{retried}},
		{name: "413 for what is too long", with: "faults: {over-long: {status: 413}}", notices: []coupling{
			{"LangChain.js repeats this status, and gave up at once before", `
				truncation/over-long=client-change truncation/limit-plus-one=client-change status_codes/client-faults-are-4xx=client-change
				truncation/silent-cut=client-change truncation/batch-one-bad=client-change`}}},
		{name: "cut instead of refused", with: "length: {over: cut}"},
		{name: "limit twice as high, declared by nobody", with: "model: {limit: 384}\nlength: {over: served}", notices: []coupling{
			{"texts that were cut at the lower limit are read whole", "truncation/truncate-minus-one=index-break"}}},
		{name: "routes", with: "routes: {health: absent, trailing_slash: redirect, owned_by: someone}", notices: []coupling{
			{"probes that ask for health", "service/health=client-change lifecycle/health-at-start=client-change"}}},
		{name: "end marker added to token ids", with: "input: {token_ids: with-end-marker, nested_token_ids: with-end-marker}"},
		{name: "lenient", with: `
encoding: {explicit_null: as-absent, case: any}
input: {empty_string: embedded}
request: {missing_model: accepted, content_type: accepted, unknown_fields: swallowed}
`},
		{name: "more extensions", with: "encoding: {bytes: octet-stream}\nrequest: {use_activation: honoured, normalize: honoured}\nlength: {truncation_side: honoured-end-marker-kept}"},
		{name: "dimensions of a list only, null refused, numerals coerced", with: "dimensions: {sizes: [128, 256], explicit_null: refused, wrong_type: coerced}", notices: []coupling{
			{"clients that send another size, or null, must do without", "dimensions/one=client-change dimensions/unlisted-size=client-change dimensions/null=client-change"}}},
		{name: "extensions refused", with: "instruction: {input_type: refused, instruction: refused}\nlength: {truncate_prompt_tokens: refused}",
			declare: func(f *contract.Facts) { f.QueryPrefix = "" }, notices: []coupling{
				{"its target file declares no prefix that it would put before a query", "instructions/manual-prefix=unknown"},
				{"clients that send the extension must do without", `
				instructions/input-type-query=client-change instructions/instruction-field=client-change
				instructions/same-query=client-change truncation/truncate-prompt-tokens=client-change
				instructions/input-type-document=client-change instructions/same-document=client-change
				truncation/truncate-minus-one=client-change`}}},
	}
}

// rounds is how often a server is asked: one whose answers differ from call to call twice, so that it would be flaky.
func (h honest) rounds() int {
	if h.with == "" || strings.Contains(h.with, "noise: call") {
		return 2
	}
	return 1
}

// long says whether the server may answer long lists otherwise than short ones.
func (h honest) long() bool {
	return h.with == "" || strings.Contains(h.with, "data:") || slices.ContainsFunc(h.notices, func(n coupling) bool {
		return slices.ContainsFunc(heavyChecks(), func(id string) bool { return namesCell(n.cells, id) })
	})
}

func TestHonestServersStayGreen(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	for _, h := range honestServers() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			by := l
			if h.alone {
				by = l.alone()
			}
			rec, err := by.record(t, mutant{name: h.name, with: h.with, extended: true, heavy: h.long(), declare: func(f *contract.Facts) {
				if h.declare != nil {
					h.declare(f)
				}
			}}, h.rounds())
			if err != nil {
				t.Fatal(err)
			}
			slow := 0
			for _, id := range rec.Checks() {
				for _, s := range rec.Trails(id)[0].Steps {
					if s.OK() && s.Request.Path == contract.EmbeddingsPath {
						slow++
						if s.Took < h.took {
							t.Errorf("%s of %s took %s", s.Name, id, s.Took)
						}
					}
				}
			}
			if slow == 0 {
				t.Error("no embeddings were served")
			}
			green(t, l, h, by.cellsOf(rec))
		})
	}
}

// alarm says what is wrong with the cell of an honest server, in the place of the base; empty: nothing. noticed is the
// effect that is expected of it where that is not harmless.
func (l *lab) alarm(c contract.Check, cell judge.Cell, noticed contract.Effect) string {
	switch cell.Outcome {
	case contract.Fail, contract.Error, contract.Flaky:
		if !c.Pair() || noticed == "" {
			return fmt.Sprintf("is %s (%s): %s %s", cell.Outcome, cell.Variant(), cell.Finding.Observed, cell.Reason)
		}
	}
	change := cell.Change
	if !c.Pair() {
		change = l.judge.Effect(c, l.ofBase[c.ID], cell)
	}
	harmless := change.Effect == contract.Same || change.Effect == contract.Compatible ||
		change.Effect == contract.NotCompared && cell.Outcome == contract.NotApplicable
	if change.Effect != noticed && (noticed != "" || !harmless) {
		return fmt.Sprintf("is %s after %s: effect %s, want %q: %s", cell.Variant(), l.cells[c.ID], change.Effect, noticed, cell.Finding.Observed)
	}
	return ""
}

// green says where a server that is right is not taken for it.
func green(t *testing.T, l *lab, h honest, cells map[string]judge.Cell) {
	t.Helper()
	want := map[string]string{}
	for _, n := range h.notices {
		maps.Copy(want, cellsIn(t, n.cells))
	}
	for _, id := range slices.Sorted(maps.Keys(cells)) {
		if strings.HasSuffix(id, asReference) {
			continue // here the honest server is the candidate
		}
		c, ok := l.suite.Check(id)
		if !ok {
			t.Fatalf("no check %s", id)
		}
		if alarm := l.alarm(c, cells[id], contract.Effect(want[id])); alarm != "" {
			t.Errorf("%s %s", id, alarm)
		}
		delete(want, id)
	}
	for id := range want {
		t.Errorf("an effect is expected of %s, which is no check", id)
	}
}

// What only a connection can show: bodies that come in pieces, and one connection for each answer.
func TestHonestServersOverSockets(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	for _, h := range []struct {
		honest
		shows func(*http.Response) bool
	}{
		{honest{name: "in pieces", with: "delivery: {piece_bytes: 500}"}, func(r *http.Response) bool { return slices.Equal(r.TransferEncoding, []string{"chunked"}) }},
		{honest{name: "connections closed after each answer", with: "reply: {headers: {Connection: close}}"}, func(r *http.Response) bool { return r.Close }},
	} {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			p, err := emulator.Parse("base", []byte(killBase))
			if err != nil {
				t.Fatal(err)
			}
			if p, err = p.With([]byte(h.with)); err != nil {
				t.Fatal(err)
			}
			handler, err := emulator.New(p)
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(handler)
			defer server.Close()
			over := &watched{addr: server.Listener.Addr().String(), shows: h.shows, transport: &http.Transport{DisableCompression: true}}
			defer over.transport.CloseIdleConnections()
			rec, err := l.ask(mutant{name: h.name, with: h.with}, 1, fixed(over))
			if err != nil {
				t.Fatal(err)
			}
			if over.shown.Load() == 0 {
				t.Error("no answer was like that")
			}
			green(t, l, h.honest, l.cellsOf(rec))
		})
	}
}

// watched sends requests to an address, and counts the answers that show something.
type watched struct {
	addr      string
	transport *http.Transport
	shows     func(*http.Response) bool
	shown     atomic.Int64
}

func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Host, r.Host = w.addr, ""
	res, err := w.transport.RoundTrip(r)
	if err == nil && w.shows(res) {
		w.shown.Add(1)
	}
	return res, err
}
