package kill_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// factsCase is what a server answered while its facts were looked for, and what they are.
type factsCase struct {
	name     string
	declared contract.Facts
	steps    []contract.Step
	want     derivedFacts
}

// derivedFacts are the facts that can be discovered, each with the beginning of what is said of its source.
type derivedFacts struct {
	dimensions, maxTokens  int
	usage                  string
	limit                  contract.Filler
	dimensionsAre, limitIs string
	prefixIs               string
}

// sourceLength is how much of a source is compared: whether it is declared, discovered or unknown, and the beginning of why.
const sourceLength = 22

func factsOf(f contract.Facts) derivedFacts {
	source := func(of string) string { return f.Source[of][:min(len(f.Source[of]), sourceLength)] }
	return derivedFacts{f.Dimensions, f.MaxTokens, f.Usage, f.Limit, source("dimensions"), source("max_tokens"), source("query_prefix")}
}

// text is a word of its own for each.
func (d derivedFacts) text() string { return fmt.Sprintf("%+v", d) }

func (c factsCase) derived(suite contract.Suite) contract.Facts {
	return suite.Facts.Derive(c.declared, contract.Evidence{Steps: c.steps})
}

// counts is an answer with a vector of n numbers, and a count of tokens; of 0 tokens: without usage.
func counts(name string, tokens, n int) contract.Step {
	usage := ""
	if tokens != 0 {
		usage = fmt.Sprintf(`,"usage":{"prompt_tokens":%d}`, tokens)
	}
	body := `{"data":[{"index":0,"embedding":[]}]` + usage + `}`
	v := make([]float32, n)
	v[0] = 1
	return contract.Step{Name: name, Status: 200, Body: []byte(body), Vectors: []contract.Vector{{Offset: strings.Index(body, "[]"), Values: v}}}
}

func factsCases() []factsCase {
	const usual, huge = 8, 200_000
	text := func(name string, tokens int) contract.Step { return counts(name, tokens, usual) }
	no := func(name string) contract.Step { return contract.Step{Name: name, Status: 400} }
	// counting is a server that counts tokens, asked for more.
	counting := func(more ...contract.Step) []contract.Step {
		return append([]contract.Step{text("plain", 9), text("usage:8+0", 9), text("usage:8+1", 10), text("usage:8+3", 12)}, more...)
	}
	declared := contract.Facts{MaxTokens: 33}
	unlimited := derivedFacts{usual, 0, contract.UsageTokens, contract.Filler{}, "discovered", "unknown: no limit was ", ""}
	limited := derivedFacts{usual, 33, contract.UsageTokens, contract.Filler{}, "discovered", "declared", ""}
	with := func(d derivedFacts, change func(*derivedFacts)) derivedFacts { change(&d); return d }
	unreliable := with(unlimited, func(d *derivedFacts) { d.usage, d.limitIs = "unreliable", "unknown: usage does no" })
	uncounted := with(unreliable, func(d *derivedFacts) { d.usage = "unknown" })
	fits := with(limited, func(d *derivedFacts) { d.limit = contract.Filler{Words: 24, Pads: 5} })
	grown := func(n int) derivedFacts {
		return with(limited, func(d *derivedFacts) { d.maxTokens, d.limitIs = n, "discovered" })
	}
	return []factsCase{
		{"nothing was answered", contract.Facts{}, nil, derivedFacts{0, 0, "absent", contract.Filler{}, "unknown: status 0 (not", "unknown: usage does no", ""}},
		{"all is declared", contract.Facts{Dimensions: 3, MaxTokens: 33, Source: map[string]string{"query_prefix": "declared"}}, nil,
			derivedFacts{3, 33, "absent", contract.Filler{}, "declared", "declared", "declared"}},
		{"no more than a vector", contract.Facts{}, []contract.Step{text("plain", 0)}, with(unreliable, func(d *derivedFacts) { d.usage = "absent" })},
		{"a long vector", contract.Facts{}, []contract.Step{counts("plain", 0, huge)}, with(unreliable, func(d *derivedFacts) { d.dimensions, d.usage = huge, "absent" })},
		{"a vector that is too long", contract.Facts{}, []contract.Step{counts("plain", 0, contract.Longest+1)},
			derivedFacts{0, 0, "absent", contract.Filler{}, "unknown: a vector of 1", "unknown: usage does no", ""}},
		{"texts were not asked", contract.Facts{}, []contract.Step{text("plain", 9)}, uncounted},
		{"one text was not asked", contract.Facts{}, []contract.Step{text("plain", 9), text("usage:8+0", 9), text("usage:8+1", 10)}, uncounted},
		{"the first text was not asked", contract.Facts{}, []contract.Step{text("plain", 9), text("usage:8+1", 1), text("usage:8+3", 3)}, uncounted},
		{"a count that does not grow", contract.Facts{}, []contract.Step{text("plain", 9), text("usage:8+0", 9), text("usage:8+1", 9), text("usage:8+3", 9)}, unreliable},
		{"counts of characters", contract.Facts{}, []contract.Step{text("plain", 9), text("usage:8+0", 9), text("usage:8+1", 11), text("usage:8+3", 15)}, unreliable},
		{"one text is refused", contract.Facts{}, []contract.Step{text("plain", 9), text("usage:8+0", 9), text("usage:8+1", 11), no("usage:8+3")}, uncounted},
		{"counts below none", contract.Facts{}, []contract.Step{text("plain", 9), text("usage:8+0", -3), text("usage:8+1", -2), text("usage:8+3", -1)}, uncounted},

		{"no limit was met", contract.Facts{}, counting(text("grow:32+0", 33), text("grow:64+0", 65)), unlimited},
		{"a text of another kind is refused", contract.Facts{}, counting(text("grow:32+0", 33), no("limit:24+5")), unlimited},
		{"a text of another kind counts as many tokens", contract.Facts{}, counting(text("grow:32+0", 12)), unlimited},
		{"a limit was met", contract.Facts{}, counting(text("grow:32+0", 33), no("grow:64+0"), text("grow:48+0", 49), no("grow:48+1")), grown(49)},
		{"texts are cut at a limit", contract.Facts{}, counting(text("grow:32+0", 33), text("grow:64+0", 50), text("grow:128+0", 50)), grown(50)},
		{"a shorter text counts as many tokens", contract.Facts{}, counting(text("grow:64+0", 50), text("grow:48+0", 50)), unlimited},
		{"the first text is a long one", contract.Facts{}, append([]contract.Step{text("grow:32+0", 33)}, counting(no("grow:64+0"))...), grown(33)},
		{"a name that is no recipe", contract.Facts{}, counting(text("grow:long", 70), text("grow", 80), text("grow:32+0", 33), no("grow:64+0")), grown(33)},
		{"more tokens than a text can have", contract.Facts{}, counting(text("grow:32+0", 33), text("grow:64+0", 16*64+4096+1)), grown(33)},
		{"as many tokens as a text can have", contract.Facts{}, counting(text("grow:32+0", 33), text("grow:64+0", 16*64+4096), no("grow:128+0")), grown(16*64 + 4096)},
		{"a few tokens, and fewer than no words", contract.Facts{}, counting(text("grow:32+0", 33), text("grow:-3+0", 900)), grown(33)},
		{"a few tokens, and fewer than no pads", contract.Facts{}, counting(text("grow:32+0", 33), text("grow:5+-2", 900)), grown(33)},

		{"a text of the limit", declared, counting(text("limit:24+0", 28), text("limit:24+5", 33)), fits},
		{"a text of the limit, at the second try", declared, counting(text("limit:40+0", 44), text("limit:24+0", 28), text("limit:24+5", 33)), fits},
		{"a text of the limit is refused", declared, counting(text("limit:24+0", 28), no("limit:24+5")), limited},
		{"a text of the limit is counted otherwise", declared, counting(text("limit:24+0", 28), text("limit:24+5", 32)), limited},
		{"a text of another size has as many tokens", declared, counting(text("limit:24+0", 28), text("limit:25+5", 33)), limited},
		{"words that fill the limit", declared, counting(text("limit:29+0", 33)), limited},
		{"pads are no base", declared, counting(text("limit:24+1", 28), text("limit:24+5", 33)), limited},
		{"words that were refused are no base", declared, counting(no("limit:24+0"), text("limit:24+34", 33)), limited},
		{"no text is shorter than none", declared, counting(text("limit:-3+0", 5), text("limit:-3+28", 33)), limited},
		{"a limit, of a server that does not count", declared, []contract.Step{text("plain", 0)},
			with(limited, func(d *derivedFacts) { d.usage = "absent" })},
	}
}

func TestFactsAreDerived(t *testing.T) {
	t.Parallel()
	l := openLab(t)
	for _, c := range factsCases() {
		if got := factsOf(c.derived(l.suite)); got != c.want {
			t.Errorf("%s:\n%+v, want\n%+v", c.name, got, c.want)
		}
	}
}
