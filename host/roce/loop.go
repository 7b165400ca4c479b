package roce

import (
	"errors"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/cmsm"
)

// A device on a wire that can be polled runs to completion: one goroutine takes what
// the wire has, runs the transport, calls those who serve completion queues, and then hands all that
// they posted to the wire at once. It waits only when nothing is left to do, with the kernel's timers.
//
// While much is under way, a device that woke for every frame would spend its time waking. Then it rests
// for a moment before it looks again, as a NIC moderates its interrupts, and takes what has come together.

// service is who serves a completion queue.
type service struct {
	dev   *Device
	queue *CQ
	f     func() time.Duration
	due   atomic.Bool
	at    atomic.Int64 // when f asked to be called again

	mu   sync.Mutex // held during f
	over bool
}

// Kick implements rdma.Service.
func (s *service) Kick() {
	s.due.Store(true)
	s.dev.wakeLoop()
}

// Stop implements rdma.Service.
func (s *service) Stop() {
	d := s.dev
	d.mu.Lock()
	s.queue.service = nil
	d.services = slices.DeleteFunc(slices.Clone(d.services), func(o *service) bool { return o == s })
	d.mu.Unlock()
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
}

// call calls f unless the service has ended.
func (s *service) call(now time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	at := cmsm.Never
	if again := s.f(); again >= 0 {
		at = now + again
	}
	s.at.Store(int64(at))
	if int64(at) < s.dev.until.Load() {
		s.dev.wakeLoop() // it was not the loop that has called
	}
}

// serve has the loop call f when q has completions.
func (d *Device) serve(q *CQ, f func() time.Duration) rdma.Service {
	s := &service{dev: d, queue: q, f: f}
	s.at.Store(int64(cmsm.Never))
	d.mu.Lock()
	q.service = s
	d.services = append(slices.Clone(d.services), s)
	d.mu.Unlock()
	s.Kick() // there may be some already
	return s
}

// wakeLoop makes the loop look for what is due.
func (d *Device) wakeLoop() {
	if d.still.Load() {
		d.loops.Wake()
	}
}

// loop is the goroutine.
func (d *Device) loop() {
	for yielded := d.now(); ; {
		if now := d.now(); now > yielded+yieldEvery {
			yielded = now
			runtime.Gosched()
		}
		d.role.Lock()
		n, err := d.loops.Poll(d.frames[:])
		if errors.Is(err, net.ErrClosed) {
			d.turn(nil, nil) // who serves queues hears of what was flushed
			d.role.Unlock()
			return
		}
		d.turn(d.frames[:n], err)
		d.role.Unlock()
		switch {
		case err != nil && n == 0:
			d.pause()
		case n == 0:
			if d.await() != nil {
				d.pause()
			}
		default:
			d.rest(n)
		}
	}
}

// yieldEvery is how often the loop passes Go's scheduler. A goroutine that has not passed it for 10 ms counts as one
// that should be interrupted: the runtime's monitor then takes the processor away from each of its system calls,
// looks every 20 us whether there is another one, and so costs more than a tenth of the loop's time. For the same
// reason the goroutine is not locked to its thread: passing the scheduler would take two thread switches. It is not done
// more often, because it wakes another thread each time that a processor is idle.
const yieldEvery = 2 * time.Millisecond

// turn does what there is to do. role is held.
func (d *Device) turn(frames [][]byte, err error) {
	d.mu.Lock()
	d.turns++
	if len(frames) > 0 || err != nil {
		d.take(frames, err)
	}
	if now := d.now(); now >= d.wakeAt {
		d.elapse(now)
	}
	services := d.services
	d.mu.Unlock()
	for _, s := range services {
		if now := d.now(); s.due.Swap(false) || int64(now) >= s.at.Load() {
			s.call(now)
		}
	}
	d.end()
}

// end ends a turn.
func (d *Device) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.turns--; d.turns == 0 {
		d.flush()
	}
}

// Together implements rdma.Batcher.
func (d *Device) Together(f func()) {
	d.mu.Lock()
	d.turns++
	d.mu.Unlock()
	f()
	d.end()
	d.help()
}

// help takes frames that have come, in place of the loop: who has just sent something may have the answer before the
// loop's thread wakes. It does nothing during a turn.
func (d *Device) help() {
	for d.loops != nil && d.role.TryLock() {
		n, _ := d.loops.Poll(d.frames[:]) // the loop hears of an error, too
		if n > 0 {
			d.turn(d.frames[:n], nil)
		}
		d.role.Unlock()
		if n == 0 {
			break
		}
	}
}

// await waits for frames, for a service to be due, or for time to pass.
func (d *Device) await() error {
	d.until.Store(int64(cmsm.Never))
	d.still.Store(true) // from here on, who has something for the loop wakes it
	defer d.still.Store(false)
	d.mu.Lock()
	at, services := d.wakeAt, d.services
	d.mu.Unlock()
	for _, s := range services {
		if s.due.Load() {
			return nil
		}
		at = min(at, time.Duration(s.at.Load()))
	}
	d.until.Store(int64(at))
	if at == cmsm.Never {
		return d.loops.Wait(-1)
	}
	return d.loops.Wait(max(at-d.now(), 0))
}

// rest lets frames gather while many packets are under way, if those that came last, n, are a small part of them.
func (d *Device) rest(n int) {
	d.mu.Lock()
	under := d.unacked
	d.mu.Unlock()
	if d.opts.Rest > 0 && under >= restFrom && 4*n < under {
		// Only the time is of interest. If it cannot be waited for, await says so.
		_ = d.loops.Rest(d.opts.Rest)
	}
}

// restFrom is how many packets are under way when a device rests. With fewer, each answer may be what somebody
// waits for.
const restFrom = 16
