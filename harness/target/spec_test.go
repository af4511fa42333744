//go:build unix

package target

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/harness/strictyaml"
)

const goodFile = `name: two
title: two components
kind: real
model: m
weights: random
versions: {dynamo: 1.6.1, vllm: 0.31, build: 7}
facts: {max_tokens: 1024, dimensions: 8, query_prefix: "Query:\n", usage: tokens}
expectations: ../expectations/two.yaml
ready: {timeout: 90s}
env: {SHARED: 2, MINE: top}
unset: [A]
components:
  - name: front
    runtime: process
    serves: true
    command: [python, -m, front, --port, "${port}"]
  - name: worker
    runtime: process
    command: [python, -m, worker]
    args: [--to, "${port:front}", --len, 1024]
    env: {MINE: own, HF_TOKEN: hunter2, OTHER_TOKEN: "${env:HF_TOKEN}"}
    unset: [B]
    stop: {grace: 5s}
`

func TestParse(t *testing.T) {
	t.Parallel()
	s, err := Parse(filepath.Join("x", "targets", "two.yaml"), []byte(goodFile))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "two" || s.Kind != Real || s.Versions["vllm"] != "0.31" || s.Versions["build"] != "7" || s.Weights != contract.RandomWeights || s.ReadyTimeout != 90*time.Second || len(s.Digest) != 64 {
		t.Errorf("%+v", s)
	}
	if s.ExpectationsPath != filepath.Join("x", "expectations", "two.yaml") || s.Dir != filepath.Join("x", "targets") {
		t.Error(s.ExpectationsPath, s.Dir)
	}
	f := s.Facts
	if f.Model != "m" || f.MaxTokens != 1024 || f.Dimensions != 8 || f.QueryPrefix != "Query:\n" || f.Usage != "tokens" || len(f.Source) != 5 || f.Source["dimensions"] != "declared" {
		t.Errorf("%+v", f)
	}
	front, worker := s.Components[0], s.Components[1]
	if s.Serving().Name != "front" || front.Grace != DefaultGrace || worker.Grace != 5*time.Second {
		t.Error(s.Serving(), front.Grace, worker.Grace)
	}
	if front.Env["MINE"] != "top" || worker.Env["MINE"] != "own" || worker.Env["SHARED"] != "2" || strings.Join(worker.Unset, "") != "AB" || worker.Args[3] != "1024" {
		t.Errorf("%+v\n%+v", front, worker)
	}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "hunter2") {
		t.Errorf("a secret: %s", data)
	}
	contains(t, string(data), `"HF_TOKEN":"\u003credacted\u003e"`, `"OTHER_TOKEN":"${env:HF_TOKEN}"`, `"ready_timeout_ns":90000000000`, `"max_tokens":1024`, `"weights":"random"`)
	for from, want := range map[string]contract.Weights{"weights: trained\n": contract.TrainedWeights, "": ""} {
		s, err := Parse("t.yaml", []byte(strings.Replace(goodFile, "weights: random\n", from, 1)))
		if err != nil || s.Weights != want {
			t.Errorf("%q: %q, %v", from, s.Weights, err)
		}
	}
}

func TestParseSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, from, to, want string }{
		{"misspelt key", "title: two", "tilte: two", `t.yaml:2:1: unknown key "tilte" in the target (did you mean "title"?); valid keys here: components,`},
		{"unknown key", "model: m", "model: m\nzzz: 1", `t.yaml:5:1: unknown key "zzz" in the target; valid`},
		{"misspelt key of a component", "serves: true", "servs: true", `t.yaml:15:5: unknown key "servs" in component front (runtime process) (did you mean "serves"?)`},
		{"key of another runtime", "serves: true", "serves: true\n    url: x", `unknown key "url" in component front (runtime process)`},
		{"missing key", "model: m\n", "", `t.yaml:1:1: the target lacks the key "model"`},
		{"missing command", "    command: [python, -m, worker]\n", "", `t.yaml:17:5: component worker (runtime process) lacks the key "command"`},
		{"twice", "kind: real", "kind: real\nname: x", `t.yaml:4:1: not valid YAML: mapping key "name" already defined`},
		{"number for text", "model: m", "model: 1", `t.yaml:4:8: model of the target is the number 1; expected a text`},
		{"empty", "model: m", "model:", `model of the target is empty; expected a text`},
		{"a limit that no text has", "max_tokens: 1024", "max_tokens: 2000000", `t.yaml:7:8: facts: max_tokens is 2000000, expected 0 to 1048576`},
		{"brackets without end", "model: m", "model: " + strings.Repeat("[", 100), `t.yaml:4:72: more than 64 lists and mappings stand in each other here`},
		{"not UTF-8", "title: two", "title: tw\xf6", `t.yaml:2:10: the file is not UTF-8`},
		{"text for number", "max_tokens: 1024", "max_tokens: many", `t.yaml:7:21: max_tokens of facts is the text "many"; expected a positive whole number`},
		{"negative", "max_tokens: 1024", "max_tokens: -1", `is the number -1; expected a positive whole number`},
		{"fraction", "dimensions: 8", "dimensions: 8.5", `is the number 8.5; expected a positive whole number`},
		{"not a duration", "timeout: 90s", "timeout: 90", `t.yaml:9:18: timeout of ready is the number 90; expected a duration with its unit, such as 90s`},
		{"kind", "kind: real", "kind: reel", `t.yaml:3:7: kind of the target is "reel" (did you mean "real"?); expected one of real, emulated, reconstructed, endpoint`},
		{"weights", "weights: random", "weights: Random", `t.yaml:5:10: weights of the target is "Random" (did you mean "random"?); expected one of random, trained`},
		{"weights that are not said", "weights: random", "weights:", `t.yaml:5:9: weights of the target is empty; expected a text`},
		{"runtime", "runtime: process\n    serves", "runtime: proces\n    serves", `"proces" (did you mean "process"?); expected one of embedded, endpoint, process`},
		{"runtime to come", "runtime: process\n    serves", "runtime: kubernetes\n    serves", `runtime of component front is "kubernetes"; expected one of`},
		{"truth", "serves: true", "serves: yes please", `expected true or false`},
		{"name", "name: two", "name: Two!", `t.yaml:1:7: name of the target is "Two!"; expected lower case`},
		{"list for mapping", "facts: {max_tokens: 1024, dimensions: 8, query_prefix: \"Query:\\n\", usage: tokens}", "facts: [1]", `facts is a list; expected keys and values`},
		{"text for list", "unset: [B]", "unset: B", `unset of component worker (runtime process) is the text "B"; expected a list`},
		{"list in command", "[python, -m, worker]", "[python, [worker]]", `element 2 of command of component worker (runtime process) is a list; expected a text or a number`},
		{"empty command", "[python, -m, worker]", "[]", `command of component worker (runtime process) is empty`},
		{"relative command", "[python, -m, worker]", "[bin/worker]", `put ${dir}/ before it`},
		{"no serving", "    serves: true\n", "", `0 components have serves: true; expected exactly one`},
		{"two of a name", "name: worker", "name: front", `two components are named "front"`},
		{"no port", `"${port}"`, "80", `nothing tells it to listen on ${port}`},
		{"unknown variable", `"${port}"`, `"${prot}"`, `t.yaml:16:42: unknown variable ${prot} (did you mean "port"?); valid: ${cache}`},
		{"unknown component", "${port:front}", "${port:frond}", `t.yaml:20:18: ${port:frond} names no component with a port (did you mean "front"?)`},
		{"open brace", "${port:front}", "${port:front", `has no closing brace`},
		{"variable in shared env", "SHARED: 2", `SHARED: "${cash}"`, `t.yaml:10:15: unknown variable ${cash} (did you mean "cache"?)`},
		{"alias", "model: m", "model: &x m", `an anchor, alias or tag`},
		{"two documents", "model: m", "model: m\n---\na: 1", `a second document starts here`},
		{"emulator as real", "runtime: process\n    command: [python, -m, worker]\n    args: [--to, \"${port:front}\", --len, 1024]\n    env: {MINE: own, HF_TOKEN: hunter2, OTHER_TOKEN: \"${env:HF_TOKEN}\"}\n    unset: [B]\n    stop: {grace: 5s}", "runtime: embedded\n    personality: p", `kind is "real", but a component is the emulator; expected "emulated"`},
		{"endpoint that is none", "kind: real", "kind: endpoint", `kind is "endpoint", but the serving component is started here`},
		{"syntax", "kind: real", "kind: [real", `t.yaml:`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(goodFile, c.from, c.to, 1)
			if text == goodFile {
				t.Fatal("the case changes nothing")
			}
			_, err := Parse("t.yaml", []byte(text))
			if err == nil {
				t.Fatal("no error")
			}
			contains(t, err.Error(), c.want)
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "t.yaml:") {
					t.Errorf("no position: %s", line)
				}
			}
		})
	}
}

// A misspelt required key is one mistake, not two.
func TestMisspeltRequiredKeyIsReportedOnce(t *testing.T) {
	t.Parallel()
	_, err := Parse("t.yaml", []byte(strings.Replace(goodFile, "title:", "tilte:", 1)))
	if err == nil || strings.Contains(err.Error(), "lacks") || strings.Contains(err.Error(), "\n") {
		t.Error(err)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	big := filepath.Join(dir, "big.yaml")
	if err := os.WriteFile(big, make([]byte, strictyaml.MaxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"): "none.yaml: no such file",
		dir:                             "is a folder",
		big:                             "at most 65536 are read",
	} {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"http://127.0.0.1:8000":                "http://127.0.0.1:8000",
		"http://127.0.0.1:8000/":               "http://127.0.0.1:8000",
		"http://127.0.0.1:8000/v1":             "http://127.0.0.1:8000",
		"http://h/v1/embeddings":               "http://h",
		" https://h/gate/v1/embeddings/ ":      "https://h/gate",
		"https://h/gate/v1/":                   "https://h/gate",
		"https://h/v1beta/openai/v1":           "https://h/v1beta/openai",
		"127.0.0.1:8000":                       "",
		"localhost:8000":                       "",
		"ftp://h":                              "",
		"http://":                              "",
		"http://:80":                           "",
		"http://u:secret@h/v1":                 "",
		"http://u:secret@h:port/v1":            "",
		"https://h/v1/embeddings?api-version=": "",
		"https://h/v1#x":                       "",
		"":                                     "",
	} {
		s, err := Endpoint(raw, "m", "")
		switch {
		case want == "" && err == nil:
			t.Errorf("%q was accepted as %s", raw, s.Components[0].URL)
		case err != nil && (want != "" || strings.Contains(err.Error(), "secret")):
			t.Errorf("%q: %v", raw, err)
		case err == nil && (s.Components[0].URL != want || s.Kind != URL || !validName(s.Name) || s.ReadyTimeout != EndpointReadyTimeout || s.Facts.Model != "m"):
			t.Errorf("%q: %+v", raw, s)
		}
	}
	if _, err := Endpoint("http://h", "", ""); err == nil {
		t.Error("no model, no error")
	}
	s, err := Parse("e.yaml", []byte("name: e\ntitle: e\nkind: endpoint\nmodel: m\ncomponents: [{name: s, runtime: endpoint, url: 'http://h/v1', api_key_env: K}]"))
	if err != nil || s.Serving().URL != "http://h" || s.Serving().APIKeyEnv != "K" || s.ReadyTimeout != EndpointReadyTimeout {
		t.Errorf("%+v %v", s, err)
	}
	_, err = Parse("e.yaml", []byte("name: e\ntitle: e\nkind: real\nmodel: m\ncomponents: [{name: s, runtime: endpoint, url: '${port}'}]"))
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, err.Error(), `expected "endpoint": the suite cannot vouch`, "${port} is a port on this machine")
}

func TestExpand(t *testing.T) {
	t.Parallel()
	values := scope{cache: "/c", run: "/r", dir: "/d", ports: map[string]int{"a": 1, "b": 2}}
	for text, want := range map[string]string{
		"":                              "",
		"${cache}/x${run}${dir}":        "/c/x/r/d",
		"${port}-${port:b}-${port:a}":   "1-2-1",
		"$HOME $${port} $ {x} ${port}}": "$HOME ${port} $ {x} 1}",
		"${port:c}":                     "error",
		"${}":                           "error",
		"${port":                        "error",
		"${env:TARGET_NO_SUCH}":         "error",
	} {
		got, err := expand(text, values.in("a"))
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q became %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestRedactArgs(t *testing.T) {
	t.Parallel()
	got := redactArgs([]string{"serve", "--api-key", "x", "--hf-token=y", "--max-tokens", "5", "--tokenizer", "t", "--api-key=${env:K}", "--token", "--next", "key", "v"})
	want := "serve --api-key <redacted> --hf-token=<redacted> --max-tokens 5 --tokenizer t --api-key=${env:K} --token --next key v"
	if strings.Join(got, " ") != want {
		t.Errorf("%q", got)
	}
}

func TestShippedTargetsParse(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../fixtures/targets/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	models := map[string]struct {
		limit   int
		weights contract.Weights
	}{"tiny-qwen3-embedding": {1024, contract.RandomWeights}, "random-qwen3-embedding-0.6b": {1024, contract.RandomWeights}, "all-minilm-l6-v2": {256, contract.TrainedWeights}}
	for _, file := range files {
		s, err := Load(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if s.Name != strings.TrimSuffix(filepath.Base(file), ".yaml") {
			t.Errorf("%s holds target %q", file, s.Name)
		}
		if strings.Contains(s.Title, "(not run)") {
			continue // a model of its own, of which nothing was recorded
		}
		m, ok := models[s.Model]
		if strings.HasPrefix(s.Name, "llama-server") {
			m.limit-- // its context holds one token less than it is given
		}
		if !ok || s.Facts.MaxTokens != m.limit || s.Weights != m.weights {
			t.Errorf("%s: model %s, limit %d, weights %q; expected of the models %v", file, s.Model, s.Facts.MaxTokens, s.Weights, models)
		}
		for _, c := range s.Components {
			if c.Runtime == runtimeProcess && c.Grace < DefaultGrace {
				t.Errorf("%s: %s", file, c.Grace)
			}
		}
	}
}
