package program

import (
	"flag"
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	"github.com/p4ce/p4ce/p4/lang/ir"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/systems/paxos"
	"github.com/p4ce/p4ce/systems/paxos/chaos"
)

var (
	simSeeds = flag.Int("sim-seeds", 60, "simulation: number of runs")
	simSeed  = flag.Uint64("sim-seed", 1, "simulation: first seed")
)

// TestSimulation runs the worlds of systems/paxos/chaos with the roles as the P4 has them, in the
// interpreter: the same faults, the same things that must hold. Some seeds have devices of both
// kinds, and some have each device twice: the roles of systems/paxos/soft then must say the same.
func TestSimulation(t *testing.T) {
	n := *simSeeds
	if testing.Short() {
		n = min(n, 12)
	}
	programs := map[int]*ir.Program{}
	for seed := *simSeed; seed < *simSeed+uint64(n); seed++ {
		o := chaos.Defaults(seed)
		p := programs[o.Ring]
		if p == nil {
			compiled, diags := lang.Compile(lang.Options{Path: p4.Source("paxos"), FS: p4.FS, Defines: map[string]string{
				"RING_BITS": fmt.Sprint(bits.Len(uint(o.Ring)) - 1),
			}})
			require.NoError(t, diags.Err())
			p = compiled
			programs[o.Ring] = p
		}
		made := 0
		o.Device = func(at chaos.Addr, ring int) chaos.Device {
			made++
			switch {
			case seed%3 == 1 && made%2 == 0:
				return chaos.NewSoft(at, ring)
			case seed%3 == 2:
				return &both{newSimulated(t, p, at, ring), chaos.NewSoft(at, ring), t}
			}
			return newSimulated(t, p, at, ring)
		}
		w, err := chaos.Run(o)
		if err != nil {
			t.Fatalf("seed %d: %v\nrepeat: go test ./systems/paxos/test/program -run TestSimulation -sim-seed %d -sim-seeds 1\n%+v", seed, err, seed, o)
		}
		t.Logf("seed %d: %+v", seed, w.Stats)
	}
}

// simulated is a switch with the P4 program as a device of the simulation.
type simulated struct {
	t       testing.TB
	d       *device
	me      place
	ring    int
	leads   bool
	votes   bool
	owned   map[string]bool
	members map[uint32]bool
	copies  map[uint16]bool
}

func placeOf(a chaos.Addr) place { return place(a.Addr().As4()[3]) }

func newSimulated(t testing.TB, p *ir.Program, at chaos.Addr, ring int) chaos.Device {
	target, err := testbed.New("interp", dataplane.Port(names.PortCPU))
	require.NoError(t, err)
	d := &device{target, p}
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: p}))
	s := &simulated{t: t, d: d, me: placeOf(at), ring: ring, owned: map[string]bool{}, members: map[uint32]bool{}, copies: map[uint16]bool{}}
	what := names.AtAcceptor
	switch at {
	case chaos.Leader:
		what = names.AtLeader
	case chaos.Learner:
		what = names.AtLearner
	}
	d.role(t, what, s.me)
	return s
}

// Receive implements sim.Device.
func (s *simulated) Receive(p chaos.Packet) (out []chaos.Packet) {
	b := frame(s.t, placeOf(p.From), placeOf(p.To), p.Message)
	if p.Damaged > 0 {
		const payload = 14 + 20 + 8
		bit := (p.Damaged - 1) % (8 * (len(b) - payload))
		b[payload+bit/8] ^= 1 << (bit % 8)
	}
	outs, err := s.d.Inject(dataplane.Port(placeOf(p.From)), b)
	require.NoError(s.t, err)
	for _, o := range outs {
		m := parse(s.t, o.Frame)
		require.Equal(s.t, dataplane.Port(m.to), o.Port)
		out = append(out, chaos.Packet{From: chaos.At(byte(m.from)), To: chaos.At(byte(m.to)), Message: m.Message})
	}
	return out
}

// put inserts an entry, or gives it another action if it is there.
func (s *simulated) put(there bool, table string, keys []uint64, action string, args ...uint64) {
	e := dataplane.NewEntry(s.d.p, table, keys, 0, action, args...)
	if there {
		require.NoError(s.t, s.d.Modify(e))
	} else {
		require.NoError(s.t, s.d.Insert(e))
	}
}

// group makes a group anew.
func (s *simulated) group(number uint16, want names.Became, kind names.Message, to []chaos.Addr) {
	var rs []dataplane.Replica
	for i, a := range to {
		rid := number*16 + uint16(i)
		p := placeOf(a)
		rs = append(rs, dataplane.Replica{Port: dataplane.Port(p), Instance: rid})
		s.put(s.copies[rid], names.TableCopies, []uint64{uint64(rid)}, names.ActionTo,
			uint64(want), uint64(kind), s.me.mac48(), p.mac48(), s.me.ip32(), p.ip32(), udpPort)
		s.copies[rid] = true
	}
	require.NoError(s.t, s.d.SetGroup(number, rs))
}

func (s *simulated) leadKey() []uint64 {
	return []uint64{app, uint64(names.AtLeader), uint64(names.MsgRequest)}
}

// Lead implements sim.Device.
func (s *simulated) Lead(round, next, first, last uint32, acceptors []chaos.Addr) {
	s.d.live(s.t, uint64(first), uint64(last))
	s.d.write(s.t, names.RegisterNext, app, uint64(next))
	s.group(2, names.BecameAccept, names.MsgAccept, acceptors)
	s.put(s.leads, names.TableLeader, s.leadKey(), names.ActionLead, uint64(round), 2)
	s.leads = true
}

// StopLeading implements sim.Device.
func (s *simulated) StopLeading() {
	if s.leads {
		require.NoError(s.t, s.d.Delete(dataplane.NewEntry(s.d.p, names.TableLeader, s.leadKey(), 0, names.ActionLead, 1, 2)))
	}
	s.leads = false
}

// clear sets the cells of the application's ring to 0.
func (s *simulated) clear() {
	for i := range s.ring {
		at := app*s.ring + i
		for _, r := range []string{names.RegisterPromised, names.RegisterVoted, names.RegisterCounted} {
			require.NoError(s.t, s.d.WriteRegister(dataplane.RegisterOf(s.d.p, r), at, [][]byte{dataplane.Bytes(0, 32), dataplane.Bytes(0, 32)}))
		}
		require.NoError(s.t, s.d.WriteRegister(dataplane.RegisterOf(s.d.p, names.RegisterBits), at, [][]byte{dataplane.Bytes(0, 8)}))
	}
}

// Vote implements sim.Device.
func (s *simulated) Vote(index uint8, learner chaos.Addr, floor, first, last uint32) {
	s.clear()
	s.d.write(s.t, names.RegisterAcceptorFloor, app, uint64(floor))
	s.d.write(s.t, names.RegisterHighest, app, uint64(first-1))
	s.group(3, names.BecameVote, names.MsgVote, []chaos.Addr{learner})
	s.put(s.votes, names.TableAcceptor, []uint64{app, uint64(names.AtAcceptor)}, names.ActionVoteAs, uint64(index), 1<<index, 3, 0)
	s.votes = true
	s.d.live(s.t, uint64(first), uint64(last))
}

// Own implements sim.Device.
func (s *simulated) Own(round uint32, who chaos.Addr) {
	if key := fmt.Sprint(round, who); !s.owned[key] {
		s.owned[key] = true
		s.d.own(s.t, uint64(round), placeOf(who))
	}
}

// Learn implements sim.Device.
func (s *simulated) Learn(replicas []chaos.Addr, first, last uint32) {
	s.clear()
	s.group(4, names.BecameDeliver, names.MsgDeliver, replicas)
	s.d.live(s.t, uint64(first), uint64(last))
}

// Configure implements sim.Device.
func (s *simulated) Configure(round uint32, acceptors []chaos.Addr) {
	if s.members[round] {
		return
	}
	s.members[round] = true
	s.d.insert(s.t, names.TableMembers, []uint64{app, uint64(round)}, names.ActionLearnFor, uint64(len(acceptors)), 4)
	for i, a := range acceptors {
		s.d.insert(s.t, names.TableVoters, []uint64{uint64(names.AtLearner), app, uint64(round), placeOf(a).ip32(), uint64(i), uint64(placeOf(a))}, names.ActionVoter, 1<<i)
	}
}

// Trim implements sim.Device.
func (s *simulated) Trim(first, last uint32) {
	s.d.write(s.t, names.RegisterFirst, app, uint64(first))
	s.d.write(s.t, names.RegisterLast, app, uint64(last))
}

// Forget implements sim.Device: as a switch that starts again and gets its tables back, but
// not its registers.
func (s *simulated) Forget() {
	s.clear()
	for _, r := range []string{names.RegisterLife, names.RegisterFirst, names.RegisterLast, names.RegisterNext, names.RegisterAcceptorFloor, names.RegisterHighest} {
		s.d.write(s.t, r, app, 0)
	}
}

// both is a switch and a process that are given the same.
type both struct {
	chaos.Device
	soft chaos.Device
	t    testing.TB
}

// Receive implements sim.Device. What is said must be the same: but for
// what a switch leaves in a refusal or an empty promise of what was in the cell.
func (b *both) Receive(p chaos.Packet) []chaos.Packet {
	said := func(ps []chaos.Packet) (all []string) {
		for _, q := range ps {
			m := q.Message
			switch {
			case m.Kind == paxos.Refused && paxos.Reason(m.VoteRound) == paxos.ReasonNotVoted:
				m = paxos.Message{Kind: m.Kind, Instance: m.Instance, VoteRound: m.VoteRound}
			case m.Kind == paxos.Refused:
				m = paxos.Message{Kind: m.Kind, Instance: m.Instance, VoteRound: m.VoteRound, Client: m.Client, Sequence: m.Sequence}
			case m.Kind == paxos.Promise && m.VoteRound == 0:
				m.Client, m.Sequence, m.Value = 0, 0, nil
			}
			all = append(all, fmt.Sprintf("%v -> %v %v", q.From, q.To, sent{Message: m}))
		}
		return all
	}
	out := b.Device.Receive(p)
	require.Equal(b.t, said(out), said(b.soft.Receive(p)), "%v -> %v %v", p.From, p.To, sent{Message: p.Message})
	return out
}

// Lead implements sim.Device.
func (b *both) Lead(round, next, first, last uint32, acceptors []chaos.Addr) {
	b.Device.Lead(round, next, first, last, acceptors)
	b.soft.Lead(round, next, first, last, acceptors)
}

// StopLeading implements sim.Device.
func (b *both) StopLeading() {
	b.Device.StopLeading()
	b.soft.StopLeading()
}

// Vote implements sim.Device.
func (b *both) Vote(index uint8, learner chaos.Addr, floor, first, last uint32) {
	b.Device.Vote(index, learner, floor, first, last)
	b.soft.Vote(index, learner, floor, first, last)
}

// Own implements sim.Device.
func (b *both) Own(round uint32, who chaos.Addr) {
	b.Device.Own(round, who)
	b.soft.Own(round, who)
}

// Learn implements sim.Device.
func (b *both) Learn(replicas []chaos.Addr, first, last uint32) {
	b.Device.Learn(replicas, first, last)
	b.soft.Learn(replicas, first, last)
}

// Configure implements sim.Device.
func (b *both) Configure(round uint32, acceptors []chaos.Addr) {
	b.Device.Configure(round, acceptors)
	b.soft.Configure(round, acceptors)
}

// Trim implements sim.Device.
func (b *both) Trim(first, last uint32) {
	b.Device.Trim(first, last)
	b.soft.Trim(first, last)
}

// Forget implements sim.Device.
func (b *both) Forget() {
	b.Device.Forget()
	b.soft.Forget()
}
