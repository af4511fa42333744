// Package expect holds known deviations. An expected deviation is asked like any other check; it names its exact
// variant, so that a server which answers otherwise, even better, fails the run and lists never rot.
package expect

import (
	"slices"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// List is what a File expects of one target. A nil List expects nothing and forbids no deviation that merely
// differs: it is that of a target nobody has written expectations for.
type List struct {
	Known []Known // in force
	// Elsewhere are the entries for other versions than those of the target. They say nothing of it.
	Elsewhere []Known
	// Outside: the file as a whole is for other versions.
	Outside bool
}

// Known is one known deviation.
type Known struct {
	Check   string `yaml:"check"`
	Variant string `yaml:"variant"`
	// References are the targets in whose place this one is put; set for pair checks only.
	References []string `yaml:"references,omitempty"`
	// Versions are the versions of components, such as dynamo: ">=1.3.1 <1.6.1", of which the entry speaks; nil: of all.
	Versions map[string]string `yaml:"versions,omitempty"`
	Why      string            `yaml:"why"`
	// Upstream links the issue, change or text that explains the deviation.
	Upstream string `yaml:"upstream"`
	// Review is the day, 2006-01-02, on which somebody must look again.
	Review string `yaml:"review"`

	Entry int `yaml:"-"` // its place in the file, from 0
	Line  int `yaml:"-"` // from 1
}

// Status says how a cell stands to the expectations.
type Status string

// The statuses. Unexpected, Changed, Stale, Expired, NoVerdict and New are not as expected.
const (
	AsPromised Status = "as-promised" // not listed, and nothing is wrong
	AsListed   Status = "as-listed"   // a known deviation, answered as listed
	Unexpected Status = "unexpected"  // a deviation that is not listed
	Changed    Status = "changed"     // listed, and answered in another way that is no pass either
	Stale      Status = "stale"       // listed, and answered as promised: the entry must go
	Expired    Status = "expired"     // answered as listed, and nobody has looked again for Grace after the review day
	NoVerdict  Status = "no-verdict"  // error or flaky
	NotAsked   Status = "not-asked"   // skipped, or the target cannot be asked
	Reported   Status = "reported"    // a deviation of the reference, of which nothing is expected
	// Provisional: it would not be as expected, but the contract revision does not list the check.
	Provisional Status = "provisional"
	// NoWorse and New stand in a report that is held to an earlier one: a deviation that it had as well, or a worse one,
	// and what is worse than in it.
	NoWorse Status = "no-worse"
	New     Status = "new"
)

// OK reports whether a cell of that status is as expected.
func (s Status) OK() bool {
	return s == AsPromised || s == AsListed || s == NotAsked || s == Reported || s == Provisional || s == NoWorse
}

// Of is the status of a cell of that check: one that is provisional raises no alarm, whatever is listed of it.
func (s Status) Of(c contract.Check) Status {
	if c.Provisional && !s.OK() {
		return Provisional
	}
	return s
}

// Match is what the expectations say of one cell.
type Match struct {
	Status  Status
	Known   *Known // the entry, if the check is listed
	Overdue bool   // the entry's review day has passed
}

// Grace is how long after its review day an entry stays in force. A quarter is enough for whoever upgrades every few
// weeks to come by, and short enough that a list which nobody reads turns a build red before a year is out.
const Grace = 90 * 24 * time.Hour

const day = time.DateOnly

// until is the last day on which an entry is in force. One without a review day, which no file has, was never looked at.
func (k Known) until() string {
	review, err := time.Parse(day, k.Review)
	if err != nil {
		return ""
	}
	return review.Add(Grace).Format(day)
}

// Match compares a cell with the list. Reference is empty for target checks.
func (l *List) Match(check, reference, variant string, outcome contract.Outcome, today time.Time) Match {
	m := Match{Known: l.find(check, reference)}
	expired := false
	if m.Known != nil {
		m.Overdue = today.Format(day) > m.Known.Review // the day itself is in time
		expired = today.Format(day) > m.Known.until()
	}
	switch outcome {
	case contract.Error, contract.Flaky:
		m.Status = NoVerdict
		return m
	case contract.Skipped:
		m.Status = NotAsked
		return m
	case contract.NotApplicable:
		m.Status = NotAsked
		if m.Known != nil {
			m.Status = Changed // what is listed must be answered
		}
		return m
	}
	switch {
	case m.Known != nil && m.Known.Variant == variant && expired:
		m.Status = Expired
	case m.Known != nil && m.Known.Variant == variant:
		m.Status = AsListed
	case m.Known != nil && outcome == contract.Pass:
		m.Status = Stale
	case m.Known != nil:
		m.Status = Changed
	case outcome == contract.Pass, l == nil && outcome != contract.Fail:
		m.Status = AsPromised
	default:
		m.Status = Unexpected
	}
	return m
}

// Effect says how the effect of a swap on a target check stands to the expectations. Lists of both targets pin the
// variants of both, and with them the effect; without them a change is nothing that anybody expects.
func Effect(e contract.Effect, listed bool) Status {
	switch {
	case e == contract.Unknown:
		return NoVerdict
	case e == contract.NotCompared:
		return NotAsked
	case e == contract.Same || e == contract.Compatible:
		return AsPromised
	case listed:
		return AsListed
	}
	return Unexpected
}

func (l *List) find(check, reference string) *Known {
	if l == nil {
		return nil
	}
	i := slices.IndexFunc(l.Known, func(k Known) bool {
		return k.Check == check && (reference == "" || slices.Contains(k.References, reference))
	})
	if i < 0 {
		return nil
	}
	return &l.Known[i]
}
