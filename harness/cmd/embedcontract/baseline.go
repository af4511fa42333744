package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
)

// baseline holds the earlier recordings of the targets of a run.
type baseline struct {
	folder     string
	recordings map[string]*recording.Recording
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
