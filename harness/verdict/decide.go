package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// Answer is a decision in one word.
type Answer string

// The answers to the whole question, and for clients.
const (
	DropIn  Answer = "drop-in"      // nothing needs to be done
	Changes Answer = "with-changes" // safe once these changes are made, each of which was run
	NotSafe Answer = "not-safe"
	Unknown Answer = "unknown"
)

// The answers for the index.
const (
	Keep    Answer = "keep"                // old and new vectors may stand side by side
	KeepNot Answer = "keep-but-do-not-mix" // queries of the candidate find what they should in the old index; new documents beside old ones may not
	ReEmbed Answer = "re-embed"            // stored vectors mean something else
)

// Decision says whether a candidate may stand where a reference stands. It is made of the cells of a pair alone.
type Decision struct {
	Answer     Answer      `json:"answer"` // drop-in, with-changes, not-safe, unknown
	Words      string      `json:"words"`  // one paragraph
	Clients    Clients     `json:"clients"`
	Index      Index       `json:"index"`
	Operations []Operation `json:"operations"`
	Unknown    []Open      `json:"unknown"` // what was not run or not decided
}

// Clients is what the swap means for those who send requests.
type Clients struct {
	Answer  Answer   `json:"answer"` // drop-in, with-changes, not-safe, unknown
	Changes []Change `json:"changes"`
	// Breaks are deviations that no remedy was shown to bridge.
	Breaks []Break `json:"breaks"`
	// Failed are remedies that were tried and do not help here.
	Failed []Change `json:"failed"`
}

// Change is a remedy, and what it is worth.
type Change struct {
	Remedy string   `json:"remedy"` // its id
	Do     string   `json:"do"`     // what clients do, in the imperative
	Why    []string `json:"why"`    // what happens without it, the silent first
	Silent bool     `json:"silent,omitempty"`
	Checks []string `json:"checks"` // that it bridges
	Proof  string   `json:"proof"`  // what was compared
	// Instead are other remedies that bridge the same.
	Instead []string `json:"instead,omitempty"`
}

// Break is a deviation that clients or the index notice.
type Break struct {
	Check  string `json:"check"`
	From   string `json:"from,omitempty"` // variants, of a target check
	To     string `json:"to,omitempty"`
	Why    string `json:"why"`
	Silent bool   `json:"silent,omitempty"`
}

// Index is what the swap means for stored vectors.
type Index struct {
	Answer  Answer   `json:"answer"` // keep, keep-but-do-not-mix, re-embed, unknown
	Reasons []string `json:"reasons"`
	// Bound is what the documents that were compared say of others like them; empty when none were.
	Bound   string   `json:"bound,omitempty"`
	Ranking []string `json:"ranking"` // what was measured of rankings, or why that says nothing
	Breaks  []Break  `json:"breaks"`
}

// Operation is what those who run the server notice.
type Operation struct {
	Check   string `json:"check"`
	What    string `json:"what"`
	Changes bool   `json:"changes"` // the reference does otherwise
	Remedy  string `json:"remedy,omitempty"`
}

// Open is a question that the evidence does not answer, and the command that would.
type Open struct {
	What    string `json:"what"`
	Command string `json:"command,omitempty"`
}

// Case is what a decision is made of.
type Case struct {
	Reference, Candidate string // with their labels
	Cells                []Cell
	Remedies             []Remedy
	Scope                Scope
	// Unasked are the extended checks that at least one of the servers was not asked, as recording.Unasked says it. Some of
	// them may be among Cells, decided by answers to other checks.
	Unasked []string
	// LeftOut are the extended checks that both were asked, and that somebody chose not to look at.
	LeftOut []string
	// Random says that the weights of one of the models are random numbers, so that rankings mean nothing.
	Random bool
	// Again is the command that asks everything, extended checks and SDKs included.
	Again string
}

// Remedy is a remedy with its proofs for this pair.
type Remedy struct {
	ID, Change string
	Bridges    []string // the checks whose deviations it bridges
	Proofs     []contract.Proof
	Reason     string // why there are none
}

// Yes reports whether the swap may be made: as it is, or also once the changes are made.
func (d Decision) Yes(acceptChanges bool) bool {
	return d.Answer == DropIn || d.Answer == Changes && acceptChanges
}

// Undecided reports a decision that the evidence does not allow.
func (d Decision) Undecided() bool { return d.Answer == Unknown }

// Decide makes the decision.
func Decide(c Case) Decision {
	d := &decider{c: c, by: map[string]Cell{}}
	for _, cell := range c.Cells {
		d.by[cell.Check] = cell
	}
	d.clients()
	d.index()
	d.operations()
	d.open()
	d.answer()
	return d.out
}

type decider struct {
	c   Case
	by  map[string]Cell
	out Decision
}

// decides reports a cell of which something is known.
func decides(c Cell) bool {
	return !c.Provisional && c.Effect != contract.Unknown && c.Effect != contract.NotCompared
}

// operates says that an answer is noticed by those who run the server and not by those who write its clients. Where
// plain requests fail, at the same time or now and then, or the server dies, its clients notice. What a server does that
// has more to do than it can is a matter of those who run it.
func (c Cell) operates() bool {
	stem, _, _ := strings.Cut(c.Check, "/")
	plain := c.Check == steadyCheck || stem == "concurrency" && !slices.Contains(told(), c.Check)
	return slices.Contains([]string{"lifecycle", "concurrency", "service"}, stem) && !c.kills() && (!plain || c.Outcome != contract.Fail)
}

// kills says that the candidate dies of a request. No client can bridge that: another one will send it.
func (c Cell) kills() bool { return c.To == contract.Dies }

// harms says that a cell needs something to be done.
func (c Cell) harms() bool {
	return !c.Provisional && (c.Effect == contract.ClientChange || c.Effect == contract.IndexBreak)
}

// clients finds the fewest remedies that bridge what clients notice, the one that bridges most first.
func (d *decider) clients() {
	out := Clients{Answer: DropIn, Changes: []Change{}, Breaks: []Break{}, Failed: []Change{}}
	open := map[string]Cell{}
	for _, c := range d.c.Cells {
		if c.harms() && !c.operates() {
			open[c.Check] = c
		}
	}
	bridgeable := func(p contract.Proof) bool {
		c, ok := open[p.Check]
		return ok && p.Holds && !c.kills()
	}
	for len(open) > 0 {
		best, most := -1, 0
		for i, r := range d.c.Remedies {
			n := 0
			for _, p := range r.Proofs {
				if bridgeable(p) {
					n++
				}
			}
			if n > most {
				best, most = i, n
			}
		}
		if best < 0 {
			break
		}
		out.Changes = append(out.Changes, d.take(d.c.Remedies[best], open))
	}
	place := map[string]int{} // changes are told in the order of the suite
	for i, r := range d.c.Remedies {
		place[r.ID] = i
	}
	slices.SortFunc(out.Changes, func(a, b Change) int { return place[a.Remedy] - place[b.Remedy] })
	for _, c := range d.c.Cells {
		if _, left := open[c.Check]; left && c.Effect == contract.ClientChange {
			out.Breaks = append(out.Breaks, c.broken())
		}
	}
	out.Failed = d.failed()
	switch {
	case len(out.Breaks) > 0:
		out.Answer = NotSafe
	case len(d.c.Cells) == 0 || !d.c.Scope.whole() || !slices.ContainsFunc(d.c.Cells, decides):
		out.Answer = Unknown // what was not asked may need more changes, or what no change bridges
	case len(out.Changes) > 0:
		out.Answer = Changes
	}
	d.out.Clients = out
}

// take makes a change of a remedy and removes what it bridges from what is open.
func (d *decider) take(r Remedy, open map[string]Cell) Change {
	out := Change{Remedy: r.ID, Do: r.Change, Why: []string{}}
	var loud []string
	for _, p := range r.Proofs {
		c, ok := open[p.Check]
		if !ok || !p.Holds || c.kills() {
			continue
		}
		delete(open, p.Check)
		out.Checks = append(out.Checks, p.Check)
		if out.Proof == "" {
			out.Proof = p.Observed
		}
		switch {
		case c.Silent && !slices.Contains(out.Why, c.Why):
			out.Silent, out.Why = true, append(out.Why, c.Why)
		case !c.Silent && !slices.Contains(loud, c.Why):
			loud = append(loud, c.Why)
		}
	}
	out.Why = append(out.Why, loud...)
	out.Proof = fmt.Sprintf("verified for %s: %s", count(len(out.Checks), "check", "checks"), out.Proof)
	for _, other := range d.c.Remedies {
		if other.ID != r.ID && other.covers(out.Checks) {
			out.Instead = append(out.Instead, other.Change)
		}
	}
	return out
}

func (r Remedy) covers(checks []string) bool {
	for _, id := range checks {
		if !slices.ContainsFunc(r.Proofs, func(p contract.Proof) bool { return p.Check == id && p.Holds }) {
			return false
		}
	}
	return true
}

// failed lists the remedies of what clients notice that do not hold.
func (d *decider) failed() []Change {
	out := []Change{}
	for _, r := range d.c.Remedies {
		c := Change{Remedy: r.ID, Do: r.Change, Why: []string{}}
		for _, p := range r.Proofs {
			if d.by[p.Check].harms() && !p.Holds && !p.Needless {
				c.Checks = append(c.Checks, p.Check)
				c.Why = append(c.Why, p.Check+": "+p.Observed)
			}
		}
		if len(c.Checks) > 0 {
			c.Proof = "failed for " + count(len(c.Checks), "check", "checks")
			out = append(out, c)
		}
	}
	return out
}

func (c Cell) broken() Break {
	return Break{Check: c.Check, From: c.From, To: c.To, Why: c.Why, Silent: c.Silent}
}

// answer is the worst of the parts.
func (d *decider) answer() {
	o := &d.out
	changes := o.Clients.Answer == Changes || o.Index.Answer == KeepNot ||
		slices.ContainsFunc(o.Operations, func(p Operation) bool { return p.Changes })
	switch {
	case o.Clients.Answer == NotSafe || o.Index.Answer == ReEmbed:
		o.Answer = NotSafe
	case o.Clients.Answer == Unknown || o.Index.Answer == Unknown || d.undecided() > 0:
		o.Answer = Unknown
	case changes:
		o.Answer = Changes
	default:
		o.Answer = DropIn
	}
	o.Words = d.words()
}

// undecided counts the cells of which nothing can be said and which are no matter of ranking.
func (d *decider) undecided() int {
	n := 0
	for _, c := range d.c.Cells {
		if !c.Provisional && c.Effect == contract.Unknown && !ranks(c) {
			n++
		}
	}
	return n
}
