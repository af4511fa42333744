package suites

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// maxInputs is the longest list that OpenAI's schema allows (maxItems of input).
const maxInputs = 2048

// heavyPatience is how long the answer to a request may take that keeps a server on a CPU busy for more than a minute;
// the OpenAI SDKs wait twice as long. A server that is busy is not dead: the plain request afterwards waits as long.
const heavyPatience = 5 * time.Minute

const (
	// numberRoom is the longest that a number is spelt as a double, with its comma, sign and exponent, in bytes.
	numberRoom = 26
	// usualDimensions is the length of a vector where it is not known.
	usualDimensions = 1024
)

// manyTexts are n texts of a few words, no two alike.
func manyTexts(n int) []string {
	texts := distinctTexts(n)
	for i := range texts {
		texts[i] = fmt.Sprintf("%s Page %d.", texts[i], i+1)
	}
	return texts
}

// askMany asks for a list of n texts, and once more, in a short list, for those of which the vectors will be kept.
func askMany(n int, opts ...contract.Option) func(context.Context, contract.Prober) error {
	return func(ctx context.Context, p contract.Prober) error {
		all := manyTexts(n)
		var some []string
		for _, row := range contract.KeptRows(n) {
			some = append(some, all[row])
		}
		if _, err := p.Embed(ctx, "some", contract.Body{"input": some}); err != nil {
			return err
		}
		room := int64(n) * numberRoom * int64(max(p.Facts().Dimensions, usualDimensions))
		opts := append([]contract.Option{contract.Recipe(fmt.Sprintf("texts 1 to %d", n)), contract.Patience(heavyPatience), contract.Room(room)}, opts...)
		_, err := p.Embed(ctx, "many", contract.Body{"input": all}, opts...)
		return err
	}
}

// manyFinding judges the answer to a long list: its length, that each vector is one, and the kept ones by those of
// the short list.
func manyFinding(e contract.Evidence, n int, served string) contract.Finding {
	some, many := e.Step("some"), e.Step("many")
	if f, ok := unserved(some); ok {
		return f
	}
	if v, no := refusal(many); no {
		return contract.Found(v, "%s", many.Describe()).From(many.Name)
	}
	rows := contract.KeptRows(n)
	want, err := some.Many(len(rows))
	if err != nil {
		return mismatch(some, err)
	}
	r, err := many.Response()
	if err != nil {
		return mismatch(many, err)
	}
	if len(r.Items) != n {
		return contract.Found("wrong-count", "%d texts gave %d items", n, len(r.Items)).From(many.Name)
	}
	got := map[int]contract.Item{}
	for at, it := range r.Items {
		if it.Length != len(want[0]) || it.Vector == nil && it.Norm == 0 {
			return contract.Found("other-vector", "data[%d] has %d numbers of norm %s, in a short list %d", at, it.Length, contract.FormatNumber(it.Norm), len(want[0])).From(many.Name)
		}
		got[it.Index] = it
	}
	var farthest float64
	for i, row := range rows {
		it := got[row]
		if it.Vector == nil {
			return contract.Found("other-vector", "no vector with index %d can be compared: it stands elsewhere in data, or its index is another's", row).From(many.Name)
		}
		d, err := parity.Distance(it.Vector, want[i])
		if errors.Is(err, parity.ErrZero) {
			return mismatch(many, err)
		}
		if err != nil || d > parity.BatchBar {
			return contract.Found("other-vector", "text %d of %d: cosine %s to the text in a short list", row+1, n, contract.FormatNumber(1-d)).From(many.Name)
		}
		farthest = max(farthest, d)
	}
	return contract.Found(served, "%d items, %d of them compared", n, len(rows)).With("items", float64(n)).With("cosine min", 1-farthest).From(many.Name)
}

func batchLimit() contract.Check {
	const wrong = "indexing jobs that send as many texts as they may: documents are stored with wrong vectors, in silence"
	return contract.Check{
		ID: "batching/limit-2048", Promise: "2048 texts in one request are served, each with its own vector",
		Why:   "LangChain and LlamaIndex can be told to send as many; a lower limit stops the job, and a server that splits such a request must put it together again",
		Level: contract.Should, Extended: true, Sources: []string{"batch-limit-2048", openAIRequest + ".input: maxItems 2048"},
		Variants: append(refusesFeature("a request of 2048 texts", "indexing jobs with long lists", "send smaller batches"),
			contract.Variant{Name: "served", Outcome: contract.Pass, Meaning: "2048 items, and 16 of them compared have their own vectors"},
			contract.Variant{Name: "wrong-count", Outcome: contract.Fail, Meaning: "another number of items than texts", Breaks: wrong},
			contract.Variant{Name: "other-vector", Outcome: contract.Fail, Meaning: "a text has a vector that it does not have in a short list", Breaks: wrong, Remedy: "send smaller batches"}),
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: "*", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: "long lists are stored with wrong vectors"},
			contract.SwapRule{From: "other-vector", To: "served", Effect: contract.IndexBreak, Silent: true, Why: "long lists were stored with wrong vectors"}),
		Probe:    askMany(maxInputs),
		Classify: func(e contract.Evidence) contract.Finding { return manyFinding(e, maxInputs, "served") },
	}
}

func batchAboveLimit() contract.Check {
	const wrong = "indexing jobs without a limit of their own: documents are stored with wrong vectors, in silence"
	return contract.Check{
		ID: "batching/above-2048", Promise: "2049 texts in one request are refused as a fault of the client, or served in full",
		Why:   "one more than the schema allows is where lists are cut without a word",
		Level: contract.May, Extended: true, Sources: []string{"batch-limit-2048", openAIRequest + ".input: maxItems 2048"},
		Variants: append(refusesFault("a request of 2049 texts"),
			contract.Variant{Name: "served", Outcome: contract.Differs, Meaning: "2049 items, and 16 of them compared have their own vectors: there is no limit, or a higher one", Breaks: "nobody at once; memory is the limit then"},
			contract.Variant{Name: "wrong-count", Outcome: contract.Fail, Meaning: "another number of items than texts", Breaks: wrong, Remedy: "send smaller batches"},
			contract.Variant{Name: "other-vector", Outcome: contract.Fail, Meaning: "a text has a vector that it does not have in a short list", Breaks: wrong, Remedy: "send smaller batches"}),
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: "*", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: "long lists are stored with wrong vectors"},
			contract.SwapRule{From: "other-vector", To: "served", Effect: contract.IndexBreak, Silent: true, Why: "long lists were stored with wrong vectors"},
			contract.SwapRule{From: rejected, To: "served", Effect: contract.Compatible, Why: "what failed before is served now"},
			contract.SwapRule{From: rejectedRetried, To: "served", Effect: contract.Compatible, Why: "what failed before is served now"},
			contract.SwapRule{From: failed, To: "served", Effect: contract.Compatible, Why: "what failed before is served now"}),
		Probe:    askMany(maxInputs+1, contract.Violates("input has at most 2048 items")),
		Classify: func(e contract.Evidence) contract.Finding { return manyFinding(e, maxInputs+1, "served") },
	}
}
