package target

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// killWait is how long a process may take to vanish after SIGKILL. One that is still there hangs in the
	// kernel, in a driver or on a file system.
	killWait = 10 * time.Second
	// lookPause and lookPauseMax are the first and the longest time between two looks at what still runs.
	lookPause    = 5 * time.Millisecond
	lookPauseMax = 250 * time.Millisecond
)

// identity tells a process from a later one with the same pid. Start is empty where it cannot be known.
type identity struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

// process is one line of the process table. A negative pid stands for a whole group, where there is no
// table to read.
type process struct {
	identity
	parent, group int
	name          string
	dead          bool // a zombie: it runs no more, its parent has not noticed yet
}

// processes reads the process table of Linux; ok is false on systems without /proc.
func processes() (all []process, ok bool) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		return nil, false
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if p, ok := readProcess(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all, true
}

func readProcess(pid int) (process, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return process{}, false
	}
	return parseStat(pid, string(stat))
}

// parseStat reads a line of proc(5): pid (name) state ppid pgrp … start as the 22nd. The name may hold
// spaces and parentheses.
func parseStat(pid int, stat string) (process, bool) {
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	f := strings.Fields(stat[end+1:])
	if len(f) < 20 {
		return process{}, false
	}
	parent, err1 := strconv.Atoi(f[1])
	pgrp, err2 := strconv.Atoi(f[2])
	if err1 != nil || err2 != nil {
		return process{}, false
	}
	return process{
		identity: identity{PID: pid, Start: f[19]}, parent: parent, group: pgrp,
		name: stat[open+1 : end], dead: f[0] == "Z" || f[0] == "X",
	}, true
}

// identify returns the identity of a running process; its Start is empty when there is none.
func identify(pid int) identity {
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		p, ok := readProcess(pid)
		if !ok {
			return identity{PID: pid}
		}
		return p.identity
	}
	return identity{PID: pid, Start: startByPS(pid)}
}

// startByPS asks ps, which every Unix has, for the second in which a process started.
func startByPS(pid int) string {
	cmd := exec.CommandContext(context.Background(), "ps", "-o", "lstart=", "-p", strconv.Itoa(pid))
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(string(out)), " ")
}

// runs reports whether the very process of that identity still runs.
func (id identity) runs() bool {
	if id.Start == "" || identify(id.PID) != id {
		return false
	}
	p, ok := readProcess(id.PID)
	return !ok || !p.dead
}

// members returns what runs of a component, or of the whole run for "". A process belongs to the run when
//   - it is in the process group of a component,
//   - its standard output or error is the pipe of a component, which it inherited,
//   - its environment carries the marker of the run, or
//   - its parent belongs to the run.
//
// All four are needed. An engine's workers that lost their parent keep group and pipes, but by naming
// themselves they overwrite the environment that /proc shows. A daemon leaves its group and closes its pipes,
// but keeps the environment. (Who does all of that, and whose parent is gone, is not found.) strict trusts a
// group only while its leader is there to be recognised by its start time: pids are used again.
//
// Without /proc, only the groups of components are found.
func (st runState) members(all []process, component string, strict bool) []process {
	byPID := map[int]process{}
	for _, p := range all {
		byPID[p.PID] = p
	}
	in := map[int]bool{}
	for _, p := range all {
		if p.PID != os.Getpid() && !p.dead && !startedBefore(p.identity, st.Owner) {
			in[p.PID] = st.owns(p, byPID, component, strict)
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if in[p.parent] && !in[p.PID] && !p.dead && p.PID != os.Getpid() {
				in[p.PID], grown = true, true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(p process) bool { return !in[p.PID] })
}

func (st runState) owns(p process, byPID map[int]process, component string, strict bool) bool {
	for _, g := range st.Groups {
		if component != "" && g.Component != component {
			continue
		}
		if g.PID != 0 && p.group == g.PID {
			leader, there := byPID[g.PID]
			if there && leader.identity == g.identity || !there && !strict {
				return true
			}
		}
		for fd := range 3 {
			link, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", p.PID, fd))
			if err == nil && slices.Contains(g.Pipes, link) {
				return true
			}
		}
	}
	if component != "" {
		return false
	}
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
	return err == nil && slices.ContainsFunc(bytes.Split(env, []byte{0}), func(kv []byte) bool {
		return string(kv) == runVariable+"="+st.ID
	})
}

// startedBefore compares start times in clock ticks; unknown ones say nothing.
func startedBefore(a, b identity) bool {
	x, err1 := strconv.ParseUint(a.Start, 10, 64)
	y, err2 := strconv.ParseUint(b.Start, 10, 64)
	return err1 == nil && err2 == nil && x < y
}

// groups stands in for members on systems without /proc.
func (st runState) groups(component string, strict bool) []process {
	var out []process
	for _, g := range st.Groups {
		if (component == "" || g.Component == component) && g.PID != 0 && exists(-g.PID) && (!strict || g.runs()) {
			out = append(out, process{identity: identity{PID: -g.PID, Start: g.Start}, name: "process group of " + g.Component})
		}
	}
	return out
}

// pipeName is what /proc shows for a pipe, "pipe:[123]"; empty without /proc.
func pipeName(f *os.File) string {
	link, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return ""
	}
	return link
}
