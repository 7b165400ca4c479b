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

// readStatus READs a peer's status block, and the incarnations of the servers that this one knows. If their ids are below 8,
// a peer's kernel answers that (package host/roce/kernel): a path stays up while the peer's host answers, also when its
// process waits for a processor for long. The heartbeat says whether the process works.
func (c *Core) readStatus(p *peer) {
	if p.control() == nil {
		return
	}
	if p.read == readOpen {
		p.wantRead = true
		return
	}
	p.wantRead = false
	if c.postControl(p, opStatus, uint64(c.promised), true, ElectionRegion, 0, p.statusBuf[:offAnnounce+8*(c.highest()+1)]) {
		p.read = readOpen
	}
}

// highest is the highest id of the servers that this one knows.
func (c *Core) highest() int {
	id := c.cfg.ID
	for _, p := range c.peers {
		id = max(id, p.id)
	}
	return int(id)
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
	if s.resigns {
		p.silent() // and it is not waited for
		c.judge(p)
	}
	c.renewLease(p, &s)
	for i := range c.highest() + 1 {
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
//
// A peer on a busy machine stands still now and then, because it waits for a processor. So it may stand
// still for Config.Patience looks, and for patienceTimes as many as it did the longest of late; only after
// that, the score falls to death. If this server comes to its own looks late, its machine is busy, and so
// may be the others': it adds patienceTimes its lateness. What was long ago counts ever less: a quarter
// less, each forgetBeats heartbeats. Processes that die, and hosts that do not answer, are not waited for:
// their paths end.
const (
	scoreMax  = 15
	scoreDead = 2 // below
	scoreLive = 6 // above
	maxLate   = 7

	// MinPatience is how many looks it takes from the best score to death.
	MinPatience = scoreMax - scoreDead + 1

	patienceTimes = 4
	maxPatience   = 400  // looks
	noticeable    = 4    // looks: less is what a peer on an idle machine may stand still, too
	forgetBeats   = 1024 // about 5 s
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
		if c.heartbeat%forgetBeats == 0 {
			c.ownLate -= (c.ownLate + 3) / 4
		}
	}
	c.publish()
}

// noteLate notes by how many looks this one is late.
func (c *Core) noteLate() {
	if late := int((c.now - c.nextLook) / c.cfg.HeartbeatEvery); c.nextLook > 0 && late >= noticeable {
		c.ownLate = max(c.ownLate, min(late, maxPatience/patienceTimes))
	}
}

// patience is how many looks every peer may stand still.
func (c *Core) patience() int { return c.cfg.Patience + patienceTimes*c.ownLate }

func (c *Core) detect() {
	for _, p := range c.peers {
		p.look(p.st.heartbeat, c.patience())
		c.judge(p)
		c.readStatus(p)
		c.ping(p)
	}
}

// look updates the score, given the heartbeat that was read last.
func (p *pulse) look(heartbeat uint64, patience int) {
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
		if heartbeat/forgetBeats != p.beat/forgetBeats {
			p.longest -= (p.longest + 3) / 4
		}
		if p.still >= noticeable {
			p.longest = max(p.longest, min(p.still, maxPatience))
		}
		p.beat, p.still = heartbeat, 0
		p.score = min(p.score+1, scoreMax)
	} else if p.still += lower; p.still > p.slack(patience) {
		p.score = max(p.score-min(lower, p.still-p.slack(patience)), 0)
	}
}

// slack is how many looks a peer may stand still before its score falls.
func (p *pulse) slack(patience int) int {
	return max(patience, min(patienceTimes*p.longest, maxPatience)) - MinPatience
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
		why := "its paths have ended"
		switch {
		case p.st.resigns:
			why = "it says that it cannot lead"
		case p.still > p.slack(c.patience()):
			why = "its heartbeat stands still"
		}
		c.env.Eventf("server %d is dead: %s", p.id, why)
	case !p.alive && p.score > scoreLive:
		p.alive = true
		c.env.Eventf("server %d is alive", p.id)
	}
}
