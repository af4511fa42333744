package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/expect"
	"github.com/embedcontract/embedcontract/harness/expect/standing"
	"github.com/embedcontract/embedcontract/harness/recording"
)

func expectCommand(load loader, now func() time.Time) *cobra.Command {
	var (
		sel     selection
		paths   []string
		update  bool
		verbose bool
	)
	cmd := &cobra.Command{
		Use:   "expect RECORDING...",
		Short: "Hold recordings to their lists of known deviations, or rewrite these",
		Long: `Expect says how recorded targets stand to their lists of known deviations: what is
answered as listed, unexpected (a deviation that is not listed), changed (listed as
another), stale (listed, and mended), overdue (past its review day), or expired
(` + fmt.Sprint(graceDays) + ` days past it, which is not as expected). The first recording is the reference
of the others; a target is compared with those too that its list names.

With --update it rewrites the files so that they match the recordings, and prints
what it changed. Comments, reasons, links, days and order stay; variants are
corrected, stale entries go, new ones come last. What a person must say of a new one
is left as TODO, and no command reads the file until it is written: exit code 1.
Nothing is rewritten, and the exit code is 3, where the recordings do not tell: a
check that was deselected, missing, an error or flaky, a recording cut short, an
entry that cannot be asked, or that needs a reference that was not given. Entries of
extended checks that were not asked for stay.

An entry, or the file, may be for some versions only, as targets declare them:
  versions: {dynamo: ">=1.3.1 <1.6.1"}
` + exitCodeText,
		Example: `  embedcontract expect recordings/legacy recordings/dynamo-1.6.1
  embedcontract expect recordings/my-server --expectations my-list.yaml --update`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			suite, err := load.suite(sel.revision)
			if err != nil {
				return err
			}
			sel.extended = true // what was recorded is judged
			selected, err := sel.match(suite)
			if err != nil {
				return err
			}
			h := holder{suite: suite, today: now(), out: cmd.OutOrStdout(), verbose: verbose, lists: map[*expect.File]listFile{}}
			if err := h.open(args, paths); err != nil {
				return err
			}
			rows := standing.Of(suite, h.sources, selected, h.today)
			h.show(rows)
			if update {
				if len(sel.behaviours) > 0 || sel.focus != "" {
					return unknown(errors.New("nothing is rewritten: --behaviour and --focus deselect checks, and a list is of all"))
				}
				return h.update(rows)
			}
			return exitOf(standing.Exit(rows))
		},
	}
	cmd.Flags().StringArrayVar(&paths, "expectations", nil, "file of known deviations, in place of the built-in one of its targets; may be repeated")
	cmd.Flags().BoolVar(&update, "update", false, "rewrite the files so that they match the recordings")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show every entry that is not as listed, and all that was not asked")
	sel.flags(cmd, load)
	_ = cmd.Flags().MarkHidden("extended") // it belongs to run
	return cmd
}

// graceDays is expect.Grace in days.
const graceDays = int(expect.Grace / (24 * time.Hour))

// exitOf is an exit code as the error of a command that has said everything.
func exitOf(code int) error {
	if code == exitOK {
		return nil
	}
	return exitError{code, nil}
}

// holder holds recordings to their lists.
type holder struct {
	suite   contract.Suite
	today   time.Time
	out     io.Writer
	verbose bool
	sources []standing.Source
	lists   map[*expect.File]listFile
}

// listFile is where a list was read from. Data is what was read.
type listFile struct {
	path string
	data []byte
}

// open reads recordings and the lists of their targets: those of --expectations, else those of a checkout.
func (h *holder) open(folders, paths []string) error {
	var given []*expect.File
	for _, path := range paths {
		f, err := h.list(path)
		if errors.Is(err, fs.ErrNotExist) {
			return usage("--expectations: %v; a new list begins with two lines, \"targets: [my-server]\" and \"known: []\"", err)
		}
		if err != nil {
			return exitError{exitUsage, err}
		}
		given = append(given, f)
	}
	own := map[string]*expect.File{} // by path: targets may share a list
	used := map[*expect.File]bool{}
	for _, folder := range folders {
		rec, err := recording.Open(folder)
		if err != nil {
			return judgeError(err)
		}
		t := rec.Header.Target
		if slices.ContainsFunc(h.sources, func(s standing.Source) bool { return s.Recording.Header.Target.Name == t.Name }) {
			return usage("%s: there is a recording of %s already", folder, t.Name)
		}
		f := fileFor(t.Name, given)
		if f == nil {
			path, err := fixtures.RecordedExpectationsPath(t)
			if err != nil {
				return unknown(err)
			}
			path = fromHere(path)
			if path != "" && own[path] == nil {
				if own[path], err = h.list(path); err != nil {
					return exitError{exitUsage, err}
				}
			}
			f = own[path]
		}
		s := standing.Source{Recording: rec, File: f}
		if f != nil {
			used[f] = true
			if s.List, err = f.For(t.Name, t.Versions); err != nil {
				return unknown(err)
			}
		}
		h.sources = append(h.sources, s)
	}
	for i, f := range given {
		if !used[f] {
			return usage("--expectations %s is for %v, and none of these was recorded here", paths[i], f.Targets)
		}
	}
	if len(used) == 0 {
		return usage("none of these targets has a list of known deviations; name one with --expectations")
	}
	return nil
}

// fromHere is a path from the working folder, where it lies in that.
func fromHere(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

func (h *holder) list(path string) (*expect.File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := expect.Parse(path, data, h.suite)
	if err == nil {
		h.lists[f] = listFile{path, data}
	}
	return f, err
}
