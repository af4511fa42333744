package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUpgradeThatOnlyMeasuresShow puts servers behind one name that answer every check in the same way, and are not
// the same: other weights, a lower limit. Cells cannot show it.
func TestUpgradeThatOnlyMeasuresShow(t *testing.T) {
	const checks = "^(vector_parity|token_parity|truncation)/"
	before := t.TempDir()
	file := processTarget(t, "same", "good", "")
	if code, stdout, stderr := command(t, "run", file, "--out", before, "--focus", checks); code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for mode, c := range map[string]struct {
		code int
		want string
	}{
		"good":        {exitOK, "and so do facts and vectors"},
		"other-seed":  {exitNo, "vector_parity/cosine: was its own recording, is different-space (index-break)"},
		"lower-limit": {exitNo, "facts: was 320 dimensions, limit 192 tokens, usage tokens, is 320 dimensions, limit 160 tokens, usage tokens"},
	} {
		t.Run(mode, func(t *testing.T) {
			code, stdout, stderr := command(t, "run", processTarget(t, "same", mode, ""), "--baseline", before, "--focus", checks)
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
			wantIn(t, stdout, c.want)
		})
	}
}

func TestBaselineOfAnotherModelIsNone(t *testing.T) {
	before := t.TempDir()
	if code, stdout, stderr := command(t, "run", embeddedTarget(t, "mine", "legacy", ""), "--out", before, "--focus", "batching"); code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	file := embeddedTarget(t, "mine", "legacy", "") // it does not look at the model's name
	text := strings.Replace(read(t, file), "model: tiny-qwen3-embedding", "model: another", 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := command(t, "run", file, "--baseline", before, "--focus", "batching")
	if code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
	wantIn(t, stderr, `model "tiny-qwen3-embedding"`, `"another"`, "it is no baseline")
}

// TestJudgeTrustsNoName records a server under the name of a built-in target: the known deviations of that target
// are none of its own. Two recordings of one name are a pair.
func TestJudgeTrustsNoName(t *testing.T) {
	out := t.TempDir()
	const checks = "^dimensions/"
	if code, _, _ := command(t, "run", embeddedTarget(t, "legacy-emulated", "dynamo-1.6", ""), "--out", filepath.Join(out, "a"), "--focus", checks); code != exitNo {
		t.Fatalf("a run without a list: exit code %d, want %d", code, exitNo)
	}
	impostor := filepath.Join(out, "a", "legacy-emulated")
	if code, stdout, _ := command(t, "judge", impostor, "--focus", checks); code != exitNo {
		t.Errorf("judged by a list that is not its own: exit code %d, want %d\n%s", code, exitNo, stdout)
	} else if strings.Contains(stdout, "listed as") {
		t.Errorf("it is held to the list of the built-in target:\n%s", stdout)
	}
	if code, _, _ := command(t, "run", "legacy-emulated", "--out", filepath.Join(out, "b"), "--focus", checks); code != exitOK {
		t.Fatalf("the built-in target: exit code %d", code)
	}
	real := filepath.Join(out, "b", "legacy-emulated")
	if code, stdout, _ := command(t, "judge", real, "--focus", checks); code != exitOK {
		t.Errorf("judged by its own list: exit code %d\n%s", code, stdout)
	}
	code, stdout, _ := command(t, "judge", real, impostor, "--focus", checks)
	if code != exitNo {
		t.Errorf("one name, two servers: exit code %d, want %d", code, exitNo)
	}
	wantIn(t, stdout, "legacy-emulated@2 (emulated) in place of legacy-emulated@1 (emulated): not as it is")
}

func TestListThatIsUsedForNothingIsRefused(t *testing.T) {
	out := t.TempDir()
	if code, _, stderr := command(t, "run", "legacy-emulated", "--out", out, "--focus", "batching"); code != exitOK {
		t.Fatal(stderr)
	}
	code, _, stderr := command(t, "judge", filepath.Join(out, "legacy-emulated"), "--expectations", "../../../fixtures/expectations/vllm-0.31.yaml")
	if code != exitUsage {
		t.Errorf("exit code %d, want %d", code, exitUsage)
	}
	wantIn(t, stderr, "none of these was recorded here")
}
