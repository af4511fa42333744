package suites

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// vectorParity: the candidate puts a text where the reference puts it, and each server puts it there every time.
func vectorParity() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "vector_parity",
		Promise: "the same text has the same vector: asked again, in a batch, in another order, and from the other server",
		Checks:  []contract.Check{parityRepeat(), parityAlone(), parityOrder(), parityCosine(), parityEdge()},
	}
}

const (
	aloneCheck = "vector_parity/alone-and-in-batch"
	orderCheck = "vector_parity/order-in-batch"
	// noiseFactor is how many times its noise floor a server may be away and still count as within noise: the
	// swap then moves vectors no more than a busy day does.
	noiseFactor = 2
)

// batches splits the corpus as its clients send it.
func batches(p contract.Prober) [][]string {
	var texts []string
	for _, t := range p.Plan().Texts().Documents {
		texts = append(texts, t.Text)
	}
	return slices.Collect(slices.Chunk(texts, corpusBatch))
}

func askBatches(ctx context.Context, p contract.Prober, kind string, change func([]string)) error {
	for i, b := range batches(p) {
		b = slices.Clone(b)
		if change != nil {
			change(b)
		}
		if _, err := p.Embed(ctx, fmt.Sprintf("%s:%d", kind, i), contract.Body{"input": b}); err != nil {
			return err
		}
	}
	return nil
}

// batchVectors returns the vectors of all batches of that kind, in the order of the corpus.
func batchVectors(e contract.Evidence, kind string, reversed bool) ([][]float32, error) {
	var all [][]float32
	for _, s := range e.StepsLike(kind + ":") {
		r, err := s.Response()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		vs, err := s.Many(len(r.Items))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		if reversed {
			slices.Reverse(vs)
		}
		all = append(all, vs...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no answers to %s", kind)
	}
	return all, nil
}

func aloneVectors(e contract.Evidence) ([][]float32, error) {
	var all [][]float32
	for _, s := range e.StepsLike("document:") {
		v, err := s.One()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		all = append(all, v)
	}
	return all, nil
}

// steadiness are the variants of a server compared with itself.
func steadiness(meaning, breaks string) []contract.Variant {
	return []contract.Variant{
		{Name: "steady", Outcome: contract.Pass, Meaning: meaning},
		{Name: "below-bar", Outcome: contract.Fail, Meaning: "a document is farther from itself than cosine 0.9999", Breaks: breaks},
		{Name: "incomparable", Outcome: contract.Fail, Meaning: "the vectors have different lengths, or are of zeros", Breaks: "every index"},
		refused(),
	}
}

func steady(a, b [][]float32, errs ...error) contract.Finding {
	for _, err := range errs {
		if err != nil {
			return contract.Found("refused", "%v", err)
		}
	}
	s, err := parity.Compare(a, b)
	if err != nil {
		return contract.Found("incomparable", "%v", err)
	}
	f := withSpread(contract.Found("steady", "%s", spreadText(s)), s)
	if s.Farthest > parity.SameBar {
		f.Variant = "below-bar"
	}
	return f
}

func spreadText(s parity.Spread) string {
	return fmt.Sprintf("cosine min %s, median %s, n=%d", contract.FormatNumber(1-s.Farthest), contract.FormatNumber(1-s.Median), s.N)
}

func withSpread(f contract.Finding, s parity.Spread) contract.Finding {
	return f.With("cosine min", 1-s.Farthest).With("p1", 1-s.P99).With("median", 1-s.Median).With("max", 1-s.Nearest).
		With("1-cosine max", s.Farthest).With("n", float64(s.N))
}

func parityRepeat() contract.Check {
	return contract.Check{
		ID:       corpusProbe,
		Promise:  "the corpus asked twice gives the same vectors",
		Why:      "this is the server's own noise; a cache or a race that answers the second call otherwise shows here first",
		Level:    contract.Must,
		Sources:  []string{"det-repeat", "https://github.com/vllm-project/vllm-ascend/issues/5725"},
		Variants: steadiness("a document repeats within cosine 0.9999", "near-duplicate search, caches, tests: the same text is two points"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if err := askBatches(ctx, p, "first", nil); err != nil {
				return err
			}
			return askBatches(ctx, p, "second", nil)
		},
		Classify: func(e contract.Evidence) contract.Finding {
			a, errA := batchVectors(e, "first", false)
			b, errB := batchVectors(e, "second", false)
			return steady(a, b, errA, errB).From("first:0", "second:0")
		},
	}
}

func parityAlone() contract.Check {
	return contract.Check{
		ID:      aloneCheck,
		Promise: "a document alone has the vector that it has among seven others",
		Why:     "documents are indexed in batches and queries asked alone; padding and masks are where servers go wrong",
		Level:   contract.Must,
		Sources: []string{"batch-invariance", "batch-padding-invariance", "https://github.com/huggingface/text-embeddings-inference/pull/648"},
		Reads:   []string{corpusProbe, documentsCheck},
		Variants: steadiness("alone and in a batch agree within cosine 0.9999",
			"search: the query is in another place than the document with the same words"),
		Classify: func(e contract.Evidence) contract.Finding {
			a, errA := aloneVectors(e.Read[documentsCheck])
			b, errB := batchVectors(e.Read[corpusProbe], "first", false)
			return steady(a, b, errA, errB)
		},
	}
}

func parityOrder() contract.Check {
	return contract.Check{
		ID:       orderCheck,
		Promise:  "a document has the same vector at any place of a batch",
		Why:      "what stands beside a text, and where, is no property of the text",
		Level:    contract.Must,
		Sources:  []string{"batch-invariance", "batch-no-cross-talk-feature"},
		Reads:    []string{corpusProbe},
		Variants: steadiness("batches and reversed batches agree within cosine 0.9999", "re-indexing in another order moves the documents"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			return askBatches(ctx, p, "reversed", slices.Reverse[[]string])
		},
		Classify: func(e contract.Evidence) contract.Finding {
			a, errA := batchVectors(e.Read[corpusProbe], "first", false)
			b, errB := batchVectors(e, "reversed", true)
			return steady(a, b, errA, errB).From("reversed:0")
		},
	}
}

func parityCosine() contract.Check {
	const share = "an index that holds vectors of both servers, or is asked by the other than the one that filled it"
	return contract.Check{
		ID:      "vector_parity/cosine",
		Promise: "each document of the corpus has the same vector on the candidate as on the reference",
		Why:     "this decides whether the index may stay",
		Level:   contract.Must,
		Sources: []string{"parity-cosine-peer", "parity-pooling-mode", "parity-golden-version"},
		Reads:   []string{corpusProbe, aloneCheck, orderCheck, documentsCheck},
		Looks: []string{ // truth_test.go holds these to the recordings
			"legacy and Dynamo 1.6.1 with the same weights in float32: cosine min 1-2e-12, median 1-1e-12, n=40; tokens equal on 40 of 40 documents",
			"legacy with mean pooling: cosine min 0.3996, median 0.5115, n=40; tokens equal on 40 of 40 documents",
			"legacy with the weights of another seed: cosine min -0.06505, median 0.002105, n=40; tokens equal on 40 of 40 documents",
			"legacy without the end marker: cosine min 0.208, median 0.3603, n=40; tokens equal on 0 of 40 documents",
		},
		Variants: []contract.Variant{
			{Name: "equal", Outcome: contract.Pass, Effect: contract.Same, Meaning: "they differ by rounding only, 1 − cosine at most 1e-5"},
			{Name: "within-noise", Outcome: contract.Pass, Effect: contract.Same, Meaning: "they differ by at most twice what each server differs from itself, and less than the bar"},
			{Name: "above-bar", Outcome: contract.Differs, Effect: contract.Unknown, Meaning: "cosine at least 0.9995, but farther apart than each server's own noise: another dtype or kernel. Whether rankings hold depends on the corpus",
				Breaks: "close rankings may change", Remedy: "measure ranking on your own corpus before mixing vectors of both"},
			{Name: "drifted", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "some documents are farther apart than cosine 0.9995", Breaks: share, Remedy: "embed the corpus again, or find the setting that differs"},
			{Name: "different-space", Outcome: contract.Fail, Effect: contract.IndexBreak, Silent: true, Meaning: "the median cosine is below 0.9: another model, pooling, prompt or end marker", Breaks: share, Remedy: "find the setting that differs; otherwise embed the corpus again"},
			{Name: "incomparable", Outcome: contract.Fail, Effect: contract.IndexBreak, Meaning: "the vectors have different lengths, or are of zeros", Breaks: share, Remedy: "embed the corpus again"},
			{Name: "not-served", Outcome: contract.Fail, Effect: contract.Unknown, Meaning: "one of the servers did not embed the corpus", Breaks: "every client"},
		},
		Compare: func(r, k contract.Evidence) contract.Finding {
			a, errA := batchVectors(r.Read[corpusProbe], "first", false)
			b, errB := batchVectors(k.Read[corpusProbe], "first", false)
			if errA != nil || errB != nil {
				return contract.Found("not-served", "reference: %v, candidate: %v", errA, errB)
			}
			s, err := parity.Compare(a, b)
			if err != nil {
				return contract.Found("incomparable", "%v", err)
			}
			floorR, floorK := noiseFloor(r), noiseFloor(k)
			f := withSpread(contract.Found("", "%s; bar 0.9995; noise floors: reference %s, candidate %s", spreadText(s),
				contract.FormatNumber(1-floorR), contract.FormatNumber(1-floorK)), s).
				With("floor of the reference", floorR).With("floor of the candidate", floorK)
			f.Variant = distanceVariant(s, max(floorR, floorK))
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
			{Name: "not-served", Outcome: contract.Fail, Effect: contract.ClientChange, Meaning: "one of the servers refuses some of the texts", Breaks: "pipelines with such texts"},
		},
		Compare: func(r, k contract.Evidence) contract.Finding {
			var all []float64
			var far []string
			for _, a := range r.Read[edgeCheck].StepsLike("edge:") {
				b := k.Read[edgeCheck].Step(a.Name)
				if !a.OK() || !b.OK() {
					return contract.Found("not-served", "%s: reference %s, candidate %s", a.Name, a.Describe(), b.Describe())
				}
				d, err := stepDistance(a, b)
				if err != nil || d > parity.PeerBar {
					far = append(far, a.Name)
				}
				all = append(all, d)
			}
			s := parity.Summarise(all)
			f := withSpread(contract.Found("same-vectors", "%s", spreadText(s)), s)
			if len(far) > 0 || len(all) == 0 {
				f.Variant = "some-differ"
				f.Observed = fmt.Sprintf("%d of %d differ: %s; %s", len(far), len(all), strings.Join(far, ", "), spreadText(s))
			}
			return f
		},
	}
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

// noiseFloor is the largest distance of a server from itself, 1 − cosine, over repeat, batch and order. What
// cannot be measured counts as 0, which widens nothing.
func noiseFloor(e contract.Evidence) float64 {
	first, err := batchVectors(e.Read[corpusProbe], "first", false)
	if err != nil {
		return 0
	}
	var floor float64
	again := func(vs [][]float32, err error) {
		if err != nil {
			return
		}
		if s, err := parity.Compare(first, vs); err == nil {
			floor = math.Max(floor, s.Farthest)
		}
	}
	again(batchVectors(e.Read[corpusProbe], "second", false))
	again(batchVectors(e.Read[orderCheck], "reversed", true))
	again(aloneVectors(e.Read[documentsCheck]))
	return floor
}
