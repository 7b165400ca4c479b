// Package pace limits the rate at which a server sends to that of its link. The kernel's shapers
// cannot do so for frames of AF_XDP, or of a packet socket that bypasses the queueing discipline.
//
// The rate is that of a token bucket over bytes as Ethernet counts them: the frame, its
// FCS, preamble and gap between frames (IEEE 802.3, clauses 3.1 and 4.4.2).
package pace

import (
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/link"
)

// Overhead is what a frame takes of a link beside its own bytes: FCS 4, preamble and
// start delimiter 8, gap 12.
const Overhead = 24

// Burst is how much of an idle link's time can be made up for: what waiting for a timer
// takes too long, mostly.
const Burst = 5 * time.Millisecond

// Wire is a Wire with a limited rate.
type Wire struct {
	link.Wire

	rate  float64 // bytes per second
	sent  atomic.Uint64
	begun atomic.Bool
	free  time.Time // when the link has sent what it was given
	now   func() time.Time
	sleep func(time.Duration)
}

// New limits w to a rate in bits per second, more than 0.
func New(w link.Wire, rate float64) *Wire {
	return &Wire{Wire: w, rate: rate / 8, now: time.Now, sleep: time.Sleep}
}

// Sent is how many bytes the link has taken, with the Overhead of each frame. It may be
// called at any time.
func (w *Wire) Sent() uint64 { return w.sent.Load() }

// Begin forgets what idle time could be made up for: so that what is sent from now on
// never exceeds the rate, however short the time. It may be called at any time.
func (w *Wire) Begin() { w.begun.Store(true) }

// Buffer implements link.Link. It waits until the link has room, after handing over what
// is queued: that has been paid for.
func (w *Wire) Buffer() []byte {
	if wait := w.free.Sub(w.now()); wait > 0 {
		// An error of the link is counted at the user's own Flush, or is of this call only.
		_ = w.Wire.Flush()
		w.sleep(wait)
	}
	return w.Wire.Buffer()
}

// Send implements link.Link.
func (w *Wire) Send(frame []byte) {
	n := len(frame) + Overhead
	earliest := w.now()
	if !w.begun.CompareAndSwap(true, false) {
		earliest = earliest.Add(-Burst)
	}
	if w.free.Before(earliest) {
		w.free = earliest
	}
	w.free = w.free.Add(time.Duration(float64(n) / w.rate * float64(time.Second)))
	w.sent.Add(uint64(n))
	w.Wire.Send(frame)
}
