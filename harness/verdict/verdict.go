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
	Why      string // of the effect
	Silent   bool
	Variant  string // of a pair check
	Observed string // of a pair check; otherwise why there is no verdict
	Numbers  []contract.Number
	// Of a target check: the variants of both, and what is known of the candidate's.
	From, To  string
	Outcome   contract.Outcome
	After     string // what was observed of the candidate
	Meaning   string
	Remedy    string
	Reproduce string // the command that asks only this
	// Provisional: the contract revision does not list the check, so it decides nothing.
	Provisional bool
}

// IndexCheck is the check without which nothing is said of an index.
const IndexCheck = cosineCheck

// cosineCheck and tokensCheck are quoted in what the verdict says of the index.
const (
	cosineCheck = "vector_parity/cosine"
	tokensCheck = "token_parity/per-document"
	// steadyCheck asks plain requests one after the other.
	steadyCheck = "service/steady"
)

// indexChecks are all that must have been asked, and be harmless, before an index may be said to stay.
func indexChecks() []string {
	return []string{
		cosineCheck, tokensCheck, "vector_parity/edge-texts", "token_parity/edge-texts", "truncation/reference-limit",
		"dimensions/same-native", "dimensions/same-for-every-length", "unit_norm/single", "unit_norm/batch-of-8",
		"vector_parity/repeat", "vector_parity/alone-and-in-batch", "vector_parity/order-in-batch",
		"vector_parity/twenty-times", "vector_parity/cross-index", "vector_parity/half-mixed-index", "concurrency/isolation",
		"batching/index", "batching/order", "batching/whole-corpus", "batching/long-texts",
	}
}

// Scope says how much of the contract a comparison has asked.
type Scope struct{ Asked, Of int }

func (s Scope) whole() bool { return s.Asked == s.Of }

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
