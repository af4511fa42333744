package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/harness/contract"
)

func listCommand(load loader) *cobra.Command {
	var (
		asJSON bool
		sel    selection
	)
	cmd := &cobra.Command{
		Use: "list", Short: "List the checks of the contract", Args: cobra.NoArgs,
		Example: `  embedcontract list --behaviour dimensions,truncation
  embedcontract list --focus base64 --json`,
		Long: `List prints the checks: id, level (must, should, may), kind, promise. The kind is
core (asked in every run) or extended (slow, or heavy for the server: asked with
--extended), pair when it is decided from the answers of two servers, and
provisional when the contract revision does not list it: asked, shown, not counted.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			suite, err := load.suite(sel.revision)
			if err != nil {
				return err
			}
			if suite.Behaviours, err = sel.listed(suite); err != nil {
				return err
			}
			if asJSON {
				return listJSON(cmd.OutOrStdout(), suite)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, b := range suite.Behaviours {
				fmt.Fprintf(w, "%s\t\t\t%s\n", b.Stem, b.Promise)
				for _, c := range slices.Concat(b.Checks, b.Remedies) {
					fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", c.ID, c.Level, strings.Join(kind(c), ", "), c.Promise)
				}
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: one object a check")
	sel.flags(cmd, load)
	_ = cmd.Flags().MarkHidden("extended") // the kinds are told of each check
	return cmd
}

// listed are the behaviours with the checks and remedies that are selected, extended ones too.
func (s selection) listed(suite contract.Suite) ([]contract.Behaviour, error) {
	if err := s.known(suite); err != nil {
		return nil, err
	}
	s.extended = true
	selected, err := s.predicate()
	if err != nil {
		return nil, err
	}
	var out []contract.Behaviour
	for _, b := range suite.Behaviours {
		not := func(c contract.Check) bool { return !selected(c) }
		b.Checks, b.Remedies = slices.DeleteFunc(slices.Clone(b.Checks), not), slices.DeleteFunc(slices.Clone(b.Remedies), not)
		if len(b.Checks)+len(b.Remedies) > 0 {
			out = append(out, b)
		}
	}
	if len(out) == 0 {
		return nil, exitError{exitNothing, errNothingSelected}
	}
	return out, nil
}

// kind says when a check is asked, of how many servers it is, and whether it counts.
func kind(c contract.Check) []string {
	out := []string{"core"}
	if c.Extended {
		out[0] = "extended"
	}
	switch {
	case c.Remedy():
		out = append(out, "remedy")
	case c.Pair():
		out = append(out, "pair")
	}
	if c.Provisional {
		out = append(out, "provisional")
	}
	return out
}

func listJSON(w io.Writer, suite contract.Suite) error {
	type variant struct {
		Name    string `json:"name"`
		Outcome string `json:"outcome"`
		Effect  string `json:"effect,omitempty"`
		Silent  bool   `json:"silent,omitempty"`
		Meaning string `json:"meaning"`
		Breaks  string `json:"breaks,omitempty"`
		Remedy  string `json:"remedy,omitempty"`
	}
	type row struct {
		ID          string    `json:"id"`
		Behaviour   string    `json:"behaviour"`
		Level       string    `json:"level"`
		Pair        bool      `json:"pair"`
		Remedy      bool      `json:"remedy"` // a change on the client's side; its promise is what clients do
		Extended    bool      `json:"extended"`
		Provisional bool      `json:"provisional"`
		Promise     string    `json:"promise"`
		Why         string    `json:"why"`
		Sources     []string  `json:"sources"`
		Reads       []string  `json:"reads"`
		Bridges     []string  `json:"bridges,omitempty"` // of a remedy: the checks whose deviations it bridges
		Variants    []variant `json:"variants"`
	}
	rows := []row{}
	for _, b := range suite.Behaviours {
		for _, c := range slices.Concat(b.Checks, b.Remedies) {
			r := row{ID: c.ID, Behaviour: b.Stem, Level: string(c.Level), Pair: c.Pair(), Remedy: c.Remedy(), Bridges: c.Bridges, Extended: c.Extended, Provisional: c.Provisional,
				Promise: c.Promise, Why: c.Why, Sources: c.Sources, Reads: append([]string{}, c.Reads...)}
			for _, v := range c.Variants {
				r.Variants = append(r.Variants, variant{v.Name, string(v.Outcome), string(v.Effect), v.Silent, v.Meaning, v.Breaks, v.Remedy})
			}
			rows = append(rows, r)
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(rows)
}
