package main

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/embedcontract/embedcontract/harness/contract"
	"github.com/embedcontract/embedcontract/suites"
)

func TestListNamesEveryCheck(t *testing.T) {
	suite, err := suites.All()
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := command(t, "list")
	_, asJSON, _ := command(t, "list", "--json")
	var rows []struct {
		ID, Behaviour, Level, Promise, Why  string
		Pair, Remedy, Extended, Provisional bool
		Sources, Reads, Bridges             []string
		Variants                            []struct{ Name, Outcome, Effect, Meaning, Breaks, Remedy string }
	}
	d := json.NewDecoder(bytes.NewReader([]byte(asJSON)))
	if err := d.Decode(&rows); err != nil {
		t.Fatal(err)
	}
	var listed []contract.Check
	for _, b := range suite.Behaviours {
		listed = slices.Concat(listed, b.Checks, b.Remedies)
	}
	if len(rows) != len(listed) || len(suite.Remedies()) == 0 {
		t.Fatalf("%d rows for %d checks and remedies", len(rows), len(listed))
	}
	lines := map[string][]string{}
	for l := range strings.Lines(text) {
		if f := strings.Fields(l); len(f) > 0 {
			lines[f[0]] = f
		}
	}
	for i, c := range listed {
		f := lines[c.ID]
		asked := map[bool]string{false: "core", true: "extended"}[c.Extended]
		if len(f) < 4 || f[1] != string(c.Level) || strings.TrimSuffix(f[2], ",") != asked ||
			(strings.TrimSuffix(f[3], ",") == "pair") != (c.Pair() && !c.Remedy()) || (strings.TrimSuffix(f[3], ",") == "remedy") != c.Remedy() ||
			!strings.HasSuffix(strings.Join(f, " "), strings.Join(strings.Fields(c.Promise), " ")) {
			t.Errorf("%s is listed as %v", c.ID, f)
		}
		r := rows[i]
		if r.ID != c.ID || r.Behaviour+"/" != c.ID[:len(r.Behaviour)+1] || r.Level != string(c.Level) || r.Promise != c.Promise ||
			r.Why != c.Why || r.Pair != c.Pair() || r.Remedy != c.Remedy() || !slices.Equal(r.Bridges, c.Bridges) || r.Extended != c.Extended || r.Provisional != c.Provisional ||
			!slices.Equal(r.Sources, c.Sources) || !slices.Equal(r.Reads, c.Reads) || r.Reads == nil || len(r.Variants) != len(c.Variants) {
			t.Errorf("%s is listed in JSON as %+v", c.ID, r)
			continue
		}
		for j, v := range c.Variants {
			got := r.Variants[j]
			if got.Name != v.Name || got.Outcome != string(v.Outcome) || got.Effect != string(v.Effect) ||
				got.Meaning != v.Meaning || got.Breaks != v.Breaks || got.Remedy != v.Remedy {
				t.Errorf("%s, %s: %+v", c.ID, v.Name, got)
			}
		}
	}
}

func TestExplainShowsRequestsAndServers(t *testing.T) {
	for check, want := range map[string][]string{
		"dimensions/reduced-256": {"Promise ", "Why ", "Sources ", "honoured: pass", "Shown by: legacy (reconstructed)", "Breaks: ", "Remedy: ",
			`curl -sS -X POST "$BASE_URL/v1/embeddings"`, `"dimensions":256`, "--focus '^dimensions/reduced-256$'"},
		"truncation/over-long": {"--data-binary @- # filler(words=", "still-alive (asked by the engine"},
		// A pair check asks nothing itself.
		"dimensions/same-native": {"none of its own", "those of dimensions/native-by-default, which it reads", `"model":"tiny-qwen3-embedding"`},
		"vector_parity/cosine": {"Shown by: legacy-mean-pooling (reconstructed) in place of legacy (reconstructed)", "those of vector_parity/repeat, which it reads",
			"more like these", "--data-binary @- # "},
		"status_codes/survives":       {"none of its own", "checks that it reads, see embedcontract explain: dimensions/reduced-256"},
		"status_codes/malformed-json": {"against the OpenAPI document on purpose: "},
	} {
		t.Run(check, func(t *testing.T) {
			code, stdout, stderr := command(t, "explain", check)
			if code != exitOK {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			wantIn(t, stdout, want...)
		})
	}
}

// TestEveryCheckIsExplained: no check is one whose requests cannot be shown.
func TestEveryCheckIsExplained(t *testing.T) {
	suite, err := suites.At(contract.Draft)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // as an installed command, outside of a checkout
	var all sync.WaitGroup
	free := make(chan bool, 4*runtime.GOMAXPROCS(0)) // each waits for a server some of its time
	for _, c := range slices.Concat(suite.Checks(), suite.Remedies()) {
		free <- true
		all.Go(func() {
			defer func() { <-free }()
			explained(t, c)
		})
	}
	all.Wait()
}

func explained(t *testing.T, c contract.Check) {
	code, stdout, stderr := command(t, "explain", c.ID)
	if code != exitOK {
		t.Errorf("%s: exit code %d\n%s", c.ID, code, stderr)
	}
	if strings.Contains(stdout, "none of its own") && len(c.Reads) == 0 {
		t.Errorf("%s shows no request:\n%s", c.ID, stdout)
	}
	if strings.Contains(stdout, "it takes longer") && !c.Extended {
		t.Errorf("%s is core, and takes too long for explain:\n%s", c.ID, stdout)
	}
}

// TestExplainOfAPatientCheck: what a check waits for is not waited for here.
func TestExplainOfAPatientCheck(t *testing.T) {
	t.Parallel()
	patient := func(string) (contract.Suite, error) {
		s, err := withPlanted(contract.Draft)
		b := &s.Behaviours[len(s.Behaviours)-1]
		b.Checks[0].Extended = true
		b.Checks[0].Probe = func(ctx context.Context, p contract.Prober) error {
			if _, err := p.Embed(ctx, "before", contract.Body{"input": "a"}); err != nil {
				return err
			}
			<-ctx.Done()
			return context.Cause(ctx)
		}
		return s, err
	}
	began := time.Now()
	code, stdout, stderr := commandBy(t.Context(), patient, "explain", "planted/target")
	if code != exitOK || time.Since(began) > 30*time.Second {
		t.Fatalf("exit code %d after %s\n%s%s", code, time.Since(began), stdout, stderr)
	}
	wantIn(t, stdout, "Extended slow, or heavy", "before", "it takes longer than the "+askLimit.String(),
		"--focus '^planted/target$' --extended", "EMBEDCONTRACT_EXTENDED=1 go test ./suites")
}

// TestListOfSomeBehaviours: what is selected is listed, extended checks and remedies too.
func TestListOfSomeBehaviours(t *testing.T) {
	for _, args := range [][]string{{"list", "--behaviour", "dimensions,text"}, {"list", "--behaviour", "dimensions", "--behaviour", "text", "--json"}} {
		code, stdout, stderr := command(t, args...)
		if code != exitOK || strings.Contains(stdout, "unit_norm/") {
			t.Errorf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
		wantIn(t, stdout, "dimensions/reduced-256", "dimensions/slice-on-client", "extended", "text/")
	}
	_, stdout, _ := command(t, "list", "--focus", "^dimensions/reduced-256$")
	if strings.Count(stdout, "\n") != 2 {
		t.Errorf("one check and its behaviour:\n%s", stdout)
	}
	for want, args := range map[string][]string{
		`no behaviour "dimension" (did you mean "dimensions"?)`: {"list", "--behaviour", "dimension"},
		"no regular expression":                                 {"list", "--focus", "("},
	} {
		if code, _, stderr := command(t, args...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
	}
	if code, _, _ := command(t, "list", "--focus", "no such check"); code != exitNothing {
		t.Errorf("exit code %d", code)
	}
}
