package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

func terminal(t *testing.T, r *Report, o TerminalOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Terminal(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTerminalGolden(t *testing.T) {
	golden(t, "terminal.txt", []byte(terminal(t, decided(), TerminalOptions{})))
	golden(t, "terminal-120.txt", []byte(terminal(t, decided(), TerminalOptions{Width: 120})))
	golden(t, "terminal-full.txt", []byte(terminal(t, decided(), TerminalOptions{Full: true})))
	golden(t, "terminal-verbose.txt", []byte(terminal(t, decided(), TerminalOptions{Width: 120, Full: true, Verbose: true})))
}

// matrixOf are the lines of the matrix of all checks.
func matrixOf(out string) []string {
	var rows []string
	for l := range strings.SplitSeq(out, "\n") {
		if strings.ContainsAny(l, "│┼") {
			rows = append(rows, l)
		}
	}
	return rows
}

func TestTerminalIsSafe(t *testing.T) {
	for _, o := range []TerminalOptions{{}, {Full: true}, {Full: true, Verbose: true}} {
		for _, r := range terminal(t, hostileDecision(), o) {
			if r != '\n' && (unicode.IsControl(r) || invisible(r)) {
				t.Fatalf("U+%04X reached the terminal", r)
			}
		}
	}
}

// commands are the lines that are wider than the terminal if need be: folded, they could not be pasted.
func commands(r *Report) []string {
	var all []string
	for _, c := range r.Cells {
		all = append(all, command(c.Reproduce)...)
		for _, e := range c.Evidence {
			all = append(all, command(e.Curl)...)
		}
	}
	for _, p := range r.Pairs {
		for _, c := range p.Cells {
			all = append(all, command(c.Reproduce)...)
		}
	}
	return all
}

func TestTerminalWidth(t *testing.T) {
	reports := map[string]*Report{"sample": decided(), "hostile": hostileDecision(), "large": large(ok("sliced-not-renormalised"))}
	for name, r := range reports {
		pasted := commands(r)
		for _, columns := range []int{60, 80, 100, 120, 200} {
			for _, o := range []TerminalOptions{{Width: columns}, {Width: columns, Full: true, Verbose: true}} {
				for i, l := range strings.Split(terminal(t, r, o), "\n") {
					whole := func(command string) bool { return strings.HasSuffix(l, command) }
					if width(l) > columns && !slices.ContainsFunc(pasted, whole) {
						t.Errorf("%s with %+v: line %d takes %d: %s", name, o, i+1, width(l), l)
					}
				}
			}
		}
	}
}

func TestTerminalRows(t *testing.T) {
	const heads = 3 // two lines of titles and one below them
	r := large(ok("sliced-not-renormalised"))
	r.Baseline = nil
	out := terminal(t, r, TerminalOptions{Width: 100, Full: true})
	if got, want := len(matrixOf(out)), 55+11+heads; got != want {
		t.Errorf("the matrix of 55 checks in 11 behaviours takes %d lines, want %d", got, want)
	}
	if n := strings.Count(out, "\n"); n > 100 {
		t.Errorf("a run as expected takes %d lines", n)
	}
	// Columns stand at the same place in each row.
	at := -1
	for _, l := range matrixOf(out) {
		col := width(l[:strings.LastIndexAny(l, "│┼")])
		if at >= 0 && col != at {
			t.Fatalf("the last column stands at %d and %d: %s", at, col, l)
		}
		at = col
	}
}

// A colour says nothing that the text does not.
func TestTerminalColour(t *testing.T) {
	for _, o := range []TerminalOptions{{}, {Full: true, Verbose: true}} {
		plain := terminal(t, decided(), o)
		o.Colour = true
		colour := terminal(t, decided(), o)
		if !strings.Contains(colour, "\x1b[") {
			t.Error("no colours")
		}
		for l := range strings.SplitSeq(colour, "\n") {
			if (strings.Contains(l, "failed-5xx") && strings.Contains(l, "│") || strings.Contains(l, "✗ ")) && !strings.Contains(l, "\x1b[") && !strings.Contains(l, ", ✗") && !strings.Contains(l, "·") {
				t.Errorf("a failing row has no colour: %s", l)
			}
		}
		a, b := strings.Split(plain, "\n"), strings.Split(ansi.Strip(colour), "\n")
		if len(a) != len(b) {
			t.Fatalf("%d lines plain, %d in colour", len(a), len(b))
		}
		for i := range a {
			if a[i] != strings.TrimRight(b[i], " ") {
				t.Errorf("line %d\n plain %q\ncolour %q", i+1, a[i], b[i])
			}
		}
	}
}

func TestTerminalSaysWhatIsUnexpected(t *testing.T) {
	for _, o := range []TerminalOptions{{Width: 60, Full: true}, {Full: true}, {Width: 160, Full: true}} {
		for _, l := range matrixOf(terminal(t, sample(), o)) {
			unexpected := strings.Contains(l, "✗ failed-5xx") || strings.Contains(l, "✓ string") || strings.Contains(l, "✗ drifted") ||
				strings.Contains(l, "!") || strings.Contains(l, "±") || strings.Contains(l, "?")
			if strings.HasPrefix(l, apart) {
				unexpected = false // whatever a provisional check says
			}
			if unexpected != strings.Contains(l, alarm) {
				t.Errorf("width %d: %q", o.Width, l)
			}
		}
	}
}

// A target that did not start says so once, not in each of its cells.
func TestTerminalFoldsOneReason(t *testing.T) {
	r := large(because("error", "the server did not start: no GPU"))
	out := terminal(t, r, TerminalOptions{})
	if n := strings.Count(out, "no verdict the server did not start: no GPU"); n != 1 {
		t.Errorf("the reason stands %d times", n)
	}
	if !strings.Contains(out, "and 48 more") {
		t.Errorf("the other checks are not counted:\n%s", out[len(out)-600:])
	}
}

func TestTerminalManyTargets(t *testing.T) {
	r := sample()
	for i := range 6 {
		name := fmt.Sprintf("vllm-0.3%d.0-in-place-of-the-legacy-server", i)
		r.Targets = append(r.Targets, Target{Name: name, Kind: "real"})
		r.Cells = append(r.Cells, Cell{Target: name, Check: "dimensions/zero", Judgement: as("changed", "fail", fmt.Sprintf("other-%d", i))})
	}
	out := terminal(t, r, TerminalOptions{Full: true})
	for i := range 6 {
		if strings.Count(out, fmt.Sprintf("✗ other-%d ◄", i)) != 1 {
			t.Errorf("the cell of target %d is not in the matrix", i)
		}
	}
	for _, l := range matrixOf(out) {
		if width(l) > defaultWidth {
			t.Errorf("%d columns: %s", width(l), l)
		}
	}
}

func TestTerminalLoneTarget(t *testing.T) {
	r := sample()
	r.Targets, r.Pairs, r.Reference, r.Verdict.Words = r.Targets[:1], nil, "", nil
	r.Cells = slices.DeleteFunc(r.Cells, func(c Cell) bool { return c.Target != "legacy" })
	for _, full := range []bool{false, true} {
		out := terminal(t, r, TerminalOptions{Full: full})
		if strings.Contains(out, "\nvector_parity") || strings.Contains(out, "ranking") {
			t.Errorf("a pair check without a pair has a row:\n%s", out)
		}
		if strings.Contains(out, "the reference") {
			t.Error("a lone target is no reference")
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain 한국어 e\u0301 👩\u200d🔬":                "plain 한국어 e\u0301 👩\u200d🔬",
		"\x1b[1;31mred\x1b[0m":                      "red",
		"\x1b]0;title\x07text":                      "text",
		"\x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\": "link",
		"\x1b]never ends, must be read":             "never ends, must be read",
		"\x1b\x1b[0m[31mred":                        "[31mred",
		"\u009b31mred\u009d0;t\u009c!":              "red!",
		"a\x00b\x08c\x7fd":                          "abcd",
		"a\rb\u2028c":                               "a\nb\nc",
		"\u202eabc\u2066\ufeff\U000E0041":           "abc",
		"bad \xff\xfe":                              "bad \uFFFD",
		"\x1bcreset":                                "reset",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFold(t *testing.T) {
	for _, tc := range []struct {
		in      string
		columns int
		want    string
	}{
		{"CLIENT-CHANGE on 2026-10-01", 14, "CLIENT-CHANGE/on 2026-10-01"},
		{"한국어 문서", 6, "한국어/문서"},
		{"한국어문서", 4, "한국/어문/서"},
		{"a https://example.org/known", 10, "a/https://ex/ample.org//known"},
		{"", 10, ""},
	} {
		if got := strings.Join(fold(tc.in, tc.columns), "/"); got != tc.want {
			t.Errorf("fold(%q, %d) = %q, want %q", tc.in, tc.columns, got, tc.want)
		}
	}
}

func TestEntryFit(t *testing.T) {
	e := entry{sign: "✗", text: "sliced-not-renormalised", effect: "INDEX-BREAK SILENT", status: "unexpected"}
	for columns, want := range map[int]string{
		80: "✗ sliced-not-renormalised INDEX-BREAK SILENT ◄ unexpected",
		46: "✗ sliced-not-renormalised INDEX-BREAK SILENT ◄",
		32: "✗ sliced-n… INDEX-BREAK SILENT ◄",
	} {
		if got := e.fit(columns); got != want || width(got) > columns {
			t.Errorf("fit(%d) = %q, want %q", columns, got, want)
		}
	}
}
