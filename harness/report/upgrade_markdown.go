package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/embedcontract/embedcontract/harness/upgrade"
)

// UpgradeMarkdown writes a comparison for a pull request: a heading, the verdict, the versions, and tables of what
// changed, what moved beyond noise, and what cannot be compared.
func UpgradeMarkdown(d *upgrade.Diff, w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## Upgrade: %s\n\n**%s**\n", prose(line(d.Heading())), prose(line(d.Verdict.Words)))
	b.WriteString("\n")
	for _, f := range upgradeSides(d) {
		fmt.Fprintf(&b, "- %s: %s\n", f.name, prose(f.text))
	}
	upgradeTable(&b, d)
	for i, way := range d.Ways {
		if i == 0 {
			b.WriteString("\nWhat clients do, each shown by what was recorded:\n\n")
		}
		fmt.Fprintf(&b, "- %s\n", prose(wayText(way)))
	}
	if len(d.Facts) > 0 {
		tableHead(&b, "fact", "before", "after", "change", "means")
		for _, f := range d.Facts {
			tableRow(&b, "", cleaned(f.Name, orNone(f.Old), orNone(f.New), string(f.Mark)+", "+f.Effect, f.Why))
		}
	}
	moved := 0
	for _, m := range d.Measures {
		if !m.Moved {
			continue
		}
		if moved++; moved == 1 {
			tableHead(&b, "measured", "moved beyond noise", "effect", "means")
		}
		tableRow(&b, "", cleaned(m.Name, m.Text, m.Effect, m.Why))
	}
	fmt.Fprintf(&b, "\nUnchanged: %d. Added: %d. Removed: %d. Asked of neither: %d.\n", len(d.Unchanged), len(d.Added), len(d.Removed), len(d.Neither))
	for i, g := range d.Gaps {
		if i == 0 {
			b.WriteString("\nNot comparable, and what settles it:\n\n")
		}
		fmt.Fprintf(&b, "- %s%s. <code>%s</code>\n", quoted(line(g.Reason)), prose(line(gapChecks(g))), prose(line(g.Command)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func tableHead(b *strings.Builder, heads ...string) {
	tableRow(b, "\n", heads)
	tableRow(b, "", strings.Split(strings.Repeat("--- ", len(heads)-1)+"---", " "))
}

// cleaned are texts as cells of a table.
func cleaned(texts ...string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = prose(line(t))
	}
	return out
}

// upgradeTable has a row for each change, as many as fit a comment.
func upgradeTable(b *strings.Builder, d *upgrade.Diff) {
	if len(d.Changes) == 0 {
		return
	}
	tableHead(b, "change", "check", "before", "after", "effect", "who breaks, and the way out")
	for i, c := range d.Changes {
		out := ""
		if harms(c.Effect) || c.Mark == upgrade.Regressed {
			out = line(c.To.Breaks)
			if c.To.Remedy != "" {
				out = strings.TrimPrefix(out+". ", ". ") + "Way out: " + line(c.To.Remedy)
			}
		}
		cells := cleaned(string(c.Mark), c.Check, c.From.Variant, c.To.Variant, upgradeEffect(c), out)
		if c.Mark == upgrade.Regressed {
			cells[0] = "**" + cells[0] + "**"
		}
		cells[2], cells[3] = words(sign(c.From.Outcome), cells[2]), words(sign(c.To.Outcome), cells[3])
		if b.Len() > markdownSize-upgradeRest {
			fmt.Fprintf(b, "\n%d more changes are in the comparison that is printed.\n", len(d.Changes)-i)
			return
		}
		tableRow(b, "", cells)
	}
}

// upgradeRest is what is kept free of a comment for what follows the table, in bytes.
const upgradeRest = 8000
