package paxos

import (
	"cmp"
	"errors"
	"fmt"
	"time"
)

// History is how many numbers of a client a replica remembers. A value whose number is as far or
// further below the client's highest counts as delivered. So the numbers that a proposer has under way
// are all within History of each other.
const History = 1024

// ProposerOptions configure a proposer. Fields that are 0 have defaults.
type ProposerOptions struct {
	// Client identifies the proposer in its values. It is never 0, and never that of another proposer,
	// or of an earlier life of this one, whose last requests may still be under way (NextClient).
	Client  uint32
	Window  int           // most values under way at once, 1 to History: fewer when values are lost or late; 256
	Resend  time.Duration // least time until a request is sent again: longer if values take long; doubled each time; 5 ms
	Silence int           // how often the oldest request is sent again before another leader is requested; 2
}

// Errors of Submit.
var (
	ErrWindow = errors.New("paxos proposer: the window is full [wait until a value is delivered]")
	ErrClient = errors.New("paxos proposer: client 0 is invalid")
)

// Proposer sends values to the leader until they are delivered, with the same number each time, so
// replicas deliver each value once. Like Coordinator, it is a pure core for one goroutine.
type Proposer struct {
	o          ProposerOptions
	low, next  uint32 // numbers [low, next) may be under way
	cells      []proposal
	sends      []Message
	sharing    sharing
	due        time.Duration
	reported   time.Duration // no report of silence before this time
	backoff    time.Duration
	refusal    Reason
	resent     uint64
	refused    uint64
	unanswered int
	pace       pace
	latest     time.Duration // of the answered requests, when the latest was sent
	halved     uint32        // the number behind those that were under way when silence was last reported to pace
}

type proposal struct {
	sequence uint32 // as encoded for the wire
	pending  bool
	tries    int
	refused  bool // when it was last sent
	delayed  bool // it was refused once: its time says nothing about the service
	begun    time.Duration
	sent     time.Duration
	due      time.Duration
	length   int
	value    [MaxValue]byte
}

// NewProposer returns a proposer.
func NewProposer(o ProposerOptions) (*Proposer, error) {
	o.Window = cmp.Or(o.Window, 256)
	o.Resend = cmp.Or(o.Resend, 5*time.Millisecond)
	o.Silence = cmp.Or(o.Silence, 2)
	if o.Client == 0 {
		return nil, ErrClient
	}
	if o.Window < 1 || o.Window > History || o.Resend < 0 || o.Silence < 0 {
		return nil, fmt.Errorf("paxos proposer: window %d (1 to %d), resend %v, silence %d", o.Window, History, o.Resend, o.Silence)
	}
	return &Proposer{o: o, low: 1, next: 1, cells: make([]proposal, o.Window), backoff: o.Resend, pace: newPace(o.Window, least, o.Window, o.Resend, patient*o.Resend), halved: 1}, nil
}

// Pending returns how many numbers there are from the lowest value under way to the highest.
func (p *Proposer) Pending() int { return int(p.next - p.low) }

// Oldest returns the lowest number under way, if there is one.
func (p *Proposer) Oldest() uint32 { return p.low }

// Refusal returns why the last refused request was refused, or 0.
func (p *Proposer) Refusal() Reason { return p.refusal }

// Resent returns how many requests were sent again.
func (p *Proposer) Resent() uint64 { return p.resent }

// Refused returns how many requests were refused.
func (p *Proposer) Refused() uint64 { return p.refused }

func (p *Proposer) cell(sequence uint32) *proposal { return &p.cells[sequence%uint32(len(p.cells))] }

// Submit accepts a value, and returns its number.
func (p *Proposer) Submit(now time.Duration, value []byte) (sequence uint32, err error) {
	if len(value) > MaxValue {
		return 0, fmt.Errorf("%w: %d", ErrValue, len(value))
	}
	if p.Pending() >= p.pace.window {
		return 0, ErrWindow
	}
	sequence = p.next
	p.next++
	x := p.cell(sequence)
	*x = proposal{sequence: sequence, pending: true, length: len(value), begun: now, sent: now, due: now + p.pace.wait(0)}
	copy(x.value[:], value)
	if x.due < p.due || p.Pending() == 1 {
		p.due = x.due
	}
	p.send(x)
	return sequence, nil
}

func (p *Proposer) send(x *proposal) {
	p.sends = append(p.sends, Message{Kind: Request, Client: p.o.Client, Sequence: x.sequence, Value: x.value[:x.length]})
}

// Each calls f with the number of each value under way. After a replica was restored to another
// replica's state, Replica.Has says which of them were delivered there.
func (p *Proposer) Each(f func(sequence uint32)) {
	for s := p.low; s != p.next; s++ {
		if x := p.cell(s); x.pending {
			f(x.sequence)
		}
	}
}

// Sends returns what must be sent, and forgets it: requests to the leader, and reports to the
// controller. Values that wait together share a request (Message.Shared): call it when nothing more is to
// be submitted at the moment. The slice and the values in it are valid until the next call of any method.
func (p *Proposer) Sends() []Message {
	s := p.sends
	p.sends = p.sends[:0]
	return p.sharing.share(s)
}

// Due returns when Tick has something to do.
func (p *Proposer) Due() time.Duration { return p.due }

// patient is how many times Resend the longest time is before a request is sent again. least is the
// smallest window: a few unanswered requests do no harm.
const (
	patient = 64
	least   = 8
)

// backOff reacts to a request that has got no answer in time.
func (p *Proposer) backOff(sequence uint32, again bool) {
	if int32(sequence-p.halved) < 0 && !(again && sequence == p.low) {
		return // one of those that were under way when the window was halved
	}
	p.halved = p.next
	p.pace.silence()
}

// Delivered reports that a replica has delivered a value of this client in order. It returns whether
// the value was under way.
func (p *Proposer) Delivered(now time.Duration, sequence uint32) bool {
	if sequence-p.low >= p.next-p.low {
		return false
	}
	x := p.cell(sequence)
	if !x.pending {
		return false
	}
	x.pending = false
	if !x.delayed {
		p.pace.measure(now - x.begun)
	}
	p.pace.answered()
	p.unanswered, p.backoff, p.refusal = 0, p.o.Resend, 0
	for p.low != p.next && !p.cell(p.low).pending {
		p.low++
	}
	p.latest = max(p.latest, x.sent)
	if p.low != p.next && p.cell(p.low).tries > 0 {
		p.due = min(p.due, now) // there are answers again: others get their turn
	}
	return true
}

// Refuse processes a message from the leader's address that says that a request was refused, with all
// values that have shared it. They are sent again when they are due: the role may be on its way to another
// place.
func (p *Proposer) Refuse(m *Message) {
	if m.Kind != Refused || m.Client != p.o.Client {
		return
	}
	some := false
	for i := range uint32(m.Values()) {
		s := m.Sequence + i
		if s-p.low >= p.next-p.low || !p.cell(s).pending {
			continue
		}
		some = true
		x := p.cell(s)
		x.refused, x.delayed = true, true
		x.due = min(x.due, x.sent+p.o.Resend<<min(x.tries, 3)) // the request is not on its way
		p.due = min(p.due, x.due)
	}
	if !some {
		return
	}
	p.refused++
	p.refusal = Reason(m.VoteRound)
	if p.refusal == ReasonFull {
		p.unanswered = 0 // the role is there, and another leader would not have more room
	}
}

// Tick sends again what was not delivered in time: of the oldest values, as many as may be under way.
// The others get their turn when these are delivered.
func (p *Proposer) Tick(now time.Duration) {
	if now < p.due || p.low == p.next {
		return
	}
	p.due = now + patient*p.o.Resend
	turn := p.pace.window
	for s := p.low; s != p.next && turn > 0; s++ {
		x := p.cell(s)
		if !x.pending {
			continue
		}
		turn--
		// A later one is answered, so this one was lost (as in RFC 8985).
		if lost := x.tries > 0 && x.sent+p.o.Resend < p.latest; x.due <= now || lost {
			if !x.refused && !lost {
				p.backOff(s, x.tries > 0)
			}
			x.tries++
			x.sent, x.refused = now, false
			x.due = now + p.pace.wait(min(x.tries, 5))
			p.send(x)
			p.resent++
			if s == p.low {
				p.unanswered++
			}
		}
		p.due = min(p.due, x.due)
	}
	if p.unanswered >= p.o.Silence && now >= p.reported {
		p.sends = append(p.sends, Message{Kind: Report, Flags: Silent, Client: p.o.Client})
		p.reported = now + p.backoff
		p.backoff = min(2*p.backoff, 64*p.o.Resend)
	}
}
