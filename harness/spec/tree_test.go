package spec_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/harness/spec"
	"github.com/embedcontract/embedcontract/harness/target"
)

// treeEnv says what the tree is made of, in the processes that TestTree starts: words of pair, draft, extended.
const treeEnv = "EMBEDCONTRACT_TEST_TREE"

// planted is a suite of which a revision lists one check that holds, and an extended one that fails. It does not list
// two that fail: one of a target, one of a pair.
func planted(revision string) (contract.Suite, error) {
	ask := func(ctx context.Context, p contract.Prober) error {
		_, err := p.Embed(ctx, "plain", contract.Body{"input": "a"})
		return err
	}
	one := func(id, variant string) contract.Check {
		return contract.Check{ID: id, Promise: "of " + id, Level: contract.Must, Sources: []string{"the test"}, Probe: ask,
			Variants: []contract.Variant{{Name: "good", Outcome: contract.Pass, Meaning: "it is good"},
				{Name: "bad", Outcome: contract.Fail, Meaning: "it is bad", Breaks: "somebody"}},
			Classify: func(contract.Evidence) contract.Finding { return contract.Found(variant, "seen by the test") }}
	}
	pair := one("planted/pair-new", "")
	pair.Classify, pair.Compare = nil, func(_, _ contract.Evidence) contract.Finding { return contract.Found("bad", "seen by the test") }
	pair.Variants[0].Effect, pair.Variants[1].Effect = contract.Same, contract.IndexBreak
	slow := one("planted/slow", "bad")
	slow.Extended = true
	s := contract.Suite{Revision: contract.Draft, Corpus: contract.Corpus{Name: "test"},
		Facts: contract.FactFinder{Probe: ask, Derive: func(declared contract.Facts, _ contract.Evidence) contract.Facts { return declared }},
		Behaviours: []contract.Behaviour{{Stem: "planted", Promise: "p", Checks: []contract.Check{
			one("planted/kept", "good"), one("planted/new", "bad"), pair, slow}}}}
	if err := s.Validate(); err != nil || revision == contract.Draft {
		return s, err
	}
	return s.At(contract.Revision{Name: "2026-01", Levels: map[string]contract.Level{"planted/kept": contract.Must, "planted/slow": contract.May}})
}

// flaw is of the tree, which exists in the started processes only.
var flaw = func() func() error {
	words := strings.Fields(os.Getenv(treeEnv))
	if len(words) == 0 {
		return nil
	}
	has := func(word string) bool { return strings.Contains(os.Getenv(treeEnv), word) }
	revision := ""
	if has("draft") {
		revision = contract.Draft
	}
	s, err := planted(revision)
	if err != nil {
		panic(err)
	}
	run := spec.Run{Today: time.Now(), Extended: has("extended"), Config: session.Config{Suite: s, Embedded: fixtures.Emulator}}
	names := []string{"one"}
	if has("pair") {
		names = append(names, "two")
	}
	for _, name := range names {
		t, err := target.Parse(name+".yaml", []byte("name: "+name+"\ntitle: t\n"+
			"kind: emulated\nmodel: tiny-qwen3-embedding\ncomponents: [{name: e, runtime: embedded, personality: honest}]\n"))
		if err != nil {
			panic(err)
		}
		run.Targets = append(run.Targets, spec.Target{Spec: t})
	}
	return spec.Build(run)
}()

// TestTree runs trees in processes of their own, since a process can run one.
func TestTree(t *testing.T) {
	if flaw != nil {
		RegisterFailHandler(Fail)
		suite, reporter := GinkgoConfiguration()
		suite.FailOnEmpty = true
		RunSpecs(t, "planted", suite, reporter)
		if err := flaw(); err != nil && !t.Failed() {
			t.Error(err)
		}
		return
	}
	for _, c := range []struct {
		name, tree string
		args       []string
		red        bool
		says       []string
		silent     []string // what it must not say
	}{
		{name: "a check that the revision does not list stays green", tree: "frozen",
			says: []string{"Ran 3 of 3 Specs", "provisional, not counted: planted/new is bad", "3 Passed"}, silent: []string{"planted/slow"}},
		{name: "so does one of a pair", tree: "frozen pair", says: []string{"provisional, not counted: planted/pair-new is bad"}, silent: []string{"planted/slow"}},
		{name: "it is found by its label", tree: "frozen", args: []string{"-ginkgo.label-filter=provisional"}, says: []string{"Ran 2 of 3 Specs", "planted/new"}},
		{name: "in the draft it is red", tree: "draft", red: true, says: []string{"planted/new is bad (unexpected)", "1 Failed"}},
		{name: "in the draft a pair is red", tree: "draft pair", red: true, says: []string{"planted/pair-new is bad (unexpected)"}},
		{name: "an extended check on request", tree: "frozen extended", red: true, says: []string{"planted/slow is bad (unexpected)", "level:may", "extended"}},
		{name: "an extended check by its label", tree: "frozen extended", args: []string{"-ginkgo.label-filter=extended"}, red: true, says: []string{"Ran 1 of 4 Specs"}},
		{name: "an extended check that was not asked for", tree: "frozen", args: []string{"-ginkgo.label-filter=extended"}, red: true, says: []string{"Ran 0 of 3 Specs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, self, append([]string{"-test.run=^TestTree$", "-test.count=1", "-ginkgo.v", "-ginkgo.no-color"}, c.args...)...)
			cmd.Env = append(os.Environ(), treeEnv+"="+c.tree)
			out, err := cmd.CombinedOutput()
			if (err != nil) != c.red {
				t.Errorf("red is %v, want %v (%v)\n%s", err != nil, c.red, err, out)
			}
			for _, s := range c.says {
				if !strings.Contains(string(out), s) {
					t.Errorf("it does not say %q\n%s", s, out)
				}
			}
			for _, s := range c.silent {
				if strings.Contains(string(out), s) {
					t.Errorf("it says %q\n%s", s, out)
				}
			}
		})
	}
}
