package suites

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

func parityCosine() contract.Check {
	const share = "an index that holds vectors of both servers, or is asked by the other than the one that filled it"
	return contract.Check{
		ID:      "vector_parity/cosine",
		Promise: "each document of the corpus, alone and in a batch, has the same vector on the candidate as on the reference",
		Why:     "this decides whether the index may stay",
		Level:   contract.Must,
		Sources: []string{"parity-cosine-peer", "parity-pooling-mode", "parity-golden-version"},
		Reads:   []string{corpusProbe, aloneCheck, orderCheck, documentsCheck},
		Looks: []string{ // truth_test.go holds these to the recordings
			"legacy (our reconstruction) and Dynamo 1.6.1 with the same random weights in float32: cosine min 1-2e-12, median 1-1e-12, n=40; tokens equal on 40 of 40 documents",
			"legacy (our reconstruction) with mean pooling: cosine min 0.3996, median 0.5115, n=40; tokens equal on 40 of 40 documents",
			"legacy (our reconstruction) with the weights of another seed: cosine min -0.06505, median 0.002105, n=40; tokens equal on 40 of 40 documents",
			"legacy (our reconstruction) without the end marker: cosine min 0.208, median 0.3603, n=40; tokens equal on 0 of 40 documents",
		},
		Variants: []contract.Variant{
			{Name: "equal", Outcome: contract.Pass, Effect: contract.Same, Meaning: "they differ by rounding only, 1 − cosine at most 1e-5"},
			{Name: "within-noise", Outcome: contract.Pass, Effect: contract.Same, Meaning: "they differ by at most twice what each server differs from itself, and less than the bar"},
			{Name: "above-bar", Outcome: contract.Differs, Effect: contract.Unknown, Meaning: "cosine at least 0.9995, but farther apart than each server's own noise: another dtype or kernel. Whether rankings hold depends on the corpus",
				Breaks: "close rankings may change", Remedy: "measure ranking on your own corpus before mixing vectors of both"},
			{Name: "drifted", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "some documents are farther apart than cosine 0.9995", Breaks: share, Remedy: "embed the corpus again, or find the setting that differs"},
			{Name: "different-space", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "the median cosine is below 0.9: another model, pooling, prompt or end marker", Breaks: share, Remedy: "find the setting that differs; otherwise embed the corpus again"},
			{Name: "other-norm", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "the same directions, but norms that differ by more than 0.001: dot products of stored and new vectors mean nothing",
				Breaks: share, Remedy: "divide each vector by its norm on both sides"},
			{Name: "incomparable", Outcome: contract.Fail, Effect: contract.IndexBreak, Meaning: "the vectors have different lengths, or are of zeros", Breaks: share, Remedy: "embed the corpus again"},
			{Name: "not-served", Outcome: contract.Fail, Effect: contract.Unknown, Meaning: "one of the servers did not embed the corpus", Breaks: "every client"},
		},
		Compare: func(r, k contract.Evidence) contract.Finding {
			inBatches := func(e contract.Evidence) ([][]float32, error) {
				return batchVectors(e.Read[corpusProbe], "first", false)
			}
			byThemselves := func(e contract.Evidence) ([][]float32, error) { return aloneVectors(e.Read[documentsCheck]) }
			batches, err := corpusDistances(r, k, inBatches)
			alone, errAlone := corpusDistances(r, k, byThemselves)
			switch err := errors.Join(err, errAlone); {
			case directionless(err):
				return contract.Found("incomparable", "%v", err)
			case err != nil || len(alone) != len(batches):
				return contract.Found("not-served", "%d documents in batches, %d alone: %v", len(batches), len(alone), err)
			}
			for i := range batches {
				batches[i] = max(batches[i], alone[i]) // a document is as far away as at its worst
			}
			s := parity.Summarise(batches)
			floorR, floorK := noiseFloor(r), noiseFloor(k)
			f := withSpread(contract.Found("", "%s; bar 0.9995; noise floors: reference %s, candidate %s", spreadText(s),
				contract.FormatNumber(1-floorR), contract.FormatNumber(1-floorK)), s).
				With("floor of the reference", floorR).With("floor of the candidate", floorK).Along(contract.Distances, nil, batches)
			f.Variant = distanceVariant(s, max(floorR, floorK))
			if s.Farthest > parity.PeerBar {
				return f
			}
			if norms := otherNorms(r, k, byThemselves, inBatches); norms != "" {
				f.Variant, f.Observed = "other-norm", norms+"; "+f.Observed
			}
			return f
		},
	}
}

func parityEdge() contract.Check {
	return contract.Check{
		ID:      "vector_parity/edge-texts",
		Promise: "white space, joiners, composed and decomposed letters, digits, code and written-out markers have the same vector on both",
		Why:     "a server that strips or normalises moves short odd texts far, and long documents by less than anyone notices",
		Level:   contract.Must,
		Sources: []string{"txt-edge-whitespace", "txt-newlines", "txt-unicode-scripts", "txt-nfc-nfd", "txt-special-token-literal"},
		Reads:   []string{edgeCheck},
		Variants: []contract.Variant{
			{Name: "same-vectors", Outcome: contract.Pass, Effect: contract.Same, Meaning: "cosine at least 0.9995 for each"},
			{Name: "some-differ", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "some texts land elsewhere: the text is changed on its way in, or tokenised otherwise",
				Breaks: "search for and among texts of that kind", Remedy: "change the texts on the client in the same way for both, or embed them again"},
			{Name: "incomparable", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "the vectors have different lengths, or are of zeros", Breaks: "every index"},
			{Name: "not-served", Outcome: contract.Fail, Effect: contract.ClientChange, Meaning: "one of the servers refuses some of the texts, or answers without a vector", Breaks: "pipelines with such texts"},
		},
		Compare: func(r, k contract.Evidence) contract.Finding {
			var all []float64
			var far []string
			for _, a := range r.Read[edgeCheck].StepsLike("edge:") {
				b := k.Read[edgeCheck].Step(a.Name)
				d, err := stepDistance(a, b)
				switch {
				case !a.OK() && !b.OK():
					continue // both refuse it alike
				case directionless(err):
					return contract.Found("incomparable", "%s: %v", a.Name, err)
				case err != nil:
					return contract.Found("not-served", "%s: reference %s, candidate %s", a.Name, a.Describe(), b.Describe())
				case d > parity.PeerBar:
					far = append(far, strings.TrimPrefix(a.Name, "edge:"))
				}
				all = append(all, d)
			}
			s := parity.Summarise(all)
			f := withSpread(contract.Found("same-vectors", "%s", spreadText(s)), s).Along(contract.Distances, nil, all)
			if len(far) > 0 || len(all) == 0 {
				f.Variant = "some-differ"
				f.Observed = fmt.Sprintf("%d of %d differ: %s; %s", len(far), len(all), strings.Join(far, ", "), spreadText(s))
			}
			return f
		},
	}
}

// corpusDistances are the distances of each document, as vectors finds it, between two servers.
func corpusDistances(r, k contract.Evidence, vectors func(contract.Evidence) ([][]float32, error)) ([]float64, error) {
	a, errA := vectors(r)
	b, errB := vectors(k)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	if len(a) != len(b) {
		return nil, fmt.Errorf("%d documents of the reference, %d of the candidate", len(a), len(b))
	}
	out := make([]float64, len(a))
	for i := range a {
		d, err := parity.Distance(a[i], b[i])
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", i, err)
		}
		out[i] = d
	}
	return out, nil
}

// otherNorms tells the first document whose norms differ between two servers, of vectors that can be read; empty when none do.
func otherNorms(r, k contract.Evidence, kinds ...func(contract.Evidence) ([][]float32, error)) string {
	for _, vectors := range kinds {
		a, _ := vectors(r)
		b, _ := vectors(k)
		for i := range min(len(a), len(b)) {
			if !parity.SameNorm(a[i], b[i]) {
				return fmt.Sprintf("document %d has norms %s and %s", i, contract.FormatNumber(parity.Norm(a[i])), contract.FormatNumber(parity.Norm(b[i])))
			}
		}
	}
	return ""
}

func distanceVariant(s parity.Spread, floor float64) string {
	switch {
	case s.Median > parity.SpaceBar:
		return "different-space"
	case s.Farthest > parity.PeerBar:
		return "drifted"
	case s.Farthest <= parity.EqualBar:
		return "equal"
	case s.Farthest <= noiseFactor*floor:
		return "within-noise"
	}
	return "above-bar"
}

// noiseFloor is the largest distance of a server from itself, 1 − cosine, over repeat, batch and order. What cannot be
// measured counts as 0, which widens nothing; so does all of it where one is above its bar: a server that differs from
// itself by more fails its own checks, and that must not excuse a swap.
func noiseFloor(e contract.Evidence) float64 {
	first, _ := batchVectors(e.Read[corpusProbe], "first", false)
	second, _ := batchVectors(e.Read[corpusProbe], "second", false)
	reversed, _ := batchVectors(e.Read[orderCheck], "reversed", true)
	alone, _ := aloneVectors(e.Read[documentsCheck])
	floor := 0.0
	for _, again := range []struct {
		vectors [][]float32
		bar     float64
	}{{second, parity.SameBar}, {reversed, parity.BatchBar}, {alone, parity.BatchBar}} {
		s, _ := parity.Compare(first, again.vectors) // no spread where vectors cannot be compared, or were not read
		if s.Farthest > again.bar {
			return 0
		}
		floor = math.Max(floor, s.Farthest)
	}
	return floor
}
