package rdma

import (
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/ctrl/app/rdma/group"
	"github.com/p4ce/p4ce/dataplane"
	"github.com/p4ce/p4ce/host/proof"
	verbs "github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/region"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/link/hub"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/p4ce"
	"github.com/p4ce/p4ce/roce/wire"
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
	l.secret = p4ce.Secret{Cluster: 7, Token: 5}
	l.controller(func(c *Config) {
		c.Group.Clusters = []group.Cluster{{Secret: p4ce.Secret{Cluster: 8, Token: 6}}, {Secret: l.secret}}
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
	ld, err := l.dial(dev, p4ce.PolicyAll, "10.0.0.2", "10.0.0.3")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("before", ld.region.RKey))
	st := l.statistics()
	require.EqualValues(t, []uint64{2, 1, 0, 1}, []uint64{st.Requested, st.Challenged, st.Refused, st.Formed})

	heard.mu.Lock()
	reqs := heard.reqs
	heard.mu.Unlock()
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
	ld, err = l.dial(dev, p4ce.PolicyAll, "10.0.0.2", "10.0.0.3")
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
					_ = req.Reject(p4ce.Refuse(m.Slot, err))
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
	g := region.Group{Switch: labSwitchIP.Netip(), Port: regionPort, RKey: ld.region.RKey, LeaderID: 1, Term: 1, Secret: p4ce.Secret{Cluster: 7, Token: 9}}
	_, err = region.Add(l.ctx, roce.RDMA(dev, roce.QPConfig{}), g, 0x10000, size)
	require.ErrorContains(t, err, "wrong token, or a cluster that the controller does not know")
	g.Secret = l.secret
	further, err := region.Add(l.ctx, roce.RDMA(dev, roce.QPConfig{}), g, 0x10000, size)
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.writeAt(0x10000, []byte("further")))
	require.NoError(t, further.Close())

	l.secret.Token++
	_, err = l.dial(dev, p4ce.PolicyAll, "10.0.0.2", "10.0.0.3")
	var rej *roce.RejectedError
	require.ErrorAs(t, err, &rej)
	why, err := p4ce.ParseRefusal(rej.Private)
	require.NoError(t, err)
	require.Equal(t, "wrong token, or a cluster that the controller does not know", why.Text)
}

// TestStrangersAreNotConnectedTo: the controller forms no group with a stranger in a replica's place, who answers what he likes or what
// the replica has answered before; and a leader takes no group of a stranger in the switch's place. Nothing reaches his memory.
func TestStrangersAreNotConnectedTo(t *testing.T) {
	l := newLab(t)
	l.secret = p4ce.Secret{Cluster: 7, Token: 5}
	l.controller(func(c *Config) { c.Group.Clusters = []group.Cluster{{Secret: l.secret}} })
	dev := l.attach(1)
	honest := l.replica(2, "")
	var before []byte // what the replica has answered to the controller
	honest.replied = func(reply []byte) { before = reply }
	ld, err := l.dial(dev, p4ce.PolicyAll, "10.0.0.2")
	require.NoError(t, err)
	require.Equal(t, verbs.StatusOK, ld.write("ours", ld.region.RKey))
	require.Equal(t, "ours", honest.content(4))
	require.NoError(t, ld.conn.Close())
	<-honest.gone
	l.empty()

	// The stranger is at the replica's address from now on.
	require.NoError(t, honest.dev.Close())
	stranger := l.stranger(2, replicaPort)
	stranger.says = func(region []byte) []byte { return region }
	refused := func(n uint64) {
		t.Helper()
		_, err := l.dial(dev, p4ce.PolicyAll, "10.0.0.2")
		var rej *roce.RejectedError
		require.ErrorAs(t, err, &rej)
		why, err := p4ce.ParseRefusal(rej.Private)
		require.NoError(t, err)
		require.Contains(t, why.Text, "replica 0 (10.0.0.2): "+p4ce.ErrStranger.Error())
		require.Equal(t, n, l.statistics().Strangers)
		l.empty()
	}
	refused(1)
	stranger.says = func([]byte) []byte { return before }
	refused(2)
	require.EqualValues(t, 1, l.statistics().Formed)

	// He takes the place of the switch towards a leader: the same guard is at that side.
	l.secret = p4ce.Secret{Cluster: 7, Token: 5}
	r := p4ce.Request{Form: p4ce.FormGroup, Policy: p4ce.PolicyAll, LeaderID: 1, Term: 1, Port: replicaPort, Replicas: addrsOf("10.0.0.2")}
	_, err = proof.Dial(l.secret, &r, dev.Addr(), stranger.dev.Addr(), func(private []byte) (*roce.Conn, error) {
		qp, err := dev.CreateQP(roce.QPConfig{})
		require.NoError(t, err)
		return dev.Dial(l.ctx, netip.AddrPortFrom(stranger.dev.Addr(), replicaPort), qp, private)
	})
	require.ErrorIs(t, err, p4ce.ErrStranger)
	require.Equal(t, make([]byte, 4), []byte(stranger.content(4)))
}

// liar takes whatever connection he is asked for.
type liar struct {
	replica
	says func(region []byte) []byte
}

func (l *lab) stranger(port int, service uint16) *liar {
	x := &liar{replica: replica{dev: l.attach(port)}}
	var err error
	x.mr, err = x.dev.RegisterMemory(make([]byte, 5000), verbs.LocalWrite|verbs.RemoteWrite)
	require.NoError(l.t, err)
	ln, err := x.dev.Listen(service)
	require.NoError(l.t, err)
	go func() {
		for {
			req, err := ln.Accept(l.ctx)
			if err != nil {
				return
			}
			qp, err := x.dev.CreateQP(roce.QPConfig{Access: verbs.RemoteWrite})
			if err != nil {
				return
			}
			reply := x.says(p4ce.Region{VA: x.mr.Addr(), RKey: x.mr.Key(), Size: uint64(x.mr.Len())}.Append(nil))
			go func() { _, _ = req.Accept(l.ctx, qp, reply) }()
		}
	}()
	return x
}

func addrsOf(list ...string) (out []netip.Addr) {
	for _, a := range list {
		out = append(out, netip.MustParseAddr(a))
	}
	return out
}
