package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Response is an embeddings answer as a lenient client reads it. Whether it is well formed is for the checks
// of response_shape to say; the other checks read what is there.
type Response struct {
	Object string
	Model  string
	Items  []Item
	Usage  *Usage // nil when absent or of the wrong shape
}

// Item is one element of data.
type Item struct {
	Index  int // -1 when absent or not an integer
	Object string
	Vector []float32       // set when embedding is a flat list of finite numbers
	Text   string          // set when embedding is a string
	Raw    json.RawMessage // embedding as it was sent; "[]" where the vector was moved out of the body
	Length int             // of the vector that was moved out, whether or not its values are kept
	Norm   float64         // L2 of a vector whose values are not kept
}

// Usage counts tokens, or what the server takes for them.
type Usage struct {
	PromptTokens int
	TotalTokens  int
}

// Response decodes the body of a 2xx answer. What it returns is the caller's own, but for the bytes and numbers of its
// items, which are those of the step: read them, and change them in a copy. With an error there are no items.
func (s Step) Response() (Response, error) {
	r, err := s.response()
	r.Items = slices.Clone(r.Items)
	if r.Usage != nil {
		own := *r.Usage
		r.Usage = &own
	}
	return r, err
}

// response is Response for readers that change nothing: of a step that was read before it is shared.
func (s Step) response() (Response, error) {
	if !s.OK() {
		return Response{}, fmt.Errorf("status %d%s", s.Status, faultSuffix(s))
	}
	if len(s.Vectors) == 0 && s.Size > len(s.Body) && !json.Valid(s.Body) {
		return Response{}, fmt.Errorf("body is too long for an embeddings response: %d bytes", s.Size)
	}
	if s.reading != nil && s.reading.holds(s) {
		return s.reading.response, s.reading.err
	}
	r, err := decode(s.Body)
	r.place(s.Vectors)
	return r, err
}

// decode reads a body, without the vectors that were moved out of it.
func decode(raw []byte) (Response, error) {
	// Maps, since the fields of a struct would also take "Data" for "data", which no client does.
	var body map[string]json.RawMessage
	if err := json.Unmarshal(raw, &body); err != nil {
		return Response{}, fmt.Errorf("body is not an embeddings response: %w", err)
	}
	var data []json.RawMessage
	if raw, ok := body["data"]; ok {
		if err := json.Unmarshal(raw, &data); err != nil {
			return Response{}, fmt.Errorf("body is not an embeddings response: data: %w", err)
		}
	}
	r := Response{Usage: decodeUsage(body["usage"])}
	_ = json.Unmarshal(body["object"], &r.Object)
	_ = json.Unmarshal(body["model"], &r.Model)
	for _, raw := range data {
		r.Items = append(r.Items, decodeItem(raw))
	}
	return r, nil
}

// place puts the vectors that were moved out of the body where they belong.
func (r *Response) place(vectors []Vector) {
	for _, v := range vectors {
		if v.Item >= 0 && v.Item < len(r.Items) {
			it := &r.Items[v.Item]
			it.Vector, it.Length, it.Norm = v.Values, v.Len(), v.Norm
		}
	}
}

func faultSuffix(s Step) string {
	if s.Fault == "" {
		return ""
	}
	return fmt.Sprintf(" (%s %s)", Shorten(string(s.Fault), shownOfBody), Shorten(s.Detail, shownOfDetail))
}

func decodeItem(raw json.RawMessage) Item {
	item := Item{Index: -1}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return item
	}
	var index int
	if len(m["index"]) > 0 && json.Unmarshal(m["index"], &index) == nil && string(m["index"]) != "null" {
		item.Index = index
	}
	_ = json.Unmarshal(m["object"], &item.Object)
	item.Raw = m["embedding"]
	if strings.HasPrefix(string(item.Raw), `"`) {
		_ = json.Unmarshal(item.Raw, &item.Text)
	}
	return item
}

func decodeUsage(raw json.RawMessage) *Usage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	prompt, total := (*int)(nil), (*int)(nil)
	for key, to := range map[string]**int{"prompt_tokens": &prompt, "total_tokens": &total} {
		if v, ok := m[key]; ok && json.Unmarshal(v, to) != nil {
			return nil
		}
	}
	if prompt == nil {
		return nil
	}
	u := &Usage{PromptTokens: *prompt, TotalTokens: -1}
	if total != nil {
		u.TotalTokens = *total
	}
	return u
}

// One returns the vector of an answer to a single input.
func (s Step) One() ([]float32, error) {
	r, err := s.response()
	switch {
	case err != nil:
		return nil, err
	case len(r.Items) != 1:
		return nil, fmt.Errorf("%d items in data, want 1", len(r.Items))
	case r.Items[0].Vector == nil:
		return nil, errors.New("embedding is not a flat list of finite numbers")
	}
	return r.Items[0].Vector, nil
}

// Many returns the n vectors of an answer to n inputs, each at the place of the input that it is for
// according to index.
func (s Step) Many(n int) ([][]float32, error) {
	r, err := s.response()
	if err != nil {
		return nil, err
	}
	if len(r.Items) != n {
		return nil, fmt.Errorf("%d items in data, want %d", len(r.Items), n)
	}
	out := make([][]float32, n)
	for i, it := range r.Items {
		if it.Vector == nil {
			return nil, fmt.Errorf("data[%d].embedding is not a flat list of finite numbers", i)
		}
		if it.Index < 0 || it.Index >= n || out[it.Index] != nil {
			return nil, fmt.Errorf("data[%d].index is %d: absent, out of range or used twice", i, it.Index)
		}
		out[it.Index] = it.Vector
	}
	return out, nil
}

// Tokens returns usage.prompt_tokens of a 2xx answer.
func (s Step) Tokens() (int, error) {
	r, err := s.response()
	if err != nil {
		return 0, err
	}
	if r.Usage == nil {
		return 0, errors.New("no usage.prompt_tokens in the answer")
	}
	return r.Usage.PromptTokens, nil
}
