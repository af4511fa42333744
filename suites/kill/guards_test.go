package kill_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/embedcontract/embedcontract/suites/guards"
)

// What TestClassifiersAreGuarded tells the instrumented binary.
const (
	faultsFile   = "EMBEDCONTRACT_FAULTS"
	faultsShard  = "EMBEDCONTRACT_FAULTS_SHARD"
	faultsResult = "EMBEDCONTRACT_FAULTS_RESULT"
	// shards is how many processes share the faults: a fault is switched on for a whole process.
	shards = 2
)

// What a developer sets to look at some classifiers only: regular expressions of the files in which faults are tried, and
// of the checks that may show them.
const (
	guardsFiles  = "EMBEDCONTRACT_GUARDS_FILES"
	guardsChecks = "EMBEDCONTRACT_GUARDS_CHECKS"
)

func chosen(t *testing.T, variable string) *regexp.Regexp {
	t.Helper()
	re, err := regexp.Compile(os.Getenv(variable))
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return re
}

// faultResult is what became of one fault.
type faultResult struct {
	ID      int    `json:"id"`
	Reached bool   `json:"reached"`
	Red     string `json:"red,omitempty"` // which cell turned red; empty: none
}

// TestClassifiersAreGuarded breaks every classifier in every way that package guards knows, and requires that a cell of
// the kill table turns red. What survives stands in survivors.txt, with the reason why nothing can tell the difference.
func TestClassifiersAreGuarded(t *testing.T) {
	t.Parallel()
	found, err := guards.Instrument(filepath.Join("..", ".."), "./suites", "./harness/parity")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	binary := build(t, dir, found)
	results := map[int]faultResult{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for shard := range shards {
		all.Go(func() {
			got, err := runShard(dir, binary, shard)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			for _, r := range got {
				results[r.ID] = r
			}
		})
	}
	all.Wait()
	f, err := os.Create("/tmp/survivors.out")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	alive := map[int]bool{}
	for _, x := range found.Faults {
		if results[x.ID].Reached {
			alive[x.Scope] = true
		}
	}
	only := chosen(t, guardsFiles)
	n, s, u := 0, 0, 0
	for _, x := range found.Faults {
		r, ok := results[x.ID]
		switch {
		case !ok && only.MatchString(x.File):
			t.Errorf("no result of %s", x.Key())
		case r.Red != "":
			n++
		case r.Reached:
			s++
			fmt.Fprintf(f, "%d: %s\n", x.Line, x.Key())
		case x.Classifier || alive[x.Scope]:
			u++
			fmt.Fprintf(f, "%d: UNREACHED %s\n", x.Line, x.Key())
		}
	}
	t.Logf("%d faults, %d red, %d survive, %d unreached", len(found.Faults), n, s, u)
}

// build compiles this package with the instrumented sources in place of the written ones.
func build(t *testing.T, dir string, found *guards.Instrumented) string {
	t.Helper()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for path, source := range found.Files {
		to := filepath.Join(dir, fmt.Sprintf("%d-%s", len(overlay.Replace), filepath.Base(path)))
		if err := os.WriteFile(to, source, 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[path] = to
	}
	for name, v := range map[string]any{"overlay.json": overlay, "faults.json": found.Faults} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, "guarded.test")
	out, err := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", "guards", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("the instrumented classifiers do not compile: %v\n%s", err, out)
	}
	return binary
}

func runShard(dir, binary string, shard int) ([]faultResult, error) {
	result := filepath.Join(dir, "result-"+strconv.Itoa(shard)+".jsonl")
	cmd := exec.Command(binary, "-test.run", "^TestFaultsTurnTheTableRed$")
	cmd.Env = append(os.Environ(), faultsFile+"="+filepath.Join(dir, "faults.json"), faultsShard+"="+strconv.Itoa(shard), faultsResult+"="+result, "GOMAXPROCS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("judging with faults: %w\n%s", err, tail(out))
	} else {
		fmt.Println(string(tail(out)))
	}
	f, err := os.Open(result)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []faultResult
	for dec := json.NewDecoder(f); ; {
		var r faultResult
		if err := dec.Decode(&r); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
}

// tail is the end of what a process printed.
func tail(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-40):], "\n")
}
