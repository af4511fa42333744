package suites

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// dimensions: a vector has the length that the index was built for, whatever the text, and a shorter one on request.
func dimensions() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "dimensions",
		Promise: "a vector has the model's length whatever the text, and dimensions shortens it without spoiling it",
		Checks: []contract.Check{
			dimNative(), dimConstant(), dimReduced(), dimBatch(), dimNativeValue(),
			dimInvalid("above-native", "dim-above-native", "one more than the native length", func(native int) int { return native + 1 }),
			dimInvalid("zero", "dim-zero-negative", "dimensions 0", func(int) int { return 0 }),
			dimInvalid("negative", "dim-zero-negative", "dimensions −1", func(int) int { return -1 }),
			dimOne(), dimUnlisted(), dimString(), dimFraction(), dimBoolean(), dimNull(), dimSameNative(),
		},
		Remedies: []contract.Check{dimRemedy()},
	}
}

const (
	dimText = "Bridges across the river carry the morning trains."
	// reducedDimensions is the length that the article's clients ask for, and one that Matryoshka models list.
	reducedDimensions = 256
)

func dimNative() contract.Check {
	return contract.Check{
		ID:      "dimensions/native-by-default",
		Promise: "without dimensions a vector has the native length of the model",
		Why:     "an index has one length; a vector of another is refused, or worse, cut or padded",
		Level:   contract.Must,
		Sources: []string{"dim-native-default", openAIRequest + ".dimensions"},
		Variants: []contract.Variant{
			{Name: "native", Outcome: contract.Pass, Meaning: "the declared length, or the one that was discovered first"},
			{Name: "other-length", Outcome: contract.Fail, Meaning: "200 with another length than declared", Breaks: "every index built for the declared length"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "*", To: "other-length", Effect: contract.IndexBreak, Why: "stored vectors have another length"},
			{From: "other-length", To: "*", Effect: contract.IndexBreak, Why: "stored vectors have another length"},
		},
		Probe: askText("default", contract.Body{"input": dimText}),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("default")
			v, err := s.One()
			if err != nil {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			f := contract.Found("native", "%d numbers", len(v)).With("length", float64(len(v))).From(s.Name)
			if len(v) != e.Facts.Dimensions {
				f.Variant = "other-length"
				f.Observed += fmt.Sprintf(", %s were %s", contract.FormatNumber(float64(e.Facts.Dimensions)), e.Facts.Source["dimensions"])
			}
			return f
		},
	}
}

// askText is the probe of a check that sends one body.
func askText(step string, body contract.Body, opts ...contract.Option) func(context.Context, contract.Prober) error {
	return func(ctx context.Context, p contract.Prober) error {
		_, err := p.Embed(ctx, step, body, opts...)
		return err
	}
}

func dimConstant() contract.Check {
	return contract.Check{
		ID:      "dimensions/same-for-every-length",
		Promise: "a text of one word and one of 80 tokens give vectors of the same length",
		Why:     "a pooling default that changes gives n_tokens × native numbers with 200: it happened between two vLLM releases under Dynamo",
		Level:   contract.Must,
		Sources: []string{"dim-constant-over-length", "https://github.com/ai-dynamo/dynamo/pull/10248"},
		Variants: []contract.Variant{
			{Name: "constant", Outcome: contract.Pass, Meaning: "both have the same length"},
			{Name: "grows-with-text", Outcome: contract.Fail, Meaning: "the longer text has the longer vector: no pooling took place",
				Breaks: "every index; the vector of a one-token text still looks right"},
			{Name: "varies", Outcome: contract.Fail, Meaning: "the lengths differ in another way", Breaks: "every index"},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "*", To: "grows-with-text", Effect: contract.IndexBreak, Why: "vectors no longer have the length of the index"},
			{From: "*", To: "varies", Effect: contract.IndexBreak, Why: "vectors no longer have the length of the index"},
			{From: "*", To: "constant", Effect: contract.IndexBreak, Why: "stored vectors have other lengths"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "short", contract.Body{"input": "river"}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "long", contract.Body{"input": contract.Filler{Words: 60}.String()})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			a, errA := e.Step("short").One()
			b, errB := e.Step("long").One()
			if errA != nil || errB != nil {
				return contract.Found("refused", "short: %s; long: %s", e.Step("short").Describe(), e.Step("long").Describe()).From("short", "long")
			}
			f := contract.Found("constant", "%d and %d numbers", len(a), len(b)).From("short", "long")
			switch {
			case len(b) > len(a):
				f.Variant = "grows-with-text"
			case len(b) < len(a):
				f.Variant = "varies"
			}
			return f
		},
	}
}

// reducedSwaps: whoever is served short vectors has an index of them.
func reducedSwaps() []contract.SwapRule {
	served := []string{"honoured", "sliced-not-renormalised", "not-unit", "other-projection", "ignored", "other-length"}
	rules := refusalSwaps()
	for _, from := range served {
		for _, to := range served {
			if from != to {
				length := from == "ignored" || to == "ignored" || from == "other-length" || to == "other-length"
				rules = append(rules, contract.SwapRule{From: from, To: to, Effect: contract.IndexBreak, Silent: !length,
					Why: "an index of short vectors holds others than the ones that are served now"})
			}
		}
	}
	return rules
}

// besidePlain returns the vectors of a plain request and of the one that asks for more, or the finding when one of
// them was not served.
func besidePlain(plain, asked contract.Step) (before, after []float32, no *contract.Finding) {
	if f, ok := unserved(plain); ok {
		return nil, nil, &f
	}
	if v, ok := refusal(asked); ok {
		f := contract.Found(v, "%s", asked.Describe()).From(asked.Name)
		return nil, nil, &f
	}
	after, err := asked.One()
	if err != nil {
		f := mismatch(asked, err)
		return nil, nil, &f
	}
	if before, err = plain.One(); err != nil {
		f := mismatch(plain, err)
		return nil, nil, &f
	}
	return before, after, nil
}

func dimReduced() contract.Check {
	const sendsAlways = "clients that send dimensions with every request, and indexes built for the short vectors"
	const slice = "leave dimensions out, cut the vector to the wanted length and divide it by its norm"
	return contract.Check{
		ID:      "dimensions/reduced-256",
		Promise: "dimensions 256 gives 256 numbers of unit length, equal to the renormalised prefix of the full vector",
		Why:     "short vectors save memory and time; a plain cut changes every dot product",
		Level:   contract.Should,
		Sources: []string{"dim-reduce-256", "dim-reduce-unit-norm", "dim-reduce-is-prefix", "dim-unsupported-is-4xx", openAIRequest + ".dimensions"},
		Variants: append([]contract.Variant{
			{Name: "honoured", Outcome: contract.Pass, Meaning: "256 numbers, norm 1, the renormalised prefix"},
			{Name: "sliced-not-renormalised", Outcome: contract.Fail, Meaning: "the plain prefix, its norm below 1",
				Breaks: "dot products shrink: thresholds drop good hits", Remedy: "divide by the norm"},
			{Name: "not-unit", Outcome: contract.Fail, Meaning: "the direction of the prefix, its norm neither 1 nor that of the plain prefix",
				Breaks: "dot products and thresholds", Remedy: "divide by the norm"},
			{Name: "other-projection", Outcome: contract.Fail, Meaning: "256 numbers of unit length that are not the prefix",
				Breaks: "indexes built by cutting full vectors", Remedy: slice},
			{Name: "ignored", Outcome: contract.Fail, Meaning: "200 with the native length", Breaks: "an index of 256 refuses the vector, or a client cuts it without renormalising", Remedy: slice},
			{Name: "other-length", Outcome: contract.Fail, Meaning: "200 with neither 256 nor the native length", Breaks: sendsAlways, Remedy: slice},
		}, refusesFeature("dimensions", sendsAlways, slice)...),
		Swap: reducedSwaps(),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if n := p.Facts().Dimensions; n > 0 && n <= reducedDimensions {
				return contract.Inapplicable("its native length is %d, so 256 is no reduction", n)
			}
			if _, err := p.Embed(ctx, "full", contract.Body{"input": dimText}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "reduced", contract.Body{"input": dimText, "dimensions": reducedDimensions})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("reduced")
			full, got, no := besidePlain(e.Step("full"), s)
			if no != nil {
				return *no
			}
			norm, unit := parity.Unit(got)
			f := contract.Found("honoured", "%d numbers, norm %s", len(got), contract.FormatNumber(norm)).With("norm", norm).From("full", "reduced")
			switch {
			case len(got) == len(full):
				f.Variant = "ignored"
				return f
			case len(got) != reducedDimensions:
				f.Variant = "other-length"
				return f
			}
			d, err := parity.Distance(got, parity.Prefix(full, reducedDimensions))
			if err != nil {
				return mismatch(s, err)
			}
			f = f.With("cosine to the prefix", 1-d)
			plain := parity.Norm(full[:reducedDimensions])
			switch {
			case d > parity.SameBar:
				f.Variant = "other-projection"
			case !unit && math.Abs(norm-plain) <= parity.NormTolerance:
				f.Variant = "sliced-not-renormalised"
			case !unit:
				f.Variant = "not-unit"
			}
			return f
		},
	}
}

func dimNativeValue() contract.Check {
	const who = "clients that always send the length of their index"
	return contract.Check{
		ID:      "dimensions/native-value",
		Promise: "dimensions equal to the native length is harmless",
		Why:     "clients that send the length of their index with each request ask for nothing new",
		Level:   contract.Should,
		Sources: []string{"dim-equal-native", openAIRequest + ".dimensions"},
		Variants: append([]contract.Variant{
			{Name: "accepted", Outcome: contract.Pass, Meaning: "200 with the native vector"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "200 with another vector or length than without dimensions", Breaks: who},
		}, refusesFeature("dimensions equal to the native length", who, "leave dimensions out")...),
		Swap: movedBetween("clients that send their length get vectors unlike the stored ones", "accepted", "other-vector"),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if p.Facts().Dimensions == 0 {
				return contract.Inapplicable("its native length is unknown: %s", p.Facts().Source["dimensions"])
			}
			if _, err := p.Embed(ctx, "full", contract.Body{"input": dimText}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "native", contract.Body{"input": dimText, "dimensions": p.Facts().Dimensions})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			full, got, no := besidePlain(e.Step("full"), e.Step("native"))
			if no != nil {
				return *no
			}
			d, err := parity.Distance(got, full)
			if errors.Is(err, parity.ErrZero) {
				return mismatch(e.Step("native"), err)
			}
			f := contract.Found("accepted", "%d numbers", len(got)).From("full", "native")
			if err != nil || d > parity.SameBar {
				f.Variant = "other-vector"
				return f
			}
			return f.With("cosine to the default", 1-d)
		},
	}
}

// dimInvalid asks for a length that no model has.
func dimInvalid(name, row, what string, value func(native int) int) contract.Check {
	return contract.Check{
		ID:      "dimensions/" + name,
		Promise: what + " is refused as a fault of the client",
		Why:     "an index that was configured wrong must be noticed before it is filled",
		Level:   contract.Should,
		Sources: []string{row, openAIRequest + ".dimensions"},
		Reads:   anyDimensions(), ReadsSome: true,
		Variants: append(refusesFault(what),
			contract.Variant{Name: "native-length", Outcome: contract.Fail, Meaning: "200 with the native length, as if nothing had been asked",
				Breaks: "whoever configured a wrong length learns of it when the index refuses the vectors, or never"},
			contract.Variant{Name: "other-length", Outcome: contract.Fail, Meaning: "200 with some other length, such as a slice that ends at −1",
				Breaks: "whoever configured a wrong length gets vectors that fit no index"}),
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: rejected, To: "native-length", Effect: contract.Compatible, Why: "what failed before is served now, with the native length"},
			contract.SwapRule{From: rejectedRetried, To: "native-length", Effect: contract.Compatible, Why: "what failed before is served now, with the native length"},
			contract.SwapRule{From: failed, To: "native-length", Effect: contract.Compatible, Why: "what failed before is served now, with the native length"}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if p.Facts().Dimensions == 0 {
				return contract.Inapplicable("its native length is unknown: %s", p.Facts().Source["dimensions"])
			}
			var opts []contract.Option
			n := value(p.Facts().Dimensions)
			if n < 1 {
				opts = append(opts, contract.Violates("dimensions has the minimum 1"))
			}
			_, err := p.Embed(ctx, "asked", contract.Body{"input": dimText, "dimensions": n}, opts...)
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s%s", s.Describe(), asAnyDimensions(e)).From(s.Name)
			}
			got, err := s.One()
			if r, _ := s.Response(); len(r.Items) == 1 && string(r.Items[0].Raw) == "[]" {
				err = nil // a slice that ends at 0: no numbers are another length, too
			}
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("native-length", "200 with %d numbers", len(got)).With("length", float64(len(got))).From(s.Name)
			if len(got) != e.Facts.Dimensions {
				f.Variant = "other-length"
			}
			return f
		},
	}
}
