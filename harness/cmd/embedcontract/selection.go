package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/suites"
)

func loadSuite() (contract.Suite, error) { return suites.All() }

// selection says which checks a run asks.
type selection struct {
	behaviours []string
	focus      string
	extended   bool
}

func (s *selection) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&s.behaviours, "behaviour", nil, "only these behaviours, such as dimensions,truncation")
	cmd.Flags().StringVar(&s.focus, "focus", "", "only checks whose id or promise matches this regular expression")
	cmd.Flags().BoolVar(&s.extended, "extended", false, "also the slow and heavy checks")
	_ = cmd.RegisterFlagCompletionFunc("behaviour", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		suite, err := loadSuite()
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return stems(suite), cobra.ShellCompDirectiveNoFileComp
	})
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
	for _, b := range s.behaviours {
		if !slices.Contains(stems(suite), b) {
			return nil, usage("no behaviour %q; there are %s", b, strings.Join(stems(suite), ", "))
		}
	}
	re, err := regexp.Compile(s.focus)
	if err != nil {
		return nil, usage("--focus %q is no regular expression: %v", s.focus, err)
	}
	selected := func(c contract.Check) bool {
		stem, _, _ := strings.Cut(c.ID, "/")
		return (len(s.behaviours) == 0 || slices.Contains(s.behaviours, stem)) &&
			(s.focus == "" || re.MatchString(c.ID) || re.MatchString(c.Promise)) &&
			(s.extended || !c.Extended)
	}
	if !slices.ContainsFunc(suite.Checks(), selected) {
		return nil, exitError{exitNothing, errNothingSelected}
	}
	return selected, nil
}
