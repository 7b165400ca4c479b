package paxos

import (
	"slices"
	"time"

	"github.com/p4ce/p4ce/host/paxos"
)

// phases runs phases 1 and 2 of Paxos in one round for a range of instances, as a
// coordinator does that takes over, or that closes gaps. A round's phases run once: who has
// to begin again takes a new round.
//
//	[FLOOR -> FLOORED of a majority]                 the highest instance
//	for each of a range, several at a time:
//	  PREPARE -> PROMISE of a majority               the vote of the highest round, or a no-op
//	  ACCEPT, PREPARE -> PROMISE with this round's vote of a majority
//
// An acceptor does not answer ACCEPT: its vote goes to the learners. That it has voted it says
// in the PROMISE to another PREPARE of the same round.
//
// Majorities are of every configuration that may have chosen something (read), and of the one
// that shall have it (write); they are not the same while an acceptor is replaced.
type phases struct {
	round  uint32
	read   []quorum // as they are now
	write  quorum
	resend time.Duration
	weak   *Weak

	floored map[string]bool
	high    uint32 // highest instance that an answer spoke of
	asked   time.Duration

	next, end uint32 // instances to begin with; end: exclusive
	ranged    bool   // next and end are known
	open      map[uint32]*ballot
	refused   map[string]uint32 // who has refused last, and why
	out       []letter
}

// letter is a message to an acceptor.
type letter struct {
	to string
	m  paxos.Message
}

// quorum is a configuration: how many acceptors it has, and those of them that may be
// asked, having forgotten nothing.
type quorum struct {
	size    int
	members []string
}

func (q quorum) reached(who map[string]bool) bool {
	n := 0
	for _, m := range q.members {
		if who[m] {
			n++
		}
	}
	return 2*n > q.size
}

// possible reports whether enough may be asked at all.
func (q quorum) possible() bool { return 2*len(q.members) > q.size }

// ballot is one instance under way.
type ballot struct {
	promised map[string]bool
	best     paxos.Message // of the votes heard of: the one of the highest round
	chosen   bool          // phase 2: best is proposed
	voted    map[string]bool
	sent     time.Duration
}

// window is how many instances are under way at a time.
const window = 128

// newPhases begins a round. Without a range (from >= to) the floor is raised first, and the
// range is from from to what is heard of.
func newPhases(round, from, to uint32, resend time.Duration, weak *Weak) *phases {
	return &phases{
		round: round, resend: resend, weak: weak, floored: map[string]bool{}, open: map[uint32]*ballot{},
		refused: map[string]uint32{}, next: from, end: to, ranged: from < to, asked: -resend,
	}
}

// all are the members of some quorums, each once.
func all(qs []quorum) (out []string) {
	for _, q := range qs {
		for _, m := range q.members {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	return out
}

func reachedAll(qs []quorum, who map[string]bool) bool {
	for _, q := range qs {
		if !q.reached(who) {
			return false
		}
	}
	return true
}

func (p *phases) send(to string, m paxos.Message) {
	m.Round = p.round
	p.out = append(p.out, letter{to, m})
}

// isFloored reports whether a majority will vote for nothing below the round; high is then
// the highest instance that may have been chosen before.
func (p *phases) isFloored() bool {
	return len(p.floored) > 0 && (p.weak.has(LeadBeforeFloor) || reachedAll(p.read, p.floored))
}

// done reports whether everything has been accepted by a majority.
func (p *phases) done() bool { return p.ranged && p.next >= p.end && len(p.open) == 0 }

// step begins what can be begun.
func (p *phases) step(now time.Duration) {
	if !p.ranged {
		if !p.isFloored() {
			return
		}
		p.ranged, p.end = true, p.high+1
	}
	for ; p.next < p.end && len(p.open) < window; p.next++ {
		b := &ballot{promised: map[string]bool{}, voted: map[string]bool{}}
		p.open[p.next] = b
		p.query(now, p.next, b)
	}
}

func (p *phases) askFloors(now time.Duration) {
	p.asked = now
	for _, m := range all(p.read) {
		if !p.floored[m] {
			p.send(m, paxos.Message{Kind: paxos.Floor, Instance: p.next})
		}
	}
}

// query sends what an instance waits for the answers to.
func (p *phases) query(now time.Duration, inst uint32, b *ballot) {
	b.sent = now
	prepare := paxos.Message{Kind: paxos.Prepare, Instance: inst}
	if !b.chosen {
		for _, m := range all(p.read) {
			if !b.promised[m] {
				p.send(m, prepare)
			}
		}
		return
	}
	accept := b.best
	accept.Kind, accept.Instance, accept.Acceptor, accept.Flags, accept.VoteRound = paxos.Accept, inst, 0, 0, 0
	for _, m := range p.write.members {
		if !b.voted[m] {
			p.send(m, accept)
			p.send(m, prepare)
		}
	}
}

// receive takes an answer of an acceptor. lost is true when it has promised somebody
// a higher round.
func (p *phases) receive(now time.Duration, from string, m *paxos.Message) (lost bool) {
	if m.Round != p.round {
		return false // of another time
	}
	switch m.Kind {
	case paxos.Floored:
		if !p.ranged && slices.Contains(all(p.read), from) {
			p.floored[from] = true
			p.high = max(p.high, m.Instance)
		}
	case paxos.Promise:
		p.promise(now, from, m)
	case paxos.Refused:
		p.refused[from] = m.VoteRound
		return m.VoteRound == dropStale
	}
	return false
}

func (p *phases) promise(now time.Duration, from string, m *paxos.Message) {
	b := p.open[m.Instance]
	if b == nil {
		return
	}
	if b.chosen {
		if m.VoteRound == p.round && slices.Contains(p.write.members, from) {
			b.voted[from] = true
			if p.write.reached(b.voted) {
				delete(p.open, m.Instance)
			}
		}
		return
	}
	if !slices.Contains(all(p.read), from) {
		return
	}
	b.promised[from] = true
	if m.VoteRound > b.best.VoteRound && !p.weak.has(ForgetVotes) {
		value := append([]byte(nil), m.Value...) // of a frame
		b.best = *m
		b.best.Value = value
	}
	if reachedAll(p.read, b.promised) {
		b.chosen = true
		p.query(now, m.Instance, b)
	}
}

// tick begins what can be begun, and repeats what was not answered.
func (p *phases) tick(now time.Duration) {
	p.step(now)
	if !p.ranged && now-p.asked >= p.resend {
		p.askFloors(now)
	}
	for _, inst := range p.instances() {
		if b := p.open[inst]; now-b.sent >= p.resend {
			p.query(now, inst, b)
		}
	}
}

// instances are those under way, in order.
func (p *phases) instances() []uint32 {
	out := make([]uint32, 0, len(p.open))
	for i := range p.open {
		out = append(out, i)
	}
	slices.Sort(out)
	return out
}

// trim forgets about instances that are in checkpoints.
func (p *phases) trim(first uint32) {
	p.next = max(p.next, first)
	if p.ranged {
		p.end = max(p.end, p.next)
	}
	for i := range p.open {
		if i < first {
			delete(p.open, i)
		}
	}
}
