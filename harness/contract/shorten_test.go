package contract_test

import (
	"strings"
	"testing"

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
