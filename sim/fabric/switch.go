package fabric

import (
	"encoding/binary"

	"github.com/p4ce/p4ce/roce/wire"
)

// Switch is a node that forwards.
type Switch interface {
	Node
	// Addr and MAC are the switch's own; hosts are sent to the MAC to be routed.
	Addr() wire.Addr
	MAC() wire.MAC
	// Ports are the halves that it sends by, by number, from 1; 0 is nil.
	Ports() []*Half
	// Counters says what became of frames.
	Counters() *SwitchCounters
}

// SwitchCounters counts frames of a switch. What came In leaves as Out, or is dropped; copies of
// a multicast group are Out each.
type SwitchCounters struct {
	In, Out, Punted uint64
	Multicast       uint64            // copies beyond the first of a frame
	Drops           map[string]uint64 // by reason
}

// base is what all switches have.
type base struct {
	f       *Fabric
	name    string
	addr    wire.Addr
	mac     wire.MAC
	index   int // among the switches
	ports   []*Half
	latency Time
	count   SwitchCounters
}

func newBase(f *Fabric, name string, latency Time) base {
	i := len(f.Switches)
	return base{
		f: f, name: name, index: i, latency: latency, ports: []*Half{nil},
		addr: wire.Addr{10, 255, byte(i >> 8), byte(i) + 1}, mac: wire.MAC{2, 0x50, 0x34, 1, byte(i >> 8), byte(i)},
		count: SwitchCounters{Drops: map[string]uint64{}},
	}
}

func (b *base) Name() string              { return b.name }
func (b *base) Addr() wire.Addr           { return b.addr }
func (b *base) MAC() wire.MAC             { return b.mac }
func (b *base) Ports() []*Half            { return b.ports }
func (b *base) Counters() *SwitchCounters { return &b.count }

func (b *base) connect(out *Half) {
	out.Port = uint16(len(b.ports))
	if out.Port >= cpuPort {
		out.Port++
		if len(b.ports) == cpuPort {
			b.ports = append(b.ports, nil)
		}
	}
	b.ports = append(b.ports, out)
	out.Reverse().rx = b.latency
}

func (b *base) turned(*Half) {}

func (b *base) drop(fr *Frame, reason string) {
	b.count.Drops[reason]++
	b.f.release(fr)
}

// Reasons of a Plain switch for a drop.
const (
	DropNotIP   = "not_ip"   // neither to a known MAC address nor to be routed
	DropNoRoute = "no_route" // nothing is known of the destination, or no link to it is up
	DropTTL     = "ttl"
)

// Plain is a switch as one buys it: it forwards to the MAC addresses of hosts and switches,
// and routes what is addressed to its own MAC address. Where several links are as good, a hash of
// addresses, and of UDP ports unless told otherwise, picks one (ECMP), so that a flow keeps its way and its order. Links
// that are down are not picked.
type Plain struct {
	base
	salt uint32
	// Addresses has the hash leave UDP ports out: what a switch rewrites keeps its ICRC by its source
	// port, which then differs from packet to packet of one flow.
	Addresses bool
}

// NewPlain makes one. latency is from the last bit of a frame until it may leave.
func (f *Fabric) NewPlain(name string, latency Time) (*Plain, error) {
	s := &Plain{base: newBase(f, name, latency)}
	s.salt = f.Rand("ecmp " + name).Uint32()
	if err := f.add(s); err != nil {
		return nil, err
	}
	f.Switches = append(f.Switches, s)
	return s, nil
}

func (s *Plain) receive(in *Half, fr *Frame) {
	s.count.In++
	if len(fr.B) < wire.EthernetLen {
		s.drop(fr, DropNotIP)
		return
	}
	eth := wire.Ethernet(fr.B)
	dst := eth.Dst()
	routed := dst == s.mac
	if routed {
		if eth.EtherType() != 0x0800 || len(fr.B) < wire.EthernetLen+20 {
			s.drop(fr, DropNotIP)
			return
		}
		ip := wire.IPv4(fr.B[wire.EthernetLen:])
		mac, ok := s.f.routes.macs[ip.Dst()]
		switch {
		case !ok:
			s.drop(fr, DropNoRoute)
			return
		case ip.TTL() <= 1:
			s.drop(fr, DropTTL)
			return
		}
		ip.SetTTL(ip.TTL() - 1)
		ip.SetChecksum()
		dst = mac
	}
	out := s.pick(dst, fr.B)
	if out == nil {
		s.drop(fr, DropNoRoute)
		return
	}
	if routed {
		if next, ok := out.To.(Switch); ok {
			dst = next.MAC()
		}
		eth.SetDst(dst)
		eth.SetSrc(s.mac)
	}
	s.count.Out++
	fr.in = s.f.comes(in, fr.B)
	fr.in.copies = 1
	out.send(fr)
}

// pick is the link to a MAC address.
func (s *Plain) pick(dst wire.MAC, b []byte) *Half {
	at, ok := s.f.routes.at[dst]
	if !ok {
		return nil
	}
	if at.node == s.index {
		return s.ports[at.port]
	}
	ways := s.f.routes.ways(s.index, at.node)
	switch len(ways) {
	case 0:
		return nil
	case 1:
		if ways[0].Link.Down {
			return nil
		}
		return ways[0]
	}
	h := s.hash(b)
	if w := ways[h%uint32(len(ways))]; !w.Link.Down {
		return w
	}
	up := uint32(0) // the routes are about to be computed again: the flows of a lost link are spread
	for _, w := range ways {
		if !w.Link.Down {
			up++
		}
	}
	if up == 0 {
		return nil
	}
	nth := h % up
	for _, w := range ways {
		if !w.Link.Down {
			if nth == 0 {
				return w
			}
			nth--
		}
	}
	return nil
}

// hash is of what makes a flow; a salt per switch, so that the next one splits otherwise.
func (s *Plain) hash(b []byte) uint32 {
	const at = wire.EthernetLen
	h := s.salt ^ 0x811c9dc5
	mix := func(v uint32) {
		h ^= v
		h *= 0x9e3779b1
		h ^= h >> 15
	}
	if len(b) >= at+24 && b[12] == 8 && b[13] == 0 {
		mix(binary.BigEndian.Uint32(b[at+12:]))
		mix(binary.BigEndian.Uint32(b[at+16:]))
		if !s.Addresses {
			mix(uint32(b[at+9]))
			mix(binary.BigEndian.Uint32(b[at+20:]))
		}
	} else {
		mix(binary.BigEndian.Uint32(b[2:]))
		mix(binary.BigEndian.Uint32(b[8:]))
	}
	h *= 0x85ebca6b
	return h ^ h>>13
}
