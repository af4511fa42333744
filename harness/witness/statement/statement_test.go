package statement_test

import (
	"math"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

func TestReadPutsVectorsBack(t *testing.T) {
	body := `{"sdk":"x","scenario":"batch","ok":true,"data":[{"index":1,"embedding":[]},{"index":0,"embedding":[1,null]},{"index":-1,"embedding":"AAA="},{"index":2,"embedding":null}],"calls":1,"answers":[{"status":200}]}`
	at := strings.Index(body, "[]")
	out, err := statement.Read(contract.Step{Name: "told", Body: []byte(body), Vectors: []contract.Vector{{Item: 0, Offset: at, Values: []float32{0.5, -2}}}})
	if err != nil || !out.OK || out.Calls != 1 || len(out.Data) != 4 {
		t.Fatalf("%+v, %v", out, err)
	}
	if v, ok := out.Data[0].Vector(); !ok || len(v) != 2 || v[0] != 0.5 || v[1] != -2 || out.Data[0].Index != 1 {
		t.Errorf("a vector that was kept apart: %v", v)
	}
	if v, ok := out.Data[1].Vector(); !ok || len(v) != 2 || v[0] != 1 || !math.IsNaN(float64(v[1])) {
		t.Errorf("null among the numbers: %v", v)
	}
	for _, i := range []int{2, 3} {
		if v, ok := out.Data[i].Vector(); ok {
			t.Errorf("%s is read as the vector %v", out.Data[i].Embedding, v)
		}
	}
}

func TestReadRefusesWhatNoWitnessTells(t *testing.T) {
	for _, body := range []string{"", "{}", `{"component":"worker"}`, "[1]"} {
		if out, err := statement.Read(contract.Step{Name: "told", Body: []byte(body)}); err == nil || !strings.Contains(err.Error(), "told") {
			t.Errorf("%q is read as %+v, %v", body, out, err)
		}
	}
}

func TestKnown(t *testing.T) {
	for _, n := range statement.Names() {
		if err := statement.Known(n); err != nil {
			t.Error(err)
		}
	}
	if err := statement.Known("ruby"); err == nil {
		t.Error("ruby is known")
	}
}
