package upgrade

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	// jitter is the distance, 1 − cosine, up to which vectors are the same though not bit for bit: arithmetic in another
	// order moves one by less (see parity.EqualBar).
	jitter = 1e-9
	// floors is how many times its noise floor a server may be away and still count as within noise: the upgrade then
	// moves vectors no more than a busy day does. Checks of parity allow the same.
	floors = 2
)

// measure compares what both recordings hold of the same requests of the checks that are compared, and of those that these
// read.
func measure(in Input) []Measure {
	wanted := map[string]bool{}
	var want func(contract.Check)
	want = func(c contract.Check) {
		if wanted[c.ID] {
			return
		}
		wanted[c.ID] = true
		for _, id := range c.Reads {
			read, _ := in.Suite.Check(id)
			want(read)
		}
	}
	for _, c := range in.Suite.Checks() {
		if in.Selected == nil || in.Selected(c) {
			want(c)
		}
	}
	a, b := askedOf(in.Old, wanted), askedOf(in.New, wanted)
	older, newer := noiseOf(a), noiseOf(b)
	out := vectors(a, b, max(older.floor(), newer.floor()))
	out = append(out, norms(a, b), noise(older, newer), precision(a, b), tokens(a, b))
	return slices.DeleteFunc(out, func(m Measure) bool { return m.Name == "" })
}

// vectors compares the vectors of the same texts, by the kind of request.
func vectors(a, b asked, floor float64) []Measure {
	type group struct {
		distances []float64
		where     string // of the farthest
		farthest  float64
		broken    string // two vectors that have no distance
	}
	groups, order := map[string]*group{}, []string{}
	for _, key := range a.order {
		was, is := a.texts[key], b.texts[key]
		if is == nil {
			continue
		}
		g := groups[was.kind]
		if g == nil {
			g = &group{}
			groups[was.kind] = g
			order = append(order, was.kind)
		}
		d, err := parity.Distance(was.vectors[0], is.vectors[0])
		if err != nil {
			if g.broken == "" {
				g.broken = fmt.Sprintf("%s: %v", was.where, err)
			}
			continue
		}
		g.distances = append(g.distances, d)
		if d > g.farthest || g.where == "" {
			g.farthest, g.where = d, was.where
		}
	}
	var out []Measure
	for _, kind := range order {
		g := groups[kind]
		s := parity.Summarise(g.distances)
		m := Measure{Name: "vectors of " + kind, Numbers: []Number{{"n", float64(s.N)}, {"1-cosine median", s.Median}, {"1-cosine p99", s.P99},
			{"1-cosine max", s.Farthest}, {"noise floor", floor}}}
		m.Text = fmt.Sprintf("cosine min %s, median %s, n=%d", contract.FormatNumber(1-s.Farthest), contract.FormatNumber(1-s.Median), s.N)
		m.judge(kind == plain, s, floor)
		if m.Moved {
			m.Text += "; farthest in " + g.where
		}
		if g.broken != "" {
			m.Moved, m.Effect, m.Why = true, string(worst(kind == plain)), "vectors that cannot be compared: "+g.broken
		}
		out = append(out, m)
	}
	return out
}

// worst is the effect of vectors that land elsewhere: stored ones are those of plain requests.
func worst(stored bool) contract.Effect {
	if stored {
		return contract.IndexBreak
	}
	return contract.ClientChange
}

// judge holds distances to the bars of parity.
func (m *Measure) judge(stored bool, s parity.Spread, floor float64) {
	set := func(e contract.Effect, why string) { m.Moved, m.Effect, m.Why = true, string(e), why }
	switch {
	case s.N == 0 || s.Farthest <= max(jitter, min(floors*floor, parity.PeerBar)): // no noise excuses more than the bar
	case s.Median > parity.SpaceBar:
		set(worst(stored), "another space: the median cosine is below 0.9")
	case s.Farthest > parity.PeerBar:
		set(worst(stored), "some texts are farther apart than cosine 0.9995")
	case s.Farthest <= parity.EqualBar:
		set(contract.Compatible, "more than noise, and no more than rounding does: 1 − cosine is at most 1e-5")
	default:
		set(contract.Unknown, "within the bar of 0.9995, and farther apart than each server's own noise: another dtype or kernel")
	}
}

// norms compares the lengths of vectors, which no cosine shows.
func norms(a, b asked) Measure {
	n, other, first, most := 0, 0, "", 0.0
	stored := false // one of those that differ
	for _, key := range a.order {
		was, is := a.texts[key], b.texts[key]
		if is == nil {
			continue
		}
		n++
		x, y := parity.Norm(was.vectors[0]), parity.Norm(is.vectors[0])
		most = max(most, math.Abs(x-y))
		if !parity.SameNorm(was.vectors[0], is.vectors[0]) {
			stored = stored || was.kind == plain
			if other++; first == "" {
				first = fmt.Sprintf("; first in %s: %s and %s", was.where, contract.FormatNumber(x), contract.FormatNumber(y))
			}
		}
	}
	if n == 0 {
		return Measure{}
	}
	m := Measure{Name: "norms", Text: fmt.Sprintf("%d of %d differ by more than %g%s", other, n, parity.NormTolerance, first),
		Numbers: []Number{{"n", float64(n)}, {"other", float64(other)}, {"difference max", most}}}
	if other > 0 {
		m.Moved, m.Effect, m.Why = true, string(worst(stored)), "dot products of such vectors with others mean something else"
	}
	return m
}

// precision compares the format of numbers, which shows where no distance does.
func precision(a, b asked) Measure {
	was, is := numberFormat(a), numberFormat(b)
	if was == "" || is == "" {
		return Measure{}
	}
	m := Measure{Name: "number format", Text: was, Numbers: []Number{}}
	if was != is {
		m.Moved, m.Effect, m.Text = true, string(contract.Compatible), was+", then "+is
		m.Why = "the server computes, or answers, in another dtype; the distances say how much that moves"
	}
	return m
}

// numberFormat is bfloat16 when each number of each vector is one, else float32. Empty: no numbers.
func numberFormat(a asked) string {
	if len(a.order) == 0 {
		return ""
	}
	for _, t := range a.texts {
		for _, v := range t.vectors {
			for _, x := range v {
				if math.Float32bits(x)&0xffff != 0 {
					return "float32"
				}
			}
		}
	}
	return "bfloat16"
}

// tokens compares what was counted of the same requests.
func tokens(a, b asked) Measure {
	n, other, first := 0, 0, ""
	for _, key := range slices.Sorted(maps.Keys(a.requests)) {
		was := a.requests[key]
		is, ok := b.requests[key]
		if !ok {
			continue
		}
		n++
		if was.tokens != is.tokens {
			if other++; first == "" {
				first = fmt.Sprintf("; first in %s: %d and %d", was.where, was.tokens, is.tokens)
			}
		}
	}
	if n == 0 {
		return Measure{}
	}
	m := Measure{Name: "token counts", Text: fmt.Sprintf("%d of %d requests are counted otherwise%s", other, n, first),
		Numbers: []Number{{"n", float64(n)}, {"other", float64(other)}}}
	if other > 0 {
		m.Moved, m.Effect, m.Why = true, string(contract.Compatible), "cost and rate limits change; checks of token_parity say whether the text is another one"
	}
	return m
}
