package upgrade

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

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
	// alone is the whole request that brought each; empty where others were asked at the same time, which a server may compute
	// together.
	alone []string
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
	a, alone := asked{texts: map[string]*answers{}, requests: map[string]counted{}}, quiet(rec)
	for _, check := range rec.Checks() {
		if !wanted[check] {
			continue
		}
		for _, t := range rec.Trails(check) {
			for _, s := range t.Steps {
				a.step(s, alone[spanOf(s)])
			}
		}
	}
	return a
}

// span is the time in which a request was on its way.
type span struct{ begun, ended time.Time }

func spanOf(s contract.Step) span { return span{s.Sent, s.Sent.Add(s.Took)} }

// quiet are the times of a recording in which one request was on its way, and no other.
func quiet(rec *recording.Recording) map[span]bool {
	var all []span
	for _, check := range rec.Checks() {
		for _, t := range rec.Trails(check) {
			for _, s := range t.Steps {
				if s.Request.Action == "" {
					all = append(all, spanOf(s))
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b span) int { return a.begun.Compare(b.begun) })
	out := map[span]bool{}
	var busy time.Time // until when those before were on their way
	for i, s := range all {
		next := i+1 < len(all) && all[i+1].begun.Before(s.ended)
		out[s] = !next && !busy.After(s.begun)
		if s.ended.After(busy) {
			busy = s.ended
		}
	}
	return out
}

func (a *asked) step(s contract.Step, alone bool) {
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
		t, by := a.texts[key], ""
		if alone && len(inputs) == 1 {
			by = whole
		}
		t.vectors, t.alone = append(t.vectors, item.Vector), append(t.alone, by)
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
