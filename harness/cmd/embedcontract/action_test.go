//go:build action

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestActionAsWritten runs the steps of action.yml by hand.
func TestActionAsWritten(t *testing.T) {
	t.Parallel()
	const focus = "--focus=^dimensions/"
	dynamo := embeddedTarget(t, "mine", "dynamo-1.6", "")
	base := reported(t, dynamo, "--focus", "^dimensions/")
	legacy := reported(t, embeddedTarget(t, "mine", "legacy", ""), "--focus", "^dimensions/")
	for name, c := range map[string]struct {
		inputs map[string]string
		code   int
		report bool
		want   string // in the log
	}{
		"as in the baseline":   {map[string]string{"target": dynamo, "baseline": base, "args": focus}, exitOK, true, "embedcontract: as expected"},
		"without a baseline":   {map[string]string{"target": dynamo, "args": focus}, exitNo, true, "embedcontract: not as expected"},
		"worse":                {map[string]string{"target": dynamo, "baseline": legacy, "args": focus}, exitNo, true, "What is new fails this run"},
		"a running server":     {map[string]string{"url": emulated(t, "legacy"), "model": "tiny-qwen3-embedding", "args": "--focus=^batching/"}, exitOK, true, "as expected"},
		"a pair":               {map[string]string{"target": "legacy-emulated\ndynamo-1.6-emulated\n", "args": focus + "\n"}, exitOK, true, "in place of legacy-emulated"},
		"a bad argument":       {map[string]string{"target": dynamo, "args": "--fokus"}, exitUsage, false, "unknown flag: --fokus"},
		"nothing to ask":       {map[string]string{}, exitUsage, false, "say which server: target or url"},
		"nothing selected":     {map[string]string{"target": dynamo, "args": "--focus=^none$"}, exitNothing, false, "nothing was executed"},
		"a refused baseline":   {map[string]string{"target": dynamo, "baseline": "nowhere.json", "args": focus}, exitUsage, false, "no such file"},
		"a script for a model": {map[string]string{"url": "http://127.0.0.1:1/$(touch run-by-shell)", "model": "`touch run-by-shell`\"; touch run-by-shell; \"", "args": focus + "\n--time-limit=1s"}, exitUnknown, true, "cannot tell"},
		"a flag for a target":  {map[string]string{"target": "--help"}, exitUsage, false, "is no target"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.file("embedcontract", program(t))
			m.stub("gh", ghStub)
			m.context["github.event.pull_request.number"] = "7"
			c.inputs["install"], c.inputs["comment"] = "none", "true"
			m.act(c.inputs)
			if m.code != c.code {
				t.Errorf("exit code %d, want %d\n%s", m.code, c.code, m.log)
			}
			wantIn(t, m.log, c.want)
			if _, err := os.Stat(filepath.Join(m.dir, "run-by-shell")); err == nil {
				t.Error("the shell ran an input")
			}
			asked := m.context["steps.ask.outputs.exit-code"] != ""
			if slices.Contains(m.used, "actions/upload-artifact@v7") != asked {
				t.Errorf("used: %v", m.used)
			}
			summary := read(t, filepath.Join(m.path, "summary"))
			if asked != (summary != "") || c.report && !strings.Contains(summary, "| check |") {
				t.Errorf("the summary is\n%s", summary)
			}
			if !asked {
				return
			}
			comment := read(t, filepath.Join(m.path, "comment.md"))
			if comment != "<!-- embedcontract embedcontract -->\n"+summary {
				t.Errorf("the comment is\n%s", comment)
			}
			if c.report {
				for _, file := range []string{"report.json", "report.md", "junit.xml"} {
					read(t, filepath.Join(m.dir, "embedcontract-out", file))
				}
				if got := m.context["steps.ask.outputs.report"]; got != "embedcontract-out/report.json" {
					t.Errorf("the output report is %q", got)
				}
			}
		})
	}
}

// TestActionWritesOneComment: at each push the same one; one that it may not write is a warning.
func TestActionWritesOneComment(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.file("embedcontract", program(t))
	m.stub("gh", ghStub)
	m.context["github.event.pull_request.number"] = "7"
	inputs := map[string]string{"install": "none", "comment": "true", "target": "legacy-emulated", "args": "--focus=^batching/index$", "name": `new "dynamo" <!--`}
	m.act(inputs)
	inputs["out"] = "again"
	m.act(inputs)
	calls := read(t, filepath.Join(m.path, "gh.log"))
	if strings.Count(calls, "--method POST repos/somebody/something/issues/7/comments") != 1 || strings.Count(calls, "--method PATCH repos/somebody/something/issues/comments/42") != 1 {
		t.Errorf("gh was asked\n%s", calls)
	}
	if !strings.HasPrefix(read(t, filepath.Join(m.path, "comment.md")), "<!-- embedcontract new__dynamo______ -->\n") {
		t.Errorf("the marker is that of\n%s", read(t, filepath.Join(m.path, "comment.md")))
	}
	m.context["github.token"], inputs["out"] = "of-a-fork", "third"
	m.act(inputs)
	if m.failed || !strings.Contains(m.log, "::warning title=embedcontract::the comment could not be written") {
		t.Errorf("failed %t\n%s", m.failed, m.log)
	}
	// Not on a push.
	n := newMachine(t)
	n.file("embedcontract", program(t))
	n.stub("gh", "exit 1")
	n.act(map[string]string{"install": "none", "comment": "true", "target": "legacy-emulated", "args": "--focus=^batching/index$"})
	if n.failed || strings.Contains(n.log, "comment") {
		t.Errorf("failed %t\n%s", n.failed, n.log)
	}
}

// TestActionLetsNoServerCommandTheRunner: what is printed between the two marks is no command of the runner.
func TestActionLetsNoServerCommandTheRunner(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.stub("embedcontract", `test "$1" != version || exit 0; echo '::add-path::/evil'; exit 1`)
	m.act(map[string]string{"install": "none", "target": "x"})
	stop := regexp.MustCompile(`::stop-commands::([0-9a-f]{32})\n::add-path::/evil\n::([0-9a-f]{32})::\n`).FindStringSubmatch(m.log)
	if stop == nil || stop[1] != stop[2] || m.code != exitNo {
		t.Errorf("exit code %d\n%s", m.code, m.log)
	}
}
