package contract

import (
	"fmt"
	"slices"
	"strings"
)

// Suite is a whole contract.
type Suite struct {
	Revision   string // by which it judges: "2026-11", or Draft
	Facts      FactFinder
	Behaviours []Behaviour
	Corpus     Corpus
}

// Corpus holds the texts that every target of a comparison is asked for.
type Corpus struct {
	Name      string
	Documents []Text
	Queries   []Text
	Edge      []Text // texts that tokenizers and normalisers treat unlike
}

// Text is one text of a corpus.
type Text struct{ ID, Lang, Text string }

// Checks returns all checks in the order of the behaviours. Remedies are not among them.
func (s Suite) Checks() []Check {
	var all []Check
	for _, b := range s.Behaviours {
		all = append(all, b.Checks...)
	}
	return all
}

// Remedies returns all remedies in the order of the behaviours.
func (s Suite) Remedies() []Check {
	var all []Check
	for _, b := range s.Behaviours {
		all = append(all, b.Remedies...)
	}
	return all
}

// AskingOrder returns the behaviours as they are asked: the checks of every run first, then what is slow or heavy, and
// last what disrupts the server, so that a server which breaks under the last has answered the first. The remedies of
// each part come behind its checks, since some ask again what these have asked. A behaviour may stand there up to five
// times, with remedies among its checks.
func (s Suite) AskingOrder() []Behaviour {
	var out []Behaviour
	for _, part := range []func(Check) bool{
		func(c Check) bool { return !c.Extended && !c.Remedy() },
		func(c Check) bool { return !c.Extended && c.Remedy() },
		func(c Check) bool { return c.Extended && !c.Disrupts && !c.Remedy() },
		func(c Check) bool { return c.Extended && c.Remedy() },
		func(c Check) bool { return c.Disrupts },
	} {
		for _, b := range s.Behaviours {
			b.Checks = slices.DeleteFunc(slices.Concat(b.Checks, b.Remedies), func(c Check) bool { return !part(c) })
			b.Remedies = nil
			if len(b.Checks) > 0 {
				out = append(out, b)
			}
		}
	}
	return out
}

// Check finds a check or a remedy by its id.
func (s Suite) Check(id string) (Check, bool) {
	for _, b := range s.Behaviours {
		for _, list := range [][]Check{b.Checks, b.Remedies} {
			for i := range list { // a Check is large, and this is asked for often
				if list[i].ID == id {
					return list[i], true
				}
			}
		}
	}
	return Check{}, false
}

// Validate reports what makes a suite unusable: double ids, unknown or circular reads, variants without an
// outcome, a check that is neither a target nor a pair check.
func (s Suite) Validate() error {
	seen := map[string]bool{}
	for _, b := range s.Behaviours {
		for i, c := range slices.Concat(b.Checks, b.Remedies) {
			if err := c.validate(b.Stem); err != nil {
				return err
			}
			if c.Remedy() != (i >= len(b.Checks)) {
				return fmt.Errorf("%s stands among the checks and bridges others, or among the remedies and bridges none", c.ID)
			}
			if seen[c.ID] {
				return fmt.Errorf("check %s is listed twice", c.ID)
			}
			seen[c.ID] = true
		}
	}
	for _, c := range slices.Concat(s.Checks(), s.Remedies()) {
		for _, r := range slices.Concat(c.Reads, c.Peeks, c.Bridges) {
			if !seen[r] {
				return fmt.Errorf("check %s reads %s, which does not exist", c.ID, r)
			}
		}
	}
	sound := map[string]bool{}
	for _, c := range s.Checks() {
		if err := s.follow(c, nil, sound); err != nil {
			return err
		}
	}
	return nil
}

// follow walks what a check reads, and reports a circle. Way holds the ids that led to it, sound those whose
// reads were walked before.
func (s Suite) follow(c Check, way []string, sound map[string]bool) error {
	way = append(way, c.ID)
	if i := slices.Index(way, c.ID); i < len(way)-1 {
		return fmt.Errorf("checks read each other in a circle: %s", strings.Join(way[i:], ", "))
	}
	if sound[c.ID] {
		return nil
	}
	for _, r := range c.Reads {
		other, _ := s.Check(r)
		if err := s.follow(other, way, sound); err != nil {
			return err
		}
	}
	sound[c.ID] = true
	return nil
}
