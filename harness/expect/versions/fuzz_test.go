package versions_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/bounds"
	"github.com/embedcontract/embedcontract/harness/expect/versions"
)

// FuzzRange: whatever two texts are, a range and its negation hold never both, and one of them always; a version equals
// itself, and lies in what is read of a range in one spelling and in another.
func FuzzRange(f *testing.F) {
	for _, s := range [][2]string{
		{"1.6.1", "1.6.1rc1"}, {"0.31.0.post1", "0.31.0+cpu"}, {"1.6.2-rc.1", "v1.2"}, {"1.0.dev3", "1!2"}, {"1.6.2-nightly.3", "1.6.2-nightly.03"}, {"1.2.3-4", "1.2.3-r4"},
		{"1.0a", "1.0.A.1"}, {"1.0+", "1.0+a.B-1"}, {">=1", ">= 1"}, {"1.0-post", "1.0_rev2"}, {"\x00", "١.٢"}, {strings.Repeat("1.", 90) + "1", "1"}, {"18446744073709551616", "-1"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		bounds.Hold(t, len(a)+len(b), func() { ordered(t, a, b) })
	})
}

func ordered(t *testing.T, a, b string) {
	v, err := versions.Parse(a)
	if err != nil {
		if !strings.Contains(err.Error(), "expected") {
			t.Fatalf("%v does not say what was expected", err)
		}
		return
	}
	if v.String() != a {
		t.Fatalf("%q was read as %q", a, v)
	}
	b = strings.TrimLeft(b, "<>=!") // of another operator
	below, err := versions.ParseRange("<" + b)
	if err != nil {
		if !strings.Contains(err.Error(), "expected") {
			t.Fatalf("%v does not say what was expected", err)
		}
		return
	}
	from, err := versions.ParseRange(">=" + b)
	if err != nil {
		t.Fatalf("<%s is a range, and >=%s is none: %v", b, b, err)
	}
	x, errX := below.Holds(v)
	y, errY := from.Holds(v)
	if (errX == nil) != (errY == nil) {
		t.Fatalf("%q in %q: %v, in %q: %v", a, below, errX, from, errY)
	}
	if errX == nil && x == y && !strings.ContainsAny(b, " ,") {
		t.Fatalf("%q is in %q: %v, and in %q: %v", a, below, x, from, y)
	}
	if strings.Contains(a, "+") {
		return
	}
	same, err := versions.ParseRange("==" + a)
	if err != nil {
		t.Fatal(err)
	}
	if in, err := same.Holds(v); !in || err != nil {
		t.Fatalf("%q is not itself: %v", a, err)
	}
}
