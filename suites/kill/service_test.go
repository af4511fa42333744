package kill_test

func serviceMutants() []mutant {
	return []mutant{
		{name: "no models are listed", with: "routes: {models: empty}", shows: "service/models=empty service/models-are-served=no-list", also: []coupling{
			{"what is not listed cannot be looked up either", "service/model-by-name=absent"}}},
		{name: "no list of models", with: "routes: {models: absent}", shows: "service/models=absent", also: []coupling{
			{"what is not listed cannot be looked up either", "service/model-by-name=absent"}}},
		{name: "models are listed under another name", with: "routes: {models: renamed}", shows: "service/models=other-names service/models-are-served=some-refused", also: []coupling{
			{"what is not listed cannot be looked up either", "service/model-by-name=absent"}}},
		{name: "models are listed under a name that fails", with: "routes: {models: renamed}\nfaults: {unknown-model: {status: 500}}", shows: "service/models=other-names service/models-are-served=some-refused", also: []coupling{
			{"what is not listed cannot be looked up either", "service/model-by-name=absent"},
			{"a name that is not served fails", "status_codes/unknown-model=failed-5xx status_codes/client-faults-are-4xx=some-5xx"}}},
		{name: "models are listed by id alone", with: "routes: {models: bare}", shows: "service/models=incomplete", also: []coupling{
			{"what is not listed whole cannot be looked up either", "service/model-by-name=absent"}}},
		{name: "the list of models fails", with: "routes: {models: failing}", shows: "service/models=failed", also: []coupling{
			{"what is not listed cannot be looked up either", "service/model-by-name=absent"}}},
		{name: "a model cannot be looked up", with: "routes: {model_item: absent}", shows: "service/model-by-name=absent"},
		{name: "a model has another name when it is looked up", with: "routes: {model_item: renamed}", shows: "service/model-by-name=other-name"},
		{name: "looking a model up fails", with: "routes: {model_item: failing}", shows: "service/model-by-name=failed"},
		{name: "no health", with: "routes: {health: absent}", shows: "service/health=absent"},
		{name: "unhealthy", with: "routes: {health: failing}", shows: "service/health=unhealthy"},
		{name: "403 for every path that it does not have", with: "routes: {models: absent, health: absent}\nfaults: {path: {status: 403}}",
			shows: "service/models=closed service/model-by-name=closed service/health=closed service/own-document=closed", also: []coupling{
				{"paths that nobody has are such paths", "status_codes/wrong-path=other-4xx instructions/cohere-route=refused"}}},
		{name: "request ids echoed", with: "reply: {request_id: echoed}", shows: "service/request-id=echoed"},
		{name: "request ids of its own", with: "reply: {request_id: own}", shows: "service/request-id=own"},
		{name: "request ids in another header", with: "reply: {request_id: other-header}", shows: "service/request-id=other-header"},
		{name: "rate limits told", with: `reply: {headers: {X-Ratelimit-Remaining-Requests: "5", X-Ratelimit-Limit-Requests: "9", X-Ratelimit-Reset-Requests: 1s}}`,
			shows: "service/rate-limit-headers=whole"},
		{name: "rate limits told in part", with: `reply: {headers: {X-Ratelimit-Remaining-Tokens: "5"}}`, shows: "service/rate-limit-headers=partial"},
		{name: "publishes what it does", with: "routes: {document: right}", shows: "service/own-document=does-so"},
		{name: "publishes fewer statuses than it uses", with: "routes: {document: right, document_statuses: [200, 400]}", shows: "service/own-document=undeclared-status"},
		{name: "publishes nothing of a 200", with: "routes: {document: no-schema}", shows: "service/own-document=no-schema"},
		{name: "publishes another schema", with: "routes: {document: other-schema}", shows: "service/own-document=departs"},
		{name: "publishes a document without the route", with: "routes: {document: no-route}", shows: "service/own-document=no-route"},
		{name: "publishes YAML", with: "routes: {document: no-json}", shows: "service/own-document=unreadable"},
		{name: "its document fails", with: "routes: {document: failing}", shows: "service/own-document=unreadable"},
	}
}

// authMutants are servers with a key, or that make a fuss about one. The base has none.
func authMutants() []mutant {
	const key = "a-key-of-this-table"
	const needs = "request: {api_key: " + key + "}\n"
	const withKey = "auth/any-key=not-applicable "
	refused := func(v string) string {
		return withKey + "auth/missing-key=" + v + " auth/wrong-key=" + v + " auth/wrong-scheme=" + v
	}
	return []mutant{
		{name: "a key is needed", key: key, with: needs, shows: refused("refused-401") + " auth/health-is-open=open"},
		{name: "403 without the key", key: key, with: needs + "faults: {unauthorized: {status: 403}}", shows: refused("refused-403") + " auth/health-is-open=open"},
		{name: "422 without the key", key: key, with: needs + "faults: {unauthorized: {status: 422}}", shows: refused("refused-4xx") + " auth/health-is-open=open"},
		{name: "500 without the key", key: key, with: needs + "faults: {unauthorized: {status: 500}}", shows: refused("failed-5xx") + " auth/health-is-open=open"},
		{name: "the key is not looked at", key: key, with: "request: {key_check: exact}", shows: refused("served") + " auth/health-is-open=open"},
		{name: "no key will do, a wrong one will not", key: key, with: "request: {api_key: " + key + ", key_check: if-sent}", shows: withKey +
			"auth/missing-key=served auth/wrong-key=refused-401 auth/wrong-scheme=refused-401 auth/health-is-open=open"},
		{name: "any bearer will do", key: key, with: "request: {api_key: " + key + ", key_check: any}", shows: withKey +
			"auth/missing-key=refused-401 auth/wrong-key=served auth/wrong-scheme=refused-401 auth/health-is-open=open"},
		{name: "another scheme will do", key: key, with: "request: {api_key: " + key + ", key_check: scheme-blind}", shows: withKey +
			"auth/missing-key=refused-401 auth/wrong-key=refused-401 auth/wrong-scheme=served auth/health-is-open=open"},
		{name: "health needs the key", key: key, with: needs + "routes: {health_key: needed}", shows: refused("refused-401") + " auth/health-is-open=closed"},
		{name: "a key, and no health", key: key, with: needs + "routes: {health: absent}", shows: refused("refused-401") + " auth/health-is-open=absent", also: []coupling{
			{"there is no health to ask with the key either", "service/health=absent"}}},
		{name: "a key, and unhealthy", key: key, with: needs + "routes: {health: failing}", shows: refused("refused-401") + " auth/health-is-open=failed", also: []coupling{
			{"it is as unhealthy with the key", "service/health=unhealthy"}}},
		{name: "any key is refused", with: "request: {key_check: refuses-any}", shows: "auth/any-key=refused", also: []coupling{
			{"an SDK always sends a key", "witnesses/go-default=raises witnesses/go-batch=raises"}}},
	}
}
