package recording

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// readDecimal holds a number against strconv, where decimal reads it at all.
func readDecimal(t *testing.T, text string) (quick bool) {
	t.Helper()
	c := cursor{body: []byte(text)}
	got, ok := c.decimal()
	if !ok {
		if c.at != 0 {
			t.Fatalf("%q: not read, and %d bytes are gone", text, c.at)
		}
		return false
	}
	if c.at != len(text) {
		return false // what follows is for others to judge
	}
	want, err := strconv.ParseFloat(text, 32)
	if err != nil || math.Float32bits(got) != math.Float32bits(float32(want)) {
		t.Fatalf("%q: %g, strconv %g, %v", text, got, want, err)
	}
	if whole := (cursor{body: []byte(text)}); !whole.numeral() || whole.at != len(text) {
		t.Fatalf("%q is no JSON number", text)
	}
	return true
}

func FuzzDecimal(f *testing.F) {
	for _, text := range []string{
		"0", "-0", "0.0", "1", "01", "-", "-.5", "1.", "1.5e", "1.5e+", "1e5", "1E-05", "1e400", "1e0400", "3.4028235e38", "3.4028236e38", "1e-45", "1.1754944e-38",
		"9007199254740991", "9007199254740993", "16777217", "16777217.0000000001", "0.1", "0.30000000000000004", "18446744073709551616", "99999999999999999999",
		"1.00000005960464477539062", "8388608.5", "+1", "1e1e1", "0x1", "1_0",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { readDecimal(t, text) })
}

// Numbers as servers spell them are read at once, and rightly; so are those next to a place halfway between two.
func TestDecimal(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	quick := 0
	const n = 20_000
	for range n {
		x := float32(r.NormFloat64() * math.Pow10(-r.IntN(6)))
		if readDecimal(t, strconv.FormatFloat(float64(x), 'g', -1, 32)) {
			quick++
		}
		readDecimal(t, strconv.FormatFloat(float64(x), 'e', -1, 32))
		readDecimal(t, strconv.FormatFloat(float64(x), 'g', -1, 64))
		any32 := math.Float32frombits(r.Uint32())
		if f := float64(any32); !math.IsNaN(f) && !math.IsInf(f, 0) {
			readDecimal(t, strconv.FormatFloat(f, 'g', -1, 32))
		}
		half := (float64(x) + float64(math.Nextafter32(x, 1))) / 2
		for _, y := range []float64{half, math.Nextafter(half, 0), math.Nextafter(half, 1)} {
			readDecimal(t, strconv.FormatFloat(y, 'f', 15, 64))
			readDecimal(t, strconv.FormatFloat(y, 'g', 14+r.IntN(5), 64))
		}
	}
	if quick < n*99/100 {
		t.Errorf("only %d of %d were read at once", quick, n)
	}
}
