package control

import (
	"cmp"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/mirror"
	names "github.com/p4ce/p4ce/p4/onepipe"
	"github.com/p4ce/p4ce/roce/wire"
	"github.com/p4ce/p4ce/systems/onepipe/private"
)

// Never is a deadline that does not come.
const Never = time.Duration(math.MaxInt64)

// Output is what the Core wants: a Write, a Read, a Resync, a Send or a Note.
type Output any

// Write is for a switch. Written is its outcome.
type Write struct {
	Switch  string
	ID      uint64
	Updates []mirror.Update
}

// Read asks for all cells of registers. Values is the answer.
type Read struct {
	Switch    string
	ID        uint64
	Registers []string
}

// Resync asks for a switch to be read back when all that it was asked before has ended, in one way or the other. Synced is
// the answer.
type Resync struct{ Switch string }

// Send is a frame out of a port of a switch.
type Send struct {
	Switch string
	Port   uint16
	Frame  []byte
}

// Note is for the log.
type Note struct {
	Level slog.Level
	Text  string
	Args  []any
}

// Core decides for all switches of a network. It is a state machine without goroutines: its owner calls
// one method at a time, and Poll after each.
//
// A link is an input of a switch in four steps:
//
//	off --> joining --> counting --> open
//	        its own     others wait  its messages pass
//	        register    for it
//
// It is open when its barriers have reached all that the switch has promised. A host is admitted
// when no input of the network that is used is on the way, and it reaches all that are admitted: others of its part of
// a network that has fallen into parts would be an order of their own.
type Core struct {
	conf     *Config
	journal  Journal
	halted   bool
	began    time.Duration
	switches map[string]*swtch
	order    []*swtch // by level, then by name
	hosts    map[string]*host
	byAddr   map[wire.Addr]*host
	out      []Output
	writeID  uint64
	now      time.Duration
	ways     *ways // nil: they were not needed yet

	procedure *procedure // nil: nobody has failed
	number    uint32     // of the last one
	doubts    []*doubt
}

// state is that of an input.
type state int

const (
	off state = iota
	joining
	counting
	open
)

var stateNames = [...]string{"off", "joining", "counting", "open"}

func (s state) String() string { return stateNames[s] }

// swtch is what is known of a switch.
type swtch struct {
	name    string
	up      bool // it is in our hands
	seen    bool // it has been
	anew    bool // it has forgotten what it had promised
	fresh   bool // nothing was written yet
	mirror  *mirror.Mirror
	arp     *hosts.Table
	inputs  []*link
	writing map[uint64]after
	reading uint64        // the Read that is not answered; 0: none is
	waits   time.Duration // since when it has answered nothing; 0: there is nothing to answer
	readAt  time.Duration
	values  map[string][]uint64
	// promised is what it had promised for best effort by each port, when it was read last.
	promised []uint64
	// commit is the commit barrier that hosts at it have got, when it was read last.
	commit uint64
	rose   map[uint16]time.Duration // when that had risen, by port of an input

	forwards forwarding
}

// link is an input.
type link struct {
	input
	state state
	ready bool          // the switch has what state says
	since time.Duration // it joins

	said   [2]uint32     // its barriers, when they were looked at,
	moved  time.Duration // and since when they are that
	failed bool          // it has; it is off until it moves again
	held   bool          // the commit barrier waits for it, though it is off
	known  bool          // at is known
	at     uint64        // when those behind it have failed,
	blank  bool          // but that says nothing: its switch has begun anew, and has heard nothing by it
	mute   bool          // what is behind it gets no barriers: it is not in our hands
}

// host is what is known of a host.
type host struct {
	name     string
	addr     Address
	at       *swtch
	link     *link
	token    uint64 // 0: it has not joined, or has left
	kept     uint64 // what the journal said of the token at the start
	first    uint16
	have     uint16
	next     uint32 // number that was not given yet
	admitted bool
	failedAt uint64 // when it has failed, while others are told; 0: it has not
	ended    uint64 // the token of a run that has failed, or has left
	counts   []Count
	asks     bool // ended is to be told what counts, when that is certain
	leaves   bool // it has said so
	hands    budget
}

// New makes a core, which goes on as its journal says. now is the time of its start.
func New(conf *Config, j Journal, now time.Duration) (*Core, error) {
	if err := conf.Check(); err != nil {
		return nil, err
	}
	c := &Core{conf: conf, journal: j, switches: map[string]*swtch{}, hosts: map[string]*host{}, byAddr: map[wire.Addr]*host{}, now: now, began: now}
	c.number = uint32(conf.Clock(now) >> 10) // what is still answered to a controller before has another number
	for _, name := range conf.Net.Switches() {
		ins, err := conf.inputs(name)
		if err != nil {
			return nil, err
		}
		s := &swtch{name: name, mirror: mirror.New(tables), writing: map[uint64]after{}, readAt: Never, rose: map[uint16]time.Duration{}}
		for _, in := range ins {
			s.inputs = append(s.inputs, &link{input: in})
		}
		own := conf.Switches[name]
		if s.arp, err = hosts.New(hosts.Config{MAC: own.MAC, IPs: []wire.Addr{own.IP}, Static: conf.static(name), Links: conf.Net.LinkPorts(name), Strict: true}); err != nil {
			return nil, err
		}
		s.arp.Poll()
		c.switches[name] = s
		c.order = append(c.order, s)
	}
	slices.SortStableFunc(c.order, func(a, b *swtch) int { return cmp.Compare(conf.Net.Level(a.name), conf.Net.Level(b.name)) })
	for _, s := range c.order {
		for _, l := range s.inputs {
			if l.host != "" {
				h := &host{name: l.host, addr: conf.Hosts[l.host], at: s, link: l, next: 1}
				c.hosts[h.name], c.byAddr[h.addr.IP] = h, h
			}
		}
	}
	for _, r := range j.Records() {
		if h := c.hosts[r.Host]; h != nil { // else the network no longer has it
			h.next, h.token, h.first, h.have, h.failedAt = max(h.next, r.Next), r.Token, r.First, r.Have, r.Failed
			h.kept, h.ended, h.counts = r.Token, r.Ended, r.Counts
		}
	}
	for _, h := range c.hosts {
		if h.failedAt != 0 {
			c.lower(h)
		}
	}
	return c, nil
}

// Halt says that records can no longer be stored: numbers are no longer given.
func (c *Core) Halt(err error) {
	c.halted = true
	c.note(slog.LevelError, "the journal is not written any more: no host can join", "err", err)
}

// static are the hosts, where a switch sees them.
func (c *Config) static(sw string) (list []hosts.Host) {
	for _, h := range c.Net.Hosts() {
		port, ok := h.At.Port, h.At.Switch == sw
		if !ok {
			port, ok = c.Net.Port(sw, h.Name)
		}
		if ok {
			list = append(list, hosts.Host{IP: c.Hosts[h.Name].IP, MAC: c.Hosts[h.Name].MAC, Port: port, Static: true})
		}
	}
	return list
}

// Poll takes the next thing that the core wants.
func (c *Core) Poll() (Output, bool) {
	if len(c.out) == 0 {
		return nil, false
	}
	o := c.out[0]
	c.out = c.out[1:]
	return o, true
}

func (c *Core) note(level slog.Level, text string, args ...any) {
	c.out = append(c.out, Note{level, text, args})
}

// Deadline is when Tick must be called next.
func (c *Core) Deadline() time.Duration {
	at := Never
	for _, s := range c.order {
		at = min(at, s.readAt, s.arp.Deadline(), c.answerBy(s))
	}
	if p := c.procedure; p != nil {
		at = min(at, p.repeat, p.until)
	}
	for _, d := range c.doubts {
		at = min(at, d.repeat)
	}
	return at
}

// Tick reads the registers of switches with inputs on their way.
func (c *Core) Tick(now time.Duration) {
	c.now = now
	for _, s := range c.order {
		if c.answerBy(s) <= now {
			c.hangs(s)
		}
		s.arp.Tick(now)
		c.arpOut(s)
		if s.readAt <= now {
			s.readAt = Never
			c.read(s)
		}
	}
	c.clearUp()
	if p := c.procedure; p != nil && now >= p.until {
		c.late()
	} else if p != nil && now >= p.repeat {
		c.tell()
	}
}

func (c *Core) read(s *swtch) {
	if s.up && s.reading == 0 && len(s.writing) == 0 {
		s.reading, s.waits = uint64(c.now)+1, c.now // no two begin at one time
		c.out = append(c.out, Read{s.name, s.reading, registers})
	}
}

// Synced says that a switch is in our hands, and what it holds; nil: nothing.
func (c *Core) Synced(now time.Duration, sw string, im *mirror.Image) {
	c.now = now
	s := c.switches[sw]
	first := !s.seen
	s.up, s.seen, s.reading, s.waits, s.values = true, true, 0, 0, nil
	s.writing = map[uint64]after{}
	if im == nil {
		im = &mirror.Image{}
	}
	s.mirror.Adopt(im)
	s.fresh = !begun(im)
	for _, l := range s.inputs {
		counted := l.state >= counting || l.held || first && c.had(l)
		l.state, l.ready, l.moved = off, true, 0 // if it holds nothing; else see adopt
		if s.fresh && counted {
			l.failed, l.held, l.known = true, true, false
			s.anew = true
		}
	}
	if s.fresh {
		c.distrust(s)
	} else {
		c.adopt(s, im)
	}
	for _, l := range s.inputs {
		if first && l.state >= counting && l.target != "" && c.switches[l.target].anew {
			c.fence(s, l, whyAnew)
		}
	}
	c.write(s, c.initial(s), after{what: begins})
	c.settle()
}

// Lost says that it is not any more.
func (c *Core) Lost(now time.Duration, sw string) {
	c.now = now
	s := c.switches[sw]
	s.up, s.reading, s.waits, s.readAt = false, 0, 0, Never
	s.writing = map[uint64]after{}
	c.muffle()
}

// Written is the outcome of a Write.
func (c *Core) Written(now time.Duration, sw string, id uint64, err error) {
	c.now = now
	s := c.switches[sw]
	done, there := s.writing[id]
	if !there {
		return // of before it was lost
	}
	delete(s.writing, id)
	c.answered(s)
	if err != nil {
		c.note(slog.LevelError, "switch not updated", "switch", sw, "err", err)
		return
	}
	c.follow(s, done)
	c.settle()
}

// after is what follows when a Write is done.
type after struct {
	what int
	link *link           // ready, fenced, counted
	set  []mirror.Update // counted: the registers of its group
	host *host           // numbered
}

// What follows.
const (
	nothing  = iota
	begins   // the switch has what it holds in the beginning
	ready    // the link is what its state says
	fenced   // so is this one, and its registers are read
	counted  // others wait for the link: its group begins anew
	numbered // the switch knows the numbers of the host, which is told
)

func (c *Core) follow(s *swtch, a after) {
	switch a.what {
	case begins:
		s.fresh = false
	case ready:
		a.link.ready = true
	case fenced:
		a.link.ready = true
		c.readSoon(s)
	case counted:
		c.write(s, a.set, after{what: ready, link: a.link})
	case numbered:
		c.answer(a.host)
	}
}

// write gives a switch what it shall have, and registers.
func (c *Core) write(s *swtch, set []mirror.Update, done after) {
	if !s.up {
		return // Synced begins with what it holds
	}
	u := append(slices.Clone(set), s.mirror.Want(c.want(s))...)
	if len(u) == 0 {
		c.follow(s, done)
		return
	}
	c.writeID++
	if s.reading == 0 && len(s.writing) == 0 {
		s.waits = c.now
	}
	s.writing[c.writeID] = done
	c.out = append(c.out, Write{s.name, c.writeID, u})
}

// Values is the answer to a Read; nil if it failed.
func (c *Core) Values(now time.Duration, sw string, id uint64, v map[string][]uint64) {
	c.now = now
	s := c.switches[sw]
	if id == 0 || s.reading != id {
		return // of before it was lost
	}
	c.slow(s, now-s.waits)
	s.reading = 0
	c.answered(s)
	if v != nil {
		s.values = v
		c.risen(s, v[kinds[0].promised])
		c.watch(s)
		c.learn(s)
		c.determine()
		c.committed(s)
	}
	c.settle()
	s.values = nil
}

// risen notes what a switch has promised.
func (c *Core) risen(s *swtch, promised []uint64) {
	for _, l := range s.inputs {
		if s.promised == nil || promised[l.port] != s.promised[l.port] {
			s.rose[l.port] = c.now
		}
	}
	s.promised = promised
}

// live reports whether something that joined is below a switch.
func (c *Core) live(s *swtch) bool {
	for _, l := range s.inputs {
		if !l.above && c.used(l) {
			return true
		}
	}
	return false
}

// had reports whether an input may have been one for the controller before: somebody behind it had joined.
func (c *Core) had(l *link) bool {
	if l.host != "" {
		h := c.hosts[l.host]
		return h.kept != 0 && h.kept == h.token
	}
	return slices.ContainsFunc(c.switches[l.target].inputs, func(in *link) bool { return !in.above && c.had(in) })
}

// used reports whether an input is to be one.
func (c *Core) used(l *link) bool {
	if l.host != "" {
		h := c.hosts[l.host]
		return h.token != 0 && h.failedAt == 0
	}
	return c.live(c.switches[l.target])
}

// settle takes every input a step further that can go, and admits hosts.
func (c *Core) settle() {
	for _, s := range c.order {
		if !s.up || s.fresh {
			continue
		}
		for _, l := range s.inputs {
			c.step(s, l)
		}
	}
	moving := false
	for _, s := range c.order {
		if !s.up && c.unreachable(s) {
			continue // nobody waits for it
		}
		waits, watched := false, false
		for _, l := range s.inputs {
			watched = watched || l.state >= counting || l.failed // it may come back
			if l.held && !l.known {
				waits = true
			}
			if l.failed {
				continue // nobody waits for it
			}
			if want := c.used(l); want != (l.state == open) || want && !l.ready {
				waits = true
			}
		}
		moving = moving || waits
		if next := c.now + c.conf.Poll; s.readAt == Never && s.reading == 0 && s.up {
			switch {
			case waits:
				s.readAt = next
			case watched && c.conf.Silence > 0:
				s.readAt = max(next, c.now+c.conf.Silence/4)
			}
		}
	}
	if !moving {
		for _, name := range c.conf.Net.Hosts() {
			c.admit(c.hosts[name.Name])
		}
	}
}

// step takes an input a step further.
func (c *Core) step(s *swtch, l *link) {
	if len(s.writing) > 0 {
		return
	}
	done := after{what: ready, link: l}
	if l.mute && c.harmless(l.target) {
		l.mute, l.ready = false, false
		c.write(s, nil, done)
		return
	}
	switch {
	case !c.used(l):
		if l.state != off {
			if c.procedure != nil && l.state >= counting {
				l.held, l.known = true, true // all below have failed, and others do not know it yet
			}
			l.state, l.ready = off, false
			c.write(s, nil, done)
		}
	case l.state == off:
		if s.values == nil || l.held || l.mute || c.procedure != nil {
			return
		}
		l.state, l.ready, l.moved, l.since = joining, false, 0, c.now
		c.write(s, c.begin(s, l), done)
	case s.values == nil || !l.ready:
	case l.state == joining && c.reached(s, l, c.near(l)):
		l.state, l.ready, l.moved = counting, false, 0
		group := c.branch(s, l) // when others wait for the link, not before
		c.write(s, nil, after{what: counted, link: l, set: group})
	case l.state == counting && c.reached(s, l, 0):
		l.state, l.ready = open, false
		back := l.failed
		l.failed = false
		c.note(slog.LevelInfo, "link admitted", "switch", s.name, "port", l.port)
		c.write(s, nil, done)
		if back { // packets may take it again, from anywhere
			c.rewrite()
		}
	}
}

// admit tells a host that it may send, if it reaches the others.
func (c *Core) admit(h *host) {
	if h.token == 0 || h.admitted || h.have == 0 || h.link.state != open || !h.link.ready || c.apart(h) {
		return
	}
	h.admitted = true
	c.note(slog.LevelInfo, "host admitted", "host", h.name, "processes", h.have)
	c.answer(h)
}

// answer tells a host how it stands.
func (c *Core) answer(h *host) {
	m := private.Message{Kind: private.Joined, Admitted: h.admitted, Steady: len(c.conf.CPU) > 0, Token: h.token, First: h.first, Have: h.have}
	c.out = append(c.out, Send{h.at.name, h.link.port, c.frame(h, &m)})
}

// frame is that of a message to a host, from its switch.
func (c *Core) frame(h *host, m *private.Message) []byte {
	from := c.conf.Switches[h.at.name]
	return private.AppendFrame(nil, from.MAC, h.addr.MAC, from.IP, h.addr.IP, m)
}

// PacketIn takes a packet that a switch sent up.
func (c *Core) PacketIn(now time.Duration, sw string, port uint16, reason names.Reason, frame []byte) {
	c.now = now
	s := c.switches[sw]
	switch reason {
	case names.ReasonARP:
		s.arp.ARP(now, port, frame)
	case names.ReasonLocal:
		from, to, m, ok := private.ParseFrame(frame)
		if !ok || to != c.conf.Switches[sw].IP {
			s.arp.Local(now, port, frame)
			break
		}
		if h := c.byAddr[from]; h != nil && h.at == s && h.link.port == port {
			c.heard(h, &m)
		}
	}
	c.arpOut(s)
}

func (c *Core) arpOut(s *swtch) {
	frames, _ := s.arp.Poll()
	for _, f := range frames {
		c.out = append(c.out, Send{s.name, f.Port, f.Frame})
	}
}

// heard takes a message of a host.
func (c *Core) heard(h *host, m *private.Message) {
	switch m.Kind {
	case private.Join:
		if m.Token == 0 || m.Want == 0 {
			return
		}
		if m.Token == h.ended {
			c.expelled(h, m.Token)
			return
		}
		if h.token != m.Token && (h.failedAt != 0 || h.link.held) {
			return // its run before has failed: the others have to know first
		}
		if h.token != m.Token && h.token != 0 && h.link.state >= counting {
			c.leave(h, "the host begins again") // it asks again until the others know
			return
		}
		if h.token != m.Token {
			c.join(h, m)
		}
		c.more(h, m.Want)
	case private.Done:
		if h.token == m.Token {
			c.done(h, m)
		}
	case private.Ask:
		if h.token == m.Token && h.admitted {
			c.asked(h, m.Failed)
		}
	case private.Here:
		if h.token == m.Token {
			c.here(h, m.Number)
		}
	case private.Forward:
		c.forward(h, m)
	case private.Leave:
		if h.token == m.Token && h.token != 0 {
			c.leave(h, "the host leaves")
		}
	}
}

// leave takes out a host that has ended. Others have to know, as of one that has failed: they may send to it.
func (c *Core) leave(h *host, why string) {
	switch {
	case h.link.held:
		return // it is taken out already
	case h.link.state >= counting:
		h.leaves = true
		c.fence(h.at, h.link, why)
	default: // nobody waits for it, and nobody has heard of it
		c.note(slog.LevelInfo, "host has left", "host", h.name)
		h.token, h.admitted, h.have = 0, false, 0
		c.record(h)
		c.settle()
	}
}

// join takes a host in that has begun, or begun again: its processes are new ones.
func (c *Core) join(h *host, m *private.Message) {
	c.note(slog.LevelInfo, "host joins", "host", h.name)
	h.token, h.admitted, h.have, h.leaves, h.asks = m.Token, false, 0, false, false
	if h.link.state != off { // of its run before
		h.link.state, h.link.ready = off, false
		c.write(h.at, nil, after{what: ready, link: h.link})
	}
	c.settle()
}

// more gives a host as many numbers as it wants, and tells it when the switch knows them.
func (c *Core) more(h *host, want uint16) {
	if n := min(int(want)-int(h.have), math.MaxUint16-int(h.next)); n > 0 && !c.halted {
		if h.have == 0 {
			h.first = uint16(h.next)
		}
		h.have += uint16(n)
		h.next += uint32(n)
		if !c.record(h) {
			return
		}
	}
	if h.link.state == open {
		c.write(h.at, nil, after{what: numbered, host: h})
	} else {
		c.answer(h)
	}
}

// record makes durable how a host stands.
func (c *Core) record(h *host) bool {
	err := c.journal.Append(Record{h.name, h.next, h.token, h.first, h.have, h.failedAt, h.ended, slices.Clone(h.counts)})
	if err != nil {
		c.note(slog.LevelError, "host not recorded", "host", h.name, "err", err)
	}
	return err == nil
}
