package rc

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// TestOverload is a generator of overload for what queue pairs send again, for those who copy files (systems/rdma/cast) and logs: WRITEs follow each
// other, so many at a time as a copier has slots, on a wire that takes ten times as long for a second, so that
// acknowledgements come later than the time-out. What waits for the wire stays in bounds, the queue pair does not fail, and a
// second after the end as much gets through as before.
func TestOverload(t *testing.T) {
	const (
		size   = 64 << 10
		slots  = 8 // of systems/rdma/cast
		each   = Time(100 * time.Microsecond)
		second = Time(time.Second)
	)
	s := newSim(t, testSeed(t), Config{MTU: 1024, Access: allRights, Retry: 7, AckTimeout: 20 * time.Millisecond, SendQueue: 2 * slots})
	a := s.arena(1, size, rdma.LocalWrite|rdma.RemoteWrite)
	s.each = each
	data := make([]byte, size)
	var posted uint64
	done, most := 0, Time(0)
	until := func(end Time) (completed int) {
		for s.now < end {
			for ; posted-uint64(done) < slots; posted++ {
				require.NoError(t, s.qp[0].PostSend(write(a, posted, 0, data)))
			}
			s.pull(0)
			require.True(t, s.step())
			for _, c := range s.done[0] {
				require.Equal(t, rdma.StatusOK, c.Status)
				done++
				completed++
			}
			s.done[0] = s.done[0][:0]
			most = max(most, s.lag[0]-s.now)
		}
		return completed
	}
	before := until(second)
	require.Zero(t, s.qp[0].Counters().Timeouts)
	s.each = 10 * each
	during := until(2 * second)
	require.Positive(t, s.qp[0].Counters().Timeouts, "it is an overload")
	s.each = each
	settling := until(3 * second)
	after := until(4 * second)
	t.Logf("%d WRITEs in the second before, %d during, %d in the next, %d after; at most %v waited for the wire; %d frames sent again",
		before, during, settling, after, time.Duration(most), s.qp[0].Counters().Retransmitted)
	require.GreaterOrEqual(t, after, before*9/10)
	require.Less(t, most, second)
}

// TestWindowOpensAgain: after a time-out one packet is sent, and the window is whole again after as many acknowledgements as it
// takes to double it.
func TestWindowOpensAgain(t *testing.T) {
	const window, packets = 16, 200
	s := newSim(t, testSeed(t), Config{MTU: 1024, Access: allRights, Retry: 7, AckTimeout: time.Millisecond, Window: window})
	a := s.arena(1, packets*1024, rdma.LocalWrite|rdma.RemoteWrite)
	lost, most := true, []int{}
	s.tap = func(from int, p *wire.Packet) bool {
		if from != 0 {
			return !lost
		}
		if !lost {
			most = append(most, p.BTH.PSN().Sub(s.qp[0].req.una)+1)
		}
		return !lost
	}
	require.NoError(t, s.qp[0].PostSend(write(a, 1, 0, make([]byte, packets*1024))))
	s.pull(0)
	lost = false // what is sent from now on arrives
	s.run()
	require.Equal(t, rdma.StatusOK, s.done[0][0].Status)
	require.EqualValues(t, 1, s.qp[0].Counters().Timeouts)
	require.Equal(t, 1, most[0], "one packet")
	require.Equal(t, window, slices.Max(most), "the whole window")
	first := func(n int) int { return slices.IndexFunc(most, func(m int) bool { return m >= n }) }
	for n := 2; n <= window; n *= 2 {
		require.GreaterOrEqual(t, first(n), n-1, "%d packets at once, before so many were acknowledged", n)
	}
}
