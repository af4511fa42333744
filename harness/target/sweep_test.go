//go:build unix

package target

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestSweepClearsUpAfterAKilledOwnerOnly(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	file := fakeFile(t, "", "escape-nameless", "worker")
	s, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), "TARGET_FAKE=owner", "OWNER_FILE="+file, "OWNER_CACHE="+cache)
	owner.Stderr = os.Stderr
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "READY ") {
		t.Fatalf("owner said %q, %v", line, err)
	}
	base := strings.TrimSpace(strings.TrimPrefix(line, "READY "))
	child := pidIn(t, s.Components[0].Env["PIDFILE"])

	// A second run, of this process, in the same cache. Its start sweeps, too.
	live, err := fake(t, "", "good").Start(context.Background(), Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := live.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		cleared(t, cache)
	}()
	if lines, err := Sweep(cache); err != nil || len(lines) != 0 || post(base) != nil {
		t.Fatalf("two live runs were touched: %v, %v, %v", lines, err, post(base))
	}

	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait()
	if err := post(base); err != nil {
		t.Fatal("the server went away by itself:", err)
	}
	lines, err := Sweep(cache)
	if err != nil || len(lines) != 1 {
		t.Fatal(lines, err)
	}
	contains(t, lines[0], "of target fake, whose owner", "stopped ")
	if post(base) == nil {
		t.Error("the server of the killed owner still answers")
	}
	if child.runs() {
		t.Error("its grandchild still runs")
	}
	if err := post(live.BaseURL()); err != nil {
		t.Error("the live run was stopped:", err)
	}
}

// A state file may name a pid that is something else by now.
func TestSweepDoesNotTrustPids(t *testing.T) {
	t.Parallel()
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "TARGET_FAKE=sleep")
	other.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	id := identify(other.Process.Pid)
	for _, c := range []struct {
		name    string
		change  func(*runState)
		cleared bool
	}{
		{"group and owner of another start time", func(st *runState) { st.Groups[0].Start, st.Owner = "1", identity{PID: id.PID, Start: "1"} }, true},
		{"before a reboot", func(st *runState) { st.Machine.Boot = "earlier" }, true},
		{"another host", func(st *runState) { st.Machine.Host = "elsewhere" }, false},
		{"another container", func(st *runState) { st.Machine.PIDNamespace = "pid:[1]" }, false},
		{"owner alive", func(st *runState) { st.Owner = identify(os.Getppid()) }, false},
		{"not a run id", func(st *runState) { st.ID = "../../x" }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			cache := t.TempDir()
			r, err := newRun(cache, "fake", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.state.Owner = identity{PID: 1, Start: "0-not"}
			r.state.Groups = []group{{Component: "c", identity: id}}
			c.change(&r.state)
			if err := r.save(); err != nil {
				t.Fatal(err)
			}
			lines, err := Sweep(cache)
			if c.cleared != (len(lines) == 1) {
				t.Errorf("lines %q, %v", lines, err)
			}
			if _, err := os.Stat(r.dir); c.cleared != os.IsNotExist(err) {
				t.Error("folder of the run:", err)
			}
			if !id.runs() {
				t.Fatal("a process that is not of the run was stopped")
			}
		})
	}
	// The same state with the right start time does stop it: the cases above are not green by accident.
	cache := t.TempDir()
	r, err := newRun(cache, "fake", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.state.Owner = identity{PID: 1, Start: "0-not"}
	r.state.Groups = []group{{Component: "c", identity: id}}
	if err := r.save(); err != nil {
		t.Fatal(err)
	}
	if lines, err := Sweep(cache); err != nil || len(lines) != 1 || id.runs() {
		t.Error(lines, err, id.runs())
	}
}

func TestBrokenStateIsNamedAndLeftAlone(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	file := filepath.Join(cache, "runs", "x.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{", "{}"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Sweep(cache)
		if err == nil {
			t.Fatal("no error")
		}
		contains(t, err.Error(), file, "remove it by hand")
	}
}

func TestStateIsCompleteWhileRunning(t *testing.T) {
	t.Parallel()
	srv, cache := start(t, fake(t, "", "good"))
	data, err := os.ReadFile(filepath.Join(cache, "runs", srv.run.id()+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var st runState
	if err := json.Unmarshal(data, &st); err != nil {
		t.Fatal(err)
	}
	if st.Owner != identify(os.Getpid()) || !st.Owner.runs() || len(st.Groups) != 1 || !st.Groups[0].runs() || len(st.Ports) != 1 || st.Ports[0] != srv.Ports()["c0"] {
		t.Errorf("%s", data)
	}
	if _, ok := processes(); ok && (len(st.Groups[0].Pipes) != 2 || !strings.HasPrefix(st.Groups[0].Pipes[0], "pipe:[")) {
		t.Errorf("pipes %q", st.Groups[0].Pipes)
	}
}

// A group outlives its leader. Stop, which saw the leader, goes by the number; Sweep does not, since by then
// it may be the number of somebody else's group.
func TestGroupWithoutLeader(t *testing.T) {
	t.Parallel()
	const none = 1 << 30 // no process has such a pid, so only the table speaks
	st := runState{Groups: []group{{Component: "c", identity: identity{PID: none, Start: "5"}}}}
	orphan := process{identity: identity{PID: none + 1, Start: "6"}, group: none}
	leader := process{identity: identity{PID: none, Start: "5"}, group: none}
	other := process{identity: identity{PID: none, Start: "7"}, group: none}
	for _, c := range []struct {
		table  []process
		strict bool
		want   int
	}{
		{[]process{orphan}, false, 1}, {[]process{orphan}, true, 0},
		{[]process{orphan, leader}, true, 2}, {[]process{orphan, other}, true, 0}, {[]process{orphan, other}, false, 0},
	} {
		if got := st.members(c.table, "", c.strict); len(got) != c.want {
			t.Errorf("%+v, strict %v: %+v", c.table, c.strict, got)
		}
	}
}

// What is left of it on systems without /proc.
func TestGroupsWithoutProcessTable(t *testing.T) {
	t.Parallel()
	if start := startByPS(os.Getpid()); start == "" || start != startByPS(os.Getpid()) {
		t.Errorf("ps says that this process started at %q", start)
	}
	srv, _ := start(t, fake(t, "", "good"))
	st := srv.run.state
	if got := st.groups("c0", true); len(got) != 1 || got[0].PID != -st.Groups[0].PID {
		t.Errorf("%+v", got)
	}
	if got := st.groups("c1", false); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	st.Groups = []group{{Component: "c0", identity: identity{PID: st.Groups[0].PID, Start: "1"}}}
	if got := st.groups("", true); len(got) != 0 {
		t.Errorf("a group of another start time: %+v", got)
	}
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	p, ok := parseStat(7, "7 (a (b) c) S 3 5 5 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242 0 0")
	if !ok || p.name != "a (b) c" || p.parent != 3 || p.group != 5 || p.Start != "4242" || p.dead {
		t.Errorf("%+v %v", p, ok)
	}
	if z, _ := parseStat(7, "7 (x) Z 3 5 5 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4242"); !z.dead {
		t.Error("a zombie counts as running")
	}
	for _, bad := range []string{"", "7 (x", ") (", "7 (x) S 3"} {
		if _, ok := parseStat(7, bad); ok {
			t.Errorf("%q was read", bad)
		}
	}
}
