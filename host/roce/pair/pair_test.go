package pair

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce/rc"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
)

// side is one end: an agent with one connection.
type side struct {
	Pair
	agent *cmsm.Agent
	addr  wire.Addr
	ups   int
	downs []error
}

func newSide(t *testing.T, n byte) *side {
	q, err := rc.New(rc.Config{QPN: 16 + uint32(n), Memory: &rc.Memory{}})
	require.NoError(t, err)
	s := &side{agent: cmsm.NewAgent(cmsm.Config{Seed: uint64(n)}), addr: wire.Addr{10, 0, 0, n}}
	s.Pair = Pair{RC: q, PSN: wire.PSN(100 * int(n)), Up: func() { s.ups++ }, Down: func(err error) { s.downs = append(s.downs, err) }}
	return s
}

func (s *side) peer(qpn, psn uint32) rc.Peer {
	return rc.Peer{QPN: qpn, Local: s.addr, Remote: s.CC.Remote(), SendPSN: wire.PSNOf(psn), RecvPSN: s.PSN}
}

func (s *side) offer() cmsm.Offer {
	return cmsm.Offer{QPN: s.RC.QPN(), StartingPSN: s.PSN, MTU: s.RC.MTU()}
}

// say brings what a side has to say to the other, which accepts what it is asked for.
func (s *side) say(t *testing.T, o *side) {
	for m, ok := s.agent.PollMessage(); ok; m, ok = s.agent.PollMessage() {
		o.agent.Receive(0, o.addr, s.addr, m.TID, m.Message)
	}
	for e, ok := o.agent.PollEvent(); ok; e, ok = o.agent.PollEvent() {
		if e.Kind != cmsm.Requested {
			o.Handle(0, e, o.peer)
			continue
		}
		o.CC = e.Conn
		rep, err := o.offer().REP()
		require.NoError(t, err)
		require.NoError(t, o.Accept(0, rep, o.peer))
	}
}

func dialed(t *testing.T) (a, b *side) {
	a, b = newSide(t, 1), newSide(t, 2)
	offer := a.offer()
	offer.Local, offer.Remote, offer.Port = a.addr.Netip(), b.addr.Netip(), 7
	req, err := offer.REQ()
	require.NoError(t, err)
	a.CC = a.agent.Connect(0, a.addr, b.addr, req)
	a.say(t, b)
	return a, b
}

// Both sides come up once, with the numbers that each has told the other, and go down once.
func TestPair(t *testing.T) {
	a, b := dialed(t)
	b.say(t, a)
	require.Equal(t, []int{1, 0}, []int{a.ups, b.ups})
	a.say(t, b)
	require.Equal(t, []int{1, 1}, []int{a.ups, b.ups})
	for _, s := range [][2]*side{{a, b}, {b, a}} {
		require.Equal(t, rdma.StateRTS, s[0].RC.State())
		require.Equal(t, s[1].RC.QPN(), s[0].RC.Peer().QPN)
		require.Equal(t, s[1].PSN, s[0].RC.Peer().SendPSN)
		require.False(t, s[0].Observe())
	}
	why := errors.New("no more")
	a.End(why)
	require.NoError(t, a.CC.Disconnect(0, nil))
	a.say(t, b)
	b.say(t, a)
	a.End(nil)
	require.Equal(t, []error{why}, a.downs)
	require.Equal(t, []error{rdma.ErrDisconnected}, b.downs)
	require.True(t, a.Ended() && b.Ended())
	require.Equal(t, rdma.StateError, b.RC.State())
}

// Who has ended before the peer accepts tells it so, and does not come up.
func TestEndedEarly(t *testing.T) {
	a, b := dialed(t)
	a.End(errors.New("changed its mind"))
	b.say(t, a)
	a.say(t, b)
	require.Zero(t, a.ups+b.ups)
	require.Len(t, b.downs, 1)
	var rejected *rdma.RejectedError
	require.ErrorAs(t, b.downs[0], &rejected)
	require.Equal(t, cm.ReasonConsumer, rejected.Reason)
}

// A transport that fails ends its connection.
func TestTransportFails(t *testing.T) {
	a, b := dialed(t)
	b.say(t, a)
	a.RC.Close()
	a.Observe()
	require.Len(t, a.downs, 1)
	require.Error(t, a.downs[0])
}
