package suites

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

const stringCheck = "encoding_format/base64-is-string"

func encDimensions() contract.Check {
	const reducedCheck = "dimensions/reduced-256"
	const who = "the OpenAI SDKs, which ask for base64 by themselves, with short vectors"
	return contract.Check{
		ID: "encoding_format/base64-dimensions", Promise: "dimensions 256 with base64 gives the 1024 bytes of the vector that dimensions 256 gives as numbers",
		Why: "a server may shorten the numbers on one way out and not on the other", Level: contract.Should,
		Sources: []string{"enc-base64-with-dimensions", encSources, "https://github.com/huggingface/text-embeddings-inference/issues/288"},
		Reads:   []string{reducedCheck},
		Variants: append([]contract.Variant{
			{Name: "equal", Outcome: contract.Pass, Meaning: "1024 bytes that are the vector, its norm included"},
			{Name: "other-length", Outcome: contract.Fail, Meaning: "another number of bytes", Breaks: who, Remedy: askFloat},
			{Name: "other-values", Outcome: contract.Fail, Meaning: "1024 bytes of another vector or norm, or no base64", Breaks: who, Remedy: askFloat},
			{Name: "not-offered", Outcome: contract.Unsupported, Meaning: "dimensions 256 does not give 256 numbers, or base64 no string", Breaks: "see dimensions/reduced-256 and encoding_format/base64-is-string"},
		}, refusesFeature("dimensions with base64", who, askFloat)...),
		Swap: append(append(refusalSwaps(), otherLengths("equal", "other-length")...),
			contract.SwapRule{From: "equal", To: "other-values", Effect: contract.IndexBreak, Silent: true, Why: "short vectors are others than the stored ones"},
			contract.SwapRule{From: "other-values", To: "equal", Effect: contract.IndexBreak, Silent: true, Why: "short vectors are others than the stored ones"},
			contract.SwapRule{From: "not-offered", To: "equal", Effect: contract.Compatible, Why: "what is new here is said by dimensions/reduced-256 and encoding_format/base64-is-string"}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			if n := p.Facts().Dimensions; n > 0 && n <= reducedDimensions {
				return contract.Inapplicable("its native length is %d, so 256 is no reduction", n)
			}
			return askText("base64", contract.Body{"input": dimText, "dimensions": reducedDimensions, "encoding_format": "base64"})(ctx, p)
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s, plain := e.Step("base64"), e.Read[reducedCheck].Step("reduced")
			want, _ := plain.One()
			if len(want) != reducedDimensions {
				return contract.Found("not-offered", "as numbers: %s", plain.Describe()).From(s.Name)
			}
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			r, err := s.Response()
			if len(r.Items) != 1 {
				return mismatch(s, err)
			}
			if r.Items[0].Text == "" {
				return contract.Found("not-offered", "%s", s.Describe()).From(s.Name)
			}
			raw, err := base64.StdEncoding.DecodeString(r.Items[0].Text)
			f := contract.Found("equal", "%d bytes for %d numbers", len(raw), len(want)).With("bytes", float64(len(raw))).From(s.Name)
			switch {
			case err != nil:
				f.Variant, f.Observed = "other-values", err.Error()
				return f
			case len(raw) != 4*reducedDimensions:
				f.Variant = "other-length"
				return f
			}
			got := floats(raw, binary.LittleEndian)
			d, err := parity.Distance(got, want)
			if err != nil || !finite(got) || d > parity.SameBar || math.Abs(parity.Norm(got)-parity.Norm(want)) > parity.NormTolerance {
				f.Variant = "other-values"
				return f
			}
			return f.With("cosine to the numbers", 1-d)
		},
	}
}

func encCase() contract.Check {
	return contract.Check{
		ID: "encoding_format/case", Promise: "Base64, written with a capital letter, is refused as a fault of the client",
		Why: "what one server reads in any case the next one refuses, or answers with numbers", Level: contract.Should, Extended: true,
		Sources: []string{"enc-case", encSources + " (an enumeration)"},
		Variants: append(refusesFault("a format in another case"),
			contract.Variant{Name: "string", Outcome: contract.Differs, Meaning: "200 with a string: case does not matter", Breaks: "clients that rely on it, at the next server"},
			contract.Variant{Name: "as-float", Outcome: contract.Differs, Meaning: "200 with numbers: the format is unknown, and ignored", Breaks: "whoever misspells a format learns nothing"}),
		Swap:  append(refusalSwaps(), servedAfterRefusal("string", "as-float")...),
		Probe: askText("case", contract.Body{"input": encText, "encoding_format": "Base64"}, contract.Violates("encoding_format is float or base64")),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("case")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			return floatOrString(s)
		},
	}
}

func floatOrString(s contract.Step) contract.Finding {
	r, err := s.Response()
	if len(r.Items) != 1 {
		return mismatch(s, err)
	}
	f := contract.Found("as-float", "%s", s.Describe()).From(s.Name)
	switch {
	case r.Items[0].Text != "":
		f.Variant = "string"
	case r.Items[0].Vector == nil:
		f.Variant = contract.Other
	}
	return f
}

func encRawBytes() contract.Check {
	const garbage = "clients of the extension: they decode without looking"
	return contract.Check{
		ID: "encoding_format/bytes", Promise: "bytes, which is not OpenAI's, is refused, or gives the bytes of the vector",
		Why: "it is vLLM's way around JSON; behind another server the same client must not read something else", Level: contract.May, Extended: true,
		Sources: []string{"enc-extension-bytes", "vLLM, EmbeddingRequest.encoding_format", encSources},
		Reads:   []string{stringCheck},
		Variants: append(refusesFault("the format bytes"),
			contract.Variant{Name: "raw-bytes", Outcome: contract.Pass, Meaning: "200 with application/octet-stream: the vector as little-endian float32"},
			contract.Variant{Name: "other-bytes", Outcome: contract.Fail, Meaning: "200 with a body that is neither JSON nor the vector as little-endian float32", Breaks: garbage, Remedy: askFloat},
			contract.Variant{Name: "as-float", Outcome: contract.Differs, Meaning: "200 with numbers: the format is ignored", Breaks: "clients of the extension, loudly"},
			contract.Variant{Name: "string", Outcome: contract.Differs, Meaning: "200 with a string: the format is taken for base64", Breaks: "clients of the extension, loudly"}),
		Swap: append(append(refusalSwaps(), servedAfterRefusal("as-float", "string")...),
			contract.SwapRule{From: "raw-bytes", To: "other-bytes", Effect: contract.IndexBreak, Silent: true, Why: "the bytes are read as other numbers"},
			contract.SwapRule{From: "other-bytes", To: "raw-bytes", Effect: contract.IndexBreak, Silent: true, Why: "the bytes are read as other numbers"}),
		Probe: askText("bytes", contract.Body{"input": encText, "encoding_format": "bytes"}, contract.Violates("encoding_format is float or base64")),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("bytes")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			if !strings.HasPrefix(strings.Join(s.Header["Content-Type"], ","), "application/octet-stream") {
				return floatOrString(s)
			}
			plain := e.Read[stringCheck].Step("float")
			want, err := plain.One()
			if err != nil {
				return mismatch(plain, err)
			}
			got := floats(s.Body, binary.LittleEndian)
			d, err := parity.Distance(got, want)
			f := contract.Found("raw-bytes", "%d bytes for %d numbers", len(s.Body), len(want)).From(s.Name)
			if err != nil || len(s.Body) != 4*len(want) || !finite(got) || d > parity.SameBar {
				f.Variant = "other-bytes"
				return f
			}
			return f.With("cosine to the numbers", 1-d)
		},
	}
}

// fullDigits is from how many significant digits on a number counts as written in full. Nine are needed to give every
// float32 back, and six move a vector by less than 1e-11: a server that rounds to fewer has cut something off.
const fullDigits = 6

func encDigits() contract.Check {
	const who = "nobody at once; vectors that are asked for in both formats differ"
	return contract.Check{
		ID: "encoding_format/float-digits", Promise: "numbers and base64 carry the digits that a float32 has",
		Why: "a server that rounds what it writes gives another vector in each format, and another one than its own next release", Level: contract.Should, Extended: true,
		Sources: []string{"parity-float32-roundtrip", encSources},
		Reads:   []string{stringCheck},
		Variants: []contract.Variant{
			{Name: "full", Outcome: contract.Pass, Meaning: "six significant digits or more, in numbers and, where it is offered, in base64"},
			{Name: "rounded", Outcome: contract.Differs, Meaning: "every number is written with fewer than six digits", Breaks: who},
			{Name: "base64-rounded", Outcome: contract.Differs, Meaning: "the numbers are full, those in base64 are not", Breaks: who, Remedy: askFloat},
			refused(),
		},
		Swap: []contract.SwapRule{
			{From: "*", To: "full", Effect: contract.Compatible, Why: "the difference of the vectors is judged by vector_parity"},
			{From: "*", To: "rounded", Effect: contract.Compatible, Why: "the difference of the vectors is judged by vector_parity"},
			{From: "*", To: "base64-rounded", Effect: contract.Compatible, Why: "the difference of the vectors is judged by encoding_format/base64-bytes"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Read[stringCheck].Step("float")
			v, err := s.One()
			if err != nil && s.OK() {
				return mismatch(s, err)
			}
			if err != nil {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			if _, nonzero := parity.Finite(v); !nonzero {
				return mismatch(s, errors.New("a vector of zeros has no digits"))
			}
			n := digits(v)
			f := contract.Found("full", "%d significant digits", n).With("digits", float64(n)).From(s.Name)
			if n < fullDigits {
				f.Variant = "rounded"
				return f
			}
			r, _ := e.Read[stringCheck].Step("base64").Response()
			if len(r.Items) != 1 {
				return f
			}
			packed := floats(nodeBase64(r.Items[0].Text), binary.LittleEndian)
			_, nonzero := parity.Finite(packed)
			if m := digits(packed); finite(packed) && nonzero && m < fullDigits {
				f.Variant = "base64-rounded"
				f.Observed += ", in base64 " + strconv.Itoa(m)
			}
			return f
		},
	}
}

// digits is the number of significant decimal digits that it takes to write all of the numbers so that they read back.
// Numbers that were rounded to bfloat16 take as many as others do; only such as were rounded in decimal take few.
func digits(v []float32) int {
	const most = 9
	for n := 1; n < most; n++ {
		same := true
		for _, x := range v {
			// What rounding makes too large for a float32 is read as an infinity, which is another number.
			back, _ := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'e', n-1, 32), 32)
			if float32(back) != x {
				same = false
				break
			}
		}
		if same {
			return n
		}
	}
	return most
}
