package kill_test

import (
	"github.com/embedcontract/embedcontract/harness/recording"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/judge"
)

// edit shows a variant that no switch of a server can show, by changing one step of the base's recording.
type edit struct {
	check, variant string
	why            string // why no switch shows it
	of             string // the check whose step is changed; "": the same
	step           string // "": each
	change         func(*contract.Step)
}

func edits() []edit {
	refuse := func(s *contract.Step) {
		s.Status, s.Body, s.Vectors = 400, []byte(`{"error":{"message":"no"}}`), nil
	}
	serve := func(s *contract.Step) {
		const body = `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[]}]}`
		axis := make([]float32, 264) // the native length of the base
		axis[0] = 1
		s.Status, s.Body, s.Vectors = 200, []byte(body), []contract.Vector{{Offset: strings.Index(body, "[]"), Values: axis}}
	}
	shorten := func(s *contract.Step) {
		s.Vectors[0].Values = s.Vectors[0].Values[:100]
	}
	reused := func(names ...string) func(*contract.Step) {
		return func(s *contract.Step) { s.Reused = slices.Contains(names, s.Name) }
	}
	const socket = "there is no connection in memory; TestIdleConnections shows it"
	took := func(d time.Duration) func(*contract.Step) { return func(s *contract.Step) { s.Took = d } }
	raise := func(s *contract.Step) {
		s.Body = []byte(`{"sdk":"x","ok":false,"error":{"class":"x","text":"no"},"calls":1,"answers":[{"status":200}]}`)
		s.Vectors = nil
	}
	return append(releaseEdits(serve), []edit{
		{"concurrency/keep-alive", "kept", socket, "", "", reused("at-once", "after-short", "after-long")},
		{"concurrency/keep-alive", "closed-after-10s", socket, "", "", reused("at-once", "after-short")},
		{"concurrency/keep-alive", "closed-within-10s", socket, "", "", reused("at-once")},
		{"concurrency/keep-alive", "lost", "it takes a server that closes at the very moment", "", "after-short", func(s *contract.Step) {
			s.Status, s.Fault, s.Vectors, s.Body = 0, contract.FaultClosed, nil, nil
		}},
		{"concurrency/keep-alive", "other-vector", "it takes a server whose vectors change with the age of a connection", "", "after-short", serve},
		{"concurrency/keep-alive", "refused", "it takes a server that refuses just this", "", "first", refuse},
		{"lifecycle/worker-stops", "not-ended", "it takes a process that cannot be signalled", "", "end", func(s *contract.Step) { s.Fault = contract.FaultAction }},
		{"lifecycle/worker-killed", "not-ended", "it takes a process that cannot be signalled", "", "end", func(s *contract.Step) { s.Fault = contract.FaultAction }},
		{"lifecycle/worker-killed", "serves-on", "what is killed does not serve", "", "new:30s", func(s *contract.Step) {
			s.Status, s.Fault, s.Body = 200, "", []byte(`{"data":[]}`)
		}},
		{"lifecycle/in-flight", "partial", "it takes a server that gives half an answer when it is stopped", "lifecycle/worker-stops", "in-flight", func(s *contract.Step) {
			s.Status, s.Fault, s.Body, s.Vectors = 200, "", []byte(`{"data":[]}`), nil
		}},
		{"lifecycle/in-flight", "garbage", "it takes a server whose vectors go wrong when it is stopped", "lifecycle/worker-stops", "in-flight", func(s *contract.Step) {
			s.Vectors[len(s.Vectors)-1].Values = make([]float32, 264)
		}},
		{"lifecycle/in-flight", "drained", "it takes a batch of ten seconds", "lifecycle/worker-stops", "in-flight", took(10 * time.Second)},
		{"lifecycle/in-flight", "given-time", "it takes a batch of five seconds", "lifecycle/worker-stops", "in-flight", func(s *contract.Step) {
			s.Status, s.Vectors, s.Body, s.Took = 500, nil, []byte(`{"message":"cut"}`), 6*time.Second
		}},
		{"lifecycle/while-stopping", "garbage", "it takes a server whose vectors go wrong when it is stopped", "lifecycle/worker-stops", "new:700ms", func(s *contract.Step) {
			s.Fault = ""
			serve(s)
		}},
		{"lifecycle/comes-back", "refused", "it takes a server that refuses a plain text just then", "lifecycle/worker-stops", "before", refuse},
		{"vector_parity/twenty-times", "refused", "it takes a server that refuses just this", "", "time:07", refuse},
		{"service/request-id", "refused", "it takes a server that refuses just this", "", "asked", refuse},
		{"service/rate-limit-headers", "refused", "it takes a server that refuses just this", "", "asked", refuse},
		{"service/models-are-served", "some-fail", "it takes a server that fails a moment after it served the same name", "", "name:0", func(s *contract.Step) {
			refuse(s)
			s.Status = 500
		}},
		{"service/batch-in-time", "within-60s", "a test cannot wait as long", "", "batch", took(45 * time.Second)},
		{"service/batch-in-time", "slower", "a test cannot wait as long", "", "batch", took(2 * time.Minute)},
		{"status_codes/survives", "other-vector", "it takes a server that one client's fault changes for all others", "status_codes/array-body", contract.StillAlive, serve},
		{"dimensions/same-for-every-length", "varies", "it takes a model that gives the longer text the shorter vector", "", "long", shorten},
		{"batching/long-texts", "refused", "it takes a server that refuses the text of the limit that it served a moment ago", "", "alone:2", refuse},
		{"truncation/end-counts", "refused", "it takes a server that refuses the text of the limit that it served a moment ago", "", "whole", refuse},
		{"witnesses/python-float", "raises", "this SDK takes any content type, so that it can read what raw HTTP can", "", "told", raise},
		{"token_parity/no-hidden-prompt", "refused", "it takes a server that refuses a text of one letter", "", "one", refuse},
		{"truncation/truncate-above-limit", "other-vector", "it takes a server that cuts a short text because of a number above its limit", "", "asked", serve},
	}...)
}

// apply changes the recording, and says whether it had what is to be changed.
func (e edit) apply(rec *recording.Recording) (changed bool) {
	from := e.check
	if e.of != "" {
		from = e.of
	}
	steps := rec.Trails(from)[0].Steps
	for i := range steps {
		if e.step == "" || steps[i].Name == e.step {
			e.change(&steps[i])
			changed = true
		}
	}
	return changed
}

func editedEvidence(t *testing.T, l *lab, seen *matrix) {
	for _, e := range edits() {
		t.Run(e.check+"="+e.variant, func(t *testing.T) {
			t.Parallel()
			rec, err := l.record(t, mutant{name: "edited", only: e.check}, 1)
			if err != nil {
				t.Fatal(err)
			}
			c, ok := l.suite.Check(e.check)
			if !ok {
				t.Fatalf("no check %s", e.check)
			}
			j := judge.New(l.suite)
			if got := j.Target(rec, c); got.Variant() == e.variant {
				t.Fatalf("it is %s before anything was changed", e.variant)
			}
			changed := e.apply(rec)
			got := j.Target(rec, c)
			if !changed || got.Variant() != e.variant {
				t.Errorf("%s, %s %s; changed: %v", got.Variant(), got.Finding.Observed, got.Reason, changed)
			}
			seen.edited(e, got)
		})
	}
}
