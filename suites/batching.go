package suites

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// batching: whose vector is it?
func batching() contract.Behaviour {
	return contract.Behaviour{
		Stem:     "batching",
		Promise:  "each text of a batch gets its own vector, at its own place",
		Checks:   []contract.Check{batchIndex(), batchOrder(), batchDuplicates(), batchCorpus(), batchLong(), batchLimit(), batchAboveLimit()},
		Remedies: []contract.Check{smallerRemedy()},
	}
}

// batchTexts differ clearly and have unlike lengths, so that a server which sorts by length has to undo it.
func batchTexts() []string {
	return []string{
		"Bakers sell warm bread near the station before the school opens its doors in the morning.",
		"rain",
		"오래된 시장의 지붕 위로 비가 내린다.",
		"The clock of the town hall never tells the right time.",
		"Old boats.",
	}
}

const indexCheck = "batching/index"

func batchIndex() contract.Check {
	const wrong = "every client of batches: documents are stored with the vectors of others, in silence"
	return contract.Check{
		ID: indexCheck, Promise: "data[i].index names the text whose vector it is",
		Why: "a vector under the wrong text is never noticed again", Level: contract.Must,
		Sources: []string{openAIResponse + ".data.index", "batch-index-correct"},
		Variants: []contract.Variant{
			{Name: "matches", Outcome: contract.Pass, Meaning: "each vector is the one of its text alone"},
			{Name: "swapped", Outcome: contract.Fail, Meaning: "an index names another text than the one whose vector stands there", Breaks: wrong},
			{Name: "no-index", Outcome: contract.Fail, Meaning: "index is absent, out of range or used twice", Breaks: "clients that sort by index, LiteLLM among them"},
			{Name: "no-match", Outcome: contract.Fail, Meaning: "a vector in the batch is near none of the texts alone", Breaks: "search: documents from batches and queries alone do not meet"},
			{Name: "wrong-count", Outcome: contract.Fail, Meaning: "another number of items than texts", Breaks: wrong},
			refused(),
		},
		Swap: movedBetween("texts in batches have other vectors than before", "matches", "swapped", "no-match"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "batch", contract.Body{"input": batchTexts()}); err != nil {
				return err
			}
			for i, t := range batchTexts() {
				if _, err := p.Embed(ctx, fmt.Sprintf("single-%d", i), contract.Body{"input": t}); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("batch")
			r, err := s.Response()
			if err != nil {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			n := len(batchTexts())
			if len(r.Items) != n {
				return contract.Found("wrong-count", "%d texts gave %d items", n, len(r.Items)).From(s.Name)
			}
			if _, err := inOrder(r); err != nil {
				return mismatch(s, err)
			}
			batch, err := s.Many(n)
			if err != nil {
				return contract.Found("no-index", "%v", err).From(s.Name)
			}
			f := contract.Found("matches", "%d of %d", n, n).From("batch")
			for i := range n {
				near, d, err := nearest(batch[i], e.StepsLike("single-"))
				switch {
				case err != nil:
					return mismatch(s, err)
				case d > parity.SpaceBar:
					return contract.Found("no-match", "the vector with index %d has cosine %s to its nearest text", i, contract.FormatNumber(1-d)).From("batch")
				case near != i:
					return contract.Found("swapped", "the vector with index %d is that of text %d", i, near).From("batch", fmt.Sprintf("single-%d", near))
				}
			}
			return f
		},
	}
}

// inOrder returns the vectors as they stand in data, whatever their index.
func inOrder(r contract.Response) ([][]float32, error) {
	var out [][]float32
	for i, it := range r.Items {
		if it.Vector == nil {
			return nil, fmt.Errorf("data[%d].embedding is not a flat list of finite numbers", i)
		}
		out = append(out, it.Vector)
	}
	return out, nil
}

// nearest finds which of the single answers a vector is, and how far it is from it.
func nearest(v []float32, singles []contract.Step) (int, float64, error) {
	best, at := 3.0, -1
	for i, s := range singles {
		w, err := s.One()
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", s.Name, err)
		}
		d, err := parity.Distance(v, w)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", s.Name, err)
		}
		if d < best {
			best, at = d, i
		}
	}
	return at, best, nil
}

func batchOrder() contract.Check {
	return contract.Check{
		ID: "batching/order", Promise: "data stands in the order of input",
		Why: "only index is promised, but LangChain, LlamaIndex, Haystack, Weaviate, Chroma and the Vercel SDK read by position", Level: contract.Should,
		Sources: []string{"batch-order-positional", "https://github.com/openai/openai-python/issues/420"},
		Reads:   []string{indexCheck},
		Variants: []contract.Variant{
			{Name: "sorted", Outcome: contract.Pass, Meaning: "index is 0, 1, 2, …"},
			{Name: "unsorted", Outcome: contract.Differs, Meaning: "allowed by the schema: another order, named by index", Breaks: "clients that read by position: the wrong vectors are stored, in silence", Remedy: "sort data by index"},
			{Name: "no-index", Outcome: contract.Fail, Meaning: "index is absent or no integer", Breaks: "clients that sort by index"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "unsorted", To: "sorted", Effect: contract.Compatible, Why: "index names the text as before"},
			{From: "sorted", To: "unsorted", Effect: contract.ClientChange, Silent: true, Why: "clients that read by position store the vectors of other texts"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Read[indexCheck].Step("batch")
			r, err := s.Response()
			if err != nil {
				return contract.Found("refused", "%s", s.Describe())
			}
			var order []int
			for _, it := range r.Items {
				order = append(order, it.Index)
			}
			f := contract.Found("sorted", "index %v", order)
			switch {
			case slices.Contains(order, -1):
				f.Variant = "no-index"
			case !slices.IsSorted(order):
				f.Variant = "unsorted"
			}
			return f
		},
	}
}

func batchDuplicates() contract.Check {
	return contract.Check{
		ID: "batching/duplicates", Promise: "a text that stands in a batch three times is answered three times, with one vector",
		Why: "boilerplate repeats; a cache that drops repeats shifts all vectors after them", Level: contract.Must,
		Sources: []string{"batch-duplicates"},
		Variants: []contract.Variant{
			{Name: "answered", Outcome: contract.Pass, Meaning: "each repeat has its item and the same vector"},
			{Name: "dropped", Outcome: contract.Fail, Meaning: "another number of items than texts", Breaks: "clients that pair texts and vectors by position"},
			{Name: "differ", Outcome: contract.Fail, Meaning: "the repeats have different vectors", Breaks: "near-duplicate search; something depends on the place in the batch"},
			refused(),
		},
		Swap:  movedBetween("repeated texts have other vectors than before", "answered", "differ"),
		Probe: askText("repeats", contract.Body{"input": []string{"Old boats.", "rain on the roof", "Old boats.", "Old boats."}}),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("repeats")
			r, err := s.Response()
			if err != nil {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			if len(r.Items) != 4 {
				return contract.Found("dropped", "4 texts gave %d items", len(r.Items)).From(s.Name)
			}
			vs, err := s.Many(4) // by index: the order of data is not promised
			if err != nil {
				vs, err = inOrder(r) // whether index is right is for batching/index to say
			}
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("answered", "4 items").From(s.Name)
			for _, i := range []int{2, 3} {
				d, err := parity.Distance(vs[0], vs[i])
				if errors.Is(err, parity.ErrZero) {
					return mismatch(s, err)
				}
				if err != nil || d > parity.SameBar {
					f.Variant = "differ"
					f.Observed = fmt.Sprintf("cosine %s between repeats", contract.FormatNumber(1-d))
				}
			}
			return f
		},
	}
}
