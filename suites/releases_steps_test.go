package suites_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/upgrade"
	"github.com/embedcontract/embedcontract/suites"
)

func stepHead(from, to release) string {
	return fmt.Sprintf("Upgrade from %s to %s", from.version, to.version)
}

// anchor is what GitHub makes of a heading.
func anchor(heading string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(kept, " ", "-")
}

// summary counts the changes of an upgrade.
func summary(d *upgrade.Diff) string {
	v := d.Verdict
	return fmt.Sprintf("%d fixed, %d regressed, %d moved; the index %s", v.Fixed, v.Regressed, v.Moved, map[string]string{
		"keep": "stays", "keep-but-do-not-mix": "stays, unmixed", "re-embed": "breaks", "unknown": "is undecided"}[v.Index])
}

// stepSection is an upgrade: what changed, what it means, who breaks, and how to live with it.
func stepSection(b *strings.Builder, from, to release, d *upgrade.Diff) {
	fmt.Fprintf(b, "\n## %s\n\n**%s**\n\nvLLM %s → %s. Again: `make upgrade FROM=%s TO=%s`\n",
		stepHead(from, to), prose(d.Verdict.Words), from.vllm(), to.vllm(), from.version, to.version)
	for _, part := range []struct {
		mark  upgrade.Mark
		title string
	}{{upgrade.Regressed, "Regressed"}, {upgrade.Moved, "Moved"}, {upgrade.Fixed, "Fixed"}} {
		changes := slices.DeleteFunc(slices.Clone(d.Changes), func(c upgrade.Change) bool { return c.Mark != part.mark })
		if len(changes) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n**%s (%d)**\n\n| check | before → after | what it means for clients | who breaks, how to live with it |\n| --- | --- | --- | --- |\n", part.title, len(changes))
		for _, c := range changes {
			fmt.Fprintf(b, "| `%s` | %s %s → %s %s | %s | %s |\n", c.Check, signOf(contract.Outcome(c.From.Outcome)), c.From.Variant,
				signOf(contract.Outcome(c.To.Outcome)), c.To.Variant, effectOf(c), livingWith(c))
		}
	}
	for i, w := range d.Ways {
		if i == 0 {
			b.WriteString("\nWhat clients do, each shown by what was recorded:\n\n")
		}
		fmt.Fprintf(b, "- %s: %s (%s)\n", prose(w.Do), quoted(w.Checks), prose(w.Proof))
	}
	for i, f := range d.Facts {
		if i == 0 {
			b.WriteString("\nFacts that differ:\n\n")
		}
		fmt.Fprintf(b, "- %s: %s → %s (%s: %s)\n", prose(f.Name), prose(f.Old), prose(f.New), f.Effect, prose(f.Why))
	}
	b.WriteString("\nMeasured between the two:\n\n")
	for _, m := range d.Measures {
		switch {
		case m.Moved:
			fmt.Fprintf(b, "- **%s**: %s (%s: %s)\n", prose(m.Name), prose(m.Text), m.Effect, prose(m.Why))
		case !strings.HasPrefix(m.Name, "vectors of requests with"):
			fmt.Fprintf(b, "- %s: %s, not beyond noise\n", prose(m.Name), prose(m.Text))
		}
	}
	for i, g := range d.Gaps {
		if i == 0 {
			b.WriteString("\nNot comparable:\n\n")
		}
		fmt.Fprintf(b, "- %s: %s\n", prose(contract.Shorten(g.Reason, reasonShown)), quoted(g.Checks))
	}
}

func effectOf(c upgrade.Change) string {
	out := c.Effect
	if c.Effect == string(contract.ClientChange) || c.Effect == string(contract.IndexBreak) {
		out = "**" + out + "**"
	}
	if c.Silent {
		out += ", silent"
	}
	if c.Provisional {
		out += ", *provisional*"
	}
	if c.Why != "" {
		out += ": " + prose(c.Why)
	}
	return out
}

// livingWith says who breaks on the new answer and what bridges it, or who no longer does.
func livingWith(c upgrade.Change) string {
	var parts []string
	switch {
	case c.To.Breaks != "" && c.Mark != upgrade.Fixed:
		parts = append(parts, prose(c.To.Breaks))
	case c.To.Breaks != "":
		parts = append(parts, "still: "+prose(c.To.Breaks))
	case c.From.Breaks != "":
		parts = append(parts, "no longer: "+prose(c.From.Breaks))
	}
	if c.To.Remedy != "" {
		parts = append(parts, "Way out: "+prose(c.To.Remedy))
	}
	return strings.Join(parts, ". ")
}

// recordedSection says how each recording was made, and the command that makes it again.
func recordedSection(b *strings.Builder, s contract.Suite, all []release) {
	b.WriteString("\n## How this was recorded\n\nEach release was started as below, with the seeded two-layer model of [fixtures/model](../fixtures/model) and asked by the same plan.\n" +
		"What depends on trained weights or on a GPU is not shown by it. The rows of lifecycle are one observation each: what a\n" +
		"request meets whose worker ends depends on the moment.\n")
	for _, r := range all {
		h := r.rec.Header
		fmt.Fprintf(b, "\n### Dynamo %s\n\n%s. Recorded %s on %s; %d checks, plan of %s.\n\n```bash\n", r.version, prose(h.Target.Title), h.Started.Format("2006-01-02"),
			prose(machineOf(h.Machine)), len(r.rec.Checks()), prose(r.rec.Plan.Reference))
		fmt.Fprintf(b, "fixtures/prepare.sh %s model\nembedcontract run %s%s --reference fixtures/recordings/%s --out .runs/again\n```\n",
			h.Target.Name, h.Target.Name, runOptions(s, r.rec), r.rec.Plan.Reference)
		startedBy(b, h.Target)
	}
}

func machineOf(m map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, k+" "+m[k])
	}
	return strings.Join(parts, ", ")
}

// runOptions are the options without which some of what was recorded is not asked.
func runOptions(s contract.Suite, rec *recording.Recording) string {
	out, sdks := "", []string{}
	for _, c := range s.Checks() {
		for _, t := range rec.Trails(c.ID) {
			if c.Extended && out == "" {
				out = " --extended"
			}
			for _, sdk := range []string{"python", "node"} {
				if strings.HasPrefix(c.ID, "witnesses/"+sdk+"-") && t.Inapplicable == "" && !slices.Contains(sdks, sdk) {
					sdks = append(sdks, sdk)
				}
			}
		}
	}
	if len(sdks) > 0 {
		out += " --witness " + strings.Join(sdks, ",")
	}
	return out
}

// startedBy shows the commands of the components, as the target file resolved them.
func startedBy(b *strings.Builder, t recording.Target) {
	var spec struct {
		Components []struct {
			Name    string
			Command []string
			Env     map[string]string
		}
	}
	if json.Unmarshal(t.Spec, &spec) != nil || len(spec.Components) == 0 {
		return
	}
	b.WriteString("\n<details>\n<summary>Commands and environment of its processes</summary>\n\n```bash\n")
	for _, c := range spec.Components {
		fmt.Fprintf(b, "# %s\n", c.Name)
		for _, k := range slices.Sorted(maps.Keys(c.Env)) {
			fmt.Fprintf(b, "%s=%s \\\n", k, c.Env[k])
		}
		fmt.Fprintf(b, "  %s\n", strings.Join(c.Command, " "))
	}
	b.WriteString("```\n\n</details>\n")
}

// TestReleasesOfSeveralReleases writes the page of three servers as if they were releases: a section for each step, a
// column for each release, and a link for each section.
func TestReleasesOfSeveralReleases(t *testing.T) {
	s, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	var recs []*recording.Recording
	for _, r := range [][3]string{{"legacy", "1.9.0", "0.20.0"}, {"vllm-0.31.0", "1.10.0", "0.31.0"}, {"dynamo-1.6.1", "2.0.0", ""}} {
		rec := committed(t, r[0])
		rec.Header.Target.Name, rec.Header.Target.Kind = "dynamo-"+r[1], "real"
		rec.Header.Target.Versions = map[string]string{"dynamo": r[1], "vllm": r[2]}
		recs = append(recs, rec)
	}
	page := releasesPage(s, recs)
	for _, want := range []string{
		"\n| **1.10.0** | 0.31.0 | ", "\n| **2.0.0** | not recorded | ",
		"(#upgrade-from-190-to-1100)", "\n## Upgrade from 1.9.0 to 1.10.0\n", "\n## Upgrade from 1.10.0 to 2.0.0\n",
		"\n| check | 1.9.0 | 1.10.0 | 2.0.0 |\n",
		"\n| `dimensions/reduced-256` | ✓ honoured | **○ rejected-4xx** | **✗ failed-5xx** |\n",
		"\n| `dimensions/reduced-256` | ○ rejected-4xx → ✗ failed-5xx | ",
		"`make upgrade FROM=1.10.0 TO=2.0.0`", "\n### Dynamo 1.10.0\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(page, "\n| `response_shape/flat-vector` |") {
		t.Error("a check that all pass alike is shown in full")
	}
	linksWithin(t, page)
	one := releasesPage(s, recs[:1])
	if strings.Contains(one, "## Upgrade") || !strings.Contains(one, "\n| check | 1.9.0 |\n") {
		t.Error("the page of one release has an upgrade, or no table")
	}
}

// linksWithin fails for each link of a page to a heading that it does not have.
func linksWithin(t *testing.T, page string) {
	t.Helper()
	for _, link := range regexp.MustCompile(`\]\(#([^)]+)\)`).FindAllStringSubmatch(page, -1) {
		if !slices.ContainsFunc(strings.Split(page, "\n"), func(l string) bool {
			return strings.HasPrefix(l, "#") && anchor(strings.TrimLeft(l, "# ")) == link[1]
		}) {
			t.Errorf("the link #%s leads nowhere", link[1])
		}
	}
}

// TestVersionsAreSortedAsNumbers: 1.10.0 comes after 1.9.0, and what is no release is none.
func TestVersionsAreSortedAsNumbers(t *testing.T) {
	if slices.Compare(numbersOf("dynamo-1.9.0"), numbersOf("dynamo-1.10.0")) >= 0 {
		t.Error("1.10.0 is before 1.9.0")
	}
	for _, name := range []string{"dynamo-1.6.1-container", "dynamo-1.6", "legacy", "dynamo-1.6.1rc1"} {
		if versionOf(name) != "" {
			t.Errorf("%s is taken for a release", name)
		}
	}
}
