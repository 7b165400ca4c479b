package onepipe

import (
	"fmt"
	"math"
	"time"
)

// sender is the half of an Endpoint that sends.
//
//	Send -> waiting for credits, per destination -> ready -> train -> wire
//	                                                            |
//	       unresolved, reliable ones in order of time <---------+--> acknowledged, lost, recalled
type sender struct {
	e          *Endpoint
	conns      map[connKey]*outConn
	queued     int // scatterings that were not sent yet
	ready      fifo[*scattering]
	train      train
	control    fifo[packet]
	resend     fifo[outRef]
	unresolved fifo[*scattering] // reliable ones that were sent, by their time
	timers     fifo[outTimer]
	rtt        rtt
	shared     []byte // what shares the packet that is made
}

// train is what is being sent: a scattering, or with Config.Pack several short ones, so that their messages to a host share
// packets. No barrier is above the first one's timestamp before all of them have left.
type train struct {
	cars []*scattering
	part []*outPart // of all of them, in their order; nil: it has left
	at   int        // the first that has not left
	frag int        // its next fragment
}

// maxTrain is how many messages of short scatterings a train has, about: packets of other hosts wait meanwhile.
const maxTrain = 256

// first is the first scattering, or nil.
func (t *train) first() *scattering {
	if len(t.cars) == 0 {
		return nil
	}
	return t.cars[0]
}

// left moves on behind a message that has left.
func (t *train) left(i int) {
	for t.part[i] = nil; t.at < len(t.part) && t.part[t.at] == nil; t.at++ {
	}
	if t.at == len(t.part) {
		t.clear()
	}
}

func (t *train) clear() {
	clear(t.cars)
	*t = train{cars: t.cars[:0], part: t.part[:0]}
}

// short reports whether messages of others may share the packets of a scattering.
func (s *scattering) short() bool {
	for i := range s.parts {
		if s.parts[i].count > 1 {
			return false
		}
	}
	return len(s.parts) <= maxTrain
}

func (s *sender) init(e *Endpoint) {
	s.e = e
	s.conns = map[connKey]*outConn{}
	s.rtt.least = e.c.Retry
}

// connKey names what one process sends another by one service.
type connKey struct {
	from, to Process
	service  int
}

// scattering is a set of messages with one timestamp.
type scattering struct {
	from     *LocalProcess
	reliable bool
	time     uint64 // 0: not sent yet
	parts    []outPart
	waiting  int // parts without all their credits
	open     int // parts whose fate is open
	recalled bool
}

// resolved reports whether it holds the commit barrier no longer.
func (s *scattering) resolved() bool { return s.open == 0 }

type partState uint8

const (
	partOpen     partState = iota // waits, or is on its way
	partHeld                      // its receiver has it
	partRecalled                  // its receiver is being asked to forget it
	partGone                      // its receiver does not have it, and will not
)

// outPart is a message of a scattering.
type outPart struct {
	s       *scattering
	conn    *outConn
	data    []byte
	state   partState
	failed  bool // the sender has been told
	first   uint32
	count   int  // fragments
	granted int  // credits that it has
	left    int  // fragments that are not acknowledged
	handed  bool // the controller had the last recall
}

// outConn is what one process sends another by one service.
type outConn struct {
	key      connKey
	next     uint32        // PSN of the next fragment
	begun    uint32        // the same, when the train has left
	limit    uint32        // the receiver has room for PSNs below this
	una      uint32        // the first whose fate is open
	ring     []outFragment // by PSN; fates of una up to next
	claims   fifo[*outPart]
	reserved int // credits that parts hold and have not used
	watched  bool
	window   window
	silent   time.Duration // since when it has said nothing on the wire, though it was asked again; 0: it has answered
	mute     time.Duration // the same of what the controller forwards, too
	asked    time.Duration // when the controller was asked about it
	handed   bool          // the controller had the last probe
}

type outFragment struct {
	part   *outPart
	index  int
	sent   time.Duration // 0: its round trip was measured
	watch  time.Duration // of its timer
	again  bool          // it was resent
	handed bool          // the controller had it last
	closed bool          // acknowledged, or lost
}

// outRef names a fragment.
type outRef struct {
	conn *outConn
	psn  uint32
}

// outTimer is a fragment that was sent, or a recall.
type outTimer struct {
	at     time.Duration
	conn   *outConn
	psn    uint32
	recall *outPart
	probe  bool
}

// Send sends a scattering: the parts have one timestamp, and different destinations. It keeps
// their data until they are delivered, or reported (Failed).
func (p *LocalProcess) Send(now time.Duration, reliable bool, parts ...Part) error {
	e := p.e
	e.now = now
	switch {
	case p.closed:
		return ErrClosed
	case !e.admitted:
		return ErrJoining
	case e.sender.queued >= e.c.Queue:
		return ErrFull
	case e.tooFarAhead(now):
		return ErrClock
	case len(parts) == 0:
		return fmt.Errorf("onepipe: a scattering without messages")
	}
	if err := e.toFailed(parts); err != nil {
		return err
	}
	s := &scattering{from: p, reliable: reliable, parts: make([]outPart, len(parts)), waiting: len(parts), open: len(parts)}
	for i, part := range parts {
		count := max(1, (len(part.Data)+e.c.Fragment-1)/e.c.Fragment)
		if len(part.Data) > MaxMessage || count > e.c.Window/2 {
			return fmt.Errorf("onepipe: a message of %d bytes: want %d at most", len(part.Data), min(MaxMessage, e.c.Window/2*e.c.Fragment))
		}
		for _, o := range parts[:i] {
			if o.To == part.To {
				return fmt.Errorf("onepipe: two messages of a scattering are for %v", part.To)
			}
		}
		s.parts[i] = outPart{s: s, conn: e.outConn(connKey{p.Process(), part.To, service(reliable)}), data: part.Data, count: count, left: count}
	}
	e.sender.queued++
	for i := range s.parts {
		c := s.parts[i].conn
		c.claims.push(&s.parts[i])
		e.grant(c)
	}
	return nil
}

// tooFarAhead reports whether the clock is further ahead of the network than it may be.
func (e *Endpoint) tooFarAhead(now time.Duration) bool { return e.aheadBy(now, e.c.Ahead) }

func (e *Endpoint) aheadBy(now, most time.Duration) bool {
	below := e.receiver.below[0]
	return below != 0 && e.Time(now) > below+uint64(most)
}

func (s *sender) outConn(k connKey) *outConn {
	c := s.conns[k]
	if c == nil {
		w := s.e.c.Window
		c = &outConn{key: k, limit: uint32(w), ring: make([]outFragment, w), window: newWindow(w)}
		s.conns[k] = c
	}
	return c
}

func (c *outConn) at(psn uint32) *outFragment { return &c.ring[psn&uint32(len(c.ring)-1)] }

func (c *outConn) flying() int { return psnDiff(c.next, c.una) }

// credits is how many fragments may be promised to the first part that waits.
func (c *outConn) credits() int {
	free := min(psnDiff(c.limit, c.next), len(c.ring)-c.flying()) - c.reserved
	// One message may be longer than the congestion window: when nothing else is under way.
	if c.flying() > 0 || c.reserved > (*c.claims.front()).granted {
		free = min(free, c.window.size()-c.flying()-c.reserved)
	}
	return free
}

// grant gives credits to those who wait, in the order in which they were sent. A part keeps what it
// has while it waits for more, and while others of its scattering do: large scatterings get their
// turn. Later parts wait behind it, for the same destination only.
func (s *sender) grant(c *outConn) {
	for c.claims.n > 0 {
		p := *c.claims.front()
		n := max(0, min(c.credits(), p.count-p.granted))
		p.granted += n
		c.reserved += n
		if p.granted < p.count {
			s.watch(c)
			return
		}
		c.claims.pop()
		if p.s.waiting--; p.s.waiting == 0 {
			s.ready.push(p.s)
		}
	}
}

// pick takes what is sent next, and says how high its barrier may be.
func (e *Endpoint) pick(now time.Duration) (_ packet, most uint64, ok bool) {
	s := &e.sender
	if s.control.n > 0 {
		p := s.control.pop()
		if p.op == Data || p.op == Reliable { // a probe is not below the barrier, either
			p.time = e.Time(now) & timeMask
		}
		return p, math.MaxUint64, true
	}
	if p, ok := e.answers(); ok {
		return p, math.MaxUint64, true
	}
	for s.resend.n > 0 {
		ref := s.resend.pop()
		if f := ref.conn.at(ref.psn); psnDiff(ref.psn, ref.conn.una) >= 0 && !f.closed && f.part.state == partOpen {
			e.Counters.Resent++
			f.again = true
			p := s.fragmentOf(now, ref, f)
			p.forwarded = e.inTurn(ref.conn, &f.handed)
			return p, math.MaxUint64, true
		}
	}
	if s.train.first() == nil && !s.begin(now) {
		return packet{}, 0, false
	}
	most = s.train.first().time
	out := s.leaves(now, s.train.at)
	if e.c.Pack && out.count == 1 {
		s.share(now, &out)
	}
	return out, most, true
}

// leaves makes the packet of the i-th message of the train: of its next fragment.
func (s *sender) leaves(now time.Duration, i int) packet {
	t := &s.train
	p := t.part[i]
	c := p.conn
	psn := c.next
	f := c.at(psn)
	*f = outFragment{part: p, index: t.frag}
	c.next = (c.next + 1) & psnMask
	c.reserved--
	p.granted--
	if p.count == 1 {
		t.left(i)
	} else if t.frag++; t.frag == p.count {
		t.frag = 0
		t.left(i)
	}
	if c.key.service == 1 && s.e.byController(c) {
		s.resend.push(outRef{c, psn}) // at once: everybody waits for it
		s.e.doubt(now, c)             // the offer is to last
	}
	return s.fragmentOf(now, outRef{c, psn}, f)
}

// share has the next messages of the train to the same host share a packet, as far as there is room. The packet has the
// timestamp of the first, at which switches look: none of the others is below it.
func (s *sender) share(now time.Duration, out *packet) {
	s.shared = s.shared[:0]
	t := &s.train
	for i := t.at; i < len(t.part); i++ {
		p := t.part[i]
		if p == nil || p.conn.key.to.Addr != out.to.Addr {
			continue
		}
		after := (p.s.time - out.time) & timeMask
		if p.count > 1 || after > maxAfter || moreLen+len(out.data)+len(s.shared)+messageLen+len(p.data) > s.e.c.Fragment {
			break // what is behind it does not overtake it
		}
		q := s.leaves(now, i)
		s.shared = appendMessage(s.shared, &q, after)
	}
	if len(s.shared) > 0 {
		out.flags |= flagMore
		out.rest = s.shared
	}
}

// begin takes the next scattering that is ready, which gets its timestamp; with Config.Pack, short ones behind it, too.
func (s *sender) begin(now time.Duration) bool {
	e, t := s.e, &s.train
	for s.ready.n > 0 && !e.tooFarAhead(now) {
		x := *s.ready.front()
		if first := t.first(); first != nil && !(e.c.Pack && first.short() && x.short() && x.reliable == first.reliable && len(t.part)+len(x.parts) <= maxTrain) {
			break
		}
		s.ready.pop()
		s.queued--
		x.time = e.Time(now)
		e.last, e.heard = x.time, max(e.heard, x.time)
		e.Counters.Scatterings++
		if x.reliable {
			s.unresolved.push(x)
		}
		t.cars = append(t.cars, x)
		for i := range x.parts {
			// PSNs are given when fragments leave, in the order in which they begin.
			p := &x.parts[i]
			p.first = p.conn.begun
			p.conn.begun = (p.conn.begun + uint32(p.count)) & psnMask
			t.part = append(t.part, p)
		}
		if !e.c.Pack {
			break
		}
	}
	return t.first() != nil
}

// fragmentOf makes the packet of a fragment, and watches it.
func (s *sender) fragmentOf(now time.Duration, ref outRef, f *outFragment) packet {
	p := f.part
	f.sent, f.watch = now, now
	s.timers.push(outTimer{at: now, conn: ref.conn, psn: ref.psn})
	size := s.e.c.Fragment
	from := f.index * size
	k := ref.conn.key
	out := packet{
		from: k.from, to: k.to, op: Data, time: p.s.time & timeMask, psn: ref.psn,
		index: f.index, count: p.count, data: p.data[from:min(len(p.data), from+size)],
	}
	if p.s.reliable {
		out.op = Reliable
	}
	if f.index == p.count-1 {
		out.flags = flagEnd
	}
	return out
}

// acked takes what a receiver says of the packets of a connection.
func (e *Endpoint) acked(now time.Duration, a *packet) {
	c := e.sender.conns[connKey{a.to, a.from, service(a.flags&flagReliable != 0)}]
	if c == nil || psnDiff(a.next, c.next) > 0 || psnDiff(a.psn, c.next) >= 0 {
		return // of nobody, or of what was not sent
	}
	c.answered(a, a.time&timeMask != 0 || a.flags&flagProbe != 0)
	if a.time&timeMask != 0 { // else it answers no fragment
		// What was sent once is measured, also if it counted as lost meanwhile: otherwise a round trip that has become longer
		// would never be.
		if f := c.at(a.psn); psnDiff(c.next, a.psn) <= len(c.ring) && f.sent != 0 && !f.again {
			e.sender.rtt.measured(now - f.sent)
			f.sent = 0
		}
	}
	if psnDiff(a.limit, c.limit) > 0 && psnDiff(a.limit, c.next) <= len(c.ring) {
		c.limit = a.limit
	}
	var n int
	if c.key.service == 0 {
		n = e.ackedOnce(c, a)
	} else {
		n = e.ackedReliable(now, c, a)
	}
	if a.time&timeMask != 0 {
		c.window.acked(a.psn, c.next, max(1, n), a.flags&flagEcho != 0)
	}
	c.advance()
	e.grant(c)
}

// ackedOnce: below next, what the bits do not say is lost. The bits look back from next. It returns how many fragments are new
// to have come.
func (e *Endpoint) ackedOnce(c *outConn, a *packet) (came int) {
	for psn := c.una; psnDiff(psn, a.next) < 0; psn = (psn + 1) & psnMask {
		f := c.at(psn)
		if f.closed {
			continue
		}
		f.closed = true
		if back := psnDiff(a.next, psn) - 1; back < 64 && a.bits>>back&1 == 1 {
			e.held(f.part)
			came++
		} else {
			e.lose(f.part)
		}
	}
	return came
}

// ackedReliable: below next, all has come; the bits look ahead from next. What is missing between
// is sent again, once: links keep the order.
func (e *Endpoint) ackedReliable(now time.Duration, c *outConn, a *packet) (n int) {
	for psn := c.una; psnDiff(psn, c.next) < 0; psn = (psn + 1) & psnMask {
		f := c.at(psn)
		ahead := psnDiff(psn, a.next)
		switch came := ahead < 0 || ahead < 64 && a.bits>>ahead&1 == 1; {
		case f.closed:
		case came:
			f.closed = true
			e.held(f.part)
			n++
		case psnDiff(psn, a.psn) < 0 && !f.again && f.part.state == partOpen:
			f.again = true
			c.window.lost(psn, c.next)
			e.sender.resend.push(outRef{c, psn})
		}
	}
	return n
}

// advance moves on to the first fragment whose fate is open.
func (c *outConn) advance() {
	for c.una != c.next && c.at(c.una).closed {
		f := c.at(c.una)
		*f = outFragment{closed: true, sent: f.sent, again: f.again}
		c.una = (c.una + 1) & psnMask
	}
}

// held counts a fragment that its receiver has.
func (e *Endpoint) held(p *outPart) {
	if p.left--; p.left == 0 && p.state == partOpen {
		p.close(partHeld)
	}
}

// close ends a part whose fate was open, or that was recalled.
func (p *outPart) close(as partState) {
	if p.state == partOpen || p.state == partRecalled {
		p.state = as
		p.s.open--
	}
}

// lose ends a best-effort message of which a fragment is lost.
func (e *Endpoint) lose(p *outPart) {
	p.left--
	p.close(partGone)
	e.report(p)
}

// report tells the sender, once.
func (e *Endpoint) report(p *outPart) {
	if p.failed {
		return
	}
	p.failed = true
	e.Counters.Lost++
	if from := p.s.from; !from.closed {
		from.failures.push(Failure{Time: p.s.time, To: p.conn.key.to, Reliable: p.s.reliable, Data: p.data})
	}
}

// refused takes a receiver's refusal of a message.
func (e *Endpoint) refused(n *packet) {
	c := e.sender.conns[connKey{n.to, Process{n.from.Addr, n.refused}, service(n.flags&flagReliable != 0)}]
	if c == nil || psnDiff(n.psn, c.una) < 0 || psnDiff(n.psn, c.next) >= 0 {
		return
	}
	c.answered(n, true)
	p := c.at(n.psn).part
	if p == nil || p.s.time&timeMask != n.time&timeMask {
		return
	}
	e.drop(c, p)
	if p.s.reliable {
		e.takeBack(p.s)
	} else {
		e.report(p)
	}
}

// drop ends a part that its receiver will not have.
func (e *Endpoint) drop(c *outConn, p *outPart) {
	p.close(partGone)
	for psn := c.una; psnDiff(psn, c.next) < 0; psn = (psn + 1) & psnMask {
		if f := c.at(psn); f.part == p {
			f.closed = true
		}
	}
	c.advance()
	e.grant(c)
}

// takeBack recalls a reliable scattering: its other receivers forget it.
func (e *Endpoint) takeBack(s *scattering) {
	if s.recalled {
		return
	}
	s.recalled = true
	for i := range s.parts {
		p := &s.parts[i]
		e.report(p)
		if p.state == partGone {
			continue
		}
		if _, failed := e.failed(p.conn.key.to); failed && p.state == partHeld {
			p.state = partGone // nobody is there who could forget it
			continue
		}
		if p.state == partHeld {
			s.open++ // again: until it is forgotten
		}
		p.state = partRecalled
		e.recall(p)
	}
}

// recall asks a receiver to forget a message.
func (e *Endpoint) recall(p *outPart) {
	e.recallOnce(p)
	e.sender.timers.push(outTimer{at: e.now, recall: p})
}

func (e *Endpoint) recallOnce(p *outPart) {
	k := p.conn.key
	e.sender.control.push(packet{
		from: k.from, to: k.to, op: Recall, time: p.s.time & timeMask, psn: p.first, count: p.count, forwarded: e.inTurn(p.conn, &p.handed),
	})
}

// recallDone takes the answer.
func (e *Endpoint) recallDone(a *packet) {
	for i := range e.unresolved.n {
		s := *e.unresolved.at(i)
		if s.time&timeMask != a.time&timeMask {
			continue
		}
		for i := range s.parts {
			if p := &s.parts[i]; p.conn.key.to == a.from && p.conn.key.from == a.to && p.state == partRecalled {
				p.conn.answered(a, true)
				e.drop(p.conn, p)
			}
		}
	}
}

// retryAt is when the first timer ends.
func (e *Endpoint) retryAt() time.Duration {
	if e.timers.n == 0 {
		return never
	}
	return e.timers.front().at + e.sender.rtt.timeout()
}

// retry looks after what was sent, and not heard of since.
func (e *Endpoint) retry(now time.Duration) {
	s := &e.sender
	for e.retryAt() <= now {
		t := s.timers.pop()
		switch {
		case t.recall != nil:
			if t.recall.state == partRecalled {
				e.recall(t.recall)
				e.doubt(now, t.recall.conn)
			}
		case t.probe:
			s.probe(t.conn)
		default:
			e.silent(now, t)
		}
	}
}

// silent handles a fragment that nobody has spoken of.
func (e *Endpoint) silent(now time.Duration, t outTimer) {
	s, c := &e.sender, t.conn
	if psnDiff(t.psn, c.una) < 0 || psnDiff(t.psn, c.next) >= 0 {
		return
	}
	f := c.at(t.psn)
	if f.closed || f.watch > t.at {
		return
	}
	if c.key.service == 1 {
		if f.part.state == partOpen {
			c.window.lost(t.psn, c.next)
			s.rtt.late(now)
			s.resend.push(outRef{c, t.psn})
			e.doubt(now, c)
		}
		return
	}
	if f.part.s.time >= e.receiver.below[0] {
		t.at = now // it may still be delivered
		f.watch = now
		s.timers.push(t)
		return
	}
	f.closed = true
	c.window.lost(t.psn, c.next)
	s.rtt.late(now)
	e.lose(f.part)
	c.advance()
	e.grant(c)
}

// doubt has the controller asked about a process that has not answered for a while: as long as the fate of a reliable message
// to it is open, nobody's reliable messages are delivered.
func (e *Endpoint) doubt(now time.Duration, c *outConn) {
	if c.mute == 0 {
		c.mute = now
	}
	switch {
	case c.silent == 0:
		c.silent = now
	case now-c.silent >= e.doubtful() && now-c.asked >= e.doubtful():
		c.asked = now
		e.doubts.push(c)
	}
}

// doubtTrips is how many of what hardly any round trip takes longer than a process may be silent.
const doubtTrips = 4

// doubtful is after how long a process that does not answer is one that the controller is asked about.
func (e *Endpoint) doubtful() time.Duration {
	return max(e.c.Doubt, doubtTrips*e.sender.rtt.usual())
}

// watch asks for the receiver's room when somebody waits for it and nothing under way will tell:
// an Ack may be lost, or the last fragments may be.
func (s *sender) watch(c *outConn) {
	if c.claims.n > 0 && c.flying() == 0 && !c.watched {
		c.watched = true
		s.timers.push(outTimer{at: s.e.now, conn: c, probe: true})
	}
}

// probe asks. A probe has the PSN of the last fragment, and is no message.
func (s *sender) probe(c *outConn) {
	c.watched = false
	if c.claims.n == 0 || c.flying() > 0 {
		return
	}
	s.e.doubt(s.e.now, c) // it is none if the last one was answered
	s.probeOnce(c)
	s.watch(c)
}

func (s *sender) probeOnce(c *outConn) {
	op := Data
	if c.key.service == 1 {
		op = Reliable
	}
	s.control.push(packet{from: c.key.from, to: c.key.to, op: op, psn: (c.next - 1) & psnMask, flags: flagEnd, forwarded: s.e.inTurn(c, &c.handed)})
}

// at is the i-th of the queue.
func (q *fifo[T]) at(i int) *T { return &q.ring[(q.head+i)%len(q.ring)] }
