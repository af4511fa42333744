package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/bounds"
	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/report"
	"github.com/embedcontract/embedcontract/suites"
)

// FuzzCommandLine: any words after the flags are values, or a mistake of whoever typed them; nothing is started by a run
// that was interrupted before it began.
func FuzzCommandLine(f *testing.F) {
	f.Setenv("EMBEDCONTRACT_CACHE", f.TempDir())
	for _, s := range [][4]string{{"", "", "", ""}, {"(", "dimensions", "draft", "1"}, {"x{1000}{1000}", ",", "../../x", "NaN"}, {"\xff", "\x00", "2026-11", "-Inf"}, {"over-long", "truncation,,", "2026-13", "1e-300"},
		{"a|b", "--", "-h", "0x1p-2"}, {".*", "\"a", "draft", "1e400"}, {"--help", "dimensions", "", "--rounds"}, {"\x1b[2J\u202e", "", "", "auto"}} {
		f.Add(s[0], s[1], s[2], s[3], "http://127.0.0.1:1", 100)
	}
	for _, u := range []string{"", "http://", "://", "http://u:p@h", "http://h/%zz", "file:///etc/passwd", "http://[::1", "HTTP://h:1/v1/embeddings?x"} {
		f.Add("", "", "", "1", u, -1)
	}
	known := map[string]contract.Suite{} // to read the contract anew takes longer than all else
	load := func(revision string) (contract.Suite, error) {
		s, ok := known[revision]
		var err error
		if !ok {
			if s, err = suites.At(revision); err == nil {
				known[revision] = s
			}
		}
		return s, err
	}
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	f.Fuzz(func(t *testing.T, focus, behaviour, revision, number, url string, width int) {
		size := len(focus) + len(behaviour) + len(revision) + len(number) + len(url)
		bounds.Hold(t, size, func() {
			for _, args := range [][]string{
				{"list", "--focus=" + focus, "--behaviour=" + behaviour, "--revision=" + revision},
				{"list", focus},
				{"explain", behaviour},
				{"judge", "/nonexistent/" + strings.ReplaceAll(focus, "/", ""), "--revision=" + revision, fmt.Sprintf("--width=%d", width), "--colour=" + number},
				{"expect", "/nonexistent/" + strings.ReplaceAll(focus, "/", ""), "--revision=" + revision, "--behaviour=" + behaviour, "--expectations=/nonexistent/" + strings.ReplaceAll(url, "/", ""), "--update"},
				{"run", "--url=" + url, "--model=m", "--max-rps=" + number, "--witness=" + behaviour, "--focus=" + focus, fmt.Sprintf("--rounds=%d", width), "--request-timeout=" + number + "s", fmt.Sprintf("--max-tokens=%d", width)},
				{"run", "--url=" + url, "--model=m", "--max-rps=" + number, "--baseline=" + focus, "--baseline=server=" + behaviour},
			} {
				var out, complaint bytes.Buffer
				code := execute(interrupted, load, args, &out, &complaint)
				if !slices.Contains([]int{exitOK, exitNo, exitUsage, exitUnknown, exitNothing}, code) {
					t.Errorf("%q: exit code %d", args, code)
				}
				if code != exitOK && code != exitNo && complaint.Len() == 0 {
					t.Errorf("%q: exit code %d and no word why", args, code)
				}
				if said := complaint.String(); report.Clean(said) != said {
					t.Errorf("%q: %q reaches the terminal", args, said)
				}
				if code == exitOK && args[0] == "run" {
					t.Errorf("%q: a run that was interrupted is good", args)
				}
			}
		})
	})
}
