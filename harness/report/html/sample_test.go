package html

import (
	"bytes"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/upgrade"
	"github.com/embedcontract/embedcontract/suites"
)

const recordings = "../../../fixtures/recordings"

// today is the day of all reports of these tests: the same recordings give the same bytes.
var today = time.Date(2026, time.December, 1, 9, 0, 0, 0, time.UTC)

func open(t *testing.T, name string) *recording.Recording {
	t.Helper()
	rec, err := recording.Open(filepath.Join(recordings, name))
	if err != nil {
		t.Fatal(err)
	}
	rec.Path = "fixtures/recordings/" + name
	return rec
}

// recorded is the report on committed recordings, the reference first.
func recorded(t *testing.T, names ...string) *report.Report {
	t.Helper()
	suite, err := suites.At("")
	if err != nil {
		t.Fatal(err)
	}
	in := report.Input{Suite: suite, Tool: map[string]string{"name": "embedcontract", "version": "test"}, Today: today}
	for _, name := range names {
		s := report.Source{Recording: open(t, name), Argument: name}
		if s.Expected, err = fixtures.RecordedExpectations(s.Recording.Header.Target, suite); err != nil {
			t.Fatal(err)
		}
		in.Targets = append(in.Targets, s)
	}
	if len(names) > 1 {
		in.Reference = names[0]
	}
	return report.Build(in)
}

// real is the report on the real pair and its third, made once.
var real = sync.OnceValue(func() func(*testing.T) *report.Report {
	var once sync.Once
	var r *report.Report
	return func(t *testing.T) *report.Report {
		t.Helper()
		once.Do(func() { r = recorded(t, "legacy", "dynamo-1.6.1", "vllm-0.31.0") })
		c, err := cleaned(r)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
})()

func compared(t *testing.T, older, newer string) *upgrade.Diff {
	t.Helper()
	suite, err := suites.At("")
	if err != nil {
		t.Fatal(err)
	}
	return upgrade.Compare(upgrade.Input{Suite: suite, Today: today, Old: open(t, older), New: open(t, newer), Tool: map[string]string{"version": "test"}})
}

// many is a report of so many targets: the second of the real ones stands there again and again.
func many(t *testing.T, n int) *report.Report {
	t.Helper()
	r := real(t)
	last := r.Targets[1]
	for i := len(r.Targets); i < n; i++ {
		name := last.Name + "-copy-" + strconv.Itoa(i)
		again := last
		again.Name = name
		r.Targets = append(r.Targets, again)
		for _, c := range slices.Clone(r.Cells) {
			if c.Target == last.Name {
				c.Target = name
				r.Cells = append(r.Cells, c)
			}
		}
		p := r.Pairs[0]
		p.Candidate = name
		r.Pairs = append(r.Pairs, p)
	}
	return r
}

// spoilt has what a server that means harm could answer, wherever its words stand.
const harm = `</script></style></title></textarea>--><img src=x onerror="document.title='harmed'"><script>document.title='harmed'</script>` +
	"\" onmouseover=\"alert(1) ' javascript:alert(1) \u202eturned\u0000\u001b[31m{{.}} <base href=//example.org>"

func spoilt(t *testing.T) *report.Report {
	t.Helper()
	r := real(t)
	for i := range r.Targets {
		r.Targets[i].Title, r.Targets[i].Model, r.Targets[i].Problem, r.Targets[i].Recording = harm, harm, harm, harm
		r.Targets[i].Versions = map[string]string{harm: harm}
	}
	spoil := func(j *report.Judgement) {
		j.Observed, j.Meaning, j.Breaks, j.Remedy, j.Reason = harm, harm, harm, harm, harm
		j.Expected.Why, j.Expected.Upstream, j.Expected.Status = harm, "javascript:alert(1)", harm
		for k := range j.Series {
			j.Series[k].Of = []string{harm}
		}
		if j.Variant != "" {
			j.Variant = harm
		}
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		spoil(&c.Judgement)
		c.Evidence, c.Logs, c.Reproduce = []report.Evidence{{Step: harm, Curl: harm, Answer: harm}}, []string{harm}, harm
	}
	for i := range r.Pairs {
		p := &r.Pairs[i]
		p.Decision.Words = harm
		for j := range p.Cells {
			spoil(&p.Cells[j].Judgement)
			p.Cells[j].Why, p.Cells[j].From, p.Cells[j].To = harm, harm, harm
		}
	}
	r.Verdict.Words = []string{harm}
	r.Baseline = &report.Baseline{Folder: harm, Differences: []report.Difference{{Column: harm, Check: harm, Before: harm, After: harm}}}
	return r
}

func written(t *testing.T, r *report.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(r, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// node is an element of a parsed page.
type node struct{ *html.Node }

func parsed(t *testing.T, text []byte) node {
	t.Helper()
	n, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return node{n}
}

func (n node) attr(name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (n node) has(name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}
