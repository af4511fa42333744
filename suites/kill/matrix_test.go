package kill_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// matrixFile is the table of what was seen, from the folder of this package; git ignores it.
const matrixFile = "../../.runs/kill/matrix.md"

// matrix is what wrong servers and edited evidence showed. It holds what was judged, not what rows expect: a cell that
// is not as its row says is not in it. It is safe for concurrent use.
type matrix struct {
	lab *lab

	mu        sync.Mutex
	seen      map[sight]*witnessed
	left      map[string]int // by check: cells of servers that show another variant than the base
	servers   int
	edits     int
	twins     int
	couplings int
}

// sight is a variant of a check, or what stands in its place when there is no verdict.
type sight struct{ check, variant string }

// witnessed is who showed a variant.
type witnessed struct {
	outcome    contract.Outcome
	candidates []string // servers, in the place of the base, whose row names it
	references []string // the same of a pair check, with the base in the place of the server
	beside     int      // cells of servers whose row names it as a coupling, or does not name this direction of a pair
	edited     []string
	themselves []string // servers that were compared with themselves
}

func newMatrix(l *lab) *matrix {
	return &matrix{lab: l, seen: map[sight]*witnessed{}, left: map[string]int{}}
}

func (x *matrix) at(id string, cell judge.Cell) *witnessed {
	key := sight{strings.TrimSuffix(id, asReference), cell.Variant()}
	w := x.seen[key]
	if w == nil {
		w = &witnessed{}
		x.seen[key] = w
	}
	w.outcome = cell.Outcome
	return w
}

// server adds what a wrong server showed where it is as its row says and not as the base.
func (x *matrix) server(m mutant, cells map[string]judge.Cell, want map[string]string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.servers++
	for id, cell := range cells {
		base := x.lab.cells[id]
		if cell.Variant() != want[id] || cell.Variant() == base {
			continue
		}
		w := x.at(id, cell)
		forward := strings.TrimSuffix(id, asReference)
		x.left[forward]++
		switch {
		case !slices.ContainsFunc(strings.Fields(m.shows), func(f string) bool { return f == forward+"="+cell.Variant() || f == id+"="+cell.Variant() }):
			w.beside++
		case forward == id:
			w.candidates = append(w.candidates, m.name)
		default:
			w.references = append(w.references, m.name)
		}
	}
	for _, c := range m.also {
		for _, field := range strings.Fields(c.cells) {
			id, _, _ := strings.Cut(field, "=")
			if cell, asked := cells[id]; asked && cell.Variant() == want[id] {
				x.couplings++
			}
		}
	}
}

// edited adds what edited evidence showed, if that is what was wanted.
func (x *matrix) edited(e edit, cell judge.Cell) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.edits++; cell.Variant() != e.variant {
		return
	}
	w := x.at(e.check, cell)
	step := e.step
	if step == "" {
		step = "each step"
	}
	w.edited = append(w.edited, fmt.Sprintf("%s (%s)", step, e.why))
}

// twin adds what a server shows that is compared with itself, where its row names it.
func (x *matrix) twin(m mutant, cells map[string]judge.Cell, want map[string]string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.twins++
	for id, cell := range cells {
		if cell.Variant() == want[id] {
			w := x.at(id, cell)
			w.themselves = append(w.themselves, m.name)
		}
	}
}

// killer says what told a variant from the others of its check.
type killer string

const (
	byServers killer = "wrong servers"
	byEdits   killer = "edited evidence"
	byNothing killer = "not killed"
)

// killedBy says so of a declared variant. That which the base shows is told from others by each server that leaves it.
func (x *matrix) killedBy(c contract.Check, variant string) killer {
	w := x.seen[sight{c.ID, variant}]
	switch {
	case x.lab.cells[c.ID] == variant && x.left[c.ID] > 0:
		return byServers
	case w == nil:
		return byNothing
	case len(w.candidates)+len(w.references)+len(w.themselves)+w.beside > 0:
		return byServers
	case len(w.edited) > 0:
		return byEdits
	}
	return byNothing
}

// report writes the table and fails when it is whole and a variant is not killed.
func (x *matrix) report(t *testing.T) {
	x.mu.Lock()
	defer x.mu.Unlock()
	partial := ""
	if all := [3]int{len(mutants()), len(edits()), len(twins())}; [3]int{x.servers, x.edits, x.twins} != all {
		partial = fmt.Sprintf("PARTIAL: %d of %d servers, %d of %d edits, %d of %d servers in their own place were seen", x.servers, all[0], x.edits, all[1], x.twins, all[2])
	}
	count := map[killer]int{}
	var rows strings.Builder
	for _, c := range x.lab.suite.Checks() {
		for _, v := range c.Variants {
			by := x.killedBy(c, v.Name)
			count[by]++
			if by == byNothing && partial == "" {
				t.Errorf("nothing showed %s=%s", c.ID, v.Name)
			}
			rows.WriteString(x.row(c, v.Name, v.Outcome, by))
		}
	}
	sum := fmt.Sprintf("%d variants of %d checks: %d killed by wrong servers, %d by edited evidence, %d not killed; %d servers, %d couplings",
		count[byServers]+count[byEdits]+count[byNothing], len(x.lab.suite.Checks()), count[byServers], count[byEdits], count[byNothing],
		x.servers+x.twins, x.couplings)
	if partial != "" {
		sum = partial + "\n" + sum
	}
	const head = "| check | variant | outcome | servers that show it | as the reference of a pair | edited evidence | in its own place | killed by |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- |\n"
	text := "# Kill matrix\n\n" + sum + "\n\nMade from what this run saw, not from what its rows expect.\n\n" + head + rows.String() +
		"\n## Beside the lists\n\nWhat every check can show without listing it, and cells without a verdict.\n\n" + head + x.unlisted() + "\n" + sum + "\n"
	path, err := filepath.Abs(matrixFile)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		t.Errorf("the table could not be written: %v", err)
		return
	}
	t.Logf("%s\n%s", path, sum)
}

// row is the line of a variant.
func (x *matrix) row(c contract.Check, variant string, outcome contract.Outcome, by killer) string {
	w := x.seen[sight{c.ID, variant}]
	if w == nil {
		w = &witnessed{}
	}
	servers, references := names(w.candidates), "–"
	if x.lab.cells[c.ID] == variant {
		servers = fmt.Sprintf("the base; %d cells of others differ", x.left[c.ID])
		if own := names(w.candidates); own != "" {
			servers += "; " + own
		}
	}
	if w.beside > 0 {
		servers = strings.TrimPrefix(fmt.Sprintf("%s; beside others: %d cells", servers, w.beside), "; ")
	}
	if c.Pair() {
		references = names(w.references)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", c.ID, variant, outcome, servers, references, names(w.edited), names(w.themselves), by)
}

// unlisted are the lines of what no list of variants names.
func (x *matrix) unlisted() string {
	var out strings.Builder
	keys := slices.SortedFunc(maps.Keys(x.seen), func(a, b sight) int { return strings.Compare(a.check+"="+a.variant, b.check+"="+b.variant) })
	for _, k := range keys {
		c, ok := x.lab.suite.Check(k.check)
		if !ok || declares(c, k.variant) {
			continue
		}
		w := x.seen[k]
		if len(w.candidates)+len(w.references)+len(w.edited)+len(w.themselves)+w.beside > 0 {
			out.WriteString(x.row(c, k.variant, w.outcome, byServers))
		}
	}
	return out.String()
}

func names(list []string) string {
	slices.Sort(list)
	return strings.ReplaceAll(strings.Join(list, "; "), "|", `\|`)
}
