//go:build browser

package html

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	protocol "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

func TestCellsOpenAndRowsAreFilteredWithoutScript(t *testing.T) {
	r := real(t)
	ctx := tab(t, written(t, r), 1360, 900, noScript())
	if n := ask[int](ctx, t, shownRows); n != 0 {
		t.Errorf("%d checks are shown before one is asked for", n)
	}
	if ask[bool](ctx, t, `document.querySelector(".find").getClientRects().length > 0`) {
		t.Error("a field that needs the script is there without it")
	}
	// A behaviour opens with its box, by keyboard too.
	do(ctx, t, chromedp.Focus(chromedp.CSS("#behaviour-dimensions .fold")), chromedp.KeyEvent(" "))
	want := 0
	for _, b := range r.Behaviours {
		if b.Stem == "dimensions" {
			want = len(b.Checks)
		}
	}
	if n := ask[int](ctx, t, shownRows); n != want {
		t.Errorf("%d checks of dimensions are shown, of %d", n, want)
	}
	// A cell opens its evidence beside the matrix, and leads back to its row.
	const place = "cell-dimensions-reduced-256-dynamo-1.6.1"
	body := `document.getElementById("` + place + `")`
	if ask[bool](ctx, t, body+".checkVisibility({contentVisibilityAuto: true})") {
		t.Error("the evidence is open before it was clicked")
	}
	before := ask[float64](ctx, t, `scrollY`)
	do(ctx, t, click(`td.cell a[href="#`+place+`"]`))
	if !ask[bool](ctx, t, `(() => { const b = `+body+`.getBoundingClientRect(); return b.height > 100 && b.top >= 0 && b.top < innerHeight && b.right <= innerWidth + 1; })()`) {
		t.Error("a click on a cell shows no evidence")
	}
	if after := ask[float64](ctx, t, `scrollY`); after < before {
		t.Errorf("the matrix jumps from %g to %g", before, after)
	}
	do(ctx, t, click(`.exhibit:has(:target) .close`))
	if ask[bool](ctx, t, `getComputedStyle(document.getElementById("check-dimensions-reduced-256")).position == "fixed"`) {
		t.Error("the evidence does not close")
	}
	// Filters show the union of what is asked for, and nothing else.
	rowsWith := func(classes ...string) int {
		n := 0
		for _, g := range newPage(r).Matrix.Groups {
			for _, row := range g.Rows {
				for _, c := range classes {
					if strings.Contains(" "+row.Class+" ", " "+c+" ") {
						n++
						break
					}
				}
			}
		}
		return n
	}
	do(ctx, t, click(`#show-o-fail`))
	if n, want := ask[int](ctx, t, shownRows), rowsWith("o-fail"); n != want || want == 0 {
		t.Errorf("%d rows with a fail are shown, of %d", n, want)
	}
	do(ctx, t, click(`#show-is-silent`))
	if n, want := ask[int](ctx, t, shownRows), rowsWith("o-fail", "is-silent"); n != want {
		t.Errorf("%d rows with a fail or SILENT are shown, of %d", n, want)
	}
	if ask[bool](ctx, t, `[...document.querySelectorAll("tbody.group")].some(g => g.getClientRects().length > 0 && !g.matches(".o-fail, .is-silent"))`) {
		t.Error("a behaviour is shown of which no row is")
	}
	do(ctx, t, click(`.filters button[type=reset]`), click(`#every`))
	if n, want := ask[int](ctx, t, shownRows), newPage(r).Matrix.Checks; n != want {
		t.Errorf("%d checks are shown, of %d", n, want)
	}
}

func TestTheScriptFindsAndCloses(t *testing.T) {
	ctx := tab(t, written(t, real(t)), 1360, 900)
	const first = `document.querySelector("tbody.group").id`
	before := ask[string](ctx, t, first)
	do(ctx, t, click("#worst"))
	if now := ask[string](ctx, t, first+` + " " + document.querySelector("tbody.group").dataset.worst`); now == before+" 0" || !strings.HasSuffix(now, " 0") {
		t.Errorf("worst first: %s, and before %s", now, before)
	}
	do(ctx, t, click(`.filters button[type=reset]`), chromedp.WaitVisible(chromedp.CSS("tbody.total + #"+before)))
	do(ctx, t, chromedp.SendKeys(chromedp.CSS("#find"), "reduced-256"))
	if n := ask[int](ctx, t, shownRows); n != 1 {
		t.Errorf("%d checks are called reduced-256", n)
	}
	do(ctx, t, click(`#row-check-dimensions-reduced-256 td.cell a`))
	if !ask[bool](ctx, t, `!!document.querySelector(".exhibit:has(:target)")`) {
		t.Fatal("no evidence is open")
	}
	do(ctx, t, chromedp.KeyEvent("\u001b"), chromedp.WaitVisible(chromedp.CSS(`tr.check:target`)))
	if ask[bool](ctx, t, `!!document.querySelector(".exhibit:has(:target)")`) {
		t.Error("Escape does not close the evidence")
	}
	if n := ask[int](ctx, t, `document.querySelectorAll("pre.run .copy").length`); n < 100 {
		t.Errorf("only %d commands can be copied", n)
	}
}

// No request but that of the page itself, and no word of a server acts.
func TestNothingOfAServerActs(t *testing.T) {
	var lock sync.Mutex
	var asked []string
	file := written(t, spoilt(t))
	ctx := tab(t, file, 1360, 900, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		return chromedp.Listen(ctx, func(e any) {
			if sent, ok := e.(*network.EventRequestWillBeSent); ok {
				lock.Lock()
				defer lock.Unlock()
				asked = append(asked, sent.Request.URL)
			}
		})
	}), call(network.Enable, network.EnableParams{}))
	do(ctx, t, run(`for (const d of document.querySelectorAll("details")) d.open = true`))
	lock.Lock()
	defer lock.Unlock()
	if len(asked) != 1 || !strings.HasPrefix(asked[0], "file://") {
		t.Errorf("asked for %q", asked)
	}
	if title := ask[string](ctx, t, `document.title`); title == "harmed" {
		t.Error("a script of the server ran")
	}
	if n := ask[int](ctx, t, `document.querySelectorAll("img, base, script").length`); n != 1 {
		t.Errorf("%d elements that should not be there", n-1)
	}
	if !ask[bool](ctx, t, `document.body.textContent.includes("<img src=x onerror=")`) {
		t.Error("the answer is not shown")
	}
}

func TestPrint(t *testing.T) {
	r := real(t)
	ctx := tab(t, written(t, r), 1000, 1400, noScript(), printed())
	if n, want := ask[int](ctx, t, shownRows), newPage(r).Matrix.Checks; n != want {
		t.Errorf("%d checks are printed, of %d", n, want)
	}
	type state struct{ Attend, Shown, Others, Quiet, Filters int }
	got := ask[state](ctx, t, `(() => {
	  const seen = (e) => e.getClientRects().length > 0 && e.checkVisibility({contentVisibilityAuto: true});
	  const bodies = (sel) => [...document.querySelectorAll(sel + " > .body")];
	  return {Attend: bodies(".proof.attend").length, Shown: bodies(".proof.attend").filter(seen).length,
	    Others: bodies(".exhibit .proof:not(.attend)").filter(seen).length,
	    Quiet: [...document.querySelectorAll(".exhibit.is-quiet")].filter(seen).length,
	    Filters: [...document.querySelectorAll(".filters, .close, nav")].filter(seen).length};
	})()`)
	if got.Attend == 0 || got.Shown != got.Attend {
		t.Errorf("of %d cells that need attention, the evidence of %d is printed", got.Attend, got.Shown)
	}
	if got.Others != 0 || got.Quiet != 0 || got.Filters != 0 {
		t.Errorf("printed as well: evidence of %d other cells, %d checks that need no attention, %d filters and links", got.Others, got.Quiet, got.Filters)
	}
	if wide := ask[int](ctx, t, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		t.Errorf("%d pixels do not fit on the paper", wide)
	}
	yes := true
	sheet, err := chromedp.Run(ctx, func(ctx context.Context, _ *chromedp.Target) (protocol.PrintToPDFResult, error) {
		return chromedp.Call(ctx, protocol.PrintToPDF, protocol.PrintToPDFParams{PreferCSSPageSize: &yes, PrintBackground: &yes})
	})
	if err != nil {
		t.Fatal(err)
	}
	pdf := sheet.Data
	if n := strings.Count(string(pdf), "/Type /Page\n"); n < 10 || n > 120 {
		t.Errorf("%d pages", n)
	}
}

func TestNarrow(t *testing.T) {
	for _, width := range []int64{320, 390, 600, 1024} {
		ctx := tab(t, written(t, real(t)), width, 844)
		do(ctx, t, click("#every"))
		if wide := ask[int](ctx, t, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("at %d: the page is %d pixels wider than the screen", width, wide)
		}
		if cut := ask[[]string](ctx, t, `[...document.querySelectorAll(".matrix td.cell a, .matrix th, .decision *, .filters label")].filter(e => {
		  const b = e.getBoundingClientRect(); return b.width > 1 && e.getClientRects().length && !e.closest(".out, details:not([open])") && (b.right > innerWidth + 1 && !e.closest(".matrix"));
		}).slice(0, 5).map(e => e.outerHTML.slice(0, 120))`); len(cut) > 0 {
			t.Errorf("at %d: beyond the screen: %q", width, cut)
		}
		if width <= 600 && !ask[bool](ctx, t, `getComputedStyle(document.querySelector("#row-check-dimensions-reduced-256 td.cell:not(.blank)"), "::before").content.includes("legacy (reconstructed)")`) {
			t.Errorf("at %d: a cell does not say of which server it is", width)
		}
	}
}

func TestTwentyTargets(t *testing.T) {
	ctx := tab(t, written(t, many(t, 20)), 1360, 900)
	do(ctx, t, click("#every"))
	if wide := ask[int](ctx, t, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		t.Errorf("the page is %d pixels wider than the screen", wide)
	}
	type places struct{ Left, Top, Wide float64 }
	got := ask[places](ctx, t, `(() => {
	  const s = document.querySelector(".scroller.wide"), box = s.getBoundingClientRect();
	  s.scrollTo(s.scrollWidth, 2000);
	  const name = [...s.querySelectorAll("tr.check th")].find(e => e.getBoundingClientRect().top > box.top + 200);
	  return {Left: name.getBoundingClientRect().left - box.left, Top: s.querySelector("thead th").getBoundingClientRect().top - s.getBoundingClientRect().top, Wide: s.scrollWidth - s.clientWidth};
	})()`)
	if got.Wide < 1000 {
		t.Errorf("20 targets take %g pixels more than the screen", got.Wide)
	}
	if got.Left < 0 || got.Left > 2 || got.Top < 0 || got.Top > 2 {
		t.Errorf("scrolled to the end, the names of checks are %g from the left and those of targets %g from the top", got.Left, got.Top)
	}
	if !ask[bool](ctx, t, `(() => { const s = document.querySelector(".scroller.wide"); const e = document.elementFromPoint(s.getBoundingClientRect().left + 20, s.getBoundingClientRect().top + 300); return !!e.closest("th"); })()`) {
		t.Error("cells cover the names of checks")
	}
	if n := ask[int](ctx, t, `[...document.querySelectorAll(".decision details.part[open]")].length`); n > openDecisions {
		t.Errorf("%d verdicts are open at once", n)
	}
}
