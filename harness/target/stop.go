package target

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// stopAll ends the processes that find picks from the process table: SIGTERM, then SIGKILL once grace is over
// or hurry is closed. It returns those that are left, whatever they are stuck in.
//
// SIGTERM goes to the leaders first, and to the others when no leader runs any more: a server winds down its
// own workers in order, and takes it for a crash when they end before it.
func stopAll(find func([]process) []process, leads func(process) bool, grace time.Duration, hurry <-chan struct{}) []process {
	seen := map[identity]process{}
	asked := map[identity]bool{}
	deadline := time.Now().Add(grace)
	force := false
	pause := lookPause
	for {
		alive := look(find, seen)
		if len(alive) == 0 {
			return nil
		}
		now := time.Now()
		switch {
		case !force && (now.After(deadline) || isClosed(hurry)):
			force = true
			deadline = now.Add(killWait)
			pause = lookPause
		case force && now.After(deadline):
			return alive
		}
		led := slices.ContainsFunc(alive, leads)
		for _, p := range alive {
			if force || !asked[p.identity] && (leads(p) || !led) {
				asked[p.identity] = true
				_ = signal(p.PID, force) // who may not be signalled is among those left
			}
		}
		select {
		case <-time.After(pause):
		case <-waitFor(hurry, force):
		}
		pause = min(2*pause, lookPauseMax)
	}
}

// look adds what find picks to seen and returns those of seen that still run. A process that was seen once
// stays ours when its parent, by which it was recognised, is gone.
func look(find func([]process) []process, seen map[identity]process) []process {
	all, table := processes()
	found := find(all)
	for _, p := range found {
		seen[p.identity] = p
	}
	if !table {
		return found
	}
	var alive []process
	for _, p := range all {
		if _, ok := seen[p.identity]; ok && !p.dead {
			alive = append(alive, p)
		}
	}
	return alive
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// waitFor returns hurry as long as it can still change anything.
func waitFor(hurry <-chan struct{}, force bool) <-chan struct{} {
	if force {
		return nil
	}
	return hurry
}

// leftRunning makes the error that names processes which could not be ended; nil when there are none.
func leftRunning(left []process) error {
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("still running after SIGKILL: %s", strings.Join(namesOf(left), ", "))
}

func namesOf(ps []process) []string {
	var names []string
	for _, p := range ps {
		names = append(names, fmt.Sprintf("%s (%d)", p.name, p.PID))
	}
	return names
}
