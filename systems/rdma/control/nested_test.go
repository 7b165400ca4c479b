package control

import (
	"fmt"
	"math/rand/v2"
	"testing"

	p4api "github.com/p4lang/p4runtime/go/p4/v1"
	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/interp"
	"github.com/p4ce/p4ce/dataplane/p4rt"
	p4prog "github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
)

// nested is a home whose replicas are homes themselves: gathering in a tree, for policy all. All
// of them are groups of one interpreter, each with addresses and ports of its own: what leaves for
// another home comes in there.
type nested struct {
	t      *testing.T
	target *interp.Target
	local  *p4rt.Local
	prog   *ir.Program
	tables *tables
	plans  []*group.Plan // the home's, and those of its replicas
	acks   []wire.PSN    // that have come to the leader
	naks   []wire.PSN
	copies map[wire.Addr][]wire.PSN // that replicas have got
}

const fanOut = 8

// Ports: of the leader; of the home towards each inner home, where its answers come in too; of
// an inner home towards the home; and of replicas.
const leaderAt, downAt, upAt, replicaAt = 1, 10, 20, 100

func newNested(t *testing.T) *nested {
	prog, diags := lang.Compile(lang.Options{Path: "rdma/rdma.p4", FS: p4prog.FS})
	require.False(t, diags.HasErrors(), "%v", diags)
	info, err := p4prog.Info(Program)
	require.NoError(t, err)
	n := &nested{t: t, prog: prog, target: interp.New(interp.Options{CPUPort: dataplane.Port(names.PortCPU)}), copies: map[wire.Addr][]wire.PSN{}}
	t.Cleanup(func() { n.target.Close() })
	n.local, err = p4rt.NewLocal(n.target, prog, info)
	require.NoError(t, err)
	n.tables = &tables{info: p4rtclient.NewInfo(info), mac: labSwitchMAC, wiring: &Wiring{}}
	at := func(port uint16) group.Host {
		return group.Host{MAC: wire.MAC{2, 0, 0, 0, 0, byte(port)}, Port: port, PortGroup: port}
	}
	home := &group.Plan{
		Switch: labSwitchIP, Leader: group.Endpoint{Addr: wire.Addr{10, 0, 0, 1}, QPN: 0x11, Host: at(leaderAt)},
		BCastQP: 0x100000, RKey: 0xabcd, Size: 4096, Needed: fanOut, StartPSN: 0xfffff0, Neutral: true,
	}
	n.plans = []*group.Plan{home}
	for i := range fanOut {
		s := group.Slot{
			Endpoint: group.Endpoint{Addr: wire.Addr{10, 0, 1, byte(i)}, QPN: uint32(0x100001 + i), Host: at(uint16(downAt + i))},
			AggrQP:   uint32(0x200000 + i), RKey: uint32(0xcd00 + i), StartPSN: wire.PSN(1000 * i),
		}
		home.Slots = append(home.Slots, s)
		// The home is this one's leader.
		in := &group.Plan{
			Index: uint16(1 + i), Switch: s.Addr, Leader: group.Endpoint{Addr: home.Switch, QPN: s.AggrQP, Host: at(uint16(upAt + i))},
			BCastQP: s.QPN, RKey: s.RKey, Size: 4096, Needed: fanOut, StartPSN: s.StartPSN, Neutral: true,
		}
		for k := range fanOut {
			in.Slots = append(in.Slots, group.Slot{
				Endpoint: group.Endpoint{Addr: wire.Addr{10, 0, 2 + byte(i), byte(k)}, QPN: uint32(0x22 + k), Host: at(uint16(replicaAt + fanOut*i + k))},
				AggrQP:   uint32(0x200100 + fanOut*i + k), RKey: 0xc0c0, VA: 0x7f0000001000, StartPSN: wire.PSN(7 * k),
			})
		}
		n.plans = append(n.plans, in)
	}
	for _, p := range n.plans {
		var all []branch
		for i, s := range p.Slots {
			all = append(all, branch{slot: i, port: s.Host.Port, mac: s.Host.MAC})
		}
		l := n.tables.atHome(p, all)
		u, err := n.tables.registers(p)
		require.NoError(t, err)
		u, err = n.tables.change(u, nil, &l)
		require.NoError(t, err)
		n.write(u)
	}
	own, err := n.tables.info.Updates(nil, p4api.Update_INSERT, n.tables.own(nil)...)
	require.NoError(t, err)
	n.write(own)
	return n
}

// TestIndexAgain: a group begins with counters at zero, whoever had its index before.
func TestIndexAgain(t *testing.T) {
	n := newNested(t)
	p := n.plans[1]
	counted := func() (out []uint64) {
		for _, c := range n.prog.Counters {
			if c.Size == names.MaxGroups {
				v, err := n.target.ReadCounter(c, int(p.Index))
				require.NoError(t, err)
				out = append(out, v.Packets)
			}
		}
		return out
	}
	for _, c := range n.prog.Counters {
		if c.Size == names.MaxGroups {
			require.NoError(t, n.target.WriteCounter(c, int(p.Index), dataplane.Counter{Packets: 7, Bytes: 700}))
		}
	}
	require.Equal(t, []uint64{7, 7, 7, 7, 7}, counted())
	u, err := n.tables.registers(p)
	require.NoError(t, err)
	n.write(u)
	require.Equal(t, make([]uint64, 5), counted())
}

func (n *nested) write(list []*p4api.Update) {
	for _, u := range list {
		require.NoError(n.t, n.local.Write(u), "%v", u)
	}
}

// arrive runs a packet through everything that is no replica. lost: copies that replicas miss.
func (n *nested) arrive(port uint16, frame []byte, lost func(wire.Addr) bool) {
	outs, err := n.target.Inject(dataplane.Port(port), frame)
	require.NoError(n.t, err)
	for _, o := range outs {
		var p wire.Packet
		if o.Port == dataplane.Port(names.PortCPU) {
			continue
		}
		require.NoError(n.t, wire.Parse(o.Frame, &p))
		require.True(n.t, p.ICRCOK(), "%s", &p)
		switch at := uint16(o.Port); {
		case at == leaderAt:
			if p.AETH.Syndrome() >= 0x60 {
				n.naks = append(n.naks, p.BTH.PSN())
			} else {
				n.acks = append(n.acks, p.BTH.PSN())
			}
		case at >= replicaAt:
			if lost == nil || !lost(p.IP.Dst()) {
				n.copies[p.IP.Dst()] = append(n.copies[p.IP.Dst()], p.BTH.PSN())
			}
		case at >= upAt: // to the home
			n.arrive(at-upAt+downAt, o.Frame, lost)
		default: // to an inner home
			n.arrive(at-downAt+upAt, o.Frame, lost)
		}
	}
}

// send has the leader send its nth packet.
func (n *nested) send(i int, lost func(wire.Addr) bool) {
	home := n.plans[0]
	n.arrive(leaderAt, wire.AppendFrame(nil, &wire.Header{
		SrcMAC: home.Leader.Host.MAC, DstMAC: labSwitchMAC, Src: home.Leader.Addr, Dst: home.Switch, Opcode: wire.WriteOnly, AckReq: true,
		DestQP: home.BCastQP, PSN: home.StartPSN.Add(i), RKey: home.RKey, Length: 8,
	}, make([]byte, 8)), lost)
}

// ack has a replica acknowledge its nth packet, or say that it waits for it.
func (n *nested) ack(i, k, nth int, syndrome wire.Syndrome) {
	in := n.plans[1+i]
	s := &in.Slots[k]
	n.arrive(s.Host.Port, wire.AppendFrame(nil, &wire.Header{
		SrcMAC: s.Host.MAC, DstMAC: labSwitchMAC, Src: s.Addr, Dst: in.Switch, Opcode: wire.Acknowledge, DestQP: s.AggrQP,
		PSN: s.StartPSN.Add(nth), Syndrome: syndrome, MSN: 1,
	}, nil), nil)
}

// TestNestedHomes: for policy all a home can stand for its replicas, and another home gather what
// such homes say: the program needs nothing more for 64 receivers over two levels.
func TestNestedHomes(t *testing.T) {
	n := newNested(t)
	start := n.plans[0].StartPSN
	r := rand.New(rand.NewPCG(1, 2))
	const rounds = 20 // PSNs of the leader come round
	for nth := range rounds {
		n.send(nth, nil)
		for i := range fanOut {
			for k := range fanOut {
				s := &n.plans[1+i].Slots[k]
				got := n.copies[s.Addr]
				require.Equal(t, s.StartPSN.Add(nth), got[len(got)-1], "replica %d.%d", i, k)
				require.Len(t, got, nth+1)
			}
		}
		for at, x := range r.Perm(fanOut * fanOut) {
			require.Len(t, n.acks, nth, "after %d of 64", at)
			n.ack(x/fanOut, x%fanOut, nth, 0x1f)
			if at%5 == 0 && at < fanOut*fanOut-1 {
				n.ack(x/fanOut, x%fanOut, nth, 0x1f) // once more
				require.Len(t, n.acks, nth)
			}
		}
		require.Len(t, n.acks, nth+1)
		require.Equal(t, start.Add(nth), n.acks[nth])
	}

	// One replica misses a packet, and says so at the next: the leader hears from where on, and not
	// that anything else is done, though all others have both.
	missing := n.plans[3].Slots[5].Addr
	n.send(rounds, func(a wire.Addr) bool { return a == missing })
	n.send(rounds+1, nil)
	for x := range fanOut * fanOut {
		if x != 2*fanOut+5 {
			n.ack(x/fanOut, x%fanOut, rounds+1, 0x1f)
		}
	}
	require.Len(t, n.acks, rounds)
	n.ack(2, 5, rounds, 0x60)
	require.Equal(t, []wire.PSN{start.Add(rounds)}, n.naks, "what the leader is to send again")
	require.Len(t, n.acks, rounds)
	n.ack(2, 5, rounds+1, 0x1f)
	require.Equal(t, start.Add(rounds+1), n.acks[len(n.acks)-1])

	// An inner home forgets: what it holds is written anew with the registers of a beginning, and its
	// replicas' ACKs are outside of any window. Nothing is taken for done.
	was := fmt.Sprint(n.acks)
	u, err := n.tables.registers(n.plans[1])
	require.NoError(t, err)
	n.write(u)
	const after = rounds + 2
	n.send(after, func(a wire.Addr) bool { return a == n.plans[1].Slots[0].Addr })
	for x := 1; x < fanOut*fanOut; x++ {
		n.ack(x/fanOut, x%fanOut, after, 0x1f)
	}
	require.Equal(t, was, fmt.Sprint(n.acks), "one of the forgetful home's replicas lacks it")
}
