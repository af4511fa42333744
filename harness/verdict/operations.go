package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// told are the checks of which those who run a server want to know in any case: which errors clients repeat, how many
// calls the SDKs make of one that cannot succeed, what happens under load, and whether health tells the truth.
func told() []string {
	return []string{
		"status_codes/client-faults-are-4xx", "witnesses/go-error", "witnesses/python-error", "witnesses/node-error",
		"concurrency/overload", "concurrency/retry-after",
		"lifecycle/health-while-gone", "lifecycle/health-at-start", "lifecycle/worker-stops", "lifecycle/worker-killed", "lifecycle/in-flight", "lifecycle/while-stopping",
	}
}

// shownOfAfter is how much is told of what was observed, in characters.
const shownOfAfter = 160

// operations lists what those who run the server notice: what they want to know in any case where it is no plain
// pass, and whatever else of their behaviours changes.
func (d *decider) operations() {
	d.out.Operations = []Operation{}
	add := func(c Cell) {
		o := Operation{Check: c.Check, Changes: c.harms() && c.operates(), What: c.To}
		if c.Meaning != "" {
			o.What += ", " + c.Meaning
		}
		if c.After != "" {
			o.What += " (" + contract.Shorten(c.After, shownOfAfter) + ")"
		}
		if c.From != c.To {
			o.What += "; before: " + c.From
		}
		o.Remedy = c.Remedy
		d.out.Operations = append(d.out.Operations, o)
	}
	for _, id := range told() {
		if c, ok := d.by[id]; ok && !c.Provisional && c.Outcome != contract.Pass && c.To != "" && c.Outcome != contract.NotApplicable {
			add(c)
		}
	}
	said := map[string]bool{}
	for _, c := range d.c.Cells {
		// What only the reference could be asked is gone: nobody has to change anything, and somebody may want to know.
		if !c.Provisional && c.To == contract.CannotAsk && c.Effect == contract.Compatible && !said[c.Why] {
			said[c.Why] = true
			d.out.Operations = append(d.out.Operations, Operation{Check: c.Check, What: c.Why + "; before: " + c.From})
		}
	}
	for _, c := range d.c.Cells {
		if c.operates() && c.harms() && !slices.Contains(told(), c.Check) {
			add(c)
		}
	}
}

// mostOpen is how many undecided cells are listed one by one.
const mostOpen = 6

// open lists what was not run, and the command that would settle it.
func (d *decider) open() {
	d.out.Unknown = []Open{}
	add := func(command, format string, args ...any) {
		d.out.Unknown = append(d.out.Unknown, Open{What: fmt.Sprintf(format, args...), Command: command})
	}
	n := 0
	said := map[string]bool{}
	for _, c := range d.c.Cells {
		if c.Provisional || c.Effect != contract.Unknown || ranks(c) {
			continue
		}
		why := firstOf(c.Observed, c.Why)
		if why != "" && said[why] { // as when a server did not start
			n++
			continue
		}
		said[why] = true
		if n++; len(said) <= mostOpen {
			add(c.Reproduce, "%s: %s", c.Check, firstOf(c.Observed, c.Why, "no verdict"))
		}
	}
	if more := n - min(len(said), mostOpen); more > 0 {
		add(d.c.Again, "%d more that are not decided, for these or other reasons", more)
	}
	if !d.c.Scope.whole() {
		add(d.c.Again, "%d of %d core checks were not asked", d.c.Scope.Of-d.c.Scope.Asked, d.c.Scope.Of)
	}
	if open := slices.DeleteFunc(slices.Clone(d.c.Unasked), d.decided); len(d.c.Unasked) > 0 {
		what := count(len(d.c.Unasked), "extended check was", "extended checks were") + " not asked"
		if n := len(d.c.Unasked) - len(open); n > 0 {
			what += fmt.Sprintf(" (%d of them decided by answers to others)", n)
		}
		if len(open) > 0 {
			what += ": " + strings.Join(stems(open), ", ")
		}
		add(d.c.Again, "%s", what)
	}
	if len(d.c.LeftOut) > 0 {
		add("", "%s asked and left out here: %s", count(len(d.c.LeftOut), "extended check was", "extended checks were"), strings.Join(stems(d.c.LeftOut), ", "))
	}
	for _, r := range d.c.Remedies {
		if r.Reason != "" && slices.ContainsFunc(d.out.Clients.Breaks, func(b Break) bool { return slices.Contains(r.Bridges, b.Check) }) {
			add(d.c.Again, "whether this helps is not recorded: %s (%s)", r.Change, r.Reason)
		}
	}
	if d.c.Random {
		add("", "rankings: the weights are random numbers; run both servers with a trained model")
	}
}

// decided says that a check is among the cells.
func (d *decider) decided(check string) bool {
	_, ok := d.by[check]
	return ok
}

// stems are the behaviours of some checks.
func stems(ids []string) []string {
	var out []string
	for _, id := range ids {
		if stem, _, _ := strings.Cut(id, "/"); !slices.Contains(out, stem) {
			out = append(out, stem)
		}
	}
	return out
}
