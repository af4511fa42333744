//go:build unix

package target

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/harness/bounds"
)

// faultOf is the form of each line of an error about a target file.
var faultOf = regexp.MustCompile(`^f\.yaml:([0-9]+:[0-9]+: |.* and [0-9]+ more$| the file has )`)

// FuzzParse: whatever is in a file gives a usable target or an error with positions, and never a crash.
func FuzzParse(f *testing.F) {
	f.Add(goodFile)
	for _, s := range []string{"", "---\n...", "a: &b [*b]", "? [x]\n: y", "components: [{}, 3, null]", "name: !!str x", "<<: {a: 1}", "env: {a: |\n  x\n}", "{", "- a\n- b", "components: [{name: a, runtime: process, command: ['${', '$${']}]",
		strings.Repeat("[", 5000), strings.Repeat("- ", 5000), strings.Repeat("{a: ", 2000), strings.Repeat("a:\n ", 500), "facts: {max_tokens: 2000000000, dimensions: 1e400}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		bounds.Hold(t, len(text), func() { parsed(t, text) })
	})
}

func parsed(t *testing.T, text string) {
	s, err := Parse("f.yaml", []byte(text))
	if err != nil {
		for l := range strings.SplitSeq(err.Error(), "\nf.yaml") {
			if l = "f.yaml" + strings.TrimPrefix(l, "f.yaml"); s != nil || !faultOf.MatchString(l) {
				t.Fatalf("%v, %q", s, l)
			}
		}
		return
	}
	if s.Serving().Name == "" || s.Model == "" || s.ReadyTimeout <= 0 {
		t.Fatalf("%+v", s)
	}
	// As recordings keep it, and are asked whether it is the same server.
	first, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Spec
	if err := json.Unmarshal(first, &back); err != nil {
		t.Fatal(err)
	}
	if second, err := json.Marshal(&back); err != nil || string(first) != string(second) {
		t.Errorf("%s became %s, %v", first, second, err)
	}
}

// FuzzEndpoint: a URL that is accepted is a base to which a path can be added, the same when it is read again, and is
// shown without a password. The same text, as a value of a target file, is expanded as its check promised.
func FuzzEndpoint(f *testing.F) {
	for _, s := range []string{"", "http://", "http://h", "HTTP://H:8000/v1/embeddings/", "https://u:secret@h", "http://[::1]:8000/v1", "http://[fe80::1%25eth0]/", "http://h/%2f/v1", "http://h?x", "http://h#", "http://h:99999", "http://h\x00", "http://\xff/", "ftp://h", "http://h/v1/v1/embeddings/embeddings", "http://é.example/ü", "//h", "http://h/..;/v1"} {
		f.Add(s, "m", "KEY")
	}
	for _, s := range []string{"$", "${", "${}", "$${", "$$${port}", "${port}${port:a}${env:X}${dir}", "${env:}", "${:a}", "${${port}}", "\x00${run}\xff", strings.Repeat("${", 500), strings.Repeat("$", 500) + "{port}"} {
		f.Add(s, "m", "KEY")
	}
	f.Fuzz(func(t *testing.T, raw, model, env string) {
		bounds.Hold(t, len(raw), func() {
			expands(t, raw)
			s, err := Endpoint(raw, model, env)
			if err != nil {
				if u, e := url.Parse(strings.TrimSpace(raw)); e == nil && u.User != nil {
					if p, ok := u.User.Password(); ok && len(p) > 8 && strings.Contains(err.Error(), p) {
						t.Errorf("%q: the password is shown: %v", raw, err)
					}
				}
				return
			}
			base := s.Serving().URL
			again, err := normaliseURL(base)
			u, e := url.Parse(base + "/v1/embeddings")
			if err != nil || e != nil || u.Host == "" || u.RawQuery != "" || u.User != nil || u.Fragment != "" {
				t.Errorf("%q became %q: %v, %v, %+v", raw, base, err, e, u)
			}
			// A path that says /v1 twice loses both, one after the other.
			if !strings.HasPrefix(base, again) {
				t.Errorf("%q became %q and then %q", raw, base, again)
			}
			if !validName(s.Name) {
				t.Errorf("%q is called %q", raw, s.Name)
			}
		})
	})
}

func expands(t *testing.T, text string) {
	checked := checkVariables(text, []string{"a"}, true)
	got, err := expand(text, func(v variable) (string, error) {
		if checked == nil && v.name == "" {
			t.Errorf("%q was accepted with a variable without a name", text)
		}
		return "$", nil // what a value holds is not expanded again
	})
	if checked == nil && err != nil {
		t.Errorf("%q was accepted, and is not expanded: %v", text, err)
	}
	if err == nil && !strings.Contains(text, "${") && got != text {
		t.Errorf("%q became %q", text, got)
	}
	if checked != nil && len(checked.Error()) > 1000+4*len(text) {
		t.Errorf("%q: %d bytes of error", text, len(checked.Error()))
	}
}

// FuzzLogLines: what a server prints is kept in lines that are short, printable and the same however it was cut when it was read.
func FuzzLogLines(f *testing.F) {
	for _, s := range []string{"", "a\nb", "a\r\nb\r", "\x1b[31mred\x1b[0m\n", "\x1b]0;title\x07x\n", "\x1b", "\xff\xfe\n", "10 %\r20 %\r\n", "a\x00b\n\n\n", "\u2028\u202e\n", strings.Repeat("x", 5000) + "\n", "\u009b31m\n"} {
		f.Add([]byte(s), uint16(1))
	}
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		bounds.Hold(t, len(data), func() {
			whole, parts := newJournal("", nil), newJournal("", nil)
			w, p := whole.writer("c", "stdout"), parts.writer("c", "stdout")
			n := min(int(cut), len(data))
			for _, part := range []struct {
				to *lineWriter
				b  []byte
			}{{w, data}, {p, data[:n]}, {p, data[n:]}} {
				if got, err := part.to.Write(part.b); got != len(part.b) || err != nil {
					t.Fatal(got, err)
				}
			}
			w.flush()
			p.flush()
			if len(whole.lines["c"]) != len(parts.lines["c"]) {
				t.Fatalf("%d lines, cut otherwise %d", len(whole.lines["c"]), len(parts.lines["c"]))
			}
			for i, l := range whole.lines["c"] {
				if l.Text != parts.lines["c"][i].Text {
					t.Errorf("%q, cut otherwise %q", l.Text, parts.lines["c"][i].Text)
				}
				if !utf8.ValidString(l.Text) || strings.ContainsFunc(l.Text, unicode.IsControl) || len(l.Text) > 4*maxLine+40 {
					t.Errorf("%d bytes: %q", len(l.Text), l.Text)
				}
			}
			if said := whole.telling("c", shownLines); said == "" {
				t.Error("nothing is said")
			}
		})
	})
}

// FuzzState: what stands in the state of another run, in the label of a container, in the table of processes and in the
// answer of a server that starts is read or refused. A file that is not of the run that it is called after is never taken
// for one: its id becomes a path. What is shown of an answer is short.
func FuzzState(f *testing.F) {
	const id = "20261130T000000-0123456789abcdef"
	for _, s := range []string{"", "null", "{}", `{"id":"../x"}`, `{"id":"ID","ports":[-1,1e400]}`, `{"id":"ID","ports":{"a":70000}}`, `{"ID":"ID","id":"../../x"}`,
		`{"process":{"pid":1},"machine":{}}`, `{"process":{"pid":-1}}`, "1 (a) b) S 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 0", "1 )(", "(", "1 (x) S -1 99999999999999999999"} {
		f.Add([]byte(strings.ReplaceAll(s, "ID", id)))
	}
	for _, s := range []string{`{"data":[{"embedding":[0.1]}]}`, `{"data":[{"embedding":"AAAA"}]}`, `{"data":[{"embedding":[]}]}`, `{"data":null}`, `{"error":{"message":"\u001b[2J"}}`,
		`{"error":"x","message":"\ud800"}`, `{"detail":[1]}`, "\xff", `{"message":" "}`, strings.Repeat(`{"error":`, 300)} {
		f.Add([]byte(s))
	}
	cache := f.TempDir()
	if err := os.MkdirAll(filepath.Join(cache, runsFolder), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		bounds.Hold(t, len(data), func() {
			file := filepath.Join(cache, runsFolder, id+".json")
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			states, err := readRuns(cache)
			if (err == nil) != (len(states) == 1) || err != nil && !strings.Contains(err.Error(), file) {
				t.Errorf("%q: %v, %v", data, states, err)
			}
			for _, st := range states {
				if st.ID != id || !regexp.MustCompile(runIDPattern).MatchString(st.ID) {
					t.Errorf("%q is run %q", data, st.ID)
				}
			}
			portsOfRuns(cache)
			deadOwner(string(data))
			if p, ok := parseStat(1, string(data)); ok && (p.Start == "" || p.PID != 1) {
				t.Errorf("%q is %+v", data, p)
			}
			if hasEmbedding(data) && !json.Valid(data) {
				t.Errorf("%q has an embedding", data)
			}
			said := errorMessage(data)
			if len([]rune(said)) > 161 || !utf8.ValidString(said) || strings.ContainsFunc(said, unicode.IsControl) {
				t.Errorf("%q", said)
			}
		})
	})
}
