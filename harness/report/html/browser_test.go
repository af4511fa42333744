//go:build browser

package html

import (
	"context"
	flags "flag" // matrix.go has a function of that name
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// What these tests need is in .ci/run: a Chromium on the path. Without one they fail.

var pictures = flags.String("pictures", "", "write pictures of the report on the real pair to this folder")

// patience is how long one test may take of a machine that does other things as well.
const patience = 8 * time.Minute

// step is something that is done to a page.
type step = chromedp.Action[chromedp.Void]

// browser is the one in which all tests open their tabs; TestMain starts and stops it.
var browser context.Context

func TestMain(m *testing.M) {
	ctx, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox,
		chromedp.Flag("force-color-profile", "srgb"))...)
	ctx, closes := chromedp.NewContext(ctx)
	if err := chromedp.Do(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "a Chromium on the path is needed:", err)
		os.Exit(1)
	}
	browser = ctx
	code := m.Run()
	closes()
	stop()
	os.Exit(code)
}

// tab opens a page in a tab of its own, as wide and high as asked.
func tab(t *testing.T, text []byte, width, height int64, setup ...step) context.Context {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, closes := chromedp.NewContext(browser)
	t.Cleanup(closes)
	do(ctx, t) // the tab lives as long as this context; what is done in it has a limit
	ctx, cancel := context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	do(ctx, t, append(setup, chromedp.EmulateViewport(width, height), chromedp.Navigate("file://"+file))...)
	return ctx
}

func do(ctx context.Context, t *testing.T, actions ...step) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// ask evaluates an expression, also where the page may run no script.
func ask[T any](ctx context.Context, t *testing.T, expression string) T {
	t.Helper()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return out
}

// call sends a command to the browser.
func call[P, R any](command cdp.Command[P, R], params P) step {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, command, params)
		return err
	})
}

// run evaluates a statement that has no value.
func run(statement string) step {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("(() => { "+statement+"; return true })()"))
		return err
	})
}

// click clicks on the first element of a CSS selector; the text of the style holds some of them as well.
func click(selector string) step { return chromedp.Click(chromedp.CSS(selector)) }

func noScript() step {
	return call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

func printed() step {
	return call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
}

func scheme(name string) step {
	return call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
}

// shownRows counts the checks that can be seen.
const shownRows = `[...document.querySelectorAll("tr.check")].filter(r => r.getClientRects().length > 0).length`
