package program

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/dataplane/stf/testbed"
	"github.com/p4ce/p4ce/doctor/needs"
	"github.com/p4ce/p4ce/internal/seed"
	"github.com/p4ce/p4ce/p4"
	"github.com/p4ce/p4ce/p4/lang"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/systems/paxos"
)

var (
	messages = flag.Int("messages", 20000, "random messages through all forms of the program")
	given    = flag.Uint64("seed", 0, "seed of the random messages")
)

// everything is a switch with all roles, in several rounds, with small numbers that meet.
func everything(t testing.TB, d *device) {
	leader(t, d)
	acceptor(t, d, 0)
	learner(t, d)
	d.own(t, round+1, coordAt)
	d.own(t, round+2, coordAt)
	d.configure(t, round+1, 3)
	d.insert(t, names.TableAcceptor, []uint64{app, uint64(names.AtLeader)}, names.ActionVoteAs, 0, 1, 3, 1)
	d.insert(t, names.TableL2, []uint64{replica.mac48()}, names.ActionForward, uint64(replica))
	d.insert(t, names.TableL2, []uint64{coordAt.mac48()}, names.ActionForward, uint64(names.PortCPU))
}

// standAlone is the program in the form that Tofino's compiler sees, in the interpreter.
func standAlone(t testing.TB) *device {
	t.Helper()
	program, diags := lang.Compile(lang.Options{Path: p4.Source("paxos"), FS: p4.FS, Defines: map[string]string{"STAND_ALONE": "1"}})
	require.NoError(t, diags.Err())
	target, err := testbed.New("interp", dataplane.Port(names.PortCPU))
	require.NoError(t, err)
	t.Cleanup(func() { target.Close() })
	d := &device{target, program}
	require.NoError(t, target.Load(&dataplane.Pipeline{Program: program}))
	return d
}

// random is a message that means something to somebody, often.
func random(r *rand.Rand) (from, to place, m paxos.Message) {
	pick := func(all ...place) place { return all[r.IntN(len(all))] }
	from = pick(leaderAt, acceptorAt, acceptorAt+1, acceptorAt+2, proposer, replica, coordAt)
	to = pick(leaderAt, leaderAt, acceptorAt, acceptorAt, acceptorAt, learnerAt, learnerAt, replica, coordAt)
	m = paxos.Message{
		Kind: paxos.Kind(1 + r.IntN(10)), Flags: uint8(r.IntN(8) / 7), Instance: uint32(r.IntN(11)), Round: round + uint32(r.IntN(4)) - 1,
		Client: uint32(r.IntN(3)), Sequence: r.Uint32N(5), Value: []byte(long)[:r.IntN(len(long)+1)],
	}
	switch to { // mostly what belongs there
	case leaderAt:
		m.Kind = paxos.Request
	case acceptorAt:
		m.Kind = [...]paxos.Kind{paxos.Accept, paxos.Accept, paxos.Prepare, paxos.Floor, paxos.Query}[r.IntN(5)]
		from = [...]place{leaderAt, coordAt}[r.IntN(2)]
	case learnerAt:
		m.Kind = paxos.Vote
		from = acceptorAt + place(r.IntN(3))
	}
	if r.IntN(8) == 0 {
		m.Kind = paxos.Kind(1 + r.IntN(10))
	}
	return from, to, m
}

// TestFormsAgree sends the same random messages through the program in the interpreter, in
// the form for Tofino, and in the kernel: the same must come out, and registers and counters
// must be equal.
func TestFormsAgree(t *testing.T) {
	s := seed.Of(t, "seed", *given)
	n := *messages
	if testing.Short() {
		n /= 10
	}
	for name, open := range map[string]func() *device{
		"stand-alone": func() *device { return standAlone(t) },
		"xdp": func() *device {
			needs.Root(t, "XDP")
			return open(t, "xdp")
		},
	} {
		t.Run(name, func(t *testing.T) { agree(t, rand.New(rand.NewPCG(s, 1)), n, openInterp(t), open()) })
	}
}

func openInterp(t *testing.T) *device { return open(t, "interp") }

func agree(t *testing.T, r *rand.Rand, n int, a, b *device) {
	everything(t, a)
	everything(t, b)
	kinds := map[string]int{}
	for i := range n {
		from, to, m := random(r)
		f := frame(t, from, to, m)
		if r.IntN(40) == 0 {
			f[14+r.IntN(len(f)-14)] ^= 1 << r.IntN(8)
		}
		if r.IntN(200) == 0 { // something is trimmed, a role begins anew, or forgets
			first, now := 1+uint64(r.IntN(4)), life-uint64(r.IntN(2))
			for _, d := range []*device{a, b} {
				d.live(t, first, first+size-1)
				d.write(t, names.RegisterLife, app, now)
				d.write(t, names.RegisterNext, app, first)
			}
		}
		want, err := a.Inject(dataplane.Port(from), f)
		require.NoError(t, err)
		got, err := b.Inject(dataplane.Port(from), f)
		require.NoError(t, err)
		require.Equal(t, want, got, "message %d, %v from %d to %d", i, m, from, to)
		for _, o := range want {
			if o.Port != dataplane.Port(names.PortCPU) && len(o.Frame) > 42 {
				kinds[paxos.Kind(o.Frame[42]).String()]++
			}
		}
		if i%500 == 499 || i == n-1 {
			require.Equal(t, memory(t, a), memory(t, b), "after message %d", i)
		}
	}
	t.Logf("what came out: %v", kinds)
	for _, k := range []paxos.Kind{paxos.Accept, paxos.Vote, paxos.Promise, paxos.Floored, paxos.Deliver, paxos.Refused} {
		require.NotZero(t, kinds[k.String()], "no %v came out: the messages are too far off", k)
	}
}

// memory is what is in the registers and counters of a switch that messages reach.
func memory(t testing.TB, d *device) map[string][]uint64 {
	out := map[string][]uint64{}
	for _, r := range d.p.Registers {
		first, n := 0, r.Size
		if n > 4 {
			first, n = app*int(names.Ring), 16
		}
		for i := first; i < first+n && i < r.Size; i++ {
			v, err := d.ReadRegister(r, i)
			require.NoError(t, err)
			for _, f := range v {
				x := uint64(0)
				for _, b := range f {
					x = x<<8 | uint64(b)
				}
				out[r.Name] = append(out[r.Name], x)
			}
		}
	}
	for _, name := range []string{names.CounterDrops, names.CounterTaken} {
		c := dataplane.CounterOf(d.p, name)
		for i := range 16 {
			v, err := d.ReadCounter(c, i)
			require.NoError(t, err)
			out[name] = append(out[name], v.Packets)
		}
	}
	return out
}
