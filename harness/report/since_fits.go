package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// ReportSize is the size of the largest report that is read, in bytes; one of three targets and all checks has 4 MB.
const ReportSize = 64 << 20

// ReadEarlier reads a report to which another is to be held. It refuses one that could excuse what it knows nothing of:
// without targets, or with a target that has no answer at all.
func ReadEarlier(src io.Reader) (*Report, error) {
	limited := &io.LimitedReader{R: src, N: ReportSize + 1}
	r, err := ReadJSON(limited)
	if limited.N == 0 {
		return nil, fmt.Errorf("report: more than %d MiB: this is no report of a run", ReportSize>>20)
	}
	if err != nil {
		return nil, err
	}
	if len(r.Targets) == 0 {
		return nil, fmt.Errorf("report: it has no target, so there is nothing to hold a run to")
	}
	answers := map[string]bool{}
	for _, c := range r.Cells {
		if _, ok := outcomeRank(c.Outcome); ok {
			answers[c.Target] = true
		}
	}
	for _, t := range r.Targets {
		if !answers[t.Name] {
			return nil, fmt.Errorf("report: target %s has no answer in it, so there is nothing to hold a run to: make it again from a run that could ask", line(t.Name))
		}
	}
	return r, nil
}

// Run is what is known of a run before it asks: what a report must share with it to be held to.
type Run struct {
	Revision  string
	Corpus    string // digest of the texts
	Reference string
	Targets   []RunTarget
}

// RunTarget is a target of a run; the model is empty where it is not known yet.
type RunTarget struct{ Name, Model, Kind string }

// endpoint is the kind of a target that is named by its address, which may be another each time.
const endpoint = "endpoint"

// Fits says why a run cannot be held to an earlier report: other targets, another reference, model, contract revision,
// or other texts. A lone endpoint may have another address; its column is then called as in the run.
func (r *Report) Fits(run Run) error {
	r.readdress(run)
	var names, wanted []string
	for _, t := range r.Targets {
		names = append(names, t.Name)
	}
	for _, t := range run.Targets {
		wanted = append(wanted, t.Name)
	}
	slices.Sort(names)
	slices.Sort(wanted)
	quoted := func(all []string) string { return line(strings.Join(all, ", ")) }
	differs := func(what, is, want, todo string) error {
		return fmt.Errorf("its %s is %q, that of this run %q: it is no baseline; %s", what, line(is), line(want), todo)
	}
	const again = "make it again from a run like this one"
	switch {
	case r.Revision != run.Revision:
		return differs("contract revision", r.Revision, run.Revision, "make it again, or run with --revision "+line(r.Revision))
	case !slices.Equal(names, wanted):
		return fmt.Errorf("it is of the targets %s, this run of %s: it is no baseline; %s", quoted(names), quoted(wanted), again)
	case r.Reference != run.Reference:
		return differs("reference", r.Reference, run.Reference, again)
	case r.Corpus != "" && run.Corpus != "" && r.Corpus != run.Corpus:
		return differs("corpus", r.Corpus, run.Corpus, again)
	}
	for _, t := range run.Targets {
		was := r.Targets[slices.IndexFunc(r.Targets, func(b Target) bool { return b.Name == t.Name })]
		if t.Model != "" && was.Model != t.Model {
			return differs("model of target "+line(t.Name), was.Model, t.Model, again)
		}
		if t.Kind != "" && was.Kind != t.Kind { // an emulation excuses nothing of a server
			return differs("kind of target "+line(t.Name), was.Kind, t.Kind, again)
		}
	}
	return nil
}

// readdress calls the only endpoint of the earlier report as that of the run.
func (r *Report) readdress(run Run) {
	var was, is []string
	for _, t := range r.Targets {
		if t.Kind == endpoint {
			was = append(was, t.Name)
		}
	}
	for _, t := range run.Targets {
		if t.Kind == endpoint {
			is = append(is, t.Name)
		}
	}
	taken := len(is) == 1 && slices.ContainsFunc(r.Targets, func(t Target) bool { return t.Name == is[0] })
	if len(was) != 1 || len(is) != 1 || taken {
		return
	}
	name := func(s *string) {
		if *s == was[0] {
			*s = is[0]
		}
	}
	name(&r.Reference)
	for i := range r.Targets {
		name(&r.Targets[i].Name)
	}
	for i := range r.Cells {
		name(&r.Cells[i].Target)
	}
	for i := range r.Pairs {
		name(&r.Pairs[i].Reference)
		name(&r.Pairs[i].Candidate)
	}
}
