package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
)

// The elements of JUnit's XML that CI systems read, in the order that the stricter of them want.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string           `xml:"name,attr"`
		Tests      int              `xml:"tests,attr"`
		Failures   int              `xml:"failures,attr"`
		Errors     int              `xml:"errors,attr"`
		Skipped    int              `xml:"skipped,attr"`
		Timestamp  string           `xml:"timestamp,attr,omitempty"`
		Properties *junitProperties `xml:"properties,omitempty"`
		Cases      []junitCase      `xml:"testcase"`
		SystemOut  *junitText       `xml:"system-out,omitempty"`
	}
	junitProperties struct {
		Property []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name       string           `xml:"name,attr"`
		Class      string           `xml:"classname,attr"`
		Properties *junitProperties `xml:"properties,omitempty"`
		Skipped    *junitMessage    `xml:"skipped,omitempty"`
		Error      *junitMessage    `xml:"error,omitempty"`
		Failure    *junitMessage    `xml:"failure,omitempty"`
		SystemOut  *junitText       `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",cdata"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
)

// JUnit writes the report for CI systems: a suite for each target and each pair, a case for each check. Only what is
// not as expected fails, so that the colour of the build is that of the verdict.
func (r *Report) JUnit(w io.Writer) error {
	all := junitSuites{Name: "embedcontract " + line(r.Revision)}
	for _, t := range r.Targets {
		all.add(r.targetSuite(t))
	}
	for _, p := range r.Pairs {
		all.add(r.pairSuite(p))
	}
	if r.Baseline != nil {
		all.add(r.Baseline.suite())
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (all *junitSuites) add(s junitSuite) {
	for _, c := range s.Cases {
		s.Tests++
		switch {
		case c.Error != nil:
			s.Errors++
		case c.Failure != nil:
			s.Failures++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	all.Tests, all.Failures, all.Errors, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors, all.Skipped+s.Skipped
	all.Suites = append(all.Suites, s)
}

func (r *Report) targetSuite(t Target) junitSuite {
	s := junitSuite{Name: t.column().name, Properties: properties("kind", t.Kind, "label", t.Label, "model", t.Model, "problem", t.Problem,
		"contract revision", r.Revision, "contract revision of the recording", t.Revision)}
	if !t.Recorded.IsZero() {
		s.Timestamp = t.Recorded.UTC().Format(time.RFC3339)
	}
	cells := r.byCheck()
	for _, check := range r.checks() {
		at := slices.IndexFunc(cells[check.ID].cells, func(c Cell) bool { return c.Target == t.Name })
		switch {
		case at >= 0:
			c := cells[check.ID].cells[at]
			s.Cases = append(s.Cases, junitCell(t.Name, c.Check, c.Judgement, append(c.describe(check), c.proof()...), check.mark()))
		case !check.Pair:
			s.Cases = append(s.Cases, junitCell(t.Name, check.ID, Judgement{Outcome: string(contract.Error), Reason: "the report has no cell for this check"}, nil, nil))
		}
	}
	if len(s.Cases) == 0 && t.Problem != "" {
		// A suite without cases is green, and this target answered nothing.
		s.Cases = append(s.Cases, junitCell(t.Name, "target", Judgement{Outcome: string(contract.Error), Reason: t.Problem}, nil, nil))
	}
	return s
}

// pairSuite has the pair checks as cases. What the swap means for the target checks is no test but stands in its
// output: whether a change is a failure is the reader's decision.
func (r *Report) pairSuite(p Pair) junitSuite {
	s := junitSuite{Name: r.swap(p)}
	var changes []string
	for _, c := range p.Cells {
		e := pairEntry(c)
		if c.judged() {
			s.Cases = append(s.Cases, junitCell(p.Candidate, c.Check, c.Judgement, append(c.describe(r.check(c.Check)), c.effect()...),
				append(r.check(c.Check).mark(), "reference", p.Reference, "effect", c.Effect)))
			continue
		}
		if c.Expected.Status != "" && !c.Expected.OK {
			s.Cases = append(s.Cases, junitCell(p.Candidate, c.Check, c.Judgement, c.effect(), []string{"reference", p.Reference, "effect", c.Effect}))
		}
		if c.Effect != string(contract.Same) {
			change := line(c.Check) + ": " + words(e.effect, line(c.From), "→", line(c.To))
			if r.check(c.Check).Provisional {
				change += " (" + provisionalWord + ", not counted)"
			}
			changes = append(changes, change)
		}
	}
	var counted []string
	for _, k := range effects() {
		counted = append(counted, "effect "+k, fmt.Sprint(p.Effects[k]))
	}
	s.Properties = properties(counted...)
	s.SystemOut = output(changes...)
	return s
}

func junitCell(class, check string, j Judgement, fields []field, more []string) junitCase {
	c := junitCase{Name: line(check), Class: line(class),
		Properties: properties(append([]string{"outcome", j.Outcome, "variant", j.Variant, "expectation", j.Expected.Status}, more...)...)}
	text := plain(fields)
	switch o := contract.Outcome(j.Outcome); {
	case j.Expected.Status == string(expect.Provisional):
		c.SystemOut = output(provisionalWord+", not counted: "+words(judgementEntry(j).String(), line(j.Observed), fit(line(j.Reason), textShown)), text)
	case o == contract.Error:
		c.Error = &junitMessage{Message: fit(line(j.Reason), textShown), Type: j.Outcome, Text: text}
	case !j.Expected.OK:
		message := judgementEntry(j).String()
		if seen := words(line(j.Observed), line(j.Reason)); seen != "" {
			message += ": " + seen
		}
		c.Failure = &junitMessage{Message: fit(message, textShown), Type: line(j.Expected.Status), Text: text}
	case o == contract.NotApplicable, o == contract.Skipped:
		c.Skipped = &junitMessage{Message: fit(line(j.Reason), textShown)}
	case o != contract.Pass:
		c.SystemOut = output("as expected: "+judgementEntry(j).String(), text)
	}
	return c
}

// mark is the property of the cases of a provisional check.
func (c Check) mark() []string {
	if !c.Provisional {
		return nil
	}
	return []string{provisionalWord, "not counted: the contract revision does not list it"}
}

// plain are fields as text.
func plain(fields []field) string {
	var b strings.Builder
	for _, f := range fields {
		text := f.text
		if f.raw != nil {
			text = strings.Join(f.raw, "\n  ")
		}
		fmt.Fprintf(&b, "%s: %s\n", f.name, text)
	}
	return b.String()
}

// output is text that CI systems show on request.
func output(parts ...string) *junitText {
	if len(parts) == 0 {
		return nil
	}
	return &junitText{strings.Join(parts, "\n")}
}

// properties are names and values by turns, without the empty ones.
func properties(pairs ...string) *junitProperties {
	var p junitProperties
	for i := 0; i+1 < len(pairs); i += 2 {
		if v := line(pairs[i+1]); v != "" {
			p.Property = append(p.Property, junitProperty{pairs[i], fit(v, textShown)})
		}
	}
	if len(p.Property) == 0 {
		return nil
	}
	return &p
}
