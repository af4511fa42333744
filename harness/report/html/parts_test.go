package html

import (
	"bytes"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/report"
)

func TestParts(t *testing.T) {
	r := real(t)
	r.Baseline = &report.Baseline{Folder: "before", Compared: 3, Differences: []report.Difference{
		{Column: "legacy", Check: "dimensions/reduced-256", Before: "fail failed-5xx", After: "pass honoured"}}}
	r.Since = &report.Since{Report: "earlier/report.json", New: []report.Turn{{Column: "legacy", Check: "dimensions/reduced-256", Before: "pass", After: "fail"}}}
	page := parsed(t, written(t, r))
	for _, id := range []string{"verdict", "matrix", "baseline", "since", "pictures", "evidence", "provenance"} {
		if _, ok := page.byID(id); !ok {
			t.Errorf("no %s", id)
		}
	}
	if _, ok := page.byID("releases"); ok {
		t.Error("one version of vllm is shown as releases")
	}
	if b, _ := page.byID("baseline"); !strings.Contains(b.text(), "fail failed-5xx pass honoured") {
		t.Errorf("baseline: %s", b.text())
	}
	if p, _ := page.byID("provenance"); !strings.Contains(p.text(), "reconstructed: our own server after a published description") {
		t.Errorf("provenance: %s", p.text())
	}
	for _, r := range []*report.Report{{Schema: report.Schema}, {Schema: report.Schema, Targets: []report.Target{{Name: "alone", Kind: "real", Problem: "did not start"}}}} {
		if text := parsed(t, written(t, r)).text(); !strings.Contains(text, "Evidence") {
			t.Errorf("an empty report: %s", text)
		}
	}
}

func TestReleases(t *testing.T) {
	page := parsed(t, written(t, recorded(t, "dynamo-1.6.1", "dynamo-1.3.1", "dynamo-1.5.1")))
	part, ok := page.byID("releases")
	if !ok {
		t.Fatal("no releases")
	}
	head := part.all("thead", "")[0].text()
	if head != "Check dynamo-1.3.1 dynamo-1.5.1 dynamo-1.6.1" {
		t.Errorf("the releases stand as %q", head)
	}
	if n := len(part.all("rect", "fill")); n < 40 {
		t.Errorf("only %d bars", n)
	}
	if older("1.10.0", "1.9.2") <= 0 || older("1.6", "1.6.1") >= 0 {
		t.Error("versions are compared as texts")
	}
}

func TestUpgrade(t *testing.T) {
	d := compared(t, "dynamo-1.5.1", "dynamo-1.6.1")
	page := parsed(t, writtenUpgrade(t))
	changes, _ := page.byID("changes")
	if rows := changes.all("tr", ""); len(rows) != len(d.Changes)+1 {
		t.Errorf("%d rows of %d changes", len(rows)-1, len(d.Changes))
	}
	if !strings.Contains(page.text(), d.Verdict.Words) {
		t.Errorf("the verdict is not there: %s", d.Verdict.Words)
	}
}

func writtenUpgrade(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteUpgrade(compared(t, "dynamo-1.5.1", "dynamo-1.6.1"), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
