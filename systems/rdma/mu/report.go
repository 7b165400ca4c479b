package mu

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
	// Index and Position are those of the state machine. Commit is the position up to which entries
	// are known to be decided. Tail is where the leader's log ends.
	Index, Position, Commit, Tail uint64
	Confirmed                     int // peers whose copies of the log count
	Members                       []Member
	// Agreed says that a majority of Members has put the membership into use and on disk, so after any
	// failure a server that continues knows it. Report a change as done then, and not when it is
	// decided: its leader may be the only one that knows.
	Agreed bool
}

// report tells the environment about changes that others may know.
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
		Leader: c.promised.Leader(), Known: c.promised != 0, Members: c.members, Agreed: c.agreed(),
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

// PeerStatus is what a server knows about a peer. Only the leader knows all of it.
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
	Room      Room   // as the peer says
	Kept      uint64 // Config.Durable: position up to which its disk has had entries, as it has said
	Fenced    bool   // it takes nothing from earlier groups any more
}

// Peers returns what is known about every peer.
func (c *Core) Peers() []PeerStatus {
	s := make([]PeerStatus, len(c.peers))
	for i, p := range c.peers {
		s[i] = PeerStatus{
			ID: p.id, Member: p.member, Alive: p.alive, State: p.st.state, Head: p.st.head,
			Confirmed: c.role == Leader && c.counts(p), Granted: p.granted, Held: p.acked, Posted: p.posted, Open: p.open, Missing: p.snapAsked, Route: p.route, Group: p.inGroup && !p.direct,
			Fenced: p.fenced, Room: p.st.room, Kept: p.known.kept,
		}
	}
	return s
}
