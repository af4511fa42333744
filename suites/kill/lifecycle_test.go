package kill_test

// lifecycleMutants name both probes of the life of a worker, since what is read of them is asked only with them.
func lifecycleMutants() []mutant {
	const split = "life: {frontend: separate}\n"
	gone := func(v string) string { return " lifecycle/worker-stops=" + v + " lifecycle/worker-killed=" + v + " " }
	return []mutant{
		{name: "a frontend that says 503 without a worker", with: split, shows: gone("busy-503")},
		{name: "a frontend that says 404 without a worker", with: split + "faults: {worker-gone: {status: 404, shape: empty}}", shows: gone("not-found") + "lifecycle/while-stopping=not-found"},
		{name: "a frontend that says 500 without a worker", with: split + "faults: {worker-gone: {status: 500}}", shows: gone("failed-5xx") + "lifecycle/while-stopping=failed-5xx"},
		{name: "a frontend that says 400 without a worker", with: split + "faults: {worker-gone: {status: 400}}", shows: gone("rejected-4xx") + "lifecycle/while-stopping=rejected-4xx"},
		{name: "a frontend that hangs without a worker", timeout: hangTimeout, with: split + "faults: {worker-gone: {action: hang}}", shows: gone("hangs") + "lifecycle/while-stopping=hangs"},
		{name: "a worker that does not end when it is asked to", with: "life: {ignores: yes}", shows: "lifecycle/worker-stops=serves-on"},
		{name: "too fast for anything to be in flight", with: "delivery: {long_ms: 0}", shows: "lifecycle/in-flight=answered-before"},
		{name: "requests in flight are cut", with: "life: {in_flight: cut}", shows: "lifecycle/in-flight=closed"},
		{name: "requests in flight are cut with 503", with: "life: {in_flight: cut, frontend: separate}", shows: gone("busy-503") + "lifecycle/in-flight=cut-503"},
		{name: "requests in flight are cut with 500", with: "life: {in_flight: cut, frontend: separate}\nfaults: {worker-gone: {status: 500}}",
			shows: gone("failed-5xx") + "lifecycle/in-flight=cut-5xx lifecycle/while-stopping=failed-5xx"},
		{name: "requests in flight are cut with 400", with: "life: {in_flight: cut, frontend: separate}\nfaults: {worker-gone: {status: 400}}",
			shows: gone("rejected-4xx") + "lifecycle/in-flight=cut-4xx lifecycle/while-stopping=rejected-4xx"},
		{name: "requests in flight hang", timeout: hangTimeout, with: "life: {in_flight: hangs}", shows: "lifecycle/in-flight=hangs"},
		{name: "health is green without a worker", with: "life: {frontend: separate, health: green}", shows: gone("busy-503") + "lifecycle/health-while-gone=green"},
		{name: "a frontend without health", with: split + "routes: {health: absent}", shows: gone("busy-503") + "lifecycle/health-while-gone=absent lifecycle/health-at-start=absent", also: []coupling{
			{"there is none while the worker is there either", "service/health=absent"}}},
		{name: "the model is listed without a worker", with: "life: {frontend: separate, models: the-model}", shows: gone("busy-503") + "lifecycle/models-while-gone=still-listed"},
		{name: "a frontend without a list", with: split + "routes: {models: absent}", shows: gone("busy-503") + "lifecycle/models-while-gone=absent", also: []coupling{
			{"there is none while the worker is there either", "service/models=absent service/model-by-name=absent"}}},
		{name: "health is green before the model is loaded", with: "life: {start_ms: 600, start_health: green}", shows: "lifecycle/health-at-start=green-early"},
		{name: "nobody listens before the model is loaded", with: "life: {start_ms: 2000}", shows: "lifecycle/health-at-start=unseen"},
		{name: "health is never green", with: "routes: {health: failing}", shows: "lifecycle/health-at-start=never-green", also: []coupling{
			{"it is not while the worker is there either", "service/health=unhealthy"}}},
		{name: "the worker comes back with other weights", with: "life: {back: another-seed}", shows: "lifecycle/comes-back=other-vector"},
		{name: "the worker stays away", with: "life: {back: nothing}", shows: "lifecycle/comes-back=not-back lifecycle/health-at-start=unseen"},
	}
}
