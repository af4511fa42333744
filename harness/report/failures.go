package report

import (
	"fmt"
	"slices"
	"strings"
)

// failureLines is how many lines of failures are written unless all were asked for: a screen. The first is written
// in any case.
const failureLines = 40

// details writes a block for each cell, at the end, where a terminal stands when the command is done.
func (s *screen) details(all []detail, verbose bool) {
	written := 0
	for i, d := range all {
		block := screen{width: s.width, colour: s.colour}
		if !verbose {
			columns := s.width - nameWidth - 3
			if s.full { // fewer fields, and each as a renderer shows it
				columns = textShown
			}
			d = d.short(columns)
		}
		block.detail(d)
		written += strings.Count(block.String(), "\n")
		if i > 0 && written > failureLines && !verbose && !s.full {
			s.line("")
			var ids []string
			for _, d := range all[i:] {
				if id := line(d.check.ID); !slices.Contains(ids, id) {
					ids = append(ids, id)
				}
			}
			more := fmt.Sprintf("%d more: ", len(all)-i)
			s.line(more + fit(fitting(ids, s.width-width(more)), s.width-width(more)))
			s.text("", 0, "See -v for all of them with the evidence, or --report for a file that holds everything.")
			return
		}
		s.WriteString(block.String())
	}
}

// short keeps what somebody needs to decide what to do: what was promised and what came, who breaks, what helps, and
// the command that asks it again. A text of a server gets two lines of the given columns.
func (d detail) short(columns int) detail {
	kept := []string{"promise", "answers", "expected", "observed", "no verdict", "breaks", "remedy", "verified", "failed", "untried", "log", "change", "because", "reproduce"}
	var fields []field
	verified := slices.ContainsFunc(d.fields, func(f field) bool { return f.name == "verified" })
	for _, f := range d.fields {
		if !slices.Contains(kept, f.name) || f.name == "remedy" && verified {
			continue
		}
		if f.server {
			f.text = fitted(f.text, 2*columns-columns/4) // the lines break at spaces
			if n := len(f.raw); n > 0 {
				f.raw = []string{fit(f.raw[n-1], columns)} // the last line of a log
			}
		}
		fields = append(fields, f)
	}
	d.fields = fields
	return d
}

// fitted is fit of a text that may be missing.
func fitted(s string, columns int) string {
	if s == "" {
		return ""
	}
	return fit(s, columns)
}

// detail writes one block: the cell, then a line for each thing known of it.
func (s *screen) detail(d detail) {
	s.line("")
	for i, l := range fold(d.head(), s.width-2) {
		if i > 0 {
			l = "  " + l
		}
		s.line(s.paint(d.entry.style().Bold(true), l))
	}
	if len(d.also) > 0 {
		s.field(field{name: "also", text: d.others()})
	}
	for _, f := range d.fields {
		s.field(f)
	}
}

func (s *screen) field(f field) {
	name, blank := s.paint(faint(), pad(f.name, nameWidth)), pad("", nameWidth)
	body := f.raw // commands keep their lines, to be copied
	if f.text != "" {
		body = fold(f.text, s.width-nameWidth-3)
	} else if f.server {
		body = nil
		for _, l := range f.raw {
			body = append(body, fold(l, s.width-nameWidth-3)...)
		}
	}
	for _, l := range body {
		s.line("  " + name + " " + l)
		name = blank
	}
}
