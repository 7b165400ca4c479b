package smr

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/p4ce/p4ce/host/rdma"
	"github.com/p4ce/p4ce/host/replicated"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// env carries out what the node's core needs. The node's lock is held in all methods.
type env Node

func (e *env) node() *Node { return (*Node)(e) }

// Post implements mu.Env.
func (e *env) Post(op mu.Op) {
	n := e.node()
	c := n.out[op.Path]
	if n.closed != nil || c == nil {
		return // it has just ended; the core is about to hear of it
	}
	wr := rdma.SendWR{Op: rdma.OpWrite, Local: op.Data, VA: c.reach[op.Region].VA + op.Offset, RKey: c.reach[op.Region].RKey}
	if op.Read {
		wr.Op = rdma.OpRead
	}
	c.wr[0] = wr
	if k, err := c.qp.PostSend(c.wr[:]...); err != nil || k != 1 {
		n.log.Debug("not posted", "path", op.Path, "err", err)
		c.broken = true
		n.wakeBroken(c)
		return
	}
	n.stats.posted(op)
}

// Reset implements mu.Env.
func (e *env) Reset(path mu.Path) {
	n := e.node()
	if c := n.out[path]; c != nil {
		n.remove(c)
	}
}

// Permit implements mu.Env.
func (e *env) Permit(p mu.Permission) {
	n := e.node()
	n.perm = p
	n.permit(false)
	n.permit(true)
}

// Apply implements mu.Env.
func (e *env) Apply(d mu.Decided) {
	n := e.node()
	var p *claim
	if d.Members == nil && !d.Skip {
		if p = n.proposed[d.Index]; p != nil {
			delete(n.proposed, d.Index)
		}
	}
	n.apply.add(d, p)
}

// Fetch implements mu.Env.
func (e *env) Fetch(from mu.ID) {
	n := e.node()
	n.stats.snapshots++
	m, ok := n.members[from]
	if !ok {
		// This server is to be added: it knows only the servers that have connected to it.
		m.ID = from
		for r := range uint8(len(n.cfg.Devices)) {
			if c := n.in[inKey{from: from, kind: mu.Control, route: r}]; c != nil {
				m.Addrs = append(m.Addrs, c.service)
			}
		}
	}
	n.wg.Go(func() { n.fetch(m) })
}

// FormGroup implements mu.Env.
func (e *env) FormGroup(gen uint32, term mu.Term, members []mu.ID, need int) {
	e.node().formGroup(gen, term, members, need)
}

// DropGroup implements mu.Env.
func (e *env) DropGroup(gen uint32) {
	n := e.node()
	if g := n.groups[gen]; g != nil {
		delete(n.groups, gen)
		g.cancel()
	}
	if c := n.out[mu.Path{Kind: mu.Group, Gen: gen}]; c != nil {
		n.remove(c)
	}
}

// Role implements mu.Env.
func (e *env) Role(s mu.Status) {
	n := e.node()
	n.notify.add(s)
	close(n.changed)
	n.changed = make(chan struct{})
	if s.Role != mu.Leader && len(n.waiting) > 0 {
		err := n.notLeader()
		for _, p := range n.waiting {
			p.done <- outcome{err: err}
		}
		n.waiting = nil
	}
}

// SteppedDown implements mu.Env.
func (e *env) SteppedDown() {
	n := e.node()
	n.stats.unknown += uint64(len(n.proposed))
	for _, p := range n.proposed {
		p.done <- outcome{err: replicated.ErrUnknownOutcome}
	}
	clear(n.proposed)
	if len(n.barriers) > 0 {
		err := n.notLeader()
		for _, b := range n.barriers {
			b.done <- err
		}
		clear(n.barriers)
	}
}

// Room implements mu.Env. The core is in the middle of a call.
func (e *env) Room() {
	n := e.node()
	if len(n.waiting) > 0 {
		n.wakeRoom()
	}
}

// Confirmed implements mu.Env.
func (e *env) Confirmed(id, index uint64) {
	n := e.node()
	b := n.barriers[id]
	if b == nil {
		return // nobody waits any more
	}
	delete(n.barriers, id)
	if index <= n.index {
		b.done <- nil
		return
	}
	b.index = index
	n.applied = append(n.applied, b)
}

// Leased implements mu.Env.
func (e *env) Leased(until time.Duration) { e.lease.Store(int64(until)) }

// Promise implements mu.Env.
func (e *env) Promise(s mu.Stored) bool {
	n := e.node()
	j := n.journal
	if j == nil {
		j, n.ended = n.carried, true
	}
	if n.core != nil { // not while the server is being opened
		n.promising.Store(&view{n.core.Status(), n.core.Peers()})
	}
	n.promise.Begin(n.now())
	err := j.Promise(s)
	n.promise.End()
	n.promising.Store(nil)
	if err != nil {
		n.failed(err)
	}
	return err == nil
}

// Log implements mu.Env.
func (e *env) Log(entry mu.Logged) { e.node().logger.add(entry) }

// Connect implements mu.Env.
func (e *env) Connect(members []mu.Member) { e.node().connect(members) }

// Eventf implements mu.Env.
func (e *env) Eventf(format string, args ...any) {
	n := e.node()
	if n.log.Enabled(n.ctx, slog.LevelInfo) {
		n.log.Info(fmt.Sprintf(format, args...))
	}
}
