package control

import (
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/dataplane"
	verbs "github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/control/group"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
	"github.com/p4ce/p4ce/systems/rdma/region"
)

// requests keeps the REQs among frames.
type requests struct {
	mu   sync.Mutex
	reqs []*cm.REQ
}

func (r *requests) tap(frame []byte) {
	var p wire.Packet
	if wire.Parse(frame, &p) != nil || !cm.IsFrame(&p) || p.IP.Dst() != labSwitchIP {
		return
	}
	if _, m, err := cm.DecodeFrame(&p); err == nil {
		if req, ok := m.(*cm.REQ); ok {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.reqs = append(r.reqs, req)
		}
	}
}

// statistics are the controller's.
func (l *lab) statistics() group.Stats {
	l.t.Helper()
	st, err := NewAdminClient(l.admin).Status(l.ctx)
	require.NoError(l.t, err)
	own, err := StatusOf(&st.Switches[0])
	require.NoError(l.t, err)
	return own.Stats
}

// TestTokenEndToEnd: a leader proves the cluster's token to the controller, and that to replicas which want it proved. Who
// sends the leader's requests again, from its port and with its address, gets no group, and ends none.
func TestTokenEndToEnd(t *testing.T) {
	l := newLab(t)
	l.secret = rdmaprivate.Secret{Cluster: 7, Token: 5}
	l.controller(func(c *Config) {
		c.Group.Clusters = []group.Cluster{{Secret: rdmaprivate.Secret{Cluster: 8, Token: 6}}, {Secret: l.secret}}
	})
	var heard requests
	l.tap = heard.tap
	sw, end := hub.Cable(4096)
	require.NoError(t, l.target.AddLink(dataplane.Port(1), "leader", sw))
	host := &hostWire{End: end, tap: l.tap, ip: wire.Addr{10, 0, 0, 1}, mac: wire.MAC{2, 0x66, 0, 0, 0, 1}}
	dev, err := roce.Open(host, roce.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { dev.Close() })
	replicas := []*replica{l.replica(2, ""), l.replica(3, "")}
	ld, err := l.dial(dev, rdmaprivate.PolicyAll, "10.0.0.2", "10.0.0.3")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("before", ld.region.RKey))
	st := l.statistics()
	require.EqualValues(t, []uint64{2, 1, 0, 1}, []uint64{st.Requested, st.Challenged, st.Refused, st.Formed})

	taken := func() []*cm.REQ {
		heard.mu.Lock()
		defer heard.mu.Unlock()
		reqs := heard.reqs
		heard.reqs = nil
		return reqs
	}
	reqs := taken()
	require.Len(t, reqs, 2)
	n := uint32(0x777)
	repeat := func() {
		t.Helper()
		was := l.statistics()
		for _, req := range reqs {
			n++
			again := *req
			again.LocalCommID, again.LocalQPN = n, n
			frame, err := cm.AppendFrame(nil, cm.FrameHeader{SrcMAC: host.mac, DstMAC: labSwitchMAC, Src: host.ip, Dst: labSwitchIP, SrcPort: 0xc001}, uint64(n), &again)
			require.NoError(t, err)
			end.Send(frame)
		}
		require.NoError(t, end.Flush())
		require.Eventually(t, func() bool { return l.statistics().Requested == was.Requested+2 }, 20*time.Second, time.Millisecond)
		is := l.statistics()
		require.EqualValues(t, []uint64{1, 1, 0}, []uint64{is.Challenged - was.Challenged, is.Refused - was.Refused, is.Formed - was.Formed})
	}
	repeat()
	require.Equal(t, verbs.StatusOK, ld.write("while", ld.region.RKey))
	for _, r := range replicas {
		require.Equal(t, "while", r.content(5))
	}
	require.NoError(t, ld.conn.Close())
	for _, r := range replicas {
		<-r.gone
	}
	l.empty()
	repeat()
	l.empty()
	for _, r := range replicas {
		require.Empty(t, r.gone)
	}

	// The leader itself may do it again.
	ld, err = l.dial(dev, rdmaprivate.PolicyAll, "10.0.0.2", "10.0.0.3")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("again", ld.region.RKey))

	// A further region is asked for, and its memory offered, in the same way.
	const size = 4096
	for _, r := range replicas {
		serving := roce.RDMA(r.dev, roce.QPConfig{})
		ln, err := serving.Listen(regionPort)
		require.NoError(t, err)
		mr, err := serving.RegisterMemory(make([]byte, size), verbs.LocalWrite|verbs.RemoteWrite)
		require.NoError(t, err)
		guard := proof.NewGuard(l.secret)
		go func() {
			for {
				req, err := ln.Accept(l.ctx)
				if err != nil {
					return
				}
				m, ok := region.Asked(req)
				x, err := guard.Check(&m, req.RemoteAddr(), serving.Addr())
				if err != nil {
					_ = req.Reject(rdmaprivate.Refuse(m.Slot, err))
					continue
				}
				if !ok {
					_ = req.Reject(nil)
					continue
				}
				go func() { _, _ = region.Offer(l.ctx, serving, req, x, mr) }()
			}
		}()
	}
	g := region.Group{Switch: labSwitchIP.Netip(), Port: regionPort, RKey: ld.region.RKey, LeaderID: 1, Term: 1, Secret: rdmaprivate.Secret{Cluster: 7, Token: 9}}
	_, err = region.Add(l.ctx, roce.RDMA(dev, roce.QPConfig{}), g, 0x10000, size)
	require.ErrorContains(t, err, "wrong token, or a cluster that the controller does not know")
	g.Secret = l.secret
	taken()
	further, err := region.Add(l.ctx, roce.RDMA(dev, roce.QPConfig{}), g, 0x10000, size)
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.writeAt(0x10000, []byte("further")))
	reqs = taken()
	require.Len(t, reqs, 2)
	before := l.statistics().Dissolved
	require.NoError(t, further.Close())
	require.Eventually(t, func() bool { return l.statistics().Dissolved > before }, 20*time.Second, time.Millisecond)
	repeat() // nor does the request for a region serve anybody who has heard it

	l.secret.Token++
	_, err = l.dial(dev, rdmaprivate.PolicyAll, "10.0.0.2", "10.0.0.3")
	var rej *roce.RejectedError
	require.ErrorAs(t, err, &rej)
	why, err := rdmaprivate.ParseRefusal(rej.Private)
	require.NoError(t, err)
	require.Equal(t, "wrong token, or a cluster that the controller does not know", why.Text)
}

// TestStrangersAreNotConnectedTo: the controller forms no group with a a stranger answers in a replica's place, who answers what he likes or what
// the replica has answered before; and a leader takes no group of a stranger in the switch's place.
func TestStrangersAreNotConnectedTo(t *testing.T) {
	l := newLab(t)
	l.secret = rdmaprivate.Secret{Cluster: 7, Token: 5}
	l.controller(func(c *Config) { c.Group.Clusters = []group.Cluster{{Secret: l.secret}} })
	var lock sync.Mutex
	var before []byte // what the replica has answered to the controller
	from := wire.Addr{10, 0, 0, 2}
	l.tap = func(frame []byte) {
		var p wire.Packet
		if wire.Parse(frame, &p) != nil || !cm.IsFrame(&p) || p.IP.Src() != from {
			return
		}
		if _, m, err := cm.DecodeFrame(&p); err == nil {
			if rep, ok := m.(*cm.REP); ok {
				lock.Lock()
				defer lock.Unlock()
				before = rep.PrivateData
			}
		}
	}
	dev, r := l.attach(1), l.replica(2, "")
	ld, err := l.dial(dev, rdmaprivate.PolicyAll, "10.0.0.2")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("ours", ld.region.RKey))
	require.Equal(t, "ours", r.content(4))
	require.NoError(t, ld.conn.Close())
	<-r.gone
	l.empty()
	lock.Lock()
	heard := before
	lock.Unlock()
	require.Len(t, heard, cm.REPPrivateLen)

	// From now on it is a stranger who answers there.
	own := func(says []byte) []byte { return says }
	again := func([]byte) []byte { return heard }
	for i, answers := range []func([]byte) []byte{own, again} {
		r.answers.Store(&answers)
		_, err := l.dial(dev, rdmaprivate.PolicyAll, "10.0.0.2")
		var rej *roce.RejectedError
		require.ErrorAs(t, err, &rej)
		why, err := rdmaprivate.ParseRefusal(rej.Private)
		require.NoError(t, err)
		require.Contains(t, why.Text, "replica 0 (10.0.0.2): "+rdmaprivate.ErrStranger.Error())
		require.EqualValues(t, i+1, l.statistics().Strangers)
		l.empty()

		// The same is at the switch's address, for a leader.
		q := rdmaprivate.Request{Form: rdmaprivate.FormGroup, Policy: rdmaprivate.PolicyAll, LeaderID: 1, Term: 1, Port: replicaPort, Replicas: []netip.Addr{from.Netip()}}
		_, err = proof.Dial(l.secret, &q, dev.Addr(), from.Netip(), func(private []byte) (*roce.Conn, error) {
			qp, err := dev.CreateQP(roce.QPConfig{})
			require.NoError(t, err)
			return dev.Dial(l.ctx, netip.AddrPortFrom(from.Netip(), replicaPort), qp, private)
		})
		require.ErrorIs(t, err, rdmaprivate.ErrStranger)
	}
	require.EqualValues(t, 1, l.statistics().Formed)
}
