package paxos

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"
)

// Acceptors is a set of acceptors: a bit for each, as the caller numbers them (0 to 63). An acceptor
// that has lost its registers is a different acceptor from then on, with another number.
type Acceptors uint64

// With returns the set with acceptor i.
func (a Acceptors) With(i int) Acceptors { return a | 1<<uint(i) }

// Has says whether acceptor i is in the set.
func (a Acceptors) Has(i int) bool { return i >= 0 && i < 64 && a>>uint(i)&1 == 1 }

// Len returns the number of acceptors in the set.
func (a Acceptors) Len() int { return bits.OnesCount64(uint64(a)) }

// majority reports whether more than half of the configuration has answered.
func (a Acceptors) majority(answered Acceptors) bool { return 2*(a&answered).Len() > a.Len() }

// Recovery describes what a coordinator must do in its round.
//
// It is safe because of these conditions:
//
//  1. Nobody has had the round before, and nobody else proposes in it. The only exception is
//     the leader of the round, which gets only the instances after those of the
//     coordinator (Next).
//  2. Old contains every configuration with which something may have been chosen in an
//     earlier round from First on. A configuration may be left out once a coordinator with
//     a later configuration was Done, from the same First or a lower one.
//  3. An answer from an address comes from the acceptor of that number. An acceptor that
//     was given the address again after it had lost its registers answers as another
//     number. Such an acceptor has a floor not below Round, or votes for no round below it.
//     Its highest instance is just below First, because numbers wrap: 0 may be ahead of all.
type Recovery struct {
	Round uint32 // 1 to 1<<31 - 1
	First uint32 // lowest instance
	// With Floor, the coordinator takes over all instances from First on. Without it, the coordinator
	// takes over only those up to Last, to close gaps, and the round of the leader stays as it is.
	Floor bool
	Last  uint32
	Old   []Acceptors // each configuration of earlier rounds; a majority of each must answer
	New   Acceptors   // the acceptors that vote in this round
	Ring  uint32      // instances that may be under way at once; 0: 65536
	// Noops are what is proposed, for client 0, in instances in which nothing can have been chosen. It is
	// an empty value in the other instances.
	Noops map[uint32][]byte
}

// CoordinatorOptions configure a coordinator. Fields that are 0 have defaults.
type CoordinatorOptions struct {
	Resend time.Duration // least time before a question is repeated: longer if answers take long; doubled each time; 20 ms
	Window int           // most instances at once: it begins with few, and increases them with answers; 64
}

// Coordinator runs phases 1 and 2 in one round (paper, section 2.2). The floor is phase 1 of all
// instances at once:
//
//	FLOOR ->    <- FLOORED, from a majority of each configuration: nothing was or will
//	                        be voted for in a lower round above the highest
//	then for each instance from First to the highest
//	PREPARE ->  <- PROMISE, from a majority of each: the vote of the highest round, or a no-op
//	ACCEPT ->               to all who vote in the new configuration
//	PREPARE ->  <- PROMISE  whose vote is of this round: from a majority of them it is chosen
//
// It knows no clock, socket or addresses: Tick and Answer get the time, counted from any beginning,
// and Sends returns what must be sent. One goroutine uses it. A coordinator that does not end in Done
// has done no harm: another round and another coordinator may follow at any time.
type Coordinator struct {
	r       Recovery
	o       CoordinatorOptions
	all     Acceptors // in any configuration
	state   CoordinatorState
	err     error
	floored Acceptors
	highest uint32 // offset from First of the highest instance that has a vote
	some    bool   // there is a vote
	end     uint32 // offset of the first instance that need not be recovered
	done    uint32 // all instances below this offset are recovered
	begun   uint32 // no instance from this offset on is under way yet
	cells   []recovered
	due     time.Duration
	tries   int // number of FLOORs without enough answers
	pace    pace
	halved  uint32 // the offset behind the instances that were under way when silence was last reported to pace
	forgot  Acceptors
	sends   []Send
}

// recovered is an instance that is being recovered.
type recovered struct {
	promised, voted   Acceptors
	accepting, chosen bool
	best              uint32 // round of the adopted vote
	client, sequence  uint32
	length            int
	shared            uint8
	value             [MaxValue]byte
	asked, due        time.Duration // when the missing answers were first requested; when they are requested next
	tries             int
}

// Send is a message for an acceptor.
type Send struct {
	To      int // the acceptor's number
	Message Message
}

// CoordinatorState says how far a coordinator is.
type CoordinatorState uint8

// The states.
const (
	Flooring   CoordinatorState = iota // no majority has promised the round yet
	Recovering                         // instances are being recovered
	Done                               // all are recovered; a leader may begin in this round at Next
	Failed                             // it cannot become Done: see Err. Another round may
)

func (s CoordinatorState) String() string {
	return [...]string{"floor", "recover", "done", "failed"}[s]
}

// Errors of a coordinator.
var (
	ErrRecovery  = errors.New("paxos coordinator")
	ErrPreempted = errors.New("paxos coordinator: a higher round was promised [another coordinator has begun one: take a new round]")
)

// NewCoordinator returns a coordinator. Its first messages are available after the first Tick.
func NewCoordinator(r Recovery, o CoordinatorOptions) (*Coordinator, error) {
	r.Ring = cmp.Or(r.Ring, 1<<16)
	o.Resend = cmp.Or(o.Resend, 20*time.Millisecond)
	o.Window = cmp.Or(o.Window, 64)
	c := &Coordinator{r: r, o: o, all: r.New, end: r.Last - r.First + 1}
	for _, old := range r.Old {
		c.all |= old
		if old == 0 {
			return nil, fmt.Errorf("%w: an old configuration without acceptors", ErrRecovery)
		}
	}
	switch {
	case r.Round == 0 || r.Round >= 1<<31:
		return nil, fmt.Errorf("%w: round %d (want 1 to %d)", ErrRecovery, r.Round, uint32(1<<31-1))
	case r.New == 0:
		return nil, fmt.Errorf("%w: no acceptors", ErrRecovery)
	case r.Ring > 1<<20:
		return nil, fmt.Errorf("%w: a ring of %d", ErrRecovery, r.Ring)
	case o.Window < 1 || o.Resend < 0:
		return nil, fmt.Errorf("%w: a window of %d, resending after %v", ErrRecovery, o.Window, o.Resend)
	case !r.Floor && c.end-1 >= r.Ring:
		return nil, fmt.Errorf("%w: instances %d to %d, in a ring of %d", ErrRecovery, r.First, r.Last, r.Ring)
	}
	for i, v := range r.Noops {
		if len(v) > MaxValue {
			return nil, fmt.Errorf("%w: the no-op of instance %d: %w: %d", ErrRecovery, i, ErrValue, len(v))
		}
	}
	c.cells = make([]recovered, o.Window)
	least := min(firstWindow, max(1, o.Window/firstWindow))
	c.pace = newPace(least, least, o.Window, o.Resend, o.Resend*longestRecovery)
	if !r.Floor {
		c.state = Recovering
	}
	return c, nil
}

// firstWindow is how many instances are recovered at once in the beginning (fewer with a small
// window). longestRecovery is how many times Resend the longest time is before a question is repeated.
const (
	firstWindow     = 4
	longestRecovery = 16
)

// State returns how far the coordinator is.
func (c *Coordinator) State() CoordinatorState { return c.state }

// Err returns why the coordinator has failed.
func (c *Coordinator) Err() error { return c.err }

// Round returns the coordinator's round.
func (c *Coordinator) Round() uint32 { return c.r.Round }

// Next returns the first instance that a leader of this round may give to a request. It is valid once
// the state is Done.
func (c *Coordinator) Next() uint32 { return c.r.First + c.end }

// Progress returns how many instances are recovered, and how many there are.
func (c *Coordinator) Progress() (done, all uint32) { return c.done, c.end }

// Forgot returns the acceptors that report that they have lost their registers.
func (c *Coordinator) Forgot() Acceptors { return c.forgot }

// Due returns when Tick has something to do if no answer arrives before.
func (c *Coordinator) Due() time.Duration { return c.due }

// Sends returns what must be sent, and forgets it. The slice and the values in it are valid until the
// next call of any method.
func (c *Coordinator) Sends() []Send {
	s := c.sends
	c.sends = c.sends[:0]
	return s
}

// Trim reports that all instances below first are in the checkpoints of enough replicas, and that
// acceptors are about to forget them. They need not be recovered.
func (c *Coordinator) Trim(now time.Duration, first uint32) {
	n := first - c.r.First
	if int32(n) <= 0 || c.state == Done || c.state == Failed {
		return
	}
	if c.state == Flooring {
		// What was learned about the end remains; the beginning moves.
		c.r.First, c.r.Last = first, max(c.r.Last, first)
		if c.some && c.highest >= n {
			c.highest -= n
		} else {
			c.some, c.highest = false, 0
		}
		return
	}
	c.end = max(c.end, n)
	for off := c.done; off != c.begun && off < n; off++ {
		c.cell(off).chosen = true
	}
	if c.begun < n {
		c.done, c.begun = n, n
	}
	c.advance(now)
}

func (c *Coordinator) cell(off uint32) *recovered { return &c.cells[off%uint32(len(c.cells))] }

// Tick sends what is due.
func (c *Coordinator) Tick(now time.Duration) {
	if c.state == Done || c.state == Failed || now < c.due {
		return
	}
	if c.state == Flooring {
		c.toAll(c.all&^c.floored, Message{Kind: Floor, Instance: c.r.First, Round: c.r.Round})
		c.due = now + c.pace.wait(c.tries)
		c.tries++
		return
	}
	c.advance(now)
	turn := c.pace.window // of the oldest: the others get their turn when these are recovered
	for off := c.done; off != c.begun && turn > 0; off++ {
		x := c.cell(off)
		if x.chosen {
			continue
		}
		if turn--; x.due <= now {
			if int32(off-c.halved) >= 0 || off == c.done && x.tries > 0 {
				c.halved = c.begun
				c.pace.silence()
			}
			x.tries++
			c.ask(now, off)
		}
	}
	c.wake()
}

// wake finds out when something must be done next.
func (c *Coordinator) wake() {
	first, turn := true, c.pace.window
	for off := c.done; off != c.begun && turn > 0; off++ {
		x := c.cell(off)
		if x.chosen {
			continue
		}
		if turn--; first || x.due < c.due {
			c.due, first = x.due, false
		}
	}
}

// Answer processes a message from an acceptor.
func (c *Coordinator) Answer(now time.Duration, from int, m *Message) {
	if c.state == Done || c.state == Failed || m.Round != c.r.Round || !c.all.Has(from) {
		return
	}
	switch m.Kind {
	case Floored:
		if c.state == Flooring && !c.floored.Has(from) {
			c.answeredFloor(now, from, m.Instance)
		}
	case Promise:
		off := m.Instance - c.r.First
		if c.state == Recovering && off-c.done < c.begun-c.done {
			c.answeredPrepare(now, off, from, m)
		}
	case Refused:
		switch Reason(m.VoteRound) {
		case ReasonStale:
			c.fail(fmt.Errorf("%w: round %d, instance %d, acceptor %d", ErrPreempted, m.Round, m.Instance, from))
		case ReasonAmnesia:
			c.forgot = c.forgot.With(from)
		}
	}
}

func (c *Coordinator) fail(err error) { c.state, c.err = Failed, err }

// quorum reports whether a majority of each configuration has answered.
func (c *Coordinator) quorum(answered Acceptors) bool {
	for _, old := range c.r.Old {
		if !old.majority(answered) {
			return false
		}
	}
	return len(c.r.Old) > 0 || c.r.New.majority(answered)
}

func (c *Coordinator) answeredFloor(now time.Duration, from int, highest uint32) {
	off := highest - c.r.First
	if int32(off) >= 0 {
		if off >= c.r.Ring {
			c.fail(fmt.Errorf("%w: acceptor %d has voted in instance %d, of a ring of %d from %d on [was something trimmed that is not in a checkpoint?]",
				ErrRecovery, from, highest, c.r.Ring, c.r.First))
			return
		}
		if !c.some || off > c.highest {
			c.some, c.highest = true, off
		}
	}
	c.floored = c.floored.With(from)
	if !c.quorum(c.floored) {
		return
	}
	c.state, c.end = Recovering, 0
	if c.some {
		c.end = c.highest + 1
	}
	c.advance(now)
	c.wake()
}

// advance starts instances while there is room, and finishes when all are recovered.
func (c *Coordinator) advance(now time.Duration) {
	for c.done != c.begun && c.cell(c.done).chosen {
		c.done++
	}
	if c.done == c.end {
		c.state = Done
		return
	}
	for c.begun != c.end && c.begun-c.done < uint32(c.pace.window) {
		*c.cell(c.begun) = recovered{asked: now}
		c.begun++
		c.ask(now, c.begun-1)
	}
}

// ask sends the questions of an instance that are not answered.
func (c *Coordinator) ask(now time.Duration, off uint32) {
	x := c.cell(off)
	x.due = now + c.pace.wait(x.tries)
	prepare := Message{Kind: Prepare, Instance: c.r.First + off, Round: c.r.Round}
	if !x.accepting {
		c.toAll(c.all&^x.promised, prepare)
		return
	}
	missing := c.r.New &^ x.voted
	c.toAll(missing, Message{
		Kind: Accept, Instance: c.r.First + off, Round: c.r.Round, Client: x.client, Sequence: x.sequence, Shared: x.shared, Value: x.value[:x.length],
	})
	c.toAll(missing, prepare) // its answer shows the vote
}

func (c *Coordinator) toAll(who Acceptors, m Message) {
	for ; who != 0; who &= who - 1 {
		c.sends = append(c.sends, Send{bits.TrailingZeros64(uint64(who)), m})
	}
}

func (c *Coordinator) answeredPrepare(now time.Duration, off uint32, from int, m *Message) {
	x := c.cell(off)
	if x.chosen || len(m.Value) > MaxValue {
		return
	}
	if !x.accepting {
		if x.promised.Has(from) {
			return
		}
		x.promised = x.promised.With(from)
		if m.VoteRound > x.best {
			x.best, x.client, x.sequence, x.shared = m.VoteRound, m.Client, m.Sequence, m.Shared
			x.length = copy(x.value[:], m.Value)
		}
		if c.quorum(x.promised) {
			// In a lower round, only the value of the highest vote can have been chosen.
			if x.best == 0 {
				x.length = copy(x.value[:], c.r.Noops[m.Instance])
			}
			c.answered(now, x)
			x.accepting = true
			c.ask(now, off)
		}
	} else if m.VoteRound == c.r.Round {
		x.voted = x.voted.With(from)
		x.chosen = c.r.New.majority(x.voted)
	}
	if x.chosen {
		c.answered(now, x)
		c.advance(now)
	}
	c.wake()
}

// answered notes that enough acceptors have answered the question about an instance.
func (c *Coordinator) answered(now time.Duration, x *recovered) {
	c.pace.measure(now - x.asked)
	c.pace.answered()
	x.asked, x.tries = now, 0
}

// Clone returns a coordinator that continues independently from here.
func (c *Coordinator) Clone() *Coordinator {
	n := *c
	n.cells = slices.Clone(c.cells)
	n.sends = slices.Clone(c.sends)
	return &n
}

// First returns the lowest instance that the coordinator recovers.
func (c *Coordinator) First() uint32 { return c.r.First }
