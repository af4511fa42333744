package report

import "fmt"

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
		out = append(out, fmt.Sprintf("  %s  %s: was %s, is %s", line(d.Column), line(d.Check), line(d.Before), line(d.After)))
	}
	return append(out, "If the server was changed on purpose: look at each, then put the new recordings in place of the old.")
}

// Hold compares with a baseline and lets differences decide the exit code.
func (r *Report) Hold(b *Baseline) {
	r.Baseline = b
	if len(b.Differences) > 0 {
		r.Verdict.Expected, r.Verdict.Exit = false, 1
	}
}

// suite has a failing case for each difference, and a passing one when there is none.
func (b *Baseline) suite() junitSuite {
	s := junitSuite{Name: "baseline " + line(b.Folder)}
	for _, d := range b.Differences {
		s.Cases = append(s.Cases, junitCase{Name: line(d.Check), Class: line(d.Column),
			Failure: &junitMessage{Message: fit("was "+line(d.Before)+", is "+line(d.After), textShown), Type: "changed"}})
	}
	if len(s.Cases) == 0 {
		s.Cases = append(s.Cases, junitCase{Name: "unchanged", Class: "baseline", SystemOut: output(b.lines()...)})
	}
	return s
}
