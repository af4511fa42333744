package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/report/html"
)

func htmlCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "html REPORT.json",
		Short: "Write a report that was made before as one HTML file",
		Long: `Html reads a report.json, as run --out and --report write it, and prints it as
one HTML file: for a browser without network, and for paper. - reads from
standard input.

run, judge and swap write the same file with --report FILE.html, run also to
report.html below --out; diff --html prints what an upgrade changes.

Exit codes: 0 written, whatever the report says; 2 usage; 3 the file is no
report, or cannot be written.`,
		Example: `  embedcontract html recordings/report.json > report.html`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			src := cmd.InOrStdin()
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return exitError{exitUsage, err}
				}
				defer f.Close()
				src = f
			}
			return htmlOf(args[0], src, cmd.OutOrStdout())
		},
	}
}

func htmlOf(name string, src io.Reader, to io.Writer) error {
	r, err := report.ReadJSON(src)
	if err != nil {
		return unknown(fmt.Errorf("%s: %w", name, err))
	}
	if err := html.Write(r, to); err != nil {
		return unknown(err)
	}
	return nil
}
