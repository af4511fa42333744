package upgrade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// gaps lists what the two recordings do not share. What the old server answered and nobody asked of the new one leaves
// the question open; what only the new one was asked does not, since nothing is known from which it could have changed.
func (c *comparer) gaps() {
	older, newer := c.in.Old, c.in.New
	for _, side := range []struct{ rec, other *recording.Recording }{{older, newer}, {newer, older}} {
		if side.rec.Ended.IsZero() {
			c.gap(nil, side.rec, side.other, fmt.Sprintf("the recording of %s was cut short", name(side.rec)), true)
		}
	}
	held := func(list []Held) (ids []string, counts bool) {
		for _, h := range list {
			ids = append(ids, h.Check)
			counts = counts || !h.Provisional
		}
		return ids, counts
	}
	if ids, counts := held(c.d.Removed); len(ids) > 0 {
		c.gap(ids, newer, older, fmt.Sprintf("%s was asked, %s was not", name(older), name(newer)), counts)
	}
	if ids, _ := held(c.d.Added); len(ids) > 0 {
		c.gap(ids, older, newer, fmt.Sprintf("%s was asked, %s was not, or before the check existed", name(newer), name(older)), false)
	}
	for _, o := range c.open {
		rec, other := newer, older
		if o.side == older.Header.Target.Name {
			rec, other = older, newer
		}
		c.gap([]string{o.check.ID}, rec, other, o.reason, !o.check.Provisional && !o.check.Lone)
	}
	c.steps()
}

// name is how a recording is called in words, without what sets two of one name apart for the judge.
func name(rec *recording.Recording) string {
	n := rec.Header.Target.Name
	return strings.TrimSuffix(strings.TrimSuffix(n, "@old"), "@new")
}

// gap adds checks to the gap of the same reason.
func (c *comparer) gap(ids []string, rec, other *recording.Recording, reason string, decides bool) {
	command := "embedcontract run " + name(rec) + c.options(ids) + " --reference " + folder(other) + " --out .runs/again"
	at := slices.IndexFunc(c.d.Gaps, func(g Gap) bool { return g.Reason == reason })
	if at < 0 {
		c.d.Gaps = append(c.d.Gaps, Gap{Reason: reason, Command: command, Checks: ids, Decides: decides})
		return
	}
	g := &c.d.Gaps[at]
	g.Checks = append(g.Checks, ids...)
	g.Decides = g.Decides || decides
	if len(command) > len(g.Command) { // the one with --extended asks the others as well
		g.Command = command
	}
}

// options are those without which a run asks none of the checks.
func (c *comparer) options(ids []string) string {
	if slices.ContainsFunc(ids, func(id string) bool {
		check, _ := c.in.Suite.Check(id)
		return check.Extended
	}) {
		return " --extended"
	}
	return ""
}

func folder(rec *recording.Recording) string {
	if rec.Path == "" {
		return name(rec)
	}
	return rec.Path
}

// steps lists checks that read alike, though one recording lacks a request of theirs that the other holds. What a server
// is asked beside that follows from its answers.
func (c *comparer) steps() {
	for _, h := range c.d.Unchanged {
		was, is := stepsOf(c.in.Old, h.Check), stepsOf(c.in.New, h.Check)
		if slices.Equal(was, is) {
			continue
		}
		for _, side := range []struct {
			rec, other *recording.Recording
			has, lacks []string
		}{{c.in.New, c.in.Old, was, is}, {c.in.Old, c.in.New, is, was}} {
			missing := slices.DeleteFunc(slices.Clone(side.has), func(s string) bool { return slices.Contains(side.lacks, s) })
			if len(missing) > 0 {
				c.gap([]string{h.Check}, side.rec, side.other, fmt.Sprintf("the recording of %s lacks the step %s", name(side.rec), contract.Shorten(strings.Join(missing, ", "), shownSteps)), false)
			}
		}
	}
}

// shownSteps is how much is shown of the names of steps, in characters.
const shownSteps = 60

func stepsOf(rec *recording.Recording, check string) []string {
	var out []string
	for _, t := range rec.Trails(check) {
		for _, s := range t.Steps {
			if s.Name != contract.StillAlive && !slices.Contains(out, s.Name) {
				out = append(out, s.Name)
			}
		}
	}
	slices.Sort(out)
	return out
}
