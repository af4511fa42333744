package contract

import "slices"

// reading is what Response made of a step, and of which bytes and numbers. Many checks read the same answer, most of
// them once for each server that is compared with it.
type reading struct {
	status   int
	body     []byte
	vectors  []Vector
	response Response
	err      error
}

// Read returns the step with its embeddings answer read, so that Response need not do it again: for whoever keeps
// steps that many checks read. It is safe for concurrent use from then on. A copy of the step whose Body or Vectors are
// replaced later is read anew; bytes of the Body must not be changed in place.
func (s Step) Read() Step {
	if !s.OK() || s.Request.Path != EmbeddingsPath {
		return s
	}
	r := &reading{status: s.Status, body: s.Body, vectors: slices.Clone(s.Vectors)}
	r.response, r.err = s.decode()
	s.reading = r
	return s
}

// holds says whether the step is as it was when it was read.
func (r *reading) holds(s Step) bool {
	return r.status == s.Status && same(r.body, s.Body) && slices.EqualFunc(r.vectors, s.Vectors, func(a, b Vector) bool {
		return a.Item == b.Item && a.Unkept == b.Unkept && a.Norm == b.Norm && same(a.Values, b.Values)
	})
}

// same says whether two slices are the same memory, not just equal.
func same[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
