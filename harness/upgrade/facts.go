package upgrade

import (
	"fmt"
	"strconv"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// facts lists what was declared or discovered of both servers, where it differs.
func (c *comparer) facts() {
	was, is := c.judge.Facts(c.in.Old), c.judge.Facts(c.in.New)
	c.fact("model", was.Model, is.Model, func() (Mark, contract.Effect, string) {
		return Moved, contract.ClientChange, "clients ask for another name"
	})
	c.fact("dimensions", size(was, "dimensions", was.Dimensions), size(is, "dimensions", is.Dimensions), func() (Mark, contract.Effect, string) {
		if was.Dimensions == 0 || is.Dimensions == 0 {
			return Moved, contract.Unknown, "one of them is not known"
		}
		return Moved, contract.IndexBreak, "vectors have another length: the index refuses them"
	})
	c.fact("max_tokens", size(was, "max_tokens", was.MaxTokens), size(is, "max_tokens", is.MaxTokens), func() (Mark, contract.Effect, string) {
		switch {
		case was.MaxTokens == 0 || is.MaxTokens == 0:
			return Moved, contract.Unknown, "one of them is not known"
		case is.MaxTokens < was.MaxTokens:
			return Regressed, contract.ClientChange, "texts between the two limits were taken, and are refused or cut"
		}
		return Moved, contract.Compatible, "longer texts are taken"
	})
	c.fact("usage", was.Usage, is.Usage, func() (Mark, contract.Effect, string) {
		switch contract.UsageTokens {
		case is.Usage:
			return Fixed, contract.Compatible, "usage counts tokens now"
		case was.Usage:
			return Regressed, contract.ClientChange, "usage counted tokens: cost and rate limits are computed from it"
		}
		return Moved, contract.Compatible, "usage counts no tokens, before and after"
	})
	c.fact("query_prefix", was.QueryPrefix, is.QueryPrefix, func() (Mark, contract.Effect, string) {
		return Moved, contract.NotCompared, "it is declared, not measured; the checks of instructions say what it means"
	})
}

func (c *comparer) fact(name, was, is string, meaning func() (Mark, contract.Effect, string)) {
	if was == is {
		return
	}
	mark, effect, why := meaning()
	c.d.Facts = append(c.d.Facts, Fact{Name: name, Old: was, New: is, Mark: mark, Effect: string(effect), Why: why})
}

// size is a number, or why it is not known.
func size(f contract.Facts, name string, n int) string {
	if n == 0 {
		return fmt.Sprintf("? (%s)", f.Source[name])
	}
	return strconv.Itoa(n)
}
