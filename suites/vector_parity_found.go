package suites

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/rankings"
)

// found is what the same queries find before and after a change, in one index or in several, each of which holds all
// documents. A query finds the same only where it does in each of them.
type found struct {
	queries, documents, depth int
	tie                       float64   // difference of scores that means nothing
	first                     int       // queries whose first document is the same
	kept, asked               int       // documents among the first ones that are found again, and all of them
	overlaps                  []float64 // of each query, the share of kept ones
	taus                      []float64 // tau-b of each query and index that has one, over the first documents of both
	swaps                     int       // places that another document has
	gap                       float64   // of the scores of two documents that changed places, the largest
	after                     [][][]scored
}

// search asks each index after the change what the first was asked before. It finds when vectors cannot be compared.
func search(tie float64, before searched, after ...searched) (found, *contract.Finding) {
	out := found{queries: len(before.queries), documents: len(before.documents), depth: min(rankDepth, len(before.documents)), tie: tie}
	for i, q := range before.queries {
		was, err := ranking(q, before.documents)
		if err != nil {
			f := contract.Found("incomparable", "reference: %v", err)
			return out, &f
		}
		var now [][]scored
		for _, s := range after {
			ranks, err := ranking(s.queries[i], s.documents)
			if err != nil {
				f := contract.Found("incomparable", "candidate: %v", err)
				return out, &f
			}
			now = append(now, ranks)
		}
		out.add(was, now)
	}
	return out, nil
}

// add compares what one query found.
func (f *found) add(was []scored, now [][]scored) {
	f.after = append(f.after, now)
	score := scoresOf(was)
	first, kept := true, 0
	for _, ranks := range now {
		first = first && was[0].document == ranks[0].document
		for place := range f.depth {
			before, after := was[place], ranks[place]
			if holds(ranks[:f.depth], before.document) {
				kept++
			}
			if before.document != after.document {
				f.swaps++
				f.gap = max(f.gap, math.Abs(before.score-score[after.document]))
			}
		}
		f.addTau(was, ranks)
	}
	if first {
		f.first++
	}
	asked := len(now) * f.depth
	f.kept, f.asked = f.kept+kept, f.asked+asked
	f.overlaps = append(f.overlaps, float64(kept)/float64(asked))
}

func (f *found) addTau(was, now []scored) {
	before, after := scoresOf(was), scoresOf(now)
	var x, y []float64
	for _, s := range was {
		if holds(was[:f.depth], s.document) || holds(now[:f.depth], s.document) {
			x, y = append(x, before[s.document]), append(y, after[s.document])
		}
	}
	if tau, ok := rankings.TauB(x, y, f.tie); ok {
		f.taus = append(f.taus, tau)
	}
}

func holds(ranks []scored, document int) bool {
	return slices.ContainsFunc(ranks, func(s scored) bool { return s.document == document })
}

// scoresOf are the scores by document.
func scoresOf(ranks []scored) []float64 {
	out := make([]float64, len(ranks))
	for _, s := range ranks {
		out[s.document] = s.score
	}
	return out
}

// finding says how much of what was found stays, with bounds: the queries are few.
func (f *found) finding() contract.Finding {
	overlap := float64(f.kept) / float64(f.asked)
	first, kept := rankings.AtLeast(f.first, f.queries), rankings.MeanAtLeast(f.overlaps)
	out := contract.Found("other-results", "top-1 same for %d of %d queries (95 %% sure: %s), overlap@%d %s (%s)",
		f.first, f.queries, atLeast(first), f.depth, short(overlap), atLeast(kept)).
		With("top-1 same", float64(f.first)).With("top-1 share at least", first).
		With("overlap", overlap).With("overlap at least", kept)
	if len(f.taus) > 0 {
		tau := stat.Mean(f.taus, nil)
		out.Observed += ", tau-b " + short(tau)
		out = out.With("tau-b", tau)
	}
	out.Observed += fmt.Sprintf(", %d documents", f.documents)
	switch {
	case f.gap <= f.tie:
		out.Variant = "same-order"
	case float64(f.kept) >= keptShare*float64(f.asked):
		out.Variant = "order-changes"
	}
	return out.With("queries", float64(f.queries)).With("documents", float64(f.documents)).With("score gap of a swap max", f.gap).
		Along(contract.Overlaps, nil, f.overlaps)
}

// atLeast rounds a lower bound down.
func atLeast(share float64) string { return fmt.Sprintf("at least %.0f %%", math.Floor(100*share)) }

// short prints a number with three digits, and from 0.99 on with four, rounded down: nothing below 1 reads as 1.
func short(v float64) string {
	if v > 0.99 {
		return strconv.FormatFloat(math.Floor(v*1e4)/1e4, 'g', 4, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
