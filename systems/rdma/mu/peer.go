package mu

import "time"

// peer is another server, as this server sees it. Each part has methods for its own transitions.
type peer struct {
	id     ID
	member bool // else a learner

	paths
	observed
	pulse
	announcing

	// For a candidate or leader.
	grant
	logCopy

	// For a leader.
	track
	promotion
	viaGroup
	snapAsked bool
	liveSince time.Duration
	commitBuf [commitLen]byte
}

// paths are the connections with a peer.
type paths struct {
	ctl, rep [Routes]link
	ctlRoute uint8 // of the control path in use
	route    uint8 // by which the log is written
}

// observed is what was read of a peer's election region.
type observed struct {
	read      readState
	wantRead  bool // read again as soon as the READ under way is done
	statusBuf [offRequest]byte
	st        status // as last read
	stTerm    Term   // what this server had promised when it posted the READ of st
	stAt      time.Duration
	head      uint64 // as last read while it followed this leader
	vector    [MaxID + 1]uint64
	known     known
	life      uint64 // the life whose status was read last
}

// pulse is what the failure detector knows about a peer (detect.go).
type pulse struct {
	score int
	beat  uint64
	fresh bool // something was read of it since the last look
	late  int  // looks since then
	alive bool
	// Looks at which the heartbeat had not moved: since it has, and the most of late.
	still, longest int
	ping           [Routes][8]byte
}

// announcing is how far this server has announced its incarnation to a peer (recover.go).
type announcing struct {
	announced announceState
	promiser  State // its state when its promise was read
	announce  [8]byte
	promise   [offRequest]byte
}

// grant is a peer's permission to write its log, requested in the promised term.
//
// Invariant: read2 implies that the peer granted the last request before its status was read.
type grant struct {
	asked     bool // a request of this term has been sent
	request   request
	seq       uint64 // of the last request
	minGen    uint32 // of the last request
	askAt     time.Duration
	granted   bool          // of the last request
	read2     bool          // status and incarnations were read after that
	notBefore time.Duration // not asked again before
}

// begin notes that a request is sent. waits says that the previous request has not been answered.
func (g *grant) begin(now time.Duration, minGen uint32) (waits bool) {
	waits = g.asked && !g.granted
	g.asked, g.granted, g.read2, g.askAt, g.minGen = true, false, false, now, minGen
	return waits
}

// given reports whether the peer has granted, and its status was read after that.
func (g *grant) given() bool { return g.granted && g.read2 }

// unanswered reports whether a request has waited for an answer for so long that it is repeated.
func (g *grant) unanswered(now, after time.Duration) bool {
	return g.asked && !g.granted && now-g.askAt > after
}

// withdraw forgets what was asked and granted.
func (g *grant) withdraw() { g.asked, g.granted, g.read2 = false, false, false }

// logCopy is what a candidate reads from a voter's log.
type logCopy struct {
	logBuf  []byte
	logOpen int // READs outstanding
	check   [statusLen]byte
	voted   uint64 // incarnation that took part in the adoption
}

// promotion is how a peer that has forgotten becomes a full member again. It needs evidence that the
// others still follow, then a position that it must hold, then a request that says so.
type promotion struct {
	full      bool   // counts
	evidence  uint64 // probe that shows that others still follow; 0: none wanted
	fullFrom  uint64 // when it holds the log up to here, it is full; 0: unknown
	fullAsked bool
}

// viaGroup is a peer's part in writing through the switch.
type viaGroup struct {
	inGroup    bool
	direct     bool // accelerated mode: it also gets entries on its own path
	lagSince   time.Duration
	lagHead    uint64
	wantGen    uint32        // this peer must take nothing from groups of lower generations
	floor      uint64        // until it has said so, the ring is not reused from here on
	fenced     bool          // it refuses the groups below wantGen and leadership.minGen
	unreliable time.Duration // no member of a group before this
}

// enter puts a peer into the group in use, or has it written to on its own path only.
func (g *viaGroup) enter(in, direct bool, head uint64) {
	g.inGroup, g.direct = in, direct
	g.lagSince, g.lagHead = 0, head
}

// leave ends both.
func (g *viaGroup) leave() { g.inGroup, g.direct = false, false }

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

func (p *paths) link(path Path) *link {
	if path.Kind == Control {
		return &p.ctl[path.Route]
	}
	return &p.rep[path.Route]
}

// control returns the control path to use, or nil. Operations under way on another path are abandoned.
func (p *peer) control() *link {
	if p.ctl[p.ctlRoute].up {
		return &p.ctl[p.ctlRoute]
	}
	for r := range p.ctl {
		if p.ctl[r].up {
			p.ctlRoute = uint8(r)
			p.newControl()
			return &p.ctl[r]
		}
	}
	return nil
}

// newControl starts a control path from the beginning: operations on the one before are abandoned.
func (p *peer) newControl() { p.read, p.announced = readIdle, announceNone }

// replication returns the route for writing the log: the route in use if both of its paths are up,
// else another such route, else any route whose replication path is up.
func (p *paths) replication() (route uint8, ok bool) {
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

// elsewhere reports whether both paths of another route are up.
func (p *paths) elsewhere() bool {
	for r := range p.rep {
		if uint8(r) != p.route && p.rep[r].up && p.ctl[r].up {
			return true
		}
	}
	return false
}
