package recording_test

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// list is an answer of n vectors; index says what each says of its place.
func list(n int, index func(int) int) string {
	var b strings.Builder
	b.WriteString(`{"data":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"index":%d,"embedding":[%d,3,4]}`, index(i), i)
	}
	b.WriteString(`]}`)
	return b.String()
}

// Of a large batch some rows are kept, the first and the last among them, and of the others what a check needs to see
// that there was a vector. What is judged now is what will be read.
func TestLargeBatchesAreKeptInPart(t *testing.T) {
	same := func(i int) int { return i }
	for _, n := range []int{1, 2, contract.LargeBatch, contract.LargeBatch + 1, 2048} {
		var got contract.Step
		lines, vectors, _ := written(t, func(w *recording.Writer) {
			var err error
			if got, err = w.Exchange(step("s", list(n, same))); err != nil {
				t.Fatal(err)
			}
			if err := w.End(got.Check, 0, "", ""); err != nil {
				t.Fatal(err)
			}
		})
		rec, err := recording.Read(lines, vectors)
		if err != nil {
			t.Fatal(err)
		}
		read := rec.Trails(got.Check)[0].Steps[0]
		if !reflect.DeepEqual(read, got) {
			t.Errorf("%d: read otherwise than it was written", n)
		}
		r, err := read.Response()
		if err != nil || len(r.Items) != n {
			t.Fatalf("%d: %d items, %v", n, len(r.Items), err)
		}
		rows := contract.KeptRows(n)
		if want := min(n, 16); n > contract.LargeBatch && (len(rows) != want || rows[0] != 0 || rows[len(rows)-1] != n-1) || n <= contract.LargeBatch && len(rows) != n {
			t.Errorf("%d: kept rows %v", n, rows)
		}
		for i, it := range r.Items {
			kept := slices.Contains(rows, i)
			norm := math.Sqrt(float64(i*i + 25))
			if it.Length != 3 || (it.Vector != nil) != kept || kept && it.Vector[0] != float32(i) || !kept && math.Abs(it.Norm-norm) > 1e-4*norm {
				t.Fatalf("%d: item %d is %+v", n, i, it)
			}
		}
		if size := len(vectors) / 12; size != len(rows) {
			t.Errorf("%d: %d vectors are stored", n, size)
		}
		if full := read.FullBody(); bytes.Count(full, []byte("embedding")) != n || !bytes.Contains(full, []byte("[0,3,4]")) {
			t.Errorf("%d: the full body is %.80s", n, full)
		}
	}
}

// Rows are kept by their index, since data may stand in any order, and a server whose indices are nonsense does not
// make a recording large.
func TestKeptRowsGoByIndex(t *testing.T) {
	const n = 200
	for name, c := range map[string]struct {
		index func(int) int
		want  func(i int) bool
		most  int
	}{
		"reversed":     {func(i int) int { return n - 1 - i }, func(i int) bool { return contract.KeptRow(n-1-i, n) }, 16},
		"all zero":     {func(int) int { return 0 }, func(i int) bool { return i < 32 }, 32},
		"out of range": {func(i int) int { return i + n }, func(i int) bool { return contract.KeptRow(i, n) }, 16},
	} {
		s := exchanged(t, list(n, c.index))
		kept := 0
		for i, v := range s.Vectors {
			if (len(v.Values) > 0) != c.want(i) {
				t.Errorf("%s: item %d: %+v", name, i, v)
			}
			if len(v.Values) > 0 {
				kept++
			}
		}
		if kept > c.most {
			t.Errorf("%s: %d vectors are kept", name, kept)
		}
	}
}

// Of a body that is long without its vectors the head is kept, and the size of all.
func TestLongBodiesAreCut(t *testing.T) {
	body := `{"data":[{"embedding":[1]}],"padding":"` + strings.Repeat("x", 5<<20) + `"}`
	s := exchanged(t, body)
	if len(s.Body) != 64<<10 || s.Size != len(body) || len(s.Vectors) != 0 || !strings.HasPrefix(body, string(s.Body[:20])) {
		t.Errorf("%d bytes are kept of %d, with %d vectors", len(s.Body), s.Size, len(s.Vectors))
	}
	if s := exchanged(t, `{"a":1}`); s.Size != 7 {
		t.Errorf("size %d", s.Size)
	}
}

func TestUnkeptVectorsMustBePlausible(t *testing.T) {
	lines, vectors, _ := written(t, func(w *recording.Writer) {
		if _, err := w.Exchange(step("s", list(200, func(i int) int { return i }))); err != nil {
			t.Fatal(err)
		}
	})
	for _, by := range []string{`"first":0,"n":-3,"unkept":true`, `"first":0,"n":0,"unkept":true`, `"first":0,"n":900000000,"unkept":true`, `"first":0,"n":65537,"unkept":true`, `"first":0,"n":3,"unkept":true,"norm":-1,"x":true`, `"first":0,"n":3,"unkept":1`} {
		broken := bytes.Replace(lines, []byte(`"first":0,"n":3,"unkept":true,"norm"`), []byte(by+`,"norm_was"`), 1)
		if _, err := recording.Read(broken, vectors); err == nil || !strings.Contains(err.Error(), "malformed") {
			t.Errorf("%s: %v", by, err)
		}
	}
}

// What says where a run took place is hidden wherever it would be written, the longest first.
func TestPathsAreHidden(t *testing.T) {
	w, err := recording.InMemory(header(), "")
	if err != nil {
		t.Fatal(err)
	}
	w.Hide("/home/me/cache/", "${cache}/")
	w.Hide("/home/me/", "~/")
	s := step("s", `{"root":"/home/me/cache/models","also":"/home/me/x"}`)
	s.Header = map[string][]string{"X-Root": {"/home/me/cache/"}}
	got, err := w.Exchange(s)
	if err != nil || string(got.Body) != `{"root":"${cache}/models","also":"~/x"}` || got.Header["X-Root"][0] != "${cache}/" {
		t.Errorf("%s %v, %v", got.Body, got.Header, err)
	}
	if err := w.Log("c", 0, recording.LogLine{Text: "at /home/me/cache/a.py"}); err != nil {
		t.Fatal(err)
	}
	if logs := w.Recording().Trails("c")[0].Logs; logs[0].Text != "at ${cache}/a.py" {
		t.Error(logs)
	}
}

// A header that a check sends may hold the key of the target, which no recording may.
func TestKeysInRequestHeadersAreRedacted(t *testing.T) {
	w, err := recording.InMemory(header(), "sk-secret")
	if err != nil {
		t.Fatal(err)
	}
	s := step("s", `{}`)
	s.Request.Header = map[string]string{"Authorization": "Basic sk-secret", "X-Request-Id": "a"}
	got, err := w.Exchange(s)
	if h := got.Request.Header; err != nil || h["Authorization"] != "Basic "+recording.Redacted || h["X-Request-Id"] != "a" {
		t.Errorf("%v, %v", h, err)
	}
}
