package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
)

// view is a cell as it is compared with its earlier self.
type view struct {
	cellKey
	text     string // how it reads
	exact    string // two that are equal are the same answer
	answered bool
	failed   bool // an error: it was asked, and there is no verdict
	flaps    []string
	rank     [3]int // outcome, effect, silence: 0 is good, more is worse
	observed string
	only     bool // a mere effect on a pair, which follows from the cells of its targets
	judged   *Judgement
}

func (v *view) worseThan(w *view) bool {
	return v.rank[0] > w.rank[0] || v.rank[1] > w.rank[1] || v.rank[2] > w.rank[2]
}

// flapsAs says whether a flaky cell showed nothing then that this one did not show. Reports from before that was kept say nothing.
func (v *view) flapsAs(is *view) bool {
	return v.flaps == nil || !slices.ContainsFunc(is.flaps, func(x string) bool { return !slices.Contains(v.flaps, x) })
}

// varying are the parts of a reason that change from run to run: times, ports, counts, identifiers.
var varying = regexp.MustCompile(`\b\w*[0-9][\w.:]*`)

// sameReason says whether two errors are of one kind.
func sameReason(was, is string) bool {
	return varying.ReplaceAllString(was, "#") == varying.ReplaceAllString(is, "#")
}

func (v *view) deviates() bool { return v.rank != [3]int{} }

// outcomeRank orders outcomes from good to bad; what is no answer has none. An answer that changes between repeats may
// be a failure, and is as bad.
func outcomeRank(outcome string) (int, bool) {
	switch contract.Outcome(outcome) {
	case contract.Pass:
		return 0, true
	case contract.Differs:
		return 1, true
	case contract.Unsupported:
		return 2, true
	case contract.Fail, contract.Flaky:
		return 3, true
	}
	return 0, false
}

// effectRank orders effects from good to bad. One that is unknown may be a change for clients, and is as bad.
func effectRank(effect string) (rank int, known bool) {
	switch contract.Effect(effect) {
	case contract.Same:
		return 0, true
	case contract.Compatible:
		return 1, true
	case contract.ClientChange:
		return 2, true
	case contract.IndexBreak:
		return 3, true
	}
	return 2, false
}

// views are the cells of a report, which they point into.
func (r *Report) views() []*view {
	var out []*view
	judged := func(v *view, j *Judgement) {
		v.text, v.judged, v.failed = reading(*j), j, j.Outcome == string(contract.Error)
		v.rank[0], v.answered = outcomeRank(j.Outcome)
		v.exact, v.flaps = j.Outcome+" "+v.text, j.Flaps
		if v.observed = j.Observed; v.observed == "" {
			v.observed = j.Reason
		}
		if j.Variant == contract.Other { // what is on no list is the same only if it reads so
			v.exact += " " + j.Observed
		}
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		v := &view{cellKey: cellKey{c.Target, c.Check}}
		judged(v, &c.Judgement)
		out = append(out, v)
	}
	for _, p := range r.Pairs {
		for i := range p.Cells {
			c := &p.Cells[i]
			v := &view{cellKey: cellKey{p.column(), c.Check}}
			known := false
			if v.rank[1], known = effectRank(c.Effect); c.Silent {
				v.rank[2] = 1
			}
			if c.judged() {
				judged(v, &c.Judgement)
				v.text = fmt.Sprintf("%s (%s)", v.text, c.Effect)
				v.exact += " " + c.Effect
			} else {
				v.text, v.only, v.answered, v.judged = words(c.Effect, c.From, "→", c.To), true, known, &c.Judgement
				v.observed, v.exact = c.Why, v.text
			}
			if c.Silent {
				v.text, v.exact = words(v.text, silentWord), words(v.exact, silentWord)
			}
			out = append(out, v)
		}
	}
	return out
}

func (p Pair) column() string { return p.Candidate + " in place of " + p.Reference }

// HoldTo compares with an earlier report of the same targets, and lets what is worse than in it decide the exit code,
// and nothing else. Asked says of a check, by its id, whether this run was told to ask it, effect
// what it means to clients when a server answers it by another variant. Fits says which reports can be compared.
func (r *Report) HoldTo(file string, before *Report, asked func(check string) bool, effect func(check, from, to string) contract.Effect, strict bool) {
	s := &Since{Report: file, Judged: before.Judged, Strict: strict}
	was := map[cellKey]*view{}
	for _, v := range before.views() {
		was[v.cellKey] = v
	}
	now := map[cellKey]bool{}
	targets := map[cellKey]bool{} // what is new of a candidate or reference is not said again of the pair
	for _, v := range r.views() {
		now[v.cellKey] = true
		earlier := was[v.cellKey]
		if earlier != nil {
			s.Compared++
		}
		t := Turn{Column: v.column, Check: v.check, After: v.text, Observed: v.observed, Before: absentReading}
		if earlier != nil {
			t.Before = earlier.text
			if v.flaps != nil && earlier.flaps != nil {
				t.Before, t.After = earlier.text+" ("+strings.Join(earlier.flaps, ", ")+")", v.text+" ("+strings.Join(v.flaps, ", ")+")"
			}
		}
		t.Provisional = r.check(v.check).Provisional
		if t.Kind = turn(earlier, v); t.Kind == turnOther && harms(string(effect(v.check, earlier.judged.Variant, v.judged.Variant))) {
			t.Kind = turnWorse // both keep the promise, and yet clients must change
		}
		r.put(s, t, v, targets)
	}
	for _, v := range before.views() {
		switch {
		case now[v.cellKey] || !v.answered || v.only:
		case !asked(v.check):
			if !slices.Contains(s.Deselected, v.check) {
				s.Deselected = append(s.Deselected, v.check)
			}
		default:
			s.New = append(s.New, Turn{Column: v.column, Check: v.check, Kind: turnVanished, Before: v.text, After: absentReading,
				Provisional: before.check(v.check).Provisional})
		}
	}
	r.wholeColumns(s, before, targets)
	r.Since = s
	r.heldExit()
}

// put sorts a turn into its list, and says in the cell itself whether it is alarming.
func (r *Report) put(s *Since, t Turn, v *view, targets map[cellKey]bool) {
	e := &v.judged.Expected
	excuse := func() {
		if !e.OK && !t.Provisional {
			e.Status, e.OK = string(expect.NoWorse), true
		}
	}
	reference, candidate := "", ""
	if v.only {
		candidate, reference, _ = strings.Cut(v.column, " in place of ")
	}
	told := targets[cellKey{candidate, v.check}] || targets[cellKey{reference, v.check}]
	switch t.Kind {
	case "":
		excuse() // an effect that is not known, where it was not known before
	case turnAlike:
		if !e.OK && !v.only {
			s.Known = append(s.Known, t)
		}
		excuse()
	case turnOther, turnReason:
		if !v.only {
			s.Moved = append(s.Moved, t)
		}
		excuse()
	case turnBetter:
		if !v.only {
			s.Gone = append(s.Gone, t)
		}
		excuse()
	default:
		if !t.Provisional {
			e.Status, e.OK = string(expect.New), false
		}
		if !told {
			s.New = append(s.New, t)
		}
		if !v.only {
			targets[v.cellKey] = true
		}
	}
}

// turn is what became of a cell; was is nil for one that the earlier report lacks. The empty kind is nothing at all.
func turn(was, is *view) string {
	answered := was != nil && was.answered
	e := is.judged.Expected
	switch {
	case !is.answered && answered:
		return turnNoAnswer
	case !is.answered && is.failed && was != nil && was.failed && sameReason(was.judged.Reason, is.judged.Reason):
		return turnAlike
	case !is.answered && is.failed && was != nil && was.failed:
		return turnReason
	case !is.answered && is.failed:
		return turnNoAnswer
	case !is.answered:
		return ""
	case !answered && was != nil && was.failed && e.OK:
		return turnBetter
	case !answered && e.OK && (was == nil || !is.only || is.rank[1] <= 1): // what was unknown and is harm now is no news to pass over
		return ""
	case !answered:
		return turnFirst
	case is.exact == was.exact && !e.OK && was.judged.Expected.OK && broken(e.Status):
		return turnList
	case is.exact == was.exact && was.flapsAs(is):
		return turnAlike
	case is.worseThan(was):
		return turnWorse
	case was.worseThan(is):
		return turnBetter
	case is.deviates():
		return turnChanged
	}
	return turnOther
}

// broken says that the list of known deviations is at fault, not the server.
func broken(status string) bool {
	return slices.Contains([]string{string(expect.Stale), string(expect.Changed), string(expect.Expired)}, status)
}

// heldExit decides by what is new. That nothing could be asked of a target is no answer of it.
func (r *Report) heldExit() {
	v := &r.Verdict
	if v.Exit == 5 {
		return
	}
	v.Exit = 0
	silent := slices.ContainsFunc(r.Targets, func(t Target) bool { return t.Problem != "" })
	if silent {
		v.Exit = 3
	}
	for _, t := range r.Since.New {
		unstarted := silent && (t.Kind == turnNoAnswer || t.Kind == turnVanished)
		if !t.Provisional && !unstarted {
			v.Exit = 1
		}
	}
	if r.Since.Strict && countedTurns(r.Since.Gone) > 0 {
		v.Exit = 1
	}
	v.Expected = v.Exit == 0
}
