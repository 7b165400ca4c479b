package rc

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/dcqcn"
	"github.com/p4ce/p4ce/roce/wire"
)

// steady is a limiter whose rate, once cut, stays.
func steady(line uint64) *dcqcn.Params {
	return &dcqcn.Params{LineRate: line, IncreaseTimer: time.Hour, AlphaInterval: time.Hour, ByteCounter: 1 << 50}
}

// sent is what a side has sent, with what frames take on the wire, since a time.
type sent struct {
	since Time
	bytes int
}

func (x *sent) rate(now Time) float64 {
	return float64(x.bytes) * 8 / time.Duration(now-x.since).Seconds()
}

// A notification halves the rate of WRITEs at once, and only of their sender.
func TestWritesHeedNotifications(t *testing.T) {
	s := newSim(t, 1, Config{SendQueue: 64, Window: 4096, Access: allRights, Congestion: steady(10e9)})
	a := s.arena(1, 1<<16, allRights)
	var x sent
	told := false
	s.tap = func(from int, p *wire.Packet) bool {
		switch {
		case from == 0:
			require.Equal(t, wire.ECT0, p.IP.ECN(), "what may be slowed down may be marked")
			x.bytes += len(p.Payload) + 58 + 24
		case p.BTH.Opcode() == wire.CongestionNotification && !told:
			told, x = true, sent{since: s.now}
		}
		return true
	}
	require.NoError(t, s.qp[0].PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: make([]byte, 1<<10), VA: a.va, RKey: a.mr.Key()}))
	s.faults.mark = 1000
	s.run()
	s.faults.mark = 0
	require.True(t, told)
	x = sent{since: s.now}
	for range 32 {
		require.NoError(t, s.qp[0].PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: make([]byte, 1<<16), VA: a.va, RKey: a.mr.Key()}))
	}
	s.run()
	require.Len(t, s.done[0], 33)
	require.InEpsilon(t, 5e9, x.rate(s.now), 0.02)
	require.NotZero(t, s.qp[0].Counters().HeldBack)
	require.Zero(t, s.qp[1].Counters().HeldBack)
}

// READ responses are data: they wait, and acknowledgements of what comes meanwhile do not.
func TestReadResponsesHeedNotifications(t *testing.T) {
	s := newSim(t, 1, Config{SendQueue: 64, Window: 4096, Access: allRights, Congestion: steady(10e9)})
	a, b := s.arena(1, 1<<20, allRights), s.arena(0, 1<<20, allRights)
	s.qp[1].limiter.Notified(0)
	for range 20 { // to the least rate: a frame of the request takes some 20 us
		s.qp[0].limiter.Notified(0)
	}
	x := sent{}
	var acked Time
	s.tap = func(from int, p *wire.Packet) bool {
		if from == 1 && p.BTH.Opcode().IsReadResponse() {
			x.bytes += len(p.Payload) + 58 + 24
		}
		if from == 0 && p.BTH.Opcode() == wire.Acknowledge && acked == 0 {
			acked = s.now
		}
		return true
	}
	require.NoError(t, s.qp[0].PostSend(rdma.SendWR{Op: rdma.OpRead, Local: make([]byte, 1<<20), VA: a.va, RKey: a.mr.Key()}))
	require.NoError(t, s.qp[1].PostSend(rdma.SendWR{Op: rdma.OpWrite, Local: make([]byte, 100), VA: b.va, RKey: b.mr.Key()}))
	s.run()
	require.Len(t, s.done[0], 1)
	require.Len(t, s.done[1], 1)
	require.InEpsilon(t, 5e9, x.rate(s.now), 0.02)
	require.Less(t, acked, Time(10*time.Microsecond))
}

// What is lost, doubled, spoilt and marked arrives all the same, and nothing is left behind a
// limiter for good.
func TestCongestedLossyWire(t *testing.T) {
	for seed := range uint64(20) {
		tr := newTraffic(t, seed, Config{Access: allRights, Congestion: &dcqcn.Params{LineRate: 1e9}, AckTimeout: time.Millisecond, Retry: 100}, faults{drop: 20, duplicate: 20, corrupt: 20, mark: 300})
		a := tr.arena(1, 1<<16, allRights)
		for i := range 64 {
			op := rdma.OpWrite
			if i%4 == 3 {
				op = rdma.OpRead
			}
			require.NoError(t, tr.qp[0].PostSend(rdma.SendWR{ID: uint64(i), Op: op, Local: make([]byte, 9000), VA: a.va, RKey: a.mr.Key()}))
		}
		tr.run()
		require.Len(t, tr.done[0], 64, "seed %d", seed)
		for i, c := range tr.done[0] {
			require.Equal(t, rdma.StatusOK, c.Status)
			require.EqualValues(t, i, c.ID)
		}
		l := tr.qp[0].Limiter()
		require.GreaterOrEqual(t, l.Rate(), 40e6)
		require.LessOrEqual(t, l.Rate(), 1e9)
	}
}

// Parameters that make no sense are refused.
func TestCongestionParameters(t *testing.T) {
	_, err := New(Config{QPN: 17, Memory: &Memory{}, Congestion: &dcqcn.Params{}})
	require.ErrorContains(t, err, "queue pair: dcqcn: line rate")
}
