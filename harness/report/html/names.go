package html

import (
	"strconv"
	"strings"

	"github.com/embedcontract/embedcontract/harness/report"
)

// identifiers are those of the elements that links lead to. They are made of names, so that a link to one can be kept, and
// hold nothing that an address or a selector would have to escape.
type identifiers struct{ taken map[string]bool }

func newIdentifiers() *identifiers { return &identifiers{map[string]bool{}} }

// unique is an identifier made of a name; where another name gave the same, a number follows.
func (i *identifiers) unique(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			b.WriteRune(r)
		default:
			b.WriteByte('-')
		}
	}
	id := b.String()
	for n := 2; i.taken[id]; n++ {
		id = b.String() + "-" + strconv.Itoa(n)
	}
	i.taken[id] = true
	return id
}

// lookup finds cells by their places.
type lookup struct {
	cells  map[[2]string]report.Cell     // target, check
	pairs  map[[2]string]report.PairCell // candidate, check
	pairOf map[string]report.Pair        // candidate
	proofs map[[2]string][]remedyProof   // candidate, check
	checks map[string]report.Check
	ids    map[string]string // of the article of a check
	places map[[2]string]string
	past   map[[2]string]*past // column as a report names it, check
}

// remedyProof is what a remedy does for one check.
type remedyProof struct {
	remedy report.Remedy
	proof  report.Proof
}

func newLookup(r *report.Report) lookup {
	l := lookup{cells: map[[2]string]report.Cell{}, pairs: map[[2]string]report.PairCell{}, pairOf: map[string]report.Pair{},
		proofs: map[[2]string][]remedyProof{}, checks: map[string]report.Check{}, ids: map[string]string{}, places: map[[2]string]string{}, past: pasts(r)}
	for _, b := range r.Behaviours {
		for _, c := range b.Checks {
			l.checks[c.ID] = c
		}
	}
	for _, c := range r.Cells {
		l.cells[[2]string{c.Target, c.Check}] = c
	}
	for _, p := range r.Pairs {
		l.pairOf[p.Candidate] = p
		for _, c := range p.Cells {
			l.pairs[[2]string{p.Candidate, c.Check}] = c
		}
		for _, rem := range p.Remedies {
			for _, proof := range rem.Proofs {
				at := [2]string{p.Candidate, proof.Check}
				l.proofs[at] = append(l.proofs[at], remedyProof{rem, proof})
			}
		}
	}
	return l
}

// nameChecks gives each check, and each target's place in it, the identifier of its evidence.
func (m *maker) nameChecks() {
	for _, b := range m.r.Behaviours {
		for _, c := range b.Checks {
			m.look.ids[c.ID] = m.ids.unique("check-" + c.ID)
			for _, t := range m.r.Targets {
				m.look.places[[2]string{t.Name, c.ID}] = m.ids.unique("cell-" + c.ID + "-" + t.Name)
			}
		}
	}
}

func (m *maker) link(check string) link {
	l := link{Text: check}
	if id := m.look.ids[check]; id != "" {
		l.To = "#" + id
	}
	return l
}
