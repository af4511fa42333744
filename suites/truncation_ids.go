package suites

import (
	"context"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	// idsOverLimit is how many ids stand above the limit: more than any markers, and few, so that the list stays within
	// the schema's 2048 for the limits that are common.
	idsOverLimit = 16
	// schemaItems is the greatest length of a list that the schema allows.
	schemaItems = 2048
)

// manyIDs are n small ids; end is what the last of them, those above the limit, are.
func manyIDs(n, end int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = someIDs()[i%len(someIDs())] + i%7
		if i >= n-idsOverLimit {
			out[i] = end
		}
	}
	return out
}

func askIDs(ctx context.Context, p contract.Prober, step string, ids []int, recipe string) (contract.Step, error) {
	opts := []contract.Option{contract.Recipe(recipe)}
	if len(ids) > schemaItems {
		opts = append(opts, contract.Violates("input has at most 2048 items"))
	}
	return p.Embed(ctx, step, contract.Body{"input": ids}, opts...)
}

// policy is what happens to something that is too long, as far as a client must know it.
type policy string

const (
	refusedLong policy = "refused"
	cutLong     policy = "cut"
	wholeLong   policy = "served whole"
	unknownLong policy = "cut elsewhere, or something else"
)

func truncIDs() contract.Check {
	const short = "input_forms/token-ids"
	const who = "clients that send token ids, LangChain for Python first: what holds for their texts does not hold for them"
	return contract.Check{
		ID: "truncation/token-ids", Promise: "a list of more token ids than the limit is treated as an over-long text is",
		Why: "servers cut and refuse in the part that makes tokens of a text, which ids never see", Level: contract.Should,
		Sources: []string{"trunc-token-array", "Dynamo never cuts ids; TEI decodes them and cuts the text"},
		Reads:   []string{short, longCheck},
		Variants: []contract.Variant{
			{Name: "same-policy", Outcome: contract.Pass, Meaning: "refused with a 4xx as the text is, or cut as the text is"},
			{Name: "refused-unlike-text", Refuses: true, Outcome: contract.Differs, Meaning: "refused with a 4xx, though an over-long text is served", Breaks: who, Remedy: "cut the list at the limit on the client"},
			{Name: "served-unlike-text", Outcome: contract.Fail, Meaning: "200, though an over-long text is refused, or is treated otherwise", Breaks: who, Remedy: "cut the list at the limit on the client"},
			{Name: "cut-otherwise", Outcome: contract.Fail, Meaning: "200 with a vector that is not that of the list cut at the limit", Breaks: who, Remedy: "cut the list at the limit on the client"},
			{Name: failed, Refuses: true, Outcome: contract.Fail, Meaning: "answered as a fault of the server", Breaks: breaksOn5xx, Remedy: "cut the list at the limit on the client"},
			{Name: "not-offered", Outcome: contract.Unsupported, Meaning: "a short list of ids does not give one vector either", Breaks: "see input_forms/token-ids"},
		},
		Swap: []contract.SwapRule{
			{From: "not-offered", To: "*", Effect: contract.Compatible, Why: "no list of ids was served before"},
			{From: "*", To: "cut-otherwise", Effect: contract.IndexBreak, Silent: true, Why: "vectors of long lists are others than the stored ones"},
			{From: "cut-otherwise", To: "*", Effect: contract.IndexBreak, Silent: true, Why: "vectors of long lists are others than the stored ones"},
			{From: failed, To: "refused-unlike-text", Effect: contract.Compatible, Why: "it failed before and fails now, without being repeated"},
			{From: "not-offered", To: failed, Effect: contract.Compatible, Why: "no list of ids was served before"},
			{From: "not-offered", To: "refused-unlike-text", Effect: contract.Compatible, Why: "no list of ids was served before"},
		},
		Needs: countsTokens,
		Probe: func(ctx context.Context, p contract.Prober) error {
			f := p.Facts()
			if err := needLimit(f); err != nil {
				return err
			}
			if _, err := p.Read(short).Step("ids").One(); err != nil {
				return nil // there is nothing to ask for
			}
			n := f.MaxTokens + idsOverLimit
			s, err := askIDs(ctx, p, "over-long", manyIDs(n, someIDs()[0]), fmt.Sprintf("%d ids", n))
			if err != nil || !s.OK() {
				return err
			}
			if _, err := askIDs(ctx, p, "cut", manyIDs(n, someIDs()[0])[:f.MaxTokens], fmt.Sprintf("the first %d of %d ids", f.MaxTokens, n)); err != nil {
				return err
			}
			_, err = askIDs(ctx, p, "other-tail", manyIDs(n, someIDs()[1]), fmt.Sprintf("%d ids with another end", n))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			if _, err := e.Read[short].Step("ids").One(); err != nil {
				return contract.Found("not-offered", "%s", e.Read[short].Step("ids").Describe())
			}
			s := e.Step("over-long")
			v, no := refusal(s)
			if v == failed || v == contract.Other {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			text, ids := textPolicy(e.Read[longCheck]), refusedLong
			if !no {
				if _, err := s.One(); err != nil {
					return mismatch(s, err)
				}
				ids = idsPolicy(e)
			}
			f := contract.Found("same-policy", "ids: %s (%s); text: %s", ids, s.Describe(), text).From(s.Name)
			switch {
			case ids == text && ids != unknownLong, ids == cutLong && text == unknownLong:
			case ids == refusedLong:
				f.Variant = "refused-unlike-text"
			case ids == unknownLong:
				f.Variant = "cut-otherwise"
			default:
				f.Variant = "served-unlike-text"
			}
			return f
		},
	}
}

func textPolicy(e contract.Evidence) policy {
	switch overLimit(e, "over-long").Variant {
	case rejected, rejectedRetried, failed:
		return refusedLong
	case "truncated", "cut-silently":
		return cutLong
	case "served-whole":
		return wholeLong
	}
	return unknownLong
}

func idsPolicy(e contract.Evidence) policy {
	s := e.Step("over-long")
	if d, err := stepDistance(s, e.Step("cut")); err == nil && d <= parity.SameBar {
		return cutLong
	}
	// What cannot be read is at no distance, and counts nothing.
	d, _ := stepDistance(s, e.Step("other-tail"))
	if n, _ := s.Tokens(); d > parity.SameBar && n > e.Facts.MaxTokens {
		return wholeLong
	}
	return unknownLong
}
