package rankings_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"github.com/embedcontract/embedcontract/harness/rankings"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.IsNaN(got) || math.Abs(got-want) > within {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// The values are those of scipy.stats.kendalltau 1.x.
func TestTauBAsSciPyHasIt(t *testing.T) {
	for _, c := range []struct {
		before, after []float64
		want          float64
	}{
		{[]float64{1, 2, 2, 3}, []float64{1, 3, 2, 4}, 0.912870929175277},
		{[]float64{1, 1, 2, 3, 4, 4}, []float64{2, 1, 1, 3, 5, 4}, 0.7412493166611013},
		{[]float64{12, 2, 1, 12, 2}, []float64{1, 4, 7, 1, 0}, -0.4714045207910316},
		{[]float64{1, 2, 3, 4, 5}, []float64{5, 4, 3, 2, 1}, -1},
		{[]float64{1, 2, 3}, []float64{10, 20, 30}, 1},
	} {
		got, ok := rankings.TauB(c.before, c.after, 0)
		if !ok {
			t.Errorf("%v, %v: no value", c.before, c.after)
		}
		near(t, "tau-b", got, c.want, 1e-12)
	}
}

func TestTauBOfTies(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after []float64
		tie, want     float64
		ok            bool
	}{
		{"scores change places within a tie", []float64{0.5, 0.4995, 0.3}, []float64{0.4995, 0.5, 0.3}, 0.001, 1, true},
		{"scores change places beyond a tie", []float64{0.5, 0.4995, 0.3}, []float64{0.4995, 0.5, 0.3}, 0.0001, 1. / 3, true},
		{"a difference of just the tie", []float64{2, 1}, []float64{1, 2}, 1, 1, true},
		// 3 pairs: 2 in the same order, 1 tied before; 2 / sqrt(2 · 3).
		{"tied in one", []float64{2, 2, 1}, []float64{3, 2, 1}, 0, 2 / math.Sqrt(6), true},
		{"all tied in both", []float64{1, 1, 1}, []float64{2, 2, 2}, 0, 1, true},
		{"all tied before", []float64{1, 1, 1}, []float64{1, 2, 3}, 0, 0, false},
		{"all tied after", []float64{1, 2, 3}, []float64{1, 1, 1}, 0, 0, false},
		{"one document", []float64{1}, []float64{1}, 0, 0, false},
		{"none", nil, nil, 0, 0, false},
	} {
		got, ok := rankings.TauB(c.before, c.after, c.tie)
		if ok != c.ok {
			t.Errorf("%s: has a value: %v", c.name, ok)
		}
		near(t, c.name, got, c.want, 1e-12)
	}
}

// Pairs are counted one by one as the formula says, and without ties tau-b is gonum's tau-a.
func TestTauBAgainstItsFormula(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 2 + r.IntN(12)
		before, after := make([]float64, n), make([]float64, n)
		for i := range before {
			before[i], after[i] = float64(r.IntN(6)), float64(r.IntN(6))
		}
		var same, other, onlyBefore, onlyAfter float64
		for i := range before {
			for j := range i {
				switch b, a := before[i]-before[j], after[i]-after[j]; {
				case b == 0 && a == 0:
				case b == 0:
					onlyBefore++
				case a == 0:
					onlyAfter++
				case b*a > 0:
					same++
				default:
					other++
				}
			}
		}
		if want := (same - other) / math.Sqrt((same+other+onlyBefore)*(same+other+onlyAfter)); !math.IsNaN(want) {
			got, ok := rankings.TauB(before, after, 0)
			if !ok {
				t.Errorf("%v, %v: no value", before, after)
			}
			near(t, "with ties", got, want, 1e-12)
		}
		for i, p := range r.Perm(n) {
			before[i], after[i] = float64(i), float64(p)
		}
		got, _ := rankings.TauB(before, after, 0)
		near(t, "without ties", got, stat.Kendall(before, after, nil), 1e-12)
	}
}

// The bounds are those of scipy.stats.binomtest(…, alternative="greater").proportion_ci(0.95), and by hand 0.05^(1/n).
func TestAtLeast(t *testing.T) {
	for _, c := range []struct {
		so, n int
		want  float64
	}{
		{10, 10, 0.7411344491066529}, {9, 10, 0.605836697563026}, {1, 10, 0.005116196892304599}, {0, 10, 0}, {0, 0, 0},
		{10, 10, math.Pow(0.05, 0.1)}, {299, 299, 0.990030853207042}, {59, 59, 0.9504923901115316},
	} {
		near(t, "bound", rankings.AtLeast(c.so, c.n), c.want, 1e-9)
	}
	if rankings.AtLeast(299, 299) < 0.99 || rankings.AtLeast(298, 298) >= 0.99 {
		t.Error("299 queries that all agree are the fewest that show 99 %")
	}
}

func repeated(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

func TestMeanAtLeast(t *testing.T) {
	for so := range 11 {
		near(t, "of zeros and ones", rankings.MeanAtLeast(slices.Concat(repeated(so, 1), repeated(10-so, 0))), rankings.AtLeast(so, 10), 1e-9)
	}
	near(t, "half of ten ones", rankings.MeanAtLeast(repeated(10, 0.5)), math.Pow(0.05, 0.1)/2, 1e-9)
	// One value v and a 0 under a uniform weight: v · 0.05.
	near(t, "one value", rankings.MeanAtLeast([]float64{0.3}), 0.015, 1e-9)
	near(t, "zeros", rankings.MeanAtLeast(repeated(3, 0)), 0, 0)
	near(t, "none", rankings.MeanAtLeast(nil), 0, 0)
	near(t, "1,000 ones", rankings.MeanAtLeast(repeated(1000, 1)), math.Pow(0.05, 0.001), 1e-9)
}

// The weights are drawn a hundred thousand times.
func TestMeanAtLeastAgainstDraws(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, values := range [][]float64{
		append(repeated(9, 1), 0.9), {0.5, 0.6, 0.7, 0.8, 0.9}, {1, 1, 1, 0.95, 0.9, 0.9, 0.85, 0.8, 1, 1}, {0.1, 0.1, 0.7},
	} {
		draws := make([]float64, 100_000)
		for i := range draws {
			sum, all := 0.0, r.ExpFloat64()
			for _, v := range values {
				w := r.ExpFloat64()
				sum, all = sum+v*w, all+w
			}
			draws[i] = sum / all
		}
		slices.Sort(draws)
		near(t, "quantile", rankings.MeanAtLeast(values), stat.Quantile(0.05, stat.Empirical, draws, nil), 0.004)
	}
}

// Overlaps of ten documents are drawn from a known distribution. The bound must lie below its mean in 95 % of samples.
func TestMeanAtLeastHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, lost := range []float64{0.003, 0.02, 0.2, 0.5} {
		const samples = 3000
		below := 0
		for range samples {
			values := make([]float64, 10)
			for i := range values {
				for range 10 {
					if r.Float64() >= lost {
						values[i] += 0.1
					}
				}
			}
			if rankings.MeanAtLeast(values) <= 1-lost {
				below++
			}
		}
		if share := float64(below) / samples; share < rankings.Confidence {
			t.Errorf("%v of the documents are lost: the bound holds in %v of the samples", lost, share)
		}
	}
}

// The values are those of scipy.stats.binomtest; 8 of 8 is 2/2⁸ by hand.
func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		more, fewer int
		want        float64
	}{{8, 0, 0.0078125}, {0, 8, 2. / 256}, {7, 0, 0.015625}, {9, 1, 0.021484375}, {6, 4, 0.75390625}, {5, 5, 1}, {0, 1, 1}, {0, 0, 1}} {
		near(t, "p", rankings.SignTest(c.more, c.fewer), c.want, 1e-12)
	}
}
