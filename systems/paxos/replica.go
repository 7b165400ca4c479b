package paxos

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Entry is a value in the log.
type Entry struct {
	Instance uint64 // position in the log, which several values of a client may share; the instance of messages is its low 32 bits
	Client   uint32
	Sequence uint32
	Value    []byte // owned by the replica, and valid until its next call
}

// ReplicaOptions configure a replica. Fields that are 0 have defaults.
type ReplicaOptions struct {
	Host      uint32        // its id in reports
	Acceptors int           // number of acceptors that can be asked; 3
	Ring      int           // instances that may be under way: a power of two, as in the switches or more; 65536
	GapAfter  time.Duration // least time until acceptors are asked for what is missing: longer if they take long; doubled each time that they do not answer; 5 ms
	// Guests are the hosts of proposers that are no replicas: the upper halves of their clients
	// (NextClient). They get an answer for each value that was delivered, and for each repetition.
	Guests []uint16
	Report time.Duration // time between reports, and between looking for later instances when nothing arrives; 50 ms
}

// Replica gets what learners have found chosen, in any order and any number of times, and returns it
// in order and once: each instance, and each value of a client, also of those that share an instance. Equal logs give equal decisions about
// repetitions, because these depend only on what was delivered before.
//
// A replica asks acceptors for instances that are missing while later ones are there (QUERY). If that
// does not help, it tells the controller, which has them closed. Like Coordinator, it is a pure core
// for one goroutine.
type Replica struct {
	o          ReplicaOptions
	next       uint64 // lowest instance not delivered as a whole
	left       int    // values in it that were not delivered yet, if some were
	rest       []byte // these values
	number     uint32 // of the first of them
	heard      uint64 // all known instances are below
	cells      []arrived
	clients    map[uint32]*history
	lives      map[uint32]uint32 // the latest client of each host; see latest
	checkpoint uint64
	due        time.Duration
	stuck      uint64        // the instance that was missing at the last Tick;
	asked      int           // how often it was asked for
	since      time.Duration // something was asked for, or came, the last time
	askedAt    time.Duration // something was asked for the last time
	pace       pace
	strikes    int           // how often in a row most of what was asked for did not arrive
	wanted     int           // instances that were asked for the last time,
	came       int           // so many of them have come,
	until      uint64        // and they are below this one
	twice      int           // how often an instance arrived that was there already: each acceptor but the first may cause one
	look       uint64        // how far to look for later instances when nothing is missing
	report     time.Duration // of the next report
	trimmed    int           // answers that an instance is no longer there
	recoveries []recovery
	guests     map[uint32]bool
	sends      []ReplicaSend
	stats      ReplicaStats
}

// ReplicaStats counts, since the start.
type ReplicaStats struct {
	Delivered uint64 // delivered entries
	Recovered uint64 // instances that were recovered for somebody (Recover)
	Noops     uint64 // instances without a value
	Again     uint64 // values of clients that had been delivered in a lower instance
	Past      uint64 // values of a host's earlier life, after one of a later life
	Malformed uint64 // instances whose values do not add up: passed over, as if they had none
	Duplicate uint64 // messages of instances that were there already
	Ahead     uint64 // messages too far ahead: dropped
	Queries   uint64
	Gaps      uint64 // reported
	Answers   uint64 // to guests
}

// To says where a replica sends something.
type To int8

// A replica's messages go to the controller, to the host of the message's client, or to acceptor 0, 1, ..
const (
	ToController To = -1
	ToClient     To = -2
)

// ReplicaSend is a message of a replica.
type ReplicaSend struct {
	To      To
	Message Message
}

type arrived struct {
	instance         uint64
	there            bool
	client, sequence uint32
	length           int
	shared           uint8
	value            [MaxValue]byte
}

// history is which values of a client were delivered.
type history struct {
	highest uint32
	bits    [History / 64]uint64 // number n: bit n % History, for (highest-History, highest]
}

// take reports whether a number was not delivered before, and records it.
func (h *history) take(n uint32) bool {
	if d := n - h.highest; int32(d) > 0 {
		if d >= History {
			h.bits = [History / 64]uint64{}
		} else {
			for x := h.highest + 1; x != n; x++ {
				h.bits[x%History/64] &^= 1 << (x % 64)
			}
		}
		h.highest = n
		h.bits[n%History/64] |= 1 << (n % 64)
		return true
	}
	if h.highest-n >= History {
		return false
	}
	word, bit := &h.bits[n%History/64], uint64(1)<<(n%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// NewReplica returns a replica that begins at instance 1, with nothing delivered.
func NewReplica(o ReplicaOptions) (*Replica, error) {
	o.Acceptors = cmp.Or(o.Acceptors, 3)
	o.Ring = cmp.Or(o.Ring, 1<<16)
	o.GapAfter = cmp.Or(o.GapAfter, 5*time.Millisecond)
	o.Report = cmp.Or(o.Report, 50*time.Millisecond)
	if o.Ring < 1 || o.Ring&(o.Ring-1) != 0 || o.Acceptors < 0 || o.GapAfter < 0 || o.Report < 0 {
		return nil, fmt.Errorf("paxos replica: ring %d (a power of two), %d acceptors, gap after %v, report every %v", o.Ring, o.Acceptors, o.GapAfter, o.Report)
	}
	guests := map[uint32]bool{}
	for _, g := range o.Guests {
		guests[uint32(g)] = true
	}
	return &Replica{o: o, pace: newPace(firstQueries, firstQueries, queries, o.GapAfter, o.GapAfter*patient/2), next: 1, heard: 1, checkpoint: 1, look: 1, cells: make([]arrived, o.Ring), clients: map[uint32]*history{}, lives: map[uint32]uint32{}, guests: guests}, nil
}

// Position returns the lowest instance that was not delivered.
func (r *Replica) Position() uint64 { return r.next }

// Heard returns the instance after the highest that the replica knows.
func (r *Replica) Heard() uint64 { return r.heard }

// Stats returns the counters.
func (r *Replica) Stats() ReplicaStats { return r.stats }

// Behind reports that, according to the acceptors, they no longer have what this replica needs next.
// It needs the state of another replica (Restore). If no other replica is further, there is nothing to
// get, and nothing was lost.
func (r *Replica) Behind() bool { return r.trimmed >= 2*max(r.o.Acceptors, 1) }

// wide returns the position with these low 32 bits that is nearest to the next one.
func (r *Replica) wide(instance uint32) uint64 {
	return r.next + uint64(int64(int32(instance-uint32(r.next))))
}

func (r *Replica) cell(instance uint64) *arrived { return &r.cells[instance&uint64(r.o.Ring-1)] }

// Deliver processes a message of a learner.
func (r *Replica) Deliver(now time.Duration, m *Message) {
	if m.Kind != Deliver || len(m.Value) > MaxValue {
		return
	}
	i := r.wide(m.Instance)
	r.recover(i, m)
	if int64(i-r.next) < 0 {
		r.stats.Duplicate++
		if i < r.until {
			r.twice++
		}
		return
	}
	r.heard = max(r.heard, i+1)
	if i-r.next >= uint64(r.o.Ring) {
		r.stats.Ahead++
		return
	}
	x := r.cell(i)
	if x.there && x.instance == i {
		r.stats.Duplicate++
		if i < r.until {
			r.twice++
		}
		return
	}
	x.instance, x.there, x.client, x.sequence = i, true, m.Client, m.Sequence
	x.length, x.shared = copy(x.value[:], m.Value), m.Shared
	if i < r.until {
		r.came++
		r.pace.answered()
		r.since = now // the others may be on their way
	}
	if r.heard > r.next && (r.due > now+r.o.GapAfter) {
		r.due = now + r.o.GapAfter
	}
}

// Next returns the next entry, if it is there.
func (r *Replica) Next(e *Entry) bool {
	for {
		x := r.cell(r.next)
		if !x.there || x.instance != r.next {
			return false
		}
		if r.left == 0 {
			if x.client == 0 {
				r.stats.Noops++
				r.pass(x)
				continue
			}
			r.left, r.rest, r.number = countValues(x.shared, x.value[:x.length]), x.value[:x.length], x.sequence
			if r.left == 0 {
				r.stats.Malformed++
				r.pass(x)
				continue
			}
			if !r.latest(x.client) {
				r.stats.Past += uint64(r.left)
				r.pass(x)
				continue
			}
		}
		var value []byte
		value, r.rest = nextValue(x.shared, r.rest)
		sequence := r.number
		r.number++
		// The instance is next until its last value is delivered. A state in between has the numbers of those
		// that were, so it continues with the others.
		if r.left--; r.left == 0 {
			r.pass(x)
		}
		h := r.clients[x.client]
		if h == nil {
			h = &history{}
			r.clients[x.client] = h
		}
		if !h.take(sequence) {
			r.stats.Again++
			r.answer(x.client, sequence, 0) // its first answer may be lost
			continue
		}
		r.stats.Delivered++
		r.answer(x.client, sequence, x.instance)
		*e = Entry{x.instance, x.client, sequence, value}
		return true
	}
}

// pass has the replica continue behind the next instance.
func (r *Replica) pass(x *arrived) {
	x.there, r.left = false, 0
	r.next++
}

// answer tells a guest that its value was delivered, in an instance; 0: in an earlier one.
func (r *Replica) answer(client, sequence uint32, instance uint64) {
	if r.guests[client>>16] {
		r.stats.Answers++
		r.sends = append(r.sends, ReplicaSend{ToClient, Message{Kind: Answer, Instance: uint32(instance), VoteRound: uint32(instance >> 32), Client: client, Sequence: sequence}})
	}
}

// latest reports whether a client is the latest life of its host that appears in the log (NextClient).
// The first value of a life ends the earlier ones. Their values that are still on their way are never
// delivered, and what is known about them is forgotten. Otherwise a host that starts again every day
// would have its lives in all checkpoints for ever.
func (r *Replica) latest(client uint32) bool {
	host := client >> 16
	if host == 0 {
		return true // not from NextClient: it has one life
	}
	last := r.lives[host]
	if client < last {
		return false
	}
	if client > last {
		delete(r.clients, last)
		r.lives[host] = client
	}
	return true
}

// Has reports whether a value of a client was delivered.
func (r *Replica) Has(client, sequence uint32) bool {
	h := r.clients[client]
	if h == nil || int32(sequence-h.highest) > 0 {
		return false
	}
	return h.highest-sequence >= History || h.bits[sequence%History/64]>>(sequence%64)&1 == 1
}

// queries is how many missing instances are asked for at once at most. firstQueries is how many at
// least.
const (
	queries      = 256
	firstQueries = 8
)

// Tick asks for what is missing, and reports.
func (r *Replica) Tick(now time.Duration) {
	if now < r.due {
		return
	}
	missing := r.heard > r.next
	if r.stuck != r.next {
		// There was more where the replica looked: look further.
		if missing || r.asked == 0 {
			r.look = 1
		} else {
			r.look = min(2*r.look, queries)
		}
		r.stuck, r.asked, r.trimmed = r.next, 0, 0
		if r.wanted == 0 {
			r.since = now
		}
	}
	all, rival := r.wanted > 0 && r.came >= r.wanted, r.twice > r.wanted*(r.o.Acceptors-1)
	if all {
		r.pace.measure(now - r.askedAt)
		r.wanted, r.strikes = 0, 0
	}
	wait := r.patience()
	if !missing && r.look == 1 {
		wait = max(wait, r.o.Report)
	}
	if now >= r.since+wait || all && missing && !rival {
		if r.wanted > 0 && 2*r.came < r.wanted {
			r.pace.silence()
			r.strikes++
		} else {
			r.strikes = 0
		}
		r.since, r.askedAt = now, now
		r.asked++
		r.ask()
		if !missing && r.asked > 2 {
			r.look = 1
		}
		if missing && r.asked > 1 {
			r.stats.Gaps++
			r.sendReport(now, Gap)
		}
	}
	if now >= r.report {
		r.sendReport(now, 0)
	}
	r.askRecoveries(now)
	r.due = min(r.report, now+r.o.GapAfter)
}

// patience is how long to wait until something is asked for again. All replicas get the answers to a
// question of one. So each waits for a different time, up to half as long again, and those that wait
// longer hear the answers to the one that asked first (as in Floyd et al., A Reliable Multicast
// Framework for Light-weight Sessions, SIGCOMM 1995).
func (r *Replica) patience() time.Duration {
	wait := r.pace.wait(r.strikes)
	h := uint64(r.o.Host)<<32 ^ r.next ^ uint64(r.asked)<<20
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return wait + time.Duration(h>>33%1024)*wait/2048
}

// ask has acceptors vote again: in the missing instances, or in the next one in case it exists and
// nothing comes after it.
func (r *Replica) ask() {
	r.wanted, r.came, r.twice = 0, 0, 0
	end := min(max(r.heard, r.next+r.look), r.next+uint64(r.o.Ring))
	for r.until = r.next; r.wanted < r.pace.window && r.until < end; r.until++ {
		if x := r.cell(r.until); x.there && x.instance == r.until {
			continue
		}
		r.wanted++
		for a := range r.o.Acceptors {
			r.stats.Queries++
			r.sends = append(r.sends, ReplicaSend{To(a), Message{Kind: Query, Instance: uint32(r.until)}})
		}
	}
}

func (r *Replica) sendReport(now time.Duration, flags uint8) {
	r.report = now + r.o.Report
	r.sends = append(r.sends, ReplicaSend{ToController, Message{
		Kind: Report, Flags: flags, Instance: uint32(r.next), VoteRound: uint32(r.heard - 1), Client: r.o.Host, Sequence: uint32(r.checkpoint),
	}})
}

// Refuse processes a message that says why an acceptor does not vote again, or that the leader has no
// instance left. In the latter case the leader has given all instances below the message's, and those
// that no replica knows are missing. Otherwise a ring whose contents were all lost would be full for
// ever.
func (r *Replica) Refuse(m *Message) {
	if m.Kind != Refused {
		return
	}
	switch Reason(m.VoteRound) {
	case ReasonWindow:
		if m.Instance == uint32(r.next) {
			r.trimmed++
		}
		r.refuseRecovery(r.wide(m.Instance))
	case ReasonFull:
		if i := r.wide(m.Instance); int64(i-r.heard) > 0 && i-r.next <= uint64(r.o.Ring) {
			r.heard = i
		}
	}
}

// Due returns when Tick has something to do.
func (r *Replica) Due() time.Duration { return r.due }

// Sends returns what must be sent, and forgets it: call it when the state machine has all entries that
// Next has returned, since it has the answers for them. The slice is valid until the next call of any
// method.
func (r *Replica) Sends() []ReplicaSend {
	s := r.sends
	r.sends = r.sends[:0]
	return s
}

// Checkpointed reports that all instances below one are in a durable checkpoint of this host: in its
// state machine, and in State as it was then. Reports say so. When enough replicas have a checkpoint,
// the switches forget what it contains.
func (r *Replica) Checkpointed(instance uint64) {
	r.checkpoint = min(max(r.checkpoint, instance), r.next)
}

const stateMagic = 0x70345031 // "p4P1"

// ErrState is an error of Restore.
var ErrState = errors.New("paxos replica: not a state of AppendState")

// AppendState appends the part of a checkpoint that does not belong to the state machine: the
// position, and which values of clients were delivered. It has 16 bytes, and 136 for each client. Only
// the latest life of a host counts.
func (r *Replica) AppendState(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, stateMagic)
	b = binary.BigEndian.AppendUint32(b, uint32(len(r.clients)))
	b = binary.BigEndian.AppendUint64(b, r.next)
	ids := make([]uint32, 0, len(r.clients))
	for id := range r.clients {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		h := r.clients[id]
		b = binary.BigEndian.AppendUint32(b, id)
		b = binary.BigEndian.AppendUint32(b, h.highest)
		for _, w := range h.bits {
			b = binary.BigEndian.AppendUint64(b, w)
		}
	}
	return b
}

const (
	stateHead   = 16
	stateClient = 8 + History/8
)

// Restore puts the replica where the replica was that made the state, which may be another one. What
// this replica has missed is then in the state machine that came with the state. Restore returns an
// error if the state is not further than this replica.
func (r *Replica) Restore(b []byte) error {
	if len(b) < stateHead || binary.BigEndian.Uint32(b) != stateMagic {
		return ErrState
	}
	n := binary.BigEndian.Uint32(b[4:])
	next := binary.BigEndian.Uint64(b[8:])
	if uint64(len(b)) != stateHead+uint64(n)*stateClient || next == 0 || next >= 1<<63 {
		return fmt.Errorf("%w: %d bytes, %d clients", ErrState, len(b), n)
	}
	if next < r.next {
		return fmt.Errorf("paxos replica: the state ends before instance %d, and %d is next", next, r.next)
	}
	clients := make(map[uint32]*history, n)
	lives := map[uint32]uint32{}
	last := int64(-1)
	for b = b[stateHead:]; len(b) > 0; b = b[stateClient:] {
		id := binary.BigEndian.Uint32(b)
		if int64(id) <= last || id == 0 {
			return fmt.Errorf("%w: client %d", ErrState, id)
		}
		last = int64(id)
		if host := id >> 16; host != 0 {
			if lives[host] != 0 {
				return fmt.Errorf("%w: clients %d and %d are lives of one host", ErrState, lives[host], id)
			}
			lives[host] = id
		}
		h := &history{highest: binary.BigEndian.Uint32(b[4:])}
		for i := range h.bits {
			h.bits[i] = binary.BigEndian.Uint64(b[8+8*i:])
		}
		clients[id] = h
	}
	r.clients, r.lives = clients, lives
	r.next, r.left, r.heard, r.trimmed = next, 0, max(r.heard, next), 0
	r.Checkpointed(next)
	return nil
}

// StatePosition returns the lowest instance that is not in a state (AppendState).
func StatePosition(b []byte) (uint64, error) {
	if len(b) < stateHead || binary.BigEndian.Uint32(b) != stateMagic {
		return 0, ErrState
	}
	return binary.BigEndian.Uint64(b[8:]), nil
}

// StateClient returns the latest life of a host in a state (AppendState), and the highest of its
// delivered numbers. Both are 0 if there is none.
func StateClient(b []byte, host uint32) (client, highest uint32) {
	if len(b) < stateHead {
		return 0, 0
	}
	for b = b[stateHead:]; len(b) >= stateClient; b = b[stateClient:] {
		if id := binary.BigEndian.Uint32(b); id>>16 == host {
			client, highest = id, binary.BigEndian.Uint32(b[4:])
		}
	}
	return client, highest
}
