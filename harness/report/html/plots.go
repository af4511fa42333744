package html

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/report"
)

// plot is a picture of distributions below each other, on one axis.
type plot struct {
	ID, Title, Says string
	Width, Height   float64
	Left, Right     float64 // of the axis
	Axis            string
	Base            float64 // y of the axis
	Ticks           []tick
	Bar             *mark // what is beyond it is too far
	Strips          []strip
}

// Beyond and Depth are the size of what is too far.
func (p plot) Beyond() float64 { return p.Right - p.Bar.X }

// Depth is the height of the strips.
func (p plot) Depth() float64 { return p.Base - 18 }

// TickY is the line of the numbers below the axis.
func (p plot) TickY() float64 { return p.Base + 14 }

// AxisY is the line of its name.
func (p plot) AxisY() float64 { return p.Base + 34 }

// NameY is the line of the name of a strip.
func (s strip) NameY() float64 { return s.Y - 18 }

// UnderY is the line below it.
func (s strip) UnderY() float64 { return s.Y - 2 }

type tick struct {
	X    float64
	Text string
}

type mark struct {
	X    float64
	Text string
	End  bool // the text ends at X
}

// strip is one distribution.
type strip struct {
	Name, Under string
	Y           float64 // of its base
	Bins        []bin
	Marks       []mark
	// In numbers, for the table.
	N                   int
	Least, Median, Most string
}

type bin struct {
	X, Y, W, H float64
	Text       string
	Beyond     bool
}

// Sizes of pictures, in pixels.
const (
	plotWidth   = 960
	plotLeft    = 250
	plotRight   = 930
	stripHeight = 58
	plotTop     = 26
	plotBottom  = 44
	barHeight   = 34
	binWidth    = 8
)

// sample is a series with what it is of.
type sample struct {
	name, under string
	series      report.Series
	floors      []report.Number
}

// axis maps a value to a place from 0 to 1.
type axis func(float64) float64

// logarithmic is an axis from 10^low to 10^high. A zero, and what is below it, stands at its very beginning, apart from the rest.
func logarithmic(low, high float64) axis {
	return func(v float64) float64 {
		const gap = 0.05
		if v <= 0 {
			return 0
		}
		at := (math.Log10(v) - low) / (high - low)
		return gap + (1-gap)*min(max(at, 0), 1)
	}
}

func (m *maker) plots() []plot {
	var out []plot
	add := func(p plot, samples []sample, at axis, show func(float64) string) {
		if len(samples) > 0 {
			p.draw(samples, at, show)
			p.ID = m.ids.unique(p.ID)
			out = append(out, p)
		}
	}
	bars := report.Bars{}
	if m.r.Bars != nil {
		bars = *m.r.Bars
	}
	distance := logarithmic(-16, 0.31)
	add(plot{ID: "plot-cosine", Title: "How far the vectors of both servers are apart",
		Says: "Each document of the corpus on both servers, by 1 − cosine; further left is nearer. A tick below a row is a server's own noise floor: how far it is from itself.",
		Axis: "1 − cosine", Ticks: decades(distance, -15, 0, 3), Bar: barAt(distance, bars.Peer, "bar: cosine 0.9995")},
		m.between(contract.Distances), distance, scientific)
	add(plot{ID: "plot-noise", Title: "How far each server is from itself",
		Says: "The same texts asked again, alone and in a batch, in another order.",
		Axis: "1 − cosine", Ticks: decades(distance, -15, 0, 3), Bar: barAt(distance, bars.Same, "bar: cosine 0.9999")},
		m.within(contract.Distances, nil), distance, scientific)
	norm := logarithmic(-10, 1)
	add(plot{ID: "plot-norm", Title: "How far norms are from 1",
		Says: "The L2 norm of the vectors that were looked at for it; a dot product is a cosine only where it is 1.",
		Axis: "|norm − 1|", Ticks: decades(norm, -9, 0, 3), Bar: barAt(norm, bars.Norm, "tolerance")},
		m.within(contract.Norms, func(v float64) float64 { return math.Abs(v - 1) }), norm, scientific)
	share := axis(func(v float64) float64 { return 0.02 + 0.96*v })
	says := "Of the ten documents that a query finds with the reference, the share that it finds with the candidate."
	if m.random() {
		says += " The weights are random numbers, and so is this order: it says that both rank alike, and nothing of the quality of a search."
	}
	add(plot{ID: "plot-overlap", Title: "Whether searches find the same", Says: says, Axis: "share of the top ten that stays",
		Ticks: []tick{{share(0), "0 %"}, {share(0.5), "50 %"}, {share(1), "100 %"}}},
		m.between(contract.Overlaps), share, func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) })
	return out
}

func (m *maker) random() bool {
	return slices.ContainsFunc(m.r.Targets, func(t report.Target) bool { return t.Weights == "random" })
}

// between are the series of pair checks.
func (m *maker) between(name string) []sample {
	var out []sample
	for _, p := range m.r.Pairs {
		for _, c := range p.Cells {
			for _, s := range c.Series {
				if s.Name == name {
					one := sample{name: m.called(p.Candidate), under: c.Check, series: s}
					for _, n := range c.Numbers {
						if strings.HasPrefix(n.Name, "floor of ") {
							one.floors = append(one.floors, report.Number{Name: "noise floor " + strings.TrimPrefix(n.Name, "floor "), Value: n.Value})
						}
					}
					out = append(out, one)
				}
			}
		}
	}
	return out
}

// within are the series of each target, all checks together.
func (m *maker) within(name string, change func(float64) float64) []sample {
	var out []sample
	for _, t := range m.r.Targets {
		one := sample{name: m.called(t.Name)}
		checks := map[string]bool{}
		for _, c := range m.r.Cells {
			for _, s := range c.Series {
				if c.Target != t.Name || s.Name != name {
					continue
				}
				checks[c.Check] = true
				for _, v := range s.Values {
					if change != nil {
						v = change(v)
					}
					one.series.Values = append(one.series.Values, v)
				}
			}
		}
		one.under = plural(len(checks), "check", "checks")
		if len(one.series.Values) > 0 {
			out = append(out, one)
		}
	}
	return out
}

func decades(at axis, from, to, step int) []tick {
	out := []tick{{at(0), "0"}}
	for e := from; e <= to; e += step {
		text := fmt.Sprintf("1e%d", e)
		if e == 0 {
			text = "1"
		}
		out = append(out, tick{at(math.Pow10(e)), text})
	}
	return out
}

func barAt(at axis, bar float64, text string) *mark {
	if bar <= 0 {
		return nil
	}
	return &mark{X: at(bar), Text: text}
}

func scientific(v float64) string {
	if v == 0 {
		return "0"
	}
	return fmt.Sprintf("%.1e", v)
}

// draw places everything. Places on the axis were shares of it until here.
func (p *plot) draw(samples []sample, at axis, show func(float64) string) {
	x := func(share float64) float64 { return math.Round(10*(plotLeft+share*(plotRight-plotLeft))) / 10 }
	p.Width, p.Left, p.Right = plotWidth, plotLeft, plotRight
	p.Base = plotTop + float64(len(samples))*stripHeight
	p.Height = p.Base + plotBottom
	for i := range p.Ticks {
		p.Ticks[i].X = x(p.Ticks[i].X)
	}
	if p.Bar != nil {
		p.Bar.X = x(p.Bar.X)
		p.Bar.End = p.Bar.X > (plotLeft+plotRight)/2
	}
	for i, s := range samples {
		st := strip{Name: s.name, Under: s.under, Y: plotTop + float64(i+1)*stripHeight - 14, N: len(s.series.Values)}
		values := slices.Sorted(slices.Values(s.series.Values))
		st.Least, st.Median, st.Most = show(values[0]), show(values[(len(values)-1)/2]), show(values[len(values)-1])
		st.Bins = bins(values, func(v float64) float64 { return x(at(v)) }, st.Y, show)
		for j := range st.Bins {
			st.Bins[j].Beyond = p.Bar != nil && st.Bins[j].X > p.Bar.X
		}
		for _, f := range s.floors {
			st.Marks = append(st.Marks, mark{X: x(at(f.Value)), Text: f.Name + ": " + show(f.Value)})
		}
		p.Strips = append(p.Strips, st)
	}
}

// bins counts sorted values by their place.
func bins(values []float64, x func(float64) float64, base float64, show func(float64) string) []bin {
	var out []bin
	most := 0
	for from := 0; from < len(values); {
		slot := math.Floor(x(values[from]) / binWidth)
		to := from
		for to < len(values) && math.Floor(x(values[to])/binWidth) == slot {
			to++
		}
		text := plural(to-from, "value", "values") + ", " + show(values[from])
		if last := show(values[to-1]); last != show(values[from]) {
			text += " to " + last
		}
		out = append(out, bin{X: slot * binWidth, W: binWidth - 1.5, H: float64(to - from), Text: text})
		most, from = max(most, to-from), to
	}
	for i := range out {
		out[i].H = math.Round(10*max(3, barHeight*out[i].H/float64(most))) / 10
		out[i].Y = math.Round(10*(base-out[i].H)) / 10
	}
	return out
}
