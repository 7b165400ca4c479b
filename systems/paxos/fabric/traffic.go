package fabric

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/p4ce/p4ce/sim/fabric"
	"github.com/p4ce/p4ce/systems/paxos/frames"
)

// Traffic is IPv4 packets (UDP, port 9) that a host sends to another one, from when the applications run: switches forward them beside
// Paxos.
type Traffic struct {
	From string       `yaml:"from"`
	To   string       `yaml:"to"`
	Size fabric.Bytes `yaml:"size"` // of a frame, without FCS
	Rate fabric.Rate  `yaml:"rate"` // of the link, with all that a frame takes on it; default: as fast as the link
}

// Sizes of a frame, and the port for what is discarded (RFC 863).
const (
	leastFrame, mostFrame, usualFrame = 60, 9014, 1514
	onWire                            = 24 // preamble, FCS and gap
	portDiscard                       = 9
)

// stream is traffic on its way.
type stream struct {
	net      *Network
	from     *station
	frame    []byte
	gap      fabric.Time // 0: as fast as the link
	due      fabric.Time
	asks     bool // the host is asked again at due
	sent     uint64
	received uint64
	stopped  bool
}

// Sent is what became of the packets of a Traffic.
type Sent struct{ Sent, Received uint64 }

// Traffic is what became of all traffic, in the order of the settings.
func (n *Network) Traffic() (out []Sent) {
	for _, x := range n.streams {
		out = append(out, Sent{x.sent, x.received})
	}
	return out
}

// StopTraffic ends it.
func (n *Network) StopTraffic() {
	for _, x := range n.streams {
		x.stopped = true
	}
}

// traffic begins what the settings say.
func (n *Network) traffic() error {
	for i, t := range n.Set.Traffic {
		fail := func(format string, args ...any) error {
			return fmt.Errorf("traffic %d: %w", i+1, fmt.Errorf(format, args...))
		}
		if t.Size == 0 {
			t.Size = usualFrame
		}
		if t.Size < leastFrame || t.Size > mostFrame {
			return fail("frames of %d bytes: want %d to %d", t.Size, leastFrame, mostFrame)
		}
		var ends [2]*fabric.Host
		for k, name := range []string{t.From, t.To} {
			x, _ := n.Node(name)
			h, ok := x.(*fabric.Host)
			if !ok {
				return fail("no host %q", name)
			}
			ends[k] = h
		}
		from, to := ends[0], ends[1]
		if from == to {
			return fail("%s sends to itself", t.From)
		}
		at := func(h *fabric.Host) netip.AddrPort { return netip.AddrPortFrom(netip.AddrFrom4(h.Addr()), portDiscard) }
		x := &stream{net: n, from: from.Endpoint().(*station), frame: frames.Append(nil, from.MAC(), to.MAC(), at(from), at(to), make([]byte, int(t.Size)-udpFrame))}
		if t.Rate > 0 {
			x.gap = fabric.Time(float64(t.Size+onWire) * 8 / float64(t.Rate) * float64(fabric.Second))
			x.due = fabric.Time(n.Rand(fmt.Sprint("traffic ", i)).Int64N(int64(x.gap) + 1))
		}
		n.streams = append(n.streams, x)
		x.from.streams = append(x.from.streams, x)
		to.Endpoint().(*station).heard[netip.AddrFrom4(from.Addr())] = x
	}
	return nil
}

// flow has traffic begin: switches know where hosts are.
func (n *Network) flow() {
	for _, x := range n.streams {
		x.due += n.Now()
		x.from.h.Send()
	}
}

// udpFrame is what a frame has before the data of UDP.
const udpFrame = 14 + 20 + 8

// next appends the stream's next frame, if it is due.
func (x *stream) next(b []byte) []byte {
	now := x.net.Now()
	if x.stopped || !x.net.ready {
		return b
	}
	if x.due > now {
		if !x.asks {
			x.asks = true
			x.net.At(x.due, func() {
				x.asks = false
				x.from.h.Send()
			})
		}
		return b
	}
	x.due += x.gap
	x.sent++
	return append(b, x.frame...)
}

// discard takes a frame of traffic. ok is false for any other frame.
func (s *station) discard(f []byte) (ok bool) {
	if len(s.heard) == 0 || len(f) < udpFrame || binary.BigEndian.Uint16(f[36:]) != portDiscard {
		return false
	}
	x := s.heard[netip.AddrFrom4([4]byte(f[26:30]))]
	if x != nil {
		x.received++
	}
	return x != nil
}
