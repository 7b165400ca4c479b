package onepipe

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/p4ce/p4ce/link"
)

// Host runs the processes of this machine on one link: an Endpoint, the machine's clock, and the
// goroutines that move frames. All that leaves takes its place on the wire under one lock, where the clock
// is read: what reads the clock first and queues later breaks the promise of the barrier.
type Host struct {
	link   link.Link
	events Events

	mu       sync.Mutex // of what follows, and of sending
	endpoint *Endpoint
	pace     pace
	sent     time.Duration // when frames were sent last
	procs    []*Proc
	changed  sync.Cond // the host was admitted, has ended, or a send buffer has room
	err      error
	failures fifo[failure] // that lost was not told of
	failed   chan struct{} // has one element if there may be some
	unsent   chan struct{} // has one element if there may be scatterings to be sent
	ended    sync.WaitGroup
	done     chan struct{}
}

type failure struct {
	from Process
	Failure
}

// Events are what a host is told, one after the other. Functions may be nil.
type Events struct {
	// Lost is a message of a process of this host that will not be delivered.
	Lost func(from Process, f Failure)
	// Failed is a process that has failed. Delivery of reliable messages goes on when it has returned, at all hosts.
	Failed func(ProcessFailure)
}

// Open starts a host on a link, which it closes. It joins: Wait returns when it may send. Short messages share packets, whatever
// c.Pack is.
func Open(l link.Link, c Config, events Events) (*Host, error) {
	var token [8]byte
	if _, err := rand.Read(token[:]); err != nil {
		return nil, err
	}
	c.Token, c.Pack = binary.LittleEndian.Uint64(token[:])|1, true
	e, err := New(c)
	if err != nil {
		return nil, err
	}
	h := &Host{
		link: l, events: events, endpoint: e, pace: newPace(e.c.Interval),
		failed: make(chan struct{}, 1), unsent: make(chan struct{}, 1), done: make(chan struct{}),
	}
	h.changed.L = &h.mu
	h.ended.Add(4)
	go h.report()
	go h.send()
	go h.receive()
	go h.tick()
	return h, nil
}

// now is the machine's clock.
func now() time.Duration { return time.Duration(time.Now().UnixNano()) }

// Wait waits until the host is admitted, and returns its processes.
func (h *Host) Wait(ctx context.Context) ([]*Proc, error) {
	stop := context.AfterFunc(ctx, h.wake)
	defer stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.procs == nil && h.err == nil {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("onepipe: the controller has not admitted the host: %w", err)
		}
		h.changed.Wait()
	}
	return h.procs, h.err
}

func (h *Host) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed.Broadcast()
}

// Counters counts what the host did.
func (h *Host) Counters() Counters {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.endpoint.Counters
}

// Close ends the host at once: what was not delivered is lost.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.err == nil {
		if f := h.endpoint.Leave(h.link.Buffer()); len(f) > 0 {
			h.link.Send(f)
			_ = h.link.Flush() // if it is lost, the controller notices that the host is silent
		}
	}
	h.ends(net.ErrClosed)
	h.mu.Unlock()
	err := h.link.Close()
	h.ended.Wait()
	return err
}

func (h *Host) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ends(err)
}

// ends is end. mu is held.
func (h *Host) ends(err error) {
	if h.err == nil {
		h.err = err
		close(h.done)
		h.changed.Broadcast()
		for _, p := range h.procs {
			p.signal()
		}
	}
}

// report tells of messages that will not be delivered.
func (h *Host) report() {
	defer h.ended.Done()
	for {
		select {
		case <-h.failed:
		case <-h.done:
			return
		}
		for h.reportOne() {
		}
	}
}

// reportOne tells one thing, and says whether there may be more.
func (h *Host) reportOne() bool {
	h.mu.Lock()
	if h.failures.n > 0 {
		f := h.failures.pop()
		h.mu.Unlock()
		h.events.Lost(f.from, f.Failure)
		return true
	}
	f, ok := h.endpoint.FirstFailed()
	h.mu.Unlock()
	if !ok {
		return false
	}
	if h.events.Failed != nil {
		h.events.Failed(f)
	}
	h.mu.Lock()
	h.endpoint.ProcessFailed()
	h.step()
	h.mu.Unlock()
	return true
}

// batch is how many frames are received at once.
const batch = 64

// receive takes frames off the link.
func (h *Host) receive() {
	defer h.ended.Done()
	frames := make([][]byte, batch)
	for {
		n, err := h.link.Receive(frames)
		if errors.Is(err, net.ErrClosed) {
			h.end(err)
			return
		}
		h.mu.Lock()
		for _, f := range frames[:n] {
			h.endpoint.Receive(now(), f)
		}
		h.step()
		h.mu.Unlock()
	}
}

// tick sends beacons, and what was not acknowledged. It has a thread of its own: a sleep of the kernel
// ends in microseconds, one of Go's runtime in a millisecond.
func (h *Host) tick() {
	defer h.ended.Done()
	runtime.LockOSThread()
	// The slack of timers is this thread's, which ends with the goroutine: the lock is not released.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1000, 0, 0, 0) // without it, sleeps take 50 us longer
	for {
		h.mu.Lock()
		if h.err != nil {
			h.mu.Unlock()
			return
		}
		h.step()
		from := now()
		at := min(h.endpoint.Deadline(), from+h.pace.now)
		h.mu.Unlock()
		if at <= from {
			continue
		}
		ts := unix.NsecToTimespec(int64(at - from))
		_ = unix.Nanosleep(&ts, nil) // a signal ends it early
		if late := now() - at; late > 0 {
			h.mu.Lock()
			h.endpoint.interval = h.pace.woke(late)
			h.mu.Unlock()
		}
	}
}

// busy is after how long a scattering does not wait for others, with which it may share packets.
const busy = 50 * time.Microsecond

// flush has a scattering sent: at once, or by send if packets have left just before. mu is held.
func (h *Host) flush() {
	if now()-h.sent > busy {
		h.step()
		return
	}
	select {
	case h.unsent <- struct{}{}:
	default:
	}
}

// send sends the scatterings of all processes that have been given to the host meanwhile.
func (h *Host) send() {
	defer h.ended.Done()
	for {
		select {
		case <-h.unsent:
		case <-h.done:
			return
		}
		h.mu.Lock()
		h.step()
		h.mu.Unlock()
	}
}

// step sends what is to be sent, and wakes up who waits for something. mu is held.
func (h *Host) step() {
	if h.err != nil {
		return
	}
	sent := false
	for {
		f := h.endpoint.Next(now(), h.link.Buffer())
		if len(f) == 0 {
			if at := now(); !h.endpoint.waitedFor(at) || !h.pace.spend(at) {
				break
			}
			h.endpoint.due = true
			continue
		}
		h.link.Send(f)
		sent = true
	}
	if sent {
		_ = h.link.Flush() // what is not sent is lost, as on a network
		h.sent = now()
	}
	if h.procs == nil && h.endpoint.Admitted() {
		h.open()
	}
	for _, p := range h.procs {
		if p.local.ready[0].n > 0 || p.local.ready[1].n > 0 {
			p.signal()
		}
		for f, ok := p.local.Failed(); ok; f, ok = p.local.Failed() {
			if h.events.Lost != nil {
				h.failures.push(failure{p.local.Process(), f})
			}
		}
	}
	if h.endpoint.Expelled() {
		h.ends(ErrExpelled)
		return
	}
	if _, some := h.endpoint.FirstFailed(); some || h.failures.n > 0 {
		select {
		case h.failed <- struct{}{}:
		default:
		}
	}
	if h.endpoint.sender.queued < h.endpoint.c.Queue {
		h.changed.Broadcast()
	}
}

// open makes the processes that the controller has given numbers. mu is held.
func (h *Host) open() {
	first, count := h.endpoint.Numbers()
	for n := range count {
		local, err := h.endpoint.Open(first + uint16(n))
		if err != nil {
			continue // a number twice: it cannot be
		}
		h.procs = append(h.procs, &Proc{h: h, local: local, some: make(chan struct{}, 1)})
	}
	h.changed.Broadcast()
}

// Proc is a process of a Host.
type Proc struct {
	h     *Host
	local *LocalProcess
	some  chan struct{} // has one element if there may be something to receive
}

func (p *Proc) signal() {
	select {
	case p.some <- struct{}{}:
	default:
	}
}

// Process is its name in the network.
func (p *Proc) Process() Process { return p.local.Process() }

// Send sends a scattering by best effort: at most once, in order; what is lost is reported. It waits for
// room in the send buffer. The data belong to the Host until they are delivered or lost.
func (p *Proc) Send(ctx context.Context, parts ...Part) error { return p.send(ctx, false, parts) }

// SendReliable sends a scattering to all receivers, or to none.
func (p *Proc) SendReliable(ctx context.Context, parts ...Part) error {
	return p.send(ctx, true, parts)
}

// TrySend is Send or SendReliable, and returns ErrFull in place of waiting for room.
func (p *Proc) TrySend(reliable bool, parts ...Part) error {
	h := p.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return h.err
	}
	err := p.local.Send(now(), reliable, parts...)
	if err == nil {
		h.flush()
	}
	return err
}

func (p *Proc) send(ctx context.Context, reliable bool, parts []Part) error {
	h := p.h
	h.mu.Lock()
	defer h.mu.Unlock()
	var stop func() bool
	for {
		err := h.err
		if err == nil {
			err = p.local.Send(now(), reliable, parts...)
		}
		if !errors.Is(err, ErrFull) {
			if err == nil {
				h.flush()
			}
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if stop == nil {
			stop = context.AfterFunc(ctx, h.wake)
			defer stop()
		}
		h.changed.Wait()
	}
}

// Receive waits for the next best-effort message.
func (p *Proc) Receive(ctx context.Context) (Message, error) {
	return p.receive(ctx, func() (Message, bool) { return p.local.Receive(false) }, false)
}

// ReceiveReliable waits for the next reliable message.
func (p *Proc) ReceiveReliable(ctx context.Context) (Message, error) {
	return p.receive(ctx, func() (Message, bool) { return p.local.Receive(true) }, false)
}

// ReceiveOrdered waits for the next message of both services in one order, and says whether it is a reliable one: see
// LocalProcess.ReceiveOrdered. A process that receives in this order does not call the other two.
func (p *Proc) ReceiveOrdered(ctx context.Context) (m Message, reliable bool, err error) {
	m, err = p.receive(ctx, func() (m Message, ok bool) {
		m, reliable, ok = p.local.ReceiveOrdered()
		return m, ok
	}, true)
	return m, reliable, err
}

// receive takes a message when there is one. ordered: what is ready may have to wait for a barrier, which is signalled.
func (p *Proc) receive(ctx context.Context, take func() (Message, bool), ordered bool) (Message, error) {
	for {
		p.h.mu.Lock()
		m, ok := take()
		if !ok && p.h.err != nil {
			p.h.mu.Unlock()
			return m, p.h.err
		}
		if more := p.local.ready[0].n + p.local.ready[1].n; more > 0 && (ok || !ordered) {
			p.signal() // somebody else may wait, too
		}
		p.h.mu.Unlock()
		if ok {
			return m, nil
		}
		select {
		case <-p.some:
		case <-ctx.Done():
			return Message{}, ctx.Err()
		}
	}
}

// Time is the timestamp that a message sent now would have.
func (p *Proc) Time() uint64 {
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	return p.h.endpoint.Time(now())
}
