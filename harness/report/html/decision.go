package html

import (
	"fmt"
	"strings"

	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

// decision shows the verdict on one pair.
func (m *maker) decision(p report.Pair) decision {
	d := p.Decision
	out := decision{ID: m.ids.unique("pair-" + p.Candidate), Reference: m.named(p.Reference), Candidate: m.named(p.Candidate), Words: d.Words,
		Operations: d.Operations, Unknown: d.Unknown}
	out.Class, out.Answer = answer(d)
	silent := 0
	for _, c := range d.Clients.Changes {
		x := change{Do: c.Do, Proof: c.Proof, Remedy: c.Remedy, Silent: c.Silent, Why: c.Why, Instead: c.Instead}
		for _, id := range c.Checks {
			x.Checks = append(x.Checks, m.link(id))
		}
		out.Changes = append(out.Changes, x)
		if c.Silent {
			silent++
		}
	}
	out.Breaks = m.troubles(d.Clients.Breaks)
	out.IndexBreaks = m.troubles(d.Index.Breaks)
	for _, f := range d.Clients.Failed {
		out.Failed = append(out.Failed, trouble{link{Text: f.Remedy}, f.Do + ": " + strings.Join(f.Why, "; "), f.Silent})
	}
	out.Index = append(out.Index, d.Index.Reasons...)
	if d.Index.Bound != "" {
		out.Index = append(out.Index, d.Index.Bound)
	}
	for _, r := range d.Index.Ranking {
		out.Index = append(out.Index, "ranking: "+r)
	}
	changes := 0
	for _, o := range d.Operations {
		if o.Changes {
			changes++
		}
	}
	out.Tiles = []tile{clientsTile(d, silent), indexTile(d.Index.Answer), operationsTile(changes), openTile(len(d.Unknown))}
	return out
}

func answer(d verdict.Decision) (class, words string) {
	switch d.Answer {
	case verdict.DropIn:
		return "good", "Yes, as it is"
	case verdict.Changes:
		return "care", "Not as it is: " + plural(len(d.Clients.Changes), "client change makes", "client changes make") + " it safe"
	case verdict.NotSafe:
		return "bad", "No"
	case verdict.Unknown:
		return "open", "Cannot tell"
	}
	return "open", "No decision was made"
}

func clientsTile(d verdict.Decision, silent int) tile {
	t := tile{Name: "Clients", Class: "open", Answer: "cannot tell"}
	switch d.Clients.Answer {
	case verdict.DropIn:
		t.Class, t.Answer = "good", "change nothing"
	case verdict.Changes:
		t.Class, t.Answer, t.More = "care", plural(len(d.Clients.Changes), "change", "changes"), "each verified by running it"
		if silent > 0 {
			t.More += fmt.Sprintf("; %d against what is SILENT", silent)
		}
	case verdict.NotSafe:
		t.Class, t.Answer = "bad", "break"
		t.More = plural(len(d.Clients.Breaks), "deviation", "deviations") + " that no change was shown to bridge"
	}
	return t
}

// indexTile says what becomes of stored vectors, after a swap or an upgrade.
func indexTile(answer verdict.Answer) tile {
	switch answer {
	case verdict.Keep:
		return tile{"Index", "good", "keep it", "vectors of both may stand side by side"}
	case verdict.KeepNot:
		return tile{"Index", "care", "keep it, do not mix", "new documents beside old ones may not be found alike"}
	case verdict.ReEmbed:
		return tile{"Index", "bad", "embed again", "stored vectors mean something else"}
	}
	return tile{"Index", "open", "cannot tell", ""}
}

func operationsTile(changes int) tile {
	if changes == 0 {
		return tile{"Operations", "good", "nothing changes", "of what was asked"}
	}
	return tile{"Operations", "care", plural(changes, "thing changes", "things change"), "for those who run the server"}
}

func openTile(n int) tile {
	if n == 0 {
		return tile{"Not known", "good", "nothing", "all that this program can ask was asked"}
	}
	return tile{"Not known", "open", plural(n, "question", "questions"), "with what would settle each"}
}

func (m *maker) troubles(all []verdict.Break) []trouble {
	var out []trouble
	for _, b := range all {
		text := b.Why
		if b.From != "" || b.To != "" {
			text = b.From + " → " + b.To + ": " + text
		}
		out = append(out, trouble{m.link(b.Check), text, b.Silent})
	}
	return out
}
