package kill_test

import (
	"net/http"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// oddLoads are answers to many requests at the same time.
func oddLoads() []odd {
	const kept = "concurrency/keep-alive"
	const isolation, overload = "concurrency/isolation", "concurrency/overload"
	return []odd{
		{check: isolation, want: "other", what: "nothing was asked quietly", steps: "quiet:", change: renamed},
		{check: overload, want: "other", what: "nothing was asked quietly", of: isolation, steps: "quiet:", change: renamed},
		{check: overload, want: "all-served", what: "a quiet one is refused", of: isolation, steps: "quiet:3", change: refusedWith(400)},
		{check: overload, want: "other", what: "a quiet one is no answer", of: isolation, steps: "quiet:3", change: page},
		{check: overload, want: "fails", what: "some are refused as too many, and one as wrong", steps: "burst:5 burst:9", change: func(s *contract.Step) {
			refusedWith(map[string]int{"burst:5": 400, "burst:9": 429}[s.Name])(s)
		}},
		{check: overload, want: "fails", what: "one has a status below all", steps: "burst:5", change: refusedWith(150)},
		{check: isolation, want: "other", what: "one is no answer", steps: "parallel:3", change: page},
		{check: isolation, want: "other-vector", what: "one vector is shorter", steps: "parallel:3", change: all(halved)},
		{check: kept, want: "other", what: "the first is no answer", steps: "first", change: page},
		{check: kept, want: "other", what: "the last is no answer", steps: "after-long", change: page},
		{check: kept, want: "other-vector", what: "the last vector is shorter", steps: "after-long", change: all(halved)},
		{check: "concurrency/retry-after", want: "at-once", what: "one says at once, another nothing", of: overload, steps: "burst:5 burst:9", change: func(s *contract.Step) {
			refusedWith(429)(s)
			if s.Name == "burst:5" {
				s.Header = http.Header{"Retry-After": {"0"}}
			}
		}},
		{check: "concurrency/retry-after", want: "unreadable", what: "a time that was", of: overload, steps: "burst:9", change: func(s *contract.Step) {
			refusedWith(429)(s)
			s.Header = http.Header{"Retry-After": {"-5"}}
		}},
	}
}

// oddLives are answers while a worker goes and comes back.
func oddLives() []odd {
	const stops, soon, back = "lifecycle/worker-stops", "lifecycle/while-stopping", "lifecycle/comes-back"
	const models, start = "lifecycle/models-while-gone", "lifecycle/health-at-start"
	const first = "lifecycle/first-after-stop"
	const health, servesOn = "lifecycle/health-while-gone", "life: {ignores: yes}"
	// without a vector from before, a look gets what change makes.
	unknown := func(change func(*contract.Step)) func(*contract.Step) {
		return func(s *contract.Step) {
			if s.Name == "before" {
				refusedWith(400)(s)
			} else {
				change(s)
			}
		}
	}
	after := func(d time.Duration, change func(*contract.Step)) func(*contract.Step) {
		return func(s *contract.Step) {
			change(s)
			s.Took = d
		}
	}
	one := axis(make([]float32, 264))
	return []odd{
		{check: stops, want: "unreachable", what: "nobody listens", steps: "new:30s", change: faulty(contract.FaultRefused)},
		{check: stops, want: "other", what: "something that is not HTTP", steps: "new:30s", change: faulty(contract.FaultNotHTTP)},
		{check: stops, want: "other", what: "it is sent elsewhere", steps: "new:30s", change: refusedWith(302)},
		{check: "lifecycle/in-flight", want: "other", what: "it is sent elsewhere", of: stops, steps: "in-flight", change: refusedWith(302)},
		{check: "lifecycle/in-flight", want: "closed", what: "it is closed at once", of: stops, steps: "in-flight", change: after(0, faulty(contract.FaultClosed))},
		{check: "lifecycle/in-flight", want: "given-time", what: "it is closed after a while", of: stops, steps: "in-flight", change: after(5*time.Second, faulty(contract.FaultClosed))},
		{check: "lifecycle/in-flight", want: "given-time", what: "it is told to come back after a while", of: stops, steps: "in-flight", change: after(5*time.Second, refusedWith(503))},
		{check: "lifecycle/in-flight", want: "given-time", what: "it is told to wait after a while", of: stops, steps: "in-flight", change: after(5*time.Second, refusedWith(429))},
		{check: "lifecycle/in-flight", want: "cut-5xx", what: "it fails before long", of: stops, steps: "in-flight", change: after(3*time.Second, refusedWith(500))},
		{check: "lifecycle/in-flight", want: "cut-4xx", what: "it is blamed after a while", of: stops, steps: "in-flight", change: after(5*time.Second, refusedWith(400))},
		{check: "lifecycle/in-flight", want: "hangs", what: "it gets no answer at all", of: stops, steps: "in-flight", change: after(9*time.Second, faulty(contract.FaultTimeout))},
		{check: "lifecycle/in-flight", want: "finished", what: "it takes its time", of: stops, steps: "in-flight", change: after(7*time.Second, func(*contract.Step) {})},
		{check: "lifecycle/in-flight", want: "drained", what: "it is waited for", of: stops, steps: "in-flight", change: after(9*time.Second, func(*contract.Step) {})},
		{check: "lifecycle/in-flight", want: "garbage", what: "one vector is another, late", of: stops, steps: "in-flight", change: after(9*time.Second, vector(7, across))},
		{check: "lifecycle/in-flight", want: "garbage", what: "one vector is another", of: stops, steps: "in-flight", change: vector(7, across)},

		{check: soon, want: "garbage", what: "a vector is shorter", of: stops, steps: "new:700ms", change: withVector(one[:100])},
		{check: soon, want: "garbage", what: "it is no answer", of: stops, steps: "new:700ms", change: page},
		{check: soon, want: "told", what: "it is told to come back", of: stops, steps: "new:700ms", change: refusedWith(503)},
		{check: soon, want: "other", what: "something that is not HTTP", of: stops, steps: "new:700ms", change: faulty(contract.FaultNotHTTP)},
		{check: soon, want: "told", what: "a vector, and none from before", of: stops, steps: "before new:700ms", change: unknown(withVector(one))},
		{check: soon, want: "garbage", what: "no vector, and none from before", of: stops, steps: "before new:700ms", change: unknown(page)},

		{check: first, want: "other", what: "a vector, and none from before", of: stops, steps: "before new:at-once", change: unknown(withVector(one))},
		{check: first, want: "other", what: "something that is not HTTP, late", of: stops, steps: "new:at-once", change: after(3*time.Second, faulty(contract.FaultNotHTTP))},
		{check: first, want: "other", what: "it is sent elsewhere", of: stops, steps: "new:at-once", change: refusedWith(302)},
		{check: first, want: "failed-5xx", what: "it fails after a while", of: stops, steps: "new:at-once", change: after(time.Second, refusedWith(500))},

		{check: back, want: "other-vector", what: "a vector is shorter", of: stops, steps: "back", change: all(halved)},
		{check: back, want: "other-vector", what: "another vector", of: stops, steps: "back", change: all(across)},
		{check: back, want: "the-same", what: "a worker that starts tells to come back", of: stops, steps: "start-embed:500ms", change: refusedWith(503)},
		{check: back, want: "other-vector", what: "a worker that starts gives another vector", of: stops, steps: "start-embed:500ms", change: withVector(one)},

		{check: soon, want: "told", what: "it serves on, with the vector from before", with: servesOn, of: stops, steps: "new:", change: asItWas},
		{check: health, want: "says-so", what: "it serves on, and is well", with: servesOn, of: stops, steps: "health:", change: asItWas},
		{check: models, want: "says-so", what: "it serves on, and is listed", with: servesOn, of: stops, steps: "models:", change: asItWas},
		{check: health, want: "says-so", what: "health goes away last", of: everywhere, steps: "health:30s", change: refusedWith(404)},
		{check: health, want: "says-so", what: "health goes away first, and comes back", of: everywhere, steps: "health:700ms", change: refusedWith(404)},
		{check: models, want: "says-so", what: "a list that is refused", of: everywhere, steps: "models:30s", change: answered(503, `{"data":[{"id":"a"}]}`)},
		{check: models, want: "says-so", what: "a list that is none", of: everywhere, steps: "models:30s", change: answered(200, `{"data":[{"id":"a"},{"id":5}]}`)},
		{check: start, want: "truthful", what: "it says that it starts, and does", of: stops, steps: "start-health:500ms start-embed:500ms start-health:1.5s", change: refusedWith(503)},
		{check: start, want: "truthful", what: "health comes late", of: stops, steps: "start-health:500ms", change: refusedWith(404)},
	}
}
