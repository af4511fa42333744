package recording

import (
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
	s := &scanner{cursor: cursor{body: body}}
	s.space()
	if !s.document() {
		return nil
	}
	if s.space(); s.at != len(body) {
		return nil // something follows the object
	}
	return s.found
}

// scanner goes through a body once. Its methods return false when the body must be left as it is: it is not JSON, or
// it is not what extract looks for.
type scanner struct {
	cursor
	found  []extracted
	likely int // how many numbers the last embedding had
}

func (s *scanner) document() bool {
	seen := false
	return s.object(func(key string) bool {
		if key != "data" {
			return s.value()
		}
		if seen {
			return false
		}
		seen = true
		return s.data()
	})
}

func (s *scanner) data() bool {
	i := 0
	return s.list(func() bool {
		seen, before, index := false, len(s.found), -1
		ok := s.object(func(key string) bool {
			switch key {
			case "index":
				return s.number(&index)
			case "embedding":
				if seen {
					return false
				}
				seen = true
				return s.embedding(i)
			}
			return s.value()
		})
		for j := range s.found[before:] {
			s.found[before+j].index = index
		}
		i++
		return ok
	})
}

// number reads a value, and keeps it when it is a whole number.
func (s *scanner) number(to *int) bool {
	start := s.at
	if !s.value() {
		return false
	}
	if n, err := strconv.Atoi(string(s.body[start:s.at])); err == nil {
		*to = n
	}
	return true
}

// embedding reads the value of a key "embedding" and keeps it when it is a flat list of numbers within the range of
// float32.
func (s *scanner) embedding(item int) bool {
	if s.peek() != '[' {
		return s.value()
	}
	start := s.at
	values, flat := make([]float32, 0, s.likely), true
	whole := s.list(func() bool {
		at := s.at
		if !s.value() {
			return false
		}
		if !flat || !isNumber(s.body[at]) {
			flat = false
			return true
		}
		f, err := strconv.ParseFloat(string(s.body[at:s.at]), 32)
		if err != nil || math.IsInf(f, 0) {
			flat = false
			return true
		}
		values = append(values, float32(f))
		return true
	})
	if whole && flat && len(values) > 0 && len(values) <= maxNumbers {
		if len(s.found) == maxItems {
			return false
		}
		s.likely = len(values)
		s.found = append(s.found, extracted{item: item, start: start, end: s.at, values: values})
	}
	return whole
}
