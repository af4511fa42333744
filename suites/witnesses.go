package suites

import (
	"context"
	"fmt"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/parity"
	"github.com/embedcontract/embedcontract/harness/witness/statement"
)

// witnesses: what the OpenAI SDKs make of the answers. All other checks ask by raw HTTP; these let the SDKs ask as
// their users do.
func witnesses() contract.Behaviour {
	b := contract.Behaviour{Stem: "witnesses", Promise: "the OpenAI SDKs hand on the vectors that the server means, and its reasons, in one call"}
	for _, k := range sdks() {
		b.Checks = append(b.Checks, witnessOne(k, statement.Default), witnessBatch(k))
		if k.asksBase64 {
			b.Checks = append(b.Checks, witnessOne(k, statement.Float))
		}
		b.Checks = append(b.Checks, witnessError(k))
		b.Remedies = append(b.Remedies, onceRemedy(k))
	}
	return b
}

// sdk is one of the witnesses.
type sdk struct {
	name, title string
	users       string // who stands on it
	asksBase64  bool   // when its user names no format
	// extended: it takes a second for each question and something installed, and is asked on request.
	extended bool
}

func sdks() []sdk {
	return []sdk{
		{name: statement.Go, title: "openai-go", users: "users of openai-go"},
		{name: statement.Python, title: "openai for Python", users: "users of openai for Python, LangChain, LlamaIndex, Chroma among them", asksBase64: true, extended: true},
		{name: statement.Node, title: "openai for Node", users: "users of openai for Node, LangChain.js, Flowise, AnythingLLM among them", asksBase64: true, extended: true},
	}
}

// Names of steps: what the SDK told, and the texts by raw HTTP.
const (
	toldStep = "told"
	rawStep  = "raw-"
)

// witnessProbe asks for the texts by raw HTTP, one by one and as numbers, which is what the SDK is measured by, and
// then lets the SDK ask.
func witnessProbe(k sdk, scenario string, texts []string) func(context.Context, contract.Prober) error {
	return func(ctx context.Context, p contract.Prober) error {
		// First, so that a witness that nobody asked for costs no request.
		if _, err := p.Do(ctx, toldStep, contract.Witness(k.name, scenario)); err != nil {
			return err
		}
		for i, t := range texts {
			if _, err := p.Embed(ctx, fmt.Sprint(rawStep, i), contract.Body{"input": t, "encoding_format": "float"}); err != nil {
				return err
			}
		}
		return nil
	}
}

// witnessed is what the classifiers start from: what the SDK told and the raw vectors, or the finding that takes their
// place.
func witnessed(e contract.Evidence) (out statement.Output, raw [][]float32, instead *contract.Finding) {
	stop := func(f contract.Finding) (statement.Output, [][]float32, *contract.Finding) { return out, nil, &f }
	out, err := statement.Read(e.Step(toldStep))
	if err != nil {
		return stop(contract.Found(contract.Other, "%v", err).From(toldStep))
	}
	for _, s := range e.StepsLike(rawStep) {
		v, err := s.One()
		if err != nil {
			return stop(mismatch(s, err))
		}
		raw = append(raw, v)
	}
	if out.Ended {
		return stop(contract.Found(contract.Other, "%s", out.Error.Text).From(toldStep))
	}
	if out.Error != nil {
		return stop(contract.Found("raises", "%s: %s; %s", out.Error.Class, contract.Shorten(out.Error.Text, shownOfText), calls(out)).From(toldStep))
	}
	return out, raw, nil
}

// shownOfText is how much of an error a finding shows.
const shownOfText = 160

func calls(out statement.Output) string {
	text := fmt.Sprintf("%d calls", out.Calls)
	if out.Calls == 1 {
		text = "1 call"
	}
	for i, a := range out.Answers {
		if i == 0 {
			text += ", answered "
		} else {
			text += ", "
		}
		if a.Status == 0 {
			text += "not at all"
		} else {
			text += fmt.Sprint(a.Status)
		}
	}
	return text
}

// reads says whether an item that an SDK handed on is that vector, and what it is. Bar is the distance up to which it
// counts as the same.
func reads(it statement.Item, want []float32, bar float64) (same bool, observed string) {
	got, ok := it.Vector()
	if !ok {
		return false, "it hands on " + contract.Shorten(string(it.Embedding), 40)
	}
	d, err := parity.Distance(got, want)
	return err == nil && d <= bar, // what is no finite number makes a distance that is none
		fmt.Sprintf("it hands on %d numbers of norm %s where the vector has %d", len(got), contract.FormatNumber(parity.Norm(got)), len(want))
}

func witnessOne(k sdk, scenario string) contract.Check {
	c := contract.Check{
		ID: "witnesses/" + k.name + "-" + scenario, Level: contract.Must, Extended: k.extended,
		Variants: []contract.Variant{
			{Name: "reads-the-vector", Outcome: contract.Pass, Meaning: "its user gets the vector that the server means"},
			{Name: "garbage", Outcome: contract.Fail, Meaning: "its user gets other numbers or another length, and no error", Breaks: k.users + ", in silence"},
			{Name: "raises", Refuses: true, Outcome: contract.Fail, Meaning: "its user gets an error", Breaks: k.users + ", loudly"},
		},
		Swap: []contract.SwapRule{
			{From: "reads-the-vector", To: "garbage", Effect: contract.IndexBreak, Silent: true, Why: "what is stored through this SDK from now on is no vector of the model"},
			{From: "garbage", To: "reads-the-vector", Effect: contract.ClientChange, Why: "whoever filled an index through this SDK stored garbage: fill it again"},
			{From: "raises", To: "garbage", Effect: contract.IndexBreak, Silent: true, Why: "what failed loudly is garbage now"},
		},
		Probe: witnessProbe(k, scenario, []string{statement.Text()}),
		Classify: func(e contract.Evidence) contract.Finding {
			out, raw, instead := witnessed(e)
			if instead != nil {
				return *instead
			}
			f := contract.Found("reads-the-vector", "").From(toldStep, rawStep+"0").With("calls", float64(out.Calls))
			if len(out.Data) != 1 {
				f.Variant, f.Observed = "garbage", fmt.Sprintf("it hands on %d items for one text", len(out.Data))
				return f
			}
			same, observed := reads(out.Data[0], raw[0], parity.SameBar)
			if f.Observed = observed; !same {
				f.Variant = "garbage"
			}
			return f
		},
	}
	switch {
	case scenario == statement.Float:
		c.Promise = k.title + ", told to ask for numbers, reads the vector"
		c.Why = "it is the remedy for servers that give numbers in place of base64"
		c.Sources = []string{"enc-default-float", "openai SDK, embeddings.create with encoding_format"}
	case k.asksBase64:
		c.Promise = k.title + ", used without a format, reads the vector"
		c.Why = "it asks for base64 of itself and decodes what comes"
		c.Sources = []string{"enc-sdk-node-default", "https://github.com/openai/openai-node/issues/1542", "openai SDK, embeddings.create"}
	default:
		c.Promise = k.title + ", used without a format, reads the vector"
		c.Why = "it asks for numbers, and decodes a string of itself"
		c.Sources = []string{"enc-default-float", "openai-go embedding_helpers.go"}
	}
	if scenario == statement.Default && k.asksBase64 {
		c.Variants[1].Remedy, c.Variants[2].Remedy = askFloat, askFloat
	}
	return c
}
