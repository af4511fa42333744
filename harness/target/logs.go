package target

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// keptLines is how many log lines are kept of each component; a chatty one cannot displace another's.
	keptLines = 5000
	// maxLine is the length in bytes at which a log line is cut. Servers print whole requests.
	maxLine = 4096
	// shownLines is how many lines of each component an error shows.
	shownLines = 20
)

// LogLine is one line that a component printed.
type LogLine struct {
	Component string    `json:"component"`
	Stream    string    `json:"stream"` // stdout, stderr; server for an embedded one
	Time      time.Time `json:"time"`   // when it was read
	Text      string    `json:"text"`   // without control characters; cut at 4096 bytes
}

// journal keeps the last lines of every component.
type journal struct {
	dir   string        // folder for whole logs; empty for none
	heard func(LogLine) // is told each line; may be nil
	mu    sync.Mutex
	lines map[string][]LogLine
	files map[string]*os.File
}

func newJournal(dir string, heard func(LogLine)) *journal {
	return &journal{dir: dir, heard: heard, lines: map[string][]LogLine{}, files: map[string]*os.File{}}
}

// open begins the log file of a component. A target that is started again adds to it.
func (j *journal) open(component string) error {
	if j.dir == "" {
		return nil
	}
	if err := os.MkdirAll(j.dir, 0o755); err != nil {
		return fmt.Errorf("log folder: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(j.dir, component+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("log file of %s: %w", component, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.files[component] = f
	return nil
}

func (j *journal) close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var errs []error
	for _, f := range j.files {
		errs = append(errs, f.Close())
	}
	clear(j.files)
	return errors.Join(errs...)
}

func (j *journal) add(l LogLine) {
	if j.heard != nil {
		j.heard(l)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	lines := append(j.lines[l.Component], l)
	if len(lines) >= 2*keptLines {
		lines = slices.Clone(lines[len(lines)-keptLines:])
	}
	j.lines[l.Component] = lines
	if f := j.files[l.Component]; f != nil {
		// A full disk must not stop the server that is being watched; the lines are kept in memory as well.
		_, _ = fmt.Fprintln(f, l.Text)
	}
}

// since returns the kept lines that were read at or after t, oldest first.
func (j *journal) since(t time.Time) []LogLine {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []LogLine
	for _, lines := range j.lines {
		for _, l := range lines[max(0, len(lines)-keptLines):] {
			if !l.Time.Before(t) {
				out = append(out, l)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b LogLine) int { return a.Time.Compare(b.Time) })
	return out
}

// telling renders the lines of a component that explain best why it failed: the last n that speak of an
// error, and where there are fewer, the last others.
func (j *journal) telling(component string, n int) string {
	j.mu.Lock()
	lines := slices.Clone(j.lines[component])
	j.mu.Unlock()
	chosen := map[int]bool{}
	for _, wanted := range []bool{true, false} {
		for i := len(lines) - 1; i >= 0 && len(chosen) < n; i-- {
			if !chosen[i] && (!wanted || speaksOfError(lines[i].Text)) {
				chosen[i] = true
			}
		}
	}
	var b strings.Builder
	for i, l := range lines {
		if chosen[i] {
			fmt.Fprintf(&b, "\n  %s | %s", component, l.Text)
		}
	}
	if b.Len() == 0 {
		return fmt.Sprintf("\n  %s | (it printed nothing)", component)
	}
	return b.String()
}

func speaksOfError(text string) bool {
	t := strings.ToLower(text)
	for _, word := range []string{"error", "traceback", "exception", "fatal", "panic", "critical", "failed", "address already in use", "out of memory"} {
		if strings.Contains(t, word) {
			return true
		}
	}
	return false
}

// writer returns a writer that keeps what is written to it as lines of a component. It is for one goroutine.
func (j *journal) writer(component, stream string) *lineWriter {
	return &lineWriter{journal: j, component: component, stream: stream}
}

type lineWriter struct {
	journal           *journal
	component, stream string
	buf               bytes.Buffer
	dropped           int  // bytes of this line beyond maxLine
	returned          bool // the last byte was a carriage return
}

func (w *lineWriter) Write(p []byte) (int, error) {
	for _, c := range p {
		switch {
		case c == '\n':
			w.flush()
			continue
		case w.returned: // a progress bar draws its line again: only the last drawing counts
			w.buf.Reset()
			w.dropped = 0
		}
		w.returned = c == '\r'
		switch {
		case w.returned:
		case w.buf.Len() < maxLine:
			w.buf.WriteByte(c)
		default:
			w.dropped++
		}
	}
	return len(p), nil
}

// flush ends the line. Empty lines are not kept.
func (w *lineWriter) flush() {
	text := plain(w.buf.String())
	if w.dropped > 0 {
		text += fmt.Sprintf("… (%d bytes cut)", w.dropped)
	}
	w.buf.Reset()
	w.dropped, w.returned = 0, false
	if text != "" {
		w.journal.add(LogLine{Component: w.component, Stream: w.stream, Time: time.Now(), Text: text})
	}
}

// plain removes terminal escapes and control characters: lines are shown on terminals and in reports.
func plain(s string) string {
	var b strings.Builder
	escape := 0 // 1 after ESC, 2 inside a control sequence
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == 0x1b:
			escape = 1
		case escape == 1:
			escape = 0
			if r == '[' {
				escape = 2
			}
		case escape == 2:
			if r >= 0x40 && r <= 0x7e {
				escape = 0
			}
		case r == '\t':
			b.WriteString("    ")
		case r < 0x20 || (r >= 0x7f && r < 0xa0):
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimRight(b.String(), " ")
}
