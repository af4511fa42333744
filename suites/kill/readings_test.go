package kill_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// reading is evidence that is made by hand of what was recorded, and what its check must read in it. It shows what no
// server of the table does, or none without much else: answers that differ in one thing only, and recordings of others.
type reading struct {
	check string
	want  string // the variant, or the outcome where there is no verdict
	what  string // the evidence is
	with  string // switches of the server that was recorded, over those of the base
	// declared changes what the target file says, after the server was recorded.
	declared func(*contract.Facts)
	made     []change
	place    place // of the recording, where the check is one of pairs
	// says stands in what the finding tells people, and hides does not; empty: whatever they read.
	says, hides string
}

// place is where the changed recording stands in a pair; the other one is the base.
type place int

const (
	asCandidate place = iota
	asTheReference
	inBothPlaces
)

// change is made to steps of a recording.
type change struct {
	of   string // the check whose steps they are; "": the one that is judged; everyRead: all that it reads
	step string // its name, or how names begin, with a * behind; "": each
	as   string // the step of the same check whose vectors it gets first; "": its own
	do   func(*contract.Step)
	drop bool // leaves it out, in place of do
}

// everyRead are the steps of all checks that the check reads.
const everyRead = "*"

func (c change) covers(s contract.Step) bool {
	begin, some := strings.CutSuffix(c.step, "*")
	return c.step == "" || s.Name == c.step || some && strings.HasPrefix(s.Name, begin)
}

// applied is the trail's steps with the change, and whether there was something to change. The old ones stay as they are.
func (c change) applied(steps []contract.Step) (out []contract.Step, changed bool) {
	for _, s := range steps {
		if !c.covers(s) {
			out = append(out, s)
			continue
		}
		changed = true
		if c.drop {
			continue
		}
		if c.as != "" {
			s.Vectors = contract.Evidence{Steps: steps}.Step(c.as).Vectors
		}
		s.Vectors = slices.Clone(s.Vectors)
		if c.do != nil {
			c.do(&s)
		}
		out = append(out, s)
	}
	return out, changed
}

// judged is the cell of evidence that is changed for that long. It fails when there is nothing that could be changed.
func (r reading) judged(suite contract.Suite, rec, base *recording.Recording) (cell judge.Cell, err error) {
	check, ok := suite.Check(r.check)
	if !ok {
		return cell, fmt.Errorf("no check %s", r.check)
	}
	was := rec.Header.Target.Declared
	defer func() { rec.Header.Target.Declared = was }()
	if r.declared != nil {
		r.declared(&rec.Header.Target.Declared)
	}
	for _, c := range r.made {
		from := []string{c.of}
		switch c.of {
		case "":
			from[0] = r.check
		case everyRead:
			from = check.Reads
		}
		some := false
		for _, id := range from {
			for _, trail := range rec.Trails(id) {
				before := trail.Steps
				defer func() { trail.Steps = before }()
				var changed bool
				trail.Steps, changed = c.applied(before)
				some = some || changed
			}
		}
		if !some {
			return cell, fmt.Errorf("there is no step %q of %s", c.step, strings.Join(from, ", "))
		}
	}
	j := judge.New(suite)
	switch {
	case !check.Pair():
		return j.Target(rec, check), nil
	case r.place == inBothPlaces:
		return j.Pair(rec, rec, check), nil
	case r.place == asTheReference:
		return j.Pair(rec, base, check), nil
	}
	return j.Pair(base, rec, check), nil
}

// wrong says what is wrong with the cell; empty: nothing.
func (r reading) wrong(cell judge.Cell) string {
	told := fmt.Sprint(cell.Finding.Observed, " ", cell.Finding.Numbers)
	if cell.Variant() != r.want || !strings.Contains(told, r.says) || r.hides != "" && strings.Contains(told, r.hides) {
		return fmt.Sprintf("is %s, want %s: %s %s", cell.Variant(), r.want, told, cell.Reason)
	}
	return ""
}

func readings() []reading {
	return slices.Concat(shapeReadings(), serviceReadings(), steadyReadings(), statusReadings(), errorReadings(), textReadings(), tokenReadings(),
		truncationReadings(), longReadings(), normReadings(), parityReadings(), rankReadings(), witnessReadings(), reasonReadings(), barReadings(), longBarReadings(), pairBarReadings())
}

// readable are the recordings of which readings are made, by the switches of the server.
func (l *lab) readable(t *testing.T, all []reading) map[string]*recording.Recording {
	t.Helper()
	asked := map[string][]string{}
	for _, r := range all {
		if !slices.Contains(asked[r.with], r.check) {
			asked[r.with] = append(asked[r.with], r.check)
		}
	}
	out := map[string]*recording.Recording{}
	for with, checks := range asked {
		rec, err := l.record(t, mutant{name: "by hand", with: with, order: checks}, 1)
		if err != nil {
			t.Fatalf("%s: %v", with, err)
		}
		out[with] = rec
	}
	return out
}

// Evidence that no server of the table gives is judged as it should be.
func TestEvidenceMadeByHand(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	recs := l.readable(t, readings())
	for _, r := range readings() {
		cell, err := r.judged(l.suite, recs[r.with], l.base)
		if err != nil {
			t.Errorf("%s, %s: %v", r.check, r.what, err)
			continue
		}
		if why := r.wrong(cell); why != "" {
			t.Errorf("%s, %s: %s", r.check, r.what, why)
		}
	}
}

// answered puts another answer in the place of a step's.
func answered(status int, body string) func(*contract.Step) {
	return func(s *contract.Step) {
		s.Status, s.Body, s.Size, s.Vectors, s.Fault = status, []byte(body), len(body), nil, ""
	}
}

// refusedAs is an error of the usual form with that message.
func refusedAs(status int, message string) func(*contract.Step) {
	return answered(status, fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","param":null,"code":null}}`, message))
}

func refusedStep(s *contract.Step) { refusedAs(400, "no")(s) }

// pageStep is a 200 that is no answer of the API at all, noVector one in which null stands for the vector of one text.
func pageStep(s *contract.Step) { answered(200, "<html>It works!</html>")(s) }

func noVector(s *contract.Step) {
	answered(200, `{"object":"list","data":[{"object":"embedding","index":0,"embedding":null}],"usage":{"prompt_tokens":5,"total_tokens":5}}`)(s)
}

func noItems(s *contract.Step) {
	answered(200, `{"object":"list","data":[],"usage":{"prompt_tokens":5,"total_tokens":5}}`)(s)
}

// cutOff is an exchange that ended before the answer did.
func cutOff(s *contract.Step) { s.Fault = contract.FaultClosed }

// edited replaces what stands in a body. Vectors stand before what is edited, or it is as long as before.
func edited(pairs ...string) func(*contract.Step) {
	return func(s *contract.Step) {
		s.Body = bytes.Clone(s.Body)
		for i := 0; i < len(pairs); i += 2 {
			s.Body = bytes.ReplaceAll(s.Body, []byte(pairs[i]), []byte(pairs[i+1]))
		}
	}
}

// counts is an answer whose usage counts that many tokens, and noUsage one without usage.
func counts(n int) func(*contract.Step) {
	return func(s *contract.Step) {
		at := bytes.Index(s.Body, []byte(`"usage"`))
		s.Body = fmt.Appendf(bytes.Clone(s.Body[:at]), `"usage":{"prompt_tokens":%d,"total_tokens":%d}}`, n, n)
	}
}

func noUsage(s *contract.Step) { edited(`"usage"`, `"other"`)(s) }

// vectors changes each vector of an answer, and vectorAt one.
func vectors(how func(was []float32) []float32) func(*contract.Step) {
	return func(s *contract.Step) {
		for i := range s.Vectors {
			s.Vectors[i].Values = how(s.Vectors[i].Values)
		}
	}
}

func vectorAt(i int, how func(was []float32) []float32) func(*contract.Step) {
	return func(s *contract.Step) { s.Vectors[i].Values = how(s.Vectors[i].Values) }
}

// nothing is a vector of zeros, shorter one of three numbers, elsewhere one that has nothing in common with texts.
func nothing(was []float32) []float32 { return make([]float32, len(was)) }

func shorter(was []float32) []float32 { return was[:3] }

func elsewhere(was []float32) []float32 {
	out := make([]float32, len(was))
	out[7] = 1
	return out
}

func by(distance float64) func([]float32) []float32 {
	return func(was []float32) []float32 { return turned(was, distance) }
}

func doubled(was []float32) []float32 { return longer(was, 1) }
