//go:build unix

package bounds

import (
	"syscall"
	"time"
)

// spent is the processor time that this process has used since its start, that of the collector included. On a busy
// machine a clock would measure the others.
func spent() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
