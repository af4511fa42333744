package expect_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
)

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list.yaml")
	if _, err := expect.Load(path, suite()); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("targets: [a] # one\r\n# two\r\nknown:\r\n- {check: c/one, variant: bad"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	if f, err := expect.Load(path, suite()); err != nil || len(f.Known) != 1 || f.Known[0].Line != 4 {
		t.Errorf("%+v, %v", f, err)
	}
}

func parse(t *testing.T, text string) *expect.File {
	t.Helper()
	f, err := expect.Parse("list.yaml", []byte(text), suite())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFor(t *testing.T) {
	text := `targets: [a]
versions: {d: ">=1.3.1"}
known:
# before 1.6.1 it was a 500
- {check: c/one, variant: bad, versions: {d: <1.6.1}` + rest + `- {check: c/one, variant: odd, versions: {d: ">=1.6.1"}` + rest + `- {check: c/two, variant: odd` + rest +
		`- check: c/pair
  variant: bad
  references: [x, y]
  versions:
    d: ">=1.6 <1.10"
    v: 0.10 # to YAML the number 0.1
  why: w
  upstream: u
  review: 2027-01-31
`
	f := parse(t, text)
	for _, c := range []struct {
		d, v string
		want string // variant of c/one, c/two, c/pair; - where no entry is in force
	}{
		{"1.6.0", "0.10", "bad odd bad"}, {"1.6.1rc1", "0.10", "bad odd bad"}, {"1.6.1", "0.10.0", "odd odd bad"}, {"1.6.1", "0.1", "odd odd -"},
		{"1.10", "0.10", "odd odd -"}, {"1.9", "0.10+cpu", "odd odd bad"}, {"v1.3.1", "0.10", "bad odd -"},
		{"1.3.0", "0.10", "- - -"}, {"1.3.1rc1", "0.10", "- - -"},
	} {
		l, err := f.For("a", map[string]string{"d": c.d, "v": c.v})
		if err != nil {
			t.Error(err)
			continue
		}
		var got []string
		for _, check := range []string{"c/one", "c/two", "c/pair"} {
			m := l.Match(check, map[string]string{"c/pair": "y"}[check], "worse", contract.Fail, at("2027-01-01 00:00"))
			if m.Known == nil {
				// What is not in force excuses nothing.
				if m.Status != expect.Unexpected {
					t.Errorf("%s of %s: %s", check, c.d, m.Status)
				}
				got = append(got, "-")
				continue
			}
			got = append(got, m.Known.Variant)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("d %s, v %s: %s, want %s", c.d, c.v, s, c.want)
		}
		if len(l.Known)+len(l.Elsewhere) != len(f.Known) {
			t.Errorf("d %s: %d entries in force and %d elsewhere, of %d", c.d, len(l.Known), len(l.Elsewhere), len(f.Known))
		}
		// A merely different answer is a surprise too: a list without entries is not the absence of one.
		if m := l.Match("c/pair-too", "x", "odd", contract.Differs, at("2027-01-01 00:00")); m.Status != expect.Unexpected {
			t.Errorf("d %s: %s", c.d, m.Status)
		}
	}
}

func TestForTells(t *testing.T) {
	entry := "targets: [a]\nknown:\n- {check: c/one, variant: bad, versions: {d: <1.6.1}" + rest
	for _, c := range []struct {
		name, text string
		declared   map[string]string
		want       []string
	}{
		{"no version of it", entry, map[string]string{"vllm": "0.31.0"}, []string{"[3:43] known[0] (c/one): versions: d: \"<1.6.1\"", "target a declares the versions vllm 0.31.0 only; expected a version of d"}},
		{"no versions", entry, nil, []string{"target a declares no versions"}},
		{"no version that can be read", entry, map[string]string{"d": "latest"}, []string{"target a declares a version that cannot be compared", `"latest"`}},
		{"a version of two meanings", entry, map[string]string{"d": "1.6.0-4"}, []string{"by PEP 440 and before it"}},
		{"another form", strings.Replace(entry, "<1.6.1", "<1.6.1.post1", 1), map[string]string{"d": "1.6.0-nightly.3"}, []string{"target a declares 1.6.0-nightly.3", "cannot be compared"}},
		{"of the file", "targets: [a]\nversions: {d: <1}\nknown: []\n", nil, []string{"list.yaml: [2:12] versions: d"}},
		{"two in force", entry + "- {check: c/one, variant: odd, versions: {d: <2}" + rest, map[string]string{"d": "1"}, []string{"[4:43] known[1] (c/one): in force for a, and so is line 3"}},
	} {
		l, err := parse(t, c.text).For("a", c.declared)
		if err == nil || l != nil {
			t.Errorf("%s: %+v, %v", c.name, l, err)
			continue
		}
		for _, want := range append(c.want, "list.yaml: [") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\nlacks %q", c.name, err, want)
			}
		}
	}
}
