package statement_test

import (
	"math"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/bounds"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// FuzzRead: what a witness told is read from a recording as it was told, or refused with the name of its step.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "null", "{}", "[]", `{"sdk":"go"}`, `{"sdk":"go","data":[{"index":0,"embedding":[0.5,-1]}],"answers":[{"status":200}]}`,
		`{"sdk":"node","data":[{"index":-1,"embedding":[null,1e400]},{"embedding":"x"},null]}`, `{"sdk":"","ok":true}`, `{"sdk":"go","calls":1e99}`, `{"sdk":"go","elapsed_ms":"\ud800"}`,
		`{"sdk":"python","error":{"class":"x","status":9223372036854775808}}`, `{"SDK":"go","sdk":null}`, strings.Repeat(`{"data":[`, 100)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		bounds.Hold(t, len(body), func() { told(t, body) })
	})
}

func told(t *testing.T, body []byte) {
	w, err := recording.InMemory(recording.Header{}, "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Exchange(contract.Step{Check: "c", Name: "told", Status: 200, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	direct, errDirect := statement.Read(contract.Step{Name: "told", Body: body})
	out, err := statement.Read(s)
	if (err == nil) != (errDirect == nil) {
		t.Fatalf("%q: %v from a recording, %v by itself", body, err, errDirect)
	}
	if err != nil {
		if !strings.HasPrefix(err.Error(), "step told ") || out.SDK != "" {
			t.Errorf("%+v, %v", out, err)
		}
		return
	}
	if out.SDK == "" || len(out.Data) != len(direct.Data) {
		t.Fatalf("%+v, by itself %+v", out, direct)
	}
	for i := range out.Data {
		a, okA := out.Data[i].Vector()
		b, okB := direct.Data[i].Vector()
		if okA != okB || len(a) != len(b) {
			t.Fatalf("%q: item %d is %v and %v", body, i, a, b)
		}
		for k := range a {
			if math.Float32bits(a[k]) != math.Float32bits(b[k]) {
				t.Errorf("%q: item %d is %v and %v", body, i, a, b)
			}
		}
	}
}
