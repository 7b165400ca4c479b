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
)

// HostOptions configure a Host. Fields that are 0 have defaults.
type HostOptions struct {
	Place *Place
	// Retry is after what time a message that is not finished is started again, and a replica that stands still asks: 1 ms,
	// and 2 ms. Both are doubled each time, up to 64 times that. A network of switches in software wants more.
	Retry time.Duration
	// Hello is how often the host tells the controller that it is there: 100 ms.
	Hello time.Duration
	// Queue is how many messages may wait for Deliver in each replica: 65536. What comes then is not taken from the network
	// until there is room, and senders wait.
	Queue int
}

// HostStats count since the start.
type HostStats struct {
	Received, Sent uint64 // packets
	Foreign        uint64 // frames that are no packets for this host
	Damaged        uint64 // with a wrong checksum, or malformed
	NoWay          uint64 // packets for whom nobody knows the way: the leader of a group that has none
	LinkErrors     uint64
	Full           uint64 // packets for replicas that were dropped, since too many messages wait for Deliver
	Sender         SenderStats
	Replicas       map[uint8]ReplicaStats
}

// Host runs the client and the replicas of this machine on one link: a Sender, Replicas, the machine's clock, and the
// goroutines that move frames. Methods may be called by any goroutine.
type Host struct {
	link  link.Link
	o     HostOptions
	token uint64
	start time.Time

	mu       sync.Mutex // of what follows, and of sending
	changed  sync.Cond  // admitted, ended, or a window has room
	sender   *Sender    // nil: not admitted yet
	replicas map[uint8]*hosted
	dir      Directory
	leaders  map[uint8]private.Group
	clients  map[uint16]uint16 // which host each client is at
	hello    time.Duration     // when it is said again
	sleeps   time.Duration     // until when tick sleeps
	stats    HostStats
	err      error
	ended    sync.WaitGroup
	done     chan struct{}
	wake     chan struct{} // has one element if tick is to look again
}

// hosted is a replica, and who waits for its messages.
type hosted struct {
	*Replica
	port  uint16
	ready []Delivery
	some  chan struct{} // has one element if there may be something
	lost  bool
}

// Open starts a host on a link, which it closes, also when it fails. Wait returns when it is admitted.
func Open(l link.Link, o HostOptions) (*Host, error) {
	h := &Host{link: l, o: o, start: time.Now(), replicas: map[uint8]*hosted{}, dir: Directory{}, leaders: map[uint8]private.Group{}, clients: map[uint16]uint16{}, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	h.changed.L = &h.mu
	if err := h.open(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	h.ended.Add(2)
	go h.receive()
	go h.tick()
	return h, nil
}

func (h *Host) open() error {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return err
	}
	h.token = binary.BigEndian.Uint64(b[:]) | 1
	p := h.o.Place
	if p == nil {
		return errors.New("amcast: no place: want what control.Config.Place says of the host")
	}
	if h.o.Retry < 0 || h.o.Hello < 0 || h.o.Queue < 0 {
		return errors.New("amcast: negative settings")
	}
	if h.o.Hello == 0 {
		h.o.Hello = 100 * time.Millisecond
	}
	if h.o.Queue == 0 {
		h.o.Queue = 1 << 16
	}
	for n, g := range p.Groups {
		if len(g.Replicas) > 32 {
			return fmt.Errorf("amcast: group %d: %d replicas: at most 32", n, len(g.Replicas))
		}
		h.dir[n] = Replicas{Count: len(g.Replicas), Alive: uint32(1<<len(g.Replicas) - 1)}
	}
	for n, g := range p.Groups {
		if g.Own < 0 {
			continue
		}
		r, err := NewReplica(ReplicaOptions{Group: n, Index: g.Own, Retry: 2 * h.o.Retry, Directory: h.dir})
		if err != nil {
			return err
		}
		h.replicas[n] = &hosted{Replica: r, port: g.Replicas[g.Own].Port, some: make(chan struct{}, 1)}
	}
	return nil
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
	for h.sender == nil && h.err == nil {
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
		id, err := h.sender.Multicast(h.now(), groups, payload)
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
	for h.err == nil && h.sender != nil && h.sender.Open() > 0 {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("amcast: %d messages are not finished: %w", h.sender.Open(), err)
		}
		h.changed.Wait()
	}
	return h.err
}

// Deliver waits for the next message of the host's replica of a group: in the group's order, once. A group of which the
// host has no replica is ErrLost. After Close, or when the run has ended, messages that were delivered before still come.
func (h *Host) Deliver(ctx context.Context, group uint8) (Delivery, error) {
	r := h.replicas[group]
	if r == nil {
		return Delivery{}, fmt.Errorf("group %d: %w", group, ErrLost)
	}
	for {
		h.mu.Lock()
		if len(r.ready) > 0 {
			d := r.ready[0]
			r.ready = r.ready[1:]
			if len(r.ready) > 0 {
				r.signal() // somebody else may wait, too
			}
			h.mu.Unlock()
			return d, nil
		}
		err := h.err
		if err == nil && r.lost {
			err = fmt.Errorf("group %d: %w", group, ErrLost)
		}
		h.mu.Unlock()
		if err != nil {
			return Delivery{}, err
		}
		select {
		case <-r.some:
		case <-h.done:
		case <-ctx.Done():
			return Delivery{}, ctx.Err()
		}
	}
}

func (r *hosted) signal() {
	select {
	case r.some <- struct{}{}:
	default:
	}
}

// Client is the number of the host's client, once the host is admitted.
func (h *Host) Client() (number uint16, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sender == nil {
		return 0, false
	}
	return h.sender.o.Client, true
}

// Stats counts what the host did.
func (h *Host) Stats() HostStats {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.stats
	s.Replicas = map[uint8]ReplicaStats{}
	if h.sender != nil {
		s.Sender = h.sender.Stats
	}
	for n, r := range h.replicas {
		s.Replicas[n] = r.Replica.Stats
	}
	return s
}

// Close ends the host at once. A host whose messages are all finished tells the controller that it leaves. Of one that has
// some under way the controller finds out by itself, and other replicas finish them: see Flush.
func (h *Host) Close() error {
	h.mu.Lock()
	if h.err == nil && h.sender != nil && h.sender.Open() == 0 {
		h.say(&private.Message{Kind: private.Leave, Token: h.token, Number: h.sender.next})
		_ = h.link.Flush() // if it is lost, the controller notices that the host is silent
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
		for _, r := range h.replicas {
			r.signal()
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
			h.stats.LinkErrors++
		}
		for _, f := range frames[:n] {
			h.take(f)
		}
		h.step()
		h.mu.Unlock()
	}
}

// take takes a frame. mu is held.
func (h *Host) take(f []byte) {
	if h.err != nil {
		return
	}
	var p Packet
	e, err := p.Parse(f)
	switch {
	case errors.Is(err, ErrForeign):
		h.private(f)
		return
	case err != nil:
		h.stats.Damaged++
		return
	case e.Dst != h.o.Place.Self.IP:
		h.stats.Foreign++
		return
	}
	h.stats.Received++
	if !h.deliver(e.DstPort, &p) {
		h.stats.Foreign++
	}
}

// deliver gives a packet to the client, or to the replica, whose port it is.
func (h *Host) deliver(port uint16, p *Packet) bool {
	now := h.now()
	if port == HostPort && h.sender != nil {
		h.sender.Receive(now, p)
		return true
	}
	for _, r := range h.replicas {
		if r.port != port {
			continue
		}
		switch {
		case r.lost:
		case len(r.ready) >= h.o.Queue:
			h.stats.Full++
		default:
			r.Receive(now, p)
		}
		return true
	}
	return false
}

// private takes a message of the controller. mu is held.
func (h *Host) private(f []byte) {
	from, to, m, ok := private.ParseFrame(f)
	if !ok || to != h.o.Place.Self.IP || from != h.o.Place.Controller.IP || m.Kind != private.View || m.Token != h.token {
		h.stats.Foreign++
		return
	}
	h.stats.Received++
	if m.How&private.Ended != 0 {
		h.ends(ErrEnded)
		return
	}
	for _, r := range h.replicas {
		if r.lost = r.lost || m.How&private.Serves == 0; r.lost {
			r.signal()
		}
	}
	next := Directory{}
	for n, d := range h.dir {
		next[n] = d
	}
	for _, g := range m.Groups {
		d, known := next[g.Number]
		if !known {
			continue
		}
		d.Alive &= g.Alive // who has failed has failed for good
		next[g.Number] = d
		if g.Epoch > 0 && g.Epoch >= h.leaders[g.Number].Epoch {
			h.leaders[g.Number] = g
		}
	}
	h.dir = next
	for _, c := range m.Clients {
		h.clients[c.Number] = c.Host
	}
	for _, r := range h.replicas {
		r.SetDirectory(next)
		for n := range uint16(MaxClients) {
			if m.HasFailed(n) {
				r.ClientFailed(n)
			}
		}
	}
	if h.sender == nil && m.How&private.Admitted != 0 {
		s, err := NewSender(SenderOptions{Client: m.Client, First: m.Number, Window: h.o.Place.Window, Retry: h.o.Retry, Directory: next})
		if err != nil {
			h.ends(err)
			return
		}
		h.sender = s
	} else if h.sender != nil {
		h.sender.SetDirectory(next)
	}
	h.changed.Broadcast()
}

// step sends what is to be sent, and wakes up who waits for something. mu is held.
func (h *Host) step() {
	if h.err != nil {
		return
	}
	for h.sendAll() { // what this host says to itself leads to more
	}
	_ = h.link.Flush() // what is not sent is lost, as on a network
	for _, r := range h.replicas {
		for d, ok := r.Next(); ok; d, ok = r.Next() {
			r.ready = append(r.ready, d)
		}
		if len(r.ready) > 0 {
			r.signal()
		}
	}
	if h.sender != nil && !h.sender.Full() {
		h.changed.Broadcast()
	}
	if h.deadline() < h.sleeps {
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
}

// sendAll sends what is to be sent, and says whether there may be more.
func (h *Host) sendAll() (more bool) {
	if h.sender != nil {
		for x, ok := h.sender.Poll(); ok; x, ok = h.sender.Poll() {
			more = h.send(&x, h.o.Place.Self.Port) || more
		}
	}
	for _, r := range h.replicas {
		for x, ok := r.Poll(); ok; x, ok = r.Poll() {
			more = h.send(&x, r.port) || more
		}
	}
	return more
}

// send sends a packet, and says whether it was for this host.
func (h *Host) send(x *Send, port uint16) (self bool) {
	to, ok := h.way(&x.To)
	if !ok {
		h.stats.NoWay++
		return false
	}
	own := h.o.Place.Self
	if to.IP == own.IP {
		h.deliver(to.Port, &x.Packet)
		return true
	}
	h.link.Send(x.Packet.Append(h.link.Buffer(), Ends{own.MAC, to.MAC, own.IP, to.IP, port, to.Port}))
	h.stats.Sent++
	return false
}

// way is where a packet goes.
func (h *Host) way(to *To) (End, bool) {
	p := h.o.Place
	switch to.Kind {
	case ToLeader:
		g := p.Groups[to.Group]
		if x := h.leaders[to.Group]; g != nil && x.Epoch > 0 {
			end, ok := g.Leaders[x.Leader]
			return end, ok
		}
	case ToReplica:
		if g := p.Groups[to.Group]; g != nil && to.Index < len(g.Replicas) {
			return g.Replicas[to.Index], true
		}
	case ToClient:
		if n, ok := h.clients[to.Client]; ok && int(n) < len(p.Hosts) {
			return p.Hosts[n], true
		}
	}
	return End{}, false
}

// deadline is when tick has something to do. mu is held.
func (h *Host) deadline() time.Duration {
	at := h.hello
	if h.sender != nil {
		if d, ok := h.sender.Deadline(); ok {
			at = min(at, d)
		}
	}
	for _, r := range h.replicas {
		if d, ok := r.Deadline(); ok && !r.lost {
			at = min(at, d)
		}
	}
	return at
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
		if now >= h.hello {
			h.say(&private.Message{Kind: private.Hello, Token: h.token})
			h.hello = now + h.o.Hello
		}
		if h.sender != nil {
			h.sender.Tick(now)
		}
		for _, r := range h.replicas {
			if !r.lost {
				r.Tick(now)
			}
		}
		h.step()
		h.sleeps = max(h.deadline(), now+minSleep)
		wait := h.sleeps - now
		h.mu.Unlock()
		timer.Reset(wait)
	}
}

// minSleep is how long tick sleeps at least.
const minSleep = 50 * time.Microsecond

// say sends the controller a message. mu is held.
func (h *Host) say(m *private.Message) {
	own, to := h.o.Place.Self, h.o.Place.Controller
	h.link.Send(private.AppendFrame(h.link.Buffer(), own.MAC, to.MAC, own.IP, to.IP, m))
}
