package smr

import (
	"context"
	"io"
	"time"
)

// Clients have priority over a server that is being brought back. Its state is written only as fast as
// decided records do not wait much longer than without it. The stream stops now and then to measure
// how long they wait without it.
const (
	yieldLook  = 40 * time.Millisecond // how often the rate may change
	yieldAlone = 2 * time.Second       // how often the stream pauses, for yieldLook
	yieldLeast = 4 << 20               // bytes a second, if clients write little (see floor)
	yieldMost  = 4 << 30
	yieldBegin = 32 << 20
	yieldPiece = 64 << 10 // written at once
	// yieldTimes is how many times faster than clients' writes the stream is, at least.
	yieldTimes = 8
	// yieldNoise is how many records a measurement needs to mean anything.
	yieldNoise = 8
)

// governor finds the rate of a stream, in bytes a second. It has no clock: look gets the measurements.
type governor struct {
	rate  float64
	least float64
	alone time.Duration // what a record takes without the stream; 0: not known yet
}

// floor sets the lowest rate: a multiple of the log's, in bytes a second. Otherwise clients that write
// as fast as the stream would prolong it for ever.
func (g *governor) floor(log, times float64) {
	g.least = min(max(yieldLeast, log*times), yieldMost)
	g.rate = max(g.rate, g.least)
}

// look processes how long n records took, with or without the stream.
func (g *governor) look(stream bool, n uint64, took time.Duration) {
	if n < yieldNoise {
		if stream {
			g.rate = min(2*g.rate, yieldMost) // no client had to wait
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
	// The last measurement, and what had been decided by then.
	looked  time.Time
	quiet   time.Time // when the stream last paused for clients
	records uint64
	nanos   uint64
	// The log's rate, measured from its position at the last pause.
	times    float64
	position uint64
}

func newYield(ctx context.Context, n *Node, w io.Writer) *yield {
	y := &yield{ctx: ctx, n: n, w: w, g: governor{rate: yieldBegin, least: yieldLeast}, times: yieldTimes}
	_, _, y.position = y.seen()
	y.quiet = time.Now().Add(-yieldAlone / 2)
	return y
}

// seen returns what was decided since the last call, how long that took, and how far the log is.
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
		// What could not be written in time is not caught up in a burst.
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
		// In the first half, the bytes that are on their way are finished.
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
