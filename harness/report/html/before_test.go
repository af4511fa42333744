package html

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

// What a cell was before stands beside what it is, and rows are found by it: since an earlier report in an order from good to
// bad, since earlier recordings without one.
func TestWhatACellWasBefore(t *testing.T) {
	column := "dynamo-1.6.1"
	swap := column + " in place of legacy"
	turn := func(column, check, was string) report.Turn {
		return report.Turn{Column: column, Check: check, Before: was}
	}
	since := &report.Since{Report: "r.json", New: []report.Turn{turn(column, "dimensions/reduced-256", "honoured")},
		Gone: []report.Turn{turn(column, "dimensions/zero", "failed-5xx")}, Moved: []report.Turn{turn(swap, "vector_parity/cosine", "within-noise (same)")}}
	before := &report.Baseline{Folder: "before", Differences: []report.Difference{{Column: column, Check: "dimensions/reduced-256", Before: "honoured"}}}
	for name, c := range map[string]struct {
		since    *report.Since
		baseline *report.Baseline
		want     map[string]string // what stands in a row, by check
		filters  []string
	}{
		"nothing":    {nil, nil, map[string]string{"dimensions/reduced-256": "", "dimensions/zero": "", "vector_parity/cosine": ""}, nil},
		"a report":   {since, nil, map[string]string{"dimensions/reduced-256": "▼ worse, was honoured", "dimensions/zero": "▲ better, was failed-5xx", "vector_parity/cosine": "◆ moved, was within-noise (same)"}, []string{"is-worse", "is-better", "is-moved"}},
		"recordings": {nil, before, map[string]string{"dimensions/reduced-256": "◆ moved, was honoured", "dimensions/zero": ""}, []string{"is-moved"}},
	} {
		r := real(t)
		r.Since, r.Baseline = c.since, c.baseline
		page := parsed(t, written(t, r))
		for check, want := range c.want {
			row, ok := page.byID("row-check-" + strings.ReplaceAll(strings.ReplaceAll(check, "_", "-"), "/", "-"))
			if !ok {
				row, ok = page.byID("row-check-" + strings.ReplaceAll(check, "/", "-"))
			}
			if !ok {
				t.Fatalf("no row of %s", check)
			}
			got := ""
			for _, p := range row.all("span", "past") {
				got += strings.Join(strings.Fields(p.text()), " ")
			}
			if got != want {
				t.Errorf("%s, %s: %q, want %q", name, check, got, want)
			}
		}
		for _, class := range []string{"is-worse", "is-better", "is-moved"} {
			if _, ok := page.byID("show-" + class); ok != slices.Contains(c.filters, class) {
				t.Errorf("%s: a filter for %s: %t", name, class, ok)
			}
		}
	}
}

// The row of all checks counts every cell of a column once, also one that the report does not hold.
func TestTheRowOfAllChecksAddsUp(t *testing.T) {
	r := real(t)
	r.Cells = slices.DeleteFunc(r.Cells, func(c report.Cell) bool { return c.Check == "dimensions/zero" && c.Target == "dynamo-1.6.1" })
	p := &r.Pairs[0]
	p.Cells = slices.DeleteFunc(p.Cells, func(c report.PairCell) bool { return c.Check == "vector_parity/cosine" })
	page := parsed(t, written(t, r))
	sum := func(rows []node) map[string]int {
		n := map[string]int{}
		for _, row := range rows {
			for i, cell := range row.all("td", "") {
				for _, part := range cell.all("span", "n") {
					if part.attr("class") == "n note" {
						continue
					}
					count, word, _ := strings.Cut(strings.TrimSpace(part.text()), " ")
					x, err := strconv.Atoi(count)
					if err != nil {
						t.Fatalf("%q: %v", part.text(), err)
					}
					n[strconv.Itoa(i)+" "+word] += x
				}
			}
		}
		return n
	}
	var groups []node
	for _, g := range page.all("tbody", "group") {
		groups = append(groups, g.all("tr", "behaviour")...)
	}
	total, all := sum(page.all("tbody", "total")), sum(groups)
	for k, want := range all {
		if total[k] != want {
			t.Errorf("%s: %d in all, the behaviours have %d", k, total[k], want)
		}
	}
	missing := 0
	for k, n := range total {
		if strings.HasSuffix(k, " missing") {
			missing += n
		}
	}
	if len(total) != len(all) || missing < 2 {
		t.Errorf("%d kinds of cells, %d in the behaviours; %d missing", len(total), len(all), missing)
	}
}

func TestTheWorstBehavioursAreFirst(t *testing.T) {
	of := func(class string) cell { return cell{kind: kind{Class: class}} }
	behaviour := func(stem string, cells ...cell) group {
		return group{Stem: stem, Rows: []row{{Cells: cells}}}
	}
	flagged := of("o-differs")
	flagged.Flag = "unexpected"
	silent := of("e-client-change")
	silent.Silent = true
	provisional := behaviour("provisional", of("e-index-break"))
	provisional.Rows[0].Provisional = true
	groups := []group{behaviour("good", of("o-pass")), behaviour("fails", of("o-fail"), of("o-fail")), behaviour("changes", of("e-client-change"), of("o-fail")),
		behaviour("silent", silent), behaviour("breaks", of("e-index-break")), behaviour("unexpected", flagged), provisional, behaviour("as good", of("o-pass"))}
	worstFirst(groups)
	got := make([]string, len(groups))
	for _, g := range groups {
		got[g.Worst] = g.Stem
	}
	if want := "unexpected breaks silent changes fails good provisional as good"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// The page of an upgrade says what becomes of the index, in a colour too.
func TestIndexOfAnUpgrade(t *testing.T) {
	for answer, want := range map[verdict.Answer]string{verdict.Keep: "good", verdict.KeepNot: "care", verdict.ReEmbed: "bad", verdict.Unknown: "open"} {
		d := compared(t, "dynamo-1.5.1", "dynamo-1.6.1")
		d.Verdict.Index = string(answer)
		if got := newUpgradePage(d).Index; got.Class != want || got.Name != "Index" || got.Answer == "" {
			t.Errorf("%s: %+v, want %s", answer, got, want)
		}
	}
}
