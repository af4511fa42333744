package recording_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// What is judged live is the writer's own recording, what is judged offline is the one that was read: only if they
// are equal in every field can the verdicts be equal.
func TestReadEqualsWritten(t *testing.T) {
	lines, vectors, live := written(t, func(w *recording.Writer) { fill(t, w) })
	offline, err := recording.Read(lines, vectors)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "read", offline, live)
	if got := strings.Join(offline.Checks(), " "); got != "c/one c/two c/three c/four" {
		t.Error("order of checks:", got)
	}
	if offline.Ended.IsZero() || offline.Plan.Reference != "t" || offline.Header.Started.IsZero() {
		t.Errorf("%+v", offline)
	}

	dir := filepath.Join(t.TempDir(), "deep", "er")
	w, err := recording.Create(dir, header(), "")
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	offline, err = recording.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "opened", offline, w.Recording())
	if offline.Path != dir || w.Recording().Path != dir {
		t.Errorf("paths %q and %q", offline.Path, w.Recording().Path)
	}
}

func TestExchangeReturnsWhatIsRead(t *testing.T) {
	w, err := recording.InMemory(header(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps() {
		got, err := w.Exchange(s)
		if err != nil {
			t.Fatal(err)
		}
		trails := w.Recording().Trails(s.Check)
		last := trails[len(trails)-1].Steps
		if !reflect.DeepEqual(got, last[len(last)-1]) {
			t.Errorf("%s: returned %+v, recorded %+v", s.Name, got, last[len(last)-1])
		}
		if got.Check != s.Check || got.Round != s.Round || got.Name != s.Name || got.Status != s.Status || got.Fault != s.Fault || !got.Sent.Equal(s.Sent) {
			t.Errorf("%s became %+v", s.Name, got)
		}
		// Times are kept to the microsecond.
		if d := got.Took - s.Took; d.Abs() > 1000 {
			t.Errorf("%s took %v, recorded %v", s.Name, s.Took, got.Took)
		}
		want := s.Request.Body
		if s.Request.Recipe != "" {
			want = nil
		}
		if !bytes.Equal(got.Request.Body, want) {
			t.Errorf("%s: request %q, want %q", s.Name, got.Request.Body, want)
		}
	}
}

func TestMalformedBodiesStay(t *testing.T) {
	for name, body := range map[string]string{
		"nested":                    `{"data":[{"embedding":[[1,2]]}]}`,
		"nested late":               `{"data":[{"embedding":[1,[2]]}]}`,
		"an object inside":          `{"data":[{"embedding":[1,{"a":2}]}]}`,
		"an object":                 `{"data":[{"embedding":{"a":[1]}}]}`,
		"null inside":               `{"data":[{"embedding":[1,null,2]}]}`,
		"null":                      `{"data":[{"embedding":null}]}`,
		"a string":                  `{"data":[{"embedding":"AACAPw=="}]}`,
		"a string inside":           `{"data":[{"embedding":[1,"2"]}]}`,
		"a truth value inside":      `{"data":[{"embedding":[1,true]}]}`,
		"NaN":                       `{"data":[{"embedding":[1,NaN]}]}`,
		"Infinity":                  `{"data":[{"embedding":[1,-Infinity]}]}`,
		"beyond float32":            `{"data":[{"embedding":[1,1e39]}]}`,
		"beyond float64":            `{"data":[{"embedding":[1,1e400]}]}`,
		"empty":                     `{"data":[{"embedding":[]}]}`,
		"a double embedding":        `{"data":[{"embedding":[1],"embedding":[2]}]}`,
		"a double in disguise":      `{"data":[{"embedding":[1],"embeddin\u0067":[2]}]}`,
		"double data":               `{"data":[{"embedding":[1]}],"data":[{"embedding":[2]}]}`,
		"data no list":              `{"data":{"embedding":[1]}}`,
		"data null":                 `{"data":null}`,
		"an item that is no object": `{"data":[{"embedding":[1]},5]}`,
		"data elsewhere":            `{"result":{"data":[{"embedding":[1]}]}}`,
		"not UTF-8":                 "{\"data\":[{\"embedding\":[1]}],\"x\":\"\xff\"}",
		"trailing garbage":          `{"data":[{"embedding":[1]}]} x`,
		"a second object":           `{"data":[{"embedding":[1]}]}{}`,
		"cut off":                   `{"data":[{"embedding":[1,2]}`,
		"cut off in a number":       `{"data":[{"embedding":[1,2`,
		"a comma too many":          `{"data":[{"embedding":[1,2,]}]}`,
		"a comma too few":           `{"data":[{"embedding":[1 2]}]}`,
		"a leading zero":            `{"data":[{"embedding":[01]}]}`,
		"a plus sign":               `{"data":[{"embedding":[+1]}]}`,
		"a control character":       "{\"data\":[{\"embedding\":[1]}],\"x\":\"\n\"}",
		"a mark of byte order":      "\ufeff" + `{"data":[{"embedding":[1]}]}`,
		"a list":                    `[{"data":[{"embedding":[1]}]}]`,
		"a number":                  `5`,
		"text":                      "upstream is gone\r\n",
		"other case":                `{"Data":[{"embedding":[1]}]}`,
	} {
		s := exchanged(t, body)
		if string(s.Body) != body || len(s.Vectors) != 0 {
			t.Errorf("%s: %q became %q with %d vectors", name, body, s.Body, len(s.Vectors))
		}
	}
}

func TestFlatBodiesMove(t *testing.T) {
	for _, c := range []struct {
		body, left string
		want       []contract.Vector
	}{
		{`{"data":[{"embedding":[1,2.5]}]}`, `{"data":[{"embedding":[]}]}`, []contract.Vector{{Item: 0, Offset: 22, Values: []float32{1, 2.5}}}},
		{` { "data" : [ { "embedding" : [ 1 , 2 ] } ] } `, ` { "data" : [ { "embedding" : [] } ] } `, []contract.Vector{{Item: 0, Offset: 30, Values: []float32{1, 2}}}},
		{`{"data":[{"embedding":[1]},{"embedding":[[1]]},{"index":2,"embedding":[3]}]}`, `{"data":[{"embedding":[]},{"embedding":[[1]]},{"index":2,"embedding":[]}]}`,
			[]contract.Vector{{Item: 0, Offset: 22, Values: []float32{1}}, {Item: 2, Offset: 69, Values: []float32{3}}}},
		{`{"d\u0061ta":[{"embedding":[1]}]}`, `{"d\u0061ta":[{"embedding":[]}]}`, []contract.Vector{{Item: 0, Offset: 27, Values: []float32{1}}}},
		{`{"x":{"data":[{"embedding":[9]}]},"data":[{"embedding":[1],"x":[{"embedding":[8]}]}]}`,
			`{"x":{"data":[{"embedding":[9]}]},"data":[{"embedding":[],"x":[{"embedding":[8]}]}]}`, []contract.Vector{{Item: 0, Offset: 55, Values: []float32{1}}}},
		{`{"data":[{"embedding":[1e-400,3.4028235e38,16777217,1E+2]}]}`, `{"data":[{"embedding":[]}]}`,
			[]contract.Vector{{Item: 0, Offset: 22, Values: []float32{0, math.MaxFloat32, 16777216, 100}}}},
		{`{"é":"☃","data":[{"embedding":[-0.0]}]}`, `{"é":"☃","data":[{"embedding":[]}]}`, []contract.Vector{{Item: 0, Offset: 33, Values: []float32{float32(math.Copysign(0, -1))}}}},
	} {
		s := exchanged(t, c.body)
		if string(s.Body) != c.left || !reflect.DeepEqual(s.Vectors, c.want) {
			t.Errorf("%s\nleft %s with %v\nwant %s with %v", c.body, s.Body, s.Vectors, c.left, c.want)
		}
		if len(s.Vectors) > 0 && math.Signbit(float64(s.Vectors[0].Values[0])) != math.Signbit(float64(c.want[0].Values[0])) {
			t.Errorf("%s: the sign of zero was lost", c.body)
		}
	}
}

// A body of which only a part came is evidence of the transport, and stays whole even where it is good JSON.
func TestBodyOfAFaultStays(t *testing.T) {
	w, _ := recording.InMemory(header(), "")
	s := step("s", `{"data":[{"embedding":[1]}]}`)
	s.Status, s.Fault = 0, contract.FaultClosed
	got, err := w.Exchange(s)
	if err != nil || string(got.Body) != string(s.Body) || len(got.Vectors) != 0 {
		t.Errorf("%s, %v", got.Body, err)
	}
}

// rawLine is what stands in the file.
type rawLine struct {
	Exchange struct {
		Step    string `json:"step"`
		Request string `json:"request"`
		ReqSHA  string `json:"request_sha256"`
		ReqSize int    `json:"request_bytes"`
		Body    string `json:"body"`
		BodyB64 []byte `json:"body_base64"`
		BodySHA string `json:"body_sha256"`
		Vectors []struct {
			First int64 `json:"first"`
			N     int   `json:"n"`
		} `json:"vectors"`
	} `json:"exchange"`
}

func rawLines(t *testing.T, lines []byte) map[string]rawLine {
	t.Helper()
	out := map[string]rawLine{}
	for l := range bytes.Lines(lines) {
		var r rawLine
		if err := json.Unmarshal(l, &r); err != nil {
			t.Fatal(err)
		}
		if r.Exchange.Step != "" {
			out[r.Exchange.Step] = r
		}
	}
	return out
}

func TestDigestIsOfOriginalBytes(t *testing.T) {
	lines, _, _ := written(t, func(w *recording.Writer) { fill(t, w) })
	raw := rawLines(t, lines)
	for _, s := range steps() {
		l := raw[s.Name].Exchange
		want := ""
		if len(s.Body) > 0 {
			sum := sha256.Sum256(s.Body)
			want = hex.EncodeToString(sum[:])
		}
		if l.BodySHA != want {
			t.Errorf("%s: body digest %q, want %q", s.Name, l.BodySHA, want)
		}
		if l.ReqSize != len(s.Request.Body) {
			t.Errorf("%s: %d request bytes, want %d", s.Name, l.ReqSize, len(s.Request.Body))
		}
	}
	recipe := raw["recipe"].Exchange
	sum := sha256.Sum256([]byte(`{"input":"x"}`))
	if recipe.Request != "" || recipe.ReqSHA != hex.EncodeToString(sum[:]) {
		t.Errorf("the body beside a recipe: %q, digest %s", recipe.Request, recipe.ReqSHA)
	}
	if b := raw["not UTF-8"].Exchange; b.Body != "" || !bytes.Contains(b.BodyB64, []byte{0xff, 0xfe}) {
		t.Errorf("a body that is not UTF-8: %q and %q", b.Body, b.BodyB64)
	}
}

func TestEqualVectorsAreStoredOnce(t *testing.T) {
	lines, vectors, _ := written(t, func(w *recording.Writer) {
		for i := range 5 {
			if _, err := w.Exchange(step(fmt.Sprint(i), `{"data":[{"embedding":[1,2,3]},{"embedding":[1,2,3]},{"embedding":[3,2,1]}]}`)); err != nil {
				t.Fatal(err)
			}
		}
	})
	if len(vectors) != 2*3*4 {
		t.Errorf("%d bytes of vectors, want those of two", len(vectors))
	}
	for name, l := range rawLines(t, lines) {
		if got := fmt.Sprint(l.Exchange.Vectors); got != "[{0 3} {0 3} {3 3}]" {
			t.Errorf("step %s refers to %s", name, got)
		}
	}
	// 0 and -0 are equal numbers and different bytes.
	_, vectors, _ = written(t, func(w *recording.Writer) {
		if _, err := w.Exchange(step("s", `{"data":[{"embedding":[0]},{"embedding":[-0]}]}`)); err != nil {
			t.Fatal(err)
		}
	})
	if len(vectors) != 8 {
		t.Errorf("0 and -0 take %d bytes", len(vectors))
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	for _, secret := range []string{"sk-123456", `a"b\c/d+<e>&`} {
		quoted, _ := json.Marshal(secret)
		inJSON := strings.Trim(string(quoted), `"`)
		if strings.HasPrefix(string(quoted), `"a`) {
			inJSON = string(quoted[1 : len(quoted)-1])
		}
		var l, v bytes.Buffer
		w, err := recording.To(&l, &v, header(), secret)
		if err != nil {
			t.Fatal(err)
		}
		s := step("with vectors", `{"data":[{"embedding":[1,2]}],"echo":"Bearer `+inJSON+`","more":[{"embedding":[3]}],"x":"`+strings.ReplaceAll(inJSON, "/", `\/`)+`"}`)
		s.Header = map[string][]string{"X-Echo": {"k " + secret}, "Set-Cookie": {"session=abc"}}
		s.Detail = "dialled with " + secret
		s.Request.Body = []byte("{\"user\":\"" + secret + "\"}")
		s.Request.Path = "/v1/embeddings?key=" + secret
		got, err := w.Exchange(s)
		if err != nil {
			t.Fatal(err)
		}
		plain := step("plain", "no key "+secret+" \xff")
		plain.Status = 401
		if _, err := w.Exchange(plain); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{
			w.Log("c/one", 0, recording.LogLine{Component: "server", Text: "got " + secret}),
			w.End("c/one", 0, "not with "+secret, "failed with "+secret), w.Unasked("c/two", 0, "since "+secret), w.Close(),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(got.Vectors, []contract.Vector{{Item: 0, Offset: 22, Values: []float32{1, 2}}}) {
			t.Errorf("the vector beside the secret: %v", got.Vectors)
		}
		if !strings.Contains(string(got.FullBody()), `"embedding":[1,2]`) || !strings.Contains(string(got.Body), recording.Redacted) {
			t.Errorf("body %s", got.FullBody())
		}
		rec, err := recording.Read(l.Bytes(), v.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		same(t, "redacted", rec, w.Recording())
		trail := rec.Trails("c/one")[0]
		all := fmt.Sprintf("%s %v", l.Bytes(), trail)
		for _, s := range trail.Steps {
			all += fmt.Sprintf(" %s %s %s %v %s", s.Request.Path, s.Request.Body, s.Body, s.Header, s.Detail)
		}
		for _, spelling := range []string{secret, inJSON, strings.ReplaceAll(inJSON, "/", `\/`), "session=abc"} {
			if strings.Contains(all, spelling) {
				t.Errorf("%s is written", spelling)
			}
		}
		if n := strings.Count(all, recording.Redacted); n < 10 {
			t.Errorf("redacted in %d places", n)
		}
	}
}

func TestCreateRefusesARecording(t *testing.T) {
	dir := t.TempDir()
	if err := recording.Vacant(dir); err != nil {
		t.Error("an empty folder:", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := recording.Create(dir, header(), "")
	if err != nil {
		t.Fatal("a folder with something else in it:", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(filepath.Join(dir, "exchanges.jsonl"))
	for what, err := range map[string]error{"Create": second(recording.Create(dir, header(), "")), "Vacant": recording.Vacant(dir)} {
		if !errors.Is(err, recording.ErrExists) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "name another folder") {
			t.Errorf("%s: %v", what, err)
		}
	}
	after, _ := os.ReadFile(filepath.Join(dir, "exchanges.jsonl"))
	if !bytes.Equal(before, after) {
		t.Error("the refused recording was changed")
	}

	// One file alone is refused too, and the refusal leaves nothing that would be refused in its turn.
	half := t.TempDir()
	if err := os.WriteFile(filepath.Join(half, "vectors.f32"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := recording.Create(half, header(), ""); !errors.Is(err, recording.ErrExists) {
		t.Error("half a recording:", err)
	}
	if err := os.Remove(filepath.Join(half, "vectors.f32")); err != nil {
		t.Fatal(err)
	}
	w, err = recording.Create(half, header(), "")
	if err != nil {
		t.Fatal("after the half was removed:", err)
	}
	if err := w.Abandon(); err != nil {
		t.Error(err)
	}

	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := recording.Create(file, header(), ""); err == nil || errors.Is(err, recording.ErrExists) {
		t.Error("a file in place of the folder:", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full here:", err)
	}
	t.Cleanup(func() { _ = full.Close() })
	isFull := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "free space or name another folder") || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err = recording.To(full, io.Discard, header(), "")
	isFull("the header", err)

	body := `{"data":[{"embedding":[1]}]}`
	for name, open := range map[string]func(lines, vectors *bytes.Buffer) (*recording.Writer, error){
		"vectors": func(lines, _ *bytes.Buffer) (*recording.Writer, error) {
			return recording.To(lines, full, header(), "")
		},
		"lines": func(lines, vectors *bytes.Buffer) (*recording.Writer, error) {
			return recording.To(&fillsUp{Buffer: lines, room: 1, then: full}, vectors, header(), "")
		},
	} {
		var lines, vectors bytes.Buffer
		w, err := open(&lines, &vectors)
		if err != nil {
			t.Fatal(name, err)
		}
		_, err = w.Exchange(step("first", body))
		isFull(name+": exchange", err)
		before := lines.Len()
		_, err = w.Exchange(step("no vectors", `{}`))
		isFull(name+": another exchange", err)
		_, err = w.Exchange(step("the same vector", body))
		isFull(name+": the same vector", err)
		isFull(name+": plan", w.Plan(contract.Plan{}))
		isFull(name+": log", w.Log("c/one", 0, recording.LogLine{}))
		isFull(name+": end", w.End("c/one", 0, "", ""))
		isFull(name+": close", w.Close())
		if lines.Len() != before || len(w.Recording().Checks()) != 0 {
			t.Errorf("%s: something was recorded after the disk was full: %d bytes, checks %v", name, lines.Len()-before, w.Recording().Checks())
		}
		if _, err := recording.Read(lines.Bytes(), vectors.Bytes()); !errors.Is(err, recording.ErrIncomplete) {
			t.Errorf("%s: what was left reads as %v", name, err)
		}
	}
}

// A disk on which there is room again does not mend a recording that lacks a line.
func TestWriterFailsForGood(t *testing.T) {
	for _, room := range []int{1, 2} { // the header, and one line more
		var lines bytes.Buffer
		w, err := recording.To(&failsOnce{Buffer: &lines, after: room}, io.Discard, header(), "")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			_, err := w.Exchange(step("s", `{}`))
			if failed := i >= room-1; failed != (err != nil) {
				t.Errorf("room %d, write %d: %v", room, i, err)
			}
		}
		if err := w.Close(); err == nil {
			t.Errorf("room %d: Close made no error", room)
		}
		if n := lineCount(lines.Bytes()); n != room {
			t.Errorf("%d lines are written, there was room for %d", n, room)
		}
	}
}

// failsOnce fails one write and serves those after it.
type failsOnce struct {
	*bytes.Buffer
	after int
}

func (f *failsOnce) Write(b []byte) (int, error) {
	if f.after--; f.after == -1 {
		return 0, errors.New("no room")
	}
	return f.Buffer.Write(b)
}

func TestTimesAreInUTC(t *testing.T) {
	_, _, live := written(t, func(w *recording.Writer) { fill(t, w) })
	for _, s := range live.Trails("c/one")[0].Steps {
		if s.Sent.Location() != time.UTC {
			t.Errorf("%s was sent at %v", s.Name, s.Sent)
		}
	}
}

// fillsUp is a disk with room for some writes.
type fillsUp struct {
	*bytes.Buffer
	room int
	then io.Writer
}

func (f *fillsUp) Write(b []byte) (int, error) {
	if f.room--; f.room < 0 {
		return f.then.Write(b)
	}
	return f.Buffer.Write(b)
}

func TestNothingFollowsTheEnd(t *testing.T) {
	for name, finish := range map[string]func(*recording.Writer) error{"Close": (*recording.Writer).Close, "Abandon": (*recording.Writer).Abandon} {
		var lines, vectors bytes.Buffer
		w, err := recording.To(&lines, &vectors, header(), "")
		if err != nil {
			t.Fatal(err)
		}
		if err := finish(w); err != nil {
			t.Fatal(err)
		}
		before := lines.Len()
		if _, err := w.Exchange(step("late", `{"data":[{"embedding":[1]}]}`)); err == nil {
			t.Errorf("an exchange after %s was accepted", name)
		}
		if err := w.Close(); err == nil {
			t.Errorf("a Close after %s made no error", name)
		}
		if err := w.Abandon(); err != nil {
			t.Errorf("Abandon after %s: %v", name, err)
		}
		if lines.Len() != before || vectors.Len() != 0 {
			t.Errorf("something was written after %s", name)
		}
	}
}

// Create flushes nothing but the system's buffers: what was recorded before a crash can be read.
func TestAbandonedIsIncomplete(t *testing.T) {
	dir := t.TempDir()
	w, err := recording.Create(dir, header(), "")
	if err != nil {
		t.Fatal(err)
	}
	fill(t, w)
	for _, when := range []string{"while it runs", "after Abandon"} {
		rec, err := recording.Open(dir)
		if !errors.Is(err, recording.ErrIncomplete) || rec == nil {
			t.Fatalf("%s: %v", when, err)
		}
		same(t, when, rec, w.Recording())
		if !rec.Ended.IsZero() {
			t.Error(when, "it has an end")
		}
		if err := w.Abandon(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriterRefusesWhatCannotBeRead(t *testing.T) {
	var lines, vectors bytes.Buffer
	w, err := recording.To(&lines, &vectors, header(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Exchange(contract.Step{Name: "of no check"}); err == nil {
		t.Error("an exchange of no check was written")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := recording.Read(lines.Bytes(), vectors.Bytes()); err != nil {
		t.Error(err)
	}
}

func TestConcurrentWrites(t *testing.T) {
	lines, vectors, live := written(t, func(w *recording.Writer) {
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				s := step(fmt.Sprint(i), fmt.Sprintf(`{"data":[{"embedding":[%d,1]}]}`, i))
				s.Check = fmt.Sprintf("c/%d", i)
				if _, err := w.Exchange(s); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	})
	rec, err := recording.Read(lines, vectors)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "concurrent", rec, live)
	for i := range 20 {
		v, err := rec.Trails(fmt.Sprintf("c/%d", i))[0].Steps[0].One()
		if err != nil || v[0] != float32(i) {
			t.Errorf("check %d has vector %v, %v", i, v, err)
		}
	}
}
