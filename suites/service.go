package suites

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/openapi"
)

// service: what stands around the embeddings route, for routers, gateways, monitors and SDKs.
func service(doc *openapi.Document) contract.Behaviour {
	return contract.Behaviour{
		Stem:    "service",
		Promise: "models are listed under the names that are served, health answers, headers help to find a request again, and one request in many is served like the others",
		Checks: append([]contract.Check{
			serviceModels(doc), serviceRetrieve(), serviceRoundTrip(), serviceHealth(), serviceRequestID(), serviceRateLimit(),
			serviceBatchTime(), serviceDocument(), serviceSteady(),
		}, documentFields()...),
	}
}

func get(step, path string, opts ...contract.Option) func(context.Context, contract.Prober) error {
	return func(ctx context.Context, p contract.Prober) error {
		r := contract.Request{Method: "GET", Path: path}
		for _, o := range opts {
			o(&r)
		}
		_, err := p.Send(ctx, step, r)
		return err
	}
}

// noRoute says that the server knows nothing of the path: a 4xx that is not about the key. Frameworks answer 404 or 405;
// gateways choose others. One that is about the load, 429, is no evidence of anything, and no classifier sees it.
func noRoute(s contract.Step) bool {
	return s.Status >= 400 && s.Status <= 499 && s.Status != 401 && s.Status != 403
}

// closedRoute says that the server tells nobody with this key whether it knows the path: gateways answer so for whatever
// they do not pass on.
func closedRoute(s contract.Step) bool { return s.Status == 401 || s.Status == 403 }

const (
	modelsCheck = "service/models"
	closedMeans = "403 or 401: not with this key, or not there"
)

// closedSwaps: a route that is closed and one that is not there are alike to whoever has no other key.
func closedSwaps() []contract.SwapRule {
	const why = "there is nothing to read, as before"
	return []contract.SwapRule{
		{From: "absent", To: "closed", Effect: contract.Compatible, Why: why},
		{From: "closed", To: "absent", Effect: contract.Compatible, Why: why},
	}
}

func serviceModels(doc *openapi.Document) contract.Check {
	return contract.Check{
		ID: modelsCheck, Promise: "GET /v1/models lists the model that is served, with the fields of the schema",
		Why: "Open WebUI, LiteLLM, LangChain and this suite read the list to know what to ask for", Level: contract.Should,
		Sources: []string{"models-list", "OpenAI API, ListModelsResponse"},
		Variants: []contract.Variant{
			{Name: "listed", Outcome: contract.Pass, Meaning: "the list has the model, and the fields that the schema asks for"},
			{Name: "incomplete", Outcome: contract.Differs, Meaning: "the list has the model, and departs from the schema", Breaks: "typed clients read zero values"},
			{Name: "other-names", Outcome: contract.Fail, Meaning: "the list does not have the name under which the model is served", Breaks: "clients that take a name from the list, or look whether theirs is on it"},
			{Name: "empty", Outcome: contract.Fail, Meaning: "the list is empty while the model is served", Breaks: "clients that take a name from the list"},
			{Name: "absent", Refuses: true, Outcome: contract.Unsupported, Meaning: "the route is not there", Breaks: "clients that list models: they must be told the name"},
			{Name: "closed", Refuses: true, Outcome: contract.Differs, Meaning: closedMeans, Breaks: "clients that list models: they must be told the name"},
			{Name: "failed", Refuses: true, Outcome: contract.Fail, Meaning: "another error", Breaks: "clients that list models"},
		},
		Swap: append(closedSwaps(), []contract.SwapRule{
			{From: "incomplete", To: "listed", Effect: contract.Compatible, Why: "the list has what it lacked"},
			{From: "other-names", To: "listed", Effect: contract.Compatible, Why: "the name that is served is on the list now"},
			{From: "empty", To: "listed", Effect: contract.Compatible, Why: "the name that is served is on the list now"},
		}...),
		Probe: get("list", modelsPath),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("list")
			names := modelNames(s)
			f := contract.Found("listed", "%s: %s", statusOf(s), contract.Shorten(strings.Join(names, ", "), 100)).From(s.Name)
			switch {
			case noRoute(s):
				f.Variant = "absent"
			case closedRoute(s):
				f.Variant = "closed"
			case !s.OK():
				f.Variant, f.Observed = "failed", s.Describe()
			case len(names) == 0:
				f.Variant, f.Observed = "empty", statusOf(s)+" "+contract.Shorten(string(s.Body), 100)
			case !slices.Contains(names, e.Facts.Model):
				f.Variant = "other-names"
				f.Observed += fmt.Sprintf("; served is %s", e.Facts.Model)
			default:
				if found := doc.ValidateModels(openapi.Wire, s.Status, contentType(s), s.Body); len(found) > 0 {
					f.Variant = "incomplete"
					f.Observed += "; " + joinViolations(found)
				}
			}
			return f
		},
	}
}

func serviceRetrieve() contract.Check {
	return contract.Check{
		ID: "service/model-by-name", Promise: "GET /v1/models/{name} tells of the model that is served",
		Why: "SDKs offer models.retrieve, and gateways use it as a check", Level: contract.May,
		Sources: []string{"models-list", "OpenAI API, Model"},
		Variants: []contract.Variant{
			{Name: "told", Outcome: contract.Pass, Meaning: "200 with the name as id"},
			{Name: "other-name", Outcome: contract.Fail, Meaning: "200 with another id, or none", Breaks: "clients that compare names"},
			{Name: "absent", Refuses: true, Outcome: contract.Unsupported, Meaning: "the route is not there", Breaks: "clients that look a model up"},
			{Name: "closed", Refuses: true, Outcome: contract.Differs, Meaning: closedMeans, Breaks: "clients that look a model up"},
			{Name: "failed", Refuses: true, Outcome: contract.Fail, Meaning: "another error", Breaks: "clients that look a model up"},
		},
		Swap: closedSwaps(),
		Probe: func(ctx context.Context, p contract.Prober) error {
			return get("model", modelsPath+"/"+url.PathEscape(p.Facts().Model))(ctx, p)
		},
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("model")
			f := contract.Found("told", "%s", statusOf(s)).From(s.Name)
			var m struct {
				ID string `json:"id"`
			}
			_ = json.Unmarshal(s.Body, &m) // what is no JSON names no model
			switch {
			case noRoute(s):
				f.Variant = "absent"
			case closedRoute(s):
				f.Variant = "closed"
			case !s.OK():
				f.Variant, f.Observed = "failed", s.Describe()
			case m.ID != e.Facts.Model:
				f.Variant, f.Observed = "other-name", contract.Shorten(string(s.Body), 100)
			}
			return f
		},
	}
}

// listedNames bounds how many of the listed models are asked for an embedding; the rest may be chat models.
const listedNames = 8

// longestName bounds a name that is asked for, in bytes: a longer one is no name.
const longestName = 1 << 10

// askedNames are the names of a list that are asked for an embedding.
func askedNames(listed []string) []string {
	var names []string
	for _, name := range listed {
		if len(names) < listedNames && len(name) <= longestName {
			names = append(names, name)
		}
	}
	return names
}

// askedModel is the name of the model in a request.
func askedModel(s contract.Step) string {
	var asked struct {
		Model string `json:"model"`
	}
	_ = json.Unmarshal(s.Request.Body, &asked) // the suite has made it
	return asked.Model
}

func serviceRoundTrip() contract.Check {
	return contract.Check{
		ID: "service/models-are-served", Promise: "each name on the list gives an embedding",
		Why: "a client that takes a name from the list must get an answer", Level: contract.Should, Extended: true,
		Sources: []string{"models-name-roundtrip"}, Reads: []string{modelsCheck},
		Variants: []contract.Variant{
			{Name: "all-served", Outcome: contract.Pass, Meaning: "each of the names was served"},
			{Name: "some-refused", Refuses: true, Outcome: contract.Differs, Meaning: "a listed name is refused, or one that is not the served model's gives a 5xx: it may be of another kind of model", Breaks: "clients that take any name from the list"},
			{Name: "some-fail", Refuses: true, Outcome: contract.Fail, Meaning: "the served model's name gives a 5xx when it is taken from the list", Breaks: "clients that take any name from the list"},
			{Name: "no-list", Refuses: true, Outcome: contract.Unsupported, Meaning: "there is no list, or nothing on it", Breaks: "clients must be told the name"},
		},
		Probe: func(ctx context.Context, p contract.Prober) error {
			names := modelNames(p.Read(modelsCheck).Step("list"))
			for i, name := range askedNames(names) {
				if _, err := p.Embed(ctx, fmt.Sprintf("name:%d", i), contract.Body{"input": statusText, "model": name}); err != nil {
					return err
				}
			}
			return nil
		},
		Classify: func(e contract.Evidence) contract.Finding {
			f := contract.Found("all-served", "%d names", len(e.StepsLike("name:")))
			if len(e.StepsLike("name:")) == 0 {
				f.Variant = "no-list"
			}
			for _, s := range e.StepsLike("name:") {
				_, err := s.One()
				switch v, refused := refusal(s); {
				case v == failed && askedModel(s) == e.Facts.Model:
					return contract.Found("some-fail", "%s: %s", s.Name, s.Describe()).From(s.Name)
				case refused:
					f = contract.Found("some-refused", "%s: %s", s.Name, s.Describe()).From(s.Name)
				case err != nil:
					return mismatch(s, err)
				}
			}
			return f
		},
	}
}

func serviceHealth() contract.Check {
	return contract.Check{
		ID: "service/health", Promise: "GET /health is 200 while embeddings are served",
		Why: "orchestrators restart what is not healthy, and load balancers leave it out", Level: contract.May,
		Sources: []string{"health-truthful"},
		Variants: []contract.Variant{
			{Name: "healthy", Outcome: contract.Pass, Meaning: "200, and an embedding is served"},
			{Name: "absent", Refuses: true, Outcome: contract.Unsupported, Meaning: "the route is not there", Breaks: "probes that ask /health; servers have it elsewhere (Infinity below its prefix), or not at all"},
			{Name: "closed", Refuses: true, Outcome: contract.Differs, Meaning: closedMeans, Breaks: "probes that ask /health from the same side as clients"},
			{Name: "unhealthy", Refuses: true, Outcome: contract.Fail, Meaning: "an error, while embeddings are served", Breaks: "it is restarted, or gets no traffic, though it works"},
		},
		Swap:  closedSwaps(),
		Probe: get("health", healthPath),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("health")
			f := contract.Found("healthy", "%s", statusOf(s)).From(s.Name)
			switch {
			case noRoute(s):
				f.Variant = "absent"
			case closedRoute(s):
				f.Variant = "closed"
			case !s.OK():
				f.Variant, f.Observed = "unhealthy", s.Describe()
			}
			return f
		},
	}
}
