package contract_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/bounds"
	"github.com/embedcontract/embedcontract/harness/contract"
)

func ok(body string, vectors ...contract.Vector) contract.Step {
	return contract.Step{Status: 200, Body: []byte(body), Vectors: vectors}
}

func vector(item, offset int, v ...float32) contract.Vector {
	return contract.Vector{Item: item, Offset: offset, Values: v}
}

func TestResponse(t *testing.T) {
	s := ok(`{"object":"list","model":"m","data":[{"object":"embedding","index":1,"embedding":[]},{"index":0,"embedding":"AAAA"}],"usage":{"prompt_tokens":3,"total_tokens":4}}`,
		vector(0, 75, 1, 2))
	got, err := s.Response()
	want := contract.Response{Object: "list", Model: "m", Usage: &contract.Usage{PromptTokens: 3, TotalTokens: 4}, Items: []contract.Item{
		{Index: 1, Object: "embedding", Vector: []float32{1, 2}, Length: 2, Raw: []byte("[]")},
		{Index: 0, Text: "AAAA", Raw: []byte(`"AAAA"`)},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestResponseIsLenient(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{}`, `object "" model "" items 0 usage none`},
		{`null`, `object "" model "" items 0 usage none`},
		{`{"data":null}`, `object "" model "" items 0 usage none`},
		{`{"object":1,"model":["m"],"data":[]}`, `object "" model "" items 0 usage none`},
		{`{"data":[null,5,"x",[],{}]}`, `object "" model "" items 5 [-1 "" ] [-1 "" ] [-1 "" ] [-1 "" ] [-1 "" ] usage none`},
		{`{"data":[{"index":null,"embedding":null}]}`, `object "" model "" items 1 [-1 "" null] usage none`},
		{`{"data":[{"index":"0","embedding":[[1]]}]}`, `object "" model "" items 1 [-1 "" [[1]]] usage none`},
		{`{"data":[{"index":0.5,"embedding":{"a":1}}]}`, `object "" model "" items 1 [-1 "" {"a":1}] usage none`},
		{`{"data":[{"index":-3,"embedding":"x\u00e9"}]}`, `object "" model "" items 1 [-3 "xé" "x\u00e9"] usage none`},
		{`{"data":[],"usage":5}`, `object "" model "" items 0 usage none`},
		{`{"data":[],"usage":null}`, `object "" model "" items 0 usage none`},
		{`{"data":[],"usage":{"prompt_tokens":"5"}}`, `object "" model "" items 0 usage none`},
		{`{"data":[],"usage":{"prompt_tokens":0}}`, `object "" model "" items 0 usage 0 -1`},
		{`{"data":[],"usage":{"total_tokens":5}}`, `object "" model "" items 0 usage none`},
		// Keys are what they are: no client takes Data for data.
		{`{"Data":[{}],"Model":"m","USAGE":{"prompt_tokens":1}}`, `object "" model "" items 0 usage none`},
		{`{"data":[{"embedding":"x"}],"DATA":[]}`, `object "" model "" items 1 [-1 "x" "x"] usage none`},
		{`{"data":[],"usage":{"Prompt_Tokens":1}}`, `object "" model "" items 0 usage none`},
	} {
		r, err := ok(c.body).Response()
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		got := fmt.Sprintf("object %q model %q items %d", r.Object, r.Model, len(r.Items))
		for _, it := range r.Items {
			got += fmt.Sprintf(" [%d %q %s]", it.Index, it.Text, it.Raw)
		}
		if r.Usage == nil {
			got += " usage none"
		} else {
			got += fmt.Sprintf(" usage %d %d", r.Usage.PromptTokens, r.Usage.TotalTokens)
		}
		if got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.body, got, c.want)
		}
	}
}

func TestResponseFails(t *testing.T) {
	for _, c := range []struct {
		step contract.Step
		want string
	}{
		{contract.Step{Status: 500, Body: []byte(`{"data":[]}`)}, "status 500"},
		{contract.Step{Fault: contract.FaultTimeout, Detail: "60 s"}, "status 0 (timeout 60 s)"},
		{contract.Step{Status: 307}, "status 307"},
		{ok(``), "not an embeddings response"},
		{ok(`<html>`), "not an embeddings response"},
		{ok(`[]`), "not an embeddings response"},
		{ok(`"x"`), "not an embeddings response"},
		{ok(`{"data":{}}`), "not an embeddings response"},
		{ok(`{"data":"x"}`), "not an embeddings response"},
		{ok(`{"data":[]}{}`), "not an embeddings response"},
		{ok(`{"data":[{"embedding":[NaN]}]}`), "not an embeddings response"},
		{ok(`{"data":[{"embedding":[1,2`), "not an embeddings response"},
	} {
		_, err := c.step.Response()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.step.Body, err, c.want)
		}
		for name, err := range map[string]error{"One": second(c.step.One()), "Many": second(c.step.Many(1)), "Tokens": second(c.step.Tokens())} {
			if err == nil {
				t.Errorf("%s: %s has no error", c.step.Body, name)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestOne(t *testing.T) {
	for _, c := range []struct {
		step contract.Step
		want string // of the error
	}{
		{ok(`{"data":[{"embedding":[]}]}`, vector(0, 22, 1)), ""},
		{ok(`{"data":[{"embedding":[]}]}`), "not a flat list"},
		{ok(`{"data":[{"embedding":[null]}]}`), "not a flat list"},
		{ok(`{"data":[{"embedding":"AAAA"}]}`), "not a flat list"},
		{ok(`{"data":[{}]}`), "not a flat list"},
		{ok(`{"data":[]}`), "0 items"},
		{ok(`{"data":[{"embedding":[]},{"embedding":[]}]}`, vector(0, 22, 1), vector(1, 39, 2)), "2 items"},
	} {
		v, err := c.step.One()
		if c.want == "" && (err != nil || len(v) != 1 || v[0] != 1) {
			t.Errorf("%s: %v, %v", c.step.Body, v, err)
		}
		if c.want != "" && (err == nil || v != nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, %v, want %q", c.step.Body, v, err, c.want)
		}
	}
}

func TestMany(t *testing.T) {
	two := func(a, b string) contract.Step {
		body := `{"data":[{"index":` + a + `,"embedding":[]},{"index":` + b + `,"embedding":[]}]}`
		return ok(body, vector(0, 0, 10), vector(1, 0, 20))
	}
	got, err := two("1", "0").Many(2)
	if err != nil || !reflect.DeepEqual(got, [][]float32{{20}, {10}}) {
		t.Errorf("by index: %v, %v", got, err)
	}
	for _, c := range []struct {
		step contract.Step
		n    int
		want string
	}{
		{two("0", "1"), 3, "2 items in data, want 3"},
		{two("0", "1"), 1, "2 items in data, want 1"},
		{two("0", "0"), 2, "data[1].index is 0"},
		{two("0", "2"), 2, "data[1].index is 2"},
		{two("-1", "1"), 2, "data[0].index is -1"},
		{two(`"0"`, "1"), 2, "data[0].index is -1"},
		{two("null", "1"), 2, "data[0].index is -1"},
		{ok(`{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":"x"}]}`, vector(0, 0, 1)), 2, "data[1].embedding"},
	} {
		if v, err := c.step.Many(c.n); err == nil || v != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v, want %q", c.step.Body, v, err, c.want)
		}
	}
}

func TestTokens(t *testing.T) {
	if n, err := ok(`{"usage":{"prompt_tokens":7}}`).Tokens(); n != 7 || err != nil {
		t.Error(n, err)
	}
	for _, body := range []string{`{}`, `{"usage":{}}`, `{"usage":{"prompt_tokens":null}}`, `{"usage":{"prompt_tokens":1.5}}`, `{"usage":[]}`} {
		if n, err := ok(body).Tokens(); n != 0 || err == nil {
			t.Errorf("%s: %d, %v", body, n, err)
		}
	}
}

func TestFullBody(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		name string
		step contract.Step
		want string
	}{
		{"none moved", ok(`{"a": [] }`), `{"a": [] }`},
		{"one", ok(`{"e":[] }`, vector(0, 5, 0.1, -0, 1e-7)), `{"e":[0.1,0,1e-7] }`},
		{"two", ok(`[[],[]]`, vector(0, 1, 1), vector(1, 4, 2, 3)), `[[1],[2,3]]`},
		{"at both ends", ok(`[][]`, vector(0, 0, 1), vector(1, 2, 2)), `[1][2]`},
		{"negative zero", ok(`[]`, vector(0, 0, float32(math.Copysign(0, -1)))), `[-0]`},
		{"smallest and largest", ok(`[]`, vector(0, 0, math.SmallestNonzeroFloat32, math.MaxFloat32)), `[1e-45,3.4028235e+38]`},
		{"a place beyond the body", ok(`[]`, vector(0, 1, 1)), `[]`},
		{"places that overlap", ok(`[[]]`, vector(0, 1, 1), vector(1, 2, 1)), `[[]]`},
		{"not a number", ok(`[]`, vector(0, 0, nan)), `[]`},
	} {
		if got := string(c.step.FullBody()); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	s := ok(`[[],[]]`, vector(0, 1, 1))
	s.FullBody()
	if string(s.Body) != `[[],[]]` {
		t.Error("FullBody changed the body:", string(s.Body))
	}
}

func TestFormatNumber(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{0, "0"}, {1, "1"}, {-3, "-3"}, {8192, "8192"}, {math.Copysign(0, -1), "0"},
		{0.5, "0.5"}, {0.123456, "0.1235"}, {0.9, "0.9"}, {12.3456, "12.35"}, {1.00123, "1.001"}, {1e-9, "1e-09"},
		{0.9995, "0.9995000"}, {0.99985, "0.9998500"}, {0.9999999, "0.9999999"}, {0.95, "0.9500000"},
		{1 - 1e-9, "1-1e-09"}, {1 - 2e-12, "1-2e-12"}, {math.Nextafter(1, 0), "1-1e-16"},
		{1e300, "1e+300"}, {math.Inf(1), "+Inf"}, {math.NaN(), "NaN"},
	} {
		if got := contract.FormatNumber(c.v); got != c.want {
			t.Errorf("%v is %s, want %s", c.v, got, c.want)
		}
	}
	if got := (contract.Number{Name: "took", Value: 2.5, Unit: "ms"}).String(); got != "took 2.5 ms" {
		t.Error(got)
	}
	if got := (contract.Number{Name: "n", Value: 40}).String(); got != "n 40" {
		t.Error(got)
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		step contract.Step
		want string
	}{
		{contract.Step{Fault: contract.FaultClosed, Detail: "EOF"}, "no answer (connection-closed) EOF"},
		{contract.Step{Fault: contract.FaultNotAsked}, "no answer (not-asked)"},
		{contract.Step{Status: 500, Body: []byte("oh\n no" + strings.Repeat("é", 300))}, "500 oh no" + strings.Repeat("é", 155) + "…"},
		{ok(`{"data":[{"embedding":[]}],"usage":{"prompt_tokens":2}}`, vector(0, 22, 1, 2, 3)), "200, 3 numbers, 2 tokens"},
		{ok(`{"data":[{"embedding":"AAAA"},{}]}`), "200, 2 items, a string of 4 characters"},
		{ok(`{"data":[{"embedding":[[1]]}]}`), "200, embedding [[1]]"},
		{ok(`{"data":[]}`), "200, 0 items"},
	} {
		if got := c.step.Describe(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := ok(`<html>`).Describe(); !strings.HasPrefix(got, "200, body is not an embeddings response") {
		t.Error(got)
	}
}

func TestFinding(t *testing.T) {
	base := contract.Found("good", "%d of %d", 1, 2).With("a", 1)
	one, two := base.With("b", 2), base.With("c", 3)
	if base.Observed != "1 of 2" || len(base.Numbers) != 1 || one.Numbers[1].Name != "b" || two.Numbers[1].Name != "c" {
		t.Errorf("With is not independent of its siblings: %v %v %v", base.Numbers, one.Numbers, two.Numbers)
	}
	if got := base.From("x", "y").Proof; !reflect.DeepEqual(got, []string{"x", "y"}) {
		t.Error(got)
	}
}

func TestInapplicability(t *testing.T) {
	err := contract.Inapplicable("it has no %s", "key")
	reason, is := contract.Inapplicability(err)
	if !is || reason != "it has no key" {
		t.Error(reason, is)
	}
	if _, is := contract.Inapplicability(fmt.Errorf("other")); is {
		t.Error("an error of another kind")
	}
	if _, is := contract.Inapplicability(nil); is {
		t.Error("no error")
	}
	if reason, is := contract.Inapplicability(fmt.Errorf("step: %w", err)); !is || !strings.Contains(reason, "it has no key") {
		t.Error("wrapped:", reason, is)
	}
}

// A server can answer one text with as many items as fit into a body.
func TestVeryManyItems(t *testing.T) {
	const n = 50_000
	item := `{"index":0,"embedding":[]},`
	s := contract.Step{Status: 200, Body: []byte(`{"data":[` + strings.Repeat(item, n) + `{"index":1,"embedding":[]}]}`)}
	for i := range n + 1 {
		s.Vectors = append(s.Vectors, contract.Vector{Item: i, Offset: len(`{"data":[`) + i*len(item) + strings.Index(item, "[]"), Values: []float32{float32(i)}})
	}
	s.Vectors = append(s.Vectors, contract.Vector{Item: n + 1}, contract.Vector{Item: -1})
	bounds.Hold(t, len(s.Body), func() {
		r, err := s.Response()
		if err != nil || len(r.Items) != n+1 || r.Items[n].Vector[0] != n || r.Items[7].Length != 1 {
			t.Errorf("%d items, %v", len(r.Items), err)
		}
	})
}
