package probe

import (
	"fmt"
	"time"
)

// The bounds of a run, beside those of one request. A server that passes one of them is asked nothing more: the checks
// that are left are errors which say so, and the recording is whole.
const (
	// DefaultLimit bounds the time in which one target is asked. The slowest server that we know took 20 minutes, with all
	// extended checks and on two cores; a server that answers everything just in time could hold a run for a day.
	DefaultLimit = 4 * time.Hour
	// MaxLost bounds the requests of a run that get no complete answer in time, those at the same time counted as one. A
	// server that does not survive a request is found out by the plain one after it; this is for one that answers that,
	// and leaves others waiting: at 60 s each it costs half an hour, and not a day.
	MaxLost = 30
)

// OverError says which bound of a run a server has passed.
type OverError struct{ reason string }

func (e OverError) Error() string { return e.reason }

// bound reports the bound that the run has passed, if any. It lasts: one that was passed is not looked at again.
func (e *Engine) bound() error {
	switch {
	case e.over != nil:
	case e.c.Record.Full():
		e.over = OverError{fmt.Sprintf("the target is asked nothing more: its answers take more than the %d MiB that a recording may have", e.room()>>20)}
	case e.lost >= MaxLost:
		e.over = OverError{fmt.Sprintf("the target is asked nothing more: %d requests got no complete answer in time", e.lost)}
	case e.c.Limit > 0 && !e.began.IsZero() && time.Since(e.began) > e.c.Limit:
		e.over = OverError{fmt.Sprintf("the target is asked nothing more: the time limit of %s is over (--time-limit)", e.c.Limit)}
	}
	return e.over
}

func (e *Engine) room() int64 { return e.c.Room * int64(e.c.Rounds) }
