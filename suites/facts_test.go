package suites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/suites"
)

// Texts are built to the lengths that facts name, and a plan with such as no text has could not be recorded.
func TestFactsStayWithinBounds(t *testing.T) {
	suite, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	counts := func(name string, tokens int) contract.Step {
		body := fmt.Sprintf(`{"data":[{"index":0,"embedding":[]}],"usage":{"prompt_tokens":%d}}`, tokens)
		return contract.Step{Name: name, Status: 200, Body: []byte(body), Vectors: []contract.Vector{{Offset: strings.Index(body, "[]"), Values: []float32{1}}}}
	}
	refused := contract.Step{Name: "grow:64+0", Status: 400}
	for _, tokens := range []int{33, 5000, -1, 0, 1 << 40, 1<<63 - 1} {
		e := contract.Evidence{Steps: []contract.Step{counts("plain", 9), counts("usage:8+0", 9), counts("usage:8+1", 10), counts("usage:8+3", 12), counts("grow:32+0", tokens), refused}}
		f := suite.Facts.Derive(contract.Facts{}, e)
		want := 0
		if tokens == 33 {
			want = tokens
		}
		if f.Usage != contract.UsageTokens || f.MaxTokens != want || f.Validate() != nil {
			t.Errorf("%d tokens: %+v", tokens, f)
		}
	}
	long := counts("plain", 9)
	long.Vectors[0].Values = make([]float32, contract.Longest+1)
	if f := suite.Facts.Derive(contract.Facts{}, contract.Evidence{Steps: []contract.Step{long}}); f.Dimensions != 0 || !strings.Contains(f.Source["dimensions"], "1048577 numbers") {
		t.Errorf("%+v", f)
	}
}
