package rc

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/sim/events"
)

// faults says what a simulated wire does to frames, in 1/1000.
type faults struct {
	drop, duplicate, corrupt, reorder int
	mark                              int // congestion experienced
}

// flight is a frame on the wire.
type flight struct {
	to    int
	frame []byte
}

// sim is two queue pairs on a wire in simulated time.
type sim struct {
	t      testing.TB
	rnd    *rand.Rand
	now    Time
	qp     [2]*QP
	mem    [2]*Memory
	faults faults
	wire   events.Queue[Time, flight]
	lag    [2]Time // arrival of the last frame, to keep order
	each   Time    // what a frame takes of the wire to QP 1, which carries one after the other
	done   [2][]rdma.Completion
	tap    func(from int, p *wire.Packet) bool // false drops
	batch  bool                                // deliver everything due before pulling frames
}

const testDelay = 2 * Time(time.Microsecond)

func newSim(t testing.TB, seed uint64, cfg Config) *sim {
	s := &sim{t: t, rnd: rand.New(rand.NewPCG(seed, 3))}
	psn := [2]wire.PSN{wire.PSNOf(s.rnd.Uint32()), wire.PSNOf(s.rnd.Uint32())}
	// Half of the runs cross the PSN wrap early.
	if s.rnd.IntN(2) == 0 {
		psn[0], psn[1] = wire.PSNMask-3, wire.PSNMask
	}
	addr := [2]wire.Addr{{10, 0, 0, 1}, {10, 0, 0, 2}}
	for i := range s.qp {
		s.mem[i] = new(Memory)
		c := cfg
		c.QPN, c.Memory = uint32(0x11+i), s.mem[i]
		qp, err := New(c)
		require.NoError(t, err)
		s.qp[i] = qp
	}
	for i := range s.qp {
		require.NoError(t, s.qp[i].Connect(Peer{
			QPN: s.qp[1-i].QPN(), Local: addr[i], Remote: addr[1-i], SendPSN: psn[i], RecvPSN: psn[1-i], SrcPort: 0xc000,
		}))
		require.NoError(t, s.qp[i].Start())
	}
	return s
}

func (s *sim) hit(perMille int) bool { return perMille > 0 && s.rnd.IntN(1000) < perMille }

// pull sends everything that QP i has to send.
func (s *sim) pull(i int) {
	for {
		f := s.qp[i].Next(s.now, nil)
		if f == nil {
			break
		}
		s.send(i, f)
	}
	var c rdma.Completion
	for s.qp[i].PollCompletion(&c) {
		s.done[i] = append(s.done[i], c)
	}
}

func (s *sim) send(from int, f []byte) {
	var p wire.Packet
	require.NoError(s.t, wire.Parse(f, &p))
	require.True(s.t, p.ICRCOK())
	if s.tap != nil && !s.tap(from, &p) {
		return
	}
	if s.hit(s.faults.drop) {
		return
	}
	copies := 1
	if s.hit(s.faults.duplicate) {
		copies = 2
	}
	for range copies {
		g := append([]byte{}, f...)
		if s.hit(s.faults.corrupt) {
			g[34+s.rnd.IntN(len(g)-34)] ^= 1 << s.rnd.IntN(8)
		}
		if s.hit(s.faults.mark) {
			wire.IPv4(g[14:]).SetTOS(uint8(wire.CE))
		}
		at := max(s.now+testDelay, s.lag[from])
		if from == 0 {
			at += s.each
		}
		if s.hit(s.faults.reorder) {
			at += Time(s.rnd.Int64N(int64(100 * time.Microsecond)))
		} else {
			s.lag[from] = at
		}
		s.wire.At(at, flight{1 - from, g})
	}
}

// step advances to the next event; false when nothing is left to happen.
func (s *sim) step() bool {
	next := min(s.qp[0].Deadline(), s.qp[1].Deadline())
	if at, ok := s.wire.Next(); ok {
		next = min(next, at)
	}
	if next == Never {
		return false
	}
	s.now = max(s.now, next)
	s.wire.Run(s.now, func() bool { return true }, func(f flight) {
		var p wire.Packet
		if wire.Parse(f.frame, &p) == nil && p.BTH.DestQP() == s.qp[f.to].QPN() {
			s.qp[f.to].Receive(s.now, &p)
		}
		if !s.batch {
			s.pull(f.to)
		}
	})
	for i := range s.qp {
		if s.qp[i].Deadline() <= s.now {
			s.qp[i].Tick(s.now)
		}
		s.pull(i)
	}
	return true
}

// run lets everything happen.
func (s *sim) run() {
	s.pull(0)
	s.pull(1)
	for n := 0; s.step(); n++ {
		if n > 3_000_000 {
			s.t.Fatal("simulation does not end")
		}
	}
}

// arena is a region with guard bytes around it.
type arena struct {
	all []byte
	mr  *MR
	va  uint64
}

const guard = 64

func (s *sim) arena(i, size int, access rdma.Access) *arena {
	a := &arena{all: make([]byte, size+2*guard), va: 0xfffffff0 + uint64(i)<<40}
	for j := range a.all {
		a.all[j] = 0xee
	}
	mr, err := s.mem[i].Register(a.all[guard:guard+size:guard+size], a.va, access, s.rnd.Uint32()|1)
	require.NoError(s.t, err)
	a.mr = mr
	return a
}

func (a *arena) bytes() []byte { return a.all[guard : len(a.all)-guard] }

func (a *arena) checkGuards(t testing.TB) {
	t.Helper()
	for j := range guard {
		if a.all[j] != 0xee || a.all[len(a.all)-1-j] != 0xee {
			t.Fatal("bytes outside the region were written")
		}
	}
}

func testSeed(t testing.TB) uint64 {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return seed
}

func fill(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
