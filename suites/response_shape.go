package suites

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
	"github.com/embedcontract/embedcontract/openapi"
)

// responseShape: an answer has the fields and types that every client reads, one vector for each input.
func responseShape(doc *openapi.Document) contract.Behaviour {
	return contract.Behaviour{
		Stem:    "response_shape",
		Promise: "an answer has the fields and types that clients read, and one flat vector for each input",
		Checks:  append([]contract.Check{shapeWire(doc), shapeProfile(doc), shapeOneEach(), shapeFlat(), shapeStringArray()}, shapeMore()...),
	}
}

const shapeText = "A short sentence about rivers."

func shapeWire(doc *openapi.Document) contract.Check {
	return contract.Check{
		ID:      "response_shape/wire-schema",
		Promise: "a 200 has object, data, model and usage with the types of the wire profile",
		Why:     "typed clients refuse or default whatever is missing or of another type",
		Level:   contract.Must,
		Sources: []string{openAIResponse, "openapi profile wire", "shape-top-level", "shape-item-fields"},
		Variants: []contract.Variant{
			{Name: "conforms", Outcome: contract.Pass, Meaning: "float and base64-free answers follow the wire profile"},
			{Name: "violates-schema", Outcome: contract.Fail, Meaning: "a field is missing or has another type",
				Breaks: "typed clients: openai-go and openai-java read zero values, Spring AI raises"},
			refused(),
		},
		Swap: []contract.SwapRule{{From: "violates-schema", To: "conforms", Effect: contract.Compatible, Why: "clients are written for the schema"}},
		Probe: func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "one", contract.Body{"input": shapeText}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "two", contract.Body{"input": []string{shapeText, "Another one."}})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			for _, name := range []string{"one", "two"} {
				s := e.Step(name)
				if !s.OK() {
					return contract.Found("refused", "%s", s.Describe()).From(name)
				}
				// The lists of numbers that were moved out of the body left an empty list, which is as valid.
				found := doc.ValidateResponse(openapi.Wire, s.Status, contentType(s), s.Body)
				if len(found) > 0 {
					return contract.Found("violates-schema", "%s", joinViolations(found)).With("violations", float64(len(found))).From(name)
				}
			}
			return contract.Found("conforms", "%s", e.Step("one").Describe()).From("one", "two")
		},
	}
}

func contentType(s contract.Step) string {
	if v := s.Header["Content-Type"]; len(v) > 0 {
		return v[0]
	}
	return ""
}

func joinViolations(found []openapi.Violation) string {
	var out []string
	for _, v := range found[:min(3, len(found))] {
		out = append(out, v.String())
	}
	if len(found) > 3 {
		out = append(out, fmt.Sprintf("and %d more", len(found)-3))
	}
	return strings.Join(out, "; ")
}

func shapeOneEach() contract.Check {
	return contract.Check{
		ID:      "response_shape/one-item-per-input",
		Promise: "data has as many items as input has texts",
		Why:     "clients pair texts and vectors by position; one too few shifts all that follow",
		Level:   contract.Must,
		Sources: []string{openAIResponse, "shape-count-matches-input", "shape-no-empty-200"},
		Variants: []contract.Variant{
			{Name: "one-each", Outcome: contract.Pass, Meaning: "1, 2 and 17 inputs give 1, 2 and 17 items"},
			{Name: "wrong-count", Outcome: contract.Fail, Meaning: "200 with another number of items",
				Breaks: "clients that zip texts with vectors: the wrong vector is stored for a text, in silence"},
			{Name: "array-refused", Refuses: true, Outcome: contract.Fail, Meaning: "a list of texts is not served", Breaks: "every client that sends batches"},
			{Name: "long-list-refused", Refuses: true, Outcome: contract.Differs, Meaning: "a list of 17 texts is refused with a 4xx, a list of 2 is served",
				Breaks: "clients that send as many texts at a time", Remedy: "send smaller batches"},
		},
		Swap: []contract.SwapRule{{From: "array-refused", To: "long-list-refused", Effect: contract.Compatible, Why: "short lists are served now"}},
		Probe: func(ctx context.Context, p contract.Prober) error {
			for _, n := range shapeCounts {
				if _, err := p.Embed(ctx, fmt.Sprintf("inputs-%d", n), contract.Body{"input": numbered(n)}); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			longest := shapeCounts[len(shapeCounts)-1]
			for _, n := range shapeCounts {
				name := fmt.Sprintf("inputs-%d", n)
				s := e.Step(name)
				r, err := s.Response()
				switch {
				case err != nil && s.OK():
					return mismatch(s, err)
				case n == longest && s.Status >= 400 && s.Status <= 499:
					return contract.Found("long-list-refused", "%d texts: %s", n, s.Describe()).From(name) // the shorter ones were served
				case err != nil:
					return contract.Found("array-refused", "%s", s.Describe()).From(name)
				case len(r.Items) != n:
					return contract.Found("wrong-count", "%d inputs gave %d items", n, len(r.Items)).With("items", float64(len(r.Items))).From(name)
				}
			}
			return contract.Found("one-each", "%v inputs gave as many items", shapeCounts)
		},
	}
}

// shapeCounts: one, a pair, and more than the usual inner batch sizes of 8 and 16, so that a server which
// splits a request has to put it together again.
var shapeCounts = [...]int{1, 2, 17}

// numbered makes n short texts that differ.
func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s, seen %d times", contract.Filler{Words: 3 + i%5}, i+1)
	}
	return out
}

func shapeFlat() contract.Check {
	return contract.Check{
		ID:      "response_shape/flat-vector",
		Promise: "embedding is one flat list of finite numbers that are not all zero",
		Why:     "a null or NaN reads as 0 in several SDKs, a zero vector makes cosine undefined",
		Level:   contract.Must,
		Sources: []string{openAIResponse, "shape-flat-vector", "shape-finite", "shape-nonzero"},
		Variants: []contract.Variant{
			{Name: "flat", Outcome: contract.Pass, Meaning: "a flat list of finite numbers"},
			{Name: "nested", Outcome: contract.Fail, Meaning: "a list of lists, such as one vector per token", Breaks: "every typed client"},
			{Name: "not-numbers", Outcome: contract.Fail, Meaning: "null or something else stands among the numbers",
				Breaks: "openai-go reads null as 0 and goes on; others raise"},
			{Name: "all-zero", Outcome: contract.Fail, Meaning: "a vector of zeros with 200", Breaks: "cosine is undefined: Dify turns it into NaN, indexes refuse it or rank by chance"},
			{Name: "string", Outcome: contract.Fail, Meaning: "a string though no format was asked for", Breaks: "clients that expect numbers: Vercel AI SDK, Weaviate"},
			refused(),
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			_, err := p.Embed(ctx, "odd-texts", contract.Body{"input": oddTexts()})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("odd-texts")
			r, _ := s.Response() // what cannot be read has no items
			if len(r.Items) == 0 {
				return contract.Found("refused", "%s", s.Describe()).From(s.Name)
			}
			for i, it := range r.Items {
				if f := flatness(it); f != "flat" {
					return contract.Found(f, "data[%d].embedding: %s", i, s.Describe()).From(s.Name)
				}
			}
			return contract.Found("flat", "%d vectors of %d finite numbers", len(r.Items), len(r.Items[0].Vector)).From(s.Name)
		},
	}
}

// oddTexts have unlike lengths, so that padding matters, and characters that tokenizers treat unlike.
func oddTexts() []string {
	return []string{"a", "한국어 문장과 English words, 123.", contract.Filler{Words: 40}.String(), "🙂", "tab\tand\nnewline"}
}

func flatness(it contract.Item) string {
	if it.Vector != nil {
		if _, nonzero := parity.Finite(it.Vector); !nonzero {
			return "all-zero"
		}
		return "flat"
	}
	if it.Text != "" {
		return "string"
	}
	var nested []any
	if _ = json.Unmarshal(it.Raw, &nested); len(nested) > 0 { // what is no list has no elements
		if _, ok := nested[0].([]any); ok {
			return "nested"
		}
	}
	return "not-numbers"
}

func shapeStringArray() contract.Check {
	return contract.Check{
		ID:      "response_shape/string-equals-array",
		Promise: "a text and a list of just that text are the same request",
		Why:     "clients choose between the two forms by the number of texts",
		Level:   contract.Must,
		Sources: []string{openAIRequest + ".input", "shape-string-equals-array"},
		Swap:    movedBetween("a text in a list has another vector, or other tokens, than before", "equal", "differs"),
		Variants: []contract.Variant{
			{Name: "equal", Outcome: contract.Pass, Meaning: "the same vector and the same tokens"},
			{Name: "differs", Outcome: contract.Fail, Meaning: "another vector or other tokens for the list",
				Breaks: "documents that are indexed in batches and queries that are sent alone no longer meet"},
			{Name: "array-refused", Refuses: true, Outcome: contract.Fail, Meaning: "the list is not served", Breaks: "every client that sends lists"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "string", contract.Body{"input": shapeText}); err != nil {
				return err
			}
			_, err := p.Embed(ctx, "array", contract.Body{"input": []string{shapeText}})
			return err
		},
		Classify: func(e contract.Evidence) contract.Finding {
			a, errA := e.Step("string").One()
			b, errB := e.Step("array").One()
			switch {
			case errA == nil && !e.Step("array").OK():
				return contract.Found("array-refused", "%s", e.Step("array").Describe()).From("array")
			case errA != nil:
				return mismatch(e.Step("string"), errA)
			case errB != nil:
				return mismatch(e.Step("array"), errB)
			}
			ta, _ := e.Step("string").Tokens()
			tb, _ := e.Step("array").Tokens()
			d, err := parity.Distance(a, b)
			if errors.Is(err, parity.ErrZero) {
				return mismatch(e.Step("array"), err)
			}
			f := contract.Found("equal", "%d and %d tokens", ta, tb).From("string", "array")
			if err != nil || d > parity.SameBar || ta != tb {
				f.Variant = "differs"
			}
			return f.With("cosine", 1-d)
		},
	}
}
