package html

import (
	"fmt"
	"math"
	"slices"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/report"
)

// scatters compares tokens: a document whose counts are equal is on the diagonal.
type scatters struct {
	Size   float64
	Charts []scatter
}

type scatter struct {
	Name, Reference string
	Dots            []dot
	Equal, N        int
	Most            string
	Others          []string // documents that differ, in words
}

type dot struct {
	X, Y  float64
	Text  string
	Other bool
}

const (
	scatterSize   = 200.0
	scatterMargin = 14.0
	othersShown   = 8
)

func (m *maker) scatters() *scatters {
	out := &scatters{Size: scatterSize}
	for _, p := range m.r.Pairs {
		for _, c := range p.Cells {
			var ref, cand *report.Series
			for i := range c.Series {
				switch c.Series[i].Name {
				case contract.ReferenceTokens:
					ref = &c.Series[i]
				case contract.CandidateTokens:
					cand = &c.Series[i]
				}
			}
			if ref == nil || cand == nil || len(ref.Values) != len(cand.Values) {
				continue
			}
			out.Charts = append(out.Charts, tokens(m.called(p.Candidate)+", "+c.Check, m.called(p.Reference), *ref, *cand))
		}
	}
	if len(out.Charts) == 0 {
		return nil
	}
	return out
}

func tokens(name, reference string, ref, cand report.Series) scatter {
	s := scatter{Name: name, Reference: reference, N: len(ref.Values)}
	most := max(slices.Max(ref.Values), slices.Max(cand.Values), 1)
	s.Most = contract.FormatNumber(most)
	place := func(v float64) float64 {
		return math.Round(10*(scatterMargin+v/most*(scatterSize-2*scatterMargin))) / 10
	}
	for i, v := range ref.Values {
		of := fmt.Sprintf("document %d", i+1)
		if i < len(ref.Of) {
			of = ref.Of[i]
		}
		d := dot{X: place(v), Y: scatterSize - place(cand.Values[i]), Text: fmt.Sprintf("%s: %g and %g tokens", of, v, cand.Values[i]), Other: v != cand.Values[i]}
		if d.Other {
			if len(s.Others) < othersShown {
				s.Others = append(s.Others, d.Text)
			}
		} else {
			s.Equal++
		}
		s.Dots = append(s.Dots, d)
	}
	return s
}
