package baseline

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/sim/fabric"
)

// Kind is a way to an order.
type Kind string

// The kinds.
const (
	Unordered       Kind = "unordered"
	HostSequencer   Kind = "host sequencer"
	SwitchSequencer Kind = "switch sequencer"
	Token           Kind = "token"
	Lamport         Kind = "Lamport clocks"
)

// Kinds are all.
var Kinds = []Kind{Unordered, HostSequencer, SwitchSequencer, Token, Lamport}

// Sequenced reports whether there is a sequencer.
func (k Kind) Sequenced() bool { return k == HostSequencer || k == SwitchSequencer }

// Config says what the network is.
type Config struct {
	Kind  Kind
	Hosts int // with processes; with a sequencer, the host behind them is that
	Each  int // processes of a host
	// Exchange is the pause between two exchanges of logical clocks.
	Exchange fabric.Time
	// Burst is how many messages a process sends while it has the token, at most.
	Burst int
	// Deliver is told what a process delivers, in its order. It keeps nothing of the data.
	Deliver func(at, from int, data []byte)
}

// Network is a network of hosts. Process n is at host n / Each.
type Network struct {
	*fabric.Fabric
	Config
	members []*member
	number  uint64 // the sequencer's: the next one
}

// New makes an empty network, whose hosts are made next.
func New(seed uint64, c Config) (*Network, error) {
	f := fabric.New(seed)
	n := &Network{Fabric: f, Config: c}
	s := &fabric.System{Name: string(c.Kind), New: func(*fabric.Fabric, fabric.Settings) (fabric.Instance, error) { return n, nil }}
	return n, f.Use(s, nil)
}

// Endpoint implements fabric.Instance.
func (n *Network) Endpoint(h *fabric.Host) fabric.Endpoint { return &station{net: n, h: h} }

// Ready implements fabric.Instance.
func (n *Network) Ready() error {
	want := n.Config.Hosts
	if n.Kind.Sequenced() {
		want++
	}
	if len(n.Fabric.Hosts) != want {
		return fmt.Errorf("%s: %d hosts: want %d", n.Kind, len(n.Fabric.Hosts), want)
	}
	for i := range n.Config.Hosts * n.Each {
		m := &member{net: n, at: n.Fabric.Hosts[i/n.Each].Endpoint().(*station), number: i}
		m.heard = make([]uint64, n.Config.Hosts*n.Each)
		n.members = append(n.members, m)
	}
	switch n.Kind {
	case Token:
		n.At(0, func() { n.members[0].take(0) })
	case Lamport:
		n.At(n.Exchange, n.exchange)
	}
	return nil
}

// App implements fabric.Instance.
func (n *Network) App(*fabric.P4Switch) (fabric.App, error) {
	return nil, errors.New("baselines have plain switches")
}

// Client implements fabric.Instance.
func (n *Network) Client(*fabric.Load, fabric.LoadSettings) (fabric.Client, error) {
	return nil, errors.New("baselines have no loads")
}

// Broadcast has a process send a message to all.
func (n *Network) Broadcast(from int, data []byte) { n.members[from].broadcast(slices.Clone(data)) }

// Send has a process send a message to another one, in no order.
func (n *Network) Send(from, to int, data []byte) {
	n.members[from].at.send(packet{from: from, to: to, data: slices.Clone(data)}, n.members[to].at.h)
}

// exchange has all processes tell all of their clocks, unless they have sent messages since the last time.
func (n *Network) exchange() {
	for _, m := range n.members {
		if !m.spoke {
			m.time++
			m.all(packet{what: clock, number: m.time})
		}
		m.spoke = false
	}
	n.At(n.Now()+n.Exchange, n.exchange)
}

// station is what a host runs: what its processes send, in a queue.
type station struct {
	net   *Network
	h     *fabric.Host
	queue []queued
	head  int
}

type queued struct {
	p  packet
	to *fabric.Host
}

// send has a packet leave the host.
func (s *station) send(p packet, to *fabric.Host) {
	s.queue = append(s.queue, queued{p, to})
	s.h.Send()
}

// Next implements fabric.Endpoint.
func (s *station) Next(_ time.Duration, b []byte) []byte {
	if s.head == len(s.queue) {
		s.queue, s.head = s.queue[:0], 0
		return b
	}
	q := &s.queue[s.head]
	s.head++
	mac, _ := s.h.Resolve(q.to.Addr()) // all are at a switch
	b = q.p.frame(Address{s.h.MAC(), s.h.Addr()}, Address{mac, q.to.Addr()}, b)
	*q = queued{}
	return b
}

// Receive implements fabric.Endpoint.
func (s *station) Receive(_ time.Duration, frame []byte) {
	var p packet
	if !p.parse(frame) {
		return
	}
	if p.what == request {
		p.what, p.data, p.number = message, slices.Clone(p.data), s.net.number
		s.net.number++
		s.copies(p)
		return
	}
	if p.what == ack {
		return
	}
	if p.what == message {
		s.send(packet{what: ack, from: p.to, to: p.from, number: p.number, data: ackData}, s.net.members[p.from].at.h)
	}
	s.net.members[p.to].receive(&p)
}

// copies sends a packet to all processes, first to the one behind its sender: not all begin with the same.
func (s *station) copies(p packet) {
	all := s.net.members
	for i := range all {
		to := all[(p.from+1+i)%len(all)]
		p.to = to.number
		s.send(p, to.at.h)
	}
}
