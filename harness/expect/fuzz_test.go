package expect_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/embedcontract/embedcontract/harness/bounds"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
)

// FuzzParse: whatever is in a file gives a list that names checks and variants that there are, or an error that names the
// file. What was read and is written again reads the same.
func FuzzParse(f *testing.F) {
	known := "targets: [a, b]\nversions: {d: '>=1.3'}\nknown:\n- {check: c/one, variant: bad" + rest + "- {check: c/pair, variant: odd, references: [y, z]" + rest
	if _, err := expect.Parse("list.yaml", []byte(known), suite()); err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{"", known, "targets: [a]\nknown:\n- {check: c/one, variant: bad, versions: {vllm: 1.10, d: >=1.6 <1.6.2}" + rest + "- {check: c/one, variant: odd, versions: {d: >=1.6.2-rc.1}" + rest, known + "- {check: c/pair, variant: odd, references: [x, x]" + rest, "targets: &a [x]\nknown: *a", "targets: [a]\nknown:\n- &k {check: c/one, variant: bad" + rest + "- *k\n", "targets: !!str a", "targets: [a]\n---\ntargets: [b]",
		"? {a: b}\n: c", "targets: [a]\nknown: [null]", "<<: {targets: [a]}", "\ufefftargets: [a]", "targets: [\x00]", "targets: [\"\\ud800\"]", "{", "- a", "targets: [a]\n\tknown: []",
		strings.Repeat("[", 5000), strings.Repeat("- ", 5000), strings.Repeat("{a: ", 2000), strings.Repeat("a:\n ", 500),
		"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\ntargets: [*c,*c,*c]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		bounds.Hold(t, len(data), func() { listed(t, data) })
	})
}

func listed(t *testing.T, data []byte) {
	s := suite()
	l, err := expect.Parse("list.yaml", data, s)
	if err != nil {
		if l != nil || !strings.HasPrefix(err.Error(), "list.yaml: ") {
			t.Fatalf("%v, %v", l, err)
		}
		return
	}
	if len(l.Targets) == 0 {
		t.Fatal("no targets")
	}
	declared := map[string]string{}
	for _, k := range append([]expect.Known{{Versions: l.Versions}}, l.Known...) {
		for component := range k.Versions {
			declared[component] = "1.6.2-rc.1"
		}
	}
	force, err := l.For("a", declared)
	if err != nil && !strings.HasPrefix(err.Error(), "list.yaml: ") {
		t.Fatal(err)
	}
	if err == nil && len(force.Known)+len(force.Elsewhere) != len(l.Known) {
		t.Fatalf("%d entries were made of %d", len(force.Known)+len(force.Elsewhere), len(l.Known))
	}
	for _, k := range l.Known {
		c, ok := s.Check(k.Check)
		if !ok || c.Variant(k.Variant).Name != k.Variant || k.Why == "" || k.Upstream == "" || c.Pair() != (len(k.References) > 0) {
			t.Errorf("%+v", k)
		}
		review, err := time.Parse(time.DateOnly, k.Review)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range append(slices.Clone(k.References), "") {
			if m := (&expect.List{Known: []expect.Known{k}}).Match(k.Check, r, k.Variant, contract.Fail, review); m.Overdue || (r == "") != c.Pair() && m.Status != expect.AsListed {
				t.Errorf("%+v: %+v", k, m)
			}
		}
	}
	text, err := yaml.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	again, err := expect.Parse("list.yaml", text, s)
	if err != nil || len(again.Known) != len(l.Known) || !slices.Equal(again.Targets, l.Targets) {
		t.Errorf("%q was written as %q and reads as %+v, %v", data, text, again, err)
	}
}

// FuzzRewrite: whatever is in a file that can be read, it cannot be rewritten, with a reason, or reads afterwards as what
// was meant, with each comment outside of what was removed.
func FuzzRewrite(f *testing.F) {
	f.Add([]byte(listText), uint8(0), uint8(1))
	for _, s := range []string{"targets: [a]\nknown: []", "targets: [a]\nknown: ~ # x\n", "targets: [a]", "targets: [a]\nknown:\n-   check: c/one\n    variant: bad\n    why: w\n    upstream: u\n    review: 2027-01-31\n# end\n\n",
		"{targets: [a], known: [{check: c/one, variant: bad" + strings.TrimSpace(rest) + "]}", "targets: [a]\nknown:\n- {\n  check: c/one,\n  variant:\n  bad" + rest + "# x\n- {check: c/two, variant: odd" + rest} {
		f.Add([]byte(s), uint8(1), uint8(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, set, remove uint8) {
		bounds.Hold(t, len(data), func() { rewritten(t, data, int(set), int(remove)) })
	})
}

func rewritten(t *testing.T, data []byte, set, remove int) {
	before, err := expect.Parse("list.yaml", data, suite())
	if err != nil {
		return
	}
	e := expect.Edits{Variants: map[int]string{}, Remove: map[int]bool{}, Add: []expect.Known{{Check: "c/one", Variant: "worse", Versions: map[string]string{"new": "==1"}, Why: "w", Upstream: "u", Review: "2027-01-31"}}}
	want := slices.Clone(before.Known)
	if set < len(want) {
		e.Variants[set], want[set].Variant = "no-answer", "no-answer"
	}
	if remove < len(want) {
		e.Remove[remove] = true
		want = slices.Delete(want, remove, remove+1)
	}
	want = append(want, e.Add...)
	text, err := expect.Rewrite(data, e)
	if err != nil {
		return
	}
	after, err := expect.Parse("list.yaml", text, suite())
	if err != nil && strings.Contains(err.Error(), "listed twice") {
		return // which the entry that is added here may be
	}
	for i := range want {
		want[i].Entry, want[i].Line = 0, 0
	}
	var got []expect.Known
	if err == nil {
		got = slices.Clone(after.Known)
		for i := range got {
			got[i].Entry, got[i].Line = 0, 0
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q was rewritten as %q: %v\n%+v\nwant %+v", data, text, err, got, want)
	}
}
