package target

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/embedcontract/embedcontract/harness/contract"
)

// namePattern is the form of target and component names: they become parts of file names and variables.
const namePattern = `^[a-z0-9][a-z0-9._-]{0,63}$`

func validName(s string) bool { return regexp.MustCompile(namePattern).MatchString(s) }

// specReader reads one target file. Values with variables are checked last, when all components are known.
type specReader struct {
	*reader
	spec   *Spec
	values []value
}

// value is a text that may hold variables.
type value struct {
	component string
	text      string
	at        ast.Node
}

func readSpec(name string, data []byte) (*Spec, error) {
	r := &specReader{reader: &reader{file: name}, spec: &Spec{File: name, Dir: filepath.Dir(name)}}
	if root := r.parse(data); root != nil {
		if m, ok := r.mapping(root, "the target"); ok {
			r.target(m)
		}
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return r.spec, nil
}

func (r *specReader) target(m *mapping) {
	s := r.spec
	if n, ok := m.require("name"); ok {
		s.Name = r.name(m, n)
	}
	if n, ok := m.require("title"); ok {
		s.Title = m.text("title", n)
	}
	kindNode, ok := m.require("kind")
	if ok {
		s.Kind = Kind(r.oneOf(m, "kind", kindNode, string(Real), string(Emulated), string(Reconstructed), string(URL)))
	}
	if n, ok := m.require("model"); ok {
		s.Model = m.text("model", n)
	}
	if n, ok := m.get("weights"); ok {
		s.Weights = contract.Weights(r.oneOf(m, "weights", n, string(contract.RandomWeights), string(contract.TrainedWeights)))
	}
	if n, ok := m.get("versions"); ok {
		s.Versions = r.pairs(n, "versions")
	}
	s.Facts = r.facts(m)
	if n, ok := m.get("expectations"); ok {
		if p := m.text("expectations", n); filepath.IsAbs(p) {
			s.ExpectationsPath = p
		} else if p != "" {
			s.ExpectationsPath = filepath.Join(s.Dir, filepath.FromSlash(p))
		}
	}
	if n, ok := m.get("ready"); ok {
		if ready, ok := r.mapping(n, "ready"); ok {
			if n, ok := ready.require("timeout"); ok {
				s.ReadyTimeout = r.duration(ready, "timeout", n)
			}
			ready.done()
		}
	}
	var shared shared
	if n, ok := m.get("env"); ok {
		shared.env, shared.envNodes = r.environment(n, "env")
	}
	if n, ok := m.get("unset"); ok {
		shared.unset = r.literals(m, "unset", n, nil)
	}
	if n, ok := m.require("components"); ok {
		r.components(m, n, shared)
		if kindNode != nil && s.Kind != "" {
			r.checkKind(kindNode)
		}
	}
	m.done()
}

// facts reads the declared facts. The model is one of them: it is what the target is asked for.
func (r *specReader) facts(m *mapping) contract.Facts {
	f := contract.Facts{Model: r.spec.Model, Source: map[string]string{"model": "declared"}}
	n, ok := m.get("facts")
	if !ok {
		return f
	}
	facts, ok := r.mapping(n, "facts")
	if !ok {
		return f
	}
	if n, ok := facts.get("max_tokens"); ok {
		f.MaxTokens, f.Source["max_tokens"] = facts.count("max_tokens", n), "declared"
	}
	if n, ok := facts.get("dimensions"); ok {
		f.Dimensions, f.Source["dimensions"] = facts.count("dimensions", n), "declared"
	}
	if n, ok := facts.get("query_prefix"); ok {
		f.QueryPrefix, f.Source["query_prefix"] = facts.text("query_prefix", n), "declared"
	}
	if n, ok := facts.get("usage"); ok {
		f.Usage, f.Source["usage"] = r.oneOf(facts, "usage", n, contract.UsageTokens, "absent", "unreliable"), "declared"
	}
	if err := f.Validate(); err != nil {
		facts.fail(n.GetToken(), "facts: %v", err)
	}
	facts.done()
	return f
}

// shared is what the top of the file says for all components.
type shared struct {
	env      map[string]string
	envNodes map[string]ast.Node
	unset    []string
}

func (r *specReader) components(m *mapping, n ast.Node, top shared) {
	nodes := m.list("components", n)
	if len(nodes) == 0 {
		m.fail(n.GetToken(), "components is empty; a target has at least one")
		return
	}
	var ported []string
	serving := 0
	for i, n := range nodes {
		cm, ok := r.mapping(n, fmt.Sprintf("component %d", i+1))
		if !ok {
			continue
		}
		c := r.component(cm, top)
		if len(nodes) == 1 {
			c.Serves = true
		}
		if c.Serves {
			serving++
		}
		if c.Runtime != runtimeEndpoint && (c.Container == nil || c.Container.Port > 0) {
			ported = append(ported, c.Name)
		}
		if slices.ContainsFunc(r.spec.Components, func(o Component) bool { return o.Name == c.Name && c.Name != "" }) {
			r.fail(cm.start, "two components are named %q", c.Name)
		}
		r.spec.Components = append(r.spec.Components, c)
	}
	if serving != 1 {
		m.fail(n.GetToken(), "%d components have serves: true; expected exactly one, whose address is asked", serving)
	}
	if n2 := slices.IndexFunc(r.spec.Components, func(c Component) bool { return c.Worker }); n2 >= 0 &&
		slices.ContainsFunc(r.spec.Components[n2+1:], func(c Component) bool { return c.Worker }) {
		m.fail(n.GetToken(), "more than one component has worker: true; expected at most one, which is stopped and started")
	}
	if c := r.spec.Serving(); serving == 1 && c.Container != nil && c.Container.Port == 0 {
		m.fail(n.GetToken(), "component %s serves, but does not say on which port of its container (port: 8000)", c.Name)
	}
	if c := r.spec.Serving(); serving == 1 && c.Runtime == runtimeProcess && !r.knowsPort(c.Name) {
		m.fail(n.GetToken(), "component %s serves, but nothing tells it to listen on ${port}", c.Name)
	}
	r.spec.Facts.Keyed = r.spec.Serving().APIKeyEnv != ""
	for _, v := range r.values {
		if err := checkVariables(v.text, ported, slices.Contains(ported, v.component)); err != nil {
			r.fail(v.at.GetToken(), "%v", err)
		}
	}
	if r.spec.ReadyTimeout == 0 {
		r.spec.ReadyTimeout = DefaultReadyTimeout
		if len(ported) == 0 {
			r.spec.ReadyTimeout = EndpointReadyTimeout
		}
	}
}

func (r *specReader) component(m *mapping, top shared) Component {
	var c Component
	if n, ok := m.require("name"); ok {
		c.Name = r.name(m, n)
		if c.Name != "" {
			m.what = "component " + c.Name
		}
	}
	n, ok := m.require("runtime")
	if !ok {
		m.done()
		return c
	}
	c.Runtime = r.oneOf(m, "runtime", n, runtimeNames()...)
	if n, ok := m.get("serves"); ok {
		c.Serves = m.truth("serves", n)
	}
	if n, ok := m.get("worker"); ok {
		c.Worker = m.truth("worker", n)
	}
	if n, ok := m.get("api_key_env"); ok {
		c.APIKeyEnv = m.text("api_key_env", n)
	}
	// Which other keys are valid is for the runtime to say; of an unknown one nobody knows.
	if rt, ok := runtimeNamed(c.Runtime); ok {
		m.what += " (runtime " + c.Runtime + ")"
		rt.read(r, m, &c, top)
		m.done()
	}
	return c
}

// checkKind holds a file to what the suite can vouch for, since results are labelled with the kind.
func (r *specReader) checkKind(at ast.Node) {
	endpoint := r.spec.Serving().Runtime == runtimeEndpoint
	embedded := slices.ContainsFunc(r.spec.Components, func(c Component) bool { return c.Runtime == runtimeEmbedded })
	switch {
	case endpoint && r.spec.Kind != URL:
		r.fail(at.GetToken(), "kind is %q, but the target is a URL; expected %q: the suite cannot vouch for what it did not start", r.spec.Kind, URL)
	case !endpoint && r.spec.Kind == URL:
		r.fail(at.GetToken(), "kind is %q, but the serving component is started here; expected real, emulated or reconstructed", URL)
	case embedded && r.spec.Kind != Emulated:
		r.fail(at.GetToken(), "kind is %q, but a component is the emulator; expected %q", r.spec.Kind, Emulated)
	}
}

func (r *specReader) name(m *mapping, n ast.Node) string {
	s := m.text("name", n)
	if s != "" && !validName(s) {
		r.fail(n.GetToken(), "name of %s is %q; expected lower case letters, digits, dots, dashes or underscores, at most 64", m.what, cut(s))
		return ""
	}
	return s
}

func (r *specReader) oneOf(m *mapping, key string, n ast.Node, valid ...string) string {
	s := m.text(key, n)
	if s == "" || slices.Contains(valid, s) {
		return s
	}
	r.fail(n.GetToken(), "%s of %s is %q%s; expected one of %s", key, m.what, cut(s), didYouMean(nearest(s, valid)), strings.Join(valid, ", "))
	return ""
}

func (r *specReader) duration(m *mapping, key string, n ast.Node) time.Duration {
	d, err := time.ParseDuration(m.literal(key, n))
	if err != nil || d <= 0 {
		r.fail(n.GetToken(), "%s of %s is %s; expected a duration with its unit, such as 90s or 10m", key, m.what, describe(n))
		return 0
	}
	return d
}

// literals reads a list of texts; keep is called with each one that may hold variables.
func (r *specReader) literals(m *mapping, key string, n ast.Node, keep func(string, ast.Node)) []string {
	var out []string
	for _, e := range m.list(key, n) {
		s := m.literal(fmt.Sprintf("element %d of %s", len(out)+1, key), e)
		if keep != nil {
			keep(s, e)
		}
		out = append(out, s)
	}
	return out
}

// pairs reads a mapping of any names to texts.
func (r *specReader) pairs(n ast.Node, what string) map[string]string {
	out, _ := r.environment(n, what)
	return out
}

func (r *specReader) environment(n ast.Node, what string) (map[string]string, map[string]ast.Node) {
	m, ok := r.mapping(n, what)
	if !ok {
		return nil, nil
	}
	out, nodes := map[string]string{}, map[string]ast.Node{}
	for _, e := range m.entries {
		name, ok := keyOf(e)
		if !ok || name == "" || strings.ContainsAny(name, "=\x00") {
			r.fail(e.Key.GetToken(), "%s has %s as a name; expected a text without =", what, describe(e.Key))
			continue
		}
		out[name], nodes[name] = m.literal(name, e.Value), e.Value
	}
	return out, nodes
}
