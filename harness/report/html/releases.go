package html

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/embedcontract/embedcontract/harness/report"
)

// releases shows how the answers of one product changed from version to version.
type releases struct {
	Product string
	Columns []target
	Version []string
	Rows    []releaseRow
	Changed []releaseChange
	Width   float64
	Height  float64
}

// releaseRow is a behaviour, with a bar of its outcomes for each release.
type releaseRow struct {
	Stem  string
	Y     float64
	Bars  []releaseBar
	Steps []releaseStep // between the releases
}

// TextY is the line of its texts.
func (r releaseRow) TextY() float64 { return r.Y + 13 }

type releaseBar struct {
	X, W  float64
	Parts []releasePart
	Text  string
}

type releasePart struct {
	kind
	X, W float64
	N    int
}

type releaseStep struct {
	X, N int
}

// releaseChange is a check that was not answered alike by all releases.
type releaseChange struct {
	Check link
	Cells []cell
	New   []bool // otherwise than by the release before
}

// Sizes of the picture, in pixels.
const (
	releaseLeft = 150
	releaseGap  = 46
	releaseRowH = 26
	releaseTop  = 40
)

// releases finds the versions of one product among the targets: two at least that differ. nil when there are none.
func (m *maker) releases() *releases {
	product, targets := releasesOf(m.r.Targets)
	if len(targets) == 0 {
		return nil
	}
	out := &releases{Product: product, Width: plotWidth}
	width := (plotWidth-releaseLeft-float64(len(targets)-1)*releaseGap)/float64(len(targets)) - 4
	for _, t := range targets {
		out.Columns = append(out.Columns, m.target(t))
		out.Version = append(out.Version, t.Versions[product])
	}
	for i, b := range m.r.Behaviours {
		row := releaseRow{Stem: b.Stem, Y: releaseTop + float64(i)*releaseRowH}
		for j, t := range targets {
			x := releaseLeft + float64(j)*(width+releaseGap)
			row.Bars = append(row.Bars, m.releaseBar(b, t, x, width))
			if j > 0 {
				row.Steps = append(row.Steps, releaseStep{X: int(x - releaseGap/2), N: m.moved(b, targets[j-1], t)})
			}
		}
		out.Rows = append(out.Rows, row)
		for _, c := range b.Checks {
			if change, differs := m.releaseChange(c, targets); differs {
				out.Changed = append(out.Changed, change)
			}
		}
	}
	out.Height = releaseTop + float64(len(out.Rows))*releaseRowH + 4
	return out
}

// releasesOf are the targets with a version of the product that has the most different ones, the oldest first.
func releasesOf(all []report.Target) (string, []report.Target) {
	versions := map[string]map[string]bool{}
	for _, t := range all {
		for p, v := range t.Versions {
			if versions[p] == nil {
				versions[p] = map[string]bool{}
			}
			versions[p][v] = true
		}
	}
	product := ""
	for _, p := range slices.Sorted(maps.Keys(versions)) {
		if n := len(versions[p]); n > 1 && (product == "" || n > len(versions[product])) {
			product = p
		}
	}
	if product == "" {
		return "", nil
	}
	var out []report.Target
	for _, t := range all {
		if t.Versions[product] != "" {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(a, b report.Target) int { return older(a.Versions[product], b.Versions[product]) })
	return product, out
}

// older compares versions part by part, parts that are numbers by their value. It is for the order of columns, and knows
// nothing of releases before a release.
func older(a, b string) int {
	split := func(s string) []string {
		return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(".-+_", r) })
	}
	return slices.CompareFunc(split(a), split(b), func(a, b string) int {
		x, errX := strconv.Atoi(a)
		y, errY := strconv.Atoi(b)
		if errX == nil && errY == nil {
			return cmp.Compare(x, y)
		}
		return cmp.Compare(a, b)
	})
}

func (m *maker) releaseBar(b report.Behaviour, t report.Target, x, width float64) releaseBar {
	out := releaseBar{X: x, W: width}
	n, all := map[string]int{}, 0
	for _, c := range b.Checks {
		if cell, ok := m.look.cells[[2]string{t.Name, c.ID}]; ok && !c.Pair {
			n[outcomeKind(cell.Outcome).Class]++
			all++
		}
	}
	var words []string
	kinds := outcomeKinds()
	for _, k := range kinds {
		if n[k.Class] == 0 {
			continue
		}
		w := width * float64(n[k.Class]) / float64(all)
		out.Parts = append(out.Parts, releasePart{k, x, w, n[k.Class]})
		x += w
		words = append(words, strconv.Itoa(n[k.Class])+" "+k.Word)
	}
	out.Text = m.called(t.Name) + ": " + strings.Join(words, ", ")
	return out
}

// moved counts the checks that two targets answer otherwise.
func (m *maker) moved(b report.Behaviour, before, after report.Target) int {
	n := 0
	for _, c := range b.Checks {
		was, had := m.look.cells[[2]string{before.Name, c.ID}]
		is, has := m.look.cells[[2]string{after.Name, c.ID}]
		if had && has && (was.Variant != is.Variant || was.Outcome != is.Outcome) {
			n++
		}
	}
	return n
}

func (m *maker) releaseChange(c report.Check, targets []report.Target) (releaseChange, bool) {
	out, differs := releaseChange{Check: m.link(c.ID)}, false
	if c.Pair {
		return out, false
	}
	for i, t := range targets {
		at := [2]string{t.Name, c.ID}
		found, ok := m.look.cells[at]
		x := cell{kind: outcomeKind("")}
		if ok {
			x = judged(found.Judgement)
		}
		x.To, x.Label = "#"+m.look.places[at], m.called(t.Name)
		fresh := i > 0 && (x.Answer != out.Cells[i-1].Answer || x.Class != out.Cells[i-1].Class)
		out.Cells, out.New = append(out.Cells, x), append(out.New, fresh)
		differs = differs || fresh
	}
	return out, differs
}
