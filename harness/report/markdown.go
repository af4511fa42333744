package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// markdownSize is what is written at most, in bytes: GitHub refuses a comment of more than 65536 characters, and
// a report that is cut says how much is missing while one that is refused says nothing.
const markdownSize = 60000

// changesListed is how many changes since an earlier report or recording are listed at most.
const changesListed = 60

// Markdown writes the report for a pull request: the verdict, the matrix as a table, and a block to unfold for each
// cell that is not as expected.
func (r *Report) Markdown(w io.Writer) error {
	var b strings.Builder
	for _, v := range r.Verdict.Words {
		fmt.Fprintf(&b, "**%s**\n\n", prose(line(v)))
	}
	fmt.Fprintf(&b, "%s\n", prose(r.answer()))
	markdownLines(&b, r.Since.lines())
	for _, p := range r.Pairs {
		fmt.Fprintf(&b, "\n%s: %s\n", prose(r.swap(p)), prose(r.sum(p)))
	}
	b.WriteString("\n")
	for _, t := range r.Targets {
		fmt.Fprintf(&b, "- **%s**: %s\n", prose(t.column().name), prose(r.about(t, false)))
		for _, l := range t.lines() {
			fmt.Fprintf(&b, "  - %s\n", prose(l))
		}
		if t.Problem != "" {
			fmt.Fprintf(&b, "  - %s %s\n", sign(string(contract.Error)), quoted(fit(line(t.Problem), textShown)))
		}
	}
	r.markdownTable(&b)
	fmt.Fprintf(&b, "\n%s\n\n%s\n", prose(r.legend()), prose(r.judgedBy()))
	if due := r.overdue(); len(due) > 0 {
		fmt.Fprintf(&b, "\nKnown deviations past their review day: %s\n", prose(strings.Join(due, ", ")))
	}
	markdownLines(&b, r.Baseline.lines())
	all := r.details(false)
	for i, d := range all {
		block := d.markdown()
		if i == detailsShown || b.Len()+len(block) > markdownSize {
			fmt.Fprintf(&b, "\n%d more like these are in the report.\n", len(all)-i)
			break
		}
		b.WriteString(block)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownLines writes lines as a paragraph, and those that are indented as items. A comment has room for few of them.
func markdownLines(b *strings.Builder, lines []string) {
	items := 0
	for i, l := range lines {
		text, item := strings.CutPrefix(l, "  ")
		if item {
			items++
		}
		if item && items > changesListed {
			continue
		}
		switch {
		case !item:
			b.WriteString("\n" + prose(text) + "\n")
		case i == 0 || !strings.HasPrefix(lines[i-1], "  "):
			b.WriteString("\n- " + prose(strings.TrimSpace(text)) + "\n")
		default:
			b.WriteString("- " + prose(strings.TrimSpace(text)) + "\n")
		}
	}
	if items > changesListed {
		fmt.Fprintf(b, "\n%d more of these changes are in the report.\n", items-changesListed)
	}
}

func (r *Report) markdownTable(b *strings.Builder) {
	columns := r.columns()
	heads := []string{"check"}
	for _, c := range columns {
		heads = append(heads, prose(c.title+" "+c.under))
	}
	tableRow(b, "\n", heads)
	tableRow(b, "", strings.Split(strings.Repeat("--- ", len(heads)-1)+"---", " "))
	for _, behaviour := range r.Behaviours {
		stem := make([]string, len(heads))
		stem[0] = "**" + prose(line(behaviour.Stem)) + "**"
		tableRow(b, "", stem)
		for _, check := range behaviour.Checks {
			row := []string{prose(behaviour.row(check))}
			for _, c := range columns {
				row = append(row, c.at(check).markdown())
			}
			tableRow(b, "", row)
		}
	}
}

func tableRow(b *strings.Builder, before string, cells []string) {
	b.WriteString(before + "| " + strings.Join(cells, " | ") + " |\n")
}

// markdown is the cell in full; what needs somebody's attention is bold.
func (e entry) markdown() string {
	effect, status := prose(e.effect), prose(e.flags()[0])
	if e.harm {
		effect = "**" + effect + "**"
	}
	if status != "" {
		status = "**" + status + "**"
	}
	return words(e.sign, prose(e.text), effect, status)
}

// markdown is a block to unfold.
func (d detail) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n<details>\n<summary>%s</summary>\n\n", prose(d.head()))
	if len(d.also) > 0 {
		fmt.Fprintf(&b, "- also: %s\n", prose(d.others()))
	}
	for _, f := range d.fields {
		switch {
		case f.raw != nil:
			fmt.Fprintf(&b, "- %s:\n\n%s", f.name, fenced(f.raw))
		case f.server:
			fmt.Fprintf(&b, "- %s: %s\n", f.name, quoted(f.text))
		default:
			fmt.Fprintf(&b, "- %s: %s\n", f.name, prose(f.text))
		}
	}
	b.WriteString("\n</details>\n")
	return b.String()
}

// prose writes a clean line so that Markdown reads nothing into it. A character reference is never taken for
// structure, so a pipe, a tag or a backtick stays what it is. GitHub looks for names and numbers of issues in what
// it has rendered, where a reference is a plain character again: an empty comment keeps these apart.
func prose(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '@' || r == '#':
			fmt.Fprintf(&b, "%c<!-- -->", r)
		case strings.ContainsRune("&<>|`*_[]\\~$", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// quoted is a text from a server, in code, where GitHub notifies nobody. Colons and dots go too, for a bare
// address becomes a link even there.
func quoted(s string) string {
	return "<code>" + strings.NewReplacer(":", "&#58;", ".", "&#46;").Replace(prose(s)) + "</code>"
}

// fenced are lines in a block of code, whose fence is longer than any run of backticks in them. It is indented to
// belong to its item of the list.
func fenced(raw []string) string {
	fence := "```"
	for strings.Contains(strings.Join(raw, "\n"), fence) {
		fence += "`"
	}
	return "  " + fence + "\n  " + strings.Join(raw, "\n  ") + "\n  " + fence + "\n\n"
}
