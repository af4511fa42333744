package recording_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// What is judged live is the writer's own recording, what is judged offline is the one that was read: only if they
// are equal in every field can the verdicts be equal.
func TestReadEqualsWritten(t *testing.T) {
	lines, vectors, live := written(t, func(w *recording.Writer) { fill(t, w) })
	offline, err := recording.Read(lines, vectors)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "read", offline, live)
	if got := strings.Join(offline.Checks(), " "); got != "c/one c/two c/three c/four" {
		t.Error("order of checks:", got)
	}
	if offline.Ended.IsZero() || offline.Plan.Reference != "t" || offline.Header.Started.IsZero() {
		t.Errorf("%+v", offline)
	}

	dir := filepath.Join(t.TempDir(), "deep", "er")
	w, err := recording.Create(dir, header(), "")
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	offline, err = recording.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "opened", offline, w.Recording())
	if offline.Path != dir || w.Recording().Path != dir {
		t.Errorf("paths %q and %q", offline.Path, w.Recording().Path)
	}
}

func TestExchangeReturnsWhatIsRead(t *testing.T) {
	w, err := recording.InMemory(header(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps() {
		got, err := w.Exchange(s)
		if err != nil {
			t.Fatal(err)
		}
		trails := w.Recording().Trails(s.Check)
		last := trails[len(trails)-1].Steps
		if !reflect.DeepEqual(got, last[len(last)-1]) {
			t.Errorf("%s: returned %+v, recorded %+v", s.Name, got, last[len(last)-1])
		}
		if got.Check != s.Check || got.Round != s.Round || got.Name != s.Name || got.Status != s.Status || got.Fault != s.Fault || !got.Sent.Equal(s.Sent) {
			t.Errorf("%s became %+v", s.Name, got)
		}
		// Times are kept to the microsecond.
		if d := got.Took - s.Took; d.Abs() > 1000 {
			t.Errorf("%s took %v, recorded %v", s.Name, s.Took, got.Took)
		}
		want := s.Request.Body
		if s.Request.Recipe != "" {
			want = nil
		}
		if !bytes.Equal(got.Request.Body, want) {
			t.Errorf("%s: request %q, want %q", s.Name, got.Request.Body, want)
		}
	}
}

func TestMalformedBodiesStay(t *testing.T) {
	for name, body := range map[string]string{
		"nested":                    `{"data":[{"embedding":[[1,2]]}]}`,
		"nested late":               `{"data":[{"embedding":[1,[2]]}]}`,
		"an object inside":          `{"data":[{"embedding":[1,{"a":2}]}]}`,
		"an object":                 `{"data":[{"embedding":{"a":[1]}}]}`,
		"null inside":               `{"data":[{"embedding":[1,null,2]}]}`,
		"null":                      `{"data":[{"embedding":null}]}`,
		"a string":                  `{"data":[{"embedding":"AACAPw=="}]}`,
		"a string inside":           `{"data":[{"embedding":[1,"2"]}]}`,
		"a truth value inside":      `{"data":[{"embedding":[1,true]}]}`,
		"NaN":                       `{"data":[{"embedding":[1,NaN]}]}`,
		"Infinity":                  `{"data":[{"embedding":[1,-Infinity]}]}`,
		"beyond float32":            `{"data":[{"embedding":[1,1e39]}]}`,
		"beyond float64":            `{"data":[{"embedding":[1,1e400]}]}`,
		"empty":                     `{"data":[{"embedding":[]}]}`,
		"a double embedding":        `{"data":[{"embedding":[1],"embedding":[2]}]}`,
		"a double in disguise":      `{"data":[{"embedding":[1],"embeddin\u0067":[2]}]}`,
		"double data":               `{"data":[{"embedding":[1]}],"data":[{"embedding":[2]}]}`,
		"data no list":              `{"data":{"embedding":[1]}}`,
		"data null":                 `{"data":null}`,
		"an item that is no object": `{"data":[{"embedding":[1]},5]}`,
		"data elsewhere":            `{"result":{"data":[{"embedding":[1]}]}}`,
		"not UTF-8":                 "{\"data\":[{\"embedding\":[1]}],\"x\":\"\xff\"}",
		"trailing garbage":          `{"data":[{"embedding":[1]}]} x`,
		"a second object":           `{"data":[{"embedding":[1]}]}{}`,
		"cut off":                   `{"data":[{"embedding":[1,2]}`,
		"cut off in a number":       `{"data":[{"embedding":[1,2`,
		"a comma too many":          `{"data":[{"embedding":[1,2,]}]}`,
		"a comma too few":           `{"data":[{"embedding":[1 2]}]}`,
		"a leading zero":            `{"data":[{"embedding":[01]}]}`,
		"a plus sign":               `{"data":[{"embedding":[+1]}]}`,
		"a control character":       "{\"data\":[{\"embedding\":[1]}],\"x\":\"\n\"}",
		"a mark of byte order":      "\ufeff" + `{"data":[{"embedding":[1]}]}`,
		"a list":                    `[{"data":[{"embedding":[1]}]}]`,
		"a number":                  `5`,
		"text":                      "upstream is gone\r\n",
		"other case":                `{"Data":[{"embedding":[1]}]}`,
	} {
		s := exchanged(t, body)
		if string(s.Body) != body || len(s.Vectors) != 0 {
			t.Errorf("%s: %q became %q with %d vectors", name, body, s.Body, len(s.Vectors))
		}
	}
}

func TestFlatBodiesMove(t *testing.T) {
	for _, c := range []struct {
		body, left string
		want       []contract.Vector
	}{
		{`{"data":[{"embedding":[1,2.5]}]}`, `{"data":[{"embedding":[]}]}`, []contract.Vector{{Item: 0, Offset: 22, Values: []float32{1, 2.5}}}},
		{` { "data" : [ { "embedding" : [ 1 , 2 ] } ] } `, ` { "data" : [ { "embedding" : [] } ] } `, []contract.Vector{{Item: 0, Offset: 30, Values: []float32{1, 2}}}},
		{`{"data":[{"embedding":[1]},{"embedding":[[1]]},{"index":2,"embedding":[3]}]}`, `{"data":[{"embedding":[]},{"embedding":[[1]]},{"index":2,"embedding":[]}]}`,
			[]contract.Vector{{Item: 0, Offset: 22, Values: []float32{1}}, {Item: 2, Offset: 69, Values: []float32{3}}}},
		{`{"d\u0061ta":[{"embedding":[1]}]}`, `{"d\u0061ta":[{"embedding":[]}]}`, []contract.Vector{{Item: 0, Offset: 27, Values: []float32{1}}}},
		{`{"x":{"data":[{"embedding":[9]}]},"data":[{"embedding":[1],"x":[{"embedding":[8]}]}]}`,
			`{"x":{"data":[{"embedding":[9]}]},"data":[{"embedding":[],"x":[{"embedding":[8]}]}]}`, []contract.Vector{{Item: 0, Offset: 55, Values: []float32{1}}}},
		{`{"data":[{"embedding":[1e-400,3.4028235e38,16777217,1E+2]}]}`, `{"data":[{"embedding":[]}]}`,
			[]contract.Vector{{Item: 0, Offset: 22, Values: []float32{0, math.MaxFloat32, 16777216, 100}}}},
		{`{"é":"☃","data":[{"embedding":[-0.0]}]}`, `{"é":"☃","data":[{"embedding":[]}]}`, []contract.Vector{{Item: 0, Offset: 33, Values: []float32{float32(math.Copysign(0, -1))}}}},
	} {
		s := exchanged(t, c.body)
		if string(s.Body) != c.left || !reflect.DeepEqual(s.Vectors, c.want) {
			t.Errorf("%s\nleft %s with %v\nwant %s with %v", c.body, s.Body, s.Vectors, c.left, c.want)
		}
		if len(s.Vectors) > 0 && math.Signbit(float64(s.Vectors[0].Values[0])) != math.Signbit(float64(c.want[0].Values[0])) {
			t.Errorf("%s: the sign of zero was lost", c.body)
		}
	}
}

// A body of which only a part came is evidence of the transport, and stays whole even where it is good JSON.
func TestBodyOfAFaultStays(t *testing.T) {
	w, _ := recording.InMemory(header(), "")
	s := step("s", `{"data":[{"embedding":[1]}]}`)
	s.Status, s.Fault = 0, contract.FaultClosed
	got, err := w.Exchange(s)
	if err != nil || string(got.Body) != string(s.Body) || len(got.Vectors) != 0 {
		t.Errorf("%s, %v", got.Body, err)
	}
}

// rawLine is what stands in the file.
type rawLine struct {
	Exchange struct {
		Step    string `json:"step"`
		Request string `json:"request"`
		ReqSHA  string `json:"request_sha256"`
		ReqSize int    `json:"request_bytes"`
		Body    string `json:"body"`
		BodyB64 []byte `json:"body_base64"`
		BodySHA string `json:"body_sha256"`
		Vectors []struct {
			First int64 `json:"first"`
			N     int   `json:"n"`
		} `json:"vectors"`
	} `json:"exchange"`
}

func rawLines(t *testing.T, lines []byte) map[string]rawLine {
	t.Helper()
	out := map[string]rawLine{}
	for l := range bytes.Lines(lines) {
		var r rawLine
		if err := json.Unmarshal(l, &r); err != nil {
			t.Fatal(err)
		}
		if r.Exchange.Step != "" {
			out[r.Exchange.Step] = r
		}
	}
	return out
}

func TestDigestIsOfOriginalBytes(t *testing.T) {
	lines, _, _ := written(t, func(w *recording.Writer) { fill(t, w) })
	raw := rawLines(t, lines)
	for _, s := range steps() {
		l := raw[s.Name].Exchange
		want := ""
		if len(s.Body) > 0 {
			sum := sha256.Sum256(s.Body)
			want = hex.EncodeToString(sum[:])
		}
		if l.BodySHA != want {
			t.Errorf("%s: body digest %q, want %q", s.Name, l.BodySHA, want)
		}
		if l.ReqSize != len(s.Request.Body) {
			t.Errorf("%s: %d request bytes, want %d", s.Name, l.ReqSize, len(s.Request.Body))
		}
	}
	recipe := raw["recipe"].Exchange
	sum := sha256.Sum256([]byte(`{"input":"x"}`))
	if recipe.Request != "" || recipe.ReqSHA != hex.EncodeToString(sum[:]) {
		t.Errorf("the body beside a recipe: %q, digest %s", recipe.Request, recipe.ReqSHA)
	}
	if b := raw["not UTF-8"].Exchange; b.Body != "" || !bytes.Contains(b.BodyB64, []byte{0xff, 0xfe}) {
		t.Errorf("a body that is not UTF-8: %q and %q", b.Body, b.BodyB64)
	}
}

func TestEqualVectorsAreStoredOnce(t *testing.T) {
	lines, vectors, _ := written(t, func(w *recording.Writer) {
		for i := range 5 {
			if _, err := w.Exchange(step(fmt.Sprint(i), `{"data":[{"embedding":[1,2,3]},{"embedding":[1,2,3]},{"embedding":[3,2,1]}]}`)); err != nil {
				t.Fatal(err)
			}
		}
	})
	if len(vectors) != 2*3*4 {
		t.Errorf("%d bytes of vectors, want those of two", len(vectors))
	}
	for name, l := range rawLines(t, lines) {
		if got := fmt.Sprint(l.Exchange.Vectors); got != "[{0 3} {0 3} {3 3}]" {
			t.Errorf("step %s refers to %s", name, got)
		}
	}
	// 0 and -0 are equal numbers and different bytes.
	_, vectors, _ = written(t, func(w *recording.Writer) {
		if _, err := w.Exchange(step("s", `{"data":[{"embedding":[0]},{"embedding":[-0]}]}`)); err != nil {
			t.Fatal(err)
		}
	})
	if len(vectors) != 8 {
		t.Errorf("0 and -0 take %d bytes", len(vectors))
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	for _, secret := range []string{"sk-123456", `a"b\c/d+<e>&`} {
		quoted, _ := json.Marshal(secret)
		inJSON := strings.Trim(string(quoted), `"`)
		if strings.HasPrefix(string(quoted), `"a`) {
			inJSON = string(quoted[1 : len(quoted)-1])
		}
		var l, v bytes.Buffer
		w, err := recording.To(&l, &v, header(), secret)
		if err != nil {
			t.Fatal(err)
		}
		s := step("with vectors", `{"data":[{"embedding":[1,2]}],"echo":"Bearer `+inJSON+`","more":[{"embedding":[3]}],"x":"`+strings.ReplaceAll(inJSON, "/", `\/`)+`"}`)
		s.Header = map[string][]string{"X-Echo": {"k " + secret}, "Set-Cookie": {"session=abc"}}
		s.Detail = "dialled with " + secret
		s.Request.Body = []byte("{\"user\":\"" + secret + "\"}")
		s.Request.Path = "/v1/embeddings?key=" + secret
		got, err := w.Exchange(s)
		if err != nil {
			t.Fatal(err)
		}
		plain := step("plain", "no key "+secret+" \xff")
		plain.Status = 401
		if _, err := w.Exchange(plain); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{
			w.Log("c/one", 0, recording.LogLine{Component: "server", Text: "got " + secret}),
			w.End("c/one", 0, "not with "+secret, "failed with "+secret), w.Unasked("c/two", 0, "since "+secret), w.Close(),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(got.Vectors, []contract.Vector{{Item: 0, Offset: 22, Values: []float32{1, 2}}}) {
			t.Errorf("the vector beside the secret: %v", got.Vectors)
		}
		if !strings.Contains(string(got.FullBody()), `"embedding":[1,2]`) || !strings.Contains(string(got.Body), recording.Redacted) {
			t.Errorf("body %s", got.FullBody())
		}
		rec, err := recording.Read(l.Bytes(), v.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		same(t, "redacted", rec, w.Recording())
		trail := rec.Trails("c/one")[0]
		all := fmt.Sprintf("%s %v", l.Bytes(), trail)
		for _, s := range trail.Steps {
			all += fmt.Sprintf(" %s %s %s %v %s", s.Request.Path, s.Request.Body, s.Body, s.Header, s.Detail)
		}
		for _, spelling := range []string{secret, inJSON, strings.ReplaceAll(inJSON, "/", `\/`), "session=abc"} {
			if strings.Contains(all, spelling) {
				t.Errorf("%s is written", spelling)
			}
		}
		if n := strings.Count(all, recording.Redacted); n < 10 {
			t.Errorf("redacted in %d places", n)
		}
	}
}
