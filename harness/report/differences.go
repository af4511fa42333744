package report

import "fmt"

// Difference is a cell that reads otherwise in two reports.
type Difference struct {
	Column        string // target, or "candidate in place of reference"
	Check         string
	Before, After string // variant, or the outcome where there is none; "absent" for a cell that is missing
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
			out = append(out, Difference{k.column, k.check, was, now[k]})
		}
	}
	_, all := readings(before)
	for _, k := range all {
		if _, ok := now[k]; !ok {
			out = append(out, Difference{k.column, k.check, old[k], "absent"})
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
