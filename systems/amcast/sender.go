package amcast

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// SenderOptions configure a Sender. Fields that are 0 have defaults.
type SenderOptions struct {
	Client    uint16        // its number, which the controller has given to nobody before
	First     uint32        // number of its first message: Window; later if the client goes on after one whose messages are all finished
	Window    int           // messages that may be under way: Window, which the switches have
	Retry     time.Duration // after which a message is started again at least: 1 ms. As long as messages take; doubled each time, up to 64 times that
	Directory Directory
}

// maxWindow is what a question about a cell has room for.
const maxWindow = 256

// Errors of Multicast.
var (
	// ErrFull: so many messages are under way. When one is finished, there is room again.
	ErrFull = errors.New("amcast: the window is full")
)

// SenderStats count since the start.
type SenderStats struct {
	Sent, Finished uint64 // messages
	Resent         uint64 // packets
	Refused        uint64 // answers of switches that they do not take a message
	Foreign        uint64 // packets that are not for this sender
}

// Sender is a client. A message is finished when all replicas of all its destinations that
// live have delivered it. Until then it is started again and again, so a Sender never gives up:
// that is for its user, who lets it go.
type Sender struct {
	Stats SenderStats

	o       SenderOptions
	next    uint32 // number of the next message
	low     uint32 // lowest that is not finished
	cells   []outgoing
	sends   []Send
	pace    pace
	now     time.Duration
	calls   map[ID]map[uint8][]byte // the answers to those that all groups have answered
	Trouble Drop                    // why a switch has refused the latest message that was refused
}

// outgoing is a message under way: number n is in cell n modulo the window.
type outgoing struct {
	number  uint32
	groups  Groups
	list    []uint8
	digest  uint32
	payload []byte
	done    [MaxGroups]uint32 // replicas that have delivered it, by destination
	call    bool              // answers are waited for
	answers map[uint8][]byte  // by group
	open    bool
	since   time.Duration // it was sent
	due     time.Duration
	tries   int
}

// NewSender makes a client. Its first message has number Window, or a later one: lap 0 of the cells is nobody's.
func NewSender(o SenderOptions) (*Sender, error) {
	o.Window = cmp.Or(o.Window, int(Window))
	o.Retry = cmp.Or(o.Retry, time.Millisecond)
	switch {
	case o.Client >= uint16(MaxClients):
		return nil, fmt.Errorf("amcast: client %d: want 0 to %d", o.Client, MaxClients-1)
	case o.Window < 1 || o.Window&(o.Window-1) != 0 || o.Window > maxWindow:
		return nil, fmt.Errorf("amcast: a window of %d: want a power of two up to %d", o.Window, maxWindow)
	case o.Retry < 0:
		return nil, errors.New("amcast: negative settings")
	}
	n := cmp.Or(o.First, uint32(o.Window))
	return &Sender{o: o, next: n, low: n, cells: make([]outgoing, o.Window), calls: map[ID]map[uint8][]byte{}}, nil
}

// SetDirectory says which groups and replicas there are from now on.
func (s *Sender) SetDirectory(d Directory) {
	s.o.Directory = d
	s.finish()
}

// Multicast sends a message of 1 to MaxPayload bytes to groups. The payload is copied.
func (s *Sender) Multicast(now time.Duration, groups Groups, payload []byte) (ID, error) {
	switch {
	case !groups.Valid():
		return ID{}, fmt.Errorf("amcast: destination groups %08x: want 1 to %d different numbers, ascending", uint32(groups), MaxGroups)
	case len(payload) < 1 || len(payload) > MaxPayload:
		return ID{}, fmt.Errorf("amcast: a payload of %d bytes: want 1 to %d", len(payload), MaxPayload)
	case s.Full():
		return ID{}, ErrFull
	}
	for _, g := range groups.List() {
		if _, known := s.o.Directory[g]; !known {
			return ID{}, fmt.Errorf("amcast: group %d is not known", g)
		}
	}
	m := s.cell(s.next)
	*m = outgoing{number: s.next, groups: groups, list: groups.List(), digest: Digest(payload), payload: append(m.payload[:0], payload...), open: true, since: now}
	s.next++
	s.Stats.Sent++
	s.start(now, m)
	return ID{s.o.Client, m.number}, nil
}

// Call is Multicast, and waits for an answer of each group. Answers has them as soon as there are all; the message is finished
// when all replicas have delivered it, too.
func (s *Sender) Call(now time.Duration, groups Groups, payload []byte) (ID, error) {
	id, err := s.Multicast(now, groups, payload)
	if err == nil {
		m := s.cell(id.Number)
		m.call, m.answers = true, map[uint8][]byte{}
	}
	return id, err
}

// Answers are those to a Call when there are all, by group: once. A group all of whose replicas have failed has none.
func (s *Sender) Answers(id ID) (answers map[uint8][]byte, ok bool) {
	answers, ok = s.calls[id]
	delete(s.calls, id)
	return answers, ok
}

// Forget says that nobody waits for the answers to a Call any more. The message is delivered all the same.
func (s *Sender) Forget(id ID) {
	if m := s.cell(id.Number); m.open && m.number == id.Number {
		m.call = false
		s.finish()
	}
	delete(s.calls, id)
}

// collect ends a call when no answer is missing any more.
func (s *Sender) collect(m *outgoing) {
	if m.call && !slices.ContainsFunc(m.list, func(g uint8) bool { return !s.answered(m, g) }) {
		s.calls[ID{s.o.Client, m.number}] = m.answers
		m.call = false
	}
}

// answered reports whether no answer of a group is waited for.
func (s *Sender) answered(m *outgoing, group uint8) bool {
	_, there := m.answers[group]
	r := s.o.Directory[group]
	return !m.call || there || r.Alive&(1<<r.Count-1) == 0
}

func (s *Sender) cell(number uint32) *outgoing { return &s.cells[number%uint32(s.o.Window)] }

// start sends a message to the leaders of the destinations that are not done.
func (s *Sender) start(now time.Duration, m *outgoing) {
	flags := uint8(0)
	if m.tries > 0 {
		flags = FlagAgain
	}
	delivered := true
	for i, g := range m.list {
		if !s.all(g, m.done[i]) {
			delivered = false
		} else if !s.answered(m, g) {
			s.want(m, g)
		}
	}
	for i, g := range m.list {
		if delivered {
			break // only answers are missing
		}
		p := Packet{Kind: MsgStart, Flags: flags, Groups: m.groups, ID: ID{s.o.Client, m.number}, Seq: s.low, Digest: m.digest}
		// A destination that is done may still have to repeat its proposal for the others.
		s.send(Send{To{Kind: ToLeader, Group: g}, p}, m.tries)
		if !s.all(g, m.done[i]) {
			p.Payload = m.payload
			s.send(Send{To{Kind: ToLeader, Group: g}, p}, m.tries)
		}
	}
	m.due = now + s.pace.patience(s.o.Retry, m.tries)
	m.tries++
}

// want asks a replica of a group for its answer, another one each time.
func (s *Sender) want(m *outgoing, group uint8) {
	r := s.o.Directory[group]
	for n := range r.Count {
		if i := (m.tries + n) % r.Count; r.alive(i) {
			s.send(Send{To{Kind: ToReplica, Group: group, Index: i}, Packet{Kind: kindWant, Groups: m.groups, ID: ID{s.o.Client, m.number}, Digest: m.digest}}, m.tries)
			return
		}
	}
}

func (s *Sender) send(x Send, tries int) {
	if tries > 0 {
		s.Stats.Resent++
	}
	s.sends = append(s.sends, x)
}

// all reports whether these are all replicas of a group that live.
func (s *Sender) all(group uint8, done uint32) bool {
	r := s.o.Directory[group]
	return r.Alive&(1<<r.Count-1)&^done == 0
}

// Receive takes a packet.
func (s *Sender) Receive(now time.Duration, p *Packet) {
	s.now = now
	if p.ID.Client != s.o.Client {
		s.Stats.Foreign++
		return
	}
	m := s.cell(p.ID.Number)
	if !m.open || m.number != p.ID.Number {
		return // finished
	}
	switch p.Kind {
	case kindDone:
		i := slices.Index(m.list, p.By)
		if i < 0 || int(p.Member) >= s.o.Directory[p.By].Count {
			s.Stats.Foreign++
			return
		}
		m.done[i] |= 1 << p.Member
		if p.Flags&flagAnswer != 0 && !s.answered(m, p.By) {
			m.answers[p.By] = slices.Clone(p.Payload)
		}
		s.collect(m)
		s.finish()
	case kindFetch:
		if int(p.Member) >= s.o.Directory[p.By].Count || p.Flags&flagSeq != 0 {
			s.Stats.Foreign++
			return
		}
		s.sends = append(s.sends, Send{To{Kind: ToReplica, Group: p.By, Index: int(p.Member)},
			Packet{Kind: kindHave, Groups: m.groups, ID: p.ID, Digest: m.digest, Payload: m.payload}})
	case MsgRefused:
		s.Stats.Refused++
		s.Trouble = Drop(p.LTS)
	default:
		s.Stats.Foreign++
	}
}

// finish lets go of what is done.
func (s *Sender) finish() {
	for n := s.low; n != s.next; n++ {
		m := s.cell(n)
		if !m.open {
			continue
		}
		s.collect(m)
		done := !m.call
		for i, g := range m.list {
			done = done && s.all(g, m.done[i])
		}
		if done {
			m.open = false
			s.pace.add(max(0, s.now-m.since))
			s.Stats.Finished++
		}
	}
	for s.low != s.next && !s.cell(s.low).open {
		s.low++
	}
}

// Finished reports whether a message of this client is finished.
func (s *Sender) Finished(id ID) bool {
	m := s.cell(id.Number)
	return !m.open || m.number != id.Number
}

// Full reports whether a message would have to wait: a cell is used again only when everything below is finished.
func (s *Sender) Full() bool { return s.next-s.low >= uint32(s.o.Window) }

// Open is how many messages are not finished.
func (s *Sender) Open() (n int) {
	for i := range s.cells {
		if s.cells[i].open {
			n++
		}
	}
	return n
}

// Deadline is when Tick is to be called; ok is false if nothing is under way.
func (s *Sender) Deadline() (due time.Duration, ok bool) {
	for i := range s.cells {
		if m := &s.cells[i]; m.open && (!ok || m.due < due) {
			due, ok = m.due, true
		}
	}
	return due, ok
}

// Tick starts again what has waited too long.
func (s *Sender) Tick(now time.Duration) {
	for n := s.low; n != s.next; n++ {
		if m := s.cell(n); m.open && m.due <= now {
			s.start(now, m)
		}
	}
}

// Poll returns the next packet to be sent.
func (s *Sender) Poll() (x Send, ok bool) {
	if len(s.sends) == 0 {
		return x, false
	}
	x = s.sends[0]
	s.sends = s.sends[1:]
	if len(s.sends) == 0 {
		s.sends = nil
	}
	return x, true
}
