package main

import (
	"fmt"
	"path/filepath"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
)

// baseline holds the earlier recordings of the targets of a run.
type baseline struct {
	folder     string
	recordings map[string]*recording.Recording
}

// openBaseline reads the recording of each target in a folder, before anything is started, and refuses those that
// say nothing of the target: of another name or model, by another revision of the contract, with other texts.
func openBaseline(folder string, plan []*planned, suite contract.Suite) (*baseline, error) {
	b := &baseline{folder: folder, recordings: map[string]*recording.Recording{}}
	for _, p := range plan {
		rec, err := recording.Open(filepath.Join(folder, p.name()))
		if err != nil {
			return nil, exitError{exitUsage, fmt.Errorf("--baseline: %w", err)}
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
				return nil, usage("--baseline: %s was recorded with the %s %q, this run has %q: it is no baseline; record it again",
					rec.Path, c.what, c.is, c.want)
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
