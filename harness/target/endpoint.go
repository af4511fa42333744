package target

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// Endpoint makes the target of a bare URL. The URL may end in /v1 or /v1/embeddings. apiKeyEnv names the
// environment variable that holds the key; empty for a server without keys.
func Endpoint(rawURL, model, apiKeyEnv string) (*Spec, error) {
	base, err := normaliseURL(rawURL)
	if err != nil {
		return nil, err
	}
	if model == "" {
		return nil, errors.New("the model is missing: it is the name that requests to the endpoint carry")
	}
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	name := strings.Trim(regexp.MustCompile(`[^a-z0-9.]+`).ReplaceAllString(strings.ToLower(u.Host+u.Path), "-"), "-.")
	name = strings.TrimRight(name[:min(len(name), 60)], "-.")
	if !validName(name) {
		name = "endpoint"
	}
	return &Spec{
		Name: name, Title: "endpoint " + base, Kind: URL, Model: model,
		Facts:        contract.Facts{Model: model, Keyed: apiKeyEnv != "", Source: map[string]string{"model": "declared"}},
		ReadyTimeout: EndpointReadyTimeout,
		Components:   []Component{{Name: "server", Runtime: runtimeEndpoint, Serves: true, URL: base, APIKeyEnv: apiKeyEnv}},
		Dir:          ".",
	}, nil
}

// normaliseURL returns the base URL without /v1/embeddings, /v1 or a slash at its end.
func normaliseURL(raw string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		// The error of net/url repeats the URL, which may hold a password.
		return "", errors.New("the URL cannot be read; expected something like http://127.0.0.1:8000")
	}
	switch {
	case u.User != nil:
		return "", errors.New("the URL holds credentials; name an environment variable with the key (api_key_env) instead")
	case (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
		return "", fmt.Errorf("%q is not the URL of a server; expected something like http://127.0.0.1:8000", cut(raw))
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return "", fmt.Errorf("the URL of %s has a query or fragment; expected a base to which /v1/embeddings can be added", u.Host)
	}
	path := strings.TrimRight(u.Path, "/")
	path = strings.TrimSuffix(path, "/embeddings")
	path = strings.TrimRight(strings.TrimSuffix(path, "/v1"), "/")
	return u.Scheme + "://" + u.Host + (&url.URL{Path: path}).EscapedPath(), nil
}

type endpointRuntime struct{}

func (endpointRuntime) read(r *specReader, m *mapping, c *Component, _ shared) {
	n, ok := m.require("url")
	if !ok {
		return
	}
	c.URL = m.text("url", n)
	r.values = append(r.values, value{component: c.Name, text: c.URL, at: n})
	if c.URL == "" || strings.Contains(c.URL, "${") {
		return // checked when it is started, with the variables in place
	}
	base, err := normaliseURL(c.URL)
	if err != nil {
		m.fail(n.GetToken(), "url of %s: %v", m.what, err)
	}
	c.URL = base
}

func (endpointRuntime) start(_ context.Context, s *Server, c Component) (instance, error) {
	text, err := expand(c.URL, s.scope.in(c.Name))
	if err != nil {
		return nil, err
	}
	base, err := normaliseURL(text)
	if err != nil {
		return nil, fmt.Errorf("url of component %s: %w", c.Name, err)
	}
	return endpointInstance(base), nil
}

// endpointInstance is a server that somebody else runs: it is not ours to stop.
type endpointInstance string

func (e endpointInstance) address() string            { return string(e) }
func (e endpointInstance) exit() error                { return nil }
func (e endpointInstance) stop(<-chan struct{}) error { return nil }
