package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/report/html"
	"github.com/embedcontract/embedcontract/harness/upgrade"
)

// diffWidth is how wide a comparison is at most unless --width says otherwise: it is read as prose.
const diffWidth = 80

func diffCommand(load loader) *cobra.Command {
	var (
		sel  selection
		out  output
		kept archive
		core bool
		form diffForm
	)
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what changed from one recording to another: an upgrade",
		Long: `Diff reads the folders of two recordings, judges both by today's rules, and
says what changed from the old to the new one: fixed, regressed or moved, what
that means for clients and for the index, and which measurements moved beyond
noise. A name is looked for in the folders of --recordings. It needs no network
and no server.

Exit codes: 0 nothing that matters changed; 1 something regressed, or clients
or the index must change; 2 usage; 3 cannot tell (a recording that cannot be
read or was cut short, other plans, checks without a verdict, checks that only
the old recording holds: --core, --focus and --behaviour leave some out);
5 the two have no check in common.`,
		Example: `  embedcontract diff dynamo-1.5.1 dynamo-1.6.1
  embedcontract diff before after --markdown > comment.md
  embedcontract diff before after --report upgrade.html --report upgrade.json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(out.check(""), form.check(), kept.check(cmd)); err != nil {
				return err
			}
			suite, err := load.suite(sel.revision)
			if err != nil {
				return err
			}
			sel.extended = true // what was recorded is compared
			selected, err := sel.match(suite)
			if err != nil {
				return err
			}
			in := upgrade.Input{Suite: suite, Tool: tool(), Today: time.Now(),
				Selected: func(c contract.Check) bool { return selected(c) && (!core || !c.Extended) }}
			for _, side := range []struct {
				dir string
				to  **recording.Recording
			}{{args[0], &in.Old}, {args[1], &in.New}} {
				if *side.to, err = kept.open(side.dir); err != nil {
					return err
				}
			}
			d := upgrade.Compare(in)
			if err := showDiff(d, cmd.OutOrStdout(), out, form); err != nil {
				return unknown(err)
			}
			for _, path := range form.reports {
				if err := form.write(d, path, out); err != nil {
					return unknown(err)
				}
			}
			if d.Verdict.Exit != exitOK {
				return exitError{d.Verdict.Exit, nil}
			}
			return nil
		},
	}
	sel.flags(cmd, load)
	kept.flags(cmd)
	_ = cmd.Flags().MarkHidden("extended") // it belongs to run
	cmd.Flags().BoolVar(&core, "core", false, "only the checks of every run, also where extended ones were recorded")
	cmd.Flags().BoolVar(&form.json, "json", false, "print it as JSON, of which harness/upgrade/schema.json is the schema")
	cmd.Flags().BoolVar(&form.markdown, "markdown", false, "print it as Markdown, for a pull request")
	cmd.Flags().BoolVar(&form.html, "html", false, "print it as one HTML file, for a browser or paper")
	cmd.Flags().StringArrayVar(&form.reports, "report", nil, "also write it to this file, by its ending: .html, .json, .md; its folder must be there; may be repeated")
	cmd.MarkFlagsMutuallyExclusive("html", "json", "markdown")
	cmd.Flags().BoolVarP(&out.verbose, "verbose", "v", false, "also what was seen, what did not change, and what did not move")
	cmd.Flags().StringVar(&out.colour, "colour", "auto", "auto, always or never; NO_COLOR is honoured")
	cmd.Flags().IntVar(&out.width, "width", 0, "columns of the terminal (default: its own, at most 80)")
	return cmd
}

// diffForm is how a comparison is printed, if not for a terminal, and the files to which it is written besides.
type diffForm struct {
	html, json, markdown bool
	reports              []string
}

// check refuses a file of --report before the recordings are read.
func (f diffForm) check() error {
	for _, path := range f.reports {
		if _, err := formOf(path); err != nil {
			return err
		}
		if err := writable(path, ""); err != nil {
			return err
		}
	}
	return nil
}

// formOf is the format of a file by its ending.
func formOf(path string) (diffForm, error) {
	switch ext := filepath.Ext(path); ext {
	case ".html":
		return diffForm{html: true}, nil
	case ".json":
		return diffForm{json: true}, nil
	case ".md":
		return diffForm{markdown: true}, nil
	default:
		return diffForm{}, usage("--report %s: the ending %q is none of .html, .json, .md", path, ext)
	}
}

// write renders a comparison in memory first: half a file must not pass for a whole one.
func (f diffForm) write(d *upgrade.Diff, path string, out output) error {
	form, err := formOf(path)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := showDiff(d, &b, out, form); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func showDiff(d *upgrade.Diff, w io.Writer, out output, form diffForm) error {
	switch {
	case form.html:
		return html.WriteUpgrade(d, w)
	case form.json:
		return report.UpgradeJSON(d, w)
	case form.markdown:
		return report.UpgradeMarkdown(d, w)
	}
	o := out.terminal(w)
	if out.width == 0 {
		o.Width = min(o.Width, diffWidth)
	}
	return report.UpgradeTerminal(d, w, o)
}
