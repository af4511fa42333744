package report

import (
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/verdict"
)

// Remedy is a change on the client's side, and whether it bridges what the candidate answers otherwise. It counts for
// the decision on the swap, and is no cell of the matrix.
type Remedy struct {
	ID       string `json:"id"`
	Change   string `json:"change"` // what clients do, in the imperative
	Why      string `json:"why"`
	Extended bool   `json:"extended,omitempty"`
	// Variant is verified, failed or nothing-to-bridge, or one that every check has, such as no-answer; empty when there is no verdict.
	Variant   string   `json:"variant,omitempty"`
	Observed  string   `json:"observed,omitempty"`
	Reason    string   `json:"reason,omitempty"` // why there is no verdict
	Bridges   []string `json:"bridges"`          // the checks whose deviations it may bridge
	Proofs    []Proof  `json:"proofs,omitempty"`
	Reproduce string   `json:"reproduce,omitempty"`
}

// Proof says of one check whether the candidate's answer to the changed request is the reference's to the original one.
type Proof struct {
	Check    string   `json:"check"`
	Outcome  string   `json:"outcome"` // holds, fails, needless
	Observed string   `json:"observed"`
	Numbers  []Number `json:"numbers,omitempty"`
}

// The outcomes of a proof.
const (
	ProofHolds    = "holds"
	ProofFails    = "fails"
	ProofNeedless = "needless" // the reference does not serve what would be changed
)

// remedies judges what clients can do, for one pair.
func (b *builder) remedies(ref, cand Source) ([]Remedy, []verdict.Remedy) {
	var shown []Remedy
	var decided []verdict.Remedy
	for _, c := range b.in.Suite.Remedies() {
		if !b.selected(c) {
			continue
		}
		cell := b.judge.Pair(ref.Recording, cand.Recording, c)
		out := Remedy{ID: c.ID, Change: c.Promise, Why: c.Why, Extended: c.Extended, Variant: cell.Finding.Variant, Observed: cell.Finding.Observed,
			Reason: cell.Reason, Bridges: c.Bridges, Reproduce: reproduce(c, b.in.Options, ref, cand)}
		if cell.Outcome == contract.Error || cell.Outcome == contract.NotApplicable {
			out.Variant = ""
		}
		for _, p := range cell.Finding.Proofs {
			proof := Proof{Check: p.Check, Outcome: ProofFails, Observed: p.Observed}
			switch {
			case p.Needless:
				proof.Outcome = ProofNeedless
			case p.Holds:
				proof.Outcome = ProofHolds
			}
			for _, n := range p.Numbers {
				proof.Numbers = append(proof.Numbers, Number{Name: n.Name, Value: n.Value, Unit: n.Unit})
			}
			out.Proofs = append(out.Proofs, proof)
		}
		shown = append(shown, out)
		decided = append(decided, verdict.Remedy{ID: c.ID, Change: c.Promise, Bridges: c.Bridges, Proofs: proofs(cell), Reason: cell.Reason})
	}
	return shown, decided
}

// proofs are those of a remedy that was asked to its end, with the same answer each time.
func proofs(cell judge.Cell) []contract.Proof {
	if cell.Outcome == contract.Flaky || cell.Outcome == contract.Error {
		return nil
	}
	return cell.Finding.Proofs
}

// decide makes the decision on one pair.
func (b *builder) decide(p Pair, ref, cand Source, remedies []verdict.Remedy) verdict.Decision {
	c := verdict.Case{Reference: b.describe(p.Reference), Candidate: b.describe(p.Candidate), Remedies: remedies, Scope: b.scope(),
		Random: ref.random() || cand.random(), Again: again(ref, cand)}
	after := map[string]Cell{}
	for _, cell := range b.r.Cells {
		if cell.Target == p.Candidate {
			after[cell.Check] = cell
		}
	}
	for _, cell := range p.Cells {
		seen := after[cell.Check]
		if check, _ := b.in.Suite.Check(cell.Check); check.Extended && !b.judgeable(check, ref.Recording, cand.Recording) {
			continue
		}
		out := verdict.Cell{Check: cell.Check, Effect: contract.Effect(cell.Effect), Why: cell.Why, Silent: cell.Silent, Variant: cell.Variant,
			Provisional: b.provisional(cell.Check), From: cell.From, To: cell.To, Reproduce: cell.Reproduce}
		if out.Observed = cell.Observed; out.Observed == "" {
			out.Observed = cell.Reason
		}
		for _, n := range cell.Numbers {
			out.Numbers = append(out.Numbers, contract.Number{Name: n.Name, Value: n.Value, Unit: n.Unit})
		}
		if cell.From != "" {
			out.Outcome, out.After, out.Meaning, out.Remedy = contract.Outcome(seen.Outcome), seen.Observed, seen.Meaning, seen.Remedy
			if out.Reproduce == "" {
				out.Reproduce = seen.Reproduce
			}
		}
		c.Cells = append(c.Cells, out)
	}
	unasked := slices.Concat(ref.Recording.Unasked(b.in.Suite), cand.Recording.Unasked(b.in.Suite))
	for _, check := range b.in.Suite.Checks() {
		switch {
		case !check.Extended || check.Lone:
		case slices.Contains(unasked, check.ID):
			c.Unasked = append(c.Unasked, check.ID)
		case !b.selected(check):
			c.LeftOut = append(c.LeftOut, check.ID)
		}
	}
	return verdict.Decide(c)
}

// judgeable says whether an extended check was asked of both, or what it decides from was.
func (b *builder) judgeable(c contract.Check, recs ...*recording.Recording) bool {
	for _, rec := range recs {
		if c.Probe != nil && len(rec.Trails(c.ID)) == 0 {
			return false
		}
	}
	for _, id := range c.Reads {
		if r, _ := b.in.Suite.Check(id); !b.judgeable(r, recs...) {
			return false
		}
	}
	return true
}

// random reports a target whose model has random weights.
func (s Source) random() bool {
	return s.Problem == "" && s.Recording.Header.Target.Weights == "random"
}

// again is the command that asks a pair everything.
func again(ref, cand Source) string {
	return strings.Join([]string{"embedcontract run", ref.Argument, cand.Argument, "--extended --witness python,node"}, " ")
}
