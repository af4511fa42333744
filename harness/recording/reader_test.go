package recording_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/recording"
)

// refusals are all reasons; each error must be exactly one of them.
var refusals = map[string]error{
	"ErrNotRecording": recording.ErrNotRecording, "ErrVersion": recording.ErrVersion, "ErrIncomplete": recording.ErrIncomplete,
	"ErrDigest": recording.ErrDigest, "ErrMalformed": recording.ErrMalformed,
}

func refusedAs(err error) string {
	var names []string
	for name, e := range refusals {
		if errors.Is(err, e) {
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}

// A run that was interrupted anywhere must never read as a whole one.
func TestEveryTruncationIsRefused(t *testing.T) {
	lines, vectors, live := written(t, func(w *recording.Writer) { fill(t, w) })
	header := bytes.IndexByte(lines, '\n') + 1
	checks := 0
	for n := range lines {
		rec, err := recording.Read(lines[:n], vectors)
		want := "ErrIncomplete"
		if n < header {
			want = "ErrNotRecording" // not even the header is there
		}
		if got := refusedAs(err); got != want {
			t.Fatalf("the first %d of %d bytes: %s (%v), want %s", n, len(lines), got, err, want)
		}
		if n < header {
			continue
		}
		if rec == nil || rec.Header.Target.Name != live.Header.Target.Name || !rec.Ended.IsZero() {
			t.Fatalf("the first %d bytes give no prefix: %+v", n, rec)
		}
		if got := len(rec.Checks()); got < checks {
			t.Fatalf("%d bytes hold %d checks, fewer than before", n, got)
		} else {
			checks = got
		}
	}
	if checks != 4 {
		t.Errorf("the longest prefix has %d checks", checks)
	}
}

// The side file is written first, so a crash leaves vectors without their line and never a line without them; a
// side file that is too short was tampered with.
func TestTruncatedVectorsAreRefused(t *testing.T) {
	lines, vectors, _ := written(t, func(w *recording.Writer) { fill(t, w) })
	for n := range vectors {
		if got := refusedAs(second(recording.Read(lines, vectors[:n]))); got != "ErrMalformed" && got != "ErrDigest" {
			t.Errorf("%d of %d bytes of vectors: %q", n, len(vectors), got)
		}
	}
}

func TestRefusals(t *testing.T) {
	lines, vectors, _ := written(t, func(w *recording.Writer) { fill(t, w) })
	parts := bytes.SplitAfter(lines, []byte("\n"))
	parts = parts[:len(parts)-1]
	footer := parts[len(parts)-1]
	replace := func(old, by string) []byte {
		if n := bytes.Count(lines, []byte(old)); n == 0 {
			t.Fatalf("%s is not in the recording", old)
		}
		return bytes.Replace(lines, []byte(old), []byte(by), 1)
	}
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 1
		return b
	}
	without := func(i int) []byte { return bytes.Join(append(append([][]byte{}, parts[:i]...), parts[i+1:]...), nil) }
	insert := func(line string) []byte {
		return bytes.Join([][]byte{parts[0], []byte(line + "\n"), bytes.Join(parts[1:], nil)}, nil)
	}
	for _, c := range []struct {
		name           string
		lines, vectors []byte
		want           string
	}{
		{"as it is", lines, vectors, ""},
		{"no bytes", nil, nil, "ErrNotRecording"},
		{"an empty line", []byte("\n"), nil, "ErrNotRecording"},
		{"a limit that no text has", replace(`"declared":{"model":"m"`, `"declared":{"max_tokens":2000000,"model":"m"`), vectors, "ErrMalformed"},
		{"a plan with less than nothing", replace(`"limit_text":{"words":2}}`, `"limit_text":{"words":2,"pads":-1}}`), vectors, "ErrMalformed"},
		{"text", []byte("hello\nworld\n"), nil, "ErrNotRecording"},
		{"other JSON", []byte("{\"kind\":\"header\"}\n"), nil, "ErrNotRecording"},
		{"the footer alone", footer, nil, "ErrNotRecording"},
		{"another format", replace(`"format":"embedcontract-recording"`, `"format":"another-recording"`), vectors, "ErrNotRecording"},
		{"version 2", replace(`"version":"1.1"`, `"version":"2.0"`), vectors, "ErrVersion"},
		{"version 10", replace(`"version":"1.1"`, `"version":"10.0"`), vectors, "ErrVersion"},
		{"no version", replace(`"version":"1.1"`, `"version":""`), vectors, "ErrVersion"},
		{"a minor version that the digest does not know", replace(`"version":"1.1"`, `"version":"1.9"`), vectors, "ErrDigest"},
		{"a changed status", replace(`"status":200`, `"status":201`), vectors, "ErrDigest"},
		{"a changed header", replace(`"revision":"r"`, `"revision":"s"`), vectors, "ErrDigest"},
		{"a footer that counts otherwise", replace(`"footer":{"lines":`, `"footer":{"lines":1`), vectors, "ErrDigest"},
		{"a footer that counts other vectors", replace(`"floats":`, `"floats":1`), vectors, "ErrDigest"},
		{"a changed vector", lines, flip(vectors, 0), "ErrDigest"},
		{"the last vector changed", lines, flip(vectors, len(vectors)-1), "ErrDigest"},
		{"more vectors", lines, append(bytes.Clone(vectors), 0, 0, 0, 0), "ErrDigest"},
		{"half a float more", lines, append(bytes.Clone(vectors), 0), "ErrDigest"},
		{"no vectors", lines, nil, "ErrMalformed"},
		{"a line less", without(4), vectors, "ErrDigest"},
		{"a line more", insert(`{"kind":"end","check":"c/five"}`), vectors, "ErrDigest"},
		{"no footer", without(len(parts) - 1), vectors, "ErrIncomplete"},
		{"a footer without its newline", lines[:len(lines)-1], vectors, "ErrIncomplete"},
		{"a second footer", append(bytes.Clone(lines), footer...), vectors, "ErrDigest"},
		{"a line after the footer", append(bytes.Clone(lines), parts[1]...), vectors, "ErrDigest"},
		{"an empty line after the footer", append(bytes.Clone(lines), '\n'), vectors, "ErrDigest"},
		{"half a line after the footer", append(bytes.Clone(lines), "{\"kind\""...), vectors, "ErrDigest"},
		{"an empty line", insert(""), vectors, "ErrMalformed"},
		{"not JSON", insert("{"), vectors, "ErrMalformed"},
		{"an unknown kind", insert(`{"kind":"rumour"}`), vectors, "ErrMalformed"},
		{"a second header", insert(strings.TrimSpace(string(parts[0]))), vectors, "ErrMalformed"},
		{"a second plan", insert(strings.TrimSpace(string(parts[1]))), vectors, "ErrMalformed"},
		{"a line of a round that has ended", insert(`{"kind":"end","check":"c/one"}`), vectors, "ErrMalformed"},
		{"the end of another round", insert(`{"kind":"end","check":"c/one","round":7}`), vectors, "ErrDigest"},
		{"a kind without its content", insert(`{"kind":"exchange","check":"c/one"}`), vectors, "ErrMalformed"},
		{"a footer without its content", insert(`{"kind":"footer"}`), vectors, "ErrMalformed"},
		{"a line of no check", insert(`{"kind":"end"}`), vectors, "ErrMalformed"},
		{"a reference beyond the vectors", replace(`"first":0,"n":3`, `"first":0,"n":300`), vectors, "ErrMalformed"},
		{"a reference to before the vectors", replace(`"first":0,"n":3`, `"first":-1,"n":3`), vectors, "ErrMalformed"},
		{"a reference far beyond", replace(`"first":0,"n":3`, `"first":9223372036854775807,"n":3`), vectors, "ErrMalformed"},
		{"a vector of nothing", replace(`"first":0,"n":3`, `"first":0,"n":0`), vectors, "ErrMalformed"},
		{"a vector of less than nothing", replace(`"first":0,"n":3`, `"first":0,"n":-3`), vectors, "ErrMalformed"},
		{"a vector that takes the whole memory", replace(`"first":0,"n":3`, `"first":0,"n":9223372036854775807`), vectors, "ErrMalformed"},
		{"a place that holds no list", replace(`"at":22`, `"at":21`), vectors, "ErrMalformed"},
		{"a place before the body", replace(`"at":22`, `"at":-1`), vectors, "ErrMalformed"},
		{"a place after the body", replace(`"at":22`, `"at":2200`), vectors, "ErrMalformed"},
		{"a place at the end of all numbers", replace(`"at":22`, `"at":9223372036854775807`), vectors, "ErrMalformed"},
	} {
		rec, err := recording.Read(c.lines, c.vectors)
		if got := refusedAs(err); got != c.want {
			t.Errorf("%s: %q (%v), want %q", c.name, got, err, c.want)
		}
		if c.want == "" && (err != nil || rec == nil || rec.Ended.IsZero()) {
			t.Errorf("%s: %v", c.name, err)
		}
		if (c.want == "ErrNotRecording" || c.want == "ErrVersion") && rec != nil {
			t.Errorf("%s: a recording comes with %v", c.name, err)
		}
	}
	if _, err := recording.Read(replace(`"version":"1.1"`, `"version":"2.0"`), vectors); !strings.Contains(err.Error(), "record the target again") {
		t.Errorf("the error of another version does not say what to do: %v", err)
	}
}

// A later minor version may add fields; this reader leaves them alone.
func TestUnknownFieldsAreRead(t *testing.T) {
	lines := `{"kind":"header","format":"embedcontract-recording","version":"1.7","new":{"a":1},"target":{"name":"t"}}` + "\n" +
		`{"kind":"end","check":"c/one","new":[1]}` + "\n"
	rec, err := recording.Read([]byte(lines), nil)
	if refusedAs(err) != "ErrIncomplete" || rec.Header.Target.Name != "t" || !rec.Trails("c/one")[0].Ended {
		t.Errorf("%v, %+v", err, rec)
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Join(dir, "nought")} {
		if rec, err := recording.Open(d); refusedAs(err) != "ErrNotRecording" || rec != nil || !strings.Contains(err.Error(), d) {
			t.Errorf("%s: %v", d, err)
		}
	}
	w, err := recording.Create(dir, header(), "")
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "vectors.f32")); err != nil {
		t.Fatal(err)
	}
	if _, err := recording.Open(dir); refusedAs(err) != "ErrMalformed" || !strings.Contains(err.Error(), dir) {
		t.Errorf("without its vectors: %v", err)
	}
}

// A recording without a single vector may have lost its empty side file on the way, as version control loses it.
func TestOpenWithoutVectors(t *testing.T) {
	dir := t.TempDir()
	w, err := recording.Create(dir, header(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "vectors.f32")); err != nil {
		t.Fatal(err)
	}
	if _, err := recording.Open(dir); err != nil {
		t.Error(err)
	}
}
