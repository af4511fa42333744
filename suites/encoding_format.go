package suites

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// encodingFormat: numbers by default, and a base64 string for those who ask for it. The OpenAI SDKs ask for it
// when their caller names no format.
func encodingFormat() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "encoding_format",
		Promise: "numbers by default, and on request a base64 string of the same numbers",
		Checks: []contract.Check{
			encDefault(), encIsString(), encBytes(), encBatch(), encDimensions(), encNode(), encNull(), encInvalid(),
			encCase(), encRawBytes(), encDigits(),
		},
		Remedies: []contract.Check{floatRemedy()},
	}
}

const (
	encText    = "Count the boats each morning."
	askFloat   = "ask for encoding_format float explicitly"
	encSources = openAIRequest + ".encoding_format"
)

func encDefault() contract.Check {
	return contract.Check{
		ID: "encoding_format/default-is-float", Promise: "without encoding_format an embedding is a list of numbers",
		Why: "clients that name no format expect numbers", Level: contract.Must, Sources: []string{"enc-default-float", encSources},
		Variants: []contract.Variant{
			{Name: "float", Outcome: contract.Pass, Meaning: "a list of numbers"},
			{Name: "string", Outcome: contract.Fail, Meaning: "a string", Breaks: "Vercel AI SDK, Weaviate and every client that reads numbers", Remedy: askFloat},
			refused(),
		},
		Probe: askText("default", contract.Body{"input": encText}),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("default")
			r, _ := s.Response()
			if len(r.Items) == 0 {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			f := contract.Found("float", "%s", s.Describe()).From(s.Name)
			if r.Items[0].Text != "" {
				f.Variant = "string"
			} else if r.Items[0].Vector == nil {
				f.Variant = contract.Other
			}
			return f
		},
	}
}

func encIsString() contract.Check {
	const node = "openai-node and all that stands on it (LangChain.js, Flowise, AnythingLLM): they ask for base64 by themselves and read a list of numbers as a quarter as many near-zero numbers, with 200 and no error"
	return contract.Check{
		ID: stringCheck, Promise: "encoding_format base64 gives a string",
		Why: "the OpenAI SDKs ask for base64 when their caller names no format", Level: contract.Must,
		Sources: []string{"enc-base64-is-string", encSources, "https://github.com/openai/openai-node/issues/1542"},
		Variants: append([]contract.Variant{
			{Name: "string", Outcome: contract.Pass, Meaning: "a string"},
			{Name: "array", Outcome: contract.Fail, Meaning: "a list of numbers all the same", Breaks: node, Remedy: askFloat},
		}, refusesFeature("base64", "the OpenAI SDKs, which ask for it by themselves", askFloat)...),
		Swap: []contract.SwapRule{
			{From: "array", To: "string", Effect: contract.ClientChange, Why: "clients that ask for base64 and read the numbers that came instead now get a string"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "float", contract.Body{"input": encText, "encoding_format": "float"}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "base64", contract.Body{"input": encText, "encoding_format": "base64"})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("base64")
			if f, ok := unserved(e.Step("float")); ok {
				return f
			}
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			r, err := s.Response()
			if len(r.Items) != 1 {
				return mismatch(s, err)
			}
			f := contract.Found("string", "%s", s.Describe()).From(s.Name)
			switch {
			case r.Items[0].Vector != nil:
				f.Variant = "array"
			case r.Items[0].Text == "":
				f.Variant = contract.Other
			}
			return f
		},
	}
}

func encBytes() contract.Check {
	const decoders = "every client that decodes: the numbers are wrong, with 200 and the right length"
	return contract.Check{
		ID: "encoding_format/base64-bytes", Promise: "the string holds the same vector as little-endian float32, in the standard alphabet with padding",
		Why: "SDKs decode without looking; other bytes are other numbers", Level: contract.Must,
		Sources: []string{"enc-base64-bytes", "enc-base64-equals-float", "enc-base64-alphabet", encSources},
		Reads:   []string{"encoding_format/base64-is-string"},
		Variants: []contract.Variant{
			{Name: "equal", Outcome: contract.Pass, Meaning: "the bytes are the vector"},
			{Name: "big-endian", Outcome: contract.Fail, Meaning: "the bytes of each number are reversed", Breaks: decoders, Remedy: askFloat},
			{Name: "other-width", Outcome: contract.Fail, Meaning: "not 4 bytes for each number", Breaks: "every client that decodes: the length is wrong", Remedy: askFloat},
			{Name: "other-values", Outcome: contract.Fail, Meaning: "float32 numbers of another vector, or of another norm", Breaks: decoders, Remedy: askFloat},
			{Name: "other-alphabet", Outcome: contract.Fail, Meaning: "not standard base64: URL alphabet, line breaks, a prefix, no padding", Breaks: "strict decoders raise, lenient ones skip characters", Remedy: askFloat},
			{Name: "not-offered", Outcome: contract.Unsupported, Meaning: "there is no base64 string to look at", Breaks: "see encoding_format/base64-is-string", Remedy: askFloat},
		},
		Swap: append(movedBetween("what is stored through base64 holds other numbers", "equal", "big-endian", "other-values"),
			contract.SwapRule{From: "not-offered", To: "equal", Effect: contract.Compatible, Why: "what is new here is said by encoding_format/base64-is-string"},
			contract.SwapRule{From: "equal", To: "other-width", Effect: contract.IndexBreak, Why: "what is decoded has another length than what is stored"},
			contract.SwapRule{From: "other-width", To: "equal", Effect: contract.IndexBreak, Why: "what is decoded has another length than what is stored"}),
		Classify: func(e contract.Evidence) contract.Finding {
			asked := e.Read["encoding_format/base64-is-string"]
			s := asked.Step("base64")
			r, _ := s.Response()
			if len(r.Items) != 1 || r.Items[0].Text == "" {
				return contract.Found("not-offered", "%s", s.Describe())
			}
			want, err := asked.Step("float").One()
			if err != nil {
				return mismatch(asked.Step("float"), err)
			}
			raw, err := base64.StdEncoding.Strict().DecodeString(r.Items[0].Text)
			f := contract.Found("equal", "%d characters, %d bytes for %d numbers", len(r.Items[0].Text), len(raw), len(want))
			switch {
			case err != nil:
				f.Variant, f.Observed = "other-alphabet", err.Error()
				return f
			case len(raw) != 4*len(want):
				f.Variant = "other-width"
				return f
			}
			got := floats(raw, binary.LittleEndian)
			d, err := parity.Distance(got, want)
			f = f.With("cosine to the numbers", 1-d)
			if err != nil || d > parity.SameBar || !finite(got) || !parity.SameNorm(got, want) {
				f.Variant = "other-values"
				if b, err := parity.Distance(floats(raw, binary.BigEndian), want); err == nil && b <= parity.SameBar {
					f.Variant = "big-endian"
				}
			}
			return f
		},
	}
}

func floats(raw []byte, order binary.ByteOrder) []float32 {
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(order.Uint32(raw[4*i:]))
	}
	return out
}

func finite(v []float32) bool {
	ok, _ := parity.Finite(v)
	return ok
}

func encNode() contract.Check {
	return contract.Check{
		ID: "encoding_format/node-sdk-default", Promise: "the OpenAI SDK for Node, used without a format, reads the vector",
		Why: "it asks for base64 and decodes whatever comes, without looking at its type", Level: contract.Must,
		Sources: []string{"enc-sdk-node-default", "openai-node src/lib/embeddings.ts", "https://github.com/openai/openai-node/issues/1542"},
		Reads:   []string{"encoding_format/base64-is-string"},
		Variants: []contract.Variant{
			{Name: "reads-vector", Outcome: contract.Pass, Meaning: "it reads the vector that was meant"},
			{Name: "reads-garbage", Outcome: contract.Fail, Meaning: "it reads other numbers or another length, with 200 and no error", Breaks: "openai-node, LangChain.js, Flowise, AnythingLLM, Chroma's JS client",
				Remedy: askFloat},
			{Name: "raises", Refuses: true, Outcome: contract.Differs, Meaning: "its request is refused, so its caller sees an error", Breaks: "openai-node users, loudly", Remedy: askFloat},
		},
		Swap: []contract.SwapRule{
			{From: "reads-vector", To: "reads-garbage", Effect: contract.IndexBreak, Silent: true, Why: "what is stored through this SDK from now on is no vector of the model"},
			// No index break: it would hide that all others may keep theirs.
			{From: "reads-garbage", To: "reads-vector", Effect: contract.ClientChange,
				Why: "whoever filled an index through this SDK stored garbage of another length: fill it again"},
		},
		Classify: func(e contract.Evidence) contract.Finding {
			asked := e.Read["encoding_format/base64-is-string"]
			s := asked.Step("base64")
			r, _ := s.Response()
			if len(r.Items) == 0 {
				return contract.Found("raises", "%s", s.Describe())
			}
			want, err := asked.Step("float").One()
			if err != nil {
				return mismatch(asked.Step("float"), err)
			}
			got := nodeReads(r.Items[0])
			d, err := parity.Distance(got, want)
			f := contract.Found("reads-vector", "it reads %d numbers of norm %s where the vector has %d", len(got), contract.FormatNumber(parity.Norm(got)), len(want)).
				With("numbers read", float64(len(got)))
			if err != nil || d > parity.SameBar || !finite(got) || !parity.SameNorm(got, want) {
				f.Variant = "reads-garbage"
			}
			return f
		},
	}
}

// nodeReads is what openai-node makes of an embedding when its caller names no format: Buffer.from(embedding,
// 'base64') and the bytes as float32. Of a string Buffer.from decodes base64 leniently; of an array it takes each
// number as a byte (ToUint8: the integer part modulo 256).
func nodeReads(it contract.Item) []float32 {
	var raw []byte
	if it.Vector != nil {
		for _, x := range it.Vector {
			raw = append(raw, byte(int64(math.Trunc(float64(x)))))
		}
	} else {
		raw = nodeBase64(it.Text)
	}
	return floats(raw, binary.LittleEndian)
}

// standardAlphabet is that of base64.
const standardAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// nodeBase64 decodes as Buffer.from does: both alphabets, with or without padding, foreign characters skipped.
func nodeBase64(text string) []byte {
	text, _, _ = strings.Cut(text, "=")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		case strings.ContainsRune(standardAlphabet, r):
			return r
		}
		return -1
	}, text)
	// It is of nothing but the alphabet, so that an error can only be about six bits at its end, which make no byte.
	raw, _ := base64.RawStdEncoding.DecodeString(text)
	return raw
}

func encNull() contract.Check {
	return contract.Check{
		ID: "encoding_format/null", Promise: "encoding_format null is treated as absent, or refused as a fault of the client",
		Why: "older LiteLLM sends null when its caller names no format", Level: contract.Should,
		Sources: []string{"enc-null", encSources},
		Variants: []contract.Variant{
			{Name: "as-float", Outcome: contract.Pass, Meaning: "200 with numbers"},
			{Name: rejected, Refuses: true, Outcome: contract.Pass, Meaning: "refused with a status that no client repeats", Breaks: "LiteLLM releases that send null", Remedy: "leave the field out"},
			{Name: rejectedRetried, Refuses: true, Outcome: contract.Differs, Meaning: "refused with a status that some clients repeat", Breaks: breaksOnRetry, Remedy: "leave the field out"},
			{Name: failed, Refuses: true, Outcome: contract.Fail, Meaning: "answered as a fault of the server", Breaks: breaksOn5xx, Remedy: "leave the field out"},
			{Name: "string", Outcome: contract.Fail, Meaning: "200 with a string", Breaks: "clients that send null and read numbers", Remedy: askFloat},
		},
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: "as-float", To: rejected, Effect: contract.ClientChange, Why: "clients that send null now fail"},
			contract.SwapRule{From: "as-float", To: rejectedRetried, Effect: contract.ClientChange, Why: "clients that send null now fail"}),
		Probe: askText("null", contract.Body{"input": encText, "encoding_format": nil}, contract.Violates("encoding_format is not nullable")),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("null")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			return floatOrString(s)
		},
	}
}

func encInvalid() contract.Check {
	return contract.Check{
		ID: "encoding_format/invalid", Promise: "an encoding_format that does not exist is refused as a fault of the client",
		Why: "a client that asks for a format and gets another reads garbage", Level: contract.Should,
		Sources: []string{"enc-invalid", encSources},
		Variants: append(refusesFault("an unknown format"),
			contract.Variant{Name: "as-float", Outcome: contract.Differs, Meaning: "200 with numbers", Breaks: "whoever misspells a format learns nothing"},
			contract.Variant{Name: "string", Outcome: contract.Fail, Meaning: "200 with a string", Breaks: "whoever misspells float gets base64"}),
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: "as-float", To: rejected, Effect: contract.ClientChange, Why: "clients that send an unknown format now fail"},
			contract.SwapRule{From: "as-float", To: rejectedRetried, Effect: contract.ClientChange, Why: "clients that send an unknown format now fail"},
			contract.SwapRule{From: rejected, To: "as-float", Effect: contract.Compatible, Why: "what failed before is answered now"},
			contract.SwapRule{From: rejectedRetried, To: "as-float", Effect: contract.Compatible, Why: "what failed before is answered now"},
			contract.SwapRule{From: failed, To: "as-float", Effect: contract.Compatible, Why: "what failed before is answered now"}),
		Probe: askText("hex", contract.Body{"input": encText, "encoding_format": "hex"}, contract.Violates("encoding_format is float or base64")),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("hex")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			return floatOrString(s)
		},
	}
}
