package smr

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/systems/rdma/mu"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
	"github.com/p4ce/p4ce/systems/rdma/proof"
)

// The protocol between servers: what connections carry, and the layout of the regions.
const protocolVersion = 2

// The kinds of connections between servers, as named in p4ce.Request.
const (
	kindControl = iota
	kindReplication
	kindWhole    // the state, as earlier versions request it
	kindQuestion // whether a server is a member
	kindStream   // the state, as other earlier versions request it
	kindSnapshot // the state, in rounds
)

// Limits of connecting.
const (
	dialTimeout = time.Second
	minRedial   = time.Millisecond
	maxRedial   = 200 * time.Millisecond
	sendQueue   = 256
)

// outConn is a connection on which this server is the requester.
type outConn struct {
	path   mu.Path
	dev    int
	conn   rdma.Conn
	qp     rdma.QP
	reach  []rdmaprivate.Region // of the peer, by mu.Region
	broken bool                 // a request could not be posted
	closed chan struct{}        // closed when the core has given it up
	wr     [1]rdma.SendWR
}

// remove takes a connection out of use. The lock is held.
func (n *Node) remove(c *outConn) {
	if n.out[c.path] != c {
		return
	}
	delete(n.out, c.path)
	delete(n.byQPN[c.dev], c.qp.QPN())
	close(c.closed)
}

// add puts a connection into use. The lock is held.
func (n *Node) add(c *outConn) {
	n.out[c.path] = c
	n.byQPN[c.dev][c.qp.QPN()] = c
	n.core.Up(n.now(), c.path)
}

// down tells the core that a connection has ended. The lock is held.
func (n *Node) down(c *outConn) {
	if n.out[c.path] == c {
		n.remove(c)
		n.core.Down(n.now(), c.path)
	}
}

// wakeBroken reports the end of a connection, outside the core.
func (n *Node) wakeBroken(c *outConn) {
	go func() {
		n.lock.Lock()
		if n.closed == nil {
			n.down(c)
		}
		n.lock.Unlock()
	}()
}

// wakeRoom tries waiting proposals again, outside the core.
func (n *Node) wakeRoom() {
	select {
	case n.roomy <- struct{}{}:
	default:
	}
}

// tend is the goroutine that proposes records that waited for room.
func (n *Node) tend() {
	for {
		select {
		case <-n.roomy:
		case <-n.ctx.Done():
			return
		}
		n.lock.Lock()
		if n.closed == nil {
			n.room()
		}
		n.lock.Unlock()
	}
}

// completions processes the completions of one device.
type completions struct {
	n   *Node
	dev int
	buf [256]rdma.Completion
}

// lockLater is after how long who must not wait for the lock tries again to get it.
const lockLater = 20 * time.Microsecond

// take does so. A device's goroutine does not wait for the lock, because who has it may wait for the disk.
func (c *completions) take() (again time.Duration) {
	n := c.n
	if !rdma.Serves(n.cqs[c.dev]) {
		n.lock.Lock()
	} else if !n.tryLock() {
		return lockLater
	}
	defer n.lock.Unlock()
	for {
		k := n.cqs[c.dev].Poll(c.buf[:])
		if k == 0 {
			return -1
		}
		if n.closed == nil {
			n.done(c.dev, c.buf[:k])
		}
	}
}

// tryLock takes the lock, if that is possible within the time of a short call.
func (n *Node) tryLock() bool {
	for range 100 {
		if n.lock.TryLock() {
			return true
		}
	}
	return false
}

// done passes completions to the core. The lock is held.
func (n *Node) done(dev int, list []rdma.Completion) {
	now := n.now()
	for len(list) > 0 {
		qpn, ok := list[0].QPN, 0
		for ok < len(list) && list[ok].QPN == qpn && list[ok].Status == rdma.StatusOK {
			ok++
		}
		c := n.byQPN[dev][qpn]
		if c != nil && ok > 0 {
			n.core.Done(now, c.path, ok)
		}
		if ok < len(list) && list[ok].QPN == qpn {
			if c != nil && n.out[c.path] == c {
				n.log.Debug("connection failed", "path", c.path, "err", list[ok].Status)
				n.down(c)
			}
			ok++
		}
		list = list[ok:]
	}
}

// dialer keeps one path connected.
type dialer struct {
	to     netip.AddrPort
	cancel context.CancelFunc
}

// connect keeps paths to these servers, and to no others. The lock is held.
func (n *Node) connect(members []Member) {
	want := map[mu.Path]netip.AddrPort{}
	clear(n.members)
	for _, m := range members {
		n.members[m.ID] = m
		for r, a := range m.Addrs {
			if r >= len(n.cfg.Devices) {
				break
			}
			for _, k := range []mu.Kind{mu.Control, mu.Replication} {
				want[mu.Path{Peer: m.ID, Kind: k, Route: uint8(r)}] = a
			}
		}
	}
	maps.DeleteFunc(n.dialed, func(id mu.ID, _ error) bool { _, ok := n.members[id]; return !ok })
	for path, d := range n.wanted {
		if want[path] != d.to {
			d.cancel()
			delete(n.wanted, path)
			if c := n.out[path]; c != nil {
				n.remove(c)
			}
		}
	}
	for path, to := range want {
		if n.wanted[path] == nil {
			ctx, cancel := context.WithCancel(n.ctx)
			d := &dialer{to, cancel}
			n.wanted[path] = d
			n.wg.Go(func() { n.keep(ctx, path, to) })
		}
	}
}

// redial returns how long to wait before connecting again: longer each time, until a connection has
// lasted. A connection that is accepted and ends at once is no better than a refused one.
type redial struct{ pause time.Duration }

// lasting is how long a connection must have existed to count as one that has lasted.
const lasting = time.Second

// after returns how long to wait after a connection that lasted this long; 0: it was refused.
func (r *redial) after(lasted time.Duration) time.Duration {
	if lasted >= lasting {
		r.pause = 0
		return 0
	}
	r.pause = min(max(2*r.pause, minRedial), maxRedial)
	return r.pause
}

// keep is the goroutine of a dialer.
func (n *Node) keep(ctx context.Context, path mu.Path, to netip.AddrPort) {
	var again redial
	last := ""
	wait := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	for ctx.Err() == nil {
		c, err := n.dial(ctx, path, to)
		if ctx.Err() == nil {
			n.attempt(path.Peer, err)
		}
		if err != nil {
			if s := err.Error(); s != last && ctx.Err() == nil {
				n.log.Warn("not connected", "path", path.String(), "to", to, "err", err)
				last = s
			}
			wait(again.after(0))
			continue
		}
		last = ""
		begun := n.now()
		n.lock.Lock()
		if ctx.Err() != nil || n.closed != nil {
			n.lock.Unlock()
			_ = c.conn.Close()
			return
		}
		n.add(c)
		n.lock.Unlock()
		select {
		case <-c.conn.Done():
			n.log.Debug("connection ended", "path", path.String(), "err", c.conn.Err())
		case <-c.closed:
		case <-ctx.Done():
		}
		n.lock.Lock()
		if n.closed == nil {
			n.down(c)
		}
		n.lock.Unlock()
		_ = c.conn.Close()
		wait(again.after(n.now() - begun))
	}
}

// qp makes a queue pair of a device in a domain (nil: the device's own).
func (n *Node) qp(dev int, domain rdma.Domain, access rdma.Access) (rdma.QP, error) {
	return n.cfg.Devices[dev].CreateQP(rdma.QPConfig{
		SendCQ: n.cqs[dev], Domain: domain, Access: access, SendQueue: sendQueue, RecvQueue: 1,
		AckTimeout: n.cfg.AckTimeout, Retry: n.cfg.Retry,
	})
}

// dial connects one path.
func (n *Node) dial(ctx context.Context, path mu.Path, to netip.AddrPort) (*outConn, error) {
	kind := uint8(kindControl)
	if path.Kind == mu.Replication {
		kind = kindReplication
	}
	r := n.request(int(path.Route), path.Peer, kind)
	conn, err := n.dialPeer(ctx, int(path.Route), &r, to)
	if err != nil {
		return nil, err
	}
	sizes := []int{mu.LogRegion: n.cfg.LogSize, mu.ElectionRegion: mu.ElectionSize}
	if path.Kind != mu.Control {
		sizes = sizes[:mu.ElectionRegion]
	}
	reach, err := proof.Reach(conn, sizes...)
	if err != nil {
		return nil, fmt.Errorf("server %d: %w", path.Peer, err)
	}
	return &outConn{path: path, dev: int(path.Route), conn: conn, qp: conn.QP(), reach: reach, closed: make(chan struct{})}, nil
}

// dialPeer connects to another server.
func (n *Node) dialPeer(ctx context.Context, dev int, m *rdmaprivate.Request, to netip.AddrPort) (rdma.Conn, error) {
	// A server that may take long to acknowledge may also take long to connect.
	ctx, cancel := context.WithTimeout(ctx, max(dialTimeout, 16*n.cfg.AckTimeout))
	defer cancel()
	return n.prove(ctx, dev, to, m, func() (rdma.QP, error) { return n.qp(dev, nil, 0) })
}

// prove connects by a request to a peer that knows the cluster's token, as this server does. Each
// attempt gets its own queue pair.
func (n *Node) prove(ctx context.Context, dev int, to netip.AddrPort, m *rdmaprivate.Request, create func() (rdma.QP, error)) (rdma.Conn, error) {
	conn, err := proof.Connect(ctx, n.cfg.Devices[dev], n.secret(), m, to, create)
	if errors.Is(err, rdmaprivate.ErrStranger) {
		n.lock.Lock()
		n.stats.strangers++
		n.lock.Unlock()
	}
	return conn, err
}

// wireTerm is the term as the switch carries it, together with the group's generation, so that
// replicas can distinguish the groups of one leader: 40 bits of term, 24 of generation.
func wireTerm(t mu.Term, gen uint32) uint64 { return uint64(t)<<genBits | uint64(gen) }

// genBits is the width of mu.MaxGen.
const genBits = 24

// groupDial is a group that is being formed or is in use.
type groupDial struct{ cancel context.CancelFunc }

// formGroup connects through the switch. The lock is held.
func (n *Node) formGroup(gen uint32, term mu.Term, members []mu.ID, need int) {
	m := rdmaprivate.Request{
		Form: rdmaprivate.FormGroup, Policy: rdmaprivate.PolicyNeed(need), LeaderID: uint16(n.cfg.ID), Port: n.cfg.Port,
		Term: wireTerm(term, gen),
	}
	for _, id := range members {
		m.Replicas = append(m.Replicas, n.members[id].Addrs[0].Addr())
	}
	ctx, cancel := context.WithCancel(n.ctx)
	g := &groupDial{cancel}
	if old := n.groups[gen]; old != nil {
		old.cancel()
	}
	n.groups[gen] = g
	n.stats.groups++
	n.wg.Go(func() {
		defer cancel()
		c, err := n.dialGroup(ctx, gen, &m)
		n.lock.Lock()
		if n.groups[gen] != g || n.closed != nil || err != nil {
			if n.groups[gen] == g {
				delete(n.groups, gen)
				if n.closed == nil {
					n.log.Warn("group not formed", "group", gen, "err", err)
					n.core.GroupFailed(n.now(), gen)
				}
			}
			n.lock.Unlock()
			if c != nil {
				_ = c.conn.Close()
			}
			return
		}
		n.add(c)
		n.lock.Unlock()
		select {
		case <-c.conn.Done():
			n.log.Debug("group ended", "group", gen, "err", c.conn.Err())
		case <-c.closed:
		case <-ctx.Done():
		}
		n.lock.Lock()
		if n.closed == nil {
			n.down(c)
		}
		if n.groups[gen] == g {
			delete(n.groups, gen)
		}
		n.lock.Unlock()
		_ = c.conn.Close()
	})
}

// groupTimeout is how long the switch may take to form a group.
const groupTimeout = 5 * time.Second

func (n *Node) dialGroup(ctx context.Context, gen uint32, m *rdmaprivate.Request) (*outConn, error) {
	ctx, cancel := context.WithTimeout(ctx, groupTimeout)
	defer cancel()
	conn, err := n.prove(ctx, 0, netip.AddrPortFrom(n.cfg.Switch, n.cfg.Port), m, func() (rdma.QP, error) { return n.qp(0, nil, 0) })
	if err != nil {
		return nil, err
	}
	reach, err := proof.Reach(conn, n.cfg.LogSize)
	if err != nil {
		return nil, err
	}
	return &outConn{path: mu.Path{Kind: mu.Group, Gen: gen}, conn: conn, qp: conn.QP(), reach: reach, closed: make(chan struct{})}, nil
}

// inKey names a connection on which this server is the responder.
type inKey struct {
	from  mu.ID
	kind  mu.Kind
	route uint8
	term  mu.Term // Group
	gen   uint32
}

// inConn is a connection on which this server is the responder.
type inConn struct {
	key     inKey
	service netip.AddrPort // where its peer listens
	qp      rdma.QP
	conn    rdma.Conn // once it is accepted
	allowed bool
}

// may reports whether a connection may write the log. The lock is held.
func (n *Node) may(k inKey) bool {
	p := n.perm
	switch {
	case p.None:
		return false
	case k.kind == mu.Group:
		return k.term == p.Term && k.gen >= p.MinGen
	}
	return k.from == p.Term.Leader() && k.route == p.Route
}

// permit aligns the rights of all connections with the permission. With grant, connections that may
// write get their rights. Without, connections that may not write lose theirs.
func (n *Node) permit(grant bool) {
	for _, c := range n.in {
		if c.key.kind != mu.Control && c.allowed != n.may(c.key) && c.allowed != grant {
			n.setRight(c, grant)
		}
	}
}

func (n *Node) setRight(c *inConn, grant bool) {
	access := rdma.Access(0)
	if grant {
		access = rdma.RemoteWrite
	}
	c.allowed = grant
	if err := c.qp.SetAccess(access); err != nil {
		// The queue pair is in error: its peer can do nothing, and connects again.
		n.log.Warn("rights not changed", "server", c.key.from, "err", err)
	}
}

// serve is the goroutine that accepts the connections of one device.
func (n *Node) serve(dev int, l rdma.Listener) {
	for {
		req, err := l.Accept(n.ctx)
		if err != nil {
			return // the listener was closed: nothing else ends it
		}
		n.wg.Go(func() { n.admit(dev, req) })
	}
}

// admit answers a request, and serves the connection until it ends.
func (n *Node) admit(dev int, req rdma.Request) {
	a, err := n.check(dev, req)
	m, key := &a.m, a.key
	if err == nil && m.Form == rdmaprivate.FormPeer && m.Kind == kindQuestion {
		if err := req.Reject(a.exchange.Refuse(m.Slot, n.answer(m))); err != nil {
			n.log.Debug("answer not sent", "peer", req.RemoteAddr(), "err", err)
		}
		return
	}
	if err == nil && m.Form == rdmaprivate.FormPeer && m.Kind == kindSnapshot {
		err = n.offer(dev, req, a)
		if err == nil {
			return
		}
	}
	if err != nil {
		proof.Refuse(n.log, req, m.Slot, err)
		return
	}
	qp, data, err := n.responder(dev, key.kind)
	if err != nil {
		proof.Refuse(n.log, req, m.Slot, err)
		return
	}
	c := &inConn{key: key, service: netip.AddrPortFrom(req.RemoteAddr(), m.Port), qp: qp}
	n.lock.Lock()
	old := n.in[key]
	n.in[key] = c
	if old != nil && old.allowed {
		n.setRight(old, false)
	}
	if key.kind != mu.Control && n.may(key) {
		n.setRight(c, true)
	}
	n.lock.Unlock()
	if old != nil && old.conn != nil {
		// What its peer has posted there must not be executed any more.
		_ = old.conn.Close()
	}
	conn, err := proof.Accept(n.ctx, req, a.exchange, qp, data)
	n.lock.Lock()
	c.conn = conn
	replaced := n.in[key] != c
	n.lock.Unlock()
	if err == nil {
		if !replaced && n.ctx.Err() == nil {
			select {
			case <-conn.Done():
			case <-n.ctx.Done():
			}
		}
		_ = conn.Close()
	} else {
		n.log.Debug("connection not made", "peer", req.RemoteAddr(), "err", err)
	}
	n.lock.Lock()
	if n.in[key] == c {
		delete(n.in, key)
	}
	n.lock.Unlock()
}

// responder makes the queue pair of a connection to this server, and says what its peer can reach.
// That is either reading the log and writing election memory, or the log alone, once it may write it.
func (n *Node) responder(dev int, kind mu.Kind) (qp rdma.QP, data []byte, err error) {
	reach := []rdma.MR{n.logs[dev].mr}
	if kind == mu.Control {
		reach = []rdma.MR{mu.LogRegion: n.memory[mu.LogRegion].mrs[dev], mu.ElectionRegion: n.memory[mu.ElectionRegion].mrs[dev]}
		qp, err = n.qp(dev, nil, rdma.RemoteRead|rdma.RemoteWrite)
	} else {
		qp, err = n.qp(dev, n.logs[dev].Domain, 0)
	}
	return qp, proof.Regions(reach...), err
}
