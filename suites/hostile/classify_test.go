// Package hostile_test holds the suite to servers and files that mean it harm: no answer and no recording makes it panic,
// hang or take the memory of the machine. It is a folder of its own since a fuzzer builds all that a package needs anew,
// and the shell of the suite needs much.
package hostile_test

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/embedcontract/embedcontract/harness/bounds"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/suites"
)

// maxObserved is the longest observation of a cell, in bytes: a report shows it on a line or two.
const maxObserved = 4 << 10

// What flags of FuzzClassify say of the answer that is put in place of a recorded one.
const (
	asFault  = 1 << iota // it is no answer but a fault with its text
	forCheck             // it stands in place of every answer of the check
	other                // in the recording of another server
	another
)

// FuzzClassify puts an answer in place of a recorded one, and judges every check that reads it, alone and in pairs. Any
// answer has a verdict: the judge makes an error of a classifier that panics, and here that is one.
func FuzzClassify(f *testing.F) {
	suite, err := suites.All()
	if err != nil {
		f.Fatal(err)
	}
	var recs []*recording.Recording
	for _, name := range []string{"legacy", "dynamo-1.6.1", "vllm-0.31.0"} {
		rec, err := recording.Open(filepath.Join("..", "..", "fixtures", "recordings", name))
		if err != nil {
			f.Fatal(err)
		}
		recs = append(recs, rec)
	}
	readers := map[string][]contract.Check{}
	answers := hostileAnswers()
	for i, id := range recs[0].Checks() {
		readers[id] = slices.DeleteFunc(suite.Checks(), func(c contract.Check) bool { return !reads(suite, c, id) })
		f.Add(id, []int{200, 400, 503}[i%3], "Retry-After: 1e400", []byte(answers[i%len(answers)]), uint8(i%16))
	}
	for _, id := range []string{"witnesses/go-default", "witnesses/python-error", "response_shape/model-field", "service/own-document"} {
		for _, body := range answers[:5] { // the long ones
			f.Add(id, 200, "", []byte(body), uint8(forCheck))
		}
	}
	whole := judge.New(suite) // of recordings whose facts are as they were
	f.Fuzz(func(t *testing.T, step string, status int, header string, body []byte, flags uint8) {
		// More is what recordings keep of no answer, and a fuzzer gets nowhere with.
		if len(body) > 64<<10 || len(header) > 1<<10 {
			return
		}
		bounds.Hold(t, len(body), func() {
			rec, mate := recs[int(flags/other)%len(recs)], recs[(int(flags/other)+1)%len(recs)]
			trail, at := find(rec, step)
			was := slices.Clone(trail.Steps)
			defer func() { copy(trail.Steps, was) }()
			for i := range trail.Steps {
				if i == at || flags&forCheck != 0 {
					trail.Steps[i] = replaced(t, trail.Steps[i], status, header, body, flags&asFault != 0)
				}
			}
			j := whole
			if trail.Check == contract.FactsID {
				j = judge.New(suite)
			}
			for _, c := range readers[trail.Check] {
				if !c.Pair() {
					sound(t, c, j.Target(rec, c))
					continue
				}
				sound(t, c, j.Pair(rec, mate, c))
				sound(t, c, j.Pair(mate, rec, c))
			}
		})
	})
}

// find takes the name of a step, "check step", or any other text for one of the recorded steps.
func find(rec *recording.Recording, name string) (*recording.Trail, int) {
	id, step, _ := strings.Cut(name, " ")
	trails := rec.Trails(id)
	n := hash(name)
	if len(trails) > 0 && len(trails[0].Steps) > 0 {
		at := slices.IndexFunc(trails[0].Steps, func(s contract.Step) bool { return s.Name == step })
		if at < 0 {
			at = n % len(trails[0].Steps)
		}
		return trails[0], at
	}
	asked := slices.DeleteFunc(slices.Clone(rec.Checks()), func(id string) bool { return len(rec.Trails(id)[0].Steps) == 0 })
	t := rec.Trails(asked[n%len(asked)])[0]
	return t, n % len(t.Steps)
}

func hash(s string) int {
	h := fnv.New32a()
	h.Write([]byte(s))
	return int(h.Sum32() >> 1)
}

// replaced is a step with another answer, as a reader of its recording sees it.
func replaced(t *testing.T, s contract.Step, status int, header string, body []byte, fault bool) contract.Step {
	w, err := recording.InMemory(recording.Header{}, "")
	if err != nil {
		t.Fatal(err)
	}
	s.Status, s.Body, s.Vectors, s.Fault, s.Detail = status, body, nil, "", ""
	if fault {
		s.Status, s.Fault, s.Detail = 0, contract.Fault(body), header
	}
	if name, value, ok := strings.Cut(header, ": "); ok {
		s.Header = map[string][]string{name: {value}}
	}
	if s, err = w.Exchange(s); err != nil {
		t.Fatal(err)
	}
	return s
}

// reads says whether the verdict of a check depends on the steps of another.
func reads(s contract.Suite, c contract.Check, id string) bool {
	if c.ID == id || id == contract.FactsID {
		return true
	}
	return slices.ContainsFunc(c.Reads, func(r string) bool {
		o, _ := s.Check(r)
		return reads(s, o, id)
	})
}

// sound holds a cell to what every answer must give.
func sound(t *testing.T, c contract.Check, cell judge.Cell) {
	t.Helper()
	if strings.Contains(cell.Reason, "fault of the suite") {
		t.Fatalf("%s: %s", c.ID, cell.Reason)
	}
	if cell.Finding.Variant != "" && c.Variant(cell.Finding.Variant).Name != cell.Finding.Variant {
		t.Errorf("%s: variant %q is on no list", c.ID, cell.Finding.Variant)
	}
	if cell.Finding.Variant == "" && cell.Reason == "" {
		t.Errorf("%s: neither a verdict nor a reason: %+v", c.ID, cell)
	}
	if n := len(cell.Finding.Observed) + len(cell.Reason); n > maxObserved {
		t.Errorf("%s: %d bytes say what was observed: %.200s", c.ID, n, cell.Finding.Observed+cell.Reason)
	}
	for _, n := range cell.Finding.Numbers {
		if !utf8.ValidString(n.String()) {
			t.Errorf("%s: %q", c.ID, n)
		}
	}
}

// hostileAnswers are bodies by which readers of JSON have come to grief.
func hostileAnswers() []string {
	vector := func(list string) string {
		return fmt.Sprintf(`{"object":"list","model":"m","data":[{"object":"embedding","index":0,"embedding":%s}],"usage":{"prompt_tokens":1,"total_tokens":1}}`, list)
	}
	long := strings.Repeat("long ", 1000)
	return []string{
		`{"error":{"message":"` + long + `","type":"` + long + `","param":"` + long + `","code":"` + long + `"},"message":"` + long + `","detail":"` + long + `"}`, long,
		`{"data":[{"id":"` + long + `","embedding":"` + long + `"}],"model":"` + long + `","object":"` + long + `","id":"` + long + `"}`,
		`{"sdk":"` + long + `","version":"` + long + `","error":{"class":"` + long + `","text":"` + long + `","message":"` + long + `","status":1},"answers":[{"status":400,"body":"` + long + `"}],"calls":1}`,
		`{"openapi":"3.` + long + `","paths":{"/v1/embeddings":{"post":{"responses":{"` + long + `":{},"200":{"content":{"application/json":{"schema":{"required":["` + long + `"],"type":"array"}}}}}}}}}`,
		"", "null", "[]", "{}", `""`, "\ufeff{}", "\x00", "{\"error\":\"\xff\"}", `{"error":{"message":"\ud800","code":1e400}}`,
		`{"data":null}`, `{"data":[null]}`, `{"data":[[]]}`, `{"data":{}}`, `{"data":[{}]}`, `{"data":[{"embedding":null,"index":null}]}`,
		vector("[]"), vector("[0]"), vector("[0,0]"), vector("[1e38,1e38,-3e38]"), vector("[1e-45]"), vector("[1e400]"), vector("[[1]]"), vector(`""`),
		vector(`"AACAPw=="`), vector(`"AADAfwAAgH8="`), vector(`"=="`), vector(`"AAAA"`), vector(`"\u0000"`), vector("{}"), vector("[null]"),
		`{"data":[{"index":-1,"embedding":[1]},{"index":9223372036854775807,"embedding":[1,2]},{"index":-1,"embedding":[]}],"usage":{"prompt_tokens":-9223372036854775808}}`,
		`{"data":[{"embedding":[1],"index":0},{"embedding":[1],"index":1},{"embedding":[1],"index":0}],"usage":{"prompt_tokens":9223372036854775807,"total_tokens":0}}`,
		`{"data":[{"embedding":[1],"index":0}],"usage":{"prompt_tokens":0,"total_tokens":0}}`,
		`{"data":[{"embedding":[1],"index":0}],"usage":{"prompt_tokens":` + strings.Repeat("9", 100) + `}}`,
		`{"error":` + strings.Repeat(`{"error":`, 500) + `{}` + strings.Repeat(`}`, 501), strings.Repeat("[", 20000),
		`{"error":{"message":"limit 99999999999999999999, 1,000,000,000,000,000,000,000","param":[],"type":{},"code":[]}}`,
		`{"data":[{"id":"m"},{"id":null},{"id":{}}]}`, `{"sdk":"go","ok":true,"data":[{"index":0,"embedding":[null,1]}],"answers":[{}],"calls":-1}`,
		`{"sdk":"go","ok":false,"error":{"class":"","status":-1,"text":"","message":""},"answers":null,"calls":0}`,
		`{"sdk":"go","ok":false,"calls":1,"answers":[{"status":400,"body":"{\"error\":null}"},{"status":0}]}`,
		`{"openapi":"3.1.0","paths":{"/v1/embeddings":{"post":{"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#"}}}}}}}}}`,
		"event: data\n\ndata: {}", "<html>\x1b[2J</html>", `{"error":{"message":"Traceback (most recent call last): File \"/usr/lib/python3/x.py\""}}`,
	}
}
