package witness_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/fixtures/witnesses"
	"github.com/embedcontract/embedcontract/harness/witness"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// required, when it is "1", makes a witness that is not installed a failure. Without it the tests use those that are.
const required = "EMBEDCONTRACT_WITNESSES"

func tools(t *testing.T) witness.Tools {
	t.Helper()
	tools, err := witnesses.Tools()
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// installed are the witnesses that can be asked here: openai-go always.
func installed(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, n := range statement.Names() {
		err := tools(t).Ready(n)
		if err != nil && os.Getenv(required) == "1" {
			t.Fatalf("%s=1: %v", required, err)
		}
		if err == nil {
			names = append(names, n)
		}
	}
	return names
}

// each runs a test with every witness that is installed.
func each(t *testing.T, test func(t *testing.T, name string)) {
	for _, n := range installed(t) {
		t.Run(n, func(t *testing.T) {
			t.Parallel()
			test(t, n)
		})
	}
}

// seen is what a server was asked.
type seen struct {
	mu     sync.Mutex
	bodies []map[string]any
	keys   []string
	paths  []string
}

// serve answers embeddings requests with what reply writes; it is told which call it is, from 1.
func serve(t *testing.T, reply func(w http.ResponseWriter, r *http.Request, call int)) (*httptest.Server, *seen) {
	t.Helper()
	s := &seen{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var body map[string]any
		_ = json.Unmarshal(raw, &body)
		s.mu.Lock()
		s.bodies, s.keys, s.paths = append(s.bodies, body), append(s.keys, r.Header.Get("Authorization")), append(s.paths, r.URL.Path)
		call := len(s.bodies)
		s.mu.Unlock()
		reply(w, r, call)
	}))
	t.Cleanup(server.Close)
	return server, s
}

var vector = []float32{0.25, -0.5, 0.75, 0.125, -0.0625, 0.3, 0.1, -0.2}

func encoded(v []float32) string {
	var raw []byte
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func answer(w http.ResponseWriter, embeddings ...any) {
	w.Header().Set("Content-Type", "application/json")
	var data []any
	for i, e := range embeddings {
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": e})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "model": "m", "data": data, "usage": map[string]int{"prompt_tokens": 1, "total_tokens": 1}})
}

// honest answers each text with the vector, in the format that was asked for.
func honest(w http.ResponseWriter, body map[string]any) {
	n := 1
	if list, ok := body["input"].([]any); ok {
		n = len(list)
	}
	var embeddings []any
	for i := range n {
		v := slices.Clone(vector)
		v[0] = float32(i)
		if body["encoding_format"] == "base64" {
			embeddings = append(embeddings, encoded(v))
		} else {
			embeddings = append(embeddings, v)
		}
	}
	answer(w, embeddings...)
}

func ask(t *testing.T, c witness.Config, name, scenario string) statement.Output {
	t.Helper()
	c.Model, c.Tools, c.RetryPause = "some-model", tools(t), time.Millisecond
	raw, err := witness.New(c).Run(context.Background(), name, scenario)
	if err != nil {
		t.Fatal(err)
	}
	var out statement.Output
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return out
}

func floats(t *testing.T, raw json.RawMessage) []float32 {
	t.Helper()
	var v []float32
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %.200s", err, raw)
	}
	return v
}

func TestScenariosAskWhatTheySay(t *testing.T) {
	each(t, func(t *testing.T, name string) {
		for _, scenario := range statement.Scenarios() {
			var s *seen
			server, s := serve(t, func(w http.ResponseWriter, _ *http.Request, call int) { honest(w, s.bodies[call-1]) })
			out := ask(t, witness.Config{BaseURL: server.URL}, name, scenario)
			if !out.OK || out.Calls != 1 || out.Answers[0].Status != 200 || out.Error != nil || out.Version == "" || out.Scenario != scenario {
				t.Fatalf("%s: %+v", scenario, out)
			}
			body := s.bodies[0]
			format, input := body["encoding_format"], fmt.Sprint(body["input"])
			wantFormat := map[string]any{statement.Float: "float", statement.Base64: "base64"}[scenario]
			if wantFormat == nil && name != statement.Go {
				wantFormat = "base64" // of themselves
			}
			wantInput, wantItems := statement.Text(), 1
			if scenario == statement.Batch {
				wantInput, wantItems = fmt.Sprint(statement.Texts()), len(statement.Texts())
			}
			if format != wantFormat || input != wantInput || body["model"] != "some-model" || s.paths[0] != "/v1/embeddings" ||
				(body["dimensions"] == nil) == (scenario == statement.Error || scenario == statement.Once) {
				t.Errorf("%s: it asked %v of %s", scenario, body, s.paths[0])
			}
			if len(out.Data) != wantItems {
				t.Fatalf("%s: %d items", scenario, len(out.Data))
			}
			if scenario == statement.Base64 && name != statement.Go {
				if want := `"` + encoded(append([]float32{0}, vector[1:]...)) + `"`; string(out.Data[0].Embedding) != want {
					t.Errorf("%s: %s, want the string %s as it came", scenario, out.Data[0].Embedding, want)
				}
				continue
			}
			for i, d := range out.Data {
				want := slices.Clone(vector)
				want[0] = float32(i)
				if got := floats(t, d.Embedding); d.Index != i || !slices.Equal(got, want) {
					t.Errorf("%s: item %d with index %d is %v", scenario, i, d.Index, got)
				}
			}
		}
	})
}

// What the SDKs for Python and Node make of a list of numbers, for which they did not ask, is the reason for this
// package.
func TestListInPlaceOfBase64(t *testing.T) {
	server, _ := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { answer(w, vector) })
	each(t, func(t *testing.T, name string) {
		out := ask(t, witness.Config{BaseURL: server.URL}, name, statement.Default)
		if !out.OK {
			t.Fatalf("%+v", out.Error)
		}
		got := floats(t, out.Data[0].Embedding)
		if right := slices.Equal(got, vector); right == (name == statement.Node) {
			t.Errorf("it reads %v", got)
		}
		if name == statement.Node && len(got) != len(vector)/4 {
			t.Errorf("it reads %d numbers of %d", len(got), len(vector))
		}
	})
}

func TestErrors(t *testing.T) {
	const reason = "dimensions must be unset"
	for _, c := range []struct {
		name, body string
		status     int
		calls      int
		told       map[string]bool // does the reason reach the user?
	}{
		{"nested 400", `{"error":{"message":"` + reason + `","type":"x","param":null,"code":null}}`, 400, 1, map[string]bool{"go": true, "python": true, "node": true}},
		{"flat 400", `{"message":"` + reason + `","type":"Bad Request","code":400}`, 400, 1, map[string]bool{"python": true}},
		{"detail 422", `{"detail":"` + reason + `"}`, 422, 1, nil},
		{"nested 500", `{"error":{"message":"` + reason + `"}}`, 500, 3, map[string]bool{"go": true, "python": true, "node": true}},
		{"nested 429", `{"error":{"message":"` + reason + `"}}`, 429, 3, map[string]bool{"go": true, "python": true, "node": true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, name string) {
				server, _ := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
					w.Header().Set("Content-Type", "application/json")
					w.Header().Set("Retry-After-Ms", "1")
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.body)
				})
				out := ask(t, witness.Config{BaseURL: server.URL}, name, statement.Error)
				if out.OK || out.Error == nil || out.Error.Status != c.status || out.Error.Class == "" || out.Calls != c.calls || len(out.Answers) != c.calls {
					t.Fatalf("%+v, error %+v", out, out.Error)
				}
				for _, a := range out.Answers {
					if a.Status != c.status || a.Body != c.body {
						t.Errorf("kept of an answer: %+v", a)
					}
				}
				if told := strings.Contains(out.Error.Text+out.Error.Message, reason); told != c.told[name] {
					t.Errorf("the reason reaches the user: %v, want %v: %+v", told, c.told[name], out.Error)
				}
			})
		})
	}
}

func TestUserWhoTurnsRetriesOff(t *testing.T) {
	server, _ := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) { w.WriteHeader(http.StatusInternalServerError) })
	each(t, func(t *testing.T, name string) {
		for scenario, calls := range map[string]int{statement.Once: 1, statement.Error: 3} {
			out := ask(t, witness.Config{BaseURL: server.URL}, name, scenario)
			if out.OK || out.Error == nil || out.Calls != calls {
				t.Errorf("%s: %+v, want %d calls", scenario, out, calls)
			}
		}
	})
}

func TestServerThatClosesTheConnection(t *testing.T) {
	server, _ := serve(t, func(http.ResponseWriter, *http.Request, int) { panic(http.ErrAbortHandler) })
	each(t, func(t *testing.T, name string) {
		out := ask(t, witness.Config{BaseURL: server.URL}, name, statement.Default)
		if out.OK || out.Error == nil || out.Error.Status != 0 || out.Calls != 3 || out.Answers[2].Status != 0 {
			t.Errorf("%+v, error %+v", out, out.Error)
		}
	})
}

func TestServerThatHangs(t *testing.T) {
	gone := make(chan struct{})
	server, _ := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int) {
		select {
		case <-r.Context().Done():
		case <-gone:
		}
	})
	t.Cleanup(func() { close(gone) })
	each(t, func(t *testing.T, name string) {
		began := time.Now()
		out := ask(t, witness.Config{BaseURL: server.URL, Limit: 4 * time.Second}, name, statement.Default)
		if out.OK || !out.Ended || out.Calls != 1 || out.Answers[0].Status != 0 || out.Error == nil {
			t.Errorf("%+v, error %+v", out, out.Error)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("it was ended after %s", took)
		}
	})
}

func TestCancelled(t *testing.T) {
	why := errors.New("the user has gone home")
	each(t, func(t *testing.T, name string) {
		ctx, cancel := context.WithCancelCause(context.Background())
		server, _ := serve(t, func(_ http.ResponseWriter, r *http.Request, _ int) {
			cancel(why)
			<-r.Context().Done()
		})
		_, err := witness.New(witness.Config{BaseURL: server.URL, Model: "m", Tools: tools(t)}).Run(ctx, name, statement.Default)
		if !errors.Is(err, why) {
			t.Errorf("error %v", err)
		}
	})
}
