package suites

import (
	"context"
	"errors"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
)

// text: the text that a client sends is the text that is embedded, whatever characters are in it. What a tokenizer makes
// of it is the model's business; what the server changes before shows in the checks of pairs, and is named here.
func text() contract.Behaviour {
	return contract.Behaviour{
		Stem:    "text",
		Promise: "the text that is sent is the text that is embedded: nothing is cut off, and no character is a fault of the server",
		Checks: []contract.Check{
			textEdges(), textNewlines(), textBlank(), textSpecialToken(), textNul(), textSurrogate(), textUTF8(), textControl(),
			textEscapes(), textCase(), textAccents(),
		},
	}
}

const (
	edgesCheck    = "text/edge-whitespace"
	newlinesCheck = "text/newlines"
	// head is asked alone, and stands before whatever may cut a text off; tail stands behind it.
	head         = "Boats carry stones and bread"
	tail         = " while people build a bridge to the old market"
	otherStored  = "texts of this kind have other vectors than the stored ones"
	changesTexts = "an index whose texts were embedded by a server that does otherwise"
)

// askHead asks for the head alone, and again, so that noise is not taken for an effect.
func askHead(ctx context.Context, p contract.Prober) error {
	for _, step := range []string{"plain", "plain-again"} {
		if _, err := p.Embed(ctx, step, contract.Body{"input": head}); err != nil {
			return err
		}
	}
	return nil
}

// headIn returns the evidence of the head alone, which edgesCheck asks for.
func headIn(e contract.Evidence) (plain, again contract.Step) {
	if read, ok := e.Read[edgesCheck]; ok {
		return read.Step("plain"), read.Step("plain-again")
	}
	return e.Step("plain"), e.Step("plain-again")
}

// apart says how far a step is from the plain head, and whether that is more than the head differs from itself.
// no is the finding when one of them was not served.
func apart(e contract.Evidence, s contract.Step) (distance float64, changed bool, no *contract.Finding) {
	plain, again := headIn(e)
	before, after, no := besidePlain(plain, s)
	if no != nil {
		return 0, false, no
	}
	noise, errNoise := stepDistance(plain, again)
	distance, errDistance := parity.Distance(before, after)
	if err := errors.Join(errNoise, errDistance); err != nil {
		f := mismatch(s, err)
		return 0, false, &f
	}
	return distance, distance > max(parity.SameBar, noiseFactor*noise), nil
}

// variation is a check of two ways to write nearly the same text: some servers and tokenizers tell them apart, others do not.
type variation struct {
	id, promise, why, row string
	level                 contract.Level
	extended              bool
	text                  string // the head, written in another way
	kept, lost            contract.Variant
}

func (v variation) check() contract.Check {
	reads := []string{edgesCheck}
	if v.id == edgesCheck {
		reads = nil
	}
	return contract.Check{
		ID: v.id, Promise: v.promise, Why: v.why, Level: v.level, Extended: v.extended,
		Sources:  []string{v.row, "openai-python sends a text as it is"},
		Variants: []contract.Variant{v.kept, v.lost},
		Swap: []contract.SwapRule{
			{From: v.kept.Name, To: v.lost.Name, Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			{From: v.lost.Name, To: v.kept.Name, Effect: contract.IndexBreak, Silent: true, Why: otherStored},
		},
		Reads: reads,
		Probe: func(ctx context.Context, p contract.Prober) error {
			if reads == nil {
				if err := askHead(ctx, p); err != nil {
					return err
				}
			}
			_, err := p.Embed(ctx, "written-otherwise", contract.Body{"input": v.text})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("written-otherwise")
			d, changed, no := apart(e, s)
			if no != nil {
				return *no
			}
			plain, _ := headIn(e)
			before, _ := plain.Tokens()
			after, _ := s.Tokens()
			f := contract.Found(v.kept.Name, "%d tokens, %d as it is usually written, cosine %s", after, before, contract.FormatNumber(1-d)).
				With("cosine", 1-d).With("tokens", float64(after)).With("tokens plain", float64(before)).From(s.Name)
			if !changed && (after == before || e.Facts.Usage != contract.UsageTokens) {
				f.Variant = v.lost.Name
			}
			return f
		},
	}
}

func textEdges() contract.Check {
	return variation{
		id: edgesCheck, promise: "white space before and behind a text belongs to it",
		why: "Infinity strips it: the same chunk has another vector there", row: "txt-edge-whitespace", level: contract.Should,
		text: "  " + head + " \n",
		kept: contract.Variant{Name: "kept", Outcome: contract.Pass, Meaning: "it changes the vector or the tokens"},
		lost: contract.Variant{Name: "stripped", Outcome: contract.Differs, Meaning: "it changes nothing: the server strips it, or its tokenizer does", Breaks: changesTexts},
	}.check()
}

func textNewlines() contract.Check {
	return variation{
		id: newlinesCheck, promise: "a newline within a text belongs to it",
		why: "old clients replaced newlines by spaces; a server that does so moves every document of more than one line", row: "txt-newlines", level: contract.Should,
		text: strings.Replace(head, "stones and", "stones\nand", 1),
		kept: contract.Variant{Name: "kept", Outcome: contract.Pass, Meaning: "it changes the vector or the tokens"},
		lost: contract.Variant{Name: "as-space", Outcome: contract.Differs, Meaning: "it counts as a space: the server replaces it, or its tokenizer does", Breaks: changesTexts},
	}.check()
}

func textCase() contract.Check {
	return variation{
		id: "text/case", promise: "capitals are kept, or folded as the model wants it",
		why: "a server that forgets the model's own setting moves every text that has capitals", row: "txt-case-folding", level: contract.May, extended: true,
		text: strings.ToLower(head),
		kept: contract.Variant{Name: "kept", Outcome: contract.Pass, Meaning: "a text in lower case has another vector or other tokens"},
		lost: contract.Variant{Name: "folded", Outcome: contract.Pass, Meaning: "a text in lower case has the same vector: right for uncased models"},
	}.check()
}

// textAccents asks with one letter of the head under an accent, in both ways of writing it.
func textAccents() contract.Check {
	const asked = "text/accents"
	accented := func(e string) string { return strings.Replace(head, "bread", "br"+e+"ad", 1) }
	c := variation{
		id: asked, promise: "a letter and its accent as two characters are kept, or put together as the model's tokenizer wants it",
		why:  "normalisers of Rust and Python tokenizers differ; half of the world's text has such letters",
		row:  "txt-nfc-nfd",
		kept: contract.Variant{Name: "kept", Outcome: contract.Pass, Meaning: "the two ways of writing have different vectors or tokens"},
		lost: contract.Variant{Name: "composed", Outcome: contract.Pass, Meaning: "the two ways of writing have one vector: the tokenizer normalises"}, level: contract.May, extended: true,
	}.check()
	c.Probe = func(ctx context.Context, p contract.Prober) error {
		for _, q := range []contract.Text{{ID: "plain", Text: accented("é")}, {ID: "plain-again", Text: accented("é")}, {ID: "written-otherwise", Text: accented("e\u0301")}} {
			if _, err := p.Embed(ctx, q.ID, contract.Body{"input": q.Text}); err != nil {
				return err
			}
		}
		return nil
	}
	c.Reads = nil
	return c
}

func textBlank() contract.Check {
	return contract.Check{
		ID: "text/whitespace-only", Promise: "a text of nothing but white space is embedded, or refused as a fault of the client",
		Why: "pipelines produce blank chunks as they produce empty ones", Level: contract.Should,
		Sources: []string{"txt-whitespace-only", "SGLang refuses it, Infinity strips it"},
		Reads:   []string{emptyCheck},
		Variants: []contract.Variant{
			{Name: "embedded", Outcome: contract.Pass, Meaning: "200 with a vector"},
			{Name: "as-empty", Outcome: contract.Differs, Meaning: "200 with the vector of an empty text: the server strips it, or its tokenizer does", Breaks: changesTexts},
			{Name: "no-vector", Outcome: contract.Fail, Meaning: "200 without a usable vector", Breaks: "clients that pair texts and vectors"},
			{Name: rejected, Refuses: true, Outcome: contract.Differs, Meaning: "refused with a status that no client repeats", Breaks: "batches with a blank text"},
			{Name: rejectedRetried, Refuses: true, Outcome: contract.Differs, Meaning: "refused with a status that some clients repeat", Breaks: breaksOnRetry},
			{Name: failed, Refuses: true, Outcome: contract.Fail, Meaning: "answered as a fault of the server", Breaks: breaksOn5xx},
		},
		Swap: append(refusalSwaps(),
			contract.SwapRule{From: "embedded", To: "as-empty", Effect: contract.IndexBreak, Silent: true, Why: otherStored},
			contract.SwapRule{From: "as-empty", To: "embedded", Effect: contract.IndexBreak, Silent: true, Why: otherStored}),
		Probe: askText("blank", contract.Body{"input": "  \n"}),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("blank")
			if v, ok := refusal(s); ok {
				return contract.Found(v, "%s", s.Describe()).From(s.Name)
			}
			f := contract.Found("embedded", "%s", s.Describe()).From(s.Name)
			v, _ := s.One()
			if _, nonzero := parity.Finite(v); !nonzero { // nor is there one where nothing can be read
				f.Variant = "no-vector"
				return f
			}
			if d, err := stepDistance(s, e.Read[emptyCheck].Step("empty")); err == nil && d <= parity.SameBar {
				f.Variant = "as-empty"
			}
			return f
		},
	}
}
