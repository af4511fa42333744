package report

import (
	"strings"
	"testing"
)

// TestExpectedWords: each status with an entry says what is to be done about it.
func TestExpectedWords(t *testing.T) {
	for status, want := range map[string]string{
		"as-listed": "listed as bad", "no-verdict": "listed as bad", "stale": "answered as promised, so the entry must go: listed as bad",
		"changed": "something else: it is listed as bad", "expired": "answered as listed, and nobody has looked again for long, so the entry is in force no longer: listed as bad",
	} {
		got := as(status, "fail", "bad").listed("bad", status == "expired").Expected.words()
		if !strings.HasPrefix(got, want) || strings.Contains(got, "its review was due on 2026-10-01") != (status == "expired") {
			t.Errorf("%s: %s", status, got)
		}
	}
}
