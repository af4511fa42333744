package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
)

func judgeCommand(load loader) *cobra.Command {
	var (
		sel          selection
		out          output
		kept         archive
		expectations []string
		core         bool
		earlier      string
		strict       bool
	)
	cmd := &cobra.Command{
		Use:   "judge RECORDING...",
		Short: "Judge recordings again, without their servers",
		Long: `Judge reads the folders of recordings and prints the matrix that a run with
today's rules would print, or those of another contract revision. The first
recording is the reference of the others. A name is looked for in the folders of
--recordings.
It needs no network and no server.

Its exit code says whether each answer is as expected, by the lists of known
deviations (embedcontract expect); it does not decide on a swap. A pair that needs
changes of clients gives 0 here when all of its deviations are listed, and 1 from
embedcontract swap, which asks whether the candidate may stand there as it is.

With --baseline REPORT.json it fails only on what is worse than in that report, as
run does.
` + exitCodeText,
		Example: `  embedcontract judge legacy dynamo-1.6.1
  embedcontract judge recordings/dynamo-1.6.1 --report report.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(out.check(""), kept.check(cmd)); err != nil {
				return err
			}
			suite, err := load.suite(sel.revision)
			if err != nil {
				return err
			}
			in := report.Input{Suite: suite, Tool: tool(), Today: time.Now(), Options: sel.options()}
			sel.extended = true // what was recorded is judged, see below
			selected, err := sel.match(suite)
			if err != nil {
				return err
			}
			files, err := loadExpectations(expectations, suite)
			if err != nil {
				return err
			}
			for _, dir := range args {
				rec, err := kept.open(dir)
				if err != nil {
					return err
				}
				s := report.Source{Recording: rec}
				if slices.Contains(fixtures.TargetNames(), rec.Header.Target.Name) {
					s.Argument = rec.Header.Target.Name
				}
				if s.Expected, err = expectationsFor(rec.Header.Target, files, suite); err != nil {
					return unknown(err)
				}
				in.Targets = append(in.Targets, s)
			}
			in.Selected = func(c contract.Check) bool { return selected(c) && (!c.Extended || !core && recorded(in.Targets, c)) }
			if err := allUsed(files, expectations, in.Targets); err != nil {
				return err
			}
			distinct(in.Targets)
			if len(in.Targets) > 1 {
				in.Reference = in.Targets[0].Recording.Header.Target.Name
			}
			var base *baseline
			switch {
			case earlier != "":
				asked := func(c contract.Check) bool { return selected(c) && (!core || !c.Extended) }
				if base, err = openReport(earlier, recordedRun(in), asked, suite, strict); err != nil {
					return err
				}
			case strict:
				return usage("--baseline-strict belongs to --baseline REPORT.json")
			}
			return finish(cmd, out, in, "", base)
		},
	}
	sel.flags(cmd, load)
	out.flags(cmd)
	kept.flags(cmd)
	cmd.Flags().StringArrayVar(&expectations, "expectations", nil, "file of known deviations, in place of the built-in one of its targets; may be repeated")
	cmd.Flags().BoolVar(&core, "core", false, "only the checks of every run, also where extended ones were recorded")
	cmd.Flags().StringVar(&earlier, "baseline", "", "an earlier report.json: fail only on what is worse than in it")
	cmd.Flags().BoolVar(&strict, "baseline-strict", false, "with --baseline: fail also when something is better than in it, so that it is renewed")
	_ = cmd.Flags().MarkHidden("extended") // it belongs to run
	return cmd
}

// recorded says whether a check was asked of any of the targets. An extended check that was asked of none was not
// asked for, while a core check that is missing is an error.
func recorded(sources []report.Source, c contract.Check) bool {
	return slices.ContainsFunc(sources, func(s report.Source) bool { return len(s.Recording.Trails(c.ID)) > 0 })
}

// judgeError says what to do about a recording that is refused.
func judgeError(err error) error {
	switch {
	case errors.Is(err, recording.ErrIncomplete):
		return unknown(fmt.Errorf("%w; what was recorded is there to read, but nothing is judged from it: record it again", err))
	case errors.Is(err, recording.ErrNotRecording):
		return exitError{exitUsage, fmt.Errorf("%w; name the folder of one target, which run --out makes below its own", err)}
	}
	return unknown(err)
}

// loadExpectations reads the files of --expectations.
func loadExpectations(paths []string, suite contract.Suite) ([]*expect.File, error) {
	var out []*expect.File
	for _, path := range paths {
		f, err := expect.Load(path, suite)
		if err != nil {
			return nil, exitError{exitUsage, err}
		}
		out = append(out, f)
	}
	return out, nil
}

// allUsed refuses a file of --expectations that is for none of the recordings.
func allUsed(files []*expect.File, paths []string, sources []report.Source) error {
	for i, f := range files {
		if !slices.ContainsFunc(sources, func(s report.Source) bool { return fileFor(s.Recording.Header.Target.Name, files) == f }) {
			return usage("--expectations %s is for %v, and none of these was recorded here", paths[i], f.Targets)
		}
	}
	return nil
}

// fileFor is the first file for a target; nil when there is none.
func fileFor(name string, files []*expect.File) *expect.File {
	for _, f := range files {
		if slices.Contains(f.Targets, name) {
			return f
		}
	}
	return nil
}

func expectationsFor(t recording.Target, files []*expect.File, suite contract.Suite) (*expect.List, error) {
	if f := fileFor(t.Name, files); f != nil {
		return f.For(t.Name, t.Versions)
	}
	return fixtures.RecordedExpectations(t, suite)
}

// distinct sets recordings of one target apart: what is compared has a name of its own.
func distinct(sources []report.Source) {
	count := map[string]int{}
	for _, s := range sources {
		count[s.Recording.Header.Target.Name]++
	}
	seen := map[string]int{}
	for _, s := range sources {
		if name := &s.Recording.Header.Target.Name; count[*name] > 1 {
			seen[*name]++
			*name = fmt.Sprintf("%s@%d", *name, seen[*name])
		}
	}
}
