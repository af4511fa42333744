package report

import (
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// Difference is a cell that reads otherwise in two reports.
type Difference struct {
	Column string `json:"column"` // target, or "candidate in place of reference"
	Check  string `json:"check"`  // "facts" for what was declared or discovered of a target
	// Before and After are the variant, or the outcome where there is none; "absent" for a cell that is missing.
	Before string `json:"before"`
	After  string `json:"after"`
	// Provisional: the contract revision does not list the check, so the difference is shown and decides nothing.
	Provisional bool `json:"provisional,omitempty"`
}

// Against compares a report with the one that is made of earlier recordings of the same targets, judged by the same
// rules: cell by cell, fact by fact, and each target as if it were put in place of its earlier self.
func Against(folder string, earlier, now Input) *Baseline {
	before, after := Build(earlier), Build(now)
	b := &Baseline{Folder: folder, Differences: Differences(before, after)}
	_, order := readings(after)
	b.Compared = len(order)
	for i, t := range after.Targets {
		if was, is := t.factLine(), before.Targets[i].factLine(); was != is {
			b.Differences = append(b.Differences, Difference{Column: t.Name, Check: "facts", Before: is, After: was})
		}
		b.Differences = append(b.Differences, inPlace(earlier.Targets[i], now.Targets[i], now)...)
	}
	for i := range b.Differences {
		d := &b.Differences[i]
		d.Provisional = after.check(d.Check).Provisional
	}
	return b
}

func (t Target) factLine() string {
	return fmt.Sprintf("%d dimensions, limit %d tokens, usage %s", t.Facts.Dimensions, t.Facts.MaxTokens, t.Facts.Usage)
}

// inPlace puts a target in place of its earlier self and lists what clients or the index notice.
func inPlace(earlier, now Source, in Input) []Difference {
	if now.Problem != "" {
		return nil // its cells are errors already
	}
	was := *earlier.Recording
	was.Header.Target.Name += "@baseline"
	earlier.Recording = &was
	in.Targets, in.Reference = []Source{earlier, now}, was.Header.Target.Name
	var out []Difference
	for _, p := range Build(in).Pairs {
		for _, c := range p.Cells {
			harm := c.Effect == string(contract.ClientChange) || c.Effect == string(contract.IndexBreak)
			undecided := c.Effect == string(contract.Unknown) && c.Outcome != string(contract.Error) &&
				c.Outcome != string(contract.NotApplicable) // asked by another plan
			if c.Outcome == "" || !harm && !undecided {
				continue // a target check that reads otherwise is listed already
			}
			out = append(out, Difference{Column: now.name() + " in place of its recording", Check: c.Check,
				Before: "its own recording", After: words(reading(c.Judgement), "("+c.Effect+")", c.Observed)})
		}
	}
	return out
}

// Differences lists the cells whose variant, outcome or effect is another in after than in before. Numbers and
// observations may move.
func Differences(before, after *Report) []Difference {
	old, _ := readings(before)
	now, order := readings(after)
	var out []Difference
	for _, k := range order {
		was, ok := old[k]
		if !ok {
			was = "absent"
		}
		if was != now[k] {
			out = append(out, Difference{Column: k.column, Check: k.check, Before: was, After: now[k]})
		}
	}
	_, all := readings(before)
	for _, k := range all {
		if _, ok := now[k]; !ok {
			out = append(out, Difference{Column: k.column, Check: k.check, Before: old[k], After: "absent"})
		}
	}
	return out
}

type cellKey struct{ column, check string }

func readings(r *Report) (map[cellKey]string, []cellKey) {
	out := map[cellKey]string{}
	var order []cellKey
	put := func(k cellKey, text string) {
		out[k] = text
		order = append(order, k)
	}
	for _, c := range r.Cells {
		put(cellKey{c.Target, c.Check}, reading(c.Judgement))
	}
	for _, p := range r.Pairs {
		for _, c := range p.Cells {
			text := c.Effect
			if c.From == "" {
				text = fmt.Sprintf("%s (%s)", reading(c.Judgement), c.Effect)
			}
			put(cellKey{p.Candidate + " in place of " + p.Reference, c.Check}, text)
		}
	}
	return out, order
}

func reading(j Judgement) string {
	if j.Variant == "" {
		return j.Outcome
	}
	if j.Outcome == "flaky" {
		return "flaky"
	}
	return j.Variant
}
