package control

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/p4ce/p4ce/ctrl/mirror"
	"github.com/p4ce/p4ce/ctrl/p4rtclient"
	"github.com/p4ce/p4ce/internal/quorum"
	names "github.com/p4ce/p4ce/p4/amcast"
)

// group is what is known of a group. Of its record, Complete and Members are what the journal will say, and complete and
// members what is in force: the same, since what is wanted waits for the journal (ctrl/fleet).
type group struct {
	GroupRecord
	conf     *Group
	complete uint32
	members  []string
	change   *change
	since    time.Duration // it could not go on, or the controller has begun
	why      error         // it does not go on; nil: it does
}

// change is an epoch that was begun.
type change struct {
	epoch   uint32
	members []string // the leader first
	began   time.Duration
	asked   map[string]bool  // members of the last epoch that are being fenced and read
	states  map[string]State // what they had
	merged  *State
	giving  map[string]bool // members that get it
	given   map[string]bool // and have it
}

func (g *group) copy() *GroupRecord {
	r := g.GroupRecord
	r.Members, r.Order = slices.Clone(r.Members), slices.Clone(r.Order)
	return &r
}

// order is the members that are wanted if all are there, the leader first.
func (g *group) order() []string {
	if len(g.Order) > 0 {
		return g.Order
	}
	return g.conf.Members
}

func (g *group) member() duty { return duty{g.Number, false} }

// standing is how a member's registers are.
type standing int

const (
	absent  standing = iota // it is not in our hands
	foreign                 // they are somebody else's
	blank                   // they are lost, or of an epoch that does not count any more
	holds                   // they are those of the last complete epoch, and it is fenced
	serves                  // they are, and it answers
)

// stands is how a switch stands in a group.
//
// A member whose clock is 0 was never given anything: a clock is at least 1 from the first epoch on. So a fence that was
// written into a switch which had just forgotten everything makes no member of it.
func (c *Core) stands(g *group, sw string) standing {
	s := c.switches[sw]
	role, _ := c.conf.role(sw, g.member())
	if !s.up {
		return absent
	}
	n, ours := c.decode(g.member(), s.lives[role])
	switch {
	case s.lives[role] == 0:
		return blank
	case !ours:
		return foreign
	case g.complete == 0 || s.clocks[role] == 0:
		return blank
	case n == 2*g.complete && slices.Contains(g.members, sw):
		return serves
	case n > 2*g.complete && n <= 2*g.Last && n%2 == 1 && slices.Contains(g.members, sw):
		return holds
	}
	return blank
}

// pick chooses the members of a new epoch: those that are wanted and there, then spares, then those that are wanted and
// not there. The first one that is there leads. ok is false while most are missing.
func (c *Core) pick(g *group) (members []string, ok bool) {
	order := g.order()
	there := func(sw string) bool { st := c.stands(g, sw); return st != absent && st != foreign }
	for _, list := range [][]string{order, g.conf.may()} {
		for _, sw := range list {
			if len(members) < len(order) && there(sw) && !slices.Contains(members, sw) {
				members = append(members, sw)
			}
		}
	}
	ok = len(members) >= quorum.Majority(len(order))
	for _, sw := range order {
		if len(members) < len(order) && !slices.Contains(members, sw) {
			members = append(members, sw)
		}
	}
	return members, ok
}

// Patience of the controller.
const (
	startAfter = 3 * time.Second // with switches that were never there, since the controller began
	retryAfter = 2 * time.Second // to begin again what does not get on
)

// needs says why a group needs a new epoch; "" if it does not.
func (c *Core) needs(g *group) string {
	if g.Merged != nil {
		return "an epoch was not completed"
	}
	if g.complete == 0 {
		missing := slices.ContainsFunc(g.order(), func(sw string) bool { return !c.switches[sw].up })
		if missing && c.now-g.since < startAfter {
			return ""
		}
		return "the group begins"
	}
	for i, sw := range g.members {
		if role, _ := c.conf.role(sw, g.member()); c.switches[sw].giving[role] {
			continue // it is about to have them
		}
		switch st := c.stands(g, sw); {
		case i == 0 && c.gone(c.switches[sw]):
			return "its leader is lost"
		case st == holds:
			return "an epoch was not completed"
		case st == blank:
			return "a member has lost its registers"
		case st == absent && c.now-c.switches[sw].lostAt >= c.conf.Replace:
			if want, ok := c.pick(g); ok && !slices.Contains(want, sw) {
				return "a member is replaced"
			}
		}
	}
	// Somebody has asked for other members, and all of them are there.
	if want := g.order(); len(g.Order) > 0 && !slices.Equal(want, g.members) &&
		!slices.ContainsFunc(want, func(sw string) bool { st := c.stands(g, sw); return st == absent || st == foreign }) {
		return "other members are wanted"
	}
	return ""
}

// advanceGroup does what can be done for a group.
func (c *Core) advanceGroup(g *group) {
	if ch := g.change; ch != nil && (c.now-ch.began > retryAfter || ch.merged != nil && c.stands(g, ch.members[0]) == absent) {
		c.stats.Abandoned++
		g.change = nil
	}
	if g.change == nil {
		c.begin(g)
	}
	if g.change != nil && g.change.merged == nil {
		c.gather(g, g.change)
	}
	if g.change != nil && g.change.merged != nil {
		c.give(g, g.change)
	}
}

// begin begins an epoch, if the group needs one and can have it.
func (c *Core) begin(g *group) {
	why := c.needs(g)
	if why == "" {
		g.why = nil
		return
	}
	members, ok := c.pick(g)
	if !ok {
		g.why = fmt.Errorf("%s, and fewer than half of the members are there", why)
		return
	}
	have := 0
	for _, sw := range g.members {
		if c.stands(g, sw) >= holds {
			have++
		}
	}
	if g.complete > 0 && g.Merged == nil && have < quorum.Majority(len(g.members)) {
		g.why = fmt.Errorf("%s, and of the members of epoch %d (%v) only %d are there with their registers: the others may know what those do not", why, g.complete, g.members, have)
		return
	}
	if g.Last >= maxEpoch {
		g.why = fmt.Errorf("%s, and there is no epoch left: begin with an empty store and restarted switches", why)
		return
	}
	g.why = nil
	g.Last++
	if !c.record(Record{Group: g.copy()}) {
		return
	}
	c.note(slog.LevelInfo, "epoch begun", "group", g.Number, "epoch", g.Last, "members", fmt.Sprint(members), "why", why)
	g.change = &change{
		epoch: g.Last, members: members, began: c.now, asked: map[string]bool{}, states: map[string]State{},
		giving: map[string]bool{}, given: map[string]bool{},
	}
	switch {
	case g.Merged != nil: // it has not changed since
		g.change.merged = g.Merged.state(g.Last)
	case g.complete == 0:
		g.change.merged = (&Merged{Clock: 1}).state(g.Last)
	}
}

// gather fences members of the last epoch, and reads what they have. When most of them have said it, it is put together.
func (c *Core) gather(g *group, ch *change) {
	for _, sw := range g.members {
		if ch.asked[sw] || c.stands(g, sw) < holds {
			continue
		}
		ch.asked[sw] = true
		s := c.switches[sw]
		role, _ := c.conf.role(sw, g.member())
		fence := c.fence(g.member(), ch.epoch)
		s.lives[role] = fence // it has no entry any more: when it is read, no packet changes it
		c.push(s, append([]mirror.Update{set(names.RegisterLife, role, fence)}, c.changes(s)...), func() {
			cells := c.cells(role)
			c.read(s, cells, func(values [][]uint64) { c.gathered(g, ch, s, role, cells, values) })
		})
	}
	if len(ch.states) < quorum.Majority(len(g.members)) {
		return
	}
	var list []State
	for _, sw := range slices.Sorted(maps.Keys(ch.states)) {
		list = append(list, ch.states[sw])
	}
	m := Merge(g.complete, ch.epoch, list)
	g.Merged = m.kept()
	if c.record(Record{Group: g.copy()}) { // before anything is overwritten
		ch.merged = &m
	}
}

// cells are the registers that a member's state is read from: of a role its life, clock and mark, and of each cell that
// a client has had its words.
func (c *Core) cells(role int) (out []p4rtclient.Cell) {
	for _, r := range []string{names.RegisterLife, names.RegisterClock, names.RegisterMarks} {
		out = append(out, p4rtclient.Cell{Register: r, Index: role})
	}
	for cell := range int(c.nextClient()) * names.Window {
		for _, r := range words {
			out = append(out, p4rtclient.Cell{Register: r, Index: role*names.Ring + cell})
		}
	}
	return out
}

// words are the registers of a cell.
var words = []string{names.RegisterNewest, names.RegisterTags, names.RegisterLts, names.RegisterSeqs, names.RegisterGroups, names.RegisterDigests}

// gathered takes what a member has.
func (c *Core) gathered(g *group, ch *change, s *swtch, role int, cells []p4rtclient.Cell, v [][]uint64) {
	if g.change != ch || ch.merged != nil {
		return
	}
	if len(v) != len(cells) {
		ch.asked[s.name] = false // it is asked again
		return
	}
	life, clock := uint32(v[0][0]), uint32(v[1][0])
	if life != c.fence(g.member(), ch.epoch) || clock == 0 {
		c.stats.Amnesia++
		c.note(slog.LevelWarn, "a member has lost its registers", "group", g.Number, "switch", s.name)
		s.lives[role], s.clocks[role] = life, clock
		return
	}
	st := State{Clock: clock, Mark: uint32(v[2][0]), Cells: make([]Cell, names.Ring)}
	for i, n := 3, 0; i < len(v); i, n = i+len(words), n+1 {
		st.Cells[n] = Cell{
			Number: uint32(v[i][0]), Epoch: uint32(v[i+1][1]), LTS: uint32(v[i+2][0]), Seq: uint32(v[i+3][0]), Groups: uint32(v[i+4][0]), Digest: uint32(v[i+5][0]),
		}
	}
	ch.states[s.name] = st
	s.clocks[role] = clock
}

// give gives the members of an epoch its state. When most have it, and the leader has, the epoch is complete.
func (c *Core) give(g *group, ch *change) {
	for _, sw := range ch.members {
		s := c.switches[sw]
		if st := c.stands(g, sw); ch.giving[sw] || st == absent || st == foreign {
			continue
		}
		ch.giving[sw] = true
		role, _ := c.conf.role(sw, g.member())
		life := c.life(g.member(), ch.epoch)
		// In one write, the life last: a switch that begins anew in between has not got it.
		s.giving[role] = true
		fresh := s.lives[role] == 0 && s.clocks[role] == 0
		fence := c.fence(g.member(), ch.epoch)
		s.lives[role] = fence
		updates := append([]mirror.Update{set(names.RegisterLife, role, fence)}, c.changes(s)...)
		updates = append(updates, c.written(role, ch.merged, ch.states[sw].Cells, ch.states[sw].Mark, fresh)...)
		c.push(s, append(updates, set(names.RegisterLife, role, life)), func() {
			if s.lives[role] != fence {
				return // it was slow: a later epoch is about to give it another state
			}
			s.lives[role], s.clocks[role] = life, ch.merged.Clock
			ch.given[sw] = true
			delete(s.giving, role)
			c.push(s, c.changes(s), nil) // now it has its entry
		})
	}
	if !ch.given[ch.members[0]] || len(ch.given) < quorum.Majority(len(ch.members)) {
		return
	}
	g.Complete, g.Members, g.Merged = ch.epoch, slices.Clone(ch.members), nil
	if !c.record(Record{Group: g.copy()}) {
		return
	}
	g.complete, g.members, g.change, g.since = g.Complete, g.Members, nil, c.now
	c.stats.Epochs++
	c.note(slog.LevelInfo, "epoch complete", "group", g.Number, "epoch", g.complete, "leader", g.members[0])
	if ch.merged.Clock >= 1<<31 {
		c.note(slog.LevelError, "half of the timestamps of a group are used up: begin with an empty store and restarted switches before they end", "group", g.Number, "clock", ch.merged.Clock)
	}
	c.refresh()
	c.tell()
}

// written are the registers of a member, but for its life. What is 0 in it, and has been before, stays: old is what the
// cells were, and had the mark, if they were read; in a fresh member all is 0.
func (c *Core) written(role int, st *State, old []Cell, had uint32, fresh bool) (out []mirror.Update) {
	base := role * names.Ring
	out = append(out, set(names.RegisterClock, role, st.Clock), set(names.RegisterMarks, role, st.Mark))
	for i := range int(c.nextClient()) * names.Window {
		x := st.Cells[i]
		if x == (Cell{}) && (fresh || old != nil && old[i] == (Cell{})) {
			continue
		}
		n := base + i
		out = append(out, set(names.RegisterNewest, n, x.Number), set(names.RegisterTags, n, x.Number, uint64(x.Epoch)), set(names.RegisterLts, n, x.LTS),
			set(names.RegisterSeqs, n, x.Seq), set(names.RegisterGroups, n, x.Groups), set(names.RegisterDigests, n, x.Digest))
	}
	for i, x := range st.Ring {
		if x.Seq == 0 && (fresh || old != nil && had < names.Ring && uint32(i) > had) {
			continue
		}
		out = append(out, set(names.RegisterRingSeqs, base+i, x.Seq))
		if x.Seq != 0 {
			out = append(out, set(names.RegisterRing, base+i, x.What))
		}
	}
	return out
}

// alive reports whether a replica of a group takes part.
func (g *group) alive(c *Core, index int) bool { return !c.hosts[g.conf.Replicas[index]].Lost }
