package report

import (
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/verdict"
)

// wholeColumns compares what is said of a target or a pair as a whole.
func (r *Report) wholeColumns(s *Since, before *Report, targets map[cellKey]bool) {
	for _, t := range r.Targets {
		i := slices.IndexFunc(before.Targets, func(b Target) bool { return b.Name == t.Name })
		if i < 0 || t.Problem != "" {
			continue
		}
		if was, is := before.Targets[i].factLine(), t.factLine(); was != is {
			s.New = append(s.New, Turn{Column: t.Name, Check: "facts", Kind: turnChanged, Before: was, After: is})
		}
	}
	clients := []verdict.Answer{verdict.DropIn, verdict.Changes, verdict.NotSafe, verdict.Unknown}
	index := []verdict.Answer{verdict.Keep, verdict.KeepNot, verdict.ReEmbed, verdict.Unknown}
	for _, p := range r.Pairs {
		i := slices.IndexFunc(before.Pairs, func(b Pair) bool { return b.column() == p.column() })
		if i < 0 {
			continue
		}
		was, is := before.Pairs[i].Decision, p.Decision
		for _, d := range []struct {
			what    string
			was, is verdict.Answer
			order   []verdict.Answer
		}{{"clients", was.Clients.Answer, is.Clients.Answer, clients}, {"index", was.Index.Answer, is.Index.Answer, index}} {
			a, b := slices.Index(d.order, d.was), slices.Index(d.order, d.is)
			t := Turn{Column: p.column(), Check: d.what, Before: string(d.was), After: string(d.is)}
			switch {
			case a < 0 || b < 0 || a == b: // a report from before there were decisions has none
			case b > a, d.was == verdict.Unknown && (d.is == verdict.NotSafe || d.is == verdict.ReEmbed): // to be told no is no progress
				t.Kind = turnWorse
				s.New = append(s.New, t)
			default:
				t.Kind = turnBetter
				s.Gone = append(s.Gone, t)
			}
		}
		for _, f := range is.Clients.Failed {
			same := func(c verdict.Change) bool { return c.Remedy == f.Remedy }
			if !slices.ContainsFunc(was.Clients.Failed, same) && slices.ContainsFunc(was.Clients.Changes, same) {
				s.New = append(s.New, Turn{Column: p.column(), Check: f.Remedy, Kind: turnWorse, Before: "verified", After: "failed", Observed: strings.Join(f.Why, "; ")})
			}
		}
		for _, x := range is.Clients.Breaks {
			same := func(b verdict.Break) bool { return b.Check == x.Check }
			told := targets[cellKey{p.Candidate, x.Check}] || targets[cellKey{p.Reference, x.Check}] || targets[cellKey{p.column(), x.Check}]
			if !told && was.Answer != "" && !slices.ContainsFunc(was.Clients.Breaks, same) {
				s.New = append(s.New, Turn{Column: p.column(), Check: x.Check, Kind: turnWorse, Before: "bridged", After: "no remedy", Observed: x.Why})
			}
		}
	}
}
