//go:build guards

package kill_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
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

var updateSurvivors = flag.Bool("update-survivors", false, "write the list of faults that no cell notices anew, keeping the reasons that it has")

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
	// Of a fault that no cell turned red for: in how many cells something came out otherwise by it, and of these one that
	// got another variant, which it may have.
	Felt    int    `json:"felt,omitempty"`
	Changed string `json:"changed,omitempty"`
}

// reason is what the run establishes about a fault that survives.
func (r faultResult) reason() string {
	switch {
	case r.Felt == 0:
		return guards.Unexplained
	case r.Changed != "":
		return guards.NoWorse
	}
	return guards.Redundant
}

// String says what there is to look into.
func (r faultResult) String() string {
	switch {
	case r.Red != "":
		return r.Red
	case r.Felt == 0:
		return "never evaluated otherwise by any server"
	case r.Changed != "":
		return fmt.Sprintf("evaluated otherwise in %d cells, and %s", r.Felt, r.Changed)
	}
	return fmt.Sprintf("evaluated otherwise in %d cells, and no variant changed", r.Felt)
}

// survivorsFile lists the faults that no cell notices, under the reason.
const survivorsFile = "testdata/survivors.txt"

// TestClassifiersAreGuarded breaks every classifier in every way that package guards knows, and requires that a cell of
// the kill table turns red. What survives stands in survivorsFile; one that is listed and does not survive fails, too, and
// so does one whose reason the run establishes, and finds another one. It logs what it saw of each survivor.
//
// It builds and asks for itself, for a minute or two of both cores, so it has a tag of its own: make guards.
func TestClassifiersAreGuarded(t *testing.T) {
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
			got, err := runShard(t.Context(), dir, binary, shard)
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
	if t.Failed() {
		return
	}
	judgeFaults(t, found, results)
}

// judgeFaults compares what survived with what is listed.
func judgeFaults(t *testing.T, found *guards.Instrumented, results map[int]faultResult) {
	only := chosen(t, guardsFiles)
	partial := os.Getenv(guardsFiles)+os.Getenv(guardsChecks) != ""
	classifies := map[int]bool{} // scopes that a classifier goes through
	for _, f := range found.Faults {
		if results[f.ID].Reached || f.Classifier {
			classifies[f.Scope] = true
		}
	}
	listed, err := guards.ReadSurvivors(survivorsFile)
	if err != nil {
		t.Fatal(err)
	}
	var survivors []string
	reasons, counts := map[string]string{}, map[string]int{}
	var looked strings.Builder
	tried := 0
	for _, f := range found.Faults {
		r, ok := results[f.ID]
		switch {
		case !only.MatchString(f.File) || !classifies[f.Scope]:
			continue // of a probe
		case !ok:
			t.Errorf("%s was not tried", f.Key())
			continue
		}
		tried++
		switch reason, known := listed[f.Key()]; {
		case r.Red != "" && known && !partial && !*updateSurvivors:
			t.Errorf("%s is listed in %s, and is noticed now: %s", f.Key(), survivorsFile, r.Red)
		case r.Red == "":
			survivors = append(survivors, f.Key())
			reasons[f.Key()] = r.reason()
			counts[r.reason()]++
			fmt.Fprintf(&looked, "%s (line %d): %s\n", f.Key(), f.Line, r)
			switch {
			case *updateSurvivors:
			case !known:
				t.Errorf("%s:%d: nothing turns red when %s (%s): add the server that shows the difference, drop what is not needed, or list it in %s with the reason",
					f.File, f.Line, f.Key(), r, survivorsFile)
			case guards.Established(reason) && reason != r.reason() && os.Getenv(guardsChecks) == "":
				t.Errorf("%s is listed in %s under %q: %s", f.Key(), survivorsFile, reason, r)
			}
		}
		delete(listed, f.Key())
	}
	t.Logf("%s%d faults in classifiers: %d turn the table red, %d survive: %d are never evaluated otherwise, %d change no variant, %d only where either may be",
		looked.String(), tried, tried-len(survivors), len(survivors), counts[guards.Unexplained], counts[guards.Redundant], counts[guards.NoWorse])
	if partial {
		return
	}
	if *updateSurvivors {
		if err := guards.WriteSurvivors(survivorsFile, survivors, func(key string) string { return reasons[key] }); err != nil {
			t.Fatal(err)
		}
		return
	}
	for key := range listed {
		t.Errorf("%s is listed in %s, and there is no such fault", key, survivorsFile)
	}
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

func runShard(ctx context.Context, dir, binary string, shard int) ([]faultResult, error) {
	result := filepath.Join(dir, "result-"+strconv.Itoa(shard)+".jsonl")
	cmd := exec.CommandContext(ctx, binary, "-test.run", "^TestFaultsTurnTheTableRed$")
	cmd.Env = append(os.Environ(), faultsFile+"="+filepath.Join(dir, "faults.json"), faultsShard+"="+strconv.Itoa(shard), faultsResult+"="+result, "GOMAXPROCS=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("judging with faults: %w\n%s", err, tail(out))
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
