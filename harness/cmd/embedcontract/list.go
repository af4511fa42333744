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

func listCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the checks of the contract", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			suite, err := loadSuite()
			if err != nil {
				return unknown(err)
			}
			if asJSON {
				return listJSON(cmd.OutOrStdout(), suite)
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, b := range suite.Behaviours {
				fmt.Fprintf(w, "%s\t\t%s\n", b.Stem, b.Promise)
				for _, c := range b.Checks {
					fmt.Fprintf(w, "  %s\t%s\t%s\n", c.ID, strings.Join(traits(c), ", "), c.Promise)
				}
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: one object a check")
	return cmd
}

func traits(c contract.Check) []string {
	out := []string{string(c.Level)}
	if c.Pair() {
		out = append(out, "pair")
	}
	if c.Extended {
		out = append(out, "extended")
	}
	return out
}

func listJSON(w io.Writer, suite contract.Suite) error {
	type row struct {
		ID        string   `json:"id"`
		Behaviour string   `json:"behaviour"`
		Level     string   `json:"level"`
		Pair      bool     `json:"pair"`
		Extended  bool     `json:"extended"`
		Promise   string   `json:"promise"`
		Sources   []string `json:"sources"`
		Variants  []string `json:"variants"`
	}
	rows := []row{}
	for _, b := range suite.Behaviours {
		for _, c := range b.Checks {
			r := row{ID: c.ID, Behaviour: b.Stem, Level: string(c.Level), Pair: c.Pair(), Extended: c.Extended, Promise: c.Promise, Sources: c.Sources}
			for _, v := range c.Variants {
				r.Variants = append(r.Variants, v.Name)
			}
			rows = append(rows, r)
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(rows)
}

func explainCommand() *cobra.Command {
	return &cobra.Command{
		Use: "explain CHECK", Short: "Explain a check: promise, reason, ways to answer, who breaks", Args: cobra.ExactArgs(1),
		Example: "  embedcontract explain vector_parity/cosine",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			suite, err := loadSuite()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return ids(suite), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			suite, err := loadSuite()
			if err != nil {
				return unknown(err)
			}
			c, ok := suite.Check(args[0])
			if !ok {
				return usage("no check has the id %q%s", args[0], near(args[0], ids(suite)))
			}
			return explain(cmd.OutOrStdout(), c)
		},
	}
}

func ids(suite contract.Suite) []string {
	var out []string
	for _, c := range suite.Checks() {
		out = append(out, c.ID)
	}
	return out
}

// near names the ids that share the most with what was typed.
func near(typed string, all []string) string {
	stem, name, _ := strings.Cut(typed, "/")
	close := slices.DeleteFunc(slices.Clone(all), func(id string) bool {
		return !strings.HasPrefix(id, stem+"/") && (name == "" || !strings.HasSuffix(id, "/"+name))
	})
	if len(close) == 0 {
		return "; see embedcontract list"
	}
	return "; did you mean one of " + strings.Join(close, ", ") + "?"
}

func explain(w io.Writer, c contract.Check) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\n", c.ID, strings.Join(traits(c), ", "))
	fmt.Fprintf(&b, "Promise  %s.\nWhy      %s.\nSources  %s\n", c.Promise, c.Why, strings.Join(c.Sources, "; "))
	if len(c.Reads) > 0 && !c.ReadsSome {
		fmt.Fprintf(&b, "Reads    %s\n", strings.Join(c.Reads, ", "))
	}
	b.WriteString("\nWays to answer\n")
	for _, v := range c.Variants {
		fmt.Fprintf(&b, "  %s: %s", v.Name, v.Outcome)
		if v.Effect != "" {
			fmt.Fprintf(&b, ", %s", v.Effect)
			if v.Silent {
				b.WriteString(", silent")
			}
		}
		fmt.Fprintf(&b, "\n      %s\n", v.Meaning)
		if v.Breaks != "" {
			fmt.Fprintf(&b, "      Breaks: %s\n", v.Breaks)
		}
		if v.Remedy != "" {
			fmt.Fprintf(&b, "      Remedy: %s\n", v.Remedy)
		}
	}
	fmt.Fprintf(&b, "  %s, %s, %s: fail, on every check: an answer outside this list, none, or the server's last one\n", contract.Other, contract.NoAnswer, contract.Dies)
	if len(c.Looks) > 0 {
		b.WriteString("\nWhat it looked like\n")
		for _, l := range c.Looks {
			fmt.Fprintf(&b, "  %s\n", l)
		}
	}
	if !c.Pair() {
		b.WriteString("\nIn place of another server\n  the same answer is the same; a pass in place of a refusal is compatible; any other change is one for clients")
		if len(c.Swap) > 0 {
			b.WriteString(", but\n")
			for _, r := range c.Swap {
				fmt.Fprintf(&b, "  %s -> %s: %s (%s)\n", r.From, r.To, r.Effect, r.Why)
			}
		} else {
			b.WriteString("\n")
		}
	}
	fmt.Fprintf(&b, "\nRun only this\n  embedcontract run --focus '^%s$'\n  go test ./suites -count=1 -ginkgo.focus='%s'\n", c.ID, c.ID)
	_, err := io.WriteString(w, b.String())
	return err
}
