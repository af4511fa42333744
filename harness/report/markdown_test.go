package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

func markdown(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Markdown(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdownGolden(t *testing.T) {
	golden(t, "report.md", []byte(markdown(t, sample())))
}

// outsideFences is what Markdown reads as Markdown.
func outsideFences(md string) string {
	var out []string
	fence := ""
	for l := range strings.SplitSeq(md, "\n") {
		trimmed := strings.TrimSpace(l)
		switch {
		case fence == "" && strings.HasPrefix(trimmed, "```"):
			fence = trimmed
		case fence != "" && trimmed == fence:
			fence = ""
		case fence == "":
			out = append(out, l)
		}
	}
	if fence != "" {
		return "a fence is never closed"
	}
	return strings.Join(out, "\n")
}

func TestMarkdownIsSafe(t *testing.T) {
	md := outsideFences(markdown(t, hostileEverywhere()))
	for _, bad := range []string{"`", "<script", "@someone", "[a](", "\x1b", "#12 ", "never closed", "**loud"} {
		if strings.Contains(md, bad) {
			i := strings.Index(md, bad)
			t.Errorf("%q is not escaped: %q", bad, md[max(0, i-60):min(len(md), i+60)])
		}
	}
	code := regexp.MustCompile(`<code>.*?</code>`).FindAllString(md, -1)
	if len(code) == 0 {
		t.Error("nothing is quoted")
	}
	for _, c := range code {
		if strings.Contains(c, "://") || strings.Contains(c, "example.org") {
			t.Errorf("becomes a link: %s", c)
		}
	}
	if a, b := strings.Count(md, "<details>"), strings.Count(md, "</details>"); a != b || a == 0 {
		t.Errorf("%d blocks are opened, %d closed", a, b)
	}
}

func TestMarkdownTable(t *testing.T) {
	for name, r := range map[string]*Report{"sample": sample(), "hostile": hostileEverywhere()} {
		rows := 0
		for l := range strings.SplitSeq(markdown(t, r), "\n") {
			if strings.HasPrefix(l, "|") {
				rows++
				if n := strings.Count(l, "|"); n != 5 { // check, two targets, one pair
					t.Errorf("%s: a row has %d pipes: %s", name, n, l)
				}
			}
		}
		if want := 2 + len(r.Behaviours) + len(r.checks()); rows != want {
			t.Errorf("%s: the table has %d rows, want %d", name, rows, want)
		}
	}
}

// A fence is longer than what a server sends, and belongs to its item.
func TestFenced(t *testing.T) {
	got := fenced([]string{"a ``` b", "````"})
	if want := "  `````\n  a ``` b\n  ````\n  `````\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestMarkdownSize(t *testing.T) {
	j := as("unexpected", "fail", "sliced-not-renormalised").seen(strings.Repeat("|", 3000))
	r := large(j)
	for i := range r.Cells {
		r.Cells[i].Evidence = []Evidence{{Curl: strings.Repeat("x", 9000), Answer: strings.Repeat("|", 3000)}}
	}
	md := markdown(t, r)
	if len(md) > 65536 {
		t.Errorf("%d bytes are more than GitHub takes", len(md))
	}
	more := regexp.MustCompile(`\n(\d+) more like these are in the report\.\n$`)
	if !more.MatchString(md) {
		t.Errorf("it does not say what is missing: %s", md[len(md)-200:])
	}
}

func TestMarkdownBlocks(t *testing.T) {
	md := markdown(t, large(as("unexpected", "fail", "sliced-not-renormalised")))
	if n := strings.Count(md, "<details>"); n != detailsShown || !strings.HasSuffix(md, "\n35 more like these are in the report.\n") {
		t.Errorf("%d blocks of 55: %s", n, md[len(md)-100:])
	}
}
