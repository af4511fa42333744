//go:build guards

package kill_test

import (
	"slices"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// swapSamples asks both servers of every swap, and holds remedies to what its row says of them.
func (l *lab) swapSamples(t *testing.T, add func(...sample)) {
	only := chosen(t, guardsChecks)
	all := slices.DeleteFunc(swaps(), func(s swapped) bool {
		return !slices.ContainsFunc(l.suite.Remedies(), func(c contract.Check) bool { return only.MatchString(c.ID) && len(s.wanted(c.ID)) > 0 })
	})
	var recs map[side]*recording.Recording
	t.Run("swapped", func(t *testing.T) { recs = l.sides(t, all) })
	for _, s := range all {
		for _, c := range l.suite.Remedies() {
			if len(s.wanted(c.ID)) == 0 {
				continue
			}
			add(sample{of: s.name, check: c, red: func(cell judge.Cell) bool { return s.wrong(c, cell) != "" }, judged: func(suite contract.Suite) judge.Cell {
				cell, _ := s.judged(suite, recs, c) // it can be made: TestRemedies fails otherwise
				return cell
			}})
		}
	}
}
