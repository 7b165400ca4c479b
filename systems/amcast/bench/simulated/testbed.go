package simulated

import (
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/amcast"
	"github.com/p4ce/p4ce/systems/amcast/bench/baseline"
	"github.com/p4ce/p4ce/systems/amcast/control"
	amcastfabric "github.com/p4ce/p4ce/systems/amcast/fabric"
)

// Systems that are compared.
const (
	P4mCast  = "P4mCast"
	PrimCast = string(baseline.PrimCast)
	Skeen    = string(baseline.Skeen)
)

// systems are all: what the others are compared with is the first.
var systems = []string{PrimCast, P4mCast, Skeen}

// What hosts, links and switches take: those of p4ce bench onepipe.
const (
	cable         = 100 * fabric.Nanosecond // 20 m
	switchLatency = 400 * fabric.Nanosecond
	hostLatency   = 300 * fabric.Nanosecond
	hostRate      = 100e9
	fabricRate    = 400e9
	queueBytes    = 64 << 20
)

// PacketTime is what a packet takes one thread of a host: one receives, and one sends.
const PacketTime = 100 * fabric.Nanosecond

// Sizes of the testbed.
const (
	racks    = 4
	replicas = 3 // of a group
	clients  = 8
	window   = amcast.Window // messages of a client that may be under way
)

// cluster is a testbed whose clients may send.
type cluster struct {
	*fabric.Fabric
	groups int
	// multicast has a client, from 0, send a message. It may be refused with amcast.ErrFull until room is called.
	multicast func(client int, groups amcast.Groups, payload []byte) (amcast.ID, error)
	open      func(client int) int // messages of a client that are not finished
	// delivered is told what a replica delivers, and room which client has less under way. Neither may send.
	delivered func(replica string, d *amcast.Delivery)
	room      func(client int)
	replicas  []*fabric.Host // that deliver
	copies    int            // of a message in each of its groups: how many replicas deliver it
}

// bed is a testbed that is being built.
type bed struct {
	f         *fabric.Fabric
	groups    int
	packet    fabric.Time
	newSwitch func(name string) (fabric.Switch, error)
}

func replica(group, n int) string { return fmt.Sprintf("g%d.%d", group, n+1) }

// build makes all nodes and links: hosts are first the replicas, by group, and then the clients.
func (b *bed) build() error {
	uplink := fabric.LinkConfig{Rate: fabricRate, Delay: cable, Queue: queueBytes}
	edge := fabric.LinkConfig{Rate: hostRate, Delay: cable, Queue: queueBytes}
	var leaves, spines []fabric.Switch
	for i := range racks + 2 {
		name, level := fmt.Sprint("leaf", i+1), 0
		if i >= racks {
			name, level = fmt.Sprint("spine", i-racks+1), 1
		}
		s, err := b.newSwitch(name)
		if err != nil {
			return err
		}
		b.f.SetLevel(s, level)
		if level == 0 {
			leaves = append(leaves, s)
			continue
		}
		spines = append(spines, s)
	}
	for _, leaf := range leaves {
		for _, spine := range spines {
			if _, err := b.f.Connect(leaf, spine, "", uplink); err != nil {
				return err
			}
		}
	}
	host := func(name string, rack int) error {
		h, err := b.f.NewHost(name, fabric.HostConfig{Receive: hostLatency, Packet: b.packet})
		if err == nil {
			_, err = b.f.Connect(h, leaves[rack%racks], "", edge)
		}
		return err
	}
	for g := range b.groups {
		for i := range replicas {
			if err := host(replica(g+1, i), g+i); err != nil {
				return err
			}
		}
	}
	for i := range clients {
		if err := host(fmt.Sprint("c", i+1), i); err != nil {
			return err
		}
	}
	return b.f.Start()
}

// build builds a testbed, and waits until all clients may send. packet is the CPU time of a packet.
func build(seed uint64, system string, groups int, packet fabric.Time) (*cluster, error) {
	c := &cluster{groups: groups, copies: replicas}
	b := &bed{groups: groups, packet: packet}
	if system == P4mCast {
		return c, c.newSwitches(seed, b)
	}
	return c, c.newBaseline(seed, b, baseline.Kind(system))
}

// newBaseline makes a network of plain switches.
func (c *cluster) newBaseline(seed uint64, b *bed, kind baseline.Kind) error {
	first := c.groups * replicas // of the clients
	conf := baseline.Config{
		Kind: kind, Hosts: first + clients, Groups: baseline.Groups{},
		Deliver:  func(at int, d *amcast.Delivery) { c.delivered(replica(at/replicas+1, at%replicas), d) },
		Finished: func(from int, _ amcast.ID) { c.room(from - first) },
	}
	if kind == baseline.Skeen {
		c.copies = 1
	}
	for g := range c.groups {
		for i := range c.copies {
			conf.Groups[uint8(g+1)] = append(conf.Groups[uint8(g+1)], g*replicas+i)
		}
	}
	n, err := baseline.New(seed, conf)
	if err != nil {
		return err
	}
	b.f, c.Fabric = n.Fabric, n.Fabric
	b.newSwitch = func(name string) (fabric.Switch, error) { return n.NewPlain(name, switchLatency) }
	c.multicast = func(client int, groups amcast.Groups, payload []byte) (amcast.ID, error) {
		return n.Multicast(first+client, groups, payload)
	}
	c.open = func(client int) int { return n.Open(first + client) }
	if err := b.build(); err != nil {
		return err
	}
	for _, list := range conf.Groups {
		for _, i := range list {
			c.replicas = append(c.replicas, n.Fabric.Hosts[i])
		}
	}
	return nil
}

// join is how long it may take until all hosts are admitted.
const join = fabric.Second

// newSwitches makes a network of switches that run p4/amcast. Nothing fails and nothing is lost, so that nothing needs to be
// sent again.
func (c *cluster) newSwitches(seed uint64, b *bed) error {
	set := amcastfabric.Defaults()
	set.Window, set.Retry, set.Hello, set.Silence, set.Replace = window, fabric.Span(5*fabric.Millisecond), fabric.Span(fabric.Millisecond), fabric.Span(fabric.Second), fabric.Span(fabric.Second)
	for g := range c.groups {
		x := amcastfabric.Group{Number: uint8(g + 1), Members: []string{fmt.Sprint("leaf", g+1), "spine1", "spine2"}}
		for i := range replicas {
			x.Replicas = append(x.Replicas, replica(g+1, i))
		}
		set.Groups = append(set.Groups, x)
	}
	n, err := amcastfabric.New(seed, set)
	if err != nil {
		return err
	}
	d := &driver{c: c}
	n.Driver = d
	b.f, c.Fabric = n.Fabric, n.Fabric
	b.newSwitch = func(name string) (fabric.Switch, error) {
		return n.NewP4Switch(name, fabric.P4SwitchConfig{Latency: switchLatency, Controller: fabric.ControllerConfig{Delay: fabric.Microsecond, Write: 10 * fabric.Nanosecond}})
	}
	if err := b.build(); err != nil {
		return err
	}
	c.replicas = n.Hosts[:c.groups*replicas]
	at := func(client int) *fabric.Host { return n.Hosts[c.groups*replicas+client] }
	c.multicast = func(client int, groups amcast.Groups, payload []byte) (amcast.ID, error) {
		return n.Multicast(at(client), groups, payload)
	}
	c.open = func(client int) int { return n.Host(at(client)).Open() }
	if err := n.RunWhile(join, func() bool { return d.admitted < len(n.Hosts) }); err != nil {
		return err
	}
	if d.admitted < len(n.Hosts) {
		return fmt.Errorf("%d of %d hosts were admitted", d.admitted, len(n.Hosts))
	}
	// The groups must have leaders, and the hosts have heard of them.
	waits := func() bool {
		return slices.ContainsFunc(n.Groups(), func(g control.GroupStatus) bool { return g.State != "running" })
	}
	if err := n.RunWhile(join, waits); err != nil {
		return err
	}
	if waits() {
		return fmt.Errorf("the groups do not run: %+v", n.Groups())
	}
	return n.Run(n.Now() + 3*fabric.Time(set.Hello))
}

// driver runs the hosts of a network of P4mCast.
type driver struct {
	c        *cluster
	admitted int
}

// Admitted implements amcastfabric.Driver.
func (d *driver) Admitted(*fabric.Host) { d.admitted++ }

// Delivered implements amcastfabric.Driver.
func (d *driver) Delivered(h *fabric.Host, _ uint8, x *amcast.Delivery) { d.c.delivered(h.Name(), x) }

// Room implements amcastfabric.Driver.
func (d *driver) Room(h *fabric.Host) {
	if n := h.Number() - 1 - d.c.groups*replicas; n >= 0 {
		d.c.room(n)
	}
}
