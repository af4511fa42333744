package contract_test

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

const readBody = `{"model":"m","data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}],"usage":{"prompt_tokens":3}}`

func asked(body string, vectors ...contract.Vector) contract.Step {
	s := ok(body, vectors...)
	s.Request.Path = contract.EmbeddingsPath
	return s
}

func read(s contract.Step) contract.Step { return new(contract.Reader).Read(s) }

// What was read beforehand is what a step without it gives, also after the step was changed.
func TestReadStepsGiveWhatOthersGive(t *testing.T) {
	for name, change := range map[string]func(*contract.Step){
		"unchanged":       func(*contract.Step) {},
		"status":          func(s *contract.Step) { s.Status = 500 },
		"another 2xx":     func(s *contract.Step) { s.Status = 201 },
		"body":            func(s *contract.Step) { s.Body = []byte(`{"data":[]}`) },
		"no body":         func(s *contract.Step) { s.Body = nil },
		"cut body":        func(s *contract.Step) { s.Body = s.Body[:20] },
		"no vectors":      func(s *contract.Step) { s.Vectors = nil },
		"one vector":      func(s *contract.Step) { s.Vectors = s.Vectors[1:] },
		"another list":    func(s *contract.Step) { s.Vectors[1].Values = []float32{3, 4} },
		"a shorter list":  func(s *contract.Step) { s.Vectors[0].Values = s.Vectors[0].Values[:1] },
		"another place":   func(s *contract.Step) { s.Vectors[0].Item = 1 },
		"a norm":          func(s *contract.Step) { s.Vectors[0].Norm = 2 },
		"nothing is kept": func(s *contract.Step) { s.Vectors[1].Values, s.Vectors[1].Unkept = nil, 7 },
		"numbers":         func(s *contract.Step) { s.Vectors[0].Values[0] = 9 },
	} {
		t.Run(name, func(t *testing.T) {
			plain := asked(readBody, vector(0, 41, 1, 2), vector(1, 67, 3, 4))
			read := read(asked(readBody, vector(0, 41, 1, 2), vector(1, 67, 3, 4)))
			change(&plain)
			change(&read)
			want, wantErr := plain.Response()
			got, err := read.Response()
			if !reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Errorf("%+v, %v\nwant %+v, %v", got, err, want, wantErr)
			}
		})
	}
	for _, body := range []string{``, `[]`, `{"data":5}`, `{"data":[{"embedding":[]}]} x`, `{}`} {
		want, wantErr := asked(body).Response()
		got, err := read(asked(body)).Response()
		if !reflect.DeepEqual(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %+v, %v\nwant %+v, %v", body, got, err, want, wantErr)
		}
	}
}

// One reader cannot change what the next one sees.
func TestResponsesAreTheCallersOwn(t *testing.T) {
	read := read(asked(readBody, vector(0, 41, 1, 2), vector(1, 67, 3, 4)))
	want, err := read.Response()
	if err != nil {
		t.Fatal(err)
	}
	mine, _ := read.Response()
	mine.Items[0], mine.Items[1] = mine.Items[1], mine.Items[0]
	mine.Items[0].Index = 5
	mine.Usage.PromptTokens = 99
	vs, err := read.Many(2)
	if err != nil {
		t.Fatal(err)
	}
	vs[0], vs[1] = vs[1], vs[0]
	if again, _ := read.Response(); !reflect.DeepEqual(again, want) {
		t.Errorf("%+v, want %+v", again, want)
	}
	if n, err := read.Tokens(); n != 3 || err != nil {
		t.Errorf("%d tokens, %v", n, err)
	}
}

// A reading is shared by whoever judges at the same time; the race detector looks on.
func TestReadStepsAreReadSideBySide(t *testing.T) {
	read := read(asked(readBody, vector(0, 41, 1, 2), vector(1, 67, 3, 4)))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := read.Response()
			if err != nil || len(r.Items) != 2 {
				t.Errorf("%+v, %v", r, err)
				return
			}
			r.Items[0].Index++
			r.Usage.PromptTokens++
		})
	}
	all.Wait()
}

// Reading again costs a copy of the items, not another look at the body.
func TestReadStepsAreNotReadAgain(t *testing.T) {
	read := read(asked(readBody, vector(0, 41, 1, 2), vector(1, 67, 3, 4)))
	if n := testing.AllocsPerRun(10, func() { _, _ = read.Tokens() }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

// Bodies that are alike are read once, and each keeps its own vectors.
func TestReaderKeepsVectorsApart(t *testing.T) {
	var r contract.Reader
	for i := range 600 { // more than are remembered
		body := fmt.Sprintf(`{"data":[{"index":0,"embedding":[]}],"usage":{"prompt_tokens":%d}}`, i/2)
		s := r.Read(asked(body, vector(0, 33, float32(i))))
		v, err := s.One()
		if n, errN := s.Tokens(); err != nil || errN != nil || v[0] != float32(i) || n != i/2 {
			t.Fatalf("%d: %v, %d tokens, %v, %v", i, v, n, err, errN)
		}
	}
	if none := r.Read(asked(`{"data":[{"index":0,"embedding":[]}],"usage":{"prompt_tokens":299}}`)); none.Status != 200 {
		t.Fatal("changed")
	} else if _, err := none.One(); err == nil {
		t.Error("a vector of another step")
	}
}
