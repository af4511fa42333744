package target

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// runVariable marks every process of a run; its value is the id of the run.
	runVariable = "EMBEDCONTRACT_RUN"
	// escapeGrace is how long a process that left its component behind may take to exit after SIGTERM.
	escapeGrace = 3 * time.Second
	// sweepGrace is the same for what a killed owner left: an engine that lost its parent took 6 s.
	sweepGrace = 10 * time.Second
	// runsFolder is where runs keep their state and private folders, in the cache.
	runsFolder = "runs"
)

const runIDPattern = `^[0-9]{8}T[0-9]{6}-[0-9a-f]{16}$`

// runState is what a later process must know to clear up after a killed one.
type runState struct {
	ID      string    `json:"id"`
	Target  string    `json:"target"`
	Started time.Time `json:"started"`
	Owner   identity  `json:"owner"`
	Machine machine   `json:"machine"`
	Groups  []group   `json:"groups"`
	Ports   []int     `json:"ports"`
}

// group is the process group of a component. PID is 0 until it was started.
type group struct {
	Component string `json:"component"`
	identity
	Pipes []string `json:"pipes,omitempty"` // of standard output and error, as /proc names them
}

// machine tells whether pids in a state file mean anything here: a cache may be shared by hosts or containers.
type machine struct {
	Host         string `json:"host"`
	Boot         string `json:"boot,omitempty"`
	PIDNamespace string `json:"pid_namespace,omitempty"`
}

func thisMachine() machine {
	var m machine
	m.Host, _ = os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	m.Boot = strings.TrimSpace(string(boot))
	m.PIDNamespace, _ = os.Readlink("/proc/self/ns/pid")
	return m
}

// run is one start of a target with processes: its private folder and its state file.
type run struct {
	dir, file string
	mu        sync.Mutex
	state     runState
}

func newRun(cache, target string, ports map[string]int) (*run, error) {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	now := time.Now()
	id := now.UTC().Format("20060102T150405-") + hex.EncodeToString(random)
	r := &run{
		dir: filepath.Join(cache, runsFolder, id), file: filepath.Join(cache, runsFolder, id+".json"),
		state: runState{ID: id, Target: target, Started: now, Owner: identify(os.Getpid()), Machine: thisMachine()},
	}
	for _, p := range ports {
		r.state.Ports = append(r.state.Ports, p)
	}
	if err := os.MkdirAll(filepath.Dir(r.file), 0o700); err != nil {
		return nil, fmt.Errorf("cache folder: %w", err)
	}
	// The state first: a folder without it would never be cleared away.
	if err := r.save(); err != nil {
		return nil, err
	}
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("folder of the run: %w", err), os.Remove(r.file))
	}
	return r, nil
}

func (r *run) id() string { return r.state.ID }

// save writes the state in one step, so that a reader never sees half of it.
func (r *run) save() error {
	data, err := json.MarshalIndent(r.state, "", "  ")
	if err != nil {
		return err
	}
	tmp := r.file + ".tmp"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return fmt.Errorf("state of the run: %w", err)
	}
	if err := os.Rename(tmp, r.file); err != nil {
		return fmt.Errorf("state of the run: %w", err)
	}
	return nil
}

// addGroup writes down a component before and after start starts it.
func (r *run) addGroup(g group, start func() (identity, error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Groups = append(r.state.Groups, g)
	last := &r.state.Groups[len(r.state.Groups)-1]
	if err := r.save(); err != nil {
		return err
	}
	id, err := start()
	if err != nil {
		return err
	}
	last.identity = id
	return r.save()
}

// members finds what runs of a component, or of the whole run for "".
func (r *run) members(all []process, component string) []process {
	r.mu.Lock()
	defer r.mu.Unlock()
	if all == nil {
		return r.state.groups(component, false)
	}
	return r.state.members(all, component, false)
}

func (r *run) leads(p process) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.leads(p)
}

// leads reports whether a process is the first one of a component. It is asked of members only.
func (st runState) leads(p process) bool {
	return slices.ContainsFunc(st.Groups, func(g group) bool { return g.PID != 0 && (p.PID == g.PID || p.PID == -g.PID) })
}

// end ends what left its component behind and clears the run away. With something left, the state stays for
// a later Sweep.
func (r *run) end(hurry <-chan struct{}) error {
	left := stopAll(func(all []process) []process { return r.members(all, "") }, r.leads, escapeGrace, hurry)
	if err := leftRunning(left); err != nil {
		return err
	}
	return clearRun(r.dir, r.file)
}

func clearRun(dir, file string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("folder of the run: %w", err)
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("state of the run: %w", err)
	}
	return nil
}

// Sweep stops the processes of runs whose owner is gone, and only those, and removes their folders. It
// returns a line for each run that it ended. Runs of other machines and containers that share the cache are
// left alone. Without /proc (macOS, BSD) only process groups whose leader still runs are found.
func Sweep(cache string) ([]string, error) {
	states, err := readRuns(cache)
	errs := []error{err}
	var lines []string
	here := thisMachine()
	for _, st := range states {
		m := st.Machine
		if m.Host != here.Host || m.Boot == here.Boot && (m.PIDNamespace != here.PIDNamespace || st.Owner.runs()) {
			continue
		}
		var all []process
		var left []process
		if m.Boot == here.Boot { // after a reboot nothing of it can run
			left = stopAll(func(table []process) []process {
				found := st.groups("", true)
				if table != nil {
					found = st.members(table, "", true)
				}
				all = append(all, found...)
				return found
			}, st.leads, sweepGrace, nil)
		}
		if err := leftRunning(left); err != nil {
			errs = append(errs, fmt.Errorf("run %s of target %s: %w", st.ID, st.Target, err))
			continue
		}
		base := filepath.Join(cache, runsFolder, st.ID)
		if err := clearRun(base, base+".json"); err != nil {
			errs = append(errs, err)
			continue
		}
		what := "nothing of it was running"
		if names := distinct(namesOf(all)); len(names) > 0 {
			what = "stopped " + strings.Join(names, ", ")
		}
		lines = append(lines, fmt.Sprintf("cleared up run %s of target %s, whose owner (%d) is gone: %s", st.ID, st.Target, st.Owner.PID, what))
	}
	return lines, errors.Join(errs...)
}

func distinct(names []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// readRuns reads the state files. One that cannot be read is named in the error, the others are returned.
func readRuns(cache string) ([]runState, error) {
	folder := filepath.Join(cache, runsFolder)
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("state of earlier runs: %w", err)
	}
	var states []runState
	var errs []error
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		file := filepath.Join(folder, e.Name())
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue // its run ended just now
		}
		var st runState
		if err == nil {
			err = json.Unmarshal(data, &st)
		}
		// The id becomes a path that is removed: it must be one of ours, and that of the file.
		if err == nil && (!regexp.MustCompile(runIDPattern).MatchString(st.ID) || e.Name() != st.ID+".json") {
			err = errors.New("it holds another run")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("state of a run %s cannot be read, remove it by hand: %w", file, err))
			continue
		}
		states = append(states, st)
	}
	return states, errors.Join(errs...)
}

// portsOfRuns returns the ports that other runs were given, whether or not they listen yet.
func portsOfRuns(cache string) map[int]bool {
	taken := map[int]bool{}
	states, _ := readRuns(cache) // what cannot be read was reported by Sweep
	for _, st := range states {
		for _, p := range st.Ports {
			taken[p] = true
		}
	}
	return taken
}
