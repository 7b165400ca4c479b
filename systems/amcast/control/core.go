package control

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/p4ce/p4ce/ctrl/hosts"
	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/ctrl/topology"
	names "github.com/p4ce/p4ce/p4/amcast"
	"github.com/p4ce/p4ce/roce/wire"
)

// Output is something that the Core wants done: a Write, a Read, a Resync, a Send or a Note. What goes to one switch is done
// in order.
type Output interface{ output() }

// Write changes a switch. Core.Written must be called with its ID.
type Write struct {
	Switch  string
	ID      uint64
	Updates []mirror.Update
}

// Read reads cells of registers. Core.Values must be called with its ID, with nil if they cannot be read.
type Read struct {
	Switch string
	ID     uint64
	Cells  []p4rtclient.Cell
}

// Resync asks for a switch to be read back, since it is not known what it holds. Core.Synced is called with it.
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

func (Write) output()  {}
func (Read) output()   {}
func (Resync) output() {}
func (Send) output()   {}
func (Note) output()   {}

// Image is what a switch holds: entries, groups, and of each role the life and the clock.
type Image struct {
	mirror.Image
	Lives, Clocks []uint32
}

// Core decides for all switches of a deployment. It is a state machine without goroutines: its owner calls one method at
// a time, and Poll after each.
type Core struct {
	conf     *Config
	journal  Journal
	salt     uint32
	switches map[string]*swtch
	groups   map[uint8]*group
	hosts    map[string]*host
	byAddr   map[wire.Addr]*host
	routes   *topology.Routes
	down     map[string]bool // switches that routes avoid
	out      []Output
	id       uint64
	now      time.Duration
	ticked   time.Duration // when time was looked at last: whatever comes in between moves no deadline
	tick     time.Duration
	halted   error
	stats    Stats
}

// Stats count since the start of the controller.
type Stats struct {
	Epochs    uint64 // that were completed
	Abandoned uint64 // that were begun, and not completed
	Amnesia   uint64 // members that had lost their registers
	Hellos    uint64
	Foreign   uint64 // packets of hosts that mean nothing
	Failed    uint64 // hosts that have failed
	Unwritten uint64 // writes that have failed
}

// swtch is what is known of a switch.
type swtch struct {
	name    string
	up      bool // it is in our hands: mirror is what it holds when all writes are done
	seen    bool // it has been
	lostAt  time.Duration
	upAt    time.Duration
	arp     *hosts.Table // answers for hosts, and for the switch
	mirror  *mirror.Mirror
	writing map[uint64]func()
	reading map[uint64]func([][]uint64)
	lives   []uint32     // of its roles: what the registers say,
	clocks  []uint32     // when it was taken over
	giving  map[int]bool // roles whose registers are being written
}

// New makes a Core, which goes on as its journal says. salt is a random number, for a journal without records.
func New(conf *Config, j Journal, salt uint32, now time.Duration) (*Core, error) {
	c := &Core{conf: conf, journal: j, now: now, ticked: now, tick: min(mostTick, conf.Silence/8, conf.Replace/8), switches: map[string]*swtch{}, groups: map[uint8]*group{}, hosts: map[string]*host{}, byAddr: map[wire.Addr]*host{}, down: map[string]bool{}}
	for _, name := range conf.Net.Switches() {
		s, own := &swtch{name: name, lostAt: now}, conf.Switches[name]
		var err error
		if s.arp, err = hosts.New(hosts.Config{MAC: own.MAC, IPs: []wire.Addr{own.IP}, Static: conf.static(name), Links: conf.Net.LinkPorts(name), Strict: true}); err != nil {
			return nil, err
		}
		s.arp.Poll()
		c.switches[name] = s
		c.forget(s)
	}
	for _, g := range conf.Groups {
		c.groups[g.Number] = &group{GroupRecord: GroupRecord{Number: g.Number}, conf: g, since: now}
	}
	for _, x := range conf.Net.Hosts() {
		h := &host{HostRecord: HostRecord{Host: x.Name}, conf: conf.Hosts[x.Name], at: x.At, heard: now}
		c.hosts[x.Name], c.byAddr[h.conf.IP] = h, h
	}
	for _, r := range j.Records() {
		switch {
		case r.Group != nil:
			g := c.groups[r.Group.Number]
			if g == nil {
				continue // a group that is not configured any more keeps its record
			}
			g.GroupRecord = *r.Group
			g.members = g.Members
			g.complete = g.Complete
			for _, m := range g.Members {
				if !slices.Contains(g.conf.may(), m) {
					return nil, fmt.Errorf("group %d: switch %s is a member in epoch %d, and is no longer configured [put it back as a spare until another one has taken its place]", g.Number, m, g.Complete)
				}
			}
			g.Order = slices.DeleteFunc(slices.Clone(g.Order), func(n string) bool { return !slices.Contains(g.conf.may(), n) })
		case r.Host != nil:
			if h := c.hosts[r.Host.Host]; h != nil {
				h.HostRecord = *r.Host
			} else { // its clients' numbers remain used
				c.hosts[r.Host.Host] = &host{HostRecord: *r.Host, gone: true}
			}
		default:
			c.salt = r.Salt
		}
	}
	if c.salt == 0 {
		c.salt = salt | 1
		if !c.record(Record{Salt: c.salt}) {
			return nil, c.halted
		}
	}
	c.reroute()
	return c, nil
}

// life is what the register of a role says when all its registers are of an epoch (a deliverer has none: 0). Lives are
// the deployment's, the group's and the role's own: what another one has left in a switch does not count.
func (c *Core) life(d duty, epoch uint32) uint32 { return c.code(d, 2*epoch) }

// fence is the life of a member from which the controller reads for an epoch: no role has it.
func (c *Core) fence(d duty, epoch uint32) uint32 { return c.code(d, 2*epoch-1) }

const lifeBits = 22

// maxEpoch is the highest epoch.
const maxEpoch = 1<<(lifeBits-1) - 1

func (c *Core) code(d duty, n uint32) uint32 {
	return 1<<31 | (uint32(d.group)<<(lifeBits+1) | uint32(bit(d.deliver))<<lifeBits | n) ^ c.salt&^(1<<31)
}

// decode is what a life says: an epoch twice, or one less. ok is false for a life of somebody else.
func (c *Core) decode(d duty, life uint32) (n uint32, ok bool) {
	v := life&^(1<<31) ^ c.salt&^(1<<31)
	return v & (1<<lifeBits - 1), life>>31 == 1 && v>>lifeBits == uint32(d.group)<<1|uint32(bit(d.deliver))
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

func (c *Core) note(level slog.Level, text string, args ...any) {
	c.out = append(c.out, Note{level, text, args})
}

// Halt ends what the Core does: a record is not durable, and will not be.
func (c *Core) Halt(err error) {
	if c.halted == nil {
		c.halted = err
		c.note(slog.LevelError, "records cannot be stored, so the controller does nothing more", "err", err)
	}
}

// record makes something durable before it is acted upon.
func (c *Core) record(r Record) bool {
	if c.halted != nil {
		return false
	}
	if err := c.journal.Append(r); err != nil {
		c.Halt(err)
		return false
	}
	return true
}

// forget is for a switch that is out of our hands.
func (c *Core) forget(s *swtch) {
	s.up = false
	s.mirror = mirror.New(tables)
	s.writing, s.reading = map[uint64]func(){}, map[uint64]func([][]uint64){}
	s.giving = map[int]bool{}
	n := len(c.conf.roles[s.name])
	s.lives, s.clocks = make([]uint32, n), make([]uint32, n)
}

// push gives a switch updates. then is called when it has them; it is not when the switch is lost before.
func (c *Core) push(s *swtch, updates []mirror.Update, then func()) {
	if !s.up || len(updates) == 0 {
		return
	}
	c.id++
	s.writing[c.id] = then
	c.out = append(c.out, Write{s.name, c.id, updates})
}

// changes make a switch what it shall be: they must be pushed.
func (c *Core) changes(s *swtch) []mirror.Update {
	want := c.want(s.name)
	return append(s.mirror.Prune(want, belongings...), s.mirror.Want(want)...)
}

// refresh makes all switches what they shall be.
func (c *Core) refresh() {
	for _, name := range c.conf.Net.Switches() {
		if s := c.switches[name]; s.up {
			c.push(s, c.changes(s), nil)
		}
	}
}

// quiet reports whether all switches have what they shall have.
func (c *Core) quiet() bool {
	for _, s := range c.switches {
		if s.up && len(s.writing) > 0 {
			return false
		}
	}
	return true
}

// gone reports whether a switch was there and is not, or has not come for long.
func (c *Core) gone(s *swtch) bool {
	return !s.up && (s.seen || c.now-s.lostAt >= startAfter)
}

// reroute avoids switches that are gone, and reports whether that changes anything.
func (c *Core) reroute() bool {
	down := map[string]bool{}
	for name, s := range c.switches {
		if c.gone(s) {
			down[name] = true
		}
	}
	if c.routes != nil && maps.Equal(down, c.down) {
		return false
	}
	c.down = down
	c.routes = c.conf.Net.Routes(topology.Down{Switches: down})
	return true
}

// Synced says that a switch is in our hands, and what it holds.
func (c *Core) Synced(now time.Duration, name string, im *Image) {
	c.now = now
	s := c.switches[name]
	c.forget(s)
	s.up, s.seen, s.upAt = true, true, now
	s.mirror.Adopt(&im.Image)
	copy(s.lives, im.Lives)
	copy(s.clocks, im.Clocks)
	c.reroute()
	if c.halted != nil {
		return
	}
	for role, d := range c.conf.roles[name] {
		c.meetRole(s, role, d)
	}
	c.refresh()
	c.advance()
}

// meetRole looks whose the registers of a role are. A deliverer that has lost them may begin anew: members have all.
func (c *Core) meetRole(s *swtch, role int, d duty) {
	life := s.lives[role]
	_, ours := c.decode(d, life)
	switch {
	case life != 0 && !ours:
		c.note(slog.LevelError, "a role has registers of another deployment, or of a journal that was lost: it is not used [restart the switch to make it forget]", "switch", s.name, "group", d.group)
	case d.deliver && life == 0:
		want := c.life(d, 0)
		c.push(s, []mirror.Update{set(names.RegisterLife, role, want)}, func() { s.lives[role] = want })
	}
}

func set(register string, index int, v uint32, rest ...uint64) mirror.Update {
	return mirror.Update{Op: mirror.Set, Register: &mirror.Register{Name: register, Index: index, Value: uint64(v), Rest: rest}}
}

// Lost says that a switch is out of our hands.
func (c *Core) Lost(now time.Duration, name string) {
	c.now = now
	if s := c.switches[name]; s.up {
		c.note(slog.LevelWarn, "switch lost", "switch", name)
		c.forget(s)
		s.lostAt = now
		c.reroute()
	}
	if c.halted == nil {
		c.refresh()
		c.advance()
	}
}

// Written takes the outcome of a Write.
func (c *Core) Written(now time.Duration, name string, id uint64, err error) {
	c.now = now
	s := c.switches[name]
	then, ok := s.writing[id]
	if !ok {
		return // of before it was lost
	}
	delete(s.writing, id)
	switch {
	case err != nil:
		c.stats.Unwritten++
		c.note(slog.LevelError, "switch not updated", "switch", name, "err", err)
		c.forget(s)
		s.lostAt = now
		c.out = append(c.out, Resync{name})
		c.reroute()
	case then != nil:
		then()
	}
	if c.halted == nil {
		c.advance()
	}
}

// Values takes the outcome of a Read.
func (c *Core) Values(now time.Duration, name string, id uint64, values [][]uint64) {
	c.now = now
	s := c.switches[name]
	then, ok := s.reading[id]
	if !ok {
		return
	}
	delete(s.reading, id)
	then(values)
	if c.halted == nil {
		c.advance()
	}
}

func (c *Core) read(s *swtch, cells []p4rtclient.Cell, then func([][]uint64)) {
	c.id++
	s.reading[c.id] = then
	c.out = append(c.out, Read{s.name, c.id, cells})
}

// mostTick is the longest pause between two looks at the time.
const mostTick = 50 * time.Millisecond

// Deadline is when Tick must be called.
func (c *Core) Deadline() time.Duration { return c.ticked + c.tick }

// Tick does what time brings.
func (c *Core) Tick(now time.Duration) {
	c.now, c.ticked = now, now
	if c.halted == nil {
		if c.reroute() {
			c.refresh()
		}
		for _, name := range c.conf.Net.Switches() {
			c.switches[name].arp.Tick(now)
			c.answer(c.switches[name])
		}
		c.silent()
		c.advance()
	}
}

// advance does what can be done now.
func (c *Core) advance() {
	for _, g := range c.conf.Groups {
		if c.halted == nil {
			c.advanceGroup(c.groups[g.Number])
		}
	}
	c.admit()
}

// Members asks for other members of a group, the leader first.
func (c *Core) Members(now time.Duration, number uint8, members []string) error {
	c.now = now
	g := c.groups[number]
	switch {
	case c.halted != nil:
		return c.halted
	case g == nil:
		return fmt.Errorf("group %d: is not known", number)
	case len(members) == 0 || len(members) > names.MaxMembers:
		return fmt.Errorf("group %d: %d members: want 1 to %d", number, len(members), names.MaxMembers)
	}
	for i, m := range members {
		switch s := c.switches[m]; {
		case slices.Contains(members[:i], m):
			return fmt.Errorf("group %d: member %s is named twice", number, m)
		case s == nil || !slices.Contains(g.conf.may(), m):
			return fmt.Errorf("group %d: switch %q may not be a member [members and spares: %v]", number, m, g.conf.may())
		case !s.up:
			return fmt.Errorf("group %d: the controller does not have switch %s", number, m)
		}
	}
	for _, set := range c.conf.Sets {
		copies := 0
		for _, n := range set.List() {
			other := c.groups[n]
			copies += len(other.conf.Deliverers) + max(len(other.members), len(other.order()))
		}
		if more := len(members) - max(len(g.members), len(g.order())); set.Has(number) && copies-1+max(0, more) > maxCopies {
			return fmt.Errorf("group %d: with %d members, a proposal to %v would go to more than %d members and deliverers", number, len(members), set, maxCopies)
		}
	}
	g.Order = slices.Clone(members)
	if !c.record(Record{Group: g.copy()}) {
		return c.halted
	}
	g.change = nil // what was under way has other members
	c.advance()
	return nil
}
