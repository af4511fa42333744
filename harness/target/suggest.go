package target

import (
	"fmt"
	"slices"
	"strings"
)

// nearest returns the candidate that name is most likely a misspelling of, or "".
func nearest(name string, candidates []string) string {
	best, limit := "", 1+len(name)/4
	for _, c := range candidates {
		if d := distance(name, c); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// DidYouMean is the end of an error message about a name that is none of the candidates: " (did you mean ...?)" where one
// of them is close, or where some hold the name or its first word; else "".
func DidYouMean(name string, candidates []string) string {
	if hint := nearest(name, candidates); hint != "" {
		return didYouMean(hint)
	}
	some := alike(name, candidates)
	switch {
	case len(some) == 0:
		return ""
	case len(some) == 1:
		return didYouMean(some[0])
	case len(some) > mostAlike:
		return fmt.Sprintf(" (did you mean one of %s, or %d more?)", strings.Join(some[:mostAlike], ", "), len(some)-mostAlike)
	}
	return fmt.Sprintf(" (did you mean one of %s?)", strings.Join(some, ", "))
}

// mostAlike is how many names are offered: more are a list, and not a hint.
const mostAlike = 6

// leastAlike is how many characters of a name say something: every name holds an "a".
const leastAlike = 3

// alike are the candidates that hold the name, whatever the case; where none does, those that hold its first word.
func alike(name string, candidates []string) []string {
	word, _, _ := strings.Cut(name, "-")
	for _, part := range []string{name, word} {
		if part = strings.ToLower(part); len(part) < leastAlike {
			continue
		}
		var out []string
		for _, c := range candidates {
			if strings.Contains(strings.ToLower(c), part) {
				out = append(out, c)
			}
		}
		if len(out) > 0 {
			slices.SortStableFunc(out, func(a, b string) int { return len(a) - len(b) }) // the plain ones before their varieties
			return out
		}
	}
	return nil
}

func didYouMean(hint string) string {
	if hint == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", hint)
}

// distance counts the single-character edits between two words; two neighbours swapped are one edit.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 { // no key is as long; the table is quadratic
		return len(a) + len(b)
	}
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
