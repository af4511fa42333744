package suites

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

func encBatch() contract.Check {
	const sdks = "the OpenAI SDKs, whose batches are base64 by default: documents are stored with wrong vectors, in silence"
	return contract.Check{
		ID: "encoding_format/base64-batch", Promise: "each text of a base64 batch has the vector that it has in a batch of numbers",
		Why: "a batch in base64 is what the OpenAI SDKs send when their caller names no format", Level: contract.Must,
		Sources: []string{"enc-base64-equals-float", "batch-index-correct", encSources},
		Variants: append([]contract.Variant{
			{Name: "equal", Outcome: contract.Pass, Meaning: "the same vectors, in the same places"},
			{Name: "other-vectors", Outcome: contract.Fail, Meaning: "some strings hold another vector, or one of another norm", Breaks: sdks, Remedy: askFloat},
			{Name: "wrong-count", Outcome: contract.Fail, Meaning: "another number of items than texts", Breaks: sdks, Remedy: askFloat},
			{Name: "not-offered", Outcome: contract.Unsupported, Meaning: "there are no base64 strings to look at", Breaks: "see encoding_format/base64-is-string", Remedy: askFloat},
		}, refusesFeature("a base64 batch", "the OpenAI SDKs, which send it by themselves", askFloat)...),
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: "not-offered", To: "equal", Effect: contract.Compatible, Why: "what is new here is said by encoding_format/base64-is-string"},
			contract.SwapRule{From: "*", To: "other-vectors", Effect: contract.IndexBreak, Silent: true, Why: "documents are stored with the vectors of others"},
			contract.SwapRule{From: "other-vectors", To: "equal", Effect: contract.IndexBreak, Silent: true, Why: "what was stored through base64 batches is wrong"}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			for _, format := range []string{"float", "base64"} {
				if _, err := p.Embed(ctx, format, contract.Body{"input": batchTexts(), "encoding_format": format}); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s, n := e.Step("base64"), len(batchTexts())
			if f, ok := unserved(e.Step("float")); ok {
				return f
			}
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			want, err := e.Step("float").Many(n)
			if err != nil {
				return mismatch(e.Step("float"), err)
			}
			r, err := s.Response()
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("equal", "%d strings", len(r.Items)).From("float", "base64")
			if len(r.Items) != n {
				f.Variant = "wrong-count"
				return f
			}
			for i, it := range r.Items {
				if it.Text == "" {
					f.Variant, f.Observed = "not-offered", s.Describe()
					return f
				}
				raw, err := base64.StdEncoding.DecodeString(it.Text)
				got := floats(raw, binary.LittleEndian)
				d, errD, norm := 1.0, err, false
				if err == nil && it.Index >= 0 && it.Index < n {
					d, errD = parity.Distance(got, want[it.Index])
					norm = parity.SameNorm(got, want[it.Index])
				}
				if errD != nil || d > parity.SameBar || !norm || !finite(got) {
					f.Variant, f.Observed = "other-vectors", fmt.Sprintf("item %d with index %d is not the vector of that text", i, it.Index)
					return f
				}
			}
			return f
		},
	}
}
