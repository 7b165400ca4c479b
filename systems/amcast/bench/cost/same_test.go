package cost

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/bench/byhand"
	"github.com/p4ce/p4ce/bench/program"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/testrun"
	"github.com/p4ce/p4ce/doctor/needs"
	names "github.com/p4ce/p4ce/p4/amcast"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/amcast"
)

// run runs a program once, and returns its verdict, what is in front of the packet, and the packet.
func run(t *testing.T, prog *ebpf.Program, front, packet []byte) (verdict uint32, meta, after []byte) {
	t.Helper()
	in := slices.Concat(front, packet)
	var md program.XDP
	o := &ebpf.RunOptions{Data: in, DataOut: make([]byte, 4096), Context: program.XDP{Data: uint32(len(front)), DataEnd: uint32(len(in))}, ContextOut: &md}
	verdict, err := prog.Run(o)
	require.NoError(t, err)
	return verdict, o.DataOut[:md.Data], o.DataOut[md.Data:]
}

// leaves are the packets that leave for one that comes in, in the order of ports and copies. What goes to the controller is left out by
// hand, and here.
func leaves(t *testing.T, s byhand.System, port dataplane.Port, packet []byte) (out []string) {
	verdict, meta, after := run(t, s.Ingress, program.Front(uint16(port)), packet)
	if verdict != program.Redirect {
		require.EqualValues(t, program.Drop, verdict, s.Name)
		return nil
	}
	be := binary.NativeEndian
	if be.Uint16(meta[8:]) == 0 { // to one port
		to := be.Uint16(meta[10:])
		if uint64(to) == uint64(names.PortCPU) {
			return nil
		}
		verdict, _, b := run(t, s.Egress, meta, after)
		require.EqualValues(t, program.Pass, verdict, s.Name)
		return []string{fmt.Sprintf("%d: %x", to, b)}
	}
	for _, to := range append([]dataplane.Port{links}, hosts...) {
		for { // the copies of one packet, until there is none left
			verdict, _, b := run(t, s.Egress, program.Leaves(meta, uint16(to)), after)
			if verdict != program.Pass {
				break
			}
			out = append(out, fmt.Sprintf("%d: %x", to, b))
		}
	}
	require.NotEmpty(t, out, "%s: a packet for a group has copies", s.Name)
	return out
}

func generated(p4 *testrun.Switch) byhand.System {
	return byhand.System{Name: byhand.InP4, Ingress: p4.Ingress, Egress: p4.Egress}
}

// pinned runs a test on one CPU: how many copies of a packet a port has seen is known per CPU.
func pinned(t *testing.T, f func(hand *byhand.Hand, p4 *testrun.Switch)) {
	needs.Root(t, "XDP")
	p4, err := newP4()
	needs.Kernel(t, err)
	defer p4.Close()
	hand, err := newHand()
	require.NoError(t, err)
	defer hand.Close()
	require.NoError(t, program.OnCPU(func() error {
		f(hand, p4)
		return nil
	}))
}

func ids(client uint16, n uint32) amcast.ID { return amcast.ID{Client: client, Number: n} }

func payload(m *message) { m.Payload = []byte("a payload of a message") }

// Destinations of several groups.
const (
	two   amcast.Groups = led<<24 | followed<<16
	three amcast.Groups = led<<24 | followed<<16 | delivered<<8
)

// remember requires that members remember the same in both programs, also what only ASK and LOOK would show.
func remember(t *testing.T, hand *byhand.Hand, p4 *testrun.Switch) {
	type cell struct{ Number, Epoch, Groups, Digest, LTS, Seq uint32 }
	type place struct{ Seq, What uint32 }
	const size = 8 << 12
	cells, ring, table := make([]cell, size), make([]place, size), make([]handRole, 8)
	require.NoError(t, hand.Variables["cells"].Get(&cells))
	require.NoError(t, hand.Variables["ring"].Get(&ring))
	require.NoError(t, hand.Variables["roles"].Get(&table))
	read := func(register string, index, field int) uint32 {
		v, err := p4.Target.ReadRegister(dataplane.RegisterOf(p4.Prog, register), index)
		require.NoError(t, err)
		return binary.BigEndian.Uint32(v[field])
	}
	wire := func(v uint32) uint32 { // of a number that is kept as it is on the wire
		var b [4]byte
		binary.NativeEndian.PutUint32(b[:], v)
		return binary.BigEndian.Uint32(b[:])
	}
	used, placed := 0, 0
	for _, role := range []int{leads, follows} {
		for n := range 512 { // clients 0 to 31, and as many places of the ring
			at := role<<12 + n
			c := cells[at]
			require.Equal(t, cell{read(names.RegisterTags, at, names.RegisterTagsNumber), read(names.RegisterTags, at, names.RegisterTagsEpoch), read(names.RegisterGroups, at, 0),
				read(names.RegisterDigests, at, 0), read(names.RegisterLts, at, 0), read(names.RegisterSeqs, at, 0)},
				cell{c.Number, wire(c.Epoch), wire(c.Groups), wire(c.Digest), c.LTS, c.Seq}, "cell %d of role %d", n, role)
			require.Equal(t, c.Number, read(names.RegisterNewest, at, 0), "cell %d of role %d", n, role)
			require.Equal(t, place{read(names.RegisterRingSeqs, at, 0), read(names.RegisterRing, at, 0)}, ring[at], "place %d of role %d", n, role)
			if c.Number != 0 {
				used++
			}
			if ring[at].What != 0 {
				placed++
			}
		}
		require.Equal(t, read(names.RegisterClock, role, 0), table[role].Clock, "clock of role %d", role)
		require.Equal(t, read(names.RegisterMarks, role, 0), table[role].Mark, "mark of role %d", role)
	}
	require.NotZero(t, used, "cells are in use")
	require.NotZero(t, placed, "places of the ring are in use")
}

// change makes another packet of a message.
func change(m message, f func(*message)) message { f(&m); return m }

// damaged are bytes of a frame that are changed; its own checksums stay.
func damaged(b []byte, at int, x byte) []byte {
	b = slices.Clone(b)
	b[at] ^= x
	return b
}

// sound gives a frame right checksums again.
func sound(b []byte) []byte {
	ip := wire.IPv4(b[wire.EthernetLen:])
	ip.SetChecksum()
	binary.BigEndian.PutUint16(b[atChecksum:], 0)
	binary.BigEndian.PutUint16(b[atChecksum:], ^wire.Sum(0, b[front:atChecksum+2]))
	return b
}

// input is a packet, and how many leave for it.
type input struct {
	what   string
	port   dataplane.Port
	packet []byte
	out    int
}

// TestSame: both programs send the same bytes for each of many packets, one after the other: those that the benchmark measures, and
// those that a check stops.
func TestSame(t *testing.T) {
	pinned(t, func(hand *byhand.Hand, p4 *testrun.Switch) {
		var list []input
		add := func(what string, port dataplane.Port, out int, b []byte) {
			list = append(list, input{what, port, b, out})
		}
		begin := start(ids(2, 33))
		add("START", client, 3, begin.frame())
		add("again: what the leader gave", client, 3, begin.frame())
		add("with the payload", client, 2, change(begin, payload).frame())
		add("START of the next", client, 3, start(ids(2, 34)).frame())
		add("START with a payload first", client, 2, change(start(ids(3, 34)), payload).frame())
		add("to two groups", client, 3, change(start(ids(2, 35)), func(m *message) { m.Groups = two }).frame())
		add("of a replica, for the client", replica1, 3, change(start(ids(2, 36)), func(m *message) { m.from = place(replica1) }).frame())
		list = append(list, refusals()...)

		next := prop(ids(4, 20), 9, 4)
		add("PROP", links, 1, next.frame())
		add("again", links, 1, next.frame())
		add("an earlier one comes later", links, 1, prop(ids(4, 21), 8, 3).frame())
		add("a later one", links, 1, prop(ids(5, 21), 40, 7).frame())
		add("a lap behind", links, 0, prop(ids(4, 4), 50, 8).frame())
		add("a lap of the ring later", links, 1, prop(ids(5, 22), 41, 4096+7).frame())
		add("one of the lap before", links, 1, prop(ids(5, 23), 42, 7).frame())
		add("of another group", links, 1, change(next, func(m *message) { m.From, m.By, m.Epoch, m.from, m.Groups, m.LTS = led, led, ledEpoch, self, two, 60 }).frame())
		add("of another group, as its own", links, 0, change(next, func(m *message) { m.From, m.Epoch = led, ledEpoch }).frame())
		add("of another epoch", links, 0, change(next, func(m *message) { m.Epoch++ }).frame())
		add("of who does not lead", links, 0, change(next, func(m *message) { m.from = spine2 }).frame())
		add("from a host's port", client, 0, next.frame())
		add("to unknown groups", links, 0, change(next, func(m *message) { m.Groups = 200 << 24 }).frame())
		add("to a role that is none", links, 0, change(next, func(m *message) { m.role = 6 }).frame())
		add("to a deliverer", links, 0, change(next, func(m *message) { m.role = delivers }).frame())
		add("to the leader", links, 0, change(next, func(m *message) { m.role = leads }).frame())

		add("a follower acknowledges first", links, 0, ack(ids(6, 40), 2).frame())
		add("the leader decides", links, 2, ack(ids(6, 40), 0).frame())
		add("the leader again", links, 0, ack(ids(6, 40), 0).frame())
		add("the third is too many", links, 0, ack(ids(6, 40), 1).frame())
		add("and is told again when it asks", links, 2, change(ack(ids(6, 40), 1), func(m *message) { m.Flags = amcast.FlagAgain }).frame())
		add("the leader, asking", links, 2, change(ack(ids(6, 40), 0), func(m *message) { m.Flags = amcast.FlagAgain }).frame())
		add("the leader first", links, 0, ack(ids(7, 41), 0).frame())
		add("a follower decides", links, 2, ack(ids(7, 41), 1).frame())
		add("the leader, of another group's proposal: a watermark", links, 2, watermark(ids(8, 41)).frame())
		add("a lap later", links, 0, ack(ids(7, 57), 0).frame())
		add("a lap behind", links, 0, ack(ids(7, 41), 2).frame())
		add("an epoch that is not the group's", links, 0, change(ack(ids(7, 58), 1), func(m *message) { m.ByEpoch++ }).frame())
		add("a proposal of another epoch", links, 0, change(ack(ids(7, 58), 1), func(m *message) { m.Epoch++ }).frame())
		add("neither counts", links, 0, ack(ids(7, 58), 0).frame())
		add("which is about a later message", links, 0, change(ack(ids(7, 73), 1), func(m *message) { m.Epoch++ }).frame())
		add("so that one before it is behind", links, 0, ack(ids(7, 57), 1).frame())
		add("no such member", links, 0, change(ack(ids(7, 75), 1), func(m *message) { m.Member = 3 }).frame())
		add("a member that no group has", links, 0, change(ack(ids(7, 75), 1), func(m *message) { m.Member = 9 }).frame())
		add("another member's address", links, 0, change(ack(ids(7, 75), 1), func(m *message) { m.Member = 2 }).frame())
		add("from a host's port", replica1, 0, ack(ids(7, 75), 1).frame())
		add("a destination that is none", links, 0, change(ack(ids(7, 75), 1), func(m *message) { m.FromSlot = 4 }).frame())
		add("none of them counts", links, 0, ack(ids(7, 75), 0).frame())
		add("to unknown groups", links, 0, change(ack(ids(7, 60), 1), func(m *message) { m.Groups = 201 << 24 }).frame())

		forwarding := plain()
		add("plain", client, 1, forwarding)
		add("a wrong checksum", client, 0, damaged(forwarding, 16, 1))
		add("from elsewhere", replica2, 0, forwarding)
		add("with another's address", client, 0, sound(damaged(forwarding, 29, byte(client^replica2))))
		add("with another's MAC address", client, 0, damaged(forwarding, 11, byte(client^replica2)))
		add("with the switch's", client, 0, damaged(forwarding, 11, byte(client)^byte(self)))
		add("to a host behind other switches", client, 1, func() []byte { m := spine1.mac(); b := slices.Clone(forwarding); copy(b, m[:]); return b }())
		add("a message that is for others", client, 1, func() []byte {
			b := begin.frame()
			b[33] = byte(replica1)
			m := place(replica1).mac()
			copy(b, m[:])
			return sound(b)
		}())
		for _, in := range list {
			got, want := leaves(t, hand.System, in.port, in.packet), leaves(t, generated(p4), in.port, in.packet)
			require.Equal(t, want, got, in.what)
			require.Len(t, got, in.out, in.what)
		}
		remember(t, hand, p4)
	})
}

// TestRandom: the same, with many packets of few clients, numbers and timestamps, so that they meet.
func TestRandom(t *testing.T) {
	pinned(t, func(hand *byhand.Hand, p4 *testrun.Switch) {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 1))
		n := 4000
		if testing.Short() {
			n = 400
		}
		kinds := map[names.Message]int{}
		for i := range n {
			id := ids(uint16(r.IntN(3)), 16+uint32(r.IntN(64)))
			port, m := links, message{}
			switch r.IntN(4) {
			case 0:
				port, m = client, start(id)
				m.Groups = []amcast.Groups{led << 24, two, three}[r.IntN(3)]
				m.Digest = uint32(r.IntN(2))
				m.Seq = id.Number - uint32(r.IntN(20))
				if r.IntN(2) == 0 {
					payload(&m)
				}
			case 1:
				m = prop(id, uint32(r.IntN(100)), uint32(r.IntN(50)+4096*r.IntN(2)))
				m.Groups = []amcast.Groups{followed << 24, two, three}[r.IntN(3)]
			default:
				m = ack(id, uint8(r.IntN(3)))
				m.LTS = uint32(r.IntN(100))
				if id.Number%2 == 0 { // to all groups, about any proposal, by any group: a message always has the same destinations
					from, by := r.IntN(3), r.IntN(3)
					epochs := []uint32{ledEpoch, followedEpoch, deliveredEpoch}
					m.Groups, m.From, m.By = three, uint8(led+from), uint8(led+by)
					m.FromSlot, m.BySlot, m.Epoch, m.ByEpoch = uint8(from), uint8(by), epochs[from], epochs[by]
					for _, p := range ackers {
						if p.group == uint64(m.By) {
							m.Member = uint8(r.IntN(len(p.members)))
							m.from = p.members[m.Member]
						}
					}
				}
			}
			m.Flags = uint8(r.IntN(2))
			b := m.frame()
			if at := 34 + r.IntN(len(b)-34); r.IntN(10) == 0 && at != atNumber+3 { // any byte behind the addresses, but not which destinations it has
				b = damaged(b, at, byte(1<<r.IntN(8)))
				if r.IntN(4) > 0 {
					b = sound(b)
				}
			}
			if b[front] == byte(amcast.MsgAsk) || b[front] == byte(amcast.MsgLook) {
				continue // left out by hand
			}
			got, want := leaves(t, hand.System, port, b), leaves(t, generated(p4), port, b)
			require.Equal(t, want, got, "seed %d, packet %d: %s", seed, i, amcast.Describe(b))
			for _, l := range got {
				var out []byte
				var to int
				_, err := fmt.Sscanf(l, "%d: %x", &to, &out)
				require.NoError(t, err)
				kinds[names.Message(out[front])]++
			}
		}
		for _, k := range []names.Message{names.MsgProp, names.MsgACK, names.MsgDeliver, names.MsgMark, names.MsgRefused} {
			require.NotZero(t, kinds[k], "%v leaves: %v", k, slices.Collect(maps.Keys(kinds)))
		}
		t.Log(kinds)
		remember(t, hand, p4)
	})
}

// refusals are what a leader and the checks of headers refuse.
func refusals() (list []input) {
	add := func(what string, port dataplane.Port, out int, b []byte) {
		list = append(list, input{what, port, b, out})
	}
	one := start(ids(2, 40))
	add("START to unknown groups", client, 1, change(one, func(m *message) { m.Groups = 200 << 24 }).frame())
	add("of who is no client", client, 1, change(one, func(m *message) { m.from = place(replica2) }).frame())
	add("of a client by another port", links, 1, one.frame())
	add("of a client that there is not", client, 1, start(ids(300, 40)).frame())
	add("too far ahead", client, 1, change(one, func(m *message) { m.Seq -= 16 }).frame())
	add("a number that was used", client, 1, change(start(ids(2, 33)), func(m *message) { m.Digest++ }).frame())
	add("with other groups", client, 1, change(start(ids(2, 33)), func(m *message) { m.Groups = two }).frame())
	add("a lap behind", client, 1, start(ids(2, 17)).frame())
	add("of who follows", client, 1, change(one, func(m *message) { m.role, m.Groups = follows, followed<<24 }).frame())
	add("to a deliverer", client, 1, change(one, func(m *message) { m.role, m.Groups = delivers, delivered<<24 }).frame())
	add("to no role", client, 0, change(one, func(m *message) { m.role = 7 }).frame())
	add("a damaged header", client, 0, damaged(one.frame(), front+20, 1))
	add("a damaged IPv4 header", client, 0, damaged(one.frame(), 15, 1))
	add("a UDP checksum", client, 0, damaged(one.frame(), 41, 1))
	add("lengths that do not fit", client, 0, sound(damaged(one.frame(), 39, 1)))
	add("cut", client, 0, one.frame()[:80])
	add("a fragment", client, 0, sound(damaged(one.frame(), 20, 0x20)))
	add("an acknowledgement", client, 0, change(one, func(m *message) { m.Kind = amcast.MsgACK }).frame())
	return list
}

// A role that has lost its registers takes part in nothing.
func TestAmnesia(t *testing.T) {
	pinned(t, func(hand *byhand.Hand, p4 *testrun.Switch) {
		table := make([]handRole, 8)
		require.NoError(t, hand.Variables["roles"].Get(&table))
		for i := range table {
			table[i].Life = 0
		}
		require.NoError(t, hand.Variables["roles"].Set(table))
		for _, r := range roles {
			p4.Register(dataplane.RegisterOf(p4.Prog, names.RegisterLife), int(r.number), 0)
		}
		require.NoError(t, p4.Err)
		id := amcast.ID{Client: 1, Number: 40}
		for i, in := range []input{{"START", client, start(id).frame(), 1}, {"PROP", links, prop(id, 1, 1).frame(), 0}, {"ACK", links, ack(id, 0).frame(), 0}} {
			want := leaves(t, generated(p4), in.port, in.packet)
			require.Equal(t, want, leaves(t, hand.System, in.port, in.packet), in.what)
			require.Len(t, want, in.out, "%d: %s", i, in.what)
		}
	})
}
