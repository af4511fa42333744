package parity_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/embedcontract/embedcontract/harness/parity"
)

func distance(t *testing.T, a, b []float32) float64 {
	t.Helper()
	d, err := parity.Distance(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// random is a unit vector of n components, the same for the same seed.
func random(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return parity.Prefix(v, n)
}

func near(got, want, by float64) bool { return math.Abs(got-want) <= by }

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []float32
		want float64
	}{
		{"equal", []float32{3, 4}, []float32{3, 4}, 0},
		{"longer", []float32{3, 4}, []float32{6, 8}, 0},
		{"orthogonal", []float32{1, 0}, []float32{0, 7}, 1},
		{"opposite", []float32{1, 2}, []float32{-1, -2}, 2},
		{"60 degrees", []float32{1, 0}, []float32{1, float32(math.Sqrt(3))}, 0.5},
		{"huge", []float32{math.MaxFloat32, 0}, []float32{0, math.MaxFloat32}, 1},
		{"tiny", []float32{math.SmallestNonzeroFloat32, 0}, []float32{0, math.SmallestNonzeroFloat32}, 1},
	} {
		if got := distance(t, c.a, c.b); !near(got, c.want, 1e-7) {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
	for _, z := range [][2][]float32{{{0, 0}, {1, 0}}, {{1, 0}, {0, 0}}, {{0, 0}, {0, 0}}} {
		if d, err := parity.Distance(z[0], z[1]); !errors.Is(err, parity.ErrZero) {
			t.Errorf("%v: %g, %v, want ErrZero", z, d, err)
		}
	}
	if _, err := parity.Distance([]float32{1}, []float32{1, 2}); !errors.Is(err, parity.ErrDimensions) {
		t.Errorf("different lengths: %v", err)
	}
}

// A cosine computed as a product cannot tell a distance of 1e-9 from one of 1e-12, and in float32 from none.
func TestDistanceNearZero(t *testing.T) {
	for _, want := range []float64{1e-6, 1e-9, 1e-12} {
		// Two unit vectors in a plane at the angle whose 1 − cosine is wanted.
		angle := 2 * math.Asin(math.Sqrt(want/2))
		got := distance(t, []float32{1, 0}, []float32{1, float32(math.Tan(angle))})
		if got < want*0.999 || got > want*1.001 {
			t.Errorf("1 − cosine %g reads as %g", want, got)
		}
	}
	v := random(1, 1024)
	w := append([]float32(nil), v...)
	w[0] = math.Nextafter32(w[0], 2)
	if d := distance(t, v, w); d <= 0 || d > 1e-15 {
		t.Errorf("one component moved by the least bit is at distance %g", d)
	}
	if d := distance(t, v, v); d != 0 {
		t.Errorf("a vector is at distance %g from itself", d)
	}
}

// The sum of squares of a long vector in float32 loses the small terms.
func TestNormIsSummedInFloat64(t *testing.T) {
	v := make([]float32, 1<<20)
	v[0] = 1
	for i := range v[1:] {
		v[i+1] = 1e-4 // its square is lost beside 1 in float32
	}
	if n, want := parity.Norm(v), math.Sqrt(1+float64(len(v)-1)*float64(float32(1e-4))*float64(float32(1e-4))); !near(n, want, 1e-12) {
		t.Errorf("norm %v, want %v", n, want)
	}
	if n := parity.Norm([]float32{math.MaxFloat32, math.MaxFloat32}); math.IsInf(n, 0) || !near(n/math.MaxFloat32, math.Sqrt2, 1e-12) {
		t.Errorf("the norm of large components is %g", n)
	}
	if n := parity.Norm(nil); n != 0 {
		t.Error(n)
	}
}

func TestSameNorm(t *testing.T) {
	for _, c := range []struct {
		a, b []float32
		same bool
	}{
		{[]float32{0.6, 0.8}, []float32{1}, true}, {[]float32{1}, []float32{0.9995}, true}, {[]float32{1}, []float32{0.998}, false},
		{[]float32{1}, []float32{2}, false}, {[]float32{2}, []float32{1}, false}, {[]float32{0}, []float32{1}, false}, {[]float32{0}, []float32{0}, true},
		{[]float32{20}, []float32{20.01}, true}, {[]float32{0.01}, []float32{0.0105}, false}, {[]float32{1}, []float32{float32(math.NaN())}, false},
	} {
		if got := parity.SameNorm(c.a, c.b); got != c.same {
			t.Errorf("%v and %v: %v", c.a, c.b, got)
		}
	}
}

func TestUnit(t *testing.T) {
	for _, c := range []struct {
		v    []float32
		norm float64
		unit bool
	}{
		{[]float32{0.6, 0.8}, 1, true}, {[]float32{1.0009}, 1.0009, true}, {[]float32{0.9991}, 0.9991, true},
		{[]float32{1.0011}, 1.0011, false}, {[]float32{0.9989}, 0.9989, false}, {[]float32{0}, 0, false}, {[]float32{2}, 2, false},
		{[]float32{float32(math.NaN())}, math.NaN(), false},
	} {
		if n, unit := parity.Unit(c.v); unit != c.unit || (!near(n, c.norm, 1e-6) && !math.IsNaN(c.norm)) {
			t.Errorf("%v: norm %v, %v", c.v, n, unit)
		}
	}
}

func TestPrefix(t *testing.T) {
	v := []float32{3, 4, 12}
	for _, c := range []struct {
		n    int
		want []float32
	}{{2, []float32{0.6, 0.8}}, {1, []float32{1}}, {3, []float32{3. / 13, 4. / 13, 12. / 13}}, {9, []float32{3. / 13, 4. / 13, 12. / 13}}} {
		if got := parity.Prefix(v, c.n); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d: %v", c.n, got)
		}
	}
	if !reflect.DeepEqual(v, []float32{3, 4, 12}) {
		t.Error("Prefix changed its argument:", v)
	}
	if got := parity.Prefix([]float32{0, 0, 1}, 2); !reflect.DeepEqual(got, []float32{0, 0}) {
		t.Error("a prefix of zeros:", got)
	}
	if got := parity.Prefix(v, 0); len(got) != 0 {
		t.Error(got)
	}
}

func TestFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, c := range []struct {
		v               []float32
		finite, nonzero bool
	}{
		{[]float32{1, 0}, true, true}, {[]float32{0, 0}, true, false}, {nil, true, false},
		{[]float32{1, nan}, false, true}, {[]float32{inf, 0}, false, true},
	} {
		if f, n := parity.Finite(c.v); f != c.finite || n != c.nonzero {
			t.Errorf("%v: %v, %v", c.v, f, n)
		}
	}
}

func TestSummarise(t *testing.T) {
	upTo := func(n int) []float64 { // in no order
		out := make([]float64, n)
		for i := range out {
			out[(i*7)%n] = float64(i + 1)
		}
		return out
	}
	for _, c := range []struct {
		in   []float64
		want parity.Spread
	}{
		{nil, parity.Spread{}},
		{[]float64{5}, parity.Spread{N: 1, Nearest: 5, Median: 5, P99: 5, Farthest: 5}},
		{[]float64{3, 1, 2}, parity.Spread{N: 3, Nearest: 1, Median: 2, P99: 3, Farthest: 3}},
		{[]float64{4, 1, 3, 2}, parity.Spread{N: 4, Nearest: 1, Median: 2, P99: 4, Farthest: 4}},
		{upTo(99), parity.Spread{N: 99, Nearest: 1, Median: 50, P99: 99, Farthest: 99}},
		{upTo(100), parity.Spread{N: 100, Nearest: 1, Median: 50, P99: 99, Farthest: 100}},
		{upTo(1000), parity.Spread{N: 1000, Nearest: 1, Median: 500, P99: 990, Farthest: 1000}},
	} {
		if got := parity.Summarise(c.in); got != c.want {
			t.Errorf("%d distances: %+v, want %+v", len(c.in), got, c.want)
		}
	}
	in := []float64{2, 1}
	parity.Summarise(in)
	if in[0] != 2 {
		t.Error("Summarise sorted its argument")
	}
}

func TestCompare(t *testing.T) {
	x, y := []float32{1, 0}, []float32{0, 1}
	s, err := parity.Compare([][]float32{x, x, x}, [][]float32{x, y, x})
	if err != nil || s.N != 3 || s.Nearest != 0 || s.Median != 0 || !near(s.Farthest, 1, 1e-12) {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := parity.Compare([][]float32{x}, nil); err == nil {
		t.Error("one against none has no error")
	}
	if _, err := parity.Compare([][]float32{x, x}, [][]float32{x, {1}}); !errors.Is(err, parity.ErrDimensions) || err.Error()[:6] != "pair 1" {
		t.Error(err)
	}
}

// bf16 rounds to the 8 bits of a bfloat16 mantissa, to the nearest even.
func bf16(v []float32) []float32 {
	out := make([]float32, len(v))
	for i, x := range v {
		b := math.Float32bits(x)
		b += 0x7fff + b>>16&1
		out[i] = math.Float32frombits(b &^ 0xffff)
	}
	return out
}

// The bars are of use only if honest variation stays within them and faults do not.
func TestBars(t *testing.T) {
	for seed := range uint64(20) {
		v := random(seed, 1024)
		b := bf16(v)
		if d := distance(t, v, b); d > parity.SameBar || d <= parity.EqualBar/10 {
			t.Errorf("seed %d: bfloat16 is at distance %g, the bar of a server from itself is %g", seed, d, parity.SameBar)
		}
		if n, unit := parity.Unit(b); !unit || n == parity.Norm(v) {
			t.Errorf("seed %d: in bfloat16 the norm is %v", seed, n)
		}
		// The same sums in another order.
		moved := append([]float32(nil), v...)
		r := rand.New(rand.NewPCG(seed, 2))
		for i := range moved {
			moved[i] += float32(1e-7 * (2*r.Float64() - 1))
		}
		if d := distance(t, v, moved); d > parity.EqualBar || d == 0 {
			t.Errorf("seed %d: float32 rounding is at distance %g, the bar of equality is %g", seed, d, parity.EqualBar)
		}
		// Another pooling keeps most of a vector: here cosine 0.95.
		other := mix(v, random(seed+1000, 1024), math.Sqrt(1-0.95*0.95)/0.95)
		if d := distance(t, v, other); d <= parity.PeerBar || d > parity.SpaceBar {
			t.Errorf("seed %d: another pooling is at distance %g", seed, d)
		}
		// A wrong instruction, cosine 0.82, is another space; another model all the more.
		prompt := mix(v, random(seed+2000, 1024), math.Sqrt(1-0.82*0.82)/0.82)
		if d := distance(t, v, prompt); d <= parity.SpaceBar {
			t.Errorf("seed %d: a wrong instruction is at distance %g", seed, d)
		}
		if d := distance(t, v, random(seed+3000, 1024)); d <= parity.SpaceBar {
			t.Errorf("seed %d: another model is at distance %g", seed, d)
		}
		// A vector that was cut is not a unit vector any more.
		if n, unit := parity.Unit(v[:256]); unit {
			t.Errorf("seed %d: a prefix as it is has the norm %v", seed, n)
		}
		if _, unit := parity.Unit(parity.Prefix(v, 256)); !unit {
			t.Errorf("seed %d: a renormalised prefix is no unit vector", seed)
		}
	}
	bars := []float64{0, parity.EqualBar, parity.SameBar, parity.PeerBar, parity.SpaceBar}
	for i := 1; i < len(bars); i++ {
		if bars[i] <= bars[i-1] {
			t.Errorf("the bars do not widen: %v", bars)
		}
	}
}

// mix adds a share of what is orthogonal to v in w; both are unit vectors.
func mix(v, w []float32, share float64) []float32 {
	var dot, norm float64
	for i := range v {
		dot += float64(v[i]) * float64(w[i])
	}
	rest := make([]float64, len(v))
	for i := range v {
		rest[i] = float64(w[i]) - dot*float64(v[i])
		norm += rest[i] * rest[i]
	}
	out := make([]float32, len(v))
	for i := range v {
		out[i] = float32(float64(v[i]) + share*rest[i]/math.Sqrt(norm))
	}
	return parity.Prefix(out, len(out))
}
