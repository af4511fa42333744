package target

import (
	"strings"
	"testing"
	"time"
)

func TestLineWriter(t *testing.T) {
	t.Parallel()
	j := newJournal("", nil)
	w := j.writer("c", "stderr")
	for _, chunk := range []string{"on", "e\r\ntwo\n\n", "10%\r50%\r100%\n", "\x1b[31mred\x1b[0m\a \xff\n", strings.Repeat("x", maxLine) + "yyy\nlast"} {
		if n, err := w.Write([]byte(chunk)); n != len(chunk) || err != nil {
			t.Fatal(n, err)
		}
	}
	w.flush()
	var got []string
	for _, l := range j.since(time.Time{}) {
		got = append(got, l.Text)
	}
	want := []string{"one", "two", "100%", "red \uFFFD", strings.Repeat("x", maxLine) + "… (3 bytes cut)", "last"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q", got)
	}
}

func TestJournalKeepsAndChooses(t *testing.T) {
	t.Parallel()
	j := newJournal("", nil)
	now := time.Now()
	add := func(c, text string) { j.add(LogLine{Component: c, Text: text, Time: now}) }
	add("quiet", "kept though the other one chatters")
	add("loud", "ERROR the reason")
	for range 50 {
		add("loud", "INFO chatter")
	}
	add("loud", "the end")
	text := j.telling("loud", 3)
	if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) != 3 || !strings.Contains(lines[0], "ERROR the reason") || !strings.Contains(lines[2], "the end") {
		t.Error(text)
	}
	for range 3 * keptLines {
		add("loud", "INFO chatter")
	}
	if n := len(j.since(time.Time{})); n != keptLines+1 {
		t.Error("kept", n, "lines")
	}
	contains(t, j.telling("quiet", 3), "quiet | kept though")
	contains(t, j.telling("silent", 3), "(it printed nothing)")
}
