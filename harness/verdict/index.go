package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// ranks says that a cell is about rankings, or about a distance that only rankings can decide: between the bar and
// the noise of the servers.
func ranks(c Cell) bool {
	return c.Check != crossCheck && slices.Contains(rankChecks(), c.Check) && c.Variant == "order-changes" || c.Check == cosineCheck && c.Variant == "above-bar"
}

// crossCheck asks the old index with queries of the candidate. What it finds otherwise is no matter of mixing: the index is
// not decided then.
const crossCheck = "vector_parity/cross-index"

// rankChecks compare what searches find.
func rankChecks() []string {
	return []string{"vector_parity/rank-order", crossCheck, "vector_parity/half-mixed-index"}
}

// confidence is that with which a bound is stated.
const confidence = 0.95

// index says what becomes of stored vectors. A break that clients can bridge is none of the index.
func (d *decider) index() {
	out := Index{Answer: Keep, Reasons: []string{}, Ranking: d.ranking(), Breaks: []Break{}}
	changes := d.changes()
	for _, c := range d.c.Cells {
		if _, bridged := changes[c.Check]; c.breaks() && !bridged {
			out.Breaks = append(out.Breaks, c.broken())
		}
	}
	close := false
	for _, c := range d.c.Cells {
		close = close || !c.Provisional && ranks(c)
	}
	missing := d.undecidedIndex()
	switch {
	case len(out.Breaks) > 0:
		out.Answer = ReEmbed
		for _, b := range out.Breaks {
			out.Reasons = append(out.Reasons, b.Check+": "+firstOf(d.by[b.Check].Observed, b.Why))
		}
	case missing != "":
		out.Answer, out.Reasons = Unknown, append(out.Reasons, missing)
	case close:
		out.Answer = KeepNot
		out.Reasons = append(out.Reasons, "vectors differ by more than the servers' own noise, and by less than the bar")
	}
	for _, id := range []string{"dimensions/same-native", cosineCheck, tokensCheck} {
		if c, ok := d.by[id]; ok && c.Observed != "" {
			out.Reasons = append(out.Reasons, strings.TrimPrefix(id, "vector_parity/")+": "+c.Observed)
		}
	}
	for _, b := range d.bridged() {
		out.Reasons = append(out.Reasons, fmt.Sprintf("%s would break it (%s), and is bridged by a verified change of clients: %s", b.cell.Check, firstOf(b.cell.Why, "no reason is known"), b.change.Do))
	}
	for _, n := range d.by[cosineCheck].Numbers {
		if n.Name == documentsNumber && n.Value >= 1 {
			share := math.Pow(1-confidence, 1/n.Value)
			out.Bound = fmt.Sprintf("%.0f documents were compared: with %.0f %% confidence at least %.1f %% of documents like them are no farther than the worst of these; of the rest nothing is known",
				n.Value, 100*confidence, 100*share)
		}
	}
	d.out.Index = out
}

// breaks says that stored vectors stop being comparable with new ones.
func (c Cell) breaks() bool { return c.harms() && c.Effect == contract.IndexBreak }

// changes are those of clients, by the checks whose deviations they bridge.
func (d *decider) changes() map[string]Change {
	out := map[string]Change{}
	for _, c := range d.out.Clients.Changes {
		for _, id := range c.Checks {
			out[id] = c
		}
	}
	return out
}

// bridge is a break of the index, and the change of clients that makes it none.
type bridge struct {
	cell   Cell
	change Change
}

// bridged are the breaks of the index that verified changes of clients bridge, in the order of the suite.
func (d *decider) bridged() []bridge {
	var out []bridge
	changes := d.changes()
	for _, c := range d.c.Cells {
		if change, ok := changes[c.Check]; ok && c.breaks() {
			out = append(out, bridge{c, change})
		}
	}
	return out
}

// documentsNumber is the name of the measurement that counts the documents that were compared.
const documentsNumber = "n"

// undecidedIndex says why nothing can be said of the index; empty when something can.
func (d *decider) undecidedIndex() string {
	for _, id := range indexChecks() {
		c, ok := d.by[id]
		switch {
		case ok && c.Provisional, ok && ranks(c):
		case !ok || c.Effect == contract.NotCompared:
			return id + " was not asked"
		case c.Effect == contract.Unknown:
			return id + " decides nothing" + in(c.Observed)
		}
	}
	return ""
}

// ranking says what was measured of rankings.
func (d *decider) ranking() []string {
	out := []string{}
	if d.c.Random {
		return append(out, "unknown: the weights are random numbers, and so is the order of documents; ask servers of a trained model")
	}
	for _, id := range rankChecks() {
		if c, ok := d.by[id]; ok {
			out = append(out, strings.TrimPrefix(id, "vector_parity/")+": "+firstOf(c.Variant, "no verdict")+in(c.Observed))
		}
	}
	if len(out) == 0 {
		out = append(out, "unknown: no rankings were asked for")
	}
	return out
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
