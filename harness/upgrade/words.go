package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

// Heading names both sides in short: "dynamo 1.5.1 → 1.6.1" where they are releases of one server.
func (d *Diff) Heading() string {
	was, is := d.Old.Name, d.New.Name
	a, b := strings.LastIndex(was, "-"), strings.LastIndex(is, "-")
	if d.Old.Kind == "real" && d.New.Kind == "real" && a > 0 && a == b && was[:a] == is[:b] && release(was[a+1:]) && release(is[b+1:]) {
		return was[:a] + " " + was[a+1:] + " → " + is[b+1:]
	}
	return d.Old.called() + " → " + d.New.called()
}

func release(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// called is the name with what must be said wherever its results are shown.
func (s Side) called() string {
	if s.Kind == "emulated" || s.Kind == "reconstructed" {
		return s.Name + " (" + s.Kind + ")"
	}
	return s.Name
}

// verdict counts, decides the exit code, and says it in words.
func (c *comparer) verdict() {
	d, v := c.d, &c.d.Verdict
	var undecided []string
	clients := false
	effect := func(what, e string) {
		switch contract.Effect(e) {
		case contract.ClientChange, contract.IndexBreak:
			clients = true
		case contract.Unknown:
			undecided = append(undecided, what)
		}
	}
	for _, ch := range d.Changes {
		if ch.Provisional {
			v.Provisional++
			continue
		}
		switch ch.Mark {
		case Fixed:
			v.Fixed++
		case Regressed:
			v.Regressed++
		case Moved:
			v.Moved++
		}
		effect(ch.Check, ch.Effect)
		if ch.Effect == string(contract.ClientChange) {
			v.Clients++
			if ch.Silent {
				v.Silent++
			}
		}
	}
	for _, h := range d.Unchanged {
		if !h.Provisional {
			v.Compared++
		}
	}
	v.Compared += v.Fixed + v.Regressed + v.Moved
	for _, f := range d.Facts {
		effect(f.Name, f.Effect)
	}
	for _, m := range d.Measures {
		effect(m.Name, m.Effect)
	}
	answer, index := c.decide()
	v.Index = string(answer)
	open := slices.ContainsFunc(d.Gaps, func(g Gap) bool { return g.Decides })
	worse := v.Regressed > 0 || clients || answer == verdict.ReEmbed || answer == verdict.KeepNot || slices.ContainsFunc(d.Facts, func(f Fact) bool { return f.Mark == Regressed })
	switch {
	case len(d.Changes)+len(d.Unchanged)+len(c.open) == 0 && !c.in.Old.Ended.IsZero() && !c.in.New.Ended.IsZero():
		v.Exit = ExitNothing
		v.Words = d.Heading() + ": nothing to compare: no check was asked of both."
		return
	case worse:
		v.Exit = ExitChanged
	case open || len(undecided) > 0 || answer == verdict.Unknown && c.asksOfIndex():
		v.Exit = ExitUnknown
	}
	v.Words = strings.Join(slices.DeleteFunc([]string{
		d.Heading() + ": " + d.counts(), d.clients(), index, d.measured(), d.openWords(undecided),
	}, func(s string) bool { return s == "" }), " ")
}

// asksOfIndex says that the index is among what was asked for: a selection may leave it out.
func (c *comparer) asksOfIndex() bool {
	check, ok := c.in.Suite.Check(verdict.IndexCheck)
	return ok && (c.in.Selected == nil || c.in.Selected(check))
}

// decide says what becomes of the index: by the checks, and by everything that both were asked for. It keeps what clients
// can do.
func (c *comparer) decide() (verdict.Answer, string) {
	out := verdict.Decide(verdict.Case{Cells: c.cells, Remedies: c.remedies(),
		Random: c.in.Old.Header.Target.Weights == contract.RandomWeights || c.in.New.Header.Target.Weights == contract.RandomWeights})
	for _, ch := range out.Clients.Changes {
		c.d.Ways = append(c.d.Ways, Way{Remedy: ch.Remedy, Do: ch.Do, Checks: ch.Checks, Proof: ch.Proof})
	}
	reasons := strings.Join(out.Index.Reasons, "; ")
	if out.Index.Answer == verdict.ReEmbed {
		silent := ""
		var ids []string
		for _, b := range out.Index.Breaks {
			ids = append(ids, b.Check)
			if b.Silent {
				silent = ", SILENTLY"
			}
		}
		return verdict.ReEmbed, fmt.Sprintf("The index breaks%s: %s.", silent, few(ids))
	}
	for _, f := range c.d.Facts {
		if f.Effect == string(contract.IndexBreak) {
			return verdict.ReEmbed, fmt.Sprintf("The index breaks: %s was %s, is %s.", f.Name, f.Old, f.New)
		}
	}
	for _, m := range c.d.Measures {
		if m.Effect == string(contract.IndexBreak) {
			return verdict.ReEmbed, fmt.Sprintf("The index breaks, SILENTLY: %s (%s).", m.Name, m.Text)
		}
	}
	if out.Index.Answer == verdict.Unknown {
		return verdict.Unknown, "The index: not decided, " + reasons + "."
	}
	const mixed = "The index may stay, but do not mix vectors of both in it: %s."
	for _, m := range c.d.Measures {
		if m.Effect == string(contract.Unknown) {
			return verdict.KeepNot, fmt.Sprintf(mixed, m.Name+" ("+m.Text+")")
		}
	}
	if out.Index.Answer == verdict.KeepNot {
		return verdict.KeepNot, fmt.Sprintf(mixed, reasons)
	}
	return verdict.Keep, "The index may stay: " + reasons + "."
}

// remedies judges what clients can do.
func (c *comparer) remedies() []verdict.Remedy {
	var out []verdict.Remedy
	for _, check := range c.in.Suite.Remedies() {
		if c.in.Selected != nil && !c.in.Selected(check) {
			continue
		}
		cell := c.judge.Pair(c.in.Old, c.in.New, check)
		r := verdict.Remedy{ID: check.ID, Change: check.Promise, Bridges: check.Bridges, Reason: cell.Reason}
		if cell.Outcome != contract.Flaky && cell.Outcome != contract.Error {
			r.Proofs = cell.Finding.Proofs
		}
		out = append(out, r)
	}
	return out
}

func (d *Diff) counts() string {
	v := d.Verdict
	n := v.Fixed + v.Regressed + v.Moved
	s := fmt.Sprintf("%s in %s", many(n, "change", "changes"), many(v.Compared, "check", "checks"))
	if n == 0 {
		s = fmt.Sprintf("no change in %s", many(v.Compared, "check", "checks"))
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{v.Fixed, "fixed"}, {v.Regressed, "regressed"}, {v.Moved, "moved"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) > 0 {
		s += ": " + strings.Join(parts, ", ")
	}
	if v.Provisional > 0 {
		s += fmt.Sprintf("; %d provisional, not counted", v.Provisional)
	}
	return s + "."
}

func (d *Diff) clients() string {
	v := d.Verdict
	if v.Clients == 0 {
		return "No check asks clients to change."
	}
	s := fmt.Sprintf("Clients must change for %d of them", v.Clients)
	if v.Silent > 0 {
		s += fmt.Sprintf(", %d SILENT: no status tells", v.Silent)
	}
	bridged := 0
	for _, w := range d.Ways {
		bridged += len(w.Checks)
	}
	if bridged > 0 {
		s += fmt.Sprintf("; %s on their side, shown by what was recorded, will do for %d", many(len(d.Ways), "change", "changes"), bridged)
	}
	return s + "."
}

// measured names what moved beyond noise.
func (d *Diff) measured() string {
	var names []string
	for _, f := range d.Facts {
		names = append(names, f.Name)
	}
	for _, m := range d.Measures {
		if m.Moved {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Moved beyond noise: " + few(names) + "."
}

func (d *Diff) openWords(undecided []string) string {
	var parts []string
	n := 0
	for _, g := range d.Gaps {
		if g.Decides {
			n += max(len(g.Checks), 1)
		}
	}
	if n > 0 {
		parts = append(parts, fmt.Sprintf("%d not comparable", n))
	}
	if len(undecided) > 0 {
		parts = append(parts, fmt.Sprintf("%d compared, and not decided: %s", len(undecided), few(undecided)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Cannot tell of all: " + strings.Join(parts, "; ") + "."
}

// few lists the first of some names.
func few(names []string) string {
	const shown = 4
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
