// Package verdict puts the cells of a comparison into words.
package verdict

import (
	"fmt"
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
}

// The pair checks that decide what the verdict says of the index.
const (
	cosineCheck = "vector_parity/cosine"
	tokensCheck = "token_parity/per-document"
)

// Swap answers whether the candidate may stand where the reference stands. Names carry their labels.
func Swap(reference, candidate string, cells []Cell) string {
	by := map[contract.Effect][]Cell{}
	silent := 0
	for _, c := range cells {
		by[c.Effect] = append(by[c.Effect], c)
		if c.Silent && c.Effect == contract.ClientChange {
			silent++
		}
	}
	changes, breaks, unknown := len(by[contract.ClientChange]), len(by[contract.IndexBreak]), len(by[contract.Unknown])
	answer := "yes, as far as was asked"
	switch {
	case changes+breaks > 0:
		answer = "not as it is"
	case unknown > 0:
		answer = "cannot tell"
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%s in place of %s: %s.", candidate, reference, answer)
	if changes > 0 {
		fmt.Fprintf(&s, " Clients notice %s", count(changes, "check", "checks"))
		if silent > 0 {
			fmt.Fprintf(&s, ", %d of them SILENT", silent)
		}
		s.WriteString(".")
	}
	s.WriteString(index(cells, by[contract.IndexBreak]))
	if unknown > 0 {
		fmt.Fprintf(&s, " Not decided: %s.", list(by[contract.Unknown]))
	}
	return s.String()
}

// index says whether stored vectors stay usable.
func index(cells, breaks []Cell) string {
	var cosine, tokens *Cell
	for i, c := range cells {
		switch c.Check {
		case cosineCheck:
			cosine = &cells[i]
		case tokensCheck:
			tokens = &cells[i]
		}
	}
	switch {
	case len(breaks) > 0:
		return fmt.Sprintf(" The index breaks: %s.", list(breaks))
	case cosine == nil:
		return " The index: not asked."
	case cosine.Effect == contract.Unknown:
		return fmt.Sprintf(" The index: undecided (%s).", cosine.Observed)
	}
	text := " The index may stay: " + cosine.Observed
	if tokens != nil && tokens.Effect == contract.Same {
		text += "; tokens " + tokens.Observed
	}
	return text + "."
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
