package recording_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

func inMemory(t *testing.T) *recording.Writer {
	t.Helper()
	w, err := recording.InMemory(recording.Header{}, "")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func exchange(t *testing.T, w *recording.Writer, s contract.Step) contract.Step {
	t.Helper()
	s.Check, s.Name = "c/one", "s"
	got, err := w.Exchange(s)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// Of a head that goes on and on the start is kept.
func TestHeaderIsKeptInPart(t *testing.T) {
	many := map[string][]string{"Content-Type": {"application/json"}}
	for i := range 5000 {
		many[fmt.Sprintf("X-%04d", i)] = []string{"value", "value"}
	}
	for name, header := range map[string]map[string][]string{
		"fields": many, "a value": {"Content-Type": {"application/json"}, "X-Long": {strings.Repeat("y", 200<<10)}},
	} {
		got := exchange(t, inMemory(t), contract.Step{Status: 200, Header: header})
		size := 0
		for k, vs := range got.Header {
			for _, v := range vs {
				size += len(k) + len(v)
			}
		}
		if size > 16<<10 || size < 15<<10 || got.Header["Content-Type"][0] != "application/json" {
			t.Errorf("%s: %d bytes are kept, with %v", name, size, got.Header["Content-Type"])
		}
	}
}

// When there is no room left, of each further answer the start is kept, and no vector.
func TestFullRecording(t *testing.T) {
	w := inMemory(t)
	w.SetRoom(64 << 10)
	one := contract.Step{Status: 200, Body: []byte(`{"data":[{"embedding":[1,2]}],"more":"` + strings.Repeat("x", 40<<10) + `"}`)}
	for i, want := range []bool{false, false, true, true} {
		if w.Full() != want {
			t.Errorf("after %d answers of 40 KiB: full %t", i, w.Full())
		}
		got := exchange(t, w, one)
		if whole := len(got.Vectors) == 1 && len(got.Body) > 40<<10; whole == want || want && len(got.Body) > 1<<10 || got.Size != len(one.Body) {
			t.Errorf("answer %d: %d vectors, %d bytes of %d", i, len(got.Vectors), len(got.Body), got.Size)
		}
	}
}

// Vectors count as well.
func TestVectorsTakeRoom(t *testing.T) {
	w := inMemory(t)
	w.SetRoom(100 << 10)
	exchange(t, w, contract.Step{Status: 200, Body: []byte(`{"data":[{"embedding":[1` + strings.Repeat(",0", 30<<10) + `]}]}`)})
	if !w.Full() {
		t.Error("a vector of 120 KiB left room")
	}
}

// Lists and vectors beyond any model's stay in the body, which is cut as any other.
func TestTooManyItems(t *testing.T) {
	const item = `{"index":0,"embedding":[1,2]}`
	list := func(n int) contract.Step {
		return contract.Step{Status: 200, Body: []byte(`{"data":[` + strings.Repeat(item+",", n-1) + item + `]}`)}
	}
	if got := exchange(t, inMemory(t), list(2049)); len(got.Vectors) != 2049 {
		t.Errorf("%d vectors of 2049", len(got.Vectors))
	}
	if got := exchange(t, inMemory(t), list(5000)); len(got.Vectors) != 0 {
		t.Errorf("%d vectors of 5000", len(got.Vectors))
	}
	got := exchange(t, inMemory(t), list(200_000))
	if _, err := got.Response(); len(got.Body) != 64<<10 || err == nil || !strings.Contains(err.Error(), "too long for an embeddings response: ") {
		t.Errorf("%d bytes, %v", len(got.Body), err)
	}
	long := contract.Step{Status: 200, Body: []byte(`{"data":[{"embedding":[1` + strings.Repeat(",0", 100_000) + `]}]}`)}
	if got := exchange(t, inMemory(t), long); len(got.Vectors) != 0 {
		t.Errorf("a vector of %d numbers was kept", got.Vectors[0].Len())
	}
}
