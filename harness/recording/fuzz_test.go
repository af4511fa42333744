package recording_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/harness/bounds"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// FuzzRead: no bytes make the reader panic or take much memory, each refusal has its name and its line, and what comes
// beside one can be looked at. With the right footer, which no fuzzer finds, the same lines are a whole recording.
func FuzzRead(f *testing.F) {
	lines, vectors, _ := written(f, func(w *recording.Writer) { fill(f, w) })
	f.Add(lines, vectors)
	f.Add(lines[:len(lines)/2], vectors)
	f.Add(bytes.ReplaceAll(lines, []byte(`"at":22`), []byte(`"at":9223372036854775807`)), vectors)
	head := []byte(`{"kind":"header","format":"embedcontract-recording","version":"1.0"}` + "\n")
	for _, l := range []string{
		`{"kind":"exchange","check":"c","round":-1,"exchange":{"step":"s","body":"[]","vectors":[{"item":0,"at":0,"first":0,"n":1}]}}`,
		`{"kind":"exchange","check":"c","exchange":{"body":"[][]","vectors":[{"item":-1,"at":2,"first":0,"n":1},{"item":0,"at":0,"first":0,"n":1}]}}`,
		`{"kind":"exchange","check":"c","exchange":{"body":"[]","vectors":[{"n":268435456,"unkept":true}]}}`,
		`{"kind":"exchange","check":"c","exchange":{"body":"[][][]","vectors":[{"n":1},{"at":2,"n":1},{"at":4,"n":1}],"ttfb_ms":1e308,"took_ms":-1e308}}`,
		`{"kind":"exchange","check":"c","exchange":{"action":"wait 1e400s"}}`, `{"kind":"exchange","check":"c","exchange":{"action":"wait -1h"}}`, `{"kind":"exchange","check":"c","exchange":{"action":"witness  x"}}`,
		`{"kind":"end","check":"c"}`, `{"kind":"plan","plan":{}}`, `{"kind":"log","check":"c","log":{}}`,
		`{"kind":"plan","plan":{"corpus":"c","facts":{"max_tokens":9007199254740993,"limit_text":{"words":1000000000000,"pads":-1}}}}`,
		`{"kind":"footer","footer":{"lines":1,"floats":4611686018427387904}}`, ``,
	} {
		f.Add(append(bytes.Clone(head), l+"\n"...), []byte{0, 0, 128, 63})
	}
	f.Fuzz(func(t *testing.T, lines, vectors []byte) {
		bounds.Hold(t, len(lines)+len(vectors), func() {
			rec := looked(t, lines, vectors)
			if rec == nil || rec.Ended.IsZero() {
				sealed(t, lines, vectors)
			}
		})
	})
}

// looked reads a recording and looks at everything in it.
func looked(t *testing.T, lines, vectors []byte) *recording.Recording {
	rec, err := recording.Read(lines, vectors)
	if err != nil && refusedAs(err) == "" {
		t.Fatalf("an error of no known kind: %v", err)
	}
	if errors.Is(err, recording.ErrMalformed) && !strings.Contains(err.Error(), ": line ") {
		t.Errorf("no line in %v", err)
	}
	if err == nil && rec == nil {
		t.Fatal("neither a recording nor an error")
	}
	if rec == nil {
		return nil
	}
	for _, check := range rec.Checks() {
		for _, trail := range rec.Trails(check) {
			for _, s := range trail.Steps {
				if full := s.FullBody(); json.Valid(s.Body) && !json.Valid(full) {
					t.Errorf("%q is JSON, with its vectors it is not", s.Body)
				}
				_ = s.Describe()
				s.Sketch()
				a := s.Request.Action
				if d, ok := a.Waits(); ok {
					if again, ok := contract.Wait(d).Waits(); !ok || again != d {
						t.Errorf("%q is %v, then %v", a, d, again)
					}
				}
				if sdk, scenario, ok := a.Witnesses(); ok && contract.Witness(sdk, scenario) != a {
					t.Errorf("%q is %q and %q", a, sdk, scenario)
				}
			}
		}
	}
	return rec
}

// sealed adds the footer to lines that are a prefix of a recording.
func sealed(t *testing.T, lines, vectors []byte) {
	before, err := recording.Read(lines, vectors)
	if !errors.Is(err, recording.ErrIncomplete) {
		return
	}
	whole := lines[:bytes.LastIndexByte(lines, '\n')+1] // a last line that was cut off is dropped
	sum, vsum := sha256.Sum256(whole), sha256.Sum256(vectors)
	whole = fmt.Appendf(bytes.Clone(whole), `{"kind":"footer","footer":{"lines":%d,"floats":%d,"sha256":"%x","vectors_sha256":"%x","ended":"2026-11-30T00:00:00Z"}}`+"\n",
		bytes.Count(whole, []byte("\n")), len(vectors)/4, sum, vsum)
	after, err := recording.Read(whole, vectors)
	if len(vectors)%4 != 0 {
		if !errors.Is(err, recording.ErrDigest) {
			t.Errorf("a side file of %d bytes: %v", len(vectors), err)
		}
		return
	}
	if err != nil {
		t.Fatalf("with its footer: %v", err)
	}
	after.Ended = before.Ended
	// As text, since what is not a number equals nothing.
	if a, b := fmt.Sprintf("%+v", after.Header), fmt.Sprintf("%+v", before.Header); a != b || len(after.Checks()) != len(before.Checks()) {
		t.Errorf("the footer changes what stands before it: %s, was %s", a, b)
	}
}

// FuzzExchange: whatever a server sends, the files read as the recording that was judged while they were written, and
// the target's key stands in neither.
func FuzzExchange(f *testing.F) {
	f.Add("step", 200, "Content-Type", "application/json", []byte(`{"data":[{"index":0,"embedding":[1,2.5]}]}`), "", []byte(`{"input":"x"}`), "sk-se/cret")
	f.Add("a\xff", -1, "X-\xff", "\xfe", []byte("\xff{"), "timeout \xff", []byte("\xff"), "k\"ey\\")
	f.Add("", 500, "Set-Cookie", "sk-se/cret", []byte(`{"error":"sk-se\/cret sk-se/cret"}`), "", []byte(`sk-se/cret`), "sk-se/cret")
	f.Add("s", 200, "", "", []byte(`{"data":[{"embedding":[123456,123456]}]}`), "", []byte{}, "123456")
	f.Add("s", 200, "A", "\x00\r\n", []byte(`{"data":[{"embedding":[1e-46,-0]},{"embedding":[]}]}`), "", []byte{}, "")
	f.Fuzz(func(t *testing.T, name string, status int, key, value string, body []byte, fault string, request []byte, secret string) {
		if len(secret) < 6 || !utf8.ValidString(secret) || strings.ContainsFunc(secret, func(r rune) bool { return r < ' ' || r > '~' }) {
			secret = "" // no key is so
		}
		bounds.Hold(t, len(body)+len(value)+len(request), func() {
			var lines, vectors bytes.Buffer
			w, err := recording.To(&lines, &vectors, header(), secret)
			if err != nil {
				t.Fatal(err)
			}
			s := step(name, string(body))
			s.Status, s.Fault, s.Detail, s.Request.Body = status, contract.Fault(fault), fault, request
			s.Header = map[string][]string{key: {value}}
			if _, err := w.Exchange(s); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			rec, err := recording.Read(lines.Bytes(), vectors.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			same(t, "read", rec, w.Recording())
			if got := rec.Trails(s.Check)[0].Steps[0]; secret != "" && bytes.Contains(bytes.Join([][]byte{got.Body, got.Request.Body, []byte(got.Detail)}, nil), []byte(secret)) {
				t.Errorf("the key is in %q", got.Body)
			}
		})
	})
}

// FuzzExtract: a body that gives up its vectors is good JSON, and with them put back it holds the same numbers, as
// float32, and the same everything else. A body that gives up none is kept byte for byte.
func FuzzExtract(f *testing.F) {
	for _, body := range []string{
		`{"data":[{"embedding":[1,2.5]}]}`,
		` {"data":[{"index":0,"embedding":[ -0.0 , 1e-400, 3.4028235e38 ]},{"embedding":[[1]]},{"embedding":[0.1]}],"usage":{"prompt_tokens":3}} `,
		`{"data":[{"embedding":[1],"embedding":[2]}]}`,
		`{"data":[{"embedding":[1]}],"data":[]}`,
		`{"data":[{"embedding":[1,2]}]} {}`,
		`{"data":[{"embedding":[1,NaN]}]}`,
		`{"d\u0061ta":[{"embedding":[1e39]},{"embedding":{"a":[1]}}]}`,
		"{\"\xff\":1,\"data\":[{\"embedding\":[1]}]}",
		`{"data":[null,{"embedding":[1]}]}`, `[]`, ``, `{"data":[{"embedding":[1`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		bounds.Hold(t, len(body), func() { extracts(t, body) })
	})
}

func extracts(t *testing.T, body []byte) {
	s := exchanged(t, string(body))
	if len(s.Vectors) == 0 {
		if !bytes.Equal(s.Body, body) {
			t.Fatalf("%q became %q", body, s.Body)
		}
		return
	}
	full := s.FullBody()
	if !utf8.Valid(body) || !json.Valid(body) || !json.Valid(full) || !json.Valid(s.Body) {
		t.Fatalf("%q is not JSON and gave up %d vectors; %q", body, len(s.Vectors), full)
	}
	if len(s.Vectors) > contract.LargeBatch {
		return // of some the values are not kept
	}
	if a, b := tokens(body), tokens(full); !equal(a, b) {
		t.Fatalf("%q\nbecame %q", body, full)
	}
	r, err := s.Response()
	if err != nil {
		return // nested deeper than JSON is read
	}
	for _, v := range s.Vectors {
		if v.Item >= len(r.Items) || string(r.Items[v.Item].Raw) != "[]" {
			t.Fatalf("%q: the vector of item %d is read elsewhere", body, v.Item)
		}
		if _, err := json.Marshal(v.Values); err != nil {
			t.Fatalf("%q: a vector that is not finite: %v", body, v.Values)
		}
	}
}

func tokens(b []byte) []json.Token {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var out []json.Token
	for {
		tok, err := dec.Token()
		if err != nil {
			return out
		}
		out = append(out, tok)
	}
}

// equal compares tokens; numbers are equal when they are the same text or the same float32.
func equal(a, b []json.Token) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, isNumber := a[i].(json.Number)
		y, both := b[i].(json.Number)
		if !isNumber || !both || x == y {
			if a[i] != b[i] {
				return false
			}
			continue
		}
		fx, errX := strconv.ParseFloat(string(x), 32)
		fy, errY := strconv.ParseFloat(string(y), 32)
		if errX != nil || errY != nil || math.Float32bits(float32(fx)) != math.Float32bits(float32(fy)) {
			return false
		}
	}
	return true
}
