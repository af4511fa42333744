package contract_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// A recipe stands in recordings in place of its text, so the text of a recipe must never change.
func TestFillerIsStable(t *testing.T) {
	for _, c := range []struct {
		filler contract.Filler
		want   string
	}{
		{contract.Filler{}, ""},
		{contract.Filler{Pads: 2}, " a a"},
		{contract.Filler{Words: 12, Pads: 1}, "because before each bread stones and roof old where sell stones station a"},
	} {
		if got := c.filler.String(); got != c.want {
			t.Errorf("%s is %q, want %q", c.filler.Recipe(), got, c.want)
		}
	}
	sum := sha256.Sum256([]byte(contract.Filler{Words: 5000, Pads: 3}.String()))
	const want = "bf6c1daf19e3fd3591b1669cc35c371411d9b8fd44b4eb641effedd0dbff6a57"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("5000 words have the digest %s, want %s", got, want)
	}
	if got := (contract.Filler{Words: 7, Pads: 2}).Recipe(); got != "filler(words=7, pads=2)" {
		t.Error(got)
	}
}

func TestFillersDiffer(t *testing.T) {
	seen := map[string]contract.Filler{}
	for words := range 200 {
		for pads := range 13 {
			f := contract.Filler{Words: words, Pads: pads}
			text := f.String()
			if other, ok := seen[text]; ok {
				t.Fatalf("%s and %s are the same text", f.Recipe(), other.Recipe())
			}
			seen[text] = f
			if got := len(strings.Fields(text)); got != words+pads {
				t.Fatalf("%s has %d words", f.Recipe(), got)
			}
		}
	}
	// A text that repeats itself after a while would look the same at its end when it is cut in the middle.
	words := strings.Fields(contract.Filler{Words: 2000}.String())
	for period := 1; period <= 500; period++ {
		same := 0
		for i := period; i < len(words); i++ {
			if words[i] == words[i-period] {
				same++
			}
		}
		if share := float64(same) / float64(len(words)-period); share > 0.2 {
			t.Errorf("%.2f of the words repeat after %d", share, period)
		}
	}
}

func plan(change func(*contract.Plan, *contract.Facts, *contract.Corpus)) contract.Plan {
	f := contract.Facts{Model: "m", Dimensions: 4, MaxTokens: 8, Usage: contract.UsageTokens, QueryPrefix: "q: ", Limit: contract.Filler{Words: 3}}
	c := contract.Corpus{Name: "texts", Documents: []contract.Text{{ID: "1", Lang: "en", Text: "one"}, {ID: "2", Text: "two"}}, Queries: []contract.Text{{ID: "q", Text: "why"}}}
	var p contract.Plan
	if change != nil {
		change(&p, &f, &c)
	}
	name := p.Reference
	if name == "" {
		name = "reference"
	}
	return contract.NewPlan(name, f, c)
}

func TestPlanKey(t *testing.T) {
	base := plan(nil)
	whole := []string{contract.PlanPrefix, contract.PlanLimit}
	for _, c := range []struct {
		name   string
		same   bool
		change func(*contract.Plan, *contract.Facts, *contract.Corpus)
	}{
		{"nothing", true, func(*contract.Plan, *contract.Facts, *contract.Corpus) {}},
		{"the name of the reference", true, func(p *contract.Plan, _ *contract.Facts, _ *contract.Corpus) { p.Reference = "another" }},
		{"the model", true, func(_ *contract.Plan, f *contract.Facts, _ *contract.Corpus) { f.Model = "n" }},
		{"how a fact was found", true, func(_ *contract.Plan, f *contract.Facts, _ *contract.Corpus) {
			f.Source = map[string]string{"dimensions": "declared"}
		}},
		{"the language of a text", true, func(_ *contract.Plan, _ *contract.Facts, c *contract.Corpus) { c.Documents[0].Lang = "de" }},
		{"the length of vectors", true, func(_ *contract.Plan, f *contract.Facts, _ *contract.Corpus) { f.Dimensions = 5 }},
		{"the limit", false, func(_ *contract.Plan, f *contract.Facts, _ *contract.Corpus) { f.MaxTokens = 9 }},
		{"the text of the limit", false, func(_ *contract.Plan, f *contract.Facts, _ *contract.Corpus) { f.Limit.Pads++ }},
		{"the prefix", false, func(_ *contract.Plan, f *contract.Facts, _ *contract.Corpus) { f.QueryPrefix = "" }},
		{"the corpus' name", false, func(_ *contract.Plan, _ *contract.Facts, c *contract.Corpus) { c.Name = "others" }},
		{"a text", false, func(_ *contract.Plan, _ *contract.Facts, c *contract.Corpus) { c.Documents[1].Text = "three" }},
		{"an id", false, func(_ *contract.Plan, _ *contract.Facts, c *contract.Corpus) { c.Documents[1].ID = "3" }},
		{"a query", false, func(_ *contract.Plan, _ *contract.Facts, c *contract.Corpus) { c.Queries[0].Text = "how" }},
		{"the order of texts", false, func(_ *contract.Plan, _ *contract.Facts, c *contract.Corpus) {
			c.Documents[0], c.Documents[1] = c.Documents[1], c.Documents[0]
		}},
		{"a document that becomes a query", false, func(_ *contract.Plan, _ *contract.Facts, c *contract.Corpus) {
			c.Queries = append([]contract.Text{c.Documents[1]}, c.Queries...)
			c.Documents = c.Documents[:1]
		}},
	} {
		if got := plan(c.change); (got.Key(whole) == base.Key(whole)) != c.same {
			t.Errorf("another plan by %s: keys %s and %s", c.name, base.Key(whole), got.Key(whole))
		}
	}
	// What a recording keeps of a plan has the key of the whole plan.
	var back contract.Plan
	if b, err := json.Marshal(base); err != nil || json.Unmarshal(b, &back) != nil {
		t.Fatal(err)
	}
	if back.Key(whole) != base.Key(whole) || len(back.Texts().Documents) != 0 || len(base.Texts().Documents) != 2 {
		t.Errorf("read back: key %s against %s, %d texts", back.Key(whole), base.Key(whole), len(back.Texts().Documents))
	}
	// What a check does not ask by makes no other plan of it.
	limit := plan(func(_ *contract.Plan, f *contract.Facts, _ *contract.Corpus) { f.MaxTokens = 9 })
	prefix := plan(func(_ *contract.Plan, f *contract.Facts, _ *contract.Corpus) { f.QueryPrefix = "" })
	for _, c := range []struct {
		parts         []string
		limit, prefix bool // such a plan has the same key
	}{
		{nil, true, true}, {[]string{contract.PlanLimit}, false, true}, {[]string{contract.PlanPrefix}, true, false}, {whole, false, false},
	} {
		if key := base.Key(c.parts); (limit.Key(c.parts) == key) != c.limit || (prefix.Key(c.parts) == key) != c.prefix {
			t.Errorf("keys by %v: %s, another limit %s, another prefix %s", c.parts, key, limit.Key(c.parts), prefix.Key(c.parts))
		}
	}
}

func TestFields(t *testing.T) {
	for _, c := range []struct {
		name string
		body contract.Body
		want map[string]any
	}{
		{"the model is added", contract.Body{"input": "x"}, map[string]any{"model": "m", "input": "x"}},
		{"the model of the body stays", contract.Body{"model": "n"}, map[string]any{"model": "n"}},
		{"an absent model", contract.Body{"model": contract.Absent, "input": "x"}, map[string]any{"input": "x"}},
		{"an absent input", contract.Body{"input": contract.Absent}, map[string]any{"model": "m"}},
		{"null is not absent", contract.Body{"model": nil, "dimensions": nil}, map[string]any{"model": nil, "dimensions": nil}},
		{"values that cannot be compared", contract.Body{"input": []string{"a"}, "user": map[string]any{}},
			map[string]any{"model": "m", "input": []string{"a"}, "user": map[string]any{}}},
		{"no body", nil, map[string]any{"model": "m"}},
	} {
		if got := c.body.Fields("m"); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	b := contract.Body{"model": contract.Absent}
	b.Fields("m")
	if b["model"] != contract.Absent {
		t.Error("Fields changed the body")
	}
}

func TestEvidenceFindsSteps(t *testing.T) {
	e := contract.Evidence{Steps: []contract.Step{{Name: "a:1", Status: 200}, {Name: "b"}, {Name: "a:2"}, {Name: "a:1", Status: 500}}}
	if s := e.Step("a:1"); s.Status != 200 || s.Fault != "" {
		t.Errorf("the first step of a name: %+v", s)
	}
	if s := e.Step("c"); s.Name != "c" || s.Fault != contract.FaultNotAsked || s.OK() {
		t.Errorf("a step that was not asked: %+v", s)
	}
	var names []string
	for _, s := range e.StepsLike("a:") {
		names = append(names, s.Name)
	}
	if got := strings.Join(names, " "); got != "a:1 a:2 a:1" {
		t.Error(got)
	}
}
