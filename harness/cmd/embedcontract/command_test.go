package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/report"
)

func TestDefaultRunShowsTheArticlesTable(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	code, stdout, stderr := command(t, "run", "--out", out)
	if code != exitOK {
		t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
	}
	wantIn(t, stdout, "dynamo-1.6-emulated (emulated) in place of legacy-emulated (emulated): not as it is; 7 client",
		"emulated: a model of the server, not the server", "tokens equal on 40 of 40 documents")
	f, err := os.Open(filepath.Join(out, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := report.ReadJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	// The four deviations of the article, and what is behind each.
	got := map[string]string{}
	for _, target := range r.Targets {
		if target.Weights != string(contract.RandomWeights) {
			t.Errorf("%s has weights %q: its file says random", target.Name, target.Weights)
		}
	}
	for _, p := range r.Pairs {
		for _, c := range p.Cells {
			got[c.Check] = c.From + " -> " + c.To + ": " + c.Effect
		}
	}
	for check, want := range map[string]string{
		"dimensions/reduced-256":           "honoured -> failed-5xx: client-change",
		"instructions/input-type-query":    "takes-effect -> ignored: client-change",
		"truncation/over-long":             "truncated -> failed-5xx: client-change",
		"encoding_format/base64-is-string": "array -> string: client-change",
	} {
		if got[check] != want {
			t.Errorf("%s is %q, want %q", check, got[check], want)
		}
	}

	t.Run("judged again without servers", func(t *testing.T) {
		code, again, stderr := command(t, "judge", filepath.Join(out, "legacy-emulated"), filepath.Join(out, "dynamo-1.6-emulated"))
		if code != exitOK {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		if again != stdout {
			t.Errorf("judge prints otherwise than run:\n%s\n--- run:\n%s", again, stdout)
		}
	})
	t.Run("a recording as reference", func(t *testing.T) {
		code, stdout, stderr := command(t, "run", "dynamo-1.6-emulated", "--reference", filepath.Join(out, "legacy-emulated"))
		if code != exitOK {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
		wantIn(t, stdout, "dynamo-1.6-emulated (emulated) in place of legacy-emulated (emulated)")
	})
	t.Run("not written over", func(t *testing.T) {
		code, _, stderr := command(t, "run", "--out", out)
		if code != exitUsage {
			t.Fatalf("exit code %d", code)
		}
		wantIn(t, stderr, "a recording is there already", "name another folder or remove it")
	})
	t.Run("equal to its baseline", func(t *testing.T) {
		code, stdout, _ := command(t, "run", "--baseline", out)
		if code != exitOK {
			t.Fatalf("exit code %d", code)
		}
		wantIn(t, stdout, "cells read as in the recordings in", "and so do facts and vectors")
	})
	t.Run("equal to recordings named one by one", func(t *testing.T) {
		// A target that is called otherwise than its recording: the same server, started in another way.
		text, err := os.ReadFile("../../../fixtures/targets/dynamo-1.6-emulated.yaml")
		if err != nil {
			t.Fatal(err)
		}
		file := write(t, "other.yaml", strings.Replace(strings.Replace(string(text), "name: dynamo-1.6-emulated", "name: other", 1), "expectations: ../expectations/dynamo-1.6.yaml\n", "", 1))
		_, stdout, _ := command(t, "run", "legacy-emulated", file, "--baseline", out, "--baseline", "other="+filepath.Join(out, "dynamo-1.6-emulated"))
		wantIn(t, strings.Join(strings.Fields(stdout), " "), "cells read as in the recordings in", "other=", "and so do facts and vectors")
	})
	t.Run("side by side, equal to its baseline", func(t *testing.T) {
		code, stdout, _ := command(t, "run", "--parallel", "--baseline", out)
		if code != exitOK {
			t.Errorf("exit code %d", code)
		}
		wantIn(t, stdout, "cells read as in the recordings in", "and so do facts and vectors")
	})
	t.Run("a target without a baseline", func(t *testing.T) {
		code, _, stderr := command(t, "run", "legacy-emulated", "--baseline", "other="+out)
		if code != exitUsage {
			t.Errorf("exit code %d", code)
		}
		wantIn(t, stderr, "--baseline names no recording of target legacy-emulated")
	})
	t.Run("another server's recording is no baseline", func(t *testing.T) {
		base := t.TempDir()
		if err := os.CopyFS(filepath.Join(base, "dynamo-1.6-emulated"), os.DirFS(filepath.Join(out, "legacy-emulated"))); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := command(t, "run", "dynamo-1.6-emulated", "--baseline", base)
		if code != exitUsage {
			t.Fatalf("exit code %d", code)
		}
		wantIn(t, stderr, `target "legacy-emulated"`, "it is no baseline")
	})
}

// embeddedTarget writes a target file of an emulator.
func embeddedTarget(t *testing.T, name, personality, more string) string {
	t.Helper()
	return write(t, name+".yaml", "name: "+name+"\ntitle: t\nkind: emulated\nmodel: tiny-qwen3-embedding\n"+more+
		"\ncomponents: [{name: e, runtime: embedded, personality: "+personality+"}]\n")
}

// TestUpgrade asks the same target twice, with another server behind its name: what the baseline is for.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	for name, c := range map[string]struct {
		before, after string
		code          int
		want          string
	}{
		"unchanged": {"dynamo-1.6", "dynamo-1.6", exitOK, "and so do facts and vectors"},
		"changed":   {"dynamo-1.6", "vllm-0.31", exitNo, "dimensions/reduced-256: was failed-5xx, is rejected-4xx"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(out, name)
			if code, stdout, stderr := command(t, "run", embeddedTarget(t, "mine", c.before, ""), "--out", folder); code > exitNo {
				t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
			}
			report := filepath.Join(folder, "again.json")
			code, stdout, stderr := command(t, "run", embeddedTarget(t, "mine", c.after, ""), "--baseline", folder, "--report", report)
			if code != c.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
			wantIn(t, stdout, c.want)
			if got := read(t, report); strings.Contains(got, `"differences": []`) == (c.code == exitNo) && strings.Contains(got, `"differences": null`) == (c.code == exitNo) {
				t.Errorf("the report disagrees:\n%s", got[len(got)-600:])
			}
			// The earlier recording is a reference, too, though it has the same name.
			code, stdout, stderr = command(t, "run", embeddedTarget(t, "mine", c.after, ""), "--reference", filepath.Join(folder, "mine"))
			if code != c.code {
				t.Errorf("with the recording as reference: exit code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
			wantIn(t, stdout, "mine (emulated) in place of mine@recorded (emulated)")
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestSelfSwap puts a server in place of itself, known deviations and all, without a list of them.
func TestSelfSwap(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"legacy", "dynamo-1.6", "vllm-0.31"} {
		a, b := embeddedTarget(t, "a", p, ""), embeddedTarget(t, "b", p, "")
		code, stdout, stderr := command(t, "run", a, b)
		if code != exitOK {
			t.Errorf("%s in place of itself: exit code %d\n%s%s", p, code, stdout, stderr)
		}
		wantIn(t, stdout, "in place of a (emulated): yes, by all")
	}
}

func TestSelection(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"behaviour", []string{"run", "--behaviour", "batching"}, exitOK, "duplicates"},
		{"focus", []string{"run", "--focus", "^truncation/over-long$"}, exitOK, "over-long"},
		{"nothing", []string{"run", "--focus", "no such check"}, exitNothing, "the selection matches no check"},
		{"unknown behaviour", []string{"run", "--behaviour", "dimension"}, exitUsage, "there are response_shape, dimensions"},
		{"bad expression", []string{"run", "--focus", "("}, exitUsage, "no regular expression"},
		{"unknown target", []string{"run", "dynamo"}, exitUsage, `no target "dynamo" (did you mean one of dynamo-1.3.1, `},
		{"unknown target that is like none", []string{"run", "qqq"}, exitUsage, `no target "qqq"; built in are dynamo-1.3.1`},
		{"unknown candidate", []string{"swap", "legacy", "dynamo"}, exitUsage, `no target "dynamo" (did you mean one of dynamo-1.3.1, `},
		{"width that is no number", []string{"judge", "legacy", "--width", "abc"}, exitUsage, `--width "abc": a whole number is wanted`},
		{"time without a unit", []string{"run", "--time-limit", "5"}, exitUsage, `--time-limit "5": a time such as 90s or 2m is wanted`},
		{"rate in words", []string{"run", "--max-rps", "few"}, exitUsage, `--max-rps "few": a number is wanted`},
		{"switch with another word", []string{"run", "--extended=much"}, exitUsage, `--extended "much": true or false`},
		{"unknown flag", []string{"run", "--fokus", "x"}, exitUsage, "unknown flag"},
		{"unknown command", []string{"rum"}, exitUsage, "unknown command"},
		{"model without url", []string{"run", "--model", "x"}, exitUsage, "belong to --url"},
		{"same name twice", []string{"run", "legacy-emulated", "legacy-emulated"}, exitUsage, "two targets are called"},
		{"bad ending", []string{"run", "--report", "x.pdf"}, exitUsage, "none of .html, .json, .md, .xml"},
		{"a rate that is no number", []string{"run", "--max-rps", "NaN"}, exitUsage, "--max-rps NaN: 0, or from"},
		{"a rate of hardly any", []string{"run", "--max-rps", "1e-300"}, exitUsage, "--max-rps 1e-300: 0, or from"},
		{"a rate without end", []string{"run", "--max-rps", "Inf"}, exitUsage, "--max-rps +Inf: 0, or from"},
		{"time that went by", []string{"run", "--request-timeout", "-1s"}, exitUsage, "--request-timeout -1s: not below 0"},
		{"a limit that no text has", []string{"run", "--url", "http://127.0.0.1:1", "--model", "m", "--max-tokens", "2000000"}, exitUsage, "--max-tokens: max_tokens is 2000000"},
		{"no rounds", []string{"run", "--rounds", "0"}, exitUsage, "at least 1"},
		{"no such recording", []string{"judge", "nowhere"}, exitUsage, `no recording "nowhere": neither a folder`},
		{"explain", []string{"explain", "vector_parity/cosine"}, exitOK, "different-space"},
		{"explain a near miss", []string{"explain", "dimensions/reduced"}, exitUsage, "did you mean one of dimensions/"},
		{"version", []string{"version"}, exitOK, "contract revision"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := command(t, c.args...)
			if code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			wantIn(t, stdout+stderr, c.want)
		})
	}
}

func TestRoundsFindAFlakyServer(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := command(t, "run", "legacy-emulated", "--rounds", "2", "--behaviour", "batching")
	if code != exitOK {
		t.Fatalf("a steady server asked twice: exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestOutsideOfACheckout runs what is built in from an empty folder, as an installed command.
func TestOutsideOfACheckout(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"run"}, {"run", "vllm-0.31-emulated", "--focus", "batching"}} {
		if code, stdout, stderr := command(t, args...); code != exitOK {
			t.Errorf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	code, _, stderr := command(t, "run", "legacy")
	if code != exitUsage {
		t.Errorf("exit code %d", code)
	}
	wantIn(t, stderr, "run it inside a checkout")
}
