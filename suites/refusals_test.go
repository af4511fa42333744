package suites_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/suites"
)

// evidenceOf is evidence with one step.
func evidenceOf(step string, status int) contract.Evidence {
	return contract.Evidence{Facts: contract.Facts{Dimensions: 8}, Steps: []contract.Step{{Name: step, Status: status, Body: []byte(`{}`)}}}
}

// A server that refuses every dimensions has not looked at the value.
func TestRefusalsOfAnyDimensions(t *testing.T) {
	suite, err := suites.At(contract.Draft)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"dimensions/above-native", "dimensions/zero", "dimensions/negative", "dimensions/string", "dimensions/boolean", "dimensions/fraction"} {
		c, _ := suite.Check(id)
		for _, x := range []struct {
			reduced, native int
			any             bool
		}{{400, 400, true}, {400, 200, false}, {200, 400, false}, {0, 422, true}, {0, 0, false}, {0, 200, false}} {
			e := evidenceOf("asked", 400)
			e.Read = map[string]contract.Evidence{"dimensions/reduced-256": evidenceOf("reduced", x.reduced), "dimensions/native-value": evidenceOf("native", x.native)}
			f := c.Classify(e)
			if f.Variant != "rejected-4xx" || strings.Contains(f.Observed, "as any dimensions") != x.any {
				t.Errorf("%s with %+v: %s, %s", id, x, f.Variant, f.Observed)
			}
		}
	}
}

// Whether an over-long text is cut on request is not told by a text of the limit that was not served, or by an answer
// without a vector.
func TestTruncateParameterIsRefusedByRefusalsOnly(t *testing.T) {
	suite, err := suites.At(contract.Draft)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := suite.Check("truncation/truncate-prompt-tokens")
	vector := func(step string, values ...float32) contract.Step {
		const body = `{"data":[{"index":0,"embedding":[]}]}`
		return contract.Step{Name: step, Status: 200, Body: []byte(body), Vectors: []contract.Vector{{Offset: strings.Index(body, "[]"), Values: values}}}
	}
	bare := contract.Step{Status: 200, Body: []byte(`{"data":[]}`)}
	no := contract.Step{Status: 400, Body: []byte(`{}`)}
	named := func(s contract.Step, step string) contract.Step { s.Name = step; return s }
	for _, x := range []struct {
		limit, over contract.Step
		want        string
	}{
		{vector("limit", 0, 1), vector("over-long", 0, 1), "honoured"},
		{vector("limit", 0, 1), vector("over-long", 1, 0), "cut-otherwise"},
		{vector("limit", 0, 1), named(no, "over-long"), "not-when-over-long"},
		{vector("limit", 0, 1), named(bare, "over-long"), contract.Other},
		{named(no, "limit"), vector("over-long", 0, 1), contract.Other},
		{named(no, "limit"), named(no, "over-long"), contract.Other},
	} {
		f := c.Classify(contract.Evidence{Steps: []contract.Step{vector("cut", 1, 0), vector("whole", 1, 1), vector("asked", 1, 0), x.limit, x.over}})
		if f.Variant != x.want {
			t.Errorf("limit %d, over-long %d: %s, %s; want %s", x.limit.Status, x.over.Status, f.Variant, f.Observed, x.want)
		}
	}
}
