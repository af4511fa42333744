package judge_test

import (
	"context"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// What a check needs of a server is judged of recordings, too, in which it was tried before anybody said so. A server that
// could not be asked for another reason is not told apart by it.
func TestWhatACheckNeeds(t *testing.T) {
	needs := func(err error) func(contract.Facts) error {
		return func(f contract.Facts) error {
			if f.MaxTokens == 5 { // as every tape declares
				return err
			}
			return nil
		}
	}
	asked := func(context.Context, contract.Prober) error { return nil }
	one := status("c/one")
	one.Needs, one.Probe = needs(contract.Inapplicable("it counts something else")), asked
	reader := status("c/reader", "c/one")
	two := status("c/two")
	two.Needs, two.Probe = needs(nil), asked
	j := judge.New(suite(one, reader, two))
	tried := newTape(t, "tried").end("c/one", 0, "", "limit not constructible").end("c/two", 0, "", "limit not constructible").end("c/reader", 0, "", "")
	for _, x := range []struct {
		name    string
		of      tape
		check   contract.Check
		outcome contract.Outcome
		reason  string
	}{
		{"tried in vain", tried, one, contract.NotApplicable, "it counts something else"},
		{"what reads it", tried, reader, contract.NotApplicable, "it needs the evidence of c/one: it counts something else"},
		{"nothing is missing that it needs", tried, two, contract.Error, "limit not constructible"},
		{"answered, as it may be", newTape(t, "answered").saw("c/one", 0, "good"), one, contract.NotApplicable, "it counts something else"},
		{"of a server that was gone", newTape(t, "gone").unasked("c/one", 0), one, contract.Error, "the target is gone"},
		{"not in the recording", newTape(t, "younger"), one, contract.Error, "not in this recording"},
	} {
		if got := j.Target(x.of.rec(), x.check); got.Outcome != x.outcome || !strings.Contains(got.Reason, x.reason) {
			t.Errorf("%s: %s %s, want %s %s", x.name, got.Variant(), got.Reason, x.outcome, x.reason)
		}
	}
}
