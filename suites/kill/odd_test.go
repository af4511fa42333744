package kill_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
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

// everywhere stands for the steps of all checks.
const everywhere = "*"

// oddities are all odd answers.
func oddities() []odd {
	return slices.Concat(oddVectors(), oddFormats(), oddInputs(), oddInstructions(), oddLoads(), oddLives(), oddRefusals())
}

// recorded is the server that an odd answer is put into. That of the base is the lab's own, so that nobody else may
// look at it meanwhile.
func (o odd) recorded(t *testing.T, l *lab) (*recording.Recording, error) {
	c, ok := l.suite.Check(o.check)
	if !ok {
		t.Fatalf("no check %s", o.check)
	}
	if o.with == "" && o.key == "" && !c.Pair() {
		return l.base, nil
	}
	return l.record(t, mutant{name: "odd", with: o.with, key: o.key, only: o.check}, 1)
}

// found are the steps of a recording that are changed.
func (o odd) found(rec *recording.Recording) (steps []*contract.Step) {
	of := []string{o.of}
	switch o.of {
	case "":
		of = []string{o.check}
	case everywhere:
		of = rec.Checks()
	}
	for _, id := range of {
		for _, trail := range rec.Trails(id) {
			for i := range trail.Steps {
				name := trail.Steps[i].Name
				if slices.ContainsFunc(strings.Fields(o.steps), func(s string) bool {
					return s == name || strings.HasSuffix(s, ":") && strings.HasPrefix(name, s)
				}) {
					steps = append(steps, &trail.Steps[i])
				}
			}
		}
	}
	return steps
}

// judged is the cell of the check with the odd answers in the recording, which is as it was afterwards.
func (o odd) judged(suite contract.Suite, rec, base *recording.Recording) judge.Cell {
	c, _ := suite.Check(o.check)
	for _, s := range o.found(rec) {
		was := *s
		defer func() { *s = was }()
		s.Vectors = slices.Clone(s.Vectors)
		o.change(s)
	}
	switch j := judge.New(suite); {
	case !c.Pair():
		return j.Target(rec, c)
	case o.ofReference:
		return j.Pair(rec, base, c)
	default:
		return j.Pair(base, rec, c)
	}
}

// TestOddAnswersAreJudged is not parallel to others: the base is changed meanwhile.
func TestOddAnswersAreJudged(t *testing.T) {
	l := openLab(t)
	for _, o := range oddities() {
		rec, err := o.recorded(t, l)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.found(rec)) == 0 {
			t.Errorf("%s, %s: there is no step %q to change", o.check, o.what, o.steps)
		}
		if cell := o.judged(l.suite, rec, l.base); cell.Variant() != o.want {
			t.Errorf("%s, %s: %s, want %s: %s %s", o.check, o.what, cell.Variant(), o.want, cell.Finding.Observed, cell.Reason)
		}
	}
}
