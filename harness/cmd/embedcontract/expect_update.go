package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/expect/standing"
	"github.com/embedcontract/embedcontract/harness/report"
)

// linesShown is how many lines are shown of one target without --verbose: about a screen.
const linesShown = 30

// show prints how each target stands to its list: counts, then what is not simply as listed or as promised.
func (h *holder) show(rows []standing.Row) {
	for _, s := range h.sources {
		name := s.Recording.Header.Target.Name
		if s.File == nil {
			fmt.Fprintf(h.out, "%s has no list; it is a reference only\n", name)
			continue
		}
		counts := map[string]int{}
		var lines []string
		for _, r := range rows {
			if r.Source.Recording != s.Recording {
				continue
			}
			counts[string(r.Match.Status)]++
			if r.Match.Overdue && r.Match.Status != expect.Expired {
				counts["overdue"]++
			}
			if l := about(r); l != "" {
				lines = append(lines, l)
			}
		}
		fmt.Fprintf(h.out, "%s, held to %s (%d entries in force%s):\n", name, h.lists[s.File].path, len(s.List.Known), elsewhere(s.List))
		var parts []string
		for _, k := range []string{string(expect.AsPromised), string(expect.AsListed), string(expect.Unexpected), string(expect.Changed), string(expect.Stale),
			string(expect.Expired), "overdue", string(expect.NoVerdict), string(expect.NotAsked), string(expect.Provisional)} {
			if counts[k] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", counts[k], strings.ReplaceAll(k, "-", " ")))
			}
		}
		fmt.Fprintf(h.out, "  %s\n", strings.Join(parts, ", "))
		h.lines(lines)
	}
}

func elsewhere(l *expect.List) string {
	if l.Outside {
		return "; the file is for other versions"
	}
	if n := len(l.Elsewhere); n > 0 {
		return fmt.Sprintf(", %d of other versions", n)
	}
	return ""
}

func (h *holder) lines(all []string) {
	slices.SortStableFunc(all, func(a, b string) int {
		return strings.Compare(strings.SplitN(a, "  ", 2)[0], strings.SplitN(b, "  ", 2)[0])
	})
	for i, l := range all {
		if i == linesShown && !h.verbose {
			fmt.Fprintf(h.out, "  and %d more: ask for all of them with --verbose\n", len(all)-i)
			return
		}
		fmt.Fprintf(h.out, "  %s\n", report.Clean(strings.ReplaceAll(l, "\n", " ")))
	}
}

// about is the line of a row; empty when there is nothing to say.
func about(r standing.Row) string {
	id := r.Check.ID
	if r.Reference != "" {
		id += " in place of " + r.Reference
	}
	listed := ""
	if k := r.Match.Known; k != nil {
		listed = fmt.Sprintf("listed as %s in line %d", k.Variant, k.Line)
	}
	say := func(word, format string, args ...any) string {
		return fmt.Sprintf("%-11s %s: %s", word, id, fmt.Sprintf(format, args...))
	}
	switch r.Match.Status {
	case expect.Unexpected:
		return say("unexpected", "%s, and no entry lists it", r.Cell.Variant())
	case expect.Changed:
		return say("changed", "%s, %s", r.Cell.Variant(), listed)
	case expect.Stale:
		return say("stale", "%s as promised, %s: the entry must go", r.Cell.Variant(), listed)
	case expect.Expired:
		return say("expired", "%s, and nobody has looked again since %s", listed, r.Match.Known.Review)
	case expect.NoVerdict:
		return say("no verdict", "%s: %s", r.Cell.Outcome, r.Cell.Reason)
	case expect.NotAsked:
		if r.Match.Known != nil {
			return say("not asked", "%s: %s", listed, r.Cell.Reason)
		}
	case expect.AsListed:
		if r.Match.Overdue {
			return say("overdue", "%s, to be looked at again by %s", listed, r.Match.Known.Review)
		}
	}
	return ""
}

// update rewrites the files of the lists, all or none, and says what it changed.
func (h *holder) update(rows []standing.Row) error {
	edits, problems := standing.Edits(rows)
	if len(problems) > 0 {
		slices.Sort(problems)
		problems = slices.Compact(problems)
		fmt.Fprintln(h.out, "\nNothing is rewritten, since the recordings do not tell all:")
		h.lines(problems)
		return exitError{exitUnknown, fmt.Errorf("nothing is rewritten: %d reasons, the first: %s", len(problems), problems[0])}
	}
	after := map[*expect.File][]byte{}
	for f, e := range edits {
		text, err := standing.Prove(h.suite, h.sources, f, h.lists[f].data, e, h.today)
		if err != nil {
			return unknown(fmt.Errorf("%s cannot be rewritten: %w", h.lists[f].path, err))
		}
		after[f] = text
	}
	unwritten := 0
	for _, s := range h.sources { // in the order of the recordings
		text, ok := after[s.File]
		if !ok {
			continue
		}
		delete(after, s.File)
		file, e := h.lists[s.File], edits[s.File]
		if bytes.Equal(text, file.data) {
			fmt.Fprintf(h.out, "\n%s: nothing to change\n", file.path)
			continue
		}
		if err := replaceFile(file.path, text); err != nil {
			return unknown(err)
		}
		fmt.Fprintf(h.out, "\n%s", udiff.Unified(file.path, file.path, string(file.data), string(text)))
		h.notes(s.File, e)
		unwritten += len(e.Add)
	}
	if unwritten > 0 {
		fmt.Fprintf(h.out, "\n%d new entries say %s: write why, upstream and review of each; until then the file is refused\n", unwritten, expect.Unwritten)
		return exitOf(exitNo)
	}
	return exitOf(standing.Exit(settled(rows)))
}

// notes says what a person must look at in a file that was rewritten.
func (h *holder) notes(f *expect.File, e expect.Edits) {
	for _, k := range f.Known {
		if v, ok := e.Variants[k.Entry]; ok {
			fmt.Fprintf(h.out, "%s is %s now: does its reason still hold? %s\n", k.Check, v, report.Clean(k.Why))
		}
	}
	if stays := h.unrecorded(f); len(stays) > 0 {
		fmt.Fprintf(h.out, "Extended checks that were not asked for stay as they are listed: %s\n", strings.Join(stays, ", "))
	}
	var others []string
	for _, t := range f.Targets {
		if !slices.ContainsFunc(h.sources, func(s standing.Source) bool { return s.Recording.Header.Target.Name == t }) {
			others = append(others, t)
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(h.out, "It is also the list of %s, which were not looked at.\n", strings.Join(others, ", "))
	}
}

// unrecorded are the listed checks that were asked of no target of a file.
func (h *holder) unrecorded(f *expect.File) []string {
	var out []string
	for _, k := range f.Known {
		c, _ := h.suite.Check(k.Check)
		if c.Extended && !slices.ContainsFunc(h.sources, func(s standing.Source) bool { return s.File == f && len(s.Recording.Trails(k.Check)) > 0 }) {
			out = append(out, k.Check)
		}
	}
	return out
}

// settled are rows once their lists match them; an entry that has expired has done so still.
func settled(rows []standing.Row) []standing.Row {
	out := slices.Clone(rows)
	for i := range out {
		if s := &out[i].Match.Status; *s == expect.Changed || *s == expect.Stale || *s == expect.Unexpected {
			*s = expect.AsListed
		}
	}
	return out
}

// replaceFile writes a file as a whole, or leaves it as it was.
func replaceFile(path string, text []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(text)
	if err == nil {
		err = tmp.Chmod(info.Mode().Perm())
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
