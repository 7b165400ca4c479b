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
	"github.com/p4ce/p4ce/systems/amcast/private"
)

// End is where packets for somebody go: on Ethernet, in IPv4, and the UDP port.
type End = private.End

// Place is what a host must know of a deployment. Package control reads it from the deployment's file.
type Place = private.Place

// Errors of a Host.
var (
	// ErrEnded: the controller has declared this run of the host failed, since it heard nothing of it, or another process
	// runs in its place. Others go on without it: what it had not sent completely may be delivered or not, everywhere.
	ErrEnded = errors.New("amcast: this run of the host has ended: the controller counts it as failed, or another process has taken its place")
	// ErrLost: the host's replica of the group was lost with an earlier run. A replica has its state in memory, and does
	// not come back.
	ErrLost = errors.New("amcast: the host has no replica of the group [an earlier run had it, and has ended; or the deployment does not name the host]")
	// ErrJoining: the controller has not admitted the host yet.
	ErrJoining = errors.New("amcast: the host is not admitted yet")
)

// HostOptions configure a Host: see EndpointOptions. Open makes the token.
type HostOptions = EndpointOptions

// HostStats count since the start.
type HostStats struct {
	EndpointStats
	LinkErrors uint64
}

// Host runs the client and the replicas of this machine on one link: an Endpoint, the machine's clock, and the goroutines
// that move frames. Methods may be called by any goroutine.
type Host struct {
	link  link.Link
	start time.Time

	mu         sync.Mutex // of what follows, and of sending
	endpoint   *Endpoint
	changed    sync.Cond               // admitted, ended, or a window has room
	some       map[uint8]chan struct{} // of a group, has one element if there may be something to deliver
	sleeps     time.Duration           // until when tick sleeps
	linkErrors uint64
	err        error
	ended      sync.WaitGroup
	done       chan struct{}
	wake       chan struct{} // has one element if tick is to look again
}

// Open starts a host on a link, which it closes, also when it fails. Wait returns when it is admitted.
func Open(l link.Link, o HostOptions) (*Host, error) {
	h := &Host{link: l, start: time.Now(), some: map[uint8]chan struct{}{}, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	h.changed.L = &h.mu
	var b [8]byte
	_, err := rand.Read(b[:])
	if err == nil {
		o.Token = binary.BigEndian.Uint64(b[:]) | 1
		h.endpoint, err = NewEndpoint(o)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	for n := range h.endpoint.replicas {
		h.some[n] = make(chan struct{}, 1)
	}
	h.ended.Add(2)
	go h.receive()
	go h.tick()
	return h, nil
}

// now is the time since the start.
func (h *Host) now() time.Duration { return time.Since(h.start) }

// Wait waits until the controller has admitted the host.
func (h *Host) Wait(ctx context.Context) error {
	stop := context.AfterFunc(ctx, h.wakeAll)
	defer stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.wait(ctx)
}

// wait is Wait. mu is held.
func (h *Host) wait(ctx context.Context) error {
	for !h.endpoint.Admitted() && h.err == nil {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("amcast: the controller has not admitted the host: %w", err)
		}
		h.changed.Wait()
	}
	return h.err
}

func (h *Host) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed.Broadcast()
}

// Multicast sends a message of 1 to MaxPayload bytes to 1 to MaxGroups groups. It waits until the host is admitted, and
// for room in the window. When it returns, the host sends the message until every replica of every group has delivered it
// or has failed; the payload is copied. Errors say what is wrong with the groups or the payload, that ctx has ended, or that
// the host has (net.ErrClosed, ErrEnded).
func (h *Host) Multicast(ctx context.Context, groups Groups, payload []byte) (ID, error) {
	stop := context.AfterFunc(ctx, h.wakeAll)
	defer stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.wait(ctx); err != nil {
		return ID{}, err
	}
	for {
		if h.err != nil {
			return ID{}, h.err
		}
		id, err := h.endpoint.Multicast(h.now(), groups, payload)
		if !errors.Is(err, ErrFull) {
			h.step()
			return id, err
		}
		if err := ctx.Err(); err != nil {
			return ID{}, fmt.Errorf("%w: %w", ErrFull, err)
		}
		h.changed.Wait()
	}
}

// Flush waits until all messages that were sent are finished: every replica that has not failed has delivered them.
func (h *Host) Flush(ctx context.Context) error {
	stop := context.AfterFunc(ctx, h.wakeAll)
	defer stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.err == nil && h.endpoint.Unfinished() > 0 {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("amcast: %d messages are not finished: %w", h.endpoint.Unfinished(), err)
		}
		h.changed.Wait()
	}
	return h.err
}

// Deliver waits for the next message of the host's replica of a group: in the group's order, once. A group of which the
// host has no replica is ErrLost. After Close, or when the run has ended, messages that were delivered before still come.
func (h *Host) Deliver(ctx context.Context, group uint8) (Delivery, error) {
	for {
		h.mu.Lock()
		d, ok, err := h.endpoint.Deliver(group)
		if ok && h.endpoint.Ready(group) > 0 {
			h.signal(group) // somebody else may wait, too
		}
		if !ok && err == nil {
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
	return HostStats{h.endpoint.Stats(), h.linkErrors}
}

// Close ends the host at once. A host whose messages are all finished tells the controller that it leaves. Of one that has
// some under way the controller finds out by itself, and other replicas finish them: see Flush.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.err == nil {
		h.endpoint.Leave(net.ErrClosed)
		h.sendAll() // if it is lost, the controller notices that the host is silent
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
		for n := range h.some {
			h.signal(n)
		}
	}
}

// batch is how many frames are received at once.
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
			h.linkErrors++
		}
		for _, f := range frames[:n] {
			h.endpoint.Receive(h.now(), f)
		}
		h.step()
		h.mu.Unlock()
	}
}

// sendAll sends what is to be sent. mu is held.
func (h *Host) sendAll() {
	for {
		f := h.endpoint.Next(h.now(), h.link.Buffer())
		if len(f) == 0 {
			break
		}
		h.link.Send(f)
	}
	_ = h.link.Flush() // what is not sent is lost, as on a network
}

// step sends what is to be sent, and wakes up who waits for something. mu is held.
func (h *Host) step() {
	if h.err != nil {
		return
	}
	h.sendAll()
	for n, r := range h.endpoint.replicas {
		if h.endpoint.Ready(n) > 0 || r.lost {
			h.signal(n)
		}
	}
	if err := h.endpoint.Err(); err != nil {
		h.ends(err)
		return
	}
	if h.endpoint.Admitted() && !h.endpoint.Full() {
		h.changed.Broadcast()
	}
	if h.endpoint.Deadline() < h.sleeps {
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
}

// tick says that the host is there, and does what time brings.
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
		if h.err != nil {
			h.mu.Unlock()
			return
		}
		now := h.now()
		h.endpoint.Tick(now)
		h.step()
		h.sleeps = max(h.endpoint.Deadline(), now+minSleep)
		wait := h.sleeps - now
		h.mu.Unlock()
		timer.Reset(wait)
	}
}

// minSleep is how long tick sleeps at least.
const minSleep = 50 * time.Microsecond
