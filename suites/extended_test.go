package suites_test

import (
	"testing"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/suites"
)

// TestExtendedChecksAreAskedOnRequest reads the environment as the tree does.
func TestExtendedChecksAreAskedOnRequest(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true} {
		t.Setenv(extendedEnv, value)
		run, err := configure()
		if err != nil || run.Extended != want {
			t.Errorf("%s=%q: extended checks are asked: %v, want %v (%v)", extendedEnv, value, run.Extended, want, err)
		}
	}
	for _, value := range []string{"true", "yes", "2", "off"} {
		t.Setenv(extendedEnv, value)
		if _, err := configure(); err == nil {
			t.Errorf("%s=%s is taken without a word", extendedEnv, value)
		}
	}
}

// TestCoreChecksReadNoExtendedOnes: what a check reads is asked before it, so an extended check that a core one reads
// would be asked in every run.
func TestCoreChecksReadNoExtendedOnes(t *testing.T) {
	s, err := suites.At(contract.Draft)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Checks() {
		for _, id := range c.Reads {
			if r, _ := s.Check(id); r.Extended && !c.Extended {
				t.Errorf("%s is core and reads %s, which is extended: make both one or the other", c.ID, id)
			}
		}
	}
}
