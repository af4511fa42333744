package suites

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	// timesAsked is how often a text is asked for to see a fault that does not come each time: one that hits every tenth
	// answer escapes so with a chance of 12 %, one in five with 1 %.
	timesAsked = 20
	// prefixWords is the length of a prefix that texts share: several blocks of a prefix cache, whose usual size is 16 tokens.
	prefixWords = 60
)

func parityTwenty() contract.Check {
	return contract.Check{
		ID: "vector_parity/twenty-times", Promise: "a text asked for twenty times has the same vector each time",
		Why: "replicas of unlike versions, and caches that answer for another text, show now and then only", Level: contract.Must,
		Sources: []string{"det-repeat"}, Swap: steadySwaps(),
		Variants: steadiness(parity.SameBar, "each is within cosine 0.9999 of the first", "near-duplicate search, caches, tests: the same text is two points"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			for i := range timesAsked {
				if _, err := p.Embed(ctx, fmt.Sprintf("time:%02d", i), contract.Body{"input": "Old boats."}); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding { return steadySteps(e.StepsLike("time:")) },
	}
}

// steadySteps compares each answer to a single text with the first one.
func steadySteps(steps []contract.Step) contract.Finding {
	all, no := servedSteps(steps)
	if no != nil {
		return *no
	}
	return steady(parity.SameBar, slices.Repeat(all[:min(1, len(all))], len(steps)), all)
}

// servedSteps are the vectors of steps that each ask for one text, or the finding that one of them gives none.
func servedSteps(steps []contract.Step) ([][]float32, *contract.Finding) {
	var all [][]float32
	for _, s := range steps {
		v, err := s.One()
		if err != nil {
			f := mismatch(s, err)
			if !s.OK() {
				f = contract.Found("refused", "%s: %s", s.Name, s.Describe()).From(s.Name)
			}
			return nil, &f
		}
		all = append(all, v)
	}
	return all, nil
}

func parityWarm() contract.Check {
	return contract.Check{
		ID: "vector_parity/warm-prefix", Promise: "a text has the same vector when a server has just seen it, or another one with the same beginning",
		Why: "prefix caches reuse what was computed of a beginning; pooled vectors of a cached prefix were wrong in several engines", Level: contract.Must, Extended: true,
		Sources: []string{"det-warm-prefix-cache", "https://github.com/vllm-project/vllm/issues/5543"}, Swap: steadySwaps(),
		Variants: steadiness(parity.SameBar, "cold, warm and after other texts with the same beginning it is within cosine 0.9999", "documents that share a beginning, as chunks with a header do"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			words := prefixWords
			if limit := p.Facts().Limit.Words; limit > 0 {
				words = min(words, max(limit/2, 1))
			}
			head := contract.Filler{Words: words}.String()
			for _, s := range []struct{ step, tail string }{
				{"text:cold", " and ends with boats."}, {"text:warm", " and ends with boats."}, {"other:1", " but closes in the market hall."},
				{"other:2", ""}, {"text:after-others", " and ends with boats."},
			} {
				if _, err := p.Embed(ctx, s.step, contract.Body{"input": head + s.tail}); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			if _, no := servedSteps(e.StepsLike("other:")); no != nil {
				return *no // what was not read is not in the cache
			}
			return steadySteps(e.StepsLike("text:"))
		},
	}
}

const (
	// driftShare is how much of the usual size of a component, 1/√n of a unit vector, it must differ by, as a root mean
	// square over the documents, to count as one that drifts.
	driftShare = 0.1
	// driftFactor is how many times more than the median component it must differ: noise is spread over all of them, and
	// the largest of a thousand is some three times the median.
	driftFactor = 10
)

func parityComponents() contract.Check {
	return contract.Check{
		ID: "vector_parity/components", Promise: "no single component of the vectors differs between candidate and reference more than the others do",
		Why: "one component of a thousand that is wrong moves the cosine by less than its bar, and scalar quantisers and filters by component see nothing else", Level: contract.Should, Extended: true,
		Sources: []string{"parity-component-error", "https://github.com/vllm-project/vllm/issues/34910"}, Reads: []string{corpusProbe},
		Variants: []contract.Variant{
			{Name: "spread-evenly", Outcome: contract.Pass, Effect: contract.Same, Meaning: "differences are as large in each component"},
			{Name: "one-drifts", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "a component differs far more than the others, by a tenth of its usual size or more", Breaks: "indexes with scalar or product quantisation; a mixed index", Remedy: "embed the corpus again, or find the kernel that differs"},
			{Name: "incomparable", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "the vectors have different lengths, or are of zeros", Breaks: "every index"},
			{Name: "not-served", Outcome: contract.Fail, Effect: contract.Unknown, Meaning: "one of the servers did not embed the corpus", Breaks: "every client"},
		},
		Compare: func(r, k contract.Evidence) contract.Finding {
			a, errA := batchVectors(r.Read[corpusProbe], "first", false)
			b, errB := batchVectors(k.Read[corpusProbe], "first", false)
			if err := errors.Join(errA, errB); err != nil || len(a) != len(b) {
				return contract.Found("not-served", "%d and %d documents: %v", len(a), len(b), err)
			}
			if _, err := parity.Compare(a, b); err != nil {
				return contract.Found("incomparable", "%v", err)
			}
			return driftOf(a, b)
		},
	}
}

// driftOf finds the component that differs most, as a root mean square over the documents.
func driftOf(a, b [][]float32) contract.Finding {
	n := len(a[0])
	rms := make([]float64, n)
	var most float64
	for i := range a {
		if len(a[i]) != n {
			return contract.Found("incomparable", "document 1 has %d numbers, document %d has %d", n, i+1, len(a[i]))
		}
		for c := range n {
			d := float64(a[i][c]) - float64(b[i][c])
			rms[c] += d * d / float64(len(a))
			most = max(most, math.Abs(d))
		}
	}
	at := 0
	for c := range rms {
		rms[c] = math.Sqrt(rms[c])
		if rms[c] > rms[at] {
			at = c
		}
	}
	sorted := slices.Sorted(slices.Values(rms))
	median := stat.Quantile(0.5, stat.Empirical, sorted, nil)
	usual := 1 / math.Sqrt(float64(n))
	f := contract.Found("spread-evenly", "component %d differs most: %s of its usual size, the median one %s; largest difference %s, n=%d",
		at, contract.FormatNumber(rms[at]/usual), contract.FormatNumber(median/usual), contract.FormatNumber(most), len(a)).
		With("largest difference", most).With("rms of the worst component", rms[at]).With("rms of the median component", median)
	if rms[at] > driftShare*usual && rms[at] > driftFactor*median {
		f.Variant = "one-drifts"
	}
	return f
}
