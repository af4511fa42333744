package suites

import (
	"fmt"
	"math"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/rankings"
)

// biasAlarm is the chance of a false alarm below which a bias counts as one: an alarm says that the corpus must be embedded
// again. Of ten queries, eight have to favour one server and none the other.
const biasAlarm = 0.01

func parityMixed() contract.Check {
	const breaks = "search, while an index holds documents of both servers"
	mixed := []contract.Variant{
		{Name: "candidate-favoured", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "documents of the candidate are found in place of as good ones of the reference, by more queries than chance explains (1 %)",
			Breaks: breaks + ": old documents sink", Remedy: "embed the corpus again, in an index of its own, before the first query"},
		{Name: "reference-favoured", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "documents of the reference are found in place of as good ones of the candidate, by more queries than chance explains (1 %)",
			Breaks: breaks + ": new documents sink", Remedy: "embed the corpus again, in an index of its own, before the first query"},
	}
	return contract.Check{
		ID: "vector_parity/half-mixed-index", Promise: "in an index of which the candidate embedded one half, its queries find what the reference's find in its own, and no server's documents are favoured",
		Why:   "this is each day after a swap without embedding again: new documents join old ones, and those of one server may outrank those of the other",
		Level: contract.Should, Sources: []string{"parity-cross-index"},
		Reads:    []string{documentsCheck, corpusProbe, orderCheck, rankCheck},
		Variants: append(rankVariants(), mixed...),
		Compare: func(r, k contract.Evidence) contract.Finding {
			return compareMixed(scoreNoise(r, k), r.Read[documentsCheck], r.Read[rankCheck].StepsLike("query:"), k.Read[documentsCheck], k.Read[rankCheck].StepsLike("query:"))
		},
	}
}

func compareMixed(noise float64, docsR contract.Evidence, queriesR []contract.Step, docsK contract.Evidence, queriesK []contract.Step) contract.Finding {
	r, k, no := searchedBoth(docsR, queriesR, docsK, queriesK)
	if no != nil {
		return *no
	}
	// Each document is once of each server, so that neither what it is about nor its language favours one.
	odd, even := halves(r.documents, k.documents)
	found, no := search(max(tieGap, noise), r, searched{odd, k.queries}, searched{even, k.queries})
	if no != nil {
		return *no
	}
	f := found.finding()
	more, fewer, share := found.bias()
	p := rankings.SignTest(more, fewer)
	f.Observed += fmt.Sprintf("; candidate %+.1f points, p=%.2g", 100*share, p)
	switch {
	case p >= biasAlarm:
	case more > fewer:
		f.Variant = "candidate-favoured"
	default:
		f.Variant = "reference-favoured"
	}
	return f.With("candidate's share of the first beyond its half", share).With("queries that favour the candidate", float64(more)).
		With("queries that favour the reference", float64(fewer)).With("p of the sign test", p)
}

// halves are the two indexes in which the candidate embedded every second document: those at odd places in the one, at
// even places in the other.
func halves(r, k [][]float32) (odd, even [][]float32) {
	for i := range r {
		of := [2][]float32{r[i], k[i]}
		odd, even = append(odd, of[i%2]), append(even, of[1-i%2])
	}
	return odd, even
}

// bias counts the queries that favour the candidate's documents, and the reference's, and says by how much the candidate's
// share of the first documents is above its half, over all. A document tells something where it is among the first as the
// one's and not as the other's, and its own score is another by more than a tie.
func (f *found) bias() (more, fewer int, share float64) {
	excess := 0
	for _, now := range f.after {
		of := 0
		odd, even := scoresOf(now[0]), scoresOf(now[1])
		for document := range odd {
			inOdd, inEven := holds(now[0][:f.depth], document), holds(now[1][:f.depth], document)
			switch {
			case inOdd == inEven, math.Abs(odd[document]-even[document]) <= f.tie:
			case inOdd == (document%2 == 1):
				of++
			default:
				of--
			}
		}
		switch {
		case of > 0:
			more++
		case of < 0:
			fewer++
		}
		excess += of
	}
	// Of the candidate and the reference together there are asked documents: more of one are fewer of the other.
	return more, fewer, float64(excess) / float64(2*f.asked)
}
