package recording_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/harness/recording"
)

// FuzzRead: no bytes make the reader panic, each refusal has its name, and what comes beside one can be looked at.
func FuzzRead(f *testing.F) {
	lines, vectors, _ := written(f, func(w *recording.Writer) { fill(f, w) })
	f.Add(lines, vectors)
	f.Add(lines[:len(lines)/2], vectors)
	f.Add(bytes.ReplaceAll(lines, []byte(`"at":22`), []byte(`"at":9223372036854775807`)), vectors)
	head := []byte(`{"kind":"header","format":"embedcontract-recording","version":"1.0"}` + "\n")
	for _, l := range []string{
		`{"kind":"exchange","check":"c","round":-1,"exchange":{"step":"s","body":"[]","vectors":[{"item":0,"at":0,"first":0,"n":1}]}}`,
		`{"kind":"exchange","check":"c","exchange":{"body":"[][]","vectors":[{"item":-1,"at":2,"first":0,"n":1},{"item":0,"at":0,"first":0,"n":1}]}}`,
		`{"kind":"end","check":"c"}`, `{"kind":"plan","plan":{}}`, `{"kind":"log","check":"c","log":{}}`,
		`{"kind":"footer","footer":{"lines":1,"floats":4611686018427387904}}`, ``,
	} {
		f.Add(append(bytes.Clone(head), l+"\n"...), []byte{0, 0, 128, 63})
	}
	f.Fuzz(func(t *testing.T, lines, vectors []byte) {
		rec, err := recording.Read(lines, vectors)
		if err != nil && refusedAs(err) == "" {
			t.Fatalf("an error of no known kind: %v", err)
		}
		if err == nil && rec == nil {
			t.Fatal("neither a recording nor an error")
		}
		if rec == nil {
			return
		}
		for _, check := range rec.Checks() {
			for _, trail := range rec.Trails(check) {
				for _, s := range trail.Steps {
					s.FullBody()
					_ = s.Describe()
				}
			}
		}
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
	})
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
