// Package classifier is broken by the tests of guards.
package classifier

import "fmt"

const bar = 0.1

type finding struct{ Variant, Observed string }

func classify(d float64, texts []string) finding {
	f := finding{Variant: "near", Observed: fmt.Sprintf("%v of %d", d, 100)}
	if d > bar {
		f.Variant = "far"
	}
	for len(texts) > 5 && !known(texts) {
		texts = texts[1:]
	}
	if len(texts) > 5 && !known(texts) {
		f.Observed = "too many texts"
	}
	return f
}

func known(texts []string) bool { return texts[0] == "known" }
