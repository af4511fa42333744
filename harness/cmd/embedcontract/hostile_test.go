package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/fixtures/emulator"
	"github.com/embedcontract/embedcontract/fixtures/hostile"
)

// What a server may say to whoever reads of it: colours, a title, the clipboard, a line turned around, a column more, the
// end of an element, and a line that is far longer than others.
const (
	injection = "\x1b[31mred\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x07\u009b2J\r\nsecond line | a column\u202eturned\u2066\u200b\x7f\ufffe</testcase>]]><script>`x`"
	marker    = "second line"
)

// talker is honest but for its texts. It serves one model, and lists another.
func talker(t *testing.T, served, listed string) http.Handler {
	t.Helper()
	p, err := emulator.Named("honest")
	if err == nil {
		p, err = p.With(fmt.Appendf(nil, `model: {name: %q, native: 320, limit: 192}`, served))
	}
	if err != nil {
		t.Fatal(err)
	}
	honest, err := emulator.New(p)
	if err != nil {
		t.Fatal(err)
	}
	said, err := json.Marshal(strings.Repeat(injection, 3) + strings.Repeat("long ", 4_000))
	if err != nil {
		t.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/models") {
			name, _ := json.Marshal(listed)
			_, _ = fmt.Fprintf(w, `{"object":"list","data":[{"id":%s,"object":"model","owned_by":%s}]}`, name, said)
			return
		}
		kept := &plainAnswer{header: http.Header{}}
		honest.ServeHTTP(kept, r)
		w.Header().Set("X-Request-Id", "\u202e\u009b31m"+marker)
		w.Header().Set("Content-Type", "application/json")
		if kept.status < 400 {
			_, _ = w.Write([]byte(strings.Replace(string(kept.body), `"model":`, `"said":`+string(said)+`,"model":`, 1)))
			return
		}
		w.WriteHeader(kept.status + 100) // a fault of the server, as it says: a finding in each check
		_, _ = w.Write([]byte(injection))
		_, _ = w.Write(said)
	})
}

// plainAnswer keeps an answer.
type plainAnswer struct {
	header http.Header
	status int
	body   []byte
}

func (q *plainAnswer) Header() http.Header { return q.header }
func (q *plainAnswer) WriteHeader(s int)   { q.status = s }
func (q *plainAnswer) Write(b []byte) (int, error) {
	q.body = append(q.body, b...)
	return len(b), nil
}

// harmless fails for text that acts on a terminal, or that is no text.
func harmless(t *testing.T, name, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s is not UTF-8", name)
	}
	for i, r := range text {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200b || r == 0xfffe {
			t.Errorf("%s holds %U at %d: %q", name, r, i, text[max(0, i-40):min(len(text), i+40)])
			return
		}
	}
}

// serveHostile starts a server, and returns its URL.
func serveHostile(t *testing.T, honest http.Handler, when hostile.When, a hostile.Answer) string {
	t.Helper()
	s, err := hostile.Serve(honest, when, a, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return "http://" + s.Addr()
}

const servedModel = "text-embedding-test"

func never(*http.Request, *hostile.Honest, int64) bool { return false }

func TestWhatServersSayIsHarmless(t *testing.T) {
	t.Parallel()
	url := serveHostile(t, talker(t, servedModel, servedModel), never, hostile.Old())
	out := filepath.Join(t.TempDir(), "out")
	code, stdout, stderr := command(t, "run", "--url", url, "--out", out, "-v", "--max-tokens", "192")
	if code != exitNo {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	harmless(t, "the terminal", stdout)
	harmless(t, "the progress", stderr)
	if !strings.Contains(stdout, marker) {
		t.Error("the terminal shows nothing that the server said")
	}
	widest := 0
	for l := range strings.SplitSeq(stdout, "\n") {
		widest = max(widest, len([]rune(l)))
	}
	if widest > 4200 { // a command is cut where it can no longer be pasted, all else is folded
		t.Errorf("a line has %d characters", widest)
	}
	for _, name := range []string{"report.html", "report.json", "report.md", "junit.xml"} {
		text := read(t, filepath.Join(out, name))
		harmless(t, name, text)
		if most := map[bool]int{true: 2 << 20, false: 1 << 20}[name == "report.html"]; len(text) > most {
			t.Errorf("%s has %d bytes", name, len(text))
		}
		if !strings.Contains(text, marker) {
			t.Errorf("%s holds nothing that the server said", name)
		}
	}
	if !json.Valid([]byte(read(t, filepath.Join(out, "report.json")))) {
		t.Error("report.json is no JSON")
	}
	for d := xml.NewDecoder(strings.NewReader(read(t, filepath.Join(out, "junit.xml")))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("junit.xml: %v", err)
		}
	}
	markdown := read(t, filepath.Join(out, "report.md"))
	columns := 0
	for l := range strings.SplitSeq(markdown, "\n") {
		if !strings.HasPrefix(l, "|") {
			continue
		}
		if n := strings.Count(l, "|"); columns == 0 {
			columns = n
		} else if n != columns {
			t.Errorf("a row of the table has %d bars, others %d: %s", n, columns, l)
		}
	}
	if columns == 0 || strings.Contains(markdown, "<script>") {
		t.Errorf("%d columns, or an element of the server's", columns)
	}
}

// A name on the list of models becomes part of a command that users paste.
func TestNamesOfModelsAreHarmless(t *testing.T) {
	for name, c := range map[string]struct {
		served, listed, want string
		code                 int
	}{
		"a command":   {`m; echo $(id) 'x'`, `m; echo $(id) 'x'`, `--model 'm; echo $(id) '\''x'\'''`, exitNo},
		"control":     {servedModel, injection, "lists first what is no name of a model", exitUnknown},
		"an endless":  {servedModel, strings.Repeat("m", 1<<20), "lists first what is no name of a model (1048576 bytes", exitUnknown},
		"of one line": {"org/model:tag", "org/model:tag", "--model org/model:tag", exitNo},
	} {
		t.Run(name, func(t *testing.T) {
			url := serveHostile(t, talker(t, c.served, c.listed), never, hostile.Old())
			code, stdout, stderr := command(t, "run", "--url", url, "-v", "--focus", "^status_codes/missing-input$", "--max-tokens", "192", "--width", "400")
			if code != c.code {
				t.Errorf("exit code %d", code)
			}
			harmless(t, "the terminal", stdout)
			harmless(t, "the errors", stderr)
			wantIn(t, stdout+stderr, c.want)
			if len(stdout)+len(stderr) > 100_000 {
				t.Errorf("%d bytes are shown", len(stdout)+len(stderr))
			}
		})
	}
}

func TestWordsOfCommands(t *testing.T) {
	for in, want := range map[string]string{
		"org/model:tag-1.0@x": "org/model:tag-1.0@x",
		"":                    "''",
		"m; id":               "'m; id'",
		"$(id)":               "'$(id)'",
		"it's":                `'it'\''s'`,
		"a\nb":                "'a\nb'",
		"~":                   "'~'",
	} {
		if got := shellWord(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
