package suites

import (
	"context"
	"fmt"
	"slices"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// vectorParity: the candidate puts a text where the reference puts it, and each server puts it there every time.
func vectorParity() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "vector_parity",
		Promise: "the same text has the same vector: asked again, in a batch, in another order, and from the other server",
		Checks:  []contract.Check{parityRepeat(), parityAlone(), parityOrder(), parityTwenty(), parityWarm(), parityCosine(), parityEdge(), parityComponents(), parityRank(), parityCross(), parityMixed()},
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
		r, _ := s.Response() // what cannot be read holds no vectors either
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

// steadiness are the variants of a server compared with itself, whose texts are no farther than a bar.
func steadiness(bar float64, meaning, breaks string) []contract.Variant {
	return []contract.Variant{
		{Name: "steady", Outcome: contract.Pass, Meaning: meaning},
		{Name: "below-bar", Outcome: contract.Fail, Meaning: "a document is farther from itself than cosine " + contract.FormatNumber(1-bar), Breaks: breaks},
		{Name: "incomparable", Outcome: contract.Fail, Meaning: "the vectors have different lengths, or are of zeros", Breaks: "every index"},
		refused(),
	}
}

// steadySwaps: a server that no longer agrees with itself, or does so now, answers otherwise than what is stored.
func steadySwaps() []contract.SwapRule {
	return []contract.SwapRule{
		{From: "*", To: "below-bar", Effect: contract.IndexBreak, Silent: true, Why: "vectors differ from the stored ones, depending on how they were asked for"},
		{From: "*", To: "incomparable", Effect: contract.IndexBreak, Why: "vectors have no steady length"},
		{From: "below-bar", To: "steady", Effect: contract.Compatible, Why: "vectors are steadier now; vector_parity/cosine says whether they moved"},
	}
}

func steady(bar float64, a, b [][]float32, errs ...error) contract.Finding {
	for _, err := range errs {
		if err != nil {
			return contract.Found("refused", "%v", err)
		}
	}
	all, err := parity.Distances(a, b)
	if err != nil {
		return contract.Found("incomparable", "%v", err)
	}
	s := parity.Summarise(all)
	f := withSpread(contract.Found("steady", "%s", spreadText(s)), s).Along(contract.Distances, nil, all)
	if s.Farthest > bar {
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
		Swap:     steadySwaps(),
		Variants: steadiness(parity.SameBar, "a document repeats within cosine 0.9999", "near-duplicate search, caches, tests: the same text is two points"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if err := askBatches(ctx, p, "first", nil); err != nil {
				return err
			}
			return askBatches(ctx, p, "second", nil)
		},
		Classify: func(e contract.Evidence) contract.Finding {
			a, errA := batchVectors(e, "first", false)
			b, errB := batchVectors(e, "second", false)
			return steady(parity.SameBar, a, b, errA, errB).From("first:0", "second:0")
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
		Swap:    steadySwaps(),
		Variants: steadiness(parity.BatchBar, "alone and in a batch agree within cosine 0.9995",
			"search: the query is in another place than the document with the same words"),
		Classify: func(e contract.Evidence) contract.Finding {
			a, errA := aloneVectors(e.Read[documentsCheck])
			b, errB := batchVectors(e.Read[corpusProbe], "first", false)
			return steady(parity.BatchBar, a, b, errA, errB)
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
		Swap:     steadySwaps(),
		Variants: steadiness(parity.BatchBar, "batches and reversed batches agree within cosine 0.9995", "re-indexing in another order moves the documents"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			return askBatches(ctx, p, "reversed", slices.Reverse[[]string])
		},
		Classify: func(e contract.Evidence) contract.Finding {
			a, errA := batchVectors(e.Read[corpusProbe], "first", false)
			b, errB := batchVectors(e, "reversed", true)
			return steady(parity.BatchBar, a, b, errA, errB).From("reversed:0")
		},
	}
}
