package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
)

// outcomes is the order in which outcomes are counted.
func outcomes() []string {
	return []string{string(contract.Pass), string(contract.Differs), string(contract.Unsupported), string(contract.Fail),
		string(contract.Flaky), string(contract.Error), string(contract.NotApplicable), string(contract.Skipped)}
}

// effects is the order in which effects are counted.
func effects() []string {
	return []string{string(contract.Same), string(contract.Compatible), string(contract.ClientChange),
		string(contract.IndexBreak), string(contract.Unknown), string(contract.NotCompared)}
}

// swap names a pair in running text, with the labels of both.
func (r *Report) swap(p Pair) string {
	return r.label(p.Candidate) + " in place of " + r.label(p.Reference)
}

// label is the name of a target with its kind, which must be said wherever its results are shown.
func (r *Report) label(target string) string {
	for _, t := range r.Targets {
		if t.Name == target {
			return t.column().name
		}
	}
	return line(target)
}

// about says what is known of a target, without what is not. In short, what the verdict on it depends on comes first.
func (r *Report) about(t Target, short bool) string {
	var parts, facts []string
	if t.Name == r.Reference {
		parts = append(parts, "the reference")
	}
	made := []string{line(t.Model)}
	for _, name := range slices.Sorted(maps.Keys(t.Versions)) {
		made = append(made, words(line(name), line(t.Versions[name])))
	}
	if t.Facts.Dimensions > 0 {
		facts = append(facts, fmt.Sprintf("%d dimensions", t.Facts.Dimensions))
	}
	if t.Facts.MaxTokens > 0 {
		facts = append(facts, fmt.Sprintf("limit %d tokens", t.Facts.MaxTokens))
	}
	var recorded []string
	if !t.Recorded.IsZero() {
		recorded = append(recorded, t.Recorded.UTC().Format(time.DateOnly))
	}
	if t.Revision != "" && t.Revision != r.Revision {
		recorded = append(recorded, "under contract revision "+line(t.Revision))
	}
	if len(recorded) > 0 {
		recorded = []string{words("recorded", words(recorded...))}
	}
	if short {
		return strings.Join(slices.Concat(parts, recorded, made[1:], made[:1], facts), ", ")
	}
	parts = slices.Concat(parts, made, facts, recorded)
	// An emulated server answers in no time, beside which everything is much.
	if text := t.Timing.String(); text != "" && t.Kind != "emulated" {
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// lines are what is said of a target below that: what it is called, what must be said of it, and what its trials are worth.
func (t Target) lines() (out []string) {
	for _, l := range []string{t.Title, t.Label} {
		if l != "" {
			out = append(out, line(l))
		}
	}
	if t.Trials != nil {
		out = append(out, t.Trials.String())
	}
	return out
}

// state is the answer in one word, as the exit code of the command says it.
func (v Verdict) state() string {
	switch v.Exit {
	case 0:
		return "Nothing unexpected"
	case 1:
		return "Not as expected"
	case 3:
		return "Cannot tell"
	case 5:
		return "Nothing was executed"
	}
	return fmt.Sprintf("Exit code %d", v.Exit)
}

// answer is the state and the counts behind it.
func (r *Report) answer() string {
	s := words(r.Verdict.state()+":", counts(r.Verdict.Outcomes, outcomes(), signed))
	if n := r.listed(); n > 0 {
		s += fmt.Sprintf("; known deviations, as listed: %d", n)
	}
	if more := counts(r.Verdict.Provisional, outcomes(), line); more != "" {
		s += "; " + provisionalWord + ", not counted: " + more
	}
	return s
}

// signed is an outcome with its sign.
func signed(outcome string) string { return sign(outcome) + " " + line(outcome) }

// listed counts the cells that deviate as their list says.
func (r *Report) listed() int {
	n := 0
	count := func(j Judgement) {
		if j.Expected.Status == string(expect.AsListed) {
			n++
		}
	}
	for _, c := range r.Cells {
		count(c.Judgement)
	}
	for _, p := range r.Pairs {
		for _, c := range p.Cells {
			if c.judged() { // the effect of a deviation is no deviation of its own
				count(c.Judgement)
			}
		}
	}
	return n
}

// judgedBy says by which revision of the contract was judged.
func (r *Report) judgedBy() string {
	if r.Revision == contract.Draft {
		return "Judged by the draft of the contract: every check counts."
	}
	return "Judged by contract revision " + line(r.Revision) + "."
}

// counts lists counts in the given order, then whatever is on no list.
func counts(of map[string]int, order []string, show func(string) string) string {
	for _, k := range slices.Sorted(maps.Keys(of)) {
		if !slices.Contains(order, k) {
			order = append(order, k)
		}
	}
	var parts []string
	for _, k := range order {
		if of[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of[k], show(k)))
		}
	}
	return strings.Join(parts, " · ")
}

// sum is the answer of a pair in counts.
func (r *Report) sum(p Pair) string {
	silent := 0
	for _, c := range p.Cells {
		if c.Silent && !r.check(c.Check).Provisional {
			silent++
		}
	}
	s := counts(p.Effects, effects(), effectWord)
	if silent > 0 {
		s += fmt.Sprintf(" · %d of these %s", silent, silentWord)
	}
	if more := counts(p.Provisional, effects(), effectWord); more != "" {
		s += "; " + provisionalWord + ", not counted: " + more
	}
	return s
}

// overdue lists the known deviations that somebody should have looked at again.
func (r *Report) overdue() []string {
	var all []string
	add := func(check, where string, e Expected) {
		if e.Overdue {
			all = append(all, fmt.Sprintf("%s on %s (%s)", line(check), where, line(e.Review)))
		}
	}
	for _, c := range r.Cells {
		add(c.Check, r.label(c.Target), c.Expected)
	}
	for _, p := range r.Pairs {
		for _, c := range p.Cells {
			add(c.Check, r.swap(p), c.Expected)
		}
	}
	return all
}

// legend explains the signs.
func (r *Report) legend() string {
	s := "✓ pass · ~ differs · ✗ fail · ○ unsupported · – not asked · ! error · ± flaky · " + alarm +
		" not as expected · " + silentWord + ": no status tells the client"
	if slices.ContainsFunc(r.checks(), func(c Check) bool { return c.Provisional }) {
		s += " · " + apart + " " + provisionalWord + ": shown, and not counted"
	}
	return s
}

// unanswered says that no target has any answers.
func (r *Report) unanswered() bool {
	return len(r.Targets) > 0 && !slices.ContainsFunc(r.Targets, func(t Target) bool { return t.Problem == "" })
}
