package contract_test

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/bounds"
	"github.com/embedcontract/embedcontract/harness/contract"
)

// FuzzResponse: what is read of an answer is what encoding/json says that there is, its readers agree with each other,
// and what is shown of it is short. Vectors stand in place of each "[]" of the body, as a recording has them; whose they
// are, it may say wrongly.
func FuzzResponse(f *testing.F) {
	for _, body := range []string{
		"", "null", "[]", "{}", `{"data":[]}`, `{"data":[null,1,"",[],{}]}`, `{"data":{"embedding":[]}}`,
		`{"data":[{"index":0,"embedding":[]}],"usage":{"prompt_tokens":1,"total_tokens":1}}`,
		`{"data":[{"index":1,"embedding":[]},{"index":0,"embedding":"AACAPw=="}],"usage":{"prompt_tokens":null}}`,
		`{"data":[{"index":9223372036854775808,"embedding":[]}],"usage":{"prompt_tokens":-1,"total_tokens":1e400}}`,
		`{"data":[{"index":0.0,"index":0,"Embedding":[],"embedding":"\ud800"}],"DATA":[],"usage":[]}`,
		"\ufeff{}", "{\"\xff\":[]}", `{"data":[{"embedding":[]}],"data":[]}`, strings.Repeat(`{"data":[`, 200),
	} {
		f.Add([]byte(body), float32(0.5), uint8(3), 200, "")
		f.Add([]byte(body), float32(math.Inf(1)), uint8(0), 503, "timeout")
	}
	f.Fuzz(func(t *testing.T, body []byte, number float32, n uint8, status int, fault string) {
		s := contract.Step{Status: status, Body: body, Fault: contract.Fault(fault), Detail: fault}
		finite := !math.IsNaN(float64(number)) && !math.IsInf(float64(number), 0)
		for at := 0; n > 0 && finite && at+2 <= len(body); at++ {
			if string(body[at:at+2]) != "[]" {
				continue
			}
			v := contract.Vector{Item: len(s.Vectors), Offset: at, Values: slices.Repeat([]float32{number}, int(n))}
			switch n % 8 {
			case 4:
				v = contract.Vector{Item: len(s.Vectors), Offset: at, Unkept: int(n), Norm: 1}
			case 5:
				v.Item = -1
			case 6:
				v.Item = 1 << 40
			case 7:
				v.Item = 0
			}
			s.Vectors = append(s.Vectors, v)
		}
		bounds.Hold(t, len(body), func() { answered(t, s) })
	})
}

func answered(t *testing.T, s contract.Step) {
	if d := s.Describe(); len(d) > 8<<10 {
		t.Errorf("%d bytes describe an answer: %.100q", len(d), d)
	}
	s.Limited()
	s.Sketch()
	if full := s.FullBody(); json.Valid(s.Body) && !json.Valid(full) {
		t.Errorf("%q is JSON, %q is not", s.Body, full)
	}
	r, err := s.Response()
	var plain map[string]any
	isObject := s.OK() && json.Unmarshal(s.Body, &plain) == nil // also null, which has nothing in it
	data, isList := plain["data"].([]any)
	isList = isList || plain["data"] == nil
	// Numbers that no float64 holds are none to plain; what has one is still read.
	if isObject && isList != (err == nil) || !s.OK() && err == nil {
		t.Fatalf("%d %q: %v", s.Status, s.Body, err)
	}
	if isObject && len(data) != len(r.Items) {
		t.Fatalf("%q: %d items of %d", s.Body, len(r.Items), len(data))
	}
	one, errOne := s.One()
	if errOne == nil && (len(r.Items) != 1 || one == nil) {
		t.Errorf("%q: one vector of %d items", s.Body, len(r.Items))
	}
	for _, n := range []int{0, 1, len(r.Items)} {
		many, err := s.Many(n)
		if err == nil && (len(many) != n || slices.ContainsFunc(many, func(v []float32) bool { return v == nil })) {
			t.Errorf("%q: %v for %d", s.Body, many, n)
		}
	}
	if tokens, err := s.Tokens(); err == nil && (r.Usage == nil || r.Usage.PromptTokens != tokens) {
		t.Errorf("%q: %d tokens of %+v", s.Body, tokens, r.Usage)
	}
}

// FuzzRevision: a revision that is read has what its lines say, and what is refused is refused with its line.
func FuzzRevision(f *testing.F) {
	for _, text := range []string{"", "# x", "a/b must", "a/b must\na/c should\nb/d may\n", "a/b must\na/b may", "a/b  must", "a/b MUST", "/b must", "a/ must", "a/b must\r\n",
		"\ufeffa/b must", "a/b/c must", "a/\x00 must", "a/\xff must", "a/b must\n\n#\n\t", strings.Repeat("a/b must\n", 100)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		bounds.Hold(t, len(text), func() { revised(t, text) })
	})
}

func revised(t *testing.T, text string) {
	r, err := contract.ParseRevision("2026-11", text)
	if err != nil {
		if !strings.HasPrefix(err.Error(), "contract revision 2026-11") || strings.Count(text, "\n") > 0 && len(r.Levels) > 0 {
			t.Fatalf("%v, %v", r, err)
		}
		if !strings.Contains(err.Error(), "lists no checks") && !strings.Contains(err.Error(), ", line ") {
			t.Fatalf("no line in %v", err)
		}
		return
	}
	// Written again, in any order, it reads the same.
	var b strings.Builder
	for id, level := range r.Levels {
		b.WriteString(id + " " + string(level) + "\n")
	}
	again, err := contract.ParseRevision("2026-11", b.String())
	if err != nil || !maps.Equal(again.Levels, r.Levels) {
		t.Fatalf("%q became %q: %v", text, b.String(), err)
	}
}
