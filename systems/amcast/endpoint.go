package amcast

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/p4ce/p4ce/systems/amcast/private"
)

// EndpointOptions configure an Endpoint. Fields that are 0 have defaults.
type EndpointOptions struct {
	Place *Place
	// Token tells runs of the host apart: no two have the same, and none 0.
	Token uint64
	// Retry is after what time a message that is not finished is started again, and a replica that stands still asks: 1 ms,
	// and 2 ms. Both are doubled each time, up to 64 times that. A network of switches in software wants more.
	Retry time.Duration
	// Hello is how often the host tells the controller that it is there: 100 ms.
	Hello time.Duration
	// Queue is how many messages may wait for Deliver in each replica: 65536. What comes then is not taken from the network
	// until there is room, and senders wait.
	Queue int
}

// EndpointStats count since the start.
type EndpointStats struct {
	Received, Sent uint64 // packets
	Foreign        uint64 // frames that are no packets for this host
	Damaged        uint64 // with a wrong checksum, or malformed
	NoWay          uint64 // packets for whom nobody knows the way: the leader of a group that has none
	Full           uint64 // packets for replicas that were dropped, since too many messages wait for Deliver
	Sender         SenderStats
	Replicas       map[uint8]ReplicaStats
}

// Endpoint is a host's end of atomic multicast: its client, its replicas, and what the controller has told it. It is a state
// machine without goroutines and clocks: frames in, frames out, and the time as a parameter.
type Endpoint struct {
	o        EndpointOptions
	sender   *Sender // nil: not admitted yet
	replicas map[uint8]*hosted
	order    []*hosted // the same, by their groups
	dir      Directory
	leaders  map[uint8]private.Group
	clients  map[uint16]uint16 // which host each client is at
	hello    time.Duration     // when it is said again
	says     []private.Message // to the controller
	stats    EndpointStats
	err      error
}

// hosted is a replica, and who waits for its messages.
type hosted struct {
	*Replica
	port  uint16
	ready []Delivery
	lost  bool
}

// NewEndpoint makes an Endpoint that the controller has not admitted yet.
func NewEndpoint(o EndpointOptions) (*Endpoint, error) {
	p := o.Place
	switch {
	case p == nil:
		return nil, errors.New("amcast: no place: want what control.Config.Place says of the host")
	case o.Token == 0:
		return nil, errors.New("amcast: no token: want a number that no other run of the host has")
	case o.Retry < 0 || o.Hello < 0 || o.Queue < 0:
		return nil, errors.New("amcast: negative settings")
	}
	o.Hello, o.Queue = cmp.Or(o.Hello, 100*time.Millisecond), cmp.Or(o.Queue, 1<<16)
	e := &Endpoint{o: o, replicas: map[uint8]*hosted{}, dir: Directory{}, leaders: map[uint8]private.Group{}, clients: map[uint16]uint16{}}
	for n, g := range p.Groups {
		if len(g.Replicas) > 32 {
			return nil, fmt.Errorf("amcast: group %d: %d replicas: at most 32", n, len(g.Replicas))
		}
		e.dir[n] = Replicas{Count: len(g.Replicas), Alive: uint32(1<<len(g.Replicas) - 1)}
	}
	for _, n := range slices.Sorted(maps.Keys(p.Groups)) {
		g := p.Groups[n]
		if g.Own < 0 {
			continue
		}
		r, err := NewReplica(ReplicaOptions{Group: n, Index: g.Own, Retry: 2 * o.Retry, Directory: e.dir})
		if err != nil {
			return nil, err
		}
		h := &hosted{Replica: r, port: g.Replicas[g.Own].Port}
		e.replicas[n] = h
		e.order = append(e.order, h)
	}
	return e, nil
}

// Admitted reports whether the controller has admitted the host.
func (e *Endpoint) Admitted() bool { return e.sender != nil }

// Err is why the host has ended: ErrEnded, or nil.
func (e *Endpoint) Err() error { return e.err }

// Client is the number of the host's client, once the host is admitted.
func (e *Endpoint) Client() (number uint16, ok bool) {
	if e.sender == nil {
		return 0, false
	}
	return e.sender.o.Client, true
}

// Stats counts what the host did.
func (e *Endpoint) Stats() EndpointStats {
	s := e.stats
	s.Replicas = map[uint8]ReplicaStats{}
	if e.sender != nil {
		s.Sender = e.sender.Stats
	}
	for n, r := range e.replicas {
		s.Replicas[n] = r.Replica.Stats
	}
	return s
}

// Multicast sends a message of 1 to MaxPayload bytes to 1 to MaxGroups groups. The payload is copied. Without room in the
// window it returns ErrFull; before the host is admitted, ErrJoining.
func (e *Endpoint) Multicast(now time.Duration, groups Groups, payload []byte) (ID, error) {
	switch {
	case e.err != nil:
		return ID{}, e.err
	case e.sender == nil:
		return ID{}, ErrJoining
	}
	return e.sender.Multicast(now, groups, payload)
}

// Unfinished is how many messages of this host are under way.
func (e *Endpoint) Unfinished() int {
	if e.sender == nil {
		return 0
	}
	return e.sender.Open()
}

// Full reports whether a message would have to wait for room in the window.
func (e *Endpoint) Full() bool { return e.sender != nil && e.sender.Full() }

// Deliver returns the next message of the host's replica of a group. ErrLost: there is no such replica, or it was lost.
func (e *Endpoint) Deliver(group uint8) (d Delivery, ok bool, err error) {
	r := e.replicas[group]
	if r == nil {
		return d, false, fmt.Errorf("group %d: %w", group, ErrLost)
	}
	r.collect()
	switch {
	case len(r.ready) > 0:
		d, ok = r.ready[0], true
		r.ready = r.ready[1:]
	case e.err != nil:
		err = e.err
	case r.lost:
		err = fmt.Errorf("group %d: %w", group, ErrLost)
	}
	return d, ok, err
}

// collect takes what the replica has delivered.
func (r *hosted) collect() {
	for d, ok := r.Next(); ok; d, ok = r.Next() {
		r.ready = append(r.ready, d)
	}
}

// Ready is how many messages wait for Deliver.
func (e *Endpoint) Ready(group uint8) int {
	r := e.replicas[group]
	if r == nil {
		return 0
	}
	r.collect()
	return len(r.ready)
}

// Receive takes a frame that came in, and keeps nothing of it.
func (e *Endpoint) Receive(now time.Duration, f []byte) {
	if e.err != nil {
		return
	}
	var p Packet
	ends, err := p.Parse(f)
	switch {
	case errors.Is(err, ErrForeign):
		e.told(f)
		return
	case err != nil:
		e.stats.Damaged++
		return
	case ends.Dst != e.o.Place.Self.IP:
		e.stats.Foreign++
		return
	}
	e.stats.Received++
	if !e.deliver(now, ends.DstPort, &p) {
		e.stats.Foreign++
	}
}

// deliver gives a packet to the client, or to the replica, whose port it is.
func (e *Endpoint) deliver(now time.Duration, port uint16, p *Packet) bool {
	if port == HostPort && e.sender != nil {
		e.sender.Receive(now, p)
		return true
	}
	for _, r := range e.order {
		if r.port != port {
			continue
		}
		r.collect()
		switch {
		case r.lost:
		case len(r.ready) >= e.o.Queue:
			e.stats.Full++
		default:
			r.Receive(now, p)
		}
		return true
	}
	return false
}

// told takes a message of the controller.
func (e *Endpoint) told(f []byte) {
	from, to, m, ok := private.ParseFrame(f)
	if !ok || to != e.o.Place.Self.IP || from != e.o.Place.Controller.IP || m.Kind != private.View || m.Token != e.o.Token {
		e.stats.Foreign++
		return
	}
	e.stats.Received++
	if m.How&private.Ended != 0 {
		e.err = ErrEnded
		return
	}
	next := maps.Clone(e.dir)
	for _, g := range m.Groups {
		d, known := next[g.Number]
		if !known {
			continue
		}
		d.Alive &= g.Alive // who has failed has failed for good
		next[g.Number] = d
		if g.Epoch > 0 && g.Epoch >= e.leaders[g.Number].Epoch {
			e.leaders[g.Number] = g
		}
	}
	e.dir = next
	for _, c := range m.Clients {
		e.clients[c.Number] = c.Host
	}
	for _, r := range e.order {
		r.lost = r.lost || m.How&private.Serves == 0
		r.SetDirectory(next)
		for n := range uint16(MaxClients) {
			if m.HasFailed(n) {
				r.ClientFailed(n)
			}
		}
	}
	if e.sender == nil && m.How&private.Admitted != 0 {
		s, err := NewSender(SenderOptions{Client: m.Client, First: m.Number, Window: e.o.Place.Window, Retry: e.o.Retry, Directory: next})
		if err != nil {
			e.err = err
			return
		}
		e.sender = s
	} else if e.sender != nil {
		e.sender.SetDirectory(next)
	}
}

// Tick does what time brings.
func (e *Endpoint) Tick(now time.Duration) {
	if e.err != nil {
		return
	}
	if now >= e.hello {
		e.says = append(e.says, private.Message{Kind: private.Hello, Token: e.o.Token})
		e.hello = now + e.o.Hello
	}
	if e.sender != nil {
		e.sender.Tick(now)
	}
	for _, r := range e.order {
		if !r.lost {
			r.Tick(now)
		}
	}
}

// Deadline is when Tick has something to do.
func (e *Endpoint) Deadline() time.Duration {
	if e.err != nil {
		return math.MaxInt64
	}
	at := e.hello
	if e.sender != nil {
		if d, ok := e.sender.Deadline(); ok {
			at = min(at, d)
		}
	}
	for _, r := range e.order {
		if d, ok := r.Deadline(); ok && !r.lost {
			at = min(at, d)
		}
	}
	return at
}

// Leave ends the host. One whose messages are all finished tells the controller, by the frames of Next. Of one that has some
// under way the controller finds out by itself, and other replicas finish them.
func (e *Endpoint) Leave(err error) {
	if e.err != nil {
		return
	}
	if e.sender != nil && e.sender.Open() == 0 {
		e.says = append(e.says, private.Message{Kind: private.Leave, Token: e.o.Token, Number: e.sender.next})
	}
	e.err = err
}

// Next appends the next frame that is to be sent to b, or nothing.
func (e *Endpoint) Next(now time.Duration, b []byte) []byte {
	own := e.o.Place.Self
	if len(e.says) > 0 {
		m := e.says[0]
		e.says = e.says[1:]
		to := e.o.Place.Controller
		return private.AppendFrame(b, own.MAC, to.MAC, own.IP, to.IP, &m)
	}
	if e.err != nil {
		return b
	}
	for {
		x, port, ok := e.poll()
		if !ok {
			return b
		}
		to, ok := e.way(&x.To)
		switch {
		case !ok:
			e.stats.NoWay++
		case to.IP == own.IP:
			e.deliver(now, to.Port, &x.Packet)
		default:
			e.stats.Sent++
			return x.Packet.Append(b, Ends{own.MAC, to.MAC, own.IP, to.IP, port, to.Port})
		}
	}
}

// poll takes the next packet of the client or of a replica, and the port that it is sent from.
func (e *Endpoint) poll() (x Send, port uint16, ok bool) {
	if e.sender != nil {
		if x, ok = e.sender.Poll(); ok {
			return x, e.o.Place.Self.Port, true
		}
	}
	for _, r := range e.order {
		if x, ok = r.Poll(); ok {
			return x, r.port, true
		}
	}
	return x, 0, false
}

// way is where a packet goes.
func (e *Endpoint) way(to *To) (End, bool) {
	p := e.o.Place
	switch to.Kind {
	case ToLeader:
		g := p.Groups[to.Group]
		if x := e.leaders[to.Group]; g != nil && x.Epoch > 0 {
			end, ok := g.Leaders[x.Leader]
			return end, ok
		}
	case ToReplica:
		if g := p.Groups[to.Group]; g != nil && to.Index < len(g.Replicas) {
			return g.Replicas[to.Index], true
		}
	case ToClient:
		if n, ok := e.clients[to.Client]; ok && int(n) < len(p.Hosts) {
			return p.Hosts[n], true
		}
	}
	return End{}, false
}
