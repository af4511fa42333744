package suites

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// direction is the unit vector in the plane at that angle, in degrees.
func direction(degrees float64) []float32 {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return []float32{float32(cos), float32(sin)}
}

func directions(degrees ...float64) (out [][]float32) {
	for _, d := range degrees {
		out = append(out, direction(d))
	}
	return out
}

// fan are twenty documents, one and then two degrees away from the query, and so on; shift moves those at places that it names.
func fan(shift func(place int) float64) (out [][]float32) {
	for i := range 20 {
		out = append(out, direction(float64(i+1)+shift(i)))
	}
	return out
}

func still(int) float64 { return 0 }

func number(t *testing.T, f contract.Finding, name string) float64 {
	t.Helper()
	for _, n := range f.Numbers {
		if n.Name == name {
			return n.Value
		}
	}
	t.Errorf("no number %q in %v", name, f.Numbers)
	return math.NaN()
}

func TestHalvesHoldEachDocumentOnceOfEach(t *testing.T) {
	r, k := directions(0, 1, 2), directions(10, 11, 12)
	odd, even := halves(r, k)
	for i, want := range [][2][]float32{{r[0], k[0]}, {k[1], r[1]}, {r[2], k[2]}} {
		if !slices.Equal(odd[i], want[0]) || !slices.Equal(even[i], want[1]) {
			t.Errorf("document %d is %v and %v, want %v", i, odd[i], even[i], want)
		}
	}
}

// Ten of twenty documents are found, at 1 to 10 degrees. By hand, with the candidate's documents 2.5 degrees nearer: where
// it embedded those at even degrees, 2 to 10 are found, and as before 1 to 9 of the reference (12 is now at 9.5, behind 9).
// Where it embedded those at odd degrees, 1 to 11 are found (11 is at 8.5) and of the reference 2 to 8. So documents 10
// and 11 are found as the candidate's only: of 20 places it has 11, which is 0.05 more than half.
func TestBiasByHand(t *testing.T) {
	nearer := func(int) float64 { return -2.5 }
	farther := func(int) float64 { return 2.5 }
	for _, c := range []struct {
		name        string
		shift       func(int) float64
		queries     int
		more, fewer int
		share       float64
	}{
		{"equal", still, 10, 0, 0, 0},
		{"a tenth of a degree nearer: a tie", func(int) float64 { return -0.1 }, 10, 0, 0, 0},
		{"nearer", nearer, 10, 10, 0, 0.05},
		{"farther", farther, 10, 0, 10, -0.05},
		{"nearer, one query", nearer, 1, 1, 0, 0.05},
	} {
		r := searched{fan(still), slices.Repeat(directions(0), c.queries)}
		odd, even := halves(r.documents, fan(c.shift))
		got, no := search(tieGap, r, searched{odd, r.queries}, searched{even, r.queries})
		if no != nil {
			t.Fatal(no)
		}
		more, fewer, share := got.bias()
		if more != c.more || fewer != c.fewer || math.Abs(share-c.share) > 1e-9 {
			t.Errorf("%s: %d for, %d against, %+.3f; want %d, %d, %+.3f", c.name, more, fewer, share, c.more, c.fewer, c.share)
		}
	}
}

// Three queries, and documents at 1, 2 … 20 degrees. The second query finds document 11 in place of document 10: 9 of 10
// and, of 11 documents and 55 pairs, one the other way about, so that tau-b is (54 − 1) / 55. The third finds the first two
// the other way about: (44 − 1) / 45 of ten documents.
func TestNumbersOfASearchByHand(t *testing.T) {
	documents := fan(still)
	swappedAt := func(place int) [][]float32 {
		out := slices.Clone(documents)
		out[place], out[place+1] = out[place+1], out[place]
		return out
	}
	var got found
	got.queries, got.documents, got.depth, got.tie = 3, 20, 10, 1e-6
	for _, now := range [][][]float32{documents, swappedAt(9), swappedAt(0)} {
		was, err := ranking(direction(0), documents)
		if err != nil {
			t.Fatal(err)
		}
		after, err := ranking(direction(0), now)
		if err != nil {
			t.Fatal(err)
		}
		got.add(was, [][]scored{after})
	}
	f := got.finding()
	for name, want := range map[string]float64{
		"top-1 same": 2, "top-1 share at least": 0.1353503, // 1 − (1 − p)³ − 3p(1 − p)²… = 0.05: 3p² − 2p³ = 0.05
		"overlap": 29. / 30, "tau-b": (1 + 53./55 + 43./45) / 3, "queries": 3, "documents": 20,
		"score gap of a swap max": math.Cos(10*math.Pi/180) - math.Cos(11*math.Pi/180),
	} {
		if v := number(t, f, name); math.Abs(v-want) > 1e-6 {
			t.Errorf("%s: %v, want %v", name, v, want)
		}
	}
	if f.Variant != "order-changes" || !strings.HasPrefix(f.Observed, "top-1 same for 2 of 3 queries (95 % sure: at least 13 %), overlap@10 0.967 (at least ") {
		t.Errorf("%s: %s", f.Variant, f.Observed)
	}
}

// A query that finds another first document in one of two indexes does not find the same.
func TestAQueryFindsTheSameInEachIndex(t *testing.T) {
	was := []scored{{0, 0.9}, {1, 0.5}}
	same, other := was, []scored{{1, 0.9}, {0, 0.5}}
	for _, now := range [][][]scored{{same, other}, {other, same}} {
		got := found{queries: 1, documents: 2, depth: 2}
		if got.add(was, now); got.first != 0 || got.kept != 4 || got.asked != 4 {
			t.Errorf("%+v", got)
		}
	}
}

// A line stays short, also where each number is long, and nothing below 1 reads as 1.
func TestObservedLinesOfRankings(t *testing.T) {
	f := found{queries: 300, documents: 3000, depth: 10, tie: 1e-3, first: 299, kept: 2999, asked: 3000,
		overlaps: append(slices.Repeat([]float64{1}, 299), 0.9), taus: []float64{-0.99999}, gap: 0.0123456}
	got := f.finding()
	for _, line := range []string{got.Observed + "; swaps up to " + short(f.gap) + " apart", got.Observed + "; candidate -12.5 points, p=1.9e-10"} {
		if n := utf8.RuneCountInString(line); n > 160 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	if !strings.Contains(got.Observed, "overlap@10 0.9996") {
		t.Error(got.Observed)
	}
	for v, want := range map[float64]string{1: "1", 0.999999: "0.9999", 0.985: "0.985", 1.23456: "1.234", -0.12345: "-0.123"} {
		if s := short(v); s != want {
			t.Errorf("%v is printed as %s, want %s", v, s, want)
		}
	}
}

// What is nearly everything must not be: all tied documents say nothing about an order.
func TestRankingsWithoutAnOrderHaveNoTau(t *testing.T) {
	documents := directions(5, 5, 5)
	got, no := search(tieGap, searched{documents, directions(0)}, searched{directions(5, 30, 60), directions(0)})
	if no != nil {
		t.Fatal(no)
	}
	f := got.finding()
	if slices.ContainsFunc(f.Numbers, func(n contract.Number) bool { return n.Name == "tau-b" || math.IsNaN(n.Value) }) || strings.Contains(f.Observed, "tau") {
		t.Errorf("%s %v", f.Observed, f.Numbers)
	}
}
