package mu

import (
	"encoding/binary"
	"slices"
	"time"
)

// Role is what a server does.
type Role uint8

// The roles.
const (
	Follower Role = iota
	Candidate
	Leader
)

func (r Role) String() string { return [...]string{"follower", "candidate", "leader"}[r] }

// Mode is how a leader reaches its peers.
type Mode uint8

// The modes.
const (
	Direct      Mode = iota // one WRITE per peer
	Accelerated             // one WRITE to the switch
)

func (m Mode) String() string { return [...]string{"direct", "accelerated"}[m] }

// Status is a server's view of the cluster.
type Status struct {
	Role   Role
	Mode   Mode
	State  State
	Term   Term // the highest promised
	Leader ID   // who is followed, if Known
	Known  bool
	// Index and Position are where the state machine is, Commit is the position up to
	// which entries are known to be decided, and Tail where the leader's log ends.
	Index, Position, Commit, Tail uint64
	Confirmed                     int // peers that hold what the leader decides by
	Members                       []Member
}

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

	members []Member
	peers   []*peer // members and learners but this server
	learner *Member // being added

	// Own state, published in the status block.
	state       State
	promised    Term
	grantedSeq  uint64
	leaderLife  uint64 // incarnation of the server that has permission
	permission  Permission
	heartbeat   uint64
	incarnation uint64 // 0 before it is known
	muted       time.Duration
	removed     bool // was a member, and is none any more
	nextBeat    time.Duration
	statusDirty bool

	// The log as this server applies it; see follower.go.
	head, headIndex       uint64 // applied
	emitted, emittedIndex uint64 // given to Env.Apply
	seen, seenIndex       uint64 // complete up to here
	commit                uint64 // position: what ends there or before is decided
	low                   uint64
	fetching              bool
	strandedAt            time.Duration // there was a leader then
	fetchFrom             ID
	synced                uint64
	durable               uint64
	scratch               []byte
	lastRequest           [MaxID + 1][requestLen]byte

	role     Role
	maxTerm  Term // seen anywhere
	camp     campaign
	lead     leadership
	backoff  time.Duration // no campaign before
	failures int
	reqSeq   uint64
	reported Status
	holds    [MaxID + 1]hold

	recover recovery
}

// hold keeps ring space for a server that takes a snapshot.
type hold struct {
	pos   uint64
	until time.Duration
}

// New makes a core. The regions are zeroed and unknown to peers; after New they may be
// made known.
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
		head: cfg.Position, headIndex: cfg.Index, low: cfg.Position, commit: cfg.Position, synced: cfg.Index,
	}
	c.emitted, c.emittedIndex, c.seen, c.seenIndex = c.head, c.headIndex, c.head, c.headIndex
	c.permission.None = true
	c.env.Permit(c.permission)
	if cfg.Weak == WeakAmnesia {
		c.state = Full
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
	c.connect()
}

// connect makes peers of all members and the learner.
func (c *Core) connect() {
	want := c.members
	if c.learner != nil {
		want = append(slices.Clone(want), *c.learner)
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
			peers = append(peers, newPeer(m.ID))
		}
	}
	for _, p := range c.peers {
		if !slices.Contains(peers, p) {
			p.live = false
			for r := range Routes { // its paths end with Env.Connect
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

// majority is the number of servers that no other such number can avoid.
func (c *Core) majority() int {
	if c.cfg.Weak == WeakMajority {
		return (len(c.members) + 1) / 2
	}
	return len(c.members)/2 + 1
}

// need is f, the number of peers that must hold an entry beside the leader.
func (c *Core) need() int {
	if c.cfg.Weak == WeakAll {
		return len(c.members) - 1
	}
	if !c.isMember() {
		return c.majority() // it was removed, and hands over
	}
	return max(c.majority()-1, 0)
}

func (c *Core) isMember() bool { return hasMember(c.members, c.cfg.ID) }

// publish writes the status block.
func (c *Core) publish() {
	c.statusDirty = false
	s := status{
		cluster: c.cfg.Cluster, heartbeat: c.heartbeat, incarnation: c.incarnation, promised: c.promised, seq: c.grantedSeq,
		head: c.head, headIndex: c.headIndex, low: c.low, state: c.state, route: c.permission.Route, minGen: c.permission.MinGen,
		synced: c.synced,
	}
	c.cfg.Election.Access(func(b []byte) { s.encode(b) })
}

// Tick tells the time, which never goes back. It is called at least every
// millisecond or so while there is anything to do.
func (c *Core) Tick(now time.Duration) {
	c.now = now
	if now >= c.nextBeat {
		c.nextBeat = now + c.cfg.HeartbeatEvery
		if now >= c.muted && (!c.removed || c.role == Leader) {
			c.heartbeat++ // who was removed must not seem to be the one that should lead
		}
		c.statusDirty = true
		c.detect()
	}
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
	if c.statusDirty {
		c.publish()
	}
	c.report()
}

// Poll looks at what peers have written into this server's regions. It is called
// when they have.
func (c *Core) Poll(now time.Duration) {
	c.now = now
	c.readRequests()
	c.follow()
	if c.statusDirty {
		c.publish()
	}
	c.report()
}

// report tells the environment when something has changed that others may know.
func (c *Core) report() {
	s := c.Status()
	r := &c.reported
	if s.Role == r.Role && s.Mode == r.Mode && s.Leader == r.Leader && s.Known == r.Known && s.Term == r.Term && s.State == r.State {
		return
	}
	c.reported = s
	c.env.Role(s)
}

// Status returns a snapshot.
func (c *Core) Status() Status {
	s := Status{
		Role: c.role, State: c.state, Term: c.promised, Index: c.headIndex, Position: c.head, Commit: c.commit,
		Leader: c.promised.Leader(), Known: c.promised != 0, Members: c.members,
	}
	switch c.role {
	case Leader:
		s.Mode, s.Tail, s.Commit, s.Confirmed = c.lead.mode, c.lead.tail, c.lead.decided, c.confirmed()
	case Candidate:
		s.Known = false
	default:
		if p := c.peer(s.Leader); s.Known && (p == nil || !p.alive) {
			s.Known = false
		}
	}
	return s
}

// Up says that a path has been connected.
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
		p.announced = announceNone
		p.read = readIdle
	}
	if path.Kind == Replication && c.role != Follower && !p.live && !p.asked {
		c.ask(p)
	}
}

// Down says that a path has ended. What was posted on it has an unknown outcome.
func (c *Core) Down(now time.Duration, path Path) {
	c.now = now
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
			p.read = readIdle
			p.announced = announceNone
			if c.role == Candidate && slices.Contains(c.camp.voters, p) {
				c.giveUp("server %d is lost", p.id)
			}
			if p.asked && !p.granted {
				p.asked = false
			}
		}
		if p.control() == nil {
			// Nothing has been answered for as long as the transport tries.
			p.score = min(p.score, scoreDead-1)
			c.judge(p)
		}
		// What has ended one connection on this route has probably ended the other
		// one too, which would find out only when it has retried long enough.
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

// Done says that the n operations posted first on a path, of those not reported
// yet, have been executed.
func (c *Core) Done(now time.Duration, path Path, n int) {
	c.now = now
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
		} else if path.Route == p.route && c.role == Leader {
			c.wrote(p, &p.track, op)
		}
	}
	if path.Kind == Replication && c.role == Leader {
		c.progress()
	}
}

// pending is what an operation was posted for.
type pending struct {
	kind  pendingKind
	value uint64
}

type pendingKind uint8

const (
	opNone     pendingKind = iota
	opEntries              // value: position behind them
	opCommit               // commit position alone
	opProbe                // value: number of the probe
	opStatus               // READ of status block, and incarnations
	opRequest              // value: seq
	opVector               // recovery: READ of incarnations
	opAnnounce             // recovery: WRITE of own incarnation
	opPromise              // recovery: READ of status
	opLog                  // READ of log
	opCheck                // READ of status behind it
	opPing                 // READ of the heartbeat; value: route
)

// link is one path.
type link struct {
	up    bool
	ops   []pending
	first int
}

func (l *link) reset() { l.ops, l.first, l.up = l.ops[:0], 0, false }

func (l *link) push(p pending) {
	if l.first > 0 && len(l.ops) == cap(l.ops) {
		n := copy(l.ops, l.ops[l.first:])
		l.ops, l.first = l.ops[:n], 0
	}
	l.ops = append(l.ops, p)
}

func (l *link) pop() pending {
	if l.first == len(l.ops) {
		return pending{}
	}
	p := l.ops[l.first]
	if l.first++; l.first == len(l.ops) {
		l.ops, l.first = l.ops[:0], 0
	}
	return p
}

func (l *link) open() int { return len(l.ops) - l.first }

// peer is another server as this one sees it.
type peer struct {
	id     ID
	member bool // else a learner
	ctl    [Routes]link
	rep    [Routes]link

	// Control.
	ctlRoute  uint8
	read      readState
	statusBuf [offRequest]byte
	st        status // as last read
	head      uint64 // as last read while it followed this leader
	stAt      time.Duration
	vector    [MaxID + 1]uint64
	score     int
	beat      uint64
	alive     bool
	announced announceState
	promiser  State // what it was when its promise was read
	announce  [8]byte
	promise   [statusLen]byte
	wantRead  bool // again, as soon as the last one is done

	// For a candidate or leader.
	asked   bool   // a request of this term has been sent
	seq     uint64 // of the last request
	askAt   time.Duration
	granted bool // of the last request
	read2   bool // status and incarnations were read after that
	full    bool // counts
	route   uint8

	logBuf  []byte
	logOpen int // READs outstanding
	check   [statusLen]byte
	ping    [Routes][8]byte
	voted   uint64 // incarnation that took part in the adoption

	track
	evidence   uint64 // probe that shows that others still follow; 0 none wanted
	fullFrom   uint64 // held up to here, it is full; 0 unknown
	fullAsked  bool
	snapAsked  bool
	lagSince   time.Duration
	lagHead    uint64
	direct     bool // accelerated mode: gets entries by its own path too
	inGroup    bool
	minGen     uint16 // of the last request
	wantGen    uint16 // this peer shall take nothing from groups of lower generations
	floor      uint64 // the ring is not used again from here on before it has said so
	fenced     bool   // has confirmed wantGen, and leadership.minGen
	commitBuf  [commitLen]byte
	unreliable time.Duration // no member of a group before
	liveSince  time.Duration
	notBefore  time.Duration // not asked again before
}

type readState uint8

const (
	readIdle readState = iota
	readOpen
)

type announceState uint8

const (
	announceNone announceState = iota
	announceVector
	announceWriting
	announceReading
	announceDone
)

func newPeer(id ID) *peer { return &peer{id: id} }

func (p *peer) link(path Path) *link {
	if path.Kind == Control {
		return &p.ctl[path.Route]
	}
	return &p.rep[path.Route]
}

// control returns the control path to use, nil if there is none. Operations under
// way on another are abandoned.
func (p *peer) control() *link {
	if p.ctl[p.ctlRoute].up {
		return &p.ctl[p.ctlRoute]
	}
	for r := range p.ctl {
		if p.ctl[r].up {
			p.ctlRoute = uint8(r)
			p.read = readIdle
			p.announced = announceNone
			return &p.ctl[r]
		}
	}
	return nil
}

// replication returns the route to write the log by: the one in use, if both of its
// paths are up, or another such one, or whatever is up.
func (p *peer) replication() (route uint8, ok bool) {
	if p.rep[p.route].up && p.ctl[p.route].up {
		return p.route, true
	}
	for r := range p.rep {
		if p.rep[r].up && p.ctl[r].up {
			return uint8(r), true
		}
	}
	for r := range p.rep {
		if p.rep[r].up {
			return uint8(r), true
		}
	}
	return 0, false
}

// elsewhere reports whether both paths of a route other than the one in use are up.
func (p *peer) elsewhere() bool {
	for r := range p.rep {
		if uint8(r) != p.route && p.rep[r].up && p.ctl[r].up {
			return true
		}
	}
	return false
}

// postControl posts on the control path; false if there is none.
func (c *Core) postControl(p *peer, kind pendingKind, value uint64, read bool, region Region, off uint64, data []byte) bool {
	l := p.control()
	if l == nil {
		return false
	}
	l.push(pending{kind, value})
	c.env.Post(Op{Path: Path{Peer: p.id, Kind: Control, Route: p.ctlRoute}, Read: read, Region: region, Offset: off, Data: data})
	return true
}

// controlDone handles an operation of the control path.
func (c *Core) controlDone(p *peer, op pending) {
	switch op.kind {
	case opStatus:
		p.read = readIdle
		c.statusRead(p)
		if p.wantRead {
			c.readStatus(p)
		}
	case opRequest:
		c.readStatus(p)
	case opVector, opAnnounce, opPromise:
		c.recoverDone(p, op.kind)
	case opPing:
		if beat := binary.LittleEndian.Uint64(p.ping[op.value][:]); p.st.cluster == c.cfg.Cluster && beat > p.st.heartbeat {
			p.st.heartbeat = beat
		}
	case opLog, opCheck:
		p.logOpen--
		if op.kind == opCheck && c.role == Candidate {
			c.checked(p)
		}
		if c.role == Candidate && p.logOpen == 0 {
			c.campaignStep()
		}
	}
}

// readStatus READs a peer's status block and incarnations.
func (c *Core) readStatus(p *peer) {
	if p.control() == nil {
		return
	}
	if p.read == readOpen {
		p.wantRead = true
		return
	}
	p.wantRead = false
	if c.postControl(p, opStatus, 0, true, ElectionRegion, 0, p.statusBuf[:]) {
		p.read = readOpen
	}
}

// statusRead takes in what was read of a peer.
func (c *Core) statusRead(p *peer) {
	var s status
	if err := s.decode(p.statusBuf[:]); err != nil || s.cluster != c.cfg.Cluster {
		return // torn, or not one of ours: the connection would have been refused
	}
	p.st, p.stAt = s, c.now
	for i := range p.vector {
		p.vector[i] = binary.LittleEndian.Uint64(p.statusBuf[offAnnounce+8*i:])
	}
	c.maxTerm = max(c.maxTerm, s.promised)
	switch c.role {
	case Candidate, Leader:
		c.answered(p)
	}
	c.updateDurable()
}

// The failure detector (000 III-A, Mu section 5.1): a score per peer, raised when its
// heartbeat has moved since the last look and lowered when it has not.
const (
	scoreMax  = 15
	scoreDead = 2 // below
	scoreLive = 6 // above
)

func (c *Core) detect() {
	for _, p := range c.peers {
		if p.st.heartbeat != p.beat {
			if p.beat == 0 {
				p.score = scoreLive // a newcomer need not prove itself for long
			}
			p.beat = p.st.heartbeat
			p.score = min(p.score+1, scoreMax)
		} else {
			p.score = max(p.score-1, 0)
		}
		c.judge(p)
		c.readStatus(p)
		c.ping(p)
	}
}

// ping READs the heartbeat by the control paths that carry nothing else: a path that
// does not work is known before it is needed, a server lives if any path says so, and
// is dead when all have ended.
func (c *Core) ping(p *peer) {
	for r := range p.ctl {
		if l := &p.ctl[r]; uint8(r) != p.ctlRoute && l.up && l.open() == 0 {
			l.push(pending{opPing, uint64(r)})
			c.env.Post(Op{Path: Path{Peer: p.id, Kind: Control, Route: uint8(r)}, Read: true, Region: ElectionRegion, Offset: offHeartbeat, Data: p.ping[r][:]})
		}
	}
}

// judge draws the conclusion from a score.
func (c *Core) judge(p *peer) {
	switch {
	case p.alive && p.score < scoreDead:
		p.alive = false
		c.env.Eventf("server %d does not live any more", p.id)
	case !p.alive && p.score > scoreLive:
		p.alive = true
		c.env.Eventf("server %d lives", p.id)
	}
}

// Synced says that everything below index is on this server's disk.
func (c *Core) Synced(now time.Duration, index uint64) {
	c.now = now
	if index > c.synced {
		c.synced = index
		c.publish()
		c.updateDurable()
	}
}

// updateDurable finds what a majority has on disk.
func (c *Core) updateDurable() {
	if c.role != Leader {
		return
	}
	var at [MaxServers]uint64
	n := 0
	if c.isMember() {
		at[n] = c.synced
		n++
	}
	for _, p := range c.peers {
		if p.member {
			at[n] = p.st.synced
			n++
		}
	}
	if n < c.majority() {
		return
	}
	slices.Sort(at[:n])
	if d := at[n-c.majority()]; d > c.durable {
		c.durable = d
		c.env.Durable(d)
	}
}

// PeerStatus is what a server knows about a peer; the leader knows all of it.
type PeerStatus struct {
	ID        ID
	Member    bool // else a learner
	Alive     bool
	State     State
	Head      uint64 // position that it has applied up to
	Confirmed bool   // what it holds counts
	Granted   bool   // this server may write its log
	Held      uint64 // position up to which it holds the log, as far as its own connection tells
	Posted    uint64 // position up to which that connection has been given the log
	Open      int    // operations outstanding there
	Missing   bool   // it needs a snapshot
	Route     uint8  // of that connection
	Group     bool   // it is written to through the switch
	Fenced    bool   // it takes nothing from earlier groups any more
}

// Peers returns what is known about every peer.
func (c *Core) Peers() []PeerStatus {
	s := make([]PeerStatus, len(c.peers))
	for i, p := range c.peers {
		s[i] = PeerStatus{
			ID: p.id, Member: p.member, Alive: p.alive, State: p.st.state, Head: p.st.head,
			Confirmed: c.role == Leader && c.counts(p), Granted: p.granted, Held: p.acked, Posted: p.posted, Open: p.open, Missing: p.snapAsked, Route: p.route, Group: p.inGroup && !p.direct,
			Fenced: p.fenced,
		}
	}
	return s
}
