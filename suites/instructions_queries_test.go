package suites_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/suites"
)

// A query that both servers refuse is alike in both, and hides nothing of those that follow.
func TestEachQueryIsCompared(t *testing.T) {
	suite, err := suites.At(contract.Draft)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := suite.Check("instructions/same-query")
	const body = `{"data":[{"index":0,"embedding":[]}],"usage":{"prompt_tokens":1}}`
	answers := map[byte]contract.Step{
		'x': {Status: 200, Body: []byte(body), Vectors: []contract.Vector{{Offset: strings.Index(body, "[]"), Values: []float32{1, 0}}}},
		'y': {Status: 200, Body: []byte(body), Vectors: []contract.Vector{{Offset: strings.Index(body, "[]"), Values: []float32{0, 1}}}},
		'X': {Status: 200, Body: []byte(body), Vectors: []contract.Vector{{Offset: strings.Index(body, "[]"), Values: []float32{2, 0}}}},
		'0': {Status: 200, Body: []byte(body), Vectors: []contract.Vector{{Offset: strings.Index(body, "[]"), Values: []float32{0, 0}}}},
		'-': {Status: 500, Body: []byte(`{}`)},
	}
	side := func(queries string) contract.Evidence {
		e := contract.Evidence{Facts: contract.Facts{Dimensions: 2}}
		for i := range queries {
			s := answers[queries[i]]
			s.Name = "query:" + string(rune('a'+i))
			e.Steps = append(e.Steps, s)
		}
		return e
	}
	for _, x := range []struct{ reference, candidate, want, says string }{
		{"xx", "xx", "same-vector", ""},
		{"-x", "-x", "same-vector", "1 of 2 queries are served by neither"},
		{"-x", "-y", "other-vector", ""},
		{"-x", "-0", "other-vector", ""},
		{"-x", "-X", "other-norm", "1 of 2 queries are served by neither"},
		{"-x", "--", "not-served", "500"},
		{"xx", "-y", "other-vector", ""},
		{"xx", "-0", "other-vector", ""},
		{"xx", "-x", "not-served", "500"},
		{"xx", "-X", "not-served", "500"},
		{"--", "--", "neither-serves", "500"},
		{"", "", "not-served", "no queries"},
	} {
		f := c.Compare(side(x.reference), side(x.candidate))
		if f.Variant != x.want || !strings.Contains(f.Observed, x.says) {
			t.Errorf("%q and %q: %s, %s; want %s, %q", x.reference, x.candidate, f.Variant, f.Observed, x.want, x.says)
		}
	}
}
