package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// foldedRows makes a row of each behaviour that has cells.
func (r *Report) foldedRows() []foldedRow {
	columns := r.columns()
	targets := map[string]column{}
	for i, t := range r.Targets {
		targets[t.Name] = columns[i]
	}
	swaps := make([]map[string]PairCell, len(r.Pairs))
	for i, p := range r.Pairs {
		swaps[i] = map[string]PairCell{}
		for _, c := range p.Cells {
			swaps[i][c.Check] = c
		}
	}
	var rows []foldedRow
	for _, b := range r.Behaviours {
		if !slices.ContainsFunc(b.Checks, func(c Check) bool { return !unasked(c, columns) }) {
			continue
		}
		row := foldedRow{stem: line(b.Stem)}
		for _, c := range columns[:len(r.Targets)] {
			urgent := map[string]urgency{}
			cell := b.foldedTarget(c, urgent)
			cell.names = b.named(urgent)
			row.cells = append(row.cells, cell)
		}
		for i, p := range r.Pairs {
			urgent := map[string]urgency{}
			cell := b.foldedSwap(columns[len(r.Targets)+i], swaps[i], urgent)
			for _, name := range []string{p.Reference, p.Candidate} { // what is not as expected of either is named here
				own := map[string]urgency{}
				if t, ok := targets[name]; ok {
					b.foldedTarget(t, own)
				}
				for id, u := range own {
					if u == unexpected {
						raise(urgent, id, u)
					}
				}
			}
			cell.names = b.named(urgent)
			row.cells = append(row.cells, cell)
		}
		rows = append(rows, row)
	}
	return rows
}

// named are the checks that need attention, the most urgent first, otherwise in the order of the behaviour.
func (b Behaviour) named(urgent map[string]urgency) []string {
	var ids, names []string
	for _, c := range b.Checks {
		if _, ok := urgent[c.ID]; ok {
			ids = append(ids, c.ID)
		}
	}
	slices.SortStableFunc(ids, func(x, y string) int { return cmp.Compare(urgent[x], urgent[y]) })
	for _, id := range ids {
		name := b.name(id)
		if urgent[id] == unexpected {
			name = alarm + name
		}
		names = append(names, name)
	}
	return names
}

// name is that of a check below its behaviour.
func (b Behaviour) name(id string) string { return line(strings.TrimPrefix(id, b.Stem+"/")) }

// raise keeps the most urgent reason to name a check.
func raise(to map[string]urgency, id string, u urgency) {
	if now, ok := to[id]; !ok || u < now {
		to[id] = u
	}
}

// foldedTarget counts the answers of one target by their sign.
func (b Behaviour) foldedTarget(c column, urgent map[string]urgency) foldedCell {
	count := map[string]int{}
	worst, alarms, aside := entry{}, 0, 0
	for _, check := range b.Checks {
		if check.Pair {
			continue
		}
		e := c.at(check)
		if check.Provisional {
			aside++
			continue
		}
		count[e.sign]++
		switch {
		case e.status != "":
			alarms++
			raise(urgent, check.ID, unexpected)
		case slices.Contains([]string{sign(string(contract.Fail)), sign(string(contract.Error)), sign(string(contract.Flaky))}, e.sign):
			raise(urgent, check.ID, failing)
		case e.sign == sign(string(contract.Differs)):
			raise(urgent, check.ID, differing)
		}
		if rank(e.sign) > rank(worst.sign) {
			worst = e
		}
	}
	var parts []string
	for _, s := range signs() {
		if count[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", count[s], s))
		}
	}
	text := strings.Join(append(parts, marks(alarms, aside)...), " ")
	return foldedCell{text: text, short: text, style: worst.style().Bold(alarms > 0)}
}

// rank orders signs by how much they ask to be looked at.
func rank(sign string) int {
	return slices.Index([]string{"–", "✓", "○", "~", "±", "✗", "!", "?"}, sign)
}

// marks count what is not as expected, and what is provisional.
func marks(alarms, aside int) []string {
	var out []string
	if alarms > 0 {
		out = append(out, fmt.Sprintf("%d%s", alarms, alarm))
	}
	if aside > 0 {
		out = append(out, fmt.Sprintf("%d%s", aside, apart))
	}
	return out
}

// foldedSwap says the worst that a swap does to one behaviour, how often, and how much of it is silent.
func (b Behaviour) foldedSwap(c column, cells map[string]PairCell, urgent map[string]urgency) foldedCell {
	count := map[string]int{}
	silent, alarms, aside := 0, 0, 0
	for _, check := range b.Checks {
		cell, ok := cells[check.ID]
		switch {
		case check.Lone && !ok:
			continue
		case check.Provisional:
			aside++
			continue
		case !ok, !slices.Contains(harmsFirst(), cell.Effect):
			cell.Effect = missing
		}
		count[cell.Effect]++
		harm := cell.Effect == string(contract.ClientChange) || cell.Effect == string(contract.IndexBreak)
		if cell.Silent && harm {
			silent++
		}
		switch {
		case c.at(check).status != "":
			alarms++
			raise(urgent, check.ID, unexpected)
		case cell.Silent && harm:
			raise(urgent, check.ID, silently)
		case harm:
			raise(urgent, check.ID, harmful)
		case cell.Effect == string(contract.Unknown):
			raise(urgent, check.ID, undecided)
		}
	}
	var parts []string
	harm := false
	for i, effect := range harmsFirst() {
		n := count[effect]
		if n == 0 || i > 3 && len(parts) > 0 { // what is harmless is told only where nothing else is
			continue
		}
		harm = harm || i < 2
		parts = append(parts, words(effectWord(effect), fmt.Sprint(n)))
	}
	if len(parts) == 0 && aside == 0 {
		none := effectWord(string(contract.NotCompared))
		return foldedCell{text: none, short: none, style: faint()}
	}
	short := parts
	if len(parts) > 1 {
		short = []string{parts[0] + "+"} // and others
	}
	var rest []string
	if silent > 0 {
		rest = append(rest, fmt.Sprintf("%s %d", silentWord, silent))
	}
	rest = append(rest, marks(alarms, aside)...)
	e := entry{harm: harm}
	if alarms > 0 {
		e.status = missing
	}
	return foldedCell{text: words(slices.Concat(parts, rest)...), short: words(slices.Concat(short, rest)...), style: e.style()}
}

// rareSigns explains those signs of the folded matrix that the counts do not.
func (r *Report) rareSigns() string {
	var parts []string
	if r.alarms() {
		parts = append(parts, alarm+" not as expected")
	}
	if slices.ContainsFunc(r.checks(), func(c Check) bool { return c.Provisional }) {
		parts = append(parts, apart+" "+provisionalWord+": shown, and not counted")
	}
	return strings.Join(parts, " · ")
}

// alarms says whether any cell is not as expected.
func (r *Report) alarms() bool {
	columns := r.columns()
	return slices.ContainsFunc(r.checks(), func(c Check) bool {
		return slices.ContainsFunc(columns, func(col column) bool { return col.at(c).status != "" })
	})
}
