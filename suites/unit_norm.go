package suites

import (
	"context"
	"errors"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// unitNorm: vectors have length 1, so that a dot product is a cosine.
func unitNorm() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "unit_norm",
		Promise: "every vector has the L2 norm 1, so that a dot product is a cosine",
		Checks: []contract.Check{
			normCheck("single", "a text alone gives a vector of norm 1", []string{"norm-unit"}, func(contract.Facts) (any, string, error) {
				return []string{"Boats on the old river."}, "", nil
			}),
			normCheck("batch-of-8", "each of eight texts in one request gives a vector of norm 1", []string{"norm-unit-batch-and-base64"},
				func(contract.Facts) (any, string, error) { return numbered(8), "", nil }),
			needing(countsTokens, normCheck("near-limit", "a text of exactly the token limit gives a vector of norm 1", []string{"norm-unit-long-input"},
				func(f contract.Facts) (any, string, error) {
					if err := needLimit(f); err != nil {
						return nil, "", err
					}
					return []string{f.Limit.String()}, f.Limit.Recipe(), nil
				})),
			normOdd(), normQueriesAndIDs(), normBase64(), normOverLimit(), normNormalize(), normActivation(),
		},
	}
}

// needing is a check that not every server can be asked.
func needing(of func(contract.Facts) error, c contract.Check) contract.Check {
	c.Needs = of
	return c
}

func normCheck(name, promise string, rows []string, input func(contract.Facts) (any, string, error)) contract.Check {
	return contract.Check{
		ID:      "unit_norm/" + name,
		Promise: promise,
		Why:     unitWhy,
		Level:   contract.Must,
		Sources: append(rows, unitGuide),
		Variants: []contract.Variant{
			{Name: "unit", Outcome: contract.Pass, Meaning: "the norm is 1 within 0.001"},
			{Name: "not-unit", Outcome: contract.Fail, Meaning: "the norm differs from 1", Breaks: "indexes that use the dot product, score thresholds",
				Remedy: "divide each vector by its norm"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "unit", To: "not-unit", Effect: contract.IndexBreak, Silent: true, Why: "stored vectors have norm 1 and new ones do not: dot products of the two mean nothing"},
			{From: "not-unit", To: "unit", Effect: contract.IndexBreak, Silent: true, Why: "stored vectors do not have norm 1 and new ones do: dot products of the two mean nothing"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			in, recipe, err := input(p.Facts())
			if err != nil {
				return err
			}
			var opts []contract.Option
			if recipe != "" {
				opts = append(opts, contract.Recipe(recipe))
			}
			_, err = p.Embed(ctx, "asked", contract.Body{"input": in}, opts...)
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			r, err := s.Response()
			if err != nil {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			if len(r.Items) == 0 {
				return mismatch(s, errors.New("no vectors in data"))
			}
			worst := 1.0
			var norms []float64
			for i, it := range r.Items {
				if it.Vector == nil {
					return contract.Found(contract.Other, "data[%d].embedding is not a flat list of finite numbers", i).From(s.Name)
				}
				norms = append(norms, parity.Norm(it.Vector))
				if n := parity.Norm(it.Vector); max(n-1, 1-n) > max(worst-1, 1-worst) {
					worst = n
				}
			}
			f := contract.Found("unit", "%d vectors, the norm farthest from 1 is %s", len(r.Items), contract.FormatNumber(worst)).With("norm", worst).From(s.Name).Along(contract.Norms, nil, norms)
			if max(worst-1, 1-worst) > parity.NormTolerance {
				f.Variant = "not-unit"
			}
			return f
		},
	}
}
