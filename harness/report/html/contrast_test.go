package html

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// leastContrast is what WCAG 2.2 asks of text of ordinary size, level AA; that of bars is for graphics, 1.4.11.
const (
	leastContrast = 4.5
	leastOfBars   = 1.6 // a bar never stands without its word and number, which WCAG then asks nothing of
)

var property = regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6})`)

// schemes reads the colours of the style: those of light, dark and print.
func schemes(t *testing.T) map[string]map[string]string {
	t.Helper()
	style, err := os.ReadFile("templates/style.css")
	if err != nil {
		t.Fatal(err)
	}
	css := string(style)
	cut := func(from string) map[string]string {
		_, after, found := strings.Cut(css, from)
		_, after, root := strings.Cut(after, ":root {")
		block, _, closed := strings.Cut(after, "}")
		if !found || !root || !closed {
			t.Fatalf("no colours behind %q", from)
		}
		out := map[string]string{}
		for _, m := range property.FindAllStringSubmatch(block, -1) {
			out[m[1]] = m[2]
		}
		return out
	}
	return map[string]map[string]string{"light": cut("/*"), "dark": cut("@media (prefers-color-scheme: dark)"), "print": cut("@media print")}
}

func TestContrast(t *testing.T) {
	for scheme, colours := range schemes(t) {
		at := func(name string) float64 {
			c, ok := colours[name]
			if !ok {
				t.Fatalf("%s: there is no --%s", scheme, name)
			}
			return luminance(t, c)
		}
		hold := func(text, surface string, least float64) {
			a, b := at(text), at(surface)
			if c := (max(a, b) + 0.05) / (min(a, b) + 0.05); c < least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, and needs %g", scheme, text, surface, c, least)
			}
		}
		for _, surface := range []string{"paper", "card", "quiet-bg"} {
			for _, text := range []string{"ink", "soft", "link", "good", "care", "bad", "open", "quiet"} {
				hold(text, surface, leastContrast)
			}
			for _, fill := range []string{"good", "care", "bad", "open", "quiet"} {
				hold("fill-"+fill, surface, leastOfBars)
			}
		}
		for _, kind := range []string{"good", "care", "bad", "open", "quiet"} {
			hold(kind, kind+"-bg", leastContrast)
		}
		hold("on-solid", "solid", leastContrast)
		hold("soft", "care-bg", leastContrast) // the row that a link led to
		hold("link", "care-bg", leastContrast)
		hold("bad", "care-bg", leastContrast)
	}
}

// Whatever has a colour takes it from the properties that are tested.
func TestNoOtherColours(t *testing.T) {
	style, err := os.ReadFile("templates/style.css")
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range strings.Split(string(style), "\n") {
		rest := property.ReplaceAllString(l, "")
		if regexp.MustCompile(`#[0-9a-f]{3,8}\b`).MatchString(regexp.MustCompile(`^\s*[^{]*\{`).ReplaceAllString(rest, "")) {
			t.Errorf("line %d: %s", i+1, l)
		}
	}
}

func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	var l float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", colour, err))
		}
		c := float64(v) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		l += weight * c
	}
	return l
}
