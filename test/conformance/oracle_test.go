package conformance

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/host/roce/icrc"
	"github.com/p4ce/p4ce/host/roce/wire"
)

var (
	cases = flag.Int("cases", 100000, "random packets through both targets")
	seed  = flag.Uint64("seed", 0, "seed of the random packets; 0 takes the time")
)

// TestOneCoreTwoTargets runs the same random packets and states through XDP and
// through the interpreter: the same bytes must come out of the same ports, and
// registers and counters must be equal.
func TestOneCoreTwoTargets(t *testing.T) {
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d (repeat with -args -seed %d)", s, s)
	const perWorld = 2500
	for n := 0; n < *cases; n += perWorld {
		w := newRandomWorld(t, rand.New(rand.NewPCG(s, uint64(n))))
		for range min(perWorld, *cases-n) {
			w.step(t)
		}
		w.compareState(t)
		w.close()
		if t.Failed() {
			return
		}
	}
}

// randomWorld is a random set of groups on both targets.
type randomWorld struct {
	rng    *rand.Rand
	clock  *clock
	ref    *device // interpreter
	dut    *device // XDP
	hosts  []replica
	groups []*group
	sent   map[*group]wire.PSN // next PSN of the leader
	buf    []byte
}

func (w *randomWorld) close() {
	w.ref.Close()
	w.dut.Close()
}

func newRandomWorld(t *testing.T, rng *rand.Rand) *randomWorld {
	c := &clock{}
	c.ns.Store(rng.Uint64N(1 << 47))
	w := &randomWorld{rng: rng, clock: c, dut: newXDP(t, c), ref: newInterp(t, c), sent: map[*group]wire.PSN{}}
	for i := range 12 {
		w.hosts = append(w.hosts, replica{
			port: dataplane.Port(i + 1), ip: wire.Addr{10, 66, byte(rng.Uint32()), byte(20 + i)},
			mac: wire.MAC{2, 0x66, 0, 0, byte(rng.Uint32()), byte(20 + i)},
		})
	}
	for _, d := range []*device{w.ref, w.dut} {
		installNetwork(t, d, w.hosts)
	}
	for range 1 + rng.IntN(3) {
		w.addGroup(t)
	}
	return w
}

// edge returns a number near zero, near the top, or anywhere in 2^bits.
func (w *randomWorld) edge(bits int) uint64 {
	top := ^uint64(0) >> (64 - bits)
	switch w.rng.IntN(4) {
	case 0:
		return w.rng.Uint64N(16)
	case 1:
		return top - w.rng.Uint64N(16)
	}
	return w.rng.Uint64() & top
}

func (w *randomWorld) addGroup(t *testing.T) {
	rng := w.rng
	n := 1 + rng.IntN(8)
	g := &group{
		index: uint16(rng.IntN(4000) + len(w.groups)*16), mcast: uint16(1 + len(w.groups)*300 + rng.IntN(200)),
		bcast: 0x100000 + uint32(len(w.groups)), vkey: rng.Uint32(), size: 1 << rng.IntN(32),
		start: wire.PSN(w.edge(24)), neutral: rng.IntN(10) > 0,
	}
	if g.index >= 4096 {
		g.index = uint16(len(w.groups))
	}
	if rng.IntN(2) == 0 {
		g.f = n // policy all
	} else {
		g.f = max(1, (n+1)/2) // policy quorum: leader + f is a majority of n + 1
	}
	perm := rng.Perm(len(w.hosts))
	g.leader = w.hosts[perm[0]]
	g.leader.qpn = rng.Uint32N(1 << 24)
	for i := range n {
		r := w.hosts[perm[1+i]]
		if rng.IntN(6) == 0 && i > 0 {
			r.port = g.replicas[i-1].port // two copies out of one port
		}
		r.qpn, r.rkey, r.va = rng.Uint32N(1<<24), rng.Uint32(), w.edge(64)
		r.aggr = 0x200000 + uint32(len(w.groups)*8+i)
		if rng.IntN(2) == 0 {
			r.delta = wire.PSN(w.edge(24))
		}
		g.replicas = append(g.replicas, r)
	}
	w.sent[g] = g.start
	w.groups = append(w.groups, g)
	for _, d := range []*device{w.ref, w.dut} {
		g.install(t, d)
	}
}

var requests = []wire.Opcode{
	wire.SendFirst, wire.SendMiddle, wire.SendLast, wire.SendLastImm, wire.SendOnly, wire.SendOnlyImm,
	wire.WriteFirst, wire.WriteMiddle, wire.WriteLast, wire.WriteLastImm, wire.WriteOnly, wire.WriteOnlyImm,
}

// packet makes a random packet and says where it comes in.
func (w *randomWorld) packet() (dataplane.Port, []byte, string) {
	rng := w.rng
	g := w.groups[rng.IntN(len(w.groups))]
	payload := make([]byte, rng.IntN(300))
	for i := range payload {
		payload[i] = byte(rng.Uint32())
	}
	h := &wire.Header{ID: uint16(rng.Uint32()), SrcPort: uint16(rng.Uint32()), TOS: uint8(rng.Uint32()), TTL: uint8(rng.Uint32()), DstMAC: switchMAC}
	port := g.leader.port
	kind := rng.IntN(100)
	name := ""
	switch {
	case kind < 40: // the leader's requests
		name = "scatter"
		h.SrcMAC, h.Src, h.Dst, h.DestQP = g.leader.mac, g.leader.ip, switchIP, g.bcast
		h.Opcode = requests[rng.IntN(len(requests))]
		if rng.IntN(12) == 0 {
			h.Opcode = wire.Opcode(rng.Uint32())
		}
		h.AckReq, h.PSN = rng.IntN(2) == 0, w.sent[g]
		w.sent[g] = w.sent[g].Add(1)
		h.VA, h.RKey = rng.Uint64N(g.size), g.vkey
		h.Length = uint32(rng.Uint64N(g.size - h.VA + 1))
		switch rng.IntN(16) {
		case 0:
			h.RKey ^= 1 << rng.IntN(32)
		case 1:
			h.VA = w.edge(64)
		case 2:
			h.Length = uint32(w.edge(32))
		case 3:
			h.Length = 0
		case 4:
			h.DestQP ^= 1 << rng.IntN(24)
		case 5:
			h.Src = w.hosts[rng.IntN(len(w.hosts))].ip
		}
		h.Imm = rng.Uint32()
	case kind < 80: // the replicas' answers
		name = "gather"
		r := g.replicas[rng.IntN(len(g.replicas))]
		port = r.port
		h.SrcMAC, h.Src, h.Dst, h.DestQP = r.mac, r.ip, switchIP, r.aggr
		h.Opcode = wire.Acknowledge
		if rng.IntN(12) == 0 {
			h.Opcode = wire.Opcode(rng.Uint32())
		}
		back := rng.Int32N(12)
		h.PSN = w.sent[g].Add(int(r.delta) - int(back))
		h.Syndrome = wire.Syndrome(rng.Uint32N(32)) // ACK with credits
		switch rng.IntN(8) {
		case 0:
			h.Syndrome = wire.Syndrome(0x60 | rng.Uint32N(4))
		case 1:
			h.Syndrome = wire.Syndrome(0x20 | rng.Uint32N(32)) // RNR
		case 2:
			h.Syndrome = wire.Syndrome(rng.Uint32())
		}
		h.MSN = rng.Uint32N(1 << 24)
		payload = nil
		if rng.IntN(12) == 0 {
			return port, wire.AppendCNP(nil, h), "cnp"
		}
		w.clock.ns.Add(rng.Uint64N(40000))
	case kind < 86: // between hosts, routed or switched
		name = "forward"
		a, b := w.hosts[rng.IntN(len(w.hosts))], w.hosts[rng.IntN(len(w.hosts))]
		port = a.port
		h.SrcMAC, h.Src, h.Dst, h.Opcode, h.DestQP = a.mac, a.ip, b.ip, requests[rng.IntN(len(requests))], rng.Uint32N(1<<24)
		if rng.IntN(2) == 0 {
			h.DstMAC = b.mac
		}
	case kind < 90: // to the switch
		name = "local"
		h.SrcMAC, h.Src, h.Dst, h.Opcode, h.DestQP = g.leader.mac, g.leader.ip, switchIP, wire.UDSendOnly, uint32(rng.IntN(3))
	case kind < 93: // from the controller
		name = "packet-out"
		frame := make([]byte, 4+14+rng.IntN(64))
		for i := range frame {
			frame[i] = byte(rng.Uint32())
		}
		frame[0], frame[1] = 0, frame[1]%16<<7
		return 64, frame, name
	default: // anything
		frame := make([]byte, 14+rng.IntN(80)) // the kernel takes no less than an Ethernet header
		for i := range frame {
			frame[i] = byte(rng.Uint32())
		}
		if rng.IntN(2) == 0 {
			frame[12], frame[13] = 0x08, byte(rng.IntN(2)*6)
		}
		return port, frame, "noise"
	}
	frame := wire.AppendFrame(w.buf[:0], h, payload)
	w.buf = frame
	switch rng.IntN(20) {
	case 0:
		frame = frame[:14+rng.IntN(len(frame)-13)]
		name += " truncated"
	case 1:
		frame[rng.IntN(len(frame))] ^= 1 << rng.IntN(8)
		name += " damaged"
	case 2: // damaged, with an IP checksum that is right again
		frame[14+rng.IntN(len(frame)-14)] ^= 1 << rng.IntN(8)
		wire.IPv4(frame[14:34]).SetChecksum()
		name += " changed"
	}
	return port, frame, name
}

func (w *randomWorld) step(t *testing.T) {
	port, frame, name := w.packet()
	want, err := w.ref.inject(port, frame)
	require.NoError(t, err)
	got, err := w.dut.inject(port, frame)
	require.NoError(t, err)
	if !sameOut(want, got) {
		t.Fatalf("%s at port %d:\n in   %x\n%s", name, port, frame, diffOut(want, got))
	}
	if name == "scatter" || name == "gather" {
		for _, o := range want {
			if o.Port != 64 {
				checkCopy(t, w, frame, o)
			}
		}
	}
}

// checkCopy looks at a copy that a group's packet became: with neutral
// rewriting, its ICRC must be right by a full computation.
func checkCopy(t *testing.T, w *randomWorld, in []byte, o dataplane.Out) {
	var p wire.Packet
	require.NoError(t, wire.Parse(o.Frame, &p))
	require.True(t, p.IP.ChecksumOK(), "IP checksum of a copy")
	for _, g := range w.groups {
		if !g.neutral && (p.IP.Dst() == g.leader.ip || p.IP.Src() == switchIP) {
			return // may be of a group whose ICRC is off
		}
	}
	require.True(t, icrc.Check(p.Datagram()), "ICRC of a copy\n in  %x\n out %x", in, o.Frame)
}

func sameOut(a, b []dataplane.Out) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Port != b[i].Port || string(a[i].Frame) != string(b[i].Frame) {
			return false
		}
	}
	return true
}

func diffOut(want, got []dataplane.Out) string {
	s := ""
	for _, o := range want {
		s += fmt.Sprintf(" interp port %d %x\n", o.Port, o.Frame)
	}
	for _, o := range got {
		s += fmt.Sprintf(" xdp    port %d %x\n", o.Port, o.Frame)
	}
	return s
}

// compareState compares every register element that a group uses, and all
// counters.
func (w *randomWorld) compareState(t *testing.T) {
	t.Helper()
	p := rdma(t)
	for _, r := range p.Registers {
		for _, g := range w.groups {
			want, err := w.ref.ReadRegister(r, int(g.index))
			require.NoError(t, err)
			got, err := w.dut.ReadRegister(r, int(g.index))
			require.NoError(t, err)
			require.Equal(t, want, got, "register %s[%d]", r.Name, g.index)
		}
	}
	for _, c := range p.Counters {
		for i := range min(c.Size, 128) {
			want, err := w.ref.ReadCounter(c, i)
			require.NoError(t, err)
			got, err := w.dut.ReadCounter(c, i)
			require.NoError(t, err)
			require.Equal(t, want, got, "counter %s[%d]", c.Name, i)
		}
	}
}
