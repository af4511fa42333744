package report

import (
	"bytes"
	_ "embed" // for the schema
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/harness/verdict"
)

//go:embed schema.json
var schemaJSON string

// SchemaJSON is the JSON Schema of the format.
func SchemaJSON() []byte { return []byte(schemaJSON) }

// JSON writes the report in its published format. Lists and tables that a reader may rely on are never null.
func (r *Report) JSON(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(r.withoutNull()); err != nil {
		return err
	}
	_, err := w.Write(escaped(b.Bytes()))
	return err
}

// escaped writes the characters that act on a terminal as JSON writes any character that is not to stand there itself:
// the report is looked at there, too, and says what a server said. They can stand in strings only.
func escaped(text []byte) []byte {
	var out []byte
	at := 0
	for i, r := range string(text) {
		if r < utf8.RuneSelf && r != 0x7f || !unicode.IsControl(r) && !invisible(r) {
			continue
		}
		out = append(out, text[at:i]...)
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
		at = i + utf8.RuneLen(r)
	}
	if at == 0 {
		return text
	}
	return append(out, text[at:]...)
}

// withoutNull is a copy in which empty stands for absent wherever the schema asks for a value.
func (r *Report) withoutNull() Report {
	c := *r
	list(&c.Verdict.Words)
	list(&c.Targets)
	list(&c.Cells)
	object(&c.Tool)
	object(&c.Verdict.Outcomes)
	if c.Since != nil {
		since := *c.Since
		for _, l := range since.lists() {
			list(l)
		}
		list(&since.Deselected)
		c.Since = &since
	}
	c.Behaviours, c.Pairs = slices.Clone(c.Behaviours), slices.Clone(c.Pairs)
	list(&c.Behaviours)
	for i := range c.Behaviours {
		b := &c.Behaviours[i]
		b.Checks = slices.Clone(b.Checks)
		list(&b.Checks)
		for j := range b.Checks {
			list(&b.Checks[j].Sources)
			list(&b.Checks[j].Variants)
		}
	}
	for i := range c.Pairs {
		list(&c.Pairs[i].Cells)
		object(&c.Pairs[i].Effects)
		c.Pairs[i].Remedies = slices.Clone(c.Pairs[i].Remedies)
		for j := range c.Pairs[i].Remedies {
			list(&c.Pairs[i].Remedies[j].Bridges)
		}
		whole(&c.Pairs[i].Decision)
	}
	return c
}

// whole gives a decision the lists that it lacks, as one that was read may.
func whole(d *verdict.Decision) {
	list(&d.Operations)
	list(&d.Unknown)
	list(&d.Clients.Breaks)
	list(&d.Index.Reasons)
	list(&d.Index.Ranking)
	list(&d.Index.Breaks)
	for _, l := range []*[]verdict.Change{&d.Clients.Changes, &d.Clients.Failed} {
		*l = slices.Clone(*l)
		list(l)
		for i := range *l {
			list(&(*l)[i].Why)
			list(&(*l)[i].Checks)
		}
	}
}

func list[T any](l *[]T) {
	if *l == nil {
		*l = []T{}
	}
}

func object[T any](m *map[string]T) {
	if *m == nil {
		*m = map[string]T{}
	}
}

// plainNumber is Number without its methods.
type plainNumber Number

// MarshalJSON writes a measurement that is no number, such as the cosine of a vector of zeros, as null: JSON has no
// word for it, and one such cell must not cost the whole report.
func (n Number) MarshalJSON() ([]byte, error) {
	if !math.IsNaN(n.Value) && !math.IsInf(n.Value, 0) {
		return json.Marshal(plainNumber(n))
	}
	return json.Marshal(struct {
		Name  string   `json:"name"`
		Value *float64 `json:"value"`
		Unit  string   `json:"unit,omitempty"`
	}{n.Name, nil, n.Unit})
}

// UnmarshalJSON reads null back as what is no number.
func (n *Number) UnmarshalJSON(data []byte) error {
	p := plainNumber{Value: math.NaN()}
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*n = Number(p)
	return nil
}

// family is the name of the format without its major version.
const family = "embedcontract/report/"

// ReadJSON reads a report. Fields that it does not know are left out, as a later program of the same major version
// may add some; a report of another version, one with trailing text, or one that contradicts itself is refused.
func ReadJSON(src io.Reader) (*Report, error) {
	data, err := io.ReadAll(src)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&head); err != nil {
		return nil, fmt.Errorf("report: no JSON object: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("report: something follows the JSON object")
	}
	switch {
	case head.Schema == Schema:
	case strings.HasPrefix(head.Schema, family):
		return nil, fmt.Errorf("report: its format is %s, this program reads %s: judge the recordings again, or use the program that wrote it",
			line(head.Schema), Schema)
	default:
		return nil, fmt.Errorf("report: its schema is %q, not %s: this is no report", line(head.Schema), Schema)
	}
	var r Report
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if err := r.consistent(); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return &r, nil
}

// consistent refuses what no renderer could show: a cell of a target or check that is not listed would vanish, and
// of two cells at one place one would.
func (r *Report) consistent() error {
	checks, targets := map[string]bool{}, map[string]bool{}
	for _, b := range r.Behaviours {
		for _, c := range b.Checks {
			if checks[c.ID] {
				return fmt.Errorf("check %q is listed twice", c.ID)
			}
			checks[c.ID] = true
		}
	}
	for _, t := range r.Targets {
		if targets[t.Name] {
			return fmt.Errorf("target %q is listed twice", t.Name)
		}
		targets[t.Name] = true
	}
	type place struct{ where, check string }
	seen := map[place]bool{}
	at := func(where, check string) error {
		p := place{where, check}
		switch {
		case !checks[check]:
			return fmt.Errorf("a cell of %q is of check %q, which is not listed", where, check)
		case seen[p]:
			return fmt.Errorf("%q has two cells of check %q", where, check)
		}
		seen[p] = true
		return nil
	}
	for _, c := range r.Cells {
		if !targets[c.Target] {
			return fmt.Errorf("a cell is of target %q, which is not listed", c.Target)
		}
		if err := at(c.Target, c.Check); err != nil {
			return err
		}
	}
	for _, p := range r.Pairs {
		if !targets[p.Reference] || !targets[p.Candidate] {
			return fmt.Errorf("the pair of %q and %q is of a target that is not listed", p.Reference, p.Candidate)
		}
		for _, c := range p.Cells {
			if err := at(p.Reference+" → "+p.Candidate, c.Check); err != nil {
				return err
			}
		}
	}
	return nil
}
