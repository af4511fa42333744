package report

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func written(t testing.TB, r *Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.JSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestJSONGolden(t *testing.T) {
	golden(t, "report.json", written(t, sample()))
}

func TestJSONRoundTrip(t *testing.T) {
	want := sample()
	got, err := ReadJSON(bytes.NewReader(written(t, want)))
	if err != nil {
		t.Fatal(err)
	}
	// Bytes that are no text become the replacement character: nothing else may change.
	valid := cmp.Transformer("text", func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") })
	if d := cmp.Diff(want, got, valid); d != "" {
		t.Error(d)
	}
	again, err := ReadJSON(bytes.NewReader(written(t, got)))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got, again); d != "" {
		t.Error("read twice it differs", d)
	}
}

func TestJSONWithoutNumber(t *testing.T) {
	r := sample()
	r.Cells[0].Numbers = []Number{{Name: "cosine", Value: math.NaN()}, {Name: "ratio", Value: math.Inf(1), Unit: "x"}, {Name: "n", Value: 2}}
	got, err := ReadJSON(bytes.NewReader(written(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	n := got.Cells[0].Numbers
	if !math.IsNaN(n[0].Value) || !math.IsNaN(n[1].Value) || n[1].Unit != "x" || n[2].Value != 2 {
		t.Errorf("read back %v", n)
	}
	if out := terminal(t, got, TerminalOptions{Verbose: true}); out == "" {
		t.Error("nothing is shown")
	}
}

func TestReadJSONRefuses(t *testing.T) {
	edit := func(change func(map[string]any)) string {
		var m map[string]any
		if err := json.Unmarshal(written(t, sample()), &m); err != nil {
			t.Fatal(err)
		}
		change(m)
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	first := func(m map[string]any, list string) map[string]any { return m[list].([]any)[0].(map[string]any) }
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":          {"", "no JSON object"},
		"another major":    {edit(func(m map[string]any) { m["schema"] = "embedcontract/report/v2" }), "its format is embedcontract/report/v2, this program reads " + Schema},
		"another document": {`{"schema":"something/else"}`, "this is no report"},
		"no schema":        {`{}`, "this is no report"},
		"a list":           {`[]`, "no JSON object"},
		"trailing text":    {edit(func(map[string]any) {}) + "{}", "something follows"},
		"cut off":          {edit(func(map[string]any) {})[:500], "no JSON object"},
		"wrong type":       {edit(func(m map[string]any) { m["cells"] = "none" }), "cells"},
		"unknown check":    {edit(func(m map[string]any) { first(m, "cells")["check"] = "dimensions/gone" }), `"dimensions/gone", which is not listed`},
		"unknown target":   {edit(func(m map[string]any) { first(m, "cells")["target"] = "gone" }), `target "gone", which is not listed`},
		"unknown pair":     {edit(func(m map[string]any) { first(m, "pairs")["candidate"] = "gone" }), "target that is not listed"},
		"double cell":      {edit(func(m map[string]any) { m["cells"] = append(m["cells"].([]any), m["cells"].([]any)[0]) }), "two cells"},
		"double target":    {edit(func(m map[string]any) { m["targets"] = append(m["targets"].([]any), m["targets"].([]any)[0]) }), "listed twice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadJSON(strings.NewReader(tc.text))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want it to say %q", err, tc.want)
			}
		})
	}
	if _, err := ReadJSON(strings.NewReader(edit(func(m map[string]any) { m["added_later"] = 1 }))); err != nil {
		t.Errorf("a field of a later program: %v", err)
	}
}
