package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/upgrade"
)

// upgradeWidth is how wide a comparison is where nothing says how wide the terminal is.
const upgradeWidth = 80

// UpgradeTerminal writes a comparison for people: the verdict, what changed by its mark, what moved beyond noise, and what
// cannot be compared. Verbose adds what was seen, and what did not change.
func UpgradeTerminal(d *upgrade.Diff, w io.Writer, o TerminalOptions) error {
	if o.Width <= 0 {
		o.Width = upgradeWidth
	}
	s := screen{width: max(o.Width, leastWidth), colour: o.Colour}
	for _, l := range fold(line(d.Verdict.Words), s.width) {
		s.line(s.paint(bold(), l))
	}
	s.line("")
	for _, f := range upgradeSides(d) {
		s.field(f)
	}
	for _, mark := range upgradeMarks() {
		s.upgradeChanges(d, mark, o.Verbose)
	}
	if len(d.Ways) > 0 {
		s.upgradeHead(lipgloss.NewStyle(), "what clients do, each shown by what was recorded")
		for _, way := range d.Ways {
			s.text("  ", 2, wayText(way))
		}
	}
	s.upgradeNumbers(d, o.Verbose)
	for _, g := range []struct {
		title string
		all   []upgrade.Held
		shown bool
	}{{"added: only the new recording holds", d.Added, true}, {"removed: only the old recording holds", d.Removed, true},
		{"unchanged", d.Unchanged, o.Verbose}, {"asked of neither", d.Neither, o.Verbose}} {
		s.upgradeHeld(g.title, g.all, g.shown, o.Verbose)
	}
	s.upgradeGaps(d)
	_, err := io.WriteString(w, s.String())
	return err
}

// upgradeMarks is the order in which changes are shown: what hurts first.
func upgradeMarks() []upgrade.Mark {
	return []upgrade.Mark{upgrade.Regressed, upgrade.Moved, upgrade.Fixed}
}

// upgradeSides says what was compared.
func upgradeSides(d *upgrade.Diff) []field {
	out := []field{{name: "versions", text: line(strings.Join(versions(d), ", "))}}
	if out[0].text == "" {
		out = nil
	}
	const day = "2006-01-02"
	out = append(out, field{name: "recorded", text: line(fmt.Sprintf("%s → %s; %d and %d checks", d.Old.Recorded.Format(day), d.New.Recorded.Format(day), d.Old.Checks, d.New.Checks))})
	judged := "contract revision " + d.Revision
	if d.Old.Revision != d.Revision || d.New.Revision != d.Revision {
		judged += fmt.Sprintf("; recorded under %s and %s", d.Old.Revision, d.New.Revision)
	}
	out = append(out, field{name: "judged by", text: line(judged)})
	if !maps.Equal(d.Old.Machine, d.New.Machine) {
		out = append(out, field{name: "machines", text: line(fmt.Sprintf("%s → %s", orNone(machine(d.Old)), orNone(machine(d.New))))})
	}
	for _, side := range []upgrade.Side{d.Old, d.New} {
		f := field{name: "label", text: line(side.Name + " is " + label(side.Kind))}
		if label(side.Kind) != "" && out[len(out)-1].text != f.text {
			out = append(out, f)
		}
	}
	return out
}

// versions lists what each side was made of, the same component beside itself.
func versions(d *upgrade.Diff) []string {
	var out []string
	names := slices.Collect(maps.Keys(d.Old.Versions))
	names = append(names, slices.Collect(maps.Keys(d.New.Versions))...)
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		was, is := d.Old.Versions[n], d.New.Versions[n]
		switch {
		case was == is:
			out = append(out, n+" "+is)
		case was == "":
			out = append(out, n+" – → "+is)
		case is == "":
			out = append(out, n+" "+was+" → –")
		default:
			out = append(out, n+" "+was+" → "+is)
		}
	}
	return out
}

func machine(s upgrade.Side) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(s.Machine)) {
		parts = append(parts, k+" "+s.Machine[k])
	}
	return strings.Join(parts, ", ")
}

func (s *screen) upgradeHead(style lipgloss.Style, text string) {
	s.line("")
	s.line(s.paint(style.Bold(true), text))
}

func markStyle(m upgrade.Mark) lipgloss.Style {
	colours := map[upgrade.Mark]lipgloss.Style{upgrade.Regressed: lipgloss.NewStyle().Foreground(lipgloss.Red),
		upgrade.Moved: lipgloss.NewStyle().Foreground(lipgloss.Yellow), upgrade.Fixed: lipgloss.NewStyle().Foreground(lipgloss.Green)}
	return colours[m]
}

func (s *screen) upgradeChanges(d *upgrade.Diff, mark upgrade.Mark, verbose bool) {
	all := slices.DeleteFunc(slices.Clone(d.Changes), func(c upgrade.Change) bool { return c.Mark != mark })
	if len(all) == 0 {
		return
	}
	s.upgradeHead(markStyle(mark), fmt.Sprintf("%s (%d)", mark, len(all)))
	for _, c := range all {
		s.text("", 4, fmt.Sprintf("%s %s: %s → %s", sign(c.To.Outcome), line(c.Check), line(c.From.Variant), line(c.To.Variant)))
		s.field(field{name: "effect", text: upgradeEffect(c)})
		if harms(c.Effect) || mark == upgrade.Regressed {
			s.upgradeField("breaks", c.To.Breaks)
			s.upgradeField("remedy", c.To.Remedy)
		}
		if verbose {
			s.upgradeField("promise", c.Promise+" ("+c.Level+")")
			s.upgradeField("was", c.From.Observed)
			s.upgradeField("is", c.To.Observed)
		}
	}
}

func (s *screen) upgradeField(name, text string) {
	if text != "" {
		s.field(field{name: name, text: line(text)})
	}
}

func harms(effect string) bool {
	return effect == string(contract.ClientChange) || effect == string(contract.IndexBreak)
}

// upgradeEffect says what a change means for clients and the index.
func upgradeEffect(c upgrade.Change) string {
	text := c.Effect
	if harms(text) {
		text = strings.ToUpper(text)
	}
	if c.Silent {
		text += " SILENT"
	}
	if c.Provisional {
		text += " (provisional, not counted)"
	}
	if c.Why != "" {
		text += ": " + c.Why
	}
	return line(text)
}

// upgradeNumbers writes facts that differ, and what was measured beyond noise.
func (s *screen) upgradeNumbers(d *upgrade.Diff, verbose bool) {
	shown := slices.DeleteFunc(slices.Clone(d.Measures), func(m upgrade.Measure) bool { return !m.Moved && !verbose })
	if len(d.Facts) > 0 {
		s.upgradeHead(lipgloss.NewStyle(), "facts that differ")
		for _, f := range d.Facts {
			s.text("  ", 4, line(fmt.Sprintf("%s: %s → %s (%s, %s: %s)", f.Name, orNone(f.Old), orNone(f.New), f.Mark, f.Effect, f.Why)))
		}
	}
	if len(shown) > 0 {
		s.upgradeHead(lipgloss.NewStyle(), "measured")
		for _, m := range shown {
			text := m.Name + ": " + m.Text
			if m.Moved {
				text += fmt.Sprintf(" (MOVED, %s: %s)", m.Effect, m.Why)
			}
			s.text("  ", 4, line(text))
		}
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (s *screen) upgradeHeld(title string, all []upgrade.Held, shown, verbose bool) {
	if len(all) == 0 {
		return
	}
	if !shown {
		s.line("")
		s.text("", 2, fmt.Sprintf("%s: %d", title, len(all)))
		return
	}
	s.upgradeHead(lipgloss.NewStyle(), fmt.Sprintf("%s (%d)", title, len(all)))
	for i, h := range all {
		if i == heldShown && !verbose {
			s.text("  ", 2, fmt.Sprintf("and %d more: ask for all of them with --verbose", len(all)-i))
			return
		}
		text := words(line(h.Check), line(h.Variant))
		if h.Reason != "" {
			text += ": " + line(h.Reason)
		}
		s.text("  ", 4, words(sign(h.Outcome), text))
	}
}

// heldShown is how many checks of a list are shown unless all are asked for; gapShown is likewise of a gap.
const (
	heldShown = 12
	gapShown  = 4
)

func (s *screen) upgradeGaps(d *upgrade.Diff) {
	if len(d.Gaps) == 0 {
		return
	}
	s.upgradeHead(lipgloss.NewStyle(), "not comparable, and what settles it")
	for _, g := range d.Gaps {
		s.text("  ", 4, gapText(g))
		s.text("    ", 4, "$ "+line(g.Command))
	}
}

func gapText(g upgrade.Gap) string { return line(g.Reason) + gapChecks(g) }

// gapChecks says what the reason of a gap is about.
func gapChecks(g upgrade.Gap) string {
	text := ""
	if n := len(g.Checks); n > gapShown {
		text += fmt.Sprintf(": %d checks, such as %s", n, strings.Join(g.Checks[:gapShown], ", "))
	} else if n > 0 {
		text += ": " + strings.Join(g.Checks, ", ")
	}
	if !g.Decides {
		text += " (the verdict does not need it)"
	}
	return text
}

// wayText says what clients do, and for what.
func wayText(w upgrade.Way) string {
	return line(fmt.Sprintf("%s: %s (%s)", w.Do, strings.Join(w.Checks, ", "), w.Proof))
}
