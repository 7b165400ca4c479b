package onepipe

import (
	"container/heap"
	"reflect"
	"time"
)

// receiver is the half of an Endpoint that receives.
//
//	fragments -> conn: window -> complete -> order, by service --below the barrier--> process
type receiver struct {
	e     *Endpoint
	owed  fifo[*inConn] // whose senders are to be told, with Config.Pack
	conns map[connKey]*inConn
	order [2]order
	// below is the highest barrier that came, by service: what is below it was delivered.
	below    [2]uint64
	partials map[*incoming]struct{} // best-effort messages that are not complete
}

func (r *receiver) init(e *Endpoint) {
	r.e = e
	r.conns = map[connKey]*inConn{}
	r.partials = map[*incoming]struct{}{}
}

// incoming is a message that is being received, or waits.
type incoming struct {
	conn  *inConn
	from  Process
	time  uint64
	first uint32
	count int
	got   int
	last  int // length of the last fragment
	data  []byte
	at    int // in the order, or -1
	proc  *LocalProcess
}

// inConn is what one process sends another by one service. A cell of its ring is a fragment that
// occupies the receiver: it has come, and was not received by the process yet.
type inConn struct {
	key      connKey
	next     uint32 // reliable: the first that has not come; best effort: behind the last that has
	base     uint32 // reliable: the first that is not free
	occupied int
	told     uint32 // the limit of the last Ack
	bits     uint64 // best effort: which of the 64 before next have come
	cells    []inCell
	current  *incoming // best effort: the message whose fragments come
	owes     owed
}

// owed is an acknowledgement that was not sent yet.
type owed struct {
	n      int    // fragments that have come since the last one, probes included
	psn    uint32 // of the last one,
	time   uint64 // and its time; 0: it is no fragment
	marked bool   // all of them, or none
	probed bool   // one was a probe
	waits  bool   // the connection is in receiver.owed
}

// maxOwed is how many fragments an acknowledgement is for at most: those of best effort look back 64.
const maxOwed = 32

type inCell struct {
	came, free bool
	in         *incoming
}

func (c *inConn) cell(psn uint32) *inCell { return &c.cells[psn&uint32(len(c.cells)-1)] }

// limit is the first PSN for which there is no room.
func (c *inConn) limit() uint32 {
	if c.key.service == 1 {
		return (c.base + uint32(len(c.cells))) & psnMask
	}
	return (c.next + uint32(len(c.cells)-c.occupied)) & psnMask
}

func (r *receiver) inConn(k connKey) *inConn {
	c := r.conns[k]
	if c == nil {
		c = &inConn{key: k, cells: make([]inCell, r.e.c.Window)}
		r.conns[k] = c
	}
	return c
}

// fragment takes a fragment of a message.
func (e *Endpoint) fragment(p *packet) {
	proc := e.procs[p.to.Number]
	if proc == nil {
		e.Counters.NoProcess++
		e.nak(p, ReasonProcess)
		return
	}
	e.heard = max(e.heard, p.time)
	size := e.c.Fragment
	if p.count > e.c.Window/2 || len(p.data) > size || p.index < p.count-1 && len(p.data) != size {
		e.Counters.Malformed++
		return
	}
	c := e.inConn(connKey{p.from, p.to, service(p.op == Reliable)})
	if p.op == Reliable {
		e.fragmentReliable(c, proc, p)
	} else {
		e.fragmentOnce(c, proc, p)
	}
}

// fragmentOnce takes a best-effort fragment: in the order of PSNs, what is missing is lost.
func (e *Endpoint) fragmentOnce(c *inConn, proc *LocalProcess, p *packet) {
	gap := psnDiff(p.psn, c.next)
	if p.count == 0 { // a probe: all up to its PSN was sent
		if gap >= 0 {
			c.skip(gap + 1)
			e.abandon(c.current)
		}
		e.ack(c, p)
		return
	}
	switch {
	case gap < 0 && c.bits>>(-gap-1)&1 == 1 && -gap <= 64:
		e.Counters.Duplicates++
		return
	case gap < 0:
		e.Counters.Reordered++
		return
	case c.occupied == len(c.cells):
		e.Counters.Overrun++
		return
	}
	c.skip(gap + 1)
	if gap > 0 || p.index == 0 {
		e.abandon(c.current)
	}
	if p.time < e.receiver.below[0] {
		e.Counters.Late++
		e.abandon(c.current)
		e.nak(p, ReasonLate)
		return
	}
	in := c.current
	if p.index == 0 {
		in = e.incoming(c, proc, p)
		c.current = in
		e.partials[in] = struct{}{}
	}
	if in == nil || in.time != p.time || in.count != p.count || p.index != in.got {
		e.abandon(in)
		return // its beginning is lost: it will not be complete
	}
	c.bits |= 1
	c.occupied++
	in.take(p, e.c.Fragment)
	if in.got == in.count {
		c.current = nil
		delete(e.partials, in)
		heap.Push(&e.receiver.order[0], in)
	}
	e.ack(c, p)
}

// skip moves on by n PSNs, none of which has come.
func (c *inConn) skip(n int) {
	c.next = (c.next + uint32(n)) & psnMask
	if n < 64 {
		c.bits <<= n
	} else {
		c.bits = 0
	}
}

// abandon gives up a message of which a fragment is lost.
func (e *Endpoint) abandon(in *incoming) {
	if in == nil {
		return
	}
	c := in.conn
	c.occupied -= in.got
	if c.current == in {
		c.current = nil
	}
	delete(e.partials, in)
}

// fragmentReliable takes a reliable fragment: in any order, within the window.
func (e *Endpoint) fragmentReliable(c *inConn, proc *LocalProcess, p *packet) {
	if p.count == 0 { // a probe
		e.ack(c, p)
		return
	}
	ahead := psnDiff(p.psn, c.base)
	if ahead < 0 || ahead < len(c.cells) && c.cell(p.psn).came {
		e.Counters.Duplicates++
		e.ack(c, p)
		return
	}
	if ahead >= len(c.cells) {
		e.Counters.Overrun++
		return
	}
	if at, failed := e.failed(p.from); failed && p.time >= at {
		e.nak(p, ReasonFailed)
		return
	}
	if p.time < e.receiver.below[1] {
		e.Counters.Violations++
		e.nak(p, ReasonLate)
		return
	}
	in := e.of(c, proc, p)
	if in == nil {
		e.Counters.Malformed++
		return
	}
	cell := c.cell(p.psn)
	*cell = inCell{came: true, in: in}
	c.occupied++
	in.take(p, e.c.Fragment)
	if in.got == in.count {
		heap.Push(&e.receiver.order[1], in)
	}
	for psnDiff(c.next, c.base) < len(c.cells) && c.cell(c.next).came {
		c.next = (c.next + 1) & psnMask
	}
	e.ack(c, p)
}

// of finds the message of a reliable fragment by its neighbours, or begins it.
func (e *Endpoint) of(c *inConn, proc *LocalProcess, p *packet) *incoming {
	first := (p.psn - uint32(p.index)) & psnMask
	if psnDiff(first, c.base) < 0 || psnDiff(first, c.base)+p.count > len(c.cells) {
		return nil
	}
	for i := range p.count {
		if cell := c.cell(first + uint32(i)); cell.in != nil {
			if in := cell.in; in.time == p.time && in.first == first && in.count == p.count {
				return in
			}
			return nil
		}
	}
	return e.incoming(c, proc, p)
}

func (e *Endpoint) incoming(c *inConn, proc *LocalProcess, p *packet) *incoming {
	size := p.count * e.c.Fragment
	if p.count == 1 {
		size = len(p.data)
	}
	return &incoming{
		conn: c, proc: proc, from: p.from, time: p.time, first: (p.psn - uint32(p.index)) & psnMask, count: p.count,
		data: make([]byte, size), at: -1,
	}
}

// perMessage is what is kept of a message beside its data.
var perMessage = int(reflect.TypeFor[incoming]().Size())

// Waiting is how many complete messages wait for a barrier, and how many bytes they take.
func (e *Endpoint) Waiting() (messages, bytes int) {
	for _, o := range e.receiver.order {
		messages += len(o)
		for _, in := range o {
			bytes += perMessage + cap(in.data)
		}
	}
	return messages, bytes
}

// take puts a fragment into its place.
func (in *incoming) take(p *packet, size int) {
	copy(in.data[p.index*size:], p.data)
	if in.got++; p.index == in.count-1 {
		in.last = len(p.data)
	}
	if in.got == in.count {
		in.data = in.data[:(in.count-1)*size+in.last]
	}
}

// advance takes new barriers, and delivers what is strictly below: what is equal may still come.
func (e *Endpoint) advance(now time.Duration, barriers ...uint64) {
	for s, b := range barriers {
		if b <= e.receiver.below[s] {
			if b < e.receiver.below[s] {
				e.Counters.BarrierBackwards++
			}
			continue
		}
		e.receiver.below[s] = b
		if s == 0 {
			if !e.admitted {
				e.floor = max(e.floor, b) // it joins at what the network has promised
			}
			for in := range e.partials {
				if in.time < b {
					e.abandon(in)
				}
			}
		}
		e.deliver(s)
	}
}

// deliver hands over what is below the barrier, in the order of all processes.
func (e *Endpoint) deliver(s int) {
	q := &e.receiver.order[s]
	for len(*q) > 0 && (*q)[0].time < e.receiver.below[s] {
		in := heap.Pop(q).(*incoming)
		if in.proc.closed {
			e.release(in)
			continue
		}
		// A process's clock is above every timestamp that was delivered to it.
		e.floor = max(e.floor, in.time+1)
		e.Counters.Delivered++
		if s == 1 {
			e.Counters.ReliableDelivered++
		}
		in.proc.ready[s].push(in)
	}
}

// release frees the room of a message that its process has received, or that is discarded.
func (e *Endpoint) release(in *incoming) {
	c := in.conn
	c.occupied -= in.got
	if c.key.service == 1 {
		c.free(in)
	}
	// The sender is told when a quarter of the window is new to it.
	if psnDiff(c.limit(), c.told) >= len(c.cells)/4 {
		e.ack(c, &packet{from: c.key.from, to: c.key.to, psn: (c.next - 1) & psnMask})
	}
}

// free gives the PSNs of a reliable message back. What has not come of it does not come any more.
func (c *inConn) free(in *incoming) {
	for i := range in.count {
		*c.cell(in.first + uint32(i)) = inCell{came: true, free: true}
	}
	for psnDiff(c.next, c.base) < len(c.cells) && c.cell(c.next).came {
		c.next = (c.next + 1) & psnMask
	}
	for c.base != c.next && c.cell(c.base).free {
		*c.cell(c.base) = inCell{}
		c.base = (c.base + 1) & psnMask
	}
}

// ack tells a sender what has come, and how much room there is: at once, or with Config.Pack when a packet can be sent. One
// that answers no fragment, but a probe, or nothing, has no time: how long its fragment has been on the way is not to be
// measured by it.
func (e *Endpoint) ack(c *inConn, p *packet) {
	o := &c.owes
	if o.n == maxOwed || o.n > 0 && (o.marked != p.marked || p.forwarded) { // DCTCP counts marks
		e.control.push(e.answer(c))
	}
	if p.count > 0 {
		o.psn, o.time = p.psn, p.time&timeMask
	} else if o.n == 0 {
		o.psn, o.time = p.psn, 0
	}
	o.n++
	o.marked = p.marked
	o.probed = o.probed || p.count == 0 && p.flags&flagEnd != 0
	switch {
	case p.forwarded:
		a := e.answer(c)
		a.forwarded = true
		e.control.push(a)
	case !e.c.Pack:
		e.control.push(e.answer(c))
	case !o.waits:
		o.waits = true
		e.receiver.owed.push(c)
	}
}

// answer makes the acknowledgement that a connection owes.
func (e *Endpoint) answer(c *inConn) packet {
	o := &c.owes
	a := packet{from: c.key.to, to: c.key.from, op: Ack, time: o.time, psn: o.psn, next: c.next, limit: c.limit(), bits: c.bits}
	if c.key.service == 1 {
		a.flags = flagReliable
		a.bits = 0
		for i := range min(64, len(c.cells)-psnDiff(c.next, c.base)) {
			if c.cell(c.next + uint32(i)).came {
				a.bits |= 1 << i
			}
		}
	}
	if o.marked {
		a.flags |= flagEcho
	}
	if o.probed {
		a.flags |= flagProbe
	}
	c.told = a.limit
	o.n, o.probed = 0, false
	return a
}

// answers makes the packet of the acknowledgements that the first host in the queue is owed, as many as it has room for.
func (e *Endpoint) answers() (p packet, ok bool) {
	q := &e.receiver.owed
	e.shared = e.shared[:0]
	for n := q.n; n > 0; n-- {
		c := q.pop()
		switch {
		case c.owes.n == 0: // it was sent
			c.owes.waits = false
		case !ok:
			p, ok = e.answer(c), true
			c.owes.waits = false
		case c.key.from.Addr == p.to.Addr && ackLen+len(e.shared)+moreAckLen <= e.c.Fragment:
			a := e.answer(c)
			e.shared = a.appendMore(e.shared)
			c.owes.waits = false
		default:
			q.push(c)
		}
	}
	p.rest = e.shared
	return p, ok
}

// nak refuses a message. It comes from a process that is here: of one that is not, switches let nothing pass.
func (e *Endpoint) nak(p *packet, why Reason) {
	n := packet{from: p.to, to: p.from, op: Nak, time: p.time & timeMask, psn: p.psn, reason: why, refused: p.to.Number, forwarded: p.forwarded}
	if e.have > 0 {
		n.from.Number = e.first
	}
	if p.op == Reliable {
		n.flags = flagReliable
	}
	e.control.push(n)
}

// recalled forgets a reliable message that its sender takes back.
func (e *Endpoint) recalled(p *packet) {
	answer := packet{from: p.to, to: p.from, op: Recalled, time: p.time & timeMask, psn: p.psn, count: p.count, forwarded: p.forwarded}
	defer e.control.push(answer)
	c := e.receiver.conns[connKey{p.from, p.to, 1}]
	if c == nil {
		if e.procs[p.to.Number] == nil {
			return
		}
		c = e.inConn(connKey{p.from, p.to, 1})
	}
	ahead := psnDiff(p.psn, c.base)
	if p.count == 0 || ahead+p.count > len(c.cells) || ahead < 0 {
		return // it was forgotten before
	}
	in := &incoming{conn: c, first: p.psn, count: p.count, at: -1}
	for i := range p.count {
		if x := c.cell(p.psn + uint32(i)); x.in != nil {
			if x.in.time != p.time || x.in.first != p.psn {
				e.Counters.Malformed++
				return
			}
			in = x.in
			break
		}
	}
	e.discard(in)
}

// discard forgets a message that was not delivered.
func (e *Endpoint) discard(in *incoming) {
	if in.at >= 0 {
		heap.Remove(&e.receiver.order[1], in.at)
	} else if in.got > 0 && in.got == in.count {
		return // it was delivered: who takes that back has broken a promise
	}
	e.Counters.Discarded++
	e.release(in)
}
