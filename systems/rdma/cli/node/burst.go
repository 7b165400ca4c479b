package node

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/p4ce/p4ce/host/latency"
	"github.com/p4ce/p4ce/internal/cli"
	"github.com/p4ce/p4ce/internal/event"
)

// checkBursts finds what is wrong with --bursts.
func (o *options) checkBursts() error {
	for _, size := range o.bursts {
		if size < 1 || size > o.window {
			return cli.Usagef("--bursts %d: 1 to the window (--window %d)", size, o.window)
		}
	}
	if len(o.bursts) > 0 && o.count < 1 {
		return cli.Usagef("--bursts needs --count, the number of bursts of each size")
	}
	return nil
}

// burst proposes bursts of every size, each when the one before it is decided, and
// prints how long those of a size took, from the first proposal until all were decided.
func (n *node) burst(ctx context.Context, l path, mode string, record []byte) error {
	before, start := l.did(), time.Now()
	var total uint64
	for _, size := range n.o.bursts {
		h := latency.New()
		for range n.o.count {
			took, err := proposeBurst(ctx, l, record, size)
			if err != nil {
				return err
			}
			h.Add(took)
			total += uint64(size)
		}
		s := h.Summary()
		n.Print(Event{Event: event.Burst, Mode: mode, Records: uint64(size), Total: uint64(n.o.count), Latency: &s})
	}
	if got := l.mode(); got != mode {
		return fmt.Errorf("the leader fell back to %s mode", got)
	}
	stats := l.did()
	n.Print(Event{Event: event.Done, Mode: mode, Records: total, Bytes: total * uint64(len(record)),
		Writes: stats.writes - before.writes, Repairs: stats.repairs - before.repairs, Seconds: time.Since(start).Seconds()})
	return nil
}

// proposeBurst proposes one burst and returns what it took.
func proposeBurst(ctx context.Context, l path, record []byte, size int) (time.Duration, error) {
	var (
		mu      sync.Mutex
		left    = size
		failed  error
		decided = make(chan time.Time, 1)
	)
	done := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = errors.Join(failed, err)
		if left--; left == 0 {
			decided <- time.Now()
		}
	}
	start := time.Now()
	if err := propose(l, record, size, done); err != nil {
		return 0, err
	}
	select {
	case at := <-decided:
		mu.Lock()
		defer mu.Unlock()
		return at.Sub(start), failed
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// propose proposes a record n times, as many at once as there is room for.
func propose(l path, record []byte, n int, done func(error)) (err error) {
	for n > 0 && err == nil {
		l.Together(func() {
			for ok := true; n > 0 && ok && err == nil; {
				if ok, err = l.TryPropose(record, done); ok {
					n--
				}
			}
		})
		if n > 0 && err == nil { // it waits for room
			err = l.ProposeAsync(record, done)
			n--
		}
	}
	return err
}
