package baseline

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
)

// Config says what the network is.
type Config struct {
	Kind   Kind
	Hosts  int
	Groups Groups
	// Deliver is told what a process delivers, in its order. Finished is told which of its messages all have delivered.
	Deliver  func(at int, d *amcast.Delivery)
	Finished func(from int, id amcast.ID)
}

// Network is a network of hosts, each with a process: that of host n, from 1, is process n-1.
type Network struct {
	*fabric.Fabric
	Config
	stations []*station
}

// New makes an empty network, whose hosts are made next.
func New(seed uint64, c Config) (*Network, error) {
	if err := c.Groups.check(c.Kind, c.Hosts); err != nil {
		return nil, err
	}
	f := fabric.New(seed)
	n := &Network{Fabric: f, Config: c}
	s := &fabric.System{Name: string(c.Kind), New: func(*fabric.Fabric, fabric.Settings) (fabric.Instance, error) { return n, nil }}
	return n, f.Use(s, nil)
}

// Endpoint implements fabric.Instance.
func (n *Network) Endpoint(h *fabric.Host) fabric.Endpoint {
	s := &station{h: h}
	at := len(n.stations)
	s.process = NewProcess(at, n.Groups, func(to int, p *amcast.Packet) { s.send(*p, n.stations[to].h) },
		func(d *amcast.Delivery) { n.Deliver(at, d) }, func(id amcast.ID) { n.Finished(at, id) })
	n.stations = append(n.stations, s)
	return s
}

// Ready implements fabric.Instance.
func (n *Network) Ready() error {
	if len(n.stations) != n.Config.Hosts {
		return fmt.Errorf("%s: %d hosts: want %d", n.Kind, len(n.stations), n.Config.Hosts)
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

// Multicast has a process send a message.
func (n *Network) Multicast(from int, groups amcast.Groups, payload []byte) (amcast.ID, error) {
	for _, g := range groups.List() {
		if n.Groups[g] == nil {
			return amcast.ID{}, fmt.Errorf("%s: group %d is not known", n.Kind, g)
		}
	}
	return n.stations[from].process.Multicast(groups, slices.Clone(payload)), nil
}

// Open is how many messages of a process are not finished.
func (n *Network) Open(from int) int { return n.stations[from].process.Open() }

// station is what a host runs: its process, and what that sends, in a queue.
type station struct {
	h       *fabric.Host
	process *Process
	queue   []queued
	head    int
}

type queued struct {
	p  amcast.Packet
	to *fabric.Host
}

// send has a packet leave the host.
func (s *station) send(p amcast.Packet, to *fabric.Host) {
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
	b = q.p.Append(b, amcast.Ends{SrcMAC: s.h.MAC(), DstMAC: mac, Src: s.h.Addr(), Dst: q.to.Addr(), SrcPort: amcast.HostPort, DstPort: amcast.HostPort})
	*q = queued{}
	return b
}

// Receive implements fabric.Endpoint.
func (s *station) Receive(_ time.Duration, frame []byte) {
	var p amcast.Packet
	if _, err := p.Parse(frame); err == nil {
		s.process.Receive(&p)
	}
}
