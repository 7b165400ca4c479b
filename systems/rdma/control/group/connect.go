package group

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
)

// call is a leader's REQ, read.
type call struct {
	conn   *cmsm.Conn
	req    *cm.REQ
	header cm.IPHeader
	user   []byte              // the private data behind the header
	says   rdmaprivate.Request // or what the port says for it, of a static group
	static *Static             // of that port, when the REQ says nothing itself
}

// rejection is why a call gets no group.
type rejection struct {
	reason cm.Reason
	error
}

func rejected(reason cm.Reason, format string, args ...any) *rejection {
	return &rejection{reason, fmt.Errorf(format, args...)}
}

// requested handles a leader's REQ.
func (c *Core) requested(now time.Duration, conn *cmsm.Conn, req *cm.REQ) {
	c.stats.Requested++
	k := &call{conn: conn, req: req}
	why := c.read(k)
	var g *group
	var parts []Part
	var list []member
	if why == nil {
		g, parts, list, why = c.admit(now, k)
	}
	if why != nil {
		c.reject(now, conn, why)
		return
	}
	c.begin(now, k, g, parts, list)
}

func (c *Core) reject(now time.Duration, conn *cmsm.Conn, why *rejection) {
	var u *rdmaprivate.Unproved
	if errors.As(why.error, &u) && u.Asks {
		c.stats.Challenged++
		c.note(slog.LevelDebug, "leader challenged", "from", conn.Remote())
	} else {
		c.stats.Refused++
		c.note(slog.LevelWarn, "connection refused", "from", conn.Remote(), "reason", why.reason, "why", why.error)
	}
	_ = conn.Reject(now, why.reason, rdmaprivate.Refuse(rdmaprivate.NoSlot, why.error))
}

// read takes a call apart.
func (c *Core) read(k *call) *rejection {
	var err error
	if k.header, k.user, err = cm.SplitPrivateData(k.req.PrivateData); err != nil {
		return &rejection{cm.ReasonInvalidServiceID, err}
	}
	k.says, err = rdmaprivate.ParseRequest(k.user)
	static := c.staticAt(k.req.ServiceID)
	switch {
	case static != nil && (errors.Is(err, rdmaprivate.ErrNotP4CE) || len(k.user) < rdmaprivate.RequestLen):
		k.static = static
		k.says = rdmaprivate.Request{Form: rdmaprivate.FormReference, Name: static.Name}
		k.says.Policy, _ = rdmaprivate.ParsePolicy(static.Policy) // it was checked
	case errors.Is(err, rdmaprivate.ErrNotP4CE):
		return rejected(cm.ReasonInvalidServiceID, "the switch serves groups only")
	case err != nil:
		return &rejection{cm.ReasonConsumer, err}
	}
	switch mtu := cm.MTUBytes(k.req.PathMTU); {
	case k.req.Transport != cm.TransportRC:
		return rejected(cm.ReasonInvalidTransport, "groups are reliable connections")
	case mtu == 0:
		return rejected(cm.ReasonInvalidMTU, "invalid path MTU")
	case mtu > c.cfg.MaxPathMTU:
		return rejected(cm.ReasonInvalidMTU, "path MTU %d: the switch copies packets of at most %d (lower the MTU of your interface)", mtu, c.cfg.MaxPathMTU)
	}
	return nil
}

// admit makes the group that a call is for, if it may have one.
func (c *Core) admit(now time.Duration, k *call) (*group, []Part, []member, *rejection) {
	no := func(reason cm.Reason, err error) (*group, []Part, []member, *rejection) {
		return nil, nil, nil, &rejection{reason, err}
	}
	leader, local := k.conn.Remote(), k.conn.Local()
	if k.says.Form == rdmaprivate.FormAsk {
		return no(cm.ReasonConsumer, c.ask(now, &k.says, leader, local))
	}
	g := &group{
		local: local, req: k.says, asked: k.req, header: k.header,
		born: now, mraAt: now + c.cfg.MRAAfter, deadline: now + c.cfg.SetupTimeout,
	}
	list, err := c.receivers(now, k, g)
	if err != nil {
		return no(cm.ReasonConsumer, err)
	}
	parts, err := c.parts(list, &g.req)
	if err != nil {
		return no(cm.ReasonConsumer, err)
	}
	host, _ := c.dir.Host(leader) // it has been heard of, or else has no port yet
	g.at = host.Port
	if g.of == (wire.Addr{}) { // or the group was counted at the home that asks
		err = c.room(now, leader, host.Port)
	}
	if err != nil {
		return no(cm.ReasonNoResources, err)
	}
	var ok bool
	if g.index, ok = c.index.get(now); !ok {
		return no(cm.ReasonNoResources, fmt.Errorf("the switch has no room for more than %d groups", MaxGroups))
	}
	return g, parts, list, nil
}

// receivers finds whom a call wants to reach, by its form, and notes what the form says of the group.
func (c *Core) receivers(now time.Duration, k *call, g *group) (list []member, err error) {
	leader, local := k.conn.Remote(), k.conn.Local()
	of := proven{Cluster: &Cluster{}}
	part := c.nested(now, &k.says, leader, local)
	switch {
	case part != nil:
		of.exchange = part.secret.Named(&k.says, leader.Netip(), local.Netip())
		list, g.req, of.Secret = part.members, part.req, part.secret
		g.static, g.private, g.of = part.static, part.private, part.leader
	case k.says.Form == rdmaprivate.FormRegion:
		g.parent, of, list, err = c.regionMembers(now, &k.says, leader, local)
	case k.static != nil:
		g.static, g.name, g.private = k.static, k.static.Name, k.user
		list, err = k.static.members(&c.cfg, leader, local)
	default:
		of, list, err = c.replicas(now, &k.says, leader, local)
	}
	if err == nil {
		g.secret, g.exchange = of.Secret, of.exchange
	}
	return list, err
}

// begin connects to the replicas of a group, or has other switches do that.
func (c *Core) begin(now time.Duration, k *call, g *group, parts []Part, list []member) {
	g.rkey = c.keys.get(now)
	g.leader = peer{g: g, slot: -1, addr: k.conn.Remote(), conn: k.conn, qpn: k.req.LocalQPN, ownQPN: c.qpns.get(now)}
	k.conn.Data = &g.leader
	c.groups[g.index], c.byQPN[g.leader.ownQPN], c.unsettled[g] = g, &g.leader, true
	c.note(slog.LevelInfo, "group requested", "group", g.index, "leader", g.leader.addr, "leader_id", g.req.LeaderID, "term", g.req.Term,
		"policy", g.req.Policy, "replicas", list)
	for i, p := range parts {
		rep := &replica{peer: peer{g: g, slot: i, addr: p.Home, ownQPN: c.qpns.get(now)}}
		g.slots = append(g.slots, rep)
		c.byQPN[rep.ownQPN] = &rep.peer
		if p.Home != (wire.Addr{}) {
			c.entrust(now, g, rep, p, list)
			continue
		}
		a := list[slices.IndexFunc(list, func(m member) bool { return m.Addr == p.Receivers[0] })]
		rep.addr, rep.port = a.Addr, a.port
		out, err := c.request(g, rep, k.req, k.header)
		if err != nil {
			c.finish(now, g, refusal{cm.ReasonConsumer, i, fmt.Sprintf("replica %d (%v): %v", i, a.Addr, err)})
			return
		}
		rep.conn = c.agent.Connect(now, g.local, a.Addr, out)
		rep.conn.Data = &rep.peer
	}
}

// request makes the REQ to a replica, on the leader's terms. Its PSN is the
// leader's: a replica that takes it over needs no translation.
func (c *Core) request(g *group, rep *replica, req *cm.REQ, h cm.IPHeader) (*cm.REQ, error) {
	member := rdmaprivate.Request{
		Form: rdmaprivate.FormMember, LeaderID: g.req.LeaderID, Term: g.req.Term,
		Leader: g.leader.addr.Netip(), Slot: uint8(rep.slot),
	}
	if g.of != (wire.Addr{}) {
		member.Leader = g.of.Netip()
	}
	var data []byte
	var err error
	switch {
	case g.parent != nil:
		member = g.req
		member.Leader, member.Slot = g.leader.addr.Netip(), uint8(rep.slot)
		data, err = c.proved(g, rep, &member)
	case rep.part != nil: // its name is what nobody else knows
		part := rdmaprivate.Request{Form: rdmaprivate.FormReference, Policy: g.req.Policy, LeaderID: g.req.LeaderID, Term: g.req.Term, Name: rep.part.Name}
		rep.exchange = g.secret.Named(&part, g.local.Netip(), rep.addr.Netip())
		data, err = part.Append(nil)
	case g.static != nil:
		data = g.private
	default:
		data, err = c.proved(g, rep, &member)
	}
	if err != nil {
		return nil, err
	}
	out, err := cmsm.Offer{
		Local: g.local.Netip(), Remote: rep.addr.Netip(), Port: rep.port, SrcPort: h.SrcPort,
		QPN: rep.ownQPN, StartingPSN: wire.PSNOf(req.StartingPSN), MTU: cm.MTUBytes(req.PathMTU), Private: data,
	}.REQ()
	if err != nil {
		return nil, err
	}
	out.RetryCount, out.RNRRetryCount = req.RetryCount, req.RNRRetryCount
	out.Primary.LocalACKTimeout, out.Primary.TrafficClass = req.Primary.LocalACKTimeout, req.Primary.TrafficClass
	return out, nil
}

// replied handles a replica's REP.
func (c *Core) replied(now time.Duration, g *group, r *replica, rep *cm.REP) {
	if g.phase != connecting {
		return // on its way out; finish has seen to the connection, or will
	}
	if err := g.proves(r, rep.PrivateData); err != nil {
		c.stranger(now, g, &r.peer, err)
		return
	}
	region, err := g.regionOf(rep.PrivateData)
	if r.slot == 0 {
		g.replies = rep.PrivateData
	}
	if err != nil {
		c.finish(now, g, refusal{cm.ReasonConsumer, r.slot, fmt.Sprintf("replica %d (%v): %v", r.slot, r.addr, err)})
		return
	}
	r.answered, r.region, r.qpn, r.startPSN = true, region, rep.LocalQPN, wire.PSNOf(rep.StartingPSN)
	if g.slowest() >= 0 {
		return
	}
	g.replied = now
	if g.plan, err = c.plan(g); err != nil {
		c.finish(now, g, refusal{cm.ReasonConsumer, -1, err.Error()})
		return
	}
	g.phase, g.job, g.onSwitch = installing, install, true
	c.emit(Install{g.plan})
}

// regionOf finds what a replica lets be written in its private data. A receiver of a made
// group need not let anything.
func (g *group) regionOf(private []byte) (rdmaprivate.Region, error) {
	if g.static != nil && g.static.Reply != nil {
		return g.static.Reply.read(private)
	}
	region, err := rdmaprivate.ParseRegion(private)
	switch {
	case err != nil && g.static != nil:
		return rdmaprivate.Region{}, nil
	case err == nil && region.Size == 0:
		err = errors.New("its region is empty")
	}
	return region, err
}

// reply is the private data for the leader: the group's own region, as the replicas say it.
func (g *group) reply() []byte {
	region := rdmaprivate.Region{VA: g.plan.Base, RKey: g.plan.RKey, Size: g.plan.Size}
	switch {
	case g.static == nil:
		return region.Append(nil)
	case g.static.Reply != nil:
		return g.static.Reply.write(g.replies, region)
	}
	for _, r := range g.slots {
		if r.region.Size == 0 {
			return g.replies
		}
	}
	return region.Append(nil)
}

// plan works out what the switch must hold for a group whose replicas have all
// answered.
func (c *Core) plan(g *group) (*Plan, error) {
	p := &Plan{
		Index: g.index, Switch: g.local, BCastQP: g.leader.ownQPN, RKey: g.rkey,
		Needed: g.req.Policy.Needed(len(g.slots)), Neutral: !c.cfg.ICRCOff,
	}
	endpoint := func(p *peer) (Endpoint, error) {
		h, ok := c.dir.Host(p.addr)
		if !ok {
			return Endpoint{}, fmt.Errorf("host %v is no longer attached to the switch", p.addr)
		}
		return Endpoint{p.addr, p.qpn, h}, nil
	}
	var err error
	if p.Leader, err = endpoint(&g.leader); err != nil {
		return nil, err
	}
	var sizes []uint64
	var psns []wire.PSN
	for _, r := range g.slots {
		e, err := endpoint(&r.peer)
		if err != nil {
			return nil, err
		}
		p.Slots = append(p.Slots, Slot{Endpoint: e, AggrQP: r.ownQPN, RKey: r.region.RKey, VA: r.region.VA, StartPSN: r.startPSN})
		sizes, psns = append(sizes, r.region.Size), append(psns, r.startPSN)
	}
	p.Size, p.StartPSN = regionSize(sizes...), commonPSN(psns)
	if g.parent != nil {
		return c.regionPlan(g, p)
	}
	if p.Size == 0 { // made, and for SENDs: nobody is told of the key, and the receivers' are none
		p.Size = 1
		for i := range p.Slots {
			p.Slots[i].RKey, p.Slots[i].VA = 0, 0
		}
	}
	return p, c.checkPipes(p)
}

// Done is the switch's answer to an Install or Remove.
func (c *Core) Done(now time.Duration, index uint16, err error) {
	g := c.groups[index]
	if g == nil || g.job == idle {
		return // the core has been synchronised with the switch meanwhile
	}
	was := g.job
	g.job = idle
	switch {
	case g.phase == installing && err != nil:
		c.finish(now, g, refusal{cm.ReasonConsumer, -1, fmt.Sprintf("the switch refused the group: %v", err)})
	case g.phase == installing:
		c.answer(now, g)
	case was == install: // it ended meanwhile
		c.startRemove(g)
	case err != nil:
		g.retryAt = now + c.cfg.RetryAfter
		c.note(slog.LevelError, "group cannot be removed from the switch", "group", index, "err", err)
	default:
		g.onSwitch = false
		c.gone(now, g)
	}
	c.pump(now)
}

// answer completes the handshakes of a group that the switch has installed.
func (c *Core) answer(now time.Duration, g *group) {
	for _, r := range g.slots {
		if err := r.conn.Confirm(now); err != nil {
			c.finish(now, g, refusal{cm.ReasonConsumer, r.slot, fmt.Sprintf("replica %d (%v) has gone: %v", r.slot, r.addr, err)})
			return
		}
	}
	private, err := g.exchange.Reply(g.reply())
	var rep *cm.REP
	if err == nil {
		rep, err = cmsm.Offer{QPN: g.leader.ownQPN, StartingPSN: g.plan.StartPSN, Private: private}.REP()
	}
	if err == nil {
		rep.ResponderResources, rep.InitiatorDepth = 0, 0 // no READs and atomics through a group
		err = g.leader.conn.Accept(now, rep)
	}
	if err != nil {
		c.finish(now, g, refusal{cm.ReasonConsumer, -1, fmt.Sprintf("the leader has gone: %v", err)})
		return
	}
	g.phase, g.answered, g.saved, g.static, g.private, g.replies, g.asked, g.exchange = running, true, true, nil, nil, nil, nil, nil
	delete(c.unsettled, g)
	g.formed = now
	c.stats.Formed++
	c.stats.AwaitedReplicas += g.replied - g.born
	c.stats.AwaitedSwitch += g.formed - g.replied
	c.note(slog.LevelInfo, "group formed", "group", g.index, "leader", g.leader.addr, "replicas", len(g.slots), "f", g.plan.Needed,
		"size", g.plan.Size, "psn", g.plan.StartPSN, "took", now-g.born, "awaited_switch", now-g.replied)
	c.emit(Save{g.record()})
}

// finish begins the end of a group: it leaves the switch first.
func (c *Core) finish(now time.Duration, g *group, why refusal) {
	if g.phase == removing {
		return
	}
	if g.answered {
		c.stats.Dissolved++
	} else {
		c.stats.Failed++
	}
	c.note(slog.LevelInfo, "group ends", "group", g.index, "phase", g.phase, "why", why.text)
	g.phase, g.end = removing, why
	c.unsettled[g] = true
	for _, i := range c.sorted() {
		if r := c.groups[i]; r.parent == g {
			c.finish(now, r, refusal{cm.ReasonConsumer, -1, "the group has ended"})
		}
	}
	switch {
	case g.job == install: // the answer comes first
	case g.onSwitch:
		c.startRemove(g)
	default:
		c.gone(now, g)
	}
}

func (c *Core) startRemove(g *group) {
	g.job = remove
	c.emit(Remove{g.plan})
}

// gone tells everybody, once the switch holds nothing of the group any more.
func (c *Core) gone(now time.Duration, g *group) {
	// Connections that are over already refuse; that is what is wanted.
	switch {
	case g.leader.conn == nil:
		c.disconnectAdopted(now, &g.leader)
	case !g.answered:
		slot := uint8(rdmaprivate.NoSlot)
		if g.end.slot >= 0 {
			slot = uint8(g.end.slot)
		}
		_ = g.leader.conn.Reject(now, g.end.reason, rdmaprivate.Refusal{Slot: slot, Text: g.end.text}.Append(nil))
	default:
		_ = g.leader.conn.Disconnect(now, nil)
	}
	for _, r := range g.slots {
		switch {
		case r.conn == nil && r.part != nil: // it has not been asked yet
		case r.conn == nil:
			c.disconnectAdopted(now, &r.peer)
		default:
			_ = r.conn.Disconnect(now, nil)
		}
	}
	for _, m := range g.held {
		c.emit(Send{Outgoing: m})
	}
	if g.saved {
		c.emit(Forget{g.index})
	}
	c.drop(now, g)
}

// drop forgets a group and lets its numbers rest.
func (c *Core) drop(now time.Duration, g *group) {
	until := now + c.cfg.Quarantine
	for _, p := range g.peers() {
		delete(c.byQPN, p.ownQPN)
		c.qpns.put(p.ownQPN, until)
		p.g = nil
	}
	c.keys.put(g.rkey, until)
	if g.plan == nil {
		c.index.back(g.index)
	} else {
		c.index.put(g.index, until)
	}
	delete(c.groups, g.index)
	delete(c.unsettled, g)
}

func (g *group) peers() []*peer {
	out := []*peer{&g.leader}
	for _, r := range g.slots {
		out = append(out, &r.peer)
	}
	return out
}
