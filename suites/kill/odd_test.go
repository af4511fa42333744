package kill_test

import (
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// odd is an answer that no switch of a server gives, and what a check must make of it: classifiers have a case for it,
// which would be wrong or gone without anybody noticing. Edits show variants that nothing else shows; these show the
// other places at which a variant is decided.
type odd struct {
	check, want string // want is the variant
	what        string // what is odd
	of          string // the check whose steps are changed; "": the same, everywhere: all checks
	// steps are the names of what is changed, separated by spaces; of one that ends in ":" all that begin so.
	steps  string
	change func(*contract.Step)
	with   string // switches over those of the base
	key    string // that the client sends
	// ofReference says that the reference of a pair answers so, and not the candidate.
	ofReference bool
}

// oddities are all odd answers.
func oddities() []odd {
	return slices.Concat(oddVectors(), oddFormats(), oddInputs(), oddInstructions(), oddLoads(), oddLives(), oddRefusals())
}

// oddReadings are the readings of odd answers.
func oddReadings() (out []reading) {
	for _, o := range oddities() {
		r := reading{check: o.check, want: o.want, what: o.what, with: o.with, key: o.key}
		if o.ofReference {
			r.place = asTheReference
		}
		for _, name := range strings.Fields(o.steps) {
			if strings.HasSuffix(name, ":") {
				name += "*"
			}
			r.made = append(r.made, alteration{of: o.of, step: name, do: o.change})
		}
		out = append(out, r)
	}
	return out
}
