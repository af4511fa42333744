package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/target"
	"github.com/embedcontract/embedcontract/suites"
)

// loader makes the contract by one of its revisions; the empty name is that of the newest. It is suites.At.
type loader func(revision string) (contract.Suite, error)

// suite is the contract by a revision, or an error with its exit code.
func (load loader) suite(revision string) (contract.Suite, error) {
	s, err := load(revision)
	var unknownName suites.UnknownRevisionError
	switch {
	case errors.As(err, &unknownName):
		return s, usage("--revision: %v", err)
	case err != nil:
		return s, unknown(err)
	}
	return s, nil
}

// complete offers what a function reads of the contract to the completion of the shell.
func (load loader) complete(names func(contract.Suite) []string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		suite, err := load("")
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return names(suite), cobra.ShellCompDirectiveNoFileComp
	}
}

// revisionFlag adds --revision, which says by which revision of the contract is judged or listed.
func revisionFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "revision", "", "contract revision that decides which checks count, and how\nstrongly (default: the newest frozen one); draft: all count")
	_ = cmd.RegisterFlagCompletionFunc("revision", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		names, err := suites.Revisions()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return append(names, contract.Draft), cobra.ShellCompDirectiveNoFileComp
	})
}

// selection says which checks a run asks, and by which revision they are judged.
type selection struct {
	behaviours []string
	focus      string
	extended   bool
	revision   string
	witnesses  []string // SDKs that are asked, though their checks are extended
}

func (s *selection) flags(cmd *cobra.Command, load loader) {
	cmd.Flags().StringSliceVar(&s.behaviours, "behaviour", nil, "only these behaviours, such as dimensions,truncation")
	cmd.Flags().StringVar(&s.focus, "focus", "", "only checks whose id or promise matches this regular expression")
	cmd.Flags().BoolVar(&s.extended, "extended", false, "also the extended checks, which are slow or heavy for the server; list marks them")
	revisionFlag(cmd, &s.revision)
	_ = cmd.RegisterFlagCompletionFunc("behaviour", load.complete(stems))
}

// options are what a command needs beside --focus to judge a cell as this one does.
func (s *selection) options() string {
	if s.revision == "" {
		return ""
	}
	return "--revision " + s.revision
}

func stems(suite contract.Suite) []string {
	var out []string
	for _, b := range suite.Behaviours {
		out = append(out, b.Stem)
	}
	return out
}

// match returns the predicate of the selection; it is nil when everything is selected.
func (s *selection) match(suite contract.Suite) (func(contract.Check) bool, error) {
	if err := s.known(suite); err != nil {
		return nil, err
	}
	selected, err := s.predicate()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(suite.Checks(), selected) {
		return nil, exitError{exitNothing, errNothingSelected}
	}
	return selected, nil
}

// known refuses a behaviour that the contract does not have.
func (s *selection) known(suite contract.Suite) error {
	for _, b := range s.behaviours {
		if !slices.Contains(stems(suite), b) {
			return usage("no behaviour %q%s; there are %s", b, target.DidYouMean(b, stems(suite)), strings.Join(stems(suite), ", "))
		}
	}
	return nil
}

// predicate says of a check whether it is selected.
func (s *selection) predicate() (func(contract.Check) bool, error) {
	re, err := regexp.Compile(s.focus)
	if err != nil {
		return nil, usage("--focus %q is no regular expression: %v", s.focus, err)
	}
	return func(c contract.Check) bool {
		stem, _, _ := strings.Cut(c.ID, "/")
		return (len(s.behaviours) == 0 || slices.Contains(s.behaviours, stem)) &&
			(s.focus == "" || re.MatchString(c.ID) || re.MatchString(c.Promise)) &&
			(s.extended || !c.Extended || s.witnessed(c))
	}, nil
}

func (s *selection) witnessed(c contract.Check) bool {
	return slices.ContainsFunc(s.witnesses, func(sdk string) bool { return strings.HasPrefix(c.ID, "witnesses/"+sdk+"-") })
}
