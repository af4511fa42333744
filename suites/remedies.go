package suites

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// Variants of every remedy.
const (
	verified = "verified"
	unproved = "failed"
	needless = "nothing-to-bridge"
)

// bridge is a check whose deviation a remedy bridges, and the proof of it: prove compares what the reference answered to
// the request of that check with what the candidate answers to the changed one.
type bridge struct {
	check string
	prove func(reference, candidate contract.Evidence) contract.Proof
}

// remedied is a change on the client's side, as it is written down.
type remedied struct {
	id     string
	change string // what clients do, in the imperative
	why    string // it can be the answer
	from   []string
	// reads are asked for its sake, peeks are looked at where they were asked; the checks that it bridges are among the
	// latter without being named.
	reads, peeks []string
	plans        []string
	extended     bool
	probe        func(context.Context, contract.Prober) error
	bridges      []bridge
}

// remedy makes the pair check of a remedy.
func remedy(m remedied) contract.Check {
	c := contract.Check{
		ID: m.id, Promise: m.change, Why: m.why, Level: contract.May, Extended: m.extended,
		Sources: m.from, Reads: m.reads, ReadsSome: true, Plans: m.plans, Probe: m.probe,
		Variants: []contract.Variant{
			{Name: verified, Outcome: contract.Pass, Effect: contract.Same, Meaning: "the candidate's answers to the changed requests are what the reference answered to the original ones"},
			{Name: unproved, Outcome: contract.Fail, Effect: contract.Same, Meaning: "some of the candidate's answers to the changed requests are not what the reference answered to the original ones", Breaks: "clients that rely on this change"},
			{Name: needless, Outcome: contract.Pass, Effect: contract.Same, Meaning: "the reference serves none of the requests that would be changed"},
		},
	}
	for _, b := range m.bridges {
		c.Bridges = append(c.Bridges, b.check)
		if !slices.Contains(m.reads, b.check) && !slices.Contains(m.peeks, b.check) {
			c.Peeks = append(c.Peeks, b.check)
		}
	}
	c.Peeks = append(c.Peeks, m.peeks...)
	c.Compare = func(r, k contract.Evidence) contract.Finding {
		f := contract.Finding{Variant: needless, Observed: "the reference serves none of the requests that would be changed"}
		var held, broken []string
		for _, b := range m.bridges {
			if _, asked := r.Read[b.check]; !asked {
				continue
			}
			p := b.prove(r, k)
			p.Check = b.check
			f.Proofs = append(f.Proofs, p)
			switch {
			case p.Needless:
			case p.Holds:
				held = append(held, b.check+": "+p.Observed)
			default:
				broken = append(broken, b.check+": "+p.Observed)
			}
		}
		switch {
		case len(broken) > 0:
			f.Variant, f.Observed = unproved, fmt.Sprintf("%d of %d: %s", len(broken), len(broken)+len(held), strings.Join(broken, "; "))
		case len(held) > 0:
			f.Variant, f.Observed = verified, fmt.Sprintf("%d of %d; %s", len(held), len(held), held[0])
		}
		return f
	}
	return c
}

// nothingKept is the proof of a request that the reference does not serve, or not with vectors.
func nothingKept(s contract.Step) contract.Proof {
	return contract.Proof{Needless: true, Observed: "the reference: " + s.Describe()}
}

// notProved is a proof that fails, with what was seen.
func notProved(format string, args ...any) contract.Proof {
	return contract.Proof{Observed: fmt.Sprintf(format, args...)}
}

// sameVectors is the proof of as many vectors as there were: each is where the reference's was, and as long. Vectors of a
// peer may differ as two implementations of one model do.
func sameVectors(want, got [][]float32) contract.Proof {
	if len(want) == 0 {
		return notProved("0 vectors in place of 0")
	}
	var farthest float64
	for i := range want {
		d, err := parity.Distance(want[i], got[i])
		if err != nil {
			return notProved("%v", err)
		}
		if farthest = max(farthest, d); d <= parity.PeerBar && !parity.SameNorm(want[i], got[i]) {
			return notProved("norm %s in place of %s", contract.FormatNumber(parity.Norm(got[i])), contract.FormatNumber(parity.Norm(want[i])))
		}
	}
	p := contract.Proof{Holds: farthest <= parity.PeerBar, Observed: "cosine min " + contract.FormatNumber(1-farthest)}
	if len(want) > 1 {
		p.Observed += fmt.Sprintf(", n=%d", len(want))
	}
	p.Numbers = []contract.Number{{Name: "cosine min", Value: 1 - farthest}, {Name: "vectors", Value: float64(len(want))}}
	return p
}

// sameVector is the proof of one text: the reference's answer to the original request, and the candidate's to the changed
// one.
func sameVector(original, changed contract.Step) contract.Proof {
	want, err := original.One()
	if err != nil {
		return nothingKept(original)
	}
	got, err := changed.One()
	if err != nil {
		return notProved("%s: %s", changed.Name, changed.Describe())
	}
	return sameVectors([][]float32{want}, [][]float32{got})
}

// sameLists is the proof of a list of n texts in one request each.
func sameLists(original, changed contract.Step, n int) contract.Proof {
	want, err := original.Many(n)
	if err != nil {
		return nothingKept(original)
	}
	got, err := changed.Many(n)
	if err != nil {
		return notProved("%s: %s", changed.Name, changed.Describe())
	}
	return sameVectors(want, got)
}

// bySteps is the proof of the step of a check by a step that the remedy or another check has asked of the candidate.
func bySteps(check, step string, changed func(candidate contract.Evidence) contract.Step) bridge {
	return bridge{check, func(r, k contract.Evidence) contract.Proof { return sameVector(r.Read[check].Step(step), changed(k)) }}
}
