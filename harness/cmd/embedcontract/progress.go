package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/embedcontract/embedcontract/harness/report"
)

const (
	// redrawn is how often the last line of a terminal is written anew: often enough that seconds can be seen to pass.
	redrawn = 250 * time.Millisecond
	// lineEvery is how often a line is written where nothing can be rewritten: a log of hours stays readable.
	lineEvery = 30 * time.Second
	// patience is how long a check may take until it is told what is waited for.
	patience = 5 * time.Second
	// heardShown is how much of a line of a server's log is shown, in columns.
	heardShown = 120
)

// progress tells on stderr what a run is doing: the target, the behaviour, how many checks of how many, how long that
// has taken, and what it waits for. On a terminal that is one line, written again and again; elsewhere it is a line now
// and then. Its methods may be called from several goroutines.
type progress struct {
	w       io.Writer
	now     func() time.Time
	columns func() int // of the terminal; nil where lines cannot be rewritten

	mu     sync.Mutex
	asked  []*busy // the targets that are busy, in the order of their starts
	drawn  bool    // the last line is to be rewritten
	spoken time.Time
}

// busy is a target that is being started or asked.
type busy struct {
	name         string
	stem, check  string // empty while it starts
	done, of     int    // checks
	began, since time.Time
	waits        string // why it does not go on, as the target's start says
	heard        string // the last line of its log
	heardAt      time.Time
}

// newProgress writes to w, which is a terminal or not.
func newProgress(w io.Writer, colour string) *progress {
	p := &progress{w: w, now: time.Now}
	f, ok := w.(*os.File)
	if ok && term.IsTerminal(f.Fd()) && colour != "never" && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		p.columns = func() int {
			columns, _, err := term.GetSize(f.Fd())
			if err != nil || columns < 2 {
				return defaultWidth
			}
			return columns
		}
	}
	p.spoken = p.now()
	return p
}

// watch begins to tell how time passes; what it returns ends that, and leaves no line that is half of something.
func (p *progress) watch() (stop func()) {
	every := time.Second
	if p.columns != nil {
		every = redrawn
	}
	ticker, done, ended := time.NewTicker(every), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticker.C:
				p.tick()
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
		<-ended
		p.mu.Lock()
		defer p.mu.Unlock()
		p.erase()
	}
}

// say writes a line that stays.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.write(text)
	p.draw()
}

// start says that a target is being started.
func (p *progress) start(target string) {
	p.change(target, func(a *busy) { a.began, a.since = p.now(), p.now() })
}

// ask says which check a target is asked, after how many of how many.
func (p *progress) ask(target, stem, check string, done, of int) {
	p.change(target, func(a *busy) {
		if a.of == 0 {
			a.began = p.now() // of the time in which it is asked
		}
		a.stem, a.check, a.done, a.of, a.since, a.waits = stem, check, done, of, p.now(), ""
	})
}

// waiting says what a target does in place of being ready.
func (p *progress) waiting(target, text string) {
	p.change(target, func(a *busy) { a.waits = text })
}

// hear is told each line that a target prints.
func (p *progress) hear(target, text string) {
	p.change(target, func(a *busy) { a.heard, a.heardAt = text, p.now() })
}

// end says that a target is asked nothing more, and how long it took.
func (p *progress) end(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	for i, a := range p.asked {
		if a.name == target {
			if a.of > 0 && a.done == a.of {
				p.write(fmt.Sprintf("%s: %d of %d checks, %s", target, a.done, a.of, elapsed(p.now().Sub(a.began))))
			}
			p.asked = append(p.asked[:i:i], p.asked[i+1:]...)
			break
		}
	}
	p.draw()
}

// change finds the target, or adds it.
func (p *progress) change(target string, to func(*busy)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.asked {
		if a.name == target {
			to(a)
			return
		}
	}
	a := &busy{name: target, began: p.now(), since: p.now()}
	to(a)
	p.asked = append(p.asked, a)
}

// tick tells how time has passed.
func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.columns != nil {
		p.draw()
		return
	}
	if p.now().Sub(p.spoken) < lineEvery {
		return
	}
	for _, a := range p.asked {
		p.write(a.describe(p.now()))
	}
}

// write writes a line that stays. Some of it was said by servers.
func (p *progress) write(text string) {
	p.spoken = p.now()
	fmt.Fprintln(p.w, report.Clean(text))
}

// draw writes the line that will be written anew.
func (p *progress) draw() {
	if p.columns == nil || len(p.asked) == 0 {
		return
	}
	var all []string
	for _, a := range p.asked {
		all = append(all, a.describe(p.now()))
	}
	text := strings.Join(strings.Fields(report.Clean(strings.Join(all, " | "))), " ")
	// The last column stays free: a terminal may begin a new line behind it.
	fmt.Fprint(p.w, "\r"+ansi.Truncate(text, p.columns()-1, "…")+ansi.EraseLineRight)
	p.drawn = true
}

// erase takes back the line that was drawn.
func (p *progress) erase() {
	if p.drawn {
		fmt.Fprint(p.w, "\r"+ansi.EraseLineRight)
		p.drawn = false
	}
}

// describe is what a target is doing, and what it is waited for.
func (a *busy) describe(now time.Time) string {
	waited := now.Sub(a.since)
	var s string
	if a.of == 0 {
		s = fmt.Sprintf("%s: getting ready, %s", a.name, elapsed(waited))
	} else {
		s = fmt.Sprintf("%s: %s, %d of %d checks, %s", a.name, a.stem, a.done, a.of, elapsed(now.Sub(a.began)))
		if waited < patience {
			return s
		}
		s += fmt.Sprintf("; waiting for %s, %s", a.check, elapsed(waited))
	}
	if a.waits != "" {
		s += ", " + a.waits
	}
	if a.heard != "" && !a.heardAt.Before(a.since) { // what it said before explains nothing
		s += ", its log says: " + ansi.Truncate(report.Clean(a.heard), heardShown, "…")
	}
	return s
}

// elapsed is a time that is read at a glance.
func elapsed(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 10*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min", int(d.Minutes()))
}
