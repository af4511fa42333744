package main

import (
	"github.com/spf13/cobra"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/harness/witness"
	"github.com/embedcontract/embedcontract/openapi"
)

// config is what the sessions of a run have in common, and where it says how far it is.
func (f *runFlags) config(cmd *cobra.Command, suite contract.Suite, tools witness.Tools) (session.Config, *progress, error) {
	told := newProgress(cmd.ErrOrStderr(), f.colour)
	doc, err := openapi.Load()
	if err != nil {
		return session.Config{}, nil, unknown(err)
	}
	return session.Config{
		Suite: suite, Tool: tool(), Out: f.out, Embedded: fixtures.Emulator, Timeout: f.timeout, Limit: f.limit, Rounds: f.rounds, Gap: gap(f.maxRPS),
		Progress: told.say, Waiting: told.waiting, Heard: told.hear,
		Tools: tools, Witnesses: f.witnesses,
		Valid: func(contentType string, body []byte) []string {
			var out []string
			for _, v := range doc.ValidateRequest(contentType, body) {
				out = append(out, v.String())
			}
			return out
		},
	}, told, nil
}
