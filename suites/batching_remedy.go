package suites

import (
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
)

const wholeCheck = "batching/whole-corpus"

// smallerRemedy is what indexing jobs do whose lists have become too long.
func smallerRemedy() contract.Check {
	return remedy(remedied{
		id:     "batching/smaller-batches",
		change: "send smaller batches: no more texts in each request than were shown to be served alike, and fewer bytes",
		why:    "a text has the same vector in whatever list it stands",
		from:   []string{"batch-limit-2048", "batch-invariance"},
		reads:  []string{wholeCheck, corpusProbe, "status_codes/duplicate-key"},
		bridges: []bridge{
			{wholeCheck, func(r, k contract.Evidence) contract.Proof {
				s := r.Read[wholeCheck].Step("batch")
				if !s.OK() {
					return nothingKept(s)
				}
				got, err := batchVectors(k.Read[corpusProbe], "first", false)
				if err != nil {
					return notProved("%v", err)
				}
				want, err := s.Many(len(got))
				if err != nil {
					return contract.Proof{Needless: true, Observed: "the reference: " + err.Error()}
				}
				return inListsOf(corpusBatch, sameVectors(want, got))
			}},
			{"batching/limit-2048", inShortLists("batching/limit-2048", maxInputs)},
			{"batching/above-2048", inShortLists("batching/above-2048", maxInputs+1)},
			bySteps("status_codes/body-too-large", "asked", plainStatusText),
		},
	})
}

// inShortLists compares the vectors that are kept of the reference's answer to a long list with the candidate's answer to
// a list of just these texts.
func inShortLists(check string, n int) func(r, k contract.Evidence) contract.Proof {
	return func(r, k contract.Evidence) contract.Proof {
		many := r.Read[check].Step("many")
		if !many.OK() {
			return nothingKept(many)
		}
		rows := contract.KeptRows(n)
		some := k.Read[check].Step("some")
		got, err := some.Many(len(rows))
		if err != nil {
			return notProved("a list of %d: %s", len(rows), some.Describe())
		}
		res, err := many.Response()
		if err != nil {
			return contract.Proof{Needless: true, Observed: "the reference: " + err.Error()}
		}
		at := map[int][]float32{}
		for _, it := range res.Items {
			at[it.Index] = it.Vector
		}
		var want [][]float32
		for _, row := range rows {
			want = append(want, at[row])
		}
		return inListsOf(len(rows), sameVectors(want, got))
	}
}

// inListsOf says how long the lists were that a proof is about: of longer ones it says nothing.
func inListsOf(n int, p contract.Proof) contract.Proof {
	p.Observed += fmt.Sprintf(", in lists of %d", n)
	return p
}
