//go:build action

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestActionInstalls by each way; a release only with its checksum.
func TestActionInstalls(t *testing.T) {
	t.Parallel()
	platform := runtime.GOOS + "_" + runtime.GOARCH
	release := func(version string, spoil bool) string {
		dir := filepath.Join(t.TempDir(), version)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		w := tar.NewWriter(z)
		text := program(t)
		if err := w.WriteHeader(&tar.Header{Name: "embedcontract", Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		_, err := w.Write([]byte(text))
		for _, e := range []error{err, w.Close(), z.Close()} {
			if e != nil {
				t.Fatal(e)
			}
		}
		sum := sha256.Sum256(b.Bytes())
		if spoil {
			sum[0] ^= 1
		}
		name := "embedcontract_" + version + "_" + platform + ".tar.gz"
		for file, data := range map[string][]byte{name: b.Bytes(), "SHA256SUMS": fmt.Appendf(nil, "%x  %s\n", sum, name)} {
			if err := os.WriteFile(filepath.Join(dir, file), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return "file://" + filepath.Dir(dir)
	}
	for name, c := range map[string]struct {
		inputs   map[string]string
		releases string
		want     string
		fails    bool
	}{
		"release":                {map[string]string{"install": "release", "version": "v0.1.0"}, release("v0.1.0", false), "contract revision", false},
		"spoilt release":         {map[string]string{"install": "release", "version": "v0.1.0"}, release("v0.1.0", true), "not installed", true},
		"no such release":        {map[string]string{"install": "release", "version": "v9.9.9"}, release("v0.1.0", false), "cannot download", true},
		"any release":            {map[string]string{"install": "release"}, release("v0.1.0", false), "needs a version", true},
		"go install":             {map[string]string{"install": "go", "version": "v0.1.0"}, "", "go install github.com/embedcontract/embedcontract/harness/cmd/embedcontract@v0.1.0", false},
		"a version with a space": {map[string]string{"install": "go", "version": "v0.1.0 -x"}, "", "is neither latest nor a release", true},
		"missing":                {map[string]string{"install": "none"}, "", "embedcontract is not on the path", true},
		"another way":            {map[string]string{"install": "brew"}, "", "none of go, release, none", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			kept := m.file("kept", program(t))
			m.stub("go", `echo "go $*"; cp `+kept+` "$GOBIN/embedcontract"`)
			m.env["EMBEDCONTRACT_RELEASES"] = c.releases
			c.inputs["target"], c.inputs["args"] = "legacy-emulated", "--focus=^batching/index$"
			m.act(c.inputs)
			if m.failed != c.fails {
				t.Errorf("failed: %t\n%s", m.failed, m.log)
			}
			wantIn(t, m.log, c.want)
		})
	}
}

// TestActionIsWhole: inputs are described and used as environment only, foreign actions are pinned, every flag exists.
func TestActionIsWhole(t *testing.T) {
	a, folder := readAction(t)
	if a.Runs.Using != "composite" || a.Name == "" || a.Description == "" {
		t.Errorf("%+v", a)
	}
	text, script := read(t, filepath.Join(folder, "action.yml")), read(t, filepath.Join(folder, "run.sh"))
	for name, in := range a.Inputs {
		if in.Description == "" || !strings.Contains(text, "inputs."+name) {
			t.Errorf("input %s is not described or not used", name)
		}
	}
	for _, s := range a.Runs.Steps {
		if s.Uses != "" {
			pinned(t, s.Uses)
			continue
		}
		if s.Shell != "bash" || strings.Contains(s.Run, "${{") {
			t.Errorf("step %s: the script must be of bash, and no expression may become a part of it", s.Name)
		}
		for k := range s.Env {
			if !strings.Contains(script, k) && k != "GH_TOKEN" {
				t.Errorf("run.sh does not read %s", k)
			}
		}
	}
	for flag := range strings.FieldsSeq(script) {
		if name, _, ok := strings.Cut(strings.TrimLeft(flag, `args+=("`), "="); ok && strings.HasPrefix(name, "--") && strings.Contains(flag, `("--`) {
			flagExists(t, "run", name)
		}
	}
}

// pinned holds foreign actions to a major version that was looked at.
func pinned(t *testing.T, uses string) {
	t.Helper()
	known := []string{"actions/checkout@v6", "actions/setup-go@v6", "actions/upload-artifact@v7", "actions/download-artifact@v7"}
	if !slices.Contains(known, uses) && !strings.HasPrefix(uses, "embedcontract/embedcontract/.github/actions/embedcontract@v") {
		t.Errorf("%s is none of %v", uses, known)
	}
}

func flagExists(t *testing.T, command, flag string) {
	t.Helper()
	cmd, _, err := rootCommand(nil).Find([]string{command})
	if err != nil {
		t.Fatal(err)
	}
	if cmd.Flags().Lookup(strings.TrimPrefix(flag, "--")) == nil {
		t.Errorf("%s has no flag %s", command, flag)
	}
}
