package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/probe"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/target"
)

var errNothingSelected = errors.New("the selection matches no check: see embedcontract list")

type runFlags struct {
	selection
	output
	url, model, keyEnv string
	maxTokens          int
	reference          string
	out                string
	baseline           []string
	strict             bool
	parallel           bool
	rounds             int
	timeout, limit     time.Duration
	maxRPS             float64
}

func runCommand(load loader) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [TARGET...]",
		Short: "Start targets, ask them, and print the compatibility matrix",
		Long: `Run starts each target, asks it, stops it, and judges what was recorded.

A TARGET is the path of a target file, or the name of a built-in target:
  ` + strings.Join(fixtures.TargetNames(), "\n  ") + `
Without one, the two emulated servers are run. The first target is the reference;
the others are judged as if put in its place. Targets run one after the other; with
--parallel side by side, except those on a GPU: of them the next starts when the
memory of the last is free again.

Extended checks (slow, or heavy for the server) are asked with --extended only.
Checks that the contract revision does not list are provisional: asked and shown,
and not counted.

A server that leaves requests waiting does not hold the run for ever: each waits
for --request-timeout, after ` + strconv.Itoa(probe.MaxLost) + ` such requests the target is asked nothing more,
and so after --time-limit. What was not asked is an error, and the run ends as ever.

Nothing is written unless --out or --report says where.
` + baselineHelp + exitCodeText,
		Example: `  embedcontract run
  embedcontract run legacy dynamo-1.6.1 --out recordings
  embedcontract run --url http://127.0.0.1:8000 --model my-model
  embedcontract run my-target.yaml --reference recordings/legacy
  embedcontract run legacy-container --baseline legacy-container=recordings/legacy
  embedcontract run my-target.yaml --baseline report.json --out recordings
  embedcontract run --behaviour truncation --focus over-long`,
		RunE: func(cmd *cobra.Command, args []string) error { return run(cmd, load, args, f) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return fixtures.TargetNames(), cobra.ShellCompDirectiveDefault
		},
	}
	f.selection.flags(cmd, load)
	f.output.flags(cmd)
	cmd.Flags().StringVar(&f.url, "url", "", "ask the server at this base URL, in place of a target file")
	cmd.Flags().StringVar(&f.model, "model", "", "model name sent to --url (default: the first that it lists)")
	cmd.Flags().StringVar(&f.keyEnv, "api-key-env", "", "environment variable that holds the key for --url")
	cmd.Flags().IntVar(&f.maxTokens, "max-tokens", 0, "token limit of --url, declared instead of discovered")
	cmd.Flags().StringVar(&f.reference, "reference", "", "target, or folder of a recording, to compare with (default: the first target)")
	cmd.Flags().StringVar(&f.out, "out", "", "folder for the recordings, logs and reports of this run")
	cmd.Flags().StringArrayVar(&f.baseline, "baseline", nil, "folder of earlier recordings; fail when a target answers otherwise than its recording there. TARGET=FOLDER names the very recording of one target; may be repeated. Or an earlier report.json: fail only on what is worse than in it")
	cmd.Flags().BoolVar(&f.strict, "baseline-strict", false, "with a report as --baseline: fail also when something is better than in it, so that it is renewed")
	cmd.Flags().BoolVar(&f.parallel, "parallel", false, "start and ask targets side by side; those on a GPU still run one after the other")
	cmd.Flags().StringSliceVar(&f.witnesses, "witness", nil, "also let these OpenAI SDKs ask: python, node (\"make witnesses\" installs them)")
	cmd.Flags().IntVar(&f.rounds, "rounds", 1, "ask every check so often; answers that change are flaky")
	cmd.Flags().DurationVar(&f.timeout, "request-timeout", 0, "limit of one request (default 1m)")
	cmd.Flags().DurationVar(&f.limit, "time-limit", probe.DefaultLimit, "ask each target no longer than this; what is not asked then is an error (0: as long as it takes)")
	cmd.Flags().Float64Var(&f.maxRPS, "max-rps", 0, "send at most so many requests a second, to a server that limits them (0: as many as it answers)")
	return cmd
}

// planned is one target of a run, or a recording in its place.
type planned struct {
	argument string
	spec     *target.Spec
	recorded *recording.Recording
	source   report.Source
}

// The limits of --max-rps: a request in a quarter of an hour, and more than any server answers.
const (
	leastRPS = 0.001
	mostRPS  = 1e6
)

func run(cmd *cobra.Command, load loader, args []string, f runFlags) error {
	suite, err := load.suite(f.revision)
	if err != nil {
		return err
	}
	tools, err := f.tools()
	if err != nil {
		return err
	}
	selected, err := f.match(suite)
	if err != nil {
		return err
	}
	if f.maxRPS != 0 && !(f.maxRPS >= leastRPS && f.maxRPS <= mostRPS) { // so that what is no number is none of them
		return usage("--max-rps %g: 0, or from %g to %g", f.maxRPS, leastRPS, mostRPS)
	}
	if f.timeout < 0 {
		return usage("--request-timeout %s: not below 0", f.timeout)
	}
	if f.limit < 0 {
		return usage("--time-limit %s: not below 0", f.limit)
	}
	if f.limit == 0 {
		f.limit = -1 // none
	}
	if f.rounds < 1 {
		return usage("--rounds %d: at least 1", f.rounds)
	}
	if err := f.check(f.out); err != nil {
		return err
	}
	plan, err := resolve(cmd.Context(), args, f, suite)
	if err != nil {
		return err
	}
	for _, p := range plan {
		if f.out != "" && p.recorded == nil {
			if err := recording.Vacant(filepath.Join(f.out, p.name())); err != nil {
				return exitError{exitUsage, err}
			}
		}
	}
	var base *baseline
	earlier, err := reportOf(f.baseline)
	switch {
	case err != nil:
		return err
	case earlier == "" && f.strict:
		return usage("--baseline-strict belongs to --baseline REPORT.json")
	case earlier != "":
		base, err = openReport(earlier, runOf(plan, suite), selected, suite, f.strict)
	case len(f.baseline) > 0:
		base, err = openBaseline(f.baseline, plan, suite)
	}
	if err != nil {
		return err
	}
	config, told, err := f.config(cmd, suite, tools)
	if err != nil {
		return err
	}
	r := runner{config: config, suite: suite, selected: selected, told: told, parallel: f.parallel}
	if err := r.all(cmd.Context(), plan); err != nil {
		return unknown(err)
	}
	input := report.Input{Suite: suite, Tool: tool(), Today: time.Now(), Selected: selected, Options: f.options()}
	for _, p := range plan {
		input.Targets = append(input.Targets, p.source)
	}
	if len(plan) > 1 {
		input.Reference = plan[0].source.Recording.Header.Target.Name
	}
	return finish(cmd, f.output, input, f.out, base)
}

// resolve finds the targets of a run, the reference first.
func resolve(ctx context.Context, args []string, f runFlags, suite contract.Suite) ([]*planned, error) {
	var plan []*planned
	if f.url == "" && (f.model != "" || f.keyEnv != "" || f.maxTokens != 0) {
		return nil, usage("--model, --api-key-env and --max-tokens belong to --url; a target file says them itself")
	}
	if len(args) == 0 && f.url == "" {
		args = fixtures.DefaultTargets()
	}
	for _, a := range args {
		spec, err := fixtures.Target(a)
		if err != nil {
			return nil, exitError{exitUsage, err}
		}
		plan = append(plan, &planned{argument: a, spec: spec})
	}
	if f.url != "" {
		p, err := endpoint(ctx, f.url, f)
		if err != nil {
			return nil, err
		}
		plan = append(plan, p)
	}
	plan, err := withReference(plan, f.reference)
	if err != nil {
		return nil, err
	}
	if len(plan) > 1 && plan[0].recorded != nil {
		rename(plan[0].recorded, plan[1:])
	}
	seen := map[string]bool{}
	for _, p := range plan {
		if err := p.expectations(suite); err != nil {
			return nil, exitError{exitUsage, err}
		}
		if name := p.name(); seen[name] {
			return nil, usage("two targets are called %q; a recording and a column have one name: rename one in its file", name)
		}
		seen[p.name()] = true
	}
	return plan, nil
}

// endpoint is the target of a server that is running.
func endpoint(ctx context.Context, url string, f runFlags) (*planned, error) {
	model, err := modelOf(ctx, url, f.model, f.keyEnv)
	if err != nil {
		return nil, err
	}
	spec, err := target.Endpoint(url, model, f.keyEnv)
	if err != nil {
		return nil, exitError{exitUsage, err}
	}
	spec.Facts.MaxTokens = f.maxTokens
	if err := spec.Facts.Validate(); err != nil {
		return nil, usage("--max-tokens: %v", err)
	}
	argument := "--url " + shellWord(url) + " --model " + shellWord(model)
	if f.keyEnv != "" {
		argument += " --api-key-env " + f.keyEnv
	}
	return &planned{argument: argument, spec: spec}, nil
}

// rename sets a recorded reference apart from a target of the same name: an earlier recording of the server that
// is asked now.
func rename(reference *recording.Recording, others []*planned) {
	for _, p := range others {
		if p.name() == reference.Header.Target.Name {
			reference.Header.Target.Name += "@recorded"
			return
		}
	}
}

func (p *planned) name() string {
	if p.recorded != nil {
		return p.recorded.Header.Target.Name
	}
	return p.spec.Name
}

func (p *planned) expectations(suite contract.Suite) (err error) {
	p.source.Argument = p.argument
	if p.recorded != nil {
		p.source.Recording = p.recorded
		p.source.Expected, err = fixtures.RecordedExpectations(p.recorded.Header.Target, suite)
		return err
	}
	p.source.Expected, err = fixtures.Expectations(p.spec, suite)
	return err
}

// withReference puts the named reference first: one of the targets, another target, or a recording.
func withReference(plan []*planned, reference string) ([]*planned, error) {
	if reference == "" {
		return plan, nil
	}
	for i, p := range plan {
		if p.argument == reference || p.spec.Name == reference {
			return slices.Concat([]*planned{p}, plan[:i], plan[i+1:]), nil
		}
	}
	if info, err := os.Stat(reference); err == nil && info.IsDir() {
		rec, err := recording.Open(reference)
		if err != nil {
			return nil, unknown(fmt.Errorf("--reference: %w", err))
		}
		return slices.Concat([]*planned{{argument: "--reference " + filepath.Clean(reference), recorded: rec}}, plan), nil
	}
	spec, err := fixtures.Target(reference)
	if err != nil {
		return nil, exitError{exitUsage, fmt.Errorf("--reference %s is neither the folder of a recording nor a target: %w", reference, err)}
	}
	return slices.Concat([]*planned{{argument: reference, spec: spec}}, plan), nil
}

// shellWord is a word of a command to be pasted: the name of a model may come from the server.
func shellWord(s string) string {
	const plain = "-_./:@%+=,0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// gap is the least time between two requests of so many a second.
func gap(rps float64) time.Duration {
	if rps == 0 {
		return 0
	}
	return time.Duration(float64(time.Second) / rps)
}
