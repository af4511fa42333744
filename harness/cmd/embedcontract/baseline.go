package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
)

// baseline is what a run is held to: earlier recordings of its targets, or an earlier report.
type baseline struct {
	folder     string
	recordings map[string]*recording.Recording

	file   string // of the report
	report *report.Report
	asked  func(check string) bool
	strict bool
}

// baselineHelp explains both kinds; run and judge show it.
const baselineHelp = `
--baseline takes a folder of earlier recordings, and fails on every cell, fact and
vector that is not as in it; or an earlier report.json, and fails only on what is
worse than in it. What was as bad there is known and does not fail; what got better
is told (with --baseline-strict it fails, so that the file is renewed); a check that
was answered there and is not answered now fails. A report holds no vectors: that
these stay the same is seen beside a --reference, or with recordings.
`

// reportOf is the report among the values of --baseline; empty for none.
func reportOf(flags []string) (string, error) {
	var reports []string
	for _, b := range flags {
		if strings.EqualFold(filepath.Ext(b), ".json") {
			reports = append(reports, b)
			continue
		}
		if info, err := os.Stat(b); err == nil && !info.IsDir() {
			return "", usage("--baseline %s is neither a folder of recordings nor a report, whose name ends in .json", b)
		}
	}
	switch {
	case len(reports) == 0:
		return "", nil
	case len(flags) > 1:
		return "", usage("--baseline: a report, such as %s, stands alone: it is of all targets", reports[0])
	}
	return reports[0], nil
}

// openReport reads the report that a run is to be held to, and refuses one that says nothing of it.
func openReport(path string, run report.Run, asked func(contract.Check) bool, suite contract.Suite, strict bool) (*baseline, error) {
	refused := func(err error) error { return exitError{exitUsage, fmt.Errorf("--baseline %s: %w", path, err)} }
	info, err := os.Stat(path)
	if err != nil {
		return nil, refused(err)
	}
	if !info.Mode().IsRegular() {
		return nil, usage("--baseline %s is no file: a report.json is read here; recordings are in a folder without that ending", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, refused(err)
	}
	defer f.Close()
	earlier, err := report.ReadEarlier(f)
	if err != nil {
		return nil, refused(err)
	}
	if err := earlier.Fits(run); err != nil {
		return nil, refused(err)
	}
	b := &baseline{file: path, report: earlier, strict: strict}
	b.asked = func(id string) bool {
		c, known := suite.Check(id)
		return !known || asked == nil || asked(c) // one that is no check any more has vanished
	}
	return b, nil
}

// runOf is what is known of a run before it asks.
func runOf(plan []*planned, suite contract.Suite) report.Run {
	run := report.Run{Revision: suite.Revision, Corpus: suite.Corpus.Digest()}
	for _, p := range plan {
		t := report.RunTarget{Name: p.name()}
		if p.recorded != nil {
			t.Model, t.Kind = p.recorded.Header.Target.Model, p.recorded.Header.Target.Kind
		} else {
			t.Model, t.Kind = p.spec.Model, string(p.spec.Kind)
		}
		run.Targets = append(run.Targets, t)
	}
	if len(plan) > 1 {
		run.Reference = plan[0].name()
	}
	return run
}

// recordedRun is the same of recordings that are judged again.
func recordedRun(in report.Input) report.Run {
	run := report.Run{Revision: in.Suite.Revision, Reference: in.Reference}
	for _, s := range in.Targets {
		h := s.Recording.Header.Target
		run.Corpus = s.Recording.Plan.Corpus
		run.Targets = append(run.Targets, report.RunTarget{Name: h.Name, Model: h.Model, Kind: h.Kind})
	}
	return run
}

// hold lets a report be decided by what it is held to.
func (b *baseline) hold(r *report.Report, in report.Input) {
	switch {
	case b == nil:
	case b.report != nil:
		r.HoldTo(b.file, b.report, b.asked, effectOf(in.Suite), b.strict)
	default:
		r.Hold(report.Against(b.folder, b.input(in), in))
	}
}

// effectOf says what clients notice when a server answers a target check by another variant.
func effectOf(suite contract.Suite) func(check, from, to string) contract.Effect {
	return func(id, from, to string) contract.Effect {
		c, ok := suite.Check(id)
		if !ok || c.Pair() || c.Lone {
			return ""
		}
		return c.EffectOf(from, to).Effect
	}
}

// baselineOf finds the recording of a target: the folder that is named for it alone, TARGET=FOLDER, else that of its
// name in the last folder of recordings.
func baselineOf(flags []string, name string) (dir string, named bool) {
	for _, b := range flags {
		target, folder, one := strings.Cut(b, "=")
		switch {
		case one && target == name:
			return folder, true
		case !one:
			dir = filepath.Join(b, name)
		}
	}
	return dir, false
}

// openBaseline reads the recording of each target in a folder, before anything is started, and refuses those that
// say nothing of the target: of another name or model, by another revision of the contract, with other texts.
func openBaseline(flags []string, plan []*planned, suite contract.Suite) (*baseline, error) {
	b := &baseline{folder: strings.Join(flags, ", "), recordings: map[string]*recording.Recording{}}
	for _, p := range plan {
		dir, named := baselineOf(flags, p.name())
		if dir == "" {
			return nil, usage("--baseline names no recording of target %s", p.name())
		}
		rec, err := recording.Open(dir)
		if err != nil {
			return nil, exitError{exitUsage, fmt.Errorf("--baseline: %w", err)}
		}
		if named { // the user says that it is the same server, whatever the target was called then
			rec.Header.Target.Name = p.name()
		}
		h, model := rec.Header, ""
		if p.spec != nil {
			model = p.spec.Model
		}
		for _, c := range []struct{ what, is, want string }{
			{"target", h.Target.Name, p.name()},
			{"model", h.Target.Model, model},
			{"contract revision", h.Revision, suite.Revision},
			{"corpus", rec.Plan.Corpus, suite.Corpus.Digest()},
		} {
			if c.is != c.want && c.want != "" {
				remedy := "record it again"
				if c.is == h.Revision && c.want == suite.Revision {
					remedy += ", or judge both by --revision " + h.Revision
				}
				return nil, usage("--baseline: %s was recorded with the %s %q, this run has %q: it is no baseline; %s",
					rec.Path, c.what, c.is, c.want, remedy)
			}
		}
		b.recordings[p.name()] = rec
	}
	return b, nil
}

// input is the input of a report on the earlier recordings, beside that of a run.
func (b *baseline) input(now report.Input) report.Input {
	earlier := now
	earlier.Targets = nil
	for _, s := range now.Targets {
		s.Recording, s.Problem = b.recordings[s.Recording.Header.Target.Name], ""
		earlier.Targets = append(earlier.Targets, s)
	}
	return earlier
}
