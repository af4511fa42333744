package suites_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/suites"
)

// serversReference is the server in whose place the others of the page are put: all were asked by its plan.
const serversReference = "legacy"

// realServers is how many real ones the page has at least, so that a recording that is lost is noticed.
const realServers = 8

// TestDocumentsOfTheServers holds SERVERS.md to the committed recordings of different servers.
func TestDocumentsOfTheServers(t *testing.T) {
	s, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	recs := committedServers(t)
	page := newServersPage(t, s, recs)
	if real := slices.DeleteFunc(slices.Clone(page.r.Targets), func(x report.Target) bool { return x.Kind != "real" }); len(real) < realServers {
		t.Errorf("recordings of %d real servers, want at least %d", len(real), realServers)
	}
	for _, p := range page.r.Pairs {
		if d := p.Decision; string(d.Answer) != "unknown" && strings.Contains(d.Words, "cannot tell") {
			t.Errorf("%s in place of %s: the answer is %s, and the words are: %s", p.Candidate, p.Reference, d.Answer, d.Words)
		}
	}
	current(t, "SERVERS.md", page.write())
}

// committedServers are the recordings of servers, each as it comes and with the settings that its target names: the
// reference, the newest release of Dynamo (RELEASES.md has the others), and all that are no Dynamo.
func committedServers(t *testing.T) []*recording.Recording {
	t.Helper()
	releases := committedReleases(t)
	out := []*recording.Recording{committed(t, serversReference), releases[len(releases)-1]}
	dirs, err := filepath.Glob(filepath.Join("..", "fixtures", "recordings", "*", "exchanges.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range dirs {
		rec := committed(t, filepath.Base(filepath.Dir(file)))
		if h := rec.Header.Target; h.Kind == "real" && !strings.HasPrefix(h.Name, "dynamo-") && h.Model == out[0].Header.Target.Model {
			out = append(out, rec)
		}
	}
	return out
}

// serversPage is what SERVERS.md is written of.
type serversPage struct {
	suite contract.Suite
	recs  []*recording.Recording
	r     *report.Report
	cells map[string]map[string]report.Cell // check, target; of what was asked
	pairs map[string]report.Pair            // candidate
}

func newServersPage(t *testing.T, s contract.Suite, recs []*recording.Recording) *serversPage {
	t.Helper()
	in := report.Input{Suite: s, Reference: recs[0].Header.Target.Name}
	for _, rec := range recs {
		list, err := fixtures.RecordedExpectations(rec.Header.Target, s)
		if err != nil {
			t.Fatal(err)
		}
		in.Targets = append(in.Targets, report.Source{Recording: rec, Expected: list, Argument: rec.Header.Target.Name})
		if in.Today.Before(rec.Ended) {
			in.Today = rec.Ended // of the page, so that it is the same tomorrow
		}
	}
	in.Today = in.Today.Truncate(24 * time.Hour)
	p := &serversPage{suite: s, recs: recs, r: report.Build(in), cells: map[string]map[string]report.Cell{}, pairs: map[string]report.Pair{}}
	asked := map[string]*recording.Recording{}
	for _, rec := range recs {
		asked[rec.Header.Target.Name] = rec
	}
	for _, c := range p.r.Cells {
		if len(asked[c.Target].Trails(c.Check)) == 0 {
			continue // an extended check of a recording without them
		}
		if p.cells[c.Check] == nil {
			p.cells[c.Check] = map[string]report.Cell{}
		}
		p.cells[c.Check][c.Target] = c
	}
	for _, x := range p.r.Pairs {
		p.pairs[x.Candidate] = x
	}
	return p
}

func (p *serversPage) write() string {
	var b strings.Builder
	b.WriteString("<!-- Written by go test ./suites -run Documents -update; a test fails when it is stale. -->\n# Servers\n\n")
	fmt.Fprintf(&b, "What `/v1/embeddings` of different servers answers, as their clients and their indexes notice it. Each cell is judged from a\n"+
		"recording of the real server in [fixtures/recordings](../fixtures/recordings), by contract revision %s ([CONTRACT.md](CONTRACT.md) has the\n"+
		"promise, the reason and the sources of each check; [RELEASES.md](RELEASES.md) the releases of Dynamo). Nothing is taken from\n"+
		"documentation. A server with other settings is another column: a default is not the product.\n", p.r.Revision)
	p.overview(&b)
	b.WriteString("\nContents: [behaviour by server](#behaviour-by-server)")
	for _, t := range p.r.Targets {
		fmt.Fprintf(&b, " · [%s](#%s)", column(t), anchor(t.Name))
	}
	b.WriteString("\n")
	p.behaviours(&b)
	for i, t := range p.r.Targets {
		p.server(&b, t, p.recs[i])
	}
	return b.String()
}

// column is the short name of a target, without versions, with its label.
func column(t report.Target) string {
	name := regexp.MustCompile(`-\d+(\.\d+)*`).ReplaceAllString(t.Name, "")
	if t.Kind != "real" {
		name += " (" + t.Kind + ")"
	}
	return name
}

// outcomesShown are the outcomes in the order of the page.
var outcomesShown = []contract.Outcome{contract.Pass, contract.Differs, contract.Unsupported, contract.Fail, contract.Flaky, contract.Error, contract.NotApplicable}

func (p *serversPage) overview(b *strings.Builder) {
	b.WriteString("\n| server | what it is | recorded | pass | differs | unsupported | fail | flaky | no verdict | cannot be asked | not asked | in place of " + p.r.Reference + " |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for i, t := range p.r.Targets {
		n := p.counts(t.Name)
		fmt.Fprintf(b, "| **%s** | [%s](../fixtures/targets/%s.yaml) | %s |", column(t), prose(t.Title), t.Name, t.Recorded.Format("2006-01-02"))
		for _, o := range outcomesShown {
			fmt.Fprintf(b, " %d |", n[string(o)])
		}
		fmt.Fprintf(b, " %d |", len(p.recs[i].Unasked(p.suite)))
		answer := "–"
		if x, ok := p.pairs[t.Name]; ok {
			answer = map[string]string{"drop-in": "as it is", "with-changes": "with %s", "not-safe": "no; %s are not enough", "unknown": "cannot tell"}[string(x.Decision.Answer)]
			if strings.Contains(answer, "%s") {
				answer = fmt.Sprintf(answer, clientChanges(len(x.Decision.Clients.Changes)))
			}
		}
		switch p.pairs[t.Name].Decision.Index.Answer {
		case "re-embed":
			answer += "; the index breaks"
		case "keep-but-do-not-mix":
			answer += "; the index stays, but do not mix"
		}
		fmt.Fprintf(b, " %s |\n", answer)
	}
}

// counts are the cells of a target by outcome.
func (p *serversPage) counts(target string) map[string]int {
	outcomes := map[string]int{}
	for _, h := range p.r.Behaviours {
		for _, check := range h.Checks {
			if cell, ok := p.cells[check.ID][target]; ok && !check.Pair && !check.Provisional {
				outcomes[cell.Outcome]++
			}
		}
	}
	return outcomes
}

func clientChanges(n int) string {
	if n == 1 {
		return "1 change of clients"
	}
	return fmt.Sprintf("%d changes of clients", n)
}

// TestServersAreNamed: the columns have different names, and every target that the page links to is a file.
func TestServersAreNamed(t *testing.T) {
	seen := map[string]string{}
	for _, rec := range committedServers(t) {
		h := rec.Header.Target
		short := column(report.Target{Name: h.Name, Kind: h.Kind})
		if other, ok := seen[short]; ok {
			t.Errorf("%s and %s are both called %s", other, h.Name, short)
		}
		seen[short] = h.Name
		if _, err := os.Stat(filepath.Join("..", "fixtures", "targets", h.Name+".yaml")); err != nil {
			t.Error(err)
		}
	}
}
