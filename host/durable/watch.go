package durable

import (
	"cmp"
	"fmt"
	"sync/atomic"
	"time"
)

// Patience is how long a disk may take to answer before a server considers itself unhealthy, and leaves the work to the others.
const Patience = 5 * time.Second

// Watch knows since when a goroutine has been waiting for a disk. One goroutine calls Begin and End; any may call the other
// methods. In the zero value, no goroutine waits.
type Watch struct{ since atomic.Int64 } // 0: no goroutine waits; else ns, on the clock of now

// Begin starts the wait for the disk, and End ends it: the disk has answered.
func (w *Watch) Begin(now time.Duration) { w.since.Store(cmp.Or(int64(now), 1)) }
func (w *Watch) End()                    { w.since.Store(0) }

// Waits is the duration of the wait, 0 if there is none.
func (w *Watch) Waits(now time.Duration) time.Duration {
	if since := w.since.Load(); since != 0 {
		return now - time.Duration(since)
	}
	return 0
}

// Stalled returns an error when the disk has not answered for longer than patience.
func (w *Watch) Stalled(now, patience time.Duration) error {
	if d := w.Waits(now); d > patience {
		return fmt.Errorf("the disk has not answered for %v", d.Round(time.Second))
	}
	return nil
}
