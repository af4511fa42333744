// Package verdict puts the cells of a comparison into words.
package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// Cell is what the verdict reads of a pair's cell.
type Cell struct {
	Check    string
	Effect   contract.Effect
	Silent   bool
	Variant  string // of a pair check
	Observed string // of a pair check
	// Provisional: the contract revision does not list the check, so it decides nothing.
	Provisional bool
}

// cosineCheck and tokensCheck are quoted in what the verdict says of the index.
const (
	cosineCheck = "vector_parity/cosine"
	tokensCheck = "token_parity/per-document"
)

// indexChecks are all that must have been asked, and be harmless, before an index may be said to stay.
func indexChecks() []string {
	return []string{
		cosineCheck, tokensCheck, "vector_parity/edge-texts", "token_parity/edge-texts", "truncation/reference-limit",
		"dimensions/same-native", "dimensions/same-for-every-length", "unit_norm/single", "unit_norm/batch-of-8",
		"vector_parity/repeat", "vector_parity/alone-and-in-batch", "vector_parity/order-in-batch",
		"vector_parity/twenty-times", "vector_parity/cross-index", "concurrency/isolation",
		"batching/index", "batching/order", "batching/whole-corpus", "batching/long-texts",
	}
}

// Scope says how much of the contract a comparison has asked.
type Scope struct{ Asked, Of int }

func (s Scope) whole() bool { return s.Asked == s.Of }

// Swap answers whether the candidate may stand where the reference stands. Names carry their labels.
func Swap(reference, candidate string, cells []Cell, scope Scope) string {
	by := map[contract.Effect][]Cell{}
	silent := 0
	decided := 0
	var aside []Cell // provisional ones with an effect that would count
	for _, c := range cells {
		if c.Provisional {
			if c.Effect == contract.ClientChange || c.Effect == contract.IndexBreak {
				aside = append(aside, c)
			}
			continue
		}
		decided++
		by[c.Effect] = append(by[c.Effect], c)
		if c.Silent && c.Effect == contract.ClientChange {
			silent++
		}
	}
	changes, breaks, unknown := len(by[contract.ClientChange]), len(by[contract.IndexBreak]), len(by[contract.Unknown])
	answer := fmt.Sprintf("yes, by all %d checks", scope.Of)
	switch {
	case changes+breaks > 0:
		answer = "no, not as it is"
	case decided == 0 && len(cells) > 0:
		answer = "nothing that was asked counts by this contract revision"
	case unknown > 0 || len(cells) == 0:
		answer = "cannot tell"
	case !scope.whole():
		answer = fmt.Sprintf("no change in the %d of %d checks that were asked", scope.Asked, scope.Of)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%s in place of %s: %s.", candidate, reference, answer)
	if changes > 0 {
		fmt.Fprintf(&s, " %s for clients", count(changes, "change", "changes"))
		if silent > 0 {
			fmt.Fprintf(&s, ", %d of them SILENT: no status tells", silent)
		}
		s.WriteString(".")
	}
	s.WriteString(index(cells, by[contract.IndexBreak]))
	if unknown > 0 {
		fmt.Fprintf(&s, " Not decided: %s.", list(by[contract.Unknown]))
	}
	if len(aside) > 0 {
		fmt.Fprintf(&s, " Provisional, and not counted, though not without effect: %s.", list(aside))
	}
	return s.String()
}

// index says whether stored vectors stay usable. It says so only when all that decides it was asked.
func index(cells, breaks []Cell) string {
	at := map[string]Cell{}
	for _, c := range cells {
		at[c.Check] = c
	}
	if len(breaks) > 0 {
		silent := ""
		if slices.ContainsFunc(breaks, func(c Cell) bool { return c.Silent }) {
			silent = ", SILENTLY"
		}
		return fmt.Sprintf(" The index breaks%s: %s.", silent, list(breaks))
	}
	for _, id := range indexChecks() {
		c, ok := at[id]
		switch {
		case ok && c.Provisional:
			continue
		case !ok || c.Effect == contract.NotCompared:
			return fmt.Sprintf(" The index: not decided, %s was not asked.", id)
		case c.Effect == contract.Unknown:
			return fmt.Sprintf(" The index: not decided by %s%s.", id, in(c.Observed))
		}
	}
	return fmt.Sprintf(" The index may stay: %s; tokens %s.", at[cosineCheck].Observed, at[tokensCheck].Observed)
}

func in(observed string) string {
	if observed == "" {
		return ""
	}
	return " (" + observed + ")"
}

func list(cells []Cell) string {
	const shown = 4
	var ids []string
	for i, c := range cells {
		if i == shown {
			ids = append(ids, fmt.Sprintf("and %d more", len(cells)-shown))
			break
		}
		ids = append(ids, c.Check)
	}
	return strings.Join(ids, ", ")
}

// Conformance says how a lone target meets the contract.
func Conformance(target string, outcomes map[contract.Outcome]int) string {
	order := []contract.Outcome{contract.Pass, contract.Differs, contract.Unsupported, contract.Fail, contract.Flaky,
		contract.Error, contract.NotApplicable, contract.Skipped}
	var parts []string
	for _, o := range order {
		if n := outcomes[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	return target + ": " + strings.Join(parts, ", ") + "."
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
