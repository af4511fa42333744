package html

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/report"
)

// cellsOf is the sum of the counts of a cell of a group, without what is told beside them.
func cellsOf(t *testing.T, td node) (sum int) {
	t.Helper()
	for _, n := range td.all("span", "n") {
		if slices.Contains(strings.Fields(n.attr("class")), "note") {
			continue
		}
		count, _, _ := strings.Cut(n.text(), " ")
		v, err := strconv.Atoi(count)
		if err != nil {
			t.Fatal(err)
		}
		sum += v
	}
	return sum
}

// TestCountsAddUp: whatever a report lacks, or says in a word that this program does not know, is in the count of its column.
func TestCountsAddUp(t *testing.T) {
	r := real(t)
	lost := func(c report.PairCell) bool {
		return c.Check == "dimensions/reduced-256" || c.Check == "dimensions/same-native"
	}
	r.Pairs[0].Cells = slices.DeleteFunc(r.Pairs[0].Cells, lost)
	r.Pairs[0].Cells[0].Effect = "splendid"
	r.Cells = slices.DeleteFunc(r.Cells, func(c report.Cell) bool { return c.Target == "legacy" && c.Check == "dimensions/zero" })
	page := parsed(t, written(t, r))
	total := page.all("tbody", "total")[0].all("td", "")
	sums := make([]int, len(total))
	for _, g := range page.all("tbody", "group") {
		for i, td := range g.all("tr", "behaviour")[0].all("td", "") {
			cells := 0
			for _, row := range g.all("tr", "check") {
				if td := row.all("td", "cell")[i]; !slices.Contains(strings.Fields(td.attr("class")), "blank") {
					cells++
				}
			}
			if n := cellsOf(t, td); n != cells {
				t.Errorf("%s, column %d: counts add up to %d, and there are %d cells: %s", g.attr("id"), i, n, cells, td.text())
			}
			sums[i] += cells
		}
	}
	swaps := 0
	for i, td := range total {
		if n := cellsOf(t, td); n != sums[i] || n == 0 {
			t.Errorf("all checks, column %d: %d, and there are %d cells", i, n, sums[i])
		}
		if slices.Contains(strings.Fields(td.attr("class")), "swap") {
			swaps += sums[i]
		}
	}
	if d, _ := page.byID("behaviour-dimensions"); !strings.Contains(d.all("tr", "behaviour")[0].text(), "2 missing") {
		t.Errorf("two cells of the swap are missing: %s", d.all("tr", "behaviour")[0].text())
	}
	filtered := 0
	for _, chip := range page.all("label", "chip") {
		if id := chip.all("input", "show")[0].attr("id"); strings.HasPrefix(id, "show-e-") {
			n, err := strconv.Atoi(chip.all("span", "n")[0].text())
			if err != nil {
				t.Fatal(err)
			}
			filtered += n
		}
	}
	if filtered != swaps {
		t.Errorf("filters of the swap find %d cells of %d", filtered, swaps)
	}
}

// TestACellSaysWhatItWas: since an earlier report, a cell says worse, better or moved, and what it was; the rest say nothing.
func TestACellSaysWhatItWas(t *testing.T) {
	r := real(t)
	turn := func(column, check, before string) []report.Turn {
		return []report.Turn{{Column: column, Check: check, Before: before, After: "x"}}
	}
	r.Since = &report.Since{New: turn("dynamo-1.6.1", "dimensions/reduced-256", "honoured"), Gone: turn("legacy", "dimensions/zero", "failed-5xx"),
		Moved: turn("dynamo-1.6.1 in place of legacy", "dimensions/same-native", "drifted"), Known: turn("legacy", "dimensions/negative", "failed-5xx")}
	page := parsed(t, written(t, r))
	var got []string
	for _, row := range page.all("tr", "check") {
		for _, p := range row.all("span", "past") {
			got = append(got, row.attr("id")+": "+p.text())
		}
	}
	want := []string{"row-check-dimensions-reduced-256: ▼ worse, was honoured", "row-check-dimensions-zero: ▲ better, was failed-5xx", "row-check-dimensions-same-native: ◆ moved, was drifted"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, id := range []string{"show-is-worse", "show-is-better", "show-is-moved"} {
		if _, ok := page.byID(id); !ok {
			t.Errorf("no filter %s", id)
		}
	}
	r.Since, r.Baseline = nil, &report.Baseline{Differences: []report.Difference{{Column: "legacy", Check: "dimensions/zero", Before: "failed-5xx"}}}
	if p := parsed(t, written(t, r)).all("span", "past"); len(p) != 2 || p[0].text() != "◆ moved, was failed-5xx" { // in the matrix, and at the evidence
		t.Errorf("since a recording: %d marks", len(p))
	}
}

func TestWorstFirst(t *testing.T) {
	groups := []group{{Stem: "fine"}, {Stem: "fails"}, {Stem: "changes"}, {Stem: "breaks"}, {Stem: "silent"}, {Stem: "odd"}, {Stem: "well"}}
	row := func(c cell) []row { return []row{{Cells: []cell{c}}} }
	groups[1].Rows = row(cell{kind: outcomeKind("fail")})
	groups[2].Rows = row(cell{kind: effectKind("client-change"), Swap: true})
	groups[3].Rows = row(cell{kind: effectKind("index-break"), Swap: true})
	groups[4].Rows = row(cell{kind: effectKind("client-change"), Swap: true, Silent: true})
	groups[5].Rows = row(cell{kind: outcomeKind("pass"), Flag: "stale"})
	groups[6].Rows = row(cell{kind: effectKind("index-break")})
	groups[6].Rows[0].Provisional = true
	worstFirst(groups)
	slices.SortFunc(groups, func(a, b group) int { return a.Worst - b.Worst })
	var got []string
	for _, g := range groups {
		got = append(got, g.Stem)
	}
	if s := strings.Join(got, " "); s != "odd breaks silent changes fails fine well" {
		t.Error(s)
	}
}

// TestEveryWordIsExplained: whatever a filter names is explained in words that are there without a pointer, and on paper.
func TestEveryWordIsExplained(t *testing.T) {
	page := parsed(t, written(t, real(t)))
	words := page.all("details", "words")[0].text()
	for _, chip := range page.all("label", "chip") {
		if !strings.Contains(words, chip.attr("title")) {
			t.Errorf("%q is not explained", chip.text())
		}
	}
}

// TestIndexOfAnUpgrade: the tile says in its words and its colour whether the index may stay.
func TestIndexOfAnUpgrade(t *testing.T) {
	d := compared(t, "dynamo-1.5.1", "dynamo-1.6.1")
	for answer, want := range map[string]string{"keep": "good Index keep it", "keep-but-do-not-mix": "care Index keep it, do not mix", "re-embed": "bad Index embed again", "unknown": "open Index cannot tell"} {
		d.Verdict.Index = answer
		var b bytes.Buffer
		if err := WriteUpgrade(d, &b); err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(parsed(t, b.Bytes()).all("li", ""), func(li node) bool { return strings.HasPrefix(li.attr("class")+" "+li.text(), want) }) {
			t.Errorf("%s: no tile says %q", answer, want)
		}
	}
}
