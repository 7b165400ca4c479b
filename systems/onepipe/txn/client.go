package txn

import (
	"errors"
	"fmt"
	"slices"

	"github.com/p4ce/p4ce/systems/onepipe"
)

// How transactions end that are not done.
var (
	// ErrNotDone: no shard has executed it, and none will.
	ErrNotDone = errors.New("txn: the transaction was not executed")
	// ErrPartly: it was executed by all its shards, one of which has failed before it answered: its values are missing.
	ErrPartly = errors.New("txn: the transaction was executed, and a shard has failed that did not answer")
	// ErrUnknown: all its shards have failed before they answered, or nobody waits for their answers any more.
	ErrUnknown = errors.New("txn: whether the transaction was executed is unknown")
)

// AbsentError is why a transaction was not executed: one of its shards is nowhere.
type AbsentError struct{ Shard int }

func (e *AbsentError) Error() string {
	return fmt.Sprintf("shard %d is not there [it has failed, or has not joined yet]", e.Shard)
}

var errShard = errors.New("a shard has failed")

// Outcome is how a transaction has ended.
type Outcome struct {
	Number uint64  // that Begin has given
	Time   uint64  // its place in the order of all
	Saw    []Value // by operation: what it has read, or replaced
	// By has the shard's process, by operation. A shard that comes back is another process, and has no keys.
	By []onepipe.Process
	// Missing are the operations of which that is unknown (ErrPartly).
	Missing []int
	Err     error
}

// ClientCounters count since the start.
type ClientCounters struct {
	Begun    uint64 // transactions
	Repeated uint64 // attempts of transactions that only read, after a loss
	Bad      uint64 // messages that are no answer of a shard: dropped
	Old      uint64 // answers, and losses, of attempts that are over: dropped
}

// Client begins transactions.
type Client struct {
	Counters ClientCounters

	shards   []onepipe.Process
	numbers  uint64 // of transactions
	attempts uint64 // of all: the last one
	open     map[uint64]*attempt
	queue    []*attempt // that are to be sent
	over     []Outcome
}

// attempt is a transaction that is under way.
type attempt struct {
	id      uint64
	number  uint64
	ops     []Op
	writes  bool
	sent    bool
	parts   []part
	waiting int // parts without an answer
	got     int // answers
	out     Outcome
}

// part is what a shard has to do.
type part struct {
	to   onepipe.Process // the shard
	ops  []int           // of the transaction
	done bool            // answered, or its shard has failed
}

// NewClient makes a client of these shards, which is one process of the network. All clients name all shards in the same
// order. One that is nowhere is the zero Process.
func NewClient(shards []onepipe.Process) *Client {
	return &Client{shards: slices.Clone(shards), open: map[uint64]*attempt{}}
}

// Place says where a shard is from now on: nowhere with the zero Process. What is under way is for the process that was there.
func (c *Client) Place(shard int, p onepipe.Process) { c.shards[shard] = p }

// Begin begins a transaction, which has each key once. The values belong to the Client until it has ended. If a shard is
// nowhere, the error is ErrNotDone and an *AbsentError.
func (c *Client) Begin(ops ...Op) (number uint64, err error) {
	if err := check(ops); err != nil {
		return 0, err
	}
	if err := c.try(c.numbers+1, ops); err != nil {
		return 0, err
	}
	c.numbers++
	c.Counters.Begun++
	return c.numbers, nil
}

// try makes an attempt.
func (c *Client) try(number uint64, ops []Op) error {
	a := &attempt{number: number, ops: ops, out: Outcome{Number: number, Saw: make([]Value, len(ops)), By: make([]onepipe.Process, len(ops))}}
	for i, o := range ops {
		a.writes = a.writes || o.Write
		shard := ShardOf(o.Key, len(c.shards))
		to := c.shards[shard]
		if to == (onepipe.Process{}) {
			return fmt.Errorf("%w: %w", ErrNotDone, &AbsentError{shard})
		}
		at := slices.IndexFunc(a.parts, func(p part) bool { return p.to == to })
		if at < 0 {
			at = len(a.parts)
			a.parts = append(a.parts, part{to: to})
		}
		a.parts[at].ops = append(a.parts[at].ops, i)
		a.out.By[i] = to
	}
	c.attempts++
	a.id, a.waiting = c.attempts, len(a.parts)
	c.open[a.id] = a
	c.queue = append(c.queue, a)
	return nil
}

// Next is the scattering that is to be sent next. Sent takes it off.
func (c *Client) Next() (parts []onepipe.Part, reliable, ok bool) {
	for len(c.queue) > 0 && c.open[c.queue[0].id] == nil {
		c.queue = c.queue[1:] // it has ended
	}
	if len(c.queue) == 0 {
		return nil, false, false
	}
	a := c.queue[0]
	for _, p := range a.parts {
		m := message{kind: request, attempt: a.id}
		for _, i := range p.ops {
			m.ops = append(m.ops, a.ops[i])
		}
		parts = append(parts, onepipe.Part{To: p.to, Data: m.append(nil)})
	}
	return parts, a.writes, true
}

// Sent says how sending the scattering of Next went. With onepipe.ErrFull, it is not to be called: Next is sent later.
func (c *Client) Sent(err error) {
	a := c.queue[0]
	c.queue = c.queue[1:]
	a.sent = true
	if err != nil {
		c.end(a, fmt.Errorf("%w: %w", ErrNotDone, err))
	}
}

// end ends a transaction.
func (c *Client) end(a *attempt, err error) {
	delete(c.open, a.id)
	a.out.Err = err
	c.over = append(c.over, a.out)
}

// Done takes a transaction that has ended.
func (c *Client) Done() (Outcome, bool) {
	if len(c.over) == 0 {
		return Outcome{}, false
	}
	o := c.over[0]
	c.over = c.over[1:]
	return o, true
}

// Receive takes a message. What it says of values is the message's.
func (c *Client) Receive(m *onepipe.Message) {
	r, err := parse(m.Data)
	if err != nil || r.kind != answer {
		c.Counters.Bad++
		return
	}
	a := c.open[r.attempt]
	if a == nil {
		c.Counters.Old++
		return
	}
	at := slices.IndexFunc(a.parts, func(p part) bool { return p.to == m.From })
	if at < 0 || len(r.values) != len(a.parts[at].ops) || a.got > 0 && r.time != a.out.Time {
		c.Counters.Bad++
		return
	}
	p := &a.parts[at]
	if p.done {
		c.Counters.Old++
		return
	}
	a.out.Time = r.time
	for i, op := range p.ops {
		a.out.Saw[op] = r.values[i]
	}
	a.got++
	c.settle(a, p)
}

// settle ends a part, and with the last one the transaction.
func (c *Client) settle(a *attempt, p *part) {
	p.done = true
	if a.waiting--; a.waiting > 0 {
		return
	}
	switch {
	case a.got == len(a.parts):
		c.end(a, nil)
	case !a.writes:
		c.end(a, fmt.Errorf("%w: %w", ErrNotDone, errShard)) // nothing has changed, and not all was read
	case a.got > 0:
		c.end(a, ErrPartly)
	default:
		c.end(a, fmt.Errorf("%w: %w", ErrUnknown, errShard))
	}
}

// Lost takes a message of the client that will not be delivered.
func (c *Client) Lost(f *onepipe.Failure) {
	r, err := parse(f.Data)
	if err != nil || r.kind != request {
		c.Counters.Bad++
		return
	}
	a := c.open[r.attempt]
	if a == nil {
		c.Counters.Old++
		return
	}
	if f.Reliable {
		c.end(a, fmt.Errorf("%w: %w: %v", ErrNotDone, onepipe.ErrFailed, f.To))
		return
	}
	// Another attempt has another timestamp. What shards answer to this one is of no use any more.
	delete(c.open, a.id)
	c.Counters.Repeated++
	if err := c.try(a.number, a.ops); err != nil {
		c.end(a, err)
	}
}

// Failed takes a process that has failed, when all is known that was lost because of it: it answers no more.
func (c *Client) Failed(p onepipe.Process) {
	for _, a := range c.inOrder() {
		if !a.sent {
			continue // sending it will fail
		}
		for i := range a.parts {
			if x := &a.parts[i]; !x.done && x.to == p {
				a.out.Missing = append(a.out.Missing, x.ops...)
				c.settle(a, x)
			}
		}
	}
}

// inOrder are the attempts that are open.
func (c *Client) inOrder() (list []*attempt) {
	for _, a := range c.open {
		list = append(list, a)
	}
	slices.SortFunc(list, func(a, b *attempt) int { return int(a.id) - int(b.id) })
	return list
}

// Abandon gives up waiting for a transaction, and says what is known of it: ErrUnknown, if it writes and was sent;
// ErrNotDone, if it was not sent, or only reads; nil, if it has ended.
func (c *Client) Abandon(number uint64) error {
	for _, a := range c.inOrder() {
		if a.number != number {
			continue
		}
		delete(c.open, a.id)
		if a.writes && a.sent {
			return ErrUnknown
		}
		return ErrNotDone
	}
	return nil
}
