package suites

import (
	"context"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const (
	// nativeCheck has the vector of dimText at its native length, to which vectors of unusual sizes are held.
	nativeCheck = "dimensions/native-by-default"
	// unlistedSize is in no list of Matryoshka sizes that we know of: they hold powers of two, and multiples of 64.
	unlistedSize = 100
	// smallestSize is the minimum of the schema.
	smallestSize = 1
)

// servedAfterRefusal are the swaps from any refusal to an answer that no client of the refusing server could have got.
func servedAfterRefusal(served ...string) []contract.SwapRule {
	var rules []contract.SwapRule
	for _, to := range served {
		for _, from := range []string{rejected, rejectedRetried, failed} {
			rules = append(rules, contract.SwapRule{From: from, To: to, Effect: contract.Compatible, Why: "what failed before is served now"})
		}
	}
	return rules
}

// otherLengths are the swaps between answers to dimensions of unlike length: an index of one refuses the other.
func otherLengths(served ...string) []contract.SwapRule {
	var rules []contract.SwapRule
	for _, from := range served {
		for _, to := range served {
			if from != to {
				rules = append(rules, contract.SwapRule{From: from, To: to, Effect: contract.IndexBreak,
					Why: "an index that was filled by this request holds vectors of another length or direction"})
			}
		}
	}
	return rules
}

func dimUnlisted() contract.Check {
	return dimOddSize("unlisted-size", unlistedSize, "dimensions 100, a size that Matryoshka models do not list, is honoured or refused",
		"a server that takes the next size it knows fills the index with vectors of a length that nobody asked for",
		[]string{"dim-unlisted-size", openAIRequest + ".dimensions"})
}

func dimOne() contract.Check {
	return dimOddSize("one", smallestSize, "dimensions 1, the least that the schema allows, is honoured or refused",
		"at the edge of the range a server shows whether it looks at the number at all, and a division by the norm whether it is made last",
		[]string{"dim-unlisted-size", openAIRequest + ".dimensions (minimum 1)"})
}

// dimOddSize asks for a size that a server may make or refuse, and must not replace by another.
func dimOddSize(name string, size int, promise, why string, sources []string) contract.Check {
	const who = "whoever configured this length: vectors fit no index, or their dot products mean nothing"
	const remedy = "leave dimensions out, cut the vector to the wanted length and divide it by its norm"
	return contract.Check{
		ID: "dimensions/" + name, Promise: promise, Why: why, Level: contract.Should, Extended: true, Sources: sources,
		Reads: []string{nativeCheck},
		Variants: append([]contract.Variant{
			{Name: "honoured", Outcome: contract.Pass, Meaning: "as many numbers as were asked for, norm 1, in the direction of the prefix"},
			{Name: "spoiled", Outcome: contract.Fail, Meaning: "as many numbers as were asked for, but not the renormalised prefix", Breaks: who, Remedy: remedy},
			{Name: "ignored", Outcome: contract.Fail, Meaning: "200 with the native length", Breaks: who, Remedy: remedy},
			{Name: "other-length", Outcome: contract.Fail, Meaning: "200 with some other length, such as the next one in a list", Breaks: who, Remedy: remedy},
		}, refusesFault("such a size")...),
		Swap: append(refusalSwaps(), otherLengths("honoured", "spoiled", "ignored", "other-length")...),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if n := p.Facts().Dimensions; n > 0 && n <= size {
				return contract.Inapplicable("its native length is %d, so %d is no reduction", n, size)
			}
			return askText("asked", contract.Body{"input": dimText, "dimensions": size})(ctx, p)
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			full, got, no := besidePlain(e.Read[nativeCheck].Step("default"), s)
			if no != nil {
				return *no
			}
			norm, unit := parity.Unit(got)
			f := contract.Found("honoured", "%d numbers, norm %s", len(got), contract.FormatNumber(norm)).With("norm", norm).From(s.Name)
			switch {
			case len(got) == len(full):
				f.Variant = "ignored"
				return f
			case len(got) != size:
				f.Variant = "other-length"
				return f
			case !unit:
				f.Variant = "spoiled"
				return f
			case size == smallestSize:
				return f // 1 or −1: the sign of a number near zero is noise
			}
			d, err := parity.Distance(got, parity.Prefix(full, size))
			if err != nil {
				return mismatch(s, err)
			}
			if d > parity.SameBar {
				f.Variant = "spoiled"
			}
			return f.With("cosine to the prefix", 1-d)
		},
	}
}

func dimString() contract.Check {
	return dimWrongType("string", `dimensions "256", a string,`, "256", reducedDimensions)
}

func dimFraction() contract.Check {
	return dimWrongType("fraction", "dimensions 256.5", 256.5, reducedDimensions, reducedDimensions+1)
}

func dimBoolean() contract.Check {
	return dimWrongType("boolean", "dimensions true", true, 1)
}

// dimWrongType sends dimensions of a type that the schema does not allow. Coerced are the lengths that a lenient reader
// makes of the value.
func dimWrongType(name, what string, value any, coerced ...int) contract.Check {
	return contract.Check{
		ID: "dimensions/" + name, Promise: what + " is refused as a fault of the client",
		Why:   "what one server coerces the next one refuses or drops; a client that was wrong all along learns of it then",
		Level: contract.Should, Extended: true, Sources: []string{"dim-wrong-type", openAIRequest + ".dimensions (an integer)"},
		Reads: anyDimensions(), ReadsSome: true,
		Variants: append(refusesFault(what),
			contract.Variant{Name: "coerced", Outcome: contract.Differs, Meaning: "200 with as many numbers as a lenient reader makes of it",
				Breaks: "clients that rely on it, at the next server"},
			contract.Variant{Name: "ignored", Outcome: contract.Fail, Meaning: "200 with the native length, as if nothing had been asked",
				Breaks: "an index of the wanted length refuses the vectors"},
			contract.Variant{Name: "other-length", Outcome: contract.Fail, Meaning: "200 with some other length", Breaks: "an index of the wanted length refuses the vectors"}),
		Swap: append(append(refusalSwaps(), servedAfterRefusal("coerced", "ignored")...), otherLengths("coerced", "ignored", "other-length")...),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if n := p.Facts().Dimensions; n == 0 || n <= reducedDimensions {
				return contract.Inapplicable("its native length is %d (%s), so that 256 is no reduction", n, p.Facts().Source["dimensions"])
			}
			return askText("asked", contract.Body{"input": dimText, "dimensions": value}, contract.Violates("dimensions is an integer"))(ctx, p)
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s%s", s.Describe(), asAnyDimensions(e)).From(s.Name)
			}
			got, err := s.One()
			if err != nil {
				return mismatch(s, err)
			}
			f := contract.Found("other-length", "200 with %d numbers", len(got)).With("length", float64(len(got))).From(s.Name)
			if len(got) == e.Facts.Dimensions {
				f.Variant = "ignored"
			}
			for _, n := range coerced {
				if len(got) == n {
					f.Variant = "coerced"
				}
			}
			return f
		},
	}
}

func dimNull() contract.Check {
	const leave = "leave the field out"
	return contract.Check{
		ID: "dimensions/null", Promise: "dimensions null means the native length, or is refused as a fault of the client",
		Why: "clients that serialise unset options send null; it must be no fault of the server", Level: contract.Should, Extended: true,
		Sources: []string{"dim-null", openAIRequest + ".dimensions (not nullable)"},
		Reads:   []string{nativeCheck},
		Variants: []contract.Variant{
			{Name: "native", Outcome: contract.Pass, Meaning: "200 with the vector of a request without dimensions"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "200 with another vector or length", Breaks: "clients that send null for an unset option", Remedy: leave},
			{Name: rejected, Refuses: true, Outcome: contract.Pass, Meaning: "refused with a status that no client repeats", Breaks: "clients that send null for an unset option", Remedy: leave},
			{Name: rejectedRetried, Refuses: true, Outcome: contract.Differs, Meaning: "refused with a status that some clients repeat", Breaks: breaksOnRetry, Remedy: leave},
			{Name: failed, Refuses: true, Outcome: contract.Fail, Meaning: "answered as a fault of the server", Breaks: breaksOn5xx, Remedy: leave},
		},
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: "native", To: "other-vector", Effect: contract.IndexBreak, Why: "clients that send null get vectors unlike the stored ones"},
			contract.SwapRule{From: "other-vector", To: "native", Effect: contract.IndexBreak, Why: "clients that send null get vectors unlike the stored ones"}),
		Probe: askText("null", contract.Body{"input": dimText, "dimensions": nil}, contract.Violates("dimensions is not nullable")),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("null")
			plain, got, no := besidePlain(e.Read[nativeCheck].Step("default"), s)
			if no != nil {
				return *no
			}
			f := contract.Found("native", "%d numbers, %d without the field", len(got), len(plain)).From(s.Name)
			if len(got) != len(plain) {
				f.Variant = "other-vector"
				return f
			}
			d, err := parity.Distance(plain, got)
			if err != nil {
				return mismatch(s, err)
			}
			if d > parity.SameBar {
				f.Variant = "other-vector"
			}
			return f.With("cosine to the vector without the field", 1-d)
		},
	}
}
