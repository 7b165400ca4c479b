package group

import (
	"log/slog"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
)

// Request is a request of a leader that the switch has not let through.
type Request struct {
	Src, Dst wire.Addr
	DestQP   uint32
	PSN      wire.PSN
	SrcPort  uint16
}

// Refuse answers such a request with a NAK, so that the leader's queue pair
// ends in an error instead of waiting for its time-outs.
func (c *Core) Refuse(r Request, s wire.Syndrome) {
	p := c.byQPN[r.DestQP]
	if p == nil || p.slot >= 0 || p.addr != r.Src || p.g.local != r.Dst || p.g.phase != running {
		return // a group that has just ended
	}
	c.stats.RefusedRequests++
	p.g.refused++
	if rare(p.g.refused) {
		c.note(slog.LevelWarn, "request refused", "group", p.g.index, "leader", p.addr, "psn", r.PSN, "syndrome", s, "so_far", p.g.refused)
	}
	c.emit(NAK{wire.Header{
		Src: r.Dst, Dst: r.Src, SrcPort: r.SrcPort, Opcode: wire.Acknowledge, DestQP: p.qpn, PSN: r.PSN, Syndrome: s,
	}})
}

// ReplicaNAK takes the digest of a NAK: acked is the PSN before the refused
// one, in the leader's numbering.
func (c *Core) ReplicaNAK(index uint16, slot int, s wire.Syndrome, acked wire.PSN) {
	c.stats.NAKs++
	g := c.groups[index]
	if g == nil || slot < 0 || slot >= len(g.slots) {
		return
	}
	r := g.slots[slot]
	r.naks++
	r.lastNAK, r.syndrome = acked.Add(1), s
	level := slog.LevelDebug
	if s == wire.NakInvalidRequest || s == wire.NakRemoteAccess || s == wire.NakRemoteOperational {
		level = slog.LevelWarn
		r.failed = true
	}
	if rare(r.naks) {
		c.note(level, "replica refused a packet", "group", index, "slot", slot, "replica", r.addr, "syndrome", s, "psn", r.lastNAK,
			"failed", r.failed, "so_far", r.naks)
	}
}

// rare thins out notes about what a host can cause at will: the 1st, 2nd, 4th,
// 8th... are written. All are counted.
func rare(n uint64) bool { return n&(n-1) == 0 }

// Info describes a group, for people.
type Info struct {
	Index    uint16     `json:"group"`
	Phase    string     `json:"phase"`
	Name     string     `json:"name,omitempty"` // of the static group that it is of
	Leader   string     `json:"leader"`
	LeaderID uint16     `json:"leader_id"`
	Term     uint64     `json:"term"`
	Policy   string     `json:"policy"`
	Needed   int        `json:"f"`
	BCastQP  uint32     `json:"bcast_qp"`
	Size     uint64     `json:"region_size"`
	Of       *uint16    `json:"of,omitempty"`        // a further region: of this group
	PartOf   string     `json:"part_of,omitempty"`   // a part of another switch's group: of this leader's
	Base     uint64     `json:"region_va,omitempty"` // and where the leader finds it
	StartPSN uint32     `json:"start_psn"`
	Adopted  bool       `json:"adopted,omitempty"`
	Slots    []SlotInfo `json:"slots"`
	// Forming the group: waiting for the replicas, and from the last one's answer to
	// the leader's. 0 for an adopted group.
	AwaitedReplicas time.Duration `json:"awaited_replicas_ns,omitempty"`
	AwaitedSwitch   time.Duration `json:"awaited_switch_ns,omitempty"`
}

// SlotInfo describes a replica of a group.
type SlotInfo struct {
	Slot    int    `json:"slot"`
	Replica string `json:"replica"`        // or the switch that gathers for a part of the group
	Part    int    `json:"part,omitempty"` // how many replicas that is
	Port    uint16 `json:"port"`
	QPN     uint32 `json:"qpn"`
	AggrQP  uint32 `json:"aggr_qp"`
	Delta   uint32 `json:"psn_delta"`
	NAKs    uint64 `json:"naks"`
	LastNAK string `json:"last_nak,omitempty"`
	Failed  bool   `json:"failed"`
}

// List describes all groups, in order of their indexes.
func (c *Core) List() []Info {
	out := []Info{}
	for _, i := range c.sorted() {
		out = append(out, c.groups[i].info())
	}
	return out
}

// Plan is what a group that runs was installed as, nil when there is none.
func (c *Core) Plan(index uint16) *Plan {
	if g := c.groups[index]; g != nil && g.phase == running {
		return g.plan
	}
	return nil
}

// Get describes one group.
func (c *Core) Get(index uint16) (Info, bool) {
	g := c.groups[index]
	if g == nil {
		return Info{}, false
	}
	return g.info(), true
}

func (g *group) info() Info {
	in := Info{
		Index: g.index, Phase: g.phase.String(), Name: g.name, Leader: g.leader.addr.String(), LeaderID: g.req.LeaderID, Term: g.req.Term,
		Policy: g.req.Policy.String(), Needed: g.req.Policy.Needed(len(g.slots)), BCastQP: g.leader.ownQPN, Adopted: g.leader.conn == nil,
	}
	if g.formed != 0 {
		in.AwaitedReplicas, in.AwaitedSwitch = g.replied-g.born, g.formed-g.replied
	}
	if g.plan != nil {
		in.Size, in.StartPSN, in.Needed = g.plan.Size, uint32(g.plan.StartPSN), g.plan.Needed
	}
	if g.of != (wire.Addr{}) {
		in.PartOf = g.of.String()
	}
	if g.parent != nil {
		in.Of, in.Base = &g.parent.index, g.req.RegionVA
	}
	for i, r := range g.slots {
		s := SlotInfo{Slot: i, Replica: r.addr.String(), QPN: r.qpn, AggrQP: r.ownQPN, NAKs: r.naks, Failed: r.failed}
		if g.plan != nil {
			s.Port, s.Delta = g.plan.Slots[i].Host.Port, uint32(g.plan.Delta(i))
		}
		if r.part != nil {
			s.Part = len(r.part.members)
		}
		if r.naks > 0 {
			s.LastNAK = r.syndrome.String() + " " + r.lastNAK.String()
		}
		in.Slots = append(in.Slots, s)
	}
	return in
}
