package twophase

import (
	"slices"

	"github.com/p4ce/p4ce/systems/onepipe/txn"
)

// Participant is a shard.
type Participant struct {
	Bad    uint64 // messages
	values map[string][]byte
	locks  map[string]int // how many read; -1: one writes
	held   map[owner][]txn.Op
}

// owner names an attempt of all coordinators.
type owner struct {
	coordinator int
	attempt     uint64
}

// NewParticipant makes an empty shard.
func NewParticipant() *Participant {
	return &Participant{values: map[string][]byte{}, locks: map[string]int{}, held: map[owner][]txn.Op{}}
}

// Take takes a coordinator's message, and returns the answer, nil if there is none.
func (p *Participant) Take(from int, data []byte) []byte {
	m, err := parse(data)
	id := owner{from, m.attempt}
	switch {
	case err != nil:
	case m.kind == lock, m.kind == alone:
		return p.lock(id, &m)
	case p.held[id] != nil && (m.kind == commit || m.kind == abort):
		p.unlock(id, m.kind == commit)
		return nil
	}
	p.Bad++
	return nil
}

func (p *Participant) lock(id owner, m *message) []byte {
	a := message{kind: granted, attempt: m.attempt}
	for _, o := range m.ops {
		if n := p.locks[o.Key]; n < 0 || n > 0 && o.Write {
			a = message{kind: refused, attempt: m.attempt}
			return a.append(nil)
		}
	}
	for i, o := range m.ops {
		v, there := p.values[o.Key]
		a.values = append(a.values, txn.Value{There: there, Data: v})
		switch {
		case m.kind == alone && o.Write:
			p.values[o.Key] = slices.Clone(o.Value)
		case m.kind == alone:
		case o.Write:
			p.locks[o.Key] = -1
			m.ops[i].Value = slices.Clone(o.Value)
		default:
			p.locks[o.Key]++
		}
	}
	if m.kind == lock {
		p.held[id] = m.ops
	}
	return a.append(nil)
}

func (p *Participant) unlock(id owner, apply bool) {
	for _, o := range p.held[id] {
		if o.Write && apply {
			p.values[o.Key] = o.Value
		}
		if p.locks[o.Key]--; o.Write || p.locks[o.Key] == 0 {
			delete(p.locks, o.Key)
		}
	}
	delete(p.held, id)
}

// Coordinator is a client.
type Coordinator struct {
	Bad     uint64 // messages
	Refused uint64 // attempts

	// Send sends a message to a shard.
	Send func(shard int, data []byte)
	// Retry calls again later, the longer the more often the transaction was refused.
	Retry func(refusals int, again func())
	// Done is told that a transaction was executed, and what its keys were.
	Done func(number uint64, saw []txn.Value)

	shards   int
	numbers  uint64
	attempts uint64
	open     map[uint64]*attempt
}

type attempt struct {
	number   uint64
	refusals int
	ops      []txn.Op
	parts    []part
	waiting  int
	refused  bool
	saw      []txn.Value
}

type part struct {
	shard   int
	ops     []int
	granted bool
	done    bool
}

// NewCoordinator makes a client of so many shards.
func NewCoordinator(shards int) *Coordinator {
	return &Coordinator{shards: shards, open: map[uint64]*attempt{}}
}

// Begin begins a transaction, which has each key once.
func (c *Coordinator) Begin(ops ...txn.Op) uint64 {
	c.numbers++
	c.try(c.numbers, ops, 0)
	return c.numbers
}

func (c *Coordinator) try(number uint64, ops []txn.Op, refusals int) {
	c.attempts++
	a := &attempt{number: number, refusals: refusals, ops: ops, saw: make([]txn.Value, len(ops))}
	for i, o := range ops {
		shard := txn.ShardOf(o.Key, c.shards)
		at := slices.IndexFunc(a.parts, func(p part) bool { return p.shard == shard })
		if at < 0 {
			at = len(a.parts)
			a.parts = append(a.parts, part{shard: shard})
		}
		a.parts[at].ops = append(a.parts[at].ops, i)
	}
	a.waiting = len(a.parts)
	c.open[c.attempts] = a
	m := message{kind: lock, attempt: c.attempts}
	if len(a.parts) == 1 {
		m.kind = alone
	}
	for _, p := range a.parts {
		m.ops = nil
		for _, i := range p.ops {
			m.ops = append(m.ops, ops[i])
		}
		c.Send(p.shard, m.append(nil))
	}
}

// Take takes a shard's answer. Values are the message's.
func (c *Coordinator) Take(shard int, data []byte) {
	m, err := parse(data)
	a := c.open[m.attempt]
	if err != nil || a == nil || m.kind != granted && m.kind != refused {
		c.Bad++
		return
	}
	at := slices.IndexFunc(a.parts, func(p part) bool { return p.shard == shard && !p.done })
	if at < 0 || m.kind == granted && len(m.values) != len(a.parts[at].ops) {
		c.Bad++
		return
	}
	p := &a.parts[at]
	p.done, p.granted = true, m.kind == granted
	a.refused = a.refused || !p.granted
	for i, v := range m.values {
		a.saw[p.ops[i]] = v
	}
	if a.waiting--; a.waiting == 0 {
		c.decide(m.attempt, a)
	}
}

// decide ends an attempt, when all shards have spoken.
func (c *Coordinator) decide(id uint64, a *attempt) {
	delete(c.open, id)
	m := message{kind: commit, attempt: id}
	if a.refused {
		m.kind = abort
	}
	for _, p := range a.parts {
		if p.granted && len(a.parts) > 1 {
			c.Send(p.shard, m.append(nil))
		}
	}
	if !a.refused {
		c.Done(a.number, a.saw)
		return
	}
	c.Refused++
	c.Retry(a.refusals+1, func() { c.try(a.number, a.ops, a.refusals+1) })
}
