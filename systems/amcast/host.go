package amcast

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/p4ce/p4ce/link"
)

// Host runs an Endpoint on a link, with the machine's clock: the client and the replicas of this machine. Methods may be called
// by any goroutine.
type Host struct {
	link  link.Link
	start time.Time

	mu       sync.Mutex // of what follows, and of sending
	changed  sync.Cond  // admitted, ended, or a window has room
	endpoint *Endpoint
	sleeps   time.Duration // until when tick sleeps
	errors   uint64        // of the link
	err      error

	some  map[uint8]chan struct{} // of replicas: has one element if there may be something to deliver
	done  chan struct{}
	wake  chan struct{} // has one element if tick is to look again
	ended sync.WaitGroup
}

// Open starts a host on a link, which it closes, also when it fails. It joins: Wait returns when it is admitted.
func Open(l link.Link, c Config) (*Host, error) {
	if c.Token == 0 {
		var b [8]byte
		if _, err := rand.Read(b[:]); err != nil {
			return nil, errors.Join(err, l.Close())
		}
		c.Token = binary.BigEndian.Uint64(b[:]) | 1
	}
	e, err := New(c)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	h := &Host{link: l, start: time.Now(), endpoint: e, some: map[uint8]chan struct{}{}, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	for _, n := range e.numbers {
		h.some[n] = make(chan struct{}, 1)
	}
	h.changed.L = &h.mu
	h.ended.Add(2)
	go h.receive()
	go h.tick()
	return h, nil
}

// now is the time since the start.
func (h *Host) now() time.Duration { return time.Since(h.start) }

// Wait waits until the controller has admitted the host.
func (h *Host) Wait(ctx context.Context) error {
	return h.wait(ctx, h.endpoint.Admitted, "the controller has not admitted the host", nil)
}

// wait waits until something is so, and then does something.
func (h *Host) wait(ctx context.Context, so func() bool, not string, then func()) error {
	stop := context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.changed.Broadcast()
	})
	defer stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.err == nil && !so() {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("amcast: %s: %w", not, err)
		}
		h.changed.Wait()
	}
	if h.err == nil && then != nil {
		then()
	}
	return h.err
}

// Multicast sends a message of 1 to MaxPayload bytes to 1 to MaxGroups groups. It waits until the host is admitted, and
// for room in the window. When it returns, the host sends the message until every replica of every group has delivered it
// or has failed; the payload is copied. Errors say what is wrong with the groups or the payload, that ctx has ended, or that
// the host has (net.ErrClosed, ErrEnded).
func (h *Host) Multicast(ctx context.Context, groups Groups, payload []byte) (id ID, err error) {
	waited := h.wait(ctx, func() bool { return !h.endpoint.Full() }, "the window is full, or the host is not admitted", func() {
		id, err = h.endpoint.Multicast(h.now(), groups, payload)
		h.step()
	})
	if waited != nil {
		return ID{}, waited
	}
	return id, err
}

// Call is Multicast, and waits until a replica of each group has answered (Answer): it returns the answers by group. A group all
// of whose replicas have failed has none. When ctx ends, the message is delivered all the same, or will be.
func (h *Host) Call(ctx context.Context, groups Groups, payload []byte) (answers map[uint8][]byte, err error) {
	var id ID
	waited := h.wait(ctx, func() bool { return !h.endpoint.Full() }, "the window is full, or the host is not admitted", func() {
		id, err = h.endpoint.Call(h.now(), groups, payload)
		h.step()
	})
	if err := errors.Join(waited, err); err != nil {
		return nil, err
	}
	err = h.wait(ctx, func() (ok bool) {
		answers, ok = h.endpoint.Answers(id)
		return ok
	}, "not all groups have answered", nil)
	if err != nil {
		h.mu.Lock()
		h.endpoint.Forget(id)
		h.mu.Unlock()
	}
	return answers, err
}

// Answer answers a message that was delivered, for whoever has sent it by Call: up to MaxPayload bytes. All replicas of a group
// are to answer the same.
func (h *Host) Answer(group uint8, id ID, answer []byte) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.endpoint.Answer(group, id, answer)
	h.step()
	return err
}

// Flush waits until all messages that were sent are finished: every replica that has not failed has delivered them.
func (h *Host) Flush(ctx context.Context) error {
	return h.wait(ctx, func() bool { return h.endpoint.Open() == 0 }, "messages are not finished", nil)
}

// Deliver waits for the next message of the host's replica of a group: in the group's order, once. A group of which the
// host has no replica is ErrLost. After Close, or when the run has ended, messages that were delivered before still come.
func (h *Host) Deliver(ctx context.Context, group uint8) (Delivery, error) {
	for {
		h.mu.Lock()
		d, ok, err := h.endpoint.Next(group)
		if ok {
			h.signal(group) // somebody else may wait, too
		} else if err == nil {
			err = h.err
		}
		h.mu.Unlock()
		if ok || err != nil {
			return d, err
		}
		select {
		case <-h.some[group]:
		case <-h.done:
		case <-ctx.Done():
			return Delivery{}, ctx.Err()
		}
	}
}

func (h *Host) signal(group uint8) {
	select {
	case h.some[group] <- struct{}{}:
	default:
	}
}

// Client is the number of the host's client, once the host is admitted.
func (h *Host) Client() (number uint16, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.endpoint.Client()
}

// Stats counts what the host did.
func (h *Host) Stats() HostStats {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.endpoint.Stats()
	s.LinkErrors = h.errors
	return s
}

// Close ends the host at once. A host whose messages are all finished tells the controller that it leaves. Of one that has
// some under way the controller finds out by itself, and other replicas finish them: see Flush.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.err == nil {
		h.endpoint.Leave()
		h.send() // if it is lost, the controller notices that the host is silent
	}
	h.ends(net.ErrClosed)
	h.mu.Unlock()
	err := h.link.Close()
	h.ended.Wait()
	return err
}

// ends ends the host. mu is held.
func (h *Host) ends(err error) {
	if h.err == nil {
		h.err = err
		close(h.done)
		h.changed.Broadcast()
	}
}

// frameBatch is how many frames are received at once.
const frameBatch = 64

// receive takes frames off the link.
func (h *Host) receive() {
	defer h.ended.Done()
	frames := make([][]byte, frameBatch)
	for {
		n, err := h.link.Receive(frames)
		h.mu.Lock()
		if errors.Is(err, net.ErrClosed) {
			h.ends(err)
			h.mu.Unlock()
			return
		}
		if err != nil {
			h.errors++
		}
		for _, f := range frames[:n] {
			h.endpoint.Receive(h.now(), f)
		}
		h.step()
		h.mu.Unlock()
	}
}

// send sends what is to be sent. mu is held.
func (h *Host) send() {
	sent := false
	for f := h.endpoint.Poll(h.now(), h.link.Buffer()); len(f) > 0; f = h.endpoint.Poll(h.now(), h.link.Buffer()) {
		h.link.Send(f)
		sent = true
	}
	if sent {
		_ = h.link.Flush() // what is not sent is lost, as on a network
	}
}

// step sends what is to be sent, and wakes up who waits for something. mu is held.
func (h *Host) step() {
	if h.err != nil {
		return
	}
	h.send()
	if h.endpoint.Ended() {
		h.ends(ErrEnded)
		return
	}
	for n, r := range h.endpoint.replicas {
		if len(r.ready) > 0 || r.lost {
			h.signal(n)
		}
	}
	if !h.endpoint.Full() || h.endpoint.answered() {
		h.changed.Broadcast()
	}
	if h.endpoint.Deadline() < h.sleeps {
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
}

// minSleep is how long tick sleeps at least.
const minSleep = 50 * time.Microsecond

// tick does what time brings.
func (h *Host) tick() {
	defer h.ended.Done()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-h.done:
			return
		case <-h.wake:
		case <-timer.C:
		}
		h.mu.Lock()
		now := h.now()
		if h.err == nil {
			h.endpoint.Tick(now)
			h.step()
		}
		h.sleeps = max(h.endpoint.Deadline(), now+minSleep)
		wait := h.sleeps - now
		h.mu.Unlock()
		timer.Reset(wait)
	}
}
