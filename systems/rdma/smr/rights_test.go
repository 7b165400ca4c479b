package smr

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/internal/hosttest"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
)

// permitted is the rule: who may write the log of a server is the leader of the term
// that it has promised, by that leader's connection on one route, and by the groups
// of that term that are not stale.
func permitted(p mu.Permission, k inKey) bool {
	if p.None || k.kind == mu.Control {
		return false
	}
	if k.kind == mu.Group {
		return k.term == p.Term && k.gen >= p.MinGen
	}
	return k.from == p.Term.Leader() && k.route == p.Route
}

// TestRightsFollowPermission: whatever connections there are and whatever is permitted,
// at no moment has a connection the right to write the log that may not, and after each
// permission those have it that may: rights are taken away before any is given.
func TestRightsFollowPermission(t *testing.T) {
	d := newDriven(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.Uint8Range(0, 2)
		rounds := rapid.IntRange(1, 2)
		keys := rapid.Custom(func(t *rapid.T) inKey {
			k := inKey{from: mu.ID(ids.Draw(t, "from")), kind: mu.Kind(rapid.Uint8Range(0, 2).Draw(t, "kind")), route: rapid.Uint8Range(0, 1).Draw(t, "route")}
			if k.kind == mu.Group {
				k.term, k.gen, k.route = term(rounds.Draw(t, "round"), k.from), inKey{}.gen+1, 0
				if rapid.Bool().Draw(t, "later") {
					k.gen++
				}
			}
			return k
		})
		d.call(func(e *env) {
			clear(d.in)
			for _, k := range rapid.SliceOfDistinct(keys, func(k inKey) inKey { return k }).Draw(t, "connections") {
				d.in[k] = &inConn{key: k, qp: &fakeQP{dev: d.dev}}
			}
			// From the first right that is given on, nobody has one who may not.
			defer func() { d.dev.changed = nil }()
			for range 6 {
				p := mu.Permission{Term: term(rounds.Draw(t, "round"), mu.ID(ids.Draw(t, "leader"))), Route: rapid.Uint8Range(0, 1).Draw(t, "route"), None: rapid.IntRange(0, 3).Draw(t, "none") == 0}
				for range rapid.IntRange(0, 3).Draw(t, "gen") {
					p.MinGen++
				}
				given := false
				d.dev.changed = func(q *fakeQP) {
					given = given || q.may()
					for k, c := range d.in {
						if given && c.qp.(*fakeQP).may() && !permitted(p, k) {
							t.Fatalf("%+v may still write when a right is given for %+v", k, p)
						}
					}
				}
				e.Permit(p)
				for k, c := range d.in {
					if got := c.qp.(*fakeQP).may(); got != permitted(p, k) {
						t.Fatalf("%+v may write: %v, while %+v is permitted", k, got, p)
					}
				}
			}
			clear(d.in)
		})
	})
}

// TestWhatConnectionsReach: election memory is written by control connections, the log
// by the others, and by these when they have permission; nothing else is written.
func TestWhatConnectionsReach(t *testing.T) {
	d := newDriven(t, nil)
	lead := term(1, 2)
	d.call(func(e *env) { e.Permit(mu.Permission{Term: term(1, 3)}) })
	_, control := d.connect(peerRequest(2, kindControl), hosttest.Addr(2))
	_, replication := d.connect(peerRequest(2, kindReplication), hosttest.Addr(2))
	_, first := d.connect(peerRequest(3, kindReplication), hosttest.Addr(3))
	log, own := d.logs[0], d.memory
	require.NotNil(t, log.Domain)
	for _, c := range []*fakeConn{replication, first} {
		require.Equal(t, log.Domain, c.qp.domain)
	}
	require.Nil(t, control.qp.domain)
	require.Equal(t, rdma.RemoteRead|rdma.RemoteWrite, control.qp.access)
	require.False(t, replication.qp.may())
	require.True(t, first.qp.may(), "server 3 has permission")
	region := func(c *fakeConn, i int) uint32 {
		r, err := rdmaprivate.ParseRegion(c.private[i*rdmaprivate.RegionLen:])
		require.NoError(t, err)
		return r.RKey
	}
	require.Equal(t, own[mu.LogRegion].mrs[0].Key(), region(control, int(mu.LogRegion)))
	require.Equal(t, own[mu.ElectionRegion].mrs[0].Key(), region(control, int(mu.ElectionRegion)))
	require.Equal(t, log.mr.Key(), region(replication, 0))
	require.Zero(t, [rdmaprivate.MaxReply - rdmaprivate.RegionLen]byte(replication.private[rdmaprivate.RegionLen:]), "and nothing else")
	d.call(func(e *env) { e.Permit(mu.Permission{Term: lead}) })
	require.True(t, replication.qp.may())
	require.False(t, first.qp.may())
	require.Equal(t, rdma.RemoteWrite, replication.qp.access, "and not to read")
}

// TestReplacedConnection: when a server connects anew, what it had posted on the old
// connection is not executed any more once the new one has the right.
func TestReplacedConnection(t *testing.T) {
	d := newDriven(t, nil)
	lead := term(1, 2)
	d.call(func(e *env) { e.Permit(mu.Permission{Term: lead}) })
	old, oldConn := d.connect(peerRequest(2, kindReplication), hosttest.Addr(2))
	require.True(t, oldConn.qp.may())
	var order []string
	d.dev.mu.Lock()
	d.dev.changed = func(q *fakeQP) {
		order = append(order, fmt.Sprintf("old %v, new %v", oldConn.qp.may(), q != oldConn.qp && q.may()))
	}
	d.dev.mu.Unlock()
	r := d.arrive(peerRequest(2, kindReplication), hosttest.Addr(2))
	c := recv(t, r.accepted)
	require.Equal(t, []string{"old false, new false", "old false, new true"}, order)
	require.True(t, oldConn.closed(), "what comes late must not be executed")
	recv(t, old.over)
	close(r.goOn)
	count := func() (n int) {
		d.call(func(*env) { n = len(d.in) })
		return n
	}
	require.Equal(t, 1, count(), "the end of the old connection is not the new one's")
	// A third, while the second is not confirmed by its peer yet.
	r2 := d.arrive(peerRequest(2, kindReplication), hosttest.Addr(2))
	c2 := recv(t, r2.accepted)
	require.False(t, c.qp.may())
	require.True(t, c2.qp.may())
	close(r2.goOn)
	recv(t, r.over)
	require.True(t, c.closed())
	require.NoError(t, c2.Close())
	recv(t, r2.over)
	require.Zero(t, count())
}

// TestReplacedWhileAccepted: a connection that is replaced before its peer has confirmed
// it is closed as soon as it is there.
func TestReplacedWhileAccepted(t *testing.T) {
	d := newDriven(t, nil)
	r := d.arrive(peerRequest(2, kindReplication), hosttest.Addr(2))
	c := recv(t, r.accepted)
	_, c2 := d.connect(peerRequest(2, kindReplication), hosttest.Addr(2))
	require.False(t, c.closed())
	close(r.goOn)
	recv(t, r.over)
	require.True(t, c.closed())
	require.False(t, c2.closed())
}

// TestStaleGroups: a group is let in for the term that has permission, and from the
// generation on that the leader has set; a higher one shuts out what is there.
func TestStaleGroups(t *testing.T) {
	d := newDriven(t, nil)
	lead := term(3, 2)
	d.call(func(e *env) {
		e.Connect([]Member{{ID: 2, Addrs: addrPorts(2)}})
		e.Permit(mu.Permission{Term: lead, MinGen: 5})
	})
	refused := func(m rdmaprivate.Request) string {
		r := d.arrive(m, hosttest.Addr(100))
		return recv(t, r.rejected)
	}
	require.Contains(t, refused(groupRequest(lead, 4, hosttest.Addr(2))), "does not lead")
	require.Contains(t, refused(groupRequest(term(2, 2), 5, hosttest.Addr(2))), "does not lead")
	require.Contains(t, refused(groupRequest(term(4, 2), 5, hosttest.Addr(2))), "does not lead")
	_, g5 := d.connect(groupRequest(lead, 5, hosttest.Addr(2)), hosttest.Addr(100))
	_, g6 := d.connect(groupRequest(lead, 6, hosttest.Addr(2)), hosttest.Addr(100))
	require.True(t, g5.qp.may())
	require.True(t, g6.qp.may())
	d.call(func(e *env) { e.Permit(mu.Permission{Term: lead, MinGen: 6}) })
	require.False(t, g5.qp.may())
	require.True(t, g6.qp.may())
	d.call(func(e *env) { e.Permit(mu.Permission{Term: term(4, 2)}) })
	require.False(t, g6.qp.may(), "the same leader's next term")
	d.call(func(e *env) { e.Permit(mu.Permission{None: true}) })
	require.Contains(t, refused(groupRequest(term(4, 2), 9, hosttest.Addr(2))), "does not lead")
}

// TestPathsFollowMembership: there are paths to the members and to nobody else, and a path
// that is reset is another connection.
func TestPathsFollowMembership(t *testing.T) {
	d := newDriven(t, nil)
	two, three := Member{ID: 2, Addrs: addrPorts(2)}, Member{ID: 3, Addrs: addrPorts(3)}
	d.call(func(e *env) { e.Connect([]Member{two, three}) })
	conns := map[mu.Path]*fakeConn{}
	take := func() mu.Path {
		x := d.dialled()
		p := mu.Path{Peer: mu.ID(x.m.Peer), Kind: mu.Control}
		require.Equal(t, hosttest.Addr(int(x.m.Peer)), x.to.Addr())
		require.Zero(t, x.qp.access, "a peer may do nothing by a connection that is for this server's requests")
		if x.m.Kind == kindReplication {
			p.Kind = mu.Replication
			conns[p] = x.accept(1 << 16)
		} else {
			conns[p] = x.accept(1<<16, mu.ElectionSize)
		}
		d.until(func() bool { c := d.out[p]; return c != nil && c.conn == conns[p] })
		return p
	}
	for range 4 {
		take()
	}
	require.Len(t, conns, 4)
	path := mu.Path{Peer: 2, Kind: mu.Replication}
	old := conns[path]
	d.call(func(e *env) {
		e.Post(mu.Op{Path: path, Region: mu.LogRegion, Offset: 256, Data: []byte{1}})
		e.Reset(path)
		require.Nil(t, d.out[path])
		e.Post(mu.Op{Path: path, Region: mu.LogRegion, Offset: 256, Data: []byte{1}})
	})
	require.Len(t, old.qp.posted, 1, "nothing is posted on a path that has been reset")
	require.Equal(t, path, take())
	require.NotSame(t, old, conns[path])
	require.True(t, old.closed(), "before it is reported up again")
	// Who is no member any more is not talked to.
	left := 0
	d.call(func(e *env) { e.Connect([]Member{two}); left = len(d.out) })
	require.Equal(t, 2, left, "at once")
	for p, c := range conns {
		if p.Peer == 3 {
			recv(t, c.done)
		} else {
			require.False(t, c.closed(), "%v", p)
		}
	}
	// A member that has another address is another server.
	two.Addrs = addrPorts(4)
	d.call(func(e *env) { e.Connect([]Member{two}) })
	for range 2 {
		x := d.dialled()
		require.Equal(t, hosttest.Addr(4), x.to.Addr())
		x.refuse("no")
	}
}

// TestWrongRegions: a peer whose memory is not like ours is not connected to.
func TestWrongRegions(t *testing.T) {
	d := newDriven(t, nil)
	d.call(func(e *env) { e.Connect([]Member{{ID: 2, Addrs: addrPorts(2)}}) })
	for range 4 {
		x := d.dialled()
		sizes := []int{1 << 16, mu.ElectionSize - 8}
		if x.m.Kind == kindReplication {
			sizes = []int{1 << 15}
		}
		recv(t, x.accept(sizes...).done)
	}
}

// TestGroupThatNobodyWants: a group that is dropped while it is formed, or replaced, is
// left at once, and never used.
func TestGroupThatNobodyWants(t *testing.T) {
	d := newDriven(t, nil)
	form := func(e *env) { e.FormGroup(7, term(1, 1), []mu.ID{2}, 1) }
	d.call(func(e *env) { d.members[2] = Member{ID: 2, Addrs: addrPorts(2)}; form(e) })
	x := d.dialled()
	require.Equal(t, hosttest.Addr(100), x.to.Addr())
	require.Equal(t, wireTerm(term(1, 1), 7), x.m.Term)
	d.call(func(e *env) { e.DropGroup(7) })
	recv(t, x.accept(1<<16).done)
	require.False(t, x.qp.used)
	d.call(form)
	x = d.dialled()
	d.call(form)
	second := d.dialled()
	late := x.accept(1 << 16)
	recv(t, late.done)
	require.False(t, x.qp.used)
	// The core does not lead, and drops this one.
	recv(t, second.accept(1<<16).done)
	require.True(t, second.qp.used)
	// A region that is not the log's is no group's.
	d.call(form)
	x = d.dialled()
	recv(t, x.accept(1<<15).done)
	require.False(t, x.qp.used)
	d.until(func() bool { return len(d.groups) == 0 })
}

// TestWireTerm: no two groups of all terms and generations look the same to replicas.
func TestWireTerm(t *testing.T) {
	d := newDriven(t, nil)
	d.call(func(e *env) { e.Connect([]Member{{ID: 2, Addrs: addrPorts(2)}}) })
	for round := 1; round < 4; round++ {
		for gen := range 4 {
			k := inKey{from: 2, kind: mu.Group, term: term(round, 2)}
			p := mu.Permission{Term: k.term}
			for range gen {
				k.gen++
				p.MinGen++
			}
			d.call(func(e *env) { e.Permit(p) })
			m := groupRequest(k.term, k.gen, hosttest.Addr(2))
			a, err := d.check(0, &fakeRequest{m: d.proved(m, hosttest.Addr(100)), from: hosttest.Addr(100)})
			require.NoError(t, err)
			require.Equal(t, k, a.key)
		}
	}
}

// until waits for a condition that holds soon, looked at under the lock.
func (d *driven) until(cond func() bool) {
	d.t.Helper()
	require.Eventually(d.t, func() bool {
		d.lock.Lock()
		defer d.lock.Unlock()
		return cond()
	}, 20*time.Second, time.Millisecond)
}

func addrPorts(i int) []netip.AddrPort {
	return []netip.AddrPort{netip.AddrPortFrom(hosttest.Addr(i), hosttest.Port)}
}
