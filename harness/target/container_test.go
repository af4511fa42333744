package target

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/embedcontract/embedcontract/harness/target/container"
)

const someDigest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// graph is a target of containers in which every key is used.
const graph = `name: graph
title: T
kind: real
model: m
env: {SHARED: 1, HOST: "${port:frontend}"}
unset: [IGNORED]
components:
  - name: frontend
    runtime: container
    serves: true
    image: registry.example/app:1
    digest: ` + someDigest + `
    args: [--port, "${port}"]
    port: 8000
    volumes: {/kv: kv}
  - name: worker
    runtime: container
    build: {context: "${dir}/worker", base: embedcontract/base}
    command: [python]
    args: [-m, w, --peer, "frontend:${port:frontend}"]
    env: {HF_HUB_OFFLINE: 0, CACHE: "${cache}"}
    mounts: {/model: "${cache}/models/m"}
    volumes: {/kv: kv}
    resources: {memory: 6Gi, shm: 512MiB, disk: 9Gi, gpus: [0, GPU-a], gpus_via: cdi}
    capabilities: [SYS_NICE]
    ulimits: {memlock: -1}
    user: 1000:1000
    stop: {grace: 40s}
`

func TestContainerGraph(t *testing.T) {
	s, err := Parse("/targets/graph.yaml", []byte(graph))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.containerSpecs(&scope{cache: "/cache", dir: "/targets", run: "/run", ports: map[string]int{"frontend": 20001}})
	if err != nil {
		t.Fatal(err)
	}
	want := []container.Spec{
		{Name: "frontend", Image: "registry.example/app:1@" + someDigest, Args: []string{"--port", "8000"}, Port: 8000, HostPort: 20001,
			Env: map[string]string{"SHARED": "1", "HOST": "8000", "HF_HUB_OFFLINE": "1"}, Volumes: []container.Volume{{Name: "kv", Target: "/kv"}}, Grace: DefaultGrace},
		{Name: "worker", Build: &container.Build{Context: "/targets/worker", Base: "embedcontract/base"}, Command: []string{"python"}, Args: []string{"-m", "w", "--peer", "frontend:8000"},
			Env:    map[string]string{"SHARED": "1", "HOST": "8000", "HF_HUB_OFFLINE": "0", "CACHE": "/cache"},
			Mounts: []container.Mount{{Source: "/cache/models/m", Target: "/model"}}, Volumes: []container.Volume{{Name: "kv", Target: "/kv"}},
			Resources:    container.Resources{Memory: 6 << 30, SHM: 512 << 20, Disk: 9 << 30, GPUs: container.GPUs{Devices: []string{"0", "GPU-a"}, Via: "cdi"}},
			Capabilities: []string{"SYS_NICE"}, Ulimits: []container.Ulimit{{Name: "memlock", Soft: -1, Hard: -1}}, User: "1000:1000", Grace: 40e9},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
	if !s.OnGPU() || !s.HasContainers() {
		t.Error("it is on a GPU, and has containers")
	}
	text, err := json.Marshal(s)
	if err != nil || !strings.Contains(string(text), `"gpus":{"devices":["0","GPU-a"],"via":"cdi"}`) || strings.Contains(string(text), "/cache") {
		t.Errorf("as a recording keeps it: %v, %s", err, text)
	}
}

func TestContainerFaults(t *testing.T) {
	head := "name: n\ntitle: T\nkind: real\nmodel: m\ncomponents:\n- name: c\n  runtime: container\n"
	const image = "  image: a/b:1\n  digest: " + someDigest + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"neither image nor build", "  port: 1\n", "needs either build"},
		{"both", image + "  build: {context: /x}\n  port: 1\n", "needs either build"},
		{"no digest", "  image: a/b:1\n  port: 1\n", `lacks the key "digest": a tag can mean another image tomorrow; find it with ` + "`docker buildx imagetools inspect a/b:1`"},
		{"relative context", "  build: {context: x}\n  port: 1\n", "put ${dir}/ before it"},
		{"no port", image, "does not say on which port"},
		{"port", image + "  port: 70000\n", "at most 65535"},
		{"mount", image + "  port: 1\n  mounts: {model: /m}\n", "no path in the container"},
		{"volume", image + "  port: 1\n  volumes: {/kv: /host}\n", "a volume of component c"},
		{"size", image + "  port: 1\n  resources: {memory: 8GB}\n", "expected a size such as 512Mi or 8Gi"},
		{"gpus", image + "  port: 1\n  resources: {gpus: some}\n", "expected all, a number, or a list"},
		{"no gpus", image + "  port: 1\n  resources: {gpus: 0}\n", "expected a positive whole number"},
		{"via", image + "  port: 1\n  resources: {gpus: all, gpus_via: magic}\n", "expected one of auto, nvidia, cdi"},
		{"via alone", image + "  port: 1\n  resources: {gpus_via: cdi}\n", "gpus_via without gpus"},
		{"ulimit", image + "  port: 1\n  ulimits: {memlock: unlimited}\n", "-1 for none"},
		{"key", image + "  port: 1\n  mount: {/a: /b}\n", `did you mean "mounts"?`},
	} {
		_, err := Parse("t.yaml", []byte(head+c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestDigestIsAskedFor(t *testing.T) {
	s, err := Parse("t.yaml", []byte("name: n\ntitle: T\nkind: real\nmodel: m\ncomponents:\n- {name: c, runtime: container, image: a/b:1, digest: \"${env:SOME_DIGEST}\", port: 1}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{"": "expected sha256:", "sha256:12": "expected sha256:", "unset": "SOME_DIGEST", someDigest: ""} {
		t.Setenv("SOME_DIGEST", value)
		if value == "unset" {
			if err := os.Unsetenv("SOME_DIGEST"); err != nil {
				t.Fatal(err)
			}
		}
		_, err := s.containerSpecs(&scope{ports: map[string]int{}})
		switch {
		case want == "" && err != nil:
			t.Errorf("%q: %v", value, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "imagetools inspect a/b:1")):
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestDeadOwner(t *testing.T) {
	label := func(change func(*owner)) string {
		o := owner{thisMachine(), identify(os.Getpid())}
		change(&o)
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct {
		name, label string
		want        bool
	}{
		{"this process", label(func(*owner) {}), false},
		{"as it is written", ownerLabel(), false},
		{"a process that ended", label(func(o *owner) { o.Process.Start = "1" }), true},
		{"of before the reboot", label(func(o *owner) { o.Machine.Boot = "other" }), true},
		{"of another host", label(func(o *owner) { o.Machine.Host, o.Process.Start = "other", "1" }), false},
		{"of another container", label(func(o *owner) { o.Machine.PIDNamespace, o.Process.Start = "other", "1" }), false},
		{"not ours", "mine", false},
		{"empty", "", false},
		{"empty object", "{}", false},
	} {
		if got := deadOwner(c.label); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
