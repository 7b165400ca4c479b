package group

import (
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/p4ce/p4ce/roce/cm"
	"github.com/p4ce/p4ce/roce/cmsm"
	"github.com/p4ce/p4ce/roce/wire"
	rdmaprivate "github.com/p4ce/p4ce/systems/rdma/private"
)

// Never is a deadline that does not come.
const Never = cmsm.Never

type phase uint8

const (
	connecting phase = iota // waiting for the REPs of the replicas
	installing              // waiting for the switch
	running                 // the leader has its REP
	removing                // waiting for the switch, or about to be gone
)

func (p phase) String() string {
	return [...]string{"connecting", "installing", "running", "removing"}[p]
}

// job is what the switch has been asked to do for a group.
type job uint8

const (
	idle job = iota
	install
	remove
)

// peer is a side of a group: the leader (slot -1) or a replica. Its connection
// is one of the agent, or one that an earlier controller made.
type peer struct {
	g       *group
	slot    int
	addr    wire.Addr
	conn    *cmsm.Conn
	adopted *ConnRecord
	qpn     uint32 // the peer's
	ownQPN  uint32 // the switch's: BCastQP or AggrQP
}

// replica is what the controller knows of a slot.
type replica struct {
	peer
	port     uint16
	part     *Nested               // what the switch gathers that this is; nil: it is a server
	prover   *rdmaprivate.Prover   // of the cluster's token to it, while the group is formed; nil: none is wanted
	exchange *rdmaprivate.Exchange // of the request to the part's home; nil: there is no token
	answered bool
	region   rdmaprivate.Region
	startPSN wire.PSN
	failed   bool // it has refused a request for good
	naks     uint64
	lastNAK  wire.PSN
	syndrome wire.Syndrome
}

// group is a group from its REQ until the switch has forgotten it.
type group struct {
	index    uint16
	phase    phase
	name     string                // of the static group that it is of, if it is
	static   *Static               // the same, while it is formed
	parent   *group                // of a further region: the group; its end is this one's, too
	private  []byte                // made: the sender's
	replies  []byte                // made: the first receiver's
	of       wire.Addr             // of a part of a group: the group's leader; this one's is the group's home
	secret   rdmaprivate.Secret    // of its cluster
	exchange *rdmaprivate.Exchange // while it is formed: by what the leader is answered
	asked    *cm.REQ               // while it is formed: the leader's
	header   cm.IPHeader
	lingers  bool // made: a receiver has left
	left     int  // replicas that have left
	job      job
	onSwitch bool // something of it may be there
	answered bool // the leader has got its REP
	saved    bool
	local    wire.Addr
	at       uint16 // port that the leader was on when it asked
	leader   peer
	req      rdmaprivate.Request
	slots    []*replica
	rkey     uint32
	plan     *Plan // from installing on
	born     time.Duration
	replied  time.Duration // when the last replica had answered
	formed   time.Duration // when the leader was answered
	mraAt    time.Duration
	deadline time.Duration
	retryAt  time.Duration
	refused  uint64 // requests of the leader that the switch did not let through
	end      refusal
	held     []cmsm.Outgoing // answers that wait until the switch has forgotten the group
}

// refusal is why a group ends, as the leader is told.
type refusal struct {
	reason cm.Reason
	slot   int
	text   string
}

// Stats counts what happened to groups.
type Stats struct {
	// Requested are all requests; Challenged those of them that had no proof, and were asked for one.
	Requested, Challenged, Refused, Formed, Failed, Dissolved, Adopted uint64
	// Strangers are those who have answered in a replica's place, and did not prove that they know the cluster's token.
	Strangers             uint64
	NAKs, RefusedRequests uint64
	CM                    cmsm.Counters
	// Of the groups that were formed: waiting for replicas, and from the last one's
	// answer to that of the leader, which is the controller's and the switch's own.
	AwaitedReplicas, AwaitedSwitch time.Duration
}

// Core holds all groups of one switch.
type Core struct {
	cfg    Config
	dir    Directory
	agent  *cmsm.Agent
	groups map[uint16]*group
	static map[string]*Static
	byQPN  map[uint32]*peer // by the switch's queue pair number
	// unsettled are the groups that have a deadline.
	unsettled  map[*group]bool
	closing    map[uint32]*closing
	expected   map[string]*Nested // parts of other switches' groups, by name
	challenger *rdmaprivate.Challenger
	index      *indexes
	qpns       *numbers
	keys       *numbers
	out        []Output
	stats      Stats
	anyPipe    bool
}

// AnyPipe says whether a group's replicas may be on other pipes of the chip than its leader.
func (c *Core) AnyPipe(yes bool) { c.anyPipe = yes }

// New makes a core without groups.
func New(cfg Config, dir Directory) *Core {
	cfg.setDefaults()
	return &Core{
		cfg: cfg, dir: dir, agent: cmsm.NewAgent(cfg.CM),
		groups: map[uint16]*group{}, static: map[string]*Static{}, byQPN: map[uint32]*peer{}, unsettled: map[*group]bool{}, closing: map[uint32]*closing{}, expected: map[string]*Nested{},
		challenger: newChallenger(&cfg),
		index:      newIndexes(),
		qpns:       &numbers{lo: firstQPN, hi: wire.QPNMask - 1, rnd: cfg.Rand, used: map[uint32]bool{}},
		keys:       &numbers{lo: 1, hi: 1<<32 - 1, rnd: cfg.Rand, used: map[uint32]bool{}},
	}
}

// Reserve takes a group's number for somebody else's use of it: a relay of another switch's
// group. ok is false when none is left.
func (c *Core) Reserve(now time.Duration) (index uint16, ok bool) { return c.index.get(now) }

// Take does so with a number that is in use already: of a relay that has been found.
func (c *Core) Take(index uint16) { c.index.take(index) }

// Release gives it back.
func (c *Core) Release(now time.Duration, index uint16) {
	c.index.put(index, now+c.cfg.Quarantine)
}

// Poll takes the next output.
func (c *Core) Poll() (Output, bool) {
	if len(c.out) == 0 {
		return nil, false
	}
	o := c.out[0]
	c.out = c.out[1:]
	return o, true
}

func (c *Core) emit(o Output) { c.out = append(c.out, o) }

func (c *Core) note(l slog.Level, text string, args ...any) { c.emit(Note{l, text, args}) }

// Stats returns the counters.
func (c *Core) Stats() Stats {
	s := c.stats
	s.CM = c.agent.Counters()
	return s
}

// Receive takes a CM message that came from remote, addressed to local, an
// address of the switch.
func (c *Core) Receive(now time.Duration, local, remote wire.Addr, tid uint64, m cm.Message) {
	if !c.receiveAdopted(now, local, remote, tid, m) {
		c.agent.Receive(now, local, remote, tid, m)
	}
	c.pump(now)
}

// Deadline is when Tick must be called next.
func (c *Core) Deadline() time.Duration {
	at := c.agent.Deadline()
	for g := range c.unsettled {
		at = min(at, g.due())
	}
	for _, cl := range c.closing {
		at = min(at, cl.next)
	}
	return at
}

// due is the group's own next deadline.
func (g *group) due() time.Duration {
	switch {
	case g.phase == connecting || g.phase == installing:
		return min(g.mraAt, g.deadline)
	case g.phase == running && g.lingers:
		return g.deadline
	case g.phase == removing && g.job == idle && g.onSwitch:
		return g.retryAt
	}
	return Never
}

// Tick handles everything that is due.
func (c *Core) Tick(now time.Duration) {
	c.agent.Tick(now)
	for _, g := range c.due(now) {
		switch {
		case g.phase == removing:
			c.startRemove(g)
		case g.phase == running:
			c.finish(now, g, g.end)
		case g.deadline <= now:
			c.finish(now, g, refusal{cm.ReasonConsumer, g.slowest(), "the group could not be formed in time: " + g.waitsFor()})
		case g.mraAt <= now:
			g.mraAt = Never
			// The leader may have gone by now; then an event says so.
			_ = g.leader.conn.Delay(now, g.deadline-now)
		}
	}
	c.tickClosing(now)
	c.pump(now)
}

// due lists the groups whose deadline has come, in order of their index.
func (c *Core) due(now time.Duration) []*group {
	var out []*group
	for g := range c.unsettled {
		if g.due() <= now {
			out = append(out, g)
		}
	}
	slices.SortFunc(out, func(a, b *group) int { return int(a.index) - int(b.index) })
	return out
}

// slowest is the first slot that has not answered, -1 when all have.
func (g *group) slowest() int {
	return slices.IndexFunc(g.slots, func(r *replica) bool { return !r.answered })
}

func (g *group) waitsFor() string {
	if i := g.slowest(); i >= 0 {
		return fmt.Sprintf("replica %d (%v) has not answered", i, g.slots[i].addr)
	}
	return "the switch has not answered"
}

// pump handles what the connections have to say.
func (c *Core) pump(now time.Duration) {
	for {
		if e, ok := c.agent.PollEvent(); ok {
			c.handle(now, e)
			continue
		}
		m, ok := c.agent.PollMessage()
		if !ok {
			return
		}
		if g := c.holder(m); g != nil {
			g.hold(m)
			continue
		}
		s := Send{Outgoing: m}
		if req, ok := m.Message.(*cm.REQ); ok {
			if p := c.byQPN[req.LocalQPN]; p != nil {
				s.Forms, s.Behalf = true, p.g.at
			}
		}
		c.emit(s)
	}
}

// lastWord is the comm id of a message that ends a connection, 0 for any other.
func lastWord(m cm.Message) uint32 {
	switch m := m.(type) {
	case *cm.DREP:
		return m.LocalCommID
	case *cm.REJ:
		return m.LocalCommID
	}
	return 0
}

// holder is the group whose entries must be gone before a message may be sent:
// whoever hears that a connection has ended may use its queue pair for something
// else.
func (c *Core) holder(m cmsm.Outgoing) *group {
	conn := c.agent.Conn(lastWord(m.Message))
	if conn == nil {
		return nil
	}
	if p, ok := conn.Data.(*peer); ok && p.g != nil && p.g.onSwitch {
		return p.g
	}
	return nil
}

// hold keeps one answer per connection.
func (g *group) hold(m cmsm.Outgoing) {
	for i, h := range g.held {
		if lastWord(h.Message) == lastWord(m.Message) {
			g.held[i] = m
			return
		}
	}
	g.held = append(g.held, m)
}

// handle turns what happened to a connection into what it means for its group.
func (c *Core) handle(now time.Duration, e cmsm.Event) {
	if e.Kind == cmsm.Requested {
		c.requested(now, e.Conn, e.REQ)
		return
	}
	p, ok := e.Conn.Data.(*peer)
	if !ok || p.g == nil {
		return // of a group that is gone already
	}
	g := p.g
	who := fmt.Sprintf("replica %d (%v)", p.slot, p.addr)
	if p.slot < 0 {
		who = fmt.Sprintf("the leader (%v)", p.addr)
	}
	end := refusal{reason: cm.ReasonConsumer, slot: p.slot}
	switch e.Kind {
	case cmsm.Accepted:
		c.replied(now, g, g.slots[p.slot], e.REP)
		return
	case cmsm.Established:
		c.note(slog.LevelInfo, "leader connected", "group", g.index, "leader", g.leader.addr)
		return
	case cmsm.Rejected:
		if p.slot >= 0 {
			again, err := c.challenged(now, g.slots[p.slot], e.Private)
			if err != nil && g.phase == connecting {
				c.stranger(now, g, p, err)
			}
			if again || err != nil {
				return
			}
		}
		end.text = fmt.Sprintf("%s refused: %v", who, e.Reason)
		if r, err := rdmaprivate.ParseRefusal(e.Private); err == nil && r.Text != "" {
			end.text = g.refusedBy(who, r)
		}
	case cmsm.TimedOut:
		end.text = who + " does not answer"
	case cmsm.Disconnected:
		end.text = who + " has disconnected"
		c.leaves(now, p, end)
		return
	case cmsm.Stale:
		end.text = who + " has forgotten the connection"
	default:
		return
	}
	c.finish(now, g, end)
}

// leaves is what it means that a side has disconnected. What a receiver of a static group, or of a part of a group,
// has acknowledged still counts. A group whose replicas suffice without the one goes on: its leader hears of the
// replica by itself, and forms another group beside this one, without a pause.
func (c *Core) leaves(now time.Duration, p *peer, end refusal) {
	g := p.g
	switch {
	case p.slot < 0 || g.phase != running:
		c.finish(now, g, end)
	case g.name != "" || g.of != wire.Addr{}:
		c.linger(now, g, end)
	case len(g.slots)-g.left > g.plan.Needed:
		g.left++
		c.note(slog.LevelInfo, "replica leaves: the others suffice", "group", g.index, "why", end.text)
	default:
		c.finish(now, g, end)
	}
}

// Remove dissolves a group on an administrator's behalf.
func (c *Core) Remove(now time.Duration, index uint16) error {
	g := c.groups[index]
	if g == nil {
		return fmt.Errorf("group %d: does not exist", index)
	}
	c.finish(now, g, refusal{cm.ReasonConsumer, -1, "dissolved by an administrator"})
	c.pump(now)
	return nil
}

// Uses reports whether a host is part of a group that runs.
func (c *Core) Uses(a wire.Addr) bool {
	for _, g := range c.groups {
		if g.plan != nil && g.plan.uses(a) {
			return true
		}
	}
	return false
}

// HostMoved says that a host is attached elsewhere.
func (c *Core) HostMoved(now time.Duration, a wire.Addr) {
	c.relocate(now, func(p *Plan) bool { return p.uses(a) })
}

// HostsMoved says that any hosts may be attached elsewhere.
func (c *Core) HostsMoved(now time.Duration) { c.relocate(now, func(*Plan) bool { return true }) }

func (c *Core) relocate(now time.Duration, which func(*Plan) bool) {
	for _, i := range c.sorted() {
		g := c.groups[i]
		if g.plan == nil || g.phase != running || !which(g.plan) {
			continue
		}
		n := g.plan.relocated(c.dir)
		if n == nil {
			continue
		}
		err := c.checkPipes(n)
		if from, to := g.plan.Leader.Host, n.Leader.Host; err == nil && from.Pipe != to.Pipe {
			err = fmt.Errorf("the leader %v moved from port %d to port %d, which is on pipe %d and not on pipe %d: what its group holds is there", n.Leader.Addr, from.Port, to.Port, to.Pipe, from.Pipe)
		}
		if err != nil && g.parent == nil {
			c.finish(now, g, refusal{cm.ReasonConsumer, -1, err.Error()})
			continue
		}
		c.note(slog.LevelInfo, "hosts of a group moved", "group", g.index)
		c.emit(Update{g.plan, n})
		g.plan = n
	}
}

func (c *Core) sorted() []uint16 {
	out := make([]uint16, 0, len(c.groups))
	for i := range c.groups {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}
