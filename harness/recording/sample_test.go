package recording_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// now has a monotonic reading and a zone of its own, as a careless caller would give it.
func now() time.Time { return time.Now().In(time.FixedZone("far", 5*3600)) }

func header() recording.Header {
	return recording.Header{
		Tool: map[string]string{"version": "test"}, Started: now(), Revision: "r",
		Target: recording.Target{Name: "t", Kind: "emulated", Model: "m", Declared: contract.Facts{Model: "m", Source: map[string]string{}},
			Spec: json.RawMessage("{ \"name\" : \"<t>\" }")},
	}
}

func step(name, body string) contract.Step {
	return contract.Step{
		Check: "c/one", Name: name, Request: contract.Request{Method: "POST", Path: "/v1/embeddings", ContentType: "application/json", Body: []byte(`{"input":"x"}`)},
		Status: 200, Header: map[string][]string{"Content-Type": {"application/json"}}, Body: []byte(body), Sent: now(),
		TTFB: 1234567 * time.Nanosecond, Took: 7654321 * time.Nanosecond,
	}
}

// steps are answers of every kind that the reader must give back as the writer had them.
func steps() []contract.Step {
	s := []contract.Step{
		step("flat", `{"data":[{"embedding":[0.1, -2e-3,3],"index":0}]}`),
		step("two", `{"data":[{"index":1,"embedding":[1,2]},{"index":0,"embedding":[3,4]}],"usage":{"prompt_tokens":2}}`),
		step("same again", `{"data":[{"embedding":[0.1, -2e-3,3],"index":0}]}`),
		step("null inside", `{"data":[{"embedding":[1,null]}]}`),
		step("no body", ``),
		step("not UTF-8", "{\"data\":[{\"embedding\":[1]}],\"x\":\"\xff\xfe\"}"),
		step("separators", "{\"x\":\"\u2028<&>\\u0000\"}"),
		{Check: "c/one", Name: "no answer", Fault: contract.FaultTimeout, Detail: "no complete answer \xff", Sent: now()},
		{Check: "c/two", Name: "repeat", Round: 1, Status: 204, Sent: now()},
	}
	odd := step("odd header", `{}`)
	odd.Header = map[string][]string{"X-Latin": {"caf\xe9"}, "X-Many": {"a", "b"}, "X-None": {}}
	long := step("recipe", `{}`)
	long.Request.Recipe = "filler(words=9)"
	raw := step("raw request", `{}`)
	raw.Request.Body, raw.Request.Violates = []byte("\xff\x00{"), "it is not JSON"
	return append(s, odd, long, raw)
}

// fill records everything that a recording can hold.
func fill(t testing.TB, w *recording.Writer) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	texts := contract.Corpus{Name: "texts", Documents: []contract.Text{{ID: "1", Text: "one"}}}
	must(w.Plan(contract.NewPlan("t", contract.Facts{Model: "m", Dimensions: 3, Limit: contract.Filler{Words: 2}, Source: map[string]string{}}, texts)))
	for _, s := range steps() {
		_, err := w.Exchange(s)
		must(err)
	}
	must(w.Log("c/one", 0, recording.LogLine{Component: "server", Time: now(), Text: "a line \xff with <odd> bytes"}))
	must(w.End("c/one", 0, "", ""))
	must(w.End("c/two", 1, "", "the server was gone \xff"))
	must(w.End("c/three", 0, "it has no key", ""))
	must(w.Unasked("c/four", 0, "the target is gone \xff"))
}

// written makes a whole recording and returns its two files.
func written(t testing.TB, do func(*recording.Writer)) (lines, vectors []byte, rec *recording.Recording) {
	t.Helper()
	var l, v bytes.Buffer
	w, err := recording.To(&l, &v, header(), "")
	if err != nil {
		t.Fatal(err)
	}
	do(w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Bytes(), v.Bytes(), w.Recording()
}

// exchanged records one body in memory and returns the step as it is read.
func exchanged(t testing.TB, body string) contract.Step {
	t.Helper()
	w, err := recording.InMemory(header(), "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Exchange(step("s", body))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// same compares two recordings but for the folder that they lie in.
func same(t testing.TB, what string, got, want *recording.Recording) {
	t.Helper()
	a, b := *got, *want
	a.Path, b.Path = "", ""
	if reflect.DeepEqual(a, b) {
		return
	}
	for i, check := range want.Checks() {
		if i >= len(got.Checks()) || got.Checks()[i] != check {
			t.Errorf("%s: checks %v, want %v", what, got.Checks(), want.Checks())
			return
		}
		for j, w := range want.Trails(check) {
			if g := got.Trails(check)[j]; !reflect.DeepEqual(g, w) {
				t.Errorf("%s: %s round %d\n got %+v\nwant %+v", what, check, w.Round, *g, *w)
			}
		}
	}
	t.Errorf("%s\n got %+v %+v ended %v\nwant %+v %+v ended %v", what, a.Header, a.Plan, a.Ended, b.Header, b.Plan, b.Ended)
}

func lineCount(b []byte) int { return strings.Count(string(b), "\n") }
