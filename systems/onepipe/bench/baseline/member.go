package baseline

import (
	"container/heap"
	"slices"
)

// member is a process.
type member struct {
	net    *Network
	at     *station
	number int

	numbered numbered // sequencers and the token
	queue    [][]byte // Token: what is to be sent when the token comes

	// Lamport clocks.
	time  uint64
	heard []uint64 // the last time that each process has sent; what it sends later is above
	least uint64   // of heard
	spoke bool     // it has sent a message since the last exchange
	heap  times
}

// broadcast sends a message to all.
func (m *member) broadcast(data []byte) {
	switch m.net.Kind {
	case HostSequencer, SwitchSequencer:
		m.at.send(packet{what: request, from: m.number, to: -1, data: data}, m.net.Fabric.Hosts[m.net.Config.Hosts])
	case Token:
		m.queue = append(m.queue, data)
	case Lamport:
		m.time++
		m.spoke = true
		m.all(packet{number: m.time, data: data})
	default:
		m.all(packet{data: data})
	}
}

// all sends a packet of this process to all.
func (m *member) all(p packet) {
	p.from = m.number
	m.at.copies(p)
}

// take has the token, with the number of the next message.
func (m *member) take(number uint64) {
	n := min(len(m.queue), m.net.Burst)
	for _, data := range m.queue[:n] {
		m.all(packet{number: number, data: data})
		number++
	}
	m.queue = slices.Delete(m.queue, 0, n)
	next := m.net.members[(m.number+1)%len(m.net.members)]
	m.at.send(packet{what: token, from: m.number, to: next.number, number: number}, next.at.h)
}

// receive takes a packet, whose data are somebody else's.
func (m *member) receive(p *packet) {
	switch {
	case p.what == token:
		m.take(p.number)
	case m.net.Kind == Lamport:
		m.timed(p)
	case m.net.Kind == Unordered:
		m.deliver(p)
	default:
		m.numbered.take(p, m.deliver)
	}
}

// numbered has messages wait for those with lower numbers.
type numbered struct {
	next    uint64            // that is delivered next
	waiting map[uint64]packet // that have come before it
}

// take takes a message, whose data are somebody else's.
func (n *numbered) take(p *packet, deliver func(*packet)) {
	if p.number != n.next {
		if n.waiting == nil {
			n.waiting = map[uint64]packet{}
		}
		p.data = slices.Clone(p.data)
		n.waiting[p.number] = *p
		return
	}
	for q, ok := *p, true; ok; q, ok = n.waiting[n.next] {
		delete(n.waiting, n.next)
		n.next++
		deliver(&q)
	}
}

func (m *member) deliver(p *packet) { m.net.Deliver(m.number, p.from, p.data) }

// timed takes a packet with a logical time: a message, or a clock alone.
func (m *member) timed(p *packet) {
	m.time = max(m.time, p.number) + 1
	old := m.heard[p.from]
	m.heard[p.from] = p.number
	if p.what == message {
		p.data = slices.Clone(p.data)
		heap.Push(&m.heap, *p)
	}
	if old == m.least {
		m.least = slices.Min(m.heard)
	}
	// What comes later is above all that was heard, of each process: what is at or below the least is complete.
	for len(m.heap) > 0 && m.heap[0].number <= m.least {
		p := heap.Pop(&m.heap).(packet)
		m.deliver(&p)
	}
}

// times is a heap of messages by logical time and sender.
type times []packet

func (t times) Len() int { return len(t) }
func (t times) Less(i, j int) bool {
	if t[i].number != t[j].number {
		return t[i].number < t[j].number
	}
	return t[i].from < t[j].from
}
func (t times) Swap(i, j int) { t[i], t[j] = t[j], t[i] }
func (t *times) Push(x any)   { *t = append(*t, x.(packet)) }

func (t *times) Pop() any {
	last := len(*t) - 1
	p := (*t)[last]
	(*t)[last] = packet{}
	*t = (*t)[:last]
	return p
}
