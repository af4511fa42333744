package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
)

// output says how a report is shown and where it is written.
type output struct {
	verbose bool
	colour  string
	width   int
	reports []string
}

func (o *output) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "show the evidence of every cell that is not a pass")
	cmd.Flags().StringVar(&o.colour, "colour", "auto", "auto, always or never; NO_COLOR is honoured")
	cmd.Flags().IntVar(&o.width, "width", 0, "columns of the terminal (default: its own, or 100)")
	cmd.Flags().StringArrayVar(&o.reports, "report", nil, "also write the report to this file, by its ending: .json, .md, .xml (JUnit); may be repeated")
}

const defaultWidth = 100

// renderer finds the renderer for a file by its ending.
func renderer(path string) (func(*report.Report, io.Writer) error, error) {
	switch ext := filepath.Ext(path); ext {
	case ".json":
		return (*report.Report).JSON, nil
	case ".md":
		return (*report.Report).Markdown, nil
	case ".xml":
		return (*report.Report).JUnit, nil
	default:
		return nil, usage("--report %s: the ending %q is none of .json, .md, .xml", path, ext)
	}
}

func (o *output) check() error {
	for _, path := range o.reports {
		if _, err := renderer(path); err != nil {
			return err
		}
	}
	if !slices.Contains([]string{"auto", "always", "never"}, o.colour) {
		return usage("--colour %s: auto, always or never", o.colour)
	}
	return nil
}

// finish judges, shows and writes a report, and returns the exit code as an error.
func finish(cmd *cobra.Command, o output, in report.Input, out, baseline string) error {
	r := report.Build(in)
	files := slices.Clone(o.reports)
	if out != "" {
		for _, name := range []string{"report.json", "report.md", "junit.xml"} {
			files = append(files, filepath.Join(out, name))
		}
	}
	for _, path := range files {
		render, err := renderer(path)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := render(r, &b); err != nil {
			return unknown(err)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return unknown(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			return unknown(fmt.Errorf("report: %w", err))
		}
	}
	stdout := cmd.OutOrStdout()
	if err := r.Terminal(stdout, o.terminal(stdout)); err != nil {
		return unknown(err)
	}
	if out != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "recordings, logs and reports are in %s\n", out)
	}
	if baseline != "" {
		same, err := compareBaseline(cmd, in, baseline)
		if err != nil {
			return unknown(err)
		}
		if !same {
			return exitError{exitNo, nil}
		}
	}
	if r.Verdict.Exit != exitOK {
		return exitError{r.Verdict.Exit, nil}
	}
	return nil
}

func (o *output) terminal(w io.Writer) report.TerminalOptions {
	opts := report.TerminalOptions{Width: o.width, Verbose: o.verbose}
	f, isFile := w.(*os.File)
	isTerminal := isFile && term.IsTerminal(f.Fd())
	if opts.Width == 0 && isTerminal {
		if width, _, err := term.GetSize(f.Fd()); err == nil {
			opts.Width = width
		}
	}
	if opts.Width == 0 {
		opts.Width = defaultWidth
	}
	opts.Colour = o.colour == "always" || (o.colour == "auto" && isTerminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
	return opts
}

// compareBaseline judges the recordings of an earlier run by the same rules, and prints each cell that reads
// otherwise now.
func compareBaseline(cmd *cobra.Command, in report.Input, dir string) (bool, error) {
	before := in
	before.Targets = nil
	for _, s := range in.Targets {
		name := s.Recording.Header.Target.Name
		rec, err := recording.Open(filepath.Join(dir, name))
		if err != nil {
			return false, fmt.Errorf("--baseline: %w", err)
		}
		before.Targets = append(before.Targets, report.Source{Recording: rec, Expected: s.Expected})
	}
	changes := report.Differences(report.Build(before), report.Build(in))
	stdout := cmd.OutOrStdout()
	if len(changes) == 0 {
		_, err := fmt.Fprintf(stdout, "\nEvery cell reads as in the recordings of %s.\n", dir)
		return true, err
	}
	fmt.Fprintf(stdout, "\n%d cells read otherwise than in the recordings of %s:\n", len(changes), dir)
	for _, c := range changes {
		fmt.Fprintf(stdout, "  %s  %s: was %s, is %s\n", c.Column, c.Check, c.Before, c.After)
	}
	_, err := fmt.Fprintln(stdout, strings.TrimSpace(`
If the server changed on purpose, look at each change, then commit the new recordings in place of the old ones.`))
	return false, err
}
