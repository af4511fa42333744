//go:build guards

package kill_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/judge"
)

// swapSamples asks both servers of every swap, and holds remedies to what its row says of them.
func (l *lab) swapSamples(t *testing.T, add func(...sample)) {
	only := chosen(t, guardsChecks)
	t.Run("swapped", func(t *testing.T) {
		for _, s := range swaps() {
			want := map[string]map[string]string{} // by remedy
			for _, f := range strings.Fields(s.remedies + " " + s.proofs) {
				key, worth, _ := strings.Cut(f, "=")
				id, _, _ := strings.Cut(key, ":")
				if want[id] == nil {
					want[id] = map[string]string{}
				}
				want[id][key] = worth
			}
			t.Run("", func(t *testing.T) {
				t.Parallel()
				if !slices.ContainsFunc(slices.Collect(maps.Keys(want)), only.MatchString) {
					return
				}
				r, k := l.bothOf(t, s)
				for _, c := range l.suite.Remedies() {
					if want[c.ID] == nil {
						continue
					}
					add(sample{of: s.name, check: c, rec: k, reference: r, red: func(cell judge.Cell) bool {
						got := worth(c, cell)
						for key, w := range want[c.ID] {
							if got[key] != w {
								return true
							}
						}
						return false
					}})
				}
			})
		}
	})
}
