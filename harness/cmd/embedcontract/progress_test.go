package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// told is a progress on a clock that the test moves.
type told struct {
	progress
	out   bytes.Buffer
	clock time.Time
}

func tell(columns int) *told {
	p := &told{clock: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)}
	p.w, p.now = &p.out, func() time.Time { return p.clock }
	if columns > 0 {
		p.columns = func() int { return columns }
	}
	p.spoken = p.clock
	return p
}

// pass lets time pass as the ticker would.
func (p *told) pass(d time.Duration) {
	for ; d > 0; d -= time.Second {
		p.clock = p.clock.Add(time.Second)
		p.tick()
	}
}

// course is one target from its start to its end, with a worker that takes its time.
func (p *told) course() {
	p.start("dynamo")
	p.pass(40 * time.Second)
	p.waiting("dynamo", "last answer connection refused")
	p.hear("dynamo", "\x1b[31mLoading weights\x1b[0m")
	p.pass(20 * time.Second)
	p.say("dynamo is ready after 60 s")
	p.ask("dynamo", "dimensions", "dimensions/zero", 0, 2)
	p.pass(3 * time.Second)
	p.ask("dynamo", "lifecycle", "lifecycle/worker-killed", 1, 2)
	p.pass(20 * time.Second)
	p.hear("dynamo", "worker 7 of 9 is back, 한국어 "+strings.Repeat("and so on ", 30))
	p.pass(25 * time.Second)
	p.ask("dynamo", "lifecycle", "lifecycle/worker-killed", 2, 2)
	p.end("dynamo")
}

func TestProgressInLines(t *testing.T) {
	p := tell(0)
	p.course()
	want := `dynamo: getting ready, 30 s
dynamo: getting ready, 60 s, last answer connection refused, its log says: Loading weights
dynamo is ready after 60 s
dynamo: lifecycle, 1 of 2 checks, 30 s; waiting for lifecycle/worker-killed, 27 s, its log says: worker 7 of 9 is back, 한국어 and so on and so on and so on and so on and so on and so on and so on and so on and so on…
dynamo: 2 of 2 checks, 48 s
`
	if got := p.out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// On a terminal one line is written anew, never wider than the terminal, and nothing of it is left behind.
func TestProgressOnATerminal(t *testing.T) {
	const columns = 60
	p := tell(columns)
	p.course()
	out := p.out.String()
	for l := range strings.SplitSeq(out, "\r") {
		for part := range strings.SplitSeq(l, "\n") {
			if ansi.StringWidth(part) >= columns {
				t.Errorf("%d columns: %q", ansi.StringWidth(part), part)
			}
		}
	}
	if strings.Contains(out, "\x1b[31m") {
		t.Error("a server colours the terminal")
	}
	if got, want := screenOf(out), "dynamo is ready after 60 s\ndynamo: 2 of 2 checks, 48 s\n"; got != want {
		t.Errorf("what stays is %q, want %q", got, want)
	}
	for _, want := range []string{"\rdynamo: getting ready, 41 s, last answer connection refuse…" + ansi.EraseLineRight,
		"\rdynamo: dimensions, 0 of 2 checks, 2.0 s" + ansi.EraseLineRight, "\rdynamo: lifecycle, 1 of 2 checks, 11 s; waiting for lifecy…" + ansi.EraseLineRight} {
		if !strings.Contains(out, want) {
			t.Errorf("%q was never drawn in %q", want, out)
		}
	}
}

// screenOf is what a terminal shows in the end of lines that were written anew.
func screenOf(out string) string {
	var shown strings.Builder
	for l := range strings.SplitAfterSeq(out, "\n") {
		drawn := l[strings.LastIndex(l, "\r")+1:]
		shown.WriteString(strings.TrimPrefix(drawn, ansi.EraseLineRight))
	}
	return shown.String()
}

func TestProgressSideBySide(t *testing.T) {
	p := tell(100)
	p.start("a")
	p.start("b")
	p.ask("b", "dimensions", "dimensions/zero", 3, 9)
	p.pass(time.Second)
	if want := "\ra: getting ready, 1.0 s | b: dimensions, 3 of 9 checks, 1.0 s" + ansi.EraseLineRight; !strings.HasSuffix(p.out.String(), want) {
		t.Errorf("%q does not end in %q", p.out.String(), want)
	}
	p.end("a") // it did not start: nothing was asked, nothing is said of checks
	p.end("b") // it was not asked to its end
	if got := screenOf(p.out.String()); got != "" {
		t.Errorf("%q stays", got)
	}
}

// What is no terminal gets lines, and so does whoever wants no colour; a ticker ends when it is told to.
func TestProgressIsPlain(t *testing.T) {
	f, err := os.Create(t.TempDir() + "/stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range []*progress{newProgress(f, "always"), newProgress(&bytes.Buffer{}, "always")} {
		if p.columns != nil {
			t.Error("lines of a file are written anew")
		}
	}
	p := tell(40)
	stop := p.watch()
	p.start("a")
	p.say("b")
	stop()
	n := p.out.Len()
	time.Sleep(2 * redrawn)
	if p.out.Len() != n {
		t.Error("it goes on after its end")
	}
	if got := screenOf(p.out.String()); got != "b\n" {
		t.Errorf("%q stays", got)
	}
}
