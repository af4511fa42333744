package suites_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/embedcontract/embedcontract/fixtures"
	"github.com/embedcontract/embedcontract/harness/session"
	"github.com/embedcontract/embedcontract/harness/spec"
	"github.com/embedcontract/embedcontract/openapi"
	"github.com/embedcontract/embedcontract/suites"
)

// The environment of this shell. TARGETS holds names of built-in targets or paths of target files, separated by
// commas, the reference first; OUT is the folder in which recordings are kept.
const (
	targetsEnv = "EMBEDCONTRACT_TARGETS"
	outEnv     = "EMBEDCONTRACT_OUT"
)

func TestContract(t *testing.T) {
	RegisterFailHandler(Fail)
	suite, reporter := GinkgoConfiguration()
	suite.FailOnEmpty = true // a selection that matches nothing must not look like success
	RunSpecs(t, "embedding contract", suite, reporter)
}

// The tree is built while Ginkgo constructs it; what cannot be read becomes a spec that fails.
var _ = func() bool {
	run, err := configure()
	if err != nil {
		It("is configured", func() { Expect(err).NotTo(HaveOccurred()) })
		return true
	}
	spec.Build(run)
	return true
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
	run := spec.Run{Today: time.Now(), Config: session.Config{
		Suite: suite, Out: os.Getenv(outEnv), Embedded: fixtures.Emulator,
		Tool:     map[string]string{"name": "go test", "go": runtime.Version()},
		Progress: func(text string) { fmt.Fprintln(GinkgoWriter, text) },
		Valid: func(contentType string, body []byte) (out []string) {
			for _, v := range doc.ValidateRequest(contentType, body) {
				out = append(out, v.String())
			}
			return out
		},
	}}
	for _, name := range names {
		s, err := fixtures.Target(fromRoot(strings.TrimSpace(name)))
		if err != nil {
			return spec.Run{}, fmt.Errorf("%s: %w", targetsEnv, err)
		}
		known, err := fixtures.Expectations(s, suite)
		if err != nil {
			return spec.Run{}, err
		}
		run.Targets = append(run.Targets, spec.Target{Spec: s, Expected: known})
	}
	return run, nil
}

// fromRoot reads a relative path as seen from the root of the project, where go test is called, and not from
// this folder, where it runs.
func fromRoot(name string) string {
	if !strings.ContainsRune(name, filepath.Separator) || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join("..", name)
}
