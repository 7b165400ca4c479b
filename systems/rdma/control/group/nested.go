package group

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/wire"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
)

// A static group of policy all may have more receivers than a switch has slots. Then other switches
// gather for the group's home, each for a part:
//
//	leader --- home --- h1
//	             |
//	             +----- l1 (home of a part) --- h3, h4, h5
//
// A part is a group of l1's like any other, whose leader is the home: it is made by a connection from the
// home's address to l1's, and ends with it. What it tells the home is one ACK, NAK or credit for all of its
// receivers, and what l1 loses it says as any group does. So numbers, keys, PSNs and ends need no rules of their
// own. What does not fit in that connection's private data, the receivers and what they are to be told,
// goes from core to core beforehand (Entrust, Expect).

// MaxNested is how many receivers a group has over two levels.
const MaxNested = rdmaprivate.MaxReplicas * rdmaprivate.MaxReplicas

// Part is a part of a group's receivers.
type Part struct {
	Home      wire.Addr // the switch that gathers for it; none: there is one receiver, which needs none
	Receivers []wire.Addr
}

// Nested is what the home of a part is told of it beforehand.
type Nested struct {
	Name     string    // by which the group's home asks for it
	From, To wire.Addr // the group's home, and the part's

	index   uint16 // of the group and its slot
	qpn     uint32
	leader  wire.Addr
	req     rdmaprivate.Request // the leader's
	secret  rdmaprivate.Secret  // of its cluster
	static  *Static
	private []byte
	members []member
	until   time.Duration
}

// Entrust hands a part of a group to the switch that is to gather for it: its core is to Expect it. Answer with
// Entrusted.
type Entrust struct{ Nested *Nested }

func (Entrust) output() {}

// nestedPort is the service that the home of a part is asked at. The name says which part.
const nestedPort = 1

// limit is how many receivers a static group may have.
func (c *Core) limit(policy rdmaprivate.Policy) int {
	if c.cfg.Nest == nil || policy != rdmaprivate.PolicyAll {
		return rdmaprivate.MaxReplicas
	}
	return MaxNested
}

// parts are the slots of a group that is to be formed.
func (c *Core) parts(list []member, r *rdmaprivate.Request) ([]Part, error) {
	var addrs []wire.Addr
	var each []Part
	for _, m := range list {
		addrs = append(addrs, m.Addr)
		each = append(each, Part{Receivers: []wire.Addr{m.Addr}})
	}
	switch {
	case len(list) <= rdmaprivate.MaxReplicas:
		return each, nil
	case len(list) > c.limit(r.Policy):
		return nil, fmt.Errorf("%d replicas: a group of policy %v has at most %d here", len(list), r.Policy, c.limit(r.Policy))
	}
	return c.cfg.Nest(addrs)
}

// entrust begins a slot that is another switch's to gather for.
func (c *Core) entrust(now time.Duration, g *group, rep *replica, part Part, list []member) {
	n := &Nested{
		Name: fmt.Sprintf("part-%016x", c.cfg.Rand.Uint64()), From: g.local, To: part.Home,
		index: g.index, qpn: rep.ownQPN, leader: g.leader.addr, req: g.req, secret: g.secret, static: g.static, private: g.private,
	}
	for _, a := range part.Receivers {
		for _, m := range list {
			if m.Addr == a {
				n.members = append(n.members, m)
			}
		}
	}
	rep.part, rep.port = n, nestedPort
	c.note(slog.LevelInfo, "part of a group handed to another switch", "group", g.index, "slot", rep.slot, "to", n.To, "replicas", n.members)
	c.emit(Entrust{n})
}

// Entrusted says that the home of a part expects the connection for it, or why it does not.
func (c *Core) Entrusted(now time.Duration, n *Nested, err error) {
	p := c.byQPN[n.qpn]
	if p == nil || p.g == nil || p.g.index != n.index || p.slot < 0 || p.g.phase != connecting {
		return // it has ended
	}
	g, rep := p.g, p.g.slots[p.slot]
	if rep.part != n || rep.conn != nil {
		return
	}
	var out *cm.REQ
	if err == nil {
		out, err = c.request(g, rep, g.asked, g.header)
	}
	if err != nil {
		c.finish(now, g, refusal{cm.ReasonConsumer, p.slot, fmt.Sprintf("a part of the group (%v): %v", n.To, err)})
	} else {
		rep.conn = c.agent.Connect(now, g.local, n.To, out)
		rep.conn.Data = &rep.peer
	}
	c.pump(now)
}

// Expect takes over a part of another switch's group: that switch is going to connect for it, once.
func (c *Core) Expect(now time.Duration, n *Nested) {
	for name, o := range c.expected { // who has not come will not
		if o.until <= now {
			delete(c.expected, name)
		}
	}
	e := *n
	e.until = now + c.cfg.SetupTimeout
	c.expected[n.Name] = &e
}

// nested is the part that a switch asks for, nil if it asks for none, or somebody else does.
func (c *Core) nested(now time.Duration, r *rdmaprivate.Request, from, local wire.Addr) *Nested {
	n := c.expected[r.Name]
	if r.Form != rdmaprivate.FormReference || n == nil || n.From != from || n.To != local || n.until <= now {
		return nil
	}
	delete(c.expected, r.Name)
	return n
}
