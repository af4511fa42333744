package probe_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/probe"
	"github.com/embedcontract/embedcontract/harness/recording"
)

func TestLogsOfFailures(t *testing.T) {
	many := func(n int) []recording.LogLine {
		var out []recording.LogLine
		for i := range n {
			out = append(out, recording.LogLine{Component: "server", Text: fmt.Sprint("line ", i)})
		}
		return out
	}
	for _, c := range []struct {
		name        string
		probe       func(context.Context, contract.Prober) error
		printed     int
		first, last string
		kept        int
	}{
		{"a server error", ask("say 500"), 3, "line 0", "line 2", 3},
		{"another server error", ask("say 503", "fine"), 1, "line 0", "line 0", 1},
		{"no answer", ask("say nothing"), 2, "line 0", "line 1", 2},
		{"many lines", ask("say 500"), probe.MaxLogLines + 5, "line 5", fmt.Sprint("line ", probe.MaxLogLines+4), probe.MaxLogLines},
		{"just so many", ask("say 500"), probe.MaxLogLines, "line 0", fmt.Sprint("line ", probe.MaxLogLines-1), probe.MaxLogLines},
		{"none printed", ask("say 500"), 0, "", "", 0},
		{"a client fault", ask("say 400"), 3, "", "", 0},
		{"fine", ask("fine"), 3, "", "", 0},
	} {
		var since time.Time
		r := start(t, suite(check("c/one", c.probe)), func(p *probe.Config) {
			p.Logs = func(at time.Time) []recording.LogLine { since = at; return many(c.printed) }
		})
		before := time.Now()
		r.mustAsk(t, "c/one")
		tr := r.trail(t, "c/one")
		if len(tr.Logs) != c.kept {
			t.Errorf("%s: %d lines are kept, want %d", c.name, len(tr.Logs), c.kept)
			continue
		}
		if c.kept == 0 {
			continue
		}
		if tr.Logs[0].Text != c.first || tr.Logs[c.kept-1].Text != c.last {
			t.Errorf("%s: from %q to %q", c.name, tr.Logs[0].Text, tr.Logs[c.kept-1].Text)
		}
		if since.Before(before) || since.After(tr.Steps[0].Sent) {
			t.Errorf("%s: lines since %v, the check was asked at %v", c.name, since, tr.Steps[0].Sent)
		}
	}
}

// The last lines of a traceback are those of the web framework; the line that names the error stands above them.
func TestLogsThatSayWhy(t *testing.T) {
	lines := func(special map[int]string) []recording.LogLine {
		var out []recording.LogLine
		for i := range 30 {
			text := fmt.Sprint("line ", i)
			if s, ok := special[i]; ok {
				text = s
			}
			out = append(out, recording.LogLine{Component: "server", Text: text})
		}
		return out
	}
	long := "ValueError: " + strings.Repeat("x", 5000)
	for _, c := range []struct {
		name    string
		special map[int]string
		want    []string
	}{
		{"an error that is named", map[int]string{3: "ValueError: dimensions", 2: "INFO a request"}, []string{"ValueError: dimensions"}},
		{"an error that is marked", map[int]string{9: "ERROR 12:00 failed"}, []string{"ERROR 12:00 failed"}},
		{"both, in the order in which they were printed", map[int]string{4: "ERROR 12:00 failed", 8: "torch.OutOfMemoryError: no room"}, []string{"ERROR 12:00 failed", "torch.OutOfMemoryError: no room"}},
		{"a long one", map[int]string{3: long}, []string{long[:600] + "…"}},
	} {
		r := start(t, suite(check("c/one", ask("say 500"))), func(p *probe.Config) {
			p.Logs = func(time.Time) []recording.LogLine { return lines(c.special) }
		})
		r.mustAsk(t, "c/one")
		var got []string
		for _, l := range r.trail(t, "c/one").Logs {
			got = append(got, l.Text)
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
