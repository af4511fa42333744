package kill_test

func concurrencyMutants() []mutant {
	const one = "delivery: {max_parallel: 1, delay_ms: 3}\n"
	const busy = "concurrency/isolation=some-busy concurrency/same-request-id=some-busy concurrency/client-leaves=some-busy "
	const fails = "concurrency/isolation=some-fail concurrency/same-request-id=some-fail concurrency/client-leaves=some-fail "
	return []mutant{
		{name: "requests at the same time get each other's vectors", with: "delivery: {cross_talk: swapped}", shows: `
			concurrency/isolation=swapped concurrency/same-request-id=swapped concurrency/client-leaves=swapped concurrency/overload=swapped`},
		{name: "vectors depend on the load", with: "vectors: {noise: crowd}\ndelivery: {delay_ms: 2}", shows: `
			concurrency/isolation=other-vector concurrency/same-request-id=other-vector concurrency/client-leaves=other-vector concurrency/overload=other-vector`},
		{name: "one request at a time, others 429", with: one, shows: busy + "concurrency/overload=busy-429 concurrency/retry-after=absent"},
		{name: "one request at a time, others 503 with a time", with: one + `faults: {overload: {status: 503, headers: {Retry-After: "2"}}}`,
			shows: busy + "concurrency/overload=busy-503 concurrency/retry-after=says-when"},
		{name: "one request at a time, others 529 with a date", with: one + `faults: {overload: {status: 529, headers: {Retry-After: "Wed, 21 Oct 2026 07:28:00 GMT"}}}`,
			shows: busy + "concurrency/overload=busy-529 concurrency/retry-after=says-when"},
		{name: "one request at a time, others are to come back at once", with: one + `faults: {overload: {headers: {Retry-After: "0"}}}`,
			shows: busy + "concurrency/overload=busy-429 concurrency/retry-after=at-once"},
		{name: "one request at a time, others are to come back soon", with: one + `faults: {overload: {headers: {Retry-After: soon}}}`,
			shows: busy + "concurrency/overload=busy-429 concurrency/retry-after=unreadable"},
		{name: "one request at a time, others 500", with: one + "faults: {overload: {status: 500}}", shows: fails + "concurrency/overload=fails"},
		{name: "one request at a time, others are hung up on", with: one + "faults: {overload: {action: close}}", shows: fails + "concurrency/overload=unanswered"},
	}
}
