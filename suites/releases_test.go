package suites_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/upgrade"
	"github.com/embedcontract/embedcontract/suites"
)

// release is a release of Dynamo that was recorded, with what it answers to each target check.
type release struct {
	version string
	rec     *recording.Recording
	cells   map[string]judge.Cell
}

// TestDocumentsOfTheReleases holds RELEASES.md to the committed recordings of Dynamo.
func TestDocumentsOfTheReleases(t *testing.T) {
	s, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	all := committedReleases(t)
	if len(all) == 0 {
		t.Fatal("no release of Dynamo is recorded")
	}
	current(t, "RELEASES.md", releasesPage(s, all))
}

// committedReleases are the recordings of releases and of nothing else, the oldest first.
func committedReleases(t *testing.T) []*recording.Recording {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join("..", "fixtures", "recordings", "dynamo-*"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*recording.Recording
	for _, dir := range dirs {
		name := filepath.Base(dir)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() || versionOf(name) == "" {
			continue
		}
		rec := committed(t, name)
		if h := rec.Header.Target; h.Name != name || h.Versions["dynamo"] != versionOf(name) || h.Kind != "real" {
			t.Fatalf("%s holds a recording of %s, dynamo %q, kind %s", dir, h.Name, h.Versions["dynamo"], h.Kind)
		}
		out = append(out, rec)
	}
	slices.SortFunc(out, func(a, b *recording.Recording) int {
		return slices.Compare(numbersOf(a.Header.Target.Name), numbersOf(b.Header.Target.Name))
	})
	return out
}

// versionOf reads the version of the name of a release, dynamo-x.y.z; empty for any other name.
func versionOf(name string) string {
	m := regexp.MustCompile(`^dynamo-(\d+\.\d+\.\d+)$`).FindStringSubmatch(name)
	if m == nil {
		return ""
	}
	return m[1]
}

func numbersOf(name string) []int {
	var out []int
	for part := range strings.SplitSeq(versionOf(name), ".") {
		n, _ := strconv.Atoi(part)
		out = append(out, n)
	}
	return out
}

// releasesPage writes RELEASES.md of recordings of releases, the oldest first.
func releasesPage(s contract.Suite, recs []*recording.Recording) string {
	j := judge.New(s)
	var all []release
	for _, rec := range recs {
		r := release{versionOf(rec.Header.Target.Name), rec, map[string]judge.Cell{}}
		for _, c := range s.Checks() {
			if !c.Pair() {
				r.cells[c.ID] = j.Target(rec, c)
			}
		}
		all = append(all, r)
	}
	var steps []*upgrade.Diff
	for i := range recs[1:] {
		steps = append(steps, upgrade.Compare(upgrade.Input{Suite: s, Today: recs[i+1].Ended, Old: recs[i], New: recs[i+1]}))
	}
	var b strings.Builder
	b.WriteString("<!-- Written by go test ./suites -run Documents -update; a test fails when it is stale. -->\n# Dynamo, release by release\n\n")
	fmt.Fprintf(&b, "What `/v1/embeddings` of NVIDIA Dynamo with vLLM answers, as its clients and their indexes notice it. Each cell is judged from a\n"+
		"recording of the real servers in [fixtures/recordings](../fixtures/recordings), by contract revision %s ([CONTRACT.md](CONTRACT.md) has the\n"+
		"promise, the reason and the sources of each check). Nothing is taken from documentation.\n", s.Revision)
	overview(&b, s, all)
	b.WriteString("\nContents: [behaviour by release](#behaviour-by-release)")
	for i, d := range steps {
		head := stepHead(all[i], all[i+1])
		fmt.Fprintf(&b, " · [%s → %s](#%s) (%s)", all[i].version, all[i+1].version, anchor(head), summary(d))
	}
	b.WriteString(" · [how this was recorded](#how-this-was-recorded)\n")
	behaviours(&b, s, all)
	for i, d := range steps {
		stepSection(&b, all[i], all[i+1], d)
	}
	recordedSection(&b, s, all)
	return b.String()
}

// overview has a row for each release: what it pins, and how it meets the contract.
func overview(b *strings.Builder, s contract.Suite, all []release) {
	order := []contract.Outcome{contract.Pass, contract.Differs, contract.Unsupported, contract.Fail, contract.Flaky, contract.Error, contract.NotApplicable}
	b.WriteString("\n| release | vLLM | recorded | pass | differs | unsupported | fail | flaky | no verdict | cannot be asked |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range all {
		n := map[contract.Outcome]int{}
		for _, c := range s.Checks() {
			if !c.Pair() && !c.Provisional {
				n[r.cells[c.ID].Outcome]++
			}
		}
		fmt.Fprintf(b, "| **%s** | %s | %s |", r.version, r.vllm(), r.rec.Header.Started.Format("2006-01-02"))
		for _, o := range order {
			fmt.Fprintf(b, " %d |", n[o])
		}
		b.WriteString("\n")
	}
}

func (r release) vllm() string {
	if v := r.rec.Header.Target.Versions["vllm"]; v != "" {
		return v
	}
	return "not recorded"
}

// behaviours has a table for each behaviour, with the checks that some release answers otherwise than another, or
// otherwise than promised.
func behaviours(b *strings.Builder, s contract.Suite, all []release) {
	b.WriteString("\n## Behaviour by release\n\n✓ pass · ~ differs · ○ unsupported · ✗ fail · ± flaky · – cannot be asked · ! no verdict. *Provisional* checks are not in the revision, and count for nothing.\n" +
		"Checks that every release passes in the same way are only counted.\n")
	for _, h := range s.Behaviours {
		var rows []contract.Check
		alike, other := 0, 0
		for _, c := range h.Checks {
			switch kind := rowKind(c, all); {
			case c.Pair():
			case kind == "shown":
				rows = append(rows, c)
			case kind == "pass":
				alike++
			default:
				other++
			}
		}
		if len(rows)+alike+other == 0 {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n%s.", h.Stem, prose(h.Promise))
		if alike > 0 {
			fmt.Fprintf(b, " %s in every release.", checksPass(alike))
		}
		if other > 0 {
			fmt.Fprintf(b, " %d could not be asked of any.", other)
		}
		b.WriteString("\n")
		if len(rows) > 0 {
			behaviourRows(b, rows, all)
		}
	}
}

func checksPass(n int) string {
	if n == 1 {
		return "1 check passes"
	}
	return fmt.Sprintf("%d checks pass", n)
}

// rowKind says whether a check is shown in full: "shown", "pass" when all releases pass alike, else "other".
func rowKind(c contract.Check, all []release) string {
	first := all[0].cells[c.ID]
	for _, r := range all {
		if cell := r.cells[c.ID]; cell.Variant() != first.Variant() || cell.Outcome != first.Outcome {
			return "shown"
		}
	}
	switch first.Outcome {
	case contract.Pass:
		return "pass"
	case contract.NotApplicable, contract.Skipped:
		return "other"
	}
	return "shown"
}

func behaviourRows(b *strings.Builder, rows []contract.Check, all []release) {
	b.WriteString("\n| check |")
	for _, r := range all {
		fmt.Fprintf(b, " %s |", r.version)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(all)) + "\n")
	for _, c := range rows {
		name := "`" + c.ID + "`"
		if c.Provisional {
			name += " *provisional*"
		}
		fmt.Fprintf(b, "| %s |", name)
		for i, r := range all {
			cell := r.cells[c.ID]
			text := signOf(cell.Outcome) + " " + cell.Variant()
			if i > 0 && cell.Variant() != all[i-1].cells[c.ID].Variant() {
				text = "**" + text + "**"
			}
			fmt.Fprintf(b, " %s |", text)
		}
		b.WriteString("\n")
	}
	b.WriteString("\n<details>\n<summary>What these answers are, who breaks, and how to live with it</summary>\n\n")
	for _, c := range rows {
		fmt.Fprintf(b, "- `%s`: %s (%s)\n", c.ID, prose(c.Promise), c.Level)
		told := map[string]bool{}
		for _, r := range all {
			cell := r.cells[c.ID]
			if told[cell.Variant()] {
				continue
			}
			told[cell.Variant()] = true
			fmt.Fprintf(b, "  - `%s`: %s\n", cell.Variant(), meaningOf(c, cell))
		}
	}
	b.WriteString("\n</details>\n")
}

// meaningOf says what an answer is, who breaks on it, and what bridges it.
func meaningOf(c contract.Check, cell judge.Cell) string {
	if cell.Finding.Variant == "" || cell.Outcome == contract.Flaky {
		return prose(contract.Shorten(cell.Reason, reasonShown)) + "."
	}
	v := c.Variant(cell.Finding.Variant)
	out := prose(v.Meaning) + "."
	if v.Breaks != "" {
		out += " Breaks: " + prose(v.Breaks) + "."
	}
	if v.Remedy != "" {
		out += " Way out: " + prose(v.Remedy) + "."
	}
	return out
}

// reasonShown is how much is shown of a reason, in characters.
const reasonShown = 200

func signOf(o contract.Outcome) string {
	signs := map[contract.Outcome]string{contract.Pass: "✓", contract.Differs: "~", contract.Unsupported: "○", contract.Fail: "✗",
		contract.Flaky: "±", contract.NotApplicable: "–", contract.Skipped: "–"}
	if s, ok := signs[o]; ok {
		return s
	}
	return "!"
}
