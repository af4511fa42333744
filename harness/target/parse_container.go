package target

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/embedcontract/embedcontract/harness/target/container"
)

func (containerRuntime) read(r *specReader, m *mapping, c *Component, top shared) {
	k := &Container{}
	c.Container = k
	keep := func(text string, at ast.Node) {
		r.values = append(r.values, value{component: c.Name, text: text, at: at})
	}
	r.image(m, k, keep)
	if n, ok := m.get("command"); ok {
		c.Command = r.literals(m, "command", n, keep)
	}
	r.argsAndEnv(m, c, top, keep)
	if n, ok := m.get("port"); ok {
		if k.Port = m.count("port", n); k.Port > 65535 {
			m.fail(n.GetToken(), "port of %s is %d; expected at most 65535", m.what, k.Port)
		}
	}
	if n, ok := m.get("mounts"); ok {
		k.Mounts = r.paths(m, "mounts", n, keep)
	}
	if n, ok := m.get("volumes"); ok {
		k.Volumes = r.paths(m, "volumes", n, func(name string, at ast.Node) {
			if !validName(name) {
				m.fail(at.GetToken(), "a volume of %s is named %q; expected lower case letters, digits, dots, dashes or underscores", m.what, cut(name))
			}
		})
	}
	if n, ok := m.get("resources"); ok {
		r.resources(n, m.what, &k.Resources, keep)
	}
	if n, ok := m.get("capabilities"); ok {
		k.Capabilities = r.literals(m, "capabilities", n, nil)
	}
	if n, ok := m.get("ulimits"); ok {
		k.Ulimits = map[string]int64{}
		texts, nodes := r.environment(n, "ulimits of "+m.what)
		for name, text := range texts {
			v, err := strconv.ParseInt(text, 10, 64)
			if err != nil || v < -1 {
				m.fail(nodes[name].GetToken(), "ulimit %s of %s is %s; expected a number, -1 for none", name, m.what, describe(nodes[name]))
			}
			k.Ulimits[name] = v
		}
	}
	if n, ok := m.get("user"); ok {
		k.User = m.literal("user", n)
		keep(k.User, n)
	}
	r.grace(m, c)
}

// image reads where the image comes from: a folder with a Dockerfile, or a registry, and then with its digest.
func (r *specReader) image(m *mapping, k *Container, keep func(string, ast.Node)) {
	buildNode, build := m.get("build")
	imageNode, image := m.get("image")
	digestNode, digest := m.get("digest")
	if build == image {
		m.fail(m.start, "%s needs either build (a folder with a Dockerfile) or image with digest", m.what)
		return
	}
	if build {
		b, ok := r.mapping(buildNode, "build of "+m.what)
		if !ok {
			return
		}
		if n, ok := b.require("context"); ok {
			k.Context = b.text("context", n)
			keep(k.Context, n)
			if !strings.HasPrefix(k.Context, "/") && !strings.HasPrefix(k.Context, "${") {
				b.fail(n.GetToken(), "context of %s is the relative path %q; put ${dir}/ before it to start at the folder of this file", b.what, cut(k.Context))
			}
		}
		if n, ok := b.get("base"); ok {
			k.Base = b.text("base", n)
			keep(k.Base, n)
		}
		b.done()
		return
	}
	k.Image = m.text("image", imageNode)
	keep(k.Image, imageNode)
	if digest {
		k.Digest = m.text("digest", digestNode)
		keep(k.Digest, digestNode)
		return
	}
	if k.Image != "" && !container.Pinned(k.Image) {
		m.fail(imageNode.GetToken(), "%s lacks the key \"digest\": a tag can mean another image tomorrow%s", m.what, imageHint(k.Image))
	}
}

// paths reads a mapping of paths in the container.
func (r *specReader) paths(m *mapping, key string, n ast.Node, keep func(string, ast.Node)) map[string]string {
	out, nodes := r.environment(n, key+" of "+m.what)
	for to, from := range out {
		if !strings.HasPrefix(to, "/") {
			m.fail(nodes[to].GetToken(), "%s of %s: %q is no path in the container; expected /PATH: SOURCE", key, m.what, cut(to))
		}
		keep(from, nodes[to])
	}
	return out
}

func (r *specReader) resources(n ast.Node, what string, out *Resources, keep func(string, ast.Node)) {
	m, ok := r.mapping(n, "resources of "+what)
	if !ok {
		return
	}
	for _, f := range []struct {
		key string
		to  *int64
	}{{"memory", &out.Memory}, {"shm", &out.SHM}, {"disk", &out.Disk}} {
		if n, ok := m.get(f.key); ok {
			*f.to = r.bytes(m, f.key, n)
		}
	}
	if n, ok := m.get("gpus"); ok {
		out.GPUs = r.gpus(m, n, keep)
	}
	if n, ok := m.get("gpus_via"); ok {
		via := r.oneOf(m, "gpus_via", n, container.ViaAuto, container.ViaNvidia, container.ViaCDI)
		switch {
		case out.GPUs == nil:
			m.fail(n.GetToken(), "%s says gpus_via without gpus", m.what)
		case via != container.ViaAuto:
			out.GPUs.Via = via
		}
	}
	m.done()
}

func (r *specReader) gpus(m *mapping, n ast.Node, keep func(string, ast.Node)) *GPUs {
	switch n := n.(type) {
	case *ast.IntegerNode:
		return &GPUs{Count: m.count("gpus", n)}
	case *ast.SequenceNode:
		if ids := r.literals(m, "gpus", n, keep); len(ids) > 0 && !slices.Contains(ids, "") {
			return &GPUs{Devices: ids}
		}
	case *ast.StringNode:
		if n.Value == "all" {
			return &GPUs{All: true}
		}
	}
	m.fail(n.GetToken(), "gpus of %s is %s; expected all, a number, or a list of device numbers or UUIDs", m.what, describe(n))
	return nil
}

var bytesPattern = regexp.MustCompile(`^([1-9][0-9]{0,6})(Mi|Gi)B?$`)

// bytes reads a size such as 512Mi or 8GiB.
func (r *specReader) bytes(m *mapping, key string, n ast.Node) int64 {
	f := bytesPattern.FindStringSubmatch(m.literal(key, n))
	if f == nil {
		m.fail(n.GetToken(), "%s of %s is %s; expected a size such as 512Mi or 8Gi", key, m.what, describe(n))
		return 0
	}
	v, _ := strconv.ParseInt(f[1], 10, 64) // the pattern lets only numbers through
	if f[2] == "Gi" {
		return v << 30
	}
	return v << 20
}
