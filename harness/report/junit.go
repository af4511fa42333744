package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
)

// The elements of JUnit's XML that CI systems read, in the order that the stricter of them want. What the usual ones make
// of it decides what is written:
//
//   - dorny/test-reporter reads times of every element as numbers, groups cases by class, and shows the text of a failure
//     but not its message.
//   - mikepenz/action-junit-report annotates the file of a case; without one it searches the repository for a file that is
//     called like the last part of the class, and would mark one that has nothing to do with it.
//   - GitLab takes two cases of one class and name for one, whatever their suites are, and shows the text of a failure,
//     error or skip, but neither message nor type.
//   - Jenkins makes a tree of the class at its dots, and shows message, text and output.
//   - xunit-viewer guesses the encoding, and ends where it guesses one that it cannot read.
//
// So texts begin with the message, each class is column.behaviour with no other dot, and a case names the file of its
// behaviour, below suites of this project.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"` // seconds
		Suites   []junitSuite `xml:"testsuite"`

		seconds float64
	}
	junitSuite struct {
		Name       string           `xml:"name,attr"`
		Tests      int              `xml:"tests,attr"`
		Failures   int              `xml:"failures,attr"`
		Errors     int              `xml:"errors,attr"`
		Skipped    int              `xml:"skipped,attr"`
		Time       string           `xml:"time,attr"`                // seconds
		Timestamp  string           `xml:"timestamp,attr,omitempty"` // UTC, which the schemas of others want unsaid
		Properties *junitProperties `xml:"properties,omitempty"`
		Cases      []junitCase      `xml:"testcase"`
		SystemOut  *junitText       `xml:"system-out,omitempty"`

		seconds float64
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
		File       string           `xml:"file,attr,omitempty"`
		Time       string           `xml:"time,attr"` // seconds; a report holds no times of single checks
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
// not as expected fails, so that the colour of the build is that of the verdict. A deviation that is expected passes, with
// its story as output: it was asked and answered, which a skipped case was not, and a list of skips that is always there
// hides the one that is new.
func (r *Report) JUnit(w io.Writer) error {
	all := junitSuites{Name: "embedcontract " + line(r.Revision), Time: seconds(0)}
	for _, t := range r.Targets {
		all.add(r.targetSuite(t))
	}
	for _, p := range r.Pairs {
		all.add(r.pairSuite(p))
	}
	if r.Baseline != nil {
		all.add(r.Baseline.suite())
	}
	if r.Since != nil {
		all.add(r.sinceSuite())
	}
	b := bytes.NewBufferString(xml.Header)
	e := xml.NewEncoder(b)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	b.WriteByte('\n')
	return writeASCII(w, b.Bytes())
}

func (all *junitSuites) add(s junitSuite) {
	all.seconds += s.seconds
	all.Time, s.Time = seconds(all.seconds), seconds(s.seconds)
	for i, c := range s.Cases {
		s.Tests++
		s.Cases[i].Time = seconds(0)
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

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }

func (r *Report) targetSuite(t Target) junitSuite {
	s := junitSuite{Name: t.column().name, seconds: t.Timing.Answering + t.Timing.Added, Properties: properties("kind", t.Kind, "label", t.Label, "model", t.Model, "problem", t.Problem,
		"contract revision", r.Revision, "contract revision of the recording", t.Revision)}
	if !t.Recorded.IsZero() {
		s.Timestamp = t.Recorded.UTC().Format("2006-01-02T15:04:05")
	}
	cells := r.byCheck()
	for _, check := range r.checks() {
		at := slices.IndexFunc(cells[check.ID].cells, func(c Cell) bool { return c.Target == t.Name })
		switch {
		case at >= 0:
			c := cells[check.ID].cells[at]
			s.Cases = append(s.Cases, junitCell(dotless(t.Name), c.Check, c.Judgement, append(c.describe(check), c.proof()...), check.mark()))
		case !check.Pair:
			s.Cases = append(s.Cases, junitCell(dotless(t.Name), check.ID, Judgement{Outcome: string(contract.Error), Reason: "the report has no cell for this check"}, nil, nil))
		}
	}
	if len(s.Cases) == 0 && t.Problem != "" {
		// A suite without cases is green, and this target answered nothing.
		s.Cases = append(s.Cases, junitCell(dotless(t.Name), "target", Judgement{Outcome: string(contract.Error), Reason: t.Problem}, nil, nil))
	}
	return s
}

// pairSuite has the pair checks as cases. What the swap means for the target checks is no test but stands in its
// output: whether a change is a failure is the reader's decision.
func (r *Report) pairSuite(p Pair) junitSuite {
	s := junitSuite{Name: r.swap(p)}
	class := dotless(p.Candidate) + " for " + dotless(p.Reference) // of its own: a check of the candidate has the same name
	var changes []string
	for _, c := range p.Cells {
		e := pairEntry(c)
		if c.judged() {
			s.Cases = append(s.Cases, junitCell(class, c.Check, c.Judgement, append(c.describe(r.check(c.Check)), c.effect()...),
				append(r.check(c.Check).mark(), "reference", p.Reference, "effect", c.Effect)))
			continue
		}
		if c.Expected.Status != "" && !c.Expected.OK {
			s.Cases = append(s.Cases, junitCell(class, c.Check, c.Judgement, c.effect(), []string{"reference", p.Reference, "effect", c.Effect}))
		}
		if c.Effect != string(contract.Same) {
			change := line(c.Check) + ": " + words(e.effect, line(c.From), "→", line(c.To))
			if r.check(c.Check).Provisional {
				change += " (" + provisionalWord + ", not counted)"
			}
			changes = append(changes, change)
		}
	}
	if len(s.Cases) == 0 { // only effects, which are no tests
		s.Cases = append(s.Cases, junitCase{Name: "effects", Class: class, SystemOut: output(changes...)})
	}
	var counted []string
	for _, k := range effects() {
		counted = append(counted, "effect "+k, fmt.Sprint(p.Effects[k]))
	}
	s.Properties = properties(counted...)
	s.SystemOut = output(changes...)
	return s
}

// dotless is a name as one part of a class, which ends at a dot for some.
func dotless(name string) string { return strings.ReplaceAll(line(name), ".", "_") }

// junitCell is the case of one cell, of the class column.behaviour.
func junitCell(column, check string, j Judgement, fields []field, more []string) junitCase {
	c := junitCase{Name: line(check), Class: column,
		Properties: properties(append([]string{"outcome", j.Outcome, "variant", j.Variant, "expectation", j.Expected.Status}, more...)...)}
	if stem, _, of := strings.Cut(line(check), "/"); of {
		c.Class += "." + dotless(stem)
		if strings.Trim(stem, "abcdefghijklmnopqrstuvwxyz_") == "" {
			c.File = "suites/" + stem + ".go"
		}
	}
	said := func(parts ...string) string { return fit(words(parts...), textShown) }
	because := words(line(j.Observed), line(j.Reason))
	told := func(message, kind string) *junitMessage {
		return &junitMessage{Message: message, Type: kind, Text: words(line(check)+":", message) + "\n" + plain(fields)}
	}
	after := func(s string) string { // a colon only where something follows
		if because == "" {
			return s
		}
		return s + ":"
	}
	switch o := contract.Outcome(j.Outcome); {
	case j.Expected.Status == string(expect.Provisional):
		c.SystemOut = output(said(provisionalWord+", not counted:", after(judgementEntry(j).String()), because), plain(fields))
	case o == contract.Error && j.Expected.OK:
		c.Skipped = told(said(after("no verdict, as was known"), because), "")
	case o == contract.Error:
		c.Error = told(said(after("no verdict"), because), j.Outcome)
	case !j.Expected.OK:
		c.Failure = told(said(after(j.answer()+", "+statusWord(j.Expected.Status)), because), j.answer())
	case o == contract.NotApplicable, o == contract.Skipped:
		if because == "" {
			because = j.answer()
		}
		c.Skipped = told(said(because), "")
	case o != contract.Pass:
		c.SystemOut = output("as expected: "+judgementEntry(j).String(), plain(fields))
	}
	return c
}

// statusWord is a status that a cell of an older or a foreign report may lack.
func statusWord(status string) string {
	if status == "" {
		return string(expect.Unexpected)
	}
	return line(status)
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
