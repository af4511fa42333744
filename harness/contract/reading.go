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

// Reader reads embeddings answers beforehand, for whoever keeps steps that many checks read. The zero value is ready
// for use, by one goroutine at a time.
type Reader struct {
	known map[string]answer // what was read of short bodies: without their vectors most are alike
}

type answer struct {
	response Response // without vectors
	err      error
}

const (
	// shortBody is the longest that is remembered, in bytes: an answer to a single text, without its vector, or to a few.
	shortBody = 2 << 10
	// mostAnswers is how many are remembered; when there are more, all are forgotten.
	mostAnswers = 256
)

// Read returns the step with its answer read, so that Response need not do it again. What it returns is safe for
// concurrent use. A copy of the step whose Body or Vectors are replaced later is read anew; bytes of the Body must not be
// changed in place.
func (r *Reader) Read(s Step) Step {
	if !s.OK() || s.Request.Path != EmbeddingsPath {
		return s
	}
	a := r.answer(s.Body)
	own := &reading{status: s.Status, body: s.Body, vectors: slices.Clone(s.Vectors), response: a.response, err: a.err}
	own.response.Items = slices.Clone(a.response.Items)
	own.response.place(s.Vectors)
	s.reading = own
	return s
}

func (r *Reader) answer(body []byte) answer {
	if a, ok := r.known[string(body)]; ok {
		return a
	}
	var a answer
	a.response, a.err = decode(body)
	if len(body) > shortBody {
		return a
	}
	if r.known == nil || len(r.known) == mostAnswers {
		r.known = map[string]answer{}
	}
	r.known[string(body)] = a
	return a
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
