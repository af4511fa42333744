package versions_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/expect/versions"
)

// TestOrder holds each version to all that stand before and after it.
func TestOrder(t *testing.T) {
	for _, sorted := range [][]string{
		{"0.9.0", "0.9.0.post1", "0.31.0.dev3", "0.31.0a1", "0.31.0rc1", "0.31.0rc2", "0.31.0", "0.31.0.post1", "0.31.1", "0.100", "1.0.dev3", "1.0rc1", "1.0", "1!0.1"},
		{"1.6.1", "1.6.2-alpha.1", "1.6.2-rc.1", "1.6.2-rc.2", "1.6.2", "v1.6.3", "1.10", "2"},
		{"v1.2.0-nightly.20260101", "1.2.0-nightly.20260102", "v1.2", "1.2.1-nightly.1"},
	} {
		for i, a := range sorted {
			for j, b := range sorted {
				for operator, want := range map[string]bool{"<": i < j, "<=": i <= j, "==": i == j, "": i == j, "!=": i != j, ">=": i >= j, ">": i > j} {
					if got := holds(t, operator+b, a); got != want {
						t.Errorf("%s is in %s%s: %v", a, operator, b, got)
					}
				}
			}
		}
	}
}

func holds(t *testing.T, text, version string) bool {
	t.Helper()
	r, err := versions.ParseRange(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := versions.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	in, err := r.Holds(v)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestRange(t *testing.T) {
	for _, c := range []struct {
		text, version string
		want          bool
	}{
		{">=1.3.1 <1.6.1", "1.3.0", false}, {">=1.3.1 <1.6.1", "1.3.1rc1", false}, {">=1.3.1 <1.6.1", "1.3.1", true},
		{">=1.3.1 <1.6.1", "1.6.1-rc.1", true}, {">=1.3.1 <1.6.1", "1.6.1", false}, {">=1.3.1,<1.6.1", "1.4", true}, {" >= 1.3.1, < 1.6.1 ", "1.4", true},
		{"1.6", "1.6.0", true}, {"v1.6", "1.6", true}, {"1.6", "v1.6.0", true}, {"1.10", "1.1", false}, {"!=1.6.1 >=1.6", "1.6.1", false},
		{"==0.31.0", "0.31.0+cpu", true}, {">0.31.0", "0.31.0+cpu", false}, {"<=0.31.0", "0.31.0+cu130", true}, {"<0.32", "0.31.1.dev5+g1234abc.cpu", true},
		{"==1.6.2-rc.1", "1.6.2rc1", true}, {"<1.6.2-nightly.3", "1.6.2-nightly.2+build.7", true}, {"<1.7.dev0", "1.7.0rc1", false},
	} {
		if got := holds(t, c.text, c.version); got != c.want {
			t.Errorf("%s is in %s: %v", c.version, c.text, got)
		}
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"": "names no version", " , ": "names no version", ">=": `"" is no version`, "~=1.6": `"~=1.6" is no version`, "^1.6": "is no version",
		">=1.6 <1.x": `"1.x" is no version`, "=1.6": `"=" is none of`, "=>1.6": `"=>" is none of`, "1.6.*": "is no version", ">=1.6 || <1": "is no version",
		"<0.31.0+cpu": "builds are not compared", ">=1.6.2-4": "expected 1.6.2.post4", "<latest": "is no version",
		">=0.31.0.post1 <1.0.0-nightly.3": "expected bounds of one form", ">=1.6\n<2": "is no version",
		"<1" + strings.Repeat(" <1", 300): "at most 400", "<" + strings.Repeat("1", 200): "at most 100", "<99999999999999999999999": "is no version",
	} {
		if r, err := versions.ParseRange(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, r, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "is no version", " 1.6": "is no version", "latest": "is no version", "1.6.2-4": "by PEP 440 and before it as a semantic version", "1.6 ": "is no version",
		strings.Repeat("1", 101): "at most 100",
	} {
		if v, err := versions.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %q", text, v, err, want)
		}
	}
	r, err := versions.ParseRange("<0.31.0.post1")
	if err != nil {
		t.Fatal(err)
	}
	v, err := versions.Parse("1.6.2-nightly.3")
	if err != nil {
		t.Fatal(err)
	}
	if in, err := r.Holds(v); in || err == nil || !strings.Contains(err.Error(), "cannot be compared") {
		t.Errorf("%v, %v", in, err)
	}
}
