package guards_test

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/suites/guards"
)

// A classifier in small: what is broken of it, and what is not, since it is the probe's or a person's to read.
func TestEveryPartOfAClassifierIsBroken(t *testing.T) {
	found, err := guards.Instrument(".", "./testdata/classifier")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, f := range found.Faults {
		_, key, _ := strings.Cut(f.Key(), " ")
		keys = append(keys, key)
	}
	want := []string{
		"classify: d > bar is true", "classify: d > bar is false",
		"classify: bar is more", "classify: bar is less",
		`classify: "far" is other`,
		"classify: len(texts) > 5 is true", "classify: len(texts) > 5 is false",
		"classify: 5 is more", "classify: 5 is less",
		"classify: known(texts) is true", "classify: known(texts) is false",
		`classify: "near" is other`,
		`known: texts[0] == "known" is true`, `known: texts[0] == "known" is false`,
	}
	slices.Sort(keys)
	slices.Sort(want)
	if !slices.Equal(keys, want) {
		t.Errorf("broken:\n%s\nwant:\n%s", strings.Join(keys, "\n"), strings.Join(want, "\n"))
	}
	for path, source := range found.Files {
		if _, err := parser.ParseFile(token.NewFileSet(), path, source, 0); err != nil {
			t.Errorf("instrumented: %v\n%s", err, source)
		}
	}
}

func TestSurvivorsHaveReasons(t *testing.T) {
	path := filepath.Join(t.TempDir(), "survivors.txt")
	for text, want := range map[string]string{
		"# why\na\nb\n\n# why\n# not\nc\n": "",
		"a\n":                              ":1: a has no reason above it",
		"# why\na\n\nb\n":                  ":4: b has no reason above it",
		"# why\na\n\n# other\na\n":         ":5: a stands there twice",
		"# why\na\n# other\nb\n":           ":3: a reason in the middle",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := guards.ReadSurvivors(path)
		switch {
		case want == "" && (err != nil || got["c"] != "why not" || got["a"] != "why"):
			t.Errorf("%q: %v, %v", text, got, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestReasonsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "survivors.txt")
	if err := os.WriteFile(path, []byte("# why\na\n\n# gone\nb\n\n# "+guards.Unexplained+"\nd\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	established := func(key string) string {
		return map[string]string{"a": guards.Redundant, "c": guards.Unexplained, "d": guards.Redundant}[key]
	}
	if err := guards.WriteSurvivors(path, []string{"a", "c", "d"}, established); err != nil {
		t.Fatal(err)
	}
	got, err := guards.ReadSurvivors(path)
	if want := (guards.Survivors{"a": "why", "c": guards.Unexplained, "d": guards.Redundant}); err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}
