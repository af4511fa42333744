package html

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/embedcontract/embedcontract/harness/report"
)

// all are the elements below n of that name, and of that class where one is given.
func (n node) all(name, class string) []node {
	var out []node
	for d := range n.Descendants() {
		e := node{d}
		if d.Type == html.ElementNode && (name == "" || d.Data == name) && (class == "" || slices.Contains(strings.Fields(e.attr("class")), class)) {
			out = append(out, e)
		}
	}
	return out
}

func (n node) byID(id string) (node, bool) {
	for _, e := range n.all("", "") {
		if e.attr("id") == id {
			return e, true
		}
	}
	return node{}, false
}

// text is what is read, without style and script.
func (n node) text() string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "style" && d.Parent.Data != "script" {
			b.WriteString(d.Data)
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestEveryCellStandsInTheMatrixAndLeadsToItsEvidence(t *testing.T) {
	for name, r := range map[string]*report.Report{"the real pair": real(t), "a lone target": recorded(t, "dynamo-1.6.1"), "20 targets": many(t, 20)} {
		page := parsed(t, written(t, r))
		ids := map[string]int{}
		for _, e := range page.all("", "") {
			if id := e.attr("id"); id != "" {
				ids[id]++
			}
		}
		for id, n := range ids {
			if n > 1 {
				t.Errorf("%s: %d elements are called %s", name, n, id)
			}
		}
		checks, cells, pairCells := 0, len(r.Cells), 0
		for _, b := range r.Behaviours {
			checks += len(b.Checks)
		}
		for _, p := range r.Pairs {
			pairCells += len(p.Cells)
		}
		rows := page.all("tr", "check")
		if len(rows) != checks {
			t.Errorf("%s: %d rows of %d checks", name, len(rows), checks)
		}
		shown, swaps := 0, 0
		for _, row := range rows {
			columns := row.all("td", "cell")
			if want := len(r.Targets) + len(r.Pairs); len(columns) != want {
				t.Fatalf("%s: row %s has %d cells, and there are %d columns", name, row.attr("id"), len(columns), want)
			}
			for _, c := range columns {
				links := c.all("a", "")
				if len(links) == 0 {
					continue
				}
				to := strings.TrimPrefix(links[0].attr("href"), "#")
				if ids[to] == 0 {
					t.Errorf("%s: a cell of %s leads to %s, which is not there", name, row.attr("id"), to)
				}
				if len(c.all("span", "pill")) == 0 || c.text() == "" {
					t.Errorf("%s: a cell of %s has a colour and no word", name, row.attr("id"))
				}
				if slices.Contains(strings.Fields(c.attr("class")), "swap") {
					swaps++
				} else {
					shown++
				}
			}
		}
		if shown != cells || swaps != pairCells {
			t.Errorf("%s: %d cells of targets and %d of pairs are shown, the report holds %d and %d", name, shown, swaps, cells, pairCells)
		}
		for _, a := range page.all("a", "") {
			if to, here := strings.CutPrefix(a.attr("href"), "#"); here && ids[to] == 0 {
				t.Errorf("%s: a link leads to %s, which is not there", name, to)
			}
		}
	}
}

func TestCountsOfTheFilters(t *testing.T) {
	r := real(t)
	page := parsed(t, written(t, r))
	want := map[string]int{}
	for _, c := range r.Cells {
		want["show-o-"+c.Outcome]++
	}
	for _, c := range r.Pairs {
		for _, x := range c.Cells {
			want["show-e-"+x.Effect]++
			if x.Silent {
				want["show-is-silent"]++
			}
		}
	}
	want["show-o-na"] = want["show-o-not-applicable"]
	delete(want, "show-o-not-applicable")
	seen := 0
	for _, chip := range page.all("label", "chip") {
		box := chip.all("input", "show")[0]
		n := chip.all("span", "n")[0].text()
		if id := box.attr("id"); n != strconv.Itoa(want[id]) {
			t.Errorf("%s says %s cells, and the report has %d", id, n, want[id])
		} else {
			seen++
		}
	}
	if seen != len(want) {
		t.Errorf("%d filters, and %d kinds of cells: %v", seen, len(want), want)
	}
}

func TestHeadersSayWhatTheyAreOf(t *testing.T) {
	for name, text := range map[string][]byte{"report": written(t, real(t)), "upgrade": writtenUpgrade(t)} {
		page := parsed(t, text)
		for _, th := range page.all("th", "") {
			if !slices.Contains([]string{"col", "row", "colgroup", "rowgroup"}, th.attr("scope")) {
				t.Errorf("%s: the header %q has no scope", name, th.text())
			}
		}
		for _, what := range []string{"svg", "section", "form"} {
			for _, e := range page.all(what, "") {
				if !e.has("aria-label") && !e.has("aria-labelledby") {
					t.Errorf("%s: a %s has no name", name, what)
				}
			}
		}
		if lang := page.all("html", "")[0].attr("lang"); lang != "en" {
			t.Errorf("%s: language %q", name, lang)
		}
	}
}

// Whoever reads a line about a server that is not the real one must read that too.
func TestNoReconstructedServerIsNamedWithoutSayingSo(t *testing.T) {
	page := parsed(t, written(t, real(t)))
	for _, e := range page.all("span", "target") {
		if strings.HasPrefix(e.text(), "legacy") && !strings.Contains(e.text(), "reconstructed") {
			t.Errorf("%s", e.text())
		}
	}
	for _, td := range page.all("td", "") {
		if l := td.attr("data-label"); strings.Contains(l, "legacy") && !strings.Contains(l, "reconstructed") {
			t.Errorf("a column is called %q", l)
		}
	}
	for _, x := range page.all("text", "name") {
		if strings.Contains(x.text(), "legacy") && !strings.Contains(x.text(), "reconstructed") {
			t.Errorf("a picture names %q", x.text())
		}
	}
}

func TestEvidenceOfACell(t *testing.T) {
	page := parsed(t, written(t, real(t)))
	body, ok := page.byID("cell-dimensions-reduced-256-dynamo-1.6.1")
	if !ok {
		t.Fatal("no evidence of dimensions/reduced-256 on dynamo-1.6.1")
	}
	article := node{body.Parent.Parent}
	for what, want := range map[string]string{
		"promise": "dimensions 256 gives 256 numbers of unit length", "allowed": "rejected-4xx", "place": "suites/dimensions.go:",
	} {
		if !strings.Contains(article.text(), want) {
			t.Errorf("%s: %q is not in %.300q", what, want, article.text())
		}
	}
	for what, want := range map[string]string{
		"observed": `500 {"message":"Internal server error"`, "request": "curl -sS -X POST \"$BASE_URL/v1/embeddings\"", "log": "does not support Matryoshka embeddings",
		"who breaks": "clients that send dimensions with every request", "proof": "verified", "measured": "cosine min 1-7e-13",
		"run": "embedcontract run --focus '^dimensions/reduced-256$' dynamo-1.6.1", "known": "listed as failed-5xx", "swap": "honoured → failed-5xx",
	} {
		if !strings.Contains(body.text(), want) {
			t.Errorf("%s: %q is not in %.2000q", what, want, body.text())
		}
	}
}

func TestNothingIsLoadedAndOnlyTheOwnScriptRuns(t *testing.T) {
	for name, text := range map[string][]byte{"report": written(t, real(t)), "spoilt": written(t, spoilt(t)), "upgrade": writtenUpgrade(t)} {
		page := parsed(t, text)
		policy := ""
		for _, m := range page.all("meta", "") {
			if m.attr("http-equiv") == "Content-Security-Policy" {
				policy = m.attr("content")
			}
		}
		scripts := page.all("script", "")
		if len(scripts) != 1 {
			t.Fatalf("%s: %d scripts", name, len(scripts))
		}
		digest := sha256.Sum256([]byte(scripts[0].FirstChild.Data))
		want := "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'"
		if policy != want {
			t.Errorf("%s: the policy is %q, and should be %q", name, policy, want)
		}
		for _, e := range page.all("", "") {
			switch e.Data {
			case "img", "iframe", "link", "base", "object", "embed", "image", "use", "video", "audio", "source":
				t.Errorf("%s: there is a <%s>", name, e.Data)
			}
			for _, a := range e.Attr {
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "src", a.Key == "action", a.Key == "formaction", a.Key == "srcset":
					t.Errorf("%s: <%s %s=%q>", name, e.Data, a.Key, a.Val)
				case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "http://"):
					t.Errorf("%s: a link leads to %q", name, a.Val)
				}
			}
		}
		if styles := page.all("style", ""); len(styles) != 1 || strings.Contains(styles[0].FirstChild.Data, "url(") || strings.Contains(styles[0].FirstChild.Data, "@import") {
			t.Errorf("%s: a style loads something", name)
		}
		if bytes.ContainsAny(text, "\u202e\x00\x1b") {
			t.Errorf("%s: a character that acts came through", name)
		}
		if bytes.Contains(text, []byte("ZgotmplZ")) {
			t.Errorf("%s: the template refused a value", name)
		}
	}
	if !strings.Contains(parsed(t, written(t, spoilt(t))).text(), "<img src=x onerror=") {
		t.Error("what the server said is not shown")
	}
}

func TestSameReportSameBytes(t *testing.T) {
	if !bytes.Equal(written(t, real(t)), written(t, real(t))) {
		t.Error("the same report gave other bytes")
	}
}

func TestSize(t *testing.T) {
	const most = 3 << 20 // what mail and reviews take; three servers with all extended checks
	if n := len(written(t, real(t))); n > most {
		t.Errorf("%d bytes", n)
	}
}
