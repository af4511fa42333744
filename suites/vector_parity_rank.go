package suites

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	rankCheck = "vector_parity/rank-order"
	// rankDepth is how many documents a search returns: the top ten that people look at.
	rankDepth = 10
	// tieGap is the difference of two scores below which their order means nothing: rounding vectors to bfloat16 moves a
	// cosine by about as much.
	tieGap = 1e-3
	// keptShare is the share of the top ten that must be the same ones.
	keptShare = 0.9
)

// rankVariants are what becomes of a search. Whether rankings matter, only real weights can show: with random ones the
// order of documents means nothing, and is the same or not all the same.
func rankVariants() []contract.Variant {
	return []contract.Variant{
		{Name: "same-order", Outcome: contract.Pass, Effect: contract.Same, Meaning: "each query finds the same ten documents in the same order, but for documents whose scores differ by less than 0.001, or than the servers' own noise"},
		{Name: "order-changes", Outcome: contract.Differs, Effect: contract.Unknown, Meaning: "documents change places whose scores differ by more; at least 90 % of the top ten are the same", Breaks: "close rankings change", Remedy: "measure ranking on your own corpus"},
		{Name: "other-results", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "less than 90 % of the top ten are the same", Breaks: "search", Remedy: "embed the corpus again, or find the setting that differs"},
		{Name: "incomparable", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "the vectors have different lengths, or are of zeros", Breaks: "search"},
		{Name: "not-served", Outcome: contract.Fail, Effect: contract.Unknown, Meaning: "one of the servers did not embed the corpus or the queries", Breaks: "search"},
	}
}

func parityRank() contract.Check {
	return contract.Check{
		ID: rankCheck, Promise: "queries find the same documents in the same order, with all vectors of the candidate as with all of the reference",
		Why: "a small loss of cosine can still swap results; this is what users of a search see", Level: contract.Should,
		Sources: []string{"parity-rank-order"}, Reads: []string{documentsCheck, corpusProbe, orderCheck}, Variants: rankVariants(),
		Probe: func(ctx context.Context, p contract.Prober) error {
			for _, q := range p.Plan().Texts().Queries {
				if _, err := p.Embed(ctx, "query:"+q.ID, contract.Body{"input": q.Text}); err != nil {
					return err
				}
			}
			return nil
		},
		Compare: func(r, k contract.Evidence) contract.Finding {
			return compareRanks(scoreNoise(r, k), r.Read[documentsCheck], r.StepsLike("query:"), k.Read[documentsCheck], k.StepsLike("query:"))
		},
	}
}

func parityCross() contract.Check {
	return contract.Check{
		ID: "vector_parity/cross-index", Promise: "queries of the candidate find in the reference's index what the reference's own queries find",
		Why: "this is the day after a swap without embedding again: old documents, new queries", Level: contract.Must,
		Sources: []string{"parity-cross-index"}, Reads: []string{documentsCheck, corpusProbe, orderCheck, rankCheck}, Variants: rankVariants(),
		Compare: func(r, k contract.Evidence) contract.Finding {
			old := r.Read[documentsCheck]
			return compareRanks(scoreNoise(r, k), old, r.Read[rankCheck].StepsLike("query:"), old, k.Read[rankCheck].StepsLike("query:"))
		},
	}
}

// scored is a document with its score for one query.
type scored struct {
	document int
	score    float64
}

// ranking sorts documents by their cosine with a query, the best first.
func ranking(query []float32, documents [][]float32) ([]scored, error) {
	out := make([]scored, len(documents))
	for i, d := range documents {
		distance, err := parity.Distance(query, d)
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i, err)
		}
		out[i] = scored{i, 1 - distance}
	}
	slices.SortStableFunc(out, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	return out, nil
}

func queryVectors(steps []contract.Step) ([][]float32, error) {
	var out [][]float32
	for _, s := range steps {
		v, err := s.One()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		out = append(out, v)
	}
	if len(out) == 0 {
		return nil, errors.New("no queries were asked")
	}
	return out, nil
}

// scoreNoise is how far a score may move when vectors move as far as a server's own noise takes them: the distance of
// two unit vectors, of which 1 − cosine is half the square.
func scoreNoise(r, k contract.Evidence) float64 {
	return math.Sqrt(2 * max(noiseFloor(r), noiseFloor(k)))
}

// searched is an index and what is asked of it.
type searched struct{ documents, queries [][]float32 }

// searchedBoth reads what two servers made of the documents and the queries, or finds that they did not.
func searchedBoth(docsR contract.Evidence, queriesR []contract.Step, docsK contract.Evidence, queriesK []contract.Step) (r, k searched, no *contract.Finding) {
	a, errA := aloneVectors(docsR)
	b, errB := aloneVectors(docsK)
	qa, errQA := queryVectors(queriesR)
	qb, errQB := queryVectors(queriesK)
	if err := errors.Join(errA, errB, errQA, errQB); err != nil || len(a) != len(b) || len(qa) != len(qb) || len(a) == 0 {
		f := contract.Found("not-served", "%d and %d documents, %d and %d queries: %v", len(a), len(b), len(qa), len(qb), err)
		return r, k, &f
	}
	return searched{a, qa}, searched{b, qb}, nil
}

func compareRanks(noise float64, docsR contract.Evidence, queriesR []contract.Step, docsK contract.Evidence, queriesK []contract.Step) contract.Finding {
	r, k, no := searchedBoth(docsR, queriesR, docsK, queriesK)
	if no != nil {
		return *no
	}
	found, no := search(max(tieGap, noise), r, k)
	if no != nil {
		return *no
	}
	f := found.finding()
	if found.swaps > 0 {
		f.Observed += "; swaps up to " + short(found.gap) + " apart"
	}
	return f
}
