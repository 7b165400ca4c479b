package fabric

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
)

// HostConfig is what a host is like.
type HostConfig struct {
	Clock Clock
	// Receive is from the last bit of a frame until the endpoint has it, Post from a program's
	// request until the endpoint has that, and Complete from there to the program: what an
	// interface and a bus take. Endpoints heed Post and Complete.
	Receive, Post, Complete Time
	// CPU is what its threads take. Endpoints heed Request and Completion.
	CPU Costs
	// Packet is how long each direction of the interface is busy with a frame: its inverse is an RNIC's packet rate. What comes
	// faster waits. 0: no time.
	Packet Time
}

// Endpoint is what a host runs: bytes in, bytes out, with the host's clock as a parameter. What
// has deadlines has a Timer (Host.NewTimer).
type Endpoint interface {
	// Receive takes a frame that came in, and keeps nothing of it.
	Receive(now time.Duration, frame []byte)
	// Next appends the next frame to be sent to b, or nothing. It is asked whenever the wire is free:
	// after a frame has left, and after Host.Send.
	Next(now time.Duration, b []byte) []byte
}

// Host is a server with one interface. It asks its endpoint for a frame whenever the wire is free.
type Host struct {
	Config HostConfig
	Count  HostCounters

	f        *Fabric
	name     string
	number   int
	addr     wire.Addr
	mac      wire.MAC
	out      *Half
	endpoint Endpoint // nil: it takes what comes, and says nothing

	threads  []*Thread
	in, away *Thread // the directions of the interface
	takes    *Thread // takes frames from the interface
	gives    *Thread // makes frames
	values   *Thread // has the requests of loads
	waiting  int     // frames that have come, and that the endpoint does not have yet; or that it has given, and the interface does not have
	asks     bool    // the endpoint is asked again when the interface is free
	making   bool    // a frame is being made
	made     *Frame  // it has been
}

// Events of a Host.
const (
	opIn   = iota // the interface has done with a frame that came
	opTake        // and the thread
	opAsk         // the interface has done with one that left
	opMade        // the thread has made one
)

// HostCounters counts frames of a host. Endpoints have counters of their own.
type HostCounters struct{ In, Out uint64 }

// NewHost makes a host. Its addresses are its number's.
func (f *Fabric) NewHost(name string, c HostConfig) (*Host, error) {
	n := len(f.Hosts) + 1
	h := &Host{
		Config: c, f: f, name: name, number: n, addr: wire.Addr{10, byte(n >> 16), byte(n >> 8), byte(n)},
		mac: wire.MAC{2, 0, 10, byte(n >> 16), byte(n >> 8), byte(n)},
	}
	if err := f.add(h); err != nil {
		return nil, err
	}
	f.Hosts = append(f.Hosts, h)
	h.takes, h.gives, h.values = h.NewThread("takes frames"), h.NewThread("makes frames"), h.NewThread("values")
	h.in, h.away = h.thread("interface in"), h.thread("interface out")
	h.threads = append(h.threads, h.in, h.away)
	if f.instance != nil {
		h.endpoint = f.instance.Endpoint(h)
	}
	return h, nil
}

// Name implements Node.
func (h *Host) Name() string { return h.name }

// Number is the host's, from 1.
func (h *Host) Number() int { return h.number }

// Addr is the host's IPv4 address.
func (h *Host) Addr() wire.Addr { return h.addr }

// MAC is its Ethernet address.
func (h *Host) MAC() wire.MAC { return h.mac }

// Link is the direction of its link in which it sends, nil before it has one.
func (h *Host) Link() *Half { return h.out }

// Endpoint is what it runs.
func (h *Host) Endpoint() Endpoint { return h.endpoint }

// Fabric is the network that it is in.
func (h *Host) Fabric() *Fabric { return h.f }

// Now is the host's clock.
func (h *Host) Now() time.Duration { return h.Config.Clock.Local(h.f.Now()).Duration() }

// Rand is the host's chance, which begins anew with each call.
func (h *Host) Rand() *rand.Rand { return h.f.Rand("host " + h.name) }

// NewTimer makes a timer of the host's clock.
func (h *Host) NewTimer(of Timed) *Timer { return h.f.NewTimer(&h.Config.Clock, of) }

// Send has the endpoint asked for a frame, when the wire is free.
func (h *Host) Send() { h.out.start() }

// Resolve is the Ethernet address by which the host reaches an IPv4 address: what ARP would say.
// A switch whose system routes answers for those behind other switches.
func (h *Host) Resolve(to wire.Addr) (wire.MAC, bool) {
	mac, ok := h.f.routes.macs[to]
	if sw, driven := h.out.To.(*P4Switch); ok && driven && h.f.system.Routes && h.f.routes.at[mac].node != sw.index {
		mac = sw.mac
	}
	return mac, ok
}

func (h *Host) connect(out *Half) {
	if h.out != nil {
		h.f.Fail(fmt.Errorf("host %s: already has a link (%s), and %s is a second one", h.name, h.out.Link.Name, out.Link.Name))
		return
	}
	h.out, out.Port, out.source = out, 1, h
	out.Reverse().rx = h.Config.Receive
}

func (h *Host) turned(*Half) {}

func (h *Host) receive(_ *Half, fr *Frame) {
	h.Count.In++
	if h.Config.Packet > 0 {
		h.waiting++
		h.f.schedule(h.in.Take(h.Config.Packet), h, opIn, fr)
		return
	}
	h.came(fr)
}

// came is a frame that the interface has done with.
func (h *Host) came(fr *Frame) {
	if h.Config.CPU.Received > 0 {
		h.waiting++
		h.f.schedule(h.takes.Take(h.Config.CPU.Received), h, opTake, fr)
		return
	}
	h.take(fr)
}

func (h *Host) handle(op int, fr *Frame) {
	switch op {
	case opIn:
		h.waiting--
		h.came(fr)
	case opTake:
		h.waiting--
		h.take(fr)
	case opAsk:
		h.asks = false
		h.out.start()
	case opMade:
		h.making, h.made = false, fr
		h.out.start()
	}
}

// take gives the endpoint a frame.
func (h *Host) take(fr *Frame) {
	if h.endpoint != nil {
		h.endpoint.Receive(h.Now(), fr.B)
	}
	h.f.release(fr)
}

// pull implements source.
func (h *Host) pull() *Frame {
	if h.endpoint == nil {
		return nil
	}
	if at := h.away.free; at > h.f.Now() {
		if !h.asks {
			h.asks = true
			h.f.schedule(at, h, opAsk, nil)
		}
		return nil
	}
	fr := h.next()
	if fr == nil {
		return nil
	}
	h.Count.Out++
	h.away.Take(h.Config.Packet)
	return fr
}

// next is the frame that leaves, if there is one. With Costs.Sent, a thread makes it before, and the next one while this one leaves.
func (h *Host) next() *Frame {
	if h.Config.CPU.Sent == 0 {
		return h.ask()
	}
	fr := h.made
	if h.made = nil; fr != nil {
		h.waiting--
	}
	if h.making {
		return fr
	}
	if own := h.ask(); own != nil {
		h.making = true
		h.waiting++
		h.f.schedule(h.gives.Take(h.Config.CPU.Sent), h, opMade, own)
	}
	return fr
}

// ask asks the endpoint for a frame.
func (h *Host) ask() *Frame {
	fr := h.f.frame()
	if fr.B = h.endpoint.Next(h.Now(), fr.B); len(fr.B) == 0 {
		h.f.release(fr)
		return nil
	}
	return fr
}
