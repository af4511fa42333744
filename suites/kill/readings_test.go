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
	key   string // that was sent to it
	// declared changes what the target file says, after the server was recorded.
	declared func(*contract.Facts)
	made     []alteration
	place    place // of the recording, where the check is one of pairs
	// says stands in what the finding tells people (its line, its numbers, the steps that prove it), and hides does not; empty:
	// whatever they read.
	says, hides string
}

// place is where the changed recording stands in a pair; the other one is the base.
type place int

const (
	asCandidate place = iota
	asTheReference
	inBothPlaces
)

// alteration is made to steps of a recording.
type alteration struct {
	of   string // the check whose steps they are; "": the one that is judged; everyRead: all that it reads; everywhere: all
	step string // its name, or how names begin, with a * behind; "": each
	as   string // the step of the same check whose vectors it gets first; "": its own
	do   func(*contract.Step)
	drop bool // leaves it out, in place of do
}

// everyRead stands for the steps of all checks that the check reads, everywhere for those of all that were recorded.
const (
	everyRead  = "what it reads"
	everywhere = "*"
)

func (c alteration) covers(s contract.Step) bool {
	begin, some := strings.CutSuffix(c.step, "*")
	return c.step == "" || s.Name == c.step || some && strings.HasPrefix(s.Name, begin)
}

// applied is the trail's steps with the change, and whether there was something to change. The old ones stay as they are.
func (c alteration) applied(steps []contract.Step) (out []contract.Step, changed bool) {
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
		case everywhere:
			from = rec.Checks()
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
	told := fmt.Sprint(cell.Finding.Observed, " ", cell.Finding.Numbers, " ", cell.Finding.Proof)
	if cell.Variant() != r.want || !strings.Contains(told, r.says) || r.hides != "" && strings.Contains(told, r.hides) {
		return fmt.Sprintf("is %s, want %s: %s %s", cell.Variant(), r.want, told, cell.Reason)
	}
	return ""
}

func readings() []reading {
	return slices.Concat(oddReadings(), shapeReadings(), serviceReadings(), steadyReadings(), statusReadings(), errorReadings(), textReadings(), tokenReadings(),
		truncationReadings(), longReadings(), normReadings(), parityReadings(), rankReadings(), witnessReadings(), reasonReadings(), barReadings(), longBarReadings(), pairBarReadings(), releaseReadings(),
		sharedBarReadings(), besideReadings(), formatBarReadings(), fieldBarReadings(), lifeBarReadings(), rankTexts(), sizeTexts(), formatReadings(), allowanceReadings(), toldReadings(), queryReadings(), toldLives())
}

// origin is the server whose recording is changed.
type origin struct{ with, key string }

func (r reading) origin() origin { return origin{r.with, r.key} }

// readable are the recordings of which readings are made. Each has the checks of all its readings, in the order of the suite.
func (l *lab) readable(t *testing.T, all []reading) map[origin]*recording.Recording {
	t.Helper()
	needed := map[origin]map[string]bool{}
	for _, r := range all {
		if needed[r.origin()] == nil {
			needed[r.origin()] = map[string]bool{}
		}
		needed[r.origin()][r.check] = true
	}
	out := map[origin]*recording.Recording{}
	for of, checks := range needed {
		m := mutant{name: "by hand", with: of.with, key: of.key}
		for _, c := range l.suite.Checks() {
			if checks[c.ID] {
				m.order = append(m.order, c.ID)
			}
		}
		rec, err := l.record(t, m, 1)
		if err != nil {
			t.Fatalf("%s: %v", of.with, err)
		}
		out[of] = rec
	}
	return out
}

// Evidence that no server of the table gives is judged as it should be.
func TestEvidenceMadeByHand(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	recs := l.readable(t, readings())
	for _, r := range readings() {
		cell, err := r.judged(l.suite, recs[r.origin()], l.base)
		if err != nil {
			t.Errorf("%s, %s: %v", r.check, r.what, err)
			continue
		}
		if why := r.wrong(cell); why != "" {
			t.Errorf("%s, %s: %s", r.check, r.what, why)
		}
	}
}

// refusedAs is an error of the usual form with that message.
func refusedAs(status int, message string) func(*contract.Step) {
	return answered(status, fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","param":null,"code":null}}`, message))
}

// noVector is a 200 in which null stands for the vector of one text, and noItems one in which nothing does.
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

// shorter is three numbers of a vector.
func shorter(was []float32) []float32 { return was[:3] }

// by turns a vector by a distance, and doubled makes it twice as long.
func by(distance float64) func([]float32) []float32 {
	return func(was []float32) []float32 { return turned(was, distance) }
}

func doubled(was []float32) []float32 { return longer(was, 1) }
