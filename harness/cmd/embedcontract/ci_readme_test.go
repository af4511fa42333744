//go:build action

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/embedcontract/embedcontract/harness/target"
)

// workflow is a file of .github/workflows.
type workflow struct {
	Name        string
	On          any
	Permissions map[string]string
	Jobs        map[string]struct {
		RunsOn      string `yaml:"runs-on"`
		Needs       string
		Permissions map[string]string
		Strategy    any
		Env         map[string]string
		Steps       []actionStep
	}
}

func readWorkflow(t *testing.T, text string) workflow {
	t.Helper()
	var w workflow
	if err := yaml.UnmarshalWithOptions([]byte(text), &w, yaml.Strict()); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if w.Name == "" || len(w.Jobs) == 0 || w.Permissions["contents"] != "read" {
		t.Errorf("%+v", w)
	}
	for _, job := range w.Jobs {
		for _, s := range job.Steps {
			if s.Uses != "" {
				pinned(t, s.Uses)
			} else if strings.Contains(s.Run, "${{") {
				t.Errorf("an expression becomes a part of the script %q", s.Run)
			}
		}
	}
	return w
}

// ciExamples are the workflows that README shows, by name, and the text around them. Its target file is called by its
// comment.
func ciExamples(t *testing.T) (examples map[string]string, prose string) {
	t.Helper()
	_, section, ok := strings.Cut(read(t, "../../../README.md"), "\n### In your CI\n")
	if !ok {
		t.Fatal("README.md has no section on CI")
	}
	section, _, _ = strings.Cut(section, "\n### ")
	examples = map[string]string{}
	for i, part := range strings.Split(section, "```") {
		if block, yes := strings.CutPrefix(part, "yaml\n"); yes && i%2 == 1 {
			name, _, _ := strings.Cut(strings.TrimPrefix(block, "name: "), "\n")
			examples[name] = block
		} else {
			prose += part
		}
	}
	return examples, prose
}

// nightlyTarget is the comment of the target file that README shows.
const nightlyTarget = "# embedding-server.yaml"

// TestReadmeExampleTarget loads the target file as it is written, with a digest as the workflow finds it.
func TestReadmeExampleTarget(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0123", 16)
	t.Setenv("SERVER_DIGEST", digest)
	examples, _ := ciExamples(t)
	spec, err := target.Load(write(t, "embedding-server.yaml", examples[nightlyTarget]))
	if err != nil {
		t.Fatal(err)
	}
	c := spec.Components[0].Container
	newest := readWorkflow(t, examples["embeddings, nightly"]).Jobs["newest"].Env["NEWEST"]
	if name, _, _ := strings.Cut(newest, ":"); name == "" || !strings.HasPrefix(c.Image, name) || spec.Name != "embedding-server" {
		t.Errorf("the workflow looks for %q, the target %s runs %q", newest, spec.Name, c.Image)
	}
}

func TestWorkflowsAreWhole(t *testing.T) {
	files, err := filepath.Glob("../../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, f := range files {
		readWorkflow(t, read(t, f))
	}
	examples, prose := ciExamples(t)
	text := prose
	for name, block := range examples {
		text += block
		if name == nightlyTarget {
			continue
		}
		w := readWorkflow(t, block)
		a, _ := readAction(t)
		for _, job := range w.Jobs {
			for _, s := range job.Steps {
				if !strings.Contains(s.Uses, "embedcontract@") {
					continue
				}
				for input := range s.With {
					if _, known := a.Inputs[input]; !known {
						t.Errorf("README sets the input %s, which the action does not have", input)
					}
				}
			}
		}
	}
	for _, call := range regexp.MustCompile(`embedcontract (run|diff) ([^\n]*)`).FindAllStringSubmatch(text, -1) {
		for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(call[2], -1) {
			flagExists(t, call[1], flag)
		}
	}
}

// job runs the only job of a workflow; a step that uses the action of this project runs it.
func (m *machine) job(w workflow) {
	m.t.Helper()
	for _, job := range w.Jobs {
		for k, v := range job.Env {
			m.env[k] = v
		}
		for _, s := range job.Steps {
			if m.wanted(s.If) && strings.HasPrefix(s.Uses, "embedcontract/") {
				m.act(s.With)
				continue
			}
			m.steps([]actionStep{s}, "")
		}
	}
}

// equipped has the programs that the examples call: docker and go are played.
func equipped(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t)
	kept := m.file("kept", program(t))
	m.stub("go", `case "$1" in install) mkdir -p "${GOBIN:=$HOME/go/bin}"; cp `+kept+` "$GOBIN/embedcontract" ;; env) echo "$HOME/go" ;; esac`)
	m.stub("docker", `case "$1" in run) ;; buildx) echo sha256:0123 ;; *) exit 1 ;; esac`)
	m.stub("gh", ghStub)
	m.context["github.event.pull_request.number"] = "7"
	return m
}

// TestReadmeExampleOfAPullRequest runs the example as it is written, but for port and model; first with the server of the baseline,
// then with one that is worse.
func TestReadmeExampleOfAPullRequest(t *testing.T) {
	t.Parallel()
	examples, prose := ciExamples(t)
	const shown, model = "http://127.0.0.1:8000", "my-model"
	as := strings.NewReplacer(model, "tiny-qwen3-embedding")
	made := regexp.MustCompile(`\$ embedcontract (run --url ` + shown + `[^\n#]*)`).FindStringSubmatch(prose)
	if made == nil {
		t.Fatal("README does not say how the baseline is made")
	}
	args := strings.Fields(as.Replace(strings.ReplaceAll(made[1], shown, emulated(t, "legacy"))))
	base := filepath.Join(t.TempDir(), "report.json")
	args[len(args)-1] = base
	if code, stdout, stderr := command(t, args...); code > exitNo {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	if info, err := os.Stat(base); err != nil || info.Size() > 2<<20 {
		t.Errorf("a report to be committed: %v %v", info.Size(), err)
	}
	for personality, code := range map[string]int{"legacy": exitOK, "dynamo-1.6": exitNo} {
		m := equipped(t)
		if err := os.MkdirAll(filepath.Join(m.dir, "embeddings"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(m.dir, "embeddings", "report.json"), []byte(read(t, base)), 0o600); err != nil {
			t.Fatal(err)
		}
		m.job(readWorkflow(t, as.Replace(strings.ReplaceAll(examples["embeddings"], shown, emulated(t, personality)))))
		if m.code != code {
			t.Errorf("%s: exit code %d, want %d\n%s", personality, m.code, code, m.log)
		}
		wantIn(t, read(t, filepath.Join(m.path, "comment.md")), "Held to the report embeddings/report.json")
	}
}

// TestReadmeExampleOfEachNight runs the example with the image of yesterday, a better one, a worse one, and one that does not
// start.
func TestReadmeExampleOfEachNight(t *testing.T) {
	t.Parallel()
	examples, _ := ciExamples(t)
	w := readWorkflow(t, examples["embeddings, nightly"])
	server := func(personality string) string {
		return read(t, embeddedTarget(t, "embedding-server", personality, ""))
	}
	pinned := filepath.Join(t.TempDir(), "pinned")
	if code, stdout, stderr := command(t, "run", write(t, "embedding-server.yaml", server("dynamo-1.6")), "--out", pinned); code > exitNo {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for name, c := range map[string]struct {
		server string
		code   int
		want   string
	}{
		"the same":       {server("dynamo-1.6"), exitOK, "no change in"},
		"other answers":  {server("legacy"), exitNo, "regressed"},
		"does not start": {"name: embedding-server\ntitle: t\nkind: real\nmodel: tiny-qwen3-embedding\nready: {timeout: 1s}\ncomponents: [{name: e, runtime: process, command: [sleep, '60']}]\n", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := equipped(t)
			if err := os.CopyFS(filepath.Join(m.dir, "pinned"), os.DirFS(pinned)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(m.dir, "embedding-server.yaml"), []byte(c.server), 0o600); err != nil {
				t.Fatal(err)
			}
			m.job(w)
			if m.code != c.code {
				t.Errorf("exit code %d, want %d\n%s", m.code, c.code, m.log)
			}
			wantIn(t, read(t, filepath.Join(m.path, "summary")), c.want)
			if !strings.Contains(strings.Join(m.used, " "), "actions/upload-artifact@v7") {
				t.Errorf("nothing was kept: %v", m.used)
			}
			if !strings.Contains(read(t, filepath.Join(m.path, "env")), "SERVER_DIGEST=sha256:0123") {
				t.Error("the digest was not found")
			}
		})
	}
}
