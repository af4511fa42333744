package suites_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/harness/report/html"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/harness/spec"
	"github.com/embedcontract/embedcontract/openapi"
	"github.com/embedcontract/embedcontract/suites"
)

// The environment of this shell. TARGETS holds names of built-in targets or paths of target files, separated by
// commas, the reference first; OUT is the folder in which recordings are kept; EXTENDED is 1 when the extended checks
// are to be asked, too.
const (
	targetsEnv  = "EMBEDCONTRACT_TARGETS"
	outEnv      = "EMBEDCONTRACT_OUT"
	extendedEnv = "EMBEDCONTRACT_EXTENDED"
)

func TestContract(t *testing.T) {
	RegisterFailHandler(Fail)
	suite, reporter := GinkgoConfiguration()
	suite.FailOnEmpty = true // a selection that matches nothing must not look like success
	if end, ok := t.Deadline(); ok {
		// Ginkgo's time-out must fire first: it stops the servers, go test's does not.
		suite.Timeout = min(suite.Timeout, time.Until(end)*9/10)
	}
	RunSpecs(t, "embedding contract", suite, reporter)
	if suite.DryRun || t.Failed() {
		return
	}
	if err := flaw(); err != nil {
		t.Error(err)
	}
}

// show prints the matrix of what was asked, and writes the reports next to the recordings.
func show(s contract.Suite, results []spec.Result) {
	in := report.Input{Suite: s, Tool: tool(), Today: time.Now()}
	asked := map[string]bool{}
	for _, r := range results {
		in.Targets = append(in.Targets, report.Source{Recording: r.Recording, Expected: r.Expected, Problem: r.Problem})
		for _, id := range r.Recording.Checks() {
			asked[id] = true
		}
	}
	if len(results) == 0 {
		return
	}
	if len(results) > 1 {
		in.Reference = results[0].Recording.Header.Target.Name
	}
	in.Selected = func(c contract.Check) bool { return asked[c.ID] }
	r := report.Build(in)
	fmt.Println()
	Expect(r.Terminal(os.Stdout, report.TerminalOptions{})).To(Succeed())
	out := outFolder()
	if out == "" {
		return
	}
	for name, render := range map[string]func(io.Writer) error{"report.html": func(w io.Writer) error { return html.Write(r, w) }, "report.json": r.JSON, "report.md": r.Markdown, "junit.xml": r.JUnit} {
		f, err := os.Create(filepath.Join(out, name))
		Expect(err).NotTo(HaveOccurred())
		Expect(render(f)).To(Succeed())
		Expect(f.Close()).To(Succeed())
	}
}

// outFolder is the folder of the recordings; a relative one is below the root of the project.
func outFolder() string {
	out := os.Getenv(outEnv)
	if out == "" || filepath.IsAbs(out) {
		return out
	}
	return filepath.Join("..", out)
}

func tool() map[string]string { return map[string]string{"name": "go test", "go": runtime.Version()} }

// flaw is of the tree, which is built while Ginkgo constructs it. What cannot be read becomes a spec that fails.
var flaw = func() func() error {
	run, err := configure()
	if err != nil {
		It("is configured", func() { Expect(err).NotTo(HaveOccurred()) })
		return func() error { return err }
	}
	return spec.Build(run)
}()

func configure() (spec.Run, error) {
	names := fixtures.DefaultTargets()
	if v := os.Getenv(targetsEnv); v != "" {
		names = strings.Split(v, ",")
	}
	suite, err := suites.All()
	if err != nil {
		return spec.Run{}, err
	}
	doc, err := openapi.Load()
	if err != nil {
		return spec.Run{}, err
	}
	extended, err := askExtended(os.Getenv(extendedEnv))
	if err != nil {
		return spec.Run{}, err
	}
	run := spec.Run{Today: time.Now(), Extended: extended, Config: session.Config{
		Suite: suite, Out: outFolder(), Embedded: fixtures.Emulator,
		Tool:     tool(),
		Progress: func(text string) { fmt.Fprintln(GinkgoWriter, text) },
		Valid: func(contentType string, body []byte) (out []string) {
			for _, v := range doc.ValidateRequest(contentType, body) {
				out = append(out, v.String())
			}
			return out
		},
	}}
	run.Done = func(results []spec.Result) { show(suite, results) }
	named := map[string]bool{}
	for _, name := range names {
		s, err := fixtures.Target(fromRoot(strings.TrimSpace(name)))
		if err != nil {
			return spec.Run{}, fmt.Errorf("%s: %w", targetsEnv, err)
		}
		if named[s.Name] {
			return spec.Run{}, fmt.Errorf("%s: two targets are called %q; a recording and a column have one name", targetsEnv, s.Name)
		}
		named[s.Name] = true
		known, err := fixtures.Expectations(s, suite)
		if err != nil {
			return spec.Run{}, err
		}
		run.Targets = append(run.Targets, spec.Target{Spec: s, Expected: known})
	}
	return run, nil
}

// fromRoot reads a relative path as seen from the root of the project, where go test is called, and not from this
// folder, where it runs. The name of a built-in target is no path.
func fromRoot(name string) string {
	path := filepath.Join("..", name)
	if _, err := os.Stat(path); filepath.IsAbs(name) || err != nil {
		return name
	}
	return path
}

// askExtended reads the value of the variable that asks for extended checks. A word that nobody foresaw must not be
// taken for a no.
func askExtended(value string) (bool, error) {
	switch value {
	case "", "0":
		return false, nil
	case "1":
		return true, nil
	}
	return false, fmt.Errorf("%s=%s: it is 1 to ask the extended checks, too, and otherwise 0 or empty", extendedEnv, value)
}
