package suites_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/suites"
)

var update = flag.Bool("update", false, "write CONTRACT.md, RELEASES.md, SERVERS.md and fixtures/recordings/shown.json anew")

// current compares a generated file with what is generated now, or writes it.
func current(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is stale: go test ./suites -run Documents -update", path)
	}
}

// TestDocumentsOfTheContract holds CONTRACT.md to the checks.
func TestDocumentsOfTheContract(t *testing.T) {
	s, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	current(t, "CONTRACT.md", document(t, s))
}

// TestDocumentsOfTheRecordings holds what explain says of real servers to the committed recordings.
func TestDocumentsOfTheRecordings(t *testing.T) {
	s, err := suites.At(contract.Draft)
	if err != nil {
		t.Fatal(err)
	}
	shown := shownBy(t, s)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(shown); err != nil {
		t.Fatal(err)
	}
	if b.Len() > mostShown {
		t.Errorf("shown.json has %d bytes, at most %d", b.Len(), mostShown)
	}
	current(t, filepath.Join("..", "fixtures", "recordings", "shown.json"), b.String())
	if *update {
		return // this program holds the file as it was when it was built
	}
	got, err := fixtures.Shown()
	if err != nil || len(got) != len(shown) {
		t.Errorf("the command knows of %d checks, there are %d (%v)", len(got), len(shown), err)
	}
	for server, variant := range map[string]string{"legacy (reconstructed)": "honoured", "infinity-0.0.78 (real)": "sliced-not-renormalised",
		"dynamo-1.3.1 (real)": "failed-5xx", "dynamo-1.4.2-h200 (real)": "failed-5xx", "llama-server-11434 (real)": "ignored"} {
		if servers := got["dimensions/reduced-256"][variant]; !slices.Contains(servers, server) {
			t.Errorf("%s shows %s, and explain says %v", server, variant, servers)
		}
	}
}

// mostShown bounds shown.json, which is part of the command, in bytes.
const mostShown = 300 << 10

// shownBy judges the committed recordings, each server beside the one by whose plan it was asked: which servers answer a
// check in which way. Checks that a recording lacks, and those that could not be asked of its server, are shown by nobody.
func shownBy(t *testing.T, s contract.Suite) map[string]map[string][]string {
	t.Helper()
	recs, order := allCommitted(t)
	name := func(n string) string { return n + " (" + recs[n].Header.Target.Kind + ")" }
	out := map[string]map[string][]string{}
	put := func(c contract.Check, cell judge.Cell, who string) {
		if cell.Outcome == contract.Error || cell.Finding.Variant == "" {
			return
		}
		if out[c.ID] == nil {
			out[c.ID] = map[string][]string{}
		}
		out[c.ID][cell.Finding.Variant] = append(out[c.ID][cell.Finding.Variant], who)
	}
	j := judge.New(s)
	for _, c := range s.Checks() {
		for _, n := range order {
			reference := recs[n].Plan.Reference
			switch {
			case !c.Pair():
				put(c, j.Target(recs[n], c), name(n))
			case reference != n && recs[reference] != nil:
				put(c, j.Pair(recs[reference], recs[n], c), name(n)+" in place of "+name(reference))
			}
		}
	}
	return out
}

// allCommitted reads every recording of a server that is committed, by its name: the legacy server first, then by name.
func allCommitted(t *testing.T) (recs map[string]*recording.Recording, order []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "fixtures", "recordings", "*", "exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	recs = map[string]*recording.Recording{}
	for _, file := range files {
		n := filepath.Base(filepath.Dir(file))
		recs[n] = committed(t, n)
		if n != serversReference {
			order = append(order, n)
		}
	}
	slices.Sort(order)
	if recs[serversReference] == nil {
		t.Fatal("there is no recording of the legacy server")
	}
	return recs, append([]string{serversReference}, order...)
}

// prose keeps a text in its cell of a Markdown table, and as it is.
func prose(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "&#124;", "*", "&#42;", "\n", " ").Replace(s)
}

func quoted(ids []string) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = "`" + id + "`"
	}
	return strings.Join(out, ", ")
}

// kindOf says when a check is asked, of how many servers it is, and whether it counts.
func kindOf(c contract.Check) string {
	kind := []string{"core"}
	if c.Extended {
		kind[0] = "extended"
	}
	if c.Pair() {
		kind = append(kind, "pair")
	}
	if c.Provisional {
		kind = append(kind, "provisional")
	}
	if c.Remedy() {
		kind[len(kind)-1] = "remedy"
	}
	return strings.Join(kind, ", ")
}

// document writes CONTRACT.md.
func document(t *testing.T, s contract.Suite) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("<!-- Written by go test ./suites -run Documents -update; a test fails when it is stale. -->\n# The contract\n\n")
	fmt.Fprintf(&b, "What a client of an OpenAI-compatible embeddings endpoint relies on: %d checks, by contract revision %s.\n\n", len(s.Checks()), s.Revision)
	b.WriteString("Level: must, should, may. Core checks are asked in every run, extended ones (slow, or heavy for the server) on request.\n" +
		"A pair check is decided from the answers of two servers, and has an effect on a swap. A provisional check is not in\n" +
		"the revision yet: it is asked and shown, and not counted. Every check has a closed list of ways to answer; besides these,\n" +
		"`other` (an answer on no list), `no-answer` and `dies` are failures of every check. `embedcontract explain CHECK` adds\n" +
		"what each way means, what bridges it, which recorded servers show it, and the requests.\n\n")
	for _, h := range s.Behaviours {
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", h.Stem, h.Stem, prose(h.Promise))
	}
	for _, h := range s.Behaviours {
		behaviourSection(&b, h)
	}
	rowsSection(&b, s)
	revisionsSection(t, &b, s)
	return b.String()
}

func behaviourSection(b *strings.Builder, h contract.Behaviour) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n| check | level | kind | promise | ways to answer |\n| --- | --- | --- | --- | --- |\n", h.Stem, prose(h.Promise))
	for _, c := range h.Checks {
		var ways []string
		for _, v := range c.Variants {
			way := fmt.Sprintf("`%s` (%s", v.Name, v.Outcome)
			if v.Effect != "" {
				way += ", " + string(v.Effect)
			}
			if v.Silent {
				way += ", silent"
			}
			ways = append(ways, way+")")
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", c.ID, c.Level, kindOf(c), prose(c.Promise), strings.Join(ways, ", "))
	}
	if len(h.Remedies) > 0 {
		b.WriteString("\nWhat clients can do (each is run, and proved or not, for every pair):\n\n")
	}
	for _, c := range h.Remedies {
		fmt.Fprintf(b, "- `%s` (%s): %s; %s. Bridges %s.\n", c.ID, kindOf(c), prose(c.Promise), prose(c.Why), quoted(c.Bridges))
	}
	b.WriteString("\n<details>\n<summary>Why, who breaks, sources</summary>\n\n")
	for _, c := range h.Checks {
		fmt.Fprintf(b, "- **`%s`**: %s.\n", c.ID, prose(c.Why))
		for _, breaks := range byVictim(c) {
			fmt.Fprintf(b, "  - %s\n", breaks)
		}
		fmt.Fprintf(b, "  - sources: %s\n", prose(strings.Join(c.Sources, "; ")))
	}
	b.WriteString("\n</details>\n")
}

// byVictim says who breaks on which variants; those on which the same ones break share a line.
func byVictim(c contract.Check) []string {
	var order []string
	names := map[string][]string{}
	for _, v := range c.Variants {
		if v.Breaks == "" {
			continue
		}
		if names[v.Breaks] == nil {
			order = append(order, v.Breaks)
		}
		names[v.Breaks] = append(names[v.Breaks], v.Name)
	}
	var out []string
	for _, who := range order {
		out = append(out, quoted(names[who])+" breaks: "+prose(who))
	}
	return out
}

func rowsSection(b *strings.Builder, s contract.Suite) {
	b.WriteString("\n## Rows\n\nThe survey of servers and clients on which the contract rests, row by row, and the checks that cover each.\n")
	sources := covering(s)
	left := map[string]string{}
	for _, o := range suites.LeftOut() {
		left[o.Row] = o.Why
	}
	for _, g := range suites.Rows() {
		fmt.Fprintf(b, "\n**%s**\n\n| row | a client relies on | checks |\n| --- | --- | --- |\n", g.Title)
		for _, r := range g.Rows {
			covered := quoted(sources[r.ID])
			if why, ok := left[r.ID]; ok {
				covered = "left out: " + prose(why)
			}
			fmt.Fprintf(b, "| `%s` | %s | %s |\n", r.ID, prose(r.Relies), covered)
		}
	}
}

func revisionsSection(t *testing.T, b *strings.Builder, s contract.Suite) {
	t.Helper()
	names, err := suites.Revisions()
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString("\n## Revisions\n\nA revision is a frozen list of checks and their levels ([revisions](revisions)); servers are judged by the newest\n" +
		"unless `--revision` names another, or `draft`, by which every check counts. An id keeps its meaning for ever.\n\n" +
		"| revision | checks | must | should | may |\n| --- | --- | --- | --- | --- |\n")
	for _, name := range names {
		r, err := suites.At(name)
		if err != nil {
			t.Fatal(err)
		}
		count := map[contract.Level]int{}
		for _, c := range r.Checks() {
			if !c.Provisional {
				count[c.Level]++
			}
		}
		must, should, may := count[contract.Must], count[contract.Should], count[contract.May]
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d |\n", name, must+should+may, must, should, may)
	}
	var provisional []string
	for _, c := range s.Checks() {
		if c.Provisional {
			provisional = append(provisional, c.ID)
		}
	}
	if len(provisional) > 0 {
		fmt.Fprintf(b, "\nProvisional by %s: %s.\n", s.Revision, quoted(provisional))
	}
}
