package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// extracted is an embedding found in a body: where its list stands, and its values.
type extracted struct {
	item       int
	index      int // what the item says of its place; -1 when it does not
	start, end int // of the list in the original body
	values     []float32
}

const (
	// maxItems bounds the embeddings that are moved out of one body: the longest list that is asked for has 2049 texts.
	// A body with more is none that a vector is looked for in, and stays as it is, or as much of it as is kept of any.
	maxItems = 4096
	// maxNumbers bounds one that is: no model has vectors of more than some 16,000 numbers.
	maxNumbers = 1 << 16
)

// extract finds the embeddings of a body that may move to the side file. Bodies that are not one JSON object
// with a list "data" of objects, or that repeat a key on the way, give none: they stay as they are.
func extract(body []byte) []extracted {
	if !utf8.Valid(body) {
		return nil
	}
	s := &scanner{dec: json.NewDecoder(bytes.NewReader(body)), body: body}
	s.dec.UseNumber()
	if err := s.document(); err != nil {
		return nil
	}
	return s.found
}

var errLeave = errors.New("leave the body as it is")

type scanner struct {
	dec   *json.Decoder
	body  []byte
	found []extracted
}

func (s *scanner) document() error {
	if err := s.expect(json.Delim('{')); err != nil {
		return err
	}
	seen := false
	err := s.object(func(key string) error {
		if key != "data" {
			return s.skip()
		}
		if seen {
			return errLeave
		}
		seen = true
		return s.data()
	})
	if err != nil {
		return err
	}
	if _, err := s.dec.Token(); !errors.Is(err, io.EOF) {
		return errLeave // something follows the object
	}
	return nil
}

// object reads the keys and values of an object whose brace was read, up to its end.
func (s *scanner) object(value func(key string) error) error {
	for s.dec.More() {
		t, err := s.dec.Token()
		if err != nil {
			return err
		}
		key, ok := t.(string)
		if !ok {
			return errLeave
		}
		if err := value(key); err != nil {
			return err
		}
	}
	return s.expect(json.Delim('}'))
}

func (s *scanner) data() error {
	t, err := s.dec.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return errLeave
	}
	for i := 0; s.dec.More(); i++ {
		if err := s.expect(json.Delim('{')); err != nil {
			return err
		}
		seen, before, index := false, len(s.found), -1
		err := s.object(func(key string) error {
			if key == "index" {
				return s.number(&index)
			}
			if key != "embedding" {
				return s.skip()
			}
			if seen {
				return errLeave
			}
			seen = true
			return s.embedding(i)
		})
		if err != nil {
			return err
		}
		for j := range s.found[before:] {
			s.found[before+j].index = index
		}
	}
	return s.expect(json.Delim(']'))
}

// number reads a value, and keeps it when it is a whole number.
func (s *scanner) number(to *int) error {
	var raw json.RawMessage
	if err := s.dec.Decode(&raw); err != nil {
		return err
	}
	if n, err := strconv.Atoi(string(raw)); err == nil {
		*to = n
	}
	return nil
}

// embedding reads the value of a key "embedding" and keeps it when it is a flat list of finite numbers.
func (s *scanner) embedding(item int) error {
	var raw json.RawMessage
	if err := s.dec.Decode(&raw); err != nil {
		return err
	}
	end := int(s.dec.InputOffset())
	if values := flat(raw); len(values) > 0 && len(values) <= maxNumbers {
		if len(s.found) == maxItems {
			return errLeave
		}
		s.found = append(s.found, extracted{item: item, start: end - len(raw), end: end, values: values})
	}
	return nil
}

// flat reads a JSON value that is a list of numbers within the range of float32; nil for any other. Splitting at
// commas is enough, since the value is valid JSON: whatever is no number does not parse.
func flat(raw []byte) []float32 {
	inner, ok := bytes.CutPrefix(raw, []byte("["))
	if !ok {
		return nil
	}
	inner = bytes.TrimSpace(bytes.TrimSuffix(inner, []byte("]")))
	if len(inner) == 0 || bytes.ContainsAny(inner, "[{\"tfn") { // lists, objects, strings, true, false, null
		return nil
	}
	values := make([]float32, 0, bytes.Count(inner, []byte(","))+1)
	for field := range bytes.SplitSeq(inner, []byte(",")) {
		f, err := strconv.ParseFloat(string(bytes.TrimSpace(field)), 32)
		if err != nil || math.IsInf(f, 0) {
			return nil
		}
		values = append(values, float32(f))
	}
	return values
}

// skip reads a value. One that is nested as deep as no reader goes is an error, as it is to every other reader.
func (s *scanner) skip() error {
	var raw json.RawMessage
	return s.dec.Decode(&raw)
}

func (s *scanner) expect(want json.Delim) error {
	t, err := s.dec.Token()
	if err != nil {
		return err
	}
	if t != want {
		return errLeave
	}
	return nil
}
