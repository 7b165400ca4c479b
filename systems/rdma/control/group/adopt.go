package group

import (
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/rdma/private"
)

// Record is what a restarted controller needs of a running group and the switch
// does not hold: the names of the connections.
type Record struct {
	Index    uint16         `json:"group"`
	BCastQP  uint32         `json:"bcast_qp"`
	RKey     uint32         `json:"rkey"`
	Policy   private.Policy `json:"policy"`
	LeaderID uint16         `json:"leader_id"`
	Term     uint64         `json:"term"`
	Name     string         `json:"name,omitempty"` // of a static group
	Switch   netip.Addr     `json:"switch"`
	Leader   ConnRecord     `json:"leader"`
	Slots    []ConnRecord   `json:"slots"`
	// Plan is what the group was installed as. What a switch holds of a group with relays is not all
	// of it: the rest is with the relays. Where hosts are is looked up again.
	Plan *Plan `json:"plan,omitempty"`
}

// ConnRecord names a connection: both comm ids, and both queue pairs.
type ConnRecord struct {
	Addr     netip.Addr `json:"addr"`
	LocalID  uint32     `json:"local_id"`
	RemoteID uint32     `json:"remote_id"`
	QPN      uint32     `json:"qpn"` // the peer's
	OwnQPN   uint32     `json:"own_qpn"`
}

func (g *group) record() Record {
	conn := func(p *peer) ConnRecord {
		r := ConnRecord{Addr: p.addr.Netip(), QPN: p.qpn, OwnQPN: p.ownQPN}
		if p.conn != nil {
			r.LocalID, r.RemoteID = p.conn.LocalID(), p.conn.RemoteID()
		} else if p.adopted != nil {
			r.LocalID, r.RemoteID = p.adopted.LocalID, p.adopted.RemoteID
		}
		return r
	}
	r := Record{
		Index: g.index, BCastQP: g.leader.ownQPN, RKey: g.rkey, Policy: g.req.Policy, LeaderID: g.req.LeaderID, Term: g.req.Term, Name: g.name,
		Switch: g.local.Netip(), Leader: conn(&g.leader), Plan: g.plan,
	}
	for _, s := range g.slots {
		r.Slots = append(r.Slots, conn(&s.peer))
	}
	return r
}

// Sync brings the core in line with what is on the switch: the complete groups
// that were read back, and the records of the store. It is called when the
// controller has become primary, and before anything else then.
//
//   - A group on the switch that the core does not know is adopted: it runs on.
//   - A group of the core, or of a record, that the switch does not have has lost
//     its data path (the switch was restarted): it is dissolved.
//   - A group that could not be removed is removed now.
func (c *Core) Sync(now time.Duration, plans []*Plan, records []Record) {
	found := map[uint16]*Plan{}
	for _, p := range plans {
		found[p.Index] = p
	}
	mine := map[uint32]bool{} // BCastQPs of groups whose end, if it comes, is the core's
	for _, i := range c.sorted() {
		g := c.groups[i]
		p := found[i]
		mine[g.leader.ownQPN] = true
		switch {
		case g.job != idle: // the answer is on its way
			delete(found, i)
		case g.phase == removing:
			delete(found, i)
			c.startRemove(g)
		case g.phase != running:
		case g.parent != nil: // its entries are taken away as what is left over
			c.finish(now, g, refusal{cm.ReasonConsumer, -1, "the controller has reconnected to the switch: add the regions again"})
		case p != nil && p.BCastQP == g.leader.ownQPN:
			delete(found, i)
		default:
			g.onSwitch = false
			c.finish(now, g, refusal{cm.ReasonConsumer, -1, "the switch has lost the group"})
		}
	}
	known := map[uint16]Record{}
	for _, r := range records {
		known[r.Index] = r
	}
	indexes := make([]uint16, 0, len(found))
	for i := range found {
		indexes = append(indexes, i)
	}
	slices.Sort(indexes)
	for _, i := range indexes {
		p := found[i]
		r, ok := known[i]
		if !ok || r.BCastQP != p.BCastQP {
			r = Record{}
		}
		c.adopt(now, p, r)
	}
	for _, r := range records {
		if g := c.groups[r.Index]; !mine[r.BCastQP] && (g == nil || g.leader.ownQPN != r.BCastQP) {
			c.abandon(now, r)
		}
	}
	c.pump(now)
}

// adopt takes over a group that an earlier controller has made. Without a record
// its connections cannot be ended from here, only by the peers.
func (c *Core) adopt(now time.Duration, p *Plan, r Record) {
	g := &group{
		at:    p.Leader.Host.Port,
		index: p.Index, phase: running, onSwitch: true, answered: true, saved: r.BCastQP != 0, local: p.Switch, rkey: p.RKey, plan: p,
		born: now, name: r.Name, req: private.Request{Form: private.FormGroup, Policy: r.Policy, LeaderID: r.LeaderID, Term: r.Term},
	}
	switch {
	case p.Needed == g.req.Policy.Needed(len(p.Slots)) || p.Needed < 1 || p.Needed > private.MaxReplicas:
	case r.BCastQP == 0 && p.Needed == len(p.Slots):
		g.req.Policy = private.PolicyAll
	default:
		g.req.Policy = private.PolicyNeed(p.Needed)
	}
	ids := func(addr wire.Addr, own uint32) *ConnRecord {
		for _, cr := range append([]ConnRecord{r.Leader}, r.Slots...) {
			if cr.OwnQPN == own && cr.Addr == addr.Netip() {
				return &cr
			}
		}
		return &ConnRecord{Addr: addr.Netip(), OwnQPN: own}
	}
	g.leader = peer{g: g, slot: -1, addr: p.Leader.Addr, qpn: p.Leader.QPN, ownQPN: p.BCastQP, adopted: ids(p.Leader.Addr, p.BCastQP)}
	for i, s := range p.Slots {
		g.slots = append(g.slots, &replica{
			peer:     peer{g: g, slot: i, addr: s.Addr, qpn: s.QPN, ownQPN: s.AggrQP, adopted: ids(s.Addr, s.AggrQP)},
			answered: true, startPSN: s.StartPSN, region: private.Region{VA: s.VA, RKey: s.RKey, Size: p.Size},
		})
	}
	c.groups[g.index] = g
	c.index.take(g.index)
	c.keys.take(g.rkey)
	for _, pr := range g.peers() {
		c.byQPN[pr.ownQPN] = pr
		c.qpns.take(pr.ownQPN)
	}
	c.stats.Adopted++
	c.note(slog.LevelInfo, "group taken over", "group", g.index, "leader", g.leader.addr, "replicas", len(g.slots), "recorded", g.saved)
}

// abandon ends the connections of a recorded group that the switch has lost.
func (c *Core) abandon(now time.Duration, r Record) {
	c.note(slog.LevelWarn, "recorded group is not on the switch", "group", r.Index, "leader", r.Leader.Addr)
	local, ok := wire.AddrFrom(r.Switch)
	for _, cr := range append([]ConnRecord{r.Leader}, r.Slots...) {
		addr, ok2 := wire.AddrFrom(cr.Addr)
		if ok && ok2 {
			c.close(now, local, addr, cr)
		}
	}
	c.emit(Forget{r.Index})
}

// closing is a connection of an earlier controller that is being ended.
type closing struct {
	m     cmsm.Outgoing
	tries int
	next  time.Duration
}

// closeTries is how often a DREQ of an adopted connection is sent, closeEvery
// the time between.
const (
	closeTries = 5
	closeEvery = 500 * time.Millisecond
)

func (c *Core) disconnectAdopted(now time.Duration, p *peer) {
	c.close(now, p.g.local, p.addr, *p.adopted)
}

func (c *Core) close(now time.Duration, local, remote wire.Addr, r ConnRecord) {
	if r.LocalID == 0 {
		return // no record: there is no name to end it by, or it has ended
	}
	cl := &closing{m: cmsm.Outgoing{Local: local, Remote: remote, TID: uint64(r.LocalID)<<32 | uint64(r.RemoteID), Message: &cm.DREQ{
		LocalCommID: r.LocalID, RemoteCommID: r.RemoteID, RemoteQPN: r.QPN,
	}}, tries: closeTries, next: now}
	c.closing[r.LocalID] = cl
	c.tickClosing(now)
}

func (c *Core) tickClosing(now time.Duration) {
	ids := make([]uint32, 0, len(c.closing))
	for id := range c.closing {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		cl := c.closing[id]
		if cl.next > now {
			continue
		}
		if cl.tries == 0 {
			delete(c.closing, id)
			continue
		}
		cl.tries--
		cl.next = now + closeEvery
		c.emit(Send{Outgoing: cl.m})
	}
}

// receiveAdopted handles messages about adopted connections; false when the
// message is not about one.
func (c *Core) receiveAdopted(now time.Duration, local, remote wire.Addr, tid uint64, m cm.Message) bool {
	switch m := m.(type) {
	case *cm.DREP:
		cl := c.closing[m.RemoteCommID]
		if cl == nil || cl.m.Remote != remote {
			return false
		}
		delete(c.closing, m.RemoteCommID)
		return true
	case *cm.DREQ:
		p := c.byQPN[m.RemoteQPN]
		if p == nil || p.conn != nil || p.addr != remote || p.g.local != local {
			return false
		}
		p.g.hold(cmsm.Outgoing{Local: local, Remote: remote, TID: tid, Message: &cm.DREP{
			LocalCommID: m.RemoteCommID, RemoteCommID: m.LocalCommID,
		}})
		if p.adopted.LocalID == 0 {
			return true // it has said so before, and is answered when the group is gone
		}
		p.adopted.LocalID = 0 // it needs no DREQ of ours
		who := "a replica has disconnected"
		if p.slot < 0 {
			who = "the leader has disconnected"
		}
		c.leaves(now, p, refusal{cm.ReasonConsumer, p.slot, who})
		return true
	}
	return false
}
