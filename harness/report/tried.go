package report

import "fmt"

// tried is what became of the remedies: by candidate and check, a line for each remedy and each server in whose place
// the candidate was put.
func (r *Report) tried() map[string]map[string][]field {
	out := map[string]map[string][]field{}
	for _, p := range r.Pairs {
		by := out[p.Candidate]
		if by == nil {
			by = map[string][]field{}
			out[p.Candidate] = by
		}
		for _, x := range p.Remedies {
			for check, f := range x.tried(r.label(p.Reference)) {
				by[check] = append(by[check], f)
			}
		}
	}
	return out
}

// tried says of each check that a remedy may bridge whether it does. A check that needs nothing is left out.
func (x Remedy) tried(reference string) map[string]field {
	out := map[string]field{}
	if x.Reason != "" {
		for _, check := range x.Bridges {
			out[check] = field{name: "untried", text: fmt.Sprintf("%s (%s)", line(x.Change), fit(line(x.Reason), textShown))}
		}
	}
	for _, p := range x.Proofs {
		text := fmt.Sprintf("%s, in place of %s (%s)", line(x.Change), reference, fit(line(p.Observed), textShown))
		switch p.Outcome {
		case ProofHolds:
			out[p.Check] = field{name: "verified", text: text}
		case ProofFails:
			out[p.Check] = field{name: "failed", text: text}
		default:
			delete(out, p.Check)
		}
	}
	return out
}
