package baseline

import (
	"container/heap"
	"math/bits"
	"slices"

	"github.com/p4ce/p4ce/systems/amcast"
)

// member is a process's part in its group.
type member struct {
	*Process
	group  uint8
	index  int // among the members; 0 is the primary
	clock  uint32
	clocks []uint32 // of the group's members, as far as this one knows
	open   map[amcast.ID]*message
	queue  queue
}

// message is one of which something may still come.
type message struct {
	amcast.Delivery
	list      []uint8
	lts, acks [amcast.MaxGroups]uint32 // by destination: the primary's timestamp, and members that have acknowledged it, a bit each
	started   bool                     // the payload is there
	decided   bool
	delivered bool
	place     int // in the queue
}

// receive takes a packet.
func (m *member) receive(p *amcast.Packet) {
	own := p.By == m.group && p.Kind != start
	if p.Kind != bump {
		x := m.message(p)
		switch p.Kind {
		case start:
			x.Payload, x.started = slices.Clone(p.Payload), true
			if m.index == 0 {
				m.clock++
				m.say(prop, x, m.clock)
			}
		case prop:
			raised := p.LTS > m.clock
			m.clock = max(m.clock, p.LTS)
			m.acknowledged(x, p)
			switch {
			case !own && raised:
				m.bump()
			case own:
				if !x.decided {
					x.Final = p.LTS // at least
				}
				heap.Push(&m.queue, x)
				if m.index > 0 {
					m.say(ack, x, p.LTS)
				}
			}
		case ack:
			m.acknowledged(x, p)
		}
		defer m.forget(x)
	}
	if own {
		m.clocks[p.Member] = max(m.clocks[p.Member], p.Clock)
	}
	m.clocks[m.index] = m.clock
	m.deliverAll()
}

func (m *member) message(p *amcast.Packet) *message {
	x := m.open[p.ID]
	if x == nil {
		x = &message{Delivery: amcast.Delivery{ID: p.ID, Groups: p.Groups}, list: p.Groups.List(), place: -1}
		m.open[p.ID] = x
	}
	return x
}

// say says something of a message to all members of all destinations.
func (m *member) say(kind amcast.Message, x *message, lts uint32) {
	m.all(m.members(x.Groups), &amcast.Packet{Kind: kind, Groups: x.Groups, ID: x.ID, By: m.group, Member: uint8(m.index), LTS: lts, Clock: m.clock})
}

// bump tells the others of the group of this member's clock.
func (m *member) bump() {
	for i, process := range m.groups[m.group] {
		if i != m.index {
			m.send(process, &amcast.Packet{Kind: bump, By: m.group, Member: uint8(m.index), Clock: m.clock})
		}
	}
}

// acknowledged notes that a member has acknowledged its primary's proposal. When a quorum of each destination has, the
// message is decided.
func (m *member) acknowledged(x *message, p *amcast.Packet) {
	i := slices.Index(x.list, p.By)
	x.lts[i] = p.LTS
	x.acks[i] |= 1 << p.Member
	if x.decided {
		return
	}
	for i, g := range x.list {
		if bits.OnesCount32(x.acks[i]) < quorum(len(m.groups[g])) {
			return
		}
	}
	x.decided, x.Final = true, slices.Max(x.lts[:])
	if x.place >= 0 {
		heap.Fix(&m.queue, x.place)
	}
}

func quorum(members int) int { return members/2 + 1 }

// deliverAll delivers what has its place: everything that the primary has proposed up to there is known, since its packets
// come in their order, and is behind.
func (m *member) deliverAll() {
	for len(m.queue) > 0 {
		x := m.queue[0]
		if !x.decided || !x.started || m.clocks[0] < x.Final || m.reached(x.Final) < quorum(len(m.clocks)) {
			return
		}
		heap.Pop(&m.queue)
		x.delivered = true
		m.deliver(&x.Delivery)
		m.to(int(x.ID.Client), &amcast.Packet{Kind: done, Groups: x.Groups, ID: x.ID, By: m.group, Member: uint8(m.index)})
		m.forget(x)
	}
}

// reached is how many clocks of the group are at a timestamp or above.
func (m *member) reached(final uint32) (n int) {
	for _, c := range m.clocks {
		if c >= final {
			n++
		}
	}
	return n
}

// forget lets go of a message that was delivered, when everybody has acknowledged it.
func (m *member) forget(x *message) {
	if !x.delivered {
		return
	}
	for i, g := range x.list {
		if bits.OnesCount32(x.acks[i]) < len(m.groups[g]) {
			return
		}
	}
	delete(m.open, x.ID)
}

// queue is a heap of messages that the primary of the group has proposed, by the least that their final timestamps may be.
type queue []*message

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].Before(&q[j].Delivery)
}
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

func (q *queue) Push(x any) {
	m := x.(*message)
	m.place = len(*q)
	*q = append(*q, m)
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	m := (*q)[last]
	m.place = -1
	(*q)[last] = nil
	*q = (*q)[:last]
	return m
}
