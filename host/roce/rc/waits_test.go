package rc

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/roce/wire"
)

// A peer that does not answer is given up the sooner the faster answers were lately, and
// within the bounds that are set.
func TestTimeoutsFollowAnswers(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		floor, waited, process time.Duration
		ago                    time.Duration
		read                   int // bytes
		want                   time.Duration
	}{
		"answers came at once":            {floor: ms, want: 4 * ms},
		"one took long":                   {floor: ms, waited: 1500 * time.Microsecond, want: 4 * 6 * ms},
		"one took very long":              {floor: ms, waited: 100 * ms, want: 4 * 8 * ms},
		"one took long, seconds ago":      {floor: ms, waited: 3 * ms, ago: 2 * time.Second, want: 4 * 3 * ms},
		"long ago":                        {floor: ms, waited: 3 * ms, ago: time.Hour, want: 4 * ms},
		"a READ that its process answers": {floor: ms, waited: 3 * ms, process: 500 * time.Microsecond, read: 4096, want: 4 * 2 * ms},
		"of a busy one":                   {floor: ms, process: 3 * ms, read: 4096, want: 4 * 8 * ms},
		"no matter to others":             {floor: ms, process: 3 * ms, want: 4 * ms},
		"one that needs no process":       {floor: ms, read: shortRead, want: 4 * ms},
		"no floor":                        {want: 4 * 8 * ms},
		"a floor above":                   {floor: 20 * ms, want: 4 * 8 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			var w Waits
			s := newSim(t, testSeed(t), Config{Retry: 3, AckTimeout: 8 * ms, AckFloor: c.floor, Waits: &w})
			a := s.arena(1, 4096, rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead)
			w.kernel.note(0, c.waited)
			w.process.note(0, c.process)
			begin := Time(c.ago)
			s.now = begin
			s.tap = func(int, *wire.Packet) bool { return false }
			if c.read > 0 {
				require.NoError(t, s.qp[0].PostSend(rdma.SendWR{Op: rdma.OpRead, Local: make([]byte, c.read), VA: a.va, RKey: a.mr.Key()}))
			} else {
				require.NoError(t, s.qp[0].PostSend(write(a, 1, 0, []byte("x"))))
			}
			s.run()
			require.Equal(t, rdma.StatusRetryExceeded, s.qp[0].Cause())
			require.InDelta(t, c.want, time.Duration(s.now-begin), float64(c.want)/50)
		})
	}
}

// How long an answer took counts from when it was first waited for, also if it took
// several requests, and counts for all queue pairs of a device.
func TestWaitsAreNoted(t *testing.T) {
	const ms = time.Millisecond
	var w Waits
	s := newSim(t, testSeed(t), Config{Access: rdma.RemoteWrite | rdma.RemoteRead, Retry: 7, AckTimeout: 8 * ms, AckFloor: ms, Waits: &w})
	a := s.arena(1, 4096, rdma.LocalWrite|rdma.RemoteWrite|rdma.RemoteRead)
	require.NoError(t, s.qp[0].PostSend(write(a, 1, 0, []byte("x"))))
	s.run()
	require.Positive(t, w.kernel.recent(s.now))
	require.Less(t, w.kernel.recent(s.now), ms/10)
	lost := 3
	s.tap = func(int, *wire.Packet) bool { lost--; return lost < 0 }
	require.NoError(t, s.qp[0].PostSend(write(a, 2, 0, []byte("y"))))
	s.run()
	require.Equal(t, rdma.StatusOK, s.done[0][1].Status)
	require.InDelta(t, 3*ms, w.kernel.recent(s.now), float64(ms/10))
	require.InDelta(t, 3*ms/2, w.kernel.recent(s.now+Time(fade)), float64(ms/10))

	// What a process answers is apart.
	require.Zero(t, w.process.recent(s.now))
	s.now += Time(time.Minute)
	lost = 2
	s.tap = func(int, *wire.Packet) bool { lost--; return lost < 0 }
	require.NoError(t, s.qp[0].PostSend(rdma.SendWR{Op: rdma.OpRead, Local: make([]byte, 640), VA: a.va, RKey: a.mr.Key()}))
	s.run()
	require.Equal(t, rdma.StatusOK, s.done[0][2].Status)
	require.InDelta(t, 2*ms, w.process.recent(s.now), float64(ms/10))
	require.Less(t, w.kernel.recent(s.now), ms/10)
}
