package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
)

type swapFlags struct {
	run           runFlags
	candidate     string
	kept          archive
	json          bool
	acceptChanges bool
}

func swapCommand(load loader) *cobra.Command {
	var f swapFlags
	cmd := &cobra.Command{
		Use:   "swap --reference TARGET --candidate TARGET | swap REFERENCE CANDIDATE",
		Short: "Decide whether one server may stand where another stands",
		Long: `Swap answers in words first: what clients must change, with the proof that it
helps; what becomes of the index; what operations notice; and what is not known,
with the command that would settle it.

Each TARGET is the folder of a recording, the URL of a server that is running, a
target file, or the name of a built-in target. Of a name a recording is looked
for in the folders of --recordings; where there is none the server is started and
asked, as run does.

Its exit code is the decision, whether or not a deviation is on a list of known
ones: a pair of which each answer is as listed gives 0 from embedcontract judge and
run, and 1 here as long as clients must change.

Exit codes: 0 yes, as it is (with --accept-changes: or once the changes are made);
1 no; 2 usage; 3 cannot tell (environment, target or suite error, or evidence that
decides nothing); 5 nothing was executed.`,
		Example: `  embedcontract swap --reference legacy --candidate dynamo-1.6.1
  embedcontract swap --reference legacy --candidate my-target.yaml --accept-changes
  embedcontract swap legacy http://127.0.0.1:8000
  embedcontract swap --reference recordings/old --candidate recordings/new --json`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && f.run.reference == "" && f.candidate == "" {
				f.run.reference, f.candidate = args[0], args[1]
			} else if len(args) > 0 {
				return usage("name both servers with --reference and --candidate, or both without")
			}
			switch {
			case f.run.reference == "":
				return usage("--reference is missing: the server that clients and index are made for")
			case f.candidate == "":
				return usage("--candidate is missing: the server that is to stand in the place of %s", f.run.reference)
			}
			return swap(cmd, load, f)
		},
	}
	f.run.output.flags(cmd)
	revisionFlag(cmd, &f.run.revision)
	cmd.Flags().StringVar(&f.run.reference, "reference", "", "the server that clients and index are made for")
	cmd.Flags().StringVar(&f.candidate, "candidate", "", "the server that is to stand in its place")
	f.kept.flags(cmd)
	cmd.Flags().StringVar(&f.run.model, "model", "", "model name sent to servers that are named by their URL (default: the first that they list)")
	cmd.Flags().StringVar(&f.run.keyEnv, "api-key-env", "", "environment variable that holds the key for servers that are named by their URL")
	cmd.Flags().BoolVar(&f.json, "json", false, "write the decision as JSON (its schema: \"swap\" in harness/report/schema.json)")
	cmd.Flags().BoolVar(&f.acceptChanges, "accept-changes", false, "exit with 0 also where clients must make changes first, all of them verified, and operations change")
	cmd.Flags().StringVar(&f.run.out, "out", "", "folder for the recordings of servers that are started")
	cmd.Flags().BoolVar(&f.run.extended, "extended", false, "ask servers that are started the extended checks, too")
	cmd.Flags().StringSliceVar(&f.run.witnesses, "witness", nil, "also let these OpenAI SDKs ask servers that are started: python, node")
	_ = cmd.Flags().MarkHidden("full") // there is no matrix
	for _, name := range []string{"reference", "candidate"} {
		_ = cmd.RegisterFlagCompletionFunc(name, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return fixtures.TargetNames(), cobra.ShellCompDirectiveDefault
		})
	}
	return cmd
}

func swap(cmd *cobra.Command, load loader, f swapFlags) error {
	f.run.rounds = 1
	suite, err := load.suite(f.run.revision)
	if err != nil {
		return err
	}
	if err := f.run.check(f.run.out); err != nil {
		return err
	}
	if err := f.kept.check(cmd); err != nil {
		return err
	}
	plan := make([]*planned, 2)
	for i, name := range []string{f.run.reference, f.candidate} {
		if plan[i], err = f.find(cmd.Context(), name, suite); err != nil {
			return err
		}
	}
	if plan[0].name() == plan[1].name() {
		if plan[0].recorded == nil || plan[1].recorded == nil {
			return usage("--reference and --candidate are both %q: name two servers, or two recordings of one", plan[0].name())
		}
		plan[0].recorded.Header.Target.Name += "@reference"
	}
	in, err := askPlanned(cmd, f.run, suite, plan)
	if err != nil {
		return err
	}
	r := report.Build(in)
	s, err := r.Swap()
	if err != nil {
		return unknown(err)
	}
	for _, path := range f.run.reports {
		if err := writeReport(r, path); err != nil {
			return unknown(err)
		}
	}
	stdout := cmd.OutOrStdout()
	if f.json {
		err = s.JSON(stdout)
	} else {
		err = s.Terminal(stdout, f.run.terminal(stdout))
	}
	if err != nil {
		return unknown(err)
	}
	if f.acceptChanges && !s.Decision.Yes(false) && s.Decision.Yes(true) {
		fmt.Fprintln(cmd.ErrOrStderr(), "the changes are accepted: exit code 0")
	}
	return f.exit(r, s)
}

// find takes a name for the folder of a recording, a target of which there is a recording, a server that is running, or
// a target that is started.
func (f *swapFlags) find(ctx context.Context, name string, suite contract.Suite) (*planned, error) {
	if strings.Contains(name, "://") {
		p, err := endpoint(ctx, name, f.run)
		if err != nil {
			return nil, err
		}
		return f.vacant(p, suite)
	}
	dir, rec, err := f.kept.find(name)
	if err != nil {
		return nil, err
	}
	if rec != nil {
		p := &planned{argument: dir, recorded: rec}
		if err := p.expectations(suite); err != nil {
			return nil, unknown(err)
		}
		// The command that asks again starts the server; of one that is not built in only who recorded it knows how.
		known := slices.Contains(fixtures.TargetNames(), rec.Header.Target.Name)
		switch {
		case known:
			p.source.Argument = rec.Header.Target.Name
		case name == f.run.reference:
			p.source.Argument = "--reference " + shellWord(dir)
		default:
			p.source.Argument = "TARGET-FILE-OF-" + rec.Header.Target.Name
		}
		return p, nil
	}
	spec, err := fixtures.Target(name)
	if err != nil {
		return nil, exitError{exitUsage, err}
	}
	return f.vacant(&planned{argument: name, spec: spec}, suite)
}

// vacant refuses a target whose recording would go where there is one.
func (f *swapFlags) vacant(p *planned, suite contract.Suite) (*planned, error) {
	if f.run.out != "" {
		if err := recording.Vacant(filepath.Join(f.run.out, p.spec.Name)); err != nil {
			return nil, exitError{exitUsage, err}
		}
	}
	return p, p.expectations(suite)
}

// exit is the decision as an exit code.
func (f *swapFlags) exit(r *report.Report, s *report.Swap) error {
	switch {
	case nothingAsked(r):
		return exitError{exitNothing, errors.New("neither recording holds an answer to any check: record the servers, or leave the recordings away")}
	case s.Decision.Yes(f.acceptChanges):
		return nil
	case s.Decision.Undecided():
		return exitError{exitUnknown, nil}
	}
	return exitError{exitNo, nil}
}

// nothingAsked says that no target has an answer to anything, though each was there to be asked.
func nothingAsked(r *report.Report) bool {
	return !slices.ContainsFunc(r.Targets, func(t report.Target) bool { return t.Problem != "" }) &&
		!slices.ContainsFunc(r.Cells, func(c report.Cell) bool { return c.Variant != "" })
}

// askPlanned asks what is not recorded, and returns what a report of the targets is made of, the reference first.
func askPlanned(cmd *cobra.Command, f runFlags, suite contract.Suite, plan []*planned) (report.Input, error) {
	tools, err := f.tools()
	if err != nil {
		return report.Input{}, err
	}
	selected, err := f.match(suite)
	if err != nil {
		return report.Input{}, err
	}
	config, told, err := f.config(cmd, suite, tools)
	if err != nil {
		return report.Input{}, err
	}
	r := runner{config: config, suite: suite, selected: selected, told: told, parallel: f.parallel}
	if err := r.all(cmd.Context(), plan); err != nil {
		return report.Input{}, unknown(err)
	}
	in := report.Input{Suite: suite, Tool: tool(), Today: time.Now(), Options: f.options()}
	for _, p := range plan {
		in.Targets = append(in.Targets, p.source)
	}
	in.Selected = func(c contract.Check) bool { return !c.Extended || recorded(in.Targets, c) }
	if len(plan) > 1 {
		in.Reference = plan[0].source.Recording.Header.Target.Name
	}
	return in, nil
}
