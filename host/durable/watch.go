package durable

import (
	"cmp"
	"fmt"
	"sync/atomic"
	"time"
)

// Patience is how long a disk may take to answer until a server calls itself unwell, and leaves the work to the others.
const Patience = 5 * time.Second

// Watch knows since when somebody waits for a disk. One goroutine begins and ends, any may ask. The zero value is one
// that nobody waits for.
type Watch struct{ since atomic.Int64 } // 0: nobody waits; else ns, as now counts

// Begin says that the disk is waited for from now on, End that it has answered.
func (w *Watch) Begin(now time.Duration) { w.since.Store(cmp.Or(int64(now), 1)) }
func (w *Watch) End()                    { w.since.Store(0) }

// Waits is for how long.
func (w *Watch) Waits(now time.Duration) time.Duration {
	if since := w.since.Load(); since != 0 {
		return now - time.Duration(since)
	}
	return 0
}

// Stands is an error when the disk has not answered for longer than it may.
func (w *Watch) Stands(now, patience time.Duration) error {
	if d := w.Waits(now); d > patience {
		return fmt.Errorf("the disk has not answered for %v", d.Round(time.Second))
	}
	return nil
}
