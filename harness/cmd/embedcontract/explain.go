package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
)

// suiteExtended is the environment variable with which go test ./suites asks extended checks, too.
const suiteExtended = "EMBEDCONTRACT_EXTENDED"

func explainCommand(load loader) *cobra.Command {
	var revision string
	cmd := &cobra.Command{
		Use: "explain CHECK", Short: "Explain a check: promise, reason, ways to answer, who breaks, who answers so, the requests", Args: cobra.ExactArgs(1),
		Long: `Explain prints what a check is about: the promise, why it matters, and the ways to
answer it, each with its meaning, who breaks, what bridges it, and the recorded
servers that answer so; then the requests, as an emulated server gets them now, and
the command that asks just this check, with --extended where it is slow or heavy.`,
		Example:           "  embedcontract explain vector_parity/cosine",
		ValidArgsFunction: load.complete(ids),
		RunE: func(cmd *cobra.Command, args []string) error {
			suite, err := load.suite(revision)
			if err != nil {
				return err
			}
			c, ok := suite.Check(args[0])
			if !ok {
				return usage("no check has the id %q%s", args[0], near(args[0], ids(suite)))
			}
			return explain(cmd, suite, c)
		},
	}
	revisionFlag(cmd, &revision)
	return cmd
}

func ids(suite contract.Suite) []string {
	var out []string
	for _, c := range slices.Concat(suite.Checks(), suite.Remedies()) {
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

func explain(cmd *cobra.Command, suite contract.Suite, c contract.Check) error {
	shown, err := fixtures.Shown()
	if err != nil {
		return unknown(err)
	}
	sent, err := requests(cmd.Context(), suite, c)
	if err != nil {
		return unknown(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\n", c.ID, strings.Join(append([]string{string(c.Level)}, kind(c)...), ", "))
	first := "Promise"
	if c.Remedy() {
		first = "Do     "
	}
	fmt.Fprintf(&b, "%s  %s.\nWhy      %s.\nSources  %s\n", first, c.Promise, c.Why, strings.Join(c.Sources, "; "))
	if c.Remedy() {
		fmt.Fprintf(&b, "Bridges  %s\n", strings.Join(c.Bridges, ", "))
	}
	if c.Extended {
		b.WriteString("Extended slow, or heavy for the server: asked with --extended only\n")
	}
	if c.Provisional {
		fmt.Fprintf(&b, "Provisional: contract revision %s does not list it, so it is asked, shown, and not counted\n", suite.Revision)
	}
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
		if servers := shown[c.ID][v.Name]; len(servers) > 0 {
			fmt.Fprintf(&b, "      Shown by: %s\n", strings.Join(servers, ", "))
		}
	}
	fmt.Fprintf(&b, "  %s, %s, %s: fail, on every check: an answer outside this list, none, or the server's last one\n", contract.Other, contract.NoAnswer, contract.Dies)
	for _, name := range []string{contract.Other, contract.NoAnswer, contract.Dies} {
		if servers := shown[c.ID][name]; len(servers) > 0 {
			fmt.Fprintf(&b, "      Shown (%s) by: %s\n", name, strings.Join(servers, ", "))
		}
	}
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
	b.WriteString(sent)
	focus, environment := fmt.Sprintf("embedcontract run --focus '^%s$'", c.ID), ""
	if c.Extended {
		focus, environment = focus+" --extended", suiteExtended+"=1 "
	}
	if c.Remedy() { // a verdict on a swap tells of it, no cell does
		stem, _, _ := strings.Cut(c.ID, "/")
		fmt.Fprintf(&b, "\nTried with every run of its behaviour\n  embedcontract run --behaviour %s TARGET TARGET -v\nand told by\n  embedcontract swap --reference TARGET --candidate TARGET\n", stem)
		_, err = io.WriteString(cmd.OutOrStdout(), b.String())
		return err
	}
	fmt.Fprintf(&b, "\nRun only this\n  %s\n  %sgo test ./suites -count=1 -ginkgo.focus='%s'\n", focus, environment, c.ID)
	_, err = io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}
