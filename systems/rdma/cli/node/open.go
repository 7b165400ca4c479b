package node

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/event"
)

// maxOffered is the highest rate that is offered: what a clock of nanoseconds can space.
const maxOffered = 1e8

// checkOpenLoop finds what is wrong with --open-loop and --rates.
func (o *options) checkOpenLoop() error {
	if o.openFor < 0 {
		return cli.Usagef("--open-loop %v: not negative", o.openFor)
	}
	if (o.openFor > 0) != (len(o.rates) > 0) {
		return cli.Usagef("--open-loop and --rates go together")
	}
	if o.openFor > 0 && len(o.bursts) > 0 {
		return cli.Usagef("--open-loop or --bursts, not both")
	}
	for _, r := range o.rates {
		if !(r > 0 && r <= maxOffered) {
			return cli.Usagef("--rates %g: more than 0, at most %g per second", r, float64(maxOffered))
		}
	}
	return nil
}

// openLoop offers records at every rate, for a time each, and prints how long those of a
// rate took.
func (n *node) openLoop(ctx context.Context, l path, mode string, record []byte) error {
	before, start := l.did(), time.Now()
	var total uint64
	for _, rate := range n.o.rates {
		count := max(int(rate*n.o.openFor.Seconds()), 1)
		s, took, err := offer(ctx, l, record, rate, count)
		if err != nil {
			return err
		}
		total += uint64(count)
		n.Print(Event{Event: event.Offered, Mode: mode, Rate: rate, Records: uint64(count), Seconds: took.Seconds(), Latency: &s})
	}
	if got := l.mode(); got != mode {
		return fmt.Errorf("the leader fell back to %s mode", got)
	}
	stats := l.did()
	n.Print(Event{Event: event.Done, Mode: mode, Records: total, Bytes: total * uint64(len(record)),
		Writes: stats.writes - before.writes, Repairs: stats.repairs - before.repairs, Seconds: time.Since(start).Seconds()})
	return nil
}

// offer proposes count records at a rate. How long one takes counts from when it was to be
// proposed: if a full window or a late timer holds the proposer up, those behind it have
// waited, too (no coordinated omission). It returns when all are decided, with the time
// that this took.
func offer(ctx context.Context, l path, record []byte, rate float64, count int) (latency.Summary, time.Duration, error) {
	var (
		mu     sync.Mutex
		left   = count
		failed error
		h      = latency.New()
		all    = make(chan struct{})
	)
	// The kernel lets timers of this thread come as late as the slack, 50 us by default.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	defer unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // the default again
	start := time.Now()
	for i := range count {
		intended := start.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		waitUntil(intended)
		if err := ctx.Err(); err != nil {
			return latency.Summary{}, 0, err
		}
		done := func(err error) {
			took := time.Since(intended)
			mu.Lock()
			defer mu.Unlock()
			h.Add(took)
			failed = errors.Join(failed, err)
			if left--; left == 0 {
				close(all)
			}
		}
		if err := propose(l, record, 1, done); err != nil {
			return latency.Summary{}, 0, err
		}
	}
	select {
	case <-all:
		took := time.Since(start)
		mu.Lock()
		defer mu.Unlock()
		return h.Summary(), took, failed
	case <-ctx.Done():
		return latency.Summary{}, 0, ctx.Err()
	}
}

// near is what is left to a time when it is no longer slept for: the kernel's timer comes later
// than it should, by about as much.
const near = 5 * time.Microsecond

func waitUntil(at time.Time) {
	for {
		left := time.Until(at)
		switch {
		case left <= 0:
			return
		case left > near:
			// Not time.Sleep: when nothing else is to be done Go waits in milliseconds, and
			// that would be all that is measured.
			ts := unix.NsecToTimespec(int64(left - near))
			_ = unix.Nanosleep(&ts, nil) // interrupted: it sleeps again
		default:
			runtime.Gosched()
		}
	}
}
