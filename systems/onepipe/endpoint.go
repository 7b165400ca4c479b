package onepipe

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// Config is what an Endpoint needs. Zero values are the defaults.
type Config struct {
	Addr wire.Addr // the host's IPv4 address
	MAC  wire.MAC  // its Ethernet address
	// Resolve is the Ethernet address for frames to an IPv4 address. It must not wait.
	Resolve func(wire.Addr) (wire.MAC, bool)
	// Controller is the address of the host's switch, where the controller listens. Without, the host
	// is told by Admit that it may send.
	Controller wire.Addr
	// Token tells runs of the host apart: no two have the same.
	Token uint64
	// Processes is how many numbers for processes the host asks for: 1.
	Processes int
	// Interval is after how long a silent host sends a beacon: 100 us. Beacons leave at its multiples by the host's clock, so that
	// all hosts send theirs at the same time. A Host whose thread wakes up late takes up to 16 times as long. Between two
	// multiples, it sends a beacon when somebody waits for it.
	Interval time.Duration
	// Window is how many fragments a receiver keeps for one sending process and service: 128. All
	// hosts of a network must have the same. A message must fit into half of it.
	Window int
	// Fragment is the longest fragment, in bytes of payload: 1400.
	Fragment int
	// Queue is how many scatterings may wait to be sent: 1024.
	Queue int
	// Retry is the least time after which a fragment counts as lost: 1 ms. It grows with the round-trip times.
	Retry time.Duration
	// Rejoin is the pause between two requests to join, until the host is admitted: 5 ms.
	Rejoin time.Duration
	// Here is the pause between two such requests of a host that is admitted, by which it learns that it has failed: 1 s.
	Here time.Duration
	// Doubt is after how long at least a process that does not answer is one that the controller is asked about: 100 ms. On machines that
	// are busy it is longer, as answers are late.
	Doubt time.Duration
	// Pack has short messages share packets: those of scatterings that are ready together, to processes of one host. What comes
	// together is acknowledged together. It takes less work of the hosts. A Host always does so.
	Pack bool
	// Ahead is by how much the clock may be ahead of the barrier that the network sends: 1 s. Beyond,
	// the host sends no messages (ErrClock).
	Ahead time.Duration
}

func (c Config) withDefaults() (Config, error) {
	c.Processes, c.Window = cmp.Or(c.Processes, 1), cmp.Or(c.Window, 128)
	c.Fragment, c.Queue = cmp.Or(c.Fragment, 1400), cmp.Or(c.Queue, 1024)
	c.Interval, c.Retry = cmp.Or(c.Interval, 100*time.Microsecond), cmp.Or(c.Retry, time.Millisecond)
	c.Rejoin, c.Ahead = cmp.Or(c.Rejoin, 5*time.Millisecond), cmp.Or(c.Ahead, time.Second)
	c.Doubt, c.Here = cmp.Or(c.Doubt, 100*time.Millisecond), cmp.Or(c.Here, time.Second)
	switch {
	case c.Resolve == nil:
		return c, errors.New("onepipe: Config.Resolve is missing")
	case c.Interval < time.Microsecond || c.Interval > time.Second:
		return c, fmt.Errorf("onepipe: an interval of %v: want 1us to 1s", c.Interval)
	case c.Window < 2 || c.Window > maxWindow || c.Window&(c.Window-1) != 0:
		return c, fmt.Errorf("onepipe: a window of %d fragments: want a power of two from 2 to %d", c.Window, maxWindow)
	case c.Fragment < 1 || c.Fragment > MaxFragment:
		return c, fmt.Errorf("onepipe: fragments of %d bytes: want 1 to %d", c.Fragment, MaxFragment)
	case c.Processes < 1 || c.Processes > maxProcesses:
		return c, fmt.Errorf("onepipe: %d processes: want 1 to %d", c.Processes, maxProcesses)
	case c.Controller != (wire.Addr{}) && c.Token == 0:
		return c, errors.New("onepipe: Config.Token is missing")
	case c.Queue < 1 || c.Retry < 0 || c.Rejoin < 0 || c.Ahead < 0 || c.Doubt < 0 || c.Here < 0:
		return c, errors.New("onepipe: negative settings")
	case c.Ahead > maxAhead:
		return c, fmt.Errorf("onepipe: a clock ahead by %v: want %v at most", c.Ahead, maxAhead)
	}
	return c, nil
}

const (
	maxWindow = 4096
	// maxProcesses is what a host may ask for.
	maxProcesses = 1024
	// maxAhead keeps barriers, which wrap after 274 s, far from where they are ambiguous.
	maxAhead = 30 * time.Second
	never    = time.Duration(math.MaxInt64)
)

// Errors of sending.
var (
	ErrFull    = errors.New("onepipe: the send buffer is full")
	ErrJoining = errors.New("onepipe: the host is not admitted yet")
	ErrClock   = errors.New("onepipe: the host's clock is too far ahead of the network's barrier")
	ErrClosed  = errors.New("onepipe: the process has ended")
	// ErrExpelled ends a host that the controller has declared failed. Its processes have received what the others have of what
	// had come.
	ErrExpelled = errors.New("onepipe: the controller has declared this host failed [open it again: its processes are new ones then]")
)

// Counters count since the start.
type Counters struct {
	Sent, Received    uint64 // packets
	Scatterings       uint64 // sent
	Delivered         uint64 // messages, to processes
	Beacons           uint64 // sent
	Resent            uint64 // fragments
	Lost              uint64 // messages of this host that were reported as lost or recalled
	Late              uint64 // best-effort fragments that came below the delivered barrier
	Violations        uint64 // reliable fragments that did: the network has broken its promise
	Duplicates        uint64 // fragments
	Reordered         uint64 // best-effort fragments behind later ones: dropped
	Foreign           uint64 // frames that are not for this host, or not of 1Pipe
	Checksums         uint64 // packets with a wrong checksum
	Malformed         uint64 // packets
	NoProcess         uint64 // fragments for a process that is not here
	Discarded         uint64 // messages whose sender had failed, or took them back
	Overrun           uint64 // fragments beyond the window that was granted
	Backwards         uint64 // times that the clock was behind what was sent already
	BarrierBackwards  uint64 // received barriers below earlier ones
	Unresolved        uint64 // packets whose destination has no Ethernet address
	ReliableDelivered uint64 // of Delivered
	HandedOver        uint64 // packets that the controller was to forward
	Forwarded         uint64 // packets that it has forwarded to this host
}

// Message is a message that was delivered.
type Message struct {
	Time uint64 // timestamp, ns of the sender's clock
	From Process
	Data []byte
}

// Before reports whether the message comes before another one in the order of all processes.
func (m *Message) Before(o *Message) bool { return before(m.Time, m.From, o.Time, o.From) }

func before(at uint64, from Process, time uint64, than Process) bool {
	if at != time {
		return at < time
	}
	if from.Addr != than.Addr {
		return string(from.Addr[:]) < string(than.Addr[:])
	}
	return from.Number < than.Number
}

// Part is one message of a scattering.
type Part struct {
	To   Process
	Data []byte
}

// Failure is a message that will not be delivered.
type Failure struct {
	Time     uint64 // timestamp of its scattering
	To       Process
	Reliable bool
	Data     []byte
}

// Endpoint is a host's end of 1Pipe: one wire, on which all its processes send. It is a state
// machine without goroutines and clocks: bytes in, bytes out, and the host's clock as a parameter.
// The clock is in nanoseconds since a moment that all hosts share.
type Endpoint struct {
	Counters Counters

	c        Config
	admitted bool
	expelled bool
	joinAt   time.Duration
	told     time.Duration // that it is admitted, for the first time
	first    uint16        // numbers of processes that the controller has given
	have     int
	procs    map[uint16]*LocalProcess

	// The clock, as packets carry it.
	last     uint64 // the highest timestamp that was given
	floor    uint64 // timestamps are above what was delivered
	barrier  uint64 // the highest that was sent, in ns
	sentAt   time.Duration
	now      time.Duration // of the last call
	interval time.Duration // of beacons: Config.Interval, or longer
	steady   bool          // beacons leave at every multiple of the interval, whatever else does
	beacon   time.Duration // when the last one left
	owed     bool          // it left within a scattering: the next one leaves behind it
	due      bool          // a beacon leaves behind what is ready, whenever the last one left
	heard    uint64        // the highest timestamp of a message that was sent or came
	resolved uint64        // the highest of a reliable scattering whose fate is known
	said     [2]uint64     // the barriers of the last beacon, in ns

	sender
	receiver
	failures failures
	doubts   fifo[*outConn]              // the controller is to be asked about who is at their ends
	offers   map[wire.Addr]time.Duration // until when the controller forwards what is for a host
	handed   []byte                      // the last packet that it was given
}

// New makes an Endpoint, which may send when it is admitted (Admit).
func New(c Config) (*Endpoint, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	e := &Endpoint{c: c, interval: c.Interval, procs: map[uint16]*LocalProcess{}}
	if c.Controller == (wire.Addr{}) {
		e.joinAt = never
	}
	e.sender.init(e)
	e.receiver.init(e)
	return e, nil
}

// LocalProcess is a process of this host.
type LocalProcess struct {
	e      *Endpoint
	number uint16
	closed bool

	ready    [2]fifo[*incoming] // delivered, not received: by service
	failures fifo[Failure]
}

// Process is the process's name in the network.
func (p *LocalProcess) Process() Process { return Process{p.e.c.Addr, p.number} }

// Open adds a process. Its number must be one that no process of this host has had: the
// controller gives it.
func (e *Endpoint) Open(number uint16) (*LocalProcess, error) {
	if e.procs[number] != nil {
		return nil, fmt.Errorf("onepipe: process %d is open already", number)
	}
	p := &LocalProcess{e: e, number: number}
	e.procs[number] = p
	return p, nil
}

// Close ends a process. What it has sent is delivered; what comes for it is refused.
func (p *LocalProcess) Close() {
	if p.closed {
		return
	}
	p.closed = true
	delete(p.e.procs, p.number)
	for s := range p.ready {
		for p.ready[s].n > 0 {
			p.e.release(p.ready[s].pop())
		}
	}
}

// Receive takes the next message of one service.
func (p *LocalProcess) Receive(reliable bool) (Message, bool) {
	q := &p.ready[service(reliable)]
	if q.n == 0 {
		return Message{}, false
	}
	in := q.pop()
	m := Message{Time: in.time, From: in.from, Data: in.data}
	p.e.release(in)
	return m, true
}

// ReceiveOrdered takes the next message of both services in one order of (timestamp, sender), and says whether it is a
// reliable one. Receive orders each service by itself: of a best-effort message and a reliable one, either may be first, at
// each process. Here a best-effort message waits until the commit barrier has passed it, as a reliable one does: no reliable
// message with a lower timestamp comes any more. So it waits while the fate of anybody's earlier reliable message is open,
// and while a failure is being handled. Its room in the window is taken until then.
//
// A process that receives in this order does so from its first message on, and does not call Receive.
func (p *LocalProcess) ReceiveOrdered() (m Message, reliable, ok bool) {
	once, sure := &p.ready[0], &p.ready[1]
	if sure.n > 0 && (once.n == 0 || before((*sure.front()).time, (*sure.front()).from, (*once.front()).time, (*once.front()).from)) {
		// Best-effort messages may still come in front of it. It does not happen as long as no commit barrier is above
		// the best-effort barrier of its packet.
		if (*sure.front()).time >= p.e.receiver.below[0] && !p.e.expelled {
			return Message{}, false, false
		}
		m, ok = p.Receive(true)
		return m, true, ok
	}
	if once.n == 0 || (*once.front()).time >= p.e.receiver.below[1] {
		return Message{}, false, false
	}
	m, ok = p.Receive(false)
	return m, false, ok
}

// Failed takes the next message of this process that will not be delivered.
func (p *LocalProcess) Failed() (Failure, bool) {
	if p.failures.n == 0 {
		return Failure{}, false
	}
	return p.failures.pop(), true
}

// Admit says that the controller has admitted the host: it may send messages.
func (e *Endpoint) Admit() { e.admitted = true }

// Admitted reports whether it may.
func (e *Endpoint) Admitted() bool { return e.admitted }

// Expelled reports whether the controller has declared this run of the host failed: it was silent for too long. Its
// processes have ended for all others, and what it sends is dropped. What it had received and not delivered yet is
// delivered, if the others deliver it, too; nothing comes after that.
func (e *Endpoint) Expelled() bool { return e.expelled }

// Numbers are those that the controller has given the host's processes: count, from first on.
func (e *Endpoint) Numbers() (first uint16, count int) { return e.first, e.have }

// Time is the timestamp that a message sent now would have.
func (e *Endpoint) Time(now time.Duration) uint64 {
	return max(uint64(max(0, now)), e.last+1, e.floor, e.barrier)
}

// Barriers are the barriers that the network has sent last: best effort and commit, in ns.
func (e *Endpoint) Barriers() (bestEffort, commit uint64) {
	return e.receiver.below[0], e.receiver.below[1]
}

// Deadline is when Next should be called at the latest, though nothing came and nothing is sent.
func (e *Endpoint) Deadline() time.Duration {
	return min(e.beaconAt(), e.retryAt(), e.joinAt)
}

// beaconAt is the first multiple of the interval after the last packet; after the last beacon, if others need them.
func (e *Endpoint) beaconAt() time.Duration {
	last := e.sentAt
	if e.steady {
		last = e.beacon
	}
	return last - last%e.interval + e.interval
}

// Next appends the next frame to be sent to b, or nothing. The frame takes its place on the wire
// by the call: nothing may leave before it that a later call returns.
func (e *Endpoint) Next(now time.Duration, b []byte) []byte {
	e.now = now
	e.retry(now)
	// The first packet with a barrier above a multiple is a beacon, at all hosts. So what all hosts have reached is raised by a
	// beacon on every link, although messages raise it, too, where they are stamped.
	if e.steady && (now >= e.beaconAt() || e.owed && e.train.first() == nil) {
		return e.sendBeacon(now, b)
	}
	if m, ok := e.answered(); ok {
		if f := e.tell(&m, b); f != nil {
			return f
		}
	}
	for e.doubts.n > 0 && (*e.doubts.front()).silent == 0 {
		e.doubts.pop() // it has answered
	}
	if e.doubts.n > 0 {
		c := e.doubts.pop()
		about := private.Failed{Addr: c.key.to.Addr, First: c.key.to.Number, Have: 1, Time: uint64(c.muteFor(now))}
		m := private.Message{Kind: private.Ask, Token: e.c.Token, Failed: []private.Failed{about}}
		if f := e.tell(&m, b); f != nil {
			return f
		}
	}
	if now >= e.joinAt {
		if f := e.join(now, b); f != nil {
			return f
		}
	}
	for {
		p, most, ok := e.pick(now)
		if !ok {
			break
		}
		f := e.handOver(&p, b)
		if !p.forwarded {
			f = e.frame(now, &p, most, b)
		}
		if f != nil {
			return f
		}
	}
	if e.due || now >= e.beaconAt() {
		return e.sendBeacon(now, b)
	}
	return b
}

// waitedFor reports whether somebody waits for a beacon: for a barrier above a message that this host has sent or received.
func (e *Endpoint) waitedFor(now time.Duration) bool {
	if e.steady || !e.admitted {
		return false // a beacon between two multiples is of no use where switches only forward
	}
	barrier := uint64(max(0, now)) >> Shift << Shift
	return e.heard >= e.said[0] && barrier > e.heard || e.commit() > e.said[1] && e.resolved >= e.said[1]
}

func (e *Endpoint) sendBeacon(now time.Duration, b []byte) []byte {
	p := packet{from: Process{Addr: e.c.Addr}, to: Process{Addr: beaconAddr}, op: Beacon}
	e.Counters.Beacons++
	// Hosts that are late, or have heard of a message, say the same, although they say it at different moments: then a switch
	// sends a beacon for all of them, and not one for each.
	most := uint64(math.MaxUint64)
	switch {
	case e.steady:
		e.beacon, e.owed = now, e.train.first() != nil
	case e.due:
		most = (e.heard>>Shift + 1) << Shift
	default:
		most = uint64(max(0, now-now%e.interval))
	}
	e.due = false
	return e.frame(now, &p, most, b)
}

// join asks the controller to be admitted.
func (e *Endpoint) join(now time.Duration, b []byte) []byte {
	e.joinAt = now + e.c.Rejoin
	if e.admitted && e.have >= e.c.Processes {
		e.joinAt = now + e.c.Here
	}
	return e.tell(&private.Message{Kind: private.Join, Token: e.c.Token, Want: uint16(e.c.Processes)}, b)
}

// Leave makes the frame that says that the host ends: nil if the controller does not know the host. Nothing is to be sent
// after it. If it is lost, the controller takes the host out when it has been silent for long enough.
func (e *Endpoint) Leave(b []byte) []byte {
	if e.have == 0 || e.expelled {
		return nil
	}
	return e.tell(&private.Message{Kind: private.Leave, Token: e.c.Token}, b)
}

// tell makes the frame of a message to the controller.
func (e *Endpoint) tell(m *private.Message, b []byte) []byte {
	mac, ok := e.c.Resolve(e.c.Controller)
	if !ok {
		e.Counters.Unresolved++
		return nil
	}
	return private.AppendFrame(b, e.c.MAC, mac, e.c.Addr, e.c.Controller, m)
}

// joined takes the controller's answer.
func (e *Endpoint) joined(m *private.Message) {
	if m.Token != e.c.Token || e.joinAt == never {
		return
	}
	switch m.Kind {
	case private.Failures:
		e.fail(m)
		return
	case private.Probe:
		e.failures.probe, e.failures.probed = m.Number, true
		return
	case private.Outcome:
		e.ended(m)
		return
	case private.Offer:
		e.offered(m)
		return
	case private.Forward:
		e.forwarded(m)
		return
	}
	if m.Kind != private.Joined {
		return
	}
	if e.have > 0 && m.Have == 0 {
		e.expelled = true
		return
	}
	if e.have == 0 || m.First == e.first {
		e.first, e.have = m.First, max(e.have, int(m.Have))
	}
	if m.Admitted && !e.admitted {
		// When the first links of a network open, what the host has received may be what switches promised when they began. It
		// asks again until a new barrier has come. If none does, Send says so.
		if e.told == 0 {
			e.told = e.now
		}
		e.admitted = e.receiver.below[0] != 0 && !e.aheadBy(e.now, e.c.Ahead/2) || e.now-e.told > e.c.Ahead
	}
	e.steady = e.steady || m.Steady
}

// Beacons go to a multicast address of their own, which no router forwards.
var (
	beaconAddr = wire.Addr{224, 0, 0, 149}
	beaconMAC  = wire.MAC{0x01, 0x00, 0x5e, 0x00, 0x00, 0x95}
)

// frame stamps a packet with this moment's barriers, but not above most; nil if its destination
// is unknown.
func (e *Endpoint) frame(now time.Duration, p *packet, most uint64, b []byte) []byte {
	mac := beaconMAC
	if p.op != Beacon {
		var ok bool
		if mac, ok = e.c.Resolve(p.to.Addr); !ok {
			e.Counters.Unresolved++
			return nil
		}
	}
	e.raise(now, most)
	p.barrier = uint32(e.barrier >> Shift)
	p.commit = uint32(e.commit() >> Shift)
	if p.op == Beacon {
		p.time = e.barrier & timeMask
		e.said = [2]uint64{e.barrier, e.commit()}
	}
	e.sentAt = now
	e.Counters.Sent++
	ecn := wire.NotECT
	if p.op == Data || p.op == Reliable {
		ecn = wire.ECT0
	}
	return p.append(b, e.c.MAC, mac, ecn)
}

// raise lets the barrier follow the clock: to this moment, or to the timestamp of the scattering
// that is being sent.
func (e *Endpoint) raise(now time.Duration, most uint64) {
	clock := uint64(max(0, now))
	at := min(max(clock, e.floor), most)
	if clock < e.barrier {
		e.Counters.Backwards++
	}
	if first := e.train.first(); first != nil {
		at = min(at, first.time)
	}
	e.barrier = max(e.barrier, at>>Shift<<Shift)
}

// commit is the commit barrier: the first reliable scattering that is not resolved, or the
// best-effort barrier.
func (e *Endpoint) commit() uint64 {
	for e.unresolved.n > 0 && (*e.unresolved.front()).resolved() {
		e.resolved = e.unresolved.pop().time
	}
	if e.unresolved.n == 0 {
		return e.barrier
	}
	return min(e.barrier, (*e.unresolved.front()).time>>Shift<<Shift)
}

// Receive takes a frame that came in, and keeps nothing of it.
func (e *Endpoint) Receive(now time.Duration, frame []byte) {
	e.now = now
	var p packet
	switch err := p.parse(frame); {
	case errors.Is(err, errForeign):
		if from, to, m, ok := private.ParseFrame(frame); ok && to == e.c.Addr && from == e.c.Controller {
			e.joined(&m)
			return
		}
		e.Counters.Foreign++
		return
	case errors.Is(err, errChecksum):
		e.Counters.Checksums++
		return
	case err != nil:
		e.Counters.Malformed++
		return
	}
	if p.to.Addr != e.c.Addr && p.op != Beacon {
		e.Counters.Foreign++
		return
	}
	e.Counters.Received++
	if e.expelled {
		return // nobody waits for an answer
	}
	unstamped := p.flags&flagUnstamped != 0 // others that share the packet have flags of their own
	e.take(now, &p)
	if unstamped {
		return
	}
	// What comes with the barrier is not below it: it counts first.
	e.advance(now, extendBarrier(p.barrier, uint64(now)), extendBarrier(p.commit, uint64(now)))
}

// take takes what a packet says, but for its barriers.
func (e *Endpoint) take(now time.Duration, p *packet) {
	p.time = extendTime(p.time, uint64(now))
	switch p.op {
	case Data, Reliable:
		first, rest := p.time, p.rest
		e.fragment(p)
		for len(rest) > 0 {
			rest = p.another(first, rest)
			e.fragment(p)
		}
	case Ack:
		rest := p.rest
		e.acked(now, p)
		for len(rest) > 0 {
			rest = p.anotherAck(rest)
			p.time = extendTime(p.time, uint64(now))
			e.acked(now, p)
		}
	case Nak:
		e.refused(p)
	case Recall:
		e.recalled(p)
	case Recalled:
		e.recallDone(p)
	}
}

func service(reliable bool) int {
	if reliable {
		return 1
	}
	return 0
}

// fifo is a queue in a ring that grows.
type fifo[T any] struct {
	ring []T
	head int
	n    int
}

func (q *fifo[T]) push(v T) {
	if q.n == len(q.ring) {
		ring := make([]T, max(16, 2*len(q.ring)))
		for i := range q.n {
			ring[i] = q.ring[(q.head+i)%len(q.ring)]
		}
		q.ring, q.head = ring, 0
	}
	q.ring[(q.head+q.n)%len(q.ring)] = v
	q.n++
}

func (q *fifo[T]) front() *T { return &q.ring[q.head] }

func (q *fifo[T]) pop() T {
	var zero T
	v := q.ring[q.head]
	q.ring[q.head] = zero
	q.head = (q.head + 1) % len(q.ring)
	q.n--
	return v
}

// order is a heap of messages, the first of the total order in front.
type order []*incoming

func (o order) Len() int           { return len(o) }
func (o order) Less(i, j int) bool { return before(o[i].time, o[i].from, o[j].time, o[j].from) }
func (o order) Swap(i, j int)      { o[i], o[j] = o[j], o[i]; o[i].at, o[j].at = i, j }
func (o *order) Push(x any)        { in := x.(*incoming); in.at = len(*o); *o = append(*o, in) }

func (o *order) Pop() any {
	last := len(*o) - 1
	in := (*o)[last]
	(*o)[last] = nil
	*o = (*o)[:last]
	in.at = -1
	return in
}

var _ heap.Interface = (*order)(nil)
