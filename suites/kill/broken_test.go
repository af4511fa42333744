package kill_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/parity"
	"github.com/embedcontract/embedcontract/harness/recording"
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

// indifferent are the answers of a check that may be spoilt without it failing to pass, and why.
type indifferent struct{ checks, step, breakages, why string }

func indifferents() []indifferent {
	return []indifferent{
		{"", contract.StillAlive, "no items, null, a page, zeros, three numbers, moved", "only the status is looked at: status_codes/survives owns what is in it"},
		{"lifecycle/", "", "refused, failed, no answer, no items, null, a page, zeros, three numbers, moved", "each answer is read by the check of lifecycle that owns it, and what it may be depends on when it came"},
		{"token_parity/", "", "zeros, three numbers, moved", "tokens are counted, vectors are not looked at"},
		{"token_parity/batch-is-sum", "single-", "no items, null", "the edited answer counts as many tokens as the text has, or is one of a few"},
		{"token_parity/no-hidden-prompt", "more", "no items, null", "the edited answer counts three tokens, no more than a short text"},
		{"response_shape/wire-schema", "", "no items, zeros, three numbers, moved", "the schema allows lists of any length"},
		{"response_shape/one-item-per-input", "inputs-", "null, zeros, three numbers, moved", "items are counted"},
		{"response_shape/model-field", "asked", "no items, null, zeros, three numbers, moved", "the name of the model is looked at"},
		{"response_shape/flat-vector", "odd-texts", "three numbers, moved", "a list of any length is flat"},
		{"dimensions/native-by-default", "default", "zeros, moved", "length is looked at, response_shape/finite-everywhere owns zeros"},
		{"dimensions/same-for-every-length", "", "zeros, moved", "length is looked at, response_shape/finite-everywhere owns zeros"},
		{"dimensions/one", "asked", "refused, three numbers", "it may be refused; one number of three is what was asked for"},
		{"dimensions/unlisted-size", "asked", "refused", "it may be refused"},
		{"dimensions/null", "null", "refused", "it may be refused"},
		{"input_forms/foreign-ids", "ids", "refused", "it may be refused"},
		{"text/nul", "asked", "refused, moved", "it may be refused"},
		{"status_codes/duplicate-key", "asked", "refused", "it may be refused"},
		{"input_forms/own-ids", "tokenize", "refused, failed", "a server need not have this route"},
		{"unit_norm/normalize-false", "", "no items, null, a page, zeros, three numbers, moved, longer", "the field is refused, and there is nothing to compare"},
		{"unit_norm/use-activation-false", "", "no items, null, a page, zeros, three numbers, moved, longer", "the field is refused, and there is nothing to compare"},
		{"instructions/unknown-field", "plain", "refused, failed, no items, null, a page, zeros, three numbers, moved", "the field is refused, and there is nothing to compare"},
		{"truncation/over-long", "cut", "refused, failed, no items, null, a page, zeros, three numbers, moved", "the text is refused, and there is nothing to compare"},
		{"truncation/limit-plus-one", "cut", "refused, failed, no items, null, a page, zeros, three numbers, moved", "the text is refused, and there is nothing to compare"},
		{"truncation/limit-exact", "exact", "zeros, three numbers, moved", "the count is looked at"},
		{"truncation/truncate-prompt-tokens", "whole", "three numbers, moved", "it is only held against: any other vector will do"},
		{"text/whitespace-only", "blank", "three numbers, moved", "a vector of any length has a direction"},
		{"text/special-token", "without", "no items, null", "its tokens are counted"},
		{"batching/duplicates", "repeats", "three numbers, moved", "vectors are compared with each other"},
		{"encoding_format/base64-is-string", "float", "no items, null, a page, zeros, three numbers, moved", "the form of the other answer is looked at"},
		{"encoding_format/default-is-float", "default", "zeros, three numbers, moved", "the form is looked at"},
		{"input_forms/token-ids", "ids", "zeros, three numbers, moved", "input_forms/own-ids compares vectors"},
		{"service/models-are-served", "name", "zeros, three numbers, moved", "vectors are not looked at"},
		{"service/batch-in-time", "batch", "zeros, three numbers, moved", "time is looked at"},
		{"service/rate-limit-headers", "asked", "no items, null, a page, zeros, three numbers, moved", "headers are looked at"},
		{"service/steady", "refused", "no answer", "how a fault of the client is answered is for others to judge"},
		{"auth/any-key", "asked", "zeros, three numbers, moved", "vectors are not looked at"},
		{"batching/index", "", "moved", "vectors are told apart, not measured"},
		{"dimensions/reduced-", "full", "moved", "the last number takes the move, and is cut off"},
		{"input_forms/own-ids", "", "moved", "an end marker that is added or not moves a vector more"},
		{"instructions/input-type-query", "", "moved", "it has to be another vector, and is"},
		{"instructions/instruction-field", "", "moved", "it has to be another vector, and is"},
		{"instructions/manual-prefix", "plain", "moved", "it has to be another vector, and is"},
		{"text/accents", "", "moved", "it has to be another vector, and is"},
		{"text/case", "written-otherwise", "moved", "it has to be another vector, and is"},
		{"text/edge-whitespace", "", "moved", "it has to be another vector, and is"},
		{"text/newlines", "written-otherwise", "moved", "it has to be another vector, and is"},
		{"truncation/end-counts", "", "moved", "it has to be another vector, and is"},
		{"unit_norm/", "asked", "moved", "norms are looked at"},
		{"witnesses/", "raw", "moved", "what an SDK reads is held against the nearest of the vectors"},
		{"vector_parity/warm-prefix", "other:", "zeros, three numbers, moved", "it only has to be read"},
		{"concurrency/client-leaves", "leaver", "refused, failed, no answer, no items, null, a page, zeros, three numbers, moved", "the client had left"},
	}
}

// spoilt is one answer to spoil.
type spoilt struct {
	check contract.Check
	step  *contract.Step
	by    breakage
	may   bool   // pass all the same
	was   string // the variant with the answer as it was
}

// spoiltAnswers are all answers of a recording with each breakage that fits.
func spoiltAnswers(suite contract.Suite, rec *recording.Recording) (all []spoilt) {
	for _, c := range suite.Checks() {
		if c.Pair() {
			continue
		}
		was := judge.New(suite).Target(rec, c).Variant()
		for _, trail := range rec.Trails(c.ID) {
			for i := range trail.Steps {
				s := &trail.Steps[i]
				for _, b := range breakages() {
					if !b.of.fits(*s) {
						continue
					}
					may := slices.ContainsFunc(indifferents(), func(x indifferent) bool { return x.covers(c.ID, s.Name, b.name) })
					all = append(all, spoilt{c, s, b, may, was})
				}
			}
		}
	}
	return all
}

// nudgedSteps is how many answers of a cell are moved a little, one at a time.
const nudgedSteps = 4

// nudged are the first answers that a check read of a wrong server, each moved as little as an honest one may be between
// two calls: what is wrong with the server must be seen all the same.
func nudged(c contract.Check, rec *recording.Recording, was string) (all []spoilt) {
	for _, trail := range rec.Trails(c.ID) {
		for i := range trail.Steps {
			for _, b := range breakages() {
				if len(all) < nudgedSteps && b.honest && b.of == withVectors && b.of.fits(trail.Steps[i]) {
					all = append(all, spoilt{check: c, step: &trail.Steps[i], by: b, was: was})
				}
			}
		}
	}
	return all
}

func (x indifferent) covers(check, step, breakage string) bool {
	return strings.HasPrefix(check, x.checks) && strings.HasPrefix(step, x.step) && slices.Contains(strings.Split(x.breakages, ", "), breakage)
}

// judged is the cell of the check with the answer spoilt, which is as it was afterwards.
func (s spoilt) judged(suite contract.Suite, rec *recording.Recording) judge.Cell {
	was := *s.step
	defer func() { *s.step = was }()
	s.by.change(s.step)
	return judge.New(suite).Target(rec, s.check)
}

// wrong says what is wrong with the cell; empty: nothing.
func (s spoilt) wrong(cell judge.Cell) string {
	switch {
	case strings.Contains(cell.Reason, "fault of the suite"):
		return cell.Reason
	case s.by.honest && cell.Variant() != s.was:
		return fmt.Sprintf("is no longer %s but %s: %s", s.was, cell.Variant(), cell.Finding.Observed)
	case !s.by.honest && cell.Outcome == contract.Pass && !s.may:
		return fmt.Sprintf("passes (%s): %s", cell.Variant(), cell.Finding.Observed)
	}
	return ""
}

// A check that passes must have had every answer that it asked for: whichever of them is spoilt, and how, it does not
// pass, and its classifier does not panic.
func TestSpoiltAnswersDoNotPass(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	rec, err := l.record(t, mutant{name: "spoilt", extended: true}, 1)
	if err != nil {
		t.Fatal(err)
	}
	used := map[indifferent]bool{}
	for _, s := range spoiltAnswers(l.suite, rec) {
		cell := s.judged(l.suite, rec)
		if why := s.wrong(cell); why != "" {
			t.Errorf("%s, %s spoilt (%s): %s", s.check.ID, s.step.Name, s.by.name, why)
		}
		for _, x := range indifferents() {
			if !s.by.honest && cell.Outcome == contract.Pass && x.covers(s.check.ID, s.step.Name, s.by.name) {
				used[x] = true
			}
		}
	}
	for _, x := range indifferents() {
		if !used[x] {
			t.Errorf("%s %s (%s) is never needed", x.checks, x.step, x.why)
		}
	}
}
