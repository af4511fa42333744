package suites

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// queryVariants are the ways in which two servers can answer what is meant to be the same query.
func queryVariants(elsewhere contract.Variant) []contract.Variant {
	return []contract.Variant{
		{Name: "same-vector", Outcome: contract.Pass, Effect: contract.Same, Meaning: "the query lands at the same place, cosine at least 0.9995"},
		elsewhere,
		{Name: "other-norm", Outcome: contract.Fail, Effect: elsewhere.Effect, Silent: true, Meaning: "the same direction, but a norm that differs by more than 0.001",
			Breaks: "dot products and score thresholds", Remedy: "divide each vector by its norm"},
		{Name: "neither-serves", Outcome: contract.Unsupported, Effect: contract.Same, Meaning: "both servers refuse the request"},
		{Name: "not-served", Outcome: contract.Fail, Effect: contract.ClientChange, Meaning: "one of the servers refuses the request", Breaks: "clients that send it", Remedy: prefixRemedy},
	}
}

// sameQueries compares each query of the reference with the same one of the candidate: steps that end in its id. What both
// refuse is alike, and says nothing of the rest; a vector that moved outweighs an answer that is missing.
func sameQueries(reference, candidate contract.Evidence, from, to string) contract.Finding {
	var all []float64
	var moved, missing, neither []contract.Finding
	norms := "" // of the first that differ
	asked := reference.StepsLike(from)
	for _, a := range asked {
		b := candidate.Step(to + strings.TrimPrefix(a.Name, from))
		found := func(variant string) contract.Finding {
			return contract.Found(variant, "reference: %s; candidate: %s", a.Describe(), b.Describe()).From(a.Name, b.Name)
		}
		d, err := stepDistance(a, b)
		switch {
		case !a.OK() && !b.OK():
			neither = append(neither, found("neither-serves"))
		case directionless(err):
			moved = append(moved, found("other-vector"))
		case err != nil:
			missing = append(missing, found("not-served"))
		default:
			if va, vb := firstVector(a), firstVector(b); norms == "" && !parity.SameNorm(va, vb) {
				norms = fmt.Sprintf("%s: norms %s and %s", a.Name, contract.FormatNumber(parity.Norm(va)), contract.FormatNumber(parity.Norm(vb)))
			}
			all = append(all, d)
		}
	}
	s := parity.Summarise(all)
	switch {
	case len(moved) > 0:
		return moved[0]
	case len(missing) > 0 && !(s.Farthest > parity.PeerBar):
		return missing[0]
	case len(all) == 0 && len(neither) > 0:
		return neither[0]
	case len(all) == 0:
		return contract.Found("not-served", "no queries were asked")
	}
	ta, _ := asked[0].Tokens()
	tb, _ := candidate.Step(to + strings.TrimPrefix(asked[0].Name, from)).Tokens()
	f := withSpread(contract.Found("same-vector", "%s; the first has %d and %d tokens", spreadText(s), ta, tb), s).From(asked[0].Name)
	switch {
	case s.Farthest > parity.PeerBar:
		f.Variant = "other-vector"
	case norms != "":
		f.Variant, f.Observed = "other-norm", norms+"; "+f.Observed
	}
	if n := len(neither); n > 0 {
		f.Observed += fmt.Sprintf("; %d of %d queries are served by neither", n, len(asked))
	}
	return f
}

// firstVector is the vector of an answer of which it is known that it holds one.
func firstVector(s contract.Step) []float32 {
	v, _ := s.One()
	return v
}

func instrSameQuery() contract.Check {
	return contract.Check{
		ID:      "instructions/same-query",
		Promise: "a request with input_type query gives the same vector on the candidate as on the reference",
		Why:     "this is the request that search sends; documents may agree to the last digit while queries do not",
		Level:   contract.Must,
		Sources: []string{"instr-query-takes-effect", "parity-cross-index"},
		Variants: queryVariants(contract.Variant{Name: "other-vector", Outcome: contract.Fail, Effect: contract.ClientChange,
			Silent: true, Meaning: "the same query lands elsewhere, with 200 from both", Breaks: silentQueries, Remedy: prefixRemedy}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			for _, q := range p.Plan().Texts().Queries {
				if _, err := p.Embed(ctx, "query:"+q.ID, contract.Body{"input": q.Text, "input_type": "query"}, contract.Violates(outsideSchema)); err != nil {
					return err
				}
			}
			return nil
		},
		Compare: func(r, k contract.Evidence) contract.Finding { return sameQueries(r, k, "query:", "query:") },
	}
}

func instrPrefixedQuery() contract.Check {
	return contract.Check{
		ID:      "instructions/prefixed-query",
		Promise: "the reference's instruction, put before the text by the client, gives on the candidate the vector of the reference's query",
		Why:     "this proves the way out: when it holds, clients that write the instruction themselves lose nothing",
		Level:   contract.Must,
		Sources: []string{"instr-manual-prefix-equals"},
		Reads:   []string{"instructions/same-query", corpusProbe},
		Plans:   []string{contract.PlanPrefix},
		Variants: append(queryVariants(contract.Variant{Name: "other-vector", Outcome: contract.Fail, Effect: contract.IndexBreak,
			Meaning: "even with the instruction written out the query lands elsewhere", Breaks: "search: there is no client-side way to the same query vectors",
			Remedy: "none is known: embed the corpus again and tune the prompt anew"}),
			contract.Variant{Name: "not-the-prefix", Outcome: contract.Unsupported, Effect: contract.Same,
				Meaning: "the reference refuses queries, or does not put this instruction before them: there is nothing to keep"}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			prefix := p.Plan().Facts.QueryPrefix
			if prefix == "" {
				return contract.Inapplicable("no facts.query_prefix is declared for the reference")
			}
			for _, q := range p.Plan().Texts().Queries {
				if _, err := p.Embed(ctx, "prefixed:"+q.ID, contract.Body{"input": prefix + q.Text}); err != nil {
					return err
				}
			}
			return nil
		},
		Compare: func(r, k contract.Evidence) contract.Finding {
			queries := r.Read["instructions/same-query"]
			if why := notThePrefix(queries, r); why != "" {
				return contract.Found("not-the-prefix", "%s", why)
			}
			return sameQueries(queries, k, "query:", "prefixed:")
		},
	}
}

// notThePrefix says why the reference's own queries are not its prefixed texts; empty when they are, and when the
// reference is too unsteady to tell.
func notThePrefix(queries, r contract.Evidence) string {
	first, errA := batchVectors(r.Read[corpusProbe], "first", false)
	second, errB := batchVectors(r.Read[corpusProbe], "second", false)
	if repeat, err := parity.Compare(first, second); errors.Join(errA, errB, err) != nil || repeat.Farthest > parity.SameBar {
		return ""
	}
	for _, q := range queries.StepsLike("query:") {
		prefixed := r.Step("prefixed:" + strings.TrimPrefix(q.Name, "query:"))
		if !q.OK() && prefixed.OK() {
			return q.Name + ": " + q.Describe()
		}
		if d, _ := stepDistance(q, prefixed); d > parity.PeerBar { // 0 where there is none
			return fmt.Sprintf("%s: cosine %s to the prefixed text, on the reference itself", q.Name, contract.FormatNumber(1-d))
		}
	}
	return ""
}
