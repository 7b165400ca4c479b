package conformance

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
)

// In this file rdma.p4 is compiled with 16 PSNs and a window of 4, and driven by a
// leader and replicas whose PSNs are numbers without end: what a PSN on the wire
// stands for is known, and the switch must never take it for something else,
// however often the PSNs have wrapped.

const (
	smallBits   = 4
	smallPSNs   = 1 << smallBits
	smallWindow = smallPSNs / 4
)

// smallProgram is rdma.p4 for an exhaustive look: few PSNs, one group.
func smallProgram(t testing.TB) *ir.Program {
	prog, diags := lang.Compile(lang.Options{Path: "rdma/rdma.p4", FS: p4.FS, Defines: map[string]string{
		"GROUPS": "1", "ENDPOINTS": "8", "PSN_BITS": fmt.Sprint(smallBits),
	}})
	require.NotNil(t, prog, "%v", diags)
	return prog
}

// word is a PSN in a register of the small program.
func word(psn int) uint32 { return uint32(psn) << (32 - smallBits) }

// member is a replica: a responder of a reliable connection.
type member struct {
	expected int // PSN that it waits for, as it counts
	holds    int // all PSNs below are really there
	broken   bool
	silent   bool // has sent a NAK, and waits
	acks     []ackOnWire

	// What the switch should remember of it.
	acked  int
	spoken int
	out    bool
	code   wire.Syndrome
}

type ackOnWire struct {
	psn      int // in the member's counting
	nak      bool
	credit   wire.Syndrome
	sentAt   int // the leader's PSN when it was sent
	truthful bool
}

// run is one group of the small program under test.
type run struct {
	t       *testing.T
	rng     *rand.Rand
	prog    *ir.Program
	sw      *interp.Target
	g       *world.Group
	members []*member
	next    int // PSN of the leader's next request
	heard   int // highest PSN that the leader knows to be done
	told    int // committed, as it should be
	seen    map[string]int
}

func newRun(t *testing.T, prog *ir.Program, rng *rand.Rand, seen map[string]int) *run {
	sw := interp.New(interp.Options{})
	t.Cleanup(func() { sw.Close() })
	require.NoError(t, sw.Load(&dataplane.Pipeline{Program: prog}))
	host := func(i int) world.Replica {
		return world.Replica{Port: dataplane.Port(i + 1), IP: wire.Addr{10, 66, 0, byte(11 + i)}, MAC: wire.MAC{2, 0, 0, 0, 0, byte(i)},
			QPN: uint32(17 + i), AggrQP: uint32(0x200000 + i)}
	}
	r := &run{t: t, rng: rng, prog: prog, sw: sw, next: 100 * smallPSNs, seen: seen}
	r.heard, r.told = r.next-1, r.next-1
	r.g = &world.Group{Multicast: 1, BCastQP: 0x100000, VKey: 0xabcd, Size: 4096, Leader: host(0), Neutral: true}
	n := []int{1, 2, 3, 3, 5, 8}[rng.IntN(6)]
	for i := range n {
		r.g.Replicas = append(r.g.Replicas, host(i+1))
		r.members = append(r.members, &member{expected: r.next, holds: r.next, acked: r.next - 1, spoken: r.next - 1, code: 0x1f})
	}
	r.g.F = 1 + rng.IntN(n)
	require.NoError(t, r.g.Apply(prog, sw))
	// Apply knows PSNs of 24 bits only.
	start := binary.BigEndian.AppendUint32(nil, word(r.next-1))
	zero, unlimited := make([]byte, 4), []byte{0, 0, 0, 0x1f}
	write := func(name string, fields ...[]byte) {
		require.NoError(t, sw.WriteRegister(dataplane.RegisterOf(prog, name), 0, fields))
	}
	write(names.RegisterSent, start)
	write(names.RegisterCommitted, start)
	for i := range names.Slots {
		write(names.SlotRegister(i), start, zero)
		write(names.CreditRegister(i), start, unlimited)
	}
	return r
}

// sent is the highest PSN that the leader has sent.
func (r *run) sent() int { return r.next - 1 }

// inWindow reports whether the switch may take a PSN at its word.
func (r *run) inWindow(psn int) bool { return psn <= r.sent() && r.sent()-psn < smallWindow }

// request sends a request of the leader; copies arrive or are lost.
func (r *run) request(psn int) {
	l := r.g.Leader
	h := &wire.Header{SrcMAC: l.MAC, DstMAC: world.SwitchMAC, Src: l.IP, Dst: world.SwitchIP, DestQP: r.g.BCastQP,
		Opcode: wire.WriteOnly, VA: 0, RKey: r.g.VKey, Length: 8, AckReq: true, PSN: wire.PSN(psn % smallPSNs)}
	out, err := r.sw.Inject(l.Port, wire.AppendFrame(nil, h, make([]byte, 8)))
	require.NoError(r.t, err)
	require.Len(r.t, out, len(r.members), "a copy for each replica")
	if psn == r.next {
		r.next++
	}
	for _, m := range r.members {
		if r.sent()-m.acked >= smallWindow && !m.out {
			m.out = true
			r.seen["slot out"]++
		}
	}
	for i, m := range r.members {
		if lossy := 20 + 60*(i%2); r.rng.IntN(100) < lossy && r.rng.IntN(3) > 0 {
			continue
		}
		m.receive(r, psn)
	}
}

// receive is a responder of a reliable connection (IBTA 9.7): it knows PSNs of few
// bits only.
func (m *member) receive(r *run, psn int) {
	switch d := (psn - m.expected%smallPSNs + smallPSNs*1000) % smallPSNs; {
	case d == 0:
		if psn != m.expected && !m.broken {
			m.broken = true // PSNs have wrapped: it goes on with a hole
			r.seen["hole"]++
		}
		m.expected++
		if !m.broken {
			m.holds = m.expected
		}
		m.silent = false
		m.answer(r, false)
	case d < smallPSNs/2:
		if !m.silent {
			m.silent = true
			m.answer(r, true)
		}
	default:
		m.answer(r, false) // a duplicate
	}
}

func (m *member) answer(r *run, nak bool) {
	a := ackOnWire{psn: m.expected - 1, nak: nak, sentAt: r.sent(), credit: wire.Syndrome(r.rng.IntN(32)), truthful: !m.broken}
	m.acks = append(m.acks, a)
	if r.rng.IntN(8) == 0 {
		m.acks = append(m.acks, a) // twice on the wire
	}
}

// deliver brings an ACK or NAK of a member to the switch.
func (r *run) deliver(slot int) {
	m := r.members[slot]
	if len(m.acks) == 0 {
		return
	}
	at := 0
	if r.rng.IntN(4) == 0 {
		at = r.rng.IntN(len(m.acks))
	}
	a := m.acks[at]
	m.acks = append(m.acks[:at], m.acks[at+1:]...)
	if r.rng.IntN(6) == 0 || r.sent()-a.sentAt > smallWindow {
		return // lost; or older than a network lets packets become
	}
	p := r.g.Replicas[slot]
	h := &wire.Header{SrcMAC: p.MAC, DstMAC: world.SwitchMAC, Src: p.IP, Dst: world.SwitchIP, DestQP: p.AggrQP,
		Opcode: wire.Acknowledge, Syndrome: a.credit}
	wirePSN := a.psn
	if a.nak {
		h.Syndrome = 0x60
		wirePSN++
	}
	h.PSN = wire.PSN(wirePSN % smallPSNs)
	frame := wire.AppendFrame(nil, h, nil)
	port := p.Port
	counts := true
	switch r.rng.IntN(12) {
	case 0: // damaged, with an IP checksum that is right
		bit := r.rng.IntN((len(frame) - 14) * 8)
		frame[14+bit/8] ^= 1 << (bit % 8)
		wire.IPv4(frame[14:34]).SetChecksum()
		if covered(bit / 8) {
			counts = false
		}
	case 1: // from somebody else's port
		port, counts = 60, false
	}
	out, err := r.sw.Inject(port, frame)
	require.NoError(r.t, err)
	// What is no longer addressed to the group may be forwarded, to the controller.
	out = slices.DeleteFunc(out, func(o dataplane.Out) bool { return o.Port == 64 })
	r.judge(slot, a, counts, out)
}

// covered reports whether the ICRC covers a byte behind the Ethernet header, or
// the packet is not one for the group without it.
func covered(at int) bool {
	switch at {
	case 1, 8, 10, 11, 26, 27, 32: // TOS, TTL, checksums, BTH byte 4
		return false
	}
	return true
}

// judge compares what the switch has done with what it should.
func (r *run) judge(slot int, a ackOnWire, counts bool, out []dataplane.Out) {
	t, m := r.t, r.members[slot]
	// The PSN that the switch may read in it: the only one in the window, if any.
	p := a.psn
	for p > r.sent() {
		p -= smallPSNs
	}
	for r.sent()-p >= smallPSNs {
		p += smallPSNs
	}
	counts = counts && r.inWindow(p) && !m.out
	if !counts {
		require.Empty(t, out, "an ACK that does not count is not answered")
		r.seen["ignored"]++
		r.compare()
		return
	}
	require.True(t, a.truthful, "a replica with a hole counts")
	require.Equal(t, a.psn, p, "a PSN was taken for another one")
	again := p <= m.spoken
	m.acked, m.spoken = max(m.acked, p), max(m.spoken, p)
	if !a.nak {
		m.code = a.credit
	}
	held, real := 0, 0
	for _, x := range r.members {
		if x.acked >= p && !x.out {
			held++
		}
	}
	quorum := held >= r.g.F
	news := quorum && p > r.told
	if quorum {
		r.told = max(r.told, p)
	}
	if !a.nak && !(quorum && (news || again)) {
		require.Empty(t, out, "absorbed")
		r.seen["absorbed"]++
		r.compare()
		return
	}
	require.Len(t, out, 1)
	require.Equal(t, r.g.Leader.Port, out[0].Port)
	var got wire.Packet
	require.NoError(t, wire.Parse(out[0].Frame, &got))
	require.True(t, got.ICRCOK())
	told := p
	if a.nak {
		told = r.told
		require.Equal(t, (told+1)%smallPSNs, int(got.BTH.PSN()), "a NAK says committed + 1")
		r.seen["NAK"]++
	} else {
		require.Equal(t, p%smallPSNs, int(got.BTH.PSN()))
		least := wire.Syndrome(0x1f)
		for _, x := range r.members {
			least = min(least, x.code)
		}
		require.Equal(t, least, got.AETH.Syndrome(), "the least credit")
		r.seen["ACK"]++
	}
	// The property itself: f replicas hold what the leader is told of.
	for _, x := range r.members {
		if x.holds > told {
			real++
		}
	}
	require.True(t, real >= r.g.F || told < 100*smallPSNs, "the leader was told of PSN %d, which %d of %d replicas hold", told, real, r.g.F)
	r.heard = max(r.heard, told)
	r.compare()
}

// compare compares the registers with what they should hold.
func (r *run) compare() {
	read := func(name string) (v [2]uint32) {
		f, err := r.sw.ReadRegister(dataplane.RegisterOf(r.prog, name), 0)
		require.NoError(r.t, err)
		for i, b := range f {
			v[i] = binary.BigEndian.Uint32(b)
		}
		return v
	}
	same := func(what string, want, got uint32) {
		if want != got {
			r.t.Fatalf("%s: want %#x, got %#x", what, want, got)
		}
	}
	same(names.RegisterSent, word(r.sent()), read(names.RegisterSent)[0])
	same(names.RegisterCommitted, word(r.told), read(names.RegisterCommitted)[0])
	for i, m := range r.members {
		slot := names.SlotRegister(i)
		got := read(slot)
		same(slot+": what its replica has acknowledged", word(m.acked), got[0])
		if m.out != (got[1] != 0) {
			r.t.Fatalf("%s: out should be %v", slot, m.out)
		}
		same(slot+": credit", uint32(m.code), read(names.CreditRegister(i))[1])
	}
}

// step does something at random.
func (r *run) step() {
	switch k := r.rng.IntN(10); {
	case k < 3 && r.next-1-r.heard < smallWindow-1: // what a leader may have under way
		r.request(r.next)
	case k < 4 && r.heard < r.sent(): // it asks again
		r.request(r.heard + 1)
		r.seen["asked again"]++
	default:
		r.deliver(r.rng.IntN(len(r.members)))
	}
}

// TestPSNsNeverMeanTwoThings lets leaders and replicas go round the PSNs many times,
// while packets are lost, repeated, damaged, delayed, and sent by strangers.
func TestPSNsNeverMeanTwoThings(t *testing.T) {
	prog := smallProgram(t)
	seen := map[string]int{}
	runs := 120
	if testing.Short() {
		runs = 40
	}
	for n := range runs {
		r := newRun(t, prog, rand.New(rand.NewPCG(uint64(n), 5)), seen)
		for range 400 {
			r.step()
		}
	}
	t.Logf("seen: %v", seen)
	for _, what := range []string{"slot out", "hole", "ignored", "absorbed", "ACK", "NAK", "asked again"} {
		require.NotZero(t, seen[what], "no run has seen %q: the test proves nothing about it", what)
	}
}
