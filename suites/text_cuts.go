package suites

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// cutThere is the failure of a text of which only what stands before an odd character was embedded.
func cutThere() contract.Variant {
	return contract.Variant{Name: "cut-there", Outcome: contract.Fail, Meaning: "200 with the vector of what stands before it: the rest of the text is lost",
		Breaks: "search: documents with such a character are known by their beginning", Remedy: "take the character out on the client"}
}

func cutSwaps(served string) []contract.SwapRule {
	return append(append(refusalSwaps(), servedSwaps(served)...),
		contract.SwapRule{From: served, To: "cut-there", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
		contract.SwapRule{From: "cut-there", To: served, Effect: contract.IndexBreak, Silent: true, Why: otherStored})
}

// cutOr names a text that was served after its odd character: with all of it, or with what stands before it.
func cutOr(e contract.Evidence, s contract.Step, served string) contract.Finding {
	d, changed, no := apart(e, s)
	if no != nil {
		return *no
	}
	f := contract.Found(served, "%s", s.Describe()).With("cosine to what stands before it", 1-d).From(s.Name)
	if !changed {
		f.Variant = "cut-there"
	}
	return f
}

// rawEmbeddings is a request whose body is as it stands, with the model put in front. input is JSON, or meant to be.
func rawEmbeddings(p contract.Prober, input []byte, violates string) contract.Request {
	model, _ := json.Marshal(p.Facts().Model) // a string always can be
	body := bytes.Join([][]byte{[]byte(`{"model":`), model, []byte(`,"input":`), input, []byte("}")}, nil)
	return contract.Request{Method: "POST", Path: contract.EmbeddingsPath, ContentType: "application/json", Body: body, Violates: violates}
}

// oddBytes is a check of a text that has something in its middle which JSON, UTF-8 or C cannot bear.
type oddBytes struct {
	id, promise, why, what string
	sources                []string
	input                  string // between head and tail, as it stands in the body
	violates               string
	served                 contract.Variant
}

func (o oddBytes) check() contract.Check {
	return contract.Check{
		ID: o.id, Promise: o.promise, Why: o.why, Level: contract.Should, Sources: o.sources,
		Reads:    []string{edgesCheck},
		Variants: append(refusesFault(o.what), o.served, cutThere()),
		Swap:     cutSwaps(o.served.Name),
		Probe: func(ctx context.Context, p contract.Prober) error {
			_, err := p.Send(ctx, "asked", rawEmbeddings(p, []byte(`"`+head+o.input+tail+`"`), o.violates))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding { return cutOr(e, e.Step("asked"), o.served.Name) },
	}
}

func textNul() contract.Check {
	return oddBytes{
		id: "text/nul", promise: "U+0000 in a text is embedded or refused; it neither ends the text nor is it a fault of the server",
		why:  "extracted PDF and database texts hold it; to C it is the end of a text",
		what: "a text with U+0000", sources: []string{"txt-lone-surrogate-nul", "RFC 8259, section 7"}, input: `\u0000`,
		served: contract.Variant{Name: "served", Outcome: contract.Pass, Meaning: "200, and what stands behind it has an influence"},
	}.check()
}

func textSurrogate() contract.Check {
	return oddBytes{
		id: "text/lone-surrogate", promise: "half of an escaped surrogate pair is refused as a fault of the client, or replaced",
		why:  "texts that were cut in the middle of an emoji hold it; Python reads it and fails later, as a fault of the server",
		what: "half of a surrogate pair", sources: []string{"txt-lone-surrogate-nul", "RFC 8259, section 8.2"}, input: `\ud83d`,
		served: contract.Variant{Name: "replaced", Outcome: contract.Pass, Meaning: "200, and what stands behind it has an influence"},
	}.check()
}

func textUTF8() contract.Check {
	return oddBytes{
		id: "text/invalid-utf8", promise: "a body that is not UTF-8 is refused as a fault of the client",
		why:  "a text in another encoding is embedded as rubbish by a server that replaces what it cannot read",
		what: "a body that is not UTF-8", sources: []string{"err-malformed-json", "RFC 8259, section 8.1"}, input: "\xff\xfe", violates: "the body is not UTF-8",
		served: contract.Variant{Name: "replaced", Outcome: contract.Differs, Meaning: "200: what is not UTF-8 is replaced", Breaks: "whoever sends another encoding and is not told"},
	}.check()
}

func textControl() contract.Check {
	return contract.Check{
		ID: "text/raw-control", Promise: "a bare newline inside a JSON string is refused as a fault of the client",
		Why: "such a body is no JSON; whoever relies on its being repaired cannot move to another server", Level: contract.Should,
		Sources: []string{"err-malformed-json", "RFC 8259, section 7"},
		Reads:   []string{edgesCheck, newlinesCheck},
		Variants: append(refusesFault("a bare newline"),
			contract.Variant{Name: "read-as-newline", Outcome: contract.Differs, Meaning: "200 with the vector of the text with an escaped newline", Breaks: "nobody at once; such clients cannot move"},
			contract.Variant{Name: "read-otherwise", Outcome: contract.Fail, Meaning: "200 with another vector than that of the text with an escaped newline", Breaks: "whoever sends such bodies: their texts are changed"}),
		Swap: append(append(refusalSwaps(), servedSwaps("read-as-newline")...),
			contract.SwapRule{From: "read-as-newline", To: "read-otherwise", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			contract.SwapRule{From: "read-otherwise", To: "read-as-newline", Effect: contract.IndexBreak, Silent: true, Why: otherStored}),
		Probe: func(ctx context.Context, p contract.Prober) error {
			bare := strings.Replace(head, "stones and", "stones\nand", 1)
			_, err := p.Send(ctx, "asked", rawEmbeddings(p, []byte(`"`+bare+`"`), "a control character stands bare in a JSON string"))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			_, _, no := apart(e, e.Step("asked"))
			if no != nil {
				return *no
			}
			d, err := stepDistance(e.Read[newlinesCheck].Step("written-otherwise"), e.Step("asked"))
			if err != nil {
				return mismatch(e.Read[newlinesCheck].Step("written-otherwise"), err)
			}
			f := contract.Found("read-as-newline", "cosine %s", contract.FormatNumber(1-d)).With("cosine", 1-d).From("asked")
			if d > parity.SameBar {
				f.Variant = "read-otherwise"
			}
			return f
		},
	}
}

// literalTokens is the most that a marker costs which is read as a token: itself, and one more where the words around
// it are split otherwise. Written out as text it is at least a bracket, a word in pieces and a bracket.
const literalTokens = 2

const literalMarker = "<|endoftext|>"

func textSpecialToken() contract.Check {
	return contract.Check{
		ID: "text/special-token", Promise: "a marker such as " + literalMarker + " that stands in a text is text",
		Why: "a page about language models must not end where it names the end of a text; servers that parse markers move or cut it", Level: contract.Should,
		Sources: []string{"txt-special-token-literal", "tiktoken: encode refuses special tokens in a text by default"},
		Reads:   []string{edgesCheck},
		Variants: append([]contract.Variant{
			{Name: "as-text", Outcome: contract.Pass, Meaning: "it costs as many tokens as written out: it is text, or no marker of this model"},
			{Name: "as-token", Outcome: contract.Differs, Meaning: "it is one token", Breaks: "texts that hold it, against an index of a server that reads it as text"},
			cutThere(),
		}, refusesFeature("a text that holds a marker", "whoever has such texts", "take the marker apart on the client")...),
		Swap: []contract.SwapRule{
			{From: "as-text", To: "as-token", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: "as-token", To: "as-text", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: "as-text", To: "cut-there", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: "as-token", To: "cut-there", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: "cut-there", To: "as-text", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: "cut-there", To: "as-token", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			if p.Facts().Usage != contract.UsageTokens {
				return contract.Inapplicable("usage is %s: it does not show what a marker costs", p.Facts().Usage)
			}
			if _, err := p.Embed(ctx, "without", contract.Body{"input": head + tail}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "marker", contract.Body{"input": head + literalMarker + tail})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("marker")
			d, changed, no := apart(e, s)
			if no != nil {
				return *no
			}
			with, errA := s.Tokens()
			without, errB := e.Step("without").Tokens()
			if errA != nil || errB != nil {
				return contract.Found(contract.Other, "%s; without the marker %s", s.Describe(), e.Step("without").Describe()).From(s.Name, "without")
			}
			f := contract.Found("as-text", "%d tokens with it, %d without", with, without).With("tokens", float64(with)).
				With("tokens without", float64(without)).With("cosine to what stands before it", 1-d).From("without", s.Name)
			switch {
			case !changed:
				f.Variant = "cut-there"
			case with-without <= literalTokens:
				f.Variant = "as-token"
			}
			return f
		},
	}
}

// escapedText has characters of one, two, three and four bytes.
const escapedText = "Café – 한국어, 🙂 and bread"

func textEscapes() contract.Check {
	return contract.Check{
		ID: "text/escapes", Promise: "a text is the same whether its characters are escaped in JSON or written as UTF-8",
		Why: "Python's json escapes everything by default, JavaScript's nothing: both must meet in one index", Level: contract.Must, Extended: true,
		Sources: []string{"txt-json-escape-equal", "RFC 8259, section 8.3"},
		Variants: []contract.Variant{
			{Name: "equal", Outcome: contract.Pass, Meaning: "one vector"},
			{Name: "other-vector", Outcome: contract.Fail, Meaning: "the escaped text has another vector", Breaks: "indexes that are filled in one language and searched in another"},
		},
		Swap: []contract.SwapRule{
			{From: "equal", To: "other-vector", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: "other-vector", To: "equal", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "plain", contract.Body{"input": escapedText}); err != nil {
				return err
			}
			_, err := p.Send(ctx, "escaped", rawEmbeddings(p, []byte(`"`+escaped(escapedText)+`"`), ""))
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			d, err := stepDistance(e.Step("plain"), e.Step("escaped"))
			if err != nil {
				return mismatch(e.Step("escaped"), err)
			}
			f := contract.Found("equal", "cosine %s", contract.FormatNumber(1-d)).With("cosine", 1-d).From("plain", "escaped")
			if d > parity.SameBar {
				f.Variant = "other-vector"
			}
			return f
		},
	}
}

// escaped writes all but ASCII as escapes. The text has none of the characters that JSON escapes anyway.
func escaped(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < 0x80 {
			b.WriteByte(byte(unit))
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, unit)
	}
	return b.String()
}
