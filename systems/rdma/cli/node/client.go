package node

import (
	"context"
	"sync"
	"sync/atomic"
)

// client proposes records, as many at once as the leader takes. When one is decided it proposes the next, on the
// goroutine that has learned of it.
type client struct {
	path    path
	records [][]byte
	decided atomic.Uint64
	starved chan struct{} // holds a token when nothing is under way

	mu     sync.Mutex // guards what follows
	next   int
	bytes  uint64 // proposed
	failed error
}

// run returns when all records are decided.
func (c *client) run(ctx context.Context) error {
	c.path.Together(func() {
		c.mu.Lock()
		c.propose()
		c.mu.Unlock()
	})
	for {
		select {
		case <-c.starved:
		case <-ctx.Done():
			return ctx.Err()
		}
		if over, err := c.wait(); over || err != nil {
			return err
		}
	}
}

// wait proposes the next record when the log has room for it: nothing is under way that would say so.
func (c *client) wait() (over bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil || c.next == len(c.records) {
		return true, c.failed
	}
	if err := c.path.ProposeAsync(c.records[c.next], c.done); err != nil {
		return true, err
	}
	c.count()
	return false, nil
}

func (c *client) count() {
	c.bytes += uint64(len(c.records[c.next]))
	c.next++
}

// propose proposes what the leader takes. The lock is held.
func (c *client) propose() {
	for c.failed == nil && c.next < len(c.records) {
		ok, err := c.path.TryPropose(c.records[c.next], c.done)
		if c.failed = err; !ok {
			break
		}
		c.count()
	}
	if uint64(c.next) == c.decided.Load() {
		select {
		case c.starved <- struct{}{}:
		default:
		}
	}
}

func (c *client) done(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.decided.Add(1)
	if err != nil && c.failed == nil {
		c.failed = err
	}
	c.propose()
}
