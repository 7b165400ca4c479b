package smr

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/roce"
	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// intruder is a device that speaks the servers' protocol as it likes.
type intruder struct {
	t   *testing.T
	dev rdma.Device
	cq  rdma.CQ
}

func newIntruder(t *testing.T, d *roce.Device) *intruder {
	dev := roce.RDMA(d, roce.QPConfig{})
	cq, err := dev.NewCQ(16)
	require.NoError(t, err)
	return &intruder{t, dev, cq}
}

// dial asks server i for a connection, and proves to know a secret.
func (x *intruder) dial(i int, m rdmaprivate.Request, s rdmaprivate.Secret) (rdma.Conn, error) {
	x.t.Helper()
	to := netip.AddrPortFrom(hosttest.Addr(11+i), hosttest.Port)
	return proof.Connect(hosttest.Context(x.t), x.dev, s, &m, to, func() (rdma.QP, error) {
		return x.dev.CreateQP(rdma.QPConfig{SendCQ: x.cq, AckTimeout: 50 * time.Millisecond})
	})
}

// try posts a request and returns how it ended.
func (x *intruder) try(conn rdma.Conn, wr rdma.SendWR) rdma.Status {
	x.t.Helper()
	_, err := conn.QP().PostSend(wr)
	require.NoError(x.t, err)
	var c [1]rdma.Completion
	for x.cq.Poll(c[:]) == 0 {
		require.NoError(x.t, x.cq.Wait(hosttest.Context(x.t)))
	}
	return c[0].Status
}

func regions(t *testing.T, conn rdma.Conn) (r [2]rdmaprivate.Region) {
	t.Helper()
	for i := range r {
		var err error
		r[i], err = rdmaprivate.ParseRegion(conn.Private()[i*rdmaprivate.RegionLen:])
		require.NoError(t, err)
	}
	return r
}

// TestControlCannotWriteLog: a member writes the log of another by the connection that
// has permission, and by no other: not by a control connection, whichever key and
// address it names, although that may write election memory.
func TestControlCannotWriteLog(t *testing.T) {
	c := newNodes(t, 3, nil)
	c.propose("v")
	c.equal()
	// What member 2 could do is done by its device.
	require.NoError(t, c.nodes[2].Close())
	c.nodes[2] = nil
	x := newIntruder(t, c.devices[2])
	request := func(kind uint8) rdmaprivate.Request {
		return rdmaprivate.Request{Form: rdmaprivate.FormPeer, LeaderID: 2, Peer: 1, Port: hosttest.Port, Kind: kind, Cluster: 42, Version: protocolVersion}
	}
	secret := rdmaprivate.Secret{Cluster: 42}
	control, err := x.dial(1, request(kindControl), secret)
	require.NoError(t, err)
	known := regions(t, control)
	require.Equal(t, rdma.StatusOK, x.try(control, rdma.SendWR{Op: rdma.OpRead, Local: make([]byte, 8), VA: known[mu.LogRegion].VA, RKey: known[mu.LogRegion].RKey}))
	word := make([]byte, 8)
	require.Equal(t, rdma.StatusOK, x.try(control, rdma.SendWR{Op: rdma.OpWrite, Local: word, VA: known[mu.ElectionRegion].VA + mu.ElectionSize - 8, RKey: known[mu.ElectionRegion].RKey}))
	// It may have a replication connection as well, and knows what that one is told.
	replication, err := x.dial(1, request(kindReplication), secret)
	require.NoError(t, err)
	log, err := rdmaprivate.ParseRegion(replication.Private())
	require.NoError(t, err)
	before := make([]byte, 1<<16)
	copy(before, c.nodes[1].memory[mu.LogRegion].Bytes())
	for _, r := range []rdmaprivate.Region{known[mu.LogRegion], log, {VA: known[mu.LogRegion].VA, RKey: known[mu.ElectionRegion].RKey}} {
		for _, off := range []uint64{0, 4096} { // the commit position, and an entry
			conn, err := x.dial(1, request(kindControl), secret)
			require.NoError(t, err)
			require.Equal(t, rdma.StatusRemoteAccess, x.try(conn, rdma.SendWR{Op: rdma.OpWrite, Local: []byte{1, 1, 1, 1, 1, 1, 1, 1}, VA: r.VA + off, RKey: r.RKey}))
		}
	}
	// Nor by a replication connection that has no permission.
	got := x.try(replication, rdma.SendWR{Op: rdma.OpWrite, Local: []byte{1, 1, 1, 1, 1, 1, 1, 1}, VA: log.VA, RKey: log.RKey})
	require.Equal(t, rdma.StatusRemoteInvalidRequest, got)
	require.Equal(t, before, c.nodes[1].memory[mu.LogRegion].Bytes())
}

// TestAdmission: servers are connected to from their addresses, by who knows the
// cluster's token, and by nobody else; the switch for who leads.
func TestAdmission(t *testing.T) {
	c := newNodes(t, 3, func(_ *nodes, cfg *Config) { cfg.Token, cfg.Switch = 5, hosttest.Addr(100) })
	c.propose("v")
	c.equal()
	term := c.nodes[c.leader()].Status().Term
	require.EqualValues(t, 0, term.Leader())
	require.NoError(t, c.nodes[2].Close())
	c.nodes[2] = nil
	member, stranger, sw := newIntruder(t, c.devices[2]), newIntruder(t, hosttest.Device(t, c.hub, hosttest.Addr(66))), newIntruder(t, hosttest.Device(t, c.hub, hosttest.Addr(100)))
	ours := rdmaprivate.Secret{Cluster: 42, Token: 5}
	peer := rdmaprivate.Request{Form: rdmaprivate.FormPeer, LeaderID: 2, Peer: 1, Port: hosttest.Port, Kind: kindControl, Cluster: 42, Version: protocolVersion}
	group := rdmaprivate.Request{Form: rdmaprivate.FormMember, LeaderID: 0, Term: wireTerm(term, 60000), Leader: hosttest.Addr(11)}
	with := func(m rdmaprivate.Request, f func(*rdmaprivate.Request)) rdmaprivate.Request {
		f(&m)
		return m
	}
	for _, tt := range []struct {
		name   string
		from   *intruder
		m      rdmaprivate.Request
		secret rdmaprivate.Secret
		want   string // "" is let in
	}{
		{"a member", member, peer, ours, ""},
		{"a member that does not know the token", member, peer, rdmaprivate.Secret{Cluster: 42}, "wrong token"},
		{"a member that knows another token", member, peer, rdmaprivate.Secret{Cluster: 42, Token: 6}, "wrong token"},
		{"a server of another cluster with the same token", member, with(peer, func(m *rdmaprivate.Request) { m.Cluster = 43 }), rdmaprivate.Secret{Cluster: 43, Token: 5}, "cluster 43 (this server is of cluster 42)"},
		{"one that says it is of this cluster", member, peer, rdmaprivate.Secret{Cluster: 43, Token: 5}, "cluster 43 (this server is of cluster 42)"},
		{"a member by the name of another", member, with(peer, func(m *rdmaprivate.Request) { m.LeaderID = 0 }), ours, "the cluster has no member 0 at 10.0.0.13"},
		{"a member by the name of nobody", member, with(peer, func(m *rdmaprivate.Request) { m.LeaderID = 7 }), ours, "the cluster has no member 7 at 10.0.0.13"},
		{"a member that takes this server for another", member, with(peer, func(m *rdmaprivate.Request) { m.Peer = 0 }), ours, "the peer expects server 0, and this is server 1"},
		{"a member by this server's own name", member, with(peer, func(m *rdmaprivate.Request) { m.LeaderID = 1 }), ours, "server id 1 (another server has it"},
		{"a member on a network that it is not on", member, with(peer, func(m *rdmaprivate.Request) { m.Route = 1 }), ours, "network 1 of server 2 is this server's network 0"},
		{"a stranger", stranger, peer, rdmaprivate.Secret{Cluster: 42}, "wrong token"},
		{"a stranger that knows the token", stranger, peer, ours, "the cluster has no member 2 at 10.0.0.66"},
		{"a stranger by a name of its own", stranger, with(peer, func(m *rdmaprivate.Request) { m.LeaderID = 9 }), ours, "the cluster has no member 9 at 10.0.0.66"},
		{"a stranger that wants the state", stranger, with(peer, func(m *rdmaprivate.Request) { m.Kind = kindSnapshot }), ours, "the cluster has no member 2 at 10.0.0.66"},
		{"a stranger that wants to write the log", stranger, with(peer, func(m *rdmaprivate.Request) { m.Kind = kindReplication }), ours, "the cluster has no member 2 at 10.0.0.66"},
		{"a stranger that asks who is a member", stranger, with(peer, func(m *rdmaprivate.Request) { m.Kind, m.About, m.AboutAddr = kindQuestion, 1, hosttest.Addr(12) }), ours, "the cluster has no member 2 at 10.0.0.66"},
		{"a member that asks about a member", member, with(peer, func(m *rdmaprivate.Request) { m.Kind, m.About, m.AboutAddr = kindQuestion, 0, hosttest.Addr(11) }), ours, isMember},
		{"a member that asks about a stranger", member, with(peer, func(m *rdmaprivate.Request) { m.Kind, m.About, m.AboutAddr = kindQuestion, 0, hosttest.Addr(66) }), ours, "the cluster has no member 0 at 10.0.0.66"},
		{"the switch for the leader", sw, group, ours, ""},
		{"the switch for who does not know the token", sw, group, rdmaprivate.Secret{Cluster: 42}, "wrong token, or another cluster's"},
		{"the switch for another cluster", sw, group, rdmaprivate.Secret{Cluster: 43, Token: 5}, "cluster 43 (this server is of cluster 42)"},
		{"the switch for a stranger", sw, with(group, func(m *rdmaprivate.Request) { m.Leader = hosttest.Addr(66) }), ours, "the cluster has no member 0 at 10.0.0.66"},
		{"the switch for a member that does not lead", sw, with(group, func(m *rdmaprivate.Request) { m.LeaderID, m.Leader = 2, hosttest.Addr(13) }), ours, "server 2 does not lead"},
		{"the switch for another term", sw, with(group, func(m *rdmaprivate.Request) { m.Term += 1 << 32 }), ours, "server 0 does not lead"},
		{"a member that plays the switch", member, group, ours, "10.0.0.13 is not the switch of this server"},
		{"a stranger that plays the switch", stranger, group, ours, "10.0.0.66 is not the switch of this server"},
		{"a leader that takes a server for the switch", member, rdmaprivate.Request{Form: rdmaprivate.FormGroup, Replicas: []netip.Addr{hosttest.Addr(12)}}, ours, "this is a server, not a switch"},
	} {
		conn, err := tt.from.dial(1, tt.m, tt.secret)
		if tt.want == "" {
			require.NoError(t, err, tt.name)
			require.NoError(t, conn.Close())
			continue
		}
		require.ErrorContains(t, err, tt.want, tt.name)
		if tt.want == isMember {
			var proved *proof.Refused
			require.ErrorAs(t, err, &proved, "whoever is asked proves that he is a member")
		}
	}
	c.propose("w")
	c.equal()
}

// TestRepeatedConnections: who has heard how a member connected to another, and sends that again by the member's name
// when the member is gone, gets no connection of any kind.
func TestRepeatedConnections(t *testing.T) {
	var lock sync.Mutex
	var heard []*cm.REQ
	answers := map[uint32]cm.Message{} // by the comm id of the REQ
	member, _ := wire.AddrFrom(hosttest.Addr(13))
	server, _ := wire.AddrFrom(hosttest.Addr(12))
	c := newNodes(t, 3, func(c *nodes, cfg *Config) {
		cfg.Token = 5
		c.hub.SetFilter(func(f []byte) bool {
			var p wire.Packet
			if wire.Parse(f, &p) != nil || !cm.IsFrame(&p) {
				return true
			}
			_, m, err := cm.DecodeFrame(&p)
			if err != nil {
				return true
			}
			lock.Lock()
			defer lock.Unlock()
			switch m := m.(type) {
			case *cm.REQ:
				if p.IP.Src() == member && p.IP.Dst() == server {
					heard = append(heard, m)
				}
			case *cm.REP:
				answers[m.RemoteCommID] = m
			case *cm.REJ:
				answers[m.RemoteCommID] = m
			}
			return true
		})
	})
	c.propose("v")
	c.equal()
	proved := func() map[uint8]bool {
		lock.Lock()
		defer lock.Unlock()
		kinds := map[uint8]bool{}
		for _, req := range heard {
			_, user, err := cm.SplitPrivateData(req.PrivateData)
			require.NoError(t, err)
			r, err := rdmaprivate.ParseRequest(user)
			require.NoError(t, err)
			if r.Proof != 0 {
				kinds[r.Kind] = true
			}
		}
		return kinds
	}
	require.Eventually(t, func() bool { k := proved(); return k[kindControl] && k[kindReplication] }, 20*time.Second, time.Millisecond)
	require.NoError(t, c.nodes[2].Close())
	c.nodes[2] = nil
	lock.Lock()
	repeated := heard
	clear(answers)
	lock.Unlock()
	x, err := c.hub.Attach(hosttest.Addr(66), 64)
	require.NoError(t, err)
	for i, req := range repeated {
		again := *req
		again.LocalCommID, again.LocalQPN = uint32(0x700+i), uint32(0x700+i)
		f, err := cm.AppendFrame(nil, cm.FrameHeader{Src: member, Dst: server}, uint64(i), &again)
		require.NoError(t, err)
		x.Send(f)
	}
	require.Eventually(t, func() bool {
		lock.Lock()
		defer lock.Unlock()
		for i := range repeated {
			if answers[uint32(0x700+i)] == nil {
				return false
			}
		}
		return true
	}, 20*time.Second, time.Millisecond)
	lock.Lock()
	defer lock.Unlock()
	for i := range repeated {
		require.IsType(t, &cm.REJ{}, answers[uint32(0x700+i)])
	}
}

// TestAdmissionOfUnknownLeader: a server that was away while another was added, which now
// leads, lets it in because a member that it knows calls it one.
func TestAdmissionOfUnknownLeader(t *testing.T) {
	c := newNodes(t, 3, func(c *nodes, cfg *Config) {
		// Ids from 1: the one that is added has the lowest, and leads.
		cfg.ID = (cfg.ID + 1) % 4
		cfg.Token = 5
		cfg.Members = nil
		for _, m := range c.members {
			m.ID = (m.ID + 1) % 4
			cfg.Members = append(cfg.Members, m)
		}
	})
	c.propose("v")
	c.equal()
	cut, _ := wire.AddrFrom(hosttest.Addr(13))
	c.hub.SetFilter(func(f []byte) bool {
		var p wire.Packet
		return wire.Parse(f, &p) == nil && p.IP.Src() != cut && p.IP.Dst() != cut
	})
	c.members = nil
	c.machines = append(c.machines, &sum{})
	c.devices = append(c.devices, hosttest.Device(t, c.hub, hosttest.Addr(14)))
	c.nodes = append(c.nodes, nil)
	c.start(3)
	added := Member{ID: 0, Addrs: []netip.AddrPort{netip.AddrPortFrom(hosttest.Addr(14), hosttest.Port)}, Client: "client"}
	require.NoError(t, c.nodes[c.leader()].AddServer(hosttest.Context(t), added))
	require.Eventually(t, func() bool { return c.nodes[3].Status().Role == mu.Leader }, 20*time.Second, time.Millisecond)
	c.propose("w")
	// The others are enough for a majority, and go on without it for ever.
	require.Len(t, c.nodes[2].Status().Members, 3)
	c.hub.SetFilter(nil)
	for i := range 10 {
		c.propose(fmt.Sprint("x", i))
	}
	require.Eventually(t, func() bool { return len(c.nodes[2].Status().Members) == 4 }, 10*time.Second, time.Millisecond)
	c.equal()
}

// TestStrangerInAPeersPlace: who answers in a server's place and does not know the token is not connected to, whatever he
// says: words of his own, what was answered in an earlier connection or to another request, or that with another key in it.
func TestStrangerInAPeersPlace(t *testing.T) {
	d := newDriven(t, nil)
	d.call(func(e *env) { e.Connect([]Member{{ID: 2, Addrs: addrPorts(2)}}) })
	path := mu.Path{Peer: 2, Kind: mu.Control}
	var before, other *rdmaprivate.Exchange
	// next is the next request with a proof for a control connection, after one for another.
	next := func() *fakeDial {
		for {
			x := d.dialled()
			if x.m.Kind == kindControl && other != nil {
				return x
			}
			if x.m.Kind == kindReplication {
				other = x.exchange
			}
			x.refuse("not now")
		}
	}
	for name, answer := range map[string]func(x *fakeDial) *fakeConn{
		"as if it were the request": func(*fakeDial) *fakeConn {
			for {
				ask := recv(t, d.dev.dials)
				if ask.m.Form == rdmaprivate.FormAsk {
					return ask.accept(d.cfg.LogSize, mu.ElectionSize)
				}
				ask.refuse("not now")
			}
		},
		"in his own words": func(x *fakeDial) *fakeConn {
			x.exchange = nil
			return x.accept(d.cfg.LogSize, mu.ElectionSize)
		},
		"as before": func(x *fakeDial) *fakeConn {
			x.exchange = before
			return x.accept(d.cfg.LogSize, mu.ElectionSize)
		},
		"as another request is answered": func(x *fakeDial) *fakeConn {
			x.exchange = other
			return x.accept(d.cfg.LogSize, mu.ElectionSize)
		},
		"with another key": func(x *fakeDial) *fakeConn {
			x.changes = 7
			return x.accept(d.cfg.LogSize, mu.ElectionSize)
		},
	} {
		x := next()
		before = x.exchange
		if name == "as if it were the request" || name == "as before" {
			x.refuse("not now")
			if name == "as before" {
				x = next()
			}
		}
		was := d.Stats().Strangers
		c := answer(x)
		d.until(func() bool { return d.stats.strangers == was+1 })
		require.True(t, c.closed(), name)
		d.call(func(*env) { require.Nil(t, d.out[path], name) })
	}
	x := next()
	x.accept(d.cfg.LogSize, mu.ElectionSize)
	d.until(func() bool { return d.out[path] != nil })
	require.EqualValues(t, 5, d.Stats().Strangers)
}

// TestStrangerVouches: that a server is a member is believed of a member that proves the token, and not of whoever answers in its
// place.
func TestStrangerVouches(t *testing.T) {
	d := newDriven(t, nil)
	d.call(func(e *env) { e.Connect([]Member{{ID: 2, Addrs: addrPorts(2)}}) })
	asked := func(answer func(*fakeDial)) bool {
		got := make(chan bool, 1)
		go func() { got <- d.vouched(9, 0, hosttest.Addr(66)) }()
		for {
			x := d.dialled()
			if x.m.Kind == kindQuestion {
				answer(x)
				return recv(t, got)
			}
			x.refuse("not now")
		}
	}
	require.False(t, asked(func(x *fakeDial) { x.reject(rdmaprivate.Refusal{Text: isMember}.Append(nil)) }))
	var heard []byte
	require.True(t, asked(func(x *fakeDial) {
		heard = x.exchange.Refuse(0, errors.New(isMember))
		x.reject(heard)
	}))
	require.False(t, asked(func(x *fakeDial) { x.reject(heard) }), "as it was answered before")
}

// TestStrangerDenies: that this server is no member is believed of a server that proves the token, and not of whoever
// answers in its place.
func TestStrangerDenies(t *testing.T) {
	d := newDriven(t, nil)
	self := d.cfg.Devices[0].Addr()
	denied := func(answer func(*fakeDial)) bool {
		got := make(chan bool, 1)
		go func() { got <- d.denied([]Member{{ID: 2, Addrs: addrPorts(2)}}) }()
		x := d.dialled()
		require.EqualValues(t, kindQuestion, x.m.Kind)
		require.EqualValues(t, d.cfg.ID, x.m.About)
		require.Equal(t, self, x.m.AboutAddr)
		answer(x)
		return recv(t, got)
	}
	text := noMember(d.cfg.ID, self).Error()
	require.True(t, denied(func(x *fakeDial) { x.refuse(text) }))
	for name, answer := range map[string]func(*fakeDial){
		"a stranger":        func(x *fakeDial) { x.reject(rdmaprivate.Refusal{Text: text}.Append(nil)) },
		"a member":          func(x *fakeDial) { x.refuse(isMember) },
		"about another one": func(x *fakeDial) { x.refuse(noMember(9, self).Error()) },
		"not now":           func(x *fakeDial) { x.refuse("not now") },
	} {
		require.False(t, denied(answer), name)
	}
}
