// Package rankings compares what searches find, and says how much a few queries can tell: agreement of two orders, lower
// bounds of shares at Confidence, and a test whether one side is favoured. All of it is exact: no resampling, no seed.
// Queries count as drawn independently; those of one corpus are hardly that, so that the bounds are what can be claimed at
// most.
package rankings

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is that with which AtLeast and MeanAtLeast hold. They are one-sided: what a swap may lose is looked at.
const Confidence = 0.95

// TauB is Kendall's tau-b of two lists of scores of the same documents, in [-1, 1]: the correlation of the signs of all
// differences. Scores of one list that differ by at most tie are tied. It is 1 where all documents are tied in both lists,
// and has no value (false) where they are in just one, or there are fewer than two documents.
func TauB(before, after []float64, tie float64) (float64, bool) {
	var b, a []float64
	anyB, anyA := false, false
	for i := range before {
		for j := range before {
			if i == j {
				continue
			}
			sb, sa := sign(before[i]-before[j], tie), sign(after[i]-after[j], tie)
			anyB, anyA = anyB || sb != 0, anyA || sa != 0
			b, a = append(b, sb), append(a, sa)
		}
	}
	switch {
	case len(b) == 0 || anyB != anyA:
		return 0, false
	case !anyB:
		return 1, true
	}
	// Each pair stands there both ways, so that the mean sign is 0 and this is tau-b; stat.Kendall is tau-a, and counts
	// ties as agreement.
	return stat.Correlation(b, a, nil), true
}

func sign(d, tie float64) float64 {
	switch {
	case d > tie:
		return 1
	case d < -tie:
		return -1
	}
	return 0
}

// AtLeast is the lower bound of Clopper and Pearson for the share of all queries like these that do what so many of n do.
// Where all do, it is 0.05^(1/n): the rule of three. It is 0 of no queries.
func AtLeast(so, n int) float64 {
	if so <= 0 {
		return 0
	}
	return distuv.Beta{Alpha: float64(so), Beta: float64(n - so + 1)}.Quantile(1 - Confidence)
}

// MeanAtLeast is a lower bound for the mean, over all queries like these, of a value in [0, 1]: that of Gaffke (2005), the
// quantile of the mean of these values and a 0 under weights that are uniformly distributed over all that sum to 1. Of
// zeros and ones it is the bound of Clopper and Pearson. It is no bootstrap of the values alone, which would be sure of
// what ten equal values say. That it always holds is not proven, and no exception is known.
func MeanAtLeast(values []float64) float64 {
	x := slices.Sorted(slices.Values(append([]float64{0}, values...)))
	n := len(x) - 1
	if x[n] <= 0 {
		return 0
	}
	// The density of the weighted mean is the B-spline with the values as knots (Curry and Schoenberg), and its
	// distribution the sum of the next higher ones from there on.
	knots := slices.Concat(slices.Repeat(x[:1], n), x, slices.Repeat(x[n:], n))
	low, high := x[0], x[n]
	for range 60 {
		if middle := (low + high) / 2; distribution(knots, n, middle) < 1-Confidence {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// distribution evaluates the spline of that degree whose first coefficients, as many as the degree, are 0 and whose others
// are 1, by the algorithm of de Boor.
func distribution(knots []float64, degree int, at float64) float64 {
	span := degree
	for span+1 < len(knots)-degree-1 && knots[span+1] <= at {
		span++
	}
	d := make([]float64, degree+1)
	for j := range d {
		if j+span-degree >= degree {
			d[j] = 1
		}
	}
	for r := 1; r <= degree; r++ {
		for j := degree; j >= r; j-- {
			from, to := knots[j+span-degree], knots[j+1+span-r]
			a := (at - from) / (to - from)
			d[j] = (1-a)*d[j-1] + a*d[j]
		}
	}
	return d[degree]
}

// SignTest is the chance, if neither side were favoured, that of more+fewer queries so many or more favour the same side:
// the exact two-sided sign test, a binomial one with share 1/2. Queries that favour neither are left out beforehand.
func SignTest(more, fewer int) float64 {
	tails := distuv.Binomial{N: float64(more + fewer), P: 0.5}
	return math.Min(1, 2*tails.CDF(float64(min(more, fewer))))
}
