package consensus

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/p4ce/p4ce/sim/explore"
	"github.com/p4ce/p4ce/systems/rdma/mu"
)

// Places of some rows. Those before aChosen happen by themselves: with Bounds.Order, in their order.
const (
	aTick    = 0
	aDone    = 1
	aCopy    = 7
	aDisk    = 10
	aExec    = 11
	aHold    = 12
	aRelease = 13
	aChosen  = 14
)

var rows = explore.Rows[*World]{
	aTick: {Name: "tick %d", Can: servers(func(w *World, s *server) bool { return !s.ticked && !w.m.bounds.Order }),
		Do: own(func(_ *World, s *server, _, _ int) {
			s.core.Tick(s.clock)
			s.ticked = true
		})},
	aDone: {Name: "done %d>%d %s %d", Args: func(_ *World, a, b, c int) []any { return []any{a, b, kinds[c&1], c >> 1} },
		Can: func(w *World, can func(a, b, c int)) {
			w.conns(func(s *server, j, k int, c *conn) {
				if n := len(c.done); n > 0 {
					can(s.id, j, k|1<<1)
					if n > 1 && w.m.bounds.Batch && k == int(mu.Replication) && !w.m.bounds.Order {
						can(s.id, j, k|n<<1)
					}
				}
			})
		},
		Do: own(func(w *World, s *server, b, c int) { w.finish(s.id, b, mu.Kind(c&1), c>>1) })},
	{Name: "lose %d", Can: servers(func(_ *World, s *server) bool { return s.broken() }), Do: own(func(w *World, s *server, _, _ int) { w.lose(s) })},
	{Name: "link %d>%d",
		Can: func(w *World, can func(a, b, c int)) {
			for i, s := range w.servers {
				for _, o := range w.servers[i+1:] {
					if w.linkable(s, o) || w.linkable(o, s) {
						can(i, o.id, 0)
					}
				}
			}
		},
		Do: own(func(w *World, s *server, b, _ int) {
			w.Line(s.id, b, false, "connect")
			for _, pair := range [...][2]int{{s.id, b}, {b, s.id}} {
				if w.linkable(w.servers[pair[0]], w.servers[pair[1]]) {
					w.link(pair[0], pair[1])
				}
			}
		})},
	{Name: "apply %d", Can: servers(func(_ *World, s *server) bool { return len(s.queue) > 0 }), Do: own(func(_ *World, s *server, _, _ int) { s.applied() })},
	{Name: "fetch %d", Can: servers(func(_ *World, s *server) bool { return s.fetching >= 0 }), Do: own(func(w *World, s *server, _, _ int) { w.fetch(s) })},
	{Name: "form %d", Can: servers(func(_ *World, s *server) bool {
		return slices.ContainsFunc(s.groups, func(g group) bool { return !g.formed })
	}), Do: own(func(w *World, s *server, _, _ int) { w.form(s.id) })},
	aCopy: {Name: "copy %d>%d group %d", Args: copyArgs, Can: copies, Do: own(func(w *World, s *server, b, c int) { w.copyTo(s.id, b, c) })},
	{Name: "done %d group %d", Args: groupArgs, Can: inGroups(func(g *group) bool { return g.ready() > 0 && !g.broken }),
		Do: own(func(w *World, s *server, b, _ int) { w.groupDone(s.id, b) })},
	{Name: "lose %d group %d", Args: groupArgs, Can: inGroups(func(g *group) bool { return g.broken || g.hopeless() }), Do: own((*World).loseGroup)},
	aDisk: {Name: "disk %d", Can: servers(func(_ *World, s *server) bool { return len(s.journal.open) > 0 }), Do: own(func(_ *World, s *server, _, _ int) { s.written() })},
	aExec: {Name: "exec %d>%d %s", Args: connArgs, Can: onConns(func(_ int, c *conn) bool { return len(c.posted) > 0 }),
		Do: own(func(w *World, s *server, b, c int) {
			if w.m.bounds.Order {
				w.turn = 2*(maxServers*s.id+b) + c + 1
			}
			w.exec(s.id, b, mu.Kind(c), false)
			if n := len(s.conns[b][c].done); mu.Kind(c) == mu.Control && !w.m.bounds.Split && n > 0 {
				w.finish(s.id, b, mu.Control, n)
			}
		})},
	aHold: {Name: "hold %s", Args: heldArgs, Do: func(w *World, a, b, c int) error {
		w.left[holds]--
		item := uint16(a<<6 | b<<3 | c)
		at, _ := slices.BinarySearch(w.held, item)
		w.held = slices.Insert(slices.Clone(w.held), at, item)
		w.Line(-1, -1, false, "%s is held up", heldName(a, b, c))
		return nil
	}},
	aRelease: {Name: "release %s", Args: heldArgs, Do: func(w *World, a, b, c int) error {
		w.held = slices.DeleteFunc(slices.Clone(w.held), func(item uint16) bool { return item == uint16(a<<6|b<<3|c) })
		w.Line(-1, -1, false, "%s goes on", heldName(a, b, c))
		return nil
	}},

	// What clients, operators and faults may do at any time.
	aChosen: {Name: "restart %d",
		Can: func(w *World, can func(a, b, c int)) {
			for i, s := range w.servers {
				if !s.up {
					can(i, 0, 0)
				}
			}
		},
		Do: own(func(_ *World, s *server, _, _ int) {
			s.say("starts again")
			s.start()
		})},
	{Name: "heal %d", Can: servers(func(_ *World, s *server) bool { return s.cut }), Do: own(func(_ *World, s *server, _, _ int) {
		s.say("is connected to the network again")
		s.cut = false
	})},
	{Name: "torn %d>%d", Left: left(torns), Can: onConns(func(k int, c *conn) bool {
		return k == int(mu.Replication) && len(c.posted) > 0 && len(c.posted[0].Data) > packet
	}), Do: own(func(w *World, s *server, b, _ int) { w.exec(s.id, b, mu.Replication, true) })},
	{Name: "break %d>%d %s", Args: connArgs, Left: left(loses), Can: onConns(func(int, *conn) bool { return true }),
		Do: own(func(w *World, s *server, b, c int) {
			w.Line(s.id, b, true, "connection (%s) ends", kinds[c])
			w.down(s, b, mu.Kind(c))
		})},
	{Name: "miss %d>%d group %d", Args: copyArgs, Left: left(misses), Can: copies, Do: own(func(w *World, s *server, b, c int) {
		m := &s.groups[b].members[c]
		w.Line(s.id, m.id, true, "a copy is lost")
		m.stuck = true
	})},
	{Name: "lose %d group %d", Args: groupArgs, Left: left(loses), Can: inGroups(func(g *group) bool { return !g.broken && !g.hopeless() }), Do: own((*World).loseGroup)},
	{Name: "propose %d", Can: leaders(func(w *World, _ *server) bool { return w.left[entries] > 0 }), Do: own(func(w *World, s *server, _, _ int) { w.propose(s) })},
	{Name: "barrier %d", Left: left(barriers), Can: leaders(func(*World, *server) bool { return true }), Do: own(func(w *World, s *server, _, _ int) {
		id := uint64(w.m.bounds.Barriers - w.left[barriers])
		s.barriers = append(s.barriers, asked{id, w.reported})
		s.say("is asked for a read barrier, to cover %d records", w.reported)
		if s.core.Barrier(s.clock, id) != nil {
			s.barriers = s.barriers[:len(s.barriers)-1]
		}
	})},
	{Name: "join %d", Can: leaders(func(w *World, s *server) bool { return w.left[joins] > 0 && s.core.CaughtUp(mu.ID(w.m.bounds.Servers)) }),
		Do: own(func(w *World, s *server, _, _ int) {
			n := w.m.bounds.Servers
			s.say("is asked to make server %d a member", n)
			if s.core.ChangeMembership(s.clock, append(slices.Clone(s.core.Status().Members), mu.Member{ID: mu.ID(n)})) == nil {
				w.left[joins] = 0
			}
		})},
	{Name: "remove %d %d",
		Can: func(w *World, can func(a, b, c int)) {
			for _, r := range w.m.bounds.Remove {
				if id := int(r - '0'); w.removed>>id&1 == 0 {
					leaders(func(*World, *server) bool { return true })(w, func(a, _, _ int) { can(a, id, 0) })
				}
			}
		},
		Do: own(func(w *World, s *server, b, _ int) {
			s.say("is asked to remove server %d", b)
			rest := slices.DeleteFunc(slices.Clone(s.core.Status().Members), func(m mu.Member) bool { return int(m.ID) == b })
			if s.core.ChangeMembership(s.clock, rest) == nil {
				w.removed |= 1 << b
			}
		})},
	{Name: "time %d", Left: left(times), Can: servers(func(*World, *server) bool { return true }), Do: own(func(_ *World, s *server, _, _ int) {
		s.say("sees 25 ms pass")
		s.clock += 25 * time.Millisecond
		s.core.Tick(s.clock)
	})},
	{Name: "cut %d", Left: left(cuts), Can: servers(func(w *World, s *server) bool { return w.victim(s) && !s.cut }), Do: own(func(w *World, s *server, _, _ int) {
		s.say("is cut off the network")
		w.cutOff(s)
	})},
	{Name: "crash %d", Left: left(crashes), Can: servers((*World).victim), Do: own(func(_ *World, s *server, _, _ int) {
		s.say("crashes")
		s.crash()
	})},
	{Name: "late %d>%d %v #%d",
		Args: func(w *World, a, _, _ int) []any { l := &w.late[a]; return []any{l.from, l.to, l.path.Kind, a} },
		Can:  explore.Each(func(w *World) (int, int) { return 0, len(w.late) }),
		Do:   func(w *World, a, _, _ int) error { w.runLate(a); return nil }},
	{Name: "beats", Left: left(beats), Do: func(w *World, _, _, _ int) error { w.beats(); return nil }},
}

// own is Row.Do of a server.
func own(do func(w *World, s *server, b, c int)) func(w *World, a, b, c int) error {
	return func(w *World, a, b, c int) error {
		do(w, w.own(a), b, c)
		return nil
	}
}

// left is Row.Left.
func left(what int) func(*World) *int { return func(w *World) *int { return &w.left[what] } }

// servers is Row.Can of servers that are up.
func servers(cond func(*World, *server) bool) func(*World, func(a, b, c int)) {
	return func(w *World, can func(a, b, c int)) {
		for _, s := range w.servers {
			if s.up && cond(w, s) {
				can(s.id, 0, 0)
			}
		}
	}
}

// leaders is Row.Can of servers that take themselves for the leader.
func leaders(cond func(*World, *server) bool) func(*World, func(a, b, c int)) {
	return servers(func(w *World, s *server) bool { return cond(w, s) && s.core.Status().Role == mu.Leader })
}

// conns are the connections that are up.
func (w *World) conns(what func(s *server, j, k int, c *conn)) {
	for _, s := range w.servers {
		for j := range w.servers {
			for k := range s.conns[j] {
				if c := &s.conns[j][k]; c.up && !c.broken {
					what(s, j, k, c)
				}
			}
		}
	}
}

// onConns is Row.Can of connections.
func onConns(cond func(k int, c *conn) bool) func(*World, func(a, b, c int)) {
	return func(w *World, can func(a, b, c int)) {
		w.conns(func(s *server, j, k int, c *conn) {
			if cond(k, c) {
				can(s.id, j, k)
			}
		})
	}
}

func connArgs(_ *World, a, b, c int) []any { return []any{a, b, kinds[c]} }

// inGroups is Row.Can of groups that are formed.
func inGroups(cond func(g *group) bool) func(*World, func(a, b, c int)) {
	return func(w *World, can func(a, b, c int)) {
		for _, s := range w.servers {
			for i := range s.groups {
				if g := &s.groups[i]; g.formed && cond(g) {
					can(s.id, i, 0)
				}
			}
		}
	}
}

func groupArgs(w *World, a, b, _ int) []any { return []any{a, w.servers[a].groups[b].gen} }

// copies is Row.Can of copies that members of groups have not executed.
func copies(w *World, can func(a, b, c int)) {
	inGroups(func(g *group) bool { return !g.broken })(w, func(a, b, _ int) {
		g := &w.servers[a].groups[b]
		for m := range g.members {
			if g.next(m) {
				can(a, b, m)
			}
		}
	})
}

func copyArgs(w *World, a, b, c int) []any {
	g := &w.servers[a].groups[b]
	return []any{a, g.members[c].id, g.gen}
}

// victim says whether a server may be cut off or crash.
func (w *World) victim(s *server) bool {
	v := w.m.bounds.Victims
	return v == "" || strings.ContainsRune(v, rune('0'+s.id))
}

var kinds = [...]string{"control", "log"}

func heldArgs(_ *World, a, b, c int) []any { return []any{heldName(a, b, c)} }

func heldName(what, from, to int) string {
	if what == holdTick {
		return fmt.Sprintf("server %d", from)
	}
	if what == holdDisk {
		return fmt.Sprintf("disk %d", from)
	}
	return fmt.Sprintf("%s %d>%d", [...]string{"", "exec", "done", "copy"}[what], from, to)
}

// Name implements explore.World.
func (w *World) Name(x explore.Action) string { return rows.Title(w, x) }

// Actions implements explore.World.
//
// With Bounds.Order, of what is due only the first is possible, or to hold it up. Connections have their turns, so
// that none that is asked again and again keeps the others from theirs.
func (w *World) Actions(out []explore.Action) []explore.Action {
	from := len(out)
	out = rows.Actions(w, out)
	due := out[from:]
	if i := slices.IndexFunc(due, func(x explore.Action) bool { return x >= explore.Act(aChosen, 0, 0, 0) }); i >= 0 {
		due = due[:i]
	}
	if !w.m.bounds.Order || len(due) == 0 {
		return out
	}
	chosen := slices.Clone(out[from+len(due):])
	free := slices.DeleteFunc(due, func(x explore.Action) bool {
		item, ok := w.item(x)
		return ok && slices.Contains(w.held, item)
	})
	out = out[:from]
	if len(free) > 0 {
		x := free[0]
		if row, _, _, _ := x.Parts(); row == aExec {
			x = slices.MinFunc(free, func(x, y explore.Action) int { return w.after(x) - w.after(y) })
		}
		out = append(out, x)
		row, a, b, c := x.Parts()
		if row == aDone && w.m.bounds.Batch && c&1 == int(mu.Replication) {
			if n := len(w.servers[a].conns[b][1].done); n > 1 {
				out = append(out, explore.Act(aDone, a, b, 1|n<<1))
			}
		}
		if item, ok := w.item(x); ok && w.left[holds] > 0 {
			out = append(out, held(aHold, item))
		}
		if item := uint16(holdTick<<6 | b<<3); row == aExec && w.left[holds] > 0 && !slices.Contains(w.held, item) {
			out = append(out, held(aHold, item))
		}
	}
	for _, item := range w.held {
		out = append(out, held(aRelease, item))
	}
	return append(out, chosen...)
}

// held is the action of a row about something that can be held up.
func held(row int, item uint16) explore.Action {
	return explore.Act(row, int(item>>6), int(item>>3&7), int(item&7))
}

// after is how many turns come before that of a connection.
func (w *World) after(exec explore.Action) int {
	_, a, b, c := exec.Parts()
	return (2*(maxServers*a+b) + c - w.turn + 256) % 256
}

// What can be held up: a server's own steps, and what a connection executes or
// reports. An item is what<<6 | from<<3 | to.
const (
	holdTick = iota
	holdExec
	holdDone
	holdCopy
	holdDisk
)

// item is what has to be held up so that an action does not happen.
func (w *World) item(x explore.Action) (uint16, bool) {
	row, a, b, c := x.Parts()
	switch {
	case row == aExec && c == int(mu.Replication):
		return uint16(holdExec<<6 | a<<3 | b), true
	case row == aDone && c&1 == int(mu.Replication):
		return uint16(holdDone<<6 | a<<3 | b), true
	case row == aDisk:
		return uint16(holdDisk<<6 | a<<3), true
	case row == aCopy:
		return uint16(holdCopy<<6 | a<<3 | w.servers[a].groups[b].members[c].id), true
	}
	return 0, false
}

// packet is what of a WRITE is executed as a whole.
const packet = 64

// Do implements explore.World.
func (w *World) Do(x explore.Action, note func(explore.Event)) error {
	defer w.Tell(note)()
	w.err, w.newly = nil, 0
	_ = rows.Do(w, x) // w.err
	for _, s := range w.servers {
		if s.owner == w.token && s.up {
			s.settle()
		}
	}
	if w.m.bounds.Order {
		w.tickAll()
	}
	w.check()
	for _, s := range w.servers {
		if s.owner == w.token {
			s.sum = s.hash()
		}
	}
	return w.err
}
