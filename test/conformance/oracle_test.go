package conformance

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/internal/seed"
	"github.com/p4ce/p4ce/roce/icrc"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
	"github.com/p4ce/p4ce/systems/rdma/lab/world/worldtest"
)

var (
	cases = flag.Int("cases", 100000, "random packets through both targets")
	given = flag.Uint64("seed", 0, "seed of the random packets")
)

// TestOneCoreTwoTargets runs the same random packets and states through XDP and
// through the interpreter: the same bytes must come out of the same ports, and
// registers and counters must be equal.
func TestOneCoreTwoTargets(t *testing.T) {
	long.Test(t)
	s := seed.Of(t, "seed", *given)
	const perWorld = 2500
	seen := map[string]int{}
	for n := 0; n < *cases; n += perWorld {
		w := newRandomWorld(t, rand.New(rand.NewPCG(s, uint64(n))))
		w.seen = seen
		for range min(perWorld, *cases-n) {
			w.step(t)
		}
		w.compareState(t)
		w.close()
		if t.Failed() {
			return
		}
	}
	t.Logf("outcomes: %v", seen)
	if *cases < 50000 {
		return // too few to see everything
	}
	// A test of nothing would pass: every kind of outcome must have been seen.
	for _, outcome := range []string{
		"scatter: 1 copies", "scatter: 8 copies", "scatter: refused", "scatter: dropped",
		"gather: answered", "gather: dropped", "cnp: answered", "cnp: dropped",
		"forward: forwarded", "local: refused", "packet-out: forwarded", "digest",
	} {
		require.NotZero(t, seen[outcome], "no random packet had the outcome %q", outcome)
	}
}

// outcome names what became of a packet.
func outcome(name string, out []dataplane.Out) string {
	switch {
	case len(out) == 0:
		return name + ": dropped"
	case out[0].Port == 64:
		return name + ": refused"
	case name == "scatter":
		return fmt.Sprintf("%s: %d copies", name, len(out))
	case name == "gather" || name == "cnp":
		return name + ": answered"
	}
	return name + ": forwarded"
}

// randomWorld is a random set of groups on both targets.
type randomWorld struct {
	rng    *rand.Rand
	clock  *worldtest.Clock
	ref    *worldtest.Device // interpreter
	dut    *worldtest.Device // XDP
	hosts  []world.Replica
	groups []*world.Group
	sent   map[*world.Group]wire.PSN // next PSN of the leader
	buf    []byte
	seen   map[string]int

	refDigests, dutDigests digests
}

// digests collects what the data plane sends up.
type digests struct {
	mu   sync.Mutex
	text []string
}

func (d *digests) add(g dataplane.Digest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text = append(d.text, fmt.Sprintf("%s %x", g.Digest.Name, g.Fields))
}

func (d *digests) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.text...)
}

func (w *randomWorld) close() {
	w.ref.Close()
	w.dut.Close()
}

func newRandomWorld(t *testing.T, rng *rand.Rand) *randomWorld {
	needs.Root(t, "XDP")
	c := &worldtest.Clock{}
	c.NS.Store(rng.Uint64N(1 << 47))
	w := &randomWorld{rng: rng, clock: c, dut: worldtest.NewXDP(t, c), ref: worldtest.NewInterp(t, c), sent: map[*world.Group]wire.PSN{}}
	for i := range 12 {
		w.hosts = append(w.hosts, world.Replica{
			Port: dataplane.Port(i + 1), IP: wire.Addr{10, 66, byte(rng.Uint32()), byte(20 + i)},
			MAC: wire.MAC{2, 0x66, 0, 0, byte(rng.Uint32()), byte(20 + i)},
		})
	}
	w.ref.SetEvents(dataplane.Events{Digest: w.refDigests.add})
	w.dut.SetEvents(dataplane.Events{Digest: w.dutDigests.add})
	for _, d := range []*worldtest.Device{w.ref, w.dut} {
		worldtest.InstallNetwork(t, d, w.hosts)
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
	g := &world.Group{
		Index: uint16(len(w.groups)*1365 + rng.IntN(1365)), Multicast: uint16(1 + len(w.groups)*300 + rng.IntN(200)),
		BCastQP: 0x100000 + uint32(len(w.groups)), VKey: rng.Uint32(), Size: 1 << rng.IntN(32),
		Start: wire.PSN(w.edge(24)), Neutral: rng.IntN(10) > 0,
	}
	if rng.IntN(2) == 0 {
		g.F = n // policy all
	} else {
		g.F = max(1, (n+1)/2) // policy quorum: leader + f is a majority of n + 1
	}
	perm := rng.Perm(len(w.hosts))
	g.Leader = w.hosts[perm[0]]
	g.Leader.QPN = rng.Uint32N(1 << 24)
	for i := range n {
		r := w.hosts[perm[1+i]]
		if rng.IntN(6) == 0 && i > 0 {
			r.Port = g.Replicas[i-1].Port // two copies out of one port
		}
		r.QPN, r.RKey, r.VA = rng.Uint32N(1<<24), rng.Uint32(), w.edge(64)
		r.AggrQP = 0x200000 + uint32(len(w.groups)*8+i)
		if rng.IntN(2) == 0 {
			r.Delta = wire.PSN(w.edge(24))
		}
		g.Replicas = append(g.Replicas, r)
	}
	for k := range rng.IntN(4) {
		s := rng.IntN(32)
		base := rng.Uint64N(1<<32) >> s << s
		if overlaps(g, base, 1<<s) {
			continue
		}
		at := int(g.Index) / 1365 * 1365
		r := world.Region{Index: uint16(at + (int(g.Index)-at+1+k)%1365), Multicast: uint16(1 + len(w.groups)*300 + 200 + k), Base: base, Size: 1 << s}
		for range g.Replicas {
			r.VA, r.RKey = append(r.VA, w.edge(64)), append(r.RKey, rng.Uint32())
		}
		g.Regions = append(g.Regions, r)
	}
	w.sent[g] = g.Start
	w.groups = append(w.groups, g)
	for _, d := range []*worldtest.Device{w.ref, w.dut} {
		worldtest.Install(t, g, d)
	}
}

// overlaps reports whether memory lies over a region of a group.
func overlaps(g *world.Group, base, size uint64) bool {
	if base < g.Size {
		return true
	}
	for _, r := range g.Regions {
		if base < r.Base+r.Size && r.Base < base+size {
			return true
		}
	}
	return false
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
	if rng.IntN(20) == 0 {
		payload = make([]byte, rng.IntN(2049))
	}
	for i := range payload {
		payload[i] = byte(rng.Uint32())
	}
	h := &wire.Header{ID: uint16(rng.Uint32()), SrcPort: uint16(rng.Uint32()), TOS: uint8(rng.Uint32()), TTL: uint8(rng.Uint32()), DstMAC: world.SwitchMAC}
	port := g.Leader.Port
	kind := rng.IntN(100)
	name := ""
	switch {
	case kind < 40: // the leader's requests
		name = "scatter"
		h.SrcMAC, h.Src, h.Dst, h.DestQP = g.Leader.MAC, g.Leader.IP, world.SwitchIP, g.BCastQP
		h.Opcode = requests[rng.IntN(len(requests))]
		if rng.IntN(12) == 0 {
			h.Opcode = wire.Opcode(rng.Uint32())
		}
		if rng.IntN(40) == 0 { // far ahead: about a window, less, or more
			w.sent[g] = w.sent[g].Add([]int{1 << 20, 1<<22 - 4, 1<<22 - 2, 1<<22 - 1, 1 << 22, 1 << 23}[rng.IntN(6)])
		}
		h.AckReq, h.PSN = rng.IntN(2) == 0, w.sent[g]
		w.sent[g] = w.sent[g].Add(1)
		h.VA, h.RKey = rng.Uint64N(g.Size), g.VKey
		h.Length = uint32(rng.Uint64N(g.Size - h.VA + 1))
		if len(g.Regions) > 0 && rng.IntN(2) == 0 {
			r := g.Regions[rng.IntN(len(g.Regions))]
			h.VA = r.Base + rng.Uint64N(r.Size)
			h.Length = uint32(rng.Uint64N(r.Base + r.Size - h.VA + 2)) // or one byte too many
		}
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
			h.Src = w.hosts[rng.IntN(len(w.hosts))].IP
		}
		h.Imm = rng.Uint32()
	case kind < 80: // the replicas' answers
		name = "gather"
		r := g.Replicas[rng.IntN(len(g.Replicas))]
		port = r.Port
		h.SrcMAC, h.Src, h.Dst, h.DestQP = r.MAC, r.IP, world.SwitchIP, r.AggrQP
		h.Opcode = wire.Acknowledge
		if rng.IntN(12) == 0 {
			h.Opcode = wire.Opcode(rng.Uint32())
		}
		back := rng.Int32N(12)
		if rng.IntN(20) == 0 {
			back = 1<<22 - 6 + rng.Int32N(12)
		}
		if rng.IntN(20) == 0 { // from somebody else's port
			port = w.hosts[rng.IntN(len(w.hosts))].Port
		}
		h.PSN = w.sent[g].Add(int(r.Delta) - int(back))
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
		w.clock.NS.Add(rng.Uint64N(40000))
	case kind < 86: // between hosts, routed or switched
		name = "forward"
		a, b := w.hosts[rng.IntN(len(w.hosts))], w.hosts[rng.IntN(len(w.hosts))]
		port = a.Port
		h.SrcMAC, h.Src, h.Dst, h.Opcode, h.DestQP = a.MAC, a.IP, b.IP, requests[rng.IntN(len(requests))], rng.Uint32N(1<<24)
		if rng.IntN(2) == 0 {
			h.DstMAC = b.MAC
		}
	case kind < 90: // to the switch
		name = "local"
		h.SrcMAC, h.Src, h.Dst, h.Opcode, h.DestQP = g.Leader.MAC, g.Leader.IP, world.SwitchIP, wire.UDSendOnly, uint32(rng.IntN(3))
	case kind < 93: // from the controller
		name = "packet-out"
		frame := make([]byte, 4+14+rng.IntN(64))
		for i := range frame {
			frame[i] = byte(rng.Uint32())
		}
		frame[0], frame[1] = 0, frame[1]%16
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
	want, err := w.ref.Inject(port, frame)
	require.NoError(t, err)
	got, err := w.dut.Inject(port, frame)
	require.NoError(t, err)
	if !sameOut(want, got) {
		t.Fatalf("%s at port %d:\n in   %x\n%s", name, port, frame, diffOut(want, got))
	}
	w.seen[outcome(name, want)]++
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
		if !g.Neutral && (p.IP.Dst() == g.Leader.IP || p.IP.Src() == world.SwitchIP) {
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

// compareState compares every register element that a group uses, all counters,
// and all digests.
func (w *randomWorld) compareState(t *testing.T) {
	t.Helper()
	want := w.refDigests.all()
	require.Eventually(t, func() bool { return len(w.dutDigests.all()) >= len(want) }, 5*time.Second, time.Millisecond, "digests")
	require.Equal(t, want, w.dutDigests.all())
	w.seen["digest"] += len(want)
	p := worldtest.Program(t)
	for _, r := range p.Registers {
		for _, g := range w.groups {
			want, err := w.ref.ReadRegister(r, int(g.Index))
			require.NoError(t, err)
			got, err := w.dut.ReadRegister(r, int(g.Index))
			require.NoError(t, err)
			require.Equal(t, want, got, "register %s[%d]", r.Name, g.Index)
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
