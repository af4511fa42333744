package strictyaml_test

import (
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/strictyaml"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, text, want string // want: the error, or the number of documents
	}{
		{"one", "a: 1\n", "1"},
		{"none", "# nothing\n", "0"},
		{"two", "a: 1\n---\nb: 2\n", "2"},
		{"brackets of brackets", strings.Repeat("[", 64) + strings.Repeat("]", 64), "1"},
		{"too many of them", strings.Repeat("[", 65) + strings.Repeat("]", 65), "[1:65] more than 64 lists"},
		{"braces", "\n" + strings.Repeat("{a: ", 65), "[2:257] more than 64 lists"},
		{"lists of lists on one line", strings.Repeat("- ", 65), "[1:129] more than 64 lists"},
		{"a long list", strings.Repeat("- [x]\n", 500), "1"},
		{"not YAML", "a: [", "not valid YAML"},
		{"a key twice", "a: 1\na: 2\n", "[2:1] not valid YAML: mapping key \"a\" already defined"},
		{"not UTF-8", "a: 1\nb: \xff\n", "[2:4] the file is not UTF-8"},
		{"too long", strings.Repeat("#", strictyaml.MaxSize+1), "at most 65536 are read"},
	} {
		docs, err := strictyaml.Parse([]byte(c.text))
		got := string(rune('0' + len(docs)))
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"a: [b, {c: d}]\n": "", "a: [&x b]\n": "[1:5]", "a: 1\nb: *x\n": "[2:4]", "a: !!str b\n": "[1:4]", "<<: {a: b}\n": "[1:1]", "? !!str a\n: b\n": "[1:3]",
	} {
		docs, err := strictyaml.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		err = strictyaml.Plain(docs[0])
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want+" anchors, aliases and tags") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
