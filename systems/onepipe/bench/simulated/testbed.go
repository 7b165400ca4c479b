package simulated

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/p4ce/p4ce/sim/fabric"
)

// What hosts, links and switches take. A rack's round trip is then 1.8 us, that over five switches 5.8 us; the paper has 1
// to 2 us (section 6.1), and 2 to 10 us (7.2).
const (
	cable         = 100 * fabric.Nanosecond // 20 m
	switchLatency = 400 * fabric.Nanosecond
	hostLatency   = 300 * fabric.Nanosecond
	hostRate      = 100e9
	fabricRate    = 400e9 // as much as all that is below: no oversubscription
	queueBytes    = 64 << 20
	markBytes     = 100e3 // DCTCP's K
	// packetTime is what a packet costs one thread of a host, sent or received. It is the paper's: a process with a thread
	// that sends and one that receives does 5 million messages a second, "limited by CPU processing and RDMA messaging
	// rate". A message is a packet and its acknowledgement, so that each thread has two packets in 200 ns.
	packetTime = 100 * fabric.Nanosecond
	// skew is the mean distance of a clock from the true time (section 7.1); the 95th percentile is 0.9 us.
	skew = 300 * fabric.Nanosecond
	// beacons are the paper's interval.
	beacons = 3 * fabric.Microsecond
	// toServer is how long a beacon takes from a switch to its server, or back. In the paper, both and the server's work
	// take 2 us (section 7.2).
	toServer = fabric.Microsecond
	// sequencerThreads is how many processes a host could have that only numbers messages: its link is the limit.
	sequencerThreads = 16
	// pipeRate is that of one pipe of a switching chip, where a sequencer's register is: 16 ports.
	pipeRate = 16 * hostRate
)

// bed is a testbed that is being built.
type bed struct {
	f         *fabric.Fabric
	processes int
	each      int         // processes of a host, all together: processes
	rate      uint64      // of links between switches
	late      fabric.Time // by how much the first host's clock is behind
	threads   int         // of a host, beside its processes': for what else it sends
	newSwitch func(name string, latency fabric.Time) (fabric.Switch, error)
	sequencer sequencer

	err      error
	switches map[string]fabric.Switch
}

// sequencer is where one is.
type sequencer int

const (
	noSequencer sequencer = iota
	atHost
	inSwitch
)

// Hosts is how many there are, at most.
const (
	Hosts   = 4 * perRack
	perRack = 8
)

// spread is how many hosts there are, and how many processes on each.
func spread(processes int) (hosts, each int) {
	hosts = min(processes, Hosts)
	return hosts, (processes + hosts - 1) / hosts
}

// top is the switch above all.
func (b *bed) top() string {
	switch hosts := b.hosts(); {
	case hosts <= perRack:
		return "tor1"
	case hosts <= 2*perRack:
		return "spine1"
	}
	return "core1"
}

func (b *bed) hosts() int { return b.processes / b.each }

// build makes all nodes and links.
func (b *bed) build() error {
	b.switches = map[string]fabric.Switch{}
	hosts := b.hosts()
	racks := (hosts + perRack - 1) / perRack
	uplink := fabric.LinkConfig{Rate: b.rate, Delay: cable, Queue: queueBytes, ECNMin: markBytes}
	for i := range racks {
		b.add(fmt.Sprint("tor", i+1), 0)
	}
	if racks > 1 {
		for i := range (racks + 1) / 2 * 2 {
			spine := b.add(fmt.Sprint("spine", i+1), 1)
			for tor := i / 2 * 2; tor < min(racks, i/2*2+2); tor++ {
				b.link(b.switches[fmt.Sprint("tor", tor+1)], spine, uplink)
			}
		}
	}
	if racks > 2 {
		for i := range 2 {
			core := b.add(fmt.Sprint("core", i+1), 2)
			for k := range (racks + 1) / 2 * 2 {
				b.link(b.switches[fmt.Sprint("spine", k+1)], core, uplink)
			}
		}
	}
	edge := fabric.LinkConfig{Rate: hostRate, Delay: cable, Queue: queueBytes, ECNMin: markBytes}
	for i := range hosts {
		conf := fabric.HostConfig{Receive: hostLatency, Packet: packetTime / fabric.Time(b.each+b.threads/2), Clock: clock(b.f.Rand(fmt.Sprint("clock ", i)))}
		if i == 0 {
			conf.Clock.Offset -= b.late
		}
		b.host(fmt.Sprint("h", i+1), conf, fmt.Sprint("tor", i/perRack+1), edge)
	}
	switch b.sequencer {
	case atHost:
		b.host("sequencer", fabric.HostConfig{Receive: hostLatency, Packet: packetTime / sequencerThreads}, "tor1", edge)
	case inSwitch: // a part of its switch: no wire, no interface, no CPU
		b.host("sequencer", fabric.HostConfig{}, b.top(), fabric.LinkConfig{Rate: pipeRate, Queue: queueBytes})
	}
	if b.err != nil {
		return b.err
	}
	return b.f.Start()
}

func (b *bed) add(name string, level int) fabric.Switch {
	if b.err != nil {
		return nil
	}
	latency := switchLatency
	if b.sequencer == inSwitch && name == b.top() {
		latency /= 2 // what is numbered goes through it twice
	}
	var s fabric.Switch
	if s, b.err = b.newSwitch(name, latency); b.err == nil {
		b.f.SetLevel(s, level)
		b.switches[name] = s
	}
	return s
}

func (b *bed) host(name string, c fabric.HostConfig, at string, l fabric.LinkConfig) {
	if b.err != nil {
		return
	}
	var h *fabric.Host
	if h, b.err = b.f.NewHost(name, c); b.err == nil {
		b.link(h, b.switches[at], l)
	}
}

func (b *bed) link(lower, upper fabric.Node, c fabric.LinkConfig) {
	if b.err == nil {
		_, b.err = b.f.Connect(lower, upper, "", c)
	}
}

// clock is a host's: before or behind the time, exponentially.
func clock(r *rand.Rand) fabric.Clock {
	off := fabric.Time(math.Round(r.ExpFloat64() * float64(skew)))
	if r.IntN(2) == 0 {
		off = -off
	}
	return fabric.Clock{Offset: off}
}
