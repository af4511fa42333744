package report

import (
	"fmt"
	"slices"
)

// lines is the comparison with the baseline in words; nil without one.
func (b *Baseline) lines() []string {
	if b == nil {
		return nil
	}
	if len(b.Differences) == 0 {
		return []string{fmt.Sprintf("All %d cells read as in the recordings in %s, and so do facts and vectors.", b.Compared, line(b.Folder))}
	}
	out := []string{fmt.Sprintf("Differences from the recordings in %s: %d (%d cells compared)", line(b.Folder), len(b.Differences), b.Compared)}
	for _, d := range b.Differences {
		out = append(out, fmt.Sprintf("  %s  %s: %s", line(d.Column), line(d.Check), d.change()))
	}
	return append(out, "If the server was changed on purpose: look at each, then put the new recordings in place of the old.")
}

// change says what reads otherwise.
func (d Difference) change() string {
	s := "was " + line(d.Before) + ", is " + line(d.After)
	if d.Provisional {
		s += " (provisional, not counted)"
	}
	return s
}

// Hold compares with a baseline and lets differences decide the exit code, but for those of provisional checks.
func (r *Report) Hold(b *Baseline) {
	r.Baseline = b
	if slices.ContainsFunc(b.Differences, func(d Difference) bool { return !d.Provisional }) {
		r.Verdict.Expected, r.Verdict.Exit = false, 1
	}
}

// suite has a failing case for each difference, and a passing one when there is none.
func (b *Baseline) suite() junitSuite {
	s := junitSuite{Name: "baseline " + line(b.Folder)}
	class := "baseline " + dotless(b.Folder)
	for _, d := range b.Differences {
		c := junitCase{Name: line(d.Check), Class: class + "." + dotless(d.Column)}
		if d.Provisional {
			c.SystemOut = output(fit(d.change(), textShown))
		} else {
			message := fit(d.change(), textShown)
			c.Failure = &junitMessage{Message: message, Type: "changed", Text: line(d.Check) + ": " + message}
		}
		s.Cases = append(s.Cases, c)
	}
	if len(s.Cases) == 0 {
		s.Cases = append(s.Cases, junitCase{Name: "unchanged", Class: class, SystemOut: output(b.lines()...)})
	}
	return s
}
