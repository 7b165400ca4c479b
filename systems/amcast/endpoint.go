package amcast

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/amcast/private"
)

// End is where packets for somebody go: on Ethernet, in IPv4, and the UDP port.
type End = private.End

// Place is what a host must know of a deployment. Package control reads it from the deployment's file.
type Place = private.Place

// Errors of a host.
var (
	// ErrEnded: the controller has declared this run of the host failed, since it heard nothing of it, or another process
	// runs in its place. Others go on without it: what it had not sent completely may be delivered or not, everywhere.
	ErrEnded = errors.New("amcast: this run of the host has ended: the controller counts it as failed, or another process has taken its place")
	// ErrLost: the host's replica of the group was lost with an earlier run. A replica has its state in memory, and does
	// not come back.
	ErrLost = errors.New("amcast: the host has no replica of the group [an earlier run had it, and has ended; or the deployment does not name the host]")
	// ErrAdmission: the controller has not admitted the host yet.
	ErrAdmission = errors.New("amcast: the controller has not admitted the host yet")
)

// Config configures an Endpoint. Fields that are 0 have defaults.
type Config struct {
	Place *Place
	// Token is of this run of the host: a random number, not 0. Open takes one.
	Token uint64
	// Retry is after what time a message that is not finished is started again at least, and a replica that stands still asks:
	// 1 ms, and 2 ms. Both follow how long messages take, and are doubled each time, up to 64 times that. A network of
	// switches in software wants more.
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
	Foreign        uint64 // frames that are no packets for this host, or not from who may send them
	Damaged        uint64 // with a wrong checksum, or malformed
	NoWay          uint64 // packets for whom nobody knows the way: the leader of a group that has none
	LinkErrors     uint64
	Full           uint64 // packets for replicas that were dropped, since too many messages wait for Deliver
	Sender         SenderStats
	Replicas       map[uint8]ReplicaStats
}

// Endpoint is a host: its client (a Sender), its replicas, and what the controller says. It is a state machine for one
// goroutine, without a clock and sockets: frames and the time in, frames and messages out.
type Endpoint struct {
	c        Config
	sender   *Sender // nil: not admitted yet
	replicas map[uint8]*hosted
	numbers  []uint8 // of the groups that it has replicas of
	dir      Directory
	leaders  map[uint8]private.Group
	clients  map[uint16]uint16 // which host each client is at
	hello    time.Duration     // when it is said again
	out      []private.Message // to the controller
	stats    HostStats
	ended    bool
}

// hosted is a replica, and its messages that nobody has taken.
type hosted struct {
	*Replica
	port  uint16
	ready []Delivery
	lost  bool
}

// New makes an endpoint, which joins.
func New(c Config) (*Endpoint, error) {
	h := &Endpoint{c: c, replicas: map[uint8]*hosted{}, dir: Directory{}, leaders: map[uint8]private.Group{}, clients: map[uint16]uint16{}}
	p := c.Place
	switch {
	case p == nil:
		return nil, errors.New("amcast: no place: want what package control reads of the host in a deployment's file")
	case c.Token == 0:
		return nil, errors.New("amcast: no token: want a random number")
	case c.Retry < 0 || c.Hello < 0 || c.Queue < 0:
		return nil, errors.New("amcast: negative settings")
	}
	if c.Hello == 0 {
		h.c.Hello = 100 * time.Millisecond
	}
	if c.Queue == 0 {
		h.c.Queue = 1 << 16
	}
	for n, g := range p.Groups {
		if len(g.Replicas) > 32 {
			return nil, fmt.Errorf("amcast: group %d: %d replicas: at most 32", n, len(g.Replicas))
		}
		h.dir[n] = Replicas{Count: len(g.Replicas), Alive: uint32(1<<len(g.Replicas) - 1)}
	}
	for n, g := range p.Groups {
		if g.Own < 0 {
			continue
		}
		r, err := NewReplica(ReplicaOptions{Group: n, Index: g.Own, Retry: 2 * c.Retry, Directory: h.dir})
		if err != nil {
			return nil, err
		}
		h.replicas[n] = &hosted{Replica: r, port: g.Replicas[g.Own].Port}
	}
	h.numbers = slices.Sorted(maps.Keys(h.replicas))
	return h, nil
}

// Admitted reports whether the controller has admitted the host, so that it may send.
func (h *Endpoint) Admitted() bool { return h.sender != nil }

// Ended reports whether the controller counts this run as failed. It does nothing any more.
func (h *Endpoint) Ended() bool { return h.ended }

// Client is the number of the host's client, once the host is admitted.
func (h *Endpoint) Client() (number uint16, ok bool) {
	if h.sender == nil {
		return 0, false
	}
	return h.sender.o.Client, true
}

// Multicast sends a message of 1 to MaxPayload bytes to 1 to MaxGroups groups. The payload is copied. Errors: ErrAdmission,
// ErrEnded, ErrFull, or what is wrong with the groups or the payload.
func (h *Endpoint) Multicast(now time.Duration, groups Groups, payload []byte) (ID, error) {
	switch {
	case h.ended:
		return ID{}, ErrEnded
	case h.sender == nil:
		return ID{}, ErrAdmission
	}
	return h.sender.Multicast(now, groups, payload)
}

// Call is Multicast, and waits for an answer of each group: see Sender.Call.
func (h *Endpoint) Call(now time.Duration, groups Groups, payload []byte) (ID, error) {
	switch {
	case h.ended:
		return ID{}, ErrEnded
	case h.sender == nil:
		return ID{}, ErrAdmission
	}
	return h.sender.Call(now, groups, payload)
}

// Answers are those to a Call that is finished: see Sender.Answers.
func (h *Endpoint) Answers(id ID) (answers map[uint8][]byte, ok bool) {
	if h.sender == nil {
		return nil, false
	}
	return h.sender.Answers(id)
}

// answered reports whether answers wait for somebody.
func (h *Endpoint) answered() bool { return h.sender != nil && len(h.sender.calls) > 0 }

// Forget says that nobody waits for the answers to a Call any more.
func (h *Endpoint) Forget(id ID) {
	if h.sender != nil {
		h.sender.Forget(id)
	}
}

// Answer answers a message that a replica of this host has delivered: see Replica.Answer.
func (h *Endpoint) Answer(group uint8, id ID, answer []byte) error {
	r := h.replicas[group]
	if r == nil || r.lost {
		return fmt.Errorf("group %d: %w", group, ErrLost)
	}
	return r.Answer(id, answer)
}

// Open is how many messages are not finished.
func (h *Endpoint) Open() int {
	if h.sender == nil {
		return 0
	}
	return h.sender.Open()
}

// Finished reports whether a message of this host is: every replica of its groups that lives has delivered it.
func (h *Endpoint) Finished(id ID) bool { return h.sender != nil && h.sender.Finished(id) }

// Holds reports whether the host's replica of a group has the payload of a message, or has delivered it.
func (h *Endpoint) Holds(group uint8, id ID) bool {
	r := h.replicas[group]
	return r != nil && !r.lost && r.Holds(id)
}

// Full reports whether Multicast would return ErrAdmission or ErrFull.
func (h *Endpoint) Full() bool { return h.sender == nil || h.sender.Full() }

// Next returns the next message of the host's replica of a group. The error is ErrLost if there is none, and will not be.
func (h *Endpoint) Next(group uint8) (d Delivery, ok bool, err error) {
	r := h.replicas[group]
	switch {
	case r == nil:
		return d, false, fmt.Errorf("group %d: %w", group, ErrLost)
	case len(r.ready) > 0:
		d = r.ready[0]
		r.ready = r.ready[1:]
		return d, true, nil
	case r.lost:
		return d, false, fmt.Errorf("group %d: %w", group, ErrLost)
	}
	return d, false, nil
}

// Leave has the controller told that the host ends, if all its messages are finished. Poll returns that.
func (h *Endpoint) Leave() {
	if h.sender != nil && h.sender.Open() == 0 && !h.ended {
		for range leaves {
			h.out = append(h.out, private.Message{Kind: private.Leave, Token: h.c.Token, Number: h.sender.next})
		}
	}
}

// leaves is how often Leave is said, since nobody answers: if all are lost, the run counts as failed.
const leaves = 3

// Stats counts what the host did.
func (h *Endpoint) Stats() HostStats {
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

// Receive takes a frame.
func (h *Endpoint) Receive(now time.Duration, f []byte) {
	if h.ended {
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
	case e.Dst != h.c.Place.Self.IP || !h.genuine(&p, e.Src):
		h.stats.Foreign++
		return
	}
	h.stats.Received++
	if !h.deliver(now, e.DstPort, &p) {
		h.stats.Foreign++
	}
}

// genuine reports whether a packet is from who may send it. Switches see to it that nobody sends with the address of somebody
// else: what switches say comes from one, and what a replica or a client says from its host.
func (h *Endpoint) genuine(p *Packet, from wire.Addr) bool {
	if p.Kind < kindDone {
		return slices.Contains(h.c.Place.Switches, from)
	}
	to := To{Kind: ToReplica, Group: p.By, Index: int(p.Member)}
	if p.Kind == kindWant || p.Kind == kindHave && p.By == 0 {
		to = To{Kind: ToClient, Client: p.ID.Client}
	}
	end, ok := h.way(&to)
	return ok && end.IP == from
}

// deliver gives a packet to the client, or to the replica, whose port it is.
func (h *Endpoint) deliver(now time.Duration, port uint16, p *Packet) bool {
	if port == HostPort && h.sender != nil {
		h.sender.Receive(now, p)
		return true
	}
	for _, n := range h.numbers {
		r := h.replicas[n]
		if r.port != port {
			continue
		}
		switch {
		case r.lost:
		case len(r.ready) >= h.c.Queue:
			h.stats.Full++
		default:
			r.Receive(now, p)
			r.collect()
		}
		return true
	}
	return false
}

// collect takes what the replica has delivered.
func (r *hosted) collect() {
	for d, ok := r.Replica.Next(); ok; d, ok = r.Replica.Next() {
		r.ready = append(r.ready, d)
	}
}

// private takes a message of the controller.
func (h *Endpoint) private(f []byte) {
	from, to, m, ok := private.ParseFrame(f)
	if !ok || to != h.c.Place.Self.IP || from != h.c.Place.Controller.IP || m.Kind != private.View || m.Token != h.c.Token {
		h.stats.Foreign++
		return
	}
	h.stats.Received++
	if m.How&private.Ended != 0 {
		h.ended = true
		return
	}
	next := maps.Clone(h.dir)
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
	for _, n := range h.numbers {
		r := h.replicas[n]
		r.lost = r.lost || m.How&private.Serves == 0
		r.SetDirectory(next)
		for n := range uint16(MaxClients) {
			if m.HasFailed(n) {
				r.ClientFailed(n)
			}
		}
	}
	if h.sender != nil {
		h.sender.SetDirectory(next)
	} else if m.How&private.Admitted != 0 {
		s, err := NewSender(SenderOptions{Client: m.Client, First: m.Number, Window: h.c.Place.Window, Retry: h.c.Retry, Directory: next})
		if err != nil { // a controller of another deployment
			h.stats.Foreign++
			return
		}
		h.sender = s
	}
}

// Deadline is when Tick has something to do.
func (h *Endpoint) Deadline() time.Duration {
	at := h.hello
	if h.sender != nil {
		if d, ok := h.sender.Deadline(); ok {
			at = min(at, d)
		}
	}
	for _, n := range h.numbers {
		if d, ok := h.replicas[n].Deadline(); ok && !h.replicas[n].lost {
			at = min(at, d)
		}
	}
	return at
}

// Tick does what time brings.
func (h *Endpoint) Tick(now time.Duration) {
	if h.ended {
		return
	}
	if now >= h.hello {
		h.out = append(h.out, private.Message{Kind: private.Hello, Token: h.c.Token})
		h.hello = now + h.c.Hello
	}
	if h.sender != nil {
		h.sender.Tick(now)
	}
	for _, n := range h.numbers {
		if r := h.replicas[n]; !r.lost {
			r.Tick(now)
			r.collect()
		}
	}
}

// Poll appends the next frame that the host sends to b, which is empty. It returns nothing if there is none.
func (h *Endpoint) Poll(now time.Duration, b []byte) []byte {
	own := h.c.Place.Self
	if len(h.out) > 0 && !h.ended {
		m, to := h.out[0], h.c.Place.Controller
		h.out = h.out[1:]
		return private.AppendFrame(b, own.MAC, to.MAC, own.IP, to.IP, &m)
	}
	for x, port, ok := h.poll(); ok; x, port, ok = h.poll() {
		to, ok := h.way(&x.To)
		switch {
		case !ok:
			h.stats.NoWay++
		case to.IP == own.IP:
			h.deliver(now, to.Port, &x.Packet) // what this host says to itself may lead to more
		default:
			h.stats.Sent++
			return x.Packet.Append(b, Ends{own.MAC, to.MAC, own.IP, to.IP, port, to.Port})
		}
	}
	return nil
}

// poll is the next packet, and the port that it comes from.
func (h *Endpoint) poll() (x Send, port uint16, ok bool) {
	if h.ended {
		return x, 0, false
	}
	if h.sender != nil {
		if x, ok = h.sender.Poll(); ok {
			return x, h.c.Place.Self.Port, true
		}
	}
	for _, n := range h.numbers {
		if x, ok = h.replicas[n].Poll(); ok {
			return x, h.replicas[n].port, true
		}
	}
	return x, 0, false
}

// way is where a packet goes.
func (h *Endpoint) way(to *To) (End, bool) {
	p := h.c.Place
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
