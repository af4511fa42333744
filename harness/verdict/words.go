package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// words is the decision in one paragraph.
func (d *decider) words() string {
	var changes, breaks, silent, decided int
	var open, aside []Cell
	for _, c := range d.c.Cells {
		switch {
		case c.Provisional:
			if c.Effect == contract.ClientChange || c.Effect == contract.IndexBreak {
				aside = append(aside, c)
			}
			continue
		case c.Effect == contract.Unknown:
			open = append(open, c)
		case c.harms():
			if c.Effect == contract.IndexBreak {
				breaks++
			} else {
				changes++
			}
			if c.Silent {
				silent++
			}
		}
		decided++
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%s in place of %s: %s.", d.c.Candidate, d.c.Reference, d.short(decided, d.undecided()))
	if changes+breaks > 0 {
		fmt.Fprintf(&s, " %s", count(changes+breaks, "difference", "differences"))
		if breaks > 0 {
			fmt.Fprintf(&s, " (%d for clients, %d for the index)", changes, breaks)
		}
		if silent > 0 {
			fmt.Fprintf(&s, ", %d of them SILENT: no status tells", silent)
		}
		s.WriteString(".")
	}
	s.WriteString(d.indexWords())
	if len(open) > 0 {
		fmt.Fprintf(&s, " Not decided: %s.", list(open))
	}
	if len(aside) > 0 {
		fmt.Fprintf(&s, " Provisional, and not counted, though not without effect: %s.", list(aside))
	}
	return s.String()
}

// short is the answer in a few words. decided counts the cells that count, open those that leave the answer open.
func (d *decider) short(decided, open int) string {
	o := d.out
	switch {
	case o.Answer == NotSafe && len(o.Clients.Breaks) > 0:
		s := "no, not as it is"
		if n := len(o.Clients.Changes); n > 0 {
			s += fmt.Sprintf("; %s, verified by a run, %s not enough", count(n, "client change", "client changes"), verb(n))
		}
		return s
	case o.Answer == NotSafe:
		return "no, not as it is"
	case decided == 0 && len(d.c.Cells) > 0:
		return "nothing that was asked counts by this contract revision"
	case len(d.c.Cells) == 0 || open > 0:
		return "cannot tell"
	case o.Answer == Unknown && d.c.Scope.whole():
		return "cannot tell"
	case o.Answer == Unknown && len(o.Clients.Changes) > 0:
		n := len(o.Clients.Changes)
		return fmt.Sprintf("not as it is; %s %s shown to help in the %d of %d checks that were asked", count(n, "client change", "client changes"), verb(n), d.c.Scope.Asked, d.c.Scope.Of)
	case len(o.Clients.Changes) > 0:
		n := len(o.Clients.Changes)
		return fmt.Sprintf("not as it is; %s %s it safe, each verified by a run", count(n, "client change", "client changes"), makes(n))
	case o.Answer == Changes:
		return "clients need no change; see what operations and the index ask for"
	case !d.c.Scope.whole():
		return fmt.Sprintf("no change in the %d of %d checks that were asked", d.c.Scope.Asked, d.c.Scope.Of)
	}
	return fmt.Sprintf("yes, by all %d checks", d.c.Scope.Of)
}

func verb(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func makes(n int) string {
	if n == 1 {
		return "makes"
	}
	return "make"
}

// indexWords is the answer for the index in a sentence.
func (d *decider) indexWords() string {
	x := d.out.Index
	evidence := fmt.Sprintf("%s; tokens %s", d.by[cosineCheck].Observed, d.by[tokensCheck].Observed)
	switch x.Answer {
	case Keep:
		return " The index may stay: " + evidence + "." + d.bridgedWords()
	case KeepNot:
		return " The index may stay, but do not mix documents of both servers in it: " + evidence + "." + d.bridgedWords()
	case ReEmbed:
		silent := ""
		if slices.ContainsFunc(x.Breaks, func(b Break) bool { return b.Silent }) {
			silent = ", SILENTLY"
		}
		var cells []Cell
		for _, b := range x.Breaks {
			cells = append(cells, Cell{Check: b.Check})
		}
		return fmt.Sprintf(" The index breaks%s: %s.", silent, list(cells))
	case Unknown, DropIn, Changes, NotSafe:
	}
	return " The index: not decided, " + x.Reasons[0] + "."
}

// bridgedWords says why an index may stay though a check found that it breaks.
func (d *decider) bridgedWords() string {
	var cells []Cell
	for _, b := range d.bridged() {
		cells = append(cells, b.cell)
	}
	if len(cells) == 0 {
		return ""
	}
	return fmt.Sprintf(" %s bridged by verified changes of clients: %s.", count(len(cells), "index break is", "index breaks are"), list(cells))
}
