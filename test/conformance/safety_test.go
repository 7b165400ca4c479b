package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/internal/long"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/lab/world"
	"github.com/p4ce/p4ce/systems/rdma/lab/world/worldtest"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// The tests of this file are those of the places where p4ce differs from the
// papers for safety's sake. Each runs a scenario under our rule, where it must
// hold, and under the paper's, where it must not: for rules of the switch, the
// paper's rule is rdma.p4 with the few words changed that make the difference.

// scenario is a group of four servers on the interpreter: a leader and three
// replicas, two of which make a majority with it (f = 2).
type scenario struct {
	t *testing.T
	d *worldtest.Device
	g *world.Group
	c *worldtest.Clock
}

// newScenario runs rdma.p4 with replacements (old, new, old, new...).
func newScenario(t *testing.T, replace ...string) *scenario {
	source := worldtest.Program(t).Source
	for i := 0; i < len(replace); i += 2 {
		require.Contains(t, source, replace[i], "the program no longer has the rule that this test weakens")
		source = strings.ReplaceAll(source, replace[i], replace[i+1])
	}
	prog, diags := lang.Compile(lang.Options{Path: "rdma/rdma.p4", Source: []byte(source), FS: p4.FS})
	require.NotNil(t, prog, "%v", diags)
	c := &worldtest.Clock{}
	c.NS.Store(1<<40 + 1e9)
	target := interp.New(interp.Options{Clock: c.NS.Load})
	t.Cleanup(func() { target.Close() })
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: prog}))
	host := func(i int) world.Replica {
		return world.Replica{Port: dataplane.Port(i + 1), IP: wire.Addr{10, 66, 0, byte(11 + i)}, MAC: wire.MAC{2, 0, 0, 0, 0, byte(i)},
			QPN: uint32(17 + i), RKey: uint32(0x100 + i), VA: uint64(i) << 32, AggrQP: uint32(0x200000 + i)}
	}
	g := &world.Group{Index: 5, Multicast: 1, F: 2, BCastQP: 0x100000, VKey: 0xabcd, Size: 4096, Start: 100, Sent: 8, Neutral: true,
		Leader: host(0), Replicas: []world.Replica{host(1), host(2), host(3)}}
	require.NoError(t, g.Apply(prog, target))
	return &scenario{t, &worldtest.Device{Target: target, Inject: target.Inject}, g, c}
}

// request sends a WRITE of the leader and returns the copies that go to
// replicas.
func (s *scenario) request(h wire.Header, payload int) []dataplane.Out {
	l := s.g.Leader
	h.SrcMAC, h.DstMAC, h.Src, h.Dst, h.DestQP = l.MAC, world.SwitchMAC, l.IP, world.SwitchIP, s.g.BCastQP
	h.Opcode, h.AckReq = wire.WriteOnly, true
	out, err := s.d.Inject(l.Port, wire.AppendFrame(nil, &h, make([]byte, payload)))
	require.NoError(s.t, err)
	var copies []dataplane.Out
	for _, o := range out {
		if o.Port != 64 {
			copies = append(copies, o)
		}
	}
	return copies
}

// answer sends what a replica answers and returns what the leader gets, nil for
// nothing.
func (s *scenario) answer(slot int, psn wire.PSN, syndrome wire.Syndrome) *wire.Packet {
	return s.fromReplica(slot, wire.AppendFrame(nil, s.header(slot, psn, syndrome), nil))
}

func (s *scenario) header(slot int, psn wire.PSN, syndrome wire.Syndrome) *wire.Header {
	r := s.g.Replicas[slot]
	return &wire.Header{SrcMAC: r.MAC, DstMAC: world.SwitchMAC, Src: r.IP, Dst: world.SwitchIP, DestQP: r.AggrQP,
		Opcode: wire.Acknowledge, PSN: psn, Syndrome: syndrome}
}

func (s *scenario) fromReplica(slot int, frame []byte) *wire.Packet {
	out, err := s.d.Inject(s.g.Replicas[slot].Port, frame)
	require.NoError(s.t, err)
	if len(out) == 0 {
		return nil
	}
	require.Len(s.t, out, 1)
	require.Equal(s.t, s.g.Leader.Port, out[0].Port)
	var p wire.Packet
	require.NoError(s.t, wire.Parse(out[0].Frame, &p))
	return &p
}

const (
	ack         = wire.Syndrome(0x1f)
	sequenceNAK = wire.Syndrome(0x60)
)

// numRecv is the gather rule of the P4CE paper: a counter per PSN; the ACK that
// makes it f goes to the leader.
type numRecv struct {
	f     int
	count map[wire.PSN]int
}

func (n *numRecv) ack(psn wire.PSN) bool {
	n.count[psn]++
	return n.count[psn] == n.f
}

// A replica that acknowledges twice (its ACK was lost, the leader asked again) is
// one replica.
func TestDuplicateACKsAreOneReplica(t *testing.T) {
	s := newScenario(t)
	require.Nil(t, s.answer(0, 100, ack))
	require.Nil(t, s.answer(0, 100, ack), "one replica acknowledged twice: no quorum holds the data")
	require.NotNil(t, s.answer(1, 100, ack))

	paper := &numRecv{f: 2, count: map[wire.PSN]int{}}
	paper.ack(100)
	require.True(t, paper.ack(100), "the paper's counter takes the duplicate for a second replica")
}

// The leader hears of each PSN once: what replicas beyond the quorum say later is
// absorbed. But when a replica says it again, the leader has asked again, because
// it did not hear.
func TestLeaderHearsOnceUnlessItAsksAgain(t *testing.T) {
	s := newScenario(t)
	require.Nil(t, s.answer(0, 100, ack))
	require.NotNil(t, s.answer(1, 100, ack))
	require.Nil(t, s.answer(2, 100, ack), "the third of three, when two are enough")
	p := s.answer(0, 100, ack)
	require.NotNil(t, p, "the answer was lost: the replica was asked again")
	require.Equal(t, wire.PSN(100), p.BTH.PSN())
}

// An ACK acknowledges all before it: a replica that coalesces its ACKs counts for
// every PSN.
func TestCoalescedACKsCountForAll(t *testing.T) {
	s := newScenario(t)
	require.Nil(t, s.answer(0, 104, ack)) // holds 100..104, and said so once
	p := s.answer(1, 102, ack)
	require.NotNil(t, p, "both replicas hold 102")
	require.Equal(t, wire.PSN(102), p.BTH.PSN())

	paper := &numRecv{f: 2, count: map[wire.PSN]int{}}
	paper.ack(104)
	require.False(t, paper.ack(102), "the paper's counter has one ACK of 104 and one of 102, and tells the leader nothing")
}

// A NAK acknowledges what is before it, of one replica. The leader's NIC would
// take it for the group's.
func TestNAKDoesNotAcknowledgeForTheGroup(t *testing.T) {
	nak := func(s *scenario) wire.PSN {
		require.Nil(t, s.answer(0, 100, ack))
		require.NotNil(t, s.answer(1, 100, ack)) // a quorum holds 100
		p := s.answer(0, 105, sequenceNAK)       // replica 0 holds 104, nobody else does
		require.NotNil(t, p, "a NAK goes to the leader at once")
		require.Equal(t, sequenceNAK, p.AETH.Syndrome())
		return p.BTH.PSN()
	}
	require.Equal(t, wire.PSN(101), nak(newScenario(t)), "committed + 1")
	paper := newScenario(t, "hdr.bridge.psn = md.committed + PSN_ONE", "hdr.bridge.psn = md.p + PSN_ONE")
	require.Equal(t, wire.PSN(105), nak(paper), "the paper's NAK completes 101..104 at the leader, which one replica holds")
}

// A NAK still tells what its replica holds.
func TestNAKCountsForItsReplica(t *testing.T) {
	s := newScenario(t)
	require.NotNil(t, s.answer(0, 105, sequenceNAK))
	p := s.answer(1, 104, ack)
	require.NotNil(t, p, "replica 0 holds 104 by its NAK, replica 1 by its ACK")
	require.Equal(t, wire.PSN(104), p.BTH.PSN())
}

// PSNs are compared circularly. A replica that has been silent for half of them
// must not seem to be ahead.
func TestSilentReplicaDoesNotComeBackByItself(t *testing.T) {
	run := func(s *scenario) (counted bool) {
		psn := s.g.Start
		for range 17 { // replicas 0 and 1 get on, replica 2 never says anything
			psn = psn.Add(1<<20 - 77)
			s.request(wire.Header{PSN: psn, RKey: 0xabcd}, 0)
			if s.answer(0, psn, ack) != nil {
				return true
			}
			require.NotNil(t, s.answer(1, psn, ack))
		}
		s.request(wire.Header{PSN: psn.Add(1), RKey: 0xabcd}, 0)
		return s.answer(0, psn.Add(1), ack) != nil
	}
	require.False(t, run(newScenario(t)), "one replica made a quorum of two")
	require.True(t, run(newScenario(t, worldtest.NeverOut...)), "when no slot is ever out, silence counts as an acknowledgement")
}

// The switch replaces the R_key of every WRITE by the replica's: without a check
// of its own it would let a leader write where it may not.
func TestSwitchIsNoWayRoundMemoryProtection(t *testing.T) {
	long.Test(t)
	for name, h := range map[string]wire.Header{
		"wrong key":       {VA: 0, RKey: 0xdead, Length: 64},
		"behind the end":  {VA: 4096, RKey: 0xabcd, Length: 1},
		"across the end":  {VA: 4090, RKey: 0xabcd, Length: 64},
		"high address":    {VA: 1 << 40, RKey: 0xabcd, Length: 64},
		"address wraps":   {VA: ^uint64(0) - 10, RKey: 0xabcd, Length: 64},
		"length too long": {VA: 0, RKey: 0xabcd, Length: 1 << 31},
	} {
		t.Run(name, func(t *testing.T) {
			h.PSN = 100
			require.Empty(t, newScenario(t).request(h, 64))
			paper := newScenario(t, "check.apply();", "")
			require.Len(t, paper.request(h, 64), 3, "without the check the WRITE reaches every replica, with the right R_key")
		})
	}
	// What is allowed goes through.
	for name, h := range map[string]wire.Header{
		"all of the region": {VA: 0, RKey: 0xabcd, Length: 4096},
		"the last byte":     {VA: 4095, RKey: 0xabcd, Length: 1},
		"nothing":           {VA: 4000, RKey: 0xabcd, Length: 0},
	} {
		t.Run(name, func(t *testing.T) {
			h.PSN = 100
			require.Len(t, newScenario(t).request(h, 64), 3)
		})
	}
}

// Receivers drop packets with a wrong ICRC; the papers turn the check off in the
// NICs.
func TestCopiesHaveValidICRC(t *testing.T) {
	good := func(s *scenario) (n int) {
		for _, o := range s.request(wire.Header{VA: 64, RKey: 0xabcd, Length: 64, PSN: 100}, 64) {
			var p wire.Packet
			require.NoError(t, wire.Parse(o.Frame, &p))
			if p.ICRCOK() {
				n++
			}
		}
		return n
	}
	require.Equal(t, 3, good(newScenario(t)))
	paper := newScenario(t, "if (md.neutral == 1)", "if (md.neutral == 1 && false)")
	require.Zero(t, good(paper), "rewriting alone leaves no copy with a valid ICRC")
}

// A damaged packet stays a damaged packet: the correction is not a new checksum.
func TestDamageStaysDetectable(t *testing.T) {
	s := newScenario(t)
	l := s.g.Leader
	frame := wire.AppendFrame(nil, &wire.Header{SrcMAC: l.MAC, DstMAC: world.SwitchMAC, Src: l.IP, Dst: world.SwitchIP,
		DestQP: s.g.BCastQP, Opcode: wire.WriteOnly, VA: 64, RKey: 0xabcd, Length: 64, PSN: 100}, make([]byte, 64))
	frame[len(frame)-20] ^= 4 // in the payload
	out, err := s.d.Inject(l.Port, frame)
	require.NoError(t, err)
	require.Len(t, out, 3)
	for _, o := range out {
		var p wire.Packet
		require.NoError(t, wire.Parse(o.Frame, &p))
		require.False(t, p.ICRCOK())
	}
}

// Leader and f replicas are a strict majority of all servers, for an even number
// of servers too.
func TestMajorityOfEvenGroups(t *testing.T) {
	for n := 1; n <= private.MaxReplicas; n++ {
		servers := n + 1
		f := private.PolicyQuorum.Needed(n)
		require.Greater(t, 2*(f+1), servers, "%d servers", servers)
		require.LessOrEqual(t, 2*f, servers, "%d servers: no more than needed", servers)
		require.Equal(t, n, private.PolicyAll.Needed(n))
	}
	// (N-1)/2 acknowledgements, right for odd N, leave an even group split.
	servers := 4
	require.LessOrEqual(t, 2*((servers-1)/2+1), servers)
}

// Of the CNPs of a group at most one per interval reaches the leader: it cuts its
// rate for each.
func TestCNPsAreLimitedPerGroup(t *testing.T) {
	burst := func(s *scenario) (n int) {
		for i := range 9 {
			frame := wire.AppendCNP(nil, s.header(i%3, 0, 0))
			if s.fromReplica(i%3, frame) != nil {
				n++
			}
			s.c.NS.Add(1000)
		}
		return n
	}
	s := newScenario(t)
	require.Equal(t, 1, burst(s))
	s.c.NS.Add(60_000) // an interval later
	require.Equal(t, 1, burst(s))
	paper := newScenario(t, "if (md.cnp_pass == 1)", "if (true)")
	require.Equal(t, 9, burst(paper), "the paper's rule forwards all of them")
}
