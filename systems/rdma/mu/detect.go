package mu

import "encoding/binary"

// postControl posts on the control path, and returns false if there is none.
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
		c.statusRead(p, Term(op.value))
		if p.wantRead {
			c.readStatus(p)
		}
	case opRequest:
		c.readStatus(p)
	case opVector, opAnnounce, opPromise:
		c.recoverDone(p, op.kind)
	case opPing:
		if beat := binary.LittleEndian.Uint64(p.ping[op.value][:]); p.st.cluster == c.cfg.Cluster && beat > p.st.heartbeat {
			p.st.heartbeat, p.fresh = beat, true
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

// readStatus READs a peer's status block and incarnations. That is more than a peer's kernel answers
// (package host/roce/kernel), which continues for a while after its process has died.
func (c *Core) readStatus(p *peer) {
	if p.control() == nil {
		return
	}
	if p.read == readOpen {
		p.wantRead = true
		return
	}
	p.wantRead = false
	if c.postControl(p, opStatus, uint64(c.promised), true, ElectionRegion, 0, p.statusBuf[:]) {
		p.read = readOpen
	}
}

// statusRead processes what was read from a peer. promised is what this server had promised when it posted the READ.
func (c *Core) statusRead(p *peer, promised Term) {
	var s status
	if err := s.decode(p.statusBuf[:]); err != nil || s.cluster != c.cfg.Cluster || s.durable != c.cfg.Durable {
		return // torn, or not one of ours: the connection would have been refused
	}
	if c.wentBack(p, &s) {
		c.accuse(p, &s)
		return
	}
	p.st, p.stTerm, p.stAt, p.fresh = s, promised, c.now, true
	c.renewLease(p, &s)
	for i := range p.vector {
		p.vector[i] = binary.LittleEndian.Uint64(p.statusBuf[offAnnounce+8*i:])
	}
	c.accused(p)
	c.maxTerm = max(c.maxTerm, s.promised)
	switch c.role {
	case Candidate, Leader:
		c.answered(p)
	}
}

// The failure detector (P4CE paper, section III-A; Mu, section 5.1) keeps a score for each peer. The
// score rises when the peer's heartbeat has moved since the last look, and falls when it has not.
//
// A look at which no READ has completed since the last one says nothing about the peer: this server
// may not have processed the answer yet. Such looks count once several follow each other; then the
// score falls by as many as there were.
const (
	scoreMax  = 15
	scoreDead = 2 // below
	scoreLive = 6 // above
	maxLate   = 7
)

// beat raises the heartbeat when it is due. Every call into the core does so: when there is much to
// do, the goroutine for ticks may wait long for a processor.
func (c *Core) beat() {
	if c.now < c.nextBeat {
		return
	}
	c.nextBeat = c.now + c.cfg.HeartbeatEvery
	if c.now >= c.muted && (!c.removed || c.role == Leader) {
		c.heartbeat++ // a removed server must not look like the one that should lead
		c.lease.raised[c.heartbeat%beats] = c.now
	}
	c.publish()
}

func (c *Core) detect() {
	for _, p := range c.peers {
		p.look(p.st.heartbeat)
		c.judge(p)
		c.readStatus(p)
		c.ping(p)
	}
}

// look updates the score, given the heartbeat that was read last.
func (p *pulse) look(heartbeat uint64) {
	lower := 1
	if !p.fresh {
		if p.late++; p.late < maxLate {
			lower = 0
		} else {
			lower = p.late
		}
	}
	if p.fresh || lower > 0 {
		p.late = 0
	}
	p.fresh = false
	if heartbeat != p.beat {
		if p.beat == 0 {
			p.score = scoreLive // a newcomer need not prove itself for long
		}
		p.beat = heartbeat
		p.score = min(p.score+1, scoreMax)
	} else {
		p.score = max(p.score-lower, 0)
	}
}

// speaks notes that a peer is certainly alive: it has asked for something.
func (p *pulse) speaks() { p.alive, p.score = true, max(p.score, scoreLive) }

// silent notes that a peer has not answered for as long as the transport tries.
func (p *pulse) silent() { p.score = min(p.score, scoreDead-1) }

// ping READs the heartbeat on the control paths that carry nothing else. So a broken path is known
// before it is needed. A server is alive if any path says so, and dead when all paths have ended.
func (c *Core) ping(p *peer) {
	for r := range p.ctl {
		if l := &p.ctl[r]; uint8(r) != p.ctlRoute && l.up && l.open() == 0 {
			l.push(pending{opPing, uint64(r)})
			c.env.Post(Op{Path: Path{Peer: p.id, Kind: Control, Route: uint8(r)}, Read: true, Region: ElectionRegion, Offset: offHeartbeat, Data: p.ping[r][:]})
		}
	}
}

// judge decides from the score whether a peer is alive.
func (c *Core) judge(p *peer) {
	switch {
	case p.alive && p.score < scoreDead:
		p.alive = false
		c.env.Eventf("server %d is dead", p.id)
	case !p.alive && p.score > scoreLive:
		p.alive = true
		c.env.Eventf("server %d is alive", p.id)
	}
}
