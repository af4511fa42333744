package html

import (
	"github.com/embedcontract/embedcontract/harness/upgrade"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

// upgradePage is a comparison of two recordings as its template shows it.
type upgradePage struct {
	Title         string
	Class, Answer string
	Index         tile
	Diff          *upgrade.Diff
	Sides         []target
	Changes       []upgradeChange
	Measures      []upgrade.Measure
	Made          []fact
}

type upgradeChange struct {
	upgrade.Change
	Old, New cell
	Swap     kind
	Class    string
}

func newUpgradePage(d *upgrade.Diff) upgradePage {
	p := upgradePage{Title: "From " + d.Old.Name + " to " + d.New.Name, Diff: d, Measures: d.Measures,
		Made: []fact{{"judged", day(d.Judged)}, {"contract revision", d.Revision}, {"by", pairs(d.Tool)}, {"format", d.Schema}}}
	p.Index = indexTile(verdict.Answer(d.Verdict.Index))
	switch d.Verdict.Exit {
	case upgrade.ExitHarmless:
		p.Class, p.Answer = "good", "Nothing that matters changed"
	case upgrade.ExitChanged:
		p.Class, p.Answer = "bad", "Something regressed, or clients or the index must change"
	case upgrade.ExitNothing:
		p.Class, p.Answer = "open", "The two have no check in common"
	default:
		p.Class, p.Answer = "open", "Cannot tell"
	}
	for _, s := range []upgrade.Side{d.Old, d.New} {
		p.Sides = append(p.Sides, side(s))
	}
	for _, c := range d.Changes {
		x := upgradeChange{Change: c, Swap: effectKind(c.Effect),
			Old: cell{kind: outcomeKind(c.From.Outcome), Answer: c.From.Variant}, New: cell{kind: outcomeKind(c.To.Outcome), Answer: c.To.Variant}}
		classes := []string{"m-" + string(c.Mark), x.Swap.Class}
		if c.Silent {
			classes = append(classes, silentClass)
		}
		x.Class = distinct(classes)
		p.Changes = append(p.Changes, x)
	}
	return p
}

func side(s upgrade.Side) target {
	t := target{Name: s.Name, Kind: s.Kind}
	for _, f := range []fact{{"what it is", s.Title}, {"model", s.Model}, {"versions", pairs(s.Versions)}, {"recorded", day(s.Recorded)},
		{"under revision", s.Revision}, {"machine", pairs(s.Machine)}, {"recording", s.Recording}} {
		if f.Text != "" {
			t.Facts = append(t.Facts, f)
		}
	}
	return t
}
