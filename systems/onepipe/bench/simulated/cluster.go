package simulated

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/onepipe"
	"github.com/p4ce/p4ce/systems/onepipe/bench/baseline"
	onepipefabric "github.com/p4ce/p4ce/systems/onepipe/fabric"
)

// Systems that are compared.
const (
	BestEffort = "1Pipe best effort"
	Reliable   = "1Pipe reliable"
	// In these, switches only forward, and a server beside each computes the barriers.
	BestEffortServers = "1Pipe best effort, servers"
	ReliableServers   = "1Pipe reliable, servers"
)

// cluster is a testbed with processes that can send.
type cluster struct {
	*fabric.Fabric
	processes int
	// broadcast has a process send to all.
	broadcast func(from int, data []byte) error
	// send has a process send to one. Of the baselines only the unordered one can.
	send func(from, to int, data []byte) error
	// deliver is told what a process delivers. It may broadcast only in a later event.
	deliver func(at, from int, data []byte)
	// lost, if not nil, is told that a process's message to another one is lost.
	lost    func(from, to int)
	ordered bool
	pipe    *pipe // nil: a baseline
}

// options say what is different about a testbed.
type options struct {
	window int    // of 1Pipe's connections, in fragments
	rate   uint64 // of links between switches; 0: no oversubscription
	// silence is how long a barrier may stand still until its link has failed, and poll is between two looks of the
	// controller at a switch; 0: as usual.
	silence, poll fabric.Time
	// loss is the chance that a link of a host loses a packet, from when all have joined.
	loss float64
	// retry is the least time after which a packet counts as lost; 0: as usual.
	retry fabric.Time
	// late is by how much the first host's clock is behind.
	late fabric.Time
	// threads are those that a host has beside its processes', for what else it sends and receives.
	threads int
	// server is how long a beacon takes from a switch to the server that computes its barriers, and back; 0: there is none.
	server fabric.Time
}

// joinControl is what controllers take until all have joined: nobody measures that.
var joinControl = fabric.ControllerConfig{Delay: fabric.Microsecond, Write: 10 * fabric.Nanosecond}

// build builds a testbed, and waits until all processes may send.
func build(seed uint64, system string, processes int, o options) (*cluster, error) {
	hosts, each := spread(processes)
	if hosts*each != processes {
		return nil, fmt.Errorf("%d processes cannot be spread over %d hosts", processes, hosts)
	}
	b := &bed{processes: processes, each: each, rate: cmp.Or(o.rate, fabricRate), late: o.late, threads: o.threads}
	c := &cluster{processes: processes}
	var err error
	switch system {
	case BestEffortServers, ReliableServers:
		o.server = toServer
		fallthrough
	case BestEffort, Reliable:
		err = c.newPipe(seed, b, system == Reliable || system == ReliableServers, o)
	default:
		err = c.newBaseline(seed, b, baseline.Kind(system))
	}
	if err == nil {
		for _, h := range c.Hosts {
			h.Link().Link.Config.Faults.Loss = o.loss
		}
	}
	return c, err
}

// newBaseline makes a network of plain switches.
func (c *cluster) newBaseline(seed uint64, b *bed, kind baseline.Kind) error {
	n, err := baseline.New(seed, baseline.Config{
		Kind: kind, Hosts: b.hosts(), Each: b.each, Exchange: exchange(b.processes), Burst: 1 << 20,
		Deliver: func(at, from int, data []byte) { c.deliver(at, from, data) },
	})
	if err != nil {
		return err
	}
	b.f, c.Fabric, c.ordered = n.Fabric, n.Fabric, kind != baseline.Unordered
	b.newSwitch = func(name string, latency fabric.Time) (fabric.Switch, error) { return n.NewPlain(name, latency) }
	switch kind {
	case baseline.HostSequencer:
		b.sequencer = atHost
	case baseline.SwitchSequencer:
		b.sequencer = inSwitch
	}
	c.broadcast = func(from int, data []byte) error {
		n.Broadcast(from, data)
		return nil
	}
	c.send = func(from, to int, data []byte) error {
		n.Send(from, to, data)
		return nil
	}
	return b.build()
}

// exchange is the pause between two exchanges of logical clocks, which take half of what a process can send then: 5 million
// messages a second. (The paper: 512 processes take 200 us.)
func exchange(processes int) fabric.Time {
	return max(beacons, fabric.Time(processes)*2*fabric.Second/5e6)
}

// pipe is 1Pipe.
type pipe struct {
	c         *cluster
	net       *onepipefabric.Network
	each      int
	reliable  bool
	hosts     []*fabric.Host
	processes []*onepipe.LocalProcess // by number, nil: not admitted
	admitted  int
	last      [2][]onepipe.Message // that each process has received, by service
}

// join is how long it may take until all hosts are admitted.
const join = 100 * fabric.Millisecond

// newNetwork makes an empty network of 1Pipe for a testbed.
func newNetwork(seed uint64, b *bed, o options) (*onepipefabric.Network, error) {
	set := onepipefabric.Defaults()
	set.Interval, set.Processes, set.Window = fabric.Span(beacons), b.each, o.window
	set.Poll, set.Silence = fabric.Span(cmp.Or(o.poll, 20*fabric.Microsecond)), fabric.Span(cmp.Or(o.silence, fabric.Second))
	set.Retry = cmp.Or(fabric.Span(o.retry), set.Retry)
	n, err := onepipefabric.New(seed, set)
	if err != nil {
		return nil, err
	}
	b.f = n.Fabric
	n.Set.CPU = map[string]fabric.Span{}
	b.newSwitch = func(name string, latency fabric.Time) (fabric.Switch, error) {
		if o.server > 0 {
			n.Set.CPU[name] = fabric.Span(o.server)
		}
		return n.NewP4Switch(name, fabric.P4SwitchConfig{Latency: latency, Controller: joinControl})
	}
	return n, nil
}

func (c *cluster) newPipe(seed uint64, b *bed, reliable bool, o options) error {
	n, err := newNetwork(seed, b, o)
	if err != nil {
		return err
	}
	p := &pipe{c: c, net: n, each: b.each, reliable: reliable, processes: make([]*onepipe.LocalProcess, b.processes)}
	for i := range p.last {
		p.last[i] = make([]onepipe.Message, b.processes)
	}
	n.Driver = p
	c.Fabric, c.pipe, c.ordered = n.Fabric, p, true
	c.broadcast, c.send = p.broadcast, p.send
	if err := b.build(); err != nil {
		return err
	}
	p.hosts = n.Hosts
	if err := n.RunWhile(join, func() bool { return p.admitted < len(p.processes) }); err != nil {
		return err
	}
	if p.admitted < len(p.processes) {
		return fmt.Errorf("%d of %d processes were admitted", p.admitted, len(p.processes))
	}
	return nil
}

// Admitted implements onepipefabric.Driver.
func (p *pipe) Admitted(h *fabric.Host, list []*onepipe.LocalProcess) {
	for i, x := range list {
		p.processes[(h.Number()-1)*p.each+i] = x
	}
	p.admitted += len(list)
}

// number is a process's, of all.
func (p *pipe) number(x onepipe.Process) int {
	host := int(x.Addr[1])<<16 | int(x.Addr[2])<<8 | int(x.Addr[3])
	return (host-1)*p.each + int(x.Number-p.processes[(host-1)*p.each].Process().Number)
}

// Received implements onepipefabric.Driver.
func (p *pipe) Received(at *onepipe.LocalProcess, reliable bool, m *onepipe.Message) {
	n := p.number(at.Process())
	last := &p.last[0][n]
	if reliable {
		last = &p.last[1][n]
	}
	if last.Time != 0 && !last.Before(m) {
		p.net.Fail(fmt.Errorf("process %v received (%d, %v) after (%d, %v)", at.Process(), m.Time, m.From, last.Time, last.From))
	}
	*last = onepipe.Message{Time: m.Time, From: m.From}
	p.c.deliver(n, p.number(m.From), m.Data)
}

// Lost implements onepipefabric.Driver.
func (p *pipe) Lost(from *onepipe.LocalProcess, f *onepipe.Failure) {
	if p.c.lost != nil {
		p.c.lost(p.number(from.Process()), p.number(f.To))
	}
}

// broadcast sends to all, first to the process behind the sender: not all begin with the same.
func (p *pipe) broadcast(from int, data []byte) error {
	return p.multicast(from, data, func(int) bool { return true })
}

// multicast sends to some.
func (p *pipe) multicast(from int, data []byte, to func(int) bool) error {
	parts := make([]onepipe.Part, 0, len(p.processes))
	for i := range p.processes {
		if n := (from + 1 + i) % len(p.processes); to(n) {
			parts = append(parts, onepipe.Part{To: p.processes[n].Process(), Data: data})
		}
	}
	return p.scatter(from, parts...)
}

func (p *pipe) send(from, to int, data []byte) error {
	return p.scatter(from, onepipe.Part{To: p.processes[to].Process(), Data: data})
}

func (p *pipe) scatter(from int, parts ...onepipe.Part) error {
	return p.net.Send(p.hosts[from/p.each], p.processes[from], p.reliable, parts...)
}

// payload is the data of a message: its number, and noise.
func payload(number int) []byte {
	b := make([]byte, payloadLen)
	binary.BigEndian.PutUint64(b, uint64(number))
	return b
}

// numberOf is the number of a message.
func numberOf(data []byte) uint64 { return binary.BigEndian.Uint64(data) }

// payloadLen is the paper's.
const payloadLen = 64
