package suites

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

const (
	malformedCheck   = "status_codes/malformed-json"
	emptyBodyCheck   = "status_codes/empty-body"
	contentTypeCheck = "status_codes/content-type"
)

// statusForms are the checks of errors that are made before a request is understood: frameworks make them in a form of
// their own, which may change with the framework, while all others stay as they are.
func statusForms() []contract.Check {
	const dynamo = "Dynamo 1.3 to 1.6, observed: text up to 1.5, JSON since 1.6"
	unreadable := errorForm("status_codes/unreadable-body-error", "the error for a body that is no JSON is JSON itself", "a body that is no JSON",
		"it is made by the framework, before the server's own errors: a client that parses errors meets it first when a proxy cuts a body off", []string{"err-malformed-json", "hdr-json", dynamo})
	unreadable.Reads = []string{malformedCheck, emptyBodyCheck}
	unreadable.Variants = append(unreadable.Variants, contract.Variant{Name: "mixed", Outcome: contract.Differs, Meaning: "they have different forms", Breaks: "clients need a parser for each"})
	unreadable.Swap = append(unreadable.Swap, harmlessSwaps("mixed")...)
	media := errorForm("status_codes/content-type-error", "the error for another content type is JSON", "another content type",
		"it is made by the framework, before the server's own errors, and tells whoever forgot a header why nothing works", []string{"err-content-type", "hdr-json", dynamo})
	media.Reads = []string{contentTypeCheck}
	slash := errorForm("status_codes/trailing-slash-error", "the error for the route with a slash behind it is JSON", "the route with a slash behind it",
		"it is made by the router, not by the route, and tells whoever joined an address with a slash too many", []string{"err-route-method", "hdr-json",
			"Dynamo 1.3 to 1.6, observed: no body up to 1.4, JSON since 1.5"})
	slash.Reads, slash.Level = []string{"status_codes/trailing-slash"}, contract.May
	for i, v := range slash.Variants {
		if v.Name == noRefusals {
			slash.Variants[i] = contract.Variant{Name: v.Name, Outcome: contract.Pass, Meaning: "it is served or redirected: there is no error"}
		}
	}
	return []contract.Check{unreadable, media, slash, statusTooLargeError(dynamo)}
}

// errorForm reads the form of the errors that the checks of its Reads got.
func errorForm(id, promise, what, why string, sources []string) contract.Check {
	const lost = "clients that parse errors raise a parse error in place of the reason"
	return contract.Check{
		ID: id, Promise: promise, Why: why, Level: contract.Should, Extended: true, Sources: append(sources, openAIErrors),
		Variants: []contract.Variant{
			{Name: "json", Outcome: contract.Pass, Meaning: "it is JSON, and declared as that"},
			{Name: "not-json", Outcome: contract.Differs, Meaning: "it is text or HTML, or JSON that is not declared", Breaks: lost},
			{Name: "empty", Outcome: contract.Differs, Meaning: "it has no body", Breaks: "whoever reads the error"},
			{Name: noRefusals, Outcome: contract.Differs, Meaning: what + " is not refused", Breaks: "whoever relies on being told"},
		},
		Swap: harmlessSwaps("json", "not-json", "empty", noRefusals),
		Classify: func(e contract.Evidence) contract.Finding {
			all := map[string]contract.Step{}
			for id, read := range e.Read {
				if s := read.Step("asked"); s.Status >= 400 {
					all[id] = s
				}
			}
			return kinds(all, errorFormOf)
		},
		ReadsSome: true,
	}
}

// errorFormOf names the form of an error.
func errorFormOf(_ string, s contract.Step) string {
	media, _, _ := mime.ParseMediaType(contentType(s)) // what is no media type is empty; clients do not look at parameters
	switch {
	case len(strings.TrimSpace(string(s.Body))) == 0:
		return "empty"
	case (media == "application/json" || strings.HasSuffix(media, "+json")) && json.Valid(s.Body):
		return "json"
	}
	return "not-json"
}

// justTooLarge is just above the greatest limit known of a server, the 45 MB of Dynamo: whoever reads up to it has nearly
// all of the body, so that the client is no longer writing when it is answered, and does not lose the answer.
const justTooLarge = 45<<20 + 4<<10

func statusTooLargeError(dynamo string) contract.Check {
	c := errorForm("status_codes/too-large-error", "the error for a body just above 45 MiB is JSON", "a body of 45 MiB",
		"a client that splits its batches after a 413 has to read why", []string{"err-body-too-large", "hdr-json", dynamo})
	c.ReadsFaults, c.ReadsSome = true, false
	c.Variants = append(c.Variants, contract.Variant{Name: "closed", Outcome: contract.Differs, Meaning: "the connection is closed while the body is sent: the answer, if there is one, is lost",
		Breaks: "clients see a network fault, and repeat 45 MiB"})
	c.Swap = append(c.Swap, harmlessSwaps("closed")...)
	read := c.Classify
	c.Classify = func(e contract.Evidence) contract.Finding {
		s := e.Step("asked")
		switch s.Fault {
		case contract.FaultClosed:
			return contract.Found("closed", "%s", s.Describe()).From(s.Name)
		case "":
		default:
			return contract.Found(contract.NoAnswer, "%s", s.Describe()).From(s.Name)
		}
		e.Read = map[string]contract.Evidence{c.ID: e}
		return read(e).From(s.Name)
	}
	c.Probe = func(ctx context.Context, p contract.Prober) error {
		r := rawEmbeddings(p, []byte(`"`+statusText+`"`), "") // whoever has no limit serves it
		r.Body = padded(r.Body, justTooLarge-len(r.Body))
		r.Recipe = fmt.Sprintf("%q as input, and spaces behind it up to %d bytes", statusText, justTooLarge)
		_, err := p.Send(ctx, "asked", r)
		return err
	}
	return c
}

func statusUnversioned() contract.Check {
	const right = "not-found-404"
	served := contract.Variant{Name: "served", Outcome: contract.Pass, Meaning: "served as under /v1"}
	const own = "own-form"
	variants := slices.DeleteFunc(routeVariants(right, "404"), func(v contract.Variant) bool { return v.Name == served.Name })
	const gone = "clients whose address lacks the /v1 fail now"
	const lost = "clients whose address lacks the /v1 failed before, and fail now with a 200"
	return contract.Check{
		ID: "status_codes/without-version", Promise: "POST /embeddings, without /v1, is served or answered with 404",
		Why: "SDKs put /embeddings behind the base URL: one without /v1 ends up here, and what it is told is all that its user learns", Level: contract.May, Extended: true,
		Sources: []string{"err-route-method", "OpenAI SDKs: base_url", "Dynamo 1.3 to 1.6, observed: an empty 404 up to 1.4, JSON since 1.5",
			"llama.cpp, tools/server/README.md: POST /embeddings is its own API, POST /v1/embeddings that of OpenAI"},
		Variants: append(variants, served, contract.Variant{Name: own, Outcome: contract.Differs,
			Meaning: "200 in a form of the server's own: a list of objects, and in each a list of vectors",
			Breaks:  "SDKs whose base URL lacks the /v1: they look for data in a 200 that has none, and fail in words that name no address",
			Remedy:  "end the base URL with /v1"}),
		Swap: append(routeSwaps(right),
			contract.SwapRule{From: right, To: own, Effect: contract.Compatible, Why: lost}, contract.SwapRule{From: right + "-no-json", To: own, Effect: contract.Compatible, Why: lost},
			contract.SwapRule{From: "other-4xx", To: own, Effect: contract.Compatible, Why: lost}, contract.SwapRule{From: failed, To: own, Effect: contract.Compatible, Why: lost},
			contract.SwapRule{From: own, To: right, Effect: contract.ClientChange, Why: "clients of the server's own form fail now"},
			contract.SwapRule{From: served.Name, To: right, Effect: contract.ClientChange, Why: gone},
			contract.SwapRule{From: right + "-no-json", To: right, Effect: contract.Compatible, Why: "it failed before and fails now"}),
		Probe: askPath("/embeddings"),
		Classify: func(e contract.Evidence) contract.Finding {
			s := e.Step("asked")
			if s.OK() && ownForm(s.Body) {
				return contract.Found(own, "%d, %s", s.Status, contract.Shorten(string(s.Body), shownOfOwnForm)).From(s.Name)
			}
			if _, err := s.One(); s.OK() && err != nil {
				return mismatch(s, err)
			}
			return routeFinding(e, 404, right)
		},
	}
}

// shownOfOwnForm is how much of an answer is shown of which the form is what matters, in characters.
const shownOfOwnForm = 60

// ownForm says that a body is the answer of llama.cpp's own route: a list of objects, one of each text, and in each a list
// of vectors, since without pooling there is one of each token.
func ownForm(body []byte) bool {
	var texts []struct {
		Embedding [][]float64 `json:"embedding"`
	}
	return json.Unmarshal(body, &texts) == nil && len(texts) > 0 && len(texts[0].Embedding) > 0 && len(texts[0].Embedding[0]) > 0
}
