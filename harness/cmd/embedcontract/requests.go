package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/harness/target"
)

const (
	// askLimit bounds how long explain asks. The emulated server answers in milliseconds, but some checks wait on
	// purpose, for as long as an idle connection must live.
	askLimit = 8 * time.Second
	// bodyShown is the longest body, in bytes, that explain writes out.
	bodyShown = 600
	// readsShown is the number of further checks whose requests explain writes out, too.
	readsShown = 6
	// stepsShown is the number of requests of one check that are written out.
	stepsShown = 12
)

// honestTarget is the server that explain asks, so that the requests shown are those that are sent.
const honestTarget = `name: honest-emulated
title: an emulated server that keeps every promise
kind: emulated
model: tiny-qwen3-embedding
components: [{name: emulator, runtime: embedded, personality: honest}]
`

// demonstrate asks the honest emulated server one check, and what that reads. Whole is false when it took too long.
func demonstrate(ctx context.Context, suite contract.Suite, check string) (rec *recording.Recording, whole bool, err error) {
	spec, err := target.Parse("honest-emulated.yaml", []byte(honestTarget))
	if err != nil {
		return nil, false, err
	}
	s, err := session.Open(ctx, session.Config{Suite: suite, Embedded: fixtures.Emulator}, spec)
	if err != nil {
		return nil, false, err
	}
	limited, cancel := context.WithTimeout(ctx, askLimit) // of what the check asks: a server that is slow to start is not its fault
	defer cancel()
	err = s.Follow(contract.NewPlan(spec.Name, s.Facts(), suite.Corpus))
	if err == nil {
		err = s.Ask(limited, check)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return s.Recording(), false, s.Abandon()
	}
	return s.Recording(), true, errors.Join(err, s.Close())
}

// requests writes the requests of a check as commands for a shell, and those of the few checks that it reads.
func requests(ctx context.Context, suite contract.Suite, c contract.Check) (string, error) {
	rec, whole, err := demonstrate(ctx, suite, c.ID)
	if err != nil {
		return "", fmt.Errorf("asking an emulated server for the requests of %s: %w", c.ID, err)
	}
	var b strings.Builder
	b.WriteString("\nRequests, as an honest emulated server got them just now (texts and sizes follow the limit and the dimensions of a server)\n")
	b.WriteString(asked(rec, c.ID))
	if !whole {
		fmt.Fprintf(&b, "  and more: it takes longer than the %s that are spent here\n", askLimit)
	}
	if len(c.Reads) > readsShown {
		fmt.Fprintf(&b, "  and those of the %d checks that it reads, see embedcontract explain: %s\n", len(c.Reads), strings.Join(c.Reads, ", "))
		return b.String(), nil
	}
	for _, id := range c.Reads {
		fmt.Fprintf(&b, "\nand those of %s, which it reads\n%s", id, asked(rec, id))
		if r, _ := suite.Check(id); len(r.Reads) > 0 {
			fmt.Fprintf(&b, "  and what that reads: %s\n", strings.Join(r.Reads, ", "))
		}
	}
	return b.String(), nil
}

// asked writes the steps of one check.
func asked(rec *recording.Recording, check string) string {
	var b strings.Builder
	for _, t := range rec.Trails(check) {
		if t.Inapplicable != "" {
			fmt.Fprintf(&b, "  (not asked of this server: %s)\n", t.Inapplicable)
		}
		if t.Error != "" {
			fmt.Fprintf(&b, "  (%s)\n", t.Error)
		}
		for i, s := range t.Steps {
			if i == stepsShown {
				fmt.Fprintf(&b, "  and %d more like these\n", len(t.Steps)-i)
				break
			}
			b.WriteString(step(s))
		}
	}
	if b.Len() == 0 {
		return "  none of its own\n"
	}
	return b.String()
}

func step(s contract.Step) string {
	name := s.Name
	switch {
	case s.Name == contract.StillAlive:
		name += " (asked by the engine: is the server still there?)"
	case s.Request.Violates != "":
		name += " (against the OpenAPI document on purpose: " + s.Request.Violates + ")"
	}
	r := s.Request
	if r.Recipe == "" && len(r.Body) > bodyShown {
		r.Recipe = fmt.Sprintf("%d bytes: %s", len(r.Body), contract.Shorten(string(r.Body), bodyShown/4))
	}
	return fmt.Sprintf("  %s\n    %s\n", name, report.Curl(r))
}
