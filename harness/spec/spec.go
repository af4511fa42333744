// Package spec makes Ginkgo specs of checks. The tree has one root; in it a container for each target, which
// starts it and stops it, and then one for each pair. Only the root is ContinueOnFailure, and a BeforeAll never
// fails: it keeps the error, and each spec of that target fails with it, so that the matrix has no holes.
package spec

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/judge"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/harness/target"
)

// Target is a column of the matrix: a target and what is expected of it.
type Target struct {
	Spec     *target.Spec
	Expected *expect.List
}

// Run is what a tree is built of. The first target is the reference of the others.
type Run struct {
	Config  session.Config
	Targets []Target
	Today   time.Time
	// Extended adds the specs of extended checks, which are slow or heavy for the server.
	Extended bool
	// Done, when not nil, receives what each target left, in order, after the last spec.
	Done func([]Result)
}

// Result is what one target left. Targets of which nothing was selected leave none.
type Result struct {
	Recording *recording.Recording
	Expected  *expect.List
	Problem   string // why it has no answers
}

// Build adds the tree. It must be called while Ginkgo builds its tree, as in a package-level Describe. The returned
// function is called after the run; it says why a run in which no spec failed is no success all the same.
func Build(r Run) (flaw func() error) {
	t := &tree{run: r, judge: judge.New(r.Config.Suite), columns: map[string]*column{}}
	Describe("embedding contract", Ordered, ContinueOnFailure, func() {
		for _, c := range r.Targets {
			t.target(c)
		}
		for i := 1; i < len(r.Targets); i++ {
			t.pair(r.Targets[0], r.Targets[i])
		}
		if r.Done != nil {
			AfterAll(func() { r.Done(t.results()) })
		}
	})
	return t.flaw
}

// flaw finds a run in which nothing was judged, since all that was selected skipped itself, and one in which the
// reference was excused for a comparison that nobody selected.
func (t *tree) flaw() error {
	if t.judged == 0 {
		return errors.New("no cell was judged: what was selected needs a target, or a second one, that was not")
	}
	for _, c := range t.run.Targets[1:] {
		if t.columns[c.Spec.Name].asked {
			return nil
		}
	}
	if len(t.excused) > 0 {
		return fmt.Errorf("%s was selected alone and breaks promises: %s", t.run.Targets[0].Spec.Name, strings.Join(t.excused, ", "))
	}
	return nil
}

type tree struct {
	run     Run
	judge   *judge.Judge
	columns map[string]*column
	plan    *contract.Plan
	judged  int      // cells
	excused []string // checks on which the reference deviates
}

// column is the state of one target while the tree runs.
type column struct {
	asked   bool // something of it was selected
	session *session.Session
	err     error // why there is none
	told    bool  // err was shown in full
}

// started fails the spec when its target did not start: with the whole reason once, then with its first line.
func (c *column) started() {
	if c.err == nil {
		return
	}
	reason := c.err.Error()
	if c.told {
		reason, _, _ = strings.Cut(reason, "\n")
	}
	c.told = true
	Fail("no answers: "+reason, 1)
}

func (t *tree) target(c Target) {
	name := c.Spec.Name
	col := &column{}
	t.columns[name] = col
	Describe(name, Ordered, Label("target:"+name), func() {
		BeforeAll(func(node SpecContext) {
			col.asked = true
			// The target lives until the end of its container, the context of this node does not; until the target is
			// ready, an interrupt of the node stops it.
			ctx, cancel := context.WithCancel(context.Background())
			ready := context.AfterFunc(node, cancel)
			defer ready()
			DeferCleanup(func() error {
				defer cancel()
				if col.session == nil {
					return nil
				}
				return col.session.Close()
			})
			col.session, col.err = session.Open(ctx, t.run.Config, c.Spec)
			if col.err != nil {
				return
			}
			if t.plan == nil {
				p := contract.NewPlan(name, col.session.Facts(), t.run.Config.Suite.Corpus)
				t.plan = &p
			}
			col.err = col.session.Follow(*t.plan)
		}, NodeTimeout(startLimit(c.Spec)))
		t.each(func(check contract.Check) {
			It(text(check), labels(check), func(ctx SpecContext) {
				col.started()
				Expect(col.session.Ask(ctx, check.ID)).To(Succeed())
				if check.Pair() {
					return // asked here, judged with its pair
				}
				cell := t.judge.Target(col.session.Recording(), check)
				m := c.Expected.Match(check.ID, "", cell.Variant(), cell.Outcome, t.run.Today)
				m.Status = m.Status.Of(check)
				if m.Status == expect.Unexpected && c.Expected == nil && t.compared(name) {
					m.Status = expect.Reported // a comparison asks what changes; see the specs of the pair
					t.excused = append(t.excused, check.ID)
				}
				t.hold(Judged{Check: check, Cell: cell, Match: m})
			})
		})
	})
}

// imageLimit is what a pull or build of images may take beside the start: 10 GB over a slow line.
const imageLimit = time.Hour

// startLimit leaves the driver time to say what went wrong before Ginkgo ends the node.
func startLimit(s *target.Spec) time.Duration {
	limit := s.ReadyTimeout + 5*time.Minute
	if s.HasContainers() {
		limit += imageLimit
	}
	return limit
}

// compared says whether the specs of a pair will say what a deviation of this target means: those of the reference,
// and those of a candidate whose reference was asked. A candidate that was selected alone answers for itself.
func (t *tree) compared(name string) bool {
	if len(t.run.Targets) < 2 {
		return false
	}
	reference := t.run.Targets[0].Spec.Name
	return name == reference || t.columns[reference].asked
}

// hold fails the spec of a cell that is not as expected.
func (t *tree) hold(j Judged) {
	t.judged++
	entry := j.Check.ID + " " + j.Cell.Variant()
	if j.Check.Provisional {
		entry += " (provisional)"
	}
	AddReportEntry("cell", entry, ReportEntryVisibilityNever)
	if j.Match.Status == expect.Provisional {
		GinkgoWriter.Println("provisional, not counted: " + j.Explain())
	}
	ExpectWithOffset(1, j).To(BeAsExpected())
}

// pair adds a spec for each pair check, and one for the effect that the swap has on each target check.
func (t *tree) pair(ref, cand Target) {
	Describe(cand.Spec.Name+" in place of "+ref.Spec.Name, Ordered,
		Label("pair:"+cand.Spec.Name, "target:"+cand.Spec.Name, "target:"+ref.Spec.Name), func() {
			t.each(func(check contract.Check) {
				if check.Lone || check.Remedy() {
					return // a remedy is for the verdict on a swap; what it asks was asked of both
				}
				It(text(check), labels(check), func() {
					var recs []*recording.Recording
					for _, s := range []Target{ref, cand} {
						col := t.columns[s.Spec.Name]
						if !col.asked {
							Skip("target " + s.Spec.Name + " was deselected, so there is no pair")
						}
						col.started()
						recs = append(recs, col.session.Recording())
					}
					if check.Pair() {
						cell := t.judge.Pair(recs[0], recs[1], check)
						m := cand.Expected.Match(check.ID, ref.Spec.Name, cell.Variant(), cell.Outcome, t.run.Today)
						m.Status = m.Status.Of(check)
						t.hold(Judged{Check: check, Cell: cell, Match: m})
						return
					}
					before, after := t.judge.Target(recs[0], check), t.judge.Target(recs[1], check)
					after.Change = t.judge.Change(recs[0], recs[1], check, before, after)
					status := expect.Effect(after.Change.Effect, ref.Expected != nil && cand.Expected != nil).Of(check)
					t.hold(Judged{Check: check, Cell: after, Match: expect.Match{Status: status}, Before: before.Variant()})
				})
			})
		})
}

// each makes a container for each behaviour and calls add for each of its checks.
func (t *tree) each(add func(contract.Check)) {
	for _, b := range t.run.Config.Suite.AskingOrder() {
		Describe(b.Stem, Label("behaviour:"+b.Stem), func() {
			for _, c := range b.Checks {
				if t.run.Extended || !c.Extended {
					add(c)
				}
			}
		})
	}
}

func text(c contract.Check) string { return c.ID + ": " + c.Promise }

func labels(c contract.Check) Labels {
	l := Labels{"level:" + string(c.Level)}
	if c.Provisional {
		l = append(l, "provisional")
	}
	if c.Extended {
		return append(l, "extended")
	}
	return append(l, "core")
}

func (t *tree) results() []Result {
	var out []Result
	for _, c := range t.run.Targets {
		switch col := t.columns[c.Spec.Name]; {
		case !col.asked:
		case col.session == nil:
			out = append(out, Result{Recording: session.Unstarted(t.run.Config, c.Spec), Expected: c.Expected, Problem: col.err.Error()})
		default:
			out = append(out, Result{Recording: col.session.Recording(), Expected: c.Expected})
		}
	}
	return out
}
