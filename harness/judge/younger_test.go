package judge_test

import (
	"context"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// A check that asks nothing itself needs no more than what it reads, so that it is judged in a recording that was made
// before there was such a check; one that asks is not.
func TestCheckYoungerThanTheRecording(t *testing.T) {
	younger := status("c/younger", "c/one", "c/two")
	younger.Classify = func(e contract.Evidence) contract.Finding {
		return contract.Found(string(e.Read["c/one"].Step("s").Body), "seen")
	}
	asks := younger
	asks.ID, asks.Probe = "c/asks", func(context.Context, contract.Prober) error { return nil }
	s := suite(status("c/one"), status("c/two"), younger, asks)
	j := judge.New(s)
	both := newTape(t, "both").saw("c/one", 0, "good").saw("c/two", 0, "bad")
	if got := j.Target(both.rec(), younger); got.Variant() != "good" {
		t.Errorf("%s %s", got.Variant(), got.Reason)
	}
	if got := j.Target(both.rec(), asks); got.Outcome != contract.Error || !strings.Contains(got.Reason, "not in this recording") {
		t.Errorf("one that asks: %s %s", got.Variant(), got.Reason)
	}
	one := newTape(t, "one").saw("c/one", 0, "good")
	if got := j.Target(one.rec(), younger); got.Outcome != contract.Error || !strings.Contains(got.Reason, "not in this recording") {
		t.Errorf("half of what it reads: %s %s", got.Variant(), got.Reason)
	}
	twice := newTape(t, "twice").saw("c/one", 0, "good").saw("c/one", 1, "odd").saw("c/two", 0, "good").saw("c/two", 1, "good")
	if got := j.Target(twice.rec(), younger); got.Outcome != contract.Flaky {
		t.Errorf("rounds that disagree: %s %s", got.Variant(), got.Reason)
	}
}
