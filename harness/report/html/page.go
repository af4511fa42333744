package html

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/report"
)

// maker makes the parts of a page.
type maker struct {
	r    *report.Report
	ids  *identifiers
	look lookup
}

func newPage(r *report.Report) page {
	m := &maker{r: r, ids: newIdentifiers(), look: newLookup(r)}
	m.nameChecks()
	p := page{Title: "embedcontract", Head: m.head(), Made: m.made()}
	p.Targets = p.Head.Targets
	for i, pair := range r.Pairs {
		d := m.decision(pair)
		d.Open = len(r.Pairs) <= openDecisions || i == 0
		p.Decisions = append(p.Decisions, d)
	}
	switch len(r.Pairs) {
	case 0:
		if len(r.Targets) > 0 {
			p.Title = p.Head.Targets[0].Called()
		}
	case 1:
		p.Title = m.called(r.Pairs[0].Candidate) + " in place of " + m.called(r.Pairs[0].Reference)
	default:
		p.Title = plural(len(r.Pairs), "server", "servers") + " in place of " + m.called(r.Reference)
	}
	p.Matrix = m.matrix()
	p.Evidence = m.evidence()
	p.Filters = filters(p.Matrix)
	p.Plots, p.Scatters, p.Releases = m.plots(), m.scatters(), m.releases()
	p.Baseline, p.Since = m.baseline(), m.since()
	return p
}

// openDecisions is how many verdicts are shown in full at once; of more, the first is.
const openDecisions = 3

func (m *maker) head() head {
	r := m.r
	h := head{OK: r.Verdict.Exit == 0, Judged: day(r.Judged), Revision: r.Revision}
	if len(r.Pairs) == 0 {
		h.Words = r.Verdict.Words
	}
	switch r.Verdict.Exit {
	case 0:
		h.State = "Nothing unexpected"
	case 1:
		h.State = "Not as expected"
	case 3:
		h.State = "Cannot tell"
	case 5:
		h.State = "Nothing was executed"
	default:
		h.State = fmt.Sprintf("Exit code %d", r.Verdict.Exit)
	}
	for _, t := range r.Targets {
		h.Targets = append(h.Targets, m.target(t))
	}
	for _, c := range r.Cells {
		if c.Expected.Status == "as-listed" {
			h.Listed++
		}
	}
	for _, p := range r.Pairs {
		for _, c := range p.Cells {
			if c.Outcome != "" && c.Expected.Status == "as-listed" {
				h.Listed++
			}
		}
	}
	return h
}

func (m *maker) named(name string) target {
	for _, t := range m.r.Targets {
		if t.Name == name {
			return m.target(t)
		}
	}
	return target{Name: name}
}

func (m *maker) target(t report.Target) target {
	out := target{Name: t.Name, Kind: t.Kind, Label: t.Label, Problem: t.Problem, Reference: t.Name == m.r.Reference}
	add := func(name, text string) {
		if text != "" {
			out.Facts = append(out.Facts, fact{name, text})
		}
	}
	add("what it is", t.Title)
	add("said of it", t.Label)
	add("model", t.Model)
	add("weights", t.Weights)
	add("versions", pairs(t.Versions))
	if t.Facts.Dimensions > 0 {
		add("dimensions", fmt.Sprintf("%d%s", t.Facts.Dimensions, source(t.Facts.Source["dimensions"])))
	}
	if t.Facts.MaxTokens > 0 {
		add("token limit", fmt.Sprintf("%d%s", t.Facts.MaxTokens, source(t.Facts.Source["max_tokens"])))
	}
	add("usage counts", t.Facts.Usage)
	if !t.Recorded.IsZero() {
		add("recorded", t.Recorded.UTC().Format(time.DateTime)+" UTC")
	}
	add("under revision", t.Revision)
	add("machine", pairs(t.Machine))
	add("asked", t.Timing.String())
	if t.Trials != nil {
		add("rare faults", t.Trials.String())
	}
	add("recording", t.Recording)
	add("no answers", t.Problem)
	return out
}

// called is the name of a target in running text, with its kind where it is not what it is called.
func (m *maker) called(name string) string { return m.named(name).Called() }

func source(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func pairs(of map[string]string) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(of)) {
		all = append(all, k+" "+of[k])
	}
	return strings.Join(all, ", ")
}

func (m *maker) made() []fact {
	r := m.r
	out := []fact{{"judged", r.Judged.UTC().Format(time.DateTime) + " UTC"}, {"contract revision", r.Revision}, {"by", pairs(r.Tool)}, {"format", r.Schema}}
	return slices.DeleteFunc(out, func(f fact) bool { return f.Text == "" })
}

func (m *maker) baseline() *baseline {
	b := m.r.Baseline
	if b == nil {
		return nil
	}
	out := &baseline{Folder: b.Folder, Compared: b.Compared}
	for _, d := range b.Differences {
		out.Rows = append(out.Rows, baselineRow{d.Column, d.Before, d.After, m.link(d.Check), d.Provisional})
	}
	return out
}

func (m *maker) since() *since {
	s := m.r.Since
	if s == nil {
		return nil
	}
	out := &since{Report: s.Report, Judged: day(s.Judged), Compared: s.Compared, Deselected: s.Deselected}
	for _, g := range []struct {
		name, class string
		all         []report.Turn
	}{{"new: worse than in it", "bad", s.New}, {"gone: better than in it", "good", s.Gone}, {"moved: otherwise, and no worse", "care", s.Moved}, {"known: was so already", "quiet", s.Known}} {
		if len(g.all) == 0 {
			continue
		}
		t := turns{Name: g.name, Class: g.class}
		for _, x := range g.all {
			t.Rows = append(t.Rows, turn{x, m.link(x.Check)})
		}
		out.Groups = append(out.Groups, t)
	}
	return out
}
