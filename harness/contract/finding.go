package contract

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Finding is what a classifier concluded from the evidence.
type Finding struct {
	Variant  string
	Observed string   // what was seen, in one line
	Numbers  []Number // the measurements behind the variant
	Series   []Series // what some of them sum up, for whoever draws it
	Proof    []string // names of the steps that prove it
	// Trials is set by a check that looks for faults which come now and then.
	Trials Trials
	// Proofs are set by a remedy.
	Proofs []Proof
}

// Proof says whether a remedy bridges a check: whether the candidate's answers to the changed requests are what the
// reference answered to the original ones.
type Proof struct {
	Check    string // that is bridged
	Needless bool   // the reference does not serve the original request, so there is nothing to keep
	Holds    bool   // false with Needless
	Observed string // what was compared, in one line
	Numbers  []Number
}

// Number is one measurement. Unit is empty for counts and ratios.
type Number struct {
	Name  string
	Value float64
	Unit  string
}

// Series are measurements of one kind, one of each text or query, in the order of the corpus.
type Series struct {
	Name   string   // one of the names below
	Of     []string // what each value is of; nil where its place says it
	Values []float64
}

// The names of series.
const (
	Distances       = "1-cosine"                // of the two vectors of a text, in [0, 2]
	Norms           = "norm"                    // of each vector
	Overlaps        = "overlap"                 // of the top ten of each query, in [0, 1]
	ReferenceTokens = "tokens of the reference" // of each document
	CandidateTokens = "tokens of the candidate"
)

func (n Number) String() string {
	s := n.Name + " " + FormatNumber(n.Value)
	if n.Unit != "" {
		s += " " + n.Unit
	}
	return s
}

// FormatNumber prints a measurement so that a cosine near 1 keeps the digits that differ from 1.
func FormatNumber(v float64) string {
	if v == float64(int64(v)) {
		return strconv.FormatInt(int64(v), 10)
	}
	if v > 0.9 && v < 1 {
		s := strconv.FormatFloat(v, 'f', 7, 64)
		if s == "1.0000000" {
			return "1-" + strconv.FormatFloat(1-v, 'e', 0, 64)
		}
		return s
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Found makes a finding with a formatted observation.
func Found(variant, format string, args ...any) Finding {
	return Finding{Variant: variant, Observed: fmt.Sprintf(format, args...)}
}

// With adds a measurement.
func (f Finding) With(name string, v float64) Finding {
	f.Numbers = append(f.Numbers[:len(f.Numbers):len(f.Numbers)], Number{Name: name, Value: v})
	return f
}

// Along adds a series of measurements.
func (f Finding) Along(name string, of []string, values []float64) Finding {
	f.Series = append(f.Series[:len(f.Series):len(f.Series)], Series{Name: name, Of: of, Values: values})
	return f
}

// From names the steps that prove the finding.
func (f Finding) From(steps ...string) Finding {
	f.Proof = steps
	return f
}

// How much of an answer Describe shows, in characters. A detail can hold what a server sent in place of HTTP, or the
// last log lines of one that did not come back.
const (
	shownOfBody   = 160
	shownOfDetail = 600
)

// Describe is the short account of an answer that findings and reports show: status and what came with it.
func (s Step) Describe() string {
	if s.Fault != "" {
		return strings.TrimSpace(fmt.Sprintf("no answer (%s) %s", Shorten(string(s.Fault), shownOfBody), Shorten(s.Detail, shownOfDetail)))
	}
	if !s.OK() {
		return fmt.Sprintf("%d %s", s.Status, Shorten(string(s.Body), shownOfBody))
	}
	r, err := s.response()
	if err != nil {
		return fmt.Sprintf("%d, %v", s.Status, err)
	}
	d := fmt.Sprintf("%d", s.Status)
	if len(r.Items) != 1 {
		d += fmt.Sprintf(", %d items", len(r.Items))
	}
	if len(r.Items) > 0 {
		switch it := r.Items[0]; {
		case it.Vector != nil:
			d += fmt.Sprintf(", %d numbers", len(it.Vector))
		case it.Text != "":
			d += fmt.Sprintf(", a string of %d characters", len(it.Text))
		default:
			d += ", embedding " + Shorten(string(it.Raw), 40)
		}
	}
	if r.Usage != nil {
		d += fmt.Sprintf(", %d tokens", r.Usage.PromptTokens)
	}
	return d
}

// Shorten cuts a text for display at a rune boundary and folds its white space.
func Shorten(s string, n int) string {
	var b strings.Builder
	length, word := 0, false
	for _, r := range s { // no further than needed: what is shortened may be as long as a server likes
		if unicode.IsSpace(r) {
			word = false
			continue
		}
		if !word && length > 0 {
			b.WriteByte(' ')
			length++
		}
		if length >= n {
			if length > n { // the space before what does not fit
				return strings.TrimSuffix(b.String(), " ") + "…"
			}
			return b.String() + "…"
		}
		b.WriteRune(r)
		length++
		word = true
	}
	return b.String()
}

// errNotApplicable marks the error of a probe that cannot be asked of this target.
var errNotApplicable = errors.New("not applicable")

// Inapplicable is returned by a Probe when the target cannot be asked, with the reason.
func Inapplicable(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errNotApplicable, fmt.Sprintf(format, args...))
}

// Inapplicability recognises an error made by Inapplicable and returns its reason.
func Inapplicability(err error) (string, bool) {
	if !errors.Is(err, errNotApplicable) {
		return "", false
	}
	return strings.TrimPrefix(err.Error(), errNotApplicable.Error()+": "), true
}
