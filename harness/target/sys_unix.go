//go:build unix

package target

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the command the leader of a process group of its own: what it starts can be signalled with
// it, and Ctrl-C on the terminal reaches the suite only, which then stops the servers in order.
func ownGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return nil
}

// signal ends a process, or the whole group where pid is negative. That it is gone already is no error.
func signal(pid int, force bool) error {
	sig := syscall.SIGTERM
	if force {
		sig = syscall.SIGKILL
	}
	if err := syscall.Kill(pid, sig); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// exists reports whether there is a process, or a group where pid is negative. Zombies count.
func exists(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

func describeExit(state *os.ProcessState) string {
	status, ok := state.Sys().(syscall.WaitStatus)
	switch {
	case !ok:
		return "ended: " + state.String()
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return "was killed (SIGKILL; by hand, or by the kernel for lack of memory)"
	case status.Signaled():
		return fmt.Sprintf("was ended by signal %d (%s)", status.Signal(), status.Signal())
	}
	return fmt.Sprintf("exited with code %d", status.ExitStatus())
}
