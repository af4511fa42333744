package upgrade_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/upgrade"
	"github.com/embedcontract/embedcontract/suites"
)

func committed(t *testing.T, name string) *recording.Recording {
	t.Helper()
	rec, err := recording.Open(filepath.Join("..", "..", "fixtures", "recordings", name))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// changed is a committed recording with each vector that is wanted rewritten, once.
func changed(t *testing.T, name string, wanted func(contract.Step) bool, change func([]float32)) *recording.Recording {
	t.Helper()
	rec := committed(t, name)
	done := map[*float32]bool{}
	for _, check := range rec.Checks() {
		for _, trail := range rec.Trails(check) {
			for _, s := range trail.Steps {
				for _, v := range s.Vectors {
					if len(v.Values) > 0 && !done[&v.Values[0]] && (wanted == nil || wanted(s)) {
						done[&v.Values[0]] = true
						change(v.Values)
					}
				}
			}
		}
	}
	if len(done) == 0 {
		t.Fatal("nothing was changed")
	}
	return rec
}

// bfloat16 rounds to the nearest bfloat16, ties to even.
func bfloat16(v []float32) {
	for i, x := range v {
		bits := math.Float32bits(x)
		v[i] = math.Float32frombits((bits + 0x7fff + bits>>16&1) &^ 0xffff)
	}
}

// shaken moves a vector by a distance 1 − cosine of about d.
func shaken(seed uint64, d float64) func([]float32) {
	r := rand.New(rand.NewPCG(seed, 0))
	return func(v []float32) {
		size := math.Sqrt(2*d) / math.Sqrt(float64(len(v)))
		for i := range v {
			v[i] += float32(size * r.NormFloat64())
		}
	}
}

// shifted moves each vector in the same way, by a distance of about d: each server repeats itself, and they differ.
func shifted(d float64) func([]float32) {
	return func(v []float32) { shaken(4, d)(v) }
}

func measures(d *upgrade.Diff) map[string]upgrade.Measure {
	out := map[string]upgrade.Measure{}
	for _, m := range d.Measures {
		out[m.Name] = m
	}
	return out
}

func moved(d *upgrade.Diff) []string {
	var out []string
	for _, m := range d.Measures {
		if m.Moved {
			out = append(out, m.Name)
		}
	}
	return out
}

const (
	ofPlain     = "vectors of plain requests"
	ofGenerated = "vectors of generated requests"
)

// TestPlantedDifferencesOfVectors diffs recordings whose vectors were made in another way. What one pair does not show,
// no other check may have shown in its place.
func TestPlantedDifferencesOfVectors(t *testing.T) {
	s, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	const dynamo = "dynamo-1.6.1"
	notOfTheCorpus := func(s contract.Step) bool { return s.Check == "batching/duplicates" }
	unheeded := func(s contract.Step) bool { return s.Check == "service/request-id" }
	for name, c := range map[string]struct {
		older, newer *recording.Recording
		exit         int
		index        string
		effect       contract.Effect // of plain requests; empty: they did not move
		moved        []string
	}{
		"the same":    {committed(t, dynamo), committed(t, dynamo), upgrade.ExitHarmless, "keep", "", nil},
		"another sum": {committed(t, dynamo), changed(t, dynamo, nil, shaken(1, 2e-10)), upgrade.ExitHarmless, "keep", "", nil},
		"another seed": {committed(t, "legacy"), committed(t, "legacy-other-seed"), upgrade.ExitChanged, "re-embed", contract.IndexBreak,
			[]string{ofPlain}},
		"another pooling": {committed(t, "legacy"), committed(t, "legacy-mean-pooling"), upgrade.ExitChanged, "re-embed", contract.IndexBreak,
			[]string{ofPlain}},
		"no end marker": {committed(t, "legacy"), committed(t, "legacy-no-end-marker"), upgrade.ExitChanged, "re-embed", contract.IndexBreak,
			[]string{ofPlain, "token counts"}},
		"rounded to bfloat16": {committed(t, dynamo), changed(t, dynamo, nil, bfloat16), upgrade.ExitHarmless, "keep", contract.Compatible,
			[]string{ofPlain, ofGenerated, "number format"}},
		"another kernel": {committed(t, dynamo), changed(t, dynamo, nil, shifted(5e-5)), upgrade.ExitChanged, "keep-but-do-not-mix", contract.Unknown,
			[]string{ofPlain, ofGenerated}},
		"some texts elsewhere": {committed(t, dynamo), changed(t, dynamo, notOfTheCorpus, shaken(3, 1e-2)), upgrade.ExitChanged, "re-embed", contract.IndexBreak,
			[]string{ofPlain, ofGenerated, "norms"}},
		"texts that no check compares": {committed(t, dynamo), changed(t, dynamo, unheeded, shaken(5, 1e-2)), upgrade.ExitChanged, "re-embed", contract.IndexBreak,
			[]string{ofPlain, "norms"}},
		"the same, a little": {committed(t, dynamo), changed(t, dynamo, unheeded, shifted(5e-5)), upgrade.ExitChanged, "keep-but-do-not-mix", contract.Unknown,
			[]string{ofPlain}},
		"twice as long": {committed(t, dynamo), changed(t, dynamo, nil, func(v []float32) {
			for i := range v {
				v[i] *= 2
			}
		}), upgrade.ExitChanged, "re-embed", "", []string{"norms"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := compare(s, c.older, c.newer)
			if d.Verdict.Exit != c.exit || d.Verdict.Index != c.index {
				t.Errorf("exit %d, index %s; want %d, %s: %s", d.Verdict.Exit, d.Verdict.Index, c.exit, c.index, d.Verdict.Words)
			}
			if got := measures(d)[ofPlain].Effect; got != string(c.effect) {
				t.Errorf("plain requests: %q, want %q: %s", got, c.effect, measures(d)[ofPlain].Text)
			}
			got := slices.DeleteFunc(moved(d), func(m string) bool { return strings.HasPrefix(m, "vectors of requests with ") })
			if !slices.Equal(got, c.moved) {
				t.Errorf("moved %q, want %q", got, c.moved)
			}
		})
	}
}

// TestAnotherSpaceIsSaid: what moved all texts is told from what moved some.
func TestAnotherSpaceIsSaid(t *testing.T) {
	s, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"legacy-other-seed": "another space: the median cosine is below 0.9", "dynamo-1.6.1": ""} {
		if got := measures(compare(s, committed(t, "legacy"), committed(t, name)))[ofPlain].Why; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	one := func(s contract.Step) bool { return s.Name == "first:0" }
	d := compare(s, committed(t, "legacy"), changed(t, "legacy", one, shaken(6, 0.5)))
	if got := measures(d)[ofPlain].Why; got != "some texts are farther apart than cosine 0.9995" {
		t.Errorf("a batch moved: %q", got)
	}
}

// TestJitterIsNoMove: two servers of one model in float32 agree to the twelfth digit, and no noise floor excuses more than
// its double.
func TestJitterIsNoMove(t *testing.T) {
	s, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	d := compare(s, committed(t, "legacy"), committed(t, "dynamo-1.6.1"))
	for _, name := range []string{ofPlain, ofGenerated, "norms", "noise floor", "number format"} {
		if m, ok := measures(d)[name]; !ok || m.Moved {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if m := measures(d)["vectors of requests with input_type"]; !m.Moved || m.Effect != string(contract.ClientChange) {
		t.Errorf("Dynamo drops input_type, and its vectors have not moved: %+v", m)
	}
}

// TestNoiseFloorExcuses measures by hand-made vectors: a distance within twice the floor is none, a floor above the bar
// excuses nothing, and one that rose above it is a break.
func TestNoiseFloorExcuses(t *testing.T) {
	// at is the unit vector at a distance 1 − cosine from (1, 0).
	at := func(d float64) []float32 {
		a := math.Acos(1 - d)
		return []float32{float32(math.Cos(a)), float32(math.Sin(a))}
	}
	input := map[string]any{"model": "m", "input": "x"}
	rec := func(name string, first, again float64) *recording.Recording {
		return newTape(t, name).answer("c/one", "good").embed("1", input, 1, at(first)).embed("2", map[string]any{"model": "m", "input": []string{"x"}}, 1, at(again)).end()
	}
	beside := func(name string, first, again float64) *recording.Recording {
		return newTape(t, name).answer("c/one", "good").embed("1", input, 1, at(first)).embed("2", map[string]any{"model": "m", "input": []string{"x", "y"}}, 2, at(again), at(0)).end()
	}
	for name, c := range map[string]struct {
		older, newer *recording.Recording
		plain, floor contract.Effect
	}{
		// Beside others a text may be farther from itself than in the same request once more.
		"a repeat above its bar":        {rec("a", 0, 1e-5), rec("b", 0, 3e-4), "", contract.IndexBreak},
		"as far, beside others":         {beside("a", 0, 1e-5), beside("b", 0, 3e-4), "", contract.Compatible},
		"beside others, above the bar":  {beside("a", 0, 1e-5), beside("b", 0, 6e-4), "", contract.IndexBreak},
		"a repeat that excuses nothing": {rec("a", 0, 3e-4), rec("b", 4e-4, 4e-4), contract.Unknown, contract.Compatible},
		"noise beside others, excusing": {beside("a", 0, 3e-4), beside("b", 4e-4, 4e-4), "", contract.Compatible},
		"within twice the floor":        {rec("a", 0, 3e-5), rec("b", 5e-5, 5e-5), "", contract.Compatible},
		"beyond it":                     {rec("a", 0, 2e-5), rec("b", 5e-5, 5e-5), contract.Unknown, contract.Compatible},
		"a floor above the bar":         {rec("a", 0, 3e-3), rec("b", 2e-3, 3e-3), contract.IndexBreak, contract.Compatible},
		"a floor that rose":             {rec("a", 0, 3e-5), rec("b", 0, 6e-4), "", contract.IndexBreak},
		"a floor that rose a bit":       {rec("a", 0, 1e-5), rec("b", 0, 3e-5), "", contract.Compatible},
	} {
		m := measures(compare(suite(says("c/one"), says("c/embed")), c.older, c.newer))
		if got := m[ofPlain]; got.Effect != string(c.plain) {
			t.Errorf("%s: vectors %q, want %q: %s", name, got.Effect, c.plain, got.Text)
		}
		if got := m["noise floor"]; got.Effect != string(c.floor) {
			t.Errorf("%s: floor %q, want %q: %s", name, got.Effect, c.floor, got.Text)
		}
	}
}

// Of texts that were asked for once nobody knows how far a server is from itself.
func TestNoNoiseWithoutRepeats(t *testing.T) {
	once := newTape(t, "a").answer("c/one", "good").embed("1", map[string]any{"model": "m", "input": "x"}, 1, []float32{1, 0}).end()
	if m, ok := measures(compare(suite(says("c/one"), says("c/embed")), once, once))["noise floor"]; ok {
		t.Errorf("%+v", m)
	}
}

// TestVectorsAreComparedByWhatWasAsked: a field sets requests apart, a batch does not, the name of the model neither.
func TestVectorsAreComparedByWhatWasAsked(t *testing.T) {
	x, y := []float32{1, 0}, []float32{0, 1}
	older := newTape(t, "a").answer("c/one", "good").
		embed("1", map[string]any{"model": "m", "input": []string{"x", "y"}}, 4, x, y).
		embed("2", map[string]any{"model": "m", "input": "x", "dimensions": 2}, 2, x).
		embed("3", map[string]any{"model": "m", "input": []int{1, 2}}, 2, x).
		embed("4", map[string]any{"model": "m", "input": [][]int{{3}, {4}}}, 2, x, y).end()
	newer := newTape(t, "b").answer("c/one", "good").
		embed("1", map[string]any{"model": "n", "input": "y", "encoding_format": "float"}, 2, y).
		embed("2", map[string]any{"model": "n", "input": "x", "dimensions": 2}, 3, []float32{1}).
		embed("3", map[string]any{"model": "n", "input": [][]int{{4}, {1, 2}}}, 3, y, x).end()
	m := measures(compare(suite(says("c/one"), says("c/embed")), older, newer))
	if got := m[ofPlain]; got.Moved || got.Numbers[0].Value != 3 {
		t.Errorf("plain requests: %+v, want 3 texts that did not move", got)
	}
	if got := m["vectors of requests with dimensions"]; !got.Moved || got.Effect != string(contract.ClientChange) || !strings.Contains(got.Why, "different length") {
		t.Errorf("requests with dimensions: %+v", got)
	}
	if got := m["token counts"]; !got.Moved || got.Text != "1 of 1 requests are counted otherwise; first in c/embed 2: 2 and 3" {
		t.Errorf("tokens: %+v", got)
	}
}
