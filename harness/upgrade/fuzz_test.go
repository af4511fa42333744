package upgrade_test

import (
	"io"
	"testing"

	"github.com/embedcontract/embedcontract/harness/bounds"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/upgrade"
)

// FuzzCompare: whatever a recording says was asked and answered, it is compared with itself without a change, and with
// another one without harm, within bounds.
func FuzzCompare(f *testing.F) {
	const answer = `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[0,1]}],"usage":{"prompt_tokens":3}}`
	for _, request := range []string{`{"input":"x"}`, `{"input":["x","y"]}`, `{"input":[1,2]}`, `{"input":[[1],[2]],"dimensions":2}`, `{"input":[]}`,
		`{"input":[""]}`, `{"input":{}}`, `{"input":null}`, `[]`, ``, `{"input":"\ud800"}`, `{"input":["x",1]}`, "{\"input\":\"\x00\"}"} {
		f.Add([]byte(request), []byte(answer), "")
	}
	f.Add([]byte{}, []byte(`{"data":[{"index":7,"embedding":[0,0]},{"index":-1,"embedding":[3e38,3e38]}]}`), "filler(words=2)")
	s := suite(says("c/one"), says("c/embed"))
	record := func(t *testing.T, request, body []byte, recipe string) *recording.Recording {
		p := newTape(t, "a").answer("c/one", "good")
		_, err := p.w.Exchange(contract.Step{Check: "c/embed", Name: "s", Status: 200, Body: body,
			Request: contract.Request{Method: "POST", Path: "/v1/embeddings", Body: request, Recipe: recipe}})
		p.must(err)
		p.must(p.w.End("c/embed", 0, "", ""))
		return p.end()
	}
	f.Fuzz(func(t *testing.T, request, body []byte, recipe string) {
		rec := record(t, request, body, recipe)
		other := record(t, []byte(`{"input":["x","y"]}`), []byte(answer), "")
		bounds.Hold(t, len(request)+len(body)+len(recipe), func() {
			d := compare(s, rec, rec)
			if len(d.Changes) > 0 || d.Verdict.Regressed+d.Verdict.Fixed+d.Verdict.Moved > 0 {
				t.Errorf("compared with itself: %+v", d.Changes)
			}
			for _, m := range d.Measures {
				if m.Moved && m.Effect != string(contract.IndexBreak) && m.Effect != string(contract.ClientChange) {
					t.Errorf("compared with itself: %+v", m) // but vectors of zeros have no distance to themselves
				}
			}
			for _, d := range []*upgrade.Diff{d, compare(s, rec, other), compare(s, other, rec)} {
				if err := report.UpgradeJSON(d, io.Discard); err != nil {
					t.Error(err)
				}
			}
		})
	})
}
