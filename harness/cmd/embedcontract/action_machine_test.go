//go:build action

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
)

// actionStep is one step of an action or of a job.
type actionStep struct {
	Name, ID, If, Uses, Run, Shell string
	Env, With                      map[string]string
	WorkingDirectory               string `yaml:"working-directory"`
}

type action struct {
	Name, Description string
	Inputs            map[string]struct{ Description, Default string }
	Outputs           map[string]struct{ Description, Value string }
	Runs              struct {
		Using string
		Steps []actionStep
	}
}

func readAction(t *testing.T) (a action, folder string) {
	t.Helper()
	folder, err := filepath.Abs("../../../.github/actions/embedcontract")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalWithOptions([]byte(read(t, filepath.Join(folder, "action.yml"))), &a, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return a, folder
}

// machine is a runner of GitHub as far as scripts see it. Steps with "uses" are only noted.
type machine struct {
	t       *testing.T
	dir     string // the workspace
	path    string // stubs, before everything else
	context map[string]string
	env     map[string]string // of the job
	used    []string
	log     string
	failed  bool
	code    int // of the step that failed
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, dir: t.TempDir(), path: t.TempDir(), context: map[string]string{"github.token": "secret"}, env: map[string]string{}}
	for _, name := range []string{"summary", "path", "env"} {
		m.file(name, "")
	}
	return m
}

// file writes a file beside the workspace, and returns its path.
func (m *machine) file(name, text string) string {
	path := filepath.Join(m.path, name)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		m.t.Fatal(err)
	}
	return path
}

// stub puts a script on the path.
func (m *machine) stub(name, script string) string { return m.file(name, "#!/bin/bash\n"+script+"\n") }

// program is a script that is the command.
func program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("#!/bin/bash\n%s=1 exec %q \"$@\"\n", commandEnv, self)
}

var expression = regexp.MustCompile(`\$\{\{ *([a-z][A-Za-z0-9_.-]*) *\}\}`)

// fill puts the values of the contexts in place of expressions. There is no other kind than a name.
func (m *machine) fill(text string) string {
	out := expression.ReplaceAllStringFunc(text, func(e string) string { return m.context[expression.FindStringSubmatch(e)[1]] })
	if strings.Contains(out, "${{") {
		m.t.Errorf("an expression that this test does not know: %s", text)
	}
	return out
}

// wanted decides an "if": comparisons with a text, joined by &&.
func (m *machine) wanted(condition string) bool {
	always := strings.Contains(condition, "always()")
	if m.failed && !always {
		return false
	}
	for atom := range strings.SplitSeq(condition, "&&") {
		atom = strings.TrimSpace(atom)
		if atom == "" || atom == "always()" {
			continue
		}
		compared := regexp.MustCompile(`^([a-z][A-Za-z0-9_.-]*) (==|!=) '([^']*)'$`).FindStringSubmatch(atom)
		if compared == nil {
			m.t.Fatalf("a condition that this test does not know: %s", atom)
		}
		if m.context[compared[1]] == compared[3] != (compared[2] == "==") {
			return false
		}
	}
	return true
}

// steps runs steps as GitHub would: each script in a shell of its own, with bash -e -o pipefail.
func (m *machine) steps(all []actionStep, folder string) {
	m.t.Helper()
	for _, s := range all {
		if !m.wanted(s.If) {
			continue
		}
		if s.Uses != "" {
			m.used = append(m.used, s.Uses)
			for _, v := range s.With {
				m.fill(v)
			}
			continue
		}
		m.one(s, folder)
	}
}

func (m *machine) one(s actionStep, folder string) {
	m.t.Helper()
	output := m.file("output", "")
	ctx, cancel := context.WithTimeout(m.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", "-e", "-o", "pipefail", m.file("step.sh", m.fill(s.Run)))
	cmd.Dir = filepath.Join(m.dir, s.WorkingDirectory)
	search := m.path
	for line := range strings.SplitSeq(strings.TrimSpace(read(m.t, filepath.Join(m.path, "path"))), "\n") {
		if line != "" {
			search = line + ":" + search
		}
	}
	cmd.Env = []string{"PATH=" + search + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + m.dir, "RUNNER_TEMP=" + m.path, "GITHUB_ACTION_PATH=" + folder,
		"GITHUB_OUTPUT=" + output, "GITHUB_STEP_SUMMARY=" + filepath.Join(m.path, "summary"), "GITHUB_PATH=" + filepath.Join(m.path, "path"),
		"GITHUB_ENV=" + filepath.Join(m.path, "env"), "GITHUB_REPOSITORY=somebody/something", "EMBEDCONTRACT_CACHE=" + filepath.Join(m.path, "cache")}
	for _, set := range []map[string]string{m.env, s.Env} {
		for k, v := range set {
			cmd.Env = append(cmd.Env, k+"="+m.fill(v))
		}
	}
	for line := range strings.SplitSeq(read(m.t, filepath.Join(m.path, "env")), "\n") {
		if strings.Contains(line, "=") {
			cmd.Env = append(cmd.Env, line)
		}
	}
	out, err := cmd.CombinedOutput()
	m.log += string(out)
	if err != nil {
		m.failed, m.code = true, cmd.ProcessState.ExitCode()
	}
	for line := range strings.SplitSeq(read(m.t, output), "\n") {
		if k, v, ok := strings.Cut(line, "="); ok && s.ID != "" {
			m.context["steps."+s.ID+".outputs."+k] = v
		}
	}
}

// act runs the action with inputs.
func (m *machine) act(inputs map[string]string) {
	m.t.Helper()
	a, folder := readAction(m.t)
	for name, in := range a.Inputs {
		m.context["inputs."+name] = m.fill(in.Default)
	}
	for name, v := range inputs {
		if _, known := a.Inputs[name]; !known {
			m.t.Fatalf("the action has no input %q", name)
		}
		m.context["inputs."+name] = v
	}
	m.steps(a.Runs.Steps, folder)
}

// gh is a stub that keeps comments in a file, and notes what it was asked.
const ghStub = `echo "$*" >> "$RUNNER_TEMP/gh.log"
test "$GH_TOKEN" = secret || exit 4
case "$*" in
  *forbidden*) exit 1 ;;
  *"--method PATCH"*|*"--method POST"*) for a in "$@"; do case $a in body=@*) cp "${a#body=@}" "$RUNNER_TEMP/comment.md";; esac; done ;;
  *--paginate*) test ! -e "$RUNNER_TEMP/comment.md" || echo 42 ;;
  *) exit 1 ;;
esac`
