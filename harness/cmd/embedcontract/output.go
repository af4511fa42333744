package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/report/html"
)

// output says how a report is shown and where it is written.
type output struct {
	full    bool
	verbose bool
	colour  string
	width   int
	reports []string
}

func (o *output) flags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&o.full, "full", false, "show a row for every check, and shorten nothing but very long texts of servers (default: a row for each behaviour)")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "show the evidence of every cell that is not a pass (default: a screen of those that are not as expected)")
	cmd.Flags().StringVar(&o.colour, "colour", "auto", "auto, always or never; NO_COLOR is honoured")
	cmd.Flags().IntVar(&o.width, "width", 0, "columns of the terminal (default: its own, or 80)")
	cmd.Flags().StringArrayVar(&o.reports, "report", nil, "also write the report to this file, by its ending: .html, .json, .md, .xml (JUnit); its folder must be there, or be that of --out; may be repeated")
}

const defaultWidth = 80

// renderer finds the renderer for a file by its ending.
func renderer(path string) (func(*report.Report, io.Writer) error, error) {
	switch ext := filepath.Ext(path); ext {
	case ".json":
		return (*report.Report).JSON, nil
	case ".md":
		return (*report.Report).Markdown, nil
	case ".xml":
		return (*report.Report).JUnit, nil
	case ".html":
		return html.Write, nil
	default:
		return nil, usage("--report %s: the ending %q is none of .html, .json, .md, .xml", path, ext)
	}
}

// check refuses what would be found out only once everything was asked. out is the folder that the command makes for its
// recordings, empty for none: a report may go there.
func (o *output) check(out string) error {
	for _, path := range o.reports {
		if _, err := renderer(path); err != nil {
			return err
		}
		if err := writable(path, out); err != nil {
			return err
		}
	}
	if !slices.Contains([]string{"auto", "always", "never"}, o.colour) {
		return usage("--colour %s: auto, always or never", o.colour)
	}
	return nil
}

// writable refuses the path of a report whose folder is not there: a folder that is made for a misspelt path hides that the
// report is not where it was meant to be.
func writable(path, out string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return usage("--report %s is a folder: name a file in it", path)
	}
	dir := filepath.Dir(path)
	if out != "" && filepath.Clean(out) == dir {
		return nil
	}
	switch info, err := os.Stat(dir); {
	case errors.Is(err, os.ErrNotExist):
		return usage("--report %s: there is no folder %s; make it first: mkdir -p %s", path, dir, shellWord(dir))
	case err != nil:
		return usage("--report %s: %v", path, err)
	case !info.IsDir():
		return usage("--report %s: %s is no folder", path, dir)
	}
	return nil
}

// finish judges, shows and writes a report, and returns the exit code as an error. The report is shown first: a
// file that cannot be written must not lose it.
func finish(cmd *cobra.Command, o output, in report.Input, out string, base *baseline) error {
	in.Held = base != nil && base.report == nil
	r := report.Build(in)
	base.hold(r, in)
	stdout := cmd.OutOrStdout()
	if err := r.Terminal(stdout, o.terminal(stdout)); err != nil {
		return unknown(err)
	}
	files := slices.Clone(o.reports)
	if out != "" {
		for _, name := range []string{"report.html", "report.json", "report.md", "junit.xml"} {
			files = append(files, filepath.Join(out, name))
		}
	}
	for _, path := range files {
		if err := writeReport(r, path); err != nil {
			return unknown(err)
		}
	}
	if out != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "recordings, logs and reports are in %s\n", out)
	}
	if r.Verdict.Exit != exitOK {
		return exitError{r.Verdict.Exit, nil}
	}
	return nil
}

func writeReport(r *report.Report, path string) error {
	render, err := renderer(path)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := render(r, &b); err != nil {
		return err
	}
	// The folder of --out is not there yet when no target has a recording; that of --report was looked for at the start.
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func (o *output) terminal(w io.Writer) report.TerminalOptions {
	opts := report.TerminalOptions{Width: o.width, Full: o.full, Verbose: o.verbose}
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
