//go:build !unix

package target

import (
	"errors"
	"os"
	"os/exec"
)

// ownGroup refuses: without process groups and signals nothing could be stopped for certain. Endpoints and
// embedded servers work on such a system.
func ownGroup(*exec.Cmd) error {
	return errors.New("the process runtime needs a Unix system")
}

func signal(int, bool) error { return errors.ErrUnsupported }

func exists(int) bool { return false }

func describeExit(state *os.ProcessState) string { return "ended: " + state.String() }
