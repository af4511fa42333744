// Package expect holds known deviations. An expected deviation is asked like any other check; it names its exact
// variant, so that a server which answers otherwise, even better, fails the run and lists never rot.
package expect

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// List is the content of an expectations file. A nil List expects nothing and forbids no deviation that merely
// differs: it is that of a target nobody has written expectations for.
type List struct {
	// Targets are the names of the targets that are expected to answer so: a server, and its emulation.
	Targets []string `yaml:"targets"`
	Known   []Known  `yaml:"known"`
}

// Known is one known deviation.
type Known struct {
	Check   string `yaml:"check"`
	Variant string `yaml:"variant"`
	// References are the targets in whose place this one is put; set for pair checks only.
	References []string `yaml:"references,omitempty"`
	Why        string   `yaml:"why"`
	// Upstream links the issue, change or text that explains the deviation.
	Upstream string `yaml:"upstream"`
	// Review is the day, 2006-01-02, on which somebody must look again.
	Review string `yaml:"review"`
}

// Status says how a cell stands to the expectations.
type Status string

// The statuses. Unexpected, Changed, Stale and NoVerdict are not as expected.
const (
	AsPromised Status = "as-promised" // not listed, and nothing is wrong
	AsListed   Status = "as-listed"   // a known deviation, answered as listed
	Unexpected Status = "unexpected"  // a deviation that is not listed
	Changed    Status = "changed"     // listed, and answered in another way that is no pass either
	Stale      Status = "stale"       // listed, and answered as promised: the entry must go
	NoVerdict  Status = "no-verdict"  // error or flaky
	NotAsked   Status = "not-asked"   // skipped, or the target cannot be asked
	Reported   Status = "reported"    // a deviation of the reference, of which nothing is expected
	// Provisional: it would not be as expected, but the contract revision does not list the check.
	Provisional Status = "provisional"
)

// OK reports whether a cell of that status is as expected.
func (s Status) OK() bool {
	return s == AsPromised || s == AsListed || s == NotAsked || s == Reported || s == Provisional
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

const day = "2006-01-02"

// Load reads an expectations file and refuses what the suite does not know: a check, a variant, a day, a field.
func Load(path string, s contract.Suite) (*List, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("expectations: %w", err)
	}
	return Parse(path, data, s)
}

// Parse reads the bytes of an expectations file; name is for messages.
func Parse(name string, data []byte, s contract.Suite) (*List, error) {
	l, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(l.Targets) == 0 {
		return nil, fmt.Errorf("%s: targets is missing: name the targets that are expected to answer so", name)
	}
	seen := map[string]bool{}
	for i, k := range l.Known {
		at := fmt.Sprintf("%s: known[%d] (%s)", name, i, k.Check)
		if err := k.validate(s); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		for _, r := range append(k.References, "") {
			if c, _ := s.Check(k.Check); c.Pair() == (r == "") {
				continue
			}
			if seen[k.Check+" "+r] {
				return nil, fmt.Errorf("%s: listed twice", at)
			}
			seen[k.Check+" "+r] = true
		}
	}
	return l, nil
}

func (k Known) validate(s contract.Suite) error {
	c, ok := s.Check(k.Check)
	switch {
	case !ok:
		return fmt.Errorf("no check has the id %q; see embedcontract list", k.Check)
	case c.Pair() != (len(k.References) > 0):
		return fmt.Errorf("references is for pair checks, and needed there; %s is a %s check", c.ID, map[bool]string{true: "pair", false: "target"}[c.Pair()])
	case k.Variant == contract.Other || c.Variant(k.Variant).Name != k.Variant:
		var names []string
		for _, v := range c.Variants {
			names = append(names, v.Name)
		}
		return fmt.Errorf("variant %q is none of %v", k.Variant, names)
	case k.Why == "" || k.Upstream == "":
		return fmt.Errorf("why and upstream must say what is known and where")
	}
	if _, err := time.Parse(day, k.Review); err != nil {
		return fmt.Errorf("review %q is no day of the form %s", k.Review, day)
	}
	return nil
}

// Match compares a cell with the list. Reference is empty for target checks.
func (l *List) Match(check, reference, variant string, outcome contract.Outcome, today time.Time) Match {
	m := Match{Known: l.find(check, reference)}
	if m.Known != nil {
		m.Overdue = today.Format(day) > m.Known.Review // the day itself is in time
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
