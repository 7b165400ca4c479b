package cmsm

import (
	"math"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
)

// TestDefaults: an agent that is told nothing keeps the times and bounds that Config
// names, and one that is told something keeps that.
func TestDefaults(t *testing.T) {
	require.EqualValues(t, math.MaxInt64, Never)
	told := Config{ResponseTimeout: time.Second, MaxRetries: 2, TimeWait: 2 * time.Second, OwnerTimeout: 3 * time.Second, MaxConns: 9}
	for _, c := range []struct{ cfg, want Config }{
		{Config{}, Config{ResponseTimeout: 500 * time.Millisecond, MaxRetries: 7, TimeWait: 4 * time.Second, OwnerTimeout: time.Minute, MaxConns: 65536}},
		{told, told},
	} {
		a := NewAgent(c.cfg)
		require.Equal(t, Never, a.Deadline())
		req, err := offer(17, "").REQ()
		require.NoError(t, err)
		active := a.Connect(0, addrA, addrB, req)
		require.EqualValues(t, c.want.MaxRetries, req.MaxCMRetries)
		for _, code := range []uint8{req.LocalCMTimeout, req.RemoteCMTimeout} {
			require.GreaterOrEqual(t, Timeout(code), c.want.ResponseTimeout)
			require.Less(t, Timeout(code-1), c.want.ResponseTimeout)
		}
		require.Equal(t, c.want.ResponseTimeout, a.Deadline())
		a.Receive(0, addrA, addrB, 5, &cm.REP{LocalCommID: 5, RemoteCommID: active.LocalID()})
		require.Equal(t, c.want.OwnerTimeout, a.Deadline())
		require.NoError(t, active.Reject(0, cm.ReasonConsumer, nil))
		require.Equal(t, c.want.TimeWait, a.Deadline())
		for i := uint32(0); a.Counters().Overload == 0; i++ {
			require.LessOrEqual(t, a.Len(), c.want.MaxConns)
			a.Receive(0, addrB, addrA, 5, &cm.REQ{LocalCommID: 1 + i, LocalQPN: 1 + i})
		}
		require.Equal(t, c.want.MaxConns, a.Len())
	}
	// The field of a REQ that says it has four bits.
	for retries, want := range map[int]uint8{14: 14, 15: 15, 16: 15, 1000: 15} {
		req, err := offer(17, "").REQ()
		require.NoError(t, err)
		NewAgent(Config{MaxRetries: retries}).Connect(0, addrA, addrB, req)
		require.Equal(t, want, req.MaxCMRetries)
	}
}

// TestSeed: the first ids of an agent follow from its seed, so that one that starts
// again does not use its predecessor's; every exchange has a transaction of its own.
func TestSeed(t *testing.T) {
	seen := map[uint64]bool{}
	for _, seed := range []uint64{1000, 2000, 1 << 40} {
		a := NewAgent(Config{Seed: seed, GUID: seed + 1})
		for i := range 3 {
			req, err := offer(uint32(17+i), "").REQ()
			require.NoError(t, err)
			a.Connect(0, addrA, addrB, req)
			m, ok := a.PollMessage()
			require.True(t, ok)
			require.False(t, seen[m.TID], "transaction %d twice", m.TID)
			seen[m.TID] = true
			require.Less(t, m.TID-seed, uint64(8))
			require.Equal(t, seed+1, req.CAGUID)
			require.Less(t, req.LocalCommID-uint32(seed), uint32(8))
		}
	}
}

// TestOffers: what an offer says is where the specification has it (IB spec 12.7.4 and
// 12.7.7, Annex A11), and what it does not say is as Offer promises.
func TestOffers(t *testing.T) {
	src, dst := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	told := Offer{
		Local: src, Remote: dst, Port: 4000, SrcPort: 5000, QPN: 17, StartingPSN: 7, MTU: 4096, Reads: 3,
		AckTimeout: Timeout(19), Retry: 5, RNRRetry: 6, Private: []byte("hi"),
	}
	untold := Offer{Local: src, Remote: dst, QPN: 17}
	for _, c := range []struct {
		offer                  Offer
		mtu                    uint8
		reads, retry, rnr, ack uint8
	}{
		{told, 5, 3, 5, 6, 19},
		{untold, 3, 16, 7, 7, 14},
	} {
		req, err := c.offer.REQ()
		require.NoError(t, err)
		header := cm.IPHeader{SrcPort: c.offer.SrcPort, Src: src, Dst: dst}
		require.Equal(t, &cm.REQ{
			ServiceID: cm.ServiceID(c.offer.Port), LocalQPN: 17, StartingPSN: uint32(c.offer.StartingPSN),
			ResponderResources: c.reads, InitiatorDepth: c.reads, RetryCount: c.retry, RNRRetryCount: c.rnr,
			PKey: 0xffff, PathMTU: c.mtu, Transport: cm.TransportRC,
			Primary: cm.Path{
				LocalLID: 0xffff, RemoteLID: 0xffff, LocalGID: cm.GID(src), RemoteGID: cm.GID(dst),
				HopLimit: wire.DefaultTTL, LocalACKTimeout: c.ack,
			},
			PrivateData: append(header.Append(nil), c.offer.Private...),
		}, req)
		rep, err := c.offer.REP()
		require.NoError(t, err)
		require.Equal(t, &cm.REP{
			LocalQPN: 17, StartingPSN: uint32(c.offer.StartingPSN), ResponderResources: c.reads, InitiatorDepth: c.reads,
			RNRRetryCount: c.rnr, TargetACKDelay: 8, PrivateData: c.offer.Private, // 1.05 ms
		}, rep)
	}
	for n, f := range map[int]func(Offer) error{
		cm.REQUserLen:    func(o Offer) error { _, err := o.REQ(); return err },
		cm.REPPrivateLen: func(o Offer) error { _, err := o.REP(); return err },
	} {
		o := untold
		o.Private = make([]byte, n)
		require.NoError(t, f(o))
		o.Private = make([]byte, n+1)
		require.ErrorContains(t, f(o), "private data")
	}
}

// TestTimeouts: a code of t stands for 4.096 us * 2^t (IB spec 9.7.6.1.3).
func TestTimeouts(t *testing.T) {
	require.Equal(t, 4096*time.Nanosecond, Timeout(0))
	for code := range uint8(31) {
		d := Timeout(code)
		require.Equal(t, 2*d, Timeout(code+1))
		require.Equal(t, code, TimeoutCode(d))
		require.Equal(t, code, TimeoutCode(d-1))
		require.Equal(t, code+1, TimeoutCode(d+1))
		require.Equal(t, d, Timeout(code+32), "five bits")
	}
	require.EqualValues(t, 31, TimeoutCode(Timeout(31)+1))
	require.EqualValues(t, 31, TimeoutCode(Never))
	require.EqualValues(t, 0, TimeoutCode(0))
}

// TestDeadlineOrder: what is due first comes first, whenever it was set, changed or
// taken away.
func TestDeadlineOrder(t *testing.T) {
	p := newPair(t)
	var conns []*Conn
	for i := range 6 {
		p.now = time.Duration(i) * 10 * time.Millisecond
		conns = append(conns, p.connect(uint32(17+i)))
	}
	for i := range conns {
		m, _ := p.a.PollMessage()
		if i == 0 || i == 3 { // these are given more time
			p.a.Receive(p.now, addrA, addrB, m.TID, &cm.MRA{RemoteCommID: conns[i].LocalID(), Received: cm.KindREQ, ServiceTimeout: TimeoutCode(time.Second)})
		}
	}
	require.NoError(t, conns[1].Reject(p.now, cm.ReasonConsumer, nil))
	p.take(p.a)
	var order []uint32
	for p.a.Deadline() < 200*time.Millisecond {
		p.now = p.a.Deadline()
		p.a.Tick(p.now - 1)
		p.silent(p.a)
		p.a.Tick(p.now)
		m := p.take(p.a)
		order = append(order, m.Message.(*cm.REQ).LocalCommID-conns[0].LocalID())
	}
	require.Equal(t, []uint32{2, 4, 5}, order[:3])
	require.Equal(t, 120*time.Millisecond+100*time.Millisecond, p.a.Deadline(), "the second time, too")

	// Of what is due at one time, the lower comm id comes first.
	p = newPair(t)
	conns = conns[:0]
	for i := range 6 {
		conns = append(conns, p.connect(uint32(17+i)))
		p.take(p.a)
	}
	p.tick(100 * time.Millisecond)
	for _, c := range conns {
		m, ok := p.a.PollMessage()
		require.True(t, ok)
		require.Equal(t, c.LocalID(), m.Message.(*cm.REQ).LocalCommID)
	}
}
