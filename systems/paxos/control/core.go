package control

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/p4ce/p4ce/ctrl/links"
	"github.com/p4ce/p4ce/ctrl/mirror"
	names "github.com/p4ce/p4ce/p4/paxos"
	"github.com/p4ce/p4ce/roce/wire"
)

// maxRound is the highest round: learners compare rounds as differences (p4/paxos/learner.p4).
const maxRound = 1<<31 - 1

// Output is something that the Core wants done: a Write, a Send, a Reread, a ReadNext or a Note. What
// goes to one switch is done in order.
type Output interface{ output() }

// Write changes a switch. Core.Written must be called with its ID.
type Write struct {
	Switch  string
	ID      uint64
	Updates []mirror.Update
}

// Send sends a frame out of a port of a switch.
type Send struct {
	Switch string
	Port   uint16
	Frame  []byte
}

// Reread asks for a switch to be read back, after all that was written, since it is not known
// what it holds. Core.Synced must be called with it.
type Reread struct{ Switch string }

// ReadNext asks for the next instance of a leader. Core.Next may be called with it.
type ReadNext struct {
	Switch string
	App    int
}

// Note is for the log.
type Note struct {
	Level slog.Level
	Text  string
	Args  []any
}

func (Write) output()    {}
func (Send) output()     {}
func (Reread) output()   {}
func (ReadNext) output() {}
func (Note) output()     {}

// Core decides what the switches of a deployment do. It is pure: time and randomness are
// parameters, and what is durable is in the Journal. Methods are called by one goroutine at a
// time, and Poll after each.
type Core struct {
	conf       *Config
	journal    Journal
	random     func() uint32  // for lives
	switches   map[string]*sw // that of a place is its switch's
	apps       []*app
	owners     map[wire.Addr]wire.MAC // who is at which address
	acceptorAt map[wire.Addr]string
	links      *links.Map
	pathsAt    uint64 // how often paths have changed
	probeAt    time.Duration
	out        []Output
	writeID    uint64
	now        time.Duration
	start      time.Duration
	halted     error
	stats      Stats
}

// Stats counts what the Core did.
type Stats struct {
	ARPAnswered, ARPUnknown, ARPOther                   uint64
	Reports, Answers, Late, Foreign, Malformed, Unknown uint64
	Sent, Unreachable, Writes, WritesFailed             uint64
	Lost                                                uint64
}

// sw is what is known of a switch.
type sw struct {
	up      bool   // in our hands: mirror is what it holds when all writes are done
	seen    bool   // was it ever
	room    uint32 // instances of each application that its program has room for
	lostAt  time.Duration
	mirror  *mirror.Mirror
	waiting map[uint64]func(error) // writes without an answer
	reread  bool
	links   *links.End
}

// part is what a switch is in an application.
type part struct {
	life    uint32
	alive   bool   // its registers are those of this life
	foreign uint32 // a life that nobody here gave it
	small   bool   // its program has no room for the instances that may be under way: not used
}

// round is one whose entries the switches have.
type round struct {
	Term
	leader string // the switch that leads in it; empty: only the controller has it
}

// leadership is a leader that has its entry, or is about to get it.
type leadership struct {
	on      string
	term    Term
	stopped bool // without the entry, until it leads anew
}

// app is an application.
type app struct {
	index  int
	conf   *Application
	d      *ledger
	parts  map[string]*part
	cut    map[string]time.Duration // of these, those that are cut off, and since when
	island string                   // from this one (links.Map)
	regarded
	rounds  []round
	ring    uint32      // instances that may be under way; 0: not chosen yet
	last    uint32      // highest instance that may be used
	leads   *leadership // nil: nobody, that is known
	route   string      // where the leader's address leads
	take    *takeover
	fill    *filling
	copying *copying
	trim    *trimming
	trimTo  *uint32           // an operator wants everything below to be trimmed
	order   string            // whom somebody wants to lead
	gaps    map[uint32]uint32 // missing instances, and what was heard of beyond
	wanted  map[uint32][]byte // instances that somebody wants to know, and the no-ops for them
	stall   stall
	reports map[string]*report
	pause   time.Duration // no take-over before, but for a lost switch
	backoff time.Duration // no take-over before
	givenUp int           // take-overs, one after the other, since somebody was lost
	stats   AppStats
}

// AppStats counts what happened to an application.
type AppStats struct {
	TakeOvers, Replaced, Copied, Gaps, Filled, Trims, Forgotten uint64
}

// New makes a Core, which goes on where the journal ends.
func New(conf *Config, j Journal, random func() uint32, now time.Duration) (*Core, error) {
	c := &Core{
		conf: conf, journal: j, random: random, switches: map[string]*sw{}, owners: map[wire.Addr]wire.MAC{conf.Controller.IP: conf.Controller.MAC},
		acceptorAt: map[wire.Addr]string{}, links: links.NewMap(conf.Net), probeAt: now, now: now, start: now,
	}
	for _, name := range conf.Net.Switches() {
		s := conf.Switches[name]
		c.switches[name] = &sw{lostAt: now, waiting: map[uint64]func(error){}, links: c.newEnd(name)}
		for _, a := range []wire.Addr{s.Acceptor, s.Learner} {
			if a != (wire.Addr{}) {
				c.owners[a] = s.MAC
			}
		}
		if s.Acceptor != (wire.Addr{}) {
			c.acceptorAt[s.Acceptor] = name
		}
	}
	for _, p := range conf.places("") {
		c.switches[p.Name], c.owners[p.Acceptor], c.acceptorAt[p.Acceptor] = c.switches[p.On], p.MAC, p.Name
	}
	for _, a := range conf.Hosts {
		c.owners[a.IP] = a.MAC
	}
	for i := range conf.Apps {
		a := &app{index: i, conf: &conf.Apps[i], d: newLedger(), parts: map[string]*part{}, cut: map[string]time.Duration{}, gaps: map[uint32]uint32{}, wanted: map[uint32][]byte{}, reports: map[string]*report{}}
		c.owners[a.conf.Leader.IP] = a.conf.Leader.MAC
		for _, list := range [][]string{a.conf.Leaders, a.conf.Acceptors, a.conf.Spares, a.conf.Learners} {
			for _, name := range list {
				a.parts[name] = &part{}
			}
		}
		c.apps = append(c.apps, a)
	}
	for _, r := range j.Records() {
		i, ok := conf.App(r.App)
		if !ok {
			continue // an application that is not configured any more keeps its records
		}
		c.apps[i].d.apply(r)
	}
	for _, a := range c.apps {
		if a.d.ring != 0 && a.conf.Instances != 0 && a.d.ring != a.conf.Instances {
			return nil, fmt.Errorf("application %s: instances %d: it has begun with %d, according to the journal, and cannot change", a.conf.Name, a.conf.Instances, a.d.ring)
		}
		a.ring = cmp.Or(a.d.ring, a.conf.Instances)
		a.route, a.last = a.conf.Leaders[0], a.d.first+a.ring-1
		if t := a.d.active; t != nil {
			for _, m := range t.Members {
				if conf.Switches[m.Switch] == nil || a.parts[m.Switch] == nil {
					return nil, fmt.Errorf("application %s: acceptor %s has votes, and is no longer configured [put it back as a spare until another acceptor has replaced it]", a.conf.Name, m.Switch)
				}
			}
			if slices.Contains(a.conf.Leaders, a.d.leader) {
				a.leads, a.route = &leadership{on: a.d.leader, term: *t}, a.d.leader
			}
			a.rounds = []round{{*t, a.d.leader}}
		}
	}
	return c, nil
}

// Err is why the Core has stopped: it does nothing any more.
func (c *Core) Err() error { return c.halted }

// Poll takes the next thing to be done.
func (c *Core) Poll() (Output, bool) {
	if len(c.out) == 0 {
		return nil, false
	}
	o := c.out[0]
	c.out = c.out[1:]
	return o, true
}

func (c *Core) note(level slog.Level, a *app, text string, args ...any) {
	if a != nil {
		args = append([]any{"application", a.conf.Name}, args...)
	}
	c.out = append(c.out, Note{level, text, args})
}

// Halt ends what the Core does: a record is not durable, and will not be.
func (c *Core) Halt(err error) {
	if c.halted == nil {
		c.halted = err
		c.note(slog.LevelError, nil, "records cannot be stored, so the controller does nothing more", "err", err)
	}
}

// record makes something durable before it is acted upon. When it cannot be, nothing is done
// any more.
func (c *Core) record(a *app, r Record) bool {
	if c.halted != nil {
		return false
	}
	r.App = a.conf.Name
	if err := c.journal.Append(r); err != nil {
		c.Halt(err)
		return false
	}
	a.d.apply(r)
	return true
}

// push gives a switch updates. then is told the outcome; nothing is when the switch is lost
// before.
func (c *Core) push(name string, updates []mirror.Update, then func(error)) {
	name = c.conf.at(name)
	s := c.switches[name]
	if !s.up || len(updates) == 0 {
		return
	}
	c.writeID++
	s.waiting[c.writeID] = then
	c.stats.Writes++
	c.out = append(c.out, Write{name, c.writeID, updates})
}

// Written takes the outcome of a Write.
func (c *Core) Written(now time.Duration, name string, id uint64, err error) {
	c.now = now
	s := c.switches[name]
	then, ok := s.waiting[id]
	if !ok {
		return // of before it was lost
	}
	delete(s.waiting, id)
	if err != nil {
		c.stats.WritesFailed++
		c.note(slog.LevelError, nil, "switch not updated", "switch", name, "err", err)
		c.distrust(name)
	} else if then != nil {
		then(nil)
	}
	c.advance()
}

// quiet reports whether a switch has everything that was written.
func (c *Core) quiet(name string) bool { s := c.switches[name]; return s.up && len(s.waiting) == 0 }

// refresh makes switches what they shall be.
func (c *Core) refresh(list ...string) {
	for _, name := range list {
		if name = c.conf.at(name); c.switches[name].up {
			c.push(name, c.changes(name), nil)
		}
	}
}

// changes make a switch what it shall be: they must be pushed.
func (c *Core) changes(name string) []mirror.Update {
	return c.switches[name].mirror.Want(c.want(name))
}

func (c *Core) refreshAll() { c.refresh(c.conf.Net.Switches()...) }

// Lost says that a switch is out of our hands.
func (c *Core) Lost(now time.Duration, name string) {
	c.now = now
	if c.switches[name].up {
		c.note(slog.LevelWarn, nil, "switch lost", "switch", name)
		c.lose(name)
		if len(c.conf.places("")) > 0 && c.halted == nil {
			c.refreshAll() // something may go around by it
		}
	}
	c.switches[name].reread = false
	c.advance()
}

func (c *Core) lose(name string) {
	s := c.switches[name]
	if s.up {
		c.stats.Lost++
		s.up, s.lostAt = false, c.now
	}
	s.mirror = mirror.New(tables)
	clear(s.waiting)
	for _, a := range c.apps {
		for _, n := range c.partsOn(a, name) {
			a.parts[n].alive = false
			if a.trim != nil {
				delete(a.trim.waits, n)
			}
		}
	}
}

// Synced says that a switch is in our hands, and what it holds.
func (c *Core) Synced(now time.Duration, name string, im *Image) {
	c.now = now
	c.lose(name)
	s := c.switches[name]
	s.up, s.seen, s.reread, s.room = true, true, false, im.Room
	s.mirror.Adopt(&im.Image)
	if c.halted != nil {
		return
	}
	for _, a := range c.apps {
		for _, n := range c.partsOn(a, name) {
			c.meet(a, n, im)
		}
	}
	c.refreshAll()
	c.advance()
}

// partsOn are what a switch is in an application: itself, and its places.
func (c *Core) partsOn(a *app, name string) (out []string) {
	if a.parts[name] != nil {
		out = append(out, name)
	}
	for _, p := range c.conf.places(name) {
		if a.parts[p.Name] != nil {
			out = append(out, p.Name)
		}
	}
	return out
}

// Reread is Synced for an answer to Reread: it counts only if the switch was not lost and
// taken over meanwhile.
func (c *Core) Reread(now time.Duration, name string, im *Image) {
	if c.switches[name].reread {
		c.Synced(now, name, im)
	}
}

// Stale says that a switch is in our hands, and must be read back, for it is not known what
// it holds.
func (c *Core) Stale(now time.Duration, name string) {
	c.now = now
	c.distrust(name)
	c.advance()
}

// distrust has a switch read back.
func (c *Core) distrust(name string) {
	name = c.conf.at(name)
	c.lose(name)
	c.switches[name].reread = true
	c.out = append(c.out, Reread{name})
}

// WantsReread reports whether a Reread has not been answered yet.
func (c *Core) WantsReread(name string) bool { return c.switches[name].reread }

// meet looks what a switch's registers say, and goes on with them, or gives it a new life.
func (c *Core) meet(a *app, name string, im *Image) {
	number := c.conf.number(a.index, name)
	p, life := a.parts[name], im.register(names.RegisterLife, number)
	*p = part{life: a.d.lives[name]}
	if life != 0 && a.d.given[life] != name {
		p.foreign = life
		c.note(slog.LevelError, a, "switch has registers of another deployment, or the journal is not theirs: not used [restart the switch to make it forget]", "switch", name, "life", life)
		c.unlead(a, name)
		return
	}
	if p.small = im.Room < a.ring; p.small { // two instances would share a cell
		c.note(slog.LevelError, a, "switch has no room for the instances that may be under way: not used [give it a program with a larger RING_BITS]", "switch", name, "room", im.Room, "instances", a.ring)
		c.unlead(a, name)
		return
	}
	if life == 0 || life != p.life {
		c.unlead(a, name)
		c.revive(a, name, im)
		return
	}
	p.alive = true
	if c.hasLeader(a, name, im) {
		a.route = name
	} else {
		c.unlead(a, name)
	}
	// What it may have missed: rounds that are over, and what was trimmed, the window's
	// beginning before its end.
	var u []mirror.Update
	if floor := a.floorOf(Member{name, p.life}); im.register(names.RegisterAcceptorFloor, number) < floor {
		u = append(u, c.set(a, name, names.RegisterAcceptorFloor, floor))
	}
	if after(a.d.first, im.register(names.RegisterFirst, number)) {
		u = append(u, c.set(a, name, names.RegisterFirst, a.d.first))
	}
	if after(a.last, im.register(names.RegisterLast, number)) {
		u = append(u, c.set(a, name, names.RegisterLast, a.last))
	}
	c.push(name, u, nil)
}

// unlead notes that a switch does not lead, whatever was recorded.
func (c *Core) unlead(a *app, name string) {
	if a.leads != nil && a.leads.on == name {
		a.leads = nil
	}
}

// hasLeader reports whether a switch has the leader's entry of the round that it is to lead in.
// One that has not must not get it again: it is not known which instances it has given.
func (c *Core) hasLeader(a *app, name string, im *Image) bool {
	if a.leads == nil || a.leads.on != name {
		return false
	}
	for _, t := range c.want(name) {
		if t.Key() == entryKey(names.TableLeader, a.index, uint64(names.AtLeader), uint64(names.MsgRequest)) {
			return im.Has(t)
		}
	}
	return false
}

// after compares instances, whose numbers go round, as the program does: one is after those
// that were given up to 2^31 before it.
func after(a, b uint32) bool { return int32(a-b) > 0 }

// later is the later of two instances.
func later(a, b uint32) uint32 {
	if after(a, b) {
		return a
	}
	return b
}

func (c *Core) set(a *app, name, register string, v uint32) mirror.Update {
	return mirror.Update{Op: mirror.Set, Register: &mirror.Register{Name: register, Index: c.conf.number(a.index, name), Value: uint64(v)}}
}

// revive gives a switch a life: its registers are made what a role begins with, and then it is
// said whose they are. What it was before it has forgotten: an acceptor is none any more
// until it has been taken up anew.
func (c *Core) revive(a *app, name string, im *Image) {
	p := a.parts[name]
	life := p.life
	if life != 0 {
		a.stats.Forgotten++
		c.note(slog.LevelWarn, a, "switch has lost its registers", "switch", name)
	}
	for life == 0 || a.d.given[life] != "" {
		life = c.random()
	}
	if !c.record(a, Record{Kind: recordLife, Switch: name, Life: life}) {
		return
	}
	p.life = life
	u := []mirror.Update{
		c.set(a, name, names.RegisterFirst, a.d.first), c.set(a, name, names.RegisterLast, a.last), c.set(a, name, names.RegisterNext, 0), c.set(a, name, names.RegisterHighest, a.d.first-1),
		c.set(a, name, names.RegisterAcceptorFloor, max(a.d.round, im.register(names.RegisterAcceptorFloor, c.conf.number(a.index, name)))), c.set(a, name, names.RegisterLife, life),
	}
	c.push(name, u, func(error) {
		p.alive = true
		c.refresh(name)
	})
}

// voteIndex is the place of a switch among the acceptors, if it is one: of the newest
// configuration that it belongs to.
func (a *app) voteIndex(name string) (index int, ok bool) {
	terms := slices.Clone(a.d.pending)
	slices.Reverse(terms)
	if a.d.active != nil {
		terms = append(terms, *a.d.active)
	}
	for _, members := range slices.Backward(a.d.before) {
		terms = append(terms, Term{Members: members})
	}
	for _, t := range terms {
		if i := slices.Index(t.Members, Member{name, a.parts[name].life}); i >= 0 {
			return i, true
		}
	}
	return 0, false
}

// floorOf is the first round that an acceptor may vote in: that in which it was taken up, or
// the leader's.
func (a *app) floorOf(m Member) uint32 {
	if a.d.active != nil && slices.Contains(a.d.active.Members, m) {
		return a.d.active.Round
	}
	for _, t := range a.d.pending {
		if slices.Contains(t.Members, m) {
			return t.Round
		}
	}
	return 0
}

// sound reports whether an acceptor is there and can be reached, and has forgotten nothing.
func (c *Core) sound(a *app, m Member) bool {
	p := a.parts[m.Switch]
	return p != nil && p.alive && p.life == m.Life && c.switches[m.Switch].up && a.reaches(m.Switch)
}

// Deadline is when Tick must be called.
func (c *Core) Deadline() time.Duration {
	for _, a := range c.apps {
		if a.take != nil || a.fill != nil || a.copying != nil || len(a.gaps)+len(a.wanted) > 0 {
			return min(c.probeAt, c.now+c.conf.Timing.Resend)
		}
	}
	return min(c.probeAt, c.now+5*c.conf.Timing.Resend)
}

// Tick does what time brings.
func (c *Core) Tick(now time.Duration) {
	c.now = now
	c.probe()
	c.advance()
}

// advance does what can be done now.
func (c *Core) advance() {
	for _, a := range c.apps {
		if c.halted != nil {
			return
		}
		c.regard(a)
		c.advanceTake(a)
		c.advanceFill(a)
		c.advanceCopying(a)
		c.advanceTrim(a)
		c.advanceStall(a)
	}
}

// Lead orders a switch to lead an application.
func (c *Core) Lead(now time.Duration, application, name string) error {
	c.now = now
	i, ok := c.conf.App(application)
	if !ok {
		return fmt.Errorf("application %q: does not exist", application)
	}
	a := c.apps[i]
	switch {
	case c.halted != nil:
		return c.halted
	case !slices.Contains(a.conf.Leaders, name):
		return fmt.Errorf("switch %q: is not one of the leaders of %s (%v)", name, application, a.conf.Leaders)
	case c.switches[name].up && !a.reaches(name):
		return fmt.Errorf("switch %s: no link that works leads to it", name)
	case !c.usable(a, name):
		return fmt.Errorf("switch %s: the controller has not taken it over", name)
	case a.d.active == nil:
		return errors.New("the application has not started")
	}
	a.order = name
	c.advance()
	return nil
}
