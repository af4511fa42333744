package report

import (
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/parity"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

// Input is what a report is made of. Today and Tool are given, so that a report is a pure function.
type Input struct {
	Suite   contract.Suite
	Tool    map[string]string
	Today   time.Time
	Targets []Source
	// Reference is the name of the target with which the others are compared; empty for none.
	Reference string
	// Held: the targets are compared with earlier recordings of theirs. A target without a list of known deviations is
	// held to these, and not to the contract.
	Held bool
	// Selected says which checks are shown; nil: all.
	Selected func(contract.Check) bool
	// Options are what a command that reproduces a cell needs to judge it alike, such as --revision draft.
	Options string
}

// Source is one target of a report.
type Source struct {
	Recording *recording.Recording
	Expected  *expect.List
	// Problem says why the target has no answers: it did not start, its recording cannot be read.
	Problem string
	// Argument is how the target is named on the command line, for the commands that reproduce a cell.
	Argument string
}

func (s Source) name() string { return s.Recording.Header.Target.Name }

// Build judges recordings and makes the report.
func Build(in Input) *Report {
	b := &builder{in: in, judge: judge.New(in.Suite), cells: map[string]map[string]judge.Cell{}}
	b.r = &Report{Schema: Schema, Tool: in.Tool, Revision: in.Suite.Revision, Judged: in.Today, Reference: in.Reference,
		Bars: &Bars{Peer: toDigits(parity.PeerBar, 4), Same: toDigits(parity.SameBar, 4), Norm: parity.NormTolerance}}
	for _, behaviour := range in.Suite.Behaviours {
		b.behaviour(behaviour)
	}
	for _, s := range in.Targets {
		b.target(s)
		if b.r.Corpus == "" {
			b.r.Corpus = s.Recording.Plan.Corpus
		}
	}
	for _, s := range in.Targets {
		if in.Reference != "" && s.name() != in.Reference {
			b.pair(b.source(in.Reference), s)
		}
	}
	b.report()
	b.verdict()
	return b.r
}

type builder struct {
	in    Input
	judge *judge.Judge
	r     *Report
	cells map[string]map[string]judge.Cell // target, check
}

func (b *builder) selected(c contract.Check) bool { return b.in.Selected == nil || b.in.Selected(c) }

func (b *builder) source(name string) Source {
	for _, s := range b.in.Targets {
		if s.name() == name {
			return s
		}
	}
	return Source{}
}

func (b *builder) behaviour(h contract.Behaviour) {
	out := Behaviour{Stem: h.Stem, Promise: h.Promise}
	for _, c := range h.Checks {
		if !b.selected(c) {
			continue
		}
		row := Check{ID: c.ID, Promise: c.Promise, Why: c.Why, Level: string(c.Level), Extended: c.Extended, Pair: c.Pair(), Lone: c.Lone,
			Provisional: c.Provisional, Sources: c.Sources, Place: place(c)}
		for _, v := range c.Variants {
			row.Variants = append(row.Variants, Variant{Name: v.Name, Outcome: string(v.Outcome), Effect: string(v.Effect),
				Meaning: v.Meaning, Breaks: v.Breaks, Remedy: v.Remedy})
		}
		out.Checks = append(out.Checks, row)
	}
	if len(out.Checks) > 0 {
		b.r.Behaviours = append(b.r.Behaviours, out)
	}
}

func (b *builder) target(s Source) {
	h := s.Recording.Header
	f := b.judge.Facts(s.Recording)
	b.r.Targets = append(b.r.Targets, Target{
		Name: h.Target.Name, Title: h.Target.Title, Kind: h.Target.Kind, Label: label(h.Target.Kind), Model: h.Target.Model,
		Weights: weights(h.Target.Weights), Versions: h.Target.Versions, Recorded: h.Started, Revision: h.Revision, Machine: h.Machine, Timing: timing(s.Recording, b.in.Suite), Recording: s.Recording.Path, Problem: s.Problem,
		Facts: Facts{Dimensions: f.Dimensions, MaxTokens: f.MaxTokens, Usage: f.Usage, Source: f.Source},
	})
	b.cells[s.name()] = map[string]judge.Cell{}
	for _, c := range b.in.Suite.Checks() {
		if c.Pair() || !b.selected(c) {
			continue
		}
		cell := b.judge.Target(s.Recording, c)
		if s.Problem != "" && len(s.Recording.Trails(c.ID)) == 0 {
			cell.Reason = s.Problem
		}
		b.cells[s.name()][c.ID] = cell
		m := s.Expected.Match(c.ID, "", cell.Variant(), cell.Outcome, b.in.Today)
		m.Status = m.Status.Of(c)
		b.r.Cells = append(b.r.Cells, Cell{
			Target: s.name(), Check: c.ID, Judgement: judgement(c, cell, m), Evidence: evidence(s.Recording, c, cell),
			Logs: logs(cell), Reproduce: reproduce(c, b.in.Options, s),
		})
	}
	b.r.Targets[len(b.r.Targets)-1].Trials = trials(b.cells[s.name()])
}

// label is what must be said of a target wherever its results are shown.
func label(kind string) string {
	switch kind {
	case "emulated":
		return "emulated: a model of the server, not the server"
	case "reconstructed":
		return "reconstructed: our own server after a published description"
	}
	return ""
}

// weights is what a recording says of them, where that is something known.
func weights(w contract.Weights) string {
	if w.Known() {
		return string(w)
	}
	return ""
}

func (b *builder) pair(ref, cand Source) {
	p := Pair{Reference: ref.name(), Candidate: cand.name(), Effects: map[string]int{}}
	for _, c := range b.in.Suite.Checks() {
		if !b.selected(c) || c.Lone {
			continue
		}
		var out PairCell
		if c.Pair() {
			cell := b.judge.Pair(ref.Recording, cand.Recording, c)
			for _, s := range []Source{ref, cand} {
				if s.Problem != "" && len(s.Recording.Trails(c.ID)) == 0 {
					cell.Reason = s.Problem
				}
			}
			m := cand.Expected.Match(c.ID, ref.name(), cell.Variant(), cell.Outcome, b.in.Today)
			m.Status = m.Status.Of(c)
			out = PairCell{Check: c.ID, Effect: string(cell.Change.Effect), Why: cell.Change.Why, Silent: cell.Change.Silent, Judgement: judgement(c, cell, m),
				Reproduce: reproduce(c, b.in.Options, ref, cand)}
		} else {
			from, to := b.cells[ref.name()][c.ID], b.cells[cand.name()][c.ID]
			change := b.judge.Change(ref.Recording, cand.Recording, c, from, to)
			out = PairCell{Check: c.ID, Effect: string(change.Effect), Why: change.Why, Silent: change.Silent, From: from.Variant(), To: to.Variant()}
			status := expect.Effect(change.Effect, ref.Expected != nil && cand.Expected != nil).Of(c)
			out.Expected = Expected{Status: string(status), OK: status.OK()}
		}
		if c.Provisional {
			p.Provisional = counted(p.Provisional, out.Effect)
		} else {
			p.Effects[out.Effect]++
		}
		p.Cells = append(p.Cells, out)
	}
	var remedies []verdict.Remedy
	p.Remedies, remedies = b.remedies(ref, cand)
	p.Decision = b.decide(p, ref, cand, remedies)
	b.r.Pairs = append(b.r.Pairs, p)
}

// report takes back the alarm from deviations of which a comparison does not ask: those of the reference, and those
// that the candidate shares with it. It is for targets without a list of known deviations; a list is held to.
func (b *builder) report() {
	harmless := map[string]bool{}
	for _, p := range b.r.Pairs {
		for _, c := range p.Cells {
			if c.Effect == string(contract.Same) || c.Effect == string(contract.Compatible) {
				harmless[p.Candidate+" "+c.Check] = true
			}
		}
	}
	for i := range b.r.Cells {
		c := &b.r.Cells[i]
		reference := b.in.Reference != "" && c.Target == b.in.Reference
		if c.Expected.Status == string(expect.Unexpected) && b.source(c.Target).Expected == nil && (b.in.Held || reference || harmless[c.Target+" "+c.Check]) {
			c.Expected.Status, c.Expected.OK = string(expect.Reported), true
		}
	}
}

func judgement(c contract.Check, cell judge.Cell, m expect.Match) Judgement {
	out := Judgement{Outcome: string(cell.Outcome), Observed: cell.Finding.Observed, Reason: cell.Reason, Flaps: cell.Flaps,
		Variant: cell.Finding.Variant, Expected: Expected{Status: string(m.Status), OK: m.Status.OK(), Overdue: m.Overdue}}
	for _, n := range cell.Finding.Numbers {
		out.Numbers = append(out.Numbers, Number{Name: n.Name, Value: n.Value, Unit: n.Unit})
	}
	out.Series = series(cell.Finding.Series)
	if out.Variant != "" {
		v := c.Variant(out.Variant)
		out.Meaning, out.Breaks, out.Remedy = v.Meaning, v.Breaks, v.Remedy
	}
	if k := m.Known; k != nil {
		out.Expected.Variant, out.Expected.Why, out.Expected.Upstream, out.Expected.Review = k.Variant, k.Why, k.Upstream, k.Review
	}
	return out
}
