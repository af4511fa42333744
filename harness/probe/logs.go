package probe

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// How much of the server's log is kept of one check, and of one line.
const (
	MaxLogLines   = 6
	maxLogLineLen = 600
)

// raised finds the line on which a language runtime names the error that was raised: "ValueError: …" at its
// beginning, or quoted in a line of a logger.
var raised = regexp.MustCompile(`\b[A-Za-z.]*(?:Error|Exception)\b['"]?: ?\S`)

// telling chooses the lines that may say why a request failed: those that name an error, then those that a
// logger marks as one, then the last ones. They stay in the order in which they were printed.
func telling(lines []recording.LogLine) []recording.LogLine {
	var chosen []int
	for _, wanted := range []func(string) bool{
		raised.MatchString,
		func(text string) bool { return strings.Contains(text, "ERROR") || strings.Contains(text, "CRITICAL") },
	} {
		for i, l := range lines {
			if len(chosen) < MaxLogLines && !slices.Contains(chosen, i) && wanted(l.Text) {
				chosen = append(chosen, i)
			}
		}
	}
	if len(chosen) == 0 {
		for i := max(0, len(lines)-MaxLogLines); i < len(lines); i++ {
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	var out []recording.LogLine
	for _, i := range chosen {
		l := lines[i]
		l.Text = contract.Shorten(l.Text, maxLogLineLen)
		out = append(out, l)
	}
	return out
}

// logs keeps lines that the server printed during the check, when an answer gives reason to look.
func (s *session) logs(began time.Time) error {
	if s.e.c.Logs == nil || !s.failing {
		return nil
	}
	for _, l := range telling(s.e.c.Logs(began)) {
		if err := s.e.c.Record.Log(s.check.ID, s.round, l); err != nil {
			return err
		}
	}
	return nil
}
