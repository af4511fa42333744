package kill_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// breakage spoils one answer of an honest server.
type breakage struct {
	name    string
	vectors bool // only an answer that has vectors can be spoilt so
	served  bool // only one that is served
	change  func(*contract.Step)
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
		{"refused", false, true, body(400, `{"error":{"message":"no","type":"invalid_request_error","param":null,"code":null}}`)},
		{"failed", false, true, body(500, `{"error":{"message":"no","type":"server_error","param":null,"code":null}}`)},
		{"no answer", false, false, func(s *contract.Step) {
			body(0, "")(s)
			s.Fault, s.Detail, s.Header = contract.FaultClosed, "EOF", nil
		}},
		{"no items", true, true, body(200, list("[]", 0))},
		{"null", true, true, func(s *contract.Step) { body(200, list("null", len(s.Vectors)))(s) }},
		{"a page", true, true, body(200, "<html><body>It works!</body></html>")},
		{"zeros", true, true, vectors(func(was []float32) []float32 { return make([]float32, len(was)) })},
		{"three numbers", true, true, vectors(func(was []float32) []float32 { return was[:min(3, len(was))] })},
	}
}

// indifferent are the answers of a check that may be spoilt without it failing to pass, and why.
type indifferent struct{ checks, step, breakages, why string }

func indifferents() []indifferent {
	return []indifferent{
		{"", contract.StillAlive, "no items, null, a page, zeros, three numbers", "only the status is looked at: status_codes/survives owns what is in it"},
		{"lifecycle/", "", "refused, failed, no answer, no items, null, a page, zeros, three numbers", "each answer is read by the check of lifecycle that owns it, and what it may be depends on when it came"},
		{"token_parity/", "", "zeros, three numbers", "tokens are counted, vectors are not looked at"},
		{"token_parity/batch-is-sum", "single-", "no items, null", "the edited answer counts as many tokens as the text has, or is one of a few"},
		{"token_parity/no-hidden-prompt", "more", "no items, null", "the edited answer counts three tokens, no more than a short text"},
		{"response_shape/wire-schema", "", "no items, zeros, three numbers", "the schema allows lists of any length"},
		{"response_shape/one-item-per-input", "inputs-", "null, zeros, three numbers", "items are counted"},
		{"response_shape/model-field", "asked", "no items, null, zeros, three numbers", "the name of the model is looked at"},
		{"response_shape/flat-vector", "odd-texts", "three numbers", "a list of any length is flat"},
		{"dimensions/native-by-default", "default", "zeros", "length is looked at, response_shape/finite-everywhere owns zeros"},
		{"dimensions/same-for-every-length", "", "zeros", "length is looked at, response_shape/finite-everywhere owns zeros"},
		{"dimensions/one", "asked", "refused, three numbers", "it may be refused; one number of three is what was asked for"},
		{"dimensions/unlisted-size", "asked", "refused", "it may be refused"},
		{"dimensions/null", "null", "refused", "it may be refused"},
		{"input_forms/foreign-ids", "ids", "refused", "it may be refused"},
		{"text/nul", "asked", "refused", "it may be refused"},
		{"status_codes/duplicate-key", "asked", "refused", "it may be refused"},
		{"input_forms/own-ids", "tokenize", "refused, failed", "a server need not have this route"},
		{"unit_norm/normalize-false", "plain", "no items, null, a page, zeros, three numbers", "the field is refused, and there is nothing to compare"},
		{"unit_norm/use-activation-false", "plain", "no items, null, a page, zeros, three numbers", "the field is refused, and there is nothing to compare"},
		{"instructions/unknown-field", "plain", "refused, failed, no items, null, a page, zeros, three numbers", "the field is refused, and there is nothing to compare"},
		{"truncation/over-long", "cut", "refused, failed, no items, null, a page, zeros, three numbers", "the text is refused, and there is nothing to compare"},
		{"truncation/limit-plus-one", "cut", "refused, failed, no items, null, a page, zeros, three numbers", "the text is refused, and there is nothing to compare"},
		{"truncation/limit-exact", "exact", "zeros, three numbers", "the count is looked at"},
		{"truncation/truncate-prompt-tokens", "whole", "three numbers", "it is only held against: any other vector will do"},
		{"text/whitespace-only", "blank", "three numbers", "a vector of any length has a direction"},
		{"text/special-token", "without", "no items, null", "its tokens are counted"},
		{"batching/duplicates", "repeats", "three numbers", "vectors are compared with each other"},
		{"encoding_format/base64-is-string", "float", "no items, null, a page, zeros, three numbers", "the form of the other answer is looked at"},
		{"encoding_format/default-is-float", "default", "zeros, three numbers", "the form is looked at"},
		{"input_forms/token-ids", "ids", "zeros, three numbers", "input_forms/own-ids compares vectors"},
		{"service/models-are-served", "name", "zeros, three numbers", "vectors are not looked at"},
		{"service/batch-in-time", "batch", "zeros, three numbers", "time is looked at"},
		{"service/rate-limit-headers", "asked", "no items, null, a page, zeros, three numbers", "headers are looked at"},
		{"service/steady", "refused", "no answer", "how a fault of the client is answered is for others to judge"},
		{"auth/any-key", "asked", "zeros, three numbers", "vectors are not looked at"},
		{"vector_parity/warm-prefix", "other:", "zeros, three numbers", "it only has to be read"},
		{"concurrency/client-leaves", "leaver", "refused, failed, no answer, no items, null, a page, zeros, three numbers", "the client had left"},
	}
}

// spoilt is one answer to spoil.
type spoilt struct {
	check contract.Check
	step  *contract.Step
	by    breakage
	may   bool // pass all the same
}

// spoiltAnswers are all answers of a recording with each breakage that fits.
func spoiltAnswers(suite contract.Suite, rec *recording.Recording) (all []spoilt) {
	for _, c := range suite.Checks() {
		if c.Pair() {
			continue
		}
		for _, trail := range rec.Trails(c.ID) {
			for i := range trail.Steps {
				s := &trail.Steps[i]
				for _, b := range breakages() {
					if b.served && !s.OK() || b.vectors && len(s.Vectors) == 0 {
						continue
					}
					may := slices.ContainsFunc(indifferents(), func(x indifferent) bool { return x.covers(c.ID, s.Name, b.name) })
					all = append(all, spoilt{c, s, b, may})
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
	case cell.Outcome == contract.Pass && !s.may:
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
			if cell.Outcome == contract.Pass && x.covers(s.check.ID, s.step.Name, s.by.name) {
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
