package contract_test

import (
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

func TestShorten(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "",
		" \t\n":                          "",
		"abcde":                          "abcde",
		"abcdef":                         "abcde…",
		" a  b\n c ":                     "a b c",
		"ab cd e":                        "ab cd…",
		"abcd ef":                        "abcd …",
		"abcde f":                        "abcde…",
		"ä€😀가éx":                         "ä€😀가é…",
		"a\xffb":                         "a\uFFFDb",
		strings.Repeat("x", 1<<20):       "xxxxx…",
		strings.Repeat(" ", 1<<20) + "x": "x",
	} {
		if got := contract.Shorten(in, 5); got != want {
			t.Errorf("%.20q: %q, want %q", in, got, want)
		}
	}
}

// A long list takes time in proportion to its length, not to the square of it.
func TestLongListsAreRead(t *testing.T) {
	const n = 300_000
	step := contract.Step{Status: 200, Body: []byte(`{"data":[` + strings.Repeat("{},", n-1) + "{}]}")}
	for i := range n {
		step.Vectors = append(step.Vectors, contract.Vector{Item: i, Unkept: 1})
	}
	step.Vectors = append(step.Vectors, contract.Vector{Item: n, Unkept: 1}, contract.Vector{Item: -1, Unkept: 1}) // of no item
	began := time.Now()
	r, err := step.Response()
	if err != nil || len(r.Items) != n || r.Items[n-1].Length != 1 {
		t.Fatalf("%d items, %v", len(r.Items), err)
	}
	if took := time.Since(began); took > 20*time.Second { // a square takes minutes, on any machine
		t.Errorf("it took %s", took)
	}
}
