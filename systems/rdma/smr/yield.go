package smr

import (
	"context"
	"io"
	"time"
)

// Clients go before a server that is brought back: its state is written as fast as that does not keep what is decided waiting
// for much longer than without. How long that is is found out by stopping now and then.
const (
	yieldLook  = 40 * time.Millisecond // how often the rate may change
	yieldAlone = 2 * time.Second       // how often clients are let alone, for yieldLook
	yieldLeast = 4 << 20               // bytes a second, if clients write little (floor)
	yieldMost  = 4 << 30
	yieldBegin = 32 << 20
	yieldPiece = 64 << 10 // written at once
	// yieldTimes is how much faster the stream is than clients write, at least.
	yieldTimes = 8
	// yieldNoise is how many records a look takes at least, to say anything.
	yieldNoise = 8
)

// governor finds the rate of a stream, in bytes a second. It knows no clock: look tells it what was seen.
type governor struct {
	rate  float64
	least float64
	alone time.Duration // what a record takes without the stream; 0: not known
}

// floor sets the least rate: so many times that of the log, in bytes a second. Clients that write as fast as the stream would
// keep it going for ever.
func (g *governor) floor(log, times float64) {
	g.least = min(max(yieldLeast, log*times), yieldMost)
	g.rate = max(g.rate, g.least)
}

// look takes in what n records took together, with the stream or without.
func (g *governor) look(stream bool, n uint64, took time.Duration) {
	if n < yieldNoise {
		if stream {
			g.rate = min(2*g.rate, yieldMost) // nobody is kept waiting
		}
		return
	}
	mean := took / time.Duration(n)
	switch {
	case !stream && g.alone == 0:
		g.alone = max(mean, 1)
	case !stream:
		g.alone += (mean - g.alone) / 4
	case g.alone == 0:
	case mean > g.alone*3/2:
		g.rate = max(g.rate*3/4, g.least)
	default:
		g.rate = min(g.rate*9/8, yieldMost)
	}
}

// yield writes to another writer, at the governor's rate.
type yield struct {
	ctx  context.Context
	n    *Node
	w    io.Writer
	g    governor
	next time.Time // when more may be written
	// The last look, and what had been decided then.
	looked  time.Time
	quiet   time.Time // when clients were let alone last
	records uint64
	nanos   uint64
	// The log's rate: from where it was when clients were let alone last.
	times    float64
	position uint64
}

func newYield(ctx context.Context, n *Node, w io.Writer) *yield {
	y := &yield{ctx: ctx, n: n, w: w, g: governor{rate: yieldBegin, least: yieldLeast}, times: yieldTimes}
	_, _, y.position = y.seen()
	y.quiet = time.Now().Add(-yieldAlone / 2)
	return y
}

// seen is what was decided since the last call, how long that took, and how far the log is.
func (y *yield) seen() (n uint64, took time.Duration, position uint64) {
	y.n.lock.Lock()
	records, nanos, position := y.n.stats.decidedRecords, y.n.stats.decidedNano, y.n.position
	y.n.lock.Unlock()
	n, took = records-y.records, time.Duration(nanos-y.nanos)
	y.records, y.nanos = records, nanos
	return n, took, position
}

// Write implements io.Writer.
func (y *yield) Write(p []byte) (n int, err error) {
	for len(p) > 0 && err == nil {
		if err = y.wait(); err != nil {
			return n, err
		}
		k, e := y.w.Write(p[:min(len(p), yieldPiece)])
		p, n, err = p[k:], n+k, e
		now := time.Now()
		// What could not be written in time is not made up for in a burst.
		if y.next.Before(now.Add(-yieldLook)) {
			y.next = now.Add(-yieldLook)
		}
		y.next = y.next.Add(time.Duration(float64(k) / y.g.rate * float64(time.Second)))
	}
	return n, err
}

// wait waits until more may be written.
func (y *yield) wait() error {
	now := time.Now()
	if now.Sub(y.quiet) >= yieldAlone {
		// What is on its way already is done with in the first half.
		if err := y.sleep(yieldLook); err != nil {
			return err
		}
		y.seen()
		if err := y.sleep(yieldLook); err != nil {
			return err
		}
		n, took, position := y.seen()
		y.g.look(false, n, took)
		now = time.Now()
		y.g.floor(float64(position-y.position)/now.Sub(y.quiet).Seconds(), y.times)
		y.quiet, y.looked, y.next, y.position = now, now, now, position
	}
	if now.Sub(y.looked) >= yieldLook {
		n, took, _ := y.seen()
		y.g.look(true, n, took)
		y.looked = now
	}
	return y.sleep(y.next.Sub(now))
}

func (y *yield) sleep(d time.Duration) error {
	if d < time.Millisecond { // shorter than a sleep can be
		return context.Cause(y.ctx)
	}
	select {
	case <-time.After(d):
		return nil
	case <-y.ctx.Done():
		return context.Cause(y.ctx)
	}
}
