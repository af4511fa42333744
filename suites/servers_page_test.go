package suites_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/verdict"
	"github.com/embedcontract/embedcontract/suites"
)

// behaviours has a table for each behaviour, with the checks that some server answers otherwise than promised, or
// otherwise than another server.
func (p *serversPage) behaviours(b *strings.Builder) {
	b.WriteString("\n## Behaviour by server\n\n✓ pass · ~ differs · ○ unsupported · ✗ fail · ± flaky · – cannot be asked · ! no verdict · empty: not asked. *Provisional* checks are not in the revision, and count for nothing.\n" +
		"Checks that every server passes in the same way are only counted.\n")
	for _, h := range p.r.Behaviours {
		var rows []report.Check
		alike := 0
		for _, c := range h.Checks {
			switch {
			case c.Pair || p.unasked(c):
			case p.passedAlike(c):
				alike++
			default:
				rows = append(rows, c)
			}
		}
		if len(rows)+alike == 0 {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n%s.", h.Stem, prose(h.Promise))
		if alike > 0 {
			fmt.Fprintf(b, " %s for every server that was asked.", checksPass(alike))
		}
		b.WriteString("\n")
		if len(rows) > 0 {
			p.rows(b, rows)
		}
	}
}

func (p *serversPage) unasked(c report.Check) bool {
	return !slices.ContainsFunc(p.r.Targets, func(t report.Target) bool { return p.cells[c.ID][t.Name].Variant != "" })
}

// passedAlike says whether all servers that were asked pass in the same way.
func (p *serversPage) passedAlike(c report.Check) bool {
	first := ""
	return !slices.ContainsFunc(p.r.Targets, func(t report.Target) bool {
		cell, ok := p.cells[c.ID][t.Name]
		if first == "" {
			first = cell.Variant
		}
		return ok && (cell.Outcome != string(contract.Pass) || cell.Variant != first)
	})
}

func (p *serversPage) rows(b *strings.Builder, rows []report.Check) {
	b.WriteString("\n| check |")
	for _, t := range p.r.Targets {
		fmt.Fprintf(b, " %s |", column(t))
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(p.r.Targets)) + "\n")
	for _, c := range rows {
		name := "`" + c.ID + "`"
		if c.Provisional {
			name += " *provisional*"
		}
		fmt.Fprintf(b, "| %s |", name)
		for _, t := range p.r.Targets {
			fmt.Fprintf(b, " %s |", shownCell(p.cells[c.ID][t.Name]))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n<details>\n<summary>What these answers are, who breaks, and how to live with it</summary>\n\n")
	for _, c := range rows {
		fmt.Fprintf(b, "- `%s`: %s (%s)\n", c.ID, prose(c.Promise), c.Level)
		for _, v := range c.Variants {
			if slices.ContainsFunc(p.r.Targets, func(t report.Target) bool { return p.cells[c.ID][t.Name].Variant == v.Name }) {
				fmt.Fprintf(b, "  - `%s`: %s\n", v.Name, meaning(v.Meaning, v.Breaks, v.Remedy))
			}
		}
	}
	b.WriteString("\n</details>\n")
}

// shownCell is the sign and the answer of a cell; without a verdict the sign alone, of what was not asked nothing.
func shownCell(c report.Cell) string {
	if c.Check == "" {
		return ""
	}
	return strings.TrimSpace(signOf(contract.Outcome(c.Outcome)) + " " + c.Variant)
}

func meaning(is, breaks, wayOut string) string {
	out := prose(is) + "."
	if breaks != "" {
		out += " Breaks: " + prose(breaks) + "."
	}
	if wayOut != "" {
		out += " Way out: " + prose(wayOut) + "."
	}
	return out
}

// server is a section: what it deviates in and why, what a swap for it takes, and how it was recorded.
func (p *serversPage) server(b *strings.Builder, t report.Target, rec *recording.Recording) {
	fmt.Fprintf(b, "\n## %s\n\n%s. ", t.Name, prose(t.Title))
	if t.Label != "" {
		fmt.Fprintf(b, "**%s.** ", prose(t.Label))
	}
	again := "make record-server NAME=" + t.Name
	if t.Name == p.r.Reference {
		again = "make record # of which the others are asked by the plan"
	}
	only := ""
	if unasked := len(rec.Unasked(p.suite)); unasked > 0 {
		only = fmt.Sprintf("; %d extended checks were not asked of it, which the command asks too", unasked)
	}
	fmt.Fprintf(b, "Recorded %s on %s; %d checks, plan of %s%s.\n\n```bash\n%s\n```\n", t.Recorded.Format("2006-01-02"),
		prose(machineOf(t.Machine)), len(rec.Checks()), rec.Plan.Reference, only, again)
	p.deviations(b, t)
	if x, ok := p.pairs[t.Name]; ok {
		swapped(b, x)
	}
	startedBy(b, rec.Header.Target)
}

func (p *serversPage) deviations(b *strings.Builder, t report.Target) {
	var rows []report.Cell
	for _, h := range p.r.Behaviours {
		for _, c := range h.Checks {
			cell, ok := p.cells[c.ID][t.Name]
			switch contract.Outcome(cell.Outcome) {
			case contract.Pass, contract.NotApplicable, contract.Skipped:
			default:
				if ok && !c.Provisional {
					rows = append(rows, cell)
				}
			}
		}
	}
	fmt.Fprintf(b, "\n<details>\n<summary>What it deviates in (%d checks), why, and how to live with it</summary>\n\n| check | answer | why | way out |\n| --- | --- | --- | --- |\n", len(rows))
	for _, c := range rows {
		why := prose(c.Expected.Why)
		if c.Expected.Upstream != "" {
			why += " (" + prose(c.Expected.Upstream) + ")"
		}
		if c.Variant == "" {
			why = prose(contract.Shorten(c.Reason, reasonShown))
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", c.Check, shownCell(c), why, prose(c.Remedy))
	}
	b.WriteString("\n</details>\n")
}

// swapped says what it takes to put a server where the reference stands.
func swapped(b *strings.Builder, x report.Pair) {
	d := x.Decision
	fmt.Fprintf(b, "\n**%s**\n", prose(d.Words))
	changes := func(title string, all []verdict.Change) {
		for i, c := range all {
			if i == 0 {
				fmt.Fprintf(b, "\n%s\n\n", title)
			}
			silent := ""
			if c.Silent {
				silent = "SILENT: "
			}
			fmt.Fprintf(b, "- %s%s (%s; %s)\n", silent, prose(c.Do), prose(c.Proof), quoted(c.Checks))
		}
	}
	changes("What clients do, each verified by running it:", d.Clients.Changes)
	changes("Tried, and of no help here:", d.Clients.Failed)
	for i, k := range d.Clients.Breaks {
		if i == 0 {
			b.WriteString("\nNot bridged by anything that was run:\n\n")
		}
		fmt.Fprintf(b, "- `%s`: %s\n", k.Check, prose(k.Why))
	}
	for i, k := range d.Index.Breaks {
		if i == 0 {
			b.WriteString("\nOf the index:\n\n")
		}
		fmt.Fprintf(b, "- `%s`: %s\n", k.Check, prose(k.Why))
	}
}

// TestServersPageShowsWhatIsThere: a server that fails a check is shown to, with the reason on the list of known
// deviations; one that all pass alike is not; and every link within the page leads somewhere.
func TestServersPageShowsWhatIsThere(t *testing.T) {
	s, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	recs := []*recording.Recording{committed(t, "legacy"), committed(t, "dynamo-1.6.1"), committed(t, "vllm-0.31.0")}
	page := newServersPage(t, s, recs).write()
	for _, want := range []string{
		"\n| check | legacy (reconstructed) | dynamo | vllm |\n",
		"\n| `dimensions/reduced-256` | ✓ honoured | ✗ failed-5xx | ○ rejected-4xx |\n",
		"\n| `dimensions/reduced-256` | ○ rejected-4xx | vLLM refuses dimensions for a model that is not declared Matryoshka (https://github.com/QwenLM/Qwen3-Embedding/issues/85) | ",
		"\n## vllm-0.31.0\n", "make record-server NAME=vllm-0.31.0", "What clients do, each verified by running it:\n\n- leave dimensions out",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(page, "\n| `response_shape/flat-vector` |") {
		t.Error("a check that all pass alike is shown in full")
	}
	linksWithin(t, page)
}
