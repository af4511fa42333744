package upgrade

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// plain is the kind of requests that hold texts, and nothing that changes what becomes of them: what an index is filled
// and asked with.
const plain = "plain requests"

// answers is what a recording holds of the same text, asked in the same way.
type answers struct {
	kind    string // plain, or what sets the requests apart
	where   string // check and step of the first one
	vectors [][]float32
	wholes  []string // the whole request that brought each
}

// counted is what a server counted of a request.
type counted struct {
	where  string
	tokens int
}

// asked is all that was embedded in a recording, by what was asked for: a text that was asked for alone, again, and in a
// batch is one entry. Counts are by whole requests.
type asked struct {
	texts    map[string]*answers
	order    []string
	requests map[string]counted
}

// askedOf reads what the wanted checks asked.
func askedOf(rec *recording.Recording, wanted map[string]bool) asked {
	a := asked{texts: map[string]*answers{}, requests: map[string]counted{}}
	for _, check := range rec.Checks() {
		if !wanted[check] {
			continue
		}
		for _, t := range rec.Trails(check) {
			for _, s := range t.Steps {
				a.step(s)
			}
		}
	}
	return a
}

func (a *asked) step(s contract.Step) {
	if !s.OK() || s.Request.Action != "" || !embeddings(s.Request.Path) {
		return
	}
	r, err := s.Response()
	if err != nil {
		return
	}
	kind, fields, inputs, ok := inputsOf(s, len(r.Items))
	if !ok {
		return
	}
	where := s.Check + " " + s.Name
	whole := fields + "\x00" + strings.Join(inputs, "\x00")
	if r.Usage != nil {
		if _, before := a.requests[whole]; !before {
			a.requests[whole] = counted{where, r.Usage.PromptTokens}
		}
	}
	if len(r.Items) != len(inputs) {
		return
	}
	for i, item := range r.Items {
		at := i
		if item.Index >= 0 && item.Index < len(inputs) {
			at = item.Index
		}
		if item.Vector == nil {
			continue
		}
		key := fields + "\x00" + inputs[at]
		if a.texts[key] == nil {
			a.texts[key] = &answers{kind: kind, where: where}
			a.order = append(a.order, key)
		}
		t := a.texts[key]
		t.vectors, t.wholes = append(t.vectors, item.Vector), append(t.wholes, whole)
	}
}

// embeddings says whether a path is that of embeddings, in OpenAI's form.
func embeddings(path string) bool {
	u, err := url.Parse(path)
	return err == nil && strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/embeddings")
}

// inputsOf reads the texts of a request, and what else it asks for. A generated request is known by its recipe, which
// does not say all that it holds: it is the same request just in the same step of the same check.
func inputsOf(s contract.Step, items int) (kind, fields string, inputs []string, ok bool) {
	if s.Request.Recipe != "" {
		fields = s.Check + " " + s.Name + " " + s.Request.Recipe
		for i := range items {
			inputs = append(inputs, strconv.Itoa(i))
		}
		return "generated requests", fields, inputs, items > 0
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(s.Request.Body, &body) != nil || body["input"] == nil {
		return "", "", nil, false
	}
	input := body["input"]
	delete(body, "input")
	delete(body, "model") // each server is asked for its own
	if f := string(body["encoding_format"]); f == `"float"` || f == "null" {
		delete(body, "encoding_format")
	}
	kind = plain
	if len(body) > 0 {
		kind = "requests with " + strings.Join(slices.Sorted(maps.Keys(body)), ", ")
	}
	text, err := json.Marshal(body)
	if err != nil {
		return "", "", nil, false
	}
	return kind, string(text), elements(input), true
}

// elements are the texts of an input, each as JSON: one text, one list of token ids, or a list of either.
func elements(input json.RawMessage) []string {
	var list []json.RawMessage
	if json.Unmarshal(input, &list) != nil || len(list) == 0 || !strings.ContainsAny(string(list[0][:1]), `"[`) {
		list = []json.RawMessage{input}
	}
	out := make([]string, len(list))
	for i, raw := range list {
		var b bytes.Buffer
		if json.Compact(&b, raw) != nil {
			b.Write(raw)
		}
		out[i] = b.String()
	}
	return out
}
