package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/verdict"
)

// SwapSchema names the format of a Swap and its major version; its JSON Schema is the definition "swap" in schema.json.
const SwapSchema = "embedcontract/swap/v1"

// Swap is the decision on one pair by itself.
type Swap struct {
	Schema    string            `json:"schema"`
	Tool      map[string]string `json:"tool"`
	Revision  string            `json:"revision"` // of the contract
	Judged    time.Time         `json:"judged"`
	Reference Target            `json:"reference"`
	Candidate Target            `json:"candidate"`
	Decision  verdict.Decision  `json:"decision"`
	Remedies  []Remedy          `json:"remedies"`
}

// ErrNoPair is returned for a report that compares nothing.
var ErrNoPair = errors.New("the report compares no two targets")

// Swap takes the decision on the first pair out of a report.
func (r *Report) Swap() (*Swap, error) {
	if len(r.Pairs) == 0 {
		return nil, ErrNoPair
	}
	p := r.Pairs[0]
	s := &Swap{Schema: SwapSchema, Tool: r.Tool, Revision: r.Revision, Judged: r.Judged, Decision: p.Decision, Remedies: p.Remedies}
	for _, t := range r.Targets {
		switch t.Name {
		case p.Reference:
			s.Reference = t
		case p.Candidate:
			s.Candidate = t
		}
	}
	list(&s.Remedies)
	object(&s.Tool)
	return s, nil
}

// JSON writes the decision as data.
func (s *Swap) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// Terminal writes the decision for people: in words, then clients, index, operations, and what is not known.
func (s *Swap) Terminal(w io.Writer, o TerminalOptions) error {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	out := &screen{width: max(o.Width, leastWidth), colour: o.Colour}
	d := s.Decision
	for _, l := range fold(line(d.Words), out.width) {
		out.line(out.paint(bold(), l))
	}
	for _, t := range []Target{s.Reference, s.Candidate} {
		about := []string{line(t.Model)}
		for _, name := range slices.Sorted(maps.Keys(t.Versions)) {
			about = append(about, words(line(name), line(t.Versions[name])))
		}
		if t.Weights != "" {
			about = append(about, line(string(t.Weights))+" weights")
		}
		if !t.Recorded.IsZero() {
			about = append(about, "recorded "+t.Recorded.UTC().Format(time.DateOnly))
		}
		out.text("", 2, line(t.Name)+": "+strings.Join(about, ", "))
		if t.Label != "" {
			out.text("", 2, line(t.Name)+": "+line(t.Label))
		}
		if t.Problem != "" {
			out.text("", 2, line(t.Name)+": no answers. "+fit(line(t.Problem), textShown))
		}
	}
	s.clients(out, o.Verbose)
	s.index(out)
	out.heading("OPERATIONS", "")
	for _, p := range d.Operations {
		out.item("  "+mark(p.Changes)+" ", words(line(p.Check)+":", line(p.What)))
		if p.Remedy != "" && p.Changes {
			out.text("      ", 2, "do: "+line(p.Remedy))
		}
	}
	if len(d.Operations) == 0 {
		out.text("  ", 2, "nothing that was asked changes")
	}
	out.heading("NOT KNOWN", "")
	for _, k := range d.Unknown {
		out.item("  ? ", line(k.What))
		if k.Command != "" {
			out.text("      ", 2, "settle it: "+line(k.Command))
		}
	}
	if len(d.Unknown) == 0 {
		out.text("  ", 2, "all that this program can ask was asked")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// item writes a text behind a sign, and its further lines below each other.
func (s *screen) item(sign, text string) {
	for i, l := range fold(text, s.width-width(sign)) {
		if i > 0 {
			sign = strings.Repeat(" ", width(sign))
		}
		s.line(sign + l)
	}
}

func mark(changes bool) string {
	if changes {
		return "!"
	}
	return "·"
}

// heading begins a section with its name and its answer.
func (s *screen) heading(name, answer string) {
	s.line("")
	for i, l := range fold(words(pad(name, nameWidth), answer), s.width) {
		if i == 0 {
			l = s.paint(bold(), l)
		}
		s.line(l)
	}
}

func (s *Swap) clients(out *screen, verbose bool) {
	c := s.Decision.Clients
	answers := map[verdict.Answer]string{
		verdict.DropIn:  "nothing needs to change",
		verdict.Changes: fmt.Sprintf("safe with these changes (%d), each verified by running it", len(c.Changes)),
		verdict.NotSafe: "not safe",
		verdict.Unknown: "cannot tell",
	}
	out.heading("CLIENTS", words(answers[c.Answer]))
	for i, ch := range c.Changes {
		silent := ""
		if ch.Silent {
			silent = silentWord + ":"
		}
		out.item(fmt.Sprintf(" %2d. ", i+1), words(silent, line(ch.Do)))
		out.text("       ", 2, "or else: "+some(ch.Why, verbose))
		out.text("       ", 2, "proof: "+line(ch.Proof)+" ("+line(ch.Remedy)+")")
		if verbose {
			out.text("       ", 2, "bridges: "+line(strings.Join(ch.Checks, ", ")))
		}
		for _, other := range ch.Instead {
			out.text("       ", 2, "or: "+line(other)+" (verified as well)")
		}
	}
	for _, b := range c.Breaks {
		silent := ""
		if b.Silent {
			silent = silentWord
		}
		out.item("  ✗ ", words(line(b.Check), line(b.From), "→", line(b.To), silent)+": "+line(b.Why)+"; no change was shown to bridge it")
	}
	for _, f := range c.Failed {
		out.item("  ✗ ", "tried, and does not help: "+line(f.Do)+" ("+line(f.Remedy)+"): "+some(f.Why, verbose))
	}
}

// some is the first of several texts, and how many more there are.
func some(texts []string, all bool) string {
	switch {
	case len(texts) == 0:
		return "–"
	case all:
		return line(strings.Join(texts, "; "))
	case len(texts) == 1:
		return line(texts[0])
	}
	return fmt.Sprintf("%s (and %d more)", line(texts[0]), len(texts)-1)
}

func (s *Swap) index(out *screen) {
	x := s.Decision.Index
	answers := map[verdict.Answer]string{
		verdict.Keep:    "keep it",
		verdict.KeepNot: "keep it, but do not mix documents of both servers in it",
		verdict.ReEmbed: "embed the corpus again",
		verdict.Unknown: "cannot tell",
	}
	out.heading("INDEX", answers[x.Answer])
	for _, b := range x.Breaks {
		silent := ""
		if b.Silent {
			silent = silentWord
		}
		out.item("  ✗ ", words(line(b.Check), silent)+": "+line(b.Why))
	}
	for _, reason := range x.Reasons {
		out.item("  · ", line(reason))
	}
	if x.Bound != "" {
		out.item("  · ", line(x.Bound))
	}
	for _, r := range x.Ranking {
		out.text("  ", 4, "· ranking: "+line(r))
	}
}
