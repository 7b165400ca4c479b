package paxos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/p4ce/p4ce/systems/paxos/udp"
)

// Config describes a host's place in an application.
type Config struct {
	Listen     netip.AddrPort   // the host's IPv4 address, and the application's port, of a UDP socket
	Wire       Wire             // a wire in place of the socket; the log closes it
	Leader     netip.AddrPort   // where requests go, whichever switch leads
	Acceptors  []netip.AddrPort // all acceptors that may be asked for a vote, including spares
	Learners   []netip.AddrPort // values are accepted from these only
	Controller netip.AddrPort   // for reports; without it, gaps stay open
	Host       uint32           // this host's id in reports; a host that has lost its disk needs another one
	Proposer   ProposerOptions  // Client must be set: see NextClient
	Replica    ReplicaOptions   // Host, Acceptors and Guests are set from the other fields
	// Guests are hosts that propose and are no replicas (OpenGuest), by the upper half of their clients
	// (NextClient): they are answered.
	Guests map[uint16]netip.AddrPort

	// State is the result of Log.State at the checkpoint with which the state machine starts. With
	// nil, it starts empty.
	State []byte
	// Apply is called with each value of the log once, in order, by one goroutine. The value is valid
	// until Apply returns.
	Apply func(Entry)
	// The same goroutine calls Turn, if it is set, at least every few milliseconds and when there is
	// nothing more to apply at the moment. An application that applies entries in batches does so
	// here.
	Turn func()
	// CheckpointWanted, if it is set, is called by the same goroutine when an operator wants the switches
	// to forget what they can: the host makes a checkpoint soon (Log.Checkpoint).
	CheckpointWanted func()
	// Transfer gets the state of another host: see StateTransfer. Without it, a host that is too far
	// behind stays behind (Status.Behind).
	Transfer StateTransfer
}

// Wire carries messages: a UDP socket (package udp), or frames on a link (package frames). One
// goroutine reads while another writes.
type Wire interface {
	// Addr is where this host is reached.
	Addr() netip.AddrPort
	// Read waits for messages until a time, or forever if that is zero, and returns the number of
	// messages in ps. Their data is valid until the next Read. The error is os.ErrDeadlineExceeded if
	// none came, and net.ErrClosed after Close.
	Read(ps []udp.Packet, until time.Time) (int, error)
	// Write sends messages. Messages that it cannot send are lost.
	Write(ps []udp.Packet) error
	Close() error
}

// Restful is a Wire that can let messages gather.
type Restful interface {
	// Rest waits for d, or until the wire is closed. Messages do not end it. The goroutine that reads calls it.
	Rest(d time.Duration)
}

// While many values are under way, a host that woke for every message would spend its time waking. Then, if what it read
// last is a small part of them, it lets messages gather for a moment, as a NIC moderates its interrupts.
const (
	restFrom = 16 // values
	restFor  = 50 * time.Microsecond
)

// StateTransfer gets a host the state of another host, when the switches no longer have what it has
// missed.
type StateTransfer interface {
	// Fetch asks other hosts for a checkpoint of a later instance than from, installs its state
	// machine here, durably, and returns the Log.State in it. It returns nil if no host has one. The
	// goroutine that calls Apply calls it.
	Fetch(ctx context.Context, from uint64) (state []byte, err error)
}

// ErrClosed means that the log was closed.
var ErrClosed = errors.New("paxos log: closed")

// Log is a replicated log: a value that any host submits is applied on all hosts, in one order, once.
// Many goroutines may call its methods.
type Log struct {
	c      Config
	conn   Wire
	begin  time.Time
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex // guards the fields below
	leader   netip.AddrPort
	proposer *Proposer
	waiting  map[uint32]func(uint64, error) // by number
	room     *sync.Cond                     // there may be room for another value
	writing  bool
	turning  bool // run is about to flush: what its calls submit is written together
	closed   bool
	packets  packets
	dropped  uint64

	rmu        sync.Mutex // guards the fields below; never taken while mu is held
	replica    *Replica
	recovering map[uint64][]chan Decision // who waits, by instance

	wmu sync.Mutex // guards writing to conn
}

// packets are encoded messages to be written.
type packets struct {
	ps   []udp.Packet
	data []byte
}

func (p *packets) add(to netip.AddrPort, m *Message) {
	n := len(p.data)
	p.data, _ = m.Append(p.data) // the cores make no value that is too long
	p.ps = append(p.ps, udp.Packet{Addr: to, Data: p.data[n:len(p.data):len(p.data)]})
}

// Open joins the log. From then on, Apply gets the values of the log.
func Open(c Config) (*Log, error) {
	if c.Apply == nil || !c.Leader.IsValid() || len(c.Learners) == 0 {
		return nil, errors.New("paxos log: Apply, Leader and Learners are needed")
	}
	c.Replica.Host, c.Replica.Acceptors, c.Replica.Guests = c.Host, len(c.Acceptors), slices.Collect(maps.Keys(c.Guests))
	if len(c.Acceptors) == 0 {
		return nil, errors.New("paxos log: no acceptors to ask for missing instances")
	}
	p, err := NewProposer(c.Proposer)
	if err != nil {
		return nil, err
	}
	r, err := NewReplica(c.Replica)
	if err != nil {
		return nil, err
	}
	if c.State != nil {
		if err := r.Restore(c.State); err != nil {
			return nil, err
		}
	}
	conn := c.Wire
	if conn == nil {
		if conn, err = udp.Listen(c.Listen, MaxMessage+1); err != nil {
			return nil, err
		}
	}
	l := newLog(c, conn, p)
	l.replica = r
	go l.run()
	return l, nil
}

// newLog returns a log without a replica.
func newLog(c Config, conn Wire, p *Proposer) *Log {
	l := &Log{c: c, leader: c.Leader, conn: conn, begin: time.Now(), done: make(chan struct{}), proposer: p, waiting: map[uint32]func(uint64, error){}, recovering: map[uint64][]chan Decision{}}
	l.room = sync.NewCond(&l.mu)
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// fetchAfter is the time between two attempts to fetch another host's state. It is doubled each time
// that no host gives its state, up to fetchLongest.
const (
	fetchAfter   = 50 * time.Millisecond
	fetchLongest = 16 * fetchAfter
)

func (l *Log) now() time.Duration { return time.Since(l.begin) }

// Addr returns the address at which it listens.
func (l *Log) Addr() netip.AddrPort { return l.conn.Addr() }

// Close ends the log. Do not call it from Apply. Values under way may be applied on other hosts, or
// not. Submit returns ErrClosed.
func (l *Log) Close() error {
	l.cancel()
	err := l.conn.Close()
	<-l.done
	l.mu.Lock()
	l.closed = true
	waiting := l.waiting
	l.waiting = map[uint32]func(uint64, error){}
	l.room.Broadcast()
	l.mu.Unlock()
	for _, f := range waiting {
		f(0, ErrClosed)
	}
	return err
}

// Go submits a value. The goroutine that calls Apply calls done after the value was applied here,
// or when that can no longer be known. Go does not wait: if the window is full, it returns
// ErrWindow, and done is not called.
func (l *Log) Go(value []byte, done func(instance uint64, err error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.submit(value, done)
}

func (l *Log) submit(value []byte, done func(uint64, error)) error {
	err := l.give(value, done)
	if err == nil {
		l.flush()
	}
	return err
}

// give passes a value to the proposer. mu is held.
func (l *Log) give(value []byte, done func(uint64, error)) error {
	if l.closed || l.ctx.Err() != nil {
		return ErrClosed
	}
	n, err := l.proposer.Submit(l.now(), value)
	if err == nil {
		l.waiting[n] = done
	}
	return err
}

// GoAll is Go for several values, which are sent together. It waits for room. It returns the number
// of submitted values, for each of which done is called, and an error if that is not all of them.
func (l *Log) GoAll(ctx context.Context, values [][]byte, done func(instance uint64, err error)) (int, error) {
	wake := context.AfterFunc(ctx, l.wake)
	defer wake()
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, v := range values {
		for {
			err := l.give(v, done)
			if err == nil {
				break
			}
			// Everything under way may be delivered while it is being written.
			let := l.flush()
			if !errors.Is(err, ErrWindow) {
				return i, err
			}
			if err := ctx.Err(); err != nil {
				l.room.Signal() // wakes callers that wait for it
				return i, err
			}
			if !let {
				l.room.Wait()
			}
		}
	}
	l.flush()
	return len(values), nil
}

// wake makes callers that wait for room look again.
func (l *Log) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.room.Broadcast()
}

// Submit submits a value, and waits until it was applied here. It returns the instance, or 0 if the
// value was in a state that StateTransfer has fetched. If the context ends first, the value may
// still be applied, here and everywhere.
func (l *Log) Submit(ctx context.Context, value []byte) (uint64, error) {
	type result struct {
		instance uint64
		err      error
	}
	ch := make(chan result, 1)
	wake := context.AfterFunc(ctx, l.wake)
	defer wake()
	l.mu.Lock()
	for {
		err := l.submit(value, func(i uint64, err error) { ch <- result{i, err} })
		if err == nil {
			break
		}
		if errors.Is(err, ErrWindow) && ctx.Err() == nil {
			l.room.Wait()
			continue
		}
		l.room.Signal() // wakes callers that wait for it
		l.mu.Unlock()
		if e := ctx.Err(); e != nil && errors.Is(err, ErrWindow) {
			err = fmt.Errorf("%w: %w", e, err)
		}
		return 0, err
	}
	l.mu.Unlock()
	select {
	case r := <-ch:
		return r.instance, r.err
	case <-ctx.Done():
		l.mu.Lock()
		why := l.proposer.Refusal()
		l.mu.Unlock()
		if why != 0 {
			return 0, fmt.Errorf("paxos log: %w; the last answer was a refusal: %v", ctx.Err(), why)
		}
		return 0, fmt.Errorf("paxos log: %w; there was no answer", ctx.Err())
	}
}

// flush writes what the proposer wants to send. While one goroutine writes, values that others submit
// are gathered, and written together. mu is held. flush reports whether it released mu meanwhile.
func (l *Log) flush() (let bool) {
	if l.writing || l.turning {
		return false
	}
	l.writing = true
	for {
		sends := l.proposer.Sends()
		if len(sends) == 0 {
			break
		}
		p := &l.packets
		p.ps, p.data = p.ps[:0], slices.Grow(p.data[:0], len(sends)*MaxMessage)
		for i := range sends {
			to := l.leader
			if sends[i].Kind == Report {
				if to = l.c.Controller; !to.IsValid() {
					continue
				}
				sends[i].Client = l.c.Host
			}
			p.add(to, &sends[i])
		}
		let = true
		l.mu.Unlock()
		err := l.write(p.ps)
		l.mu.Lock()
		if err != nil {
			l.dropped++ // as if lost on the way: it is sent again
		}
	}
	l.writing = false
	return let
}

// run reads messages, and runs the cores when they are due.
func (l *Log) run() {
	defer close(l.done)
	in := make([]udp.Packet, udp.Batch)
	var out packets
	var fetch time.Duration // not before
	pause := fetchAfter / 2
	restful, _ := l.conn.(Restful)
	read := 0
	for l.ctx.Err() == nil {
		l.mu.Lock()
		l.turning = false
		l.proposer.Tick(l.now())
		l.flush()
		pending := l.proposer.Pending()
		l.mu.Unlock()
		if restful != nil && pending >= restFrom && 4*read < pending {
			restful.Rest(restFor)
		}
		l.rmu.Lock()
		l.replica.Tick(l.now())
		l.answer(&out)
		l.recovered()
		due := l.replica.Due() - l.now()
		behind, from := l.replica.Behind(), l.replica.Position()
		l.rmu.Unlock()
		if behind && l.c.Transfer != nil && l.now() >= fetch {
			if pause = min(2*pause, fetchLongest); l.transfer(from) {
				pause = fetchAfter
			}
			fetch = l.now() + pause
		}
		if l.c.Turn != nil {
			l.c.Turn()
		}
		n, err := l.conn.Read(in, time.Now().Add(min(max(due, 0), time.Millisecond)+100*time.Microsecond))
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			continue // an ICMP error for something that was sent: it is sent again
		}
		l.mu.Lock()
		l.turning = true
		l.mu.Unlock()
		read = l.take(in[:n])
	}
}

// answer writes what the replica wants to send. rmu is held.
func (l *Log) answer(out *packets) {
	sends := l.replica.Sends()
	if len(sends) == 0 {
		return
	}
	out.ps, out.data = out.ps[:0], slices.Grow(out.data[:0], len(sends)*MaxMessage)
	for i := range sends {
		var to netip.AddrPort
		switch s := &sends[i]; s.To {
		case ToController:
			to = l.c.Controller
		case ToClient:
			to = l.c.Guests[uint16(s.Message.Client>>16)]
		default:
			to = l.c.Acceptors[s.To]
		}
		if to.IsValid() {
			out.add(to, &sends[i].Message)
		}
	}
	if l.write(out.ps) != nil {
		l.drop()
	}
}

// write writes. Only one goroutine writes at a time.
func (l *Log) write(ps []udp.Packet) error {
	l.wmu.Lock()
	defer l.wmu.Unlock()
	return l.conn.Write(ps)
}

// take passes messages to the cores, and applies what is available then. It returns how many values they had.
func (l *Log) take(in []udp.Packet) int {
	values, checkpoint := l.deliver(in)
	if checkpoint && l.c.CheckpointWanted != nil {
		l.c.CheckpointWanted()
	}
	return values
}

// deliver does the work of take. It also reports whether a checkpoint is wanted.
func (l *Log) deliver(in []udp.Packet) (values int, checkpoint bool) {
	l.rmu.Lock()
	defer l.rmu.Unlock()
	var m Message
	for _, p := range in {
		if err := m.Parse(p.Data); err != nil {
			l.drop()
			continue
		}
		switch {
		case m.Kind == Deliver && slices.Contains(l.c.Learners, p.Addr):
			values += m.Values()
			l.replica.Deliver(l.now(), &m)
		case m.Kind == Refused:
			if l.refused(p.Addr, &m) || slices.Contains(l.c.Acceptors, p.Addr) || Reason(m.VoteRound) == ReasonFull && l.guest(p.Addr) {
				l.replica.Refuse(&m)
			} else {
				l.drop()
			}
		case m.Kind == Checkpoint && p.Addr == l.c.Controller:
			checkpoint = true
		default:
			l.drop()
		}
	}
	l.apply()
	l.recovered()
	return values, checkpoint
}

// guest reports whether a guest has this address: a guest passes on that the leader has no room.
func (l *Log) guest(at netip.AddrPort) bool {
	for _, g := range l.c.Guests {
		if g == at {
			return true
		}
	}
	return false
}

// refused processes a refusal if it comes from the leader.
func (l *Log) refused(from netip.AddrPort, m *Message) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if from != l.leader {
		return false
	}
	l.proposer.Refuse(m)
	return true
}

// SetLeader sends requests to another address from now on. Requests under way go there when they are
// sent again. In switches, an application has one address for all leaders.
func (l *Log) SetLeader(at netip.AddrPort) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leader = at
}

func (l *Log) drop() {
	l.mu.Lock()
	l.dropped++
	l.mu.Unlock()
}

// apply applies the next entries. rmu is held, except while Apply runs.
func (l *Log) apply() {
	var e Entry
	for l.replica.Next(&e) {
		l.rmu.Unlock()
		l.c.Apply(e)
		if e.Client == l.c.Proposer.Client {
			l.end(e.Sequence, e.Instance)
		}
		l.rmu.Lock()
	}
}

// end ends a value that is under way.
func (l *Log) end(sequence uint32, instance uint64) {
	l.mu.Lock()
	var f func(uint64, error)
	if l.proposer.Delivered(l.now(), sequence) {
		f = l.waiting[sequence]
		delete(l.waiting, sequence)
		l.room.Signal()
	}
	l.mu.Unlock()
	if f != nil {
		f(instance, nil)
	}
}

// transfer fetches another host's state, and ends the values that were delivered there. It reports
// whether it got a state.
func (l *Log) transfer(from uint64) bool {
	state, err := l.c.Transfer.Fetch(l.ctx, from)
	if err != nil || state == nil {
		return false // the replica continues to ask, and reports again that it is behind
	}
	l.rmu.Lock()
	defer l.rmu.Unlock()
	if l.replica.Restore(state) != nil {
		l.drop()
		return false
	}
	var done []uint32
	l.mu.Lock()
	l.proposer.Each(func(n uint32) {
		if l.replica.Has(l.c.Proposer.Client, n) {
			done = append(done, n)
		}
	})
	l.mu.Unlock()
	l.rmu.Unlock()
	for _, n := range done {
		l.end(n, 0) // at some place in what was fetched
	}
	l.rmu.Lock()
	return true
}

// State returns the part of a checkpoint that does not belong to the state machine. Within Apply,
// it is the state after this value.
func (l *Log) State() []byte {
	l.rmu.Lock()
	defer l.rmu.Unlock()
	return l.replica.AppendState(nil)
}

// Checkpoint reports that everything below an instance is in a checkpoint on this host's disk. The
// switches forget instances that are in the checkpoints of enough hosts.
func (l *Log) Checkpoint(instance uint64) {
	l.rmu.Lock()
	defer l.rmu.Unlock()
	l.replica.Checkpointed(instance)
}

// Status is the status of a log.
type Status struct {
	Position uint64 // lowest instance that was not applied
	Heard    uint64 // the instance after the highest known one
	Behind   bool   // the switches no longer have the next instance: see StateTransfer
	Pending  int    // values under way
	Refusal  Reason // of the last refused request; 0: none was refused
	Resent   uint64 // requests
	Refused  uint64 // requests
	Dropped  uint64 // messages that were malformed, came from others, or could not be sent
	Replica  ReplicaStats
}

// Status returns the status of the log.
func (l *Log) Status() Status {
	l.rmu.Lock()
	defer l.rmu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	return Status{
		Position: l.replica.Position(), Heard: l.replica.Heard(), Behind: l.replica.Behind(), Pending: l.proposer.Pending(), Refusal: l.proposer.Refusal(),
		Resent: l.proposer.Resent(), Refused: l.proposer.Refused(), Dropped: l.dropped, Replica: l.replica.Stats(),
	}
}
