package report

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/harness/bounds"
)

// FuzzReadJSON: whatever is read can be shown by each renderer, no control sequence of it reaches a terminal, and what is
// written of it reads the same.
func FuzzReadJSON(f *testing.F) {
	// Small seeds: the whole samples are shown by the other tests, and would slow the search down.
	small := sample()
	small.Behaviours = small.Behaviours[1:2]
	small.Cells = slices.DeleteFunc(small.Cells, func(c Cell) bool { return small.check(c.Check).Level == "" })
	small.Pairs[0].Cells = slices.DeleteFunc(small.Pairs[0].Cells, func(c PairCell) bool { return small.check(c.Check).Level == "" })
	small.Cells[0].Observed, small.Cells[0].Expected.OK = hostile, false
	if _, err := ReadJSON(bytes.NewReader(written(f, small))); err != nil {
		f.Fatal(err)
	}
	f.Add(written(f, small))
	f.Add(written(f, &Report{Schema: Schema}))
	f.Add([]byte(`{"schema":"` + Schema + `","behaviours":[{"checks":[{"id":"a/b"},{"id":""}]}],"targets":[{}],"cells":[{"check":"a/b","outcome":"odd"}],"pairs":[{"cells":[{"check":""}]}]}`))
	for _, s := range []string{"", "null", "[]", "{}", `{"schema":"embedcontract/report/v9"}`, `{"schema":"\ud800"}`, "\ufeff{}", `{"schema":"` + Schema + `"} {}`,
		`{"schema":"` + Schema + `","targets":null,"cells":[{"target":"x"}]}`, `{"schema":"` + Schema + `","verdict":{"outcomes":{"pass":1e400}}}`,
		`{"schema":"` + Schema + `","verdict":{"outcomes":{"pass":-9223372036854775808,"\u001b[2J":9223372036854775807},"exit":99}}`,
		`{"schema":"` + Schema + `","targets":[{"name":"\u001b]0;x","facts":{"dimensions":-1}}],"generated":"0000-00-00"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		bounds.Hold(t, len(data), func() { shown(t, data) })
	})
}

func shown(t *testing.T, data []byte) {
	r, err := ReadJSON(bytes.NewReader(data))
	if err != nil {
		if !strings.HasPrefix(err.Error(), "report: ") || r != nil {
			t.Error(err)
		}
		return
	}
	for _, o := range []TerminalOptions{{}, {Width: 1, Verbose: true}} {
		if strings.ContainsRune(terminal(t, r, o), '\x1b') {
			t.Error("an escape reached the terminal")
		}
	}
	if err := r.Markdown(io.Discard); err != nil {
		t.Error(err)
	}
	junit(t, r)
	again, err := ReadJSON(bytes.NewReader(written(t, r)))
	if err != nil {
		t.Fatalf("what was written cannot be read: %v", err)
	}
	if !bytes.Equal(written(t, again), written(t, r)) {
		t.Error("written twice it differs")
	}
	if d := Differences(r, again); len(d) != 0 {
		t.Errorf("the same report differs: %v", d)
	}
}

// FuzzText: text of a server is harmless where it is shown, and stays within its columns.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", hostile, "서버가 죽었다", "👩‍👩‍👧‍👦 e\u0301", "a\tb\r\nc", "\x1b]8;;x", "\u009b31m", strings.Repeat("\x1b[", 500), "\xe2\x80", strings.Repeat("x", 300), "\u200d\u200d", "<![CDATA[ ]]>"} {
		f.Add(s, 40)
	}
	f.Fuzz(func(t *testing.T, s string, columns int) {
		columns = columns%200 + 1
		if columns < 2 {
			columns = 2
		}
		bounds.Hold(t, len(s), func() {
			c := Clean(s)
			if !utf8.ValidString(c) || Clean(c) != c {
				t.Errorf("%q is clean as %q, and again as %q", s, c, Clean(c))
			}
			for _, r := range c {
				if r != '\n' && r != '\t' && (unicode.IsControl(r) || invisible(r)) {
					t.Errorf("%q is left in %q", r, c)
				}
			}
			if l := line(s); strings.ContainsAny(l, "\n\t") {
				t.Errorf("%q is on one line", l)
			}
			if w := width(fit(line(s), columns)); w > columns {
				t.Errorf("%q takes %d of %d columns", fit(line(s), columns), w, columns)
			}
			for _, part := range fold(line(s), columns) {
				if w := width(part); w > columns {
					t.Errorf("%q takes %d of %d columns", part, w, columns)
				}
			}
			var words strings.Builder
			for _, part := range fold(line(s), columns) {
				words.WriteString(part)
			}
			if strip(words.String()) != strip(line(s)) {
				t.Errorf("%q was folded to %q", line(s), words.String())
			}
		})
	})
}

func strip(s string) string { return strings.Join(strings.Fields(s), "") }
