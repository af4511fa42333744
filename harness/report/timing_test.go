package report

import (
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/recording"
)

// Requests side by side count once, a pause between requests is the suite's, and extended checks, which wait on purpose,
// count for nothing.
func TestTiming(t *testing.T) {
	suite := contract.Suite{Behaviours: []contract.Behaviour{{Stem: "b", Checks: []contract.Check{{ID: "b/core"}, {ID: "b/more"}, {ID: "b/slow", Extended: true}}}}}
	begun := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	type step struct {
		check    string
		at, took float64 // seconds
		action   contract.Action
	}
	for name, c := range map[string]struct {
		steps []step
		want  Timing
	}{
		"nothing":         {nil, Timing{}},
		"one":             {[]step{{"b/core", 0, 2, ""}}, Timing{1, 2, 0}},
		"with a pause":    {[]step{{"b/core", 0, 2, ""}, {"b/core", 3, 1, ""}}, Timing{2, 3, 1}},
		"side by side":    {[]step{{"b/core", 0, 2, ""}, {"b/core", 1, 2, ""}, {"b/core", 1, 0.5, ""}, {"b/more", 3.5, 0.5, ""}}, Timing{4, 3.5, 0.5}},
		"facts count":     {[]step{{contract.FactsID, 0, 1, ""}, {"b/core", 1.25, 1, ""}}, Timing{2, 2, 0.25}},
		"extended":        {[]step{{"b/core", 0, 1, ""}, {"b/slow", 5, 9, ""}, {"b/more", 20, 1, ""}}, Timing{2, 2, 0}},
		"extended inside": {[]step{{"b/slow", 0, 9, ""}, {"b/slow", 20, 1, ""}}, Timing{}},
		"unknown checks":  {[]step{{"b/core", 0, 1, ""}, {"b/gone", 2, 1, ""}, {"b/core", 4, 1, ""}}, Timing{2, 2, 0}},
	} {
		w, err := recording.InMemory(recording.Header{}, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.steps {
			if _, err := w.Exchange(contract.Step{Check: s.check, Name: "s", Status: 200, Request: contract.Request{Action: s.action},
				Sent: begun.Add(time.Duration(s.at * float64(time.Second))), Took: time.Duration(s.took * float64(time.Second))}); err != nil {
				t.Fatal(err)
			}
		}
		if got := timing(w.Recording(), suite); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if s := (Timing{Requests: 3, Answering: 10, Added: 1.26}).String(); s != "3 requests, answered in 10.0 s; the suite added 13 %" {
		t.Error(s)
	}
	if s := (Timing{}).String(); s != "" {
		t.Error(s)
	}
}
