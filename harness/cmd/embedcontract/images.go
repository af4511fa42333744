package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/target"
)

func imagesCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "images TARGET...",
		Short: "Build or pull the container images of targets, where they are missing",
		Long: `Images prepares what the containers of targets are made of, so that a run does not
have to: it builds from a folder with a Dockerfile, or pulls. What is there is kept.
` + exitCodeText,
		Example: "  embedcontract images legacy-container dynamo-1.6.1-container",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var specs []*target.Spec
			for _, a := range args {
				s, err := fixtures.Target(a)
				if err != nil {
					return exitError{exitUsage, err}
				}
				if !s.HasContainers() {
					return usage("target %s has no containers", a)
				}
				specs = append(specs, s)
			}
			begun := time.Now()
			err := target.Images(cmd.Context(), specs, func(text string) {
				fmt.Fprintf(cmd.ErrOrStderr(), "%4.0fs  %s\n", time.Since(begun).Seconds(), text)
			})
			if err != nil {
				return unknown(err)
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return fixtures.TargetNames(), cobra.ShellCompDirectiveDefault
		},
	}
}
