package rsm

import (
	"encoding/binary"
	"slices"

	"github.com/p4ce/p4ce/systems/onepipe"
)

// group decides what a server sends, and which delivered messages take effect. It contains no I/O.
//
//	propose, add, failed -> queue -> next -> flying -- delivered in its view --> effect
//	                          ^                |
//	                          +----------------+ lost, or delivered in a later view
type group struct {
	self Member
	state
	serving bool // it has the state of the log, and is a member
	dead    map[onepipe.Process]bool

	number   uint64 // of the last message
	queue    []*batch
	waiting  []*proposal // for a batch
	flying   map[uint64]*batch
	removals map[onepipe.Process]bool // leave messages in queue or flying

	refused, strange, again uint64
}

// batch is a message of this server that has not taken effect.
type batch struct {
	kind      kind
	member    Member
	proposals []*proposal
	added     chan<- image // of join: gets the state
}

// proposal is a record of this server.
type proposal struct {
	record []byte
	gone   bool // nobody waits for it
	result chan outcome
}

type outcome struct {
	result any
	err    error
}

// maxFlying is how many messages of a server are on their way. Records that arrive meanwhile are sent together.
const maxFlying = 16

func newGroup(self Member, st state) *group {
	return &group{
		self: self, state: st, dead: map[onepipe.Process]bool{}, flying: map[uint64]*batch{}, removals: map[onepipe.Process]bool{},
	}
}

// begin starts a view of this server alone.
func (g *group) begin() {
	g.View++
	g.Members = []Member{g.self}
	g.last = onepipe.Message{}
	g.serving = true
}

// install goes on from another server's state, which has this server among its members.
func (g *group) install(st state) bool {
	if !slices.Contains(st.Members, g.self) {
		return false
	}
	g.state = st
	g.serving = true
	for _, m := range g.Members {
		g.remove(m)
	}
	return true
}

func (g *group) propose(p *proposal) { g.waiting = append(g.waiting, p) }

// add adds a member. The state after it goes to added.
func (g *group) add(m Member, added chan<- image) {
	g.queue = append(g.queue, &batch{kind: join, member: m, added: added})
}

// settled reports whether no member has failed.
func (g *group) settled() bool {
	return !slices.ContainsFunc(g.Members, func(m Member) bool { return g.dead[m.Process] })
}

// failed takes the controller's word that a process has failed.
func (g *group) failed(p onepipe.Process) {
	g.dead[p] = true
	for _, m := range g.Members {
		g.remove(m)
	}
}

// remove removes a member that has failed.
func (g *group) remove(m Member) {
	if g.serving && g.dead[m.Process] && !g.removals[m.Process] {
		g.removals[m.Process] = true
		g.queue = append(g.queue, &batch{kind: leave, member: m})
	}
}

// next returns the next message to be sent, and to whom.
func (g *group) next() (to []onepipe.Process, data []byte, ok bool) {
	if !g.serving || len(g.flying) >= maxFlying {
		return nil, nil, false
	}
	b := g.batch()
	if b == nil {
		return nil, nil, false
	}
	g.number++
	g.flying[g.number] = b
	m := message{kind: b.kind, view: g.View, number: g.number, member: b.member}
	for _, p := range b.proposals {
		m.records = append(m.records, p.record)
	}
	for _, m := range g.Members {
		if !g.dead[m.Process] {
			to = append(to, m.Process)
		}
	}
	return to, m.append(nil), true
}

// batch takes what is to be sent next.
func (g *group) batch() *batch {
	for len(g.queue) > 0 {
		b := g.queue[0]
		g.queue = g.queue[1:]
		if b.kind == leave && !slices.Contains(g.Members, b.member) {
			delete(g.removals, b.member.Process)
			continue // another server has removed it
		}
		return b
	}
	b, size := &batch{kind: records}, messageHead
	for len(g.waiting) > 0 {
		p := g.waiting[0]
		if p.gone {
			g.waiting = g.waiting[1:]
			continue
		}
		if size += recordHead + len(p.record); size > onepipe.MaxMessage {
			break
		}
		g.waiting = g.waiting[1:]
		b.proposals = append(b.proposals, p)
	}
	if len(b.proposals) == 0 {
		return nil
	}
	return b
}

// lost takes back a message of this server that no server delivers. It is sent again.
func (g *group) lost(data []byte) {
	if len(data) < messageHead {
		return
	}
	g.resend(binary.BigEndian.Uint64(data[messageHead-8:]))
}

func (g *group) resend(number uint64) {
	b, ok := g.flying[number]
	if !ok {
		return // each part of a scattering is reported
	}
	delete(g.flying, number)
	g.again++
	g.queue = append(g.queue, b)
}

// effect is what a delivered message does.
type effect struct {
	records [][]byte // to be applied
	own     *batch   // set if the message is this server's, and took effect
	view    bool     // a new view begins behind it
	out     bool     // this server is no member any more
	broken  bool     // a message of a later view: this server has missed one
}

// delivered takes the next message of the order.
func (g *group) delivered(d *onepipe.Message) (e effect) {
	if !g.last.Before(d) {
		return e // it is in the state that was installed
	}
	m, err := parseMessage(d.Data)
	if err != nil || !slices.ContainsFunc(g.Members, func(m Member) bool { return m.Process == d.From }) {
		g.strange++
		return e
	}
	if m.view > g.View {
		e.broken = true
		return e
	}
	if m.view < g.View {
		g.refused++
		if d.From == g.self.Process {
			g.resend(m.number)
		}
		return e
	}
	g.last = onepipe.Message{Time: d.Time, From: d.From}
	if d.From == g.self.Process {
		e.own = g.flying[m.number]
		delete(g.flying, m.number)
	}
	switch m.kind {
	case records:
		e.records = m.records
		g.Records += uint64(len(m.records))
	case join:
		e.view = g.joined(m.member)
	case leave:
		delete(g.removals, m.member.Process)
		e.view = g.left(m.member)
	}
	if e.view {
		g.View++
		e.out = !slices.Contains(g.Members, g.self)
		g.serving = g.serving && !e.out
	}
	return e
}

// joined adds a member. A server of the same name is its earlier life, of which the process has a lower number.
func (g *group) joined(m Member) bool {
	if slices.ContainsFunc(g.Members, func(o Member) bool { return o.Name == m.Name && o.Process.Number >= m.Process.Number }) {
		return false // it asks again, or is an earlier life itself
	}
	list := slices.DeleteFunc(slices.Clone(g.Members), func(o Member) bool { return o.Name == m.Name })
	g.Members = append(list, m)
	g.remove(m) // it may have failed already
	return true
}

func (g *group) left(m Member) bool {
	n := len(g.Members)
	g.Members = slices.DeleteFunc(slices.Clone(g.Members), func(o Member) bool { return o == m })
	return len(g.Members) < n
}

// end takes all proposals: nobody knows what becomes of them.
func (g *group) end() (list []*proposal) {
	list = g.waiting
	for _, b := range g.queue {
		list = append(list, b.proposals...)
	}
	for _, b := range g.flying {
		list = append(list, b.proposals...)
	}
	g.waiting, g.queue, g.serving = nil, nil, false
	clear(g.flying)
	return list
}
