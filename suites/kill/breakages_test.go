package kill_test

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// breakage spoils one answer of an honest server.
type breakage struct {
	name   string
	of     spoilable
	change func(*contract.Step)
	// honest: an honest server may answer so, too, and the cell must stay as it is.
	honest bool
}

// spoilable says which answers can be spoilt in a way.
type spoilable int

const (
	anyAnswer spoilable = iota
	served
	withItems
	withVectors
	ofNorm // with vectors, and of a check that looks at their norm
)

func (o spoilable) fits(s contract.Step) bool {
	switch o {
	case served:
		return s.OK()
	case withItems:
		r, err := s.Response()
		return err == nil && len(r.Items) > 0
	case withVectors, ofNorm:
		if o == ofNorm && !strings.HasPrefix(s.Check, "unit_norm/") {
			return false
		}
		return s.OK() && len(s.Vectors) > 0 && !slices.ContainsFunc(s.Vectors, func(v contract.Vector) bool {
			return len(v.Values) < 2 || parity.Norm(v.Values) == 0 // nothing could be moved
		})
	}
	return true
}

// within and beyond are by how much a vector is moved that must be taken for the same, or must not: a third of a bar and
// three times as much.
const (
	within = 1.0 / 3
	beyond = 3.0
)

// turned is a vector at a cosine distance from another one, of the same norm: the last number takes what is missing.
func turned(was []float32, distance float64) []float32 {
	norm := parity.Norm(was)
	// A unit vector across: the last axis without its part along the vector.
	n := len(was) - 1
	across := make([]float64, len(was))
	last := float64(was[n]) / norm
	var sum float64
	for i, f := range was {
		across[i] = -last * float64(f) / norm
		if i == n {
			across[i]++
		}
		sum += across[i] * across[i]
	}
	cos, sin := 1-distance, math.Sqrt(1-(1-distance)*(1-distance))
	out := make([]float32, len(was))
	for i, f := range was {
		out[i] = float32(float64(f)*cos + across[i]/math.Sqrt(sum)*sin*norm)
	}
	return out
}

func longer(was []float32, by float64) []float32 {
	out := make([]float32, len(was))
	for i, f := range was {
		out[i] = float32(float64(f) * (1 + by))
	}
	return out
}

func breakages() []breakage {
	body := func(status int, text string) func(*contract.Step) {
		return func(s *contract.Step) { s.Status, s.Body, s.Size, s.Vectors = status, []byte(text), len(text), nil }
	}
	list := func(embedding string, n int) string {
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, embedding)
		}
		return `{"object":"list","model":"` + killModel + `","data":[` + strings.Join(items, ",") + `],"usage":{"prompt_tokens":3,"total_tokens":3}}`
	}
	vectors := func(spoil func(was []float32) []float32) func(*contract.Step) {
		return func(s *contract.Step) {
			s.Vectors = slices.Clone(s.Vectors)
			for i := range s.Vectors {
				s.Vectors[i].Values = spoil(s.Vectors[i].Values)
			}
		}
	}
	return []breakage{
		{"refused", served, body(400, `{"error":{"message":"no","type":"invalid_request_error","param":null,"code":null}}`), false},
		{"failed", served, body(500, `{"error":{"message":"no","type":"server_error","param":null,"code":null}}`), false},
		{"no answer", anyAnswer, func(s *contract.Step) {
			body(0, "")(s)
			s.Fault, s.Detail, s.Header = contract.FaultClosed, "EOF", nil
		}, false},
		{"no items", withItems, body(200, list("[]", 0)), false},
		{"null", withItems, func(s *contract.Step) {
			r, _ := s.Response()
			body(200, list("null", len(r.Items)))(s)
		}, false},
		{"a page", withItems, body(200, "<html><body>It works!</body></html>"), false},
		{"zeros", withVectors, vectors(func(was []float32) []float32 { return make([]float32, len(was)) }), false},
		{"three numbers", withVectors, vectors(func(was []float32) []float32 { return was[:min(3, len(was))] }), false},
		{"moved", withVectors, vectors(func(was []float32) []float32 { return turned(was, beyond*parity.SameBar) }), false},
		{"moved a little", withVectors, vectors(func(was []float32) []float32 { return turned(was, within*parity.SameBar) }), true},
		{"longer", ofNorm, vectors(func(was []float32) []float32 { return longer(was, beyond*parity.NormTolerance) }), false},
		{"a little longer", ofNorm, vectors(func(was []float32) []float32 { return longer(was, within*parity.NormTolerance) }), true},
	}
}
