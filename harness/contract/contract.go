// Package contract is the vocabulary of the suite: what a check is, what evidence it reads and in which
// closed list of ways a server can answer it. It is data and small functions on the standard library alone,
// so whoever reads a recording or a report needs nothing else.
package contract

import (
	"context"
	"fmt"
)

// Level says how strongly the contract asks for something.
type Level string

// The levels, as in RFC 2119. May marks extensions such as input_type, which no public text requires.
const (
	Must   Level = "must"
	Should Level = "should"
	May    Level = "may"
)

// Outcome is how a cell of the conformance axis reads: does this server meet the contract?
type Outcome string

// Pass, Differs and Fail come from the variant that was seen; the others say why there is none.
const (
	Pass          Outcome = "pass"
	Differs       Outcome = "differs"        // another allowed or harmless way; clients may notice
	Fail          Outcome = "fail"           // a promise is broken
	Unsupported   Outcome = "unsupported"    // an optional feature that the server does not offer
	NotApplicable Outcome = "not-applicable" // the target cannot be asked; the reason is given
	Skipped       Outcome = "skipped"        // deselected by the user
	Error         Outcome = "error"          // no evidence: target, environment or suite fault
	Flaky         Outcome = "flaky"          // repeats of one check gave different variants
)

// Effect is how a cell of the compatibility axis reads: what does a client of the reference, or an index
// built with it, notice when the candidate answers instead?
type Effect string

// The effects, from harmless to harmful.
const (
	Same         Effect = "same"
	Compatible   Effect = "compatible"    // answers differ, no client of the reference can notice
	ClientChange Effect = "client-change" // clients must change something first
	IndexBreak   Effect = "index-break"   // stored vectors stop being comparable with new ones
	Unknown      Effect = "unknown"       // the evidence does not decide it
	NotCompared  Effect = "not-compared"  // neither server can be asked
)

// Variant is one of the closed list of ways to answer a check.
type Variant struct {
	Name    string
	Outcome Outcome
	// Effect is set for variants of pair checks only.
	Effect  Effect
	Meaning string // what this answer is, as a client sees it
	Breaks  string // who breaks on it; empty when nobody does
	Remedy  string // the change on the client's side that bridges it; empty when none is needed or known
	Silent  bool   // of a pair check: no status and no error tells the client
	Refuses bool   // the request is not served: no client can rely on what such an answer holds
}

// Names of the variants that every check has without listing them.
const (
	// Other is an answer outside the closed list. It is always a failure and shows what was seen.
	Other = "other"
	// NoAnswer: a request of the check got no complete HTTP answer, while a plain request still does.
	NoAnswer = "no-answer"
	// Dies: after the requests of this check the server no longer answers a plain request.
	Dies = "dies"
	// CannotAsk stands in the rules of a swap for a server that cannot be asked the check: where all such servers are alike
	// in what the check is about, as those without a key are, a rule says what that means in place of one that can.
	CannotAsk = string(NotApplicable)
)

// SwapRule overrides the default effect of a change from one variant of a target check to another.
type SwapRule struct {
	From, To string // variant names, one of them perhaps CannotAsk; "*" matches any that serves the request, right or wrong
	Effect   Effect
	Silent   bool // no status and no error tells the client
	Why      string
}

// Change is what a swap means for one check.
type Change struct {
	Effect Effect
	Silent bool
	Why    string
}

// Check is one question with a stable id: ids never change their meaning and are never used again.
// A target check has Classify, a pair check has Compare.
type Check struct {
	ID       string // "behaviour/question"
	Promise  string // what a client relies on, in one sentence
	Why      string // why it matters
	Level    Level
	Extended bool // slow or heavy: runs on request only
	// Provisional: the revision by which is judged does not list the check. It is asked and shown, and decides
	// nothing. Suite.At sets it.
	Provisional bool
	Sources     []string // where the rule comes from
	Looks       []string // what known faults looked like in recorded runs, for whoever has to find the cause
	Variants    []Variant
	// Lone says that the check compares a target with what was declared of it: no swap changes that, so it has no
	// effect on a pair.
	Lone bool
	// Swap lists effects that differ from the default; see Check.EffectOf.
	Swap []SwapRule
	// Reads names the checks whose evidence Probe, Classify or Compare needs. They are asked first, and once.
	Reads []string
	// Plans names the parts of the plan, beside the corpus, on which a pair check's questions depend: PlanPrefix,
	// PlanLimit. Recordings whose plans differ in them are not compared.
	Plans []string
	// ReadsSome: what it reads may be missing on a target; the classifier looks at what there is.
	ReadsSome bool
	// Peeks names checks whose evidence it is given where they were asked. They are not asked for its sake.
	Peeks []string
	// Bridges is set for a remedy, and names the checks whose deviations it bridges; see Behaviour.Remedies.
	Bridges []string
	// ReadsFaults says that a request without an answer is for the classifier to judge; otherwise it is NoAnswer.
	ReadsFaults bool
	// Disrupts says that the probe stops, kills or exhausts the server. Such a check is extended, is asked of a server
	// that was started for it, and that server is asked nothing else.
	Disrupts bool
	// Needs says, with an error of Inapplicable, why a server of those facts cannot be asked this; nil: any can. What it
	// says is judged of recordings as well in which the check was tried all the same.
	Needs func(Facts) error
	// Probe asks the server. A check without one decides from what the checks that it reads have asked.
	Probe func(context.Context, Prober) error
	// Classify decides from the evidence of one target.
	Classify func(Evidence) Finding
	// Compare decides from the evidence of two targets that were asked by the same plan.
	Compare func(reference, candidate Evidence) Finding
}

// Behaviour is a chapter of the contract; its stem is the name of its file in suites/ and of its label.
type Behaviour struct {
	Stem    string
	Promise string
	Checks  []Check
	// Remedies are changes on the client's side, of a request or of how its answer is read, that bridge deviations of a
	// candidate. Each has the form of a pair check with Bridges: its Promise is what clients do, in the imperative; what
	// it asks is recorded with every run; its Finding holds a Proof for each check that it bridges. Remedies are judged
	// for a verdict on a swap, and count nowhere else.
	Remedies []Check
}

// FactFinder is the reserved first behaviour: it asks a server for what the checks must know of it.
type FactFinder struct {
	// Probe asks within a bounded number of requests. A fact that cannot be found is left unknown.
	Probe func(context.Context, Prober) error
	// Derive makes facts of the recorded answers. Declared facts win over discovered ones.
	Derive func(declared Facts, e Evidence) Facts
}

// FactsID is the check id under which the answers of the FactFinder are recorded.
const FactsID = "facts"

func (c Check) validate(stem string) error {
	switch {
	case len(c.ID) <= len(stem)+1 || c.ID[:len(stem)+1] != stem+"/":
		return fmt.Errorf("check %q stands in behaviour %q: its id must begin with %q", c.ID, stem, stem+"/")
	case (c.Probe == nil && len(c.Reads) == 0) || (c.Classify == nil) == (c.Compare == nil):
		return fmt.Errorf("check %s needs Probe or Reads, and either Classify or Compare", c.ID)
	case c.Disrupts && (!c.Extended || c.Probe == nil):
		return fmt.Errorf("check %s disrupts its server: it must be extended, and ask", c.ID)
	case c.Promise == "" || c.Level == "" || len(c.Sources) == 0 || len(c.Variants) < 2:
		return fmt.Errorf("check %s lacks its promise, level, sources or variants", c.ID)
	}
	names := map[string]bool{Other: true, NoAnswer: true, Dies: true, CannotAsk: true}
	for _, v := range c.Variants {
		if names[v.Name] {
			return fmt.Errorf("check %s has variant %q twice, or it is a reserved name", c.ID, v.Name)
		}
		names[v.Name] = true
		if v.Outcome == "" || v.Meaning == "" || (v.Effect == "") == c.Pair() {
			return fmt.Errorf("variant %s of %s needs an outcome, a meaning, and an effect just if it is of a pair check", v.Name, c.ID)
		}
		if v.Outcome == Fail && v.Breaks == "" {
			return fmt.Errorf("variant %s of %s fails but does not say who breaks", v.Name, c.ID)
		}
	}
	if len(c.Bridges) > 0 && (!c.Pair() || len(c.Swap) > 0) {
		return fmt.Errorf("remedy %s must compare two targets, and has no swap rules", c.ID)
	}
	for _, r := range c.Swap {
		if (r.From != "*" && !names[r.From]) || (r.To != "*" && !names[r.To]) || r.Effect == "" || r.Why == "" {
			return fmt.Errorf("check %s has a swap rule %s -> %s for variants it lacks, or without an effect or a reason", c.ID, r.From, r.To)
		}
	}
	return nil
}

// Remedy reports whether the check is a remedy; see Behaviour.Remedies.
func (c Check) Remedy() bool { return len(c.Bridges) > 0 }

// Pair reports whether the check is decided from the evidence of two targets.
func (c Check) Pair() bool { return c.Compare != nil }

// Variant finds a variant by name; the implicit ones are known to every check, and whatever is on no list is Other.
func (c Check) Variant(name string) Variant {
	for _, v := range c.Variants {
		if v.Name == name {
			return v
		}
	}
	v := Variant{Name: name, Outcome: Fail, Refuses: name == NoAnswer || name == Dies}
	if c.Pair() {
		v.Effect = Unknown
	}
	switch name {
	case NoAnswer:
		v.Meaning, v.Breaks = "the request got no complete HTTP answer", "every client that sends this"
	case Dies:
		v.Meaning, v.Breaks = "the server stopped answering after this request", "every client of the server, not only the one that sent this"
	default:
		v.Name, v.Meaning, v.Breaks = Other, "an answer outside the list of known ways", "unknown: look at what was observed"
	}
	return v
}

func (c Check) matches(pattern, variant string) bool {
	return pattern == variant || pattern == "*" && variant != CannotAsk && !c.Variant(variant).Refuses
}

// EffectUnasked says what a change means of which one side, CannotAsk, cannot be asked the check, where a rule of the check
// says so. known is false where none does.
func (c Check) EffectUnasked(from, to string) (change Change, known bool) {
	for _, r := range c.Swap {
		if c.matches(r.From, from) && c.matches(r.To, to) {
			return Change{r.Effect, r.Silent, r.Why}, true
		}
	}
	return Change{}, false
}

// EffectOf says what it means for clients of a server that answers a target check in the way of from, when
// a server that answers in the way of to takes its place. Without a rule of the check: the same variant is
// Same, a variant that passes in place of a refusal is Compatible, and any other change is a ClientChange, since
// clients may rely on what they are served, right or wrong.
func (c Check) EffectOf(from, to string) Change {
	if from == to && from != Other {
		return Change{Effect: Same}
	}
	for _, r := range c.Swap {
		if c.matches(r.From, from) && c.matches(r.To, to) {
			return Change{r.Effect, r.Silent, r.Why}
		}
	}
	if from == Other || to == Other {
		return Change{Effect: Unknown, Why: "an answer outside the known list"}
	}
	if c.Variant(from).Refuses && c.Variant(to).Outcome == Pass {
		if c.Variant(to).Refuses {
			return Change{Effect: Compatible, Why: "it failed before and fails now, as it should"}
		}
		return Change{Effect: Compatible, Why: "what failed before is served now"}
	}
	return Change{Effect: ClientChange, Why: c.Variant(to).Meaning}
}
