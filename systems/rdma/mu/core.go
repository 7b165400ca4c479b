package mu

import (
	"slices"
	"time"
)

// Core is the protocol of one server. Its methods are called by one goroutine.
//
// Invariants:
//  1. Permission: the log is written by promised.Leader() only, and by nobody once a
//     higher term is promised.
//  2. Entries below decided are held by this leader and f peers in this term, or were
//     applied somewhere.
//  3. No byte of the ring is overwritten that belongs to an entry which a live peer,
//     or this server, has not applied, or which an outstanding WRITE reads.
type Core struct {
	cfg Config
	env Env
	geo Geometry
	now time.Duration

	members   []Member
	membersAt uint64  // position behind the entry that they come from
	peers     []*peer // members and learners except this server
	learner   *Member // being added
	also      *Member // may have been added; a candidate whose members have forgotten asks it

	// Own state, published in the status block.
	state       State
	promised    Term
	grantedSeq  uint64
	leaderLife  uint64 // incarnation of the server that has permission
	permission  Permission
	heartbeat   uint64
	incarnation uint64 // 0 before it is known
	muted       time.Duration
	removed     bool // was a member, and is no longer
	nextBeat    time.Duration
	nextLook    time.Duration // at the others' heartbeats
	ownLate     int           // the most looks that this server was late by, of late
	statusDirty bool

	// The log as this server applies it; see follower.go.
	head, headIndex       uint64 // applied
	emitted, emittedIndex uint64 // given to Env.Apply
	seen, seenIndex       uint64 // complete up to here
	commit                uint64 // position: everything that ends here or before is decided
	low                   uint64
	fetching              bool
	strandedAt            time.Duration // the last time that there was a leader
	ledAt                 time.Duration // the same, or a campaign of this server
	fetchFrom             ID
	journaled             uint64 // given to Env.Log up to here, in the promised term
	logged                uint64 // on disk up to here
	kept                  uint64 // no entry that ends after this was ever on disk
	announced             [MaxID + 1]uint64
	carried               bool // Config.Stored belongs to a life with Config.Durable, and still counts if this life ends
	room                  Room
	silent                bool // its disk has failed: nobody may rely on anything that it says from now on
	scratch               []byte
	lastRequest           [MaxID + 1][requestLen]byte

	role     Role
	maxTerm  Term // seen anywhere
	camp     campaign
	lead     leadership
	backoff  time.Duration // no campaign before this
	failures int
	reqSeq   uint64
	reported Status
	holds    [MaxID + 1]hold
	lease    lease

	recover recovery
}

// New returns a core. Peers do not know the regions yet; make them known after New returns. They are
// zeroed, except for what Replay has put into the log.
func New(cfg Config, env Env) (*Core, error) {
	cfg.setDefaults()
	geo, err := NewGeometry(len(cfg.Log.Bytes()))
	if err != nil {
		return nil, err
	}
	if len(cfg.Members) > 0 {
		if err := CheckMembers(cfg.Members); err != nil {
			return nil, err
		}
	}
	c := &Core{
		cfg: cfg, env: env, geo: geo, state: Recovering,
		head: cfg.Position, headIndex: cfg.Index, low: cfg.Position, commit: cfg.Position,
		journaled: cfg.Position, logged: cfg.Position, kept: max(cfg.Kept, cfg.Position),
	}
	c.emitted, c.emittedIndex, c.seen, c.seenIndex = c.head, c.headIndex, c.head, c.headIndex
	c.permission.None = true
	c.env.Permit(c.permission)
	switch c.lease.stored = cfg.Stored.Lease; {
	case !cfg.Stored.Full:
		// Its disk says only that this incarnation, if any, is over.
		c.cfg.Incarnation = max(c.cfg.Incarnation, cfg.Stored.Incarnation+1)
	case cfg.Durable && len(cfg.Members) == 0:
		c.unjoined(cfg.Stored)
	case cfg.Durable:
		c.resume(cfg.Stored)
	default:
		c.carry(cfg.Stored)
	}
	c.setMembers(cfg.Members)
	c.publish()
	return c, nil
}

// setMembers takes a membership into use.
func (c *Core) setMembers(members []Member) {
	was := c.isMember()
	c.members = slices.Clone(members)
	c.removed = (was || c.removed) && !c.isMember()
	if c.learner != nil && hasMember(members, c.learner.ID) {
		c.learner = nil
	}
	c.also = nil
	c.connect()
}

// connect makes peers of all members, of the learner, and of a server that may have been added.
func (c *Core) connect() {
	want := slices.Clone(c.members)
	for _, m := range []*Member{c.learner, c.also} {
		if m != nil && !hasMember(want, m.ID) {
			want = append(want, *m)
		}
	}
	var peers []*peer
	var others []Member
	for _, m := range want {
		if m.ID == c.cfg.ID {
			continue
		}
		others = append(others, m)
		if p := c.peer(m.ID); p != nil {
			peers = append(peers, p)
		} else {
			peers = append(peers, &peer{id: m.ID})
		}
	}
	for _, p := range c.peers {
		if !slices.Contains(peers, p) {
			p.live = false
			for r := range Routes { // Env.Connect ends its paths
				p.ctl[r].reset()
				p.rep[r].reset()
			}
		}
	}
	slices.SortFunc(peers, func(a, b *peer) int { return int(a.id) - int(b.id) })
	c.peers = peers
	for _, p := range c.peers {
		p.member = hasMember(c.members, p.id)
	}
	c.env.Connect(others)
}

func (c *Core) peer(id ID) *peer {
	for _, p := range c.peers {
		if p.id == id {
			return p
		}
	}
	return nil
}

// majority is a number of servers such that any two sets of this size have one in common.
func (c *Core) majority() int {
	return len(c.members)/2 + 1
}

// need is f, the number of peers that must hold an entry beside the leader.
func (c *Core) need() int {
	if !c.isMember() {
		return c.majority() // it was removed, and hands over
	}
	return max(c.majority()-1, 0)
}

func (c *Core) isMember() bool { return hasMember(c.members, c.cfg.ID) }

// publish writes the status block.
func (c *Core) publish() {
	if c.statusDirty = false; c.silent {
		return
	}
	s := status{
		cluster: c.cfg.Cluster, heartbeat: c.heartbeat, incarnation: c.incarnation, promised: c.promised, seq: c.grantedSeq,
		head: c.head, headIndex: c.headIndex, low: c.low, state: c.state, route: c.permission.Route, minGen: c.permission.MinGen,
		logged: c.logged, durable: c.cfg.Durable, announced: announcements(&c.announced), leased: c.lease.seen, lease: c.cfg.Lease, kept: c.kept, life: c.cfg.Life,
		idle: c.role == Follower && c.promised.Leader() == c.cfg.ID, room: c.room, carries: c.carried, resigns: c.now < c.muted,
	}
	c.cfg.Election.Access(func(b []byte) { s.encode(b) })
}

// Tick tells the time, which never goes back. Call it at least every millisecond or so while there is
// anything to do.
func (c *Core) Tick(now time.Duration) {
	c.now = now
	c.beginLease()
	c.beat()
	if now >= c.nextLook {
		c.noteLate()
		c.nextLook = now + c.cfg.HeartbeatEvery
		c.detect()
	}
	c.readAnnouncements()
	c.readRequests()
	c.follow()
	c.recoverStep()
	switch c.role {
	case Follower:
		c.considerCampaign()
		c.stranded()
	case Candidate:
		c.campaignStep()
	case Leader:
		c.leadStep()
	}
	c.leaseStep()
	if c.statusDirty {
		c.publish()
	}
	c.report()
}

// Poll looks at what peers have written into this server's regions. Call it when they have written.
func (c *Core) Poll(now time.Duration) {
	c.now = now
	c.beginLease()
	c.beat()
	c.readAnnouncements()
	c.readRequests()
	c.follow()
	if c.statusDirty {
		c.publish()
	}
	c.report()
}

// Up reports that a path is connected.
func (c *Core) Up(now time.Duration, path Path) {
	c.now = now
	if path.Kind == Group {
		c.groupUp(path.Gen)
		return
	}
	p := c.peer(path.Peer)
	if p == nil {
		return
	}
	l := p.link(path)
	l.reset()
	l.up = true
	if path.Kind == Control {
		p.newControl()
	}
	if path.Kind == Replication && c.role != Follower && !p.live && !p.asked {
		c.ask(p)
	}
}

// Down reports that a path has ended. The operations posted on it have an unknown outcome.
func (c *Core) Down(now time.Duration, path Path) {
	c.now = now
	c.down(path)
	if path.Kind == Control && c.role == Follower {
		// If that was the leader, there is no need to wait for the next Tick. But a server that has
		// already asked is answered first.
		c.readRequests()
		c.considerCampaign()
		if c.statusDirty {
			c.publish()
		}
	}
	c.report()
}

func (c *Core) down(path Path) {
	if path.Kind == Group {
		c.groupDown(path.Gen)
		return
	}
	p := c.peer(path.Peer)
	if p == nil {
		return
	}
	l := p.link(path)
	if !l.up {
		return
	}
	l.up = false
	if path.Kind == Control {
		l.reset()
		if path.Route == p.ctlRoute {
			p.newControl()
			if c.role == Candidate && slices.Contains(c.camp.voters, p) {
				c.giveUp("server %d is lost", p.id)
			}
			if p.asked && !p.granted {
				p.asked = false
			}
		}
		if p.control() == nil {
			// Nothing has been answered for as long as the transport tries.
			p.silent()
			c.judge(p)
		}
		// What has ended one connection on this route has probably ended the other one, too. The other
		// one would notice only after long retries. If it carries nothing, it would notice only when
		// it is needed, by which time the peer may have restarted.
		if r := &p.rep[path.Route]; r.up && r.open() == 0 {
			r.reset()
			c.env.Reset(Path{Peer: p.id, Kind: Replication, Route: path.Route})
			if path.Route == p.route {
				c.lostPath(p)
			}
			return
		}
		if c.role == Leader && path.Route == p.route && p.elsewhere() {
			c.lostPath(p)
		}
		return
	}
	if path.Route == p.route {
		c.lostPath(p)
	}
	l.reset()
}

// Done reports that the n oldest operations on a path, of those not reported yet, have been executed.
func (c *Core) Done(now time.Duration, path Path, n int) {
	c.now = now
	c.beat()
	if path.Kind == Group {
		if g := &c.lead.group; c.role == Leader && g.state != groupNone && g.gen == path.Gen {
			for range n {
				c.wrote(nil, &g.track, g.link.pop())
			}
			c.progress()
		} else if o := &c.lead.old; o.up {
			for range n {
				o.pop()
			}
		}
		return
	}
	p := c.peer(path.Peer)
	if p == nil {
		return
	}
	l := p.link(path)
	if !l.up {
		return
	}
	for range n {
		op := l.pop()
		if path.Kind == Control {
			c.controlDone(p, op)
			c.leaseStep()
		} else if path.Route == p.route && c.role == Leader {
			c.wrote(p, &p.track, op)
		}
	}
	switch {
	case path.Kind == Control:
		c.report() // it may lead now
	case path.Kind == Replication && c.role == Leader:
		c.progress()
	}
}
