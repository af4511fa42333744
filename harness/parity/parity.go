// Package parity compares vectors. Values are float32, sums are accumulated in float64, and the distance
// 1 − cosine is taken from the difference of the normalised vectors, so that 1e-9 does not read as 0.
package parity

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// The bars. They are stated as distances, 1 − cosine.
const (
	// PeerBar is the largest distance at which two implementations of one model count as agreeing: cosine
	// 0.9995. Bfloat16 against float32 stays above 0.9998 in public measurements, a wrong instruction gives
	// about 0.82 and a wrong pooling about 0.95, so the bar stands in a wide empty gap. It finds faults; it does
	// not promise equal rankings.
	PeerBar = 1 - 0.9995
	// SameBar is the largest distance of a server from itself for one request: cosine 0.9999. Hosted services are not
	// deterministic bit for bit; they repeat themselves to about the fourth decimal.
	SameBar = 1 - 0.9999
	// BatchBar is the largest distance of a server from itself where a text is computed beside others: cosine 0.9995. Kernels
	// for other shapes add up in another order, and in bfloat16 that shows: 0.99986 between alone and in a batch of eight on
	// an H200 (fixtures/recordings/legacy-h200). A text that sees its neighbours, through a mask or its padding, is farther.
	BatchBar = 1 - 0.9995
	// EqualBar is the distance below which a difference is rounding of the result: rounding the components of a
	// unit vector to bfloat16 moves it by at most about 3e-6, arithmetic in another order by less than 1e-9.
	EqualBar = 1e-5
	// NormTolerance is how far from 1 the L2 norm of a unit vector may be. Rounding the components to bfloat16
	// moves it by less than 1e-3. Two norms that are to be equal may differ by as much, as a part of the larger.
	NormTolerance = 1e-3
	// SpaceBar is the median distance from which on two sets of vectors are of different spaces (cosine 0.9):
	// another model, pooling, prompt or end marker, not another rounding.
	SpaceBar = 1 - 0.9
)

// The reasons for which two vectors have no distance.
var (
	ErrDimensions = errors.New("vectors of different length")
	ErrZero       = errors.New("a vector of zeros has no direction")
)

// Norm returns the L2 norm.
func Norm(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// Unit reports whether the norm is 1 within NormTolerance, and the norm.
func Unit(v []float32) (float64, bool) {
	n := Norm(v)
	return n, math.Abs(n-1) <= NormTolerance
}

// SameNorm reports whether two norms are equal within NormTolerance, as a part of the larger: a cosine does not show it
// when all numbers are multiplied.
func SameNorm(a, b []float32) bool {
	na, nb := Norm(a), Norm(b)
	return math.Abs(na-nb) <= NormTolerance*max(na, nb)
}

// Distance returns 1 − cosine of two vectors, in [0, 2]. It fails with ErrDimensions or ErrZero.
func Distance(a, b []float32) (float64, error) {
	if len(a) != len(b) {
		return 0, fmt.Errorf("%w: %d and %d", ErrDimensions, len(a), len(b))
	}
	na, nb := Norm(a), Norm(b)
	if na == 0 || nb == 0 {
		return 0, ErrZero
	}
	var sum float64
	for i := range a {
		d := float64(a[i])/na - float64(b[i])/nb
		sum += d * d
	}
	return sum / 2, nil
}

// Prefix returns the first n components, renormalised: what a Matryoshka model answers to dimensions n.
func Prefix(v []float32, n int) []float32 {
	out := slices.Clone(v[:min(n, len(v))])
	norm := Norm(out)
	if norm == 0 {
		return out
	}
	for i := range out {
		out[i] = float32(float64(out[i]) / norm)
	}
	return out
}

// Finite reports whether all components are finite, and whether at least one is not zero.
func Finite(v []float32) (finite, nonzero bool) {
	finite = true
	for _, x := range v {
		f := float64(x)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			finite = false
		}
		nonzero = nonzero || f != 0
	}
	return finite, nonzero
}

// Spread summarises distances (1 − cosine) over N pairs of vectors.
type Spread struct {
	N                              int
	Nearest, Median, P99, Farthest float64
}

// Compare measures each a[i] against b[i]. It fails when the lists or two vectors differ in length.
func Compare(a, b [][]float32) (Spread, error) {
	all, err := Distances(a, b)
	return Summarise(all), err
}

// Distances is the distance of each a[i] from b[i], 1 − cosine. It fails as Compare does, and is nil then.
func Distances(a, b [][]float32) ([]float64, error) {
	if len(a) != len(b) {
		return nil, fmt.Errorf("%d vectors against %d", len(a), len(b))
	}
	all := make([]float64, 0, len(a))
	for i := range a {
		d, err := Distance(a[i], b[i])
		if err != nil {
			return nil, fmt.Errorf("pair %d: %w", i, err)
		}
		all = append(all, d)
	}
	return all, nil
}

// Summarise makes the spread of distances. P99 is the empirical quantile: with fewer than 100 pairs, the farthest.
func Summarise(distances []float64) Spread {
	if len(distances) == 0 {
		return Spread{}
	}
	s := slices.Clone(distances)
	slices.Sort(s)
	return Spread{
		N: len(s), Nearest: s[0], Farthest: s[len(s)-1],
		Median: stat.Quantile(0.5, stat.Empirical, s, nil),
		P99:    stat.Quantile(0.99, stat.Empirical, s, nil),
	}
}
